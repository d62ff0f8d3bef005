"""Shared by formats with one row per line: labels as bytes of a chunk, lines that are not text, hashed features."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, eight_bytes, helper
from novikoff.data.chunks import HAS_ZERO, NOT_UTF_8, where
from novikoff.data.feature_bags import Bag
from novikoff.data.features import Hashed
from novikoff.data.matrices import matrix
from novikoff.data.murmur import ALL_BITS
from novikoff.data.readers import Part, Reading, RowLines
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.array_types import Array, Matrix

apart(__file__)

WORD = 8  # bytes of a label that fit into one number
SPACE, TAB, RETURN, NEWLINE = 32, 9, 13, 10


class RowLabels(NamedTuple):
    """The labels of a chunk's rows."""

    texts: list[str]  # the different ones
    of: Array  # which of them each row has
    at: Array  # where each row's label begins


def labels_of(content: memoryview, at: Array, length: Array, word: Array) -> RowLabels:
    """The labels that begin at these places of the content; `word` has the first eight bytes of each, as `word_at` finds them.

    Bytes that are not UTF-8 become characters that no text has. Zero bytes at the end do not count: a word does not show them.
    """
    if (length <= WORD).all():
        _, first, which = np.unique(word, return_index=True, return_inverse=True)
    else:
        whole = [bytes(content[a : a + n]) for a, n in zip(at.tolist(), length.tolist(), strict=True)]
        _, first, which = np.unique(np.array(whole, object), return_index=True, return_inverse=True)
    spans = (bytes(content[int(at[i]) : int(at[i] + length[i])]) for i in first)
    return RowLabels([span.rstrip(b"\0").decode("utf-8", "surrogateescape") for span in spans], which, at)


def labelled(
    X: Matrix,
    labels: RowLabels,
    chunk: Chunk,
    reading: Reading,
    wrong_lines: Sequence[tuple[int, str]],
    weight: Array | None = None,
) -> Part:
    """The rows of a chunk, without those with an invalid label. `wrong_lines` are no rows: where they begin, and why.

    What is wrong is reported in the order of the lines.
    """
    numbers, wrong = reading.labels.codes_of(labels.texts)
    codes = numbers[labels.of]
    if not wrong and not wrong_lines:
        return Part(X, codes, weight)
    good = codes >= 0
    wrong_labels = zip(labels.at[~good].tolist(), labels.of[~good].tolist(), strict=True)
    all_wrong = sorted([*wrong_lines, *((at, wrong[kind]) for at, kind in wrong_labels)])
    for at, why in all_wrong:
        reading.bad(partial(where, chunk, at), why)
    bad = np.searchsorted(labels.at[good], [at for at, _ in all_wrong])
    if good.all():
        return Part(X, codes, weight, bad)
    return Part(X[good], codes[good], None if weight is None else weight[good], bad)


def lines_with(is_row: Callable[[bytes], bool]) -> RowLines:
    """A function that finds the lines of a file that are rows."""

    def found(source: Source) -> Iterator[tuple[int, str]]:
        for chunk in source.chunks():
            lines = chunk.bytes[bytes_of_mark(chunk) :].split(b"\n")
            for number, line in enumerate(lines, chunk.line):
                if is_row(line):
                    yield number, line.decode("utf-8", "backslashreplace")

    return found


def is_written(line: bytes) -> bool:
    """Whether the line is not blank."""
    return bool(line.strip(b" \t\r"))


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
        why = why_no_text(line)
        if why:
            wrong.append((at, why))
        mended.append(b" " * len(line) if why else line)
        at += len(line) + 1
    padding = bytes(len(chunk.content) - chunk.length)
    return memoryview(bytearray(b"\n".join(mended) + padding)), wrong  # as writable as the other: loops are compiled for each


def line_at(content: memoryview, at: int, end: int) -> bytes:
    """The line that begins there, searched for its end in growing steps: what follows it may be long."""
    step = 256
    while at + step < end and b"\n" not in bytes(content[at : at + step]):
        step *= 2
    return bytes(content[at : min(at + step, end)]).partition(b"\n")[0]


def why_no_text(line: bytes) -> str | None:
    """Why these bytes are not text; None if they are."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF_8
    return HAS_ZERO if b"\0" in line else None


# ---- hashed features ------------------------------------------------------------------------------------------------


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
        raise ReadError(
            f"{name}: its features are hashed as {scheme}, but those of earlier files as {features.scheme}; use files of one kind"
        )
    return features


def matrix_of(bag: Bag, features: Hashed) -> Matrix:
    """The rows of the bag, whose features have been met now."""
    features.note(bag.met)
    return matrix(bag.values, bag.columns, bag.starts, features.width)


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
