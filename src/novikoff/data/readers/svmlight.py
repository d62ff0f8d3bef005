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

from novikoff.compiler.dispatch import compiled
from novikoff.data.chunks import parsed
from novikoff.data.features import DIRECT, LARGEST, Numbered
from novikoff.data.fields import is_unicode, numbers, shown, why_not_a_number
from novikoff.data.matrices import known_only, matrix
from novikoff.data.readers import Part, Reading, format
from novikoff.data.readers.lines import (
    RowLabels,
    bytes_of_mark,
    labelled,
    labels_of,
    line_at,
    lines_with,
    why_no_text,
)
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.data.svmlight_loop import Found, parse_lines
from novikoff.foundation.array_types import Array

LEAST_PAIR = 4  # bytes that an entry takes at least, its separator included
WORDS = re.compile(r"[^ \t\r\v\f]+")
OWN = threading.local()


class Rows(NamedTuple):
    """The rows of a chunk."""

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


def _is_surely(line: bytes) -> bool:
    """A label and nothing but pairs."""
    pairs = rb"(?:\s++[0-9]++:[-+.0-9eE]++)++\s*+(?:#.*+)?"
    return bool(re.fullmatch(rb"\s*+[^\s:|,;]++(?:\s++qid:[^\s,;]++)?" + pairs, line))


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


def _number_texts(reading: Reading, row: str) -> list[tuple[int, str]]:
    """The column and the text of each number of a row."""
    words = [word.split(":") for word in WORDS.findall(row.partition("#")[0]) if ":" in word and not word.startswith("qid:")]
    features, indices = reading.features, np.array([int(index) for index, _ in words], np.int64)
    assert isinstance(features, Numbered)
    columns = features.columns(indices, int(indices.max(initial=0))).tolist()
    return [(column, text) for column, (_, text) in zip(columns, words, strict=True)]


def _is_row(line: bytes) -> bool:
    return bool(line.partition(b"#")[0].strip(b" \t\r\v\f"))


@format(
    "svmlight",
    ".svm",
    ".svmlight",
    ".libsvm",
    ".dat",
    recognises=_recognises,
    surely=_is_surely,
    yields=True,
    row_lines=lines_with(_is_row),
)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f"{source.name}: its labels are the first words of its lines; leave the label column out")
    reading.finish, reading.number_texts = _finish, partial(_number_texts, reading)
    line, any_rows = 1, False

    def parse(chunk: Chunk) -> Rows:
        base = reading.features.base if isinstance(reading.features, Numbered) else 0
        return _parse(chunk, base, reading.options.unlabelled)

    for chunk, rows in parsed(source, parse, counted=False):
        chunk, line = chunk._replace(line=line), line + rows.lines
        features = reading.features_of(Numbered, lambda rows=rows: Numbered(_base(rows, reading)), source.name)  # type: ignore[misc]
        if rows.least < features.base:
            raise ReadError(
                f"{source.name}: an index is 0, but earlier indices count from 1; use --zero-based if they start at 0"
            )
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
        yield labelled(X, rows.labels, chunk, reading, rows.wrong)
    if any_rows and not reading.features.width and reading.options.zero_based is None:  # type: ignore[union-attr]
        raise ReadError(f"{source.name}: has labels, but not a single index:value pair; check the format of the file")


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
    """The rows, with odd lines parsed in Python. Lines that are not rows are removed and listed in `wrong`."""
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
