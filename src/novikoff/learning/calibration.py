"""Probabilities from scores, by one number a.

With the scores s_c of a row, class c has the probability exp(a·s_c), divided by the sum over all classes. With two classes, whose
score s is that of the second against the first, the second has 1 / (1 + exp(−a·s)). The a ≥ 0 maximizes the likelihood of rows
that were scored before they were learned from [platt1999probabilistic; guo2017calibration]. The most probable class is the one
with the highest score (docs/decisions/probabilities.md).

Few rows cannot show that a class is certain. As in Platt's method, each class therefore counts one more row of its own, and one
row that belongs to another class instead. Weights count as shares: that all are twice as large changes nothing.
"""

from typing import NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array

SMALL, LARGE = 1e-300, 1e300  # scores below are noise, and products above could overflow
LEAST = 1e-9  # a times the largest lead: nearly the same probability for all, in the order of the scores


class Calibration(NamedTuple):
    scale: float  # a

    def probabilities(self, decisions: Array) -> Array:
        """The probability of each class, one row for each row of decisions."""
        with np.errstate(over="ignore"):
            return _shares(np.clip(self.scale * by_class(decisions), -LARGE, LARGE))


def by_class(decisions: Array) -> Array:
    """One score for each class. With two classes, decisions have only that of the second, against the first."""
    return decisions if decisions.shape[1] > 1 else np.hstack([np.zeros_like(decisions), decisions])


def calibrated(decisions: Array, code: Array, weight: Array) -> Calibration:
    """The calibration with the greatest likelihood, for rows with these scores, classes and weights."""
    from scipy.optimize import brentq

    scores = by_class(decisions)
    scores = scores - scores.max(axis=1, keepdims=True)
    unit = float(-scores.min())
    if unit < SMALL:
        return Calibration(0.0)
    scores, weight = scores / unit, weight / weight.mean()
    weighted = weight[:, None] * scores
    aim = (weighted * smoothed_targets(code, weight, scores.shape[1])).sum()

    def slope(scale: float) -> float:
        """The derivative of the log likelihood, which is concave."""
        return float(aim - (weighted * _shares(scale * scores)).sum())

    if slope(LEAST) <= 0:  # higher scores do not go with the right class
        return Calibration(LEAST / unit)
    enough = 1.0
    while slope(enough) > 0:
        enough *= 2
    return Calibration(brentq(slope, LEAST, enough, xtol=1e-300, rtol=1e-12) / unit)


def smoothed_targets(code: Array, weight: Array, classes: int) -> Array:
    """What the probabilities of each row should be: nearly 1 for its own class."""
    rows = np.bincount(code, weight, classes)[code]
    targets = np.repeat(1 / ((rows + 2) * (classes - 1)), classes).reshape(-1, classes)
    targets[np.arange(len(code)), code] = (rows + 1) / (rows + 2)
    return targets


def _shares(logits: Array) -> Array:
    """Softmax of each row."""
    parts: Array = np.exp(logits - logits.max(axis=1, keepdims=True))
    parts /= parts.sum(axis=1, keepdims=True)
    return parts
