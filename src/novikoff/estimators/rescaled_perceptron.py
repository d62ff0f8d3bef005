"""A perceptron for margins that are too narrow for the others."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from novikoff.estimators.linear_model import LinearModel
from novikoff.estimators.parameter_types import RandomState
from novikoff.estimators.unchanged_on_error import unchanged_on_error
from novikoff.learning.one_vs_rest import targets_of
from novikoff.models.run_record import RunRecord
from novikoff.solve.run_proofs import sides_of
from novikoff.solve.separability.linear import Question


class RescaledPerceptron(LinearModel):
    """A perceptron that rescales the space along the weights it finds (F15).

    It needs polynomially many steps where others need exponentially many. It looks for weights that have every row on its own
    side, and proves that they have. If it reaches a limit first, it warns and keeps the weights with the fewest errors.

    Parameters
    ----------
    max_stretches : the maximum number of rescalings for each class (default: 32 per weight).
    max_steps : the maximum number of steps for each class (default: 10,000,000).
    fit_intercept : whether to learn a bias (default: True).
    random_state : seed of the random choices (default: None).

    Attributes
    ----------
    n_stretches_ : number of rescalings, summed over the classes.
    n_steps_ : number of steps, summed over the classes.
    stop_reason_ : "separated", or the limit that was reached.
    """

    def __init__(
        self,
        max_stretches: int | None = None,
        max_steps: int = 10**7,
        *,
        fit_intercept: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.max_stretches = max_stretches
        self.max_steps = max_steps
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "RescaledPerceptron":
        """Find weights that have every row on its own side."""
        for name, cap in (("max_stretches", self.max_stretches), ("max_steps", self.max_steps)):
            if not (isinstance(cap, int | np.integer) and cap >= 0) and not (cap is None and name == "max_stretches"):
                raise ValueError(f"{name} must be a whole number and not negative; it is {cap!r}")
        with unchanged_on_error(self):
            X, seen = self._training_examples(X, y)
            labels = seen.classes[seen.sheet.code]
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            found = [
                Question.about(X, labels, self.fit_intercept, sides_of(seen.classes, v)).by_rescaling(
                    seed=seed, max_stretches=self.max_stretches, max_steps=self.max_steps
                )
                for v in range(len(targets_of(len(seen.classes))))
            ]
            weights = [made.w if self.fit_intercept else np.append(made.w, 0.0) for _, made in found]
            self._adopt(seen, weights)
            self._certificates = [certificate for certificate, _ in found]
            self.n_steps_ = sum(made.steps for _, made in found)
            self.n_stretches_ = sum(made.stretches for _, made in found)
            self.stop_reason_ = next((made.why for _, made in found if made.why), "separated")
        if self.stop_reason_ != "separated":
            errors = int((self.predict(X) != labels).sum())
            warnings.warn(
                f"not separated: {self.stop_reason_}; {errors:,} of {len(labels):,} training rows are answered wrongly. "
                "`novikoff.separate` decides whether the data is separable.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _run_record(self) -> RunRecord:
        return RunRecord(stop_reason=self.stop_reason_, steps=self.n_steps_, stretches=self.n_stretches_)
