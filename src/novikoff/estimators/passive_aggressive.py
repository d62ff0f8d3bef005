"""The passive-aggressive classifiers PA, PA-I and PA-II."""

from collections.abc import Callable

from novikoff.engine.confidences import Confidence
from novikoff.engine.rules import Rule
from novikoff.engine.rules.passive_aggressive import PA, PAI, PAII
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass

VARIANTS: dict[str, Callable[[float], Rule]] = {"PA": lambda C: PA(), "PA-I": PAI, "PA-II": PAII}


class PassiveAggressive(LinearClassifier):
    """Passive-aggressive learning (F24) [crammer2006online].

    If a row is right by a margin of 1, w stays as it is; else w changes as little as possible to make it so, within the limit
    that C sets.

    Parameters
    ----------
    C : limit of the step (default: 1.0). A smaller C is more robust to noise. "PA" does not use it.
    variant : "PA" (no limit, for separable data), "PA-I" (steps of at most C) or "PA-II" (steps damped by 1/2C)
        (default: "PA-I").
    readout : see `Perceptron` (default: "averaged").
    order : see `Perceptron` (default: "each").
    max_iter : see `Perceptron` (default: 5).

    The other parameters are those of `Perceptron`.
    """

    def __init__(
        self,
        C: float = 1.0,
        variant: str = "PA-I",
        readout: str = "averaged",
        order: str = "each",
        max_iter: int | None = 5,
        *,
        confidence: str | Confidence | None = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        multiclass: str = "ovr",
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        on_pass: OnPass | None = None,
        ledger_cap: int = CAP,
    ) -> None:
        self.C = C
        self.variant = variant
        self.readout = readout
        self.order = order
        self.max_iter = max_iter
        self.confidence = confidence
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.on_pass = on_pass
        self.ledger_cap = ledger_cap

    def _rule(self) -> Rule:
        if self.variant not in VARIANTS:
            raise ValueError(f"there is no variant {self.variant!r}; the variants are {', '.join(VARIANTS)}")
        return VARIANTS[self.variant](self.C)
