"""Columns that are probably not what they are taken for: an id among the features, or a label with very many classes."""

import sys
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Dataset, Labelled

ENOUGH = 50  # rows; in fewer, all values may well be different
MANY_NUMBERS = 30  # classes that are numbers
SHARE = 3  # rows per class, at least
WORDS = 3  # in a text, at least
RARE = 0.01  # the chance that numbers drawn from the range of a column are all different, below which it is no chance


def ask_about(data: "Dataset", held: "Labelled | None") -> None:
    """Ask about doubtful columns on a terminal; refuse them elsewhere. `--yes` answers in advance."""
    for doubt, remedy in doubts(data, held):
        if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and "-" not in data.paths:
            if not click.confirm(f"{doubt}. Go on?", err=True):
                raise Refused(f"stopped; {remedy}")
        else:
            raise Refused(f"{doubt}; {remedy}, or confirm it with --yes")


def doubts(data: "Dataset", held: "Labelled | None") -> "list[tuple[str, str]]":
    """What is doubtful about these rows, and what to do about it."""
    from novikoff.data.features import Named

    if not isinstance(data.features, Named):
        return []
    counts = data.reading.labels.counts()
    rows = sum(counted.rows for counted in counts.values())
    if rows < ENOUGH:
        return []
    where = data.reading.name
    found = []
    numeric = all(isinstance(label, int | float) for label in counts)
    named = data.options.label is not None
    if len(counts) * SHARE > rows or (numeric and len(counts) > MANY_NUMBERS and not named):
        column = f"column {data.options.label or data.reading.label}" if named or data.reading.label else "the last column"
        found.append(
            (
                f"{where}: {printable(column)} is taken for the label, and has {len(counts):,} different values in {rows:,} rows",
                "name the label with --label",
            )
        )
    ids = [*_ids_of_text(data, rows), *([] if held is None else _ids_of_numbers(data, held))]
    found += [(f"{where}: {_called(name)} has another value in each row, as an id has", _left_out(name)) for name in ids]
    found += [
        (
            f"{where}: {_called(name)} holds texts rather than categories, and each text would be a category of its own",
            f"{_left_out(name)}, or learn from the texts in a file of lines with label, tab and text (--format text)",
        )
        for name in _of_texts(data, rows)
        if name not in ids
    ]
    return found


def _called(name: str) -> str:
    return f"the column {printable(name)}" if name else "a column without a name"


def _left_out(name: str) -> str:
    return f"leave it out with --ignore {printable(name) or 'and its number'}"


def _of_texts(data: "Dataset", rows: int) -> list[str]:
    """Columns of categories that are mostly different, and of several words each."""
    return [
        name
        for name, kinds in _categories(data).items()
        if 2 * len(kinds) > rows and sum(len(kind.split()) >= WORDS for kind in kinds) * 2 > len(kinds)
    ]


def _ids_of_text(data: "Dataset", rows: int) -> list[str]:
    """Columns of categories with a category for each row."""
    return [name for name, kinds in _categories(data).items() if len(kinds) >= rows]


def _categories(data: "Dataset") -> dict[str, list[str]]:
    """The columns of categories, and their categories."""
    from novikoff.data.features import Named

    assert isinstance(data.features, Named)
    found: dict[str, list[str]] = {}
    for name, number in zip(data.features.names, data.features.numbers.tolist(), strict=True):
        column, sign, kind = name.partition("=")
        if sign and not number:
            found.setdefault(column, []).append(kind)
    return found


def _ids_of_numbers(data: "Dataset", held: "Labelled") -> list[str]:
    """Columns of whole numbers that are all different: in order, or so many of them that chance would make some alike."""
    import numpy as np
    import scipy.sparse as sp

    from novikoff.data.features import Named

    assert isinstance(data.features, Named)
    found = []
    for j, number in enumerate(data.features.numbers.tolist()):
        if not number:
            continue
        first = held.X[:ENOUGH, [j]].toarray()[:, 0] if sp.issparse(held.X) else held.X[:ENOUGH, j]
        if len(np.unique(first)) < len(first) or not (first == np.floor(first)).all():
            continue
        column = held.X[:, [j]].toarray()[:, 0] if sp.issparse(held.X) else held.X[:, j]
        if not (column == np.floor(column)).all() or len(np.unique(column)) < len(column):
            continue
        by_chance = np.exp(-(len(column) ** 2) / (2 * max(1.0, column.max() - column.min())))
        if by_chance < RARE or len(set(np.sign(np.diff(column)).tolist())) == 1:  # it rises, or falls
            found.append(data.features.name(j))
    return found
