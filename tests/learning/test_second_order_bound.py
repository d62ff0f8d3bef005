"""F26 and F27: the mistakes of AROW with a full matrix, and of the second-order perceptron, with the lemmas of the proof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import AROW, Perceptron
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import Bound, Evidence, NoBound
from novikoff.engine.rules.arow import Arow, SecondOrder
from novikoff.learning.bounds import facts
from novikoff.learning.learner import Learner
from novikoff.learning.second_order_bound import log_det, second_order_bound
from oracles import any_data

ANY = any_data(numbers=st.integers(-300, 300).map(lambda k: k / 100))
R = st.sampled_from([0.01, 0.5, 1.0, 30.0])


@pytest.mark.parametrize("rule", [Arow, SecondOrder])
@given(data=ANY, r=R, passes=st.integers(1, 3), seed=st.integers(0, 99))
def test_f26_f27_bound_the_mistakes_for_every_u(rule, data, r, passes, seed):
    X, y = np.array(data[0]), np.array(data[1])
    seen = examples(X, y)
    learner = Learner(rule(r), confidence="full")
    learner.fit(seen, passes)
    ledger, Z = learner.ledgers[0], np.column_stack([X, np.ones(len(X))])
    for u in np.random.default_rng(seed).normal(0, 2, (5, Z.shape[1])):
        bound = second_order_bound(learner, seen, 0, y * (Z @ u), float(np.linalg.norm(u)))
        for scale in (0.1, 1.0, 10.0):
            found = bound(Evidence(1.0, scale * float(np.linalg.norm(u))))
            assert isinstance(found, Bound)
            assert ledger.mistakes <= found.value * (1 + 1e-9) + 1e-6


@pytest.mark.parametrize("rule", [Arow, SecondOrder])
@given(data=ANY, r=R, passes=st.integers(1, 3), seed=st.integers(0, 99))
def test_both_lemmas_of_the_proof(rule, data, r, passes, seed):
    """With b = Σyx/r: b·u ≥ Σ(1 − g(u))/r, and bᵀA⁻¹b ≤ (ln det A + U)/r."""
    X, y = np.array(data[0]), np.array(data[1])
    seen = examples(X, y)
    learner = Learner(rule(r), confidence="full")
    learner.fit(seen, passes)
    rows = np.array([update.row for update in learner.ledgers[0]])
    Z = np.column_stack([X, np.ones(len(X))])
    z = (y[:, None] * Z)[rows]
    A, b = np.eye(Z.shape[1]) + z.T @ z / r, z.sum(axis=0) / r
    others = learner.ledgers[0].updates - learner.ledgers[0].mistakes
    volume = log_det(seen, np.bincount(rows, minlength=len(X)), r)
    assert volume == pytest.approx(np.linalg.slogdet(A)[1], rel=1e-9, abs=1e-9)
    assert b @ np.linalg.solve(A, b) <= (volume + others) / r * (1 + 1e-6) + 1e-9
    u = np.random.default_rng(seed).normal(0, 2, Z.shape[1])
    assert b @ u >= np.minimum(1, z @ u).sum() / r - 1e-9 * (1 + abs(b) @ abs(u))
    if rule is SecondOrder:
        assert others == 0


def test_facts_state_the_bound_or_say_why_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.where(X @ [1, -2, 0.5, 0] + rng.normal(0, 0.5, 200) > 0, 1, 0)
    full = AROW(confidence="full", max_iter=2, random_state=0).fit(X, y)
    found = full.facts(X, y)
    assert found.by_losses.theorem == "F26 (AROW)"
    assert full.n_mistakes_ <= found.by_losses.value < len(X)
    assert isinstance(found.margin, NoBound)
    assert "F29" in str(found)
    second = Perceptron("second-order").fit(X, y)
    assert second.facts(X, y).by_losses.theorem == "F27 (second-order perceptron)"
    diagonal = AROW(confidence="diagonal", random_state=0).fit(X, y).facts(X, y).by_losses
    assert isinstance(diagonal, NoBound)
    assert "no bound is known with a diagonal confidence" in diagonal.why
    other = Perceptron(confidence="full", max_iter=2).fit(X, y)
    assert "the bound of Rosenblatt is about such sums" in other.facts(X, y).by_losses.why
    assert isinstance(other.bound(radius=1.0, margin=0.1), NoBound)
    weighted = AROW(confidence="full", class_weight={1: 2.0}).fit(X, y)
    assert "weights scale the steps" in weighted.facts(X, y).by_losses.why


def test_facts_refuse_other_data():
    """There is no replay through Σ: the rows themselves are compared."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 2, 30)
    clf = AROW(random_state=0).fit(X, y)
    other = X.copy()
    other[3, [0, 1]] = X[3, [1, 0]]
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(other, y)


@given(data=any_data(), order=st.sampled_from(["given", "once"]))
def test_a_confident_run_finds_no_cycles(data, order):
    """Equal weights no longer mean that the z's cancel (F29)."""
    learner = Learner("rosenblatt", confidence="diagonal", order=order)
    run = learner.fit(examples(np.array(data[0]), data[1]), 12)
    assert not run.cycles


def test_a_run_bounds_no_margin():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 2, 30)
    learner = Learner("arow")
    run = learner.fit(examples(X, y), 3)
    assert np.isinf(learner.team.hull_sq[0])
    assert isinstance(facts(learner, examples(X, y), 0, run.passes).margin, NoBound)
