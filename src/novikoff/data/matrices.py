"""Matrices that readers make: sparse ones from their parts, wider ones, and several under each other."""

from functools import partial

import numpy as np
import scipy.sparse as sp

from novikoff.data.features import NOWHERE, Features
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import cores, shares, side_by_side


def matrix(values: Array, columns: Array, starts: Array, width: int) -> Matrix:
    """A csr_array of these, with 32-bit indices if possible."""
    kind = np.int32 if len(values) < 2**31 else np.int64  # SciPy gives both the wider type of the two
    return sp.csr_array(
        (values, columns.astype(kind, copy=False), starts.astype(kind, copy=False)), shape=(len(starts) - 1, width)
    )


def widened(X: Matrix, width: int) -> Matrix:
    """The matrix with `width` columns; new columns are 0."""
    if X.shape[1] == width:
        return X
    if sp.issparse(X):
        return matrix(X.data, X.indices, X.indptr, width)
    return np.hstack([X, np.zeros((X.shape[0], width - X.shape[1]))])


def known_only(values: Array, columns: Array, starts: Array) -> tuple[Array, Array, Array]:
    """The entries whose feature has a column."""
    known = columns != NOWHERE
    if known.all():
        return values, columns, starts
    return values[known], columns[known], np.concatenate([[0], np.cumsum(known)])[starts]


def stacked(parts: list[Matrix], features: Features | None) -> Matrix:
    """Matrices under each other, each as wide as the widest; sparse if one of them is."""
    width = max(max(part.shape[1] for part in parts), 0 if features is None else features.width)
    if len(parts) == 1:
        return widened(parts[0], width)
    if not any(map(sp.issparse, parts)):
        return np.concatenate([widened(part, width) for part in parts])
    parts = [sp.csr_array(part) for part in parts]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.indptr) for part in parts]), dtype=np.int64)])
    return matrix(joined([part.data for part in parts]), joined([part.indices for part in parts]), starts, width)


class Growing:
    """An array to which others are appended. Large memory grows where it is, without a copy."""

    def __init__(self, first: Array) -> None:
        self._array, self._used = first, len(first)

    def append(self, array: Array) -> None:
        kind = np.result_type(self._array, array)
        if kind != self._array.dtype or not (self._array.flags.owndata and self._array.flags.c_contiguous):
            self._array = self._array.astype(kind, order="C")
        used, self._used = self._used, self._used + len(array)
        if self._used > len(self._array):
            self._array.resize((max(self._used, used + used // 8), *array.shape[1:]), refcheck=False)
        self._array[used : self._used] = array

    def whole(self) -> Array:
        if self._used < len(self._array):
            self._array.resize((self._used, *self._array.shape[1:]), refcheck=False)
        return self._array


class Pile:
    """What `stacked` makes of matrices that are given one by one, and not kept: that takes half of the memory."""

    def __init__(self) -> None:
        self._below: list[Matrix] = []  # are complete
        self._kind: object = None  # of those that are now appended: "sparse", or the width of dense ones
        self._arrays: list[Growing] = []
        self._width = 0

    def add(self, X: Matrix) -> None:
        kind = "sparse" if sp.issparse(X) else X.shape[1]
        arrays = [X.data, X.indices, np.diff(X.indptr).astype(np.int64)] if sp.issparse(X) else [X]
        if kind != self._kind:
            self._complete()
            self._kind, self._arrays = kind, [Growing(array) for array in arrays]
        else:
            for growing, array in zip(self._arrays, arrays, strict=True):
                growing.append(array)
        self._width = max(self._width, X.shape[1])

    def whole(self, features: Features | None) -> Matrix:
        self._complete()
        return stacked(self._below, features)

    def _complete(self) -> None:
        if self._kind == "sparse":
            values, columns, lengths = (growing.whole() for growing in self._arrays)
            starts = np.concatenate([[0], np.cumsum(lengths)])
            self._below.append(matrix(values, columns, starts, self._width))
        elif self._kind is not None:
            self._below.append(self._arrays[0].whole())
        self._kind = None


def joined(arrays: list[Array]) -> Array:
    """`np.concatenate`, on threads: what takes the time is memory that is touched for the first time."""
    ends = np.cumsum([len(array) for array in arrays]).tolist()
    together = np.empty(ends[-1], np.result_type(*arrays))

    def copy(share: range) -> None:
        for k in share:
            together[ends[k] - len(arrays[k]) : ends[k]] = arrays[k]

    side_by_side([partial(copy, share) for share in shares(len(arrays), cores())])
    return together
