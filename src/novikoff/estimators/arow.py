"""AROW: the classifier for most uses."""

from typing import Any, Literal

from sklearn.utils import check_random_state

from novikoff.engine.confidences import Confidence
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import Rule
from novikoff.engine.rules.arow import Arow
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.learning.choosing import FIRST, Choice, choose
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass


class AROW(LinearClassifier):
    """Adaptive regularization of weight vectors (F26) [crammer2009adaptive]. It works well without tuning.

    Each weight carries how sure it is of itself. Rows that are not right by a margin of 1 move unsure weights far and sure
    weights little.

    "auto" means r=1, a diagonal confidence, and each class against the rest. If there are at most 64 columns, `fit` tries a few
    other settings on at most 2000 rows, and takes the one that makes the fewest errors on rows before it learns from them. With
    fewer than 16 rows per column, it takes the most cautious of those that are not clearly worse. `r_`, `confidence_` and
    `multiclass_` say which.

    Parameters
    ----------
    r : how much is made of one row: a small r makes weights sure sooner (default: "auto").
    confidence : "diagonal" (one number for each weight), "full" (a matrix, for few columns) or None (default: "auto").
    readout : see `Perceptron` (default: "last").
    order : see `Perceptron` (default: "each").
    max_iter : see `Perceptron` (default: None, which ends the training when the weights have settled).
    multiclass : "ovr" or "direct", see `Perceptron` (default: "auto").

    The other parameters are those of `Perceptron`.
    """

    def __init__(
        self,
        r: float | Literal["auto"] = "auto",
        confidence: str | Confidence | None = "auto",
        readout: str = "last",
        order: str = "each",
        max_iter: int | None = None,
        *,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        multiclass: str = "auto",
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

    @property
    def r_(self) -> float:
        """The r that was used."""
        return float(self._setting.r)

    @property
    def confidence_(self) -> Any:
        """The confidence that was used."""
        return self._setting.confidence

    @property
    def multiclass_(self) -> str:
        """How more than two classes were learned."""
        return self._setting.multiclass

    def _rule(self) -> Rule:
        return Arow(self._setting.r)

    @property
    def _setting(self) -> Choice:
        """The parameters, completed by what was chosen."""
        return getattr(self, "_choice", FIRST).completing(self._given)

    @property
    def _given(self) -> Choice:
        return Choice(self.r, self.confidence, self.multiclass)

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"confidence": self._setting.confidence, "multiclass": self._setting.multiclass}

    def _choose_settings(self, seen: Examples | None) -> None:
        if seen is None:
            self._choice = FIRST
            return

        seed = check_random_state(self.random_state).randint(2**31 - 1)
        self._choice = choose(self._given, seen, self.class_weight, seed)
