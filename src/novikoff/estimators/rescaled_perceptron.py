"""For margins that are too narrow for a perceptron."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from novikoff.estimators.linear_classifier import LinearModel, all_or_nothing
from novikoff.learning.learner import targets_of
from novikoff.solve.run_proofs import sides_of
from novikoff.solve.separability.linear import Question


class RescaledPerceptron(LinearModel):
    """A perceptron that stretches space along the weights it finds (F15): polynomial where others need exponentially many steps.

    It looks for weights that have every row on its own side, and proves it when it has them. Where there are none it goes on
    until one of its caps; then it says so, and answers with the weights that got the fewest rows wrong.

    Parameters
    ----------
    max_stretches : at most so many stretches, for each class; 32 for each weight if not given.
    max_steps : at most so many steps, for each class.

    Attributes
    ----------
    n_stretches_, n_steps_ : the work done, summed over the classes.
    stop_reason_ : "separated", or the cap that ended it.
    """

    def __init__(
        self,
        max_stretches: int | None = None,
        max_steps: int = 10**7,
        *,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.max_stretches = max_stretches
        self.max_steps = max_steps
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "RescaledPerceptron":
        """Look for weights that have every row on its own side."""
        for name, cap in (("max_stretches", self.max_stretches), ("max_steps", self.max_steps)):
            if not (isinstance(cap, int | np.integer) and cap >= 0) and not (cap is None and name == "max_stretches"):
                raise ValueError(f"{name} must be a whole number and not negative; it is {cap!r}")
        with all_or_nothing(self):
            X, seen = self._two_classes(X, y)
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
                "`novikoff.separate` decides whether they can be separated at all.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _told(self) -> dict[str, Any]:
        return {"stop_reason": self.stop_reason_, "steps": self.n_steps_, "stretches": self.n_stretches_}
