"""F10: the mean of the weights after each example, against adding them all up."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from oracles import any_data


def literal_mean(X, y, passes, start):
    """μ += w at the end of each example, literally."""
    w, total, seen = start.copy(), np.zeros_like(start), 0
    for _ in range(passes):
        for x, t in zip(X, y, strict=True):
            if t * (w @ x) <= 0:
                w = w + t * x
            total, seen = total + w, seen + 1
    return total / seen


@given(any_data(), st.integers(1, 4), st.booleans())
def test_average_is_the_literal_mean(data, passes, warm):
    X, y = np.array(data[0]), np.array(data[1])
    start = np.full(X.shape[1] + 1, 0.5 * warm)
    learner = Learner("rosenblatt", readout="averaged")
    run = learner.fit(examples(X, y), passes, start=start[None] if warm else None)
    mean = literal_mean(np.column_stack([X, np.ones(len(X))]), y, len(run.passes), start)
    np.testing.assert_allclose(learner.weights()[0], mean, rtol=1e-12, atol=1e-12)


def test_a_class_that_is_done_early_goes_on_being_averaged():
    """Its weights stand while the others learn, so they count: the mean is over every example of the run."""
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (60, 3)).astype(float)
    y = np.where(X[:, 0] > 0, 2, rng.integers(0, 2, 60))
    learner = Learner("rosenblatt", readout="averaged")
    run = learner.fit(examples(X, y), 40)
    assert len({ledger.entries.t.max() // 60 for ledger in learner.ledgers[:-1]}) > 1  # they were not done together
    assert {ledger.tally.examples for ledger in learner.ledgers} == {60 * len(run.passes)}
    with_ones = np.column_stack([X, np.ones(60)])
    for c in range(3):
        mean = literal_mean(with_ones, np.where(y == c, 1, -1), len(run.passes), np.zeros(4))
        np.testing.assert_allclose(learner.weights()[c], mean, rtol=1e-12, atol=1e-12)


def test_nothing_is_carried_between_updates():
    """Averaging costs on updates only: rows that change nothing leave what is carried untouched."""
    learner = Learner("rosenblatt", readout="averaged")
    learner.learn(examples(np.array([[1.0], [-1.0]]), [1, -1], constant=0))
    late, updates = learner.readout_state.late.copy(), learner.team.updates.copy()
    learner.learn(examples(np.array([[2.0], [-3.0]] * 50), [1, -1] * 50, constant=0))
    assert learner.team.updates[0] == updates[0]
    assert learner.team.clock[0] == 102
    assert learner.readout_state.late[0].tolist() == late[0].tolist()
