"""A perceptron that is right on all rows that are not close to the boundary, and unsure of the others."""

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from novikoff.estimators.linear_model import LinearModel
from novikoff.estimators.parameter_types import RandomState
from novikoff.estimators.unchanged_on_error import unchanged_on_error
from novikoff.foundation.array_types import Array
from novikoff.learning.one_vs_rest import targets_of
from novikoff.models.run_record import RunRecord
from novikoff.solve.modified_perceptron import modified, rounds_for
from novikoff.solve.rescaling import most_updates


class ModifiedPerceptron(LinearModel):
    """The modified perceptron with restarts (F13, F14): right on every training row with |cos(w, x)| ≥ sigma.

    A round makes at most ln n / sigma² updates for n weights, however narrow the margin is. On separable data `fit` fails with a
    probability of at most delta; it then warns, and gives no guarantee. With more than two classes there is a vector for each
    class, the guarantee holds for each, and delta is the probability that any of them fails.

    Parameters
    ----------
    sigma : rows with a smaller cosine are ignored in training, and predictions for such rows are unsure (default: 0.1).
    delta : the probability that `fit` may fail on separable data (default: 0.001).
    fit_intercept : whether to learn a bias (default: True).
    random_state : seed of the random starts (default: None).

    Attributes
    ----------
    holds_ : whether the guarantee holds; it was checked on every training row.
    n_rounds_ : number of random starts, summed over the classes.
    n_updates_ : number of updates in all rounds.
    """

    def __init__(
        self, sigma: float = 0.1, delta: float = 1e-3, *, fit_intercept: bool = True, random_state: RandomState = None
    ) -> None:
        self.sigma = sigma
        self.delta = delta
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "ModifiedPerceptron":
        """Train in rounds, until one succeeds or `delta` allows no more."""
        for name, value in (("sigma", self.sigma), ("delta", self.delta)):
            if not (isinstance(value, Real) and 0 < value < 1):
                raise ValueError(f"{name} must be a number between 0 and 1; it is {value!r}")
        with unchanged_on_error(self):
            X, seen = self._training_examples(X, y)
            rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
            targets = targets_of(len(seen.classes))
            each = self.delta / len(targets)
            found = [modified(seen, target, self.sigma, each, rng) for target in targets]
            self._adopt(seen, [one.w for one in found])
            self._certificates = self._certificates_of(X, seen.classes[seen.sheet.code])
            self.holds_ = all(one.holds for one in found)
            self.n_rounds_ = sum(one.rounds for one in found)
            self.n_updates_ = sum(sum(one.updates) for one in found)
        if not self.holds_:
            most = most_updates(seen.width + bool(seen.constant), self.sigma)
            warnings.warn(
                f"all {rounds_for(each)} rounds needed more than {most:,} updates. On separable data this has a probability of "
                f"at most {each:.3g}, so the data is most likely not separable. The weights are those of the last round, without "
                "any guarantee.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def predict_with_doubt(self, X: Any, sigma: float | None = None) -> tuple[Array, Array]:
        """Predict the class of each row, and say whether the prediction is sure: |cos(w, x)| ≥ sigma (default: that of `fit`).

        If `fit` failed, no prediction is sure.
        """
        labels, sure = super().predict_with_doubt(X, self.sigma if sigma is None else sigma)
        return labels, sure & self.holds_

    def _run_record(self) -> RunRecord:
        return RunRecord(stop_reason="right where clear" if self.holds_ else "no round made it", rounds=self.n_rounds_)
