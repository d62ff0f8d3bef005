"""exp(−γ‖a − b‖²)."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.kernels import Array, OfProducts, Points, check_gamma, kernel_named


class _Parameters(NamedTuple):
    gamma: Any = "scale"


@kernel_named("rbf")
class Rbf(OfProducts, _Parameters):
    def check(self) -> None:
        check_gamma(self.gamma)

    def finish(self, values: Array, a: Array, b: Array) -> None:
        values *= 2
        values -= a
        values -= b
        values *= self.gamma
        np.minimum(values, 0, out=values)
        np.exp(values, out=values)

    def of_itself(self, A: Points) -> Array:
        return np.ones(len(A))
