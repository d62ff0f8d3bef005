"""The compiled loops of preparation: statistics of columns, and values shifted and scaled by column. A NaN is a gap."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, helper, loop
from novikoff.foundation.array_types import Array

apart(__file__)


class Columns(NamedTuple):
    """What is known of each column: values, gaps, mean, Σ(x − mean)² and the largest |x|."""

    filled: Array
    gaps: Array
    mean: Array
    squares: Array
    largest: Array


@helper
def note(x: Any, j: Any, known: Any) -> None:
    """Add a value to what is known of its column [welford1962note]."""
    if np.isnan(x):
        known.gaps[j] += 1
    else:
        known.filled[j] += 1
        apart = x - known.mean[j]
        known.mean[j] += apart / known.filled[j]
        known.squares[j] += apart * (x - known.mean[j])
        known.largest[j] = max(known.largest[j], abs(x))


@loop
def add_rows(X: Any, known: Any) -> None:
    """Add the rows of a dense array, one after another."""
    rows, width = X.shape
    for i in range(rows):
        for j in range(width):
            note(X[i, j], j, known)


@loop
def add_entries(values: Any, columns: Any, known: Any) -> None:
    """Add the stored entries of a sparse matrix."""
    for k in range(len(values)):
        note(values[k], columns[k], known)


@loop
def apply_rows(X: Any, shift: Any, scale: Any, out: Any) -> None:
    """(x − shift)·scale in each column; a gap becomes 0."""
    rows, width = X.shape
    for i in range(rows):
        for j in range(width):
            x = (X[i, j] - shift[j]) * scale[j]
            out[i, j] = 0.0 if np.isnan(x) else x


@loop
def apply_entries(values: Any, columns: Any, shift: Any, scale: Any, out: Any) -> None:
    for k in range(len(values)):
        x = (values[k] - shift[columns[k]]) * scale[columns[k]]
        out[k] = 0.0 if np.isnan(x) else x


# ---- streams: each row is prepared by the statistics of the rows up to it ----------------------------------------------


@loop
def follow_variance(values: Any, columns: Any, starts: Any, numbers: Any, rows: Any, known: Any, out: Any) -> None:
    """Numbers of mean 0 and variance 1 so far. `rows` came before."""
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            x, j = values[k], columns[k]
            note(x, j, known)
            out[k] = 0.0 if np.isnan(x) else x
            if numbers[j] and not np.isnan(x):
                variance = known.squares[j] / (rows + i + 1)
                out[k] = (x - known.mean[j]) / np.sqrt(variance) if variance > 0.0 else 0.0


@loop
def follow_mean(values: Any, columns: Any, starts: Any, numbers: Any, rows: Any, known: Any, out: Any) -> None:
    """Numbers of mean 0 so far."""
    for k in range(len(values)):
        x, j = values[k], columns[k]
        note(x, j, known)
        out[k] = 0.0 if np.isnan(x) else x
        if numbers[j] and not np.isnan(x):
            out[k] = x - known.mean[j]


@loop
def follow_largest(values: Any, columns: Any, starts: Any, numbers: Any, rows: Any, known: Any, out: Any) -> None:
    """Numbers divided by the largest |x| of their column so far."""
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            x, j = values[k], columns[k]
            note(x, j, known)
            out[k] = 0.0 if np.isnan(x) else x
            if numbers[j] and known.largest[j] > 0.0:
                out[k] /= known.largest[j]


@loop
def follow_words(values: Any, columns: Any, starts: Any, numbers: Any, rows: Any, known: Any, out: Any) -> None:
    """Words weighted by how rare they have been so far."""
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            known.filled[columns[k]] += 1
            out[k] = values[k] * (np.log((2.0 + rows + i) / (1.0 + known.filled[columns[k]])) + 1.0)
