"""`partial_fit`: late classes and the ghost class, weights, and refusals that change nothing."""

import pickle

import numpy as np
import pytest

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron

rng = np.random.default_rng(0)
X, y = rng.normal(size=(300, 6)), rng.choice(["cat", "dog", "eel", "fox"], 300)


@pytest.mark.parametrize("estimator", [Perceptron(), MarginPerceptron(), PassiveAggressive()])
def test_one_row_at_a_time_equals_fit_though_classes_appear_late(estimator):
    late = np.argsort(y == "cat", kind="stable")  # the class that sorts first comes last
    batch = estimator.__class__(readout="averaged", order="given", max_iter=1).fit(X[late], y[late])
    stream = estimator.__class__(readout="averaged")
    for i in late:
        stream.partial_fit(X[i : i + 1], y[i : i + 1])
    assert stream.classes_.tolist() == ["cat", "dog", "eel", "fox"]
    assert stream.coef_.tolist() == batch.coef_.tolist()
    assert stream.intercept_.tolist() == batch.intercept_.tolist()
    assert stream.n_updates_ == batch.n_updates_
    assert [[*ledger] for ledger in stream.ledger_] == [[*ledger] for ledger in batch.ledger_]


def test_a_class_may_appear_after_fit_as_well():
    """The ghost learns in `fit` too, so a class that comes later is where it would be had it been announced."""
    known = np.isin(y, ["dog", "eel"])
    clf = Perceptron(max_iter=1).fit(X[known], y[known]).partial_fit(X[~known], y[~known])
    announced = Perceptron().partial_fit(X[known], y[known], classes=["cat", "dog", "eel", "fox"])
    announced.partial_fit(X[~known], y[~known])
    assert clf.coef_.tolist() == announced.coef_.tolist()


def test_the_ghost_is_let_go_only_when_it_would_change_no_more():
    """It is left out of passes it would get through without an update; a vector that goes through all of them ends the same."""
    r = np.random.default_rng(5)
    for _ in range(30):
        A, b = r.integers(-4, 5, (40, 3)) + r.integers(-2, 3, 3) * 1.0, r.integers(0, 2, 40)
        learner = Perceptron(max_iter=8, order="each", random_state=0).fit(A, b)._learner
        w = np.zeros(4)
        for number in range(8):
            rows = np.arange(40, dtype=np.uint32)
            np.random.default_rng([learner.seed, number]).shuffle(rows)
            for x in np.column_stack([A, np.ones(40)])[rows]:
                w = w - x if -(w @ x) <= 0 else w
        assert learner.team.w[-1].tolist() == w.tolist()
        assert learner.team.clock.tolist() == [320, 320]


def test_one_class_is_a_start():
    clf = Perceptron().partial_fit(X[:5], ["dog"] * 5)
    assert clf.classes_.tolist() == ["dog"]
    assert clf.predict(X).tolist() == ["dog"] * 300
    assert clf.coef_.shape == (1, 6)
    assert clf.decision_function(X[:5]).shape == (5,)
    with pytest.raises(ValueError, match=r"one class only, 'dog'.*use partial_fit"):
        Perceptron().fit(X[:5], ["dog"] * 5)


def test_balanced_class_weights_go_by_running_counts():
    few = np.r_[np.flatnonzero(y == "dog")[:40], np.flatnonzero(y == "eel")[:4]]
    clf = Perceptron(class_weight="balanced")
    clf.partial_fit(X[few[:40]], y[few[:40]]).partial_fit(X[few[40:]], y[few[40:]])
    assert clf._learner.class_counts.tolist() == [40, 4]
    assert clf._learner.team.factor[0].tolist() == [44 / 80, 44 / 8]


def test_a_weight_scales_the_step():
    clf = Perceptron().partial_fit(X[:1], ["dog"], sample_weight=[2.5]).partial_fit(X[1:2], ["eel"], sample_weight=[0])
    assert clf.classes_.tolist() == ["dog"]
    assert clf.coef_.tolist() == [(2.5 * X[0]).tolist()]


def test_nothing_but_zero_weights_is_nothing():
    clf = Perceptron().partial_fit(X[:3], y[:3], sample_weight=[0, 0, 0])
    assert not hasattr(clf, "classes_")
    clf.partial_fit(X, y)
    before = pickle.dumps(clf._learner)
    clf.partial_fit(X[:3], ["new", "newer", "newest"], sample_weight=[0, 0, 0])
    assert pickle.dumps(clf._learner) == before


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "more", "sentence"),
    [
        (np.where(np.arange(18).reshape(3, 6) == 8, np.nan, 1.0), y[:3], {}, "row 1, column 2 is NaN"),
        (X[:3, :5], y[:3], {}, "5 features"),
        (X[:3], y[:2], {}, "inconsistent numbers of samples"),
        (X[:3], [1, 2, 3], {}, "some labels are numbers and some are not"),
        (X[:3], y[:3], {"classes": ["yak"]}, "not among the classes announced"),
        (X[:3], y[:3], {"sample_weight": [1, -1, 1]}, "weight of row 1 is -1"),
    ],
)
def test_a_refused_piece_leaves_the_model_exactly_as_it_was(bad_X, bad_y, more, sentence):
    clf = Perceptron(readout="averaged").partial_fit(X, y)
    before = pickle.dumps(vars(clf))
    with pytest.raises(ValueError, match=sentence):
        clf.partial_fit(bad_X, bad_y, **more)
    assert pickle.dumps(vars(clf)) == before
    unborn = Perceptron()
    with pytest.raises(ValueError, match="NaN"):
        unborn.partial_fit([[np.nan]], [1])
    assert vars(unborn) == vars(Perceptron())


def test_overflow_in_a_piece_leaves_the_model_as_it_was():
    clf = Perceptron().partial_fit(X, y)
    before = pickle.dumps(vars(clf))
    with pytest.raises(ValueError, match="overflowed"):
        clf.partial_fit(X, y[::-1], sample_weight=np.full(300, 1e200))
    assert pickle.dumps(vars(clf)) == before
    clf.partial_fit(X, y)


def test_a_weightless_row_may_carry_any_label():
    clf = Perceptron().partial_fit(X, y)
    same = Perceptron().partial_fit(X, y).partial_fit(X[:1], ["eel"])
    clf.partial_fit(X[:2], ["eel", "zebra"], sample_weight=[1, 0])
    assert clf.classes_.tolist() == ["cat", "dog", "eel", "fox"]
    assert clf.coef_.tolist() == same.coef_.tolist()


def test_labels_that_would_melt_into_each_other_are_refused():
    clf = Perceptron().partial_fit([[1.0], [-1.0]], np.array([2**60, 2**60 + 1]))
    with pytest.raises(ValueError, match="become equal in one array: use labels of one type"):
        clf.partial_fit([[1.0]], [3.0])
    assert clf.classes_.tolist() == [2**60, 2**60 + 1]


def test_pieces_may_be_empty_of_news():
    clf = Perceptron().partial_fit(X, y)
    again = pickle.loads(pickle.dumps(clf)).partial_fit(X, y)
    assert again.n_iter_ == 2
    assert again.stop_reason_ == "stream"


def test_the_ghost_is_let_go_only_when_it_is_certain_to_change_no_more():
    """Its last row may still be wrong after the update that it caused: that row is asked as well."""
    clf = Perceptron(max_iter=8, fit_intercept=False).fit([[-5.0], [1.0]], [0, 1])
    ghost = clf._learner.team
    assert (ghost.w[-1].tolist(), int(ghost.updates[-1])) == ([3.0, 0.0], 3)


def test_a_stream_of_one_class_has_a_certificate_too():
    assert Perceptron().partial_fit([[1.0]], ["a"]).certificate_.outcome == "undecided"
