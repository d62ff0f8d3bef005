"""Passes, order, stopping, streaming and one-vs-rest: everything between a row and a model.

A team of weight vectors learns side by side, each row read once for all of them: one vector for two classes, one a class
for more, and last one that stands for a class that has not occurred yet, the ghost, which is told "no" by every row. A class
that appears in the middle of a stream starts as a copy of the ghost, and so is exactly where it would be had it been
announced at the start.

Or all classes learn at once, "direct": one vector has the weights of all of them, and every row is an example for its class
and against its rival (F25). There is no ghost then, and a class that appears starts from 0.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.kernels.called import Called
from novikoff.engine.kernels.precomputed import Precomputed
from novikoff.engine.labelled_rows import Examples, Sheet, class_scores, looked_at
from novikoff.engine.prefetching import WORTH_A_SCOUT, scouting
from novikoff.engine.readouts import Readout, find_readout
from novikoff.engine.readouts.voted import Ballot, DirectHistory, History
from novikoff.engine.rule import Bound, Evidence, NoBound, find_rule, in_numbers, is_number, void
from novikoff.engine.rules import Rosenblatt, Threshold
from novikoff.engine.skipping import Everything, Vigil
from novikoff.engine.storages import Array, entries
from novikoff.engine.storages.kesler import Kesler
from novikoff.engine.sweep import NEAR, Page, Team, foretell, new_page, new_team, settled, sweep
from novikoff.engine.weights.forgetron import nothing_forgotten
from novikoff.engine.weights.span import CACHE, Budgeted, Columns, Span
from novikoff.foundation.compiling import compiled
from novikoff.foundation.interrupts import Interrupts, until_interrupted
from novikoff.foundation.parallel import WORTH_A_THREAD, beside, cores, shares, side_by_side
from novikoff.foundation.registry import gather
from novikoff.learning.ledger import CAP, DirectEntries, Entries, Ledger, Tally

# Every rule and readout is registered before anything is compiled: one more later would mean another cache folder.
gather("novikoff.engine.rules")
gather("novikoff.engine.readouts")

SLICE = 30_000_000  # products between two looks at the keyboard: at most a tenth of a second
SLICE_ROWS = 2**18  # and rows, so that the page their updates are written on stays small
EXACT_SLICE = 20_000  # the same, in uncompiled arithmetic
ERROR_BLOCK = 65_536  # rows whose scores are held at once while counting errors
NO_INNER_PRODUCT = NoBound("the kernel is not known to be positive semidefinite, and the mistake bounds speak of inner products")
ORDERS = ("given", "once", "each")
MULTICLASS = ("ovr", "direct")


class StopReason(StrEnum):
    CLEAN_PASS = "clean pass"
    MAX_ITER = "max_iter"
    INTERRUPTED = "interrupted"
    ON_PASS = "on_pass"
    CYCLE = "cycle"
    LEDGER_FULL = "ledger full"
    STREAM = "stream"


class Pass(NamedTuple):
    """One pass: updates are steps made, mistakes those of them where y·⟨w, x⟩ ≤ 0, summed over the classes."""

    number: int
    examples: int
    updates: int
    mistakes: int
    seconds: float


class Cycle(NamedTuple):
    """The weights after pass `last` are those after pass `first` − 1, so passes first…last repeat for ever (F9).

    In between, the steps on these rows, so many each, have cancelled out, as far as floats can tell.
    """

    first: int
    last: int
    rows: Array
    times: Array
    rivals: Array | None = None  # of the rows, where all classes learn at once

    def __str__(self) -> str:
        if self.first == self.last:
            return f"pass {self.first} repeats for ever"
        return f"passes {self.first} to {self.last} repeat for ever"


@dataclass(frozen=True)
class Run:
    """What came of a fit.

    `cycles` has the vectors, by number, that came back to weights they had had, in an order that stays the same.
    `errors` is the number of rows that the answering weights get wrong at the end. After a clean pass it is not counted: the
    last weights have just got every row right. `radius` is R: no row that was fed is longer; None where it is not known.
    """

    stop_reason: StopReason
    passes: tuple[Pass, ...]
    errors: int | None
    cycles: Mapping[int, Cycle] = field(default_factory=dict)
    radius: float | None = None


class Learner:
    """Owns the weights, and everything that must be known to go on learning."""

    def __init__(
        self,
        rule: Any = "rosenblatt",
        *,
        readout: str = "last",
        order: str = "given",
        seed: int = 0,
        class_weight: Any = None,
        ledger_cap: int = CAP,
        threads: int | None = None,
        skipping: bool = True,
        multiclass: str = "ovr",
        kernel: Any = None,
        cache_bytes: int = CACHE,
        budget: int | None = None,
    ) -> None:
        self.rule = find_rule(rule)
        self.readout = find_readout(readout).name
        if not isinstance(order, str) or order not in ORDERS:
            raise ValueError(f"there is no order {order!r}; the orders are {', '.join(ORDERS)}")
        if not (class_weight is None or isinstance(class_weight, Mapping) or str(class_weight) == "balanced"):
            raise ValueError(f"class_weight must be None, 'balanced' or a mapping of classes to weights, not {class_weight!r}")
        if not (isinstance(ledger_cap, int | np.integer) and ledger_cap >= 0):
            raise ValueError(f"ledger_cap must be a whole number and not negative; it is {ledger_cap!r}")
        if not isinstance(multiclass, str) or multiclass not in MULTICLASS:
            raise ValueError(
                f"there is no multiclass {multiclass!r}; it is 'ovr', each class against the rest, or 'direct', all at once"
            )
        self.order = order
        self.multiclass = multiclass
        self.seed = seed
        self.class_weight = class_weight
        self.ledger_cap = ledger_cap
        self.threads = threads or cores()
        self.skipping = skipping  # leave rows unread that cannot be mistakes, where that is faster; nothing else depends on it
        self.budget = budget  # rows that a vector may be made of, at most
        if kernel is not None and multiclass == "direct":
            raise ValueError(
                "with a kernel, many classes learn one against the rest: multiclass='direct' is for weights of columns"
            )
        self.space = _space(kernel, cache_bytes, budget, self.readout, self.rule)
        self.held = False  # whether a vector that changes can be asked about any of the examples
        self.classes: Array = np.empty(0)
        self.class_counts = np.empty(0, np.int64)  # of the rows that counted
        self.rows_fed = 0  # rows that this learner has been given; the ledgers number rows in it
        self.passes = 0
        self.from_zero = True
        self.weighted = False
        self.constant: Any = 1  # the coordinate that carries the bias; 0 where there is none
        self.start: Array | None = None  # the first weights, if they were not all 0
        self.ballot = Ballot()
        self.team: Team  # from the first examples on, as are the next two
        self.carry: Any
        self.ledgers: list[Ledger]

    @property
    def reading(self) -> Readout:
        return find_readout(self.readout)

    @property
    def started(self) -> bool:
        """Whether anything has been learned yet."""
        return hasattr(self, "team")

    @property
    def width(self) -> int:
        """How many columns the rows have that were learned from; 0 before there were any."""
        if isinstance(self.space, Span):
            return self.space.columns
        return self.team.w.shape[1] // self.interleaved - 1 if self.started else 0

    @property
    def direct(self) -> bool:
        """Whether all classes learn at once."""
        return self.multiclass == "direct"

    @property
    def interleaved(self) -> int:
        """How many weights of a vector belong to one column."""
        return max(1, len(self.classes)) if self.direct else 1

    @property
    def answering(self) -> slice:
        """The vectors that answer: all but the ghost, where there is one."""
        return slice(None) if self.direct else slice(-1)

    @property
    def stretch_sq(self) -> int:
        """‖z‖²/‖x‖²: where all classes learn at once, a row is added for one and taken off another (F25)."""
        return 2 if self.direct else 1

    @property
    def kernel(self) -> Any:
        """By which rows are multiplied; None where they are as they are."""
        return self.space.kernel

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        """What the rule's theorem says of this learner's own past, or why it says nothing. The radius is that of the rows."""
        own = evidence._replace(radius=self.stretch_sq**0.5 * evidence.radius, from_zero=self.from_zero, weighted=self.weighted)
        if self.kernel is not None and not self.kernel.positive:
            return NO_INNER_PRODUCT
        if isinstance(self.space, Budgeted):
            return self.space.bound(own)
        bound: Bound | NoBound = self.rule.bound(own)
        return bound

    @property
    def no_streams(self) -> str:
        """Why this learner cannot learn from a stream, if it cannot."""
        if isinstance(self.kernel, Precomputed):
            return "kernel='precomputed' has values of rows that are known from the start, and a stream has none: use fit"
        return self.reading.no_streams

    def margins_void(self) -> NoBound | None:
        """Why the updates say nothing of margins (F7), if they do not."""
        if (nothing := void(Evidence(1.0, 1.0, from_zero=self.from_zero))) is not None:
            return nothing
        if self.budget is not None:
            return NoBound("with a budget, w is not the sum of its updates")
        return None if self.kernel is None or self.kernel.positive else NO_INNER_PRODUCT

    def require_columns(self, what: str) -> None:
        """Refuse, for someone who wants the weights of columns, where there are none."""
        if self.space.kernel is not None:
            raise ValueError(f"{what} needs weights of columns, and this model has a kernel: it has coefficients of stored rows")

    # ---- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        examples: Examples,
        max_passes: int,
        *,
        start: Array | None = None,
        on_pass: Callable[[Pass], Any] | None = None,
        on_slice: Callable[[Pass], Any] | None = None,
        until_cycle: bool = False,
    ) -> Run:
        """Go over the examples until a pass changes nothing, or `max_passes` times.

        A learner that has learned before goes on from where it is. `start` gives first weights, a row a vector. `on_pass` stops
        the run by returning something true; `on_slice` hears several times a second how the pass stands. `until_cycle` also
        ends it when every vector that still changes is seen to repeat itself (F9).
        """
        if not len(examples.fed):
            raise ValueError("every sample weight is zero: there is nothing to learn from")
        radius = None if examples.exact else examples.radius
        examples = self._ready(examples, held=True)
        if start is not None:
            self._start_from(start)
        if self.held and self.reading.begin is not None:
            self.reading.begin(self.carry, self._whole_sheet(examples), self.team)
        reports: list[Pass] = []
        active = self._everybody()
        ghost = len(self.team.w) - 1
        alone = ghost == 0  # of one class the ghost is all there is: turned round, it says yes to every row; or there is none
        skipping = self.skipping and not self.direct and self.kernel is None
        vigil, updates = Vigil(self.rule, examples, skipping), len(examples.fed)
        orders = self._orders(examples, max_passes)
        again = self.order != "each" and self.budget is None  # with a budget, what is forgotten also depends on what was before
        memory = None if not again else _Memory(self.team, self.passes, self._telling(examples))
        reason = StopReason.MAX_ITER
        with Interrupts() as interrupts:
            while reason is StopReason.MAX_ITER and len(reports) < max_passes:
                before, began = self._counts(), time.perf_counter()
                order = next(orders)
                watch = vigil.before_pass(len(reports), updates, self.team.w[active])
                for done in self._slices(examples, order, active, watch):
                    made = self._counts() - before
                    updates, mistakes = made[:, : None if alone else -1].sum(axis=1).tolist()
                    report = Pass(len(reports) + 1, done, updates, mistakes, time.perf_counter() - began)
                    if on_slice is not None:
                        on_slice(report)
                    if interrupts.asked():
                        reason = StopReason.INTERRUPTED
                        break
                    if self.reading.votes and not all(ledger.complete for ledger in self.ledgers):
                        reason = StopReason.LEDGER_FULL
                        break
                self.passes += 1
                reports.append(report)
                if memory is not None and reason is StopReason.MAX_ITER:
                    memory.look(self.team, self.passes, len(reports) < max_passes)
                enough = on_pass is not None and on_pass(report)
                active = active[made[0, active] > 0]
                if not alone and ghost in active and self._ghost_settled(examples, order):
                    active = active[:-1]
                if reason is StopReason.MAX_ITER and updates == 0:
                    reason = StopReason.CLEAN_PASS
                elif reason is StopReason.MAX_ITER and enough:
                    reason = StopReason.ON_PASS
                elif reason is StopReason.MAX_ITER and until_cycle and memory is not None:
                    learning = {v for v in active.tolist() if alone or v != ghost}
                    reason = StopReason.CYCLE if learning <= memory.met.keys() else reason
        self._close(examples)
        errors = None if reason is StopReason.CLEAN_PASS else self.errors(examples)
        self._shut(examples)
        cycles = self._cycles(memory, len(examples)) if memory is not None else {}
        return Run(reason, tuple(reports), errors, cycles, radius)

    def take_up(self, w: Array, clock: int, late: Array | None) -> None:
        """Stand where others have come to: at these vectors, the ghost left out, after so many examples.

        `late` is what the readout `averaged` carries along; None for those that carry nothing.
        """
        own = self.answering
        self.team.w[own] = w
        self.team.w_sqnorm[own] = self.team.peak[own] = (w * w).sum(axis=1)
        self.team.clock[:] = clock
        self.carry = self.new_carry(self.carry, False)
        if late is not None:
            self.carry.late[own] = late
        self.from_zero = False  # so that no bound on a single run is taken for one of theirs
        self._require_finite()

    def go_over(self, examples: Examples, number: int) -> None:
        """Pass `number` over these examples, as one of many shards (F20). Nobody waits for a class to come: the ghost rests."""
        examples = self._ready(examples, held=False, again=True)
        active = np.arange(len(self.team.w[self.answering]), dtype=np.uint32)
        for _ in self._slices(examples, self.order_of(examples, number), active, Everything()):
            pass
        self._shut(examples)
        self._require_finite()

    def adopt(self, examples: Examples, weights: Array) -> None:
        """Answer with weights that were found in another way, a row a vector, the bias last."""
        self._ready(examples, held=True)
        self._start_from(weights)
        self.rows_fed += len(examples)
        self._require_finite()

    def learn(self, examples: Examples, announced: Array | None = None, foretelling: bool = False) -> Array | None:
        """Go over the examples once, as given: a stream, in whatever pieces it comes.

        To foretell is to answer each row before learning from it: by the last weights, as numbers of classes, −1 for no answer.

        `announced` are classes that may be among the labels or come later. Ctrl-C is heard when the piece is learned, so that
        the learner is not left between two rows of it; a second one does not wait for that.
        """
        if self.no_streams:
            raise ValueError(self.no_streams)
        if not len(examples.fed):
            return None
        if announced is not None and not np.isin(examples.classes, announced).all():
            stranger = examples.classes[~np.isin(examples.classes, announced)].tolist()[0]
            raise ValueError(f"the label {stranger!r} is not among the classes announced: {announced.tolist()}")
        examples = self._ready(examples, held=False, announced=announced)
        answers = np.full(len(examples.fed), -1, np.int32) if foretelling else None
        with Interrupts() as interrupts:
            try:
                for _ in self._slices(examples, examples.fed, self._everybody(), Everything(), answers):
                    interrupts.asked()
            finally:
                self.passes += 1
                self._shut(examples)
        self._require_finite()
        if interrupts.asked():
            raise KeyboardInterrupt
        if answers is None or len(answers) == len(examples):
            return answers
        of_all = np.full(len(examples), -1, np.int32)
        of_all[examples.fed] = answers
        return of_all

    def fit_pieces(
        self,
        pieces: Callable[[int], Iterable[tuple[Examples, Array]]],
        max_passes: int,
        *,
        on_pass: Callable[[Pass], Any] | None = None,
        on_slice: Callable[[Pass], Any] | None = None,
    ) -> Run:
        """As `fit`, of data that is not held: `pieces(n)` gives the pieces of the n-th pass from 0 on, each with its order.

        The order is the caller's in all respects. Later pieces may be wider than earlier ones. Errors are not counted in the end,
        since that would be one more pass.
        """
        if self.no_streams:
            raise ValueError(self.no_streams)
        reports: list[Pass] = []
        reason, first_row, radius = StopReason.MAX_ITER, self.rows_fed, 0.0
        with Interrupts() as interrupts:
            while reason is StopReason.MAX_ITER and len(reports) < max_passes:
                began, done = time.perf_counter(), 0
                self.rows_fed = first_row
                report = Pass(len(reports) + 1, 0, 0, 0, 0.0)
                updates, mistakes = (-n for n in self._made())
                for examples, order in until_interrupted(pieces(len(reports))):
                    if self.started and examples.width > self.width:
                        self.widen(examples.width)
                    radius = max(radius, examples.radius if not reports else 0.0)
                    examples = self._ready(examples, held=False, again=len(reports) > 0)
                    for part in self._slices(examples, order, self._everybody(), Everything()):
                        made = self._made()
                        seconds = time.perf_counter() - began
                        report = Pass(len(reports) + 1, done + part, updates + made[0], mistakes + made[1], seconds)
                        if on_slice is not None:
                            on_slice(report)
                        if interrupts.asked():
                            reason = StopReason.INTERRUPTED
                            break
                    done += len(order)
                    self._shut(examples)
                    if reason is StopReason.INTERRUPTED:
                        break
                if interrupts.asked():
                    reason = StopReason.INTERRUPTED
                    if not self.started:
                        raise KeyboardInterrupt
                self.passes += 1
                reports.append(report)
                enough = on_pass is not None and on_pass(report)
                if reason is StopReason.MAX_ITER and report.updates == 0:
                    reason = StopReason.CLEAN_PASS
                elif reason is StopReason.MAX_ITER and enough:
                    reason = StopReason.ON_PASS
        self._require_finite()
        return Run(reason, tuple(reports), None, radius=radius)

    def _made(self) -> tuple[int, int]:
        """Updates and mistakes so far, of all vectors but the ghost."""
        if not self.started:
            return 0, 0
        updates, mistakes = self._counts()[:, self.answering].sum(axis=1).tolist()
        return updates, mistakes

    def _everybody(self) -> Array:
        """The vectors that learn. All classes at once need a second one: a row of the only class has no rival to be taken for.

        Where memory is short the ghost would take its share of it, and stays at 0.
        """
        vectors = len(self.team.w)
        if self.direct and len(self.classes) < 2:
            vectors = 0
        elif self.budget is not None and vectors > 1:
            vectors -= 1
        return np.arange(vectors, dtype=np.uint32)

    def _ready(self, examples: Examples, held: bool, announced: Array | None = None, again: bool = False) -> Examples:
        """Check that the examples fit what was learned before, and make room for new classes. The first change is here.

        `again` says that they have been counted before.
        """
        if self.budget is not None and examples.exact:
            raise ValueError("the Forgetron takes roots, and fractions have none: give the data as floats")
        if self.started and examples.width != self.width:
            raise ValueError(f"these rows have {examples.width} columns; the rows before had {self.width}")
        if self.kernel is not None and not isinstance(self.rule, Rosenblatt | Threshold) and (examples.sheet.sqnorm < 0).any():
            i = int(np.flatnonzero(examples.sheet.sqnorm < 0)[0])
            raise ValueError(
                f"the kernel of row {i} with itself is {examples.sheet.sqnorm[i]:.4g}, and the rule {self.rule!r} measures steps "
                "by it: where it may be negative, the rules are rosenblatt and threshold"
            )
        classes = _together(self.classes, announced, examples.classes)
        weights = self._class_weights(examples, classes, held)
        self.begin(classes, examples.width, examples.constant, object if examples.exact else np.float64)
        self.held = held and self.space.holds(examples)
        self.carry = self.new_carry(self.carry, self.held)
        examples = examples.coded_in(classes)
        counts = 0 if again else examples.class_counts()
        # Two classes share a vector, so both weigh in it; of more, each weighs in its own, where the rest count as they are.
        if self.direct and len(classes) > 1:
            examples = examples.all_classes_at_once(None if self.class_weight is None else weights)
        elif len(classes) > 1:
            self.team.factor[:-1] = weights if len(classes) == 2 else np.stack([weights * 0 + 1, weights], axis=1)
        self.weighted |= examples.weighted or bool((weights != 1).any())
        self.space.open(examples, self)
        self.class_counts = self.class_counts + counts
        return examples

    def begin(self, classes: Array, width: int, constant: Any, number: Any = np.float64) -> None:
        """Have vectors for these classes, all those so far among them; the first time, of weights 0 for so many columns."""
        if not self.started:
            self.constant = constant
            targets = [] if self.direct else targets_of(len(classes))
            self.team = new_team(len(targets) + 1, 1 + (width if self.space.kernel is None else 0), number)
            self.carry = None
            self.ledgers = [Ledger(self.ledger_cap, number, self.direct) for _ in self.team.w]
            if targets:
                self.team.target[:-1] = targets
                self.classes, self.class_counts = classes, np.zeros(len(classes), np.int64)
        if len(classes) != len(self.classes):
            (self._admit_at_zero if self.direct else self._admit)(classes)

    def new_carry(self, before: Any, held: bool) -> Any:
        """What is carried along with the team for its readout, and for its budget."""
        if self.budget is not None:
            return nothing_forgotten(self.team, before)
        return self.reading.carry(self.team, before, held)

    def _whole_sheet(self, examples: Examples) -> Sheet:
        return self.space.before(examples, examples.fed, Everything(), self)[0]

    def _telling(self, examples: Examples) -> int:
        """How many of a vector's numbers tell whether it is another: with a kernel, what it says of the rows."""
        return self.team.w.shape[1] if self.space.kernel is None else len(examples)

    def _class_weights(self, examples: Examples, classes: Array, held: bool) -> Array:
        """The weight of each class."""
        if self.class_weight is None:
            return np.ones(len(classes), np.int64)
        if isinstance(self.class_weight, str):  # "balanced"
            counts = np.zeros(len(classes), np.int64)
            counts[np.searchsorted(classes, examples.classes)] += examples.class_counts()
            if not held:
                counts[np.searchsorted(classes, self.classes)] += self.class_counts
            return counts.sum() / (len(classes) * np.maximum(counts, 1))  # type: ignore[no-any-return]
        names = classes.tolist()
        if held and (unknown := [name for name in self.class_weight if name not in names]):
            raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class: the classes are {names}")
        weights = [self.class_weight.get(name, 1) for name in names]
        if not all(is_number(weight) and 0 < weight < np.inf for weight in weights):
            raise ValueError(
                f"class weights must be positive and finite; they are {self.class_weight}. "
                "To leave a class out, give its rows the sample weight 0."
            )
        return np.array(weights, object if examples.exact else np.float64)

    def _admit(self, classes: Array) -> None:
        """Let new classes in: each vector of the new team takes over the past of one of the old, or of its mirror image.

        With two classes one vector serves both, with opposite signs. With one class there is none: the ghost is its mirror image.
        """
        old, ghost = self.classes.tolist(), len(self.team.w) - 1

        def past(name: Any) -> tuple[int, int]:
            if name not in old:
                return ghost, 1
            if len(old) == 1:
                return ghost, -1
            if len(old) == 2:
                return 0, (1 if name == old[1] else -1)
            return old.index(name), 1

        names = classes.tolist()
        target = targets_of(len(names))
        pasts = [past(names[code]) for code in target] + [(ghost, 1)]
        source = np.array([s for s, _ in pasts])
        sign = np.array([s for _, s in pasts])

        def rearranged(array: Array) -> Array:
            taken: Array = array[source]
            return np.where(sign[:, None] < 0, -taken, taken) if taken.ndim == 2 else taken

        self.team = Team(*map(rearranged, self.team))._replace(
            target=np.array([*target, -1], np.int32), factor=np.full((len(pasts), 2), 1, self.team.factor.dtype)
        )
        if self.carry is not None:
            self.carry = type(self.carry)(*map(rearranged, self.carry))
        if self.start is not None:
            self.start = rearranged(self.start)
        self.ledgers = [self.ledgers[s].copy(mirrored=m < 0) for s, m in pasts]
        counts = np.zeros(len(classes), np.int64)
        if len(old):
            counts[np.searchsorted(classes, self.classes)] = self.class_counts
        self.classes, self.class_counts = classes, counts

    def _admit_at_zero(self, classes: Array) -> None:
        """Let new classes in where all learn at once, with weights of 0.

        What was learned, was learned from z's of the classes there were, which are still z's of the same rows: F25 goes on to
        hold.
        """
        place, counts = np.searchsorted(classes, self.classes), np.zeros(len(classes), np.int64)
        before = self.interleaved

        def with_room(vectors: Array) -> Array:
            room = np.zeros((len(vectors), vectors.shape[1] // before, len(classes)), vectors.dtype)
            if len(place):
                room[:, :, place] = vectors.reshape(len(vectors), -1, before)
            return room.reshape(len(vectors), -1)

        self.each_vector(with_room)
        self.team.target[:] = 0  # `all_classes_at_once` makes every row an example of this
        for ledger in self.ledgers:
            ledger.renumber(place)
        counts[place] = self.class_counts
        self.classes, self.class_counts = classes, counts

    def widen(self, width: int) -> None:
        """From now on rows have so many columns. The new ones come after the others, as if all rows so far had had 0 there."""
        if self.started and width < self.width:
            raise ValueError(f"the rows so far have {self.width} columns, so they cannot become {width}")
        if self.started and width > self.width:
            if isinstance(self.space, Span):
                self.space.widen(width)
                return
            self.each_vector(partial(_with_columns, width=width, interleaved=self.interleaved))
            self.ballot = self.ballot.widened(width)

    def narrow(self, width: int) -> None:
        """Give back the columns from `width` on, in which no row learned from has had anything but 0."""
        if not 0 <= width <= self.width:
            raise ValueError(f"the rows so far have {self.width} columns, so they cannot become {width}")
        first, bias = width * self.interleaved, -self.interleaved
        if self.reading.votes or self.team.w[:, first:bias].any():
            raise ValueError(f"columns from {width} on have been learned from, and cannot be given back")
        self.each_vector(lambda vectors: np.concatenate([vectors[:, :first], vectors[:, bias:]], axis=1))

    def vectors(self) -> list[Array]:
        """All arrays that have a vector in each row."""
        carried = [part for part in self.carry if part.ndim == 2] if self.carry is not None else []
        return [self.team.w, *carried, *([] if self.start is None else [self.start])]

    def each_vector(self, changed: Callable[[Array], Array]) -> None:
        """Put changed vectors in the place of all there are: the bias is the last of each."""
        self.team = self.team._replace(w=changed(self.team.w))
        if self.carry is not None:
            self.carry = type(self.carry)(*(changed(part) if part.ndim == 2 else part for part in self.carry))
        if self.start is not None:
            self.start = changed(self.start)

    def _start_from(self, start: Array) -> None:
        start = self.vectors_of(start)
        self.team.w[self.answering] = start
        self.team.w_sqnorm[self.answering] = self.team.peak[self.answering] = (start * start).sum(axis=1)
        self.from_zero = not start.any()
        self.carry = self.reading.carry(self.team, None, True)
        self.start = self.team.w.copy()

    def _orders(self, examples: Examples, passes: int) -> Iterator[Array]:
        """The order of each pass to come (F2). The next one is drawn while this one is in use."""
        if self.order != "each":
            yield from repeat(self.order_of(examples, self.passes))
        coming = beside(partial(self.order_of, examples, self.passes))
        for number in range(self.passes + 1, self.passes + passes):
            order, coming = coming.result(), beside(partial(self.order_of, examples, number))
            yield order
        yield coming.result()

    def order_of(self, examples: Examples, number: int) -> Array:
        """The rows of pass `number`, counted from 0 since learning began, in the order in which they are looked at."""
        if self.order == "given":
            return examples.fed
        order = examples.fed.copy()
        np.random.default_rng([self.seed, number if self.order == "each" else 0]).shuffle(order)
        return order

    def _slices(self, examples: Examples, order: Array, active: Array, watch: Any, answers: Array | None = None) -> Iterator[int]:
        """One pass over `order` for the active vectors, in slices short enough to look at the keyboard in between.

        Between two slices all that the learner knows agrees. Each gives the number of examples done.
        """
        work = len(order) * examples.entries_per_row * len(active) * self.interleaved
        threads = 1 if examples.exact or work < WORTH_A_THREAD or answers is not None else self.threads
        # A row is read from memory once for all the vectors of a thread. Where two short ones would each have a thread,
        # the second core does more good fetching rows that lie scattered.
        scattered = self.order != "given" and entries(examples.sheet.rows) > WORTH_A_SCOUT
        short = len(active) <= 2 and self.team.w.shape[1] <= NEAR
        groups = [active[part.start : part.stop] for part in shares(len(active), 1 if scattered and short else threads)]
        # A scout would fetch what is left out. Of many classes at once the weights, and not the rows, are what is far away.
        scouted = scattered and len(groups) == 1 < threads and isinstance(watch, Everything) and not self.direct
        idle = np.delete(np.arange(len(self.team.w)), active)  # they would change nothing, but time passes for them too
        products = max(1.0, examples.entries_per_row) * max(1, len(active)) * self.interleaved
        rows = max(1, min(SLICE_ROWS, int((EXACT_SLICE if examples.exact else SLICE) / products)))
        rows = min(rows, self.space.at_once(self.held) or rows)
        number = self.team.w.dtype
        pages = [new_page(min(rows, len(order)) * len(group), number) for group in groups]
        kind = sweep if answers is None or self.direct else foretell
        run = kind if examples.exact else compiled(kind)
        rule = self._rule_for(examples)
        for first in range(0, len(order), rows):
            part = order[first : first + rows]
            foretold = () if answers is None or self.direct else (answers[first : first + rows],)
            sheet, here, looking = self.space.before(examples, part, watch, self)
            with scouting(sheet, part, pages[0].at) if scouted else nullcontext():
                made = side_by_side(
                    [
                        partial(run, rule, self.carry, looking, sheet, here, group, self.team, page, *foretold)
                        for group, page in zip(groups, pages, strict=True)
                    ]
                )
            self.space.after(examples, part, self)
            for group, page, k in zip(groups, pages, made, strict=True):
                if here is not part:
                    page.row[:k] = part[page.row[:k] - here[0]]
                self._write_down(examples, group, page, k)
            if answers is not None and self.direct:
                answers[first : first + rows] = _answered(examples, part, pages[0], sum(made))
            self.team.clock[idle] += len(part)
            for v in idle.tolist():
                self.ledgers[v].tally = self.tally(v)
            yield first + len(part)

    def _ghost_settled(self, examples: Examples, order: Array) -> bool:
        """Whether the ghost would go over the rows again without an update: true of those since its last one, so ask the others.

        It is often done after its first row, and then this saves it, and everybody, a whole pass.
        """
        ghost = len(self.team.w) - 1
        before = int(self.team.changed[ghost] - self.team.clock[ghost]) + len(order) + 1
        run = settled if examples.exact else compiled(settled)
        return bool(run(self._rule_for(examples), examples.sheet, order[:before], ghost, self.team))

    def _rule_for(self, examples: Examples) -> Any:
        return in_numbers(self.rule, Fraction if examples.exact else float)

    def _write_down(self, examples: Examples, group: Array, page: Page, k: int) -> None:
        """Carry a page's k updates over into the ledgers of the group's vectors."""
        if all(self.ledgers[v].full for v in group.tolist()):
            for v in group.tolist():
                self.ledgers[v].tally = self.tally(v)
            return
        grouped = np.argsort(page.vector[:k], kind="stable") if len(group) > 1 else np.arange(k)
        ends = np.searchsorted(page.vector[:k], group, side="right", sorter=grouped)
        start = 0
        for v, end in zip(group.tolist(), ends.tolist(), strict=True):
            mine = grouped[start:end]
            start = end
            row = page.row[mine]
            if self.direct:
                rows = examples.sheet.rows
                labels = rows.code[row], rows.taken[row]
                direct = DirectEntries(page.t[mine], row + self.rows_fed, *labels, page.margin[mine], page.step[mine])
                self.ledgers[v].append(direct, self.tally(v))
                continue
            y = np.where(examples.sheet.code[row] == self.team.target[v], 1, -1)
            entries = Entries(page.t[mine], row + self.rows_fed, y, page.margin[mine], page.step[mine])
            self.ledgers[v].append(entries, self.tally(v))

    def keep_no_updates(self) -> None:
        """From now on the ledgers only tally."""
        self.ledger_cap = 0
        for ledger in self.ledgers if self.started else []:
            ledger.cap = len(ledger)

    def recount(self) -> None:
        """Bring the tallies up to date, after a sweep that this learner did not make itself."""
        for v, ledger in enumerate(self.ledgers):
            ledger.tally = self.tally(v)

    def tally(self, v: int) -> Tally:
        team = self.team
        columns = team.clock, team.updates, team.mistakes, team.steps, team.w_sqnorm, team.hull_sq
        return Tally(*(column[v].item() if column.dtype != object else column[v] for column in columns))

    def _counts(self) -> Array:
        return np.array([self.team.updates, self.team.mistakes])

    def _cycles(self, memory: "_Memory", rows: int) -> dict[int, Cycle]:
        """What each vector that was seen to repeat itself had been doing, if the ledger reaches so far."""
        cycles = {}
        for v, met in memory.met.items():
            entries = self.ledgers[v].entries
            inside = (entries.t >= met.since) & (entries.t < met.until)
            pairs = entries.row[inside] * self.interleaved + (entries.rival[inside] if self.direct else 0)
            found, times = np.unique(pairs, return_counts=True)
            kept, rivals = np.divmod(found, self.interleaved)
            if len(kept) and v < max(1, len(self.team.w) - 1) and (self.ledgers[v].complete or entries.t[-1] >= met.until):
                cycles[v] = Cycle(met.first, met.last, kept - (self.rows_fed - rows), times, rivals if self.direct else None)
        return cycles

    def _close(self, examples: Examples) -> None:
        if self.held and self.reading.finish is not None:
            self.reading.finish(self.carry, self._whole_sheet(examples), self.team)
        if not self.held and not self.reading.adds_up:
            for kept in self.vectors()[1:]:
                self.space.refresh(examples, kept)
        if self.reading.votes and self.space.kernel is None:  # the ghost's rows too: a class that comes later takes over its past
            used = np.concatenate([ledger.entries.row for ledger in self.ledgers])
            self.ballot = self.ballot.with_rows(examples.sheet.rows, examples.width, self.rows_fed, used)
        self._require_finite()

    def _shut(self, examples: Examples) -> None:
        self.space.shut(examples, self)
        self.held = False
        self.rows_fed += len(examples)

    @property
    def may_fail(self) -> bool:
        """Whether learning can be refused half-way: what a user's function gives is known when it is called."""
        return isinstance(self.space.kernel, Called)

    def may_overflow(self, examples: Examples) -> bool:
        """Whether learning from these examples could take w out of the range of floats. Almost always it could not."""
        if examples.exact:
            return False
        sheet, w = examples.sheet, float(self.team.w_sqnorm.max())
        step = float(sheet.weight.sum()) * self._heaviest(examples) * max([1.0, *map(float, self.rule)])
        return not (w < 1e200 and float(examples.radius_sq) < 1e100 and step < 1e50 and sheet.sqnorm.min() > 1e-50)

    def _heaviest(self, examples: Examples) -> float:
        """No class weighs more."""
        if not self.direct:
            return float(self.team.factor.max())
        if isinstance(self.class_weight, Mapping):
            return max([1.0, *(float(weight) for weight in self.class_weight.values() if is_number(weight))])
        return float(self.rows_fed + len(examples))  # as much as a balanced class of one row

    def _require_finite(self) -> None:
        if self.team.w.dtype != object and not np.isfinite(self.team.w_sqnorm).all():
            raise ValueError(
                "the weights have overflowed, and the model is of no use: the data, the weights or the steps are too large. "
                "Scale the columns (sklearn.preprocessing.StandardScaler) and fit again."
            )

    # ---- answering --------------------------------------------------------------------------------------------------

    def weights(self) -> Array:
        """The weights that answer, a row a vector, the bias last: one row for two classes, one a class for more.

        One class alone has its own row as well: that of the ghost, turned round.
        """
        return self.rows_of(self.reading.weights(self.carry, self.team))

    def rows_of(self, w: Array) -> Array:
        """The rows that answer, of vectors as the team has them. Of two classes at once it is the second's: the first's is −w."""
        if not self.direct:
            return w[:-1] if len(self.classes) > 1 else -w
        rows = np.ascontiguousarray(w.reshape(-1, len(self.classes)).T)
        return rows[1:] if len(rows) == 2 else rows

    def vectors_of(self, rows: Array) -> Array:
        """The vectors, as the team has them but for the ghost, of rows that answer."""
        if not self.direct:
            return rows
        each = np.concatenate([-rows, rows]) if len(self.classes) == 2 else rows
        return np.ascontiguousarray(each.T).reshape(1, -1)

    def decide(self, X: Any) -> Array:
        """The score of each row of X for each row of `weights`; for voted weights, the vote."""
        if X.shape[1] != self.width:
            raise ValueError(f"these rows have {X.shape[1]} columns; the model was trained on {self.width}")
        if self.direct and len(self.classes) > 2 and not self.reading.votes:
            w = self.reading.weights(self.carry, self.team)[0]
            return class_scores(X, self.constant, w, len(self.classes), self.threads)
        if not self.reading.votes:
            return self.scores(X, self.weights())
        looked_at(X, self.constant, self.threads)
        ends = [[end] for end in self.voting_ends()]
        return np.concatenate([votes[0] for votes in self.votes(self.voters, X, ends)])

    @property
    def voters(self) -> Ballot:
        """The rows that voting needs."""
        space = self.space
        if isinstance(space, Span) and space.stored is not None:
            return Ballot(space.stored.X, space.stored.numbers, space.kernel, self.threads)
        return self.ballot

    def votes(self, ballot: Ballot, X: Any, ends: Sequence[Sequence[int]]) -> Iterator[Array]:
        """How the vote stood at each end of each vector's life: blocks of shape (ends, rows, columns of decisions)."""
        if not self.direct:
            yield from ballot.votes(X, self.constant, self.histories(), ends)
            return
        for votes in ballot.direct_votes(X, self.constant, self.direct_history(), ends[0]):
            yield votes[:, :, 1:] - votes[:, :, :1] if len(self.classes) == 2 else votes

    def scores(self, X: Any, w: Array) -> Array:
        """⟨w, x⟩ for each row of X and each row of w."""
        return self.space.scores(X, self.constant, w, self.threads)

    def codes(self, decisions: Array) -> Array:
        """Which class each row of decisions means, as a number."""
        if decisions.shape[1] > 1:
            best: Array = decisions.argmax(axis=1)
            return best
        return (decisions[:, 0] > 0).astype(np.intp) if len(self.classes) > 1 else np.zeros(len(decisions), np.intp)

    def sure(self, X: Any, decisions: Array, sigma: float) -> Array:
        """Where the answer is to be relied on: |cos(w, x)| ≥ σ, and never where the score is 0.

        With many classes it is the winner's cosine, which must be positive: a class that wins while it says no is not relied on.
        Votes have no angle; there it is the share by which they were won. Where all classes learned at once, it is the cosine of
        the whole w and z = (e_winner − e_second) ⊗ x: the winner's lead over √2·‖x‖·‖w‖, which must be positive too.
        """
        if self.reading.votes:
            reach = np.array([[max(1, end) for end in self.voting_ends()]])
        else:
            if self.kernel is not None and not self.kernel.positive:
                raise ValueError("an angle needs an inner product, which this kernel is not known to be: use readout='voted'")
            norms = self.space.row_sqnorms(X, self.constant, self.threads)
            reach = np.sqrt(norms)[:, None] * np.sqrt(self.space.sqnorms(self.weights()))[None, :]
        if decisions.shape[1] == 1:
            relied: Array = (np.abs(decisions) >= sigma * reach) & (decisions != 0)
            return relied[:, 0]
        if self.direct:
            second, first = np.partition(decisions, -2, axis=1)[:, -2:].T
            whole = reach[:, 0] if self.reading.votes else np.sqrt(2 * norms * (self.weights() ** 2).sum())
            sure: Array = (first - second >= sigma * whole) & (first > second)
            return sure
        winner = decisions.argmax(axis=1)[:, None]
        won = np.take_along_axis(decisions, winner, axis=1)
        reach = np.take_along_axis(np.broadcast_to(reach, decisions.shape), winner, axis=1)
        relied = (won >= sigma * reach) & (won > 0)
        return relied[:, 0]

    def errors(self, examples: Examples) -> int:
        """The rows that count and that the answering weights get wrong; of voted weights, the last ones."""
        examples = examples.coded_in(self.classes)
        if self.direct and len(self.classes) > 1:  # a lead of 0 is "I don't know" here too
            lead = examples.all_classes_at_once().leads(self.reading.weights(self.carry, self.team)[0])
            return int(((examples.sheet.weight != 0) & ~(lead > 0)).sum())
        weights, wrong = self.weights(), 0
        for first in range(0, len(examples), ERROR_BLOCK):
            decisions = self.space.scores_in(examples, weights, first, first + ERROR_BLOCK)
            code = examples.sheet.code[first : first + ERROR_BLOCK]
            counts = examples.sheet.weight[first : first + ERROR_BLOCK] != 0
            right = self.codes(decisions) == code
            if decisions.shape[1] == 1:
                right &= decisions[:, 0] != 0  # zero is "I don't know", which is never right
            wrong += int((counts & ~right).sum())
        return wrong

    def histories(self) -> list[History]:
        """What voting needs of each vector but the ghost."""
        starts = self.team.w * 0 if self.start is None else self.start
        kept = [ledger.entries for ledger in self.ledgers[self.answering]]
        return [History(start, e.t, e.row, e.y * e.step) for start, e in zip(starts, kept, strict=False)]

    def direct_history(self) -> DirectHistory:
        """What voting needs where all classes learn at once."""
        start, e = (self.team.w * 0 if self.start is None else self.start)[0], self.ledgers[0].entries
        return DirectHistory(start.reshape(-1, len(self.classes)).T, e.t, e.row, e.y, e.rival, e.step)

    def voting_ends(self) -> list[int]:
        """Until when each vector's life is known: to the end, unless its ledger is full."""
        return [
            ledger.tally.examples if ledger.complete else int(ledger.entries.t.max(initial=-1)) + 1
            for ledger in self.ledgers[self.answering]
        ]


class _Met(NamedTuple):
    """Weights met again: after which passes, and the examples counted until then."""

    first: int
    last: int
    since: int
    until: int


class _Memory:
    """Notices, with one copy of the weights, that they have come back [brent1980improved]; renewed after 1, 2, 4, … passes."""

    def __init__(self, team: Team, passes: int, telling: int) -> None:
        self.met: dict[int, _Met] = {}
        self.telling = telling  # the first so many numbers of a vector are compared
        self._keep(team, passes, 1)

    def _keep(self, team: Team, passes: int, wait: int) -> None:
        # Where w was never anything but 0, untouched memory is quicker had than a copy.
        telling = team.w[:, : self.telling]
        self.w = telling.copy() if team.peak.any() else np.zeros(telling.shape, telling.dtype)
        self.sqnorm, self.clock = team.w_sqnorm.copy(), team.clock.copy()
        self.passes, self.wait = passes, wait

    def look(self, team: Team, passes: int, going_on: bool) -> None:
        """After a pass: has a vector changed, and come back to where it was?"""
        for v in np.flatnonzero((team.w_sqnorm == self.sqnorm) & (team.changed >= self.clock)).tolist():
            if v not in self.met and (team.w[v, : self.telling] == self.w[v]).all():
                self.met[v] = _Met(self.passes + 1, passes, int(self.clock[v]), int(team.clock[v]))
        if going_on and passes - self.passes == self.wait:
            self._keep(team, passes, 2 * self.wait)


def _space(kernel: Any, cache_bytes: int, budget: int | None, readout: str, rule: Any) -> Columns:
    if kernel is None:
        if budget is not None:
            raise ValueError("a budget is of the rows that a kernel stores, and there is no kernel")
        return Columns()
    if budget is None:
        return Span(kernel, cache_bytes)
    if not (isinstance(budget, int | np.integer) and 1 <= budget < 2**31):
        raise ValueError(f"budget must be None or a whole number, at least 1 and below 2³¹; it is {budget!r}")
    if readout != "last":
        raise ValueError(f"with a budget only the last weights are there to answer: the readout must be last, not {readout}")
    if not isinstance(rule, Rosenblatt):
        raise ValueError(f"a budget is kept by the Forgetron, which has the rule 'rosenblatt' and no other: not {rule!r}")
    return Budgeted(kernel, int(budget))


def targets_of(classes: int) -> list[int]:
    """The class that each vector but the ghost says yes to."""
    return [] if classes == 1 else [1] if classes == 2 else list(range(classes))


def _with_columns(vectors: Array, width: int, interleaved: int) -> Array:
    """Vectors of more numbers, 0 before the bias, of which there are as many as weights of a column lie together."""
    more = np.full((len(vectors), (width + 1) * interleaved - vectors.shape[1]), 0, vectors.dtype)
    return np.concatenate([vectors[:, :-interleaved], more, vectors[:, -interleaved:]], axis=1)


def _answered(examples: Examples, order: Array, page: Page, k: int) -> Array:
    """What each row of `order` was taken for, where all classes learned at once: for what it is, unless the page says otherwise.

    A mistake was taken for its rival; a lead of 0 is no answer, −1.
    """
    rows, answers = examples.sheet.rows, np.zeros(len(order), np.int32)
    if not isinstance(rows, Kesler):
        return answers  # there is one class only
    answers[:] = rows.code[order]
    margin, row = page.margin[:k], page.row[:k]
    wrong = ~(margin > 0)
    answers[np.searchsorted(order, row[wrong])] = np.where(margin[wrong] == 0, -1, rows.taken[row[wrong]])
    return answers


def _together(*kinds: Array | None) -> Array:
    """All classes of several arrays of them, sorted."""
    met = [classes for classes in kinds if classes is not None and len(classes)]
    if len({classes.dtype.kind in "biuf" for classes in met}) > 1:
        raise ValueError(f"some labels are numbers and some are not: {met[0].tolist()[0]!r} and {met[-1].tolist()[0]!r}")
    together = np.unique(np.concatenate(met)) if len(met) > 1 else met[0]
    if len(together) < max(len(classes) for classes in met) or not all(np.isin(c, together.astype(c.dtype)).all() for c in met):
        raise ValueError(
            f"labels of types {', '.join(str(c.dtype) for c in met)} cannot be told apart once they are put together"
        )
    return together
