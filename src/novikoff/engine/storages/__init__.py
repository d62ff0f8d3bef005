"""How rows are stored, and the functions that a storage implements.

Every storage ends each row with one constant coordinate, `constant`: 1 gives a bias, 0 leaves it out. Its weight is the
last of w, so w has one entry more than the data has columns. Arrays are read-only views of the user's arrays: nothing is
copied, and nothing can be written to.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any, Protocol

import numpy as np

from novikoff.compiler import generic, helper
from novikoff.foundation.array_types import Array
from novikoff.foundation.matrix_checks import checked
from novikoff.foundation.registry import import_all
from novikoff.proof.fingerprint import COLUMN, FIRST, SECOND

LARGEST = 1e300  # precisions stay finite


class Storage(Protocol):
    """Rows in memory: a `NamedTuple` of arrays for which the functions below are registered."""

    @property
    def constant(self) -> Any: ...


@generic
def score(rows: Any, i: Any, w: Any) -> Any:
    """⟨w, xᵢ⟩, the constant coordinate included."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def score_classes(rows: Any, i: Any, w: Any, out: Any) -> None:
    """out[c] = ⟨w_c, xᵢ⟩ for each class c, where w[j·K + c] is the weight of class c for column j, K = len(out)."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def decide(rows: Any, i: Any, w: Any, out: Any) -> None:
    """out[c] = ⟨w_c, xᵢ⟩ for each vector of w; if all classes learn at once, for each class of each vector."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@helper
def decide_by_vector(rows: Any, i: Any, w: Any, out: Any) -> None:
    for c in range(len(out)):
        out[c] = score(rows, i, w[c])


@generic
def add(rows: Any, i: Any, w: Any, c: Any) -> None:
    """w += c·xᵢ."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def sqnorm(rows: Any, i: Any) -> Any:
    """‖xᵢ‖², the constant coordinate included. It is finite only if every entry is."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def project(rows: Any, i: Any, w: Any) -> Any:
    """⟨w, xᵢ⟩ for the xᵢ that `add` would add. It is `score`, unless scoring chooses what is added."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def scaled_sqnorm(rows: Any, i: Any, sigma: Any) -> Any:
    """Σ σⱼ·xᵢⱼ², the constant coordinate included."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def add_scaled(rows: Any, i: Any, w: Any, sigma: Any, c: Any) -> Any:
    """wⱼ += c·σⱼ·xᵢⱼ. Returns by how much ‖w‖² has grown."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def shrink(rows: Any, i: Any, sigma: Any, beta: Any) -> None:
    """σⱼ −= β·(σⱼ·xᵢⱼ)², but never below 0."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def strengthen(rows: Any, i: Any, precision: Any, sigma: Any, c: Any) -> None:
    """hⱼ += c·xᵢⱼ² for the precisions h, but never below 1, and σⱼ = hⱼ^(−¾)."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@helper
def move_by(w: Any, j: Any, d: Any) -> Any:
    """wⱼ += d. Returns by how much wⱼ² has grown."""
    before = w[j]
    w[j] += d
    return d * (2 * before + d)


@helper
def shrink_one(sigma: Any, j: Any, x: Any, beta: Any) -> None:
    s = sigma[j] * x
    sigma[j] = max(sigma[j] * 0, sigma[j] - beta * s * s)


@helper
def strengthen_one(precision: Any, sigma: Any, j: Any, x: Any, c: Any) -> None:
    precision[j] = max(1.0, min(precision[j] + c * x * x, LARGEST))
    root = sqrt(precision[j])
    sigma[j] = 1 / (root * sqrt(root))


@generic
def sound(rows: Any, i: Any, width: Any) -> Any:
    """Whether row i is valid: columns below `width`, each at most once."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def entries(rows: Any) -> Any:
    """How many numbers are stored in total."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def take(rows: Any, which: Any, width: Any) -> Any:
    """The rows numbered `which` as a matrix of their own, without the constant coordinate."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def locate(rows: Any, i: Any) -> None:
    """Row i is needed soon: prefetch its position in memory."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def fetch(rows: Any, i: Any, part: Any, parts: Any) -> None:
    """Row i is needed next: prefetch one of `parts` parts of it. Prefetching all at once would stall the computation."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def touch(rows: Any, i: Any) -> Any:
    """Read one number from each cache line of row i, and return their sum."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@generic
def hashed(rows: Any, i: Any) -> Any:
    """The sum of the hashes of row i's entries, as `fingerprint.py` defines it. Compiled only."""
    raise TypeError(f"{type(rows).__name__} is not a storage of rows")


@helper
def entry_hash(column: Any, value: Any) -> Any:
    """The hash of one number in its column. The hash of 0 is 0, so stored zeros do not change the sum."""
    if value == 0:
        return np.uint64(0)
    x = np.float64(value).view(np.uint64) ^ ((np.uint64(column) + np.uint64(1)) * COLUMN)
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


_makers: list[Callable[[Any, Any], Storage | None]] = []


def storage(make: Callable[[Any, Any], Storage | None]) -> Callable[[Any, Any], Storage | None]:
    """Register `make(X, constant)`: the rows of X in this storage, or None if this storage does not take X."""
    _makers.append(make)
    return make


def rows_of(X: Any, constant: Any) -> Storage:
    """The rows of a matrix, in place. Raises an error for masked arrays and for indices that point outside the matrix."""
    import_all(__name__)
    checked(X)
    for make in _makers:
        rows = make(X, constant)
        if rows is not None:
            return rows
    raise TypeError(f"no storage for {type(X).__name__}: give a two-dimensional NumPy array or a SciPy CSR matrix")


def numbers_of(array: Array) -> Array:
    """A read-only view of the numbers of a matrix; of a copy in float64 if they are whole, or floats of 16 bits."""
    small = array.dtype.kind in "biu" or (array.dtype.kind == "f" and array.itemsize < 4)
    return read_only(array.astype(np.float64) if small else array)


def read_only(array: Array) -> Array:
    """A view that cannot be written to, or a copy if the bytes are in another order than this machine's.

    It has one type for numba, whether or not the user's array is writeable.
    """
    view = array.astype(array.dtype.newbyteorder("="), copy=False).view()
    view.flags.writeable = False
    return view
