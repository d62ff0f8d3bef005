"""What the estimators promise beyond scikit-learn's conventions."""

import io
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline

from novikoff import MarginPerceptron, ModifiedPerceptron, PassiveAggressive, Perceptron, RescaledPerceptron, development_curve
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import NoBound
from novikoff.learning.progress import Bar
from novikoff.learning.run import Pass, StopReason

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
y = np.where(X @ rng.normal(size=5) + 0.7 * rng.normal(size=200) > 0, 1, -1)
Y3 = rng.integers(0, 3, 200)


def test_warns_once_and_names_the_errors_that_remain():
    with pytest.warns(ConvergenceWarning) as caught:
        clf = Perceptron(max_iter=7).fit(X, y)
    (warning,) = caught
    errors = int((clf.predict(X) != y).sum())
    assert f"no clean pass in max_iter=7: {errors} of 200 training rows are still answered wrongly" in str(warning.message)
    assert warning.filename == __file__


def test_errors_named_are_those_of_the_weights_that_answer():
    for readout in ("averaged", "pocket"):
        with pytest.warns(ConvergenceWarning) as caught:
            clf = Perceptron(max_iter=7, readout=readout).fit(X, Y3)
        assert f": {int((clf.predict(X) != Y3).sum())} of 200" in str(caught[0].message)


def test_clean_pass_is_silent_and_certain():
    easy = X[np.abs(X[:, 0]) > 0.5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = Perceptron().fit(easy, easy[:, 0] > 0)
    assert clf.stop_reason_ is StopReason.CLEAN_PASS
    assert clf.passes_[-1].updates == 0
    assert all(p.updates > 0 for p in clf.passes_[:-1])
    assert sum(p.mistakes for p in clf.passes_) == clf.n_mistakes_ == clf.n_updates_
    assert len(clf.passes_) == clf.n_iter_
    assert clf.score(easy, easy[:, 0] > 0) == 1


def test_mistakes_are_fewer_than_updates_for_margin_rules():
    clf = MarginPerceptron(random_state=0).fit(X, y)
    assert 0 < clf.n_mistakes_ < clf.n_updates_


@pytest.mark.parametrize("order", ["once", "each"])
def test_orders_are_seeded(order):
    one, two, other = (Perceptron(order=order, max_iter=5, random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert [*one.ledger_] == [*two.ledger_]
    assert [*one.ledger_] != [*other.ledger_]


def test_orders_are_what_they_say():
    """F2: where in a pass each row comes, read off the ledger of zero rows, which are mistakes every time."""
    places = {}
    for order in ("given", "once", "each"):
        clf = Perceptron(order=order, max_iter=3, random_state=0, fit_intercept=False).fit(np.zeros((50, 1)), np.arange(50) % 2)
        places[order] = clf.ledger_.entries.row.reshape(3, 50)
        seen = examples(np.zeros((50, 1)), np.arange(50) % 2, constant=0)
        assert all((clf._learner.order_of(seen, number) == places[order][number]).all() for number in range(3))
        assert (np.sort(places[order]) == np.arange(50)).all()
    assert (places["given"] == np.arange(50)).all()
    assert (places["once"] == places["once"][0]).all()
    assert (places["once"][0] != np.arange(50)).any()
    assert len({tuple(p) for p in places["each"].tolist()}) == 3


def test_on_pass_hears_and_stops():
    heard = []
    clf = Perceptron(max_iter=50, on_pass=lambda report: heard.append(report) or len(heard) == 3).fit(X, y)
    assert clf.stop_reason_ is StopReason.ON_PASS
    assert [type(report) for report in heard] == [Pass] * 3
    assert [report.number for report in heard] == [1, 2, 3]
    assert clf.passes_ == tuple(heard)


def test_verbose_shows_a_bar(capsys):
    Perceptron(max_iter=3, verbose=True).fit(X, y)
    shown = capsys.readouterr().err
    assert "pass 3/3" in shown
    assert "mistakes" in shown
    assert "examples/s" in shown


def test_bar_follows_the_passes():
    screen = io.StringIO()
    with Bar(100, 4, Console(file=screen, force_terminal=True, width=120)) as bar:
        bar.on_slice(Pass(1, 50, 5, 4, 0.25))
        bar.on_slice(Pass(2, 100, 9, 7, 0.5))
    assert "pass 2/4" in screen.getvalue()
    assert "7 mistakes in it, 200 examples/s" in screen.getvalue()


def test_warm_start_goes_on_where_it_was():
    whole = Perceptron(readout="averaged", order="each", random_state=3, max_iter=6).fit(X, Y3)
    parts = Perceptron(readout="averaged", order="each", random_state=3, max_iter=2, warm_start=True)
    for _ in range(3):
        parts.fit(X, Y3)
    assert parts.coef_.tolist() == whole.coef_.tolist()
    assert parts.n_updates_ == whole.n_updates_


def test_fit_forgets_unless_warm():
    assert Perceptron(max_iter=2).fit(X, Y3).fit(X, y).coef_.tolist() == Perceptron(max_iter=2).fit(X, y).coef_.tolist()


def test_first_weights():
    started = Perceptron(max_iter=1).fit(X, y, coef_init=np.ones((1, 5)), intercept_init=[2.0])
    assert not started._learner.from_zero
    moved = sum(u.y * u.step * np.append(X[u.row], 1) for u in started.ledger_)
    assert np.allclose(np.append(started.coef_, started.intercept_), moved + np.array([1, 1, 1, 1, 1, 2]))
    assert started.ledger_.tally.w_sqnorm == pytest.approx((started.coef_**2).sum() + started.intercept_[0] ** 2)
    with pytest.raises(ValueError, match="fit_intercept is False"):
        Perceptron(fit_intercept=False).fit(X, y, intercept_init=[1.0])
    with pytest.raises(ValueError, match="finite"):
        Perceptron().fit(X, y, coef_init=np.full((1, 5), np.nan))


def test_no_intercept():
    clf = Perceptron(fit_intercept=False, max_iter=5).fit(X, y)
    assert clf.intercept_.tolist() == [0.0]
    assert np.allclose(clf.decision_function(X), X @ clf.coef_[0])


def test_doubt_is_an_angle():
    clf = Perceptron(max_iter=5).fit(X, y)
    w = np.append(clf.coef_, clf.intercept_)
    cos = np.column_stack([X, np.ones(200)]) @ w / np.linalg.norm(w) / np.sqrt((X**2).sum(1) + 1)
    labels, sure = clf.predict_with_doubt(X, sigma=0.2)
    assert labels.tolist() == clf.predict(X).tolist()
    assert sure.tolist() == (np.abs(cos) >= 0.2).tolist()
    assert 0 < sure.sum() < 200


def test_zero_is_never_sure():
    clf = Perceptron(fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], [1, 0])
    _, sure = clf.predict_with_doubt([[0.0, 0.0], [0.0, 5.0], [1.0, 0.0]], sigma=0)
    assert sure.tolist() == [False, False, True]
    with pytest.raises(ValueError, match="between 0 and 1"):
        clf.predict_with_doubt([[0.0, 0.0]], sigma=2)


def test_doubt_of_many_classes_and_of_votes():
    clf = Perceptron(max_iter=5).fit(X, Y3)
    scores = clf.decision_function(X)
    _, sure = clf.predict_with_doubt(X, sigma=0.0)
    assert sure.tolist() == (scores.max(axis=1) > 0).tolist()
    voted = Perceptron(max_iter=5, readout="voted").fit(X, y)
    _, sure = voted.predict_with_doubt(X, sigma=0.5)
    assert sure.tolist() == (np.abs(voted.decision_function(X)) >= 0.5 * 5 * 200).tolist()


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (Perceptron(rule="nope"), "there is no rule 'nope'; the rules are arow, margin,"),
        (Perceptron("l2"), "threshold: give one of them as the parameter rule"),
        (Perceptron(rule=3), "rule must be a name"),
        (Perceptron(readout="mean"), "there is no readout 'mean'; the readouts are averaged, last, pocket, voted"),
        (Perceptron(order="random"), "there is no order 'random'; the orders are given, once, each"),
        (Perceptron(max_iter=0), "max_iter must be None or a whole number and at least 1"),
        (Perceptron(max_iter=2.5), "max_iter must be None or a whole number"),
        (Perceptron(n_jobs=0), "n_jobs must be"),
        (Perceptron(class_weight="even"), "class_weight must be None, 'balanced' or a mapping"),
        (Perceptron(class_weight={1: 0}), "class weights must be positive"),
        (Perceptron(class_weight={"x": 1}), "class_weight names 'x', which is not a class"),
        (Perceptron(ledger_cap=-1), "ledger_cap must be a whole number"),
        (Perceptron(ledger_cap=2.5), "ledger_cap must be a whole number"),
        (Perceptron(readout=["last"]), "there is no readout"),
        (Perceptron(class_weight={1: "a"}), "class weights must be positive"),
        (Perceptron(class_weight=np.ones(2)), "class_weight must be None"),
        (Perceptron(on_pass=3), "on_pass must be None or a function of a Pass; it is 3"),
        (MarginPerceptron(c="0.5"), "c must be a number that is not negative"),
        (MarginPerceptron(c=-1), "c must be a number that is not negative"),
        (MarginPerceptron(c=float("nan")), "c must be"),
        (PassiveAggressive(C=0), "C must be a positive number"),
        (PassiveAggressive(variant="PA-IV"), "there is no variant 'PA-IV'"),
    ],
)
def test_bad_settings_are_refused_with_a_sentence(estimator, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        estimator.fit(X, y)
    assert not hasattr(estimator, "_learner")


def test_not_fitted():
    for ask in ("coef_", "ledger_", "n_updates_", "classes_", "stop_reason_"):
        assert not hasattr(Perceptron(), ask)
    with pytest.raises(NotFittedError, match="call fit or partial_fit first"):
        Perceptron().predict(X)


def test_a_step_too_small_to_exist_does_not_make_a_pass_clean():
    clf = PassiveAggressive(C=1e-320, variant="PA-II").fit([[1.0], [1.0]], [0, 1])
    assert clf.stop_reason_ is StopReason.MAX_ITER
    assert clf.n_mistakes_ == 10


def test_settings_cannot_change_while_learning_goes_on():
    for change in ({"readout": "averaged"}, {"order": "each"}, {"fit_intercept": False}, {"rule": "margin"}, {"ledger_cap": 5}):
        clf = Perceptron(max_iter=2, warm_start=True).fit(X, y).set_params(**change)
        for again in (clf.fit, clf.partial_fit):
            with pytest.raises(ValueError, match=f"{next(iter(change))} was changed since learning began"):
                again(X, y)
        clf.set_params(warm_start=False).fit(X, y)
    clf = Perceptron(max_iter=2, warm_start=True).fit(X, y).set_params(readout="nonsense")
    with pytest.raises(ValueError, match="there is no readout 'nonsense'"):
        clf.fit(X, y)
    assert (
        Perceptron(warm_start=True, max_iter=1, n_jobs=1).fit(X, y).set_params(n_jobs=2, max_iter=3, verbose=0).fit(X, y).n_iter_
        == 3
    )


def test_a_refused_warm_start_leaves_the_model_as_it_was():
    def refuse(report):
        raise RuntimeError("no")

    clf = Perceptron(max_iter=2, warm_start=True).fit(X, Y3)
    before = clf.coef_.tolist(), clf.n_updates_
    with pytest.raises(RuntimeError, match="no"):
        clf.set_params(on_pass=refuse).fit(X, Y3)
    assert (clf.coef_.tolist(), clf.n_updates_) == before


def test_first_weights_begin_anew_even_when_warm():
    warm = Perceptron(max_iter=3, warm_start=True, readout="averaged").fit(X, Y3).fit(X, y, coef_init=np.ones((1, 5)))
    cold = Perceptron(max_iter=3, readout="averaged").fit(X, y, coef_init=np.ones((1, 5)))
    assert warm.coef_.tolist() == cold.coef_.tolist()
    assert [*warm.ledger_] == [*cold.ledger_]


def test_bound_of_a_run():
    easy = X[np.abs(X[:, 0]) > 0.5]
    clf = Perceptron().fit(easy, easy[:, 0] > 0)
    radius = np.sqrt(((easy**2).sum(axis=1) + 1).max())
    assert clf.n_mistakes_ <= clf.bound(radius=radius, margin=0.5).value == pytest.approx((radius / 0.5) ** 2)
    weighted = Perceptron(class_weight={True: 2}).fit(easy, easy[:, 0] > 0)
    assert "weights scale the steps" in weighted.bound(radius=radius, margin=0.5).why
    started = Perceptron().fit(easy, easy[:, 0] > 0, coef_init=np.ones((1, 5)))
    assert "did not start from w = 0" in started.bound(radius=radius, margin=0.5).why


def test_classes_cannot_be_rewritten():
    clf = Perceptron(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="read-only"):
        clf.classes_[0] = 99
    clf.coef_[:] = 7
    assert (clf.coef_ != 7).all()


def test_a_fit_while_the_process_ends():
    code = (
        "import atexit, numpy as np, warnings; warnings.simplefilter('ignore')\nfrom novikoff import Perceptron\n"
        "X, y = np.random.default_rng(0).normal(size=(3000, 100)), np.arange(3000) % 3\n"
        "f = lambda: Perceptron(order='each', max_iter=3, random_state=0).fit(X, y)\n"
        "w = f().coef_\natexit.register(lambda: print((f().coef_ == w).all()))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "True"


def test_overflow_is_said():
    with pytest.raises(ValueError, match="weights have overflowed"):
        Perceptron().fit(X, y, sample_weight=np.full(200, 1e300))


@pytest.mark.parametrize("target", [y, Y3])
@pytest.mark.parametrize("order", ["given", "each"])
def test_development_curve_is_what_each_setting_would_give(target, order):
    """F12: one run, and every point of it is exactly a fit of its own."""
    estimator = Perceptron(order=order, max_iter=6, random_state=0)
    train, dev = (X[:150], target[:150]), (X[150:], target[150:])
    curve = development_curve(estimator, *train, dev=dev)
    assert curve.passes.tolist() == [1, 2, 3, 4, 5, 6]
    for readout in ("last", "averaged", "voted"):
        for passes in curve.passes:
            alone = Perceptron(order=order, max_iter=int(passes), random_state=0, readout=readout).fit(*train)
            assert curve.train[readout][passes - 1] == alone.score(*train)
            assert curve.dev[readout][passes - 1] == alone.score(*dev)
    chosen = estimator.set_params(**curve.best_params).fit(*train)
    assert chosen.score(*dev) == curve.best.score == max(map(max, curve.dev.values()))


def test_development_curve_over_folds():
    curve = development_curve(MarginPerceptron(random_state=0, max_iter=4), X, y, cv=5, readouts=["averaged"])
    assert curve.best.score > 0.7
    assert curve.best.readout == "averaged"
    assert len(curve.dev["averaged"]) == 4
    easy = development_curve(Perceptron(), X, X[:, 0] > 0, cv=3)
    assert len(easy.passes) < 1000  # every fold ended at a clean pass


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({}, "give either development data"),
        ({"cv": 3, "dev": (X, y)}, "give either development data"),
        ({"cv": 3, "readouts": ["pocket"]}, "readouts must be some of last, averaged, voted"),
        ({"cv": 3, "readouts": []}, "readouts must be some of last, averaged, voted"),
        ({"dev": (X, y[:10])}, "inconsistent numbers of samples"),
        ({"dev": (X * np.nan, y), "readouts": ["voted"]}, "row 0, column 0 is NaN"),
        ({"dev": (X[:, :2], y)}, "2 features"),
    ],
)
def test_development_curve_refuses_with_a_sentence(more, sentence):
    with pytest.raises(ValueError, match=sentence):
        development_curve(Perceptron(max_iter=3), X, y, **more)


def test_development_curve_takes_what_fit_takes():
    usual = development_curve(Perceptron(max_iter=3), X, y, cv=3)
    column = development_curve(Perceptron(max_iter=3), sp.coo_matrix(X), y[:, None].ravel(), cv=3)
    assert {name: curve.tolist() for name, curve in column.dev.items()} == {n: c.tolist() for n, c in usual.dev.items()}
    with pytest.raises(TypeError, match="not Pipeline: transform the data first"):
        development_curve(make_pipeline(Perceptron()), X, y, cv=3)
    with pytest.raises(ValueError, match="more than ledger_cap=3"):
        development_curve(Perceptron(max_iter=3, ledger_cap=3), X, y, cv=3)
    with pytest.raises(ValueError, match="max_iter must be None or a whole number"):
        development_curve(Perceptron(max_iter=0), X, y, cv=3)


def test_with_many_classes_it_is_the_winner_that_must_be_sure():
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(90, 3)), np.arange(90) % 3
    clf = Perceptron(max_iter=5, fit_intercept=False).fit(A, b)
    decisions = clf.decision_function(A)
    cosines = decisions / np.linalg.norm(A, axis=1)[:, None] / np.linalg.norm(clf.coef_, axis=1)[None, :]
    winner = decisions.argmax(axis=1)
    for sigma in (0.0, 0.3, 0.7):
        _, sure = clf.predict_with_doubt(A, sigma=sigma)
        won = cosines[np.arange(90), winner]
        assert (sure == ((won >= sigma) & (won > 0))).all()
        assert 0 < sure.sum() < 90
    assert not clf.predict_with_doubt(np.zeros((1, 3)), sigma=0.0)[1].any()


@pytest.mark.parametrize(
    ("A", "b", "weight", "passes", "said"),
    [
        ([[1.0], [1.0], [2.0], [-9.0]], [0, 1, 1, 1], [1, 1, 1, 0], 1, "1 of 3"),  # a row of weight 0 is no error
        ([[0.0], [1.0], [-1.0]], [0, 1, 0], None, 2, "1 of 3"),  # a score of 0 is one
    ],
)
def test_the_errors_that_are_named_are_counted_rightly(A, b, weight, passes, said):
    with pytest.warns(ConvergenceWarning, match=said):
        Perceptron(max_iter=passes, fit_intercept=False).fit(A, b, sample_weight=weight)


def test_sample_weights_void_the_bound_and_for_good():
    A, b = [[1.0], [-1.0]], [0, 1]
    assert isinstance(Perceptron().fit(A, b, sample_weight=[2, 2]).bound(radius=1, margin=1), NoBound)
    clf = Perceptron().partial_fit(A, b, sample_weight=[2, 2]).partial_fit(A, b)
    assert isinstance(clf.bound(radius=1, margin=1), NoBound)
    assert not isinstance(Perceptron().fit(A, b, sample_weight=[1, 1]).bound(radius=1, margin=1), NoBound)


def test_of_many_classes_each_weighs_in_its_own_vector():
    rng = np.random.default_rng(0)
    clf = Perceptron(max_iter=2, class_weight={0: 5.0}).fit(rng.normal(size=(30, 2)), np.arange(30) % 3)
    for code, ledger in enumerate(clf.ledger_):
        for update in ledger:
            assert update.step == (5.0 if code == 0 and update.y == 1 else 1.0)


def test_a_fold_that_ends_early_counts_with_its_last_score():
    estimator = Perceptron(max_iter=50, random_state=0)
    folds = [(np.arange(0, 100), np.arange(100, 200)), (np.arange(100, 200), np.arange(0, 100))]
    target = X[:, 0] > 0.05
    curve = development_curve(estimator, X[:200], target[:200], cv=folds, readouts=["last"])
    alone = [Perceptron(max_iter=50, random_state=0).fit(X[a], target[a]) for a, _ in folds]
    assert len({clf.n_iter_ for clf in alone}) == 2  # or the test would show nothing
    assert curve.dev["last"][-1] == pytest.approx(
        np.mean([clf.score(X[b], target[b]) for clf, (_, b) in zip(alone, folds, strict=True)])
    )


def test_weights_whose_squares_are_no_doubles_are_brought_to_length_1():
    tiny = np.array([[1e-160, 0.0], [0.0, 1e-160]])
    assert RescaledPerceptron(random_state=0).fit(tiny, [0, 1]).predict(tiny).tolist() == [0, 1]


def test_more_updates_than_can_be_counted_are_no_limit():
    clf = ModifiedPerceptron(sigma=1e-12, random_state=1).fit([[0.0, 1], [1, 1], [2, 0], [3, 1]], [0, 0, 1, 1])
    assert clf.holds_
