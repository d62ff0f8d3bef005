"""The nearest point is where it should be: every point of the hull is beyond the plane through it (Wolfe's criterion)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.exact import Signed
from novikoff.nearest import Nearest, OutOfTimeError, column_scales, nearest_exactly, nearest_point, row_scales


@st.composite
def points(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows, width = draw(st.integers(1, 30)), draw(st.integers(1, 6))
    return rng.integers(-8, 9, (rows, width)) / 4.0 + draw(st.sampled_from([0.0, 1.0, 5.0]))


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
    start = Nearest(P[0], np.array([0]), np.ones(1))
    rows, multipliers, w = nearest_exactly(z, columns, sizes, start, None if scaled else Fraction(0))
    assert all(m > 0 for m in multipliers)
    assert len(set(rows)) == len(rows) <= P.shape[1] + 1
    whole, scale = z.combined(rows, multipliers)
    point = {j: n * scale for j, n in whole.items()}
    if not any(w.whole):
        assert not any(point.values())
        return
    assert z.least(w)[1] > 0
    if not scaled:  # all the way to the nearest point, and exactly there
        assert sum(multipliers) == 1
        assert [point.get(j, 0) for j in range(P.shape[1])] == [n * w.scale for n in w.whole]
        assert z.least(w)[1] == w.sqnorm
        assert float(w.sqnorm) == pytest.approx(float(nearest_point(P).at @ nearest_point(P).at), abs=1e-6)


def test_it_starts_from_anything_and_stops_when_told():
    P = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.0, 1.0]])
    z = Signed(P, np.ones(4), False)
    ones = np.ones(2), np.ones(4)
    dependent = Nearest(P[0], np.array([0, 1, 2]), np.array([0.2, 0.3, 0.5]))
    assert nearest_exactly(z, *ones, dependent, Fraction(0)).rows == [0]
    with pytest.raises(OutOfTimeError):
        nearest_exactly(z, *ones, dependent, Fraction(0), until=0.0)


def test_floats_look_at_the_clock_too():
    P = np.random.default_rng(0).standard_normal((50, 5)) + 1
    assert len(nearest_point(P, until=0.0).chosen) == 1 < len(nearest_point(P).chosen)
