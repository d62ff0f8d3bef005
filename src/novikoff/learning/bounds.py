"""Bounds on a run, computed from its ledger and its rows: F5–F7, F23–F27.

Nothing here is a certificate: these are sums of floats, with rounding. Only the certificate is a proof.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import Bound, Evidence, NoBound, void
from novikoff.foundation.array_types import Array
from novikoff.learning.cycles import Cycle
from novikoff.learning.learner import Learner
from novikoff.learning.origin import FarOrigin, far_origin
from novikoff.learning.run import Pass
from novikoff.learning.second_order_bound import second_order_bound
from novikoff.proof.certificate import Certificate, ManySeparable, Separable

SCALINGS = np.geomspace(1e-3, 1e3, 121)  # of u, around the one with median margin 1; each gives a valid bound


class Course(NamedTuple):
    """How w changed, after each update: w·u and ‖w‖² (the two lemmas of F5), and the cosine between w and u that they bound."""

    updates: Array  # 1, 2, 3, …
    w_u: Array  # w·u, u of norm 1
    w_sqnorm: Array  # ‖w‖²
    cosine: Array  # cos(w, u)
    steps: Array  # Στ, which is k if every step is 1
    margin: float  # min u·z/‖u‖ over the rows: w·u ≥ margin·Στ; if it is not positive, u does not separate the data
    growth: float | NoBound  # the most that an update adds to ‖w‖²: R² for F1, (1 + 2c)R² for F23


@dataclass(frozen=True)
class Facts:
    """What is known of one vector's run. `margin` is the interval of γ*: (0, …) if no separator is known.

    If all classes learned at once, margins and u are those of all of them together (F25).
    """

    rows: int
    passes: int
    per_pass: tuple[Pass, ...] | None  # the updates and mistakes of this vector; None if the ledger is not complete
    updates: int
    mistakes: int
    radius: float
    margin: tuple[float, float] | NoBound
    by_margin: Bound | NoBound  # with the best separator known (F5 and similar)
    by_losses: Bound | NoBound  # with u and its hinge losses, for any data (F6 and similar)
    by_losses_simply: float | None  # F6 in its first form, R²‖u‖² + 2L; only for the rule that it is about
    u: Array  # the comparison vector in its best scaling, the bias last; for many classes at once, one row per class
    losses: float  # Σ max(0, 1 − u·z) over all rows fed; a row in three passes counts three times
    course: Course | None  # None if the ledger is not complete, or the updates give no bound on margins
    cycle: Cycle | None = None
    extended: bool = False  # whether margins and R count the bias as a weight
    at_once: bool = False  # whether all classes learned at once, and a z is √2 times as long as its row
    prepared: bool = False  # whether the learner saw prepared rows: all numbers are about those
    origin: FarOrigin | None = None  # where it is so far away that centred rows would have much smaller bounds

    def __str__(self) -> str:
        rows = f"{self.rows:,} prepared rows" if self.prepared else f"{self.rows:,} rows"
        fed = f"{self.passes} {'pass' if self.passes == 1 else 'passes'} over {rows}"
        made = (
            f"{self.mistakes:,} mistakes"
            if self.updates == self.mistakes
            else f"{self.updates:,} updates, {self.mistakes:,} of them mistakes"
        )
        together = ", all classes at once (F25)" if self.at_once else ""
        space = " in the extended space" if self.extended else ""
        said = [f"{made} in {fed}{together}; no row is longer than R = {self.radius:.4g}."]
        if isinstance(self.margin, NoBound):
            said.append(f"Of the margin the run says nothing: {self.margin.why}.")
        elif self.margin[0] > 0:
            said.append(
                f"The margin{space} is at least {self.margin[0]:.4g}, that of a separator known, "
                f"and at most {self.margin[1]:.4g} by the updates (F7)."
            )
        elif self.margin[1] < inf:
            said.append(f"No separator is known; by the updates none has a margin{space} above {self.margin[1]:.4g} (F7).")
        said.append(_sentence(self.by_margin, "With the best separator known"))
        said.append(_sentence(self.by_losses, f"With hinge losses of {self.losses:.4g} in all"))
        if self.by_losses_simply is not None:
            form = "2R²‖u‖² + 2L" if self.at_once else "R²‖u‖² + 2L"
            said.append(f"The same in its first form, {form}: at most {self.by_losses_simply:,.1f}.")
        if self.cycle is not None:
            said.append(f"{self.cycle} (F9).")
        if self.origin is not None:
            said.append(self.origin.sentence)
        return "\n".join(said)


def _sentence(bound: Bound | NoBound, when: str) -> str:
    if isinstance(bound, NoBound):
        return f"{when}: no bound, since {bound.why}."
    return f"{when}: at most {bound.value:,.1f} {bound.of} ({bound.theorem})."


def known_margin(learner: Learner, certificate: Certificate) -> float:
    """A margin of the rows of the certificate, as used in `Learner.bound`; 0 if no separator is known."""
    if not isinstance(certificate, Separable | ManySeparable):
        return 0.0
    low = certificate.extended_margin if isinstance(certificate, Separable) else certificate.margin.low
    return low * learner.strategy.margin_factor(len(learner.classes))


def by_margin(learner: Learner, radius: float, margin: float) -> Bound | NoBound:
    """The bound from the best separator known: F5 and similar."""
    return learner.bound(Evidence(radius, 1 / margin)) if margin > 0 else NoBound("no separator is known")


def facts(
    learner: Learner, examples: Examples, v: int, run: Sequence[Pass], certified: float = 0.0, u: Array | None = None
) -> Facts:
    """The facts of vector v after these passes over these examples and nothing else. u (default: the answering weights).

    `certified` is a proved margin of some weights, 0 if there are none.
    """
    fed, passes, radius, ledger = examples.fed, len(run), examples.radius, learner.ledgers[v]
    if u is None:
        u = learner.weights() if learner.strategy.at_once else learner.weights()[v]
    scores, along, u_norm = learner.strategy.margins(learner.space, examples, learner.team, ledger, v, u)
    bound = learner.bound if learner.confidence is None else second_order_bound(learner, examples, v, scores, u_norm)
    scale, evidence, best = _best_scaling(bound, scores[fed], u_norm, radius, passes)
    voided = learner.margins_void()
    high = sqrt(ledger.tally.hull_sq) if ledger.updates else inf
    own = float(scores[fed].min()) / u_norm if u_norm else 0.0
    low = max(certified, own if own > 0 and own > learner.space.rounding(u, u_norm, radius) else 0.0)
    return Facts(
        rows=len(fed),
        passes=passes,
        per_pass=_per_pass(learner, v, run, len(fed)),
        updates=ledger.updates,
        mistakes=ledger.mistakes,
        radius=radius,
        margin=voided or (low, max(low, high)),  # rounding may make high smaller than low
        by_margin=by_margin(learner, radius, low),
        by_losses=best,
        by_losses_simply=_first_form(learner, scores[fed], u_norm, radius, passes) if isinstance(best, Bound) else None,
        u=u * scale,
        losses=evidence.losses,
        course=_course(learner, examples, v, along, u_norm, own),
        extended=bool(learner.constant),
        at_once=learner.strategy.at_once,
        origin=far_origin(learner, examples),
    )


def _evidence(scores: Array, u_norm: float, radius: float, passes: int, scale: float) -> Evidence:
    short = np.maximum(0.0, 1.0 - scale * scores)
    return Evidence(radius, scale * u_norm, passes * float(short.sum()), passes * float((short * short).sum()))


def _scalings(scores: Array) -> Array:
    middle = float(np.median(np.abs(scores)))
    return SCALINGS / middle if middle > 0 else SCALINGS


def _best_scaling(
    bound: Callable[[Evidence], Bound | NoBound], scores: Array, u_norm: float, radius: float, passes: int
) -> tuple[float, Evidence, Bound | NoBound]:
    """The scaling of u with the smallest bound."""
    tried = []
    for scale in _scalings(scores).tolist():
        evidence = _evidence(scores, u_norm, radius, passes, scale)
        found = bound(evidence)
        tried.append((inf if isinstance(found, NoBound) else found.value, scale, evidence, found))
    _, scale, evidence, found = min(tried, key=lambda one: one[0])
    return scale, evidence, found


def _first_form(learner: Learner, scores: Array, u_norm: float, radius: float, passes: int) -> float | None:
    if not hasattr(learner.rule, "simple_bound") or learner.budget is not None:
        return None
    z_radius = sqrt(learner.stretch_sq) * radius
    each = (_evidence(scores, u_norm, z_radius, passes, scale) for scale in _scalings(scores).tolist())
    return min(float(learner.rule.simple_bound(evidence)) for evidence in each)


def sqnorms(entries: Any, z_sqnorm: Array) -> Array:
    """‖w‖² after each update from w = 0: a step τ adds τ·(2·margin + τ·‖z‖²) to it. `z_sqnorm` is ‖z‖² of each update."""
    return np.cumsum(entries.step * (2 * entries.margin + entries.step * z_sqnorm))


def _per_pass(learner: Learner, v: int, run: Sequence[Pass], rows: int) -> tuple[Pass, ...] | None:
    """The passes with the updates and mistakes of vector v. If it is the only vector, these are the totals."""
    ledger = learner.ledgers[v]
    if len(learner.ledgers[learner.answering]) == 1:
        return tuple(run)
    if not ledger.complete:
        return None
    entries = ledger.entries
    number = entries.t // rows
    updates = np.bincount(number, minlength=len(run)).tolist()
    mistakes = np.bincount(number[~(entries.margin > 0)], minlength=len(run)).tolist()
    return tuple(one._replace(updates=k, mistakes=m) for one, k, m in zip(run, updates, mistakes, strict=True))


def _growth(learner: Learner, radius_sq: float) -> float | NoBound:
    if (nothing := void(Evidence(1.0, 1.0, weighted=learner.weighted))) is not None:
        return nothing
    if not hasattr(learner.rule, "growth"):
        return NoBound(f"the steps of {type(learner.rule).__name__} differ, and what one adds to ‖w‖² is not bounded")
    return float(learner.rule.growth(learner.stretch_sq * radius_sq))


def _course(learner: Learner, examples: Examples, v: int, along: Array, u_norm: float, margin: float) -> Course | None:
    """`along` is u·z of each update, `margin` the margin of u."""
    ledger = learner.ledgers[v]
    if not ledger.complete or not u_norm or learner.margins_void() is not None:
        return None
    entries = ledger.entries
    row = entries.row - (learner.rows_fed - len(examples))
    if len(row) and row.min() < 0:
        return None
    w_u = np.cumsum(entries.step * along) / u_norm
    w_sqnorm = sqnorms(entries, learner.stretch_sq * examples.sheet.sqnorm[row])
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine: Any = w_u / np.sqrt(w_sqnorm)
    growth = _growth(learner, float(examples.radius_sq))
    return Course(np.arange(1, len(row) + 1), w_u, w_sqnorm, cosine, np.cumsum(entries.step), margin, growth)
