"""The point of a convex hull that is nearest to 0 [wolfe1976finding].

Its direction is the separator with the widest margin, its norm is that margin (F7); it is 0 if there is no separator. It is a
combination of at most one point more than there are coordinates. It is computed in floats, which is fast but only a hint; if a
hint is not enough, then in rationals. The linear algebra of SciPy and flint is imported only when needed: most runs need none.
"""

import math
import time
from fractions import Fraction
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.proof.exact import Signed, Weights, weights
from novikoff.proof.rationals import whole_multiples

NOTHING = 1e-12  # a multiplier below this share of the sum counts as 0


class Nearest(NamedTuple):
    at: Array  # the point itself
    chosen: Array  # the points that it is a combination of
    multipliers: Array  # positive, their sum is 1


def nearest_point(points: Array, gap: float = 1e-10, start: Nearest | None = None, until: float = math.inf) -> Nearest:
    """The point of the hull of the rows of `points` nearest to 0, up to a relative gap or the precision of floats.

    When the time is over, it returns the current point, which is also in the hull.
    """
    if start is None:
        chosen = [int(np.argmin((points * points).sum(axis=1)))]
        multipliers = np.ones(1)
    else:
        chosen, multipliers = start.chosen.tolist(), start.multipliers
    x = multipliers @ points[chosen]
    while time.monotonic() < until:
        scores = points @ x
        low = int(np.argmin(scores))
        if scores[low] >= x @ x * (1 - gap) or low in chosen:
            break
        if len(chosen) > points.shape[1]:  # so many surround 0: x is 0 up to rounding
            break
        now, weights = [*chosen, low], np.append(multipliers, 0.0)
        while True:  # go towards the nearest point of the affine hull; drop points whose multiplier would be negative
            aim = _affine(points[now])
            if (aim > NOTHING).all():
                weights = aim
                break
            falling = aim <= NOTHING
            share = np.where(falling, weights / np.maximum(weights - aim, 1e-300), np.inf)
            weights = weights + min(1.0, share.min()) * (aim - weights)
            keep = weights > NOTHING
            keep[np.argmin(share)] = False
            if not keep.any():
                return Nearest(x, np.array(chosen), multipliers)
            now, weights = [i for i, kept in zip(now, keep, strict=True) if kept], weights[keep]
        nearer = weights @ points[now]
        if not nearer @ nearer < x @ x:
            break
        chosen, multipliers, x = now, weights / weights.sum(), nearer
    return Nearest(x, np.array(chosen), multipliers)


def nearest_by_products(products: Array, gap: float = 1e-10, start: Nearest | None = None, until: float = math.inf) -> Nearest:
    """`nearest_point` for points of which only the inner products are known. `at` has its own coordinates."""
    values, vectors = np.linalg.eigh(products)
    return nearest_point(vectors * np.sqrt(np.maximum(values, 0.0)), gap, start, until)


def _affine(points: Array) -> Array:
    """The multipliers, with sum 1 and any sign, of the point nearest to 0 in the affine hull of the points."""
    from scipy.linalg import solve_triangular

    if len(points) == 1:
        return np.ones(1)
    q, r = np.linalg.qr((points[1:] - points[0]).T)
    if r.shape[0] < r.shape[1] or not np.abs(np.diagonal(r)).min() > NOTHING * np.abs(r).max():  # the points are not independent
        others = np.linalg.lstsq((points[1:] - points[0]).T, -points[0], rcond=None)[0]
    else:
        others = solve_triangular(r, -(points[0] @ q), check_finite=False)
    return np.concatenate([[1 - others.sum()], others])


class OutOfTimeError(Exception):
    """The time limit of the user is reached."""


def deadline(budget: float | None) -> float:
    """The time at which a budget, in seconds, is used up. Without a budget, that is never."""
    if budget is not None and not (isinstance(budget, Real) and budget >= 0):
        raise ValueError(f"the budget is a number of seconds; it is {budget!r}")
    return time.monotonic() + (math.inf if budget is None else budget)


class Exactly(NamedTuple):
    """Where the exact search ended: rows and λ > 0, and Σ λ·z as weights, all 0 if the rows cancel out."""

    rows: list[int]
    multipliers: list[Fraction]
    w: Weights


def nearest_exactly(
    z: Signed, columns: Array, sizes: Array, start: Nearest, gap: Fraction | None, until: float = math.inf
) -> Exactly:
    """The same search in rationals, without rounding: it ends when w·z > 0 on every row, or when w = 0.

    Columns and rows are scaled by powers of two. With a gap (and no scaling) it continues until w·z ≥ (1 − gap)·‖w‖². It starts
    from the result in floats. Every new corral is nearer to 0 than the one before, so it ends.
    """
    walk = _Walk(z, columns, sizes)
    corral = walk.begin(start)
    while time.monotonic() < until:
        w = walk.w(corral)
        if not any(w.whole):
            break
        row, least = z.least(w)
        square = sum((v * v for v in walk.at(corral)), Fraction(0))
        if least > 0 and (gap is None or least >= (1 - gap) * square):
            break
        corral = walk.step(corral, walk.lowest(w, square, row))
    else:
        raise OutOfTimeError
    rows, multipliers = walk.of_z(corral)
    return Exactly(rows, multipliers, w)


class _Walk:
    """Corrals are lists of (row, multiplier), with positive multipliers of sum 1. Points are ẑ, that is z scaled."""

    def __init__(self, z: Signed, columns: Array, sizes: Array) -> None:
        self.z, self.columns, self.sizes = z, [Fraction(c) for c in columns.tolist()], sizes
        self.known: dict[int, tuple[list[int], int]] = {}

    def point(self, i: int) -> tuple[list[int], int]:
        """ẑ as integers over one power of two."""
        if i not in self.known:
            where, values = self.z.z(i)
            size = Fraction(self.sizes[i])
            whole, unit = whole_multiples([Fraction(v) * self.columns[j] * size for j, v in zip(where, values, strict=True)])
            numbers = [0] * len(self.columns)
            for j, n in zip(where, whole, strict=True):
                numbers[j] = n
            self.known[i] = numbers, unit.denominator
        return self.known[i]

    def begin(self, start: Nearest) -> list[tuple[int, Fraction]]:
        """The last corral in floats, made exact; or one point of it, if that is not possible."""
        total = sum(map(Fraction, start.multipliers.tolist()))
        guess = [(i, Fraction(m) / total) for i, m in zip(start.chosen.tolist(), start.multipliers.tolist(), strict=True)]
        try:
            return self.settle(guess)
        except ZeroDivisionError:  # the points are not independent
            return [(guess[0][0], Fraction(1))]

    def step(self, corral: list[tuple[int, Fraction]], row: int) -> list[tuple[int, Fraction]]:
        return self.settle([*corral, (row, Fraction(0))])

    def settle(self, corral: list[tuple[int, Fraction]]) -> list[tuple[int, Fraction]]:
        """Go towards the nearest point of the affine hull; drop points whose multiplier would be negative."""
        while True:
            aim = self.affine([i for i, _ in corral])
            if all(a > 0 for a in aim):
                return [(i, a) for (i, _), a in zip(corral, aim, strict=True)]
            share = min((m / (m - a) for (_, m), a in zip(corral, aim, strict=True) if a <= 0 and m > a), default=Fraction(1))
            moved = [(i, m + share * (a - m)) for (i, m), a in zip(corral, aim, strict=True)]
            corral = [(i, m) for i, m in moved if m > 0]

    def affine(self, rows: list[int]) -> list[Fraction]:
        import flint

        points = [self.point(i) for i in rows]
        matrix = flint.fmpz_mat([numbers for numbers, _ in points])
        gram: Any = (matrix * matrix.transpose()).tolist()
        units = [unit for _, unit in points]
        system = [[*line, unit] for line, unit in zip(gram, units, strict=True)] + [[*units, 0]]
        solved = flint.fmpz_mat(system).solve(flint.fmpz_mat([[0]] * len(rows) + [[1]]))
        return [Fraction(int(solved[k, 0].p), int(solved[k, 0].q)) * unit for k, unit in enumerate(units)]

    def at(self, corral: list[tuple[int, Fraction]]) -> list[Fraction]:
        factors, scale = whole_multiples([m / self.point(i)[1] for i, m in corral])
        points = zip(*(self.point(i)[0] for i, _ in corral), strict=True)
        return [sum(f * n for f, n in zip(factors, column, strict=True)) * scale for column in points]

    def w(self, corral: list[tuple[int, Fraction]]) -> Weights:
        """The point as weights for z itself."""
        return weights([v * c for v, c in zip(self.at(corral), self.columns, strict=True)])

    def lowest(self, w: Weights, square: Fraction, otherwise: int) -> int:
        """A row with ẑ·x < ‖x‖²: the lowest in floats, or `otherwise`, which is known to be one."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.nan_to_num(self.z.scores(w.floats) * self.sizes, nan=np.inf)
        i = int(np.argmin(scores))
        return i if self.z.score(i, w) * Fraction(self.sizes[i]) < square else otherwise

    def of_z(self, corral: list[tuple[int, Fraction]]) -> tuple[list[int], list[Fraction]]:
        return [i for i, _ in corral], [m * Fraction(self.sizes[i]) for i, m in corral]


def column_scales(z: Signed) -> Array:
    """Powers of two that bring the largest number of each column near 1."""
    largest = np.ones(z.length)
    there = abs(z.X).max(axis=0)
    largest[: z.X.shape[1]] = there.toarray().ravel() if sp.issparse(there) else there
    return _power_near_inverse(largest)


def row_scales(z: Signed, columns: Array) -> Array:
    """Powers of two that bring the largest number of each row, its columns scaled, near 1."""
    own = columns[: z.X.shape[1]]
    largest = abs(z.X.multiply(own[None, :]).tocsr() if sp.issparse(z.X) else z.X * own).max(axis=1)
    largest = largest.toarray().ravel() if sp.issparse(largest) else largest
    return _power_near_inverse(np.maximum(largest, columns[-1]) if z.fit_intercept else largest)


def _power_near_inverse(sizes: Array) -> Array:
    exponents = np.frexp(np.where(sizes > 0, sizes, 1.0))[1]
    powers: Array = np.ldexp(1.0, np.clip(-exponents, -1000, 1000))
    return powers
