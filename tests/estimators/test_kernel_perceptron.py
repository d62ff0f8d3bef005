"""`KernelPerceptron`: its parameters, its attributes, and its weights against literal versions."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from kernel_problems import circles, close_to, gram
from novikoff import KernelPerceptron, Perceptron
from novikoff.engine.kernels import Points


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"budget": 0}, "budget must be"),
        ({"budget": 2.5}, "budget must be"),
        ({"budget": 5, "readout": "averaged"}, "the readout must be 'last'"),
        ({"budget": 5, "rule": "margin"}, "the rule must be 'rosenblatt'"),
        ({"cache_size": -1}, "cache_size must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"kernel": "cosine"}, "there is no kernel"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        KernelPerceptron(**settings).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("settings", "scale", "said"),
    [
        ({"kernel": "poly", "degree": 1001}, 1.0, "degree must be a whole number from 1 to 1000"),
        ({"kernel": "poly", "degree": 900}, 1e3, "the kernel of row . with itself is inf: .* smaller parameters"),
        ({"kernel": "rbf", "gamma": 1e20}, 1.0, "take a smaller gamma"),
        ({"kernel": "sigmoid", "coef0": -9.0, "rule": "margin"}, 1.0, "with itself is .*rosenblatt or threshold"),
        ({"kernel": lambda a, b: 1j * (a @ b.T)}, 1.0, "gives complex numbers"),
        ({"kernel": "rbf", "budget": 2**40}, 1.0, "to 2³¹"),
    ],
)
def test_numbers_that_lead_nowhere_are_refused(settings, scale, said):
    X, y = circles(30)
    with pytest.raises(ValueError, match=said):
        KernelPerceptron(max_iter=3, **settings).fit(scale * X, y)


def test_a_gamma_that_follows_the_data_waits_for_the_data_to_be_right():
    X, y = circles(30)
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="row 7, column 1 is NaN"):
        KernelPerceptron().fit(X, y)
    with pytest.raises(ValueError, match="there are no rows"):
        KernelPerceptron().fit(np.empty((0, 2)), [])


def every_weight_vector(K, y, passes):
    """The Perceptron in coefficients of rows: the vector after each example, and the rows that were mistakes."""
    alpha, after, mistakes = np.zeros(len(y)), [], []
    for _ in range(passes):
        before = len(mistakes)
        for i in range(len(y)):
            if y[i] * (K[i] @ alpha) <= 0:
                alpha = alpha.copy()
                alpha[i] += y[i]
                mistakes.append(i)
            after.append(alpha)
        if len(mistakes) == before:
            break
    return after, mistakes


@pytest.mark.parametrize("name", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize(("classes", "intercept"), [(2, False), (3, False), (2, True)])
def test_votes_and_averages_are_those_of_every_vector_there_was(name, classes, intercept):
    rng = np.random.default_rng(5)
    X = rng.integers(-2, 3, size=(40, 2)).astype(float)
    if name == "sigmoid":  # it is an odd function: on whole numbers a score could be 0 but for rounding
        X = rng.normal(size=(40, 2))
    y = rng.integers(0, classes, 40)
    new = rng.normal(size=(15, 2))
    settings = {"gamma": 0.5, "degree": 2, "max_iter": 4, "fit_intercept": intercept}
    clf = {readout: KernelPerceptron(name, readout=readout, **settings).fit(X, y) for readout in ("last", "averaged", "voted")}
    kernel = clf["last"].kernel_
    K, test = gram(kernel, X) + intercept, kernel.between(Points(new), Points(X)) + intercept
    sides = [1] if classes == 2 else range(classes)
    decided = {readout: c.decision_function(new).reshape(len(new), -1) for readout, c in clf.items()}
    for v, side in enumerate(sides):
        after, mistakes = every_weight_vector(K, np.where(y == side, 1, -1), len(clf["last"].passes_))
        ledger = clf["last"].ledger_ if classes == 2 else clf["last"].ledger_[v]
        assert [update.row for update in ledger] == mistakes
        after += [after[-1]] * (ledger.tally.examples - len(after))  # other classes may take more passes
        scores = np.array([test @ alpha for alpha in after])
        assert decided["last"][:, v] == close_to(scores[-1])
        assert decided["averaged"][:, v] == close_to(scores.mean(axis=0))
        clear = np.abs(scores).min(axis=0) > 1e-9  # rounding may turn the votes of the others
        assert clear.sum() > 5
        assert decided["voted"][clear, v] == close_to(np.sign(scores).sum(axis=0)[clear])


@pytest.mark.parametrize("name", ["rbf", "poly", "laplacian"])
def test_what_is_kept_of_w_is_true(name):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    clf = KernelPerceptron(name, gamma=0.4, max_iter=3, fit_intercept=True).fit(X, y)
    learner = clf._learner
    K = gram(clf.kernel_, X) + 1
    for v in range(3):
        alpha = np.zeros(80)
        alpha[clf.support_] = clf.dual_coef_[v]
        assert learner.team.w_sqnorm[v] == close_to(alpha @ K @ alpha)
        assert clf.decision_function(X)[:, v] == close_to(K @ alpha)
        assert clf.intercept_[v] == alpha.sum()
    assert learner.space.sqnorms(learner.weights()) == close_to(learner.team.w_sqnorm[:-1])
    assert set(clf.support_) == {update.row for ledger in learner.ledgers for update in ledger}
    assert (clf.support_vectors_ == X[clf.support_]).all()


def test_only_the_linear_kernel_has_weights_of_columns():
    X, y = circles(40)
    for stored in (np.asarray, sp.csr_array):
        clf = KernelPerceptron("linear", fit_intercept=True, max_iter=3).fit(stored(X), y)
        plain = Perceptron(max_iter=3).fit(X, y)
        np.testing.assert_allclose(clf.coef_, plain.coef_, rtol=1e-9)
        assert (clf.intercept_ == plain.intercept_).all()
        assert set(clf.feature_importance()) == {"x0", "x1"}


def test_doubt_is_the_angle_in_the_space_of_the_kernel():
    X, y = circles()
    clf = KernelPerceptron("poly", degree=2, readout="averaged", fit_intercept=True).fit(X, y)
    alpha = np.zeros(len(X))
    alpha[clf.support_] = clf.dual_coef_[0]
    K = gram(clf.kernel_, X) + 1
    cosine = np.abs(K @ alpha) / np.sqrt(alpha @ K @ alpha) / np.sqrt(K.diagonal())
    for sigma in (0.01, 0.1, 0.4):
        labels, sure = clf.predict_with_doubt(X, sigma)
        assert (labels == clf.predict(X)).all()
        assert (sure == (cosine >= sigma)).all()
        assert 0 < sure.sum() < len(X)


def test_doubt_without_an_inner_product_is_refused():
    X, y = circles(40)
    clf = KernelPerceptron("sigmoid", max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="an angle needs an inner product"):
        clf.predict_with_doubt(X)


def test_answers_that_overflow_are_refused():
    X, y = circles(30)
    clf = KernelPerceptron("poly").fit(X, y)
    with pytest.raises(ValueError, match=r"values of row . are too large"), np.errstate(all="ignore"):
        clf.predict(X * 1e103)


def test_weights_of_rows_and_classes_scale_the_step():
    X, y = circles()
    weight = np.random.default_rng(0).uniform(0, 2, len(X))
    weight[::7] = 0
    ours = KernelPerceptron("linear", max_iter=4, fit_intercept=True, class_weight={"in": 2.0}).fit(X, y, sample_weight=weight)
    plain = Perceptron(max_iter=4, class_weight={"in": 2.0}).fit(X, y, sample_weight=weight)
    assert [(u.row, u.step) for u in ours.ledger_] == [(u.row, u.step) for u in plain.ledger_]
    assert not set(ours.support_) & set(range(0, len(X), 7))


def test_classes_may_appear_in_a_stream():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, size=(60, 2)).astype(float), np.sort(rng.integers(0, 4, 60))
    ours, plain = KernelPerceptron("linear"), Perceptron(fit_intercept=False)
    for a, b in pairwise([0, 5, 17, 33, 60]):
        ours.partial_fit(X[a:b], y[a:b])
        plain.partial_fit(X[a:b], y[a:b])
        assert (ours.classes_ == plain.classes_).all()
        assert ours.decision_function(X) == close_to(plain.decision_function(X))


def test_voters_are_counted():
    X, y = circles(40)
    clf = KernelPerceptron("rbf", readout="voted").fit(X, y)
    assert clf.memory_of_votes_ == clf.support_vectors_.nbytes + clf.support_.nbytes + sum(
        ledger.nbytes for ledger in clf._learner.ledgers
    )


def test_a_warm_start_goes_on():
    X, y = circles()
    twice = KernelPerceptron("rbf", max_iter=2, warm_start=True).fit(X, y).fit(X, y)
    once = KernelPerceptron("rbf", max_iter=4).fit(X, y)
    assert [(u.t, u.row % len(X)) for u in twice.ledger_] == [(u.t, u.row) for u in once.ledger_]
    with pytest.raises(ValueError, match="kernel was changed since learning began"):
        twice.set_params(kernel="poly").fit(X, y)
