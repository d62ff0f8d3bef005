"""Systems of constraints in exact arithmetic: their ends as doubles, and the rows that a point violates."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from novikoff.foundation.array_types import Array, Matrix
from novikoff.proof.exact import EPSILON, Signed, Weights
from novikoff.proof.rationals import is_double


def row_ends(A: Matrix, lower: Any, upper: Any, bounds: Any) -> tuple[Array, Array, Array, Array]:
    """lower and upper for each row, and the bounds of each coordinate. What is not a double, or has another shape, is refused."""
    low, high = (-np.inf, np.inf) if bounds is None else _pair(bounds)
    return (
        _ends(lower, A.shape[0], "lower", -np.inf, "row"),
        _ends(upper, A.shape[0], "upper", np.inf, "row"),
        _ends(low, A.shape[1], "the lower bounds", -np.inf, "column"),
        _ends(high, A.shape[1], "the upper bounds", np.inf, "column"),
    )


def _pair(bounds: Any) -> tuple[Any, Any]:
    """(least, largest) for all coordinates, or for each a pair, either of whose ends may be None."""
    listed = list(bounds) if isinstance(bounds, Iterable) else []
    if len(listed) == 2 and not any(np.ndim(end) for end in listed if end is not None):
        return (-np.inf if listed[0] is None else listed[0]), (np.inf if listed[1] is None else listed[1])
    if not isinstance(bounds, Iterable) or any(np.ndim(pair) != 1 or len(pair) != 2 for pair in listed):
        raise ValueError("bounds are a pair of numbers, or such a pair for each column; None stands for no bound")
    return [(-np.inf if a is None else a) for a, _ in listed], [(np.inf if b is None else b) for _, b in listed]


def _ends(values: Any, length: int, name: str, none: float, what: str) -> Array:
    given = np.asarray(none if values is None else values)
    if given.dtype == object and given.ndim == 1:
        given = _with_ends_for_none(given.tolist(), name, none, what)
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, which hides numbers: an infinity stands for no end")
    if given.dtype.kind not in "biuf" or given.dtype.itemsize > 8:
        raise ValueError(f"{name} must be numbers that are doubles, not {given.dtype}")
    ends = given.astype(np.float64)
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and not all(map(is_double, given.ravel().tolist())):
        raise _not_doubles(name, what)
    if ends.ndim == 0:
        ends = np.full(length, ends)
    if ends.shape != (length,):
        raise ValueError(f"{name} has shape {ends.shape}; it needs one number for each of the {length} {what}s")
    if np.isnan(ends).any() or (ends == -none).any():
        k = int(np.flatnonzero(np.isnan(ends) | (ends == -none))[0])
        raise ValueError(f"{name} of {what} {k} is {ends[k]}, which no number satisfies")
    return ends


def _with_ends_for_none(values: list[Any], name: str, none: float, what: str) -> Array:
    """The values with an infinity for None. NumPy would round whole numbers that are not doubles, so these are refused."""
    if any(type(value) is int and abs(value) < 2**1023 and not is_double(value) for value in values):
        raise _not_doubles(name, what)
    return np.asarray([none if value is None else value for value in values])


def _not_doubles(name: str, what: str) -> ValueError:
    return ValueError(f"{name}: some whole numbers are not doubles; divide the {what} by a power of two")


def violated(z: Signed, w: Weights, lower: Array, upper: Array) -> int | None:
    """The first row that does not have lower ≤ w·z ≤ upper, in exact arithmetic; None if every row does."""
    s = z.scores(w.floats)
    with np.errstate(invalid="ignore", over="ignore"):
        room = np.minimum(s - lower, upper - s)  # a difference of doubles is wrong by EPSILON times the larger at most
        ends = np.maximum(*(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (lower, upper)))
        doubt = z.doubts(w.floats, np.arange(len(z))) + EPSILON * (np.abs(s) + ends) if any(w.whole) else np.zeros(len(z))
        open_rows = np.flatnonzero(~((room >= doubt) & (doubt < math.inf)))
    for i in open_rows.tolist():
        score = z.score(i, w)
        if not float(lower[i]) <= score <= float(upper[i]):
            return i
    return None
