"""Makes passes over a source of rows, until a pass changes nothing or something else ends the run.

`HeldRows` has all its examples in memory and knows which vectors are done. `Pieces` come one at a time and are not kept.
"""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.skipping import SkippingPlan
from novikoff.foundation.array_types import Array
from novikoff.foundation.interrupts import Interrupts, until_interrupted
from novikoff.learning.cycles import Cycle, CycleDetector
from novikoff.learning.run import Pass, StopReason
from novikoff.learning.schedule import orders
from novikoff.learning.sweeping import Piece, is_settled, sweep_piece

if TYPE_CHECKING:
    from novikoff.learning.learner import Learner

OnPass = Callable[[Pass], Any]
SETTLED = 0.05  # without a confidence: a pass that moves the weights by a smaller share of their length changes few answers
MOST_PASSES = 20  # of a run that ends when its weights have settled


class RowSource(Protocol):
    def pieces(self, number: int) -> Generator[Piece]:
        """The pieces of pass `number` of this run, counted from 0."""

    def passed(self, report: Pass, last: bool) -> bool:
        """Call it after a pass; `last` says that none follows. Returns whether all further passes would repeat earlier ones."""


def run_passes(
    learner: "Learner", rows: RowSource, max_passes: int, settles: bool, on_pass: OnPass | None, on_slice: OnPass | None
) -> tuple[StopReason, tuple[Pass, ...]]:
    """Go over the rows until a pass changes nothing, or `max_passes` times; or, with `settles`, until a pass changes little."""
    reports: list[Pass] = []
    reason, now = StopReason.MAX_ITER, learner.updates_and_mistakes()
    movement = Movement(learner) if settles else None
    enough_movement = SETTLED if learner.confidence is None else learner.confidence.settled
    with Interrupts() as interrupts:
        while reason is StopReason.MAX_ITER and len(reports) < max_passes:
            began, (updates, mistakes) = time.perf_counter(), now
            report = Pass(len(reports) + 1, 0, 0, 0, 0.0)
            with closing(_slices(learner, rows, len(reports))) as slices:
                for done in slices:
                    now, seconds = learner.updates_and_mistakes(), time.perf_counter() - began
                    report = Pass(report.number, done, now[0] - updates, now[1] - mistakes, seconds)
                    if on_slice is not None:
                        on_slice(report)
                    if interrupts.asked():
                        reason = StopReason.INTERRUPTED
                    elif learner.votes_are_lost:
                        reason = StopReason.LEDGER_FULL
                    if reason is not StopReason.MAX_ITER:
                        break
            if interrupts.asked():
                reason = StopReason.INTERRUPTED
                if not learner.started:
                    raise KeyboardInterrupt
            learner.finish_pass()
            reports.append(report)
            repeating = reason is StopReason.MAX_ITER and rows.passed(report, len(reports) == max_passes)
            enough = on_pass is not None and on_pass(report)
            if reason is StopReason.MAX_ITER:
                settled = movement is not None and movement.since_last_call() < enough_movement
                reason = _ending(report.updates == 0, enough, repeating, settled)
    return reason, tuple(reports)


def _slices(learner: "Learner", rows: RowSource, number: int) -> Generator[int]:
    """Pass `number`, slice by slice. Yields how many examples are done."""
    done = 0
    with closing(rows.pieces(number)) as pieces:
        for piece in pieces:
            for part in sweep_piece(learner, piece):
                yield done + part
            done += len(piece.order)


class Movement:
    """By how much the answering weights move, as a share of their length."""

    def __init__(self, learner: "Learner") -> None:
        self._learner = learner
        self._before: Array | None = None

    def since_last_call(self) -> float:
        """Infinite the first time, and if there are other weights or vectors."""
        before, self._before = self._before, np.array(self._learner.weights(), order="K")
        if before is None or before.shape != self._before.shape:
            return inf
        length = _length(self._before)
        np.subtract(before, self._before, out=before)
        return _length(before) / length if length else 0.0


def _length(w: Array) -> float:
    every = w.ravel(order="K")
    return sqrt(float(np.einsum("j,j->", every, every)))  # `@` starts threads for long vectors, which can take milliseconds


def _ending(clean: bool, enough: Any, repeating: bool, settled: bool) -> StopReason:
    if clean:
        return StopReason.CLEAN_PASS
    if enough:
        return StopReason.ON_PASS
    if settled:
        return StopReason.SETTLED
    return StopReason.CYCLE if repeating else StopReason.MAX_ITER


def _is_new(learner: "Learner") -> bool:
    """Whether its weights cannot know any rows yet."""
    return learner.passes == 0 and learner.from_zero


class HeldRows:
    """Examples that are held in memory. Vectors that a pass did not change are left out of the passes that follow."""

    def __init__(self, learner: "Learner", examples: Examples, max_passes: int, until_cycle: bool) -> None:
        self._learner, self._examples, self._until_cycle = learner, examples, until_cycle
        self._members = learner.members()
        self._unseen = _is_new(learner)
        self._orders = orders(examples, learner.order, learner.seed, learner.passes, max_passes)
        plain = learner.confidence is None  # F9 and F22 are about steps along rows
        skips = learner.skipping and learner.space.skips and not learner.strategy.at_once and plain
        self._skipping, self._updates = SkippingPlan(learner.rule, examples, skips), len(examples.fed)
        repeats = learner.order != "each" and learner.space.repeats and plain
        comparable = learner.space.comparable(learner.vectors, examples)
        self._detector = CycleDetector(learner.team, learner.passes, comparable) if repeats else None

    def pieces(self, number: int) -> Generator[Piece]:
        team = self._learner.team
        self._before, self._order = team.updates.copy(), next(self._orders)
        self._mistakes_before = team.mistakes.copy()
        watch = self._skipping.before_pass(number, self._updates, [team.w[v] for v in self._members])
        if number == 0 and self._unseen:
            yield from self._learner.with_forecasts(self._examples, self._order, self._learner.forecasts.scores)
        else:
            yield Piece(self._examples, self._order, self._members, watch)

    def passed(self, report: Pass, last: bool) -> bool:
        learner, team = self._learner, self._learner.team
        self._updates = report.updates
        if self._detector is not None:
            self._detector.look(team, learner.passes, not last)
        self._members = self._members[(team.updates - self._before)[self._members] > 0]
        ghost = learner.strategy.ghost(team)
        if ghost is not None and ghost in self._members and is_settled(learner, ghost, self._examples, self._order):
            self._members = self._members[:-1]
        if self._detector is None or not self._until_cycle:
            return False
        return {v for v in self._members.tolist() if v != ghost} <= self._detector.returns.keys()

    def without_mistakes(self) -> frozenset[int]:
        """The vectors that made no mistake in the last pass."""
        return frozenset(np.flatnonzero(self._learner.team.mistakes == self._mistakes_before).tolist())

    def cycles(self) -> dict[int, Cycle]:
        """The cycle of each vector that repeats itself, if the ledger reaches far enough."""
        learner, cycles = self._learner, {}
        for v, met in self._detector.returns.items() if self._detector is not None else ():
            ledger = learner.ledgers[v]
            entries = ledger.entries
            inside = (entries.t >= met.since) & (entries.t < met.until)
            known = ledger.complete or (len(entries.t) > 0 and entries.t[-1] >= met.until)
            if inside.any() and v != learner.strategy.ghost(learner.team) and known:
                rows, times, rivals = learner.strategy.cancelled(entries, inside, len(learner.classes))
                cycles[v] = Cycle(met.first, met.last, rows - (learner.rows_fed - len(self._examples)), times, rivals)
        return cycles


class Pieces:
    """Pieces of data that is not in memory: `pieces(n)` gives those of pass n, each with its order. Later ones may be wider."""

    def __init__(self, learner: "Learner", pieces: Callable[[int], Iterable[tuple[Examples, Array]]]) -> None:
        self._learner, self._pieces, self._first_row = learner, pieces, learner.rows_fed
        self._unseen, self.radius = _is_new(learner), 0.0

    def pieces(self, number: int) -> Generator[Piece]:
        learner = self._learner
        learner.rewind(self._first_row)
        for examples, order in until_interrupted(self._pieces(number)):
            if learner.started and examples.width > learner.width:
                learner.widen(examples.width)
            if number == 0:
                self.radius = max(self.radius, examples.radius)
            examples = learner.prepare(examples, held=False, counted=number > 0)
            try:
                if number == 0 and self._unseen:
                    yield from learner.with_forecasts(examples, order, learner.forecasts.scores)
                else:
                    yield Piece(examples, order, learner.members())
            finally:
                learner.shut(examples)

    def passed(self, report: Pass, last: bool) -> bool:
        return False
