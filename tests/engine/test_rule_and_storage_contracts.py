"""What every rule and every storage has to keep to. They are found in the registry, so a new one is tested too."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from chosen import ON_DENSE, PAIRS, READOUTS, RULES, short
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import no_update_margin, rules, step
from novikoff.engine.storages.csr import Csr
from novikoff.learning.learner import Learner
from oracles import any_data, fractions, replay

SOME = short([("pa",), ("rosenblatt",)], [(rule,) for rule in RULES])  # in tests that are not about rules
ADDITIVE = ["margin", "rosenblatt", "threshold"]  # they add y·x: on dyadic data nothing rounds


def strided(X):
    wide = np.full((2 * len(X), 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def csr(X, dtype=np.float64, index=np.int32):
    X = sp.csr_array(np.asarray(X, dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


STORAGES = {
    "float32": lambda X: np.asarray(X, np.float32),
    "strided": strided,
    "reversed": lambda X: X[::-1].copy()[::-1],
    "columns first": np.asfortranarray,
    "csr": csr,
    "csr float32": lambda X: csr(X, np.float32),
    "csr 64-bit": lambda X: csr(X, index=np.int64),
}


def run(rule, seen, passes=3, readout="last", **settings):
    learner = Learner(rule, readout=readout, **settings)
    learner.fit(seen, passes)
    return learner


def story(learner):
    """All that a run did, as something to compare with ==."""
    return [[tuple(update) for update in ledger] for ledger in learner.ledgers], learner.team.w.tolist()


ON_STORAGES = [(rule, storage) for rule in ADDITIVE for storage in sorted(STORAGES)]


@pytest.mark.parametrize(
    ("rule", "storage"), short([p for p in ON_STORAGES if p[0] == "rosenblatt" or p[1] == "csr"], ON_STORAGES)
)
@given(data=any_data(), bias=st.booleans())
def test_same_updates_in_every_storage(rule, storage, data, bias):
    X, y = np.array(data[0]), data[1]
    dense = run(rule, examples(X, y, constant=int(bias)))
    other = run(rule, examples(STORAGES[storage](X), y, constant=int(bias)))
    assert story(other) == story(dense)


@pytest.mark.parametrize("rule", SOME)
@given(data=any_data(numbers=st.fractions(-3, 3, max_denominator=5)), bias=st.booleans())
def test_same_updates_in_every_storage_on_fractions(rule, data, bias):
    X, y = fractions(data[0]), data[1]
    seen = examples(X, y, constant=int(bias))
    sparse = [np.flatnonzero(x) for x in X]
    rows = Csr(
        np.concatenate([x[c] for x, c in zip(X, sparse, strict=True)]),
        np.concatenate(sparse).astype(np.uint32),
        np.cumsum([0, *map(len, sparse)]).astype(np.uint32),
        int(bias),
    )
    other = replace(seen, sheet=seen.sheet._replace(rows=rows))
    assert story(run(rule, other, confidence=None)) == story(run(rule, seen, confidence=None))


@pytest.mark.parametrize("rule", ADDITIVE)
@given(data=any_data())
def test_floats_agree_with_fractions_where_nothing_rounds(rule, data):
    X, y = data
    floats = run(rule, examples(np.array(X), y))
    exact = run(rule, examples(fractions(X), y))
    assert story(floats) == story(exact)


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("rule", RULES)
def test_fractions_of_numpys_numbers_are_as_exact_as_pythons(rule, readout):
    """`Fraction(np.int64(3))` keeps the int64, which overflows; rows, weights and what is asked about may all be such."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.integers(-9, 10, (30, 3)), rng.integers(0, 2, 30), rng.integers(1, 4, 30)

    def streamed(number):
        rows = np.array([[Fraction(number(v)) for v in x] for x in X], object)
        weights = np.array([Fraction(number(v)) for v in weight], object)
        learner = Learner(rule, confidence=None, readout=readout)
        for some in np.split(np.arange(30), 6):
            learner.learn(examples(rows[some], y[some], weight=weights[some]))
        return story(learner), learner.weights().tolist(), learner.decide(rows).tolist()

    assert streamed(np.int64) == streamed(int)


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(numbers=st.integers(-500, 500).map(lambda k: k / 100)), bias=st.booleans())
def test_replaying_the_ledger_gives_w(rule, data, bias):
    X, y = np.array(data[0]), data[1]
    learner = run(rule, examples(X, y, constant=int(bias)), confidence=None)
    team = learner.team
    for v, ledger in enumerate(learner.ledgers):
        past = np.array(replay(X, int(bias), ledger))
        assert ledger.complete
        np.testing.assert_allclose(team.w[v], past[-1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(team.w_sqnorm[v], (past[-1] ** 2).sum(), rtol=1e-9, atol=1e-9)  # cached, so recomputed
        assert team.peak[v] == pytest.approx((past**2).sum(axis=1).max())
        assert ledger.mistakes == sum(update.margin <= 0 for update in ledger)
        assert team.steps[v] == pytest.approx(sum(update.step for update in ledger))
        hull = [(w**2).sum() / s**2 for w, s in zip(past[1:], np.cumsum(ledger.entries.step), strict=True)]
        assert team.hull_sq[v] >= min(hull, default=np.inf) * (1 - 1e-6)  # an upper end, never below what it bounds
        if min((past[1:] ** 2).sum(axis=1), default=0) > 1e-3:
            assert team.hull_sq[v] == pytest.approx(min(hull), rel=1e-6)


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(), bias=st.booleans())
def test_margins_in_the_ledger_are_those_of_the_weights_then(rule, data, bias):
    X, y = fractions(data[0]), data[1]
    learner = run(rule, examples(X, y, constant=int(bias)), confidence=None)
    past = replay(X, int(bias), learner.ledgers[0])
    for w, update in zip(past, learner.ledgers[0], strict=False):
        assert update.margin == y[update.row] * (w @ np.append(X[update.row], int(bias)))


@pytest.mark.parametrize(("rule", "readout"), short(ON_DENSE, PAIRS))
@given(data=any_data(labels=st.sampled_from(["a", "b", "c", "d"])), cuts=st.lists(st.integers(0, 20), max_size=4))
def test_streamed_equals_batch(rule, readout, data, cuts):
    """In whatever pieces, and whenever a class turns up: the same updates, to the bit."""
    X, y = np.array(data[0]), np.array(data[1])
    batch = run(rule, examples(X, y), passes=1, readout=readout)
    stream = Learner(rule, readout=readout)
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        if len(part):
            stream.learn(examples(X[part], y[part]))
    assert stream.classes.tolist() == batch.classes.tolist()
    assert story(stream) == story(batch)
    assert [ledger.tally for ledger in stream.ledgers] == [ledger.tally for ledger in batch.ledgers]
    if readout != "pocket":  # held data has the ratchet, a stream cannot
        assert stream.weights().tolist() == batch.weights().tolist()


@pytest.mark.parametrize(("rule", "readout"), short(ON_DENSE, PAIRS))
@given(data=any_data(labels=st.sampled_from([1, 2, 3])), seed=st.integers(0, 99))
def test_zero_weight_does_nothing_at_all(rule, readout, data, seed):
    X, y = np.array(data[0]), np.array(data[1])
    rng = np.random.default_rng(seed)
    kept = np.sort(rng.choice(2 * len(X), len(X), replace=False))  # where the rows that count stand among those that do not
    mixed_X, mixed_y, weight = np.repeat(X, 2, axis=0) * 7, np.full(2 * len(X), 99), np.zeros(2 * len(X))
    mixed_X[kept], mixed_y[kept], weight[kept] = X, y, 1
    assert examples(mixed_X, mixed_y, weight=weight).radius_sq == examples(X, y).radius_sq
    for settings in ({"order": "given"}, {"order": "each", "seed": 3}, {"class_weight": "balanced"}):
        with_zeros = run(rule, examples(mixed_X, mixed_y, weight=weight), readout=readout, **settings)
        without = run(rule, examples(X, y), readout=readout, **settings)
        assert with_zeros.team.w.tolist() == without.team.w.tolist()
        assert with_zeros.weights().tolist() == without.weights().tolist()
        assert [ledger.tally for ledger in with_zeros.ledgers] == [ledger.tally for ledger in without.ledgers]
        assert with_zeros.class_counts.tolist() == without.class_counts.tolist()


@pytest.mark.parametrize("rule", RULES)
def test_zero_row_without_bias_is_a_mistake_in_every_pass(rule):
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, 0.5]]), [1, 1, -1]
    learner = run(rule, examples(X, y, constant=0), passes=50)
    at_zero = [update for update in learner.ledgers[0] if update.row == 0]
    assert len(at_zero) == 50
    assert all(update.margin == 0 for update in at_zero)
    assert np.isfinite(learner.team.w).all()


@pytest.mark.parametrize("rule", SOME)
@given(data=any_data(labels=st.sampled_from([0, 1, 2, 3])))
def test_threads_change_nothing(rule, data):
    X, y = np.tile(np.array(data[0]), (300, 40)), np.tile(data[1], 300)
    one, two = (run(rule, examples(X, y), passes=2, threads=threads) for threads in (1, 2))
    assert story(one) == story(two)


@pytest.mark.parametrize("name", RULES)
@given(sqnorm=st.floats(1e-100, 1e100), more=st.floats(0, 1e100))
def test_above_its_quiet_margin_a_rule_makes_no_step(name, sqnorm, more):
    rule = rules()[name]()
    above = no_update_margin(rule, sqnorm)
    assert above >= 0
    assert step(rule, float(np.nextafter(above, np.inf)), sqnorm) == 0
    assert step(rule, float(np.nextafter(above + more, np.inf)), sqnorm) == 0


@pytest.mark.parametrize("entries", range(1, 18))
def test_long_sparse_rows_score_as_dense_ones(entries):
    """Every lane of the sum, and the tail, with a number of its own: powers of two, so that no order rounds."""
    X = np.zeros((2, 20))
    X[0, :entries] = 2.0 ** np.arange(entries)
    X[1, 3] = 1.0
    w = np.append(3.0 ** (np.arange(20) % 5), 0.5)[None]
    for stored in (csr(X), csr(X, np.float32), csr(X, index=np.int64)):
        assert examples(stored, [0, 1]).scores(w).tolist() == examples(X, [0, 1]).scores(w).tolist()


def test_a_running_square_that_has_all_but_vanished_bounds_nothing():
    """From far away and back: ‖w‖² falls from 10¹⁶ to 1, and may by then be nothing but rounding."""
    X, y = np.array([[1e8], [1e8 - 1], [-1.0]]), np.array([1, 0, 0])
    learner = run("rosenblatt", examples(X, y, constant=0), passes=1)
    past = [abs(w[0]) for w in replay(X, 0, learner.ledgers[0])]
    steps = np.arange(1, len(past))
    true = min(w / k for w, k in zip(past[1:], steps, strict=True) if w * w * 1e6 > 1e16)
    assert learner.team.hull_sq[0] == pytest.approx(true**2)
    assert min(past[1:]) ** 2 * 1e6 < 1e16  # or the test would show nothing
