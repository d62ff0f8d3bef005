"""What a run of the learner proves about the rows that it learned from, a certificate for each vector of weights."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.weights.span import Span
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.cycles import Cycle
from novikoff.learning.learner import Learner
from novikoff.learning.run import Run
from novikoff.proof.certificate import Certificate, Classes, Data, Hull, Hulls, Label, ManyHull, Undecided, no_hull
from novikoff.proof.exact import Signed, as_numbers
from novikoff.proof.exact_many_classes import ManyRows
from novikoff.solve.separability.linear import Question
from novikoff.solve.separability.many_classes import ManyQuestion
from novikoff.solve.separability.through_kernels import KernelQuestion, described, no_proof_through

OwnUnits = Callable[[Array], Array]

WORTH_A_FINGERPRINT = 1_000_000  # numbers; a run that decided nothing about more of them is not worth the time
WORTH_A_CHECK = 5_000  # weights; to compute with more of them exactly may take longer than the fit
WORTH_AN_EXACT_FORM = 10_000_000  # numbers that the exact form of a user's kernel may be given after a fit


def of_run(X: Matrix, seen: Examples, learner: Learner, run: Run, own_units: OwnUnits | None = None) -> list[Certificate]:
    """What a fit to these examples proves, for each vector: Separable by a clean pass, Inseparable by a cycle, or Undecided.

    If the learner was given prepared rows in place of these, `own_units` makes its weights weights for these. They rounded, so
    updates prove nothing about these rows; the weights do if they separate them, which is checked exactly.
    """
    fit = _Fit(X, seen, learner, run, seen.coded_in(learner.classes).sheet.code, own_units)
    if (missing := absent(learner.classes, fit.code)) is not None:
        return undecided(learner, missing)
    if learner.kernel is not None and (why := no_proof_through(learner.kernel)) is not None:
        return undecided(learner, why)
    if learner.kernel is None and learner.proves_at_once:
        return [_AllClasses(fit, 0).answer()]
    kind = _ThroughKernel if learner.kernel is not None else _OneHyperplane
    return [kind(fit, v).answer() for v in range(len(learner.ledgers[learner.answering]))]


class _Fit(NamedTuple):
    """A fit that has ended."""

    X: Matrix
    seen: Examples
    learner: Learner
    run: Run
    code: Array  # the number of each row's class
    own_units: OwnUnits | None = None

    def weights(self) -> Array:
        """The last weights, for rows of X."""
        weights: Array = self.learner.rows_of(self.learner.team.w)
        return weights if self.own_units is None else self.own_units(weights)

    @property
    def sums_rows(self) -> bool:
        """Whether the weights are sums of rows of X, learned in this fit."""
        return self.own_units is None and not self.earlier_rows

    @property
    def earlier_rows(self) -> int:
        """How many rows the learner had learned from before this fit."""
        return self.learner.rows_fed - len(self.seen)

    def is_clean(self, v: int) -> bool:
        """Whether the last pass changed nothing in vector v."""
        team = self.learner.team
        return bool(team.changed[v] < team.clock[v] - len(self.seen.fed))

    @property
    def left_out(self) -> str:
        return "" if len(self.seen.fed) == len(self.seen) else ", those left out included"


class _RunQuestion(ABC):
    """Did this run separate the rows, or show that they cannot be separated? Asked about one vector of weights."""

    advice = "; `novikoff certify` or `separate` decides"

    def __init__(self, fit: _Fit, v: int) -> None:
        self.fit, self.v, self.clean = fit, v, fit.is_clean(v)

    def answer(self) -> Certificate:
        if self.clean:
            return self.by_weights()
        cycle = self.fit.run.cycles.get(self.v) if self.fit.own_units is None else None
        if cycle is not None and (certificate := self.by_cycle(cycle)) is not None:
            return certificate
        if self.without_mistakes and not isinstance(certificate := self.by_weights(), Undecided):
            return certificate
        return self.undecided(f"no clean pass in {len(self.fit.run.passes)}{self.advice}")

    @property
    def without_mistakes(self) -> bool:
        """Whether the last pass made updates but no mistake, and it is quick to check whether w separates the rows."""
        return self.v in self.fit.run.without_mistakes and self.fit.learner.team.w.shape[1] <= WORTH_A_CHECK

    @property
    def small(self) -> bool:
        """Whether a fingerprint is quick."""
        return self.fit.seen.entries_per_row * len(self.fit.seen) < WORTH_A_FINGERPRINT

    def hashes(self) -> Array | None:
        """The hashes of the rows, where the certificate will need a fingerprint."""
        run = self.fit.run
        needed = self.clean or self.small or self.v in run.cycles or self.without_mistakes
        return self.fit.seen.hashes() if needed else None

    @abstractmethod
    def by_weights(self) -> Certificate:
        """What the weights prove, after a clean pass."""

    @abstractmethod
    def by_cycle(self, cycle: Cycle) -> Certificate | None:
        """Inseparable by the rows of a cycle, if their steps cancel out exactly."""

    @abstractmethod
    def undecided(self, why: str) -> Undecided: ...


class _OneHyperplane(_RunQuestion):
    """Two classes, or one class against the rest."""

    @cached_property
    def question(self) -> Question:
        learner = self.fit.learner
        z = Signed(self.fit.X, signs_of(learner.classes, self.v, self.fit.code), bool(learner.constant))
        return Question(z, *sides_of(learner.classes, self.v), self.hashes())

    @cached_property
    def hull(self) -> Hull | Hulls:
        """The evidence in the mistakes, if all of them are of these rows."""
        if not self.fit.sums_rows:
            return no_hull(self.question.data_unseen)
        return self.question.hull_of_mistakes(self.fit.learner.ledgers[self.v].entries.row)

    def by_weights(self) -> Certificate:
        w = self.fit.weights()[self.v]
        why = f"in exact arithmetic the weights do not separate all rows{self.fit.left_out}"
        return self.question.of_weights(w, why, self.hull)

    def by_cycle(self, cycle: Cycle) -> Certificate | None:
        return self.question.of_cycle(cycle.rows, cycle.times)

    def undecided(self, why: str) -> Undecided:
        hull = self.hull if self.fit.learner.confidence is None else no_hull(self.question.data_unseen)
        return self.question.undecided(why, hull, self.question.data if self.small else self.question.data_unseen)


class _AllClasses(_RunQuestion):
    """Many classes that have learned at once."""

    advice = "; `novikoff certify --multiclass direct` or `separate` decides"

    @cached_property
    def question(self) -> ManyQuestion:
        learner = self.fit.learner
        code = self.fit.code.astype(np.int64)
        many = ManyRows(as_numbers(self.fit.X), code, len(learner.classes), bool(learner.constant))
        return ManyQuestion(many, learner.classes.tolist(), self.hashes())

    @cached_property
    def hull(self) -> ManyHull:
        if not self.fit.sums_rows or not (self.small or self.clean):
            return ManyHull()
        entries = self.fit.learner.ledgers[0].entries
        return self.question.hull_of_updates(entries.row, entries.rival)

    def by_weights(self) -> Certificate:
        why = f"in exact arithmetic the weights do not get all rows right{self.fit.left_out}"
        return self.question.of_weights(self.fit.weights(), why, self.hull)

    def by_cycle(self, cycle: Cycle) -> Certificate | None:
        assert cycle.rivals is not None, "rows have rivals where all classes learn at once"
        return self.question.of_cycle(cycle.rows, cycle.rivals, cycle.times)

    def undecided(self, why: str) -> Undecided:
        hull = self.hull if self.fit.learner.confidence is None else ManyHull()
        return self.question.undecided(why, hull, self.question.data if self.small else self.question.data_unseen)


class _ThroughKernel(_RunQuestion):
    """Two classes, or one class against the rest, in the space of a kernel."""

    @property
    def small(self) -> bool:
        return bool(self.fit.X.shape[0] * self.fit.X.shape[1] < WORTH_A_FINGERPRINT)

    @cached_property
    def question(self) -> KernelQuestion:
        return kernel_question(self.v, self.fit.X, self.fit.code, self.fit.learner)

    @cached_property
    def hull(self) -> Hull:
        """The evidence in the mistakes, if the weights are their sum: a budget forgets some."""
        if self.fit.earlier_rows or self.fit.learner.budget is not None or not self.small:
            return Hull()
        rows, times = self.question.plain.first_mistakes(self.fit.learner.ledgers[self.v].entries.row)
        return Hull(tuple(rows.tolist()), tuple(times.tolist()))

    def by_weights(self) -> Certificate:
        if self.fit.earlier_rows:
            return self.undecided(f"the model has learned before this fit{self.advice}")
        if self.question.values.kernel.name == "custom" and self._numbers_to_compare() > WORTH_AN_EXACT_FORM:
            return self.undecided(f"to check all rows by the kernel's exact form would take long{self.advice}")
        why = "the kernel's values do not show, beyond doubt, that all rows are right"
        return of_stored(self.v, self.question, self.fit.learner, why, self.hull)

    def _numbers_to_compare(self) -> int:
        assert isinstance(self.fit.learner.space, Span)
        stored = self.fit.learner.space.stored
        return int(self.fit.X.shape[0] * self.fit.X.shape[1] * (0 if stored is None else len(stored)))

    def by_cycle(self, cycle: Cycle) -> Certificate | None:
        return self.question.of_cycle(cycle.rows.tolist(), cycle.times.tolist())

    def undecided(self, why: str) -> Undecided:
        return self.question.undecided(why, self.hull, self.question.data if self.small else self.question.data_unseen)


def kernel_question(v: int, X: Matrix, code: Array, learner: Learner) -> KernelQuestion:
    """The question that vector v answers about these rows, whose classes have these numbers."""
    sign = signs_of(learner.classes, v, code)
    return KernelQuestion(learner.kernel, as_numbers(X), sign, bool(learner.constant), *sides_of(learner.classes, v))


def of_stored(v: int, question: KernelQuestion, learner: Learner, why: str, hull: Hull | None = None) -> Certificate:
    """What the last weights, sums of stored rows, prove about the rows that they were learned from."""
    assert isinstance(learner.space, Span)
    stored, w = learner.space.stored, learner.team.w[v, :-1]
    numbers = np.empty(0, np.int64) if stored is None else stored.numbers
    rows = np.unique(numbers[w != 0])
    sums = np.bincount(np.searchsorted(rows, numbers[w != 0]), w[w != 0], len(rows))  # with a budget, a row may be stored twice
    return question.of_coefficients(rows.tolist(), sums.tolist(), why, hull)


def of_stream(learner: Learner) -> list[Certificate]:
    """Undecided: the rows of a stream are not kept."""
    asks = "certify" if learner.kernel is None else "separate"
    return undecided(learner, f"the model has learned from a stream, whose rows are not kept; `{asks}` asks of any data")


def undecided(learner: Learner, why: str) -> list[Certificate]:
    """A certificate for each vector that says that nothing is proved, and why."""
    columns, constant = learner.width, bool(learner.constant)
    if learner.proves_at_once:
        data = Classes(learner.rows_fed, columns, constant, tuple(learner.classes.tolist()), "")
        return [Undecided(data, why, math.inf, ManyHull())]
    kernel = None if learner.kernel is None else described(learner.kernel)
    each = [
        Data(learner.rows_fed, columns, constant, *sides_of(learner.classes, v), "", kernel)
        for v in range(max(1, len(learner.ledgers[learner.answering])))
    ]
    return [Undecided(data, why, math.inf, no_hull(data)) for data in each]


def absent(classes: Array, code: Array) -> str | None:
    """A sentence about a class without rows, if there is one: a certificate needs rows of every class that it names."""
    missing = np.flatnonzero(np.bincount(code, minlength=len(classes)) == 0)
    return f"no row has the label {classes.tolist()[missing[0]]!r}, which the model knows" if len(missing) else None


def sides_of(classes: Array, v: int) -> tuple[Label | None, Label]:
    """The labels that vector v says no and yes to. None stands for all other labels."""
    names: list[Any] = classes.tolist()
    return (names[0], names[1]) if len(names) == 2 else (None, names[v])


def signs_of(classes: Array, v: int, code: Array) -> Array:
    """+1 for the rows of the class that vector v says yes to, −1 for the others."""
    return np.where(code == (1 if len(classes) == 2 else v), 1.0, -1.0)
