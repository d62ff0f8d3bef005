"""⟨a, b⟩."""

from typing import NamedTuple

from novikoff.engine.kernels import OfProducts, kernel_named
from novikoff.foundation.array_types import Array


class _Parameters(NamedTuple):
    pass


@kernel_named("linear")
class Linear(OfProducts, _Parameters):
    exact = True

    def finish(self, values: Array, a: Array, b: Array) -> None:
        pass
