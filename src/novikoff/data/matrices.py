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


def joined(arrays: list[Array]) -> Array:
    """`np.concatenate`, on threads: what takes the time is memory that is touched for the first time."""
    ends = np.cumsum([len(array) for array in arrays]).tolist()
    together = np.empty(ends[-1], np.result_type(*arrays))

    def copy(share: range) -> None:
        for k in share:
            together[ends[k] - len(arrays[k]) : ends[k]] = arrays[k]

    side_by_side([partial(copy, share) for share in shares(len(arrays), cores())])
    return together
