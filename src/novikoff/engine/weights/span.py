"""The span of the rows that were learned from, for learning through a kernel (F19).

Between fits the vectors are coefficients of the stored rows, the bias last. To learn from examples they are opened (the form in
`storages/kernel_rows.py`), and shut again afterwards. Only rows that were learned from are stored. If the Gram matrix does not
fit into the cache, blocks of it are used: an update changes the values of the rows in its block at once, all others after the
block.
"""

from functools import partial
from typing import Any

import numpy as np

from novikoff.engine.kernel_examples import KernelExamples, kernel_examples
from novikoff.engine.kernels import Kernel, Points, fitted_to
from novikoff.engine.labelled_rows import Examples, Sheet, checked_rows
from novikoff.engine.readouts import Readout
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.rules import Bound, Evidence, NoBound, Rule, uses_norms
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights.space import Opening
from novikoff.foundation.array_types import Array
from novikoff.foundation.matrix_checks import checked
from novikoff.foundation.parallel import alone

CACHE = 200 * 2**20  # bytes of kernel values that are kept (default)
BLOCK = 512  # rows of a block: enough for fast matrix products, few enough that most of its Gram matrix is used
AGAIN = 3  # a row of the Gram matrix is kept when it is requested for the third time
SCORED = 4_000_000  # kernel values held at once while scoring
NO_INNER_PRODUCT = NoBound("the kernel is not known to be positive semidefinite, and the mistake bounds speak of inner products")


class Span:
    """The span of the images of the stored rows."""

    budget: int | None = None
    skips = False
    repeats = ghost_learns = True

    def __init__(self, kernel: Kernel, cache_bytes: int) -> None:
        self.kernel, self.cache_bytes = kernel, cache_bytes
        self.stored: Points | None = None
        self.columns = 0
        self._opening: Opening
        self._opened: KernelExamples | None = None
        self._gram: Array | None = None  # of all opened examples, if it fits
        self._rows: _GramRows
        self._coefficients: list[Array] = []  # of the rows of the current block, before it

    @property
    def no_streams(self) -> str:
        return self.kernel.no_streams

    @property
    def may_fail(self) -> bool:
        return self.kernel.may_fail

    def look(self, X: Any, y: Any, *, constant: Any = 1, weight: Any = None, threads: int | None = None) -> Examples:
        self.kernel = fitted_to(self.kernel, checked(X))
        return kernel_examples(X, y, self.kernel, constant=constant, weight=weight, threads=threads)

    def restore(self, columns: int, stored: Points | None) -> None:
        """Restore a saved space."""
        self.columns, self.stored = columns, stored

    def resize_cache(self, cache_bytes: int) -> None:
        """Keep at most this many bytes of kernel values."""
        self.cache_bytes = cache_bytes

    def check(self, examples: Examples, rule: Rule) -> None:
        if uses_norms(rule) and (examples.sheet.sqnorm < 0).any():
            i = int(np.flatnonzero(examples.sheet.sqnorm < 0)[0])
            raise ValueError(
                f"the kernel of row {i} with itself is {examples.sheet.sqnorm[i]:.4g}, and the rule {rule!r} measures steps "
                "by it: where it may be negative, use a rule that does not, such as rosenblatt or threshold"
            )

    def vector_length(self, width: int) -> int:
        return 1  # the bias: no row is stored yet

    def width(self, vector_length: int) -> int:
        return self.columns

    def widen(self, vectors: Vectors, width: int, interleaved: int) -> None:
        self.columns = width
        if self.stored is not None:
            self.stored = self.stored.widened(width)

    def holds(self, examples: Examples) -> bool:
        return len(examples) ** 2 * 8 <= self.cache_bytes

    def new_state(self, readout: Readout, vectors: Vectors, held: bool) -> Any:
        return readout.new_state(vectors.team, vectors.readout_state, held)

    # ---- learning ---------------------------------------------------------------------------------------------------

    def open(self, examples: Examples, vectors: Vectors, opening: Opening) -> None:
        examples = known_by_kernel(examples)
        self.columns, self._opening = examples.width, opening
        self._rows = _GramRows(examples, self.cache_bytes)
        vectors.transform(partial(self._open_vectors, examples))
        self._opened = examples

    def _open_vectors(self, examples: KernelExamples, w: Array) -> Array:
        values = self._scores(self.stored, examples.points, examples.constant, w, examples.threads).T
        return np.concatenate([values, np.full((len(w), len(examples)), 0, w.dtype), w], axis=1)

    def before(self, examples: Examples, part: Array, watch: Any, vectors: Vectors) -> tuple[Sheet, Array, Any]:
        examples = known_by_kernel(examples)
        rows = examples.sheet.rows
        if self._opening.held:
            if self._gram is None:
                self._gram = examples.kernel.between(examples.points, examples.points, examples.threads)
            every = np.arange(len(examples))
            return examples.sheet._replace(rows=rows._replace(gram=self._gram, block=every, place=every)), part, watch
        block = part.astype(np.int64)
        points = examples.points[block]
        rows.place[block] = np.arange(len(block))
        self._coefficients = [w[:, len(examples) + block] for w in vectors.matrices()]
        gram = examples.kernel.between(points, points, examples.threads)
        return examples.sheet._replace(rows=rows._replace(gram=gram, block=block)), part, watch

    def after(self, examples: Examples, part: Array, vectors: Vectors) -> None:
        """Update the values of all rows that were not in the block."""
        if self._opening.held:
            return
        n, square = len(examples), examples.sheet.rows.constant**2
        summed = vectors.matrices() if self._opening.readout.adds_up else [vectors.team.w]
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

    def rows_at_once(self, held: bool) -> int | None:
        return None if held else BLOCK

    def comparable(self, vectors: Vectors, examples: Examples) -> int:
        return len(examples)  # the values of the rows

    def refresh(self, examples: Examples, w: Array) -> None:
        examples = known_by_kernel(examples)
        n = len(examples)
        every = examples.points if self.stored is None else Points.together([examples.points, self.stored])
        w[:, :n] = self._scores(every, examples.points, examples.constant, w[:, n:], examples.threads).T

    def shut(self, examples: Examples, vectors: Vectors, voting_rows: Array) -> None:
        examples = known_by_kernel(examples)
        n, first_row = len(examples), self._opening.first_row
        used = np.zeros(n, bool)
        for w in vectors.matrices():
            used |= (w[:, n : 2 * n] != 0).any(axis=0)
        used[voting_rows[voting_rows >= first_row] - first_row] = True
        which = np.flatnonzero(used)
        self._store(examples.points[which].numbered(which + first_row))
        numbers = np.empty(0, np.int64) if self.stored is None else self.stored.numbers
        once, first, place = np.unique(numbers, return_index=True, return_inverse=True)

        def shut(w: Array) -> Array:
            """Coefficients of stored rows. If a row was stored in an earlier pass over pieces, both coefficients are added."""
            every = np.concatenate([w[:, 2 * n : -1], w[:, n + which]], axis=1)
            coefficients = np.full((len(w), len(once)), 0, w.dtype)
            np.add.at(coefficients.T, place, every.T)
            return np.concatenate([coefficients, w[:, -1:]], axis=1)

        vectors.transform(shut)
        if self.stored is not None and (np.diff(numbers) <= 0).any():
            self.stored = self.stored[first]
        self._opened = self._gram = None
        del self._rows

    def _store(self, fresh: Points) -> None:
        if len(fresh):
            self.stored = fresh if self.stored is None else Points.together([self.stored, fresh])

    # ---- scores and norms -------------------------------------------------------------------------------------------

    def scores(self, X: Any, constant: Any, w: Array, threads: int | None) -> Array:
        checked_rows(X, constant, threads)
        return self._scores(self.stored, Points(X), constant, w, threads)

    def scores_in(self, examples: Examples, w: Array, first: int = 0, last: int | None = None) -> Array:
        examples = known_by_kernel(examples)
        span = slice(first, len(examples) if last is None else min(last, len(examples)))
        if examples is self._opened:
            return w[:, span].T
        return self._scores(self.stored, examples.points[span], examples.constant, w, examples.threads)

    def _scores(self, stored: Points | None, points: Points, constant: Any, w: Array, threads: int | None = None) -> Array:
        """The scores of points under shut vectors, which are sums of stored rows."""
        out: Array = np.zeros((len(points), len(w)), w.dtype) + constant * w[:, -1]
        used = np.flatnonzero((w[:, :-1] != 0).any(axis=0))
        if stored is None or not len(used):
            return out
        stored, coefficients = stored[used], w[:, used].T
        high = max(1, SCORED // len(used))
        for first in range(0, len(points), high):
            part = slice(first, first + high)
            out[part] += self.kernel.between(points[part], stored, threads) @ coefficients
        if out.dtype != object and not np.isfinite(out).all():
            i = int(np.flatnonzero(~np.isfinite(out).all(axis=1))[0])
            raise ValueError(f"the kernel's values of row {i} are too large for floats: scale the data down, as for learning")
        return out

    def row_sqnorms(self, X: Any, constant: Any, threads: int | None) -> Array:
        checked_rows(X, constant, threads)
        own: Array = self.kernel.of_itself(Points(X)) + constant * constant
        return own

    def sqnorms(self, w: Array) -> Array:
        inner: Array = w[:, -1] ** 2
        if self.stored is not None:
            inner = inner + np.einsum("iv,vi->v", self._scores(self.stored, self.stored, 0, w), w[:, :-1])
        return inner if inner.dtype == object else np.maximum(inner, 0.0)  # rounding may give less than 0

    def rounding(self, u: Array, u_norm: float, radius: float) -> float:
        return 2.0**-52 * u.size * radius**2 * float(np.abs(u).sum()) / u_norm  # Σ |u·z| is at most Σ|α|·R²

    # ---- votes and theorems -----------------------------------------------------------------------------------------

    def voting(self, ballot: Ballot, threads: int) -> Ballot:
        return ballot if self.stored is None else Ballot(self.stored.X, self.stored.numbers, self.kernel, threads)

    def ballot_after(self, ballot: Ballot, examples: Examples, first_row: int, used: Array) -> Ballot:
        return ballot  # the rows are stored here

    def bound(self, rule: Rule, evidence: Evidence) -> Bound | NoBound:
        return rule.bound(evidence) if self.kernel.positive else NO_INNER_PRODUCT

    def no_margins(self) -> NoBound | None:
        return None if self.kernel.positive else NO_INNER_PRODUCT

    def require_columns(self, what: str) -> None:
        raise ValueError(f"{what} needs weights of columns, and this model has a kernel: it has coefficients of stored rows")

    def require_inner_product(self) -> None:
        if not self.kernel.positive:
            raise ValueError("an angle needs an inner product, which this kernel is not known to be: use readout='voted'")


def known_by_kernel(examples: Examples) -> KernelExamples:
    """The examples, which `Span.look` made."""
    assert isinstance(examples, KernelExamples)
    return examples


class _GramRows:
    """Rows of the Gram matrix. A row that is requested for the third time is kept. Without room for all, the last ones are kept.

    Keeping a row takes about as long as computing it.
    """

    def __init__(self, examples: KernelExamples, cache_bytes: int) -> None:
        self.examples = examples
        room = 0 if examples.exact else min(len(examples), cache_bytes // (8 * len(examples)))
        self.kept: Array = np.empty((room, len(examples)))
        self.owner = np.full(len(self.kept), -1)  # which row is in each place
        self.place = np.full(len(examples), -1)  # where each row is
        self.asked = np.zeros(len(examples), np.int64)  # how often
        self.next = 0

    def __getitem__(self, which: Array) -> Array:
        """K(xᵢ, x) for each i of `which` and each of the examples x."""
        here = self.place[which] >= 0
        if not here.any():
            values = self._computed(which)
        else:
            values = np.empty((len(which), len(self.examples)))
            values[here] = self.kept[self.place[which[here]]]
            values[~here] = self._computed(which[~here])
        self.asked[which] += 1
        self._keep(which, values, ~here & (self.asked[which] >= AGAIN))
        return values

    def _computed(self, which: Array) -> Array:
        values: Array = self.examples.kernel.between(self.examples.points[which], self.examples.points, self.examples.threads)
        return values

    def _keep(self, which: Array, values: Array, again: Array) -> None:
        new = np.flatnonzero(again)[: len(self.kept)]
        places = (self.next + np.arange(len(new))) % max(1, len(self.kept))
        gone = self.owner[places]
        self.place[gone[gone >= 0]] = -1
        self.kept[places] = values[new]
        self.owner[places], self.place[which[new]] = which[new], places
        self.next += len(new)
