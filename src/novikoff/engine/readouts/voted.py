"""All weight vectors of the run vote, each with the number of examples it survived (F10) [freund1999large].

No weight vector is stored. The updates in order, the distinct rows they used and how long each vector lasted are enough,
since ⟨wₖ, x⟩ is a running sum over updates. The memory grows with the updates, so it is not for endless streams.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.compiler import loop
from novikoff.compiler.dispatch import compiled
from novikoff.engine.kernels import Points
from novikoff.engine.kernels.linear import Linear
from novikoff.engine.readouts import Readout, register
from novikoff.engine.readouts.last import Last
from novikoff.engine.storages import take
from novikoff.foundation.array_types import Array
from novikoff.foundation.matrix_checks import checked

BLOCK_BYTES = 32_000_000  # of inner products held at once while voting

register(
    Readout(
        "voted",
        new_state=lambda team, before, held: Last(),
        weights=lambda state, team: team.w,
        votes=True,
        no_streams="voting keeps every update, so it cannot learn from a stream that has no end: "
        "use readout='averaged', which answers nearly alike, or fit on data that is held",
    )
)


class History(NamedTuple):
    """The history of one vector: it started as `start`; at example t it changed by change·(row numbered `row`)."""

    start: Array
    t: Array
    row: Array
    change: Array


class DirectHistory(NamedTuple):
    """The history of the vectors of many classes at once. At example t, `step` times a row was added to the vector of class y
    and subtracted from that of its rival."""

    start: Array  # one row per class
    t: Array
    row: Array
    y: Array
    rival: Array
    step: Array


@dataclass(frozen=True)
class Ballot:
    """The distinct rows that updates used, by number."""

    rows: Any = None  # a matrix, dense or CSR
    numbers: Array = field(default_factory=lambda: np.empty(0, np.int64))  # increasing
    kernel: Any = None  # None: the ordinary inner product
    threads: int | None = None

    @property
    def nbytes(self) -> int:
        if self.rows is None:
            return 0
        parts = [self.rows.data, self.rows.indices, self.rows.indptr] if sp.issparse(self.rows) else [self.rows]
        return sum(int(part.nbytes) for part in [*parts, self.numbers])

    def with_rows(self, rows: Any, width: int, first: int, used: Array) -> "Ballot":
        """Also keep the rows whose numbers are in `used`. `rows` are numbered from `first`, after all rows already kept."""
        used = np.unique(used[used >= first])
        if not len(used):
            return self
        rows = take(rows, used - first, width)
        rows = rows if rows.dtype == object else rows.astype(np.float64)
        if self.rows is not None:
            stack = sp.vstack if sp.issparse(rows) or sp.issparse(self.rows) else np.vstack
            rows = stack([self.rows, rows])
            rows = rows.tocsr() if sp.issparse(rows) else rows
        return Ballot(rows, np.concatenate([self.numbers, used]))

    def parts(self) -> dict[str, Array]:
        """The ballot as arrays by name; `of` restores it."""
        if self.rows is None:
            return {}
        if not sp.issparse(self.rows):
            return {"numbers": self.numbers, "rows": self.rows}
        return {"numbers": self.numbers, "data": self.rows.data, "indices": self.rows.indices, "indptr": self.rows.indptr}

    @classmethod
    def of(cls, parts: dict[str, Array], width: int, rising: bool = True) -> "Ballot":
        if not parts:
            return cls()
        numbers = parts["numbers"].copy()
        if "rows" in parts:
            rows = parts["rows"].copy()
        else:
            data, indices, indptr = (parts[name].copy() for name in ("data", "indices", "indptr"))
            if not indices.dtype == indptr.dtype or indices.dtype not in (np.int32, np.int64):
                raise ValueError("the rows that are kept are damaged")
            rows = sp.csr_array((data, indices, indptr), shape=(len(numbers), width))
            checked(rows, "the rows that are kept")
        stored: Any = rows.data if sp.issparse(rows) else rows
        if rows.shape != (len(numbers), width) or stored.dtype != np.float64 or not np.isfinite(stored).all():
            raise ValueError("the rows that are kept are damaged")
        if numbers.dtype != np.int64 or numbers.ndim != 1 or (rising and (np.diff(numbers) <= 0).any()):
            raise ValueError("the numbers of the rows that are kept are damaged")
        return cls(rows, numbers)

    def widened(self, width: int) -> "Ballot":
        """The same rows with more columns, all 0."""
        if self.rows is None:
            return self
        return Ballot(Points(self.rows, self.numbers).widened(width).X, self.numbers)

    def votes(self, X: Any, constant: Any, histories: Sequence[History], ends: Sequence[Sequence[int]]) -> Iterator[Array]:
        """Σ cₖ·sign⟨wₖ, x⟩ for each end, row of X and history: the vote after `end` examples.

        `ends` has an increasing sequence for each history. Rows come in blocks of shape (number of ends, rows, histories).
        """
        number = object if X.dtype == object else np.float64
        slots = [self._slots(history.row) for history in histories]
        block = max(1, BLOCK_BYTES // 8 // max(len(self.numbers), len(histories) * len(ends[0]), 1))
        for first in range(0, X.shape[0], block):
            part = X[first : first + block]
            products = self._products(part, constant)
            out = np.zeros((len(ends[0]), part.shape[0], len(histories)), number)
            for h, history in enumerate(histories):
                score = np.zeros(part.shape[0], number)
                if history.start.any():
                    score += part @ history.start[:-1] + constant * history.start[-1]
                vote = np.zeros(part.shape[0], number)
                since = 0
                for e, end in enumerate(ends[h]):
                    _vote(products, slots[h], history, since, end, score, vote)
                    out[e, :, h] = vote
                    since = end
            yield out

    def direct_votes(self, X: Any, constant: Any, history: DirectHistory, ends: Sequence[int]) -> Iterator[Array]:
        """Σ cₖ over the weights under which class c alone has the highest score, for each end, row of X and class c.

        On a tie there is no vote. At w = 0 all classes tie. Blocks are of shape (ends, rows, classes).
        """
        number = object if X.dtype == object else np.float64
        slot, classes = self._slots(history.row), len(history.start)
        block = max(1, BLOCK_BYTES // 8 // max(len(self.numbers), classes * (len(ends) + 1), 1))
        for first in range(0, X.shape[0], block):
            part = X[first : first + block]
            products = self._products(part, constant)
            score = np.ascontiguousarray(part @ history.start[:, :-1].T + constant * history.start[:, -1], number)
            vote = np.zeros(score.shape, number)
            out, since = np.zeros((len(ends), *score.shape), number), 0
            run = cast_direct_votes if number is object else compiled(cast_direct_votes)
            for e, end in enumerate(ends):
                a, b = np.searchsorted(history.t, [since, end])
                lived = np.diff(history.t[a:b], prepend=since, append=end)
                run(products, slot[a:b], history.y[a:b], history.rival[a:b], history.step[a:b], lived, score, vote)
                out[e], since = vote, end
            yield out

    def _slots(self, rows: Array) -> Array:
        slots = np.searchsorted(self.numbers, rows)
        if not np.array_equal(self.numbers[slots], rows):
            raise AssertionError("an update used a row that was not kept")
        return slots

    def _products(self, X: Any, constant: Any) -> Array:
        if self.rows is None:
            return np.empty((0, X.shape[0]))
        kernel = Linear() if self.kernel is None else self.kernel
        dense: Array = kernel.from_stored(Points(self.rows, self.numbers), Points(X), self.threads)
        dense += constant * constant
        return dense


def _vote(products: Array, slot: Array, history: History, since: int, end: int, score: Array, vote: Array) -> None:
    """Advance from the state after `since` examples to that after `end`. Changes score and vote in place."""
    a, b = np.searchsorted(history.t, [since, end])
    times = np.concatenate([history.t[a:b], [end]])
    vote += np.sign(score) * (times[0] - since)
    run = cast_votes if vote.dtype == object else compiled(cast_votes)
    run(products, slot[a:b], history.change[a:b], np.diff(times).astype(vote.dtype), score, vote)


@loop
def cast_votes(products: Any, slot: Any, change: Any, count: Any, score: Any, vote: Any) -> None:
    for k in range(len(slot)):
        step, stood, product = change[k], count[k], products[slot[k]]
        for b in range(len(score)):
            now = score[b] + step * product[b]
            score[b] = now
            vote[b] += stood if now > 0 else -stood if now < 0 else 0 * stood


@loop
def cast_direct_votes(products: Any, slot: Any, y: Any, rival: Any, step: Any, lived: Any, score: Any, vote: Any) -> None:
    """lived[0] examples before the first update, lived[k + 1] after update k."""
    for b in range(len(score)):
        for k in range(len(lived)):
            if k > 0:
                change = step[k - 1] * products[slot[k - 1], b]
                score[b, y[k - 1]] += change
                score[b, rival[k - 1]] -= change
            best, alone = 0, True
            for c in range(1, score.shape[1]):
                if score[b, c] > score[b, best]:
                    best, alone = c, True
                elif score[b, c] == score[b, best]:
                    alone = False
            if alone:
                vote[b, best] += lived[k]
