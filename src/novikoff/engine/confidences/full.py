"""The whole matrix Σ, for few columns: AROW as its theorem speaks of it (F26) [crammer2009adaptive]."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.confidences import confidence, own_step, sharpen, shift, sums_rows
from novikoff.engine.rules import require_positive, step
from novikoff.engine.storages import project
from novikoff.foundation.array_types import Array

MOST = 2**27  # numbers in the matrices of all vectors: one gigabyte


class FullState(NamedTuple):
    r: Any
    sigma: Array  # Σ of each vector
    variance: Array  # xᵀΣx of the row that each vector learns from
    direction: Array  # Σx of that row, one row per vector

    @property
    def learned(self) -> tuple[str, ...]:
        return ("sigma",)

    def carried(self, source: Array) -> "FullState":
        _require_room(len(source), self.sigma.shape[1])
        return FullState(self.r, self.sigma[source], self.variance[source], self.direction[source])

    def relocated(self, source: Array) -> "FullState":
        _require_room(len(self.sigma), len(source))
        known = (source >= 0)[:, None] & (source >= 0)
        unknown = np.eye(len(source), dtype=self.sigma.dtype)
        sigma = np.where(known, self.sigma[:, source][:, :, source], unknown)
        return self._replace(sigma=sigma, direction=np.zeros(sigma.shape[:2], sigma.dtype))

    def precisions(self) -> Array:
        inverse: Array = np.linalg.inv(self.sigma)
        return inverse

    def with_precisions(self, precisions: Array) -> "FullState":
        inverse = np.linalg.inv(precisions)
        sigma = np.clip((inverse + inverse.swapaxes(1, 2)) / 2, -1, 1)  # inverses are rounded
        diagonal = np.arange(sigma.shape[1])
        sigma[:, diagonal, diagonal] = np.maximum(sigma[:, diagonal, diagonal], 0)
        return self._replace(sigma=sigma)

    def is_valid(self) -> bool:
        diagonal = np.einsum("vjj->vj", self.sigma)
        return bool((diagonal >= 0).all() and (self.sigma == self.sigma.swapaxes(1, 2)).all())

    def untouched(self, columns: slice) -> bool:
        rest = self.sigma[:, columns] - np.eye(self.sigma.shape[1], dtype=self.sigma.dtype)[columns]
        return not rest.any()


@confidence("full")
class Full(NamedTuple):
    """A step shrinks Σ by Σxxᵀ Σ/(r + v), v = xᵀΣx: the inverse of Σ⁻¹ + xxᵀ/r."""

    r: float = 1.0

    @property
    def settled(self) -> float:
        return 0.005  # weights move less in each pass, and more passes help

    def check(self) -> None:
        require_positive("r", self.r)

    def new_state(self, vectors: int, length: int, number: Any) -> FullState:
        _require_room(vectors, length)
        r = Fraction(self.r) if number is object else float(self.r)
        sigma = np.zeros((vectors, length, length), number)
        sigma[:, np.arange(length), np.arange(length)] = 1
        return FullState(r, sigma, np.zeros(vectors, number), np.zeros((vectors, length), number))


def _require_room(vectors: int, length: int) -> None:
    if vectors * length**2 > MOST:
        raise ValueError(
            f"confidence='full' needs a matrix of {length} × {length} numbers for each of {vectors} vectors, more than "
            f"{MOST:,} numbers in all: use confidence='diagonal'"
        )


@own_step.register(FullState)
def _own_step(state: Any, rule: Any, v: Any, i: Any, margin: Any, tau: Any, sheet: Any) -> Any:
    direction = state.direction[v]
    for j in range(len(direction)):
        direction[j] = project(sheet.rows, i, state.sigma[v, j])
    state.variance[v] = project(sheet.rows, i, direction)
    return step(rule, margin, state.variance[v])


@shift.register(FullState)
def _shift(state: Any, v: Any, i: Any, c: Any, score: Any, sheet: Any, w: Any) -> Any:
    direction = state.direction[v]
    grown = c * 0
    for j in range(len(direction)):
        d = c * direction[j]
        grown += d * (2 * w[j] + d)
        w[j] += d
    return grown


@sharpen.register(FullState)
def _sharpen(state: Any, v: Any, i: Any, weight: Any, sheet: Any) -> None:
    direction, beta = state.direction[v], weight / (state.r + weight * state.variance[v])
    for j in range(len(direction)):
        for k in range(len(direction)):
            state.sigma[v, j, k] -= beta * (direction[j] * direction[k])  # in this order, Σ stays symmetric


@sums_rows.register(FullState)
def _sums_rows(state: Any) -> Any:
    return False
