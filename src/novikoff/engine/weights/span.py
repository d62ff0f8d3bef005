"""Where the weights live: among the columns, or, with a kernel, in the span of the rows that were learned from (F19).

Between fits, the vectors of a kernel are coefficients of the stored rows, the bias last. To learn from examples they are opened,
as `geometry/kernel.py` says, and shut again afterwards; only rows that have been learned from stay. Where the Gram matrix does
not fit into the cache, blocks of it do: an update reaches the rows of its block at once, and all others when the block is done.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernels import Points, fitted_to, in_fractions
from novikoff.engine.labelled_rows import Examples, Sheet, examples, looked_at, scores
from novikoff.engine.rule import Bound, Evidence, NoBound
from novikoff.engine.storages import Array, read_only
from novikoff.engine.storages.kernel_rows import KernelRows
from novikoff.engine.weights.forgetron import Forgetting
from novikoff.engine.weights.forgetron import bound as forgetting_bound
from novikoff.foundation.matrix_checks import checked
from novikoff.foundation.parallel import alone
from novikoff.proof.fingerprint import row_hashes

CACHE = 200 * 2**20  # bytes of kernel values that are kept, by default
BLOCK = 512  # rows of a block: enough for matrix products to be fast, few enough for most of its Gram matrix to be wanted
AGAIN = 3  # times that a row of the Gram matrix is asked for before it is kept
SCORED = 4_000_000  # kernel values held at once while scoring


@dataclass(frozen=True)
class KernelExamples(Examples):
    """Examples that are known by their inner products."""

    points: Any = None
    kernel: Any = None

    @property
    def entries_per_row(self) -> float:
        X = self.points.X
        return float(X.nnz if sp.issparse(X) else X.size) / len(self)

    def hashes(self) -> Array:
        return row_hashes(self.points.X)

    def dominated(self) -> None:
        """Scales are the kernel's business."""


def kernel_examples(
    X: Any, y: Any, kernel: Any, *, constant: Any = 0, weight: Any = None, threads: int | None = None
) -> KernelExamples:
    """Look at a matrix and its labels, as `examples` does, for learning through a kernel."""
    seen = examples(X, y, constant=constant, weight=weight, threads=threads)
    kernel = in_fractions(kernel) if seen.exact else kernel
    kernel.look_at(X)
    points = Points(X)
    kernel.require_precision(points)
    with np.errstate(all="ignore"):
        own = kernel.of_itself(points)
    if not seen.exact and not np.isfinite(own).all():
        i = int(np.flatnonzero(~np.isfinite(own))[0])
        raise ValueError(
            f"the kernel of row {i} with itself is {own[i]}: scale the data down (MaxAbsScaler), "
            "or take smaller parameters of the kernel"
        )
    number = constant if seen.exact else float(constant)
    rows = KernelRows(read_only(own), np.empty((0, 0), own.dtype), np.empty(0, np.int64), np.zeros(len(own), np.int64), number)
    sheet = seen.sheet._replace(rows=rows, sqnorm=read_only(own + number * number))
    return KernelExamples(sheet, seen.width, constant, seen.classes, seen.fed, seen.weighted, threads, points, kernel)


class Columns:
    """The ordinary space: a weight a column, and the bias."""

    kernel: Any = None

    def at_once(self, held: bool) -> int | None:
        """How many rows one sweep may go over, if not as many as it likes."""
        return None

    def look(self, X: Any, y: Any, *, constant: Any = 1, weight: Any = None, threads: int | None = None) -> Examples:
        """A matrix and its labels, looked at once, for learning here."""
        return examples(X, y, constant=constant, weight=weight, threads=threads)

    def scores(self, X: Any, constant: Any, w: Array, threads: int | None) -> Array:
        """⟨w, x⟩ for each row x of X and each row of w; X is checked on the way."""
        return scores(X, constant, w, threads)

    def scores_in(self, seen: Any, w: Array, first: int = 0, last: int | None = None) -> Array:
        """The same for the examples first…last−1, which have been looked at."""
        return seen.scores(w, first, last)  # type: ignore[no-any-return]

    def row_sqnorms(self, X: Any, constant: Any, threads: int | None) -> Array:
        """‖x‖² of each row of X, the constant coordinate included; X is checked on the way."""
        return looked_at(X, constant, threads)[1]

    def sqnorms(self, w: Array) -> Array:
        """‖w‖² of each row of w."""
        return np.asarray((w * w).sum(axis=1))

    def holds(self, seen: Any) -> bool:
        """Whether a vector that changes can be asked about any of the examples at once."""
        return True

    def open(self, seen: Any, learner: Any) -> None:
        """These examples are about to be learned from."""

    def shut(self, seen: Any, learner: Any) -> None:
        """They have been."""

    def before(self, seen: Any, part: Array, watch: Any, learner: Any) -> tuple[Sheet, Array, Any]:
        """What a sweep over the rows of `part` is given: a sheet, the numbers of these rows on it, and a watch."""
        return seen.sheet, part, watch

    def after(self, seen: Any, part: Array, learner: Any) -> None:
        """The sweep over the rows of `part` is done."""

    def refresh(self, seen: Any, w: Array) -> None:
        """What these vectors say of the examples is computed afresh, where it is part of them."""


class Span(Columns):
    """The span of the images of the stored rows."""

    def __init__(self, kernel: Any, cache_bytes: int) -> None:
        self.kernel, self.cache_bytes = kernel, cache_bytes
        self.stored: Points | None = None
        self.columns = 0
        self._opened: KernelExamples | None = None
        self._gram: Array | None = None  # of all opened examples, where that fits
        self._rows: _KeptRows
        self._coefficients: list[Array] = []  # of the rows of the present block, before it

    def look(self, X: Any, y: Any, *, constant: Any = 1, weight: Any = None, threads: int | None = None) -> Examples:
        self.kernel = fitted_to(self.kernel, checked(X))
        return kernel_examples(X, y, self.kernel, constant=constant, weight=weight, threads=threads)

    def widen(self, width: int) -> None:
        """From now on rows have so many columns."""
        self.columns = width
        if self.stored is not None:
            self.stored = self.stored.widened(width)

    def scores(self, X: Any, constant: Any, w: Array, threads: int | None) -> Array:
        looked_at(X, constant, threads)
        return self._scores(self.stored, Points(X), constant, w, threads)

    def scores_in(self, seen: Any, w: Array, first: int = 0, last: int | None = None) -> Array:
        span = slice(first, len(seen) if last is None else min(last, len(seen)))
        return (
            w[:, span].T if seen is self._opened else self._scores(self.stored, seen.points[span], seen.constant, w, seen.threads)
        )

    def _scores(self, stored: Points | None, points: Points, constant: Any, w: Array, threads: int | None = None) -> Array:
        """What shut vectors, sums of stored rows, say of points."""
        out: Array = np.zeros((len(points), len(w)), w.dtype) + constant * w[:, -1]
        heard = np.flatnonzero((w[:, :-1] != 0).any(axis=0))
        if stored is None or not len(heard):
            return out
        stored, coefficients = stored[heard], w[:, heard].T
        high = max(1, SCORED // len(heard))
        for first in range(0, len(points), high):
            part = slice(first, first + high)
            out[part] += self.kernel.between(points[part], stored, threads) @ coefficients
        if out.dtype != object and not np.isfinite(out).all():
            i = int(np.flatnonzero(~np.isfinite(out).all(axis=1))[0])
            raise ValueError(f"the kernel's values of row {i} are too large for floats: scale the data down, as for learning")
        return out

    def row_sqnorms(self, X: Any, constant: Any, threads: int | None) -> Array:
        looked_at(X, constant, threads)
        own: Array = self.kernel.of_itself(Points(X)) + constant * constant
        return own

    def sqnorms(self, w: Array) -> Array:
        inner: Array = w[:, -1] ** 2
        if self.stored is not None:
            inner = inner + np.einsum("iv,vi->v", self._scores(self.stored, self.stored, 0, w), w[:, :-1])
        return inner if inner.dtype == object else np.maximum(inner, 0.0)  # which rounding may miss

    def at_once(self, held: bool) -> int | None:
        return None if held else BLOCK

    def holds(self, seen: Any) -> bool:
        return len(seen) ** 2 * 8 <= self.cache_bytes

    def open(self, seen: Any, learner: Any) -> None:
        self.columns = seen.width
        self._rows = _KeptRows(seen, self.cache_bytes)
        learner.each_vector(partial(self._open_vectors, seen))
        self._opened = seen

    def _open_vectors(self, seen: KernelExamples, w: Array) -> Array:
        values = self._scores(self.stored, seen.points, seen.constant, w, seen.threads).T
        return np.concatenate([values, np.full((len(w), len(seen)), 0, w.dtype), w], axis=1)

    def shut(self, seen: Any, learner: Any) -> None:
        n = len(seen)
        used = np.zeros(n, bool)
        for w in learner.vectors():
            used |= (w[:, n : 2 * n] != 0).any(axis=0)
        for ledger in learner.ledgers if learner.reading.votes else []:
            rows = ledger.entries.row - learner.rows_fed
            used[rows[rows >= 0]] = True
        which = np.flatnonzero(used)
        self._store(seen.points[which].numbered(which + learner.rows_fed))
        numbers = np.empty(0, np.int64) if self.stored is None else self.stored.numbers
        once, first, place = np.unique(numbers, return_index=True, return_inverse=True)

        def shut(w: Array) -> Array:
            """Coefficients of stored rows; a row that was there before, in an earlier pass over pieces, has both of its own."""
            every = np.concatenate([w[:, 2 * n : -1], w[:, n + which]], axis=1)
            coefficients = np.full((len(w), len(once)), 0, w.dtype)
            np.add.at(coefficients.T, place, every.T)
            return np.concatenate([coefficients, w[:, -1:]], axis=1)

        learner.each_vector(shut)
        if self.stored is not None and (np.diff(numbers) <= 0).any():
            self.stored = self.stored[first]
        self._opened = self._gram = None
        del self._rows

    def _store(self, fresh: Points) -> None:
        if len(fresh):
            self.stored = fresh if self.stored is None else Points.together([self.stored, fresh])

    def before(self, seen: Any, part: Array, watch: Any, learner: Any) -> tuple[Sheet, Array, Any]:
        rows = seen.sheet.rows
        if learner.held:
            if self._gram is None:
                self._gram = seen.kernel.between(seen.points, seen.points, seen.threads)
            every = np.arange(len(seen))
            return seen.sheet._replace(rows=rows._replace(gram=self._gram, block=every, place=every)), part, watch
        block = part.astype(np.int64)
        points = seen.points[block]
        rows.place[block] = np.arange(len(block))
        self._coefficients = [w[:, len(seen) + block] for w in learner.vectors()]
        return (
            seen.sheet._replace(rows=rows._replace(gram=seen.kernel.between(points, points, seen.threads), block=block)),
            part,
            watch,
        )

    def after(self, seen: Any, part: Array, learner: Any) -> None:
        """Bring the values of all rows up to date that were not in the block."""
        if learner.held:
            return
        n, square = len(seen), seen.sheet.rows.constant**2
        summed = learner.vectors() if learner.reading.adds_up else [learner.team.w]
        steps = [w[:, n + part] - before for w, before in zip(summed, self._coefficients, strict=False)]
        moved = np.flatnonzero(np.any([(step != 0).any(axis=0) for step in steps], axis=0))
        if not len(moved):
            return
        kernel_rows = self._rows[part[moved]]
        with alone:
            for w, step in zip(summed, steps, strict=True):
                change = step[:, moved] @ kernel_rows
                change += square * step.sum(axis=1)[:, None]
                change[:, part] = 0
                w[:, :n] += change

    def refresh(self, seen: Any, w: Array) -> None:
        n = len(seen)
        every = seen.points if self.stored is None else Points.together([seen.points, self.stored])
        w[:, :n] = self._scores(every, seen.points, seen.constant, w[:, n:], seen.threads).T


class _KeptRows:
    """Rows of the Gram matrix. Those asked for a third time are kept, the last of them where there is no room for all.

    To keep a row takes about as long as to compute it.
    """

    def __init__(self, seen: KernelExamples, cache_bytes: int) -> None:
        self.seen = seen
        room = 0 if seen.exact else min(len(seen), cache_bytes // (8 * len(seen)))
        self.kept: Array = np.empty((room, len(seen)))
        self.owner = np.full(len(self.kept), -1)  # which row is in each place
        self.place = np.full(len(seen), -1)  # where each row is
        self.asked = np.zeros(len(seen), np.int64)  # how often
        self.next = 0

    def __getitem__(self, which: Array) -> Array:
        """K(xᵢ, x) for each i of `which` and each of the examples x."""
        here = self.place[which] >= 0
        if not here.any():
            values = self._computed(which)
        else:
            values = np.empty((len(which), len(self.seen)))
            values[here] = self.kept[self.place[which[here]]]
            values[~here] = self._computed(which[~here])
        self.asked[which] += 1
        self._keep(which, values, ~here & (self.asked[which] >= AGAIN))
        return values

    def _computed(self, which: Array) -> Array:
        return self.seen.kernel.between(self.seen.points[which], self.seen.points, self.seen.threads)  # type: ignore[no-any-return]

    def _keep(self, which: Array, values: Array, again: Array) -> None:
        new = np.flatnonzero(again)[: len(self.kept)]
        places = (self.next + np.arange(len(new))) % max(1, len(self.kept))
        gone = self.owner[places]
        self.place[gone[gone >= 0]] = -1
        self.kept[places] = values[new]
        self.owner[places], self.place[which[new]] = which[new], places
        self.next += len(new)


class Budgeted(Span):
    """A span of no more than `budget` rows a vector. A block is opened together with the stored rows, and forgets some."""

    def __init__(self, kernel: Any, budget: int) -> None:
        super().__init__(kernel, 0)
        self.budget = budget
        self.radius_sq = 0.0
        self.outgrown = False  # whether a row longer than all before came when something had been forgotten
        self._block = 0  # how many of the stored rows are of a block that is open

    def bound(self, evidence: Evidence) -> Bound | NoBound:
        if self.outgrown:
            return NoBound("rows grew longer after something was forgotten, and what that cost was reckoned with shorter ones")
        return forgetting_bound(self.budget, evidence)

    def open(self, seen: Any, learner: Any) -> None:
        self.columns = seen.width
        if float(seen.radius_sq) > self.radius_sq:
            self.radius_sq = float(seen.radius_sq)
            self.outgrown |= bool(learner.carry.spent.any())

    def shut(self, seen: Any, learner: Any) -> None:
        if self._block:  # what went over it did not come to an end
            self.after(seen, np.empty(0), learner)

    def holds(self, seen: Any) -> bool:
        return False

    def before(self, seen: Any, part: Array, watch: Any, learner: Any) -> tuple[Sheet, Array, Any]:
        gram = self._joined(seen, part, learner.rows_fed)
        old, every = len(gram) - len(part), np.arange(len(gram))
        number = seen.sheet.rows.constant
        own = seen.kernel.of_itself(self.stored)

        def with_old(numbers: Array) -> Array:
            return read_only(np.concatenate([np.zeros(old, numbers.dtype), numbers[part]]))

        def opened(w: Array) -> Array:
            values = gram[:, :old] @ w[:, :-1].T + number * w[:, -1]
            return np.concatenate([values.T, w[:, :-1], np.zeros((len(w), len(part))), w[:, -1:]], axis=1)

        sheet = Sheet(
            KernelRows(read_only(own), gram, every, every, number),
            with_old(seen.sheet.code),
            with_old(seen.sheet.weight),
            read_only(own + number * number),
        )
        stored = (learner.team.w[:, :-1] != 0).sum(axis=1)
        learner.each_vector(opened)
        self._block = len(part)
        forgotten = learner.carry
        watch = Forgetting(self.budget, self.radius_sq, stored, stored * 0, forgotten.spent, forgotten.shrunk)
        return sheet, every[old:], watch

    def _joined(self, seen: Any, part: Array, first: int) -> Array:
        """Store the rows of the block, too, for now. Gives the Gram matrix of all; that of the rows from before is kept."""
        fresh = seen.points[part].numbered(part + first)
        new: Array = seen.kernel.between(fresh, fresh, seen.threads)
        if self.stored is None or not len(self.stored):
            self.stored, self._gram = fresh, new
            return new
        if self._gram is None:
            self._gram = seen.kernel.between(self.stored, self.stored, seen.threads)
        across = seen.kernel.between(fresh, self.stored, seen.threads)
        gram = np.block([[self._gram, across.T], [across, new]])
        self._store(fresh)
        self._gram = gram
        return gram

    def after(self, seen: Any, part: Array, learner: Any) -> None:
        assert self.stored is not None
        assert self._gram is not None
        n = len(self.stored)
        kept = np.flatnonzero((learner.team.w[:, n : 2 * n] != 0).any(axis=0))
        learner.each_vector(lambda w: np.concatenate([w[:, n + kept], w[:, -1:]], axis=1))
        learner.team.hull_sq.fill(np.inf)  # w is no longer the sum of its steps
        self.stored, self._gram, self._block = self.stored[kept], self._gram[np.ix_(kept, kept)], 0
