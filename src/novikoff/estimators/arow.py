"""AROW: the classifier for most uses."""

from novikoff.engine.confidences import Confidence
from novikoff.engine.rules import Rule
from novikoff.engine.rules.arow import Arow
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass


class AROW(LinearClassifier):
    """Adaptive regularization of weight vectors (F26) [crammer2009adaptive]. It works well without tuning.

    Each weight carries how sure it is of itself. Rows that are not right by a margin of 1 move unsure weights far and sure
    weights little.

    Parameters
    ----------
    r : how much is made of one row: a small r makes weights sure sooner (default: 1.0).
    confidence : "diagonal" (one number for each weight) or "full" (a matrix, for few columns) (default: "diagonal").
    readout : see `Perceptron` (default: "last").
    order : see `Perceptron` (default: "each").
    max_iter : see `Perceptron` (default: None, which ends the training when the weights have settled).

    The other parameters are those of `Perceptron`.
    """

    def __init__(
        self,
        r: float = 1.0,
        confidence: str | Confidence | None = "diagonal",
        readout: str = "last",
        order: str = "each",
        max_iter: int | None = None,
        *,
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
        self.r = r
        self.confidence = confidence
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

    def _rule(self) -> Rule:
        return Arow(self.r)
