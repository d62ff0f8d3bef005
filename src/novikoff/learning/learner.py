"""The learner: owns the weights and everything that is needed to continue learning.

`pass_driver` runs it over rows, `multiclass` says how many classes learn, `engine/weights` where the weights live.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.engine.confidences import Confidence, State, find_confidence, no_bound_through
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.kernels import Kernel
from novikoff.engine.labelled_rows import Examples, Sheet, checked_rows
from novikoff.engine.readouts import Readout, find_readout
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.rules import Bound, Evidence, NoBound, Rule, find_rule, void
from novikoff.engine.skipping import Everything
from novikoff.engine.storages.csr import Csr
from novikoff.engine.sweep import Team
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights import space_for
from novikoff.engine.weights.space import Opening, Space
from novikoff.engine.weights.span import CACHE
from novikoff.foundation.array_types import Array
from novikoff.foundation.interrupts import Interrupts
from novikoff.foundation.parallel import cores
from novikoff.foundation.registry import import_all
from novikoff.learning.calibration import Calibration, calibrated
from novikoff.learning.class_weights import ClassWeight, check_class_weight, class_weights, largest_class_weight
from novikoff.learning.forecasts import Forecasts, no_forecasts
from novikoff.learning.ledger import CAP, Ledger, Tally
from novikoff.learning.multiclass import Multiclass, find_multiclass
from novikoff.learning.one_vs_rest import codes
from novikoff.learning.pass_driver import MOST_PASSES, HeldRows, OnPass, Pieces, run_passes
from novikoff.learning.run import Run, StopReason
from novikoff.learning.schedule import check_order, order_of
from novikoff.learning.sweeping import Piece, sweep_piece

# All are registered before anything is compiled: registering another one later would need a new cache folder.
import_all("novikoff.engine.rules")
import_all("novikoff.engine.readouts")
import_all("novikoff.engine.confidences")


NO_PROBABILITIES = (
    "this model has no probabilities: they are calibrated on the scores that rows got before they were learned from, and there "
    "are none. Possible reasons: readout='voted', or 'pocket' with fit; weights that were given; a cluster; fractions; a run "
    "that ended early, or met a new class after its first fit; a file of an older version. Use the scores instead"
)


@dataclass
class Past:
    """The history of a learner, besides its weights and ledgers."""

    rows_fed: int = 0  # the row numbers of the ledgers continue from it
    passes: int = 0
    from_zero: bool = True  # whether the first weights were 0
    weighted: bool = False  # whether a sample or class weight other than 1 occurred
    constant: Any = 1  # the coordinate that carries the bias; 0 if there is no bias


class Learner:
    """Learns from examples, pass by pass or piece by piece, and makes predictions."""

    def __init__(
        self,
        rule: Rule | str = "rosenblatt",
        *,
        confidence: Confidence | str | None = "auto",
        readout: str = "last",
        order: str = "given",
        seed: int = 0,
        class_weight: ClassWeight = None,
        ledger_cap: int = CAP,
        threads: int | None = None,
        skipping: bool = True,
        multiclass: str = "ovr",
        kernel: Kernel | None = None,
        cache_bytes: int = CACHE,
        budget: int | None = None,
        constant: Any = 1,
    ) -> None:
        if not (isinstance(ledger_cap, int | np.integer) and ledger_cap >= 0):
            raise ValueError(f"ledger_cap must be a whole number and not negative; it is {ledger_cap!r}")
        if kernel is not None and multiclass == "direct":
            raise ValueError(
                "with a kernel, many classes learn one against the rest: multiclass='direct' is for weights of columns"
            )
        self.rule = find_rule(rule)
        self.reading: Readout = find_readout(readout)
        by_rule = isinstance(confidence, str) and confidence == "auto"
        self.confidence = None if by_rule and kernel is not None else find_confidence(confidence, self.rule)
        if self.confidence is not None:
            _check_confidence(self.reading, kernel)
        self.order = check_order(order)
        self.strategy: Multiclass = find_multiclass(multiclass)
        self.seed = seed
        self.class_weight = check_class_weight(class_weight)
        self.ledger_cap = ledger_cap
        self.threads = threads or cores()
        self.skipping = skipping  # skip rows that cannot change w, if that is faster; affects only speed
        self.space: Space = space_for(kernel, cache_bytes, budget, self.reading, self.rule)
        self.held = False  # whether a changed vector can score any of the examples
        self.classes: Array = np.empty(0)
        self.class_counts = np.empty(0, np.int64)  # of the rows that were fed
        self.past = Past(constant=constant)
        self.ballot = Ballot()
        self.vectors: Vectors  # set with the first examples, like the next two
        self.ledgers: list[Ledger]
        self.forecasts: Forecasts
        self._calibration: tuple[int, Calibration] | None = None  # and after how many examples it was fitted

    # ---- what is known of it ----------------------------------------------------------------------------------------

    @property
    def started(self) -> bool:
        """Whether anything has been learned yet."""
        return hasattr(self, "vectors")

    @property
    def readout(self) -> str:
        return self.reading.name

    @property
    def multiclass(self) -> str:
        return self.strategy.name

    @property
    def team(self) -> Team:
        return self.vectors.team

    @property
    def readout_state(self) -> Any:
        return self.vectors.readout_state

    @property
    def rows_fed(self) -> int:
        return self.past.rows_fed

    @property
    def passes(self) -> int:
        return self.past.passes

    @property
    def weighted(self) -> bool:
        return self.past.weighted

    @property
    def from_zero(self) -> bool:
        return self.past.from_zero

    @property
    def constant(self) -> Any:
        return self.past.constant

    @property
    def width(self) -> int:
        """The number of columns of the training rows; 0 before the first."""
        return self.space.width(self.team.w.shape[1] // self.interleaved) if self.started else 0

    @property
    def interleaved(self) -> int:
        """How many weights of a vector belong to one column."""
        return self.strategy.interleaved(len(self.classes))

    @property
    def answering(self) -> slice:
        """The vectors that answer: all except the ghost, if there is one."""
        return self.strategy.answering

    @property
    def stretch_sq(self) -> int:
        """‖z‖²/‖x‖² for a row x and the z that is learned from."""
        return self.strategy.stretch_sq

    @property
    def proves_at_once(self) -> bool:
        """Whether one certificate is about all classes."""
        return self.strategy.proves_at_once(len(self.classes))

    @property
    def kernel(self) -> Kernel | None:
        """The kernel; None for the ordinary inner product."""
        return self.space.kernel

    @property
    def budget(self) -> int | None:
        """The largest number of rows per vector; None if it is not limited."""
        return self.space.budget

    @property
    def no_streams(self) -> str:
        """Why this learner cannot learn from a stream; empty if it can."""
        return self.space.no_streams or self.reading.no_streams

    @property
    def may_forecast(self) -> bool:
        """Whether the scores of rows before they are learned from are honest.

        Votes are no scores, and a readout that looks at all rows before it begins has chosen its weights by them.
        """
        return not (self.reading.votes or (self.held and self.reading.begin is not None))

    @property
    def votes_are_lost(self) -> bool:
        """Whether updates that are needed for votes were not kept."""
        return self.reading.votes and not all(ledger.complete for ledger in self.ledgers)

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        """The bound of the rule for the history of this learner, or why there is none. The radius is that of the rows."""
        if self.confidence is not None:
            return no_bound_through(self.confidence, self.rule)
        radius = self.stretch_sq**0.5 * evidence.radius
        return self.space.bound(self.rule, evidence._replace(radius=radius, from_zero=self.from_zero, weighted=self.weighted))

    def margins_void(self) -> NoBound | None:
        """Why the updates give no bound on margins (F7); None if they do."""
        if self.confidence is not None:
            return NoBound("with a confidence w is not a sum of rows (F29)")
        return void(Evidence(1.0, 1.0, from_zero=self.from_zero)) or self.space.no_margins()

    def require_columns(self, what: str) -> None:
        """Raise an error if there is not one weight for each column, which `what` needs."""
        self.space.require_columns(what)

    # ---- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        examples: Examples,
        max_passes: int | None,
        *,
        start: Array | None = None,
        on_pass: OnPass | None = None,
        on_slice: OnPass | None = None,
        until_cycle: bool = False,
    ) -> Run:
        """Go over the examples until a pass changes nothing, or `max_passes` times. None: until a pass changes little.

        A learner that has learned before continues from its weights. `start` gives the first weights, one row per vector. The
        run stops if `on_pass` returns something true; `on_slice` is called several times a second. `until_cycle` also ends the
        run when every vector that still changes repeats itself (F9).
        """
        if not len(examples.fed):
            raise ValueError("every sample weight is zero: there is nothing to learn from")
        radius = None if examples.exact else examples.radius
        examples = self.prepare(examples, held=True)
        if start is not None:
            self._start_from(start)
        if self.held and self.reading.begin is not None:
            self.reading.begin(self.readout_state, self._whole_sheet(examples), self.team)
        most = max_passes or MOST_PASSES
        rows = HeldRows(self, examples, most, until_cycle)
        reason, passes = run_passes(self, rows, most, max_passes is None, on_pass, on_slice)
        self._finish(examples)
        errors = None if reason is StopReason.CLEAN_PASS else self.errors(examples)
        self.shut(examples)
        return Run(reason, passes, errors, rows.cycles(), radius, rows.without_mistakes())

    def fit_pieces(
        self,
        pieces: Callable[[int], Iterable[tuple[Examples, Array]]],
        max_passes: int | None,
        *,
        on_pass: OnPass | None = None,
        on_slice: OnPass | None = None,
    ) -> Run:
        """Like `fit`, for data that is not in memory: `pieces(n)` gives the pieces of pass n (from 0), each with its order.

        The caller decides on the order. Later pieces may be wider than earlier ones. Errors are not counted at the end, since
        that would take one more pass.
        """
        if self.no_streams:
            raise ValueError(self.no_streams)
        rows = Pieces(self, pieces)
        reason, passes = run_passes(self, rows, max_passes or MOST_PASSES, max_passes is None, on_pass, on_slice)
        self._require_finite()
        return Run(reason, passes, None, radius=rows.radius)

    def learn(self, examples: Examples, announced: Array | None = None, foretelling: bool = False) -> Array | None:
        """Go over the examples once, in the given order: one piece of a stream.

        `announced` are classes that may be among the labels or come later. With `foretelling`, returns what `decide` would have
        returned for each row just before learning from it; 0 for rows that are not fed.

        Ctrl-C is handled after the piece, so that the learner does not stop between two rows of it. A second Ctrl-C does not
        wait.
        """
        if self.no_streams:
            raise ValueError(self.no_streams)
        if not len(examples.fed):
            return None
        if announced is not None and not np.isin(examples.classes, announced).all():
            stranger = examples.classes[~np.isin(examples.classes, announced)].tolist()[0]
            raise ValueError(f"the label {stranger!r} is not among the classes announced: {announced.tolist()}")
        examples = self.prepare(examples, held=False, announced=announced)
        clock, foretold = int(self.team.clock[0]), self.forecasts.scores
        if foretelling:
            foretold = np.zeros((len(examples.fed), foretold.shape[1]), self.team.w.dtype)
        with Interrupts() as interrupts:
            try:
                for piece in self.with_forecasts(examples, examples.fed, foretold):
                    for _ in sweep_piece(self, piece):
                        interrupts.asked()
            finally:
                self.finish_pass()
                self.shut(examples)
        self._require_finite()
        if interrupts.asked():
            raise KeyboardInterrupt
        if not foretelling:
            return None
        scores = np.zeros((len(examples), foretold.shape[1]), foretold.dtype)
        scores[examples.fed] = np.roll(foretold, -clock, axis=0)
        return self.strategy.decisions_of(scores, len(self.classes))

    def go_over(self, examples: Examples, number: int) -> None:
        """Pass `number` over these examples, as one of many shards (F20). The ghost does not learn: no new class can follow."""
        examples = self.prepare(examples, held=False, counted=True)
        members = np.arange(len(self.team.w[self.answering]), dtype=np.uint32)
        for _ in sweep_piece(self, Piece(examples, self.order_of(examples, number), members)):
            pass
        self.shut(examples)
        self._require_finite()

    def order_of(self, examples: Examples, number: int) -> Array:
        """The rows of pass `number`, counted from 0 since learning began, in the order in which they are fed."""
        return order_of(examples, self.order, self.seed, number)

    def shared(self) -> Array:
        """The answering vectors, one per row: weights, then what the confidence has learned. `take_up` continues from them."""
        return self.vectors.rows(self.answering)

    def take_up(self, shared: Array, clock: int, late: Array | None) -> None:
        """Continue from vectors that were computed elsewhere, without the ghost, after `clock` examples.

        `late` is the state of the readout `averaged`; None for readouts without one.
        """
        self.vectors.set_rows(self.answering, shared)
        self.team.clock[:] = clock
        self.vectors.readout_state = self.space.new_state(self.reading, self.vectors, False)
        if late is not None:
            self.readout_state.late[self.answering] = late
        self.past.from_zero = False  # bounds on a single run do not apply to them
        self._require_finite()

    def adopt(self, examples: Examples, weights: Array) -> None:
        """Answer with weights that were found in another way, one row per vector, the bias last."""
        self.prepare(examples, held=True)
        self._start_from(weights)
        self.past.rows_fed += len(examples)
        self._require_finite()

    # ---- one pass, for the pass driver ------------------------------------------------------------------------------

    def members(self) -> Array:
        """The numbers of the vectors that learn."""
        return self.strategy.members(len(self.team.w), len(self.classes), self.space.ghost_learns)

    def with_forecasts(self, examples: Examples, order: Array, foretold: Array) -> Iterator[Piece]:
        """The rows as pieces, the last rows as one of their own: their scores are foretold, as many as there is room for."""
        rounds = examples.exact and foretold is self.forecasts.scores  # fractions may be no doubles
        most = len(foretold) if self.may_forecast and not rounds else 0
        if len(order) > most:
            yield Piece(examples, order[: len(order) - most], self.members())
        if most:
            yield Piece(examples, order[-most:], self.members(), foretold=foretold)

    def prepare(self, examples: Examples, held: bool, announced: Array | None = None, counted: bool = False) -> Examples:
        """Check that the examples fit what was learned before, and make room for new classes. Nothing is changed before this.

        `counted` says that the rows have already been counted. Returns the examples in the form that the loop takes.
        """
        self.space.check(examples, self.rule)
        if self.started and examples.width != self.width:
            raise ValueError(f"these rows have {examples.width} columns; the rows before had {self.width}")
        classes = _together(self.classes, announced, examples.classes)
        before = np.zeros(len(classes), np.int64)
        if not held:
            before[np.searchsorted(classes, self.classes)] = self.class_counts
        weights = class_weights(self.class_weight, examples, classes, before, held)
        self.begin(classes, examples.width, examples.constant, object if examples.exact else np.float64)
        self.held = held and self.space.holds(examples)
        self.vectors.readout_state = self.space.new_state(self.reading, self.vectors, self.held)
        self.vectors.lay_out(by_columns=isinstance(examples.sheet.rows, Csr))
        examples = examples.coded_in(classes)
        counts = 0 if counted else examples.class_counts()
        examples = self.strategy.prepare(examples, self.team, weights)
        self.past.weighted |= examples.weighted or (weights is not None and bool((weights != 1).any()))
        self.space.open(examples, self.vectors, Opening(self.held, self.rows_fed, self.reading))
        self.class_counts = self.class_counts + counts
        return examples

    def begin(self, classes: Array, width: int, constant: Any, number: Any = np.float64) -> None:
        """Make vectors for these classes, which include all earlier ones. The first time, weights are 0, for `width` columns."""
        if not self.started:
            self.past.constant = constant
            team = self.strategy.new_team(len(classes), self.space.vector_length(width), number)
            self.vectors = Vectors(team, confidence=self._new_confidence(team))
            self.ledgers = [Ledger(self.ledger_cap, number, self.strategy.entries) for _ in self.team.w]
        elif len(classes) != len(self.classes):
            self.ledgers = self.strategy.admit(self.vectors, self.ledgers, self.classes.tolist(), classes.tolist())
        if len(classes) != len(self.classes):
            counts = np.zeros(len(classes), np.int64)
            counts[np.searchsorted(classes, self.classes)] = self.class_counts
            self.classes, self.class_counts = classes, counts
            self.forecasts, self._calibration = no_forecasts(self.strategy.columns(len(classes))), None

    def _new_confidence(self, team: Team) -> State | Plain:
        if self.confidence is None:
            return Plain()
        vectors, length = team.w.shape
        return self.confidence.new_state(vectors, length, object if team.w.dtype == object else np.float64)

    def updates_and_mistakes(self) -> tuple[int, int]:
        """How many there were so far, without those of the ghost."""
        if not self.started:
            return 0, 0
        counted = slice(self.strategy.ghost(self.team))
        return sum(self.team.updates[counted].tolist()), sum(self.team.mistakes[counted].tolist())

    def finish_pass(self) -> None:
        self.past.passes += 1

    def rewind(self, row: int) -> None:
        """Number the next rows from `row` on, since they are fed again."""
        self.past.rows_fed = row

    def shut(self, examples: Examples) -> None:
        """Learning from these examples is over."""
        none = np.empty(0, np.int64)
        voting = np.concatenate([none, *(ledger.entries.row for ledger in self.ledgers)]) if self.reading.votes else none
        self.space.shut(examples, self.vectors, voting)
        self.held = False
        self.past.rows_fed += len(examples)

    def _finish(self, examples: Examples) -> None:
        """The last pass of a fit is over."""
        if self.held and self.reading.finish is not None:
            self.reading.finish(self.readout_state, self._whole_sheet(examples), self.team)
        if not self.held and not self.reading.adds_up:
            for matrix in self.vectors.matrices()[1:]:
                self.space.refresh(examples, matrix)
        if self.reading.votes:  # also the rows of the ghost: a new class takes over its history
            used = np.concatenate([ledger.entries.row for ledger in self.ledgers])
            self.ballot = self.space.ballot_after(self.ballot, examples, self.rows_fed, used)
        self._require_finite()

    def _whole_sheet(self, examples: Examples) -> Sheet:
        return self.space.before(examples, examples.fed, Everything(), self.vectors)[0]

    def _start_from(self, start: Array) -> None:
        start = self.strategy.vectors_of(start, len(self.classes))
        self.vectors.set_weights(self.answering, start)
        self.past.from_zero = not start.any()
        self.vectors.readout_state = self.reading.new_state(self.team, None, True)
        self.vectors.start = self.team.w.copy()

    # ---- columns, counts and limits ---------------------------------------------------------------------------------

    def widen(self, width: int) -> None:
        """From now on rows have `width` columns. The new columns come last; all earlier rows have 0 in them."""
        if self.started and width < self.width:
            raise ValueError(f"the rows so far have {self.width} columns, so they cannot become {width}")
        if self.started and width > self.width:
            self.space.widen(self.vectors, width, self.interleaved)
            self.ballot = self.ballot.widened(width)

    def narrow(self, width: int) -> None:
        """Remove the columns from `width` on. All training rows must have 0 in them."""
        if not 0 <= width <= self.width:
            raise ValueError(f"the rows so far have {self.width} columns, so they cannot become {width}")
        first, bias = width * self.interleaved, -self.interleaved
        learned = self.team.w[:, first:bias].any() or not self.vectors.confidence.untouched(slice(first, bias))
        if self.reading.votes or learned:
            raise ValueError(f"columns from {width} on have been learned from, and cannot be given back")
        kept = np.arange(self.team.w.shape[1])
        self.vectors.relocate(np.concatenate([kept[:first], kept[bias:]]))

    def tally(self, v: int) -> Tally:
        team = self.team
        columns = team.clock, team.updates, team.mistakes, team.steps, team.w_sqnorm, team.hull_sq
        return Tally(*(column.item(v) for column in columns))

    def record(self, class_counts: Array | int, *, rows: int, passes: int, weighted: bool) -> None:
        """Record the number of rows of each class that were learned from without `fit` or `learn`."""
        self.class_counts = self.class_counts + class_counts
        self.past.rows_fed += rows
        self.past.passes += passes
        self.past.weighted |= weighted
        for v, ledger in enumerate(self.ledgers):
            ledger.tally = self.tally(v)

    def record_updates(self, updates: Array, mistakes: Array) -> None:
        """Record the updates and mistakes of shards, for each answering vector."""
        team, own = self.team, self.answering
        team.updates[own] += updates
        team.mistakes[own] += mistakes
        team.changed[own] = np.where(updates > 0, team.clock[0] - 1, team.changed[own])

    def restore(
        self,
        past: Past,
        classes: Array | None = None,
        class_counts: Array | None = None,
        vectors: Vectors | None = None,
        ledgers: list[Ledger] | None = None,
        ballot: Ballot | None = None,
        forecasts: Forecasts | None = None,
    ) -> None:
        """Restore a saved learner. `state.learner_of` has checked that the parts fit together."""
        self.past = past
        if vectors is None or classes is None or class_counts is None or ledgers is None or ballot is None:
            return  # the saved learner had not learned anything yet
        self.classes, self.class_counts, self.vectors = classes, class_counts, vectors
        self.ledgers, self.ballot = ledgers, ballot
        self.forecasts = forecasts or no_forecasts(self.strategy.columns(len(classes)))
        for v, ledger in enumerate(ledgers):
            ledger.tally = self.tally(v)

    def keep_no_updates(self) -> None:
        """From now on the ledgers only count."""
        self.ledger_cap = 0
        for ledger in self.ledgers if self.started else []:
            ledger.cap = len(ledger)

    def use_threads(self, threads: int | None) -> None:
        """Use this many threads; None: one per processor."""
        self.threads = threads or cores()

    @property
    def may_fail(self) -> bool:
        """Whether learning can fail half-way, because it calls a function of the user."""
        return self.space.may_fail

    def may_overflow(self, examples: Examples) -> bool:
        """Whether w could overflow while learning from these examples. Almost always it could not."""
        if examples.exact:
            return False
        sheet, w = examples.sheet, float(self.team.w_sqnorm.max())
        heaviest = self.strategy.heaviest(self.team, largest_class_weight(self.class_weight, self.rows_fed + len(examples)))
        step = float(sheet.weight.sum()) * heaviest * max([1.0, *map(float, self.rule)])
        tiny = self.confidence is not None and self.confidence.r < 1e-50  # steps are at most ℓ/r
        return tiny or not (w < 1e200 and float(examples.radius_sq) < 1e100 and step < 1e50 and sheet.sqnorm.min() > 1e-50)

    def _require_finite(self) -> None:
        if self.team.w.dtype != object and not np.isfinite(self.team.w_sqnorm).all():
            raise ValueError(
                "the weights have overflowed: the data, the weights or the steps are too large. "
                "Scale the columns (sklearn.preprocessing.StandardScaler) and fit again."
            )

    # ---- answering --------------------------------------------------------------------------------------------------

    def weights(self) -> Array:
        """The weights that answer, one row per vector, the bias last: one row for two classes, one row per class for more.

        A single class also has one row: that of the ghost, negated.
        """
        return self.rows_of(self.reading.weights(self.readout_state, self.team))

    def rows_of(self, w: Array) -> Array:
        """The answering weights, one per row, from the vectors of the team."""
        return self.strategy.rows_of(w, len(self.classes))

    def decide(self, X: Any) -> Array:
        """The score of each row of X for each row of `weights`; for voted weights, the vote."""
        if X.shape[1] != self.width:
            raise ValueError(f"these rows have {X.shape[1]} columns; the model was trained on {self.width}")
        if self.reading.votes:
            checked_rows(X, self.constant, self.threads)
            ends = [[end] for end in self.voting_ends()]
            return np.concatenate([votes[0] for votes in self.votes(self.voters, X, ends)])
        w = self.reading.weights(self.readout_state, self.team)
        return self.strategy.scores(self.space, X, self.constant, w, len(self.classes), self.threads)

    def probabilities(self, decisions: Array, patience: float = 0.0) -> Array:
        """The probability of each class, for rows of decisions. Raises an error if no row was scored before it was learned from.

        It is calibrated again if the number of examples has grown by more than the share `patience` since the last time.
        """
        if len(self.classes) == 1:
            return np.ones((len(decisions), 1))
        return self.calibration(patience).probabilities(decisions)

    def calibration(self, patience: float = 0.0) -> Calibration:
        """How scores become probabilities, fitted to the forecasts."""
        clock, fitted = int(self.team.clock[0]), self._calibration
        if fitted is None or clock > fitted[0] * (1 + patience):
            known, forecasts = self.forecasts.known(), self.forecasts
            if not len(known):
                raise ValueError(NO_PROBABILITIES)
            decisions = self.strategy.decisions_of(forecasts.scores[known], len(self.classes))
            fitted = self._calibration = clock, calibrated(decisions, forecasts.code[known], forecasts.weight[known])
        return fitted[1]

    def scores(self, X: Any, w: Array) -> Array:
        """⟨w, x⟩ for each row of X and each row of w."""
        return self.space.scores(X, self.constant, w, self.threads)

    @property
    def voters(self) -> Ballot:
        """The rows that voting needs."""
        return self.space.voting(self.ballot, self.threads)

    def votes(self, ballot: Ballot, X: Any, ends: Sequence[Sequence[int]]) -> Iterator[Array]:
        """The votes of each vector after the given numbers of examples: blocks of shape (ends, rows, columns of decisions)."""
        start = self.team.w * 0 if self.vectors.start is None else self.vectors.start
        return self.strategy.votes(ballot, X, self.constant, start, self.ledgers, len(self.classes), ends)

    def voting_ends(self) -> list[int]:
        """Up to which example the history of each vector is known: to the end, unless its ledger is full."""
        return [
            ledger.tally.examples if ledger.complete else int(ledger.entries.t.max(initial=-1)) + 1
            for ledger in self.ledgers[self.answering]
        ]

    def codes(self, decisions: Array) -> Array:
        """The number of the class that each row of decisions stands for."""
        return codes(decisions, len(self.classes))

    def answers(self, decisions: Array) -> Array:
        """The number of the class that each row of decisions stands for; −1 for "I don't know"."""
        return self.strategy.answers(decisions, len(self.classes))

    def sure(self, X: Any, decisions: Array, sigma: float) -> Array:
        """Which answers are reliable: those with |cos(w, x)| ≥ σ, and never those with score 0.

        With many classes the cosine is that of the winner, which must be positive: a class that wins with a negative score is not
        reliable. If all classes learned at once, it is the cosine of the whole w and z = (e_winner − e_second) ⊗ x. Votes have no
        angle; for them it is the share of the votes by which the answer won.
        """
        if self.reading.votes:
            reach = np.array([[max(1, end) for end in self.voting_ends()]])
        else:
            self.space.require_inner_product()
            reach = self.strategy.reach(self.space.row_sqnorms(X, self.constant, self.threads), self.space, self.weights())
        if decisions.shape[1] == 1:
            sure: Array = (np.abs(decisions) >= sigma * reach) & (decisions != 0)
            return sure[:, 0]
        lead, reach = self.strategy.lead(decisions, reach)
        relied: Array = (lead >= sigma * reach) & (lead > 0)
        return relied

    def errors(self, examples: Examples) -> int:
        """How many fed rows the answering weights get wrong; for voted weights, the last weights."""
        w = self.reading.weights(self.readout_state, self.team)
        return self.strategy.errors(self.space, examples.coded_in(self.classes), w)


def _check_confidence(readout: Readout, kernel: Kernel | None) -> None:
    if kernel is not None:
        raise ValueError("a confidence is about the weights of columns, and with a kernel there are none: use confidence=None")
    if readout.votes:
        raise ValueError(
            "votes replay the updates, and with a confidence their directions are not kept: use readout='last' or 'averaged'"
        )


def _together(*kinds: Array | None) -> Array:
    """All classes in several arrays, sorted."""
    met = [classes for classes in kinds if classes is not None and len(classes)]
    if len({classes.dtype.kind in "biuf" for classes in met}) > 1:
        raise ValueError(f"some labels are numbers and some are not: {met[0].tolist()[0]!r} and {met[-1].tolist()[0]!r}")
    if len(met) == 1 and met[0].dtype != object:  # an object need not be equal to itself
        return met[0]
    together = np.unique(np.concatenate(met)) if len(met) > 1 else met[0]
    if len(together) < max(len(classes) for classes in met) or not all(np.isin(c, together.astype(c.dtype)).all() for c in met):
        raise ValueError(
            f"labels of types {', '.join(str(c.dtype) for c in met)} become equal in one array: use labels of one type"
        )
    return together
