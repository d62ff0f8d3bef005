"""Classes with a curved boundary, Gram matrices, and how close two computations with a kernel have to be."""

import numpy as np
import pytest

from novikoff.engine.kernels import Points


def gram(kernel, X):
    """The value of the kernel for each pair of rows."""
    return kernel.between(Points(X), Points(X))


def circles(n=200, seed=0):
    """Points in the plane, labelled by whether they are inside a circle."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where((X**2).sum(axis=1) > 1.4, "out", "in")


def close_to(number):
    """Equal but for rounding."""
    return pytest.approx(number, rel=1e-9, abs=1e-9)
