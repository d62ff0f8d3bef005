"""Vectors u that a run's mistakes are compared with: those a user passes, and those found by name ("svm", "widest")."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from novikoff.engine.labelled_rows import Examples
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.learner import Learner
from novikoff.proof.certificate import Separable
from novikoff.solve.max_margin import max_margin, with_constant_column


def checked_vector(u: Any, v: int, learner: Learner) -> Array:
    """The u that a user passes, in the shape of the weights of vector v, or of all classes where they learn at once."""
    shape = learner.weights().shape if learner.strategy.at_once else learner.team.w[v].shape
    vector: Array = np.asarray(u, float)
    vector = vector if learner.strategy.at_once else vector.ravel()
    if vector.shape != shape or not np.isfinite(vector).all():
        rows = f"{shape[0]} rows of " if learner.strategy.at_once else ""
        raise ValueError(f"u must have {rows}{shape[-1]} finite numbers, the bias last")
    return vector


def vector_named(name: str, v: int, X: Matrix, seen: Examples, learner: Learner, passes: int) -> Array:
    """The u with this name for vector v, found from the rows that were learned from."""
    at_once = learner.proves_at_once
    sides = np.where(seen.sheet.code == (1 if learner.strategy.at_once else learner.team.target[v]), 1, -1)
    match name:
        case "svm" if at_once:
            return svm_weights(X, seen.sheet.code, learner.constant, passes, seen, learner.stretch_sq)
        case "svm":
            u = svm_weights(X, sides, learner.constant, passes, seen, learner.stretch_sq)
        case "widest" if at_once:
            raise ValueError(
                'u="widest" is the separator of two classes, or of each class and the rest; with multiclass="direct" use u="svm"'
            )
        case "widest":
            u = widest_separator(X[seen.fed], sides[seen.fed], bool(learner.constant))
        case _:
            raise ValueError(f'u must be a vector, None (the answering weights), "svm" or "widest"; it is {name!r}')
    return u / 2 if learner.strategy.at_once else u[0]  # half for one class, and half against the other


def svm_weights(X: Matrix, y: Array, constant: Any, passes: int, seen: Examples, stretch_sq: int = 1) -> Array:
    """The u for which the first form of F6 is least: a linear SVM with C = rows fed / R², one row per vector.

    The bias is the weight of the constant coordinate. With all classes at once it is the SVM of Crammer and Singer, and R² is
    `stretch_sq` times that of the rows.
    """
    from sklearn.svm import LinearSVC

    rows, y = X[seen.fed], y[seen.fed]
    column = np.full((len(y), 1), float(constant))
    rows = sp.hstack([rows, sp.csr_array(column)]).tocsr() if sp.issparse(rows) else np.hstack([rows, column])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # any u gives a valid bound
        many = len(np.unique(y)) > 2
        svm = LinearSVC(
            C=passes / (float(seen.radius_sq) * (stretch_sq if many else 1)),
            loss="hinge",
            multi_class="crammer_singer" if many else "ovr",
            fit_intercept=False,
            max_iter=10_000,
            random_state=0,
        )
        return svm.fit(rows, y).coef_.astype(np.float64)  # type: ignore[no-any-return]


def widest_separator(X: Matrix, sides: Array, fit_intercept: bool) -> Array:
    """The separator of these rows with the widest margin in the extended space, as one row with the bias last."""
    certificate = max_margin(with_constant_column(X) if fit_intercept else X, sides, fit_intercept=False, positive=1)
    if not isinstance(certificate, Separable):
        raise ValueError(f'there is no widest separator of this data: use u="svm", which allows errors. {certificate}')
    return np.array([[*map(float, certificate.weights.tolist()), *([] if fit_intercept else [0.0])]])
