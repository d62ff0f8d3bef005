"""Choosing the settings of AROW by progressive error: each candidate answers every row before it learns from it.

So its errors are honest, one pass over a part of the rows is enough, and no row is held out [dawid1984prequential].
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.learning.learner import Learner

ROWS = 2000  # that a candidate is tried on: with fewer rows, they are shuffled and tried again
TRIALS = 3  # at most so many times
FEW = 64  # columns for which settings are tried; for more, the first is about as good as any
FEW_WEIGHTS = 128  # and weights, if all classes learn at once


class Choice(NamedTuple):
    """Settings of AROW."""

    r: Any
    confidence: Any
    multiclass: str

    def completing(self, given: "Choice") -> "Choice":
        """These settings in place of those that are "auto"."""
        return Choice(*(chosen if _is_auto(own) else own for own, chosen in zip(given, self, strict=True)))


FIRST = Choice(1.0, "diagonal", "ovr")
DIAGONAL = (FIRST, Choice(10.0, "diagonal", "ovr"), Choice(100.0, "diagonal", "ovr"))
FULL = (Choice(1.0, "full", "ovr"), Choice(0.1, "full", "ovr"))
AT_ONCE = (Choice(1.0, "diagonal", "direct"), Choice(10.0, "diagonal", "direct"))
FULL_AT_ONCE = (Choice(1.0, "full", "direct"), Choice(0.1, "full", "direct"))


def choose(given: Choice, learner_of: Callable[[Choice], Learner], examples: Examples, seed: int) -> Choice:
    """The given settings, with the best for these rows in place of "auto". `learner_of` makes a learner that can be tried."""
    candidates = list(dict.fromkeys(one.completing(given) for one in _candidates(examples)))
    if len(candidates) == 1 or not len(examples.fed):  # nothing to learn from is refused later
        return candidates[0]
    return best(candidates, learner_of, examples, seed)


def _candidates(examples: Examples) -> tuple[Choice, ...]:
    """What is tried on these rows. The first is taken if several are equally good."""
    if examples.width > FEW:
        return (FIRST,)
    many = len(examples.classes) > 2
    at_once = many and len(examples.classes) * examples.width <= FEW_WEIGHTS
    return DIAGONAL + FULL + AT_ONCE * many + FULL_AT_ONCE * at_once


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def best(candidates: Sequence[Choice], learner_of: Callable[[Choice], Learner], examples: Examples, seed: int) -> Choice:
    """The candidate with the fewest errors; the first of equal ones."""
    rng = np.random.default_rng([seed, ROWS])
    trials = [rng.permutation(examples.fed)[:ROWS] for _ in range(max(1, min(TRIALS, ROWS // len(examples.fed))))]
    errors = [sum(progressive_errors(learner_of(one), replace(examples, fed=fed)) for fed in trials) for one in candidates]
    return candidates[int(np.argmin(errors))]


def progressive_errors(learner: Learner, examples: Examples) -> int:
    """How many rows are answered wrongly before they are learned from."""
    decisions = learner.learn(examples, foretelling=True)
    truth = examples.coded_in(learner.classes).sheet.code
    return 0 if decisions is None else int((learner.answers(decisions) != truth)[examples.fed].sum())
