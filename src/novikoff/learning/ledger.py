"""The updates of a run, append-only, in enough detail to repeat it.

An entry takes 33 bytes, or 40 for many classes at once. Up to the cap every update has an entry. Beyond it only the tally is
updated, and the ledger says so. After a model is saved and loaded, the entries start from there.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from math import inf
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.storages import read_only
from novikoff.foundation.array_types import Array

CAP = 1_000_000  # updates kept for each class (default): 33 MB


class Update(NamedTuple):
    """At example t, row i with label y had y·⟨w, x⟩ = margin, and w += step·y·x.

    Rows are numbered from 0 through everything the model was fed: a second `partial_fit` continues where the first ended.
    """

    t: int
    row: int
    y: int
    margin: float
    step: float


class Entries(NamedTuple):
    """Updates as columns."""

    t: Array
    row: Array
    y: Array
    margin: Array
    step: Array


class DirectUpdate(NamedTuple):
    """At example t, row i of class y had ⟨w_y − w_rival, x⟩ = margin; then w_y += step·x and w_rival −= step·x.

    Classes are given as indices into the sorted classes.
    """

    t: int
    row: int
    y: int
    rival: int
    margin: float
    step: float


class DirectEntries(NamedTuple):
    """Updates of many classes at once, as columns."""

    t: Array
    row: Array
    y: Array
    rival: Array
    margin: Array
    step: Array


LABELS: dict[type, tuple[type, ...]] = {Entries: (np.int8,), DirectEntries: (np.int32, np.int32)}  # types of y, and of the rival


class Tally(NamedTuple):
    """Totals of a run, which are kept without its entries."""

    examples: int = 0
    updates: int = 0
    mistakes: int = 0
    steps: Any = 0  # Στ
    w_sqnorm: Any = 0  # ‖w‖²
    hull_sq: Any = inf  # min over updates of ‖w‖²/(Στ)²; infinite before the first


MOST_LISTED = 20  # how many of the rows with the most updates are listed


class Ledger:
    """One vector's updates. `len` is the number of entries kept; `complete` says whether that is all of them."""

    def __init__(self, cap: int = CAP, number: Any = np.float64, columns: type[Entries] | type[DirectEntries] = Entries) -> None:
        self.cap = cap
        self.tally = Tally()
        self._kept = 0
        types = LABELS[columns]
        self._columns: Entries | DirectEntries = columns(*(np.empty(0, t) for t in (np.int64, np.int64, *types, number, number)))

    @property
    def updates(self) -> int:
        return self.tally.updates

    @property
    def mistakes(self) -> int:
        return self.tally.mistakes

    @property
    def complete(self) -> bool:
        return self._kept == self.tally.updates

    @property
    def full(self) -> bool:
        """Whether no more entries are kept."""
        return self._kept >= self.cap

    @property
    def entries(self) -> Any:
        """All entries kept, as read-only columns: `Entries`, or `DirectEntries` for many classes at once."""
        return type(self._columns)(*(read_only(column[: self._kept]) for column in self._columns))

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns)

    def __len__(self) -> int:
        return self._kept

    def __iter__(self) -> Iterator[Any]:
        kind: Any = DirectUpdate if isinstance(self._columns, DirectEntries) else Update
        return (kind(*entry) for entry in zip(*(column.tolist() for column in self.entries), strict=True))

    def append(self, entries: Entries | DirectEntries, tally: Tally) -> None:
        """Add these entries, as far as the cap allows, and replace the tally."""
        new = min(len(entries.t), self.cap - self._kept)
        if self._kept + new > len(self._columns.t):  # doubled, so that many short chunks do not cost more
            length = min(self.cap, max(self._kept + new, 2 * self._kept))
            self._columns = type(self._columns)(*(_lengthened(column, length) for column in self._columns))
        for column, more in zip(self._columns, entries, strict=True):
            column[self._kept : self._kept + new] = more[:new]
        self._kept += new
        self.tally = tally

    def copy(self, mirrored: bool = False) -> "Ledger":
        """A copy. If mirrored, it is for the opposite class, with the other label."""
        other = deepcopy(self)
        if mirrored:
            np.negative(other._columns.y, out=other._columns.y)
        return other

    def renumber(self, place: Array) -> None:
        """The class numbered c is from now on numbered place[c]."""
        for column in (self._columns.y, self._columns.rival) if isinstance(self._columns, DirectEntries) else ():
            column[: self._kept] = place[column[: self._kept]]

    def __str__(self) -> str:
        text = f"{self.updates:,} updates, {self.mistakes:,} of them mistakes, over {self.tally.examples:,} examples"
        return text if self.complete else f"{text}; the first {len(self):,} are kept, the rest are only counted"

    def __repr__(self) -> str:
        return f"<Ledger: {self}>"


def _lengthened(column: Array, length: int) -> Array:
    longer = np.zeros(length, column.dtype)
    longer[: len(column)] = column
    return longer


def hardest(ledgers: Sequence[Ledger]) -> list[list[int]]:
    """The rows with the most updates among the entries that are kept, as [row, times], the most first."""
    rows = np.concatenate([np.empty(0, np.int64), *(ledger.entries.row for ledger in ledgers)])
    found, times = np.unique(rows, return_counts=True)
    most = np.argsort(-times, kind="stable")[:MOST_LISTED]
    return np.column_stack([found[most], times[most]]).tolist()  # type: ignore[no-any-return]
