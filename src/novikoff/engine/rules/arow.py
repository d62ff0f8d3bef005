"""AROW and the second-order perceptron: ridge regression on the rows that were learned from, one row at a time (F26, F27).

With a full confidence and from w = 0, w = (r·I + Σxxᵀ)⁻¹·Σyx over the rows of the updates. The two differ in which rows these
are: AROW takes all with a margin below 1, the second-order perceptron the mistakes.
"""

from typing import Any, NamedTuple

from novikoff.engine.rules import Bound, Evidence, NoBound, no_update_margin, require_positive, rule, step, void


@rule("arow")
class Arow(NamedTuple):
    """τ = ℓ/(v + r), with the hinge loss ℓ = max(0, 1 − y·⟨w, x⟩) and v = xᵀΣx [crammer2009adaptive].

    Without a confidence v is ‖x‖², and this is PA-II with C = 1/(2r).
    """

    r: float = 1.0

    @property
    def confidence(self) -> str:
        """The confidence that belongs to it."""
        return "diagonal"

    def check(self) -> None:
        require_positive("r", self.r)

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        """Without a confidence: that of PA-II (F24)."""
        return _bound(self.r, evidence, "squared losses suffered", "F24 (PA-II)")


@rule("stream")
class Stream(NamedTuple):
    """AROW's step, with a confidence that never becomes quite sure, so that the weights can follow a stream that changes."""

    r: float = 0.05

    @property
    def confidence(self) -> str:
        """The confidence that belongs to it."""
        return "stream"

    def check(self) -> None:
        require_positive("r", self.r)

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        """Without a confidence: that of PA-II (F24)."""
        return _bound(self.r, evidence, "squared losses suffered", "F24 (PA-II)")


@rule("second-order")
class SecondOrder(NamedTuple):
    """AROW's step, on mistakes only: with a = r, the second-order perceptron [cesabianchi2005second]."""

    r: float = 1.0

    @property
    def confidence(self) -> str:
        """The confidence that belongs to it."""
        return "full"

    def check(self) -> None:
        require_positive("r", self.r)

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        """Without a confidence: that of PA-II. Only mistakes suffer a loss here, of at least 1 each."""
        return _bound(self.r, evidence, "mistakes", "F24 (PA-II, on mistakes)")


def _bound(r: float, evidence: Evidence, of: str, theorem: str) -> Bound | NoBound:
    if (nothing := void(evidence)) is not None:
        return nothing
    return Bound(of, (evidence.radius**2 + r) * (evidence.u_norm**2 + evidence.squared_losses / r), theorem)


@step.register(Stream)
@step.register(Arow)
def _step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return margin * 0 if margin >= 1 else (1 - margin) / (sqnorm + rule.r)


@step.register(SecondOrder)
def _step_on_mistakes(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return margin * 0 if margin > 0 else (1 - margin) / (sqnorm + rule.r)


@no_update_margin.register(Stream)
@no_update_margin.register(Arow)
def _no_update_margin(rule: Any, sqnorm: Any) -> Any:
    return 1


@no_update_margin.register(SecondOrder)
def _no_update_margin_after_mistakes(rule: Any, sqnorm: Any) -> Any:
    return 0
