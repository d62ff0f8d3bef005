"""Tables: one row a line, numbers and one label, separated by commas, semicolons or tabs.

The label is in the last column unless another is named. The first line is a header if its feature columns hold words; one
that holds both words and numbers is refused, since it may as well be a row with a mistake in it, and no row is left out
silently. Who names the label's column says with it that there is a header.
"""

import csv
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from novikoff.readers import (
    NOT_FINITE,
    NUMBER,
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

FIELDS = 2**16  # turned into numbers together


class Row(NamedTuple):
    line: int
    fields: list[str]


def _recognises(line: bytes) -> bool:
    """A line with a separator. A tab may also stand between the pairs of svmlight."""
    return bool(re.search(rb"[,;\t]", line.strip())) and not re.search(rb"\s[0-9]+:", line)


@reader(".csv", ".tsv", recognises=_recognises)
def read(source: Source, label: str | None) -> Labelled:
    rows = _rows(source)
    first = next(rows, None)
    if first is None:
        raise ReadError(f"{source.name}: is empty")
    if len(first.fields) < 2:
        raise ReadError(f"{source.name}:{first.line}: has one column; separate features and label by commas, semicolons or tabs")
    width = len(first.fields)
    at = _label_column(source.name, first, label)
    names = _header(source.name, first, at, label)
    if names is None:
        rows = chain([first], rows)
    labels, parts = Labels(), []
    for some in _batches(rows, max(1, FIELDS // width)):
        for row in some:
            if len(row.fields) != width:
                raise ReadError(
                    f"{source.name}:{row.line}: has {len(row.fields)} columns where the first line has {width}; "
                    "add or remove separators"
                )
        texts = [row.fields.pop(at) for row in some]
        labels.add(texts, lambda i, some=some: f"{source.name}:{some[i].line}, column {at + 1}")  # type: ignore[misc]
        parts.append(_numbers(source.name, some, at, names))
    return Labelled(np.concatenate(parts) if parts else np.zeros((0, width - 1)), labels.array(), names)


def _rows(source: Source) -> Iterator[Row]:
    lines = (line for _, text in blocks(source) for line in re.findall(r"[^\n]*\n|[^\n]+", text))
    leading = []
    for line in lines:
        leading.append(line)
        if line.strip():
            break
    table = csv.reader(chain(leading, lines), delimiter=_separator(leading), skipinitialspace=True, strict=True)
    try:
        for fields in table:
            stripped = [field.strip() for field in fields]
            if stripped not in ([], [""]):  # a blank line
                yield Row(table.line_num, stripped)
    except csv.Error as error:
        raise ReadError(f"{source.name}:{table.line_num}: {error}; check the quotes and line ends up to here") from None


def _separator(lines: list[str]) -> str:
    """The most frequent in the first line, quotes aside. Of equally many a comma is the last: it may be a decimal one."""
    bare = re.sub(r'"[^"]*("|$)', "", lines[-1] if lines else "")
    return max("\t;,", key=bare.count)


def _label_column(name: str, first: Row, label: str | None) -> int:
    fields = first.fields
    if label is None:
        return len(fields) - 1
    if re.fullmatch(r"[0-9]+", label):
        if len(label) > 9 or not 1 <= int(label) <= len(fields):
            raise ReadError(f"{name}:{first.line}: there is no column {label[:40]}; columns are counted from 1 to {len(fields)}")
        return int(label) - 1
    if fields.count(label) != 1:
        columns = ", ".join(fields[:10]) + (", …" if len(fields) > 10 else "")
        many = "more than one column is" if label in fields else "no column is"
        raise ReadError(f"{name}:{first.line}: {many} called {shown(label)} among {columns[:200]}; give its number, from 1")
    return fields.index(label)


def _header(name: str, first: Row, at: int, label: str | None) -> tuple[str, ...] | None:
    """The names of the feature columns; None if the first line is a row."""
    features = first.fields[:at] + first.fields[at + 1 :]
    if label is not None and not re.fullmatch(r"[0-9]+", label):
        return tuple(features)  # the label was found by its name, so these are names
    numeric = [field for field in features if NUMBER.fullmatch(field) or NOT_FINITE.fullmatch(field)]
    words = [field for field in features if field and field not in numeric]
    if words and numeric:
        raise ReadError(
            f"{name}:{first.line}: neither a header nor a row: it has the number {shown(numeric[0])} and the word "
            f"{shown(words[0])}; mend the row, or say by name which column is the label"
        )
    return tuple(features) if words else None


def _batches(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    some: list[Row] = []
    for row in rows:
        some.append(row)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some


def _numbers(name: str, rows: list[Row], at: int, names: tuple[str, ...] | None) -> Array:
    values = numbers([field for row in rows for field in row.fields])
    if values is not None:
        return values.reshape(len(rows), -1)
    for row in rows:
        for j, field in enumerate(row.fields):
            if why := why_not_a_number(field):
                called = f" ({names[j]})" if names else ""
                raise ReadError(f"{name}:{row.line}, column {j + 1 + (j >= at)}{called}: {why}")
    raise AssertionError("the quick look refused what the slow one takes")
