"""The widest separator, with a proof of how near to the widest it is: its margin below, points of hulls above (F28, F7)."""

import time
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import alone
from novikoff.proof.certificate import Certificate, Margin, Separable
from novikoff.proof.exact import weights
from novikoff.solve.nearest_point import Nearest, OutOfTimeError, deadline, nearest_exactly
from novikoff.solve.separability.linear import ROUNDS, Question

QUICK = 1e-9  # for wider gaps than this, floats with an error bound tell the upper end well enough


def max_margin(
    X: Any, y: Any, *, gap: float = 1e-3, fit_intercept: bool = True, positive: Any = None, budget: float | None = None
) -> Certificate:
    """The widest separator: its margin is proved to be within the relative `gap` of the widest.

    The margin is the distance of the nearest row, as that of a support vector machine. Its interval says how near it is to the
    widest; the rows of `hull` are those that support it. Inseparable data gives Inseparable. After a `budget`, in seconds
    (default: no limit), the search ends with the widest separator so far, whose interval may be wider than the gap, or with
    Undecided if none was found.

    >>> round(max_margin([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).margin.high, 6)  # √2 / 4
    0.353553
    """
    if not 0 < gap < 1:
        raise ValueError(f"the gap is a share between 0 and 1; it is {gap!r}")
    until = deadline(budget)
    question = Question.about(X, y, fit_intercept, positive=positive)
    found = question.decided(budget)
    with alone:
        return _widened(question, found, gap, until) if isinstance(found, Separable) and _has_margin(question) else found


def with_constant_column(X: Matrix) -> Matrix:
    """The rows with a last column of ones: without an intercept, their margin is that of the extended space."""
    ones = np.ones((X.shape[0], 1))
    return sp.csr_array(sp.hstack([X, sp.csr_array(ones)])) if sp.issparse(X) else np.hstack([X, ones])


def _has_margin(question: Question) -> bool:
    """Whether there is a widest one. With an intercept, a hyperplane may be as far from the rows of one class as one likes."""
    return not question.z.fit_intercept or bool(question.is_yes.any() and not question.is_yes.all())


def _widened(question: Question, found: Separable, gap: float, until: float) -> Separable:
    """The same with a margin whose ends are within the gap, if there is time: in floats if they do, else exactly."""
    w = np.array([float(v) for v in [*found.weights.tolist(), *([found.intercept] if question.z.fit_intercept else [])]])
    working = question.lowest_of_both(w, question.at_a_time(4))
    best, columns = found, question.even_scales()
    sizes = np.ones(len(question.z))
    near: Nearest | None = None
    for _ in range(ROUNDS):
        if time.monotonic() >= until:
            break
        near = question.nearest_of(working, columns, sizes, gap / 4, near, until)
        hull = question.hull_with(working[near.chosen], near.multipliers)
        w = question.with_best_intercept(np.nan_to_num(near.at * columns))
        exact = weights(w.tolist())
        least = question.z.least(exact)[1]
        high = min(best.margin.high, question.upper_end(hull, quickly=gap > QUICK))
        if high < best.margin.high:
            best = Separable(best.data, best.weights, best.intercept, Margin(best.margin.low, high), hull)
        if least > 0 and (low := question.lower_end(exact, least)) > best.margin.low:
            best = question.separated_by(exact, Margin(low, best.margin.high), best.hull)
        if best.margin.low >= (1 - gap) * best.margin.high:
            break
        fresh = np.setdiff1d(question.lowest_of_both(w, question.at_a_time(2)), working)
        if not len(fresh):
            with suppress(OutOfTimeError):
                return _widened_exactly(question, near._replace(chosen=working[near.chosen]), columns, gap, until)
            break
        working, near = question.grown(working, near, fresh)
    return best


def _widened_exactly(question: Question, start: Nearest, columns: Array, gap: float, until: float) -> Separable:
    ones = np.ones(len(question.z))
    rows, multipliers, exact = nearest_exactly(question.z, columns, ones, start, Fraction(gap) / 2, until)
    hull = question.hull_with(np.array(rows), np.array(multipliers, object))
    margin = Margin(question.lower_end(exact, question.z.least(exact)[1]), question.upper_end(hull, quickly=False))
    return question.separated_by(exact, margin, hull)
