"""AROW: the classifier for most uses."""

from typing import Any, Literal, NamedTuple

from sklearn.utils import check_random_state

from novikoff.engine.confidences import Confidence
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import Rule
from novikoff.engine.rules.arow import Arow
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.learning.choosing import choose
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.learner import Learner
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass

FEW = 64  # columns for which settings are tried; for more, the first is about as good as any
FEW_WEIGHTS = 128  # and weights, if all classes learn at once


class Choice(NamedTuple):
    r: float
    confidence: Any
    multiclass: str


STREAM = Choice(1.0, "diagonal", "ovr")
DIAGONAL = (STREAM, Choice(10.0, "diagonal", "ovr"), Choice(100.0, "diagonal", "ovr"))
FULL = (Choice(1.0, "full", "ovr"), Choice(0.1, "full", "ovr"))
AT_ONCE = (Choice(1.0, "diagonal", "direct"), Choice(10.0, "diagonal", "direct"))
FULL_AT_ONCE = (Choice(1.0, "full", "direct"), Choice(0.1, "full", "direct"))


class AROW(LinearClassifier):
    """Adaptive regularization of weight vectors (F26) [crammer2009adaptive]. It works well without tuning.

    Each weight carries how sure it is of itself. Rows that are not right by a margin of 1 move unsure weights far and sure
    weights little.

    "auto" means r=1, a diagonal confidence, and each class against the rest. If there are at most 64 columns, `fit` tries a few
    other settings on at most 2000 rows, and takes the one that makes the fewest errors on rows before it learns from them. `r_`,
    `confidence_` and `multiclass_` say which.

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
        return self._completed(getattr(self, "_choice", STREAM))

    def _completed(self, choice: Choice) -> Choice:
        given = Choice(self.r, self.confidence, self.multiclass)  # type: ignore[arg-type]
        return Choice(*(own if not _is_auto(own) else chosen for own, chosen in zip(given, choice, strict=True)))

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"confidence": self._setting.confidence, "multiclass": self._setting.multiclass}

    def _choose_settings(self, seen: Examples | None) -> None:
        candidates = list(dict.fromkeys(map(self._completed, _candidates(seen))))
        if seen is None or len(candidates) == 1 or not len(seen.fed):  # nothing to learn from is refused later
            self._choice = candidates[0]
            return

        def learner_of(choice: Choice) -> Learner:
            self._choice = choice
            return Learner(**self._settings() | {"order": "given", "ledger_cap": 0, "readout": "last"}, threads=1)

        seed = check_random_state(self.random_state).randint(2**31 - 1)
        self._choice = choose(candidates, learner_of, seen, seed)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _candidates(seen: Examples | None) -> tuple[Choice, ...]:
    """What is tried on these rows. The first is taken for a stream, and if several are equally good."""
    if seen is None or seen.width > FEW:
        return (STREAM,)
    many = len(seen.classes) > 2
    return DIAGONAL + FULL + AT_ONCE * many + FULL_AT_ONCE * (many and len(seen.classes) * seen.width <= FEW_WEIGHTS)
