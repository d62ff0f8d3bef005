"""The perceptron's loss (F3) and the geometry of a hyperplane (F4), as plain functions.

`w` is a vector, `X` a matrix (dense or sparse) or a single row, `y` labels −1 and +1. The intercept is the weight of one more
coordinate that is always 1. It is included where the norm of all weights is taken.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.foundation.matrix_checks import checked, unmasked


def perceptron_loss(w: Any, X: Any, y: Any, intercept: float = 0.0) -> float:
    """Σ max(0, −y·(⟨w, x⟩ + b)): the loss that the Perceptron minimises by subgradient steps (F3).

    >>> perceptron_loss([1, 0], [[1, 0], [2, 0]], [1, -1])
    2.0
    """
    return float(np.maximum(0, -_margins(w, X, y, intercept)).sum())


def perceptron_subgradient(w: Any, X: Any, y: Any, intercept: float = 0.0) -> tuple[Array, float]:
    """The subgradient of the Perceptron's loss that its update steps against, for w and for the intercept.

    A row contributes −y·x where y·(⟨w, x⟩ + b) ≤ 0. At the kink, where it is 0, any multiple between 0 and −y·x would be a
    subgradient; −y·x is the one that makes zero a mistake.

    >>> perceptron_subgradient([0, 0], [1, 2], 1)
    (array([-1., -2.]), -1.0)
    """
    X, y = _rows(X), np.atleast_1d(np.asarray(y, float))
    pull = np.where(_margins(w, X, y, intercept) <= 0, -y, 0.0)
    return np.asarray(X.T @ pull, float), float(pull.sum())


def hinge_loss(w: Any, X: Any, y: Any, intercept: float = 0.0) -> float:
    """Σ max(0, 1 − y·(⟨w, x⟩ + b)): the L(u) of F6.

    >>> hinge_loss([1, 0], [[1, 0], [2, 0]], [1, -1])
    3.0
    """
    return float(np.maximum(0, 1 - _margins(w, X, y, intercept)).sum())


def distance(w: Any, X: Any, intercept: float = 0.0) -> Array:
    """|⟨w, x⟩ + b| / ‖w‖: how far each row is from the hyperplane (F4). The intercept is not in this norm.

    >>> distance([3, 4], [[3, 4]])
    array([5.])
    """
    w = np.asarray(w, float)
    length = np.linalg.norm(w)
    if length == 0:
        raise ValueError("w is 0, which is not the normal of any hyperplane")
    return np.asarray(np.abs(_rows(X) @ w + intercept) / length)


def margin(w: Any, X: Any, y: Any, intercept: float = 0.0) -> float:
    """γ(w): the smallest y·(⟨w, x⟩ + b) / ‖(w, b)‖, or −∞ where (w, b) does not separate the data.

    >>> margin([3, 4], [[3, 4], [-6, -8]], [1, -1])
    5.0
    """
    smallest = float(_margins(w, X, y, intercept).min())
    if not smallest > 0:
        return float("-inf")
    return smallest / float(np.hypot(np.linalg.norm(np.asarray(w, float)), intercept))


def _rows(X: Any) -> Any:
    return checked(X) if sp.issparse(X) else np.atleast_2d(np.asarray(unmasked(X, "X"), float))


def _margins(w: Any, X: Any, y: Any, intercept: float) -> Array:
    y = np.atleast_1d(np.asarray(unmasked(y, "y"), float))
    if not np.isin(y, (-1, 1)).all():
        raise ValueError("labels must be -1 and +1 here")
    return np.asarray(y * (_rows(X) @ np.asarray(w, float) + intercept))
