"""A diagonal Σ that never becomes quite sure, for streams (docs/decisions/confidence.md).

AROW's weights become sure like 1/n with the number n of rows they are learned from, and then cannot follow a stream that
changes; AdaGrad's steps shrink like 1/√n [duchi2011adaptive]. This is in between: σⱼ = hⱼ^(−¾), where hⱼ is 1 at first and grows
by g·xⱼ²/r with a row of weight g. As in AdaGrad, the row that is being learned counts already, so that its step is not too long
along entries that are new and large.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.confidences import confidence, own_step, sharpen, shift, sums_rows
from novikoff.engine.rules import require_positive, step
from novikoff.engine.storages import add_scaled, scaled_sqnorm, strengthen
from novikoff.foundation.array_types import Array

LEARNED = ("sigma", "precision")


class StreamState(NamedTuple):
    r: float
    sigma: Array  # the diagonal of Σ of each vector, one row per vector
    precision: Array  # h of each vector

    @property
    def learned(self) -> tuple[str, ...]:
        return LEARNED

    def carried(self, source: Array) -> "StreamState":
        return StreamState(self.r, self.sigma[source], self.precision[source])

    def relocated(self, source: Array) -> "StreamState":
        return StreamState(self.r, *(np.where(source >= 0, part[:, source], 1.0) for part in (self.sigma, self.precision)))

    def precisions(self) -> Array:
        return self.precision

    def with_precisions(self, precisions: Array) -> "StreamState":
        roots = np.sqrt(precisions)
        return StreamState(self.r, 1 / (roots * np.sqrt(roots)), precisions)

    def is_valid(self) -> bool:
        return bool((self.precision >= 1).all() and (self.sigma == self.with_precisions(self.precision).sigma).all())

    def untouched(self, columns: slice) -> bool:
        return bool((self.precision[:, columns] == 1).all())


@confidence("stream")
class Stream(NamedTuple):
    """σⱼ = (1 + Σ g·xⱼ²/r)^(−¾), over the rows that were learned from. During its own step, a row counts with the weight 1."""

    r: float = 0.05

    @property
    def settled(self) -> float:
        return 0.05

    def check(self) -> None:
        require_positive("r", self.r)

    def new_state(self, vectors: int, length: int, number: Any) -> StreamState:
        if number is object:
            raise ValueError("confidence='stream' has roots in it, which fractions do not have: use confidence='diagonal'")
        return StreamState(float(self.r), np.ones((vectors, length)), np.ones((vectors, length)))


@own_step.register(StreamState)
def _own_step(state: Any, rule: Any, v: Any, i: Any, margin: Any, tau: Any, sheet: Any) -> Any:
    strengthen(sheet.rows, i, state.precision[v], state.sigma[v], 1 / state.r)
    own = step(rule, margin, scaled_sqnorm(sheet.rows, i, state.sigma[v]))
    if own == 0 and margin > 0:  # no update, so the row does not count
        strengthen(sheet.rows, i, state.precision[v], state.sigma[v], -1 / state.r)
    return own


@shift.register(StreamState)
def _shift(state: Any, v: Any, i: Any, c: Any, score: Any, sheet: Any, w: Any) -> Any:
    return add_scaled(sheet.rows, i, w, state.sigma[v], c)


@sharpen.register(StreamState)
def _sharpen(state: Any, v: Any, i: Any, weight: Any, sheet: Any) -> None:
    if weight != 1:  # `own_step` has counted 1
        strengthen(sheet.rows, i, state.precision[v], state.sigma[v], (weight - 1) / state.r)


@sums_rows.register(StreamState)
def _sums_rows(state: Any) -> Any:
    return False
