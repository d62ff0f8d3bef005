"""Solve square systems of sparse whole numbers exactly, block by block.

The rows and columns of a basis of a linear program can nearly always be put in an order in which the matrix is block triangular,
with many small blocks on the diagonal: the strongly connected components of its graph [duff1978implementation]. So only the
blocks are solved densely, each after the numbers that it needs are known.
"""

from fractions import Fraction
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.proof.rationals import whole_multiples

Entries = dict[int, int]  # the numbers of a row that are not 0, by column


class Block(NamedTuple):
    """Rows and columns of a block on the diagonal. The rows have no numbers in columns of later blocks."""

    rows: list[int]
    columns: list[int]


class BlockTriangular:
    """A square matrix of whole numbers.

    >>> matrix = BlockTriangular([{0: 2}, {0: 1, 1: 3}])
    >>> [str(number) for number in matrix.solve([Fraction(1), Fraction(1)])]
    ['1/2', '1/6']
    """

    def __init__(self, rows: list[Entries]) -> None:
        self.rows = rows

    @cached_property
    def transposed(self) -> "BlockTriangular":
        columns: list[Entries] = [{} for _ in self.rows]
        for i, row in enumerate(self.rows):
            for j, number in row.items():
                columns[j][i] = number
        return BlockTriangular(columns)

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks, each after those that its rows need. Raises ZeroDivisionError if zeros leave a column without a row."""
        from scipy.sparse.csgraph import connected_components  # only when needed

        row_of = self._row_of_each_column()
        n = len(self.rows)
        needs = [(j, k) for j in range(n) for k in self.rows[row_of[j]] if k != j]  # column j is solved for after column k
        _, label = connected_components(_pattern(needs, n), connection="strong")
        columns: list[list[int]] = [[] for _ in range(n)]
        for j in range(n):
            columns[label[j]].append(j)
        before = TopologicalSorter[int]({int(block): [] for block in label})
        for j, k in needs:
            if label[j] != label[k]:
                before.add(int(label[j]), int(label[k]))
        return [Block([int(row_of[j]) for j in columns[block]], columns[block]) for block in before.static_order()]

    def _row_of_each_column(self) -> Array:
        """A row for each column, all different, that has a number in it."""
        from scipy.sparse.csgraph import maximum_bipartite_matching

        places = [(i, j) for i, row in enumerate(self.rows) for j in row]
        found: Array = maximum_bipartite_matching(_pattern(places, len(self.rows)), perm_type="row")
        if (found < 0).any():
            raise ZeroDivisionError("the matrix is singular")
        return found

    def solve(self, right: list[Fraction]) -> list[Fraction]:
        """x with matrix·x = right. Raises ZeroDivisionError if the matrix is singular."""
        import flint  # only when needed

        rest = [flint.fmpq(number.numerator, number.denominator) for number in right]
        x: list[Any] = [flint.fmpq(0)] * len(rest)
        for rows, columns in self.blocks if rest else []:
            own = set(columns)
            for i in rows:
                rest[i] -= sum((number * x[j] for j, number in self.rows[i].items() if j not in own), flint.fmpq(0))
            for j, number in zip(columns, self._solved(rows, columns, [rest[i] for i in rows]), strict=True):
                x[j] = number
        return [Fraction(int(number.p), int(number.q)) for number in x]

    def _solved(self, rows: list[int], columns: list[int], right: list[Any]) -> list[Any]:
        """The numbers of one block."""
        import flint

        if len(rows) == 1:
            return [right[0] / self.rows[rows[0]][columns[0]]]
        whole, common = whole_multiples(Fraction(int(number.p), int(number.q)) for number in right)
        scale = flint.fmpq(common.numerator, common.denominator)
        matrix = flint.fmpz_mat(len(rows), len(rows), [self.rows[i].get(j, 0) for i in rows for j in columns])
        return [number * scale for number in matrix.solve(flint.fmpz_mat(len(rows), 1, whole)).entries()]


def _pattern(places: list[tuple[int, int]], n: int) -> sp.csr_array:
    at = np.array(places, np.int32).reshape(-1, 2)
    return sp.csr_array((np.ones(len(at), np.int8), (at[:, 0], at[:, 1])), (n, n))
