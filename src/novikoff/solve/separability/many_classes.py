"""Can weights for all classes at once get every row right (F25)? Decided with a proof, or told from weights and runs.

The cheap ways come first: rows that contradict each other outright, and some passes of the perceptron. Then a few z's at a time
are written out as rows that are all of one class, and `separability.linear` decides about them. If they cannot be separated, nor
can all. If they can, the z's that the separator has wrong join them. Every answer is checked exactly.
"""

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.engine.labelled_rows import examples
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import alone
from novikoff.learning.learner import Learner
from novikoff.learning.run import Pass
from novikoff.proof.certificate import (
    Certificate,
    Classes,
    Hull,
    Inseparable,
    Label,
    ManyHull,
    ManyInseparable,
    ManySeparable,
    Margin,
    Separable,
    Undecided,
)
from novikoff.proof.exact import Signed, as_numbers, weights
from novikoff.proof.exact_many_classes import ManyRows, norm_above
from novikoff.proof.fingerprint import in_order, row_hashes
from novikoff.proof.rationals import root_below
from novikoff.solve.nearest_point import OutOfTimeError, deadline
from novikoff.solve.separability.linear import EVIDENCE, Question

PASSES = 100  # of the perceptron, before z's are written out
AT_A_TIME = 1000  # z's that join the working set in a round, at most
LARGEST = 2**27  # numbers in a table of the z's that are written out, or of their products; a gigabyte


class Updates(NamedTuple):
    """The rows and rivals of a run's updates, in order, and the weights after it, if there was a run."""

    rows: Array
    rivals: Array
    w: Array | None


class ManyQuestion:
    """Can weights for all classes get every row right? The hashes of the rows are computed unless they are given."""

    def __init__(self, many: ManyRows, classes: Sequence[Label], hashes: Array | None = None) -> None:
        self.many, self.classes, self._hashes = many, classes, hashes

    @classmethod
    def about(cls, X: Any, y: Array, fit_intercept: bool, classes: Array) -> "ManyQuestion":
        """The question about a matrix and labels, all of them among the sorted classes."""
        code = np.searchsorted(classes, y)
        return cls(ManyRows(as_numbers(X), code, len(classes), fit_intercept), classes.tolist())

    @property
    def hashes(self) -> Array:
        if self._hashes is None:
            self._hashes = row_hashes(self.many.X)
        return self._hashes

    @property
    def data_unseen(self) -> Classes:
        """The data without a fingerprint, which takes time."""
        rows, columns = self.many.X.shape
        return Classes(int(rows), int(columns), self.many.fit_intercept, tuple(self.classes), "")

    @cached_property
    def data(self) -> Classes:
        return self.data_unseen._replace(fingerprint=str(in_order(self.hashes, self.many.code)))

    def decided(self, budget: float | None) -> Certificate:
        """ManySeparable or ManyInseparable; with a budget, or where the z's that matter are too many, Undecided."""
        until = deadline(budget)
        with alone:  # matrices are small, and threads would only wait for each other
            if (contradiction := self.contradiction()) is not None:
                return contradiction
            run = self._perceptron(until)
            if run.w is not None and (found := self.separable(run.w)) is not None:
                return found
            try:
                return self._by_writing_out(run, until)
            except OutOfTimeError:
                return self.undecided(f"the budget of {budget:g} s is used up", self.hull_of_updates(run.rows, run.rivals))

    def contradiction(self) -> ManyInseparable | None:
        """One zero row where there is no intercept, or two equal rows of different classes."""
        many = self.many
        if not many.fit_intercept:
            empty = np.flatnonzero(np.asarray((many.X != 0).sum(axis=1)).ravel() == 0)
            if len(empty):
                return self._inseparable([int(empty[0])], [int(many.code[empty[0]] == 0)], [Fraction(1)])
        order = np.lexsort((many.code, self.hashes))
        hashes, code = self.hashes[order], many.code[order]
        for k in np.flatnonzero((hashes[1:] == hashes[:-1]) & (code[1:] != code[:-1]))[:100].tolist():  # equal, almost surely
            pair, rivals = sorted(order[k : k + 2].tolist()), many.code[sorted(order[k : k + 2].tolist(), reverse=True)]
            if not any(many.z(pair, rivals).combined([0, 1], [1.0, 1.0])[0].values()):
                return self._inseparable(pair, rivals.tolist(), [Fraction(1)] * 2)
        return None

    def _perceptron(self, until: float) -> Updates:
        """Some passes over all rows, without which most separable data need no more."""
        many = self.many
        try:
            seen = examples(many.X, many.code, constant=int(many.fit_intercept))
        except ValueError:  # some rows are too long or too short to compute with
            return Updates(np.empty(0, np.int64), np.empty(0, np.int64), None)
        learner = Learner("rosenblatt", order="each", multiclass="direct", ledger_cap=10**7)

        def enough(done: Pass) -> bool:
            return done.number >= PASSES or time.monotonic() > until

        learner.fit(seen, PASSES, on_pass=enough)
        entries = learner.ledgers[0].entries
        w = learner.weights()
        return Updates(entries.row.astype(np.int64), entries.rival.astype(np.int64), w if many.fit_intercept else w[:, :-1])

    def _by_writing_out(self, run: Updates, until: float) -> Certificate:
        """A working set of z's: at first the most frequent mistakes. It grows by z's that a separator of it has wrong."""
        many, counts = self.many, np.unique(run.rows * self.many.classes + run.rivals, return_counts=True)
        often = counts[0][np.argsort(-counts[1], kind="stable")]
        working = often[:AT_A_TIME] if len(often) else np.array([int(many.code[0] == 0)])  # a z as row·classes + rival
        while True:
            rows, rivals = np.divmod(working, many.classes)
            z, places = many.z_and_places(rows, rivals)
            if len(z) * min(len(z), z.length) > LARGEST:
                why = f"{len(z):,} rows and rivals with {z.length:,} weights are too many to decide about at once"
                return self.undecided(why, self.hull_of_updates(run.rows, run.rivals))
            answer = Question(z, None, 1).by_the_hull(np.zeros(len(z), np.int64), until)
            if isinstance(answer, Inseparable):
                which = list(answer.rows)
                return self._inseparable(rows[which].tolist(), rivals[which].tolist(), answer.multipliers)
            assert isinstance(answer, Separable), "without a run out of time, the hull decides"
            nothing = 0.0 if answer.weights.dtype == np.float64 else Fraction(0)  # as the other weights are
            w = np.full(many.classes * many.length, nothing)
            w[places] = answer.weights
            by_class = w.reshape(many.classes, many.length)
            if (found := self.separable(by_class)) is not None:
                return found
            working = np.concatenate([working, self._nearest(by_class, working)])

    def _nearest(self, w: Array, working: Array) -> Array:
        """Some z's that a separator of the working set has wrong, or no further right than its own nearest z; the worst first.

        They are compared by their leads, each divided by the length of the row. None is in the working set.
        """
        many, pairs, leads = self.many, [working[:0]], [np.empty(0)]
        rows, rivals = np.divmod(working, many.classes)
        limit = (self._leads(w, rows)[np.arange(len(rows)), rivals] / self._lengths[rows]).min()
        for part in many.parts():
            lead = self._leads(w, part) / self._lengths[part, None]
            row, rival = np.nonzero(lead <= limit)
            found = part[row] * many.classes + rival
            fresh = ~np.isin(found, working)
            order = np.argsort(lead[row, rival][fresh], kind="stable")[:AT_A_TIME]
            pairs.append(found[fresh][order])
            leads.append(lead[row, rival][fresh][order])
        nearest = np.concatenate(pairs)[np.argsort(np.concatenate(leads), kind="stable")][:AT_A_TIME]
        if len(nearest):
            return nearest
        i, r, _ = many.least(w)  # wrong by less than floats tell
        return np.array([i * many.classes + r])

    @cached_property
    def _lengths(self) -> Array:
        """How long each row is, in floats; 1 where they cannot tell."""
        many = self.many
        lengths: Array = np.sqrt(Signed(many.X, np.ones(len(many)), many.fit_intercept).sqnorms())
        return np.where((lengths > 0) & np.isfinite(lengths), lengths, 1.0)

    def _leads(self, w: Array, rows: Array) -> Array:
        """⟨w_y − w_r, x⟩ of these rows for each class r, in floats; infinite for their own class, and where floats fail."""
        many, code, w = self.many, self.many.code[rows][:, None], w.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.asarray(many.X[rows] @ w[:, : many.X.shape[1]].T) + (w[:, -1] if many.fit_intercept else 0.0)
            leads: Array = np.nan_to_num(np.take_along_axis(scores, code, axis=1) - scores, nan=np.inf)
        np.put_along_axis(leads, code, np.inf, axis=1)
        return leads

    def _inseparable(self, rows: Sequence[int], rivals: Sequence[int], multipliers: Sequence[Fraction]) -> ManyInseparable:
        order = sorted(range(len(rows)), key=lambda k: (rows[k], rivals[k]))
        parts = ([each[k] for k in order] for each in (rows, rivals, multipliers))
        return ManyInseparable(self.data, *map(tuple, parts))  # type: ignore[arg-type]

    def separable(self, w: Array, hull: ManyHull | None = None) -> ManySeparable | None:
        """The certificate for these weights, a row a class, or None if they do not get every row right, exactly.

        The evidence for the upper end is sought among the rows that are nearest to being wrong, unless it is given.
        """
        doubles = w.dtype == np.float64
        if (doubles and not np.isfinite(w).all()) or not (least := self.many.least(w)[2]) > 0:
            return None
        hull = hull or self._hull_of_nearest(w)
        low = root_below(least**2 / (norm_above(w) ** 2 if doubles else weights(w.ravel().tolist()).sqnorm))
        plane, intercepts = (w[:, :-1], w[:, -1]) if self.many.fit_intercept else (w, np.zeros(len(w)))
        return ManySeparable(self.data, plane.copy(), intercepts.copy(), Margin(low, self.upper_end(hull)), hull)

    def of_weights(self, w: Array, why: str, hull: ManyHull | None = None) -> Certificate:
        """Separable by these weights, a row a class and the bias last, or Undecided."""
        whole = np.ascontiguousarray(w if self.many.fit_intercept else w[:, :-1], np.float64)
        return self.separable(whole, hull) or self.undecided(why, hull or self._hull_of_nearest(whole))

    def hull_of_updates(self, rows: Array, rivals: Array) -> ManyHull:
        """The point of the hull that the first updates of a run add up to (F7)."""
        X = self.many.X
        sizes = np.diff(X.indptr)[rows] if sp.issparse(X) else np.full(len(rows), X.shape[1])
        first = np.cumsum(2 * sizes) <= EVIDENCE
        pairs, times = np.unique(rows[first] * self.many.classes + rivals[first], return_counts=True)
        mine, theirs = np.divmod(pairs, self.many.classes)
        return ManyHull(tuple(mine.tolist()), tuple(theirs.tolist()), tuple(times.astype(float).tolist()))

    def of_cycle(self, rows: Array, rivals: Array, times: Array) -> ManyInseparable | None:
        """The proof among z's whose steps have cancelled out, if they did so exactly."""
        found = self._written_out(rows, rivals).of_cycle(np.arange(len(rows)), times)
        if found is None:
            return None
        which = list(found.rows)
        return ManyInseparable(self.data, tuple(rows[which].tolist()), tuple(rivals[which].tolist()), found.multipliers)

    def undecided(self, why: str, hull: ManyHull, data: Classes | None = None) -> Undecided:
        return Undecided(data or self.data, why, self.upper_end(hull), hull)

    def upper_end(self, hull: ManyHull) -> float:
        """What the hull shows that no margin is above."""
        if not hull.rows:
            return math.inf
        z = self._written_out(np.array(hull.rows), np.array(hull.rivals))
        return z.upper_end(Hull(tuple(range(len(hull.rows))), hull.multipliers), quickly=True)

    def _hull_of_nearest(self, w: Array) -> ManyHull:
        """The nearest point to 0, as near as floats come, in the hull of a few z's: of the rows whose lead is least."""
        many, leads, nearest = self.many, [], []
        for part in many.parts():
            lead = self._leads(w, part)
            nearest.append(lead.argmin(axis=1))
            leads.append(lead.min(axis=1))
        rows = np.argsort(np.concatenate(leads), kind="stable")[: min(400, max(50, many.length))]
        rivals, code = np.concatenate(nearest)[rows], many.code[rows]
        rivals = np.where(rivals == code, code == 0, rivals)  # where floats overflow, any other class
        found = self._written_out(rows, rivals).hull_of(np.arange(len(rows)))
        assert isinstance(found, Hull), "the z's, written out, have no intercept"
        which = list(found.rows)
        return ManyHull(tuple(rows[which].tolist()), tuple(rivals[which].tolist()), found.multipliers)

    def _written_out(self, rows: Array, rivals: Array) -> Question:
        """These z's, as rows all of one side."""
        return Question(self.many.z(rows, rivals), None, 1)
