"""The Perceptron: after a mistake, add the example (F1) [rosenblatt1958perceptron]."""

from typing import Any, NamedTuple

from novikoff.engine.rules import Bound, Evidence, NoBound, additive_bound, no_update_margin, require_positive, rule, step


@rule("rosenblatt")
class Rosenblatt(NamedTuple):
    """w += rate·y·x when y·⟨w, x⟩ ≤ 0. From w = 0 the rate only scales w: the mistakes are the same.

    Mistakes ≤ (R/γ)², over any sequence (F5) [novikoff1962convergence]; with no assumption on the data at all,
    √mistakes ≤ (R‖u‖ + √(R²‖u‖² + 4L(u))) / 2 for every u (F6) [freund1999large].

    >>> Rosenblatt().bound(Evidence(radius=2.0, u_norm=3.0))
    Bound(of='mistakes', value=36.0, theorem='F5 (Novikoff)')
    """

    rate: float = 1.0

    @property
    def uses_norms(self) -> bool:
        return False

    def check(self) -> None:
        require_positive("rate", self.rate)

    def growth(self, radius_sq: float) -> float:
        """The most that an update adds to ‖w‖²."""
        return self.rate**2 * radius_sq

    def simple_bound(self, evidence: Evidence) -> float:
        """F6 in its first form: mistakes ≤ R²‖u‖² + 2L(u)."""
        return evidence.radius**2 * evidence.u_norm**2 + 2 * evidence.losses

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        theorem = "F6 (hinge loss)" if evidence.losses else "F5 (Novikoff)"
        return additive_bound("mistakes", evidence.radius**2, evidence, theorem)


@step.register(Rosenblatt)
def _step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return rule.rate * 0 if margin > 0 else rule.rate


@no_update_margin.register(Rosenblatt)
def _no_update_margin(rule: Any, sqnorm: Any) -> Any:
    return 0
