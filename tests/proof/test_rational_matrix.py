"""Rational numbers beside their nearest doubles: nothing rounds, and floats decide only what they may."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff.proof.exact import Hull, weights
from novikoff.proof.fingerprint import row_hashes
from novikoff.proof.rational_matrix import Ends, RationalMatrix, numbers_of, rational, signed

numbers = st.one_of(
    st.integers(-5, 5),
    st.fractions(-10, 10, max_denominator=50),
    st.decimals(-1000, 1000, places=3),
    st.floats(-1e6, 1e6),
    st.sampled_from([2**53 + 1, 10**30 + 1, Fraction(1, 10**299), Fraction(1, 3**200), Decimal("1e300"), 5e-324, 1.7e308]),
)
tables = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(st.lists(numbers, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
)


@given(numbers)
def test_a_number_stays_what_it_is(number):
    found = rational(number)
    assert found == Fraction(number)
    assert isinstance(found, float) or float(found) != found


@pytest.mark.parametrize("value", ["1", None, 1j, float("nan"), Decimal("nan"), Decimal("1e999999999"), Decimal("1e-999999999"),
                                   Fraction(1, 10**301), 10**309 + 1, 1 + Fraction(1, 3**20_000)])  # fmt: skip
def test_what_is_no_number_or_too_large_is_refused(value):
    with pytest.raises(ValueError, match=r"not (a number|a whole number|between)|more than 10,000 bits"):
        rational(value)


@given(tables, st.data())
def test_rows_are_exact_however_they_are_stored(table, data):
    exact = [[Fraction(v) for v in row] for row in table]
    dense = RationalMatrix.of_objects(np.array(table, object))
    sparse = RationalMatrix.of_entries([{j: rational(v) for j, v in enumerate(row)} for row in table], len(table[0]))
    hashes = row_hashes(dense)
    assert hashes.tolist() == row_hashes(sparse).tolist()
    w = data.draw(st.lists(numbers, min_size=len(table[0]) + 1, max_size=len(table[0]) + 1))
    sign = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(table), max_size=len(table))))
    scores = [
        int(s) * (sum(a * Fraction(b) for a, b in zip(row, w[:-1], strict=True)) + Fraction(w[-1]))
        for s, row in zip(sign, exact, strict=True)
    ]
    for A in (dense, sparse):
        assert A.toarray().tolist() == exact
        z = signed(A, sign, True)
        point = weights([rational(v) for v in w])
        assert [z.score(i, point) for i in range(len(z))] == scores
        assert z.least(point)[1] == min(scores)
        hull = Hull(tuple(range(len(z))), (1.0,) * len(z))
        quick = z.norm_above(hull)
        assert quick == np.inf or Fraction(quick) ** 2 >= z.sqnorm_of(hull)
        order = np.array(data.draw(st.permutations(range(len(z)))))
        assert A[order].toarray().tolist() == [exact[i] for i in order]
        assert row_hashes(z.taken(order).numbers).tolist() == hashes[order].tolist()


def test_floats_do_not_decide_what_the_nearest_doubles_round_away():
    """0.1 + 0.2 − 0.3 is 0 of the decimals, above 0 of the doubles; rows beside it need the exact numbers too."""
    tenths = [[Decimal("0.1"), Decimal("0.2"), Decimal("-0.3")]]
    z = signed(numbers_of(np.array(tenths * 100, object)), np.ones(100), False)
    ones = weights([1.0, 1.0, 1.0])
    assert z.least(ones)[1] == 0
    assert signed(numbers_of(np.array(tenths, float)), np.ones(1), False).least(ones)[1] > 0


def test_other_numbers_have_other_hashes():
    rows = [[Fraction(1, 3)], [1 / 3], [Fraction(1, 10)], [0.1], [Fraction(1, 3) + Fraction(1, 10**40)], [0.0]]
    hashes = row_hashes(numbers_of(np.array(rows, object))).tolist()
    assert len(set(hashes)) == len(rows)
    assert hashes[1] == row_hashes(np.array([[1 / 3]]))[0]


@given(st.lists(st.lists(st.decimals(-(10**6), 10**6, places=4), min_size=3, max_size=3), min_size=1, max_size=5))
def test_doubles_stand_for_the_decimals_of_few_digits_that_they_were_read_from(rows):
    read = np.array([[float(str(number)) for number in row] for row in rows])
    for X in (read, sp.csr_array(read)):
        assert RationalMatrix.of_decimals(X).toarray().tolist() == [[Fraction(number) for number in row] for row in rows]


def test_of_doubles_some_are_known():
    """A known number may be a double or not, whatever the shortest decimal is."""
    X = np.array([[0.1, 0.1, 0.1], [0.5, 0.5, 0.0]])
    known = {(0, 1): 0.1, (0, 2): Fraction(1, 10) + Fraction(1, 10**20), (1, 1): Fraction(1, 2) + Fraction(1, 10**20)}
    expected = [[Fraction(1, 10), Fraction(0.1), known[0, 2]], [Fraction(1, 2), known[1, 1], 0]]
    for given_X in (X, sp.csr_array(X)):
        found = RationalMatrix.of_decimals(given_X, known)
        assert found.toarray().tolist() == expected
        assert row_hashes(found).tolist() == row_hashes(numbers_of(np.array(expected, object))).tolist()


@given(st.lists(numbers, min_size=1, max_size=6), st.integers(0, 6))
def test_ends(given_numbers, at):
    ends = Ends.of(map(rational, given_numbers))
    assert ends.tolist() == [Fraction(number) for number in given_numbers]
    assert ends.after(at).tolist() == ends.tolist()[at:]
    assert ends.then(ends).tolist() == ends.tolist() * 2
