"""(γ⟨a, b⟩ + c)ᵈ: all products of up to d columns."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.kernels import OfProducts, check_coef0, check_gamma, kernel_named
from novikoff.foundation.array_types import Array
from novikoff.proof.named_kernels import MOST_DEGREE


class _Parameters(NamedTuple):
    degree: int = 3
    gamma: Any = 1
    coef0: Any = 1


@kernel_named("poly")
class Poly(OfProducts, _Parameters):
    exact = True

    def check(self) -> None:
        if not (isinstance(self.degree, int | np.integer) and 1 <= self.degree <= MOST_DEGREE):
            raise ValueError(f"degree must be a whole number from 1 to {MOST_DEGREE}; it is {self.degree!r}")
        check_gamma(self.gamma)
        check_coef0(self.coef0)

    @property
    def positive(self) -> bool:
        return bool(self.coef0 >= 0)

    def finish(self, values: Array, a: Array, b: Array) -> None:
        values *= self.gamma
        values += self.coef0
        base = values.copy()
        for _ in range(self.degree - 1):
            values *= base
