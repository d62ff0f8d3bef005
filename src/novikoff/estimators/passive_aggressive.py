"""The passive-aggressive family."""

from typing import Any

from novikoff.engine.rules.passive_aggressive import PA, PAI, PAII
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.learning.ledger import CAP


class PassiveAggressive(LinearClassifier):
    """Passive-aggressive learning (F24) [crammer2006online]: leave w alone if it is right by 1, else make it so, within limits.

    Parameters
    ----------
    C : how large a step may get; the smaller, the more patient with noise. PA has no use for it.
    variant : "PA" (no limit; for separable data), "PA-I" (steps of at most C) or "PA-II" (steps softened by 1/2C).

    The other parameters are those of `Perceptron`.
    """

    def __init__(
        self,
        C: float = 1.0,
        variant: str = "PA-I",
        readout: str = "averaged",
        order: str = "each",
        max_iter: int = 5,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: str = "ovr",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        on_pass: Any = None,
        ledger_cap: int = CAP,
    ) -> None:
        self.C = C
        self.variant = variant
        self.readout = readout
        self.order = order
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.on_pass = on_pass
        self.ledger_cap = ledger_cap

    def _rule(self) -> Any:
        match self.variant:
            case "PA":
                return PA()
            case "PA-I":
                return PAI(self.C)
            case "PA-II":
                return PAII(self.C)
        raise ValueError(f"there is no variant {self.variant!r}; the variants are PA, PA-I and PA-II")
