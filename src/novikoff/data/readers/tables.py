"""Shared by tables: which column is what, what a gap is, and rows of numbers and indicators as a matrix."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from novikoff.compiler.dispatch import compiled
from novikoff.data.csv_loop import join_rows
from novikoff.data.features import NOWHERE, Named
from novikoff.data.fields import MISSING, first_twice, shown
from novikoff.data.matrices import matrix
from novikoff.data.preparation import gap_of
from novikoff.data.readers import Options, Reading
from novikoff.data.sources import ReadError
from novikoff.foundation.array_types import Array, Matrix

PLACE = re.compile(r"[0-9]+")  # a column's, where a name could stand
LONGEST_COLUMN = 1000  # characters of a column's name
FEW = 64  # indicators of a row, which are sorted as they are put in
GAP = gap_of("")


class Column(NamedTuple):
    """A column of a table that is not the label."""

    at: int
    name: str
    categories: bool
    called: bool = True  # whether the name is from the file

    @property
    def place(self) -> str:
        return f"column {self.at + 1}" + (f" ({self.name})" if self.called else "")

    def indicator(self, text: str, gaps: frozenset[str]) -> str:
        """The feature that is 1 where this text stands."""
        return gap_of(self.name) if text in gaps else f"{self.name}={text}"


class Known:
    """The columns of earlier tables, found from the names of features."""

    def __init__(self, features: Named) -> None:
        numbers = features.numbers.tolist()
        self.numeric = {name for name, number in zip(features.names, numbers, strict=True) if number}
        self.categories = {before for name in features.names for before in _befores(name)}
        self.gaps = {name for name in features.names if name not in self.numeric and name.endswith(GAP)}
        of_gaps = {name.removesuffix(GAP) for name in self.gaps}
        self.categories |= {name for name in of_gaps if name not in self.numeric and "=" not in name}
        called = {name.partition("=")[0] for name in features.names if name not in self.gaps or "=" in name}
        called |= {name for name in of_gaps if "=" not in name}
        self.places = sorted(called, key=int) if all(map(PLACE.fullmatch, called)) else []  # where no header named them

    def __contains__(self, name: str) -> bool:
        return name in self.numeric or name in self.categories


def known_columns(reading: Reading) -> Known | None:
    return Known(reading.features) if isinstance(reading.features, Named) else None


def gaps_in(options: Options) -> frozenset[str]:
    """The texts that are gaps."""
    return frozenset({*MISSING, *options.missing} if options.prepared else {""})


def label_column(place: str, names: list[str], reading: Reading) -> int | None:
    """The column of the label; None if it is missing and may be."""
    may_lack, known = reading.options.unlabelled, known_columns(reading)
    label = reading.options.label or reading.options.known_label or reading.label
    if label is not None and not PLACE.fullmatch(label):
        if names.count(label) == 1:
            return names.index(label)
        if may_lack and label not in names:
            return None
        columns = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        many = "more than one column is" if label in names else "no column is"
        raise ReadError(f"{place}: {many} called {shown(label)} among {columns[:200]}; give its number, from 1")
    at = len(names) - 1 if label is None else column_at(label)
    if may_lack and known is not None:
        kept = len(names) - sum(_is_ignored(j, name, reading) for j, name in enumerate(names))
        feature = kept == len(known.places) if known.places else not 0 <= at < len(names) or names[at] in known
        if feature:  # stands where the label would
            return None
    if not 0 <= at < len(names):
        raise no_such_column(place, label or "", names)
    return at


def remember_label(names: Sequence[str], at: int | None, reading: Reading) -> None:
    """Remember what the header calls the label, so that it is found at another place, too. A number would mean a place."""
    if at is not None and not PLACE.fullmatch(names[at]) and names.count(names[at]) == 1:
        reading.label = names[at]


def column_at(number: str) -> int:
    """The index, from 0, of a column number, from 1."""
    return int(number) - 1 if len(number) < 10 else -1


def no_such_column(place: str, number: str, names: Sequence[str]) -> ReadError:
    return ReadError(f"{place}: there is no column {number[:40]}; columns are counted from 1 to {len(names)}")


def named_categories(place: str, names: Sequence[str], reading: Reading) -> set[int]:
    """The columns that the user named as categories."""
    return _columns_called(place, names, reading.options.categories, "categories name it; give its number, from 1")


def ignored_columns(place: str, names: Sequence[str], at: int | None, reading: Reading) -> set[int]:
    """The columns that the user leaves out. Those of a model need not be there."""
    wanted = reading.options.ignore
    if reading.features is not None and reading.features.frozen:
        wanted = tuple(text for text in wanted if _is_there(text, names))
    ignored = _columns_called(place, names, wanted, "it is to be ignored; leave it out there")
    if at in ignored:
        raise ReadError(f"{place}: column {at + 1} holds the labels, but is to be ignored; name another column as the label")
    return ignored


def _is_there(text: str, names: Sequence[str]) -> bool:
    return 0 <= column_at(text) < len(names) if PLACE.fullmatch(text) else text in names


def _is_ignored(j: int, name: str, reading: Reading) -> bool:
    return str(j + 1) in reading.options.ignore or name in reading.options.ignore


def _columns_called(place: str, names: Sequence[str], called: Sequence[str], what: str) -> set[int]:
    found, known = set(), set(names)
    for text in dict.fromkeys(called):
        if PLACE.fullmatch(text):
            if not 0 <= column_at(text) < len(names):
                raise no_such_column(place, text, names)
            found.add(column_at(text))
        elif text in known:
            found |= {j for j, name in enumerate(names) if name == text}
        else:
            raise ReadError(f"{place}: no column is called {shown(text)}, but {what}")
    return found


def settled(place: str, columns: list[Column], reading: Reading) -> tuple[list[Column], Named]:
    """The columns, with the kinds they had in earlier tables, and the features. Columns unknown to a frozen model are dropped."""
    known = known_columns(reading)
    if known is not None:
        frozen = reading.features is not None and reading.features.frozen
        columns = [column for column in columns if column.name in known or not frozen]
        columns = [c._replace(categories=c.name not in known.numeric) if c.name in known else c for c in columns]
    names, categories = {column.name for column in columns}, {column.name for column in columns if column.categories}
    if (twice := first_twice(column.name for column in columns)) is not None:
        raise ReadError(f"{place}: more than one column is called {shown(twice)}; rename all but one")
    for name in names:
        if len(name) > LONGEST_COLUMN:
            most = f"the most is {LONGEST_COLUMN:,}"
            raise ReadError(f"{place}: the name {shown(name)} of a column has {len(name):,} characters, and {most}; shorten it")
        if before := categories.intersection(_befores(name)):
            raise ReadError(
                f"{place}: the column {shown(name)} is called like a category of {shown(min(before))}; rename one of the two"
            )
        if reading.options.prepared and name.endswith(GAP) and name.removesuffix(GAP) in names:
            other = shown(name.removesuffix(GAP))
            raise ReadError(f"{place}: the column {shown(name)} is called like the gaps of {other}; rename one of the two")
    first = reading.features is None
    features: Named = reading.features_of(Named, lambda: Named([c.name for c in columns if not c.categories]), place)
    numeric, ignored = names - categories, set(reading.options.ignore)
    gaps = set[str]() if known is None else known.gaps
    for name in () if first else features.names:
        if name not in numeric and name not in gaps and not categories.intersection(_befores(name)):
            lacking = name if "=" not in name else name.partition("=")[0]
            if lacking not in ignored:
                raise ReadError(f"{place}: the column {shown(lacking)} is missing; add it")
    return columns, features


def _befores(name: str) -> list[str]:
    """What stands before each = of the name and may be a column's."""
    return [name[: sign.start()] for sign in re.finditer("=", name[: LONGEST_COLUMN + 1])]


# ---- rows -----------------------------------------------------------------------------------------------------------


class Indicators(NamedTuple):
    """The columns of categories. Different values of a column are different kinds, and no two columns share one."""

    kind_of: Array  # of each row and column, the kind
    columns: Array  # of each kind, the column of its feature; NOWHERE if it has none, or none yet
    at: Array  # of each kind, the place of its column in the table
    name: Callable[[int], str]  # of a kind's feature


def stored(values: Array, plain: list[Column], held: Indicators, features: Named, options: Options) -> Matrix:
    """Rows of numbers and of categories: a dense array without those, and sparse with them. NaN is a gap, with an indicator."""
    gaps = np.flatnonzero(np.isnan(values).any(axis=0)) if options.prepared else np.zeros(0, np.intp)
    if not features.frozen:
        _meet(values, plain, gaps, held, features)
    places, gap_places = features.columns([column.name for column in plain]), np.full(len(plain), NOWHERE, np.int32)
    gap_places[gaps] = features.found([gap_of(plain[j].name) for j in gaps.tolist()])
    if held.kind_of.shape[1]:
        return _sparse(values, places, gap_places, held, features.width, options.prepared)
    if features.width == len(places) and (places == np.arange(len(places))).all():
        return values
    X = np.zeros((len(values), features.width))
    X[:, places] = values
    for j in np.flatnonzero(gap_places != NOWHERE).tolist():
        X[np.isnan(values[:, j]), gap_places[j]] = 1
    return X


def _meet(values: Array, plain: list[Column], gaps: Array, held: Indicators, features: Named) -> None:
    """Give new indicators columns as they are met, row by row."""
    new = []  # row and column where it is first met, its name, and its kind
    unknown = held.columns == NOWHERE
    if unknown.any():
        first = np.full(len(unknown), len(values))
        for kinds in held.kind_of.T:
            first[kinds[::-1]] = np.arange(len(values))[::-1]
        for kind in np.flatnonzero(unknown & (first < len(values))).tolist():
            new.append((int(first[kind]), int(held.at[kind]), held.name(kind), kind))
    for j in gaps.tolist():
        new.append((int(np.isnan(values[:, j]).argmax()), plain[j].at, gap_of(plain[j].name), NOWHERE))
    for _, _, name, kind in sorted(new):
        column = features.indicator(name)
        if kind != NOWHERE:
            held.columns[kind] = column


def _sparse(values: Array, places: Array, gap_places: Array, held: Indicators, width: int, zeros: bool) -> Matrix:
    order = np.argsort(places)
    (rows, numbers), kinds = values.shape, held.kind_of.shape[1]
    gaps = np.count_nonzero(np.isnan(values)) if (gap_places != NOWHERE).any() else 0
    most = rows * (numbers + kinds) + gaps
    starts, indices, entries = np.empty(rows + 1, np.int64), np.empty(most, np.int32), np.empty(most)
    few = kinds + np.count_nonzero(gap_places != NOWHERE) <= FEW
    numbered = order, places[order], gap_places[order]
    compiled(join_rows)(values, *numbered, held.kind_of, held.columns, int(zeros), int(few), starts, indices, entries)
    for array in (indices, entries):
        array.resize(starts[-1], refcheck=False)  # what lies beyond was never written to
    X = matrix(entries, indices, starts, width)
    if not few:
        X.sort_indices()
    return X
