"""svmlight and LIBSVM text: a label, then index:value pairs, one row a line.

`#` begins a comment, which may hold any bytes; `qid:…` after the label is skipped. Words are separated by ASCII's blanks. Where
labels may be missing, a line whose first word has a colon has none. Indices
count from 1, or from 0 if a 0 occurs anywhere in the file (of a stream: in its first block), unless the user says; they need
not rise, but none may occur twice in a line.

Lines are parsed by a compiled loop. What it does not know how to take, it leaves to Python, line by line: whatever is unusual
is slow, and whatever is wrong is looked at twice.
"""

import re
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.decimals import SMALL_POWERS, are_digits, decimal_at, last_of_eight, whole_of, whole_run, without_point
from novikoff.data.features import DIRECT, LARGEST, Numbered
from novikoff.data.readers import (
    Array,
    Part,
    Reading,
    format,
    is_unicode,
    known_only,
    matrix,
    numbers,
    parsed,
    shown,
    where,
    why_not_a_number,
)
from novikoff.data.readers.lines import (
    NEWLINE,
    SPACE,
    RowLabels,
    bytes_of_mark,
    is_blank,
    labelled,
    labels_of,
    line_at,
    why_no_text,
    word_at,
)
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.compiling import apart, byte_at, compiled, eight_bytes, helper, kernel, marks, trailing_zeros

apart(__file__)

LEAST_PAIR = 4  # bytes that an entry takes at least, its separator included
HASH, COLON, MINUS, POINT = 35, 58, 45, 46
QID = np.uint64(int.from_bytes(b"qid:", "little"))
WORDS = re.compile(r"[^ \t\r\v\f]+")
OWN = threading.local()


class Found(NamedTuple):
    """Where the compiled loop writes down the rows of a chunk, and what it leaves to others."""

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
    # Rows, entries, odd rows, doubtful entries, lines, the least index, the largest, whether one is too large, whether some fall.
    tally: Array


class Rows(NamedTuple):
    """The rows of a chunk as they stand there."""

    starts: Array
    indices: Array
    values: Array
    labels: RowLabels
    least: int  # index; LARGEST where there is none
    most: int
    base: int  # what `indices` are less by
    lines: int
    wrong: list[tuple[int, str]]  # of lines that are no rows, where they begin, and what is wrong


def _recognises(line: bytes) -> bool:
    """A label and a pair, or nothing but pairs: one alone, or two at least, since a table may begin with a time."""
    labelled = rb"[^\s:|]+\s+(?:qid:\S+\s+)?[0-9]+:"
    unlabelled = rb"(?:qid:\S+\s+)?[0-9]+:[-+.0-9eE]+(?:\s+[0-9]+:|\s*$)"
    return bool(re.match(rb"\s*(?:" + labelled + rb"|" + unlabelled + rb")", line))


def _finish(X: Any, reading: Reading) -> Any:
    """The matrix of all rows: columns from the index that they were found to count from, in the order of the numbers."""
    features = reading.features
    assert isinstance(features, Numbered)
    found = reading.options.zero_based is None and features.base == 0  # where they count from is known only now
    if not reading.made or not (features.compacted or (found and X.indices.min(initial=1) > 0)):
        return X
    numbers = features.numbers(X.indices)
    base, most = int(numbers.min(initial=1) > 0) if found else features.base, int(numbers.max(initial=0))
    far = None if most - base < DIRECT else np.unique(numbers).tolist()
    features = reading.features = Numbered(base, 0, far)
    columns = features.columns(numbers, most)
    X = matrix(X.data, columns, X.indptr, features.width)
    X.sort_indices()
    return X


@format("svmlight", ".svm", ".svmlight", ".libsvm", ".dat", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f"{source.name}: its labels are the first words of its lines; leave the label column out")
    reading.finish = _finish
    line, any_rows = 1, False

    def parse(chunk: Chunk) -> Rows:
        base = reading.features.base if isinstance(reading.features, Numbered) else 0
        return _parse(chunk, base, reading.options.unlabelled)

    for chunk, rows in parsed(source, parse, counted=False):
        chunk, line = chunk._replace(line=line), line + rows.lines
        for at, why in rows.wrong:
            reading.bad(partial(where, chunk, at), why)
        features = reading.features_of(Numbered, lambda rows=rows: Numbered(_base(rows, reading)), source.name)  # type: ignore[misc]
        if rows.least < features.base:
            raise ReadError(f"{source.name}: an index is 0, but indices before count from 1; say which it is with --zero-based")
        if rows.base == features.base and features.takes(rows.most):
            columns = rows.indices.astype(np.int32, copy=False)
        else:
            columns = features.columns(rows.indices + rows.indices.dtype.type(rows.base), rows.most)
        values, columns, starts = (
            known_only(rows.values, columns, rows.starts) if features.frozen else (rows.values, columns, rows.starts)
        )
        X = matrix(values, columns, starts, features.width)
        if features.compacted:
            X.sort_indices()
        any_rows = any_rows or X.shape[0] > 0
        yield labelled(X, rows.labels, chunk, reading)
    if any_rows and not reading.features.width and reading.options.zero_based is None:  # type: ignore[union-attr]
        raise ReadError(f"{source.name}: has labels, but not a single index:value pair; check the file's kind")


def _base(rows: Rows, reading: Reading) -> int:
    if reading.options.zero_based is not None:
        return 0 if reading.options.zero_based else 1
    return 0 if reading.whole or rows.least == 0 else 1


# ---- a chunk of lines -----------------------------------------------------------------------------------------------


def _parse(chunk: Chunk, base: int, unlabelled: bool) -> Rows:
    content = np.frombuffer(chunk.content, np.uint8)
    first = bytes_of_mark(chunk)
    found, overflow = _found(content, first, chunk.length, base, unlabelled, np.int32)
    if overflow:
        found, _ = _found(content, first, chunk.length, base, unlabelled, np.int64)
    rows, entries, odd, doubtful, lines, least, most, _, unsorted = found.tally.tolist()
    for k, at in zip(found.doubtful[:doubtful].tolist(), found.doubtful_at[:doubtful].tolist(), strict=True):
        pair = re.match(rb"[0-9]+:([^\s#]+)", chunk.content[at : chunk.length])
        found.values[k] = float(pair[1]) if pair else np.inf
    odd_rows = dict(zip(found.odd_row[:odd].tolist(), found.odd_at[:odd].tolist(), strict=True))
    if doubtful and not np.isfinite(found.values[found.doubtful[:doubtful]]).all():
        far = found.doubtful[:doubtful][~np.isfinite(found.values[found.doubtful[:doubtful]])]
        for row in np.searchsorted(found.starts[: rows + 1], far, side="right") - 1:
            odd_rows[int(row)] = int(found.label_at[row])
    starts, indices, values = found.starts[: rows + 1].copy(), found.indices, found.values
    for array in (indices, values):
        array.resize(entries, refcheck=False)  # what lies beyond was never written to; SciPy would copy a view of it
    if unsorted:
        indices, values, twice = _sorted(starts, indices, values)
        odd_rows |= {row: int(found.label_at[row]) for row in twice}
    labels = labels_of(chunk.content, found.label_at[:rows].copy(), found.label_length[:rows], found.label_word[:rows])
    no_text = [not is_unicode(text) for text in labels.texts]
    if any(no_text):
        odd_rows |= {row: int(found.label_at[row]) for row in np.flatnonzero(np.array(no_text)[labels.of]).tolist()}
    found_rows = Rows(starts, indices, values, labels, least, most, base, lines, [])
    return _mended(chunk, found_rows, odd_rows, unlabelled) if odd_rows else found_rows


def _found(content: Array, first: int, end: int, base: int, unlabelled: bool, index: Any) -> tuple[Found, bool]:
    room = _room(end)
    entries = len(room.doubtful)
    found = room._replace(indices=np.empty(entries, index), values=np.empty(entries), tally=np.zeros(9, np.int64))
    compiled(parse_lines)(content, first, end, base, int(unlabelled), found)
    return found, bool(found.tally[7])


def _room(end: int) -> Found:
    """Arrays for the most that so many bytes can hold. A thread keeps its own: they are large, and little of them is touched."""
    if getattr(OWN, "end", -1) < end:
        lines, entries = end // 2 + 3, end // LEAST_PAIR + 2
        kinds = {"label_word": np.uint64, "values": np.float64}
        per_entry = {"indices", "values", "doubtful", "doubtful_at"}
        OWN.end = end
        OWN.found = Found(
            *(np.empty(entries if name in per_entry else lines, kinds.get(name, np.int32)) for name in Found._fields)
        )
    return OWN.found  # type: ignore[no-any-return]


def _sorted(starts: Array, indices: Array, values: Array) -> tuple[Array, Array, list[int]]:
    """The same, each row in the order of its indices; and the rows that have one twice."""
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((indices, row))
    indices, values = indices[order], values[order]
    twice = (row[1:] == row[:-1]) & (indices[1:] == indices[:-1])
    return indices, values, np.unique(row[1:][twice]).tolist()


def _mended(chunk: Chunk, rows: Rows, odd: dict[int, int], unlabelled: bool) -> Rows:
    """The same with the odd lines as Python reads them; those that are no rows are left out, with a sentence each."""
    names = list(rows.labels.texts)
    numbered = {label: k for k, label in enumerate(names)}
    label_of = rows.labels.of.copy()
    indices, values, counts, kept, wrong, done = [], [], np.diff(rows.starts), np.ones(len(label_of), bool), [], 0
    for row in sorted(odd):
        before, after = int(rows.starts[row]), int(rows.starts[row + 1])
        indices.append(rows.indices[done:before])
        values.append(rows.values[done:before])
        done = after
        try:
            label, own, weights = _one_line(_line_at(chunk, odd[row]), unlabelled)
        except ReadError as error:
            wrong.append((odd[row], str(error)))
            label = None
        if label is None:
            kept[row], counts[row] = False, 0
            continue
        if label not in numbered:
            numbered[label] = len(names)
            names.append(label)
        label_of[row] = numbered[label]
        indices.append(own - rows.base)
        values.append(weights)
        counts[row] = len(own)
    indices.append(rows.indices[done:])
    values.append(rows.values[done:])
    starts = np.concatenate([[0], np.cumsum(counts[kept], dtype=np.int64)])
    used, label_of = np.unique(label_of[kept], return_inverse=True)
    together = np.concatenate(indices)
    return rows._replace(
        starts=starts,
        indices=together,
        values=np.concatenate(values),
        labels=RowLabels([names[k] for k in used.tolist()], label_of, rows.labels.at[kept]),
        least=int(together.min()) + rows.base if len(together) else LARGEST,
        most=int(together.max()) + rows.base if len(together) else -1,
        wrong=wrong,
    )


def _line_at(chunk: Chunk, at: int) -> str:
    content = line_at(chunk.content, at, chunk.length).partition(b"#")[0]
    if why := why_no_text(content):
        raise ReadError(why)
    return content.decode("utf-8")


def _one_line(line: str, unlabelled: bool) -> tuple[str | None, Array, Array]:
    """Label, rising indices and values of one line; None for the label where the line is blank."""
    words = WORDS.findall(line)
    if not words:
        return None, np.zeros(0, np.int64), np.zeros(0)
    if ":" in words[0]:
        if not unlabelled:
            raise ReadError(f"the label is missing before {shown(words[0])}; put it first")
        words = ["", *words]
    own = words[2:] if len(words) > 1 and words[1].startswith("qid:") else words[1:]
    for pair in own:
        index, colon, value = pair.partition(":")
        why = why_not_a_number(value)
        if not colon or not re.fullmatch("[0-9]+", index):
            why = f"{shown(pair)} is not an index and a value; write it like 7:0.5"
        elif len(index) > len(str(LARGEST)) or int(index) > LARGEST:
            why = f"the index {shown(index)} is too large; the largest is {LARGEST}"
        elif why and value and not why.startswith("the value"):
            why = f'value "{shown(value)[1:-1]}" of feature {index}' + why.removeprefix(shown(value))
        if why:
            raise ReadError(why)
    pairs = [pair.partition(":") for pair in own]
    indices = np.array([int(index) for index, _, _ in pairs], np.int64)
    values = numbers([value for _, _, value in pairs])
    assert values is not None, "each of them was looked at"
    order = np.argsort(indices, kind="stable")
    indices, values = indices[order], values[order]
    twice = np.flatnonzero(indices[1:] == indices[:-1])
    if len(twice):
        raise ReadError(f"the index {indices[twice[0]]} occurs twice; keep one of its values")
    return words[0], indices, values


# ---- the compiled loop ----------------------------------------------------------------------------------------------


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
    """Where the next mark is (`generic.marks`), and those that are left: of the 64 bytes from `block` on, those `found`."""
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

    What is found by looking for marks does not depend on what stands between them, so a processor can work on several pairs at
    once. Returns index, value, end (p if it is no such pair) and the marks that are left.
    """
    colon, block, found = next_mark(content, block, found)
    negative = np.int64(byte_at(content, colon + 1) == MINUS)  # a number, since no guess which comes is better than a coin
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
    """The pair that begins at p: index, value, where it ends (p if it is none) and whether the value is certain."""
    index, count = whole_run(content, p)
    value, stop, certain = decimal_at(content, p + count + 1)
    good = 0 < count < 19 and byte_at(content, p + count) == COLON and stop > p + count + 1
    return index, value, stop if good and (ends_word(byte_at(content, stop)) or stop >= end) else p, certain


@kernel
def parse_lines(content: Any, first: Any, end: Any, base: Any, unlabelled: Any, found: Any) -> None:
    """The rows of the lines from `first` to `end`, indices less the base. Zero bytes follow the end."""
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
        if unlabelled and not good:  # then these are pairs; if they are not, that is seen now
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
                left &= ~np.uint64(1)  # the mark at its end is behind us
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
                ):  # spaces in a row, a tab, or the end of a line as in DOS
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
