"""Vowpal Wabbit text: `label [importance [base]] ['tag]|namespace[:scale] feature[:value] … |namespace …`, one row per line.

Columns are the same as in Vowpal Wabbit with the same number of bits and its default hash. For a name of digits, the hash is its
number plus the hash of the namespace. For any other name, it is MurmurHash3 with the hash of the namespace as the seed; without
a namespace that is 0. If a value is a word, as in `colour:red`, name and word together are one feature. A value without a name,
as in `:0.5`, is a feature named by its position.

Differences: lines that Vowpal Wabbit accepts with a warning, or cuts off in the middle, are errors here; so is a base other than
0. Features that occur twice in a line are summed, which has the same effect. Labels may be words.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, helper, loop
from novikoff.compiler.dispatch import compiled
from novikoff.data.chunks import parsed
from novikoff.data.decimals import decimal_at, whole_run
from novikoff.data.feature_bags import Bag, end_row, meet, new_bag
from novikoff.data.fields import NOT_FINITE, shown, why_not_a_number
from novikoff.data.murmur import murmur, other_hash
from novikoff.data.readers import Part, Reading, format
from novikoff.data.readers.lines import (
    NEWLINE,
    SPACE,
    TAB,
    RowLabels,
    bytes_of_mark,
    hashed_features,
    is_blank,
    is_written,
    labelled,
    labels_of,
    line_at,
    lines_with,
    matrix_of,
    whole_lines,
    word_at,
)
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.array_types import Array

apart(__file__)

COLON, QUOTE, BAR = 58, 39, 124
LEAST_FEATURE = 2  # bytes, including the separator
LEAST_ROW = 2  # bytes, including the end of the line
MOST_WORDS = 3  # before the tag: label, importance, base
WORD_VALUE = re.compile(r"[A-Za-z_\x80-\U0010ffff]")  # the first character of a value that is a word
INFINITY = np.frombuffer(b"infinity", np.uint8)


class Found(NamedTuple):
    """Output of the compiled loop, except for the features."""

    label_at: Array  # of each row
    label_length: Array
    label_word: Array
    weight: Array
    wrong: Array  # where invalid lines begin
    doubtful: Array  # positions of numbers that are left to Python
    words: Array  # where the words before the first bar of the current line begin and end
    tally: Array  # rows, wrong lines, doubtful numbers, rows with an importance


class Given(NamedTuple):
    """Numbers that Python has parsed: their positions, increasing, and their values."""

    at: Array
    values: Array


class Rows(NamedTuple):
    """The rows of a chunk."""

    bag: Bag
    labels: RowLabels
    weight: Array | None
    wrong: list[tuple[int, str]]  # for invalid lines: where they begin, and what is wrong


def _recognises(line: bytes) -> bool:
    """Whether the line has a bar, and before it nothing, or a label with what may follow it."""
    before, bar, _ = line.partition(b"|")
    return bool(bar) and len(before.split()) <= MOST_WORDS + 1 and not re.search(rb"[^\S ]|[:,;]", before.lstrip())


def _is_surely(line: bytes) -> bool:
    """It looks so, and not like a table."""
    return _recognises(line) and not re.search(rb"[,;\t]", line)


@format("vw", ".vw", recognises=_recognises, surely=_is_surely, yields=True, row_lines=lines_with(is_written))
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f"{source.name}: its labels are the first words of its lines; leave the label column out")
    features = hashed_features(reading, "vw", source.name)
    for chunk, rows in parsed(source, partial(_parse, bits=features.way.bits, unlabelled=reading.options.unlabelled)):
        yield labelled(matrix_of(rows.bag, features), rows.labels, chunk, reading, rows.wrong, rows.weight)


def _parse(chunk: Chunk, bits: int, unlabelled: bool) -> Rows:
    content, wrong = whole_lines(chunk)
    first = bytes_of_mark(chunk)
    bag, found = _found(content, first, chunk.length, bits, unlabelled, Given(np.zeros(0, np.int32), np.zeros(0)))
    doubtful = found.doubtful[: found.tally[2]]
    if len(doubtful):
        values = np.array([float(_word_at(content, at)) for at in doubtful.tolist()])
        bag, found = _found(content, first, chunk.length, bits, unlabelled, Given(doubtful, values))
    rows, n_wrong, _, weighted = found.tally.tolist()
    for at in found.wrong[:n_wrong].tolist():
        wrong.append((at, _what_is_wrong(line_at(content, at, chunk.length).decode("utf-8"), unlabelled)))
    labels = labels_of(content, found.label_at[:rows], found.label_length[:rows], found.label_word[:rows])
    bag = bag._replace(starts=bag.starts[: rows + 1]).trimmed()
    return Rows(bag, labels, found.weight[:rows] if weighted else None, sorted(wrong))


def _found(content: memoryview, first: int, end: int, bits: int, unlabelled: bool, given: Given) -> tuple[Bag, Found]:
    rows, entries = end // LEAST_ROW + 1, end // LEAST_FEATURE + 1
    bytes_ = np.frombuffer(content, np.uint8)
    bag = new_bag(bytes_, rows, entries, entries)
    found = Found(
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.uint64),
        np.empty(rows),
        np.empty(rows, np.int32),
        np.empty(entries, np.int32),
        np.empty((MOST_WORDS + 2, 2), np.int64),
        np.zeros(4, np.int64),
    )
    compiled(parse_lines)(first, end, bits, int(unlabelled), given, found, bag)
    return bag, found


def _word_at(content: memoryview, at: int) -> bytes:
    """The bytes of the number at this position."""
    found = re.match(rb"[^\s|\0]+", content[at:])
    assert found is not None
    return found[0]


def _what_is_wrong(line: str, unlabelled: bool) -> str:
    """The error message for a line that the compiled loop did not accept."""
    before, bar, rest = line.partition("|")
    if not bar:
        return "has no | before its features; write it like 1 |f word:0.5 another"
    words = before.rpartition("\t")[2].split()
    tag = bool(words) and (before[-1] not in " \t\r" or words[-1].startswith("'"))
    own = words[:-1] if tag else words
    if not own and not unlabelled:
        touching = f" ({shown(words[-1])} is a tag, since it touches the |)" if tag and words[-1][0] != "'" else ""
        return f"the label is missing{touching}; put it first, and a space after it"
    if len(own) > MOST_WORDS:
        return f"has {len(own)} words before its |; there can be a label, an importance and a base"
    if own and ":" in own[0]:
        return f"the label {shown(own[0])} has costs, which are not supported; give a class"
    for what, word in zip(("importance", "base"), own[1:], strict=False):
        if why := why_not_a_number(word):
            return f"the {what} {why}"
        if what == "importance" and float(word) < 0:
            return f"the importance {shown(word)} is below 0; give 0 or more"
        if what == "base" and float(word) != 0:
            return f"the base {shown(word)} is not 0; other bases are not supported, so leave it out"
    return _what_is_wrong_with_features(rest)


def _what_is_wrong_with_features(rest: str) -> str:
    for space in rest.split("|"):
        features = re.split(r"[ \t\r]+", space)
        name, colon, scale = features[0].partition(":")
        if colon and not name:
            return f"{shown('|' + features[0])} has no name before its scale; write it like |f:0.5"
        if colon and (why := why_not_a_number(scale)):
            return f"the scale of the namespace {shown(name)}: {why}"
        for feature in features[1:]:
            name, colon, value = feature.partition(":")
            a_word = name and WORD_VALUE.match(value) and not NOT_FINITE.fullmatch(value)
            if colon and not a_word and (why := why_not_a_number(value)):
                return f"the value of the feature {shown(name)}: {why}"
    return "a value is too large after scaling; check it"


# ---- the compiled loop ----------------------------------------------------------------------------------------------


@helper
def ends_value(byte: Any) -> Any:
    """Whether a value ends here. Zero bytes follow the end, and occur nowhere else."""
    return is_blank(byte) or byte == NEWLINE or byte == BAR or byte == 0


@helper
def ends_name(byte: Any) -> Any:
    return byte == COLON or ends_value(byte)


@helper
def begins_word(byte: Any) -> Any:
    return 65 <= byte <= 90 or 97 <= byte <= 122 or byte == 95 or byte >= 128


@helper
def is_not_finite(content: Any, p: Any, length: Any) -> Any:
    """Whether these bytes are nan, inf or infinity, in upper or lower case."""
    a, b, c = content[p] | 32, content[p + 1] | 32, content[p + 2] | 32
    if length == 3:
        return (a == 110 and b == 97 and c == 110) or (a == 105 and b == 110 and c == 102)
    same = length == 8
    if same:
        for i in range(8):
            same &= content[p + i] | 32 == INFINITY[i]
    return same


@helper
def hash_of(content: Any, at: Any, length: Any, seed: Any) -> Any:
    """Vowpal Wabbit's 64-bit hash of a name. Control characters at its ends are ignored."""
    while length and content[at] <= SPACE:
        at += 1
        length -= 1
    while length and content[at + length - 1] <= SPACE:
        length -= 1
    if 48 <= content[at] <= 57:
        whole, count = whole_run(content, at)
        if count == length:
            return whole + seed
    return murmur(content, at, length, seed) if length else seed


@helper
def number_at(content: Any, p: Any, given: Any, found: Any) -> Any:
    """The number at p and where it ends. The end is p unless a finite number, followed by the end of a value, begins there."""
    value, stop, certain = decimal_at(content, p)
    if stop == p or not ends_value(content[stop]):
        return 0.0, p
    if not certain:
        k = np.searchsorted(given.at, p)
        if k < len(given.at) and given.at[k] == p:
            value = given.values[k]
        else:
            found.doubtful[found.tally[2]] = p
            found.tally[2] += 1
    return value, stop if abs(value) < np.inf else p


@helper
def before_bar(content: Any, p: Any, unlabelled: Any, given: Any, found: Any) -> Any:
    """Read the label, importance, base and tag of a line. Returns the position of its first bar, or −1 on an error."""
    words, n = found.words, 0
    while content[p] != BAR:
        if content[p] == NEWLINE or content[p] == 0:
            return -1
        if is_blank(content[p]):
            n = 0 if content[p] == TAB else n
            p += 1
            continue
        k = min(n, MOST_WORDS + 1)
        words[k, 0] = p
        while not ends_value(content[p]):
            p += 1
        words[k, 1] = p
        n = k + 1
    if n and (words[n - 1, 1] == p or content[words[n - 1, 0]] == QUOTE):
        n -= 1  # the tag
    if n > MOST_WORDS or (n == 0 and not unlabelled):
        return -1
    row = found.tally[0]
    first, last = (words[0, 0], words[0, 1]) if n else (p, p)
    found.label_at[row] = first
    found.label_length[row] = last - first
    found.label_word[row] = word_at(content, first, last - first)
    found.weight[row] = 1.0
    for q in range(first, last):
        if content[q] == COLON:
            return -1
    if n > 1:
        value, stop = number_at(content, words[1, 0], given, found)
        if stop != words[1, 1] or value < 0:
            return -1
        found.weight[row] = value
        found.tally[3] += 1
    if n > 2:
        value, stop = number_at(content, words[2, 0], given, found)
        if stop != words[2, 1] or value != 0:
            return -1
    return p


@helper
def features_from(content: Any, p: Any, bits: Any, given: Any, found: Any, bag: Any) -> Any:
    """Add the features after the bar at p to the current row. Returns their number, or −1 on an error."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    n, seed, scale, nameless = 0, np.uint64(0), 1.0, np.uint64(0)
    space_at, space_length = p, 0
    while content[p] != NEWLINE and content[p] != 0:
        if content[p] == BAR:
            p += 1
            space_at, seed, scale, nameless = p, np.uint64(0), 1.0, np.uint64(0)
            while not ends_name(content[p]):
                p += 1
            space_length = p - space_at
            if space_length:
                seed = hash_of(content, space_at, space_length, np.uint64(0))
            if content[p] == COLON:
                scale, stop = number_at(content, p + 1, given, found)
                if stop == p + 1 or not space_length:
                    return -1
                p = stop
            continue
        if is_blank(content[p]):
            p += 1
            continue
        at, value = p, scale
        while not ends_name(content[p]):
            p += 1
        length = p - at
        if length:
            h = hash_of(content, at, length, seed)
        else:
            h = seed + nameless
            nameless += np.uint64(1)
        if content[p] == COLON:
            number, stop = number_at(content, p + 1, given, found)
            value = scale * number
            p += 1
            if stop == p:
                while not ends_value(content[stop]):
                    stop += 1
                if not length or not begins_word(content[p]) or is_not_finite(content, p, stop - p):
                    return -1
                h, value, length = hash_of(content, p, stop - p, h), 1.0, stop - at
            p = stop
        if not abs(value) < np.inf:
            return -1
        if value != 0:
            bucket = np.int64(h & mask)
            bag.keys[n] = bucket << 32 | n
            bag.amounts[n] = value
            n += 1
            meet(bag, bucket, other_hash(content, at, length, seed), at, length, space_at, space_length)
    return n


@loop
def parse_lines(first: Any, end: Any, bits: Any, unlabelled: Any, given: Any, found: Any, bag: Any) -> None:
    """Write a row for each valid line from `first` to `end`, and the position of each invalid line that is not blank."""
    content = bag.content
    p, k = first, 0
    while p < end:
        begin = p
        while is_blank(content[p]):
            p += 1
        if p < end and content[p] != NEWLINE:
            bar = before_bar(content, begin, unlabelled, given, found)
            n = features_from(content, bar, bits, given, found, bag) if bar >= 0 else -1
            if n >= 0:
                k = end_row(bag, n, k, bits)
                found.tally[0] += 1
                bag.starts[found.tally[0]] = k
            else:
                found.wrong[found.tally[1]] = begin
                found.tally[1] += 1
        while p < end and content[p] != NEWLINE:
            p += 1
        p += 1
