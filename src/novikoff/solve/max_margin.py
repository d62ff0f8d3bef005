"""The widest separator, with a proof of how near to the widest it is: its margin below, a point of the hull above (F7)."""

from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.foundation.parallel import alone
from novikoff.proof.certificate import Certificate, Hull, Margin, Separable
from novikoff.proof.exact import weights
from novikoff.proof.rationals import root_above, root_below
from novikoff.solve.nearest_point import Nearest, nearest_exactly
from novikoff.solve.separability.linear import AT_A_TIME, ROUNDS, Question


def max_margin(X: Any, y: Any, *, gap: float = 1e-3, fit_intercept: bool = True, positive: Any = None) -> Certificate:
    """The widest separator: its margin is proved to be within the relative `gap` of the widest.

    The margin's interval says how near it is; the rows of `hull` are those that support it. Inseparable data gives Inseparable.
    """
    if not 0 < gap < 1:
        raise ValueError(f"the gap is a share between 0 and 1; it is {gap!r}")
    question = Question.about(X, y, fit_intercept, positive=positive)
    found = question.decided(None)
    with alone:
        return _widened(question, found, gap) if isinstance(found, Separable) else found


def _widened(question: Question, found: Separable, gap: float) -> Separable:
    """The same with a margin whose ends are within the gap: in floats if they do, else exactly."""
    w = np.array([float(v) for v in [*found.weights.tolist(), *([found.intercept] if question.z.fit_intercept else [])]])
    working = np.argsort(question.z.scores(w), kind="stable")[: max(AT_A_TIME, 4 * question.z.length)]
    best = found
    even = question.even_scales(), np.ones(len(question.z))
    near: Nearest | None = None
    for _ in range(ROUNDS):
        near = question.nearest_of(working, *even, gap / 4, near)
        hull = Hull(tuple(working[near.chosen].tolist()), tuple(near.multipliers.tolist()))
        exact = weights(np.nan_to_num(near.at).tolist())
        least = question.z.least(exact)[1]
        high = min(best.margin.high, root_above(question.z.sqnorm_of(hull)))
        if high < best.margin.high:
            best = Separable(best.data, best.weights, best.intercept, Margin(best.margin.low, high), hull)
        if least > 0 and (low := root_below(least**2 / exact.sqnorm)) > best.margin.low:
            best = question.separated_by(exact, Margin(low, best.margin.high), best.hull)
        if best.margin.low >= (1 - gap) * best.margin.high:
            break
        low_rows = np.argsort(question.z.scores(near.at), kind="stable")[: max(AT_A_TIME, 2 * question.z.length)]
        fresh = np.setdiff1d(low_rows, working)
        if not len(fresh):
            start = near._replace(chosen=working[near.chosen])
            rows, multipliers, exact = nearest_exactly(question.z, *even, start, Fraction(gap))
            hull = Hull(tuple(rows), tuple(multipliers))
            low = root_below(question.z.least(exact)[1] ** 2 / exact.sqnorm)
            return question.separated_by(exact, Margin(low, root_above(question.z.sqnorm_of(hull))), hull)
        working = np.concatenate([working, fresh])
    return best
