"""What weights, and runs of the learner, prove about many classes at once (F25).

A few z's at a time are written out as rows that are all of one class, and `separability.linear` does the rest.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import (
    Certificate,
    Classes,
    Hull,
    Label,
    ManyHull,
    ManyInseparable,
    ManySeparable,
    Margin,
    Undecided,
)
from novikoff.proof.exact import as_numbers
from novikoff.proof.exact_many_classes import ManyRows, norm_above
from novikoff.proof.fingerprint import in_order, row_hashes
from novikoff.proof.rationals import root_below
from novikoff.solve.separability.linear import EVIDENCE, Question


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
    def data_unseen(self) -> Classes:
        """The data without a fingerprint, which takes time."""
        rows, columns = self.many.X.shape
        return Classes(int(rows), int(columns), self.many.fit_intercept, tuple(self.classes), "")

    @cached_property
    def data(self) -> Classes:
        hashes = row_hashes(self.many.X) if self._hashes is None else self._hashes
        return self.data_unseen._replace(fingerprint=str(in_order(hashes, self.many.code)))

    def of_weights(self, w: Array, why: str, hull: ManyHull | None = None) -> Certificate:
        """Separable by these weights, a row a class and the bias last, or Undecided.

        The evidence for the upper end is sought among the rows that are nearest to being wrong, unless it is given.
        """
        whole = np.ascontiguousarray(w if self.many.fit_intercept else w[:, :-1], np.float64)
        hull = hull or self._hull_of_nearest(whole)
        if not np.isfinite(whole).all() or not (least := self.many.least(whole)[2]) > 0:
            return self.undecided(why, hull)
        low = root_below((least / norm_above(whole)) ** 2)
        intercepts = whole[:, -1] if self.many.fit_intercept else np.zeros(len(whole))
        return ManySeparable(self.data, w[:, :-1].copy(), intercepts.copy(), Margin(low, self.upper_end(hull)), hull)

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
            code = many.code[part][:, None]
            with np.errstate(over="ignore", invalid="ignore"):
                scores = np.asarray(many.X[part] @ w[:, : many.X.shape[1]].T) + (w[:, -1] if many.fit_intercept else 0.0)
                own = np.take_along_axis(scores, code, axis=1)
                np.put_along_axis(scores, code, -np.inf, axis=1)
                leads.append(np.nan_to_num(own[:, 0] - scores.max(axis=1), nan=np.inf))
            nearest.append(scores.argmax(axis=1))
        rows = np.argsort(np.concatenate(leads), kind="stable")[: min(400, max(50, many.length))]
        rivals = np.concatenate(nearest)[rows]
        found = self._written_out(rows, rivals).hull_of(np.arange(len(rows)))
        assert isinstance(found, Hull), "the z's, written out, have no intercept"
        which = list(found.rows)
        return ManyHull(tuple(rows[which].tolist()), tuple(rivals[which].tolist()), found.multipliers)

    def _written_out(self, rows: Array, rivals: Array) -> Question:
        """These z's, as rows all of one side."""
        return Question(self.many.z(rows, rivals), None, 1)
