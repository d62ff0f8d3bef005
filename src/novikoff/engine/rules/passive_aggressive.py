"""Passive-aggressive rules: the smallest step that answers the example with margin 1 (F24) [crammer2006online].

All three share the hinge loss ℓ = max(0, 1 − y·⟨w, x⟩) and differ in how far they go to remove it. A zero row
always has score 0: its step has no effect, and it counts as a mistake.
"""

from typing import Any, NamedTuple

from novikoff.compiler import helper
from novikoff.engine.rules import Bound, Evidence, NoBound, no_update_margin, require_positive, rule, step, void


@helper
def hinge(margin: Any) -> Any:
    return margin * 0 if margin >= 1 else 1 - margin


@rule("pa")
class PA(NamedTuple):
    """τ = ℓ/‖x‖²: the step removes the whole loss. For separable data.

    Mistakes ≤ R²‖u‖² if u·z ≥ 1 everywhere (F24; theorem 2 of [crammer2006online]).

    >>> PA().bound(Evidence(radius=2.0, u_norm=3.0, losses=0.5))
    NoBound(why='PA has a bound only against a u that answers every example with margin 1; see PA-I and PA-II')
    """

    def check(self) -> None:
        """There are no parameters: a target margin other than 1 would only scale w."""

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        if (nothing := void(evidence)) is not None:
            return nothing
        if evidence.losses > 0:
            return NoBound("PA has a bound only against a u that answers every example with margin 1; see PA-I and PA-II")
        return Bound("mistakes", (evidence.radius * evidence.u_norm) ** 2, "F24 (PA)")


@step.register(PA)
def _step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return hinge(margin) / sqnorm if sqnorm > 0 else hinge(margin)


@rule("pa-i")
class PAI(NamedTuple):
    """τ = min(C, ℓ/‖x‖²): at most C.

    Mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·L(u)) for every u (F24; theorem 4 of [crammer2006online]).
    """

    C: float = 1.0

    def check(self) -> None:
        require_positive("C", self.C)

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        if (nothing := void(evidence)) is not None:
            return nothing
        factor = max(evidence.radius**2, 1 / self.C)
        return Bound("mistakes", factor * (evidence.u_norm**2 + 2 * self.C * evidence.losses), "F24 (PA-I)")


@step.register(PAI)
def _step_i(rule: Any, margin: Any, sqnorm: Any) -> Any:
    loss = hinge(margin)
    return rule.C if loss > rule.C * sqnorm else loss / sqnorm


@rule("pa-ii")
class PAII(NamedTuple):
    """τ = ℓ/(‖x‖² + 1/(2C)): the smaller C, the smaller the steps.

    Σ(losses suffered)² ≤ (R² + 1/(2C))·(‖u‖² + 2C·Σℓ(u)²) for every u (F24; theorem 5 of [crammer2006online]).
    """

    C: float = 1.0

    def check(self) -> None:
        require_positive("C", self.C)

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        if (nothing := void(evidence)) is not None:
            return nothing
        factor = evidence.radius**2 + 1 / (2 * self.C)
        value = factor * (evidence.u_norm**2 + 2 * self.C * evidence.squared_losses)
        return Bound("squared losses suffered", value, "F24 (PA-II)")


@step.register(PAII)
def _step_ii(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return hinge(margin) / (sqnorm + 1 / (2 * rule.C))


@no_update_margin.register(PA)
@no_update_margin.register(PAI)
@no_update_margin.register(PAII)
def _no_update_margin(rule: Any, sqnorm: Any) -> Any:
    return 1
