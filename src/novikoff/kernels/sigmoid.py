"""tanh(γ⟨a, b⟩ + c), which is positive semidefinite for no c and γ that people use: the mistake bounds are void."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.kernels import Array, OfProducts, kernel_named
from novikoff.rule import is_number, require_positive


class _Parameters(NamedTuple):
    gamma: Any = 1.0
    coef0: Any = 0.0


@kernel_named("sigmoid")
class Sigmoid(OfProducts, _Parameters):
    @property
    def positive(self) -> bool:
        return False

    def check(self) -> None:
        require_positive("gamma", self.gamma)
        if not (is_number(self.coef0) and np.isfinite(float(self.coef0))):
            raise ValueError(f"coef0 must be a finite number, not {self.coef0!r}")

    def finish(self, values: Array, a: Array, b: Array) -> None:
        values *= self.gamma
        values += self.coef0
        np.tanh(values, out=values)
