"""Right wherever it is clear, and "I don't know" elsewhere."""

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from novikoff.engine.storages import Array
from novikoff.estimators.linear_classifier import LinearModel, all_or_nothing
from novikoff.learning.learner import targets_of
from novikoff.solve.modified_perceptron import modified, rounds_for
from novikoff.solve.rescaling import most_updates


class ModifiedPerceptron(LinearModel):
    """The modified perceptron with restarts (F13, F14): right on every training row with |cos(w, x)| ≥ sigma.

    However narrow the margin, a round makes at most ln n / sigma² updates, for n weights. If the data can be separated, `fit`
    fails with a probability of at most delta; it then says so, and nothing is promised. With many classes there is a vector
    for each, the promise is of each, and the probability is of all of them together.

    Parameters
    ----------
    sigma : rows whose cosine is smaller are left alone: there the answer is "I don't know".
    delta : the probability with which `fit` may fail on data that can be separated.

    Attributes
    ----------
    holds_ : whether the promise holds; it was checked on every training row.
    n_rounds_ : random starts that were made, summed over the classes.
    n_updates_ : updates of all of them.
    """

    def __init__(self, sigma: float = 0.1, delta: float = 1e-3, *, fit_intercept: bool = True, random_state: Any = None) -> None:
        self.sigma = sigma
        self.delta = delta
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "ModifiedPerceptron":
        """Learn from the data, in as many rounds as it takes, or as `delta` allows."""
        for name, value in (("sigma", self.sigma), ("delta", self.delta)):
            if not (isinstance(value, Real) and 0 < value < 1):
                raise ValueError(f"{name} must be a number between 0 and 1; it is {value!r}")
        with all_or_nothing(self):
            X, seen = self._two_classes(X, y)
            rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
            targets = targets_of(len(seen.classes))
            each = self.delta / len(targets)
            found = [modified(seen, target, self.sigma, each, rng) for target in targets]
            self._adopt(seen, [one.w for one in found])
            self._certificates = self._proved(X, seen.classes[seen.sheet.code])
            self.holds_ = all(one.holds for one in found)
            self.n_rounds_ = sum(one.rounds for one in found)
            self.n_updates_ = sum(sum(one.updates) for one in found)
        if not self.holds_:
            most = most_updates(seen.width + bool(seen.constant), self.sigma)
            warnings.warn(
                f"all {rounds_for(each)} rounds needed more than {most:,} updates. If the data can be separated, that had a "
                f"probability of at most {each:.3g}; most likely it cannot. The weights are those of the last round, and nothing "
                "is promised of them.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def predict_with_doubt(self, X: Any, sigma: float | None = None) -> tuple[Array, Array]:
        """The class of each row, and whether to rely on it: |cos(w, x)| ≥ sigma, by default the one of `fit`.

        Where `fit` failed, nothing is relied on.
        """
        labels, sure = super().predict_with_doubt(X, self.sigma if sigma is None else sigma)
        return labels, sure & self.holds_

    def _told(self) -> dict[str, Any]:
        return {"stop_reason": "right where clear" if self.holds_ else "no round made it", "rounds": self.n_rounds_}
