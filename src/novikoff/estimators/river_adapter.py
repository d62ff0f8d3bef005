"""The online learner as a classifier of river, for its pipelines, metrics and evaluation. Needs the extra `river`."""

import pickle
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from novikoff.engine.rules import Rule, rules
from novikoff.estimators.online_learner import OnlineLearner
from novikoff.learning.class_weights import ClassWeight

try:
    from river import base
except ImportError:
    raise ImportError("this needs the river package: pip install 'novikoff[river]'") from None


class OnlineClassifier(base.MiniBatchClassifier):
    """An online perceptron for two or more classes. It makes the same updates as `novikoff.Learner`.

    Parameters
    ----------
    rule
        The name of a rule, or a rule from `novikoff.engine.rules` (default: "stream", which is AROW for streams).
    readout
        Which weights predict: "last", "averaged" or "pocket" (default: "last").
    fit_intercept
        Whether to learn a bias (default: True).
    class_weight
        None, "balanced" or a mapping of classes to weights (default: None).

    Examples
    --------
    >>> from river import evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | OnlineClassifier()
    >>> rows = [({"height": k % 7, "weight": k % 5}, k % 7 > 3) for k in range(100)]
    >>> evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get() > 0.8
    True
    """

    def __init__(
        self, rule: str | Rule = "stream", readout: str = "last", fit_intercept: bool = True, class_weight: ClassWeight = None
    ) -> None:
        self.rule = rule
        if isinstance(rule, tuple) and not rule:  # a rule without parameters, which river would take for an empty tuple
            self.rule = next(name for name, kind in rules().items() if kind is type(rule))
        self.readout = readout
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self._online = OnlineLearner(rule, readout=readout, fit_intercept=fit_intercept, class_weight=class_weight)

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _raw_memory_usage(self) -> int:
        return len(pickle.dumps(self))  # river follows references, and would count the compiler

    @property
    def online(self) -> OnlineLearner:
        """The `OnlineLearner` inside, for example to save it."""
        return self._online

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        self._online.learn_one(_by_name(x), y, w)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        return self._online.predict_one(_by_name(x))

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        return self._online.predict_proba_one(_by_name(x))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a data frame, in order."""
        for x, label in zip(X.to_dict("records"), y, strict=True):
            self.learn_one(x, label)

    def predict_many(self, X: Any) -> Any:
        """Predict the class of each row of a data frame."""
        pandas = import_module("pandas")
        return pandas.Series([self.predict_one(x) for x in X.to_dict("records")], index=X.index, dtype=object)


def _by_name(x: Mapping[Any, Any]) -> Mapping[str, Any]:
    """The row with names that are str: river allows any object as the name of a feature."""
    if all(type(name) is str for name in x):
        return x
    named = {str(name): value for name, value in x.items()}
    if len(named) < len(x):
        raise ValueError(f"two of the features {[*x]} have the same name as text; rename one")
    return named
