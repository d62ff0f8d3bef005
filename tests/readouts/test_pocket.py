"""Gallant's pocket, against a literal version of it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.examples import examples
from novikoff.learner import Learner
from oracles import any_data


def literal_pocket(X, y, passes, ratchet):
    w = kept = np.zeros(X.shape[1])
    run = longest = 0
    fewest = np.inf

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


def test_pocket_is_never_worse_than_last_on_what_it_counted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.where(X @ rng.normal(size=5) + rng.normal(size=200) > 0, 1, -1)
    learner = Learner("rosenblatt", readout="pocket")
    learner.fit(examples(X, y), 20)
    errors = (y * (with_one(X) @ learner.weights()[0]) <= 0).sum()
    assert errors == learner.carry.fewest[0]
    assert errors <= (y * (with_one(X) @ learner.team.w[0]) <= 0).sum() or learner.carry.longest[0] > 0


def test_from_held_data_to_a_stream_and_back():
    X, y = np.array([[1.0], [-2.0], [3.0]]), np.array([1, -1, -1])
    learner = Learner("rosenblatt", readout="pocket")
    learner.fit(examples(X, y), 3)
    learner.learn(examples(X, y))
    learner.fit(examples(X, y), 3)
    assert np.isfinite(learner.weights()).all()


def with_one(X):
    return np.column_stack([X, np.ones(len(X))])
