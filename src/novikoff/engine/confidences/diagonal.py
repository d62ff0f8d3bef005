"""One number a weight: the diagonal of Σ [crammer2009adaptive].

After a step, the diagonal of the new Σ is kept, and what is beside it is taken to be 0. Another form keeps the diagonal of
Σ⁻¹ instead; docs/decisions/confidence.md compares the two.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.confidences import confidence, own_step, sharpen, shift, sums_rows
from novikoff.engine.rules import require_positive, step
from novikoff.engine.storages import add_scaled, scaled_sqnorm, shrink
from novikoff.foundation.array_types import Array

LEAST = 1e-300  # a smaller number has no finite inverse


class DiagonalState(NamedTuple):
    r: Any
    sigma: Array  # Σ of each vector, one row per vector
    variance: Array  # xᵀΣx of the row that each vector learns from

    @property
    def learned(self) -> tuple[str, ...]:
        return ("sigma",)

    def carried(self, source: Array) -> "DiagonalState":
        return DiagonalState(self.r, self.sigma[source], self.variance[source])

    def relocated(self, source: Array) -> "DiagonalState":
        return self._replace(sigma=np.where(source >= 0, self.sigma[:, source], self.sigma.dtype.type(1)))

    def precisions(self) -> Array:
        return 1 / np.maximum(self.sigma, LEAST)

    def with_precisions(self, precisions: Array) -> "DiagonalState":
        return self._replace(sigma=1 / precisions)

    def is_valid(self) -> bool:
        return bool((self.sigma >= 0).all())

    def untouched(self, columns: slice) -> bool:
        return bool((self.sigma[:, columns] == 1).all())


@confidence("diagonal")
class Diagonal(NamedTuple):
    """σⱼ is how unsure weight j is: 1 at first. A step shrinks it by (σⱼxⱼ)²/(r + v), v = Σ σⱼxⱼ²."""

    r: float = 1.0

    @property
    def settled(self) -> float:
        return 0.05

    def check(self) -> None:
        require_positive("r", self.r)

    def new_state(self, vectors: int, length: int, number: Any) -> DiagonalState:
        r = Fraction(self.r) if number is object else float(self.r)
        return DiagonalState(r, np.full((vectors, length), 1, number), np.zeros(vectors, number))


@own_step.register(DiagonalState)
def _own_step(state: Any, rule: Any, v: Any, i: Any, margin: Any, tau: Any, sheet: Any) -> Any:
    state.variance[v] = scaled_sqnorm(sheet.rows, i, state.sigma[v])
    return step(rule, margin, state.variance[v])


@shift.register(DiagonalState)
def _shift(state: Any, v: Any, i: Any, c: Any, score: Any, sheet: Any, w: Any) -> Any:
    return add_scaled(sheet.rows, i, w, state.sigma[v], c)


@sharpen.register(DiagonalState)
def _sharpen(state: Any, v: Any, i: Any, weight: Any, sheet: Any) -> None:
    shrink(sheet.rows, i, state.sigma[v], weight / (state.r + weight * state.variance[v]))


@sums_rows.register(DiagonalState)
def _sums_rows(state: Any) -> Any:
    return False
