"""Tables: one row a line, features and one label, separated by commas, semicolons or tabs.

The label is in the last column unless another is named; a number is a column's place, counted from 1. A column holds categories
if it is said to, or if most of its values in the first 1000 rows do not even begin like numbers (of a stream through a pipe: in
those of them that are there when it first rests): each category becomes a feature of its own, "colour=red", that is 1 where it
stands. Features are numbered so: columns of numbers first, then categories as they are met, row by row.

The first line is a header if it has words where the lines below have numbers; who names a column says with it that there is
one. Without a header, columns are called "1", "2", … Further files, and those for a model, have its columns by name, in any
order; of more columns a model that has learned makes nothing, and a column that is lacking is refused.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from novikoff.data.chunks import text_of
from novikoff.data.features import NOWHERE, Named
from novikoff.data.fields import NOT_FINITE, NUMBER, first_twice, numbers, shown, why_not_a_number
from novikoff.data.matrices import matrix
from novikoff.data.readers import NoRowsError, Part, Reading, format
from novikoff.data.sources import ReadError, Source
from novikoff.foundation.array_types import Array, Matrix

FIELDS = 2**16  # turned into numbers together
SAMPLE = 1000  # rows that decide which columns hold categories
PLACE = re.compile(r"[0-9]+")  # a column's, where a name could stand
LONGEST_COLUMN = 1000  # characters of a column's name


class Row(NamedTuple):
    line: int
    fields: list[str]
    resting: bool = False  # whether the next was not there yet


class Column(NamedTuple):
    """A column of a table that is not the label."""

    at: int
    name: str
    categories: bool
    called: bool = True  # whether the name is from the file

    @property
    def place(self) -> str:
        return f"column {self.at + 1}" + (f" ({self.name})" if self.called else "")


class Held(NamedTuple):
    """The values of a column of categories."""

    name: str
    kinds: Sequence[str]  # the different ones
    kind_of: Array  # which of them each row has


class Table(NamedTuple):
    """The layout of a table."""

    name: str
    width: int
    at: int | None  # the label's column
    columns: list[Column]


class Known:
    """The columns of earlier tables, found from the names of features."""

    def __init__(self, features: Named) -> None:
        self.numeric = set(features.names)
        self.categories = {before for name in features.names for before in _befores(name)}
        called = {name.partition("=")[0] for name in features.names}
        self.places = sorted(called, key=int) if all(map(PLACE.fullmatch, called)) else []  # where no header named them

    def __contains__(self, name: str) -> bool:
        return name in self.numeric or name in self.categories


def _recognises(line: bytes) -> bool:
    """A line with a separator, if no other format knows it. Those may also stand between the pairs of svmlight."""
    return bool(re.search(rb"[,;\t]", line.strip())) and not re.search(rb"\s[0-9]+:|[|\0-\x08]", line)


@format("csv", ".csv", ".tsv", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    rows = _rows(source)
    sample = _sample(rows, hurry=not reading.whole)
    if not sample:
        raise NoRowsError(f"{source.name}: is empty")
    first = sample[0]
    if len(first.fields) < 2 and not reading.options.unlabelled:
        raise ReadError(f"{source.name}:{first.line}: has one column; separate features and label by commas, semicolons or tabs")
    place = f"{source.name}:{first.line}"
    at = label_column(place, first.fields, reading)
    header, columns = _columns(place, sample, at, reading)
    columns, features = settled(place, columns, reading)
    table = Table(source.name, len(first.fields), at, columns)
    for some in _batches(chain(sample[header:], rows), max(1, FIELDS // table.width)):
        part = _part(some, table, features, reading)
        if part is None:
            good = [row for row in some if _is_good(row, table, reading)]
            part = _part(good, table, features, reading) if good else None
        if part is not None and len(part.codes):
            yield part


def _rows(source: Source) -> Iterator[Row]:
    resting = False  # what has been read is all that is there

    def all_lines() -> Iterator[str]:
        nonlocal resting
        for chunk in source.chunks():
            some = io.StringIO(text_of(chunk), newline="\n").readlines()
            for k, line in enumerate(some, 1):
                resting = chunk.resting and k == len(some)
                yield line

    leading, lines = [], all_lines()
    for line in lines:
        leading.append(line)
        if line.strip():
            break
    table = csv.reader(chain(leading, lines), delimiter=_separator(leading), skipinitialspace=True, strict=True)
    try:
        for fields in table:
            stripped = [field.strip() for field in fields]
            if stripped not in ([], [""]):  # a blank line
                yield Row(table.line_num, stripped, resting)
    except csv.Error as error:
        raise ReadError(f"{source.name}:{table.line_num}: {error}; check the quotes and line ends up to here") from None


def _separator(lines: list[str]) -> str:
    """The most frequent separator of the first line, outside quotes. In a tie a comma loses: it may be a decimal comma."""
    bare = re.sub(r'"[^"]*("|$)', "", lines[-1] if lines else "")
    return max("\t;,", key=bare.count)


def _sample(rows: Iterator[Row], hurry: bool) -> list[Row]:
    """The first rows, which decide what the columns are. In a hurry, two rows are enough if more would mean waiting."""
    sample = []
    for row in rows:
        sample.append(row)
        if len(sample) == SAMPLE or (hurry and row.resting and len(sample) > 1):
            break
    return sample


def _batches(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    some = []
    for row in rows:
        some.append(row)
        if len(some) == size or row.resting:
            yield some
            some = []
    if some:
        yield some


# ---- which column is what -------------------------------------------------------------------------------------------


def known_columns(reading: Reading) -> Known | None:
    return Known(reading.features) if isinstance(reading.features, Named) else None


def label_column(place: str, names: list[str], reading: Reading) -> int | None:
    """The column of the label; None if it is missing and may be."""
    label, may_lack, known = reading.options.label, reading.options.unlabelled, known_columns(reading)
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
        feature = len(names) == len(known.places) if known.places else not 0 <= at < len(names) or names[at] in known
        if feature:  # stands where the label would
            return None
    if not 0 <= at < len(names):
        raise no_such_column(place, label or "", names)
    return at


def column_at(number: str) -> int:
    """The index, from 0, of a column number, from 1."""
    return int(number) - 1 if len(number) < 10 else -1


def no_such_column(place: str, number: str, names: Sequence[str]) -> ReadError:
    return ReadError(f"{place}: there is no column {number[:40]}; columns are counted from 1 to {len(names)}")


def named_categories(place: str, names: Sequence[str], reading: Reading) -> set[int]:
    """The columns that the user named as categories."""
    categories, known = set(), set(names)
    for text in dict.fromkeys(reading.options.categories):
        if PLACE.fullmatch(text):
            if not 0 <= column_at(text) < len(names):
                raise no_such_column(place, text, names)
            categories.add(column_at(text))
        elif text in known:
            categories |= {j for j, name in enumerate(names) if name == text}
        else:
            raise ReadError(f"{place}: no column is called {shown(text)}, but categories name it; give its number, from 1")
    return categories


def _columns(place: str, sample: list[Row], at: int | None, reading: Reading) -> tuple[bool, list[Column]]:
    """Whether the first line is a header, and the columns of features."""
    fields, known = sample[0].fields, known_columns(reading)
    names = [str(j + 1) for j in range(len(fields))]
    if known is not None and at is None and len(fields) == len(known.places):
        names = known.places
    categories = named_categories(place, fields, reading)
    numeric = [like and j not in categories for j, like in enumerate(_like_numbers(sample))]
    if known is not None and known.places:
        numeric = [name in known.numeric if name in known else like for name, like in zip(names, numeric, strict=True)]
    header = _is_header(place, sample, [j for j, like in enumerate(numeric) if like and j != at], reading, known)
    names = fields if header else names
    return header, [Column(j, name, not numeric[j], header) for j, name in enumerate(names) if j != at]


def _like_numbers(sample: list[Row]) -> list[bool]:
    """Of which columns at least half of what they hold begins like a number. A word in the first line may be a header's, and does
    not count."""
    first, *below = [row.fields for row in sample]
    held, like = [0] * len(first), [0] * len(first)
    for fields in below:
        for j, field in enumerate(fields[: len(first)]):
            held[j] += bool(field)
            like[j] += _begins_like_a_number(field)
    for j, field in enumerate(first):
        counts = field and (_begins_like_a_number(field) or not held[j])
        held[j] += bool(counts)
        like[j] += bool(counts) and _begins_like_a_number(field)
    return [2 * n >= of for n, of in zip(like, held, strict=True)]


def _begins_like_a_number(field: str) -> bool:
    return bool(re.match(r"[+-]?\.?[0-9]", field) or NOT_FINITE.fullmatch(field))


def _is_header(place: str, sample: list[Row], numeric: list[int], reading: Reading, known: Known | None) -> bool:
    """`numeric` are the features' columns that hold numbers."""
    fields, named = sample[0].fields, [reading.options.label or "1", *reading.options.categories]
    if not all(map(PLACE.fullmatch, named)):
        return True
    if known is not None and not known.places:
        return any(field in known for field in fields)
    is_value = {j: bool(NUMBER.fullmatch(fields[j]) or NOT_FINITE.fullmatch(fields[j])) for j in numeric if fields[j]}
    values = [fields[j] for j, value in is_value.items() if value]
    words = [fields[j] for j, value in is_value.items() if not value]
    if words and values:
        raise ReadError(
            f"{place}: neither a header nor a row: it has the number {shown(values[0])} and the word {shown(words[0])} "
            "in columns of numbers; correct the row, or give the label column by name"
        )
    if numeric or known is not None:
        return bool(words)
    if len(sample) > 1:
        raise ReadError(
            f"{place}: all columns hold words, so it is not clear whether this line is a header; "
            "add a header, and name the label column"
        )
    return True


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
    first = reading.features is None
    features: Named = reading.features_of(Named, lambda: Named([c.name for c in columns if not c.categories]), place)
    numeric = names - categories
    for name in () if first else features.names:
        if name not in numeric and not categories.intersection(_befores(name)):
            lacking = name if "=" not in name else name.partition("=")[0]
            raise ReadError(f"{place}: the column {shown(lacking)} is missing; add it")
    return columns, features


def _befores(name: str) -> list[str]:
    """What stands before each = of the name and may be a column's."""
    return [name[: sign.start()] for sign in re.finditer("=", name[: LONGEST_COLUMN + 1])]


# ---- rows -----------------------------------------------------------------------------------------------------------


def _part(rows: list[Row], table: Table, features: Named, reading: Reading) -> Part | None:
    """The rows as numbers; None if one of them is wrong: `_is_good` finds it."""
    if any(len(row.fields) != table.width for row in rows):
        return None
    fields = list(zip(*(row.fields for row in rows), strict=True)) or [()] * table.width
    plain = [column for column in table.columns if not column.categories]
    values = numbers(list(chain.from_iterable(fields[column.at] for column in plain)))
    held = [column for column in table.columns if column.categories]
    if values is None or any("" in fields[column.at] for column in held):
        return None
    try:
        codes = _codes(rows, fields, table, reading)
    except ReadError:
        return None
    X = stored(
        np.ascontiguousarray(values.reshape(len(plain), len(rows)).T),
        features.columns([column.name for column in plain]),
        [_held(column.name, fields[column.at]) for column in held],
        features,
    )
    return Part(X, codes)


def _codes(rows: list[Row], fields: Sequence[Sequence[str]], table: Table, reading: Reading) -> Array:
    if table.at is None:
        return np.full(len(rows), reading.labels.none(), np.int32)
    labels, column = fields[table.at], table.at + 1
    return reading.labels.codes(labels, lambda i: f"{table.name}:{rows[i].line}, column {column}")


def _is_good(row: Row, table: Table, reading: Reading) -> bool:
    place = f"{table.name}:{row.line}"
    if len(row.fields) != table.width:
        reading.bad(
            lambda: place,
            f"has {len(row.fields)} columns where the first line has {table.width}; "
            "add or remove separators, or put quotes around what holds one",
        )
        return False
    for column in table.columns:
        field = row.fields[column.at]
        if why := why_not_a_number(field if not column.categories or not field else "0"):
            reading.bad(lambda column=column: f"{place}, {column.place}", why)  # type: ignore[misc]
            return False
    at = table.at
    code = 0 if at is None else reading.labels.code(row.fields[at])
    if isinstance(code, str):
        reading.bad(lambda: f"{place}, column {(at or 0) + 1}", code)
        return False
    return True


def _held(name: str, texts: Sequence[str]) -> Held:
    kinds: dict[str, int] = {}
    kind_of = np.array([kinds.setdefault(text, len(kinds)) for text in texts], np.intp)
    return Held(name, list(kinds), kind_of)


def stored(values: Array, places: Array, held: list[Held], features: Named) -> Matrix:
    """Rows of numbers in these places, and of categories: a dense array without those, and sparse with them."""
    if held:
        return _sparse(values, places, held, features)
    if features.width == len(places) and (places == np.arange(len(places))).all():
        return values
    X = np.zeros((len(values), features.width))
    X[:, places] = values
    return X


def _sparse(values: Array, places: Array, held: list[Held], features: Named) -> Matrix:
    met = [np.unique(some.kind_of, return_index=True) for some in held]
    firsts = [(row, j, kind) for j, found in enumerate(met) for kind, row in zip(*(a.tolist() for a in found), strict=True)]
    lookup: list[Array] = [np.full(len(some.kinds), NOWHERE, np.int32) for some in held]
    for _, j, kind in sorted(firsts):  # as they are met, row by row
        lookup[j][kind] = features.column(f"{held[j].name}={held[j].kinds[kind]}")
    indicators = [table[some.kind_of][:, None] for table, some in zip(lookup, held, strict=True)]
    columns = np.hstack([np.broadcast_to(places, values.shape), *indicators])
    entries = np.hstack([values, np.ones((len(values), len(held)))])
    order = np.argsort(columns, axis=1, kind="stable")
    columns, entries = np.take_along_axis(columns, order, axis=1), np.take_along_axis(entries, order, axis=1)
    kept = (columns != NOWHERE) & (entries != 0)
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1), dtype=np.int64)])
    return matrix(entries[kept], columns[kept], starts, features.width)
