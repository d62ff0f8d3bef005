"""What a worker does with a part of the data: read it once, keep it as examples whose columns and classes all parts agree on.

A shard is a file, or a block of an array or of a table. Everything here runs on a worker, in the one thread of its task.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from dask.sizeof import sizeof

from novikoff.data.features import NOWHERE, Features, Hashed, Named, Numbered, features_of, together
from novikoff.data.readers import Dataset, Labelled, NoRowsError, Options, widened
from novikoff.data.readers.csv import Known
from novikoff.data.sources import ReadError
from novikoff.engine.labelled_rows import Examples, examples, sorted_classes
from novikoff.engine.storages import Array
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.foundation.parallel import one_thread

TABLES = ("csv", "parquet")  # formats whose columns hold numbers or categories, the same in every row


class Shard(NamedTuple):
    """Rows and labels as they came, and what their columns mean there."""

    name: str  # of the file, or which block it is
    data: Labelled | None  # None where there are no rows
    features: Features | None
    format: str = ""
    skipped: tuple[str, ...] = ()  # sentences about lines that were left out, the first few
    n_skipped: int = 0


class Notice(NamedTuple):
    """What the others must know of a shard before any of them can learn."""

    name: str
    format: str
    rows: int
    entries: int
    classes: Array  # of the rows that count
    counts: Array
    features: Features | None
    skipped: tuple[str, ...]
    n_skipped: int


class Kept(NamedTuple):
    """A shard that is ready to be learned from, as often as need be."""

    name: str
    examples: Examples
    features: Features  # as they were read, for their names

    @property
    def rows(self) -> Any:
        """The rows as a matrix."""
        rows = self.examples.sheet.rows
        if hasattr(rows, "X"):
            return rows.X
        signed = [array.view(array.dtype.str.replace("u", "i")) for array in (rows.indices, rows.indptr)]
        return sp.csr_array((rows.data, *signed), shape=(len(self.examples), self.examples.width))

    @property
    def labels(self) -> Array:
        """Their labels."""
        return self.examples.classes[self.examples.sheet.code]


# Dask spills, and leaves where it is, what it knows to be large; of SciPy's sparse arrays it does not.
def _bytes_of(X: Any) -> int:
    return sum(part.nbytes for part in ((X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)))


def _size_of_shard(shard: Shard) -> int:
    return 1000 + (0 if shard.data is None else _bytes_of(shard.data.X) + shard.data.y.nbytes)


def _size_of_kept(kept: Kept) -> int:
    return 1000 + _bytes_of(kept.rows) + sum(part.nbytes for part in kept.examples.sheet[1:])


sizeof.register(Shard, _size_of_shard)
sizeof.register(Kept, _size_of_kept)


def read(path: str, options: Options) -> Shard:
    """The shard in this file."""
    with one_thread():
        dataset = Dataset([path], options)
        try:
            data = dataset.read()
        except NoRowsError:
            return Shard(path, None, None)
        reading = dataset.reading
        return Shard(path, data, dataset.features, reading.format, tuple(reading.skipped), reading.n_skipped)


def as_rows(name: str, X: Any) -> Any:
    """A block as the kernels take it."""
    try:
        checked(X)
    except ValueError as error:
        raise ReadError(f"{name}: {error}") from None
    X = sp.csr_array(X) if sp.issparse(X) else np.ascontiguousarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ReadError(f"{name}: rows of shape {X.shape} and type {X.dtype} are no table of numbers")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def taken(name: str, X: Any, y: Any) -> Shard:
    """The shard that a block of rows, and one of labels, is."""
    columns = [str(column) for column in X.columns] if hasattr(X, "columns") else None
    if columns is not None and not all(kind.kind in "biuf" for kind in X.dtypes):
        strange = next(column for column, kind in zip(columns, X.dtypes, strict=True) if kind.kind not in "biuf")
        raise ReadError(f"{name}: the column {strange!r} holds no numbers; encode it, or leave it out")
    X = as_rows(name, X)
    try:
        y = np.asarray(unmasked(y, "y"))
    except ValueError as error:
        raise ReadError(f"{name}: {error}") from None
    if y.ndim != 1 or len(y) != X.shape[0]:
        raise ReadError(f"{name}: has {X.shape[0]} rows and labels of shape {y.shape}; each row needs one")
    if not len(y):
        return Shard(name, None, None)
    return Shard(name, Labelled(X, y), Numbered(0, X.shape[1]) if columns is None else Named(columns))


def noticed(shard: Shard) -> Notice:
    """What the others must know of it."""
    if shard.data is None:
        return Notice(shard.name, "", 0, 0, np.zeros(0), np.zeros(0, np.int64), None, (), 0)
    X, y, _, weight = shard.data
    counting = y if weight is None else y[weight != 0]
    try:
        classes = sorted_classes(counting)
    except ValueError as error:
        raise ReadError(f"{shard.name}: {error}") from None
    counts = np.bincount(np.searchsorted(classes, counting), minlength=len(classes))
    features = shard.features
    if isinstance(features, Hashed):
        features = Hashed(*features.way, features.scheme)  # names would be much to send; those of large weights are asked later
    entries = X.nnz if sp.issparse(X) else X.size
    return Notice(shard.name, shard.format, len(y), entries, classes, counts, features, shard.skipped, shard.n_skipped)


class Agreement(NamedTuple):
    """What all shards hold to."""

    classes: Array
    counts: Array  # of the rows that count
    features: Features
    rows: int
    entries: int


def agreed(*notices: Notice) -> Agreement:
    """All classes, how many rows each has, and features with a column for those of every shard, in their order."""
    if not notices:
        raise ReadError("no shard has any rows; give files with one labelled row a line")
    first = notices[0]
    for other in notices[1:]:
        if other.format != first.format:
            raise ReadError(f"{other.name}: is {other.format}, but {first.name} is {first.format}; give files of one format")
        if (other.classes.dtype.kind in "biuf") != (first.classes.dtype.kind in "biuf"):
            numbers, words = (other, first) if other.classes.dtype.kind in "biuf" else (first, other)
            raise ReadError(
                f"the labels of {numbers.name} are numbers, and those of {words.name} are not; make all of them numbers, or none"
            )
    classes = np.unique(np.concatenate([notice.classes for notice in notices]))
    if len(classes) == 1:
        raise ReadError(f"all rows are of class {classes.tolist()[0]}; learning needs two classes or more")
    counts = np.zeros(len(classes), np.int64)
    for notice in notices:
        counts[np.searchsorted(classes, notice.classes)] += notice.counts
    if not len(classes):
        raise ReadError("every sample weight is zero: there is nothing to learn from")
    if first.format in TABLES:
        _check_columns(notices)
    try:
        features = together([notice.features for notice in notices if notice.features is not None])
    except ValueError as error:
        raise ReadError(f"the shards do not fit together: {error}; give files of one kind") from None
    return Agreement(classes, counts, features, sum(notice.rows for notice in notices), sum(notice.entries for notice in notices))


def _check_columns(notices: Sequence[Notice]) -> None:
    """A column of tables must hold numbers in all of them, or categories."""
    numeric: dict[str, str] = {}
    categories: dict[str, str] = {}
    for notice in notices:
        assert isinstance(notice.features, Named), "tables have names"
        known = Known(notice.features)
        plain = {name for name in known.numeric if "=" not in name}
        for mine, others, what in ((plain, categories, "numbers"), (known.categories, numeric, "categories")):
            for name in sorted(mine & others.keys()):
                other = "categories" if what == "numbers" else "numbers"
                raise ReadError(
                    f"{notice.name}: the column {name} holds {what}, but {other} in {others[name]}; "
                    f"name it among the categories (--categories {name})"
                )
        numeric |= dict.fromkeys(plain, notice.name)
        categories |= dict.fromkeys(known.categories, notice.name)


def settled(shard: Shard, agreement: Agreement, constant: int) -> Kept:
    """The shard as examples, its columns where all shards have them."""
    assert shard.data is not None, "shards without rows are left out"
    assert shard.features is not None, "and rows have features"
    X, y, _, weight = shard.data
    with one_thread():
        try:
            X = _placed(X, shard.features, agreement.features)
            seen = examples(X, y, constant=constant, weight=weight, threads=1).coded_in(agreement.classes)
        except ValueError as error:
            raise ReadError(f"{shard.name}: {error}") from None
    return Kept(shard.name, seen, shard.features)


def _placed(X: Any, own: Features, features: Features) -> Any:
    places = features.places(own, np.arange(own.width))
    if np.array_equal(places, np.arange(len(places))):
        return widened(X, features.width)
    if sp.issparse(X):
        moved = sp.csr_array((X.data, places[X.indices], X.indptr), shape=(X.shape[0], features.width))
        moved.sort_indices()
        return moved
    wide = np.zeros((X.shape[0], features.width), X.dtype)
    wide[:, places[places != NOWHERE]] = X[:, places != NOWHERE]
    return wide


def names_of(kept: Kept, columns: Array) -> tuple[dict[str, Any], dict[str, Array]]:
    """The names that hashed features had here, of these columns."""
    return kept.features.header(), kept.features.tensors(columns)


def with_names(features: Hashed, told: list[tuple[dict[str, Any], dict[str, Array]]]) -> None:
    """Take over the names that the shards have told."""
    for header, tensors in told:
        other = features_of(header, tensors)
        assert isinstance(other, Hashed), "the shards agree on what features are"
        features.take_names(other)
