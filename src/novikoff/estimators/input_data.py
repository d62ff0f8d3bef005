"""What users pass to an estimator, converted to arrays and CSR matrices."""

import sys
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from novikoff.engine.labelled_rows import Examples
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked, unmasked

_OPTIONS: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,  # `examples` checks it in a pass that it makes anyway, and names the row and the column
    "ensure_min_samples": 0,  # `examples` has its own message
}


def unpacked(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Rows, labels and weights. X alone may be a Dataset or a block of one, which have all three."""
    if y is not None or "novikoff.data.readers" not in sys.modules:  # do not import the readers only for this check
        return X, y, sample_weight
    from novikoff.data.readers import Dataset, Labelled

    if isinstance(X, Dataset):
        X = X.read()
    if isinstance(X, Labelled):
        return X.X, X.y, X.weight if sample_weight is None else sample_weight
    return X, y, sample_weight


def validated_rows(estimator: object, X: Any) -> Matrix:
    """Rows for a fitted estimator, checked by scikit-learn."""
    return validate_data(estimator, checked(X, "X"), reset=False, **_OPTIONS)


def validated(estimator: object, X: Any, y: Any, *, reset: bool) -> tuple[Matrix, Array]:
    """Rows and labels, checked by scikit-learn.

    scikit-learn follows the indices of a sparse matrix, so `checked` comes first.
    """
    X, y = validate_data(estimator, checked(X, "X"), unmasked(y, "y"), reset=reset, **_OPTIONS)
    return X, y


def initial_weights(seen: Examples, coef_init: Any, intercept_init: Any, fit_intercept: bool) -> Array | None:
    """The first weights, one row per vector with the bias last; None if neither `coef_init` nor `intercept_init` is given."""
    if coef_init is None and intercept_init is None:
        return None
    if not fit_intercept and np.any(intercept_init):
        raise ValueError("intercept_init is given, but fit_intercept is False: there is no intercept to start from")
    vectors = 1 if len(seen.classes) == 2 else len(seen.classes)
    coef = np.zeros((vectors, seen.width)) if coef_init is None else np.asarray(coef_init, float)
    intercept = np.zeros(vectors) if intercept_init is None else np.asarray(intercept_init, float)
    if coef.size != vectors * seen.width or coef.shape[-1] != seen.width:
        raise ValueError(f"Provided coef_init does not match dataset: {coef.shape} is not {(vectors, seen.width)}")
    if intercept.size != vectors:
        raise ValueError(f"Provided intercept_init does not match dataset: {intercept.shape} is not {(vectors,)}")
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        raise ValueError("coef_init and intercept_init must be finite numbers")
    return np.column_stack([coef.reshape(vectors, -1), intercept.reshape(vectors)])
