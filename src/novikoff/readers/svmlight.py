"""svmlight and LIBSVM text: a label, then index:value pairs, one row a line.

`#` begins a comment, `qid:…` after the label is skipped. Indices count from 1, or from 0 if a 0 occurs anywhere in the file;
they need not rise, but none may occur twice in a line.
"""

import re
from typing import Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp

from novikoff.readers import (
    IN_NUMBERS,
    Array,
    Labelled,
    Labels,
    ReadError,
    Source,
    blocks,
    numbers,
    reader,
    shown,
    why_not_a_number,
)

LARGEST_INDEX = 2**31 - 2
MOST_DIGITS = len(str(LARGEST_INDEX))


class Part(NamedTuple):
    """Some rows of the file: what they hold, and how much of it each."""

    indices: Array
    values: Array
    counts: Array


def _recognises(line: bytes) -> bool:
    return bool(re.match(rb"\s*[^\s:]+\s+(qid:\S+\s+)?[0-9]+:", line))


@reader(".svm", ".svmlight", ".libsvm", ".txt", ".dat", recognises=_recognises)
def read(source: Source, label: str | None) -> Labelled:
    if label is not None:
        raise ReadError(f"{source.name}: its labels are the first words of its lines; leave the label column out")
    labels, parts = Labels(), []
    for first, text in blocks(source):
        if "#" in text:
            text = re.sub(r"#[^\n]*", "", text)
        rows = [(number, words) for number, line in enumerate(text.split("\n"), first) if (words := line.split())]
        for number, words in rows:
            if ":" in words[0]:
                raise ReadError(f"{source.name}:{number}: the label is missing before {shown(words[0])}; put it first")
        labels.add([words[0] for _, words in rows], lambda i, rows=rows: f"{source.name}:{rows[i][0]}")  # type: ignore[misc]
        parts.append(_part(source.name, rows))
    return Labelled(_matrix(source.name, parts), labels.array(), None)


def _part(name: str, rows: list[tuple[int, list[str]]]) -> Part:
    pairs: list[str] = []
    counts = []
    for _, words in rows:
        own = words[2:] if len(words) > 1 and words[1].startswith("qid:") else words[1:]
        pairs += own
        counts.append(len(own))
    read = _indices_and_values(pairs)
    if read is None:
        _say_what_is_wrong(name, rows)
    return _rising(name, rows, Part(*read, np.array(counts, np.int64)))


def _indices_and_values(pairs: list[str]) -> tuple[Array, Array] | None:
    """None if one of the pairs is wrong. They are looked at all together, which is much quicker than one by one."""
    text = " ".join(pairs)
    if text.encode("utf-8").translate(None, IN_NUMBERS) != b": " * (len(pairs) - 1) + b":" * bool(pairs):
        return None
    words = text.replace(":", " ").split(" ") if pairs else []
    values = numbers(words[1::2])
    if values is None or not all(map(str.isdecimal, words[0::2])) or max(map(len, words[0::2]), default=0) > MOST_DIGITS:
        return None
    indices = np.array(list(map(int, words[0::2])), np.int64)
    return None if indices.max(initial=0) > LARGEST_INDEX else (indices, values)


def _say_what_is_wrong(name: str, rows: list[tuple[int, list[str]]]) -> NoReturn:
    for number, words in rows:
        for place, pair in enumerate(words[1:], 2):
            index, colon, value = pair.partition(":")
            if place == 2 and index == "qid" and colon:
                continue
            why = why_not_a_number(value)
            if not colon or not re.fullmatch("[0-9]+", index):
                why = f"{shown(pair)} is not an index and a value; write it like 7:0.5"
            elif len(index) > MOST_DIGITS or int(index) > LARGEST_INDEX:
                why = f"the index {shown(index)} is too large; the largest is {LARGEST_INDEX}"
            if why:
                raise ReadError(f"{name}:{number}, word {place}: {why}")
    raise AssertionError("the quick look refused what the slow one takes")


def _rising(name: str, rows: list[tuple[int, list[str]]], part: Part) -> Part:
    """The same, each row in the order of its indices."""
    indices, values, counts = part
    row = np.repeat(np.arange(len(counts)), counts)
    same_row = row[1:] == row[:-1]
    if (same_row & (indices[1:] <= indices[:-1])).any():
        order = np.lexsort((indices, row))
        values, indices = values[order], indices[order]
        twice = np.flatnonzero(same_row & (indices[1:] == indices[:-1]))
        if len(twice):
            number, index = rows[row[twice[0]]][0], indices[twice[0]]
            raise ReadError(f"{name}:{number}: the index {index} occurs twice; keep one of its values")
    return Part(indices.astype(np.int32), values, counts)


def _matrix(name: str, parts: list[Part]) -> Any:
    indices, values, counts = (np.concatenate(column) for column in zip(*parts, strict=True)) if parts else (np.zeros(0),) * 3
    if len(counts) and not len(values):
        raise ReadError(f"{name}: has labels, but not a single index:value pair; check the file's kind")
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    if starts[-1] < 2**31:  # SciPy gives indices the wider type of the two
        starts = starts.astype(np.int32)
    from_one = bool(len(indices)) and indices.min() > 0
    width = int(indices.max(initial=0)) + (not from_one)
    return sp.csr_array((values, indices - np.int32(from_one), starts), shape=(len(counts), width))
