"""The fixed threshold: update until every score is at least θ (F24) [krauth1987learning]."""

from typing import Any, NamedTuple

from novikoff.engine.rules import Bound, Evidence, NoBound, additive_bound, no_update_margin, require_positive, rule, step


@rule("threshold")
class Threshold(NamedTuple):
    """w += y·x when y·⟨w, x⟩ ≤ θ. Unlike the margin rule it depends on the scale of the data.

    Updates ≤ (R² + 2θ)/γ² from w = 0; after a pass without one, the margin of w is at least θγ*/(R² + 2θ) (F24).

    >>> Threshold(theta=1.0).bound(Evidence(radius=2.0, u_norm=3.0)).value
    54.0
    """

    theta: float = 1.0

    @property
    def uses_norms(self) -> bool:
        return False

    def check(self) -> None:
        require_positive("theta", self.theta, or_zero=True)

    def growth(self, radius_sq: float) -> float:
        """The most that an update adds to ‖w‖²."""
        return radius_sq + 2 * self.theta

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        theorem = "F24, with F6's hinge loss" if evidence.losses else "F24"
        return additive_bound("updates", self.growth(evidence.radius**2), evidence, theorem)


@step.register(Threshold)
def _step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return 0 if margin > rule.theta else 1


@no_update_margin.register(Threshold)
def _no_update_margin(rule: Any, sqnorm: Any) -> Any:
    return rule.theta
