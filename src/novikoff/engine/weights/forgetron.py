"""The Forgetron: a kernel perceptron that stores so many mistakes and no more [dekel2008forgetron].

A mistake beyond the budget B makes room for itself: w is shrunk by a factor φ ≤ 1, and then the oldest example that is stored
is dropped. That costs Ψ = σ² + 2σ(1 − μ/R²), where σ is the size of its coefficient and μ its margin, both after shrinking; φ is
the largest for which all costs so far are at most 15/32 of the mistakes.

Against any u of norm at most U = ¼·√((B + 1)/ln(B + 1))/R, with B ≥ 84, the mistakes are at most 2R²‖u‖² + 4L(u).
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.readouts import turn
from novikoff.engine.rule import Bound, Evidence, NoBound, void
from novikoff.engine.skipping import Everything, due, due_later, moved, right
from novikoff.engine.storages import Array, add

SHARE = 15 / 32
LEAST = 84  # the smallest budget that the theorem speaks of


class Forgotten(NamedTuple):
    """What forgetting has cost each vector: carried along with its weights."""

    spent: Array  # ΣΨ
    shrunk: Array  # Σ (1 − φ)/(1 + φ)


class Forgetting(NamedTuple):
    """A watch that makes room. Stored rows are in the order of their age."""

    budget: int
    radius_sq: float
    stored: Array  # how many each vector has
    oldest: Array  # none before this one is stored
    spent: Array
    shrunk: Array


@turn.register(Forgotten)
def _turn(carry: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    pass


def nothing_forgotten(team: Any, before: Forgotten | None) -> Forgotten:
    return before or Forgotten(np.zeros(len(team.w)), np.zeros(len(team.w)))


for question in (due, due_later, right):  # every row is read
    question.register(Forgetting)(question.registry[Everything])


@moved.register(Forgetting)
def _moved(watch: Any, v: Any, i: Any, y: Any, margin: Any, tau: Any, sheet: Any, team: Any) -> None:
    if tau == 0:  # a mistake whose step is too small to exist
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
    """What the theorem says of a run with this budget, compared with u, or why it says nothing."""
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
