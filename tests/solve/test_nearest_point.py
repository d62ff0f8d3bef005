"""The nearest point is where it should be: every point of the hull is beyond the plane through it (Wolfe's criterion)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.proof.exact import Signed
from novikoff.solve.nearest_point import Nearest, OutOfTimeError, column_scales, nearest_exactly, nearest_point, row_scales


@st.composite
def points(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows, width = draw(st.integers(1, 30)), draw(st.integers(1, 6))
    return rng.integers(-8, 9, (rows, width)) / 4.0 + draw(st.sampled_from([0.0, 1.0, 5.0]))


def unscaled(P, start, gap, **how):
    """The exact walk over these rows as they are."""
    return nearest_exactly(Signed(P, np.ones(len(P)), False), np.ones(P.shape[1]), np.ones(len(P)), start, gap, **how)


def only(P, i):
    return Nearest(P[i], np.array([i]), np.ones(1))


@given(points())
def test_in_floats(P):
    found = nearest_point(P)
    assert (found.multipliers > 0).all()
    assert found.multipliers.sum() == pytest.approx(1)
    assert len(set(found.chosen.tolist())) == len(found.chosen) <= P.shape[1] + 1
    assert found.at == pytest.approx(found.multipliers @ P[found.chosen], abs=1e-9)
    assert (P @ found.at).min() >= found.at @ found.at - 1e-6


@given(points(), st.booleans())
def test_in_rationals(P, scaled):
    z = Signed(P, np.ones(len(P)), False)
    if scaled:
        columns = column_scales(z)
        sizes = row_scales(z, columns)
    else:
        columns, sizes = np.ones(P.shape[1]), np.ones(len(P))
    rows, multipliers, w = nearest_exactly(z, columns, sizes, only(P, 0), None if scaled else Fraction(0))
    assert all(m > 0 for m in multipliers)
    assert len(set(rows)) == len(rows) <= P.shape[1] + 1
    whole, scale = z.combined(rows, multipliers)
    point = {j: n * scale for j, n in whole.items()}
    if not any(w.whole):
        assert not any(point.values())
    assume(any(w.whole))
    assert z.least(w)[1] > 0
    if not scaled:  # all the way to the nearest point, and exactly there
        assert sum(multipliers) == 1
        assert [point.get(j, 0) for j in range(P.shape[1])] == [n * w.scale for n in w.whole]
        assert z.least(w)[1] == w.sqnorm
        assert float(w.sqnorm) == pytest.approx(float(nearest_point(P).at @ nearest_point(P).at), abs=1e-6)


def test_it_starts_from_anything_and_stops_when_told():
    P = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.0, 1.0]])
    dependent = Nearest(P[0], np.array([0, 1, 2]), np.array([0.2, 0.3, 0.5]))
    assert unscaled(P, dependent, Fraction(0)).rows == [0]
    with pytest.raises(OutOfTimeError):
        unscaled(P, dependent, Fraction(0), until=0.0)


@pytest.mark.parametrize("gap", [0.5, 0.2, 0.05, 1e-3])
def test_it_goes_on_to_the_gap(gap):
    for seed in range(20):
        P = np.random.default_rng(seed).integers(-8, 9, (30, 3)) / 4.0 + 3.0
        w = unscaled(P, only(P, np.argmax((P * P).sum(axis=1))), Fraction(gap)).w
        assert Signed(P, np.ones(30), False).least(w)[1] >= (1 - Fraction(gap)) * w.sqnorm


@pytest.mark.parametrize("gap", [None, Fraction(1, 2)])
def test_it_does_not_end_on_a_plane_that_touches_a_row(gap):
    P = np.eye(2)
    assert Signed(P, np.ones(2), False).least(unscaled(P, only(P, 0), gap).w)[1] > 0


def test_where_floats_see_nothing_it_goes_on():
    """Halves and thirds of the smallest double are no doubles: every score is NaN, and the first row, chosen already, no step."""
    P = np.eye(3) * 5e-324
    rows, multipliers, _ = unscaled(P, only(P, 0), Fraction(0))
    assert dict(zip(rows, multipliers, strict=True)) == dict.fromkeys(range(3), Fraction(1, 3))


def test_floats_look_at_the_clock_too():
    P = np.random.default_rng(0).standard_normal((50, 5)) + 1
    assert len(nearest_point(P, until=0.0).chosen) == 1 < len(nearest_point(P).chosen)
