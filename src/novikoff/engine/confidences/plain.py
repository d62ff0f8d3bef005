"""Without a confidence: Σ is the identity and stays so."""

from typing import Any, NamedTuple

from novikoff.engine.confidences import own_step, sharpen, shift, sums_rows
from novikoff.engine.storages import add
from novikoff.foundation.array_types import Array


class Plain(NamedTuple):
    """It has no state, and compiles to nothing."""

    def carried(self, source: Array) -> "Plain":
        return self

    def relocated(self, source: Array) -> "Plain":
        return self

    def untouched(self, columns: slice) -> bool:
        return True


@own_step.register(Plain)
def _own_step(state: Any, rule: Any, v: Any, i: Any, margin: Any, tau: Any, sheet: Any) -> Any:
    return tau


@shift.register(Plain)
def _shift(state: Any, v: Any, i: Any, c: Any, score: Any, sheet: Any, w: Any) -> Any:
    add(sheet.rows, i, w, c)
    return c * (2 * score + c * sheet.sqnorm[i])


@sharpen.register(Plain)
def _sharpen(state: Any, v: Any, i: Any, weight: Any, sheet: Any) -> None:
    pass


@sums_rows.register(Plain)
def _sums_rows(state: Any) -> Any:
    return True
