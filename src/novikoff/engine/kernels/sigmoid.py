"""tanh(γ⟨a, b⟩ + c), which is not positive semidefinite for the usual c and γ: the mistake bounds do not hold."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.kernels import OfProducts, check_coef0, check_gamma, kernel_named
from novikoff.foundation.array_types import Array


class _Parameters(NamedTuple):
    gamma: Any = "scale"
    coef0: Any = 1.0


@kernel_named("sigmoid")
class Sigmoid(OfProducts, _Parameters):
    @property
    def positive(self) -> bool:
        return False

    def check(self) -> None:
        check_gamma(self.gamma)
        check_coef0(self.coef0)

    def finish(self, values: Array, a: Array, b: Array) -> None:
        values *= self.gamma
        values += self.coef0
        np.tanh(values, out=values)
