"""Which lines of the files rows are on: found by a second pass, since readers do not keep them.

Each text format says which of its lines are rows (`Format.row_lines`). Among these are a table's header and the bad lines that
were skipped; of the latter the reading knows how many rows come before each.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from novikoff.data.opening import opened
from novikoff.data.readers import FileRows, format_of


class FileLine(NamedTuple):
    """A row as it stands in its file."""

    path: str
    line: int  # the first, if it has several; counted from 1
    text: str


def lines_of(
    files: list[FileRows], rows: Collection[int], format: str | None, copies: Mapping[str, str] | None = None
) -> dict[int, FileLine]:
    """The lines of these rows, which are numbered from 0 through all files. Empty where files have no lines, or have changed.

    `copies` are those of files that come only once, such as standard input.
    """
    found, first = dict[int, FileLine](), 0
    for file in files:
        wanted = {row - first for row in rows if first <= row < first + file.rows}
        if wanted:
            try:
                lines = dict(_lines_in(file, wanted, format, (copies or {}).get(file.path)))
            except ValueError:  # it can no longer be read as it was
                return {}
            if len(lines) < len(wanted):
                return {}
            found |= {first + row: line for row, line in lines.items()}
        first += file.rows
    return found


def _lines_in(file: FileRows, rows: set[int], format: str | None, copy: str | None) -> Iterator[tuple[int, FileLine]]:
    """The lines of these rows of a file; none where the number of its lines does not agree with what was read."""
    skipped = np.concatenate([*file.skipped, np.empty(0, np.int64)])  # rows before each bad line, in order
    places = {row + int(np.searchsorted(skipped, row, side="right")): row for row in rows}  # among all lines that are read
    with opened(file.path, copy) as source:
        known = format_of(source, format)
        if known.row_lines is None:
            return
        held, count = list[tuple[int, int, str]](), 0
        for count, (line, text) in enumerate(known.row_lines(source), 1):
            if count - 1 in places or count - 2 in places:
                held.append((count - 1, line, text))
        header = count - file.rows - len(skipped)
    if header == 0 or (header == 1 and known.name == "csv"):
        for place, line, text in held:
            if place - header in places:
                yield places[place - header], FileLine(file.path, line, text)
