"""Block by block, the solution is the one that the matrix has, and singular matrices are refused."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.solve.block_triangular import BlockTriangular

small = st.integers(-3, 3)


@st.composite
def systems(draw):
    n = draw(st.integers(0, 7))
    share = draw(st.integers(1, 6))  # about one number in so many is not 0
    rows = [[draw(small) if draw(st.integers(1, share)) == 1 else 0 for _ in range(n)] for _ in range(n)]
    right = [Fraction(draw(small), draw(st.integers(1, 5))) for _ in range(n)]
    return rows, right


def sparse(rows):
    return BlockTriangular([{j: number for j, number in enumerate(row) if number} for row in rows])


@given(systems())
def test_the_solution_solves_every_equation_unless_the_determinant_is_zero(system):
    rows, right = system
    for matrix, dense in ((sparse(rows), rows), (sparse(rows).transposed, [list(column) for column in zip(*rows, strict=True)])):
        if rows and flint.fmpz_mat(rows).det() == 0:
            with pytest.raises(ZeroDivisionError):
                matrix.solve(right)
        else:
            x = matrix.solve(right)
            assert [sum(a * b for a, b in zip(row, x, strict=True)) for row in dense] == right


@given(systems())
def test_blocks_have_each_row_and_column_once_and_need_earlier_ones_alone(system):
    matrix = sparse(system[0])
    try:
        blocks = matrix.blocks
    except ZeroDivisionError:
        return
    for which in ("rows", "columns"):
        assert sorted(k for block in blocks for k in getattr(block, which)) == list(range(len(matrix.rows)))
    known = set()
    for rows, columns in blocks:
        known |= set(columns)
        assert all(set(matrix.rows[i]) <= known for i in rows)


def test_a_shuffled_triangle_is_solved_number_by_number():
    n, order = 50, [(7 * k + 3) % 50 for k in range(50)]
    rows = [{order[j]: k + j + 1 for j in {k, k // 2, k // 3}} for k in range(n)]
    assert [len(block.rows) for block in BlockTriangular(rows[::-1]).blocks] == [1] * n
