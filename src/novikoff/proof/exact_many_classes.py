"""Rows of many classes in exact arithmetic (F25): leads over rival classes, as `exact.py` has the scores of two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.proof.exact import EPSILON, FEW, TINY, Signed, common_unit, may_be_lowest, nearest_double

PRODUCTS = 4_000_000  # scores of rows for classes that are held at once


@dataclass(frozen=True)
class ManyRows:
    """Rows of many classes, numbered from 0: z = (e_y − e_r) ⊗ (x, 1) for each row x of class y and each other class r (F25).

    Without an intercept it is ⊗ x. Weights are a row a class, the intercept last if there is one: doubles, or objects that are
    fractions.
    """

    X: Matrix
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
        return self.z_and_places(rows, rivals)[0]

    def z_and_places(self, rows: Array | Sequence[int], rivals: Array | Sequence[int]) -> tuple[Signed, Array]:
        """The same, and which coordinates these are: the weights of class 0 come first, then those of class 1, and so on."""
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
        return Signed(narrow, np.ones(len(which)), False), used

    def least(self, w: Array) -> tuple[int, int, Fraction]:
        """The row and the rival of the least ⟨w_y − w_r, x⟩, and that number, exactly. There are classes and rows."""
        floats = w if w.dtype != object else np.array([[*map(nearest_double, row)] for row in w.tolist()], np.float64)
        return min((self._least(w, floats, part) for part in self.parts()), key=lambda found: found[2])

    def parts(self) -> list[Array]:
        """The rows, as many at once as scores may be held of."""
        size = max(1, PRODUCTS // self.classes)
        return [np.arange(first, min(first + size, len(self.code))) for first in range(0, len(self.code), size)]

    def _least(self, w: Array, floats: Array, rows: Array) -> tuple[int, int, Fraction]:
        X, sides = self.X[rows], np.arange(len(rows))
        plane, last = (floats[:, :-1], floats[:, -1]) if self.fit_intercept else (floats, np.zeros(len(floats)))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.asarray(X @ plane.T) + last
            doubt = (self.length + 4) * EPSILON * (np.asarray(abs(X) @ np.abs(plane).T) + np.abs(last)) + TINY
            doubt += EPSILON * np.abs(scores)
            code = self.code[rows]
            lead = scores[sides, code][:, None] - scores
            doubt = doubt[sides, code][:, None] + doubt
        lead[sides, code], doubt[sides, code] = np.inf, 0.0
        may_be = may_be_lowest(lead.ravel(), doubt.ravel())
        if len(may_be) > FEW and floats is w and self._nothing_rounds(X, w):
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

    def _nothing_rounds(self, X: Matrix, w: Array) -> bool:
        """Whether the float leads are exact: all numbers whole multiples of powers of two, and no sum too long."""
        values = X.data if sp.issparse(X) else X
        unit, least = min(1.0, common_unit(values)), common_unit(w)
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
