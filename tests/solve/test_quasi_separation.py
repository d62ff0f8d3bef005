"""Quasi-separation (F31) as Fourier and Motzkin's elimination finds it, on numbers of all sizes, with two checkers."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from fourier_motzkin import quasi_separation
from novikoff import CompletelySeparable, Overlapping, QuasiSeparable, Undecided, quasi_separate, separate, verify
from novikoff.proof.certificate_files import from_json
from novikoff.solve import quasi_separation as search
from verdicts import KINDS, holds, known

OUTCOMES = {(False, True): CompletelySeparable, (True, True): QuasiSeparable, (True, False): Overlapping}


@st.composite
def small(draw):
    """A few rows of small whole numbers, with or without an intercept, of at most three coefficients."""
    fit_intercept = draw(st.booleans())
    columns = draw(st.integers(1, 3 - fit_intercept))
    rows = draw(st.integers(1, 7))
    numbers = st.lists(st.integers(-2, 2), min_size=columns, max_size=columns)
    X = draw(st.lists(numbers, min_size=rows, max_size=rows))
    return np.array(X), np.array(draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))), fit_intercept


@settings(deadline=None, max_examples=150)
@given(small())
def test_it_is_what_elimination_finds(problem):
    X, y, fit_intercept = problem
    separated, coefficients = quasi_separation(X.tolist(), y.tolist(), fit_intercept)
    found = quasi_separate(X, y, fit_intercept=fit_intercept)
    assert list(found.separated_rows) == separated
    assert list(found.coefficients) == coefficients
    assert type(found) is OUTCOMES[len(separated) < len(y), len(separated) > 0]
    assert verify(found, X, y)
    assert holds(found, X, y)
    assert from_json(found.to_json()) == found


@settings(deadline=None, max_examples=30)
@given(small(), st.lists(st.integers(-300, 300), min_size=3, max_size=3))
def test_powers_of_two_change_nothing(problem, powers):
    """Columns, or rows, times powers of two: the numbers then come from the whole range of doubles."""
    X, y, fit_intercept = problem
    plain = quasi_separate(X, y, fit_intercept=fit_intercept)
    scaled = np.ldexp(X.astype(float), powers[: X.shape[1]])
    if not fit_intercept:
        scaled = np.ldexp(scaled, np.resize(powers, len(X))[:, None])
    found = quasi_separate(sp.csr_array(scaled), y, fit_intercept=fit_intercept)
    assert (found.rows, found.coefficients) == (plain.rows, plain.coefficients)
    assert verify(found, scaled, y)
    assert holds(found, scaled, y)


@pytest.mark.parametrize("seed", range(2 * len(KINDS)))
def test_it_agrees_with_separate(seed):
    X, y, fit_intercept, *_ = known(seed)
    X = X[:, :8]
    found = quasi_separate(X, y, fit_intercept=fit_intercept)
    assert verify(found, X, y)
    assert isinstance(found, CompletelySeparable) == (separate(X, y, fit_intercept=fit_intercept).outcome == "separable")


def test_sums_that_are_no_doubles():
    """The sum of the open rows is 2²⁰⁰ + 1 in one column, beyond the largest double in another."""
    X = np.array([[2.0**200, 1.7e308], [1, 1.7e308], [2.0**-1000, 1.7e308], [-1, 5e-324], [3, 1.0]])
    y = np.array([1, 1, 1, 0, 0])
    found = quasi_separate(X, y)
    assert verify(found, X, y)
    assert holds(found, X, y)
    parts = search._in_doubles(({0: 2**1030 + 1, 1: -3}, Fraction(1)), 3)
    assert [sum(map(Fraction, column)) for column in zip(*parts, strict=True)] == [2**1030 + 1, -3, 0]


def test_a_prime_that_divides_a_determinant_does_no_harm(monkeypatch):
    """Modulo 3 the first row is 0, so its rank is too small at first; modulo the next prime it is right."""
    monkeypatch.setattr(search, "_primes", lambda: iter([3, 2**61 - 1]))
    X, y = np.array([[3.0, 6.0], [0.0, 3.0]]), np.array([1, 1])
    found = quasi_separate(X, y, fit_intercept=False)
    assert found.collinear == ((0, 1), (), ())
    assert verify(found, X, y)


def test_collinear_columns_are_named_before_anything_else():
    """The third column is twice the first minus the second, the fourth is constant, as is the intercept's."""
    X = np.random.default_rng(0).integers(-9, 9, (60, 2))
    X = np.column_stack([X, 2 * X[:, 0] - X[:, 1], np.full(60, 5)])
    y = np.random.default_rng(1).integers(0, 2, 60)
    found = quasi_separate(X, y)
    assert isinstance(found, Overlapping)
    assert found.coefficients == ("unidentified",) * 5
    names = ["a", "b", "c", "d"]
    assert found.findings(names)["Collinear"] == "2·a - b - c = 0; d - 5·the intercept = 0"
    assert found.findings()["Unidentified"] == "column 0, column 1, column 2, column 3, the intercept"
    assert verify(found, X, y)


def test_logistic_regression_goes_where_it_says():
    """On rows that are quasi-separable in one column, Newton's steps raise that coefficient and leave the other where it is."""
    rng = np.random.default_rng(3)
    both = rng.integers(0, 2, 40)  # nobody with 1 has the label 0
    other = rng.integers(-3, 4, 40)
    y = np.where(both == 1, 1, rng.integers(0, 2, 40))
    X = np.column_stack([both, other])
    found = quasi_separate(X, y)
    assert found.coefficients == ("+infinite", "finite", "finite")
    assert set(found.rows) == set(np.flatnonzero(both == 0).tolist())
    A, w = np.column_stack([X, np.ones(40)]), np.zeros(3)
    path = []
    for _ in range(15):
        p = 1 / (1 + np.exp(-A @ w))
        w = w + np.linalg.solve((A.T * (p * (1 - p))) @ A, A.T @ (y - p))
        path.append(w)
    assert path[-1][0] > path[-5][0] + 3
    assert np.allclose(path[-1][1:], path[-5][1:], atol=1e-4)


def test_iris():
    X, y = load_iris(return_X_y=True)
    first, last = (quasi_separate(X, y, positive=k) for k in (0, 2))
    assert isinstance(first, CompletelySeparable)
    assert set(first.coefficients) == {"undetermined"}
    assert isinstance(last, Overlapping)
    assert set(last.coefficients) == {"finite"}
    for found in (first, last):
        assert verify(found, X, y)
        assert holds(found, X, y)


def test_a_budget_ends_it():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 30)), rng.integers(0, 2, 400)
    found = quasi_separate(X, y, budget=0)
    assert isinstance(found, Undecided)
    assert found.margin_at_most == math.inf
    assert verify(found, X, y)


@pytest.mark.parametrize(
    ("X", "y", "options", "why"),
    [
        ([[1.0, math.nan]], [1], {}, "must be a finite number"),
        ([[1], [2], [3]], [0, 1, 2], {}, "3 kinds of labels"),
        ([[1]], [1], {"budget": -1}, "number of seconds"),
        (np.zeros((2, 3000)), [0, 1], {}, "at most 3000 can be told apart"),
    ],
)
def test_what_it_does_not_take_is_refused_in_a_sentence(X, y, options, why):
    with pytest.raises(ValueError, match=why):
        quasi_separate(X, y, **options)


def test_the_file_is_of_version_3_and_others_stay_what_they_were():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert json.loads(quasi_separate(X, y).to_json())["version"] == 3
    assert json.loads(separate(X, y).to_json())["version"] == 1
