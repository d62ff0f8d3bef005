"""What is done to rows before a linear model learns from them: numbers are centred and scaled, words weighted.

Each row is prepared by itself, given statistics of the training rows: its entries are shifted and scaled by column, and a row of
words then gets length 1. A gap becomes the mean of its column, which is 0 after centring. In a sparse matrix only stored
entries are changed, so what is not stored is a gap or a 0 that stays 0.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix

WEIGHTINGS = ("tfidf", "binary", "counts")  # of words
EPSILON = float(np.finfo(np.float64).eps)


class Statistics:
    """Of each column: how many values it has, their mean, Σ(x − mean)² and the largest |x|. Blocks of rows are added one by one.

    A NaN is a gap, and no value. In a sparse matrix only stored entries are values.

    >>> numbers = Statistics()
    >>> numbers.add(np.array([[1.0, 5.0], [2.0, np.nan]]))
    >>> numbers.add(np.array([[6.0, 7.0]]))
    >>> numbers.rows, numbers.count.tolist(), numbers.mean.tolist()
    (3, [3, 2], [3.0, 6.0])
    """

    def __init__(self) -> None:
        self.rows = 0
        self.count: Array = np.zeros(0, np.int64)
        self.mean: Array = np.zeros(0)
        self.squares: Array = np.zeros(0)
        self.largest: Array = np.zeros(0)

    def add(self, X: Matrix) -> None:
        block = Statistics()
        block.rows, width = X.shape
        with np.errstate(over="ignore", invalid="ignore"):
            if sp.issparse(X):
                block._of_entries(X.data, X.indices, width)
            else:
                block._of_columns(np.asarray(X, np.float64))
            self.join(block)

    def _of_entries(self, values: Array, columns: Array, width: int) -> None:
        there = ~np.isnan(values)
        values, columns = values[there].astype(np.float64, copy=False), columns[there]
        self.count = np.bincount(columns, minlength=width)
        self.mean = np.bincount(columns, values, minlength=width) / np.maximum(self.count, 1)
        self.squares = np.bincount(columns, (values - self.mean[columns]) ** 2, minlength=width)
        self.largest = np.zeros(width)
        np.maximum.at(self.largest, columns, np.abs(values))

    def _of_columns(self, X: Array) -> None:
        there = ~np.isnan(X)
        self.count = there.sum(axis=0)
        self.mean = np.where(there, X, 0).sum(axis=0) / np.maximum(self.count, 1)
        self.squares = (np.where(there, X - self.mean, 0) ** 2).sum(axis=0)
        self.largest = np.where(there, np.abs(X), 0).max(axis=0, initial=0)

    def join(self, other: "Statistics") -> None:
        """The statistics of both sets of rows together [chan1983algorithms]."""
        width = max(len(self.count), len(other.count))
        (n, mean, squares, largest), (m, their_mean, their_squares, their_largest) = self._as_wide(width), other._as_wide(width)
        both, apart = np.maximum(n + m, 1), their_mean - mean
        self.rows += other.rows
        self.count = n + m
        self.mean = mean + apart * (m / both)
        self.squares = squares + their_squares + apart**2 * (n * (m / both))
        self.largest = np.maximum(largest, their_largest)

    def _as_wide(self, width: int) -> list[Array]:
        columns = self.count, self.mean, self.squares, self.largest
        return [np.concatenate([column, np.zeros(width - len(column), column.dtype)]) for column in columns]

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


class Preparation(NamedTuple):
    """x becomes (x − shift)·scale in each column; rows of words become of length 1."""

    shift: Array
    scale: Array
    binary: bool = False  # each entry first becomes its sign: words count once
    unit: bool = False  # rows get length 1

    def apply(self, X: Matrix) -> Matrix:
        """Prepared rows, as float64: dense if X is dense, else CSR. Gaps become 0, the mean."""
        if not sp.issparse(X):
            values = (np.sign(X) if self.binary else X) - self.shift
            values *= self.scale
            values[np.isnan(values)] = 0
            return _of_length_1(values) if self.unit else values
        values = np.sign(X.data) if self.binary else X.data.astype(np.float64)
        if self.shift.any():
            values -= self.shift[X.indices]
        values *= self.scale[X.indices]
        values[np.isnan(values)] = 0
        prepared = type(X)((values, X.indices, X.indptr), shape=X.shape)
        return _of_length_1(prepared) if self.unit else prepared

    def in_own_units(self, weights: Array) -> Array:
        """Weights, one vector per row with the bias last, for rows that are not prepared.

        For rows of length 1 they are right up to a positive factor for each row.
        """
        own = weights[:, :-1] * self.scale
        return np.column_stack([own, weights[:, -1] - own @ self.shift])


def _of_length_1(X: Matrix) -> Matrix:
    """Rows scaled to length 1. Rows of zeros stay as they are."""
    if not sp.issparse(X):
        length = np.sqrt(np.einsum("ij,ij->i", X, X))
        return X / np.where(length > 0, length, 1)[:, None]
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    length = np.sqrt(np.bincount(row, X.data**2, minlength=X.shape[0]))
    return type(X)((X.data / np.where(length > 0, length, 1)[row], X.indices, X.indptr), shape=X.shape)


def standardized(found: Statistics) -> Preparation:
    """Numbers of mean 0 and variance 1. Constant columns become 0."""
    variance = np.where(found.constant, 1, found.variance)
    _require_finite(found.mean, variance)
    return Preparation(found.mean, 1 / np.sqrt(variance))


def by_largest(found: Statistics) -> Preparation:
    """Numbers whose largest absolute value in a column is 1. What is 0 stays 0."""
    return Preparation(np.zeros(len(found.mean)), 1 / np.where(found.largest > 0, found.largest, 1))


def weighted(found: Statistics, weighting: str, unit: bool = True) -> Preparation:
    """Words by how often they stand in a row; with "tfidf" times ln((1 + rows) / (1 + rows with the word)) + 1."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"there is no weighting {weighting!r}; the weightings are {', '.join(WEIGHTINGS)}")
    scale = np.log((1 + found.rows) / (1 + found.count)) + 1 if weighting == "tfidf" else np.ones(len(found.count))
    return Preparation(np.zeros(len(scale)), scale, binary=weighting == "binary", unit=unit)


def _require_finite(mean: Array, variance: Array) -> None:
    good = np.isfinite(mean) & np.isfinite(variance) & (variance > 0)
    if not good.all():
        j = int(np.flatnonzero(~good)[0])
        raise ValueError(f"column {j} has values that are too large or too small: their variance is not a finite number above 0")


def gap_of(column: str) -> str:
    """The name of the feature that is 1 where the column has a gap."""
    return f"{column} is missing"
