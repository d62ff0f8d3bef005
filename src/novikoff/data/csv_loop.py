"""The compiled loops of tables: one parses lines, the other joins numbers and indicators to sparse rows.

Unusual rows and numbers are left to Python.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, byte_at, eight_bytes, helper, loop
from novikoff.data.decimals import decimal_at
from novikoff.data.readers.lines import NEWLINE, RETURN, SPACE, WORD, word_at
from novikoff.foundation.array_types import Array

apart(__file__)

QUOTE = 34
SKIPPED, NUMBER, TEXT = 0, 1, 2  # what is done with the fields of a column
LONGEST_FIELD = 2**17  # bytes; longer ones are left to Python


class Layout(NamedTuple):
    """What the columns of a table are."""

    separator: int
    roles: Array  # of each column: SKIPPED, NUMBER or TEXT
    slots: Array  # of each column, which of the numbers or of the texts it is
    gaps: Array  # numbers that may be gaps, and count as words


class Kinds(NamedTuple):
    """Different texts of columns, and a hash table of them."""

    slot: Array  # of each kind, its column: one of the texts, or behind them one of the numbers
    at: Array  # where its bytes are
    length: Array
    word: Array  # its first bytes, or the hash of its bytes
    table: Array  # kinds, counted from 1; the length is a power of 2
    tally: Array  # kinds, bytes


class Found(NamedTuple):
    """Output of the compiled loop: the rows of a chunk, and those that are left to Python."""

    values: Array  # of each row, its numbers; NaN where there is a word
    kind_of: Array  # of each row, the kinds of its texts
    row_at: Array  # where each row begins
    odd_at: Array  # where each row begins that is left to Python
    odd_after: Array  # and how many of the other rows come before it
    word_row: Array  # of each word in a column of numbers
    word_kind: Array
    doubtful: Array  # numbers that Python parses: row, slot, where it begins, where it ends
    tally: Array  # rows, words, doubtful numbers, odd rows, where the row begins whose quotes do not end (else -1)


@helper
def is_white(byte: Any) -> Any:
    """Whether Python's `strip` removes this byte."""
    return byte == SPACE or 9 <= byte <= 13 or 28 <= byte <= 31


@helper
def ends_line(content: Any, p: Any, end: Any) -> Any:
    """Whether the line ends at p, perhaps with returns."""
    while p < end and byte_at(content, p) == RETURN:
        p += 1
    return p >= end or byte_at(content, p) == NEWLINE


@helper
def after_row(content: Any, p: Any, end: Any, separator: Any) -> Any:
    """Where the row after the one at p begins; -1 if its quotes do not end. What is wrong with it, Python finds."""
    quoted: Any = False
    begins: Any = True  # a field
    while p < end:
        byte = byte_at(content, p)
        if quoted:
            if byte == QUOTE:
                quoted = byte_at(content, p + 1) == QUOTE
                p += quoted
        elif byte == NEWLINE:
            return p + 1
        elif byte == QUOTE and begins:
            quoted, begins = True, False
        else:
            begins = byte == separator or (begins and byte == SPACE)
        p += 1
    return -1 if quoted else end


@helper
def hash_of(content: Any, p: Any, length: Any, seed: Any) -> Any:
    """A hash of more than eight bytes."""
    found = np.uint64(length) * seed
    k = 0
    while k + WORD < length:
        found = (found ^ eight_bytes(content, p + k)) * seed
        found ^= found >> np.uint64(29)
        k += WORD
    found = (found ^ eight_bytes(content, p + length - WORD)) * seed
    return found ^ (found >> np.uint64(32))


@helper
def same_bytes(content: Any, p: Any, other: Any, q: Any, length: Any) -> Any:
    """Whether more than eight bytes are the same."""
    k = 0
    while k + WORD < length:
        if eight_bytes(content, p + k) != eight_bytes(other, q + k):
            return False
        k += WORD
    return eight_bytes(content, p + length - WORD) == eight_bytes(other, q + length - WORD)


@helper
def first_place(word: Any, slot: Any, seed: Any, last: Any) -> Any:
    place = (word ^ (np.uint64(slot) << np.uint64(56)) ^ np.uint64(slot)) * seed
    return (place ^ (place >> np.uint64(32))) & last


@helper
def place_of(content: Any, p: Any, length: Any, word: Any, slot: Any, seed: Any, kinds: Any, own: Any) -> Any:
    """Where this text of this column is in the table of kinds, or where it would be. The bytes of kinds are those of `own`."""
    last = np.uint64(len(kinds.table) - 1)
    at = first_place(word, slot, seed, last)
    while kinds.table[at] > 0:
        kind = kinds.table[at] - 1
        if (
            kinds.word[kind] == word
            and kinds.length[kind] == length
            and kinds.slot[kind] == slot
            and (length <= WORD or same_bytes(content, p, own, kinds.at[kind], length))
        ):
            break
        at = (at + np.uint64(1)) & last
    return at


@helper
def add_kind(kinds: Any, place: Any, slot: Any, at: Any, length: Any, word: Any) -> Any:
    kind = kinds.tally[0]
    kinds.tally[0] += 1
    kinds.table[place] = kind + 1
    kinds.slot[kind] = slot
    kinds.at[kind] = at
    kinds.length[kind] = length
    kinds.word[kind] = word
    return kind


@helper
def kind_at(content: Any, p: Any, length: Any, slot: Any, seed: Any, kinds: Any) -> Any:
    """The kind of this text in this column."""
    word = word_at(content, p, length) if length <= WORD else hash_of(content, p, length, seed)
    place = place_of(content, p, length, word, slot, seed, kinds, content)
    kind = np.int64(kinds.table[place]) - 1
    return kind if kind >= 0 else add_kind(kinds, place, slot, p, length, word)


@loop
def meet_kinds(content: Any, kinds: Any, seed: Any, known: Any, own: Any, known_as: Any) -> None:
    """Which of the known kinds each of the kinds is. Those that are new are added, and their bytes to `own`: there is room."""
    for kind in range(kinds.tally[0]):
        p, length, word, slot = kinds.at[kind], kinds.length[kind], kinds.word[kind], kinds.slot[kind]
        place = place_of(content, p, length, word, slot, seed, known, own)
        found = np.int64(known.table[place]) - 1
        if found < 0:
            found = add_kind(known, place, slot, known.tally[1], length, word)
            for k in range(length):
                own[known.tally[1] + k] = content[p + k]
            known.tally[1] += length
        known_as[kind] = found


@loop
def place_again(kinds: Any, seed: Any) -> None:
    """Fill an empty table with the kinds."""
    last = np.uint64(len(kinds.table) - 1)
    for kind in range(kinds.tally[0]):
        at = first_place(kinds.word[kind], kinds.slot[kind], seed, last)
        while kinds.table[at] > 0:
            at = (at + np.uint64(1)) & last
        kinds.table[at] = kind + 1


@loop
def parse_table(content: Any, end: Any, layout: Any, seed: Any, found: Any, kinds: Any) -> None:
    """The rows up to `end`. Zero bytes follow it."""
    separator, width, texts = layout.separator, len(layout.roles), found.kind_of.shape[1]
    p, row, words, doubts, odd = np.int64(0), 0, 0, 0, 0
    found.tally[4] = -1
    while p < end:
        begin, column = p, 0
        words_kept, doubts_kept = words, doubts
        good: Any = True
        more: Any = True  # fields in this row
        blank: Any = False
        while more:
            role = layout.roles[column] if column < width else SKIPPED
            slot = layout.slots[column] if column < width else 0
            while byte_at(content, p) == SPACE:
                p += 1
            first = p
            value, certain, is_number = 0.0, True, False
            if role == NUMBER and byte_at(content, p) != QUOTE:
                value, p, certain = decimal_at(content, p)
                is_number = first < p <= first + LONGEST_FIELD and (
                    byte_at(content, p) == separator or byte_at(content, p) == NEWLINE
                )
            last = p
            if not is_number:
                p = first
                if byte_at(content, p) == QUOTE:
                    first = p = p + 1
                    while p < end and byte_at(content, p) != QUOTE and byte_at(content, p) != NEWLINE:
                        p += 1
                    good = p < end and byte_at(content, p) == QUOTE
                    last = p
                    p += 1
                    good &= byte_at(content, p) == separator or ends_line(content, p, end)
                    while byte_at(content, p) == RETURN:
                        p += 1
                else:
                    while (
                        p < end
                        and byte_at(content, p) != separator
                        and byte_at(content, p) != NEWLINE
                        and byte_at(content, p) != RETURN
                    ):
                        p += 1
                    last = p
                    if byte_at(content, p) == RETURN:
                        good = ends_line(content, p, end)
                        while byte_at(content, p) == RETURN:
                            p += 1
                if not good or last - first > LONGEST_FIELD:
                    good = False
                    break
                while first < last and is_white(byte_at(content, first)):
                    first += 1
                while first < last and is_white(byte_at(content, last - 1)):
                    last -= 1
                if role == NUMBER:
                    value, stop, certain = decimal_at(content, first)
                    is_number = stop == last and stop > first
            if is_number:
                for gap in layout.gaps:
                    is_number &= value != gap
            more = p < end and byte_at(content, p) == separator
            blank = column == 0 and first == last and not more
            if role == NUMBER and not blank:
                if not is_number:
                    value = np.nan
                    found.word_row[words] = row
                    found.word_kind[words] = kind_at(content, first, last - first, texts + slot, seed, kinds)
                    words += 1
                elif not certain:
                    found.doubtful[doubts, 0] = row
                    found.doubtful[doubts, 1] = slot
                    found.doubtful[doubts, 2] = first
                    found.doubtful[doubts, 3] = last
                    doubts += 1
                found.values[row, slot] = value
            elif role == TEXT and not blank:
                found.kind_of[row, slot] = kind_at(content, first, last - first, slot, seed, kinds)
            column += 1
            p += 1
        if blank and good:
            continue
        good &= column == width
        if not good:
            words, doubts = words_kept, doubts_kept
            p = after_row(content, begin, end, separator)
            if p < 0:
                found.tally[4] = begin
                break
            found.odd_at[odd] = begin
            found.odd_after[odd] = row
            odd += 1
            continue
        found.row_at[row] = begin
        row += 1
    found.tally[0], found.tally[1], found.tally[2], found.tally[3] = row, words, doubts, odd


@loop
def join_rows(
    values: Any,
    order: Any,
    places: Any,
    gap_places: Any,
    kind_of: Any,
    column_of: Any,
    zeros: Any,
    sorted_too: Any,
    starts: Any,
    indices: Any,
    entries: Any,
) -> None:
    """Sparse rows of the numbers, in the order of their places, and of 1 for the kinds and gaps that have a column.

    0 is left out unless `zeros` is 1. With `sorted_too`, each indicator is put where it belongs; else they come last.
    """
    k = np.int64(0)
    starts[0] = 0
    for i in range(len(values)):
        begin = k
        gaps = 0
        for j in range(len(order)):
            value = values[i, order[j]]
            if value != 0 or zeros:
                indices[k] = places[j]
                entries[k] = value
                k += 1
            gaps += value != value
        of_numbers = len(order) if gaps else 0
        for j in range(of_numbers + kind_of.shape[1]):
            if j >= of_numbers:
                column = column_of[kind_of[i, j - of_numbers]]
            else:
                value = values[i, order[j]]
                column = gap_places[j] if value != value else np.int32(-1)
            if column >= 0:
                at = k
                while sorted_too and at > begin and indices[at - 1] > column:
                    indices[at] = indices[at - 1]
                    entries[at] = entries[at - 1]
                    at -= 1
                indices[at] = column
                entries[at] = 1.0
                k += 1
        starts[i + 1] = k
