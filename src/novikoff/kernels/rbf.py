"""exp(−γ‖a − b‖²)."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.exponential import exp_of_distances
from novikoff.generic import compiled
from novikoff.kernels import Array, OfProducts, Points, check_gamma, kernel_named


class _Parameters(NamedTuple):
    gamma: Any = "scale"


@kernel_named("rbf")
class Rbf(OfProducts, _Parameters):
    def check(self) -> None:
        check_gamma(self.gamma)

    def finish(self, values: Array, a: Array, b: Array) -> None:
        compiled(exp_of_distances)(values, a.ravel(), b.ravel(), float(self.gamma))

    def of_itself(self, A: Points) -> Array:
        return np.ones(len(A))
