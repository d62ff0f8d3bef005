"""The widest margin is the one people mean: the distance of the nearest row to the hyperplane, proved from both sides (F28)."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from novikoff import Inseparable, Separable, Undecided, max_margin, separate, verify
from novikoff.proof.certificate import Hull, Hulls, Margin
from novikoff.proof.certificate_files import from_json
from novikoff.proof.literal_checker import Table, Wrong, check
from novikoff.solve.max_margin import with_constant_column

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def separable(seed, rows, columns, gap=0.2):
    """Rows with a gap between the classes."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(rows, columns)), rng.normal(size=columns)
    scores = X @ w / np.linalg.norm(w) + rng.normal()
    kept = np.abs(scores) > gap
    return X[kept], (scores[kept] > 0).astype(int)


def svm(X, y):
    """The margin of a hard-margin support vector machine with an intercept, as its own weights have it."""
    found = SVC(kernel="linear", C=1e9, tol=1e-8).fit(X, y)
    scores = (X @ found.coef_[0] + found.intercept_[0]) * np.where(y == found.classes_[1], 1, -1)
    return scores.min() / np.linalg.norm(found.coef_)


@given(st.integers(0, 10**6), st.integers(4, 60), st.integers(1, 6))
def test_it_is_that_of_a_support_vector_machine(seed, rows, columns):
    X, y = separable(seed, rows, columns)
    assume(len(set(y.tolist())) == 2)
    certificate = max_margin(X, y)
    low, high = certificate.margin
    assert verify(certificate, X, y)
    assert low >= (1 - 1e-3) * high
    assert low * (1 - 1e-9) <= svm(X, y) * (1 + 1e-4)
    assert svm(X, y) <= high * (1 + 1e-9)


def test_on_real_data_it_is_that_of_a_support_vector_machine():
    X, y = load_iris(return_X_y=True)
    certificate = max_margin(X, y, positive=0)
    assert verify(certificate, X, y)
    assert svm(X, (y == 0).astype(int)) == pytest.approx(certificate.margin.low, rel=2e-3)


def test_that_of_and_is_known():
    low, high = max_margin(AND, [0, 0, 0, 1], gap=1e-9).margin
    assert Fraction(low) ** 2 <= Fraction(1, 8) <= Fraction(high) ** 2
    assert high - low < 1e-9


@given(st.integers(0, 10**6), st.integers(-(2**40), 2**40), st.integers(2, 12))
def test_it_does_not_change_when_all_rows_are_moved(seed, by, rows):
    """Whole numbers, so that nothing rounds."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-50, 50, (rows, 2)).astype(float), rng.integers(0, 2, rows)
    assume(len(set(y.tolist())) == 2)
    here, there = max_margin(X, y), max_margin(X + by, y)
    assert type(here) is type(there)
    assert verify(there, X + by, y)
    if isinstance(here, Separable):
        assert there.margin.low >= (1 - 1e-3) * there.margin.high
        assert here.margin.low <= there.margin.high
        assert there.margin.low <= here.margin.high


def test_rows_of_one_class_have_no_widest_margin():
    certificate = max_margin([[1.0], [2.0]], ["a", "a"])
    assert certificate.margin.high == math.inf
    assert certificate.hull == Hulls()


@given(st.integers(0, 10**6), st.integers(4, 30))
def test_the_margin_in_the_extended_space_is_another_and_never_larger(seed, rows):
    X, y = separable(seed, rows, 3)
    assume(len(set(y.tolist())) == 2)
    certificate = separate(X, y)
    extended = separate(with_constant_column(X), y, fit_intercept=False)
    assert isinstance(certificate.hull, Hulls)
    assert isinstance(extended.hull, Hull)
    assert certificate.extended_margin <= certificate.margin.low
    assert certificate.extended_margin <= extended.margin.high
    w, b = [Fraction(v) for v in certificate.weights.tolist()], Fraction(certificate.intercept)
    least = min(
        (2 * c - 1) * (sum(a * Fraction(v) for a, v in zip(w, x, strict=True)) + b) for x, c in zip(X.tolist(), y, strict=True)
    )
    length_sq = sum(a * a for a in w) + b * b
    assert Fraction(certificate.extended_margin) ** 2 * length_sq <= least**2


def test_forged_evidence_is_refused():
    y = [0, 0, 0, 1]
    certificate = max_margin(AND, y)
    no, yes = certificate.hull
    low, high = certificate.margin
    forgeries = {
        "a row is named on the side of the other class": {"hull": Hulls(yes, no)},
        "do not show that no margin is above": {"margin": Margin(0.1, math.nextafter(Fraction(1, 8) ** 0.5, 0) - 1e-9)},
        "is nearer": {"margin": Margin(high * 1.001, high * 2)},
        "row 9 does not exist": {"hull": Hulls(Hull((9,), (1.0,)), yes)},
        "all multipliers are zero": {"hull": Hulls(Hull(no.rows, tuple(0.0 for _ in no.rows)), yes)},
        "0 rows and 1 multipliers": {"hull": Hulls(Hull((), (1.0,)), yes)},
        "is not on its own side": {"weights": np.zeros(2)},
    }
    for why, change in forgeries.items():
        verdict = verify(replace(certificate, **change), AND, y)
        assert not verdict
        assert why in verdict.why
    assert low < high


def test_weights_of_zero_have_no_margin():
    """One class is on one side of nothing, and no distance can be claimed of that."""
    certificate = replace(max_margin([[1.0], [2.0]], ["a", "a"]), weights=np.zeros(1), intercept=1.0)
    assert verify(replace(certificate, margin=Margin(0.0, math.inf)), [[1.0], [2.0]], ["a", "a"])
    claimed = replace(certificate, margin=Margin(1.0, math.inf))
    assert "there is no hyperplane" in verify(claimed, [[1.0], [2.0]], ["a", "a"]).why
    with pytest.raises(Wrong):
        check(claimed.to_json(), Table(1, [{0: 1.0}, {0: 2.0}], ["a", "a"]))


def test_a_file_says_which_margin_it_is_of():
    of_rows, of_z = max_margin(AND, [0, 0, 0, 1]), max_margin(AND[1:] - 0.5, [0, 0, 1], fit_intercept=False)
    assert json.loads(of_rows.to_json())["version"] == 2
    assert json.loads(of_z.to_json())["version"] == 1
    assert "Its margin is at least 0.353" in str(of_rows)
    old = replace(of_rows, margin=Margin(0.2, 0.3), hull=Hull(of_rows.hull.rows, (1.0,) * len(of_rows.hull.rows)))
    assert json.loads(old.to_json())["version"] == 1
    assert "Its margin in the extended space is at least 0.2" in str(from_json(old.to_json()))


def test_what_cannot_be_separated_has_no_margin():
    assert isinstance(max_margin(AND, [0, 1, 1, 0]), Inseparable)


def test_a_budget_ends_the_search_with_the_widest_so_far(monkeypatch):
    """Time is what the clock says: here, the number of times that it was looked at."""
    X, y = separable(3, 400, 8)
    widest = max_margin(X, y)
    clock, found, short = iter(range(10**9)), set(), 0
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    for budget in (0, *range(1, 60, 3)):
        certificate = max_margin(X, y, budget=budget)
        assert verify(certificate, X, y)
        found.add(type(certificate))
        if isinstance(certificate, Separable):
            assert certificate.margin.low <= widest.margin.high
            assert certificate.margin.high >= widest.margin.low
            short += certificate.margin.low < (1 - 1e-3) * certificate.margin.high
    assert short
    assert {Separable, Undecided} >= found >= {Separable}
    assert max_margin(X, y, budget=10**6).margin == widest.margin


def test_a_budget_is_a_number_of_seconds():
    with pytest.raises(ValueError, match="budget is a number of seconds"):
        max_margin(AND, [0, 0, 0, 1], budget=-1)
