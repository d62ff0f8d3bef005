"""The point of a convex hull that is nearest to 0 [wolfe1976finding].

Its direction is the separator with the widest margin, its norm is that margin (F7); it is 0 if there is no separator. It is a
combination of at most one point more than there are coordinates. It is computed in floats, which is fast but only a hint; if a
hint is not enough, then in rationals. The linear algebra of SciPy and flint is imported only when needed: most runs need none.
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.proof.exact import SUBNORMAL, Signed, Weights, weights
from novikoff.proof.rationals import whole_multiples

NOTHING = 1e-12  # a multiplier below this share of the sum counts as 0
REFRESH = 200  # updates of a factorisation before it is computed anew


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
    corral = _Corral(points, chosen)
    while time.monotonic() < until:
        scores = points @ x
        low = int(np.argmin(scores))
        if scores[low] >= x @ x * (1 - gap) or low in chosen:
            break
        if len(chosen) > points.shape[1]:  # so many surround 0: x is 0 up to rounding
            break
        corral.add(low)
        weights = np.append(multipliers, 0.0)
        while True:  # go towards the nearest point of the affine hull; drop points whose multiplier would be negative
            aim = corral.affine()
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
            corral.drop(np.flatnonzero(~keep))
            weights = weights[keep]
        nearer = weights @ points[corral.chosen]
        if not nearer @ nearer < x @ x:
            break
        chosen, multipliers, x = list(corral.chosen), weights / weights.sum(), nearer
    return Nearest(x, np.array(chosen), multipliers)


def nearest_by_products(products: Array, gap: float = 1e-10, start: Nearest | None = None, until: float = math.inf) -> Nearest:
    """`nearest_point` for points of which only the inner products are known. `at` has its own coordinates."""
    from scipy.linalg.lapack import dpstrf

    factor, order, rank, _ = dpstrf(products, lower=1)
    points = np.empty((len(products), rank))
    points[order - 1] = np.tril(factor)[:, :rank]
    return nearest_point(points, gap, start, until)


class _Corral:
    """Some of the points, and the QR factorisation of their differences from the first, updated as points come and go."""

    def __init__(self, points: Array, chosen: list[int]) -> None:
        self.points, self.chosen = points, list(chosen)
        self._factor()

    def _factor(self) -> None:
        base, others = self.points[self.chosen[0]], self.points[self.chosen[1:]]
        self._updates, room = 0, 2 * len(others) + REFRESH
        self._q, self._r = np.zeros((len(base), room), order="F"), np.zeros((room, room), order="F")
        if len(others):
            self._keep(*np.linalg.qr((others - base).T))

    def _keep(self, q: Array, r: Array) -> None:
        self._q[:, : q.shape[1]] = q
        self._r[: r.shape[0], : r.shape[1]] = r

    def _factors(self) -> tuple[Array, Array]:
        others = len(self.chosen) - 1
        rank = min(others, len(self._q))
        return self._q[:, :rank], self._r[:rank, :others]

    def _updated(self) -> bool:
        """Whether to update the factors. Once in a while they are computed anew, so that errors do not add up."""
        self._updates += 1
        return self._updates < REFRESH and 1 < len(self.chosen) <= len(self._q)

    def add(self, i: int) -> None:
        if self._updated():
            (q, _), more = self._factors(), self.points[i] - self.points[self.chosen[0]]
            along = more @ q
            more -= q @ along
            again = more @ q  # twice is enough [giraud2005rounding]
            more -= q @ again
            size, k = np.linalg.norm(more), len(along)
            self._r[:k, k], self._r[k, k] = along + again, size
            self._q[:, k] = more / size if size else 0.0
            self.chosen.append(i)
        else:
            self.chosen.append(i)
            self._factor()

    def drop(self, places: Array) -> None:
        from scipy.linalg import qr_delete

        for k in sorted(places.tolist(), reverse=True):
            updated = self._updated() and k > 0
            if updated:
                self._keep(*qr_delete(*self._factors(), k - 1, 1, "col", check_finite=False))
            del self.chosen[k]
            if not updated:
                self._factor()

    def affine(self) -> Array:
        """The multipliers, with sum 1 and any sign, of the point nearest to 0 in the affine hull of the points."""
        from scipy.linalg.lapack import dtrtrs  # solve_triangular takes longer to check its arguments than to solve

        if len(self.chosen) == 1:
            return np.ones(1)
        base, (q, r) = self.points[self.chosen[0]], self._factors()
        if r.shape[0] < r.shape[1] or not np.abs(np.diagonal(r)).min() > NOTHING * np.abs(r).max():  # they are not independent
            others = np.linalg.lstsq((self.points[self.chosen[1:]] - base).T, -base, rcond=None)[0]
            self._updates = REFRESH
        else:
            others = dtrtrs(r, -(base @ q))[0]
        return np.concatenate([[1 - others.sum()], others])


Tell = Callable[[str], object]  # is told, now and then, what is being done


def silent(doing: str) -> None:
    """Tells nobody."""


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
    z: Signed,
    columns: Array,
    sizes: Array,
    start: Nearest,
    gap: Fraction | None,
    until: float = math.inf,
    tell: Tell = silent,
) -> Exactly:
    """The same search in rationals, without rounding: it ends when w·z > 0 on every row, or when w = 0.

    Columns and rows are scaled by powers of two. With a gap (and no scaling) it continues until w·z ≥ (1 − gap)·‖w‖². It starts
    from the result in floats. Every new corral is nearer to 0 than the one before, so it ends.
    """
    walk = _Walk(z, columns, sizes, until)
    corral = walk.begin(start)
    while True:
        tell(f"the nearest point of {len(corral):,} of {len(z):,} rows, exactly")
        x = walk.point(corral)
        if not any(x.whole):
            break
        row, least = z.least(x.w)
        if least > 0 and (gap is None or least * x.unit >= (1 - gap) * x.square):
            break
        corral = walk.step(corral, walk.lowest(x, row))
    rows, multipliers = walk.of_z(corral)
    return Exactly(rows, multipliers, weights([Fraction(n, x.bottom) * walk.column_unit for n in x.w.whole]))


Multiplied = list[tuple[int, int]]  # rows and whole numbers; each number's share of their sum is the multiplier of its row


class _Point(NamedTuple):
    """A combination of points: x = whole / bottom."""

    whole: list[int]
    bottom: int
    w: Weights  # some multiple of the weights for z itself; its floats are a multiple of their own, about 1 at most
    unit: Fraction  # ẑ·x·bottom² is w·z times this, on rows that are not scaled

    @property
    def square(self) -> int:
        """‖x‖²·bottom²."""
        return sum(n * n for n in self.whole)


class _Walk:
    """Points are ẑ, that is z scaled. Nothing but whole numbers: where scales differ by 2¹⁰⁰⁰, fractions of them take ages."""

    def __init__(self, z: Signed, columns: Array, sizes: Array, until: float) -> None:
        self.z, self.columns, self.sizes, self.until = z, [Fraction(c) for c in columns.tolist()], sizes, until
        self.whole_columns, self.column_unit = whole_multiples(self.columns)
        self.known: dict[int, tuple[list[int], int]] = {}

    def scaled(self, i: int) -> tuple[list[int], int]:
        """ẑ as integers over one number, which is a power of two where z is doubles."""
        if i not in self.known:
            where, values = self.z.z(i)
            size = Fraction(self.sizes[i])
            whole, unit = whole_multiples([Fraction(v) * self.columns[j] * size for j, v in zip(where, values, strict=True)])
            numbers = [0] * len(self.columns)
            for j, n in zip(where, whole, strict=True):
                numbers[j] = n
            self.known[i] = numbers, unit.denominator
        return self.known[i]

    def begin(self, start: Nearest) -> Multiplied:
        """The last corral in floats, made exact; or one point of it, if that is not possible."""
        guess = list(zip(start.chosen.tolist(), whole_multiples(start.multipliers.tolist())[0], strict=True))
        try:
            return self.settle(guess)
        except ZeroDivisionError:  # the points are not independent
            return [(guess[0][0], 1)]

    def step(self, corral: Multiplied, row: int) -> Multiplied:
        return self.settle([*corral, (row, 0)])

    def settle(self, corral: Multiplied) -> Multiplied:
        """Go towards the nearest point of the affine hull; drop points whose multiplier would be negative.

        From m to a, the first multiplier to vanish is the one of the least m / −a. There, the others are a share of
        a·m′ − a′·m, where m′ and a′ are those of the one that vanishes.
        """
        while True:
            aim = self.affine([i for i, _ in corral])
            if all(a > 0 for a in aim):
                return [(i, a) for (i, _), a in zip(corral, aim, strict=True)]
            falling = [(m, a) for (_, m), a in zip(corral, aim, strict=True) if a <= 0 and m > a]
            first = falling[0] if falling else (1, 0)
            for m, a in falling:
                if m * first[1] > first[0] * a:  # m / −a is less, also where −a is 0
                    first = m, a
            moved = [(i, a * first[0] - first[1] * m) for (i, m), a in zip(corral, aim, strict=True)]
            corral = self.reduced([(i, m) for i, m in moved if m > 0])

    def affine(self, rows: list[int]) -> list[int]:
        """Whole numbers whose shares of their sum, which is positive, are the multipliers of the nearest point."""
        import flint

        if time.monotonic() >= self.until:
            raise OutOfTimeError
        points = [self.scaled(i) for i in rows]
        matrix = flint.fmpz_mat([numbers for numbers, _ in points])
        gram: Any = (matrix * matrix.transpose()).tolist()
        units = [unit for _, unit in points]
        system = [[*line, unit] for line, unit in zip(gram, units, strict=True)] + [[*units, 0]]
        solved: Any = flint.fmpz_mat(system).solve(flint.fmpz_mat([[0]] * len(rows) + [[1]]))
        whole = solved.numer_denom()[0]
        return [int(whole[k, 0]) * unit for k, unit in enumerate(units)]

    def reduced(self, corral: Multiplied) -> Multiplied:
        """The same shares in smaller numbers."""
        import flint

        common = flint.fmpz(0)
        for _, m in corral:
            common = common.gcd(m)
        return [(i, m // int(common)) for i, m in corral]

    def point(self, corral: Multiplied) -> _Point:
        bottom = math.lcm(*(self.scaled(i)[1] for i, _ in corral))
        factors = [m * (bottom // self.scaled(i)[1]) for i, m in corral]
        columns = zip(*(self.scaled(i)[0] for i, _ in corral), strict=True)
        whole = [sum(f * n for f, n in zip(factors, column, strict=True)) for column in columns]
        bottom *= sum(m for _, m in corral)
        w = [n * c for n, c in zip(whole, self.whole_columns, strict=True)]
        shift = max(n.bit_length() for n in w)
        floats = np.array([_quotient(n, 1 << shift) for n in w])
        return _Point(whole, bottom, Weights(floats, w, Fraction(1)), bottom * self.column_unit)

    def lowest(self, x: _Point, otherwise: int) -> int:
        """A row with ẑ·x < ‖x‖²: the lowest in floats, or `otherwise`, which is known to be one."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.nan_to_num(self.z.scores(x.w.floats) * self.sizes, nan=np.inf)
        i = int(np.argmin(scores))
        return i if self.z.score(i, x.w) * Fraction(self.sizes[i]) * x.unit < x.square else otherwise

    def of_z(self, corral: Multiplied) -> tuple[list[int], list[Fraction]]:
        total = sum(m for _, m in corral)
        return [i for i, _ in corral], [Fraction(m, total) * Fraction(self.sizes[i]) for i, m in corral]


def _quotient(n: int, d: int) -> float:
    """n / d, rounded; NaN where that loses digits."""
    found = n / d
    return found if abs(found) > SUBNORMAL or not n else math.nan


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
