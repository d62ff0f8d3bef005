"""Rows of two classes in exact arithmetic: scores without rounding, and floats with a bound on their error.

A score computed in floats decides a row only where its error bound leaves no doubt (F21). The few rows that are left are
decided in whole numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked
from novikoff.proof.certificate import Hull, Hulls
from novikoff.proof.rationals import Number, is_double, whole_multiples

# Σ aⱼ·bⱼ of k terms, added in any order, fused or not, is wrong by at most γ·Σ|aⱼ·bⱼ| + 2k·2⁻¹⁰⁷⁵, with γ = ku/(1 − ku) and
# u = 2⁻⁵³ [higham2002accuracy], unless something overflows: then it is infinite or no number, and so is Σ|aⱼ·bⱼ|. As k is
# below 2⁴⁸, (k + 4)·EPSILON times the computed Σ|aⱼ·bⱼ| is more than the first part, what its own rounding takes away included,
# and TINY more than the second. Whatever is not finite decides nothing.
EPSILON = 2.0**-52  # 2u
TINY = 2.0**-1000
SUBNORMAL = 2.0**-1022  # doubles below this have fewer digits
FAR_FROM_SUBNORMAL = 2.0**-900
INDICES = {np.dtype(np.int32), np.dtype(np.int64)}  # as SciPy makes them; users may put others in their place
FEW = 64  # rows that are decided in whole numbers without asking whether floats could


def as_numbers(X: Any) -> Matrix:
    """X as a float array or canonical CSR matrix of the same numbers. Other types, and numbers that would round, are refused."""
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
        if values.dtype.itemsize == 8 and not all(map(is_double, values[np.abs(doubles) >= 2.0**53].tolist())):
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

    @property
    def sqnorm_of_columns(self) -> Fraction:
        """The same without the last weight, which is the intercept."""
        return sum(w * w for w in self.whole[:-1]) * self.scale**2


def weights(numbers: Sequence[Number]) -> Weights:
    whole, scale = whole_multiples(numbers)
    doubles = all(type(n) is float for n in numbers)
    return Weights(np.array(numbers if doubles else [*map(nearest_double, numbers)], np.float64), whole, scale, doubles)


def nearest_double(number: Number) -> float:
    """The nearest double; NaN where its relative error would be large, so that no float score is relied on."""
    try:
        rounded = float(number)
    except OverflowError:
        return math.nan
    return rounded if abs(rounded) > SUBNORMAL or rounded == number else math.nan


@dataclass(frozen=True)
class Signed:
    """The z's: y·(x, 1), or y·x where there is no intercept."""

    X: Matrix
    sign: Array  # float64, ±1
    fit_intercept: bool
    rounded: ClassVar[bool] = False  # whether X has the nearest doubles of other numbers, with a relative error of up to 2⁻⁵³

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

    def z(self, i: int) -> tuple[list[int], Sequence[Number]]:
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

    @property
    def numbers(self) -> Any:
        """The rows as they were given: X, or the rational numbers that X is near."""
        return self.X

    def taken(self, rows: Array) -> "Signed":
        """These z's alone, in this order."""
        return Signed(self.X[rows], self.sign[rows], self.fit_intercept)

    def narrowed(self, columns: Array) -> "Signed":
        """The z's in these columns alone, in this order."""
        return Signed(self.X[:, columns], self.sign, self.fit_intercept)

    def rows(self, which: Array, columns: Array, sizes: Array) -> Matrix:
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
            doubts: Array = (self.length + 4 + self.rounded) * EPSILON * sizes + TINY
        return doubts

    def doubt(self, w: Array) -> float:
        """The same for all rows at once, and less sharply."""
        values = self.X.data if sp.issparse(self.X) else self.X
        filled = self.filled
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(max(values.max(initial=0), -values.min(initial=0)))
            size = filled * largest * float(np.abs(w).max(initial=0)) + (abs(float(w[-1])) if self.fit_intercept else 0.0)
            return (filled + 5 + self.rounded) * EPSILON * size + TINY

    def least(self, w: Weights) -> tuple[int, Fraction]:
        """The row of the least w·z, and that number, exactly."""
        s = self.scores(w.floats)
        doubt = np.full(len(s), self.doubt(w.floats))
        may_be = may_be_lowest(s, doubt)
        if len(may_be) > FEW:
            may_be = may_be[may_be_lowest(s[may_be], self.doubts(w.floats, may_be))]
        if len(may_be) > FEW and self.nothing_rounds(w.floats, w):
            may_be = may_be[[np.argmin(s[may_be])]]
        exact = {i: self.score(i, w) for i in may_be.tolist()}
        return min(exact.items(), key=lambda item: item[1])

    def nothing_rounds(self, floats: Array, w: Weights) -> bool:
        """Whether the float scores are exact: all numbers whole multiples of powers of two, and no sum too long."""
        values = self.X.data if sp.issparse(self.X) else self.X
        if (
            self.rounded
            or not np.isfinite(floats).all()
            or any(Fraction(f) != n * w.scale for f, n in zip(floats.tolist(), w.whole, strict=True))
        ):
            return False
        unit, least = (common_unit(a) for a in (values, floats))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            longest = np.abs(values).max(initial=float(self.fit_intercept))
            largest = longest / unit * (np.abs(floats).max(initial=0) / least)
        return bool(largest * (self.length + 1) < 2.0**53 and unit <= 1)

    def within(self, radius: float) -> bool:
        """Whether no z is longer, exactly. Quick where the radius is a little more than is needed."""
        s = self.sqnorms()
        with np.errstate(over="ignore", invalid="ignore"):
            limit = radius * radius
            doubt = (self.filled + 8 + 2 * self.rounded) * EPSILON * s + TINY  # of the limit, too
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
        unit = 0.0 if self.rounded else common_unit(self.X.data if sp.issparse(self.X) else self.X)
        return unit > 0 and bool(s.max(initial=0) / unit**2 < 2.0**53)

    def signs(self, rows: Sequence[int]) -> Array:
        """The classes of these rows: ±1."""
        signs: Array = self.sign[np.array(rows, int)]
        return signs

    def sqnorm_of(self, hull: Hull | Hulls) -> Fraction:
        """‖Σ λ·z‖² / (Σ λ)², exactly; of two points, the square of half their distance."""
        if isinstance(hull, Hulls):
            hull = hull.as_one()
        point, scale = self.combined(hull.rows, hull.multipliers)
        total = sum((Fraction(m) for m in hull.multipliers), Fraction(0))
        return sum(p * p for p in point.values()) * scale**2 / total**2

    def norm_above(self, hull: Hull | Hulls) -> float:
        """No less than ‖Σ λ·z‖ / Σ λ, or half the distance of two points, and little more. Quick.

        Floats with their error bound, for λ that are floats. Those of two points are divided by twice their sum, which makes them
        wrong by at most a share of (n + 2)·2⁻⁵³; that is added to the bound. Where anything leaves the range of doubles, or comes
        near its lower end, the answer is infinity.
        """
        rows, two = np.array(hull.rows, int), isinstance(hull, Hulls)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            parts = [_about_1(np.array(side.multipliers, float)) for side in (hull if isinstance(hull, Hulls) else (hull,))]
            if any(part is None for part in parts):
                return math.inf
            factors = np.concatenate([part / (2 * part.sum()) if two else part for part in parts if part is not None])
            if two and factors.min(initial=1, where=factors > 0) < FAR_FROM_SUBNORMAL:
                return math.inf
            X, signed = self.X[rows].astype(np.float64, copy=False), factors * self.sign[rows]
            point = np.abs(np.asarray(signed @ X))
            values = X.data if sp.issparse(X) else X
            np.abs(values, out=values)  # of a copy, and in place: SciPy's abs would put the entries in order first
            size = np.asarray(factors @ X)
            if self.fit_intercept and not two:
                point, size = np.append(point, abs(signed.sum())), np.append(size, factors.sum())
            reach = point + (1 + two) * (len(rows) + 4 + self.rounded) * EPSILON * size + TINY
            largest = reach.max()  # at least TINY; as a unit, so that squares do not vanish
            norm = float(largest * np.linalg.norm(reach / largest)) / (1.0 if two else float(factors.sum()))
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


def _about_1(factors: Array) -> Array | None:
    """The factors times a power of two, so that the largest is about 1 and their sum is finite; None if that rounds."""
    exponent = int(np.frexp(factors.max())[1])
    found: Array = np.ldexp(factors, -exponent)
    return None if (np.ldexp(found, exponent) != factors).any() else found


def may_be_lowest(s: Array, doubt: Array) -> Array:
    """Which of these scores may be the least, given how wrong each can be. One that is not a number may be anything."""
    with np.errstate(over="ignore", invalid="ignore"):
        upper = s + doubt
        limit = upper[np.isfinite(upper)].min(initial=np.inf)
        return np.flatnonzero(~(s - doubt > limit))


def common_unit(values: Array) -> float:
    """A power of two that divides every number, if there is one above 2⁻²⁰."""
    for exponent in (0, 1, 2, 4, 8, 12, 16, 20):
        unit = 2.0**-exponent
        scaled = values / unit
        if (scaled == np.rint(scaled)).all():
            return unit
    return 0.0
