"""What a run proves, computed from its ledger and the rows it learned from: F5, F6, F7, F23, F24; of many classes at once, F25.

Nothing here is a certificate: these are sums in floats, rounded as floats are. The certificate has what is proved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rule import Bound, Evidence, NoBound, void
from novikoff.engine.rules import Rosenblatt
from novikoff.engine.storages import Array
from novikoff.learning.learner import Cycle, Learner, Pass
from novikoff.proof.certificate import Certificate, ManySeparable, Separable

SCALINGS = np.geomspace(1e-3, 1e3, 121)  # of u, around that where its median margin is 1; each gives a valid bound


class Course(NamedTuple):
    """How w went, after each update: towards u, in length, and in direction: F5's two lemmas, and the cosine they squeeze."""

    updates: Array  # 1, 2, 3, …
    w_u: Array  # w·u, u of norm 1
    w_sqnorm: Array  # ‖w‖²
    cosine: Array  # cos(w, u)
    steps: Array  # Στ, which is k where every step is 1
    margin: float  # min u·z/‖u‖ over the rows: w·u ≥ margin·Στ; where it is not positive, u separates nothing
    growth: float | NoBound  # no update adds more to ‖w‖²: R² for F1, (1 + 2c)R² for F23


@dataclass(frozen=True)
class Facts:
    """What is known of one vector's run. `margin` is the interval of γ*: (0, …) where no separator is known.

    Where all classes learned at once, margins and u are those of all of them together (F25).
    """

    rows: int
    passes: int
    per_pass: tuple[Pass, ...] | None  # the updates and mistakes of this vector; None where the ledger does not have them all
    updates: int
    mistakes: int
    radius: float
    margin: tuple[float, float] | NoBound
    by_margin: Bound | NoBound  # with the best separator known (F5 and its like)
    by_losses: Bound | NoBound  # with u and its hinge losses, whatever the data (F6 and its like)
    by_losses_simply: float | None  # F6 in its first form, R²‖u‖² + 2L; only for the rule that it speaks of
    u: Array  # the comparison vector, scaled as it served best, the bias last; of many classes at once, a row a class
    losses: float  # Σ max(0, 1 − u·z) over all that was fed, a row in three passes three times
    course: Course | None  # None where the ledger is not complete, or the updates say nothing of margins
    cycle: Cycle | None = None
    at_once: bool = False  # whether all classes learned at once, and a z is √2 times as long as its row

    def __str__(self) -> str:
        fed = f"{self.passes} {'pass' if self.passes == 1 else 'passes'} over {self.rows:,} rows"
        made = (
            f"{self.mistakes:,} mistakes"
            if self.updates == self.mistakes
            else f"{self.updates:,} updates, {self.mistakes:,} of them mistakes"
        )
        together = ", all classes at once (F25)" if self.at_once else ""
        said = [f"{made} in {fed}{together}; no row is longer than R = {self.radius:.4g}."]
        if isinstance(self.margin, NoBound):
            said.append(f"Of the margin the run says nothing: {self.margin.why}.")
        elif self.margin[0] > 0:
            said.append(
                f"The margin is at least {self.margin[0]:.4g}, that of a separator known, "
                f"and at most {self.margin[1]:.4g} by the updates (F7)."
            )
        elif self.margin[1] < inf:
            said.append(f"No separator is known; by the updates none has a margin above {self.margin[1]:.4g} (F7).")
        said.append(_sentence(self.by_margin, "With the best separator known"))
        said.append(_sentence(self.by_losses, f"With hinge losses of {self.losses:.4g} in all"))
        if self.by_losses_simply is not None:
            form = "2R²‖u‖² + 2L" if self.at_once else "R²‖u‖² + 2L"
            said.append(f"The same in its first form, {form}: at most {self.by_losses_simply:,.1f}.")
        if self.cycle is not None:
            said.append(f"{self.cycle} (F9).")
        return "\n".join(said)


def _sentence(bound: Bound | NoBound, when: str) -> str:
    if isinstance(bound, NoBound):
        return f"{when}: no bound, since {bound.why}."
    return f"{when}: at most {bound.value:,.1f} {bound.of} ({bound.theorem})."


def known_margin(learner: Learner, certificate: Certificate) -> float:
    """A margin that the rows of the certificate have, as `Learner.bound` means it; 0 where no separator is known."""
    if not isinstance(certificate, Separable | ManySeparable):
        return 0.0
    # Of two classes at once the certificate is that of w, and the margin that of (−w, w).
    return certificate.margin.low * (sqrt(2) if learner.direct and len(learner.classes) == 2 else 1)


def by_margin(learner: Learner, radius: float, margin: float) -> Bound | NoBound:
    """What follows from the best separator known: F5 and its like."""
    return learner.bound(Evidence(radius, 1 / margin)) if margin > 0 else NoBound("no separator is known")


def facts(
    learner: Learner, examples: Examples, v: int, run: Sequence[Pass], certified: float = 0.0, u: Array | None = None
) -> Facts:
    """The facts of vector v after these passes over these examples and nothing else. u is the answering weights unless given.

    `certified` is a margin that some weights are proved to have, 0 where there are none.
    """
    fed, passes = examples.fed, len(run)
    if learner.direct:
        u = learner.weights() if u is None else u
        scores, along, u_norm = _against_rivals(learner, examples, u)
    else:
        u = learner.weights()[v] if u is None else u
        side = np.where(examples.sheet.code == learner.team.target[v], 1.0, -1.0)
        scores = learner.space.scores_in(examples, u[None])[:, 0] * side
        along, u_norm = scores[learner.ledgers[v].entries.row], sqrt(max(0.0, float(learner.space.sqnorms(u[None])[0])))
    radius = examples.radius
    ledger = learner.ledgers[v]
    scale, evidence, best = _best_scaling(learner.bound, scores[fed], u_norm, radius, passes)
    voided = learner.margins_void()
    high = sqrt(ledger.tally.hull_sq) if ledger.updates else inf
    own = float(scores[fed].min()) / u_norm if u_norm else 0.0
    low = max(certified, own if own > 0 and own > _rounding(learner, u, u_norm, radius) else 0.0)
    return Facts(
        rows=len(fed),
        passes=passes,
        per_pass=_per_pass(learner, v, run, len(fed)),
        updates=ledger.updates,
        mistakes=ledger.mistakes,
        radius=radius,
        margin=voided or (low, max(low, high)),  # an interval that closes may cross its ends by a rounding
        by_margin=by_margin(learner, radius, low),
        by_losses=best,
        by_losses_simply=_first_form(learner, scores[fed], u_norm, radius, passes) if isinstance(best, Bound) else None,
        u=u * scale,
        losses=evidence.losses,
        course=_course(learner, examples, v, along, u_norm, own),
        at_once=learner.direct,
    )


def _against_rivals(learner: Learner, examples: Examples, u: Array) -> tuple[Array, Array, float]:
    """u·z of each row for the rival that is worst by u, u·z of each update for the rival that it had, and ‖u‖ (F25)."""
    whole, entries = learner.vectors_of(u), learner.ledgers[0].entries
    each = examples.scores(np.ascontiguousarray(whole.reshape(-1, len(learner.classes)).T))
    along = each[entries.row, entries.y] - each[entries.row, entries.rival]
    rows, code = np.arange(len(examples)), examples.sheet.code
    own = each[rows, code]
    each[rows, code] = -inf
    return own - each.max(axis=1), along, float(np.sqrt((whole * whole).sum()))


def _evidence(scores: Array, u_norm: float, radius: float, passes: int, scale: float) -> Evidence:
    short = np.maximum(0.0, 1.0 - scale * scores)
    return Evidence(radius, scale * u_norm, passes * float(short.sum()), passes * float((short * short).sum()))


def _scalings(scores: Array) -> Array:
    middle = float(np.median(np.abs(scores)))
    return SCALINGS / middle if middle > 0 else SCALINGS


def _best_scaling(
    bound: Callable[[Evidence], Bound | NoBound], scores: Array, u_norm: float, radius: float, passes: int
) -> tuple[float, Evidence, Bound | NoBound]:
    """Of many scalings of u the one whose bound is least."""
    tried = []
    for scale in _scalings(scores).tolist():
        evidence = _evidence(scores, u_norm, radius, passes, scale)
        found = bound(evidence)
        tried.append((inf if isinstance(found, NoBound) else found.value, scale, evidence, found))
    _, scale, evidence, found = min(tried, key=lambda one: one[0])
    return scale, evidence, found


def _first_form(learner: Learner, scores: Array, u_norm: float, radius: float, passes: int) -> float | None:
    if not isinstance(learner.rule, Rosenblatt) or learner.budget is not None:
        return None
    each = (_evidence(scores, u_norm, radius, passes, scale) for scale in _scalings(scores).tolist())
    return min(learner.stretch_sq * e.radius**2 * e.u_norm**2 + 2 * e.losses for e in each)


def sqnorms(entries: Any, z_sqnorm: Array) -> Array:
    """‖w‖² after each update from w = 0: a step τ adds τ·(2·margin + τ·‖z‖²) to it. `z_sqnorm` is that of each update."""
    return np.cumsum(entries.step * (2 * entries.margin + entries.step * z_sqnorm))


def _rounding(learner: Learner, u: Array, u_norm: float, radius: float) -> float:
    """A margin of u that is no larger may be an error of rounding (F21): Σ |u·z| is at most ‖u‖·R, through a kernel Σ|α|·R²."""
    reach = radius if learner.kernel is None else radius**2 * float(np.abs(u).sum()) / u_norm
    return 2.0**-52 * u.size * reach


def _per_pass(learner: Learner, v: int, run: Sequence[Pass], rows: int) -> tuple[Pass, ...] | None:
    """The passes with what vector v did in them. Where there is no other it is what all did."""
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
    """`along` is u·z of each update, `margin` that of u."""
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
