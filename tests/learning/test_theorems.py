"""The theorems, happening: F5 with its lemmas, F6, F7, F8, and every rule's own bound."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Perceptron
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import Bound, Evidence, NoBound, rules
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from oracles import any_data, replay, separable_data

RULES = sorted(rules())
BIAS = st.booleans()
ROUNDING = 1 + 1e-9


def extended(X, bias):
    return np.column_stack([X, np.full(len(X), float(bias))])


def signed(X, y, bias):
    return np.asarray(y)[:, None] * extended(X, bias)


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), separable_data(bias))), st.sampled_from(["given", "once", "each"]))
def test_f5_novikoff_and_both_lemmas(drawn, order):
    bias, (X, y, u) = drawn
    learner = Learner("rosenblatt", order=order, seed=1)
    run = learner.fit(examples(X, y, constant=int(bias)), 100_000)
    z = signed(X, y, bias)
    radius_sq, least = (z**2).sum(axis=1).max(), (z @ u).min()
    assert least > 0
    assert run.stop_reason is StopReason.CLEAN_PASS
    assert (z @ learner.team.w[0] > 0).all()
    for k, w in enumerate(replay(X, int(bias), learner.ledgers[0])):  # dyadic data: nothing rounds, so == and <= are exact
        assert w @ u >= k * least
        assert w @ w <= k * radius_sq
    assert learner.ledgers[0].mistakes * least**2 <= radius_sq * (u @ u)


@given(any_data(), BIAS, st.integers(1, 5), st.data())
def test_f6_on_data_of_any_kind(data, bias, passes, more):
    X, y = np.array(data[0]), np.array(data[1])
    u = np.array(more.draw(st.lists(st.floats(-3, 3), min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)))
    u[-1] *= bias
    learner = Learner("rosenblatt")
    run = learner.fit(examples(X, y, constant=int(bias)), passes)
    losses = np.maximum(0, 1 - signed(X, y, bias) @ u).sum() * len(run.passes)
    k, reach = learner.ledgers[0].mistakes, sqrt((extended(X, bias) ** 2).sum(axis=1).max() * (u @ u))
    assert k <= (reach**2 + 2 * losses) * ROUNDING
    assert sqrt(k) <= (reach + sqrt(reach**2 + 4 * losses)) / 2 * ROUNDING


@pytest.mark.parametrize("rule", RULES)
@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), separable_data(bias))), st.booleans())
def test_f7_every_update_bounds_the_margin_from_above(rule, drawn, weighted):
    bias, (X, y, u) = drawn
    weight = 1 + np.arange(len(X)) % 3 if weighted else None
    learner = Learner(rule, confidence=None)
    learner.fit(examples(X, y, constant=int(bias), weight=weight), 20)
    margin = (signed(X, y, bias) @ u).min() / np.linalg.norm(u)
    steps = np.cumsum(learner.ledgers[0].entries.step)
    for w, total in zip(replay(X, int(bias), learner.ledgers[0])[1:], steps, strict=True):
        assert margin <= np.linalg.norm(w) / total * ROUNDING
    assert margin**2 <= learner.team.hull_sq[0] * ROUNDING


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), separable_data(bias))))
def test_f7_upper_end_shrinks_with_the_mistakes(drawn):
    bias, (X, y, _) = drawn
    learner = Learner("rosenblatt")
    learner.fit(examples(X, y, constant=int(bias)), 50)
    radius_sq = (extended(X, bias) ** 2).sum(axis=1).max()
    assert learner.team.hull_sq[0] * learner.ledgers[0].mistakes <= radius_sq * ROUNDING


@pytest.mark.parametrize("rule", RULES)
@given(st.data())
def test_every_bound_holds(rule, more):
    """Whatever a rule's `bound` says holds, on separable data and on any other."""
    bias = more.draw(BIAS)
    if more.draw(st.booleans()):
        X, y, u = more.draw(separable_data(bias))
        u = u / (signed(X, y, bias) @ u).min()
    else:
        data = more.draw(any_data())
        X, y = np.array(data[0]), np.array(data[1])
        u = np.array(more.draw(st.lists(st.floats(-2, 2), min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)))
        u[-1] *= bias
    kind = rules()[rule]
    chosen = kind(*(more.draw(st.sampled_from([0.1, 0.5, 1.0, 4.0])) for _ in kind()))
    learner = Learner(chosen, confidence=None)
    run = learner.fit(examples(X, y, constant=int(bias)), 10)
    losses = np.maximum(0, 1 - signed(X, y, bias) @ u - 1e-12)
    bound = chosen.bound(
        Evidence(
            radius=sqrt((extended(X, bias) ** 2).sum(axis=1).max()),
            u_norm=float(np.linalg.norm(u)),
            losses=losses.sum() * len(run.passes),
            squared_losses=(losses**2).sum() * len(run.passes),
        )
    )
    ledger = learner.ledgers[0]
    match bound:
        case Bound(of="mistakes", value=value):
            assert ledger.mistakes <= value * ROUNDING
        case Bound(of="updates", value=value):
            assert ledger.updates <= value * ROUNDING
        case Bound(of="squared losses suffered", value=value):
            assert (np.maximum(0, 1 - ledger.entries.margin) ** 2).sum() <= value * ROUNDING
        case NoBound(why=why):
            assert rule == "pa", "the theorems of the others speak of losses"
            assert losses.sum() > 0
            assert why
        case _:
            raise AssertionError(bound)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("voided", [{"from_zero": False}, {"weighted": True}])
def test_choices_that_void_a_theorem_are_named(rule, voided):
    answer = rules()[rule]().bound(Evidence(radius=1.0, u_norm=1.0, **voided))
    assert isinstance(answer, NoBound)
    assert "w = 0" in answer.why or "weights" in answer.why


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), separable_data(bias))), st.sampled_from([0.0, 0.5, 2.0]))
def test_f23_margin_rule(drawn, c):
    bias, (X, y, u) = drawn
    learner = Learner(rules()["margin"](c))
    run = learner.fit(examples(X, y, constant=int(bias)), 100_000)
    z = signed(X, y, bias)
    radius_sq, least = (z**2).sum(axis=1).max(), (z @ u).min()
    assert run.stop_reason is StopReason.CLEAN_PASS
    assert (z @ learner.team.w[0] > c * (z**2).sum(axis=1)).all()
    for k, w in enumerate(replay(X, int(bias), learner.ledgers[0])):
        assert w @ u >= k * least
        assert w @ w <= k * (1 + 2 * c) * radius_sq
    assert learner.ledgers[0].updates * least**2 <= (1 + 2 * c) * radius_sq * (u @ u)


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), separable_data(bias))), st.sampled_from([0.5, 1.0, 8.0]))
def test_f24_fixed_threshold(drawn, theta):
    bias, (X, y, u) = drawn
    learner = Learner(rules()["threshold"](theta))
    run = learner.fit(examples(X, y, constant=int(bias)), 100_000)
    z = signed(X, y, bias)
    radius_sq, least = (z**2).sum(axis=1).max(), (z @ u).min()
    assert run.stop_reason is StopReason.CLEAN_PASS
    assert learner.ledgers[0].updates * least**2 <= (radius_sq + 2 * theta) * (u @ u)
    w = learner.team.w[0]
    assert (z @ w).min() / np.linalg.norm(w) * ROUNDING >= theta * least / np.linalg.norm(u) / (radius_sq + 2 * theta)


@pytest.mark.parametrize("n", [*range(2, 8), *(pytest.param(n, marks=pytest.mark.full) for n in range(8, 12))])
def test_f8_exactly_as_many_mistakes(n):
    i, j = np.arange(1, n + 1)[:, None], np.arange(1, n + 1)[None, :]
    X = np.where(j < i, (-1.0) ** i, np.where(j == i, (-1.0) ** (i + 1), 0.0))
    y = (-1) ** (i[:, 0] + 1)
    clf = Perceptron(fit_intercept=False, max_iter=10**9).fit(X, y)
    assert clf.n_mistakes_ == (4**n - 1) // 3
    assert clf.coef_[0].tolist() == [2.0**k for k in range(n)]
    assert clf.stop_reason_ == "clean pass"


AND, OR, XOR = ([0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0])
SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize("y", [AND, OR])
@pytest.mark.parametrize("order", ["given", "once", "each"])
def test_and_or_are_learned(y, order):
    clf = Perceptron(order=order, random_state=0).fit(SQUARE, y)
    assert clf.predict(SQUARE).tolist() == y
    assert clf.stop_reason_ is StopReason.CLEAN_PASS


def test_xor_ends_with_the_truth():
    with pytest.warns(UserWarning, match=r"no clean pass in max_iter=1000: \d of 4 training rows"):
        clf = Perceptron(max_iter=1000).fit(SQUARE, XOR)
    assert clf.stop_reason_ is StopReason.MAX_ITER
    assert clf.n_iter_ == 1000
    assert clf.score(SQUARE, XOR) < 1
