"""Parquet and Arrow's own files (Feather, IPC), read through pyarrow, a batch of rows at a time.

Columns of numbers and truth values are features, columns of text hold categories, as in tables (see `csv`): the label is in the
last column unless another is named. What pandas writes down as the rows' names is no column. Rows are counted from 0. Where rows
will be prepared, nulls, NaN and what stands for gaps in tables are gaps, as there.
"""

import io
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.features import Named
from novikoff.data.fields import first_twice
from novikoff.data.readers import Part, Reading, format
from novikoff.data.readers.tables import (
    Column,
    Indicators,
    gaps_in,
    ignored_columns,
    label_column,
    named_categories,
    remember_label,
    settled,
    stored,
)
from novikoff.data.sources import ReadError, Source
from novikoff.foundation.array_types import Array

FIELDS = 2**20  # turned into numbers together
MAGIC = {b"PAR1": "parquet", b"ARROW1": "file", b"\xff\xff\xff\xff": "stream"}
ROW_NAMES = re.compile(r"__index_level_[0-9]+__")


def _recognises(line: bytes) -> bool:
    return line.startswith((*MAGIC, b"FEA1"))


@format("parquet", ".parquet", ".feather", ".arrow", recognises=_recognises, magic=True)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    schema, batches = _opened(source)
    names = [name for name in schema.names if not ROW_NAMES.fullmatch(name)]
    if len(names) < 2 and not reading.options.unlabelled:
        raise ReadError(f"{source.name}: has {len(names)} column{'s' * (len(names) != 1)}; save features and a label")
    at = label_column(source.name, names, reading)
    categories = named_categories(source.name, names, reading)
    type_of = dict(zip(schema.names, schema.types, strict=True))
    types = [type_of[name] for name in names]
    left_out = ignored_columns(source.name, names, at, reading) | {at}
    columns = [Column(j, name, j in categories or _is_text(types[j])) for j, name in enumerate(names) if j not in left_out]
    columns, features = settled(source.name, columns, reading)
    remember_label(names, at, reading)
    for column in columns:
        _check_type(source.name, column, types[column.at])
    label = None if at is None else Column(at, names[at], True)
    if label is not None:
        _check_type(source.name, label, types[label.at])
    first = 0
    for batch in batches:
        size = max(1, FIELDS // len(names))
        for start in range(0, batch.num_rows, size):
            some = batch.slice(start, size)
            yield _part(Batch(some, first + start, source.name, reading), label, columns, features)
        first += batch.num_rows


# ---- through pyarrow ------------------------------------------------------------------------------------------------


def _opened(source: Source) -> tuple[Any, Iterator[Any]]:
    """What the file says of its columns, and its rows."""
    if find_spec("pyarrow") is None:
        raise ReadError(f"{source.name}: needs pyarrow; run pip install novikoff[parquet]")
    first = source.peek()
    kind = next((kind for magic, kind in MAGIC.items() if first.startswith(magic)), None)
    if kind is None:
        what = "is Feather of version 1" if first.startswith(b"FEA1") else "is neither Parquet nor Arrow"
        raise ReadError(f"{source.name}: {what}; write it again with pyarrow or pandas")
    # both look at the end first; a packed file is unpacked for that
    file: Any = source.file if source.seekable else io.BytesIO(source.whole())
    try:
        schema, batches = _of_kind(kind, file)
        names = schema.names
    except ReadError:
        raise
    except Exception as error:  # pyarrow raises a dozen kinds of a damaged file
        raise _damaged(source.name, error) from None
    if (twice := first_twice(names)) is not None:
        raise ReadError(f"{source.name}: more than one column is called {twice!r}; rename all but one")
    return schema, _all(source.name, batches)


def _of_kind(kind: str, file: Any) -> tuple[Any, Iterator[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind == "parquet":
        parquet = pq.ParquetFile(file)
        return parquet.schema_arrow, _of_parquet(parquet)
    if kind == "stream":
        stream = pa.ipc.open_stream(file)
        return stream.schema, iter(stream)
    reader = pa.ipc.open_file(file)
    return reader.schema, (reader.get_batch(k) for k in range(reader.num_record_batches))


def _of_parquet(parquet: Any) -> Iterator[Any]:
    """All batches; pyarrow may not notice that rows are missing."""
    rows = 0
    for batch in parquet.iter_batches(max(1, FIELDS // max(1, len(parquet.schema_arrow.names)))):
        rows += batch.num_rows
        yield batch
    if rows != parquet.metadata.num_rows:
        raise ValueError(f"it has {rows} rows, but its metadata says {parquet.metadata.num_rows}")


def _all(name: str, batches: Iterator[Any]) -> Iterator[Any]:
    while True:
        try:
            batch = next(batches, None)
            if batch is not None:
                batch.validate(full=True)
        except ReadError:
            raise
        except Exception as error:
            raise _damaged(name, error) from None
        if batch is None:
            return
        yield batch


def _damaged(name: str, error: Exception) -> ReadError:
    why = " ".join(str(error).split())[:200]
    return ReadError(f"{name}: cannot be read as Parquet or Arrow ({why}); write it again")


# ---- types ----------------------------------------------------------------------------------------------------------


def _value_type(kind: Any) -> Any:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    kind = _value_type(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view")


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    kind = _value_type(kind)
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind))


def _check_type(name: str, column: Column, kind: Any) -> None:
    if not _is_text(kind) and not _is_number(kind):
        raise ReadError(f"{name}: {column.place} has the type {kind}; leave it out, or make it numbers or text")
    if _is_text(kind) and not column.categories:
        raise ReadError(f"{name}: {column.place} has text, but earlier files have numbers there; use numbers")


# ---- a batch of rows ------------------------------------------------------------------------------------------------


class Batch(NamedTuple):
    rows: Any  # of pyarrow
    first: int  # the number of the first
    name: str  # of the file
    reading: Reading


class Texts(NamedTuple):
    """What rows hold in a column."""

    kinds: list[str]  # the different ones; "" where there is nothing
    kind_of: Array


def _part(batch: Batch, label: Column | None, columns: list[Column], features: Named) -> Part:
    options, n = batch.reading.options, batch.rows.num_rows
    plain = [column for column in columns if not column.categories]
    held = [column for column in columns if column.categories]
    wrong: dict[int, tuple[Column, str]] = {}  # of bad rows, the first thing that is wrong
    values, texts = np.empty((n, len(plain))), []
    for column in columns:
        missing = _missing(batch, column)
        if missing.any() and not options.prepared:
            _note(missing, "the value is missing; fill it in or leave the row out; fit fills it in", column, wrong)
        if column.categories:
            texts.append(_texts(batch, column))
    for k, column in enumerate(plain):
        values[:, k] = _numbers(batch, column)
        allowed = _missing(batch, column) | np.isnan(values[:, k]) if options.prepared else _missing(batch, column)
        values[allowed, k] = np.nan
        _note(~np.isfinite(values[:, k]) & ~allowed, "the value is not finite; fill it in or leave the row out", column, wrong)
    codes = _codes(batch, label, wrong)
    for row in sorted(wrong):
        column, why = wrong[row]
        batch.reading.bad(lambda row=row, column=column: f"{batch.name}: row {batch.first + row}, {column.place}", why)  # type: ignore[misc]
    bad = np.array(sorted(wrong), np.int64)
    held_by = _indicators(held, texts, gaps_in(options), n, features)
    if not len(bad):
        return Part(stored(values, plain, held_by, features, options), codes)
    kept = np.delete(np.arange(n), bad)
    held_by = held_by._replace(kind_of=held_by.kind_of[kept])
    return Part(stored(values[kept], plain, held_by, features, options), codes[kept], None, bad - np.arange(len(bad)))


def _indicators(held: list[Column], texts: list[Texts], gaps: frozenset[str], n: int, features: Named) -> Indicators:
    """The kinds of all columns under one numbering."""
    sizes = [len(some.kinds) for some in texts]
    before = np.cumsum([0, *sizes])[:-1]
    names = [column.indicator(text, gaps) for column, some in zip(held, texts, strict=True) for text in some.kinds]
    ats = np.repeat([column.at for column in held], sizes).astype(np.int64)
    kind_of = [some.kind_of + first for some, first in zip(texts, before.tolist(), strict=True)]
    together = np.column_stack(kind_of).astype(np.int32) if held else np.zeros((n, 0), np.int32)
    return Indicators(together, features.found(names), ats, names.__getitem__)


def _note(bad: Array, why: str, column: Column, wrong: dict[int, tuple[Column, str]]) -> None:
    for row in np.flatnonzero(bad).tolist():
        wrong.setdefault(row, (column, why))


def _column(batch: Batch, column: Column) -> Any:
    array = batch.rows.column(column.name)
    array = array.dictionary_decode() if hasattr(array, "dictionary") else array
    return array.cast("string") if str(array.type) == "string_view" else array


def _missing(batch: Batch, column: Column) -> Array:
    """Rows that have nothing in the column, or an empty text."""
    import pyarrow.compute as pc

    array = _column(batch, column)
    missing = pc.fill_null(pc.equal(array, ""), True) if _is_text(array.type) else array.is_null()
    found: Array = missing.to_numpy(zero_copy_only=False)
    return found


def _numbers(batch: Batch, column: Column) -> Array:
    array = _column(batch, column)
    if str(array.type) != "halffloat":
        array = array.cast("float64", safe=False)
    return np.asarray(array.to_numpy(zero_copy_only=False), np.float64)


def _texts(batch: Batch, column: Column, rows: Array | None = None) -> Texts:
    """What these rows, or all, hold, as text."""
    array = _column(batch, column)
    array = (array if rows is None else array.take(rows)).dictionary_encode(null_encoding="encode")
    return Texts(list(map(_as_text, array.dictionary.to_pylist())), array.indices.to_numpy(zero_copy_only=False))


def _as_text(value: Any) -> str:
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)


def _codes(batch: Batch, label: Column | None, wrong: dict[int, tuple[Column, str]]) -> Array:
    """The codes of the labels. Rows with an invalid label are added to the wrong ones."""
    labels, n = batch.reading.labels, batch.rows.num_rows
    if label is None:
        return np.full(n, labels.none(), np.int32)
    codes: Array = np.full(n, -1, np.int32)
    missing = _missing(batch, label)
    if not batch.reading.options.unlabelled:
        _note(missing, "the value is missing; fill it in or leave the row out", label, wrong)
    good = np.ones(n, bool)
    good[list(wrong)] = False
    if (missing & good).any():
        codes[missing] = labels.none()
    rows = np.flatnonzero(good & ~missing)
    held = _texts(batch, label, rows)
    numbers, invalid = labels.codes_of([text.strip() for text in held.kinds])
    codes[rows] = numbers[held.kind_of]
    for kind, why in invalid.items():
        _note(np.isin(np.arange(n), rows[held.kind_of == kind]), why, label, wrong)
    return codes
