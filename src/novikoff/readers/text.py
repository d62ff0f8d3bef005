"""Labelled texts: a label, a tab, and a text, one row a line. The words become features by their hash (`novikoff.hashing`).

What stands before the first tab of a line is the label, without spaces around it. Where labels may be missing, a line without a
tab is a text without a label.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.features import Hashed
from novikoff.generic import apart, compiled, eight_bytes, helper, kernel
from novikoff.hashing import AFTER_TAB, ALL_BITS, SKIPPED, WHOLE, Bag, Way, bag_of_lines
from novikoff.readers import Array, Part, Reading, format, matrix, parsed, where
from novikoff.sources import Chunk, ReadError, Source

apart(__file__)

WORD = 8  # bytes of a label that fit into one number
SPACE, TAB, RETURN, NEWLINE = 32, 9, 13, 10


class Lines(NamedTuple):
    """What the lines of a chunk are, and where the labels of those that are rows stand."""

    kinds: Array  # of each line
    label_at: Array  # of each row, as are the next two
    label_length: Array
    label_word: Array  # the first bytes of the label as a number
    no_tab: Array  # where lines begin that should have one
    tally: Array  # rows, lines without a tab


class Labels(NamedTuple):
    """The labels of a chunk's rows."""

    texts: list[str]  # the different ones
    of: Array  # which of them each row has
    at: Array  # where each row's label begins


class Rows(NamedTuple):
    """The rows of a chunk."""

    bag: Bag
    labels: Labels
    wrong: list[tuple[int, str]]  # of lines that are no rows, where they begin, and what is wrong


def _recognises(line: bytes) -> bool:
    """A word, a tab, and a text of several words, one at least of letters. A table has more columns, or one word in each."""
    return bool(re.fullmatch(rb"[^\s:|,;]+\t[^\t]*\S +\S[^\t]*", line.strip())) and bool(
        re.search(rb"[A-Za-z\x80-\xff]{2}", line.partition(b"\t")[2]) and not re.search(rb"\s[0-9]+:", line)
    )


@format("text", ".text", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    options = reading.options
    if options.label is not None:
        raise ReadError(f"{source.name}: its labels stand before the tabs; leave the label column out")
    features = hashed_features(reading, "text", source.name)
    for chunk, rows in parsed(source, partial(_parse, way=features.way, unlabelled=options.unlabelled)):
        for at, sentence in rows.wrong:
            reading.bad(f"{where(chunk, at)}{sentence}")
        yield part_of(rows.bag, rows.labels, features, chunk, reading)


def hashed_features(reading: Reading, scheme: str, name: str) -> Hashed:
    """The features of the reading, which must be hashed by this scheme."""
    options = reading.options
    try:
        features: Hashed = reading.features_of(
            Hashed, lambda: Hashed(options.bits, options.words, options.characters, scheme), name
        )
    except ReadError:
        raise
    except ValueError as error:
        raise ReadError(f"{name}: {error}") from None
    if features.scheme != scheme:
        raise ReadError(f"{name}: its features are hashed as {scheme}, but those before as {features.scheme}; give like files")
    return features


def part_of(bag: Bag, labels: Labels, features: Hashed, chunk: Chunk, reading: Reading, weight: Array | None = None) -> Part:
    """The rows of a chunk but for those with a label that is none."""
    features.note(bag.met)
    X = matrix(bag.values, bag.columns, bag.starts, features.width)
    kept = [_label_code(text, k, labels, chunk, reading) for k, text in enumerate(labels.texts)]
    codes = np.array(kept, np.int32)[labels.of] if kept else np.zeros(0, np.int32)
    good = codes >= 0
    if good.all():
        return Part(X, codes, weight)
    return Part(X[good], codes[good], None if weight is None else weight[good])


def _label_code(text: str, k: int, labels: Labels, chunk: Chunk, reading: Reading) -> int:
    if not text and reading.options.unlabelled:
        return reading.labels.none()
    try:
        return reading.labels.code(text, lambda: where(chunk, int(labels.at[np.argmax(labels.of == k)])))
    except ReadError as error:
        for _ in range(int((labels.of == k).sum())):
            reading.bad(str(error))
        return -1


def labels_of(content: memoryview, at: Array, length: Array, word: Array) -> Labels:
    """The labels that begin at these places of the content; `word` has the first eight bytes of each."""
    if (length <= WORD).all():
        _, first, which = np.unique(word, return_index=True, return_inverse=True)
    else:
        whole = [bytes(content[a : a + n]) for a, n in zip(at.tolist(), length.tolist(), strict=True)]
        _, first, which = np.unique(np.array(whole, object), return_index=True, return_inverse=True)
    texts = [bytes(content[int(at[i]) : int(at[i] + length[i])]).decode("utf-8", "surrogateescape") for i in first]
    return Labels(texts, which, at)


# ---- a chunk of lines -----------------------------------------------------------------------------------------------


def _parse(chunk: Chunk, way: Way, unlabelled: bool) -> Rows:
    content, wrong = whole_lines(chunk)
    first = bytes_of_mark(chunk)
    bytes_ = np.frombuffer(content, np.uint8)
    ends = np.append(np.flatnonzero(bytes_[: chunk.length] == NEWLINE), chunk.length)
    n = len(ends)
    lines = Lines(
        np.empty(n, np.int8),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.uint64),
        np.empty(n, np.int32),
        np.zeros(2, np.int64),
    )
    compiled(find_labels)(bytes_, first, ends, int(unlabelled), lines)
    rows, without = lines.tally.tolist()
    wrong += [(at, ": has no tab after its label; write it like spam, a tab, buy now") for at in lines.no_tab[:without].tolist()]
    labels = labels_of(content, lines.label_at[:rows], lines.label_length[:rows], lines.label_word[:rows])
    return Rows(bag_of_lines(bytes(content[first : chunk.length]), lines.kinds, way), labels, sorted(wrong))


def bytes_of_mark(chunk: Chunk) -> int:
    """How many bytes of the chunk are the byte order mark that a file may begin with."""
    return 3 if chunk.first and bytes(chunk.content[:3]) == b"\xef\xbb\xbf" else 0


def whole_lines(chunk: Chunk) -> tuple[memoryview, list[tuple[int, str]]]:
    """The content of a chunk, with spaces in the place of lines that are no text; and where those begin, and what is wrong."""
    content = chunk.bytes
    try:
        if "\0" not in content.decode("utf-8"):
            return chunk.content, []
    except UnicodeDecodeError:
        pass
    mended, wrong, at = [], [], 0
    for line in content.split(b"\n"):
        why = _why_no_text(line)
        if why:
            wrong.append((at, why))
        mended.append(b" " * len(line) if why else line)
        at += len(line) + 1
    padding = bytes(len(chunk.content) - chunk.length)
    return memoryview(bytearray(b"\n".join(mended) + padding)), wrong  # as writable as the other: kernels are compiled for each


def _why_no_text(line: bytes) -> str | None:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return ": is not UTF-8 text; convert it with iconv, or check the file's kind"
    return ": has a zero byte, which no text has; check the file's kind" if b"\0" in line else None


# ---- compiled -------------------------------------------------------------------------------------------------------


@helper
def word_at(content: Any, p: Any, length: Any) -> Any:
    """The bytes from p on, at most eight, as one number."""
    if length >= WORD:
        return eight_bytes(content, p)
    return eight_bytes(content, p) & (ALL_BITS >> np.uint64(64 - 8 * length)) if length > 0 else np.uint64(0)


@helper
def is_blank(byte: Any) -> Any:
    return byte == SPACE or byte == TAB or byte == RETURN


@kernel
def find_labels(content: Any, first: Any, ends: Any, unlabelled: Any, lines: Any) -> None:
    """What each line is, and where the labels are."""
    row, without = 0, 0
    for line in range(len(ends)):
        begin, end = first if line == 0 else ends[line - 1] + 1, ends[line]
        tab = begin
        while tab < end and content[tab] != TAB:
            tab += 1
        p = begin
        while p < end and is_blank(content[p]):
            p += 1
        lines.kinds[line] = SKIPPED
        if p == end:
            continue
        if tab == end and not unlabelled:
            lines.no_tab[without] = begin
            without += 1
            continue
        lines.kinds[line] = AFTER_TAB if tab < end else WHOLE
        last = tab if tab < end else begin
        while begin < last and content[begin] == SPACE:
            begin += 1
        while begin < last and content[last - 1] == SPACE:
            last -= 1
        lines.label_at[row] = begin
        lines.label_length[row] = last - begin
        lines.label_word[row] = word_at(content, begin, last - begin)
        row += 1
    lines.tally[0], lines.tally[1] = row, without
