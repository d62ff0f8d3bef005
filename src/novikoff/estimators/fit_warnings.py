"""Warnings after a fit: columns of very different scales, a far-away origin, and a run that ended without a clean pass."""

import os
import warnings
from inspect import currentframe

import joblib  # type: ignore[import-untyped]
import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.origin import FarOrigin, was_slow
from novikoff.learning.run import Run, StopReason

APART = 100  # columns differ in scale by more than this
SMALL = 0.1  # so many columns may be smaller still: rare words have small values
ENOUGH_ROWS = 20  # fewer say little about scales
SAMPLE = 1000  # rows that are looked at
SCALES = (
    f"columns differ in scale by more than {APART} times; the large ones decide nearly alone. Scale them first, with "
    "novikoff.Prepared or sklearn.preprocessing.StandardScaler."
)
CENTRE = "centre them first, with novikoff.Prepared(centre=True) or sklearn.preprocessing.StandardScaler."
INSIDE = tuple(os.path.join(os.path.dirname(package.__file__ or ""), "") for package in (novikoff, sklearn, joblib))

Line = tuple[str, int]  # file and number
_searches: set[tuple[Line, type]] = set()  # lines that have fitted through scikit-learn, and what they were warned of


class ScaleRemark(UserWarning):
    """Columns differ so much in scale that the large ones alone decide how many mistakes are possible (F11)."""


class OriginRemark(UserWarning):
    """The rows lie so far from the origin that a bias is learned slowly, and bounds are large (F11)."""


def warn_of_rows(X: Matrix, run: Run, origin: FarOrigin | None) -> None:
    """Warn if the columns of the training rows differ much in scale, or the origin is far away and the run was slow.

    Scaled columns are centred as well, so there is one warning at most.
    """
    if scales_differ(X):
        _warn_once(SCALES, ScaleRemark)
    elif origin is not None and was_slow(run):
        _warn_once(f"{origin}; {CENTRE}", OriginRemark)


def _warn_once(text: str, kind: type[Warning]) -> None:
    """Warn, once for all fits of a search.

    With the same text at the same line, Python's filter would do that, but scikit-learn resets it before each fit.
    """
    level, line, by_others = _caller()
    if not (by_others and (line, kind) in _searches):
        warnings.warn(text, kind, stacklevel=level)
    if by_others:
        _searches.add((line, kind))


def scales_differ(X: Matrix) -> bool:
    """Whether the largest column is more than APART times larger than a small one. Columns of zeros do not count."""
    rows = X.shape[0]
    if rows < ENOUGH_ROWS or X.dtype == object:
        return False
    some = X if rows <= SAMPLE else X[np.linspace(0, rows - 1, SAMPLE).astype(np.int64)]
    scales = _largest_in_columns(some)
    scales = scales[scales > 0]
    return bool(len(scales) and scales.max() / APART > np.quantile(scales, SMALL, method="lower"))


def _largest_in_columns(X: Matrix) -> Array:
    """The largest absolute value of each column."""
    if sp.issparse(X):
        largest = np.zeros(X.shape[1])
        np.maximum.at(largest, X.indices, np.abs(X.data))
        return largest
    return np.asarray(np.maximum(X.max(axis=0), -X.min(axis=0).astype(np.float64)))


def _caller() -> tuple[int, Line, bool]:
    """The first line outside novikoff, scikit-learn and joblib; and whether it called `fit` through one of the other two.

    The number is its level for `warnings.warn` in the function that calls this.
    """
    frame, level, by_others = currentframe(), 0, False
    assert frame is not None, "CPython has frames"
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        by_others |= frame.f_code.co_filename.startswith(INSIDE[1:])
        frame, level = frame.f_back, level + 1
    return level, (frame.f_code.co_filename, frame.f_lineno), by_others


def warn_unless_clean(run: Run, rows: int, *, max_iter: int | None, ledger_cap: int, votes: bool) -> None:
    """Warn if the run ended without a clean pass, and say what to do. With max_iter=None, passes need not be clean."""
    message = _without_clean_pass(run, rows, max_iter, ledger_cap, votes)
    if message is not None:
        warnings.warn(message, ConvergenceWarning, stacklevel=_caller()[0])


def _without_clean_pass(run: Run, rows: int, max_iter: int | None, ledger_cap: int, votes: bool) -> str | None:
    if run.errors is None:
        return None
    wrong = f"{run.errors:,} of {rows:,} training rows are still answered wrongly"
    if votes:
        wrong += " by the last weights"
    match run.stop_reason:
        case StopReason.MAX_ITER if max_iter is not None:
            if run.cycles:
                advice = f"More passes will not help: {next(iter(run.cycles.values()))}. See certificate_."
            elif run.errors:
                advice = "Either the data is not separable, and more passes will not help, or it needs more: raise max_iter."
            else:
                advice = "One more pass might have been clean: raise max_iter."
            return f"no clean pass in max_iter={max_iter}: {wrong}. {advice}"
        case StopReason.INTERRUPTED:
            return f"interrupted in pass {len(run.passes)}: the model is what was learned until then; {wrong}."
        case StopReason.LEDGER_FULL:
            return (
                f"stopped in pass {len(run.passes)}: voting needs every update, and there were more than "
                f"ledger_cap={ledger_cap}; {wrong}. Raise ledger_cap, or use readout='averaged'."
            )
    return None
