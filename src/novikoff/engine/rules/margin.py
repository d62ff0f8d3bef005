"""The margin rule: also add examples that are right, but not by enough. It does not depend on the scale of the data (F23)."""

from typing import Any, NamedTuple

from novikoff.engine.rules import Bound, Evidence, NoBound, additive_bound, no_update_margin, require_positive, rule, step


@rule("margin")
class Margin(NamedTuple):
    """w += y·x when y·⟨w, x⟩ ≤ c·‖x‖². Scaling the data scales w and changes no decision.

    An update adds at most (1 + 2c)·R² to ‖w‖², so updates ≤ (1 + 2c)·(R/γ)² from w = 0 (F23), after the proof
    of [novikoff1962convergence]; the margin idea is that of [krauth1987learning].

    >>> Margin(c=0.5).bound(Evidence(radius=2.0, u_norm=3.0)).value
    72.0
    """

    c: float = 0.5

    def check(self) -> None:
        require_positive("c", self.c, or_zero=True)

    def growth(self, radius_sq: float) -> float:
        """The most that an update adds to ‖w‖²."""
        return (1 + 2 * self.c) * radius_sq

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        theorem = "F23, with F6's hinge loss" if evidence.losses else "F23"
        return additive_bound("updates", self.growth(evidence.radius**2), evidence, theorem)


@step.register(Margin)
def _step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return 0 if margin > rule.c * sqnorm else 1


@no_update_margin.register(Margin)
def _no_update_margin(rule: Any, sqnorm: Any) -> Any:
    return rule.c * sqnorm
