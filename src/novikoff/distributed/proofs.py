"""Proofs about rows on workers: the same exact computations as for local rows, made on each shard.

`FarRows` and `FarClasses` have the methods of `exact.Signed` and `exact.ManyRows`, so the code that checks a certificate is the
same for local rows and rows on workers.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.distributed.epochs import Course
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.shards import PreparedShard
from novikoff.engine.rules import Bound, Evidence
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import one_thread
from novikoff.learning.learner import Learner
from novikoff.proof.certificate import (
    Certificate,
    Classes,
    Data,
    Hull,
    Hulls,
    ManyHull,
    ManySeparable,
    Margin,
    Mixing,
    Separable,
    Undecided,
    no_hull,
)
from novikoff.proof.exact import Signed, Weights, as_numbers, weights
from novikoff.proof.exact_many_classes import ManyRows, norm_above
from novikoff.proof.fingerprint import Fingerprint, fingerprint
from novikoff.proof.rationals import Number, root_below
from novikoff.proof.verify import codes
from novikoff.solve.run_proofs import sides_of


def _codes(kept: PreparedShard, names: Sequence[Any]) -> Array:
    try:
        return codes(kept.labels, names)
    except ValueError as error:
        raise ValueError(f"{kept.name}: {error}") from None


def _signed(kept: PreparedShard, no: Any, yes: Any, fit_intercept: bool) -> Signed:
    """The rows of a shard times ±1, for one class against the other."""
    return Signed(as_numbers(kept.rows), 2.0 * _codes(kept, (no, yes)) - 1.0, fit_intercept)


def _numbered(kept: PreparedShard, classes: Sequence[Any], fit_intercept: bool) -> ManyRows:
    """The rows of a shard with the numbers of their classes."""
    return ManyRows(as_numbers(kept.rows), _codes(kept, classes), len(classes), fit_intercept)


def _answer(
    seen: Callable[[PreparedShard], Signed | ManyRows], question: Callable[..., Any], kept: PreparedShard, *arguments: Any
) -> Any:
    """Compute something about the rows of one shard.

    The exact rows are made for each call, so that Dask stores the shard only once and knows its size.
    """
    with one_thread():
        return question(seen(kept), *arguments)


def _sides(rows: Signed | ManyRows) -> Array:
    return rows.sign if isinstance(rows, Signed) else rows.code


def _taken(rows: Signed | ManyRows, which: Sequence[int]) -> tuple[Any, Array]:
    """A few rows with their signs or classes."""
    return sp.csr_array(rows.X[which]), _sides(rows)[which]


def _within(rows: Signed | ManyRows, radius: float) -> bool:
    return rows.within(radius)


def _occurring(rows: Signed | ManyRows) -> list[int]:
    """The numbers of the classes of these rows."""
    found: list[int] = np.unique(rows.sign > 0 if isinstance(rows, Signed) else rows.code).astype(int).tolist()
    return found


def _fingerprint(rows: Signed | ManyRows) -> Fingerprint:
    return fingerprint(rows.X, rows.sign > 0 if isinstance(rows, Signed) else rows.code)


class _Far:
    """Rows on workers, in the order of the shards. `seen` makes the exact rows of a shard."""

    def __init__(
        self, shards: Shards, seen: Callable[[PreparedShard], Signed | ManyRows], columns: int, fit_intercept: bool
    ) -> None:
        self._shards, self._seen = shards, seen
        self.columns, self.fit_intercept = columns, fit_intercept
        self._first = [0, *accumulate(shards.lengths)]

    def __len__(self) -> int:
        return self._first[-1]

    @property
    def length(self) -> int:
        return self.columns + self.fit_intercept

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of all rows."""
        found = Fingerprint()
        for mark in self._each("fingerprint", _fingerprint):
            found = found.then(mark)
        return str(found)

    @cached_property
    def occurring(self) -> set[int]:
        """The numbers of the classes that occur."""
        return {code for shard in self._each("labels", _occurring) for code in shard}

    def within(self, radius: float) -> bool:
        return all(self._each("within", _within, radius))

    def _each(self, name: str, question: Callable[..., Any], *arguments: Any) -> list[Any]:
        """The result of each shard."""
        return self._shards.ask_all(name, partial(_answer, self._seen, question), *arguments)

    def _fetched(self, rows: Sequence[int]) -> tuple[Any, Array]:
        """These rows, sent to the client, with their signs or classes."""
        which = np.array(rows, np.int64)
        shard = np.searchsorted(self._first, which, side="right") - 1
        order, taken = np.argsort(shard, kind="stable"), []
        for k in np.unique(shard).tolist():
            mine = (which[shard == k] - self._first[k]).tolist()
            taken.append(self._shards.ask("rows", k, partial(_answer, self._seen, _taken), mine))
        found, back = self._shards.cluster.gather(taken), np.argsort(order)
        return sp.vstack([X for X, _ in found], format="csr")[back], np.concatenate([side for _, side in found])[back]


class FarRows(_Far):
    """Like `exact.Signed`, for rows on workers."""

    def least(self, w: Weights) -> tuple[int, Fraction]:
        asked = zip(self._each("least", Signed.least, w), self._first, strict=False)
        return min(((row + first, least) for (row, least), first in asked), key=lambda one: one[1])

    def signs(self, rows: Sequence[int]) -> Array:
        return self._here(rows).sign

    def norm_above(self, hull: Hull | Hulls) -> float:
        return self._here(hull.rows).norm_above(_renumbered(hull))

    def sqnorm_of(self, hull: Hull | Hulls) -> Fraction:
        return self._here(hull.rows).sqnorm_of(_renumbered(hull))

    def combined(self, rows: Sequence[int], multipliers: Sequence[Number]) -> tuple[dict[int, int], Fraction]:
        return self._here(rows).combined(range(len(rows)), multipliers)

    def _here(self, rows: Sequence[int]) -> Signed:
        return Signed(*self._fetched(rows), self.fit_intercept)


def _renumbered(hull: Hull | Hulls) -> Hull | Hulls:
    """The hull of the rows that it names, numbered in their order."""
    if isinstance(hull, Hull):
        return Hull(tuple(range(len(hull.rows))), hull.multipliers)
    first = len(hull.no.rows)
    yes = Hull(tuple(range(first, len(hull.rows))), hull.yes.multipliers)
    return Hulls(Hull(tuple(range(first)), hull.no.multipliers), yes)


class FarClasses(_Far):
    """Like `exact.ManyRows`, for rows on workers."""

    classes: int

    def least(self, w: Array) -> tuple[int, int, Fraction]:
        asked = zip(self._each("least", ManyRows.least, w), self._first, strict=False)
        return min(((row + first, rival, least) for (row, rival, least), first in asked), key=lambda one: one[2])

    @cached_property
    def code(self) -> Array:
        return np.concatenate(self._each("classes", _sides))

    def z(self, rows: Sequence[int], rivals: Sequence[int]) -> Signed:
        return ManyRows(*self._fetched(rows), self.classes, self.fit_intercept).z(range(len(rows)), rivals)


def far_rows(shards: Shards, data: Data) -> FarRows:
    """The rows that a certificate about two classes is about."""
    seen = partial(_signed, no=data.no, yes=data.yes, fit_intercept=data.fit_intercept)
    return FarRows(shards, seen, data.columns, data.fit_intercept)


def far_classes(shards: Shards, data: Classes) -> FarClasses:
    """The rows that a certificate about many classes is about."""
    seen = partial(_numbered, classes=data.classes, fit_intercept=data.fit_intercept)
    far = FarClasses(shards, seen, data.columns, data.fit_intercept)
    far.classes = len(data.classes)
    return far


# ---- what a fit proves ----------------------------------------------------------------------------------------------


def certificates_of(shards: Shards, course: Course) -> list[Certificate]:
    """A certificate for each vector, with the bound of F20: Separable if a clean pass is confirmed exactly, else Undecided."""
    learner = course.learner
    columns, constant = learner.width, bool(learner.constant)
    if learner.proves_at_once:
        data = Classes(sum(shards.lengths), columns, constant, tuple(learner.classes.tolist()), "")
        return [_of_many(shards, course, data)]
    return [
        _of_vector(shards, course, v, Data(sum(shards.lengths), columns, constant, *sides_of(learner.classes, v), ""))
        for v in range(len(course.weighted))
    ]


def _of_vector(shards: Shards, course: Course, v: int, data: Data) -> Separable | Undecided:
    learner, mixing = course.learner, mixing_of(course, v, len(shards.prepared))
    if not course.clean[v]:
        return Undecided(data, _no_clean_pass(course, shards), math.inf, no_hull(data), mixing)
    rows = far_rows(shards, data)
    own = learner.rows_of(learner.team.w)[v]
    w = weights(own.tolist() if learner.constant else own[:-1].tolist())
    least = rows.least(w)[1]
    data = data._replace(fingerprint=rows.fingerprint)
    if not least > 0:
        return Undecided(data, "in exact arithmetic the weights do not separate all rows", math.inf, no_hull(data), mixing)
    square = w.sqnorm_of_columns if data.fit_intercept else w.sqnorm
    margin = Margin(root_below(least**2 / square), math.inf)
    return Separable(data, own[:-1].copy(), float(own[-1]), margin, no_hull(data), mixing=mixing)


def _of_many(shards: Shards, course: Course, data: Classes) -> ManySeparable | Undecided:
    learner, mixing = course.learner, mixing_of(course, 0, len(shards.prepared))
    if not course.clean[0]:
        return Undecided(data, _no_clean_pass(course, shards), math.inf, ManyHull(), mixing)
    rows = far_classes(shards, data)
    own = learner.rows_of(learner.team.w)
    whole = np.ascontiguousarray(own if learner.constant else own[:, :-1])
    least = rows.least(whole)[2]
    data = data._replace(fingerprint=rows.fingerprint)
    if not least > 0:
        return Undecided(data, "in exact arithmetic the weights do not get all rows right", math.inf, ManyHull(), mixing)
    margin = Margin(root_below((least / norm_above(whole)) ** 2), math.inf)
    return ManySeparable(data, own[:, :-1].copy(), own[:, -1].copy(), margin, ManyHull(), mixing)


def _no_clean_pass(course: Course, shards: Shards) -> str:
    return f"no pass was clean on all {len(shards.prepared)} shards in {course.learner.passes}"


def mixing_of(course: Course, v: int, shards: int) -> Mixing:
    """The bound of F20 for vector v."""
    learner = course.learner
    radius = course.radius * (1 + 1e-9)  # certainly above the exact one, so that the check is quick
    return Mixing(shards, learner.passes, bool(course.clean[v]), float(course.weighted[v]), radius, factor(learner, radius))


def factor(learner: Learner, radius: float) -> float | None:
    """Σ μ·updates ≤ factor·(R/γ)² (F20): for rules that add y·x, in steps of one length, with nothing weighted."""
    if learner.confidence is not None or not hasattr(learner.rule, "growth"):
        return None
    bound = learner.rule.bound(Evidence(learner.stretch_sq**0.5 * radius, 1.0, weighted=learner.weighted))
    return bound.value / radius**2 if isinstance(bound, Bound) and radius else None
