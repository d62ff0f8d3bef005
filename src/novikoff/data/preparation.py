"""What is done to rows before a linear model learns from them: numbers are centred and scaled, words weighted.

Each row is prepared by itself, given statistics of the training rows: its entries are shifted and scaled by column, and a row of
words then gets length 1. A gap becomes the mean of its column, which is 0 after centring. In a sparse matrix only stored
entries are changed, so what is not stored is a gap or a 0 that stays 0.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.compiler.dispatch import compiled
from novikoff.data.preparation_loops import Columns, add_entries, add_rows, apply_entries, apply_rows
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import WORTH_A_THREAD, cores, shares, side_by_side

WEIGHTINGS = ("tfidf", "binary", "counts")  # of words
EPSILON = float(np.finfo(np.float64).eps)


class Statistics:
    """Of each column: how many values and gaps it has, the mean, Σ(x − mean)² and the largest |x|. Blocks are added one by one.

    A NaN is a gap, and no value. In a sparse matrix only stored entries are values.

    >>> numbers = Statistics()
    >>> numbers.add(np.array([[1.0, 5.0], [2.0, np.nan]]))
    >>> numbers.add(np.array([[6.0, 7.0]]))
    >>> numbers.rows, numbers.filled.tolist(), numbers.gaps.tolist(), numbers.mean.tolist()
    (3, [3, 2], [0, 1], [3.0, 6.0])
    """

    def __init__(self, rows: int = 0, columns: Columns | None = None) -> None:
        self.rows = rows
        self.columns = columns or _blank(0)

    @property
    def filled(self) -> Array:
        return self.columns.filled

    @property
    def gaps(self) -> Array:
        return self.columns.gaps

    @property
    def mean(self) -> Array:
        return self.columns.mean

    @property
    def squares(self) -> Array:
        return self.columns.squares

    @property
    def largest(self) -> Array:
        return self.columns.largest

    @property
    def width(self) -> int:
        return len(self.columns.filled)

    def add(self, X: Matrix) -> None:
        """Add the rows of X. In one order and one by one: the result has the same bits however the rows come in blocks."""
        self.columns = self.as_wide(max(self.width, X.shape[1]))
        if sp.issparse(X):
            compiled(add_entries)(X.data.astype(np.float64, copy=False), X.indices, self.columns)
        else:
            compiled(add_rows)(np.ascontiguousarray(X, np.float64), self.columns)
        self.rows += X.shape[0]

    def join(self, other: "Statistics") -> None:
        """The statistics of both sets of rows together [chan1983algorithms]."""
        width = max(self.width, other.width)
        mine, theirs = self.as_wide(width), other.as_wide(width)
        with np.errstate(over="ignore", invalid="ignore"):
            n, m, apart = mine.filled, theirs.filled, theirs.mean - mine.mean
            share = m / np.maximum(n + m, 1)
            mean, squares = mine.mean + apart * share, mine.squares + theirs.squares + apart**2 * (n * share)
        largest = np.maximum(mine.largest, theirs.largest)
        self.rows += other.rows
        self.columns = Columns(n + m, mine.gaps + theirs.gaps, mean, squares, largest)

    def as_wide(self, width: int) -> Columns:
        """What is known of the columns, with columns without values at the end."""
        more = _blank(width - self.width)
        return Columns(*(np.concatenate(pair) for pair in zip(self.columns, more, strict=True)))

    @property
    def variance(self) -> Array:
        """With gaps filled by the mean, so divided by the number of all rows."""
        return self.squares / max(1, self.rows)

    @property
    def constant(self) -> Array:
        """Which columns have the same value in all rows, up to rounding."""
        rounding = self.rows * EPSILON
        found: Array = np.isfinite(self.variance) & (self.variance <= rounding * self.variance + (rounding * self.mean) ** 2)
        return found


def _blank(width: int) -> Columns:
    return Columns(np.zeros(width, np.int64), np.zeros(width, np.int64), np.zeros(width), np.zeros(width), np.zeros(width))


def _shares(X: Matrix) -> list[range]:
    entries = X.nnz if sp.issparse(X) else X.size
    return shares(X.shape[0], cores() if entries > WORTH_A_THREAD else 1)


class Preparation(NamedTuple):
    """x becomes (x − shift)·scale in each column; rows of words become of length 1."""

    shift: Array
    scale: Array
    binary: bool = False  # each entry first becomes its sign: words count once
    unit: bool = False  # rows get length 1

    def apply(self, X: Matrix) -> Matrix:
        """Prepared rows, as float64: dense if X is dense, else CSR. Gaps become 0, the mean."""
        if not sp.issparse(X):
            values = np.ascontiguousarray(np.sign(X) if self.binary else X, np.float64)
            prepared = np.empty_like(values)
            side_by_side([partial(self._apply_rows, values, prepared, share) for share in _shares(X)])
            return of_length_1(prepared) if self.unit else prepared
        values = np.sign(X.data) if self.binary else X.data.astype(np.float64, copy=False)
        entries = np.empty(len(values))
        side_by_side([partial(self._apply_entries, values, X, entries, share) for share in _shares(X)])
        made = type(X)((entries, X.indices, X.indptr), shape=X.shape)
        return of_length_1(made) if self.unit else made

    def _apply_rows(self, X: Array, out: Array, share: range) -> None:
        rows = slice(share.start, share.stop)
        compiled(apply_rows)(X[rows], self.shift, self.scale, out[rows])

    def _apply_entries(self, values: Array, X: Matrix, out: Array, share: range) -> None:
        at = slice(int(X.indptr[share.start]), int(X.indptr[share.stop]))
        compiled(apply_entries)(values[at], X.indices[at], self.shift, self.scale, out[at])

    def in_own_units(self, weights: Array) -> Array:
        """Weights, one vector per row with the bias last, for rows that are not prepared.

        For rows of length 1 they are right up to a positive factor for each row, except for the bias.
        """
        own = weights[:, :-1] * self.scale
        return np.column_stack([own, weights[:, -1] - own @ self.shift])


def of_length_1(X: Matrix) -> Matrix:
    """Rows scaled to length 1. Rows of zeros stay as they are."""
    if not sp.issparse(X):
        length = np.sqrt(np.einsum("ij,ij->i", X, X))
        return X / np.where(length > 0, length, 1)[:, None]
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    length = np.sqrt(np.bincount(row, X.data**2, minlength=X.shape[0]))
    return type(X)((X.data / np.where(length > 0, length, 1)[row], X.indices, X.indptr), shape=X.shape)


def standardized(found: Statistics, name: Callable[[int], str] = str) -> Preparation:
    """Numbers of mean 0 and variance 1. Constant columns become 0. `name` is that of a column, for the error message."""
    variance = np.where(found.constant, 1, found.variance)
    _require(np.isfinite(found.mean) & np.isfinite(variance) & (variance > 0), "variance", "a finite number above 0", name)
    return Preparation(found.mean, 1 / np.sqrt(variance))


def centred(found: Statistics, name: Callable[[int], str] = str) -> Preparation:
    """Numbers of mean 0, in their own unit. `name` is that of a column, for the error message."""
    _require(np.isfinite(found.mean), "mean", "a finite number", name)
    return Preparation(found.mean, np.ones(len(found.mean)))


def by_largest(found: Statistics) -> Preparation:
    """Numbers whose largest absolute value in a column is 1. What is 0 stays 0."""
    return Preparation(np.zeros(len(found.mean)), 1 / np.where(found.largest > 0, found.largest, 1))


def weighted(found: Statistics, weighting: str, unit: bool = True) -> Preparation:
    """Words by how often they stand in a row; with "tfidf" times ln((1 + rows) / (1 + rows with the word)) + 1."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"there is no weighting {weighting!r}; the weightings are {', '.join(WEIGHTINGS)}")
    scale = np.log((1 + found.rows) / (1 + found.filled)) + 1 if weighting == "tfidf" else np.ones(len(found.filled))
    return Preparation(np.zeros(len(scale)), scale, binary=weighting == "binary", unit=unit)


def _require(good: Array, what: str, kind: str, name: Callable[[int], str]) -> None:
    """Refuse a column for which `good` is False: `what` of its values is not of this kind."""
    if not good.all():
        j = int(np.flatnonzero(~good)[0])
        raise ValueError(f"column {name(j)} has values that are too large or too small: their {what} is not {kind}")


def gap_of(column: str) -> str:
    """The name of the feature that is 1 where the column has a gap."""
    return f"{column} is missing"
