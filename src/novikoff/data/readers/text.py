"""Labelled texts: a label, a tab, and a text, one row a line. The words become features by their hash (`novikoff.data.hashing`).

What stands before the first tab of a line is the label, without spaces around it. Where labels may be missing, a line without a
tab is a text without a label.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, loop
from novikoff.compiler.dispatch import compiled
from novikoff.data.chunks import parsed
from novikoff.data.feature_bags import Bag
from novikoff.data.hashing import AFTER_TAB, SKIPPED, WHOLE, Way, bag_of_lines
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
    lines_with,
    matrix_of,
    whole_lines,
    word_at,
)
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.array_types import Array

apart(__file__)


class Lines(NamedTuple):
    """What the lines of a chunk are, and where the labels of those that are rows stand."""

    kinds: Array  # of each line
    label_at: Array  # of each row, as are the next two
    label_length: Array
    label_word: Array  # the first bytes of the label as a number
    no_tab: Array  # where lines begin that should have one
    tally: Array  # rows, lines without a tab


class Rows(NamedTuple):
    """The rows of a chunk."""

    bag: Bag
    labels: RowLabels
    wrong: list[tuple[int, str]]  # of lines that are no rows, where they begin, and what is wrong


def _recognises(line: bytes) -> bool:
    """A word, a tab, and a text of several words, one at least of letters. A table has more columns, or one word in each."""
    label, tab, text = line.strip().partition(b"\t")
    return bool(
        tab
        and b"\t" not in text
        and re.fullmatch(rb"[^\s:|,;]+", label)
        and re.search(rb"\S +\S", text)
        and re.search(rb"[A-Za-z\x80-\xff]{2}", text)
        and not re.search(rb"\s[0-9]+:", line)
    )


@format("text", ".text", recognises=_recognises, row_lines=lines_with(is_written))
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    options = reading.options
    if options.label is not None:
        raise ReadError(f"{source.name}: its labels stand before the tabs; leave the label column out")
    features = hashed_features(reading, "text", source.name)
    for chunk, rows in parsed(source, partial(_parse, way=features.way, unlabelled=options.unlabelled)):
        yield labelled(matrix_of(rows.bag, features), rows.labels, chunk, reading, rows.wrong)


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
    wrong += [(at, "has no tab after its label; write it like spam, a tab, buy now") for at in lines.no_tab[:without].tolist()]
    labels = labels_of(content, lines.label_at[:rows], lines.label_length[:rows], lines.label_word[:rows])
    return Rows(bag_of_lines(bytes(content[first : chunk.length]), lines.kinds, way), labels, sorted(wrong))


# ---- compiled -------------------------------------------------------------------------------------------------------


@loop
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
