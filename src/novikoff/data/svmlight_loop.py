"""The compiled loop that parses svmlight text. Unusual lines and numbers are left to Python."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, byte_at, eight_bytes, helper, loop, marks, trailing_zeros
from novikoff.data.decimals import SMALL_POWERS, are_digits, decimal_at, last_of_eight, whole_of, whole_run, without_point
from novikoff.data.features import LARGEST
from novikoff.data.readers.lines import NEWLINE, SPACE, is_blank, word_at
from novikoff.foundation.array_types import Array

apart(__file__)

HASH, COLON, MINUS, POINT = 35, 58, 45, 46
QID = np.uint64(int.from_bytes(b"qid:", "little"))


class Found(NamedTuple):
    """Output of the compiled loop: the rows of a chunk, and the lines and values left to Python."""

    starts: Array
    indices: Array
    values: Array
    label_at: Array
    label_length: Array
    label_word: Array  # the first bytes of the label as a number
    odd_row: Array  # rows left to Python; they have no entries here
    odd_at: Array  # where their lines begin
    doubtful: Array  # entries whose value is left to Python
    doubtful_at: Array
    # Rows, entries, odd rows, doubtful entries, lines, least and largest index, whether one is too large, whether some decrease.
    tally: Array


@helper
def past_spaces(content: Any, p: Any) -> Any:
    while is_blank(byte_at(content, p)):
        p += 1
    return p


@helper
def end_of_line(content: Any, p: Any, end: Any) -> Any:
    while p < end and byte_at(content, p) != NEWLINE:
        p += 1
    return p


@helper
def ends_word(byte: Any) -> Any:
    return is_blank(byte) or byte == NEWLINE or byte == HASH


@helper
def next_mark(content: Any, block: Any, found: Any) -> Any:
    """The position of the next mark (`compiler.marks`), and the marks left of `found`, in the 64 bytes from `block` on."""
    while found == np.uint64(0):
        block += 64
        found = marks(content, block)
    return block + np.int64(trailing_zeros(found)), block, found & (found - np.uint64(1))


@helper
def marks_from(content: Any, p: Any) -> Any:
    """The marks of the 64 bytes from p on."""
    return p, marks(content, p)


@helper
def plain_pair(content: Any, p: Any, block: Any, found: Any) -> Any:
    """The pair that begins at p, if it is index:digits or index:digits.digits with an optional minus, all short.

    The search for marks does not depend on the bytes between them, so a processor can work on several pairs at once. Returns
    index, value, end (p if it is not such a pair) and the marks that are left.
    """
    colon, block, found = next_mark(content, block, found)
    negative = np.int64(byte_at(content, colon + 1) == MINUS)  # a number, not a branch: the sign cannot be predicted
    first = colon + 1 + negative
    end, block, found = next_mark(content, block, found)
    point, fraction = end, np.int64(0)
    if byte_at(content, point) == POINT:
        end, block, found = next_mark(content, block, found)
        fraction = end - point - 1
    good = byte_at(content, colon) == COLON and 0 < colon - p <= 8 and first < end <= first + 8 and point > first
    if not good or not ends_word(byte_at(content, end)):
        return np.uint64(0), 0.0, p, block, found
    index = last_of_eight(content, p, colon - p)
    digits = without_point(content, first, end - first, point) if point < end else last_of_eight(content, first, end - first)
    if not (are_digits(index) and are_digits(digits)):
        return np.uint64(0), 0.0, p, block, found
    value = np.float64(np.int64(whole_of(digits))) / SMALL_POWERS[fraction] * np.float64(1 - 2 * negative)
    return whole_of(index), value, end, block, found


@helper
def any_pair(content: Any, p: Any, end: Any) -> Any:
    """The pair that begins at p: index, value, where it ends (p if it is not a pair) and whether the value is certain."""
    index, count = whole_run(content, p)
    value, stop, certain = decimal_at(content, p + count + 1)
    good = 0 < count < 19 and byte_at(content, p + count) == COLON and stop > p + count + 1
    return index, value, stop if good and (ends_word(byte_at(content, stop)) or stop >= end) else p, certain


@loop
def parse_lines(content: Any, first: Any, end: Any, base: Any, unlabelled: Any, found: Any) -> None:
    """The rows of the lines from `first` to `end`, with the base subtracted from indices. Zero bytes follow the end."""
    p, row, k, odd, doubts, lines = first, 0, 0, 0, 0, 0
    least, most, too_large, unsorted = np.int64(LARGEST), np.int64(-1), 0, 0
    largest = np.uint64(2 ** (8 * found.indices.itemsize - 1) - 1)
    found.starts[0] = 0
    while p < end:
        line = p
        lines += 1
        p = past_spaces(content, p)
        if p < end and (byte_at(content, p) == NEWLINE or byte_at(content, p) == HASH):
            p = end_of_line(content, p, end) + 1
            continue
        if p >= end:
            break
        label = p
        good: Any = True
        while p < end and not ends_word(byte_at(content, p)):
            good &= byte_at(content, p) != COLON and byte_at(content, p) > SPACE
            p += 1
        if unlabelled and not good:  # then the line begins with a pair; if not, it is found out now
            p, good = label, True
        found.label_at[row] = label
        found.label_length[row] = p - label
        found.label_word[row] = word_at(content, label, p - label)
        kept, doubts_kept, previous = k, doubts, np.int64(-1)
        p = past_spaces(content, p)
        if eight_bytes(content, p) & np.uint64(2**32 - 1) == QID:
            while p < end and not ends_word(byte_at(content, p)):
                good &= SPACE < byte_at(content, p) < 128
                p += 1
            p = past_spaces(content, p)
        block, left = marks_from(content, p)
        while good and p < end and byte_at(content, p) != NEWLINE and byte_at(content, p) != HASH:
            index, value, stop, block, left = plain_pair(content, p, block, left)
            if stop == p:
                index, value, stop, certain = any_pair(content, p, end)
                if not certain:
                    found.doubtful[doubts] = k
                    found.doubtful_at[doubts] = p
                    doubts += 1
                block, left = marks_from(content, stop)
                left &= ~np.uint64(1)  # the mark at its end has been passed
            if index > largest:
                too_large = 1
            good = stop > p and index <= largest
            if good:
                found.indices[k] = np.int64(index) - base
                found.values[k] = value
                k += 1
                if np.int64(index) <= previous:
                    unsorted = 1
                previous = np.int64(index)
                least, most = min(least, previous), max(most, previous)
                p = stop + 1 if byte_at(content, stop) == SPACE else stop
                if (
                    byte_at(content, p) <= SPACE and byte_at(content, p) != NEWLINE
                ):  # several spaces in a row, a tab, or a DOS line ending (CR LF)
                    p = past_spaces(content, p)
                    block, left = marks_from(content, p)
        if not good:
            k, doubts = kept, doubts_kept
            found.odd_row[odd] = row
            found.odd_at[odd] = line
            odd += 1
        p = end_of_line(content, p, end) + 1
        row += 1
        found.starts[row] = k
    found.tally[0], found.tally[1], found.tally[2], found.tally[3] = row, k, odd, doubts
    found.tally[4], found.tally[5], found.tally[6], found.tally[7], found.tally[8] = lines, least, most, too_large, unsorted
