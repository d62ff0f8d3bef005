"""Systems of constraints in exact arithmetic: their ends, and the rows that a point violates."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from novikoff.foundation.array_types import Matrix
from novikoff.proof.exact import EPSILON, Signed, Weights
from novikoff.proof.rational_matrix import Ends, RationalMatrix, rational
from novikoff.proof.rationals import Number


def row_ends(A: Matrix | RationalMatrix, lower: Any, upper: Any, bounds: Any) -> tuple[Ends, Ends, Ends, Ends]:
    """lower and upper for each row, and the bounds of each coordinate. What is not a number, or has another shape, is refused."""
    low, high = (None, None) if bounds is None else _pair(bounds)
    return (
        _ends(lower, A.shape[0], "lower", -np.inf, "row"),
        _ends(upper, A.shape[0], "upper", np.inf, "row"),
        _ends(low, A.shape[1], "the lower bounds", -np.inf, "column"),
        _ends(high, A.shape[1], "the upper bounds", np.inf, "column"),
    )


def coefficients(objective: Any, columns: int) -> Ends:
    """An objective: one finite number for each column."""
    found = objective if isinstance(objective, Ends) else _of_python(objective, "the objective", np.nan)
    if found.floats.shape != (columns,):
        raise ValueError(f"the objective has shape {found.floats.shape}; it needs one number for each of the {columns} columns")
    if not np.isfinite(found.floats).all():
        raise ValueError(f"the objective of column {int(np.flatnonzero(~np.isfinite(found.floats))[0])} is not a finite number")
    return found


def _pair(bounds: Any) -> tuple[Any, Any]:
    """(least, largest) for all coordinates, or for each a pair, either of whose ends may be None."""
    listed = list(bounds) if isinstance(bounds, Iterable) else []
    if len(listed) == 2 and (all(isinstance(end, Ends) for end in listed) or not any(map(np.ndim, listed))):
        return listed[0], listed[1]
    if not isinstance(bounds, Iterable) or any(np.ndim(pair) != 1 or len(pair) != 2 for pair in listed):
        raise ValueError("bounds are a pair of numbers, or such a pair for each column; None stands for no bound")
    if isinstance(bounds, np.ndarray) and bounds.dtype != object:
        return bounds[:, 0], bounds[:, 1]
    return [a for a, _ in listed], [b for _, b in listed]


def _ends(values: Any, length: int, name: str, none: float, what: str) -> Ends:
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, which hides numbers: an infinity stands for no end")
    ends = values if isinstance(values, Ends) else _of_python(values, name, none)
    if ends.floats.ndim == 0:
        ends = Ends(np.full(length, ends.floats), dict.fromkeys(range(length), ends.exact[0]) if ends.exact else {})
    if ends.floats.shape != (length,):
        raise ValueError(f"{name} has shape {ends.floats.shape}; it needs one number for each of the {length} {what}s")
    wrong = np.flatnonzero(np.isnan(ends.floats) | (ends.floats == -none))
    if len(wrong):
        raise ValueError(f"{name} of {what} {wrong[0]} is {ends.floats[wrong[0]]}, which no number satisfies")
    return ends


def _of_python(values: Any, name: str, none: float) -> Ends:
    """Numbers of any kind, or one number for all, in which None stands for no end."""
    given = np.asarray(values, object if isinstance(values, list | tuple) or values is None else None)
    if given.dtype.kind == "f" and given.dtype.itemsize <= 8:
        return Ends(given.astype(np.float64))
    if given.dtype.kind not in "Obiu":
        raise ValueError(f"{name} must be whole numbers, float32, float64, fractions or decimals, not {given.dtype}")
    if given.ndim > 1:
        raise ValueError(f"{name} has shape {given.shape}; it needs one number for each row or column, or one for all")
    try:
        numbers = [none if value is None else _rational_or_nan(value) for value in given.ravel().tolist()]
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    found = Ends.of(numbers)
    return Ends(found.floats.reshape(given.shape), found.exact)


def _rational_or_nan(value: Any) -> Number:
    return value if isinstance(value, float) else rational(value)


def violated(z: Signed, w: Weights, lower: Ends, upper: Ends) -> int | None:
    """The first row that does not have lower ≤ w·z ≤ upper, in exact arithmetic; None if every row does."""
    s = z.scores(w.floats)
    with np.errstate(invalid="ignore", over="ignore"):
        # A difference is wrong by at most 2⁻⁵³ times the sum of both sizes, and an end by 2⁻⁵³ times its own.
        room = np.minimum(s - lower.floats, upper.floats - s)
        ends = np.maximum(*(np.where(np.isfinite(end.floats), np.abs(end.floats), 0.0) for end in (lower, upper)))
        doubt = z.doubts(w.floats, np.arange(len(z))) + EPSILON * (np.abs(s) + ends) if any(w.whole) else np.zeros(len(z))
        open_rows = np.flatnonzero(~((room >= doubt) & (doubt < math.inf)))
    for i in open_rows.tolist():
        if not lower[i] <= z.score(i, w) <= upper[i]:
            return i
    return None
