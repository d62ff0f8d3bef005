"""Choosing settings by progressive error: each candidate answers every row before it learns from it, so its errors are honest.

One pass over a part of the rows is enough to tell settings apart, and no row has to be held out [dawid1984prequential].
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.learning.learner import Learner

ROWS = 2000  # that a candidate is tried on: with fewer rows, they are shuffled and tried again
TRIALS = 3  # at most so many times
T = TypeVar("T")


def choose(candidates: Sequence[T], learner_of: Callable[[T], Learner], examples: Examples, seed: int) -> T:
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
