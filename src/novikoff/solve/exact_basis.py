"""A basis of a linear system, in exact arithmetic: the point that it stands for, and rows of its tableau."""

from fractions import Fraction
from functools import cached_property

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.proof.exact import Signed, Weights, weights
from novikoff.proof.rational_matrix import Ends
from novikoff.proof.rationals import Number, whole_multiples
from novikoff.solve.block_triangular import BlockTriangular


class Basis:
    """Some variables, as many as there are rows, are basic: the others determine their values. The others are `at` an end.

    The nonbasic rows and the basic coordinates form a square matrix, from which everything else is computed. The suspect is a
    basic variable whose row may be a contradiction.
    """

    def __init__(self, z: Signed, basic: Array, at: list[Number], suspect: int | None = None) -> None:
        self.z, self.basic, self.at, self.suspect = z, basic, at, suspect
        self.coordinates = np.flatnonzero(basic[: z.length]).tolist()
        self.place = {j: place for place, j in enumerate(self.coordinates)}
        self.rows = np.flatnonzero(~basic[z.length :]).tolist()
        lines = [self.line(i) for i in self.rows]
        self.scales = [scale for _, scale in lines]
        self.matrix = BlockTriangular([line for line, _ in lines])

    def line(self, i: int) -> tuple[dict[int, int], Fraction]:
        """Row i at the basic coordinates, as integers by place, and their common factor."""
        columns, values = self.z.z(i)
        whole, scale = whole_multiples(values)
        return {self.place[j]: n for j, n in zip(columns, whole, strict=True) if j in self.place}, scale

    @cached_property
    def point(self) -> Weights:
        """All coordinates of the point at which the nonbasic rows are at their ends too."""
        numbers: list[Number] = [0.0 if self.basic[j] else self.at[j] for j in range(self.z.length)]
        fixed = weights(numbers)
        missing = [Fraction(self.at[self.z.length + i]) - self.z.score(i, fixed) for i in self.rows]
        solved = self.matrix.solve([m / scale for m, scale in zip(missing, self.scales, strict=True)])
        for j, number in zip(self.coordinates, solved, strict=True):
            numbers[j] = number
        return weights(numbers)

    def row_of(self, k: int) -> dict[int, Fraction]:
        """Multipliers with which the variables sum to 0 identically: 1 for k, which is basic, others for nonbasic variables."""
        i = k - self.z.length
        if i < 0:
            wanted, multipliers = [Fraction(j == k) for j in self.coordinates], dict[int, Fraction]()
        else:
            line, scale = self.line(i)
            wanted, multipliers = [line.get(place, 0) * scale for place in range(len(self.rows))], {i: Fraction(1)}
        solved = self.matrix.transposed.solve(wanted)
        multipliers |= {r: -n / scale for r, n, scale in zip(self.rows, solved, self.scales, strict=True) if n}
        left, scale = self.z.combined(list(multipliers), list(multipliers.values()))
        of_coordinates = {j: -n * scale for j, n in left.items() if n}
        return of_coordinates | {self.z.length + r: m for r, m in multipliers.items()}

    def shares_of(self, c: Ends) -> dict[int, Fraction]:
        """c·x as a combination of the nonbasic variables alone, whatever x is. Shares of 0 are left out."""
        solved = self.matrix.transposed.solve([Fraction(c[j]) for j in self.coordinates])
        of_rows = {r: n / scale for r, n, scale in zip(self.rows, solved, self.scales, strict=True) if n}
        sums, scale = self.z.combined(list(of_rows), list(of_rows.values()))
        rest = ((j, Fraction(c[j]) - sums.get(j, 0) * scale) for j in range(self.z.length) if not self.basic[j])
        return {j: share for j, share in rest if share} | {self.z.length + r: share for r, share in of_rows.items()}

    def direction(self, k: int, up: int) -> Weights:
        """How the coordinates change when variable k, which is nonbasic, changes by `up`, and the other nonbasic ones do not."""
        numbers = [Fraction(0)] * self.z.length
        if k < self.z.length:
            numbers[k] = Fraction(up)
            alone = weights(numbers)
            right = [-self.z.score(r, alone) for r in self.rows]
        else:
            right = [Fraction(up if r == k - self.z.length else 0) for r in self.rows]
        solved = self.matrix.solve([n / scale for n, scale in zip(right, self.scales, strict=True)])
        for j, number in zip(self.coordinates, solved, strict=True):
            numbers[j] = number
        return weights(numbers)

    def same_as(self, other: "Basis") -> bool:
        return bool((self.basic == other.basic).all()) and self.at == other.at

    def pivot(self, leaving: int, end: Number, entering: int) -> "Basis":
        basic, at = self.basic.copy(), self.at.copy()
        basic[leaving], basic[entering], at[leaving] = False, True, end
        return Basis(self.z, basic, at)

    def moved(self, k: int, end: Number) -> "Basis":
        """The same basis with variable k, which is nonbasic, at this end."""
        at = self.at.copy()
        at[k] = end
        return Basis(self.z, self.basic, at)
