"""The result of a run: its passes, and why it stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from novikoff.learning.cycles import Cycle


class StopReason(StrEnum):
    CLEAN_PASS = "clean pass"
    MAX_ITER = "max_iter"
    INTERRUPTED = "interrupted"
    ON_PASS = "on_pass"
    CYCLE = "cycle"
    LEDGER_FULL = "ledger full"
    SETTLED = "settled"
    STREAM = "stream"


class Pass(NamedTuple):
    """One pass: updates are all steps, mistakes are the steps where y·⟨w, x⟩ ≤ 0, summed over the classes."""

    number: int
    examples: int
    updates: int
    mistakes: int
    seconds: float


@dataclass(frozen=True)
class Run:
    """The result of a fit.

    `cycles` has the vectors, by number, that returned to earlier weights while the order stayed the same. `errors` is the number
    of rows that the answering weights get wrong at the end. After a clean pass it is not counted: the last weights have every
    row right. `radius` is R, the length of the longest row that was fed; None if it is not known. `without_mistakes` has the
    vectors, by number, that made no mistake in the last pass; it is empty if the rows were not held in memory.
    """

    stop_reason: StopReason
    passes: tuple[Pass, ...]
    errors: int | None
    cycles: Mapping[int, Cycle] = field(default_factory=dict)
    radius: float | None = None
    without_mistakes: frozenset[int] = frozenset()
