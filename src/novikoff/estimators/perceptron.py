"""The perceptron of the textbook."""

from novikoff.engine.confidences import Confidence
from novikoff.engine.rules import Rule, find_rule
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass


class Perceptron(LinearClassifier):
    """The Perceptron as it is taught (F1): after a mistake, add the example; stop after a pass without a mistake.

    If the data is separable by a hyperplane, training stops by itself after at most (R/γ)² mistakes (F5)
    [novikoff1962convergence]; if it is not, it stops after `max_iter` passes. For data that may not be separable, use
    `AROW`.

    Parameters
    ----------
    rule : the name of a rule, or a rule from `novikoff.engine.rules` with its parameters, such as `Threshold(theta=0.1)`
        (default: "rosenblatt").
    readout : which weights predict (F10): "last", "averaged", "voted" or "pocket" (default: "last").
    order : order of the rows (F2): "given", "once" (shuffled once) or "each" (shuffled before each pass) (default: "given").
    max_iter : the maximum number of passes (default: 1000). None ends the training when a pass moves the weights by less than
        5 % of their length, after 20 passes at the latest. There is no stopping by a tolerance of the loss.
    confidence : how sure each weight is, which shapes the steps (F29): None, "diagonal" (one more number for each weight), "full"
        (a matrix, for few columns), one of `novikoff.engine.confidences` with its parameter r, or "auto", which takes the one
        that belongs to the rule: none for most (default: "auto"). With a confidence the mistake bounds of most rules are void.
    fit_intercept : whether to learn a bias, the weight of one more coordinate that is always 1 (default: True).
    class_weight : a mapping of classes to factors of the step, "balanced" or None (default: None).
    multiclass : how more than two classes are learned (default: "ovr"). "ovr" trains each class against the rest. "direct"
        trains all classes at once (F25): after a mistake, the row is added to the weights of its own class and subtracted from
        those of the predicted class.
    warm_start : whether `fit` continues from the weights learned before (default: False).
    random_state : seed of the shuffling (default: None).
    n_jobs : number of threads; None or -1 uses all processors (default: None).
    verbose : whether to show a progress bar (default: False).
    on_pass : function that is called with a `Pass` after each pass; training stops if it returns a true value (default: None).
    ledger_cap : number of updates that the ledger of a class stores, at 33 bytes each; later ones are only counted
        (default: 1,000,000).

    >>> clf = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [False, False, False, True])
    >>> clf.stop_reason_, clf.predict([[1, 1]]).tolist()
    (<StopReason.CLEAN_PASS: 'clean pass'>, [True])
    """

    _until_clean = True

    def __init__(
        self,
        rule: str | Rule = "rosenblatt",
        readout: str = "last",
        order: str = "given",
        max_iter: int | None = 1000,
        *,
        confidence: str | Confidence | None = "auto",
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
        self.rule = rule
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
        rule: Rule = find_rule(self.rule)
        return rule
