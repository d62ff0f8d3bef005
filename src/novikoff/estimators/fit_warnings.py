"""Warnings after a fit: a column that is much too large, and a run that ended without a clean pass."""

import warnings
from collections.abc import Sequence

from sklearn.exceptions import ConvergenceWarning

from novikoff.engine.labelled_rows import Examples
from novikoff.learning.run import Run, StopReason

STACKLEVEL = 3  # the line that called `fit`, which calls the functions below


class ScaleRemark(UserWarning):
    """One column is so much larger than the others that it alone decides how many mistakes are possible (F11)."""


def warn_of_scale(seen: Examples, names: Sequence[str] | None, scaler: str) -> None:
    """Warn if one column is much larger than all others. `scaler` is the scikit-learn class to suggest."""
    dominated = seen.dominated()
    if dominated is None:
        return
    column = dominated.column if names is None else repr(names[dominated.column])
    warnings.warn(
        f"column {column} alone makes rows up to {dominated.radius:.3g} long; without it they would be at most "
        f"{dominated.radius_without:.3g}. A large column makes the mistake bound (R/γ)² useless and slows learning: scale the "
        f"columns first, with sklearn.preprocessing.{scaler}.",
        ScaleRemark,
        stacklevel=STACKLEVEL,
    )


def warn_unless_clean(run: Run, rows: int, *, max_iter: int | None, ledger_cap: int, votes: bool) -> None:
    """Warn if the run ended without a clean pass, and say what to do."""
    message = _without_clean_pass(run, rows, max_iter, ledger_cap, votes)
    if message is not None:
        warnings.warn(message, ConvergenceWarning, stacklevel=STACKLEVEL)


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
