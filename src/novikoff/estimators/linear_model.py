"""What all estimators share: predicting, certifying and saving, with weights that a subclass has found."""

from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets

from novikoff.data.features import Named, Numbered
from novikoff.engine.labelled_rows import Examples, examples
from novikoff.engine.storages import read_only
from novikoff.estimators.input_data import unpacked, validated, validated_rows
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.learner import Learner
from novikoff.models.model import Model, save
from novikoff.models.run_record import RunRecord, versions
from novikoff.proof.certificate import Certificate
from novikoff.solve.run_proofs import absent, of_stream, sides_of
from novikoff.solve.separability.linear import Question
from novikoff.solve.separability.many_classes import ManyQuestion

T = TypeVar("T")


class LinearModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict, certify and save, with weights that were found in any way."""

    fit_intercept: bool
    n_jobs: int | None = None

    _learner: Learner  # has the weights
    _certificates: list[Certificate] | None  # of the last `fit`; None after `partial_fit`

    def decision_function(self, X: Any) -> Array:
        """Compute the score ⟨w, x⟩ + b of each row.

        With two classes there is one score per row, and a positive score means `classes_[1]`. With more classes there is one
        per class. With readout="voted" the score is the vote Σ cₖ·sign⟨wₖ, x⟩, or the number of votes for each class.
        """
        decisions = self._fitted.decide(self._rows(X))
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def predict(self, X: Any) -> Array:
        """Predict the class of each row. With two classes, a score of exactly 0 gives `classes_[0]`."""
        learner = self._fitted
        return learner.classes[learner.codes(learner.decide(self._rows(X)))]

    def predict_with_doubt(self, X: Any, sigma: float = 0.1) -> tuple[Array, Array]:
        """Predict the class of each row, and say whether the prediction is sure: |cos(w, x)| ≥ sigma.

        The angle includes the constant coordinate. A score of 0 is never sure. With more than two classes, the class with the
        highest score must be sure and its score positive. Voted weights have no angle: there, sigma is the share of votes by
        which the class must win.
        """
        if not (isinstance(sigma, Real) and 0 <= sigma <= 1):
            raise ValueError(f"sigma must be a number between 0 and 1, because it is compared with a cosine; it is {sigma!r}")
        learner, X = self._fitted, self._rows(X)
        decisions = learner.decide(X)
        return learner.classes[learner.codes(decisions)], learner.sure(X, decisions, sigma)

    def certify(self, X: Any, y: Any) -> Certificate | dict[Any, Certificate]:
        """Check in exact arithmetic whether these weights separate the data, which may be any data.

        The certificate is Separable if every row is on its side, else Undecided. With more than two classes there is a
        certificate for each class against the rest, or, with multiclass="direct", one for all classes. X is not stored.
        """
        learner = self._fitted
        X, y = validated(self, X, y, reset=False)
        if (unknown := ~np.isin(y, learner.classes)).any():
            classes = learner.classes.tolist()
            raise ValueError(
                f"row {np.flatnonzero(unknown)[0]} has the label {y[unknown][0]!r}, which the model does not know; "
                f"its classes are {classes[:10]}{' and more' * (len(classes) > 10)}"
            )
        if (missing := absent(learner.classes, np.searchsorted(learner.classes, y))) is not None:
            raise ValueError(f"{missing}: give rows of every class")
        return self._one_or_each(self._certificates_of(X, y))

    def _certificates_of(self, X: Matrix, y: Array) -> list[Certificate]:
        """What the weights prove about these rows: one certificate per vector."""
        learner = self._fitted
        if learner.proves_at_once:
            why = "these weights do not give every row the highest score for its own class; other weights may"
            return [ManyQuestion.about(X, y, self.fit_intercept, learner.classes).of_weights(learner.weights(), why)]
        why = "these weights do not have every row on its own side; `separate` decides whether other weights do"
        return [
            Question.about(X, y, self.fit_intercept, sides_of(learner.classes, v)).of_weights(w, why)
            for v, w in enumerate(learner.weights())
        ]

    @property
    def certificate_(self) -> Certificate | dict[Any, Certificate]:
        """What the last `fit` proves about its data: Separable, Inseparable (by a cycle) or Undecided.

        With more than two classes it is a dict with a certificate for each class, or, with multiclass="direct", one certificate
        for all: ManySeparable, ManyInseparable or Undecided. After `partial_fit` it is Undecided, because the rows are gone.
        """
        learner = self._fitted
        return self._one_or_each(of_stream(learner) if self._certificates is None else self._certificates)

    def _one_or_each(self, each: list[T]) -> T | dict[Any, T]:
        return each[0] if len(each) == 1 else dict(zip(self._fitted.classes.tolist(), each, strict=True))

    def save(self, path: str | Path) -> None:
        """Write the model and its certificates to a file that `novikoff.load` reads. Loading it runs no code."""
        save(self.as_model(), path)

    def as_model(self) -> Model:
        """The model that `save` writes: weights, names of the features, certificates and the record of the run."""
        learner, proofs = self._fitted, self.certificate_
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        features = Named(names) if names and len(set(names)) == len(names) else Numbered(0, learner.width)
        run = replace(self._run_record(), estimator=type(self).__name__, call=repr(self), made_with=versions())
        return Model(learner, features, list(proofs.values()) if isinstance(proofs, dict) else [proofs], run)

    def _run_record(self) -> RunRecord:
        """How the weights were found."""
        raise NotImplementedError

    def feature_importance(self) -> dict[str, float]:
        """The size of each feature's weight, largest first (F11).

        It is |w_d|, or with more than two classes the root of the sum of squares over the classes. It says how much a feature
        matters only if the features are on comparable scales.
        """
        size = np.sqrt((self.coef_**2).sum(axis=0))
        names = getattr(self, "feature_names_in_", [f"x{d}" for d in range(len(size))])
        return {str(names[d]): float(size[d]) for d in np.argsort(-size, kind="stable")}

    def _rows(self, X: Any) -> Matrix:
        self._fitted  # noqa: B018  an unfitted estimator is refused before its data
        return validated_rows(self, X)

    @property
    def _fitted(self) -> Learner:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} has not learned anything yet: call fit or partial_fit first")
        return self._learner

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner") and self._learner.started

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def classes_(self) -> Array:
        """The classes seen so far, sorted."""
        return read_only(self._fitted.classes)

    @property
    def coef_(self) -> Array:
        """The weights: one row for two classes, else one row per class. With readout="voted" they are the last ones."""
        return self._fitted.weights()[:, :-1].copy()

    @property
    def intercept_(self) -> Array:
        """The bias for each row of `coef_`: the weight of the constant coordinate."""
        return self._fitted.weights()[:, -1].copy()

    def _validated_examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Matrix, Examples]:
        X, y = validated(self, X, y, reset=reset)
        if y.dtype.kind in "fcO":  # could be a regression target, or anything; other types are labels
            check_classification_targets(y)
        return X, self._examples(X, y, sample_weight, reset)

    def _examples(self, X: Matrix, y: Array, sample_weight: Any, reset: bool) -> Examples:
        return examples(X, y, constant=1 if self.fit_intercept else 0, weight=sample_weight, threads=self._threads())

    def _training_examples(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Matrix, Examples]:
        """The data that `fit` was given, checked to have at least two classes."""
        X, y, sample_weight = unpacked(X, y, sample_weight)
        X, seen = self._validated_examples(X, y, sample_weight, reset=True)
        if len(seen.classes) == 1:
            streams = " A stream may start with one; use partial_fit." if hasattr(self, "partial_fit") else ""
            raise ValueError(f"there is one class only, {seen.classes.tolist()[0]!r}: fit needs at least two.{streams}")
        return X, seen

    def _adopt(self, seen: Examples, vectors: list[Array]) -> None:
        """Predict with these vectors, bias last, scaled to length 1 so that the scores of several classes can be compared."""
        self._learner = Learner(threads=self._threads())
        bounded = [w / (np.abs(w).max() or 1.0) for w in vectors]  # the square of a large double overflows
        self._learner.adopt(seen, np.array([w / (np.linalg.norm(w) or 1.0) for w in bounded]))

    def _threads(self) -> int | None:
        if self.n_jobs is None or self.n_jobs == -1:
            return None
        if not (isinstance(self.n_jobs, int | np.integer) and self.n_jobs >= 1):
            raise ValueError(f"n_jobs must be None or -1 (all processors) or a number of threads; it is {self.n_jobs!r}")
        return int(self.n_jobs)
