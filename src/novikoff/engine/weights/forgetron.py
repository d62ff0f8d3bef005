"""The Forgetron: a kernel perceptron that stores at most a given number of mistakes [dekel2008forgetron].

On a mistake beyond the budget B, w is shrunk by a factor φ ≤ 1, and then the oldest stored example is dropped. That costs
Ψ = σ² + 2σ(1 − μ/R²), where σ is the size of its coefficient and μ its margin, both after shrinking. φ is the largest factor
for which all costs so far are at most 15/32 of the mistakes.

Against any u of norm at most U = ¼·√((B + 1)/ln(B + 1))/R, with B ≥ 84, the mistakes are at most 2R²‖u‖² + 4L(u).
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.readouts import foretell, turn
from novikoff.engine.rules import Bound, Evidence, NoBound, void
from novikoff.engine.skipping import Everything, due, due_later, moved, reads_all, right
from novikoff.engine.storages import add, decide
from novikoff.foundation.array_types import Array

SHARE = 15 / 32
LEAST = 84  # the smallest budget that the theorem covers


class Forgotten(NamedTuple):
    """What dropping rows has cost each vector. Kept together with its weights."""

    spent: Array  # ΣΨ
    shrunk: Array  # Σ (1 − φ)/(1 + φ)


class Forgetting(NamedTuple):
    """A watch that drops rows beyond the budget. Stored rows are in order of age."""

    budget: int
    radius_sq: float
    stored: Array  # the number of stored rows of each vector
    oldest: Array  # no row before this one is stored
    spent: Array
    shrunk: Array


@turn.register(Forgotten)
def _turn(state: Any, confidence: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    pass


@foretell.register(Forgotten)
def _foretell(state: Any, t: Any, i: Any, sheet: Any, team: Any, out: Any, spare: Any) -> None:
    decide(sheet.rows, i, team.w, out)


def nothing_forgotten(team: Any, before: Forgotten | None) -> Forgotten:
    return before or Forgotten(np.zeros(len(team.w)), np.zeros(len(team.w)))


for question in (due, due_later, reads_all, right):  # every row is read
    question.register(Forgetting)(question.registry[Everything])


@moved.register(Forgetting)
def _moved(watch: Any, v: Any, i: Any, y: Any, margin: Any, tau: Any, sheet: Any, team: Any) -> None:
    if tau == 0:  # a mistake whose step underflowed to 0
        return
    watch.stored[v] += 1
    if watch.stored[v] > watch.budget:
        w, n = team.w[v], len(sheet.rows.own)
        r = watch.oldest[v]
        while w[n + r] == 0:
            r += 1
        sigma = abs(w[n + r])
        mu = (w[r] if w[n + r] > 0 else -w[r]) / watch.radius_sq
        square = sigma * (sigma - 2 * mu)
        left = SHARE * team.mistakes[v] - watch.spent[v]
        phi = 1.0
        if square + 2 * sigma > left:
            phi = max(0.0, left / (sigma + (sigma * sigma + square * left) ** 0.5))
        for j in range(len(w)):
            w[j] *= phi
        coefficient = w[n + r]
        gone = coefficient * (coefficient * sheet.sqnorm[r] - 2 * w[r])
        team.w_sqnorm[v] = max(0.0, phi * phi * team.w_sqnorm[v] + gone)
        add(sheet.rows, r, w, -coefficient)
        w[n + r] = 0
        watch.spent[v] += phi * (phi * square + 2 * sigma)
        watch.shrunk[v] += (1 - phi) / (1 + phi)
        watch.stored[v] -= 1
        watch.oldest[v] = r + 1


def bound(budget: int, evidence: Evidence) -> Bound | NoBound:
    """The bound of the theorem for a run with this budget, compared with u, or why there is none."""
    if (nothing := void(evidence)) is not None:
        return nothing
    if budget < LEAST:
        return NoBound(f"the Forgetron's theorem speaks of budgets from {LEAST} on, and this is {budget}")
    reach = sqrt((budget + 1) / log(budget + 1)) / 4
    if evidence.u_norm * evidence.radius > reach:
        return NoBound(
            f"a budget of {budget} competes with vectors u for which R·‖u‖ is at most {reach:.3g}, "
            f"and of this one it is {evidence.u_norm * evidence.radius:.3g}: a larger budget would do"
        )
    growth = (evidence.radius * evidence.u_norm) ** 2
    return Bound("mistakes", 2 * growth + 4 * evidence.losses, "the Forgetron's bound, 2R²‖u‖² + 4L(u)")
