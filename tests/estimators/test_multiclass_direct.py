"""Estimators with `multiclass="direct"`: shapes, doubt, `partial_fit`, warm starts, and refusals that change nothing."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from direct_textbook import FOUR
from novikoff import MarginPerceptron, Model, OnlineLearner, Perceptron, Undecided, development_curve
from novikoff.data.features import Named
from novikoff.engine.rules import NoBound
from oracles import any_data


def test_shapes_and_ties():
    X, y = np.eye(4), ["a", "b", "c", "d"]
    clf = Perceptron(multiclass="direct").fit(X, y)
    assert clf.coef_.shape == (4, 4)
    assert clf.intercept_.shape == (4,)
    assert clf.decision_function(X).shape == (4, 4)
    assert clf.predict(X).tolist() == y
    fresh = Perceptron(multiclass="direct").partial_fit(X[:1], y[:1], classes=y)
    assert fresh.predict(np.array([[0.0, -1, 0, 0]])).tolist() == ["a"]  # the others have −1 each: of equal scores, the first
    assert not fresh.predict_with_doubt(np.array([[-1.0, 0, 0, 0]]), 0)[1].any()  # a shared lead is never sure


def test_the_pocket_has_no_more_errors_than_the_last_weights():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (60, 3)).astype(float), rng.integers(0, 4, 60)
    last, pocket = Perceptron(max_iter=9, multiclass="direct"), Perceptron(readout="pocket", max_iter=9, multiclass="direct")
    last.fit(X, y)
    pocket.fit(X, y)
    leads = pocket.decision_function(X)
    own = leads[np.arange(60), y]
    leads[np.arange(60), y] = -np.inf
    assert pocket._run.errors == (own <= leads.max(axis=1)).sum() == pocket._learner.readout_state.fewest[0]
    assert pocket._run.errors < last._run.errors
    assert [*pocket.ledger_] == [*last.ledger_]  # counting errors does not change the rivals


def test_sure_by_the_angle_of_all_weights_together():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    clf = MarginPerceptron(multiclass="direct", random_state=0).fit(X, y)
    w = np.column_stack([clf.coef_, clf.intercept_])
    sure = {sigma: clf.predict_with_doubt(X, sigma)[1] for sigma in (0.0, 0.05, 0.2)}
    for i, x in enumerate(np.column_stack([X, np.ones(80)])):
        second, first = np.sort(w @ x)[-2:]
        z_angle = (first - second) / (sqrt(2) * np.linalg.norm(x) * np.linalg.norm(w))
        for sigma, found in sure.items():
            assert found[i] == (z_angle >= sigma and first > second)
    assert 0 < sure[0.2].sum() < sure[0.05].sum() < 80
    voted = Perceptron(readout="voted", multiclass="direct", max_iter=3).fit(X, y)
    votes = np.sort(voted.decision_function(X), axis=1)
    share = (votes[:, -1] - votes[:, -2]) / voted.ledger_.tally.examples
    assert voted.predict_with_doubt(X, 0.3)[1].tolist() == (share >= 0.3).tolist()


@pytest.mark.parametrize("readout", ["last", "averaged"])
@given(data=any_data(labels=FOUR), cuts=st.lists(st.integers(0, 20), max_size=4))
def test_streamed_equals_batch_where_classes_are_announced(readout, data, cuts):
    X, y = np.array(data[0]), np.array(data[1])
    batch = Perceptron(readout=readout, max_iter=1, multiclass="direct").fit(X, y)
    stream = Perceptron(readout=readout, multiclass="direct")
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        if len(part):
            stream.partial_fit(X[part], y[part], classes=np.unique(y))
    assert [*stream.ledger_] == [*batch.ledger_]
    assert stream.ledger_.tally == batch.ledger_.tally
    assert stream.coef_.tolist() == batch.coef_.tolist()
    assert stream.intercept_.tolist() == batch.intercept_.tolist()


def test_one_class_alone_is_never_wrong():
    X = np.array([[1.0], [2.0], [-1.0]])
    clf = Perceptron(multiclass="direct").partial_fit(X, ["a"] * 3)
    assert clf.n_updates_ == clf.n_mistakes_ == 0
    assert clf.predict(X).tolist() == ["a"] * 3
    assert clf.ledger_.tally.examples == 3
    assert isinstance(clf.certificate_, Undecided)
    clf.partial_fit([[5.0]], ["b"])
    assert clf.predict([[5.0], [-5.0]]).tolist() == ["b", "a"]


def test_estimators_of_two_classes_agree():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] > 0.1, "yes", "no")
    for kind in (Perceptron, MarginPerceptron):
        one, both = kind(random_state=0).fit(X, y), kind(random_state=0, multiclass="direct").fit(X, y)
        assert both.coef_.tolist() == one.coef_.tolist()
        assert both.certificate_ == one.certificate_
        assert both.decision_function(X).tolist() == one.decision_function(X).tolist()
        assert both.certify(X, y) == one.certify(X, y)
        a, b = one.facts(X, y), both.facts(X, y)
        assert (a.mistakes, a.updates) == (b.mistakes, b.updates)
        assert b.by_losses.value == pytest.approx(a.by_losses.value)
        assert b.by_margin == a.by_margin or b.by_margin.value == pytest.approx(a.by_margin.value)
        assert b.margin == pytest.approx(np.multiply(a.margin, sqrt(2)))


@pytest.mark.parametrize("wrong", ["one", None, 3, ["direct"]])
def test_no_such_multiclass(wrong):
    with pytest.raises(ValueError, match=r"there is no multiclass .*; it is 'ovr', .* or 'direct'"):
        Perceptron(multiclass=wrong).fit(np.eye(3), [0, 1, 2])


def test_refusals_change_nothing():
    X, y = np.eye(3), [0, 1, 2]
    clf = Perceptron(multiclass="direct").partial_fit(X, y)
    before = clf.coef_.tolist()
    clf.multiclass = "ovr"
    with pytest.raises(ValueError, match="multiclass was changed since learning began"):
        clf.partial_fit(X, y)
    clf.multiclass = "direct"
    with pytest.raises(ValueError, match="row 1, column 0 is NaN"):
        clf.partial_fit(np.array([[1.0, 0, 0], [np.nan, 0, 0]]), [0, 7])
    with pytest.raises(ValueError, match="some labels are numbers and some are not"):
        clf.partial_fit(X, ["a", "b", "c"])
    assert clf.coef_.tolist() == before
    assert clf.classes_.tolist() == y
    with pytest.raises(ValueError, match="overflowed"):
        clf.partial_fit(X, y, sample_weight=1e300)
    assert clf.coef_.tolist() == before
    with pytest.raises(ValueError, match="one class only"):
        Perceptron(multiclass="direct").fit(X, [1, 1, 1])
    with pytest.raises(ValueError, match="multiclass='direct'"):
        OnlineLearner.of(Model(clf._learner, Named(["x", "y", "z"])))


def test_warm_starts_and_first_weights():
    rng = np.random.default_rng(7)
    X, y = rng.integers(-2, 3, (40, 3)).astype(float), rng.integers(0, 3, 40)
    clf = Perceptron(max_iter=2, warm_start=True, multiclass="direct").fit(X, y)
    twice = clf.fit(X, y)
    whole = Perceptron(max_iter=4, multiclass="direct").fit(X, y)
    assert twice.coef_.tolist() == whole.coef_.tolist()
    first = Perceptron(max_iter=2, multiclass="direct").fit(X, y)
    on = Perceptron(max_iter=2, multiclass="direct").fit(X, y, coef_init=first.coef_, intercept_init=first.intercept_)
    assert on.coef_.tolist() == whole.coef_.tolist()
    assert isinstance(on.bound(radius=1.0, margin=1.0), NoBound)


@pytest.mark.filterwarnings("ignore")
def test_a_development_curve_has_the_scores_that_the_estimator_would_have():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    clf = Perceptron(max_iter=3, order="each", random_state=0, multiclass="direct")
    curve = development_curve(clf, X[:40], y[:40], dev=(X[40:], y[40:]))
    for readout, scores in curve.dev.items():
        for number, score in zip(curve.passes.tolist(), scores.tolist(), strict=True):
            alone = Perceptron(max_iter=number, order="each", random_state=0, multiclass="direct", readout=readout)
            assert alone.fit(X[:40], y[:40]).score(X[40:], y[40:]) == score
