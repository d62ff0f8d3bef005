"""Checks of arrays and sparse matrices from users, before any code uses their indices.

The starts and indices of a sparse matrix are used as addresses: a wrong one reads or writes outside the arrays. SciPy's own
`check_format` tests differences of neighbouring starts, which can wrap around, so it accepts some decreasing starts. So every
entry point calls `checked` first: before `tocsr`, `sum_duplicates`, `has_canonical_format`, a slice, a product or scikit-learn.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix

MOST_EMPTY_ROWS = 2**24  # of a sparse matrix in a file


def checked(X: Any, name: str = "the data") -> Any:
    """Returns X. Raises an error if it is a masked array, or a sparse matrix with indices that point outside its arrays.

    >>> X = sp.csc_array([[1.0, 2.0]])
    >>> X.indptr = np.array([0, 2, 0])
    >>> checked(X)
    Traceback (most recent call last):
    ValueError: the CSC matrix is broken: indptr falls from 2 to 0 at place 2; build the matrix again
    """
    unmasked(X, name)
    if sp.issparse(X):
        unmasked(getattr(X, "data", None), name)
        try:
            _CHECKS[X.format](X)
        except _BrokenError as error:
            raise ValueError(f"the {X.format.upper()} matrix is broken: {error}; build the matrix again") from None
    return X


def checked_archive(X: Any) -> Any:
    """As `checked`, for a sparse matrix from a file: a few bytes can claim any number of rows that have no entries.

    >>> checked_archive(sp.csc_array((10**9, 1)))
    Traceback (most recent call last):
    ValueError: the matrix has 1,000,000,000 rows and 0 entries; at most 16,777,216 rows may be empty
    """
    if checked(X).shape[0] > X.nnz + MOST_EMPTY_ROWS:
        raise ValueError(
            f"the matrix has {X.shape[0]:,} rows and {X.nnz:,} entries; at most {MOST_EMPTY_ROWS:,} rows may be empty"
        )
    return X


def unmasked(values: Any, name: str) -> Any:
    """Returns the values. Raises an error if they are a masked array, whose masked values would be used as numbers."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} must not be a masked array: fill in what is hidden (filled), or leave those rows out")
    return values


class _BrokenError(Exception):
    """What is wrong with the matrix."""


def _require(so: object, otherwise: str) -> None:
    if not so:
        raise _BrokenError(otherwise)


def _compressed(X: Matrix) -> None:
    """CSR, CSC and BSR: compressed rows, columns or blocks."""
    shape = (1, *X.shape) if len(X.shape) == 1 else X.shape
    if X.format == "bsr":
        _require(isinstance(X.data, np.ndarray) and X.data.ndim == 3, "its data must be three-dimensional, one matrix a block")
        blocks = X.data.shape[1:]
        fits = all(block > 0 and size % block == 0 for size, block in zip(shape, blocks, strict=True))
        _require(fits, f"blocks of shape {blocks} do not fill a matrix of shape {shape}")
        shape = tuple(size // block for size, block in zip(shape, blocks, strict=True))
    else:
        _require(isinstance(X.data, np.ndarray) and X.data.ndim == 1, "its data must be one-dimensional")
    length, width = (shape[1], shape[0]) if X.format == "csc" else shape
    _require_whole("indptr", X.indptr)
    _require_whole("indices", X.indices)
    entries = len(X.data)
    _require(len(X.indices) == entries, f"it has {len(X.indices)} indices for {entries} entries")
    _require(len(X.indptr) == length + 1, f"indptr has {len(X.indptr)} numbers, and must have {length + 1}")
    _require(X.indptr[0] == 0, f"indptr begins with {X.indptr[0]}, and must begin with 0")
    falls = X.indptr[1:] < X.indptr[:-1]  # compared, not subtracted: a difference could wrap around
    if falls.any():
        at = int(falls.argmax())
        raise _BrokenError(f"indptr falls from {X.indptr[at]} to {X.indptr[at + 1]} at place {at + 1}")
    end = int(X.indptr[-1])
    _require(end <= entries, f"indptr ends with {end}, beyond its {entries} entries")
    _require_within("indices", X.indices[:end], width)


def _coordinates(X: Matrix) -> None:
    """COO: the coordinates of each entry."""
    _require(isinstance(X.data, np.ndarray) and X.data.ndim == 1, "its data must be one-dimensional")
    _require(len(X.coords) == len(X.shape), f"its entries have {len(X.coords)} coordinates, and its shape is {X.shape}")
    for axis, (places, size) in enumerate(zip(X.coords, X.shape, strict=True)):
        name = f"coords[{axis}]"
        _require_whole(name, places)
        _require(len(places) == len(X.data), f"{name} has {len(places)} numbers for {len(X.data)} entries")
        _require_within(name, places, size)


def _diagonals(X: Matrix) -> None:
    """DIA: SciPy adds the offsets to sizes in their own type."""
    _require(isinstance(X.data, np.ndarray) and X.data.ndim == 2, "its data must be two-dimensional, one row a diagonal")
    _require_whole("offsets", X.offsets)
    _require(X.offsets.dtype.kind == "i", f"its offsets must be signed, not {X.offsets.dtype}")
    _require(len(X.offsets) == len(X.data), f"it has {len(X.offsets)} offsets for {len(X.data)} diagonals")
    room = int(np.iinfo(X.offsets.dtype).max) - max(X.shape)
    far = [offset for offset in X.offsets.tolist() if abs(offset) > room]
    _require(not far, f"its offset {far[:1]} is too large")


def _lists(X: Matrix) -> None:
    """LIL: a list of columns and one of values for each row."""
    for name in ("rows", "data"):
        lists = getattr(X, name)
        good = isinstance(lists, np.ndarray) and lists.dtype == object and lists.shape == X.shape[:1]
        _require(good and all(type(one) is list for one in lists), f"its {name} must be a list for each row")
    for i, (columns, values) in enumerate(zip(X.rows.tolist(), X.data.tolist(), strict=True)):
        _require(len(columns) == len(values), f"row {i} has {len(columns)} columns and {len(values)} values")
        good = all(isinstance(j, int | np.integer) and 0 <= j < X.shape[1] for j in columns)
        _require(good, f"row {i} names a column that is not among the {X.shape[1]} there are")


def _keys(X: Matrix) -> None:
    """DOK: a dictionary of entries."""
    for place in X.keys():  # noqa: SIM118 (iterating over the matrix itself is something else)
        places = place if isinstance(place, tuple) else (place,)
        good = len(places) == len(X.shape) and all(isinstance(j, int | np.integer) for j in places)
        _require(good and all(0 <= j < size for j, size in zip(places, X.shape, strict=True)), f"there is no place {place!r}")


_CHECKS = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}


def _require_whole(name: str, numbers: Any) -> None:
    good = isinstance(numbers, np.ndarray) and numbers.ndim == 1 and numbers.dtype.kind in "iu"
    _require(good, f"{name} must be whole numbers, in one dimension")


def _require_within(name: str, numbers: Array, size: int) -> None:
    """One comparison as unsigned numbers is enough: negative numbers become the largest."""
    if not len(numbers):
        return
    unsigned = numbers.view(numbers.dtype.str.replace("i", "u"))
    if int(unsigned.max()) >= size:
        at = int(np.flatnonzero(unsigned >= size)[0])
        raise _BrokenError(f"{name}[{at}] is {numbers[at]}, and must be at least 0 and below {size}")
