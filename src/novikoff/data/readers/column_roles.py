"""What each column of a table as text holds: numbers, categories or the label, and whether the first line is a header."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from novikoff.data.fields import NOT_FINITE, shown
from novikoff.data.fields import NUMBER as IS_NUMBER
from novikoff.data.readers import Contradicted, Reading
from novikoff.data.readers.tables import PLACE, Column, Known, gaps_in, ignored_columns, known_columns, named_categories
from novikoff.data.sources import ReadError
from novikoff.foundation.array_types import Array

if TYPE_CHECKING:
    from novikoff.data.readers.csv import Block, Met, Table

ENOUGH = 2  # rows that tell whether the line above, which has no words for numbers, is a header
BEGINS = re.compile(r"[+-]?\.?[0-9]")  # a number


class Row(NamedTuple):
    line: int
    fields: list[str]
    resting: bool = False  # whether the next was not there yet


def columns_of(place: str, sample: list[Row], numeric: list[bool], at: int | None, reading: Reading) -> tuple[bool, list[Column]]:
    """Whether the first line is a header, and the columns of features; `numeric` are those that look like numbers."""
    fields, known = sample[0].fields, known_columns(reading)
    names = [str(j + 1) for j in range(len(fields))]
    ignored = ignored_columns(place, fields, at, reading)
    kept = [j for j in range(len(fields)) if j not in ignored]
    if known is not None and at is None and len(kept) == len(known.places):
        for j, name in zip(kept, known.places, strict=True):
            names[j] = name
    categories = named_categories(place, fields, reading)
    numeric = [like and j not in categories for j, like in enumerate(numeric)]
    if known is not None and known.places:
        numeric = [name in known.numeric if name in known else like for name, like in zip(names, numeric, strict=True)]
    header = _is_header(place, sample, [j for j in kept if numeric[j] and j != at], at, reading, known)
    names = fields if header else names
    return header, [Column(j, names[j], not numeric[j], header) for j in kept if j != at]


def like_numbers(sample: list[Row], gaps: frozenset[str]) -> list[bool]:
    """Of which columns at least half of what they hold begins like a number. A word in the first line may be a header's, and does
    not count."""
    first, *below = [row.fields for row in sample]
    held, like = np.zeros((2, len(first)), np.int64)
    for fields in below:
        _count(fields, gaps, held, like)
    return _mostly_like(first, held, like, gaps, alone=not below)


def _count(fields: list[str], gaps: frozenset[str], held: Array, like: Array, times: int = 1) -> None:
    for j, field in enumerate(fields[: len(held)]):
        if field not in gaps:
            held[j] += times
            like[j] += times * begins_like_a_number(field)


def _mostly_like(first: list[str], held: Array, like: Array, gaps: frozenset[str], alone: bool) -> list[bool]:
    """Of which columns at least half of what is held is like numbers, the first line included if it counts.

    If it is not alone, a column where nothing but gaps follow holds numbers, unless a gap is an error anyway.
    """
    held, like = held.copy(), like.copy()
    words = alone or len(gaps) == 1
    counting = [field if begins_like_a_number(field) or (words and not held[j]) else "" for j, field in enumerate(first)]
    _count(counting, gaps | {""}, held, like)
    found: list[bool] = (2 * like >= held).tolist()
    return found


def begins_like_a_number(field: str) -> bool:
    return bool(BEGINS.match(field) or NOT_FINITE.fullmatch(field))


def _is_header(place: str, sample: list[Row], numeric: list[int], at: int | None, reading: Reading, known: Known | None) -> bool:
    """`numeric` are the features' columns that hold numbers, `at` is that of the label."""
    options, gaps = reading.options, gaps_in(reading.options)
    fields, named = sample[0].fields, [options.label or "1", *options.categories, *options.ignore]
    if not all(map(PLACE.fullmatch, named)):
        return True
    if known is not None and not known.places:
        return any(field in known for field in fields)
    label = options.known_label or reading.label or "1"
    if known is not None and not PLACE.fullmatch(label):  # the columns were called by numbers
        return label in fields or _counts_up(fields, at)
    there = [j for j in numeric if fields[j] not in gaps]
    is_value = {j: bool(IS_NUMBER.fullmatch(fields[j]) or NOT_FINITE.fullmatch(fields[j])) for j in there}
    values = [fields[j] for j, value in is_value.items() if value]
    words = [fields[j] for j, value in is_value.items() if not value]
    if words and values:
        raise ReadError(
            f"{place}: neither a header nor a row: it has the number {shown(values[0])} and the word {shown(words[0])} "
            "in columns of numbers; correct the row, or give the label column by name"
        )
    if words or known is not None:
        return bool(words)
    if at is not None and _is_above_labels(sample, at) and (not numeric or _counts_up(fields, at)):
        return True
    if not numeric and len(sample) > 1:
        raise ReadError(
            f"{place}: all columns hold words, so it is not clear whether this line is a header; "
            "if it is, name the label column, as in --label NAME; if not, add a header"
        )
    return not numeric


def _is_above_labels(sample: list[Row], at: int) -> bool:
    """Whether the first line has a word in the column of the label, and the lines below have numbers or few words there."""
    first, *below = [row.fields[at] for row in sample if at < len(row.fields)]
    if IS_NUMBER.fullmatch(first) or not first or len(below) < ENOUGH:
        return False
    if all(map(IS_NUMBER.fullmatch, below)):
        return True
    return first not in below and 2 * len(set(below)) <= len(below) and _counts_up(sample[0].fields, at)


def _counts_up(fields: list[str], at: int | None) -> bool:
    """Whether columns are called 0, 1, 2, … or 1, 2, 3, …, as programs do that have no names for them."""
    names = [field for j, field in enumerate(fields) if j != at and field]
    return len(names) > 1 and any(names == [str(first + k) for k in range(len(names))] for first in (0, 1))


class Counts:
    """How many values of each column there are, and begin like numbers, in all rows but the first."""

    def __init__(self, first: list[str], numeric: list[bool], gaps: frozenset[str], guessed: set[int], alone: bool) -> None:
        self._first, self._numeric, self._gaps = first, numeric, gaps
        self.guessed = guessed  # the columns that nobody has said anything about
        self._held, self._like = np.zeros((2, len(first)), np.int64)
        self._alone = alone

    def leave_out(self, fields: list[str]) -> None:
        """These are of the first line, which will be added as a row."""
        _count(fields, self._gaps, self._held, self._like, -1)

    def add(self, block: "Block", kinds: Array, table: "Table", met: "Met") -> None:
        """Count the rows of a block, whose kinds are these."""
        numbers, texts = [column.at for column in table.plain], table.texts
        slots, is_gap, is_like = met.slots[kinds], met.is_gap[kinds], met.is_like[kinds]
        fields = np.bincount(block.kind_of.ravel(), minlength=len(kinds))
        words = np.bincount(block.words[1], minlength=len(kinds))
        for counts, counted in ((self._held, ~is_gap), (self._like, ~is_gap & is_like)):
            counts[numbers] += len(block.values)
            changes = fields * counted - words * ~counted
            counts[texts + numbers] += np.bincount(slots, changes, len(texts + numbers)).astype(np.int64)
        for row in block.odd.values():
            if isinstance(row, Row):
                _count(row.fields, self._gaps, self._held, self._like)

    def require_no_other(self, blocks: "Iterator[Block]", table: "Table", met: "Met") -> None:
        """Count the rest as well. If columns then hold something else than they were taken for, the file is read again."""
        try:
            for block in blocks:
                self.add(block, met.kinds_in(block), table, met)
        except ReadError:  # the caller has found something wrong before
            return
        whole = _mostly_like(self._first, self._held, self._like, self._gaps, self._alone)
        numeric = [whole[j] if j in self.guessed else numbers for j, numbers in enumerate(self._numeric)]
        if numeric != self._numeric:
            raise Contradicted(numeric)
