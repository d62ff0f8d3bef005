"""Sixty-four bits by which data is recognised: the same for dense and sparse storage, from a stream or from shards.

It is not a seal against somebody who looks for two data sets with the same fingerprint, and need not be: a proof is
checked against the data at hand. `docs/certificates.md` says how it is computed, step by step.
"""

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import cores, shares, side_by_side
from novikoff.proof.rational_matrix import Ends, RationalMatrix

COLUMN = np.uint64(0x9E3779B97F4A7C15)
LABEL = np.uint64(0xD1B54A32D192ED03)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
STEP = 0x5851F42D4C957F2D  # odd, so that its powers keep all bits of a row
BITS = 2**64
BLOCK = 2**15  # numbers mixed at a time, so that they stay in the nearest caches


class Fingerprint(NamedTuple):
    """Of so many rows. `a + b` would be tuples' own; `a.then(b)` is that of a's rows followed by b's."""

    rows: int = 0
    value: int = 0

    def then(self, other: "Fingerprint") -> "Fingerprint":
        return Fingerprint(self.rows + other.rows, (self.value * pow(STEP, other.rows, BITS) + other.value) % BITS)

    def __str__(self) -> str:
        return f"{self.value:016x}"


def fingerprint(X: Matrix | RationalMatrix, side: Array) -> Fingerprint:
    """Of the rows of X, a float array or CSR matrix or rational numbers, and their sides, 1 for yes and 0 for no."""
    return in_order(row_hashes(X), side)


def of_system(
    A: Matrix | RationalMatrix,
    lower: Ends,
    upper: Ends,
    low: Ends,
    high: Ends,
    objective: Ends | None = None,
    hashes: Array | None = None,
) -> Fingerprint:
    """Of lower ≤ A·w ≤ upper with low ≤ w ≤ high: the rows of A, then the four as rows of their own, all of side 1.

    An objective is one more row.
    """
    found = in_order(row_hashes(A) if hashes is None else hashes, np.ones(A.shape[0]))
    for ends in (lower, upper, low, high, *(() if objective is None else (objective,))):
        found = found.then(of_ends(ends))
    return found


def of_ends(ends: Ends) -> Fingerprint:
    return fingerprint(RationalMatrix(ends.floats[None, :], {0: ends.exact}), np.ones(1))


def row_hashes(X: Matrix | RationalMatrix) -> Array:
    """A number for each row of X, the same for equal rows however they are stored."""
    nearest = X.nearest if isinstance(X, RationalMatrix) else X
    parts = side_by_side([partial(_hashes, nearest, part) for part in shares(nearest.shape[0], cores())])
    hashes = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
    if isinstance(X, RationalMatrix):
        _correct(hashes, X)
    return hashes


def _correct(hashes: Array, X: RationalMatrix) -> None:
    """Replace what the nearest doubles have added to the hashes where they are not the numbers themselves."""
    for i, exact in X.exact.items():
        columns = np.array(list(exact), np.int64)
        nearest = np.array([float(value) for value in exact.values()]).view(np.uint64)
        own = np.array([_bits(value) for value in exact.values()], np.uint64)
        with np.errstate(over="ignore"):
            hashes[i] += (_entries(own, columns) - _entries(nearest, columns)).sum(dtype=np.uint64)


def _bits(value: Fraction) -> int:
    """64 bits for a fraction that is not a double: the first of the SHA-256 digest of "p/q"."""
    return int.from_bytes(hashlib.sha256(f"{value.numerator}/{value.denominator}".encode("ascii")).digest()[:8], "big")


def _entries(bits: Array, columns: Array) -> Array:
    """What numbers with these bits, in these columns, add to the hash of their row."""
    with np.errstate(over="ignore"):
        return _mixed(bits ^ ((columns.astype(np.uint64) + np.uint64(1)) * COLUMN))


def in_order(hashes: Array, side: Array) -> Fingerprint:
    """Of rows with these hashes, in this order, and their sides."""
    with np.errstate(over="ignore"):
        mixed = _mixed(hashes + np.asarray(side, np.uint64) * LABEL)
    powers = np.full(len(mixed), STEP, np.uint64)
    if len(mixed):
        powers[0] = 1
    with np.errstate(over="ignore"):
        np.multiply.accumulate(powers, out=powers)
        return Fingerprint(len(mixed), int((mixed * powers[::-1]).sum(dtype=np.uint64)))


def _hashes(X: Matrix, part: range) -> Array:
    hashes = np.zeros(len(part), np.uint64)
    for first, last, values, columns, starts in _blocks(X, part):
        with np.errstate(over="ignore"):
            bits = np.asarray(values, np.float64).view(np.uint64)
            entry = _entries(bits, columns)
            entry *= values != 0
            filled = np.flatnonzero(np.diff(np.append(starts, len(entry))) > 0)
            if len(filled):
                hashes[first - part.start : last - part.start][filled] = np.add.reduceat(entry, starts[filled])
    return hashes


def _blocks(X: Matrix, part: range) -> Iterator[tuple[int, int, Array, Array, Array]]:
    """Runs of rows: the first, the one after the last, their numbers, the columns of those, and where each row starts."""
    width = max(1, X.shape[1])
    if sp.issparse(X):
        starts, first = X.indptr.astype(np.int64, copy=False), part.start
        while first < part.stop:
            last = int(np.searchsorted(starts, starts[first] + BLOCK, side="right")) - 1
            last = min(part.stop, max(first + 1, last))
            inside = slice(starts[first], starts[last])
            yield first, last, X.data[inside], X.indices[inside], starts[first:last] - starts[first]
            first = last
    else:
        rows = max(1, BLOCK // width)
        columns = np.tile(np.arange(X.shape[1]), rows)
        for first in range(part.start, part.stop, rows):
            last = min(part.stop, first + rows)
            size = (last - first) * X.shape[1]
            yield first, last, X[first:last].ravel(), columns[:size], np.arange(last - first) * X.shape[1]


def _mixed(x: Array) -> Array:
    """Each number's bits spread over all sixty-four (the finaliser of splitmix64)."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * FIRST
        x = (x ^ (x >> np.uint64(27))) * SECOND
    mixed: Array = x ^ (x >> np.uint64(31))
    return mixed
