"""exp(−γ‖a − b‖²)."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler.dispatch import compiled
from novikoff.engine.exponential import exp_of_distances
from novikoff.engine.kernels import OfProducts, Points, check_gamma, kernel_named
from novikoff.foundation.array_types import Array

LOST = 1e-6  # the largest rounding error of a value that is accepted


class _Parameters(NamedTuple):
    gamma: Any = "scale"


@kernel_named("rbf")
class Rbf(OfProducts, _Parameters):
    def check(self) -> None:
        check_gamma(self.gamma)

    def require_precision(self, points: Points) -> None:
        """‖a − b‖² is computed from squares, which cancel out if rows are far from 0 and near to each other."""
        lost = float(self.gamma) * float(points.sqnorm.max(initial=0)) * np.finfo(np.float64).eps
        if lost > LOST:
            raise ValueError(
                f"rows are so far from 0 that values of the RBF kernel would be wrong by about {min(lost, 1.0):.1g}: subtract "
                "the columns' means first (sklearn.preprocessing.StandardScaler), or take a smaller gamma"
            )

    def between(self, A: Points, B: Points, threads: int | None = None) -> Array:
        values = super().between(A, B, threads)
        if A is B:
            np.fill_diagonal(values, 1.0)
        return values

    def finish(self, values: Array, a: Array, b: Array) -> None:
        compiled(exp_of_distances)(values, a.ravel(), b.ravel(), float(self.gamma))

    def of_itself(self, A: Points) -> Array:
        return np.ones(len(A))
