"""What most people should use."""

from typing import Any

from novikoff.engine.rules.margin import Margin
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.learning.ledger import CAP


class MarginPerceptron(LinearClassifier):
    """The margin rule (F23) with averaged weights and five shuffled passes: nothing to tune.

    It also learns from rows that are right by less than c·‖x‖², which no scaling of the data changes. `make bench` compares it
    with a linear SVM whose C was tuned, on three real data sets.

    Parameters
    ----------
    c : how much margin to ask for; 0 is the plain Perceptron.

    The other parameters are those of `Perceptron`.
    """

    def __init__(
        self,
        c: float = 0.5,
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
        self.c = c
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
        return Margin(self.c)
