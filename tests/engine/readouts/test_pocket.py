"""Gallant's pocket, against a literal version of it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from oracles import any_data


def literal_pocket(X, y, passes, ratchet):
    w = kept = np.zeros(X.shape[1])
    run = longest = 0
    fewest = len(y)  # zero gets everything wrong

    def consider(kept, longest, fewest):
        if run <= longest:
            return kept, longest, fewest
        if not ratchet:
            return w, run, fewest
        errors = (y * (X @ w) <= 0).sum()
        return (w, run, errors) if errors < fewest else (kept, run, fewest)

    for _ in range(passes):
        for x, t in zip(X, y, strict=True):
            if t * (w @ x) <= 0:
                kept, longest, fewest = consider(kept, longest, fewest)
                w, run = w + t * x, 0
            else:
                run += 1
    if ratchet:  # the last weights are looked at in any case
        return w if (y * (X @ w) <= 0).sum() < fewest else kept
    return consider(kept, longest, fewest)[0]


@given(any_data(), st.integers(1, 4))
def test_held_data_has_the_ratchet(data, passes):
    X, y = np.array(data[0]), np.array(data[1])
    learner = Learner("rosenblatt", readout="pocket")
    run = learner.fit(examples(X, y), passes)
    assert learner.weights()[0].tolist() == literal_pocket(with_one(X), y, len(run.passes), ratchet=True).tolist()


@given(any_data(), st.integers(1, 4))
def test_a_stream_keeps_the_longest_run(data, passes):
    X, y = np.array(data[0]), np.array(data[1])
    learner = Learner("rosenblatt", readout="pocket")
    for _ in range(passes):
        learner.learn(examples(X, y))
    assert learner.weights()[0].tolist() == literal_pocket(with_one(X), y, passes, ratchet=False).tolist()


@given(any_data(), st.sampled_from(["given", "once", "each"]), st.integers(1, 30))
def test_never_worse_than_last_nor_than_before(data, order, passes):
    """On the data it holds: after any number of warm starts, and so right everywhere after a clean pass."""
    X, y = np.array(data[0]), np.array(data[1])
    learner = Learner("rosenblatt", readout="pocket", order=order)
    before = len(y)
    for _ in range(3):
        learner.fit(examples(X, y), passes)
        errors = (y * (with_one(X) @ learner.weights()[0]) <= 0).sum()
        assert errors == learner.readout_state.fewest[0]  # cached, so recomputed
        assert errors <= (y * (with_one(X) @ learner.team.w[0]) <= 0).sum()
        assert errors <= before
        before = errors


def test_from_held_data_to_a_stream_and_back():
    X, y = np.array([[1.0], [-2.0], [3.0]]), np.array([1, -1, -1])
    learner = Learner("rosenblatt", readout="pocket")
    learner.fit(examples(X, y), 3)
    learner.learn(examples(X, y))
    learner.fit(examples(X, y), 3)
    assert np.isfinite(learner.weights()).all()


def with_one(X):
    return np.column_stack([X, np.ones(len(X))])
