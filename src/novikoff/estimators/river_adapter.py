"""The online learner as river knows classifiers: for its pipelines, metrics and evaluations. Needs the extra `river`."""

import pickle
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from novikoff.engine.rule import rules
from novikoff.estimators.online_learner import OnlineLearner

try:
    from river import base
except ImportError:
    raise ImportError("this needs the river package: pip install 'novikoff[river]'") from None


class OnlineClassifier(base.MiniBatchClassifier):
    """A perceptron, for two classes or more, that makes the updates of `novikoff.Learner`.

    Parameters
    ----------
    rule
        The name of a rule, or one of `novikoff.engine.rules`.
    readout
        Which weights answer: "last", "averaged" or "pocket".
    fit_intercept
        Whether there is a bias.
    class_weight
        None, "balanced" or a mapping of classes to weights.

    Examples
    --------
    >>> from river import evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | OnlineClassifier()
    >>> rows = [({"height": k % 7, "weight": k % 5}, k % 7 > 3) for k in range(100)]
    >>> evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get() > 0.8
    True
    """

    def __init__(self, rule: Any = "margin", readout: str = "last", fit_intercept: bool = True, class_weight: Any = None) -> None:
        # river takes an empty tuple, which a rule without parameters is, for something else: such a rule goes by its name.
        self.rule = next(name for name, kind in rules().items() if kind is type(rule)) if rule == () else rule
        self.readout = readout
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self._online = OnlineLearner(rule, readout=readout, fit_intercept=fit_intercept, class_weight=class_weight)

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _raw_memory_usage(self) -> int:
        return len(pickle.dumps(self))  # following references, as river does, would count the compiler in

    @property
    def online(self) -> OnlineLearner:
        """The learner itself, to be saved, for one."""
        return self._online

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        self._online.learn_one(_by_name(x), y, w)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        return self._online.predict_one(_by_name(x))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a data frame, in order."""
        for x, label in zip(X.to_dict("records"), y, strict=True):
            self.learn_one(x, label)

    def predict_many(self, X: Any) -> Any:
        """The class of each row of a data frame."""
        pandas = import_module("pandas")
        return pandas.Series([self.predict_one(x) for x in X.to_dict("records")], index=X.index, dtype=object)


def _by_name(x: Mapping[Any, Any]) -> Mapping[str, Any]:
    """river lets features be called anything; a name that is not text goes by the text of it."""
    if all(type(name) is str for name in x):
        return x
    named = {str(name): value for name, value in x.items()}
    if len(named) < len(x):
        raise ValueError(f"two of the features {[*x]} have the same name")
    return named
