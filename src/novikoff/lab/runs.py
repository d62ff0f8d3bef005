"""A run of the lab: the learner makes it once, and its ledger is enough to compute the weights at any moment (F10)."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import Bound, Evidence, NoBound
from novikoff.engine.weights.span import Span
from novikoff.foundation.array_types import Array
from novikoff.lab.certification import Certified, certified
from novikoff.lab.checks import RefusedError
from novikoff.lab.problems import EXAMPLES, UPDATES, Problem
from novikoff.learning.bounds import Facts, facts, sqnorms
from novikoff.learning.learner import Learner
from novikoff.learning.ledger import Entries
from novikoff.learning.run import Pass, Run
from novikoff.plot.evidence import floats, function_of
from novikoff.proof.certificate import Inseparable, Separable

REMEMBERED = 16  # runs
SCORES_AT_ONCE = 50_000  # of rows by weights: few enough to stay in the cache


@lru_cache(REMEMBERED)
def run_of(problem: Problem) -> "LabRun":
    """The run of this problem: a new one, or the one that is remembered."""
    problem.require_both_classes()
    learner, examples, run = learned(problem, problem.order, problem.seed)
    return LabRun(problem, *problem.arrays(), learner, examples, run)


def learned(problem: Problem, order: str, seed: int) -> tuple[Learner, Examples, Run]:
    """The learner after its run. The run ends before a pass that could exceed the lab's limits of updates or examples.

    The readout is the vote: it makes the learner keep the rows of its updates, and changes nothing about how it learns.
    """
    updates = 0

    def at_limit(report: Pass) -> bool:
        nonlocal updates
        updates += report.updates
        return updates + report.examples > UPDATES or (report.number + 1) * report.examples > EXAMPLES

    learner = Learner(problem.rule, readout="voted", order=order, seed=seed, kernel=problem.inner_product, skipping=False)
    try:
        examples = learner.space.look(*problem.arrays(), constant=1 if problem.intercept else 0)
        run = learner.fit(examples, problem.passes, on_pass=at_limit, until_cycle=True)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return learner, examples, run


@dataclass(frozen=True)
class LabRun:
    """A finished run, and everything that is computed from it."""

    problem: Problem
    X: Array
    y: Array
    learner: Learner
    examples: Examples
    run: Run

    @cached_property
    def entries(self) -> Entries:
        """The updates, in order."""
        entries: Entries = self.learner.ledgers[0].entries
        return entries

    @cached_property
    def handled(self) -> int:
        """How many examples the run handled, over all passes."""
        return int(self.learner.ledgers[0].tally.examples)

    @cached_property
    def rows(self) -> Array:
        """The rows with the constant coordinate."""
        return np.column_stack([self.X, np.full(len(self.X), float(self.learner.constant))])

    @cached_property
    def changes(self) -> Array:
        """The factor by which each update added its row: y·step."""
        return np.asarray(self.entries.y * self.entries.step)

    # ---- weights at a moment --------------------------------------------------------------------------------------------

    @cached_property
    def w(self) -> Array:
        """The weights after each update, the bias last: the same sums in the same order as the learner's."""
        return np.cumsum(self.changes[:, None] * self.rows[self.entries.row], axis=0)

    @cached_property
    def late(self) -> Array:
        """Σ t·change after each update: the averaged weights are w minus this, divided by t (F10)."""
        return np.cumsum((self.entries.t * self.changes)[:, None] * self.rows[self.entries.row], axis=0)

    def updates_before(self, handled: int) -> int:
        """How many updates were made in the first `handled` examples."""
        return int(np.searchsorted(self.entries.t, handled))

    def answering(self, handled: int) -> Array:
        """The last and the averaged weights after `handled` examples, in the form of the learner's space."""
        k = self.updates_before(handled)
        space = self.learner.space
        if not isinstance(space, Span):
            if not k:
                return np.zeros((2, 3))
            return np.stack([self.w[k - 1], (handled * self.w[k - 1] - self.late[k - 1]) / handled])
        row, change, t = self.entries.row[:k], self.changes[:k], self.entries.t[:k]
        weighted = np.stack([change, change * (handled - t) / max(1, handled)])
        assert space.stored is not None, "a run from w = 0 begins with an update"
        slot, length = np.searchsorted(space.stored.numbers, row), len(space.stored)
        sums = np.stack([np.bincount(slot, each, length) for each in weighted])
        return np.column_stack([sums, weighted.sum(axis=1) * float(self.learner.constant)])

    def votes(self, handled: int, X: Array) -> Array:
        """The votes of all weights of the first `handled` examples on these rows."""
        ballots = self.learner.votes(self.learner.voters, X, [[handled]])
        return np.concatenate([votes[0, :, 0] for votes in ballots])

    def decisions(self, handled: int, X: Array) -> dict[str, Array]:
        """The scores of these rows by each readout, after `handled` examples."""
        last, averaged = self.learner.scores(X, self.answering(handled)).T
        return {"last": last, "averaged": averaged, "voted": self.votes(handled, X)}

    def errors(self, handled: int) -> dict[str, int]:
        """How many points each readout gets wrong. A score of 0 is wrong."""
        return {readout: count_wrong(scores * self.y) for readout, scores in self.decisions(handled, self.X).items()}

    # ---- the course of the run ------------------------------------------------------------------------------------------

    @cached_property
    def sqnorm(self) -> Array:
        return sqnorms(self.entries, self.examples.sheet.sqnorm[self.entries.row])

    @cached_property
    def norm(self) -> Array:
        return np.sqrt(np.maximum(self.sqnorm, 0))

    @cached_property
    def high(self) -> Array:
        """An upper bound on the margin of every separator, from the updates so far (F7)."""
        return np.minimum.accumulate(self.norm / np.cumsum(self.entries.step))

    @cached_property
    def least(self) -> Array:
        """The least y·⟨w, x⟩ over all points, of the weights after each update."""
        z = (self.rows * self.y[:, None]).T
        at_once = max(1, SCORES_AT_ONCE // len(self.y))
        return np.concatenate([(self.w[k : k + at_once] @ z).min(axis=1) for k in range(0, len(self.w), at_once)])

    @cached_property
    def low(self) -> Array:
        """The best margin of the weights so far; 0 until they first separate (F7)."""
        reached = np.divide(self.least, np.linalg.norm(self.w, axis=1), out=np.zeros(len(self.w)), where=self.least > 0)
        return np.maximum.accumulate(reached)

    # ---- against a separator --------------------------------------------------------------------------------------------

    @cached_property
    def certified(self) -> Certified:
        return certified(self.problem.points, self.problem.intercept, self.problem.kernel)

    @cached_property
    def u(self) -> Array | None:
        """The separator of widest margin in the extended space, of length 1, the bias last; None if there is none."""
        extended = self.certified.extended
        if not isinstance(extended, Separable) or self.problem.kernel is not None:
            return None
        w = floats([*extended.weights.tolist(), *([] if self.problem.intercept else [0.0])])
        return np.asarray(w / np.linalg.norm(w))

    @property
    def gamma(self) -> float:
        """The margin of u, proved; 0 where there is none."""
        extended = self.certified.extended
        return extended.margin.low if isinstance(extended, Separable) else 0.0

    @cached_property
    def along_u(self) -> Array | None:
        """⟨u, x⟩ of each point, for the separator u of length 1; None where there is none."""
        certificate = self.certified.certificate
        if self.u is not None:
            return np.asarray(self.rows @ self.u)
        if not isinstance(certificate, Separable):
            return None
        value, length = function_of(certificate, self.X, None)
        return value(self.X) / length if length > 0 else None

    @cached_property
    def along(self) -> Array | None:
        """w·u after each update."""
        return None if self.along_u is None else np.cumsum(self.changes * self.along_u[self.entries.row])

    @cached_property
    def facts(self) -> Facts:
        """Compared with the widest separator or, where none is known, with the averaged weights, for the bound by losses (F6)."""
        u = None if self.problem.kernel is not None else self.answering(self.handled)[1] if self.u is None else self.u
        return facts(self.learner, self.examples, 0, self.run.passes, self.gamma, u)

    @cached_property
    def bound(self) -> Bound | NoBound:
        """By the margin of the separator in the certificate."""
        if self.gamma > 0:
            return self.learner.bound(Evidence(self.facts.radius, 1 / self.gamma))
        none = isinstance(self.certified.certificate, Inseparable)
        return NoBound("there is no separator" if none else "no separator is known")


def count_wrong(margins: Array) -> int:
    return int(np.count_nonzero(~(margins > 0)))
