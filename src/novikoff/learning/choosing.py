"""Choosing the settings of AROW by progressive error: each candidate answers every row before it learns from it.

So its errors are honest, one pass over a part of the rows is enough, and no row is held out [dawid1984prequential].

AROW with Σ = I at first takes the same steps with r as with r₀ and Σ = (r₀/r)·I. So candidates that differ in r alone learn
side by side, as vectors of one team.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.confidences import find_confidence
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.readouts.last import Last
from novikoff.engine.rules.arow import Arow
from novikoff.engine.skipping import Everything
from novikoff.engine.sweep import Team, new_page, sweep
from novikoff.foundation.array_types import Array
from novikoff.learning.class_weights import ClassWeight, check_class_weight, class_weights
from novikoff.learning.multiclass import find_multiclass
from novikoff.learning.sweeping import rule_for, runnable

ROWS = 2000  # that a candidate is tried on: with fewer rows, they are shuffled and tried again
TRIALS = 3  # at most so many times
FEW = 64  # columns for which settings are tried; for more, the first is about as good as any
FEW_WEIGHTS = 128  # and weights, if all classes learn at once
ROWS_PER_COLUMN = 16  # with fewer rows, a difference within one standard error is no reason to be less cautious
FULL_NUMBERS = 2**18  # in the matrices of all classes; larger ones are not tried, as that takes long


class Choice(NamedTuple):
    """Settings of AROW."""

    r: Any
    confidence: Any
    multiclass: str

    def completing(self, given: "Choice") -> "Choice":
        """These settings in place of those that are "auto"."""
        return Choice(*(chosen if _is_auto(own) else own for own, chosen in zip(given, self, strict=True)))


FIRST = Choice(1.0, "diagonal", "ovr")
DIAGONAL = (Choice(100.0, "diagonal", "ovr"), Choice(10.0, "diagonal", "ovr"), FIRST)  # the most cautious first, as below
FULL = (Choice(1.0, "full", "ovr"), Choice(0.1, "full", "ovr"))
AT_ONCE = (Choice(10.0, "diagonal", "direct"), Choice(1.0, "diagonal", "direct"))
FULL_AT_ONCE = (Choice(1.0, "full", "direct"), Choice(0.1, "full", "direct"))


def choose(given: Choice, examples: Examples, class_weight: ClassWeight, seed: int) -> Choice:
    """The given settings, with the best for these rows in place of "auto"."""
    candidates = list(dict.fromkeys(one.completing(given) for one in candidates_for(examples)))
    if len(candidates) == 1 or not len(examples.fed):  # nothing to learn from is refused later
        return candidates[0]
    return best(candidates, examples, class_weight, seed)


def candidates_for(examples: Examples) -> tuple[Choice, ...]:
    """What is tried on these rows, the most cautious first."""
    classes, width = len(examples.classes), examples.width
    if width > FEW or classes < 2:
        return (FIRST,)
    full, many = classes * (width + 1) ** 2 <= FULL_NUMBERS, classes > 2
    return DIAGONAL + FULL * full + AT_ONCE * many + FULL_AT_ONCE * (many and classes * width <= FEW_WEIGHTS)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def best(candidates: Sequence[Choice], examples: Examples, class_weight: ClassWeight, seed: int) -> Choice:
    """The candidate with the fewest errors; with few rows, the first within one standard error of it [breiman1984classification].

    The standard error is that of the number of errors among n rows.
    """
    rng, n = np.random.default_rng([seed, ROWS]), min(ROWS, len(examples.fed))
    trials = [rng.permutation(examples.fed)[:n] for _ in range(min(TRIALS, ROWS // n))]
    counts: list[int] = []
    for _, alike in groupby(candidates, _one_team):
        counts += progressive_errors(list(alike), examples, class_weight, trials)
    errors = np.array(counts) / len(trials)
    fewest = errors.min()
    few_rows = len(examples.fed) < ROWS_PER_COLUMN * examples.width
    enough = fewest + sqrt(fewest * (1 - fewest / n)) if few_rows else fewest
    return candidates[int(np.argmax(errors <= enough))]


def _one_team(choice: Choice) -> Any:
    """What candidates of one team have in common."""
    scaled = isinstance(choice.confidence, str) and choice.confidence in ("diagonal", "full")
    return choice._replace(r=None) if scaled else choice


def progressive_errors(
    candidates: Sequence[Choice], examples: Examples, class_weight: ClassWeight, trials: Sequence[Array]
) -> list[int]:
    """How many rows each candidate answers wrongly before it learns from them, over all trials. They differ in r alone."""
    _, confidence, multiclass = candidates[0]
    strategy, classes, number = find_multiclass(multiclass), examples.classes, object if examples.exact else np.float64
    alone = strategy.new_team(len(classes), examples.width + 1, number)
    weights = class_weights(check_class_weight(class_weight), examples, classes, np.zeros(len(classes), np.int64), True)
    sheet, truth = strategy.prepare(examples, alone, weights).sheet, examples.sheet.code
    rule = Arow(min(one.r for one in candidates))
    rule.check()
    sure, columns = find_confidence(confidence, rule), strategy.columns(len(classes))
    scales = [Fraction(rule.r) / Fraction(one.r) for one in candidates] if len(candidates) > 1 else []
    errors = [0] * len(candidates)
    for order in trials:
        team = Team(*(np.concatenate([column[strategy.answering]] * len(candidates)) for column in alone))
        state: Any = Plain() if sure is None else sure.new_state(len(team.w), team.w.shape[1], number)
        if scales:
            state = state._replace(sigma=_scaled(state.sigma, scales))
        members, scores = np.arange(len(team.w), dtype=np.uint32), np.zeros((len(order), len(candidates) * columns), number)
        page = new_page(len(order) * len(members), number, columns)
        run = runnable(sweep, examples)
        run(rule_for(rule, examples), state, Last(), Everything(), sheet, order, members, team, page, scores)
        for k in range(len(candidates)):
            decisions = strategy.decisions_of(scores[:, k * columns : (k + 1) * columns], len(classes))
            errors[k] += int((strategy.answers(decisions, len(classes)) != truth[order]).sum())
    return errors


def _scaled(sigma: Array, scales: Sequence[Fraction]) -> Array:
    """Σ of all vectors of a team, scaled for each candidate."""
    each: Array = sigma.reshape(len(scales), -1) * np.array(scales, sigma.dtype)[:, None]
    return each.reshape(sigma.shape)
