"""The updates, append-only: what a run did, in enough detail to do it again.

An entry takes 33 bytes; one of many classes at once, 40. Up to the cap every update has one; beyond it the tally goes on
alone, and the ledger says so. Of a model that was saved and loaded, the entries begin after that.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from math import inf
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.storages import Array, read_only

CAP = 1_000_000  # updates kept for each class, by default: 33 MB


class Update(NamedTuple):
    """At example t, row i with label y had y·⟨w, x⟩ = margin, and w += step·y·x.

    Rows are numbered from 0 through everything the model was fed: a second `partial_fit` goes on where the first ended.
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

    Classes are numbers: places in the sorted classes.
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


class Tally(NamedTuple):
    """What is known of a run without its entries."""

    examples: int = 0
    updates: int = 0
    mistakes: int = 0
    steps: Any = 0  # Στ
    w_sqnorm: Any = 0  # ‖w‖²
    hull_sq: Any = inf  # min over updates of ‖w‖²/(Στ)²; infinite before the first


MOST_TOLD = 20  # of the rows with the most updates


class Ledger:
    """One vector's updates. `len` is the number of entries kept; `complete` says whether that is all of them."""

    def __init__(self, cap: int = CAP, number: Any = np.float64, direct: bool = False) -> None:
        self.cap = cap
        self.tally = Tally()
        self._kept = 0
        labels = (np.int32, np.int32) if direct else (np.int8,)
        columns = (np.empty(0, kind) for kind in (np.int64, np.int64, *labels, number, number))
        self._columns: Entries | DirectEntries = DirectEntries(*columns) if direct else Entries(*columns)

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
        """All entries kept, as columns that cannot be written to: `Entries`, or `DirectEntries` of many classes at once."""
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
        """Add these entries, as far as the cap allows, and put the tally in place of the one before."""
        new = min(len(entries.t), self.cap - self._kept)
        if self._kept + new > len(self._columns.t):  # doubled, so that a long stream of short chunks costs no more
            length = min(self.cap, max(self._kept + new, 2 * self._kept))
            self._columns = type(self._columns)(*(np.resize(column, length) for column in self._columns))
        for column, more in zip(self._columns, entries, strict=True):
            column[self._kept : self._kept + new] = more[:new]
        self._kept += new
        self.tally = tally

    def copy(self, mirrored: bool = False) -> "Ledger":
        """A ledger of its own with the same past; mirrored, it is the opposite class's, with the other label."""
        other = deepcopy(self)
        if mirrored:
            np.negative(other._columns.y, out=other._columns.y)
        return other

    def renumber(self, place: Array) -> None:
        """The class numbered c is from now on numbered place[c]."""
        for column in (self._columns.y, self._columns.rival) if isinstance(self._columns, DirectEntries) else ():
            column[: self._kept] = place[column[: self._kept]]

    def __str__(self) -> str:
        said = f"{self.updates:,} updates, {self.mistakes:,} of them mistakes, over {self.tally.examples:,} examples"
        return said if self.complete else f"{said}; {len(self):,} of them are kept, the rest only tallied"

    def __repr__(self) -> str:
        return f"<Ledger: {self}>"


def hardest(ledgers: Sequence[Ledger]) -> list[list[int]]:
    """The rows with the most updates, as [row, times], the most first, over the entries that are kept."""
    rows = np.concatenate([np.empty(0, np.int64), *(ledger.entries.row for ledger in ledgers)])
    found, times = np.unique(rows, return_counts=True)
    most = np.argsort(-times, kind="stable")[:MOST_TOLD]
    return np.column_stack([found[most], times[most]]).tolist()  # type: ignore[no-any-return]
