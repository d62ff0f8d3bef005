"""Matrices and ends of rational numbers, such as the decimals of a file: the nearest doubles, and what they are not.

Most numbers are doubles, and floats decide nearly everything. So the nearest doubles are kept in an ordinary array or matrix, and
those numbers that are not doubles beside it. A number that is not a double must be near one of full precision, so that the
relative error of the nearest double is at most 2⁻⁵³.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import inf, isinf, isnan
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.proof.exact import Signed, as_numbers
from novikoff.proof.rationals import Number

LARGEST = 300  # the power of ten beyond which, and below whose inverse, numbers that are not doubles are refused
MOST_BITS = 10_000  # of a numerator or denominator

Exact = dict[int, dict[int, Fraction]]  # numbers that are not doubles, by row and column


def rational(value: Any) -> Number:
    """The number as a double if it is one, otherwise as a fraction. What is not a rational number is refused."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | float):
        if isnan(value):
            raise ValueError("nan is not a number")
        return float(value)
    if isinstance(value, Decimal):
        if value.is_infinite():
            return float(value)
        if not value.is_finite() or (value and not -LARGEST <= value.adjusted() <= LARGEST):
            raise ValueError(f"{value!s:.40} is not between 10^-{LARGEST} and 10^{LARGEST} in size")
    elif not isinstance(value, int | Fraction):
        raise ValueError(f"{value!r:.40} is not a whole number, float, Fraction or Decimal")
    exact = Fraction(value)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > MOST_BITS:
        raise ValueError(f"a number has a numerator or denominator of more than {MOST_BITS:,} bits")
    try:
        nearest = float(exact)
    except OverflowError:
        nearest = inf
    if nearest == exact:
        return nearest
    if not 10.0**-LARGEST <= abs(nearest) <= 10.0**LARGEST:
        raise ValueError(f"a number is not between 10^-{LARGEST} and 10^{LARGEST} in size, nor a double")
    return exact


@dataclass(frozen=True)
class RationalMatrix:
    """A matrix whose numbers are rational."""

    nearest: Matrix  # float64, an array or a canonical CSR matrix
    exact: Exact = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.nearest.shape
        return int(rows), int(columns)

    @classmethod
    def of_entries(cls, rows: Sequence[dict[int, Number]], width: int) -> "RationalMatrix":
        """The matrix with these numbers, each row by column, as `rational` returns them. It is sparse."""
        entries = [sorted((j, value) for j, value in row.items() if value) for row in rows]
        starts = np.cumsum([0, *map(len, entries)])
        data = np.array([float(value) for row in entries for _, value in row], np.float64)
        indices = np.array([j for row in entries for j, _ in row], np.int64)
        exact = {i: found for i, row in enumerate(entries) if (found := {j: v for j, v in row if isinstance(v, Fraction)})}
        return cls(sp.csr_array((data, indices, starts), (len(rows), width)), exact)

    @classmethod
    def of_objects(cls, table: Array) -> "RationalMatrix":
        """The matrix with these Python numbers. It is dense."""
        numbers = [[_named(value, i, j) for j, value in enumerate(row)] for i, row in enumerate(table.tolist())]
        exact = {
            i: found for i, row in enumerate(numbers) if (found := {j: v for j, v in enumerate(row) if isinstance(v, Fraction)})
        }
        return cls(np.array([[float(v) for v in row] for row in numbers], np.float64).reshape(table.shape), exact)

    @classmethod
    def of_decimals(cls, X: Matrix, known: Mapping[tuple[int, int], Number] | None = None) -> "RationalMatrix":
        """Each double stands for the shortest decimal that it is the nearest to.

        That is the decimal that was read, if it had at most 15 significant digits: no two of those have the same nearest double.
        Numbers that are `known`, by row and column, are taken as they are; X has the doubles nearest to them.
        """
        X = X.astype(np.float64)
        values = X.data if sp.issparse(X) else X
        # Multiples of 2⁻¹⁰ of this size have at most 15 digits themselves, so they are what was read.
        suspects = np.flatnonzero(~((np.abs(values) < 1e5) & (values * 1024 == np.rint(values * 1024))).ravel())
        kinds, which = np.unique(values.ravel()[suspects], return_inverse=True)
        meant = [rational(Decimal(repr(kind))) for kind in kinds.tolist()]
        if sp.issparse(X):
            rows, columns = np.searchsorted(X.indptr, suspects, "right") - 1, X.indices[suspects]
        else:
            rows, columns = np.divmod(suspects, max(1, X.shape[1]))
        exact: Exact = {}
        for i, j, k in zip(rows.tolist(), columns.tolist(), which.tolist(), strict=True):
            number = meant[k]
            if isinstance(number, Fraction):
                exact.setdefault(i, {})[j] = number
        for (i, j), number in (known or {}).items():
            exact.get(i, {}).pop(j, None)
            if isinstance(number, Fraction):
                exact.setdefault(i, {})[j] = number
        return cls(X, exact)

    def toarray(self) -> Array:
        """All numbers, as Python has them: floats, and fractions where there is no such double."""
        table: Array = (self.nearest.toarray() if sp.issparse(self.nearest) else self.nearest).astype(object)
        for i, row in self.exact.items():
            for j, value in row.items():
                table[i, j] = value
        return table

    def __getitem__(self, rows: Array) -> "RationalMatrix":
        """These rows alone, in this order."""
        return RationalMatrix(self.nearest[rows], _of_rows(self.exact, rows))


def _of_rows(exact: Exact, rows: Array) -> Exact:
    return {k: exact[i] for k, i in enumerate(rows.tolist()) if i in exact}


def _named(value: Any, row: int, column: int) -> Number:
    try:
        found = rational(value)
    except ValueError as error:
        raise ValueError(f"row {row}, column {column}: {error}") from None
    if isinf(found):
        raise ValueError(f"row {row}, column {column} is {found}: every value must be a finite number")
    return found


@dataclass(frozen=True)
class SignedRationals(Signed):
    """The z's of rows of rational numbers. X has the nearest doubles."""

    exact: Exact
    rounded: ClassVar[bool] = True

    def z(self, i: int) -> tuple[list[int], Sequence[Number]]:
        columns, nearest = super().z(i)
        if i not in self.exact:
            return columns, nearest
        sign, exact = int(self.sign[i]), self.exact[i]
        return columns, [sign * exact[j] if j in exact else value for j, value in zip(columns, nearest, strict=True)]

    @property
    def numbers(self) -> RationalMatrix:
        return RationalMatrix(self.X, self.exact)

    def taken(self, rows: Array) -> "SignedRationals":
        return SignedRationals(self.X[rows], self.sign[rows], self.fit_intercept, _of_rows(self.exact, rows))

    def narrowed(self, columns: Array) -> "SignedRationals":
        place = {j: k for k, j in enumerate(columns.tolist())}
        exact = {i: {place[j]: value for j, value in row.items() if j in place} for i, row in self.exact.items()}
        return SignedRationals(self.X[:, columns], self.sign, self.fit_intercept, exact)


def numbers_of(A: Any) -> Matrix | RationalMatrix:
    """A as `as_numbers` takes it; numbers of Python that need not be doubles, such as fractions, become a `RationalMatrix`."""
    if isinstance(A, RationalMatrix):
        return A
    if not sp.issparse(A) and not isinstance(A, np.ma.MaskedArray):
        A = np.asarray(A)
        if A.ndim == 2 and (A.dtype == object or (A.dtype.kind in "iu" and np.abs(A.astype(float)).max(initial=0) >= 2.0**53)):
            return RationalMatrix.of_objects(A)
    return as_numbers(A)


def signed(X: Matrix | RationalMatrix, sign: Array, fit_intercept: bool) -> Signed:
    """The z's of these rows."""
    if isinstance(X, RationalMatrix):
        return SignedRationals(X.nearest, sign, fit_intercept, X.exact)
    return Signed(X, sign, fit_intercept)


@dataclass(frozen=True)
class Ends:
    """The lower, or the upper, ends of rows or of coordinates. ±∞ stands for no end."""

    floats: Array  # the nearest doubles
    exact: dict[int, Fraction] = field(default_factory=dict)  # those that are not doubles

    @classmethod
    def of(cls, numbers: Iterable[Number]) -> "Ends":
        listed = list(numbers)
        exact = {k: value for k, value in enumerate(listed) if isinstance(value, Fraction)}
        return cls(np.array([float(value) for value in listed], np.float64), exact)

    def __len__(self) -> int:
        return len(self.floats)

    def __getitem__(self, k: int) -> Number:
        return self.exact[k] if k in self.exact else float(self.floats[k])

    def tolist(self) -> list[Number]:
        return [self[k] for k in range(len(self))]

    def then(self, other: "Ends") -> "Ends":
        """These ends, followed by others."""
        shifted = {len(self) + k: value for k, value in other.exact.items()}
        return Ends(np.concatenate([self.floats, other.floats]), self.exact | shifted)

    def after(self, first: int) -> "Ends":
        """The ends from this number on."""
        return Ends(self.floats[first:], {k - first: value for k, value in self.exact.items() if k >= first})
