"""The textbook."""

from typing import Any

from novikoff.engine.rule import find_rule
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.learning.ledger import CAP


class Perceptron(LinearClassifier):
    """The Perceptron as it is taught (F1): after a mistake, add the example; stop when a whole pass makes none.

    It ends by itself exactly when the data can be separated by a hyperplane, after at most (R/γ)² mistakes (F5)
    [novikoff1962convergence]. For a classifier on data that nobody promised to be separable, use `MarginPerceptron`.

    Parameters
    ----------
    rule : the name of a rule, or a rule with its parameters from `novikoff.engine.rules`, such as `Threshold(theta=0.1)`.
    readout : "last", "averaged", "voted" or "pocket": which weights answer (F10).
    order : "given", "once" (permuted once) or "each" (permuted anew in each pass) (F2).
    max_iter : passes at most. A run never ends on a tolerance of the loss.
    fit_intercept : whether there is a bias: the weight of one more coordinate, which is always 1.
    class_weight : None, "balanced" or a mapping of classes to factors of the step.
    multiclass : "ovr", each class against the rest, or "direct", all at once (F25): after a mistake a row is added to the weights
        of its own class and taken off those of the class that it was taken for.
    warm_start : `fit` goes on from what was learned before instead of starting anew.
    random_state : seeds the permutations.
    n_jobs : threads; None or -1 takes every processor.
    verbose : show a progress bar.
    on_pass : called with a `Pass` after each; the run ends if it returns something true.
    ledger_cap : updates that the ledger of a class keeps, at 33 bytes each; beyond it they are only counted.

    >>> clf = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [False, False, False, True])
    >>> clf.stop_reason_, clf.predict([[1, 1]]).tolist()
    (<StopReason.CLEAN_PASS: 'clean pass'>, [True])
    """

    def __init__(
        self,
        rule: Any = "rosenblatt",
        readout: str = "last",
        order: str = "given",
        max_iter: int = 1000,
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
        self.rule = rule
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
        return find_rule(self.rule)
