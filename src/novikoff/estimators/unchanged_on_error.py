"""Estimators that stay as they were when a call fails."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unchanged_on_error(estimator: object) -> Iterator[None]:
    """Restore the estimator's attributes if the block raises an error. Ctrl-C is not an error: what was learned stays."""
    before = dict(vars(estimator))
    try:
        yield
    except Exception:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
