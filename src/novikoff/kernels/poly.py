"""(γ⟨a, b⟩ + c)ᵈ: every product of up to d columns."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.kernels import Array, OfProducts, kernel_named
from novikoff.rule import is_number, require_positive


class _Parameters(NamedTuple):
    degree: int = 3
    gamma: Any = 1
    coef0: Any = 1


@kernel_named("poly")
class Poly(OfProducts, _Parameters):
    exact = True

    def check(self) -> None:
        if not (isinstance(self.degree, int | np.integer) and self.degree >= 1):
            raise ValueError(f"degree must be a whole number and at least 1; it is {self.degree!r}")
        require_positive("gamma", self.gamma)
        if not (is_number(self.coef0) and np.isfinite(float(self.coef0))):
            raise ValueError(f"coef0 must be a finite number, not {self.coef0!r}")

    @property
    def positive(self) -> bool:
        return bool(self.coef0 >= 0)

    def finish(self, values: Array, a: Array, b: Array) -> None:
        values *= self.gamma
        values += self.coef0
        base = values.copy()
        for _ in range(self.degree - 1):
            values *= base
