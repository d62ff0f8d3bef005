"""The margin rule with averaged weights."""

from novikoff.engine.confidences import Confidence
from novikoff.engine.rules import Rule
from novikoff.engine.rules.margin import Margin
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass


class MarginPerceptron(LinearClassifier):
    """The margin rule (F23) with averaged weights and five shuffled passes. It works well without tuning.

    It also updates on rows that are right by less than c·‖x‖². The same c works for any scale of the data. `make bench` compares
    it with a linear SVM with a tuned C on three real data sets.

    Parameters
    ----------
    c : the margin to ask for; 0 gives the Perceptron (default: 0.5).
    readout : see `Perceptron` (default: "averaged").
    order : see `Perceptron` (default: "each").
    max_iter : see `Perceptron` (default: 5).

    The other parameters are those of `Perceptron`.
    """

    def __init__(
        self,
        c: float = 0.5,
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
        self.c = c
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
        return Margin(self.c)
