"""Mistake bounds and facts in the space of a kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff
from kernel_problems import circles, close_to
from novikoff import KernelPerceptron, PolynomialMap
from novikoff.engine.rules import Bound, NoBound
from oracles import any_data


@given(any_data(), st.integers(2, 3))
@settings(max_examples=40)
def test_the_bounds_hold_in_the_space_of_the_kernel(data, degree):
    """F5 and F7 against the widest margin of the explicit map, where there is one."""
    X, y = np.rint(np.array(data[0])), np.array(data[1])
    mapped = PolynomialMap(degree=degree, repeated=True).fit_transform(X)
    proof = novikoff.separate(mapped, y, fit_intercept=False)
    clf = KernelPerceptron("poly", degree=degree, max_iter=30).fit(X, y)
    radius_sq = ((1 + (X**2).sum(axis=1)) ** degree).max()
    if isinstance(proof, novikoff.Separable):
        found = clf.bound(radius=radius_sq**0.5, margin=proof.margin.low)
        assert isinstance(found, Bound)
        assert found.value == close_to(radius_sq / proof.margin.low**2)
        assert clf.n_mistakes_ <= found.value * (1 + 1e-9)
        facts = clf.facts(X, y)
        assert facts.margin[1] >= proof.margin.low * (1 - 1e-9)
        assert facts.radius == close_to(radius_sq**0.5)
        assert facts.mistakes <= facts.by_losses.value * (1 + 1e-9)


def test_a_kernel_that_is_none_has_no_bounds():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    for kernel in ("sigmoid", lambda a, b: a @ b.T):
        clf = KernelPerceptron(kernel, max_iter=3).fit(X, y)
        assert isinstance(clf.bound(radius=1, margin=0.1), NoBound)
        facts = clf.facts(X, y)
        assert "positive semidefinite" in str(facts)
        assert isinstance(facts.margin, NoBound)


def test_facts_are_of_the_data_that_was_learned_from():
    X, y = circles(60)
    clf = KernelPerceptron(gamma=0.7).fit(X, y)
    other = X.copy()
    other[np.setdiff1d(np.arange(60), clf.support_)[0]] = 100.0
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(other, y)


def test_facts_are_those_of_the_kernel_that_learned():
    X, y = circles(40)
    clf = KernelPerceptron("rbf", gamma=1.0).fit(X, y)
    before = str(clf.facts(X, y))
    clf.set_params(gamma=2.0)
    assert str(clf.facts(X, y)) == before
    assert clf.kernel_.gamma == 1
    with pytest.raises(ValueError, match="kernel was changed since learning began"):
        clf.partial_fit(X, y)
    assert clf.kernel_.gamma == 1
