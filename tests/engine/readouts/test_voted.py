"""F10: the vote, against keeping every weight vector there was."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff.engine.readouts.voted as voted
from novikoff import Perceptron
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from oracles import any_data


def literal_votes(X, y, passes, start, Q):
    """Σ cₖ·sign⟨wₖ, q⟩ by storing the weights after every example."""
    w, all_w = start.copy(), []
    for _ in range(passes):
        for x, t in zip(X, y, strict=True):
            if t * (w @ x) <= 0:
                w = w + t * x
            all_w.append(w)
    return np.sign(Q @ np.array(all_w).T).sum(axis=1)


def with_one(X):
    return np.column_stack([X, np.ones(len(X))])


@given(any_data(), st.integers(1, 4), st.booleans(), st.booleans())
def test_vote_is_the_literal_vote(data, passes, warm, sparse):
    X, y = np.array(data[0]), np.array(data[1])
    start = np.full(X.shape[1] + 1, 0.5 * warm)
    learner = Learner("rosenblatt", readout="voted")
    run = learner.fit(examples(sp.csr_array(X) if sparse else X, y), passes, start=start[None] if warm else None)
    Q = np.vstack([X, X[::-1] / 2 + 0.25])
    votes = learner.decide(sp.csr_array(Q) if sparse else Q)[:, 0]
    assert votes.tolist() == literal_votes(with_one(X), y, len(run.passes), start, with_one(Q)).tolist()


def test_many_classes_and_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-4, 5, (60, 3)).astype(float), rng.integers(0, 3, 60)
    learner = Learner("rosenblatt", readout="voted")
    run = learner.fit(examples(X, y), 3)
    whole = learner.decide(X)
    monkeypatch.setattr(voted, "BLOCK_BYTES", 800)
    assert learner.decide(X).tolist() == whole.tolist()
    for c in range(3):
        literal = literal_votes(with_one(X), np.where(y == c, 1, -1), len(run.passes), np.zeros(4), with_one(X))
        assert whole[:, c].tolist() == literal.tolist()


def test_classes_done_at_different_times_have_as_many_votes():
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (60, 3)).astype(float)
    y = np.where(X[:, 0] > 0, 2, rng.integers(0, 2, 60))
    learner = Learner("rosenblatt", readout="voted")
    run = learner.fit(examples(X, y), 40)
    for c in range(3):
        literal = literal_votes(with_one(X), np.where(y == c, 1, -1), len(run.passes), np.zeros(4), with_one(X))
        assert learner.decide(X)[:, c].tolist() == literal.tolist()


def test_a_class_that_comes_with_a_warm_start_votes_with_the_ghosts_past():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.integers(-4, 5, (30, 3)).astype(float)
        y = np.concatenate([rng.permutation([0, 1] * 5), rng.permutation([0, 1, 2] * 6 + [2, 2])])
        learner = Learner("rosenblatt", readout="voted")
        learner.fit(examples(X[:10], y[:10]), 1)
        learner.fit(examples(X[10:], y[10:]), 1)
        literal = literal_votes(with_one(X), np.where(y == 2, 1, -1), 1, np.zeros(4), with_one(X))
        assert learner.decide(X)[:, 2].tolist() == literal.tolist()


def test_rows_are_kept_once_and_weights_never():
    rng = np.random.default_rng(1)
    X, y = rng.integers(-4, 5, (30, 5)).astype(float), rng.integers(0, 2, 30)
    clf = Perceptron(readout="voted", max_iter=50).fit(X, y)
    assert clf.n_updates_ > 30
    used = np.concatenate([ledger.entries.row for ledger in clf._learner.ledgers])  # the ghost's too
    assert len(clf._learner.ballot.rows) == len(np.unique(used)) <= 30
    assert clf.memory_of_votes_ == clf._learner.ballot.nbytes + sum(ledger.nbytes for ledger in clf._learner.ledgers)


def test_warm_start_keeps_voting():
    rng = np.random.default_rng(2)
    X, y = rng.integers(-4, 5, (30, 5)).astype(float), rng.integers(0, 2, 30)
    once = Perceptron(readout="voted", max_iter=4).fit(X, y)
    twice = Perceptron(readout="voted", max_iter=2, warm_start=True).fit(X, y).fit(X, y)
    assert once.decision_function(X).tolist() == twice.decision_function(X).tolist()


def test_streams_are_refused():
    with pytest.raises(ValueError, match="stream that has no end: use readout='averaged'"):
        Perceptron(readout="voted").partial_fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("cap", [0, 7])
def test_cap_ends_the_run_and_says_so(cap):
    rng = np.random.default_rng(3)
    X, y = rng.integers(-4, 5, (40, 5)).astype(float), rng.integers(0, 2, 40)
    with pytest.warns(UserWarning, match=f"more than ledger_cap={cap}"):
        clf = Perceptron(readout="voted", ledger_cap=cap, max_iter=50).fit(X, y)
    assert clf.stop_reason_ == "ledger full"
    assert len(clf.ledger_) == cap
    assert np.abs(clf.decision_function(X)).max() <= 50 * 40


def test_votes_of_sparse_rows_with_64_bit_indices():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (40, 6)).astype(float), np.arange(40) % 2
    stored = sp.csr_array(X)
    stored.indices, stored.indptr = stored.indices.astype(np.int64), stored.indptr.astype(np.int64)
    dense, wide = (Perceptron(readout="voted", max_iter=5).fit(A, y) for A in (X, stored))
    assert wide.decision_function(stored).tolist() == dense.decision_function(X).tolist()
