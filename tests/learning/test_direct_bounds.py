"""The mistake bounds with all classes at once (F25): both lemmas of F5, the bound of every rule, late classes, facts."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chosen import RULES
from direct_textbook import BIAS, FOUR, ROUNDING, lead_of, many_separable
from learners import class_weights, direct
from novikoff import Perceptron
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import Bound, Evidence, NoBound
from novikoff.learning.run import StopReason
from oracles import any_data, fractions


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), many_separable(bias))), st.sampled_from(["given", "once", "each"]))
def test_f5_with_both_lemmas_and_f7(drawn, order):
    bias, (X, y, u) = drawn
    learner = direct(order=order, seed=1)
    run = learner.fit(examples(X, y, constant=int(bias)), 100_000)
    radius_sq = (X**2).sum(axis=1).max() + bias
    least = lead_of(X, y, u, bias).min()
    assert least > 0
    assert run.stop_reason is StopReason.CLEAN_PASS
    assert (lead_of(X, y, np.array(class_weights(learner)), bias) > 0).all()
    w = np.zeros_like(u)
    for k, update in enumerate(learner.ledgers[0], 1):  # dyadic numbers: nothing rounds, so ≤ is exact
        x = np.append(X[update.row % len(X)], float(bias))
        w[update.y] += x
        w[update.rival] -= x
        assert (w * u).sum() >= k * least
        assert (w * w).sum() <= k * 2 * radius_sq
        assert least**2 * k**2 <= (w * w).sum() * (u * u).sum()  # F7: γ* ≤ ‖w‖/k, and γ* ≥ the margin of u
    k = learner.ledgers[0].mistakes
    assert k * least**2 <= 2 * radius_sq * (u * u).sum()
    bound = learner.bound(Evidence(sqrt(radius_sq), sqrt((u * u).sum()) / least))
    assert k <= bound.value * ROUNDING
    assert bound.value == pytest.approx(2 * radius_sq * (u * u).sum() / least**2)


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(labels=FOUR), bias=BIAS, passes=st.integers(1, 4), more=st.data())
def test_every_rules_bound_on_data_of_any_kind(rule, data, bias, passes, more):
    """F6, F23 and F24 with the radius √2·R, for any U and its hinge losses against the worst rival."""
    X, y = np.array(data[0]), np.array(data[1])
    classes = len(set(data[1]))
    numbers = st.lists(st.floats(-3, 3), min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)
    u = np.array(more.draw(st.lists(numbers, min_size=classes, max_size=classes)))
    u[:, -1] *= bias
    learner = direct(rule)
    run = learner.fit(examples(fractions(X), y, constant=int(bias)), passes)
    short = np.maximum(0.0, 1 - lead_of(X, y, u, bias))
    times = len(run.passes)
    radius = sqrt((X**2).sum(axis=1).max() + bias)
    bound = learner.bound(Evidence(radius, sqrt((u * u).sum()), times * short.sum(), times * (short**2).sum()))
    if rule == "pa" and short.any():
        assert isinstance(bound, NoBound)
    else:
        assert isinstance(bound, Bound)
        ledger = learner.ledgers[0]
        suffered = sum(max(0.0, 1 - float(update.margin)) ** 2 for update in ledger)
        counted = {"mistakes": ledger.mistakes, "updates": ledger.updates, "squared losses suffered": suffered}[bound.of]
        assert counted <= bound.value * ROUNDING + 1e-9


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), many_separable(bias))))
def test_the_bound_holds_over_classes_that_come_later(drawn):
    """Learning before a class appears is learning from some of the vectors z of the final set of classes."""
    bias, (X, y, u) = drawn
    order = np.argsort(y, kind="stable")  # class after class
    X, y = X[order], y[order]
    learner = direct()
    for _ in range(4):
        for name in np.unique(y):
            learner.learn(examples(X[y == name], y[y == name], constant=int(bias)))
    least, radius_sq = lead_of(X, y, u, bias).min(), (X**2).sum(axis=1).max() + bias
    tally = learner.ledgers[0].tally
    assert tally.mistakes * least**2 <= 2 * radius_sq * (u * u).sum()
    assert least**2 <= tally.hull_sq * (u * u).sum() * ROUNDING


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), many_separable(bias, least=3))))
def test_facts_are_those_of_kesler_written_out(drawn):
    bias, (X, y, u) = drawn
    clf = Perceptron(multiclass="direct", fit_intercept=bias, max_iter=10_000).fit(X, y)
    found = clf.facts(X, y, u=u)
    w, norm, course = np.zeros_like(u), sqrt((u * u).sum()), found.course
    for k, update in enumerate(clf.ledger_):
        x = np.append(X[update.row], float(bias))
        w[update.y] += x
        w[update.rival] -= x
        assert course.w_sqnorm[k] == (w * w).sum()
        assert course.w_u[k] == pytest.approx((w * u).sum() / norm)
    low, high = found.margin
    leads = lead_of(X, y, np.column_stack([clf.coef_, clf.intercept_]), bias)
    size = sqrt((clf.coef_**2).sum() + (clf.intercept_**2).sum())
    assert low == pytest.approx(max(leads.min() / size, lead_of(X, y, u, bias).min() / norm))  # the better of two separators
    assert low <= high * ROUNDING
    assert found.mistakes <= found.by_margin.value * ROUNDING
    assert found.by_margin.value == pytest.approx(2 * found.radius**2 / low**2)
    assert found.mistakes <= found.by_losses.value * ROUNDING <= found.by_losses_simply * ROUNDING**2
    scale = sqrt((found.u**2).sum()) / norm
    losses = np.maximum(0, 1 - scale * lead_of(X, y, u, bias)).sum() * found.passes
    assert found.losses == pytest.approx(losses, abs=1e-9)
    assert "all classes at once (F25)" in str(found)
    assert "2R²‖u‖² + 2L" in str(found)


def test_facts_with_an_svm_and_what_is_refused():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    clf = Perceptron(multiclass="direct", max_iter=5).fit(X, y)
    assert clf.facts(X, y, u="svm").by_losses_simply <= clf.facts(X, y).by_losses_simply
    with pytest.raises(ValueError, match="u must have 3 rows of 4 finite numbers"):
        clf.facts(X, y, u=np.ones(4))
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(X[::-1], y)
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(-X, y)
