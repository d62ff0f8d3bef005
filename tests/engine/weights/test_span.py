"""The learner in the space of a kernel, compared with the learner on columns (F10, F19)."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chosen import RULES
from kernel_problems import close_to
from learners import updates
from novikoff import KernelPerceptron, Learner, PolynomialMap
from novikoff.engine.kernel_examples import kernel_examples
from novikoff.engine.kernels import find_kernel
from novikoff.engine.labelled_rows import examples
from novikoff.engine.weights import span as spans
from oracles import any_data, fractions

READOUTS = ["last", "averaged", "voted", "pocket"]
SMALL = 3  # rows of a block


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("readout", READOUTS)
@given(
    data=any_data(labels=st.integers(0, 2)),
    constant=st.integers(0, 1),
    blocks=st.booleans(),
    order=st.sampled_from(["given", "each"]),
)
@settings(max_examples=12)
def test_the_linear_kernel_is_the_learner_among_columns(rule, readout, data, constant, blocks, order):
    X, y = fractions(data[0]), np.array(data[1])
    assume(not (readout == "pocket" and blocks))  # the ratchet needs all rows in memory; a test below covers the rest
    plain = Learner(rule, confidence=None, readout=readout, order=order)
    plain.fit(examples(X, y, constant=constant), 3)
    span = Learner(rule, readout=readout, order=order, kernel=find_kernel("linear"), cache_bytes=0 if blocks else 10**6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "BLOCK", SMALL)
        span.fit(kernel_examples(X, y, span.kernel, constant=constant), 3)
    assert updates(span) == updates(plain)
    for part in ("w_sqnorm", "hull_sq", "steps", "mistakes"):
        assert getattr(span.team, part).tolist() == getattr(plain.team, part).tolist()
    stored = span.space.stored
    for kept, w in zip(span.vectors.matrices(), plain.vectors.matrices(), strict=True):
        again = kept[:, :-1] @ stored.X if stored is not None else np.zeros((len(w), X.shape[1]), int)
        assert np.column_stack([again, kept[:, -1]]).tolist() == w.tolist()
    assert span.decide(X).astype(float) == close_to(plain.decide(X).astype(float))  # an average is a quotient of floats


@given(any_data(), st.integers(1, 3), st.sampled_from(["margin", "rosenblatt"]))
@settings(max_examples=25)
def test_a_polynomial_is_its_columns_repeated(data, degree, rule):
    X, y = np.rint(np.array(data[0])), np.array(data[1])
    mapped = PolynomialMap(degree=degree, repeated=True).fit_transform(X)
    plain = Learner(rule)
    plain.fit(examples(mapped, y, constant=0), 5)
    span = Learner(rule, kernel=find_kernel("poly", degree=degree))
    span.fit(kernel_examples(X, y, span.kernel), 5)
    assert updates(span) == updates(plain)


@given(data=any_data(labels=st.integers(0, 2)), cut=st.integers(0, 20), readout=st.sampled_from(["last", "averaged", "pocket"]))
@settings(max_examples=25)
def test_a_stream_in_pieces_is_one_pass(data, cut, readout):
    X, y = fractions(data[0]), np.array(data[1])
    kernel = find_kernel("poly", degree=2)
    once, pieces = (Learner(readout=readout, kernel=kernel) for _ in range(2))
    once.learn(kernel_examples(X, y, kernel), np.unique(y))
    for part in (slice(None, cut), slice(cut, None)):
        if len(y[part]):
            pieces.learn(kernel_examples(X[part], y[part], kernel))
    assert updates(pieces) == updates(once)
    assert pieces.decide(X).astype(float) == close_to(once.decide(X).astype(float))


@given(data=any_data(), cut=st.integers(1, 19), readout=st.sampled_from(["last", "averaged"]))
@settings(max_examples=25)
def test_passes_over_pieces_are_passes_over_all(data, cut, readout):
    """Data that is not kept in memory: a row that is met again in the next pass is stored once."""
    X, y = fractions(data[0]), np.array(data[1])
    kernel = find_kernel("poly", degree=2)
    held, pieces = (Learner(readout=readout, kernel=kernel) for _ in range(2))
    held.fit(kernel_examples(X, y, kernel), 4)
    cuts = [slice(None, cut), slice(cut, None)]
    checked_rows = [kernel_examples(X[part], y[part], kernel) for part in cuts if len(y[part])]
    pieces.fit_pieces(lambda number: ((seen, seen.fed) for seen in checked_rows), 4)
    assert updates(pieces)[0] == updates(held)[0]
    assert pieces.decide(X).astype(float) == close_to(held.decide(X).astype(float))
    if pieces.space.stored is not None:
        assert (np.diff(pieces.space.stored.numbers) > 0).all()


@pytest.mark.parametrize("name", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_blocks_and_a_small_cache_change_nothing(name, stored, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, size=(90, 3)).astype(float)
    y = np.where((X**2).sum(axis=1) + rng.normal(size=90) > 5, 1, 0)
    settings = {"gamma": 0.5, "max_iter": 12, "order": "each", "random_state": 3, "readout": "averaged", "fit_intercept": True}
    clf = KernelPerceptron(name, **settings).fit(stored(X), y)
    monkeypatch.setattr(spans, "BLOCK", 8)
    for cache in (0, 4 * 90 * 8 / 2**20, 0.03):  # no room, room for four rows of the Gram matrix, for nearly half of it
        other = KernelPerceptron(name, cache_size=cache, **settings).fit(stored(X), y)
        assert [(u.t, u.row) for u in other.ledger_] == [(u.t, u.row) for u in clf.ledger_]
        np.testing.assert_allclose(other.decision_function(X), clf.decision_function(X), rtol=1e-9, atol=1e-9)
        assert other._run.errors == clf._run.errors


def test_the_pocket_without_all_rows_at_hand_is_that_of_a_stream():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, size=(60, 2)), rng.integers(0, 2, 60)
    kernel = find_kernel("linear")
    span = Learner(readout="pocket", kernel=kernel, cache_bytes=0)
    run = span.fit(kernel_examples(fractions(X), y, kernel, constant=1), 1)
    stream = Learner(readout="pocket")
    stream.learn(examples(fractions(X), y, constant=1))
    assert span.decide(fractions(X)).tolist() == stream.decide(fractions(X)).tolist()
    assert run.errors == ((span.decide(fractions(X))[:, 0] > 0) != y).sum() + (span.decide(fractions(X))[:, 0] == 0)[y == 0].sum()


def test_wider_rows_in_a_stream_are_as_if_the_others_had_zeros():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-2, 3, size=(40, 5)).astype(float), np.arange(40) % 2
    X[:20, 3:] = 0
    kernel = find_kernel("poly", degree=2)
    learner, other = Learner(kernel=kernel), Learner(kernel=kernel)
    learner.learn(kernel_examples(sp.csr_array(X[:20, :3]), y[:20], kernel))
    learner.widen(5)
    learner.learn(kernel_examples(sp.csr_array(X[20:]), y[20:], kernel))
    other.learn(kernel_examples(X, y, kernel))
    assert updates(learner) == updates(other)
    assert learner.decide(X).tolist() == other.decide(X).tolist()
