"""Rows as the rationals they are: floats only where they cannot be wrong."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import optimize

from novikoff.proof.certificate import Hull, Hulls
from novikoff.proof.exact import Signed, as_numbers, may_be_lowest, weights
from novikoff.proof.exact_constraints import row_ends
from novikoff.proof.exact_many_classes import ManyRows, norm_above
from novikoff.proof.rationals import root_above, root_below, whole_multiples

doubles = st.floats(allow_nan=False, allow_infinity=False)
positive = st.integers(1)
powers = st.builds(lambda e: Fraction(2) ** e, st.integers(-3000, 3000))
squares = st.fractions(0) | st.builds(lambda a, b, power: Fraction(a, b) * power, positive, positive, powers)
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=doubles)


@given(squares)
def test_roots_are_rounded_outward_and_not_far(square):
    low, high = root_below(square), root_above(square)
    assert Fraction(low) ** 2 <= square
    if math.isinf(high):
        assert square > Fraction(np.finfo(float).max) ** 2
    else:
        assert square <= Fraction(high) ** 2
        assert high <= math.nextafter(math.nextafter(low, math.inf), math.inf)


@given(st.lists(doubles | st.fractions(), max_size=6))
def test_whole_multiples_are_exact(numbers):
    whole, scale = whole_multiples(numbers)
    assert [n * scale for n in whole] == [Fraction(x) for x in numbers]


def by_hand(X, sign, intercept, w):
    rows = [[*map(Fraction, x), *([1] if intercept else [])] for x in X.tolist()]
    return [int(s) * sum(Fraction(a) * b for a, b in zip(w, row, strict=True)) for row, s in zip(rows, sign, strict=True)]


@given(matrices, st.booleans(), st.booleans(), st.data())
def test_the_least_score_is_found_exactly_whatever_the_numbers(X, intercept, sparse, data):
    sign = np.array([data.draw(st.sampled_from([1.0, -1.0])) for _ in X])
    w = [data.draw(doubles | st.fractions()) for _ in range(X.shape[1] + intercept)]
    z = Signed(sp.csr_array(X) if sparse else X, sign, intercept)
    scores = by_hand(X, sign, intercept, w)
    row, least = z.least(weights(w))
    assert least == min(scores) == scores[row]
    assert [z.score(i, weights(w)) for i in range(len(X))] == scores


@given(st.integers(1, 8), st.integers(65, 200), st.data())
def test_many_equal_scores_are_no_matter(width, rows, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    X, w = rng.integers(-2, 3, (rows, width)).astype(float), rng.integers(-2, 3, width).astype(float).tolist()
    z = Signed(X, np.ones(rows), False)
    assert z.least(weights(w))[1] == min(by_hand(X, np.ones(rows), False, w))


@given(matrices, st.data())
def test_a_float_score_is_never_more_wrong_than_its_doubt(X, data):
    w = [data.draw(st.floats(-1e6, 1e6) | st.fractions(-(10**6), 10**6)) for _ in range(X.shape[1])]
    X = np.clip(X, -1e100, 1e100)
    z, sign = Signed(X, np.ones(len(X)), False), np.ones(len(X))
    made = weights(w)
    floats, doubts = z.scores(made.floats), z.doubts(made.floats, np.arange(len(X)))
    for got, doubt, true in zip(floats, doubts, by_hand(X, sign, False, w), strict=True):
        assert (
            abs(Fraction(got) - true)
            <= Fraction(doubt)
            <= Fraction(z.doubt(made.floats)) * (1 + Fraction(1, 10**6)) + Fraction(doubt) / 2**40
        )


LONG = 20_000


def lost(small):
    """A one, and so many numbers that are lost beside it, each too small to be seen in the sum, but not all together."""
    numbers = np.full(LONG, small)
    numbers[0] = 1.0
    return numbers


def test_doubts_grow_with_the_number_of_terms():
    z, w = Signed(lost(2.0**-54)[None], np.ones(1), False), np.ones(LONG)
    off = abs(Fraction(float(z.scores(w)[0])) - (1 + (LONG - 1) * Fraction(2) ** -54))
    assert off > Fraction(2) ** -50  # so that there is something to allow for
    assert off <= Fraction(float(z.doubts(w, np.arange(1))[0]))
    assert off <= Fraction(z.doubt(w))


def test_what_underflows_is_allowed_for():
    unit = 2.0**-537
    z, w = Signed(np.array([[0.75, 0.0, 0.0], [0.4, 0.4, 0.4]]) * unit, np.ones(2), False), weights([unit] * 3)
    assert z.scores(w.floats).tolist() == [2.0**-1074, 0.0]
    assert z.least(w)[0] == 0


def test_a_score_is_left_out_only_where_both_doubts_together_do_not_reach():
    assert may_be_lowest(np.array([0.0, 1.5, 2.5, np.nan]), np.ones(4)).tolist() == [0, 1, 3]


def test_sums_beyond_2_53_are_not_said_to_be_exact():
    """Every number and product is a double, but the sum of four is not."""
    X = np.full((100, 4), 2.0**52)
    X[:, 0] += 2
    X[50, 0] -= 1
    z, w = Signed(X, np.ones(100), False), weights([1.0] * 4)
    assert set(z.scores(w.floats).tolist()) == {2.0**54}
    assert z.least(w) == (50, 2**54 + 1)


@given(matrices, st.data())
def test_points_of_the_hull_are_exact(X, data):
    multipliers = [data.draw(st.fractions(0, 10) | st.floats(0, 10)) for _ in X]
    assume(any(multipliers))
    z = Signed(X, np.ones(len(X)), True)
    total = sum(map(Fraction, multipliers))
    point = [sum(Fraction(m) * Fraction(v) for m, v in zip(multipliers, column, strict=True)) for column in X.T.tolist()]
    hull = Hull(tuple(range(len(X))), tuple(multipliers))
    assert z.sqnorm_of(hull) == (sum(p * p for p in point) + total**2) / total**2


@given(matrices, st.booleans(), st.data())
def test_the_quick_norm_is_never_below_the_exact_one_and_little_above(X, intercept, data):
    X = np.clip(X, -1e100, 1e100)
    multipliers = [data.draw(st.floats(2.0**-20, 10)) for _ in X]
    sign = np.array([data.draw(st.sampled_from([1.0, -1.0])) for _ in X])
    for stored in (X, sp.csr_array(X)):
        z, hull = Signed(stored, sign, intercept), Hull(tuple(range(len(X))), tuple(multipliers))
        quick, exact = z.norm_above(hull), z.sqnorm_of(hull)
        assert Fraction(quick) ** 2 >= exact
        assert quick <= root_above(exact) + 1e-10 * (1 + np.abs(X).max()) * len(X) ** 2


@pytest.mark.parametrize("X", [
    lost(2.0**-27)[None],
    np.vstack([lost(2.0**-27)] * 2),
    lost(2.0**-54)[:, None],
    *(np.array(column)[:, None] for column in permutations([1.0, 2.0**-53, -1.0])),
])  # fmt: skip
def test_the_quick_norm_allows_for_what_is_lost_and_what_cancels(X):
    z, hull = Signed(X, np.ones(len(X)), False), Hull(tuple(range(len(X))), (1.0,) * len(X))
    assert Fraction(z.norm_above(hull)) ** 2 >= z.sqnorm_of(hull)


def lengths(X, intercept):
    """The squares of the rows' lengths, as fractions."""
    return [sum((Fraction(v) ** 2 for v in x), Fraction(intercept)) for x in X.tolist()]


@given(matrices, st.booleans(), st.booleans(), st.booleans(), doubles, st.integers(-2, 2))
@example(np.array([[1.7976931348623157e308]]), True, False, False, 0.0, 0)
def test_no_row_is_longer_exactly_where_fractions_say_so(X, intercept, sparse, narrow, other, steps):
    """At a radius as near to the longest row as doubles come, and at any other."""
    with np.errstate(over="ignore"):
        X = np.nan_to_num(X.astype(np.float32)) if narrow else X
    stored = sp.csr_array(X) if sparse else X
    longest = max(lengths(X, intercept))
    near = min(root_above(longest), np.finfo(float).max)
    for _ in range(abs(steps)):
        near = max(math.nextafter(near, 0 if steps < 0 else math.inf), 0.0)
    for radius in (near, abs(other)):
        if 0 < radius < math.inf:
            wanted = longest <= Fraction(radius) ** 2
            assert Signed(stored, np.ones(len(X)), intercept).within(radius) == wanted
            assert ManyRows(stored, np.zeros(len(X), int), 2, intercept).within(radius) == wanted


@pytest.mark.parametrize(("row", "last", "radius"), [
    ([3.0, 4.0], 2.0**-26, 5.0),  # no float square shows the last number
    ([3e8, 4e8], 1.0, 5e8),  # nor here, though all are whole
    ([9e7, 0.0], 1.0, 9e7),  # here it does, and no more than that
    ([3 * 2.0**600, 2.0**602], 1.0, 5 * 2.0**600),
    ([3 * 2.0**-600, 2.0**-598], 2.0**-630, 5 * 2.0**-600),
])  # fmt: skip
def test_one_row_of_many_is_longer_by_next_to_nothing(row, last, radius):
    X = np.tile([*row, 0.0], (100, 1))
    for stored in (np.asarray, sp.csr_array):
        assert Signed(stored(X), np.ones(100), False).within(radius)
        longer = X.copy()
        longer[7, 2] = last
        assert not Signed(stored(longer), np.ones(100), False).within(radius)
        assert Signed(stored(longer), np.ones(100), False).within(math.nextafter(radius, math.inf))


def test_squares_of_short_floats_are_those_of_doubles():
    X = np.full((1, 3), 0.1, np.float32)
    for stored in (X, sp.csr_array(X)):
        z, (square,) = Signed(stored, np.ones(1), False), lengths(X, False)
        assert z.within(root_above(square))
        assert not z.within(root_below(square))


@pytest.mark.parametrize("small", [2.0**-27, 2.0**-28])
def test_a_row_is_not_called_short_because_small_numbers_were_lost(small):
    X = lost(small)[None]
    true = 1 + (LONG - 1) * Fraction(small) ** 2
    for stored in (X, sp.csr_array(X)):
        z = Signed(stored, np.ones(1), False)
        assert not z.within(math.nextafter(root_below(true), 0))
        assert z.within(root_above(true))


def test_numbers_are_taken_as_they_are_or_refused():
    assert as_numbers([[1, 2]]).dtype == np.float64
    assert as_numbers(np.float32([[0.1]])).dtype == np.float32
    assert as_numbers(np.array([[1.5]], ">f8")).dtype == np.float64
    for n in (2**53, 2**60):
        assert as_numbers(np.array([[n]])).tolist() == [[float(n)]]
    twice = sp.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert as_numbers(twice).toarray().tolist() == [[3.0]]
    for bad, why in [
        (np.array([[2**60 + 1]]), "not doubles"),
        (np.array([[2**53 + 1]]), "not doubles"),
        (np.array([[-(2**53) - 1]]), "not doubles"),
        (np.array([[1.0, np.nan]]), "row 0, column 1 is nan"),
        (sp.csr_array(np.array([[0.0, 1.0], [0.0, np.inf]])), "row 1, column 1 is inf"),
        (np.array([["a"]]), "must be whole numbers"),
        (np.ones((1, 1), np.longdouble), "must be whole numbers"),
        (np.ones(3), "two-dimensional"),
    ]:
        with pytest.raises(ValueError, match=why):
            as_numbers(bad)
    assert as_numbers(np.full((2, 2), 1e308)).shape == (2, 2)  # the sum overflows, the numbers do not


def test_the_quick_norm_of_rows_whose_squares_vanish():
    z, hull = Signed(np.array([[5.94849346e-177]]), np.ones(1), False), Hull((0,), (1.0,))
    assert Fraction(z.norm_above(hull)) ** 2 >= z.sqnorm_of(hull)


def test_what_are_no_ends_is_refused():
    for lower, bounds, why in [
        (0, 5, "bounds are a pair of numbers"),
        (0, optimize.Bounds(0, 1), "bounds are a pair of numbers"),
        (0, [(0, 1, 2)], "bounds are a pair of numbers"),
        (np.ma.masked_array([1.0], [1]), None, "lower is a masked array, which hides numbers"),
        (["1"], None, "lower: '1' is not a whole number, float, Fraction or Decimal"),
        ([[None]], None, r"lower has shape \(1, 1\)"),
        (np.longdouble([1]), None, "lower must be whole numbers, float32, float64"),
        ([1, 2], None, r"lower has shape \(2,\); it needs one number for each of the 1 rows"),
    ]:
        with pytest.raises(ValueError, match=why):
            row_ends(np.ones((1, 1)), lower, None, bounds)


ENDS = [0.0, 5e-324, 2.0**-1022, 1e-308, 1e-160, 1.0, 1e160, 1e308, 1.7976931348623157e308]


@pytest.mark.parametrize("one", ENDS)
@pytest.mark.parametrize("other", ENDS)
def test_a_norm_is_never_too_small_at_the_ends_of_the_doubles(one, other):
    """Of weights, and of a point of the hull whose rows, or whose multipliers, these are: floats bound it, or say nothing."""
    square = Fraction(one) ** 2 + Fraction(other) ** 2
    above = norm_above(np.array([[one], [-other]]))
    assert square <= above**2 <= square * (1 + Fraction(1, 10**12))
    apart = Signed(np.array([[one, 0.0], [0.0, other]]), np.ones(2), False)
    for multipliers in ((1.0, 1.0), (1.0, 3.0), (one or 1.0, other or 1.0), (ENDS[-1], ENDS[-1]), (5e-324, 5e-324)):
        hull = Hull((0, 1), multipliers)
        quick = apart.norm_above(hull)
        assert quick == math.inf or Fraction(quick) ** 2 >= apart.sqnorm_of(hull)


@pytest.mark.parametrize("x", ENDS)
@pytest.mark.parametrize("w", ENDS)
@pytest.mark.parametrize("intercept", ENDS)
def test_a_score_is_never_more_wrong_than_its_doubt_at_the_ends_of_the_doubles(x, w, intercept):
    z = Signed(np.array([[x, -x, 1.0]]), np.ones(1), True)
    own = weights([w, w / 3, -w, -intercept])
    score, doubt = z.scores(own.floats)[0], min(z.doubts(own.floats, np.arange(1))[0], z.doubt(own.floats))
    if math.isfinite(score) and math.isfinite(doubt):  # what is not decides nothing
        assert abs(Fraction(float(score)) - z.score(0, own)) <= Fraction(float(doubt))


def test_half_a_distance_is_never_computed_too_small():
    """Where multipliers become subnormal when they are divided, they lose digits, and a large number makes that visible."""
    X = np.array([[0.0], [0.0], [2.0**1023], [1.0]])
    z = Signed(X, np.array([-1.0, 1.0, 1.0, 1.0]), True)
    for factor in (5 * 2.0**-1074, 2.0**-1000, 0.1, 1 / 3, 7.0):
        for other in (2, 3):
            hull = Hulls(Hull((0,), (3.0,)), Hull((1, other), (0.75, factor)))
            assert z.norm_above(hull) == np.inf or Fraction(z.norm_above(hull)) ** 2 >= z.sqnorm_of(hull)


@given(st.data())
def test_half_a_distance_is_bounded_from_above_and_sharply(data):
    numbers = st.sampled_from([0.0, 1.0, -0.1, 1 / 3, 1e-160, 3e-310, 1e100, 2.0**53 + 2])
    X = np.array(data.draw(st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=4, max_size=6)))
    sign = np.where(np.arange(len(X)) % 2, 1.0, -1.0)
    z = Signed(X, sign, True)
    positive = st.sampled_from([1.0, 0.1, 1e-300, 5e-324, 1e300, 3.0])
    sides = [np.flatnonzero(sign == s).tolist() for s in (-1, 1)]
    hull = Hulls(*(Hull(tuple(rows), tuple(data.draw(positive) for _ in rows)) for rows in sides))
    above = z.norm_above(hull)
    assert above == np.inf or Fraction(above) ** 2 >= z.sqnorm_of(hull)
