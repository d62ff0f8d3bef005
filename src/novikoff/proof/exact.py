"""Rows of doubles as the rationals they are: scores without rounding, and floats that know how wrong they can be.

Nothing here learns. A score computed in floats decides a row only where its error bound leaves no doubt (F21); the few
rows that are left are decided in whole numbers.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.matrix_checks import checked
from novikoff.proof.certificate import Hull, Number

Array = np.ndarray[Any, Any]

# Σ aⱼ·bⱼ of k terms, added in any order, fused or not, is wrong by at most γ·Σ|aⱼ·bⱼ| + 2k·2⁻¹⁰⁷⁵, with γ = ku/(1 − ku) and
# u = 2⁻⁵³ [higham2002accuracy], unless something overflows: then it is infinite or no number, and so is Σ|aⱼ·bⱼ|. As k is
# below 2⁴⁸, (k + 4)·EPSILON times the computed Σ|aⱼ·bⱼ| is more than the first part, what its own rounding takes away included,
# and TINY more than the second. Whatever is not finite decides nothing.
EPSILON = 2.0**-52  # 2u
TINY = 2.0**-1000
SUBNORMAL = 2.0**-1022  # doubles below this have fewer digits
PRODUCTS = 4_000_000  # scores of rows for classes that are held at once
INDICES = {np.dtype(np.int32), np.dtype(np.int64)}  # as SciPy makes them; users may put others in their place
FEW = 64  # rows that are decided in whole numbers without asking whether floats could


def as_numbers(X: Any) -> Any:
    """X as a float array or canonical CSR matrix, each number the one that was given; refused with a sentence otherwise."""
    checked(X)
    if sp.issparse(X):
        X = sp.csr_array(X)
        if not {X.indices.dtype, X.indptr.dtype} <= INDICES:
            X = sp.csr_array((X.data, X.indices, X.indptr), X.shape)  # which makes them 32 or 64 bits wide
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        values = X.data
    else:
        X = values = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"data must be two-dimensional; this has shape {X.shape}")
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        raise ValueError(f"data must be whole numbers, float32 or float64, which are rationals as they stand, not {values.dtype}")
    if values.dtype not in (np.float32, np.float64):
        doubles = values.astype(np.float64)
        if values.dtype.itemsize == 8 and not all(map(_is_double, values[np.abs(doubles) >= 2.0**53].tolist())):
            raise ValueError("some whole numbers in the data are not doubles: divide the column by a power of two")
        X = sp.csr_array((doubles, X.indices, X.indptr), X.shape) if sp.issparse(X) else doubles
        values = doubles
    elif not values.dtype.isnative:
        X = X.astype(values.dtype.newbyteorder("="))
        values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(values.sum()) and not np.isfinite(values).all():  # a sum of finite numbers is seldom infinite
            at = int(np.flatnonzero(~np.isfinite(values.ravel()))[0])
            row, column = (
                (int(np.searchsorted(X.indptr, at, "right")) - 1, int(X.indices[at]))
                if sp.issparse(X)
                else divmod(at, X.shape[1])
            )
            raise ValueError(f"row {row}, column {column} is {values.ravel()[at]}: every value must be a finite number")
    return X


def _is_double(value: int) -> bool:
    return int(float(value)) == value


def whole_multiples(numbers: Iterable[Number]) -> tuple[list[int], Fraction]:
    """Whole numbers n and one positive scale with number = n·scale, exactly. Every finite double is a rational."""
    ratios = [number.as_integer_ratio() for number in numbers]
    bottom = math.lcm(*(q for _, q in ratios)) if ratios else 1
    return [p * (bottom // q) for p, q in ratios], Fraction(1, bottom)


def coprime(numbers: Iterable[Number]) -> list[Fraction]:
    """The same numbers, all multiplied by one positive one, so that they are whole and have no divisor in common."""
    whole, _ = whole_multiples(numbers)
    common = math.gcd(*whole)
    return [Fraction(n, common) for n in whole]


@dataclass(frozen=True)
class Weights:
    """A weight vector, intercept last if there is one, in floats (rounded if need be) and in whole numbers."""

    floats: Array
    whole: list[int]
    scale: Fraction
    doubles: bool = False  # whether it is known that the floats are the numbers themselves

    @property
    def sqnorm(self) -> Fraction:
        return sum(w * w for w in self.whole) * self.scale**2


def weights(numbers: Sequence[Number]) -> Weights:
    whole, scale = whole_multiples(numbers)
    doubles = all(type(n) is float for n in numbers)
    return Weights(np.array(numbers if doubles else [*map(_rounded, numbers)], np.float64), whole, scale, doubles)


def _rounded(number: Number) -> float:
    """The nearest double; NaN where its relative error would be large, so that no float score is relied on."""
    try:
        rounded = float(number)
    except OverflowError:
        return math.nan
    return rounded if abs(rounded) > SUBNORMAL or rounded == number else math.nan


@dataclass(frozen=True)
class Signed:
    """The z's: y·(x, 1), or y·x where there is no intercept."""

    X: Any
    sign: Array  # float64, ±1
    fit_intercept: bool

    def __len__(self) -> int:
        return len(self.sign)

    @property
    def length(self) -> int:
        """How many weights there are."""
        return int(self.X.shape[1]) + self.fit_intercept

    @property
    def filled(self) -> int:
        """How many numbers of X a row has at most."""
        return int(np.diff(self.X.indptr).max(initial=0)) if sp.issparse(self.X) else int(self.X.shape[1])

    def z(self, i: int) -> tuple[list[int], list[float]]:
        """The coordinates of z that are not 0, and their values."""
        if sp.issparse(self.X):
            inside = slice(self.X.indptr[i], self.X.indptr[i + 1])
            columns, values = self.X.indices[inside], self.X.data[inside]
        else:
            columns = np.flatnonzero(self.X[i])
            values = self.X[i, columns]
        there = values != 0
        signed = (values[there].astype(np.float64) * self.sign[i]).tolist()
        if self.fit_intercept:
            return [*columns[there].tolist(), self.X.shape[1]], [*signed, float(self.sign[i])]
        return columns[there].tolist(), signed

    def rows(self, which: Array, columns: Array, sizes: Array) -> Any:
        """These z's, their columns and rows scaled, in floats: sparse if X is."""
        taken, own = self.X[which].astype(np.float64), columns[: self.X.shape[1]]
        factors = self.sign[which] * sizes[which]
        if sp.issparse(taken):
            taken = sp.diags_array(factors) @ taken @ sp.diags_array(own)
            last = sp.csr_array((factors * columns[-1])[:, None])
            return sp.hstack([taken, last]).tocsr() if self.fit_intercept else taken.tocsr()
        taken = taken * own
        if self.fit_intercept:
            taken = np.hstack([taken, np.full((len(taken), 1), columns[-1])])
        return taken * factors[:, None]

    def score(self, i: int, w: Weights) -> Fraction:
        """w·z, exactly."""
        columns, values = self.z(i)
        whole, scale = whole_multiples(values)
        return sum(w.whole[j] * v for j, v in zip(columns, whole, strict=True)) * (scale * w.scale)

    def scores(self, w: Array, rows: Array | None = None) -> Array:
        """w·z for each row, or those given, in floats."""
        X, sign = (self.X, self.sign) if rows is None else (self.X[rows], self.sign[rows])
        with np.errstate(over="ignore", invalid="ignore"):
            products = X @ w[: self.X.shape[1]]
            signed: Array = (products + w[-1]) * sign if self.fit_intercept else products * sign
        return signed

    def doubts(self, w: Array, rows: Array) -> Array:
        """By how much the float scores of these rows can be wrong, the rounding of w to floats included."""
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = abs(self.X[rows]) @ np.abs(w[: self.X.shape[1]]) + (abs(w[-1]) if self.fit_intercept else 0.0)
            doubts: Array = (self.length + 4) * EPSILON * sizes + TINY
        return doubts

    def doubt(self, w: Array) -> float:
        """The same for all rows at once, and less sharply."""
        values = self.X.data if sp.issparse(self.X) else self.X
        filled = self.filled
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(max(values.max(initial=0), -values.min(initial=0)))
            size = filled * largest * float(np.abs(w).max(initial=0)) + (abs(float(w[-1])) if self.fit_intercept else 0.0)
            return (filled + 5) * EPSILON * size + TINY

    def least(self, w: Weights) -> tuple[int, Fraction]:
        """The row of the least w·z, and that number, exactly."""
        s = self.scores(w.floats)
        doubt = np.full(len(s), self.doubt(w.floats))
        may_be = _lowest(s, doubt)
        if len(may_be) > FEW:
            may_be = may_be[_lowest(s[may_be], self.doubts(w.floats, may_be))]
        if len(may_be) > FEW and self.nothing_rounds(w.floats, w):
            may_be = may_be[[np.argmin(s[may_be])]]
        exact = {i: self.score(i, w) for i in may_be.tolist()}
        return min(exact.items(), key=lambda item: item[1])

    def nothing_rounds(self, floats: Array, w: Weights) -> bool:
        """Whether the float scores are exact: all numbers whole multiples of powers of two, and no sum too long."""
        values = self.X.data if sp.issparse(self.X) else self.X
        if not np.isfinite(floats).all() or any(
            Fraction(f) != n * w.scale for f, n in zip(floats.tolist(), w.whole, strict=True)
        ):
            return False
        unit, least = (_unit(a) for a in (values, floats))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            longest = np.abs(values).max(initial=float(self.fit_intercept))
            largest = longest / unit * (np.abs(floats).max(initial=0) / least)
        return bool(largest * (self.length + 1) < 2.0**53 and unit <= 1)

    def within(self, radius: float) -> bool:
        """Whether no z is longer, exactly. Quick where the radius is a little more than is needed."""
        s = self.sqnorms()
        with np.errstate(over="ignore", invalid="ignore"):
            limit = radius * radius
            doubt = (self.filled + 8) * EPSILON * s + TINY  # of the limit, too
            if (s - doubt > limit).any():
                return False
            may_be = np.flatnonzero(~((s + doubt <= limit) & (s + doubt < math.inf)))
        if len(may_be) > FEW and self._squares_are_exact(s):
            may_be = may_be[[np.argmax(s[may_be])]]
        return all(self.sqnorm(i) <= Fraction(radius) ** 2 for i in may_be.tolist())

    def sqnorm(self, i: int) -> Fraction:
        """‖z‖², exactly."""
        whole, scale = whole_multiples(self.z(i)[1])
        return sum(v * v for v in whole) * scale**2

    def sqnorms(self) -> Array:
        """‖z‖² for each row, in floats."""
        with np.errstate(over="ignore", under="ignore"):
            if sp.issparse(self.X):
                squares = np.square(self.X.data, dtype=np.float64)
                sums = sp.csr_array((squares, self.X.indices, self.X.indptr), self.X.shape) @ np.ones(self.X.shape[1])
            else:
                sums = np.einsum("ij,ij->i", self.X, self.X, dtype=np.float64)
            found: Array = sums + float(self.fit_intercept)
        return found

    def _squares_are_exact(self, s: Array) -> bool:
        """Whether the float squares are: all numbers whole multiples of a power of two, and no sum too long."""
        unit = _unit(self.X.data if sp.issparse(self.X) else self.X)
        return unit > 0 and bool(s.max(initial=0) / unit**2 < 2.0**53)

    def sqnorm_of(self, hull: Hull) -> Fraction:
        """‖Σ λ·z‖² / (Σ λ)², exactly."""
        point, scale = self.combined(hull.rows, hull.multipliers)
        total = sum((Fraction(m) for m in hull.multipliers), Fraction(0))
        return sum(p * p for p in point.values()) * scale**2 / total**2

    def norm_above(self, hull: Hull) -> float:
        """No less than ‖Σ λ·z‖ / Σ λ, and little more: floats with their error bound, for λ that are floats. Quick.

        The λ are multiplied by a power of two, which changes nothing, so that the largest is about 1 and their sum is finite.
        Where that, or anything later, leaves the range of doubles, the answer is infinity.
        """
        rows, given = np.array(hull.rows, int), np.array(hull.multipliers, float)
        exponent = int(np.frexp(given.max())[1])
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            factors = np.ldexp(given, -exponent)
            if (np.ldexp(factors, exponent) != given).any():
                return math.inf
            X, signed = self.X[rows].astype(np.float64), factors * self.sign[rows]
            point, size = np.abs(np.asarray(signed @ X)), np.asarray(factors @ abs(X))
            if self.fit_intercept:
                point, size = np.append(point, abs(signed.sum())), np.append(size, factors.sum())
            reach = point + (len(rows) + 4) * EPSILON * size + TINY
            largest = reach.max()  # at least TINY; as a unit, so that squares do not vanish
            norm = float(largest * np.linalg.norm(reach / largest)) / float(factors.sum())
        return norm * (1 + (self.length + len(rows) + 10) * EPSILON) + TINY if math.isfinite(norm) else math.inf

    def combined(self, rows: Sequence[int], multipliers: Sequence[Number]) -> tuple[dict[int, int], Fraction]:
        """Σ λ·z, exactly: whole numbers by coordinate, and what they are multiples of."""
        each = [(columns, [v.as_integer_ratio() for v in values]) for columns, values in map(self.z, rows)]
        factors, factor_scale = whole_multiples(multipliers)
        bottom = math.lcm(*{q for _, ratios in each for _, q in ratios})
        sums: dict[int, int] = {}
        for (columns, ratios), factor in zip(each, factors, strict=True):
            for j, (p, q) in zip(columns, ratios, strict=True):
                sums[j] = sums.get(j, 0) + factor * p * (bottom // q)
        return sums, factor_scale / bottom


@dataclass(frozen=True)
class ManyRows:
    """Rows of many classes, numbered from 0: z = (e_y − e_r) ⊗ (x, 1) for each row x of class y and each other class r (F25).

    Without an intercept it is ⊗ x. Weights are a row a class, the intercept last if there is one.
    """

    X: Any
    code: Array
    classes: int
    fit_intercept: bool

    def __len__(self) -> int:
        return len(self.code)

    @property
    def length(self) -> int:
        """How many weights a class has."""
        return int(self.X.shape[1]) + self.fit_intercept

    @property
    def _rows(self) -> Signed:
        """The rows themselves, none turned around."""
        return Signed(self.X, np.ones(len(self.code)), self.fit_intercept)

    def z(self, rows: Array | Sequence[int], rivals: Array | Sequence[int]) -> Signed:
        """These z's written out, but for coordinates in which all of them are 0."""
        which, own, other = np.array(rows, int), self.code[np.array(rows, int)], np.array(rivals, int)
        x = sp.csr_array(self.X[which], dtype=np.float64)
        if self.fit_intercept:
            x = sp.csr_array(sp.hstack([x, sp.csr_array(np.ones((len(which), 1)))]))
        filled = np.diff(x.indptr)
        place = np.arange(x.nnz) + np.repeat(x.indptr[:-1], filled)  # of a row's numbers for its own class; the rival's follow
        columns, values = np.empty(2 * x.nnz, np.int64), np.empty(2 * x.nnz)
        for at, sign, side in ((place, 1.0, own), (place + np.repeat(filled, filled), -1.0, other)):
            columns[at] = x.indices + np.repeat(side.astype(np.int64) * self.length, filled)
            values[at] = sign * x.data
        used, columns = np.unique(columns, return_inverse=True)
        narrow = sp.csr_array((values, columns.astype(np.int32), 2 * x.indptr), shape=(len(which), max(1, len(used))))
        return Signed(narrow, np.ones(len(which)), False)

    def least(self, w: Array) -> tuple[int, int, Fraction]:
        """The row and the rival of the least ⟨w_y − w_r, x⟩, and that number, exactly. There are classes and rows."""
        return min((self._least(w, part) for part in self.parts()), key=lambda found: found[2])

    def parts(self) -> list[Array]:
        """The rows, as many at once as scores may be held of."""
        size = max(1, PRODUCTS // self.classes)
        return [np.arange(first, min(first + size, len(self.code))) for first in range(0, len(self.code), size)]

    def _least(self, w: Array, rows: Array) -> tuple[int, int, Fraction]:
        X, sides = self.X[rows], np.arange(len(rows))
        plane, last = (w[:, :-1], w[:, -1]) if self.fit_intercept else (w, np.zeros(len(w)))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.asarray(X @ plane.T) + last
            doubt = (self.length + 4) * EPSILON * (np.asarray(abs(X) @ np.abs(plane).T) + np.abs(last)) + TINY
            doubt += EPSILON * np.abs(scores)
            code = self.code[rows]
            lead = scores[sides, code][:, None] - scores
            doubt = doubt[sides, code][:, None] + doubt
        lead[sides, code], doubt[sides, code] = np.inf, 0.0
        may_be = _lowest(lead.ravel(), doubt.ravel())
        if len(may_be) > FEW and self._nothing_rounds(X, w):
            may_be = may_be[[np.argmin(lead.ravel()[may_be])]]
        pairs = [(int(rows[k // self.classes]), int(k % self.classes)) for k in may_be.tolist()]
        return min(((i, r, self.lead(i, r, w)) for i, r in pairs if r != self.code[i]), key=lambda found: found[2])

    def lead(self, i: int, rival: int, w: Array) -> Fraction:
        """⟨w_y − w_rival, x⟩ of row i, exactly."""
        columns, values = self._rows.z(i)
        own, other = w[int(self.code[i]), columns].tolist(), w[rival, columns].tolist()
        return sum(((Fraction(a) - Fraction(b)) * Fraction(v) for a, b, v in zip(own, other, values, strict=True)), Fraction(0))

    def within(self, radius: float) -> bool:
        """Whether no row is longer, exactly, the constant coordinate included."""
        return self._rows.within(radius)

    def _nothing_rounds(self, X: Any, w: Array) -> bool:
        """Whether the float leads are exact: all numbers whole multiples of powers of two, and no sum too long."""
        values = X.data if sp.issparse(X) else X
        unit, least = min(1.0, _unit(values)), _unit(w)
        if not unit or not least:
            return False
        longest = max(float(np.abs(values).max(initial=0)), float(self.fit_intercept))
        return longest / unit * (float(np.abs(w).max(initial=0)) / least) * 2 * (self.length + 1) < 2.0**53


def norm_above(w: Array) -> Fraction:
    """No less than the root of the sum of all squares, and little more. It may be above all doubles, or below them.

    A power of two brings the largest number to about 1. What vanishes then is too small to matter beside it.
    """
    largest = float(np.abs(w).max(initial=0))
    if not largest:
        return Fraction(0)
    exponent = math.frexp(largest)[1]
    with np.errstate(under="ignore"):
        norm = float(np.linalg.norm(np.ldexp(w, -exponent))) * (1 + (w.size + 10) * EPSILON)
    return Fraction(norm) * Fraction(2) ** exponent


def row_ends(A: Any, lower: Any, upper: Any, bounds: Any) -> tuple[Array, Array, Array, Array]:
    """lower and upper as a number for each row, and the least and the largest of each coordinate; refused with a sentence."""
    low, high = (-np.inf, np.inf) if bounds is None else _pair(bounds)
    return (
        _ends(lower, A.shape[0], "lower", -np.inf, "row"),
        _ends(upper, A.shape[0], "upper", np.inf, "row"),
        _ends(low, A.shape[1], "the lower bounds", -np.inf, "column"),
        _ends(high, A.shape[1], "the upper bounds", np.inf, "column"),
    )


def _pair(bounds: Any) -> tuple[Any, Any]:
    """(least, largest) for all coordinates, or for each a pair, either of whose ends may be None."""
    listed = list(bounds) if isinstance(bounds, Iterable) else []
    if len(listed) == 2 and not any(np.ndim(end) for end in listed if end is not None):
        return (-np.inf if listed[0] is None else listed[0]), (np.inf if listed[1] is None else listed[1])
    if not isinstance(bounds, Iterable) or any(np.ndim(pair) != 1 or len(pair) != 2 for pair in listed):
        raise ValueError("bounds are a pair of numbers, or such a pair for each column; None stands for no bound")
    return [(-np.inf if a is None else a) for a, _ in listed], [(np.inf if b is None else b) for _, b in listed]


def _ends(values: Any, length: int, name: str, none: float, what: str) -> Array:
    given = np.asarray(none if values is None else values)
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, which hides numbers: an infinity stands for no end")
    if given.dtype.kind not in "biuf" or given.dtype.itemsize > 8:
        raise ValueError(f"{name} must be numbers that are doubles, not {given.dtype}")
    ends = given.astype(np.float64)
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and not all(map(_is_double, given.ravel().tolist())):
        raise ValueError(f"{name}: some whole numbers are not doubles; divide the {what} by a power of two")
    if ends.ndim == 0:
        ends = np.full(length, ends)
    if ends.shape != (length,):
        raise ValueError(f"{name} has shape {ends.shape}; it needs one number for each of the {length} {what}s")
    if np.isnan(ends).any() or (ends == -none).any():
        k = int(np.flatnonzero(np.isnan(ends) | (ends == -none))[0])
        raise ValueError(f"{name} of {what} {k} is {ends[k]}, which no number satisfies")
    return ends


def violated(z: Signed, w: Weights, lower: Array, upper: Array) -> int | None:
    """The first row that does not have lower ≤ w·z ≤ upper, in exact arithmetic; None if every row does."""
    s = z.scores(w.floats)
    with np.errstate(invalid="ignore", over="ignore"):
        room = np.minimum(s - lower, upper - s)  # a difference of doubles is wrong by EPSILON times the larger at most
        ends = np.maximum(*(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (lower, upper)))
        doubt = z.doubts(w.floats, np.arange(len(z))) + EPSILON * (np.abs(s) + ends) if any(w.whole) else np.zeros(len(z))
        open_rows = np.flatnonzero(~((room >= doubt) & (doubt < math.inf)))
    for i in open_rows.tolist():
        score = z.score(i, w)
        if not float(lower[i]) <= score <= float(upper[i]):
            return i
    return None


def _lowest(s: Array, doubt: Array) -> Array:
    """Which of these scores may be the least, given how wrong each can be. One that is not a number may be anything."""
    with np.errstate(over="ignore", invalid="ignore"):
        upper = s + doubt
        limit = upper[np.isfinite(upper)].min(initial=np.inf)
        return np.flatnonzero(~(s - doubt > limit))


def _unit(values: Array) -> float:
    """A power of two that divides every number, if there is one above 2⁻²⁰."""
    for exponent in (0, 1, 2, 4, 8, 12, 16, 20):
        unit = 2.0**-exponent
        scaled = values / unit
        if (scaled == np.rint(scaled)).all():
            return unit
    return 0.0


def root_below(square: Fraction) -> float:
    """The largest double r with r² ≤ square, or one near it."""
    return _root(square, math.floor)


def root_above(square: Fraction) -> float:
    """The least double r with r² ≥ square, or one near it; infinity where there is none."""
    return _root(square, math.ceil)


def _root(square: Fraction, rounded: Any) -> float:
    if square == 0:
        return 0.0
    # 2^(2e)·square has about 110 bits before the point, so its root has 55; one more step rounds that to 53.
    e = (110 - (square.numerator.bit_length() - square.denominator.bit_length())) // 2
    wide = math.isqrt(math.floor(square * Fraction(4) ** e))
    wide += rounded is math.ceil and Fraction(wide) ** 2 != square * Fraction(4) ** e
    shift = max(wide.bit_length() - 53, e - 1074)
    short = rounded(Fraction(wide) / Fraction(2) ** max(0, shift))
    try:
        return math.ldexp(float(short), max(0, shift) - e)
    except OverflowError:
        return math.inf if rounded is math.ceil else math.nextafter(math.inf, 0)
