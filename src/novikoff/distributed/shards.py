"""One shard on its worker: it is read once, and prepared as examples with the columns and classes that all shards share.

A shard is a file, or a block of an array or a table. All functions here run on a worker, in the one thread of their task.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from dask.sizeof import sizeof

from novikoff.data.features import NOWHERE, Features, Hashed, Named, Numbered, features_of, together
from novikoff.data.matrices import widened
from novikoff.data.preparation import Statistics
from novikoff.data.preparer import NOT_PREPARED, Preparer, Wanted, is_of_words, preparer_for, statistics_of, tensors_of
from novikoff.data.readers import Dataset, Labelled, NoRowsError, Options
from novikoff.data.readers.tables import Known
from novikoff.data.sources import ReadError
from novikoff.engine.labelled_rows import Examples, examples, sorted_classes
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.foundation.parallel import one_thread

TABLES = ("csv", "parquet")  # formats in which a column holds either numbers or categories


class Shard(NamedTuple):
    """Rows and labels as they were read, with the features of this shard alone."""

    name: str  # of the file or the block
    data: Labelled | None  # None if there are no rows
    features: Features | None
    format: str = ""
    skipped: tuple[str, ...] = ()  # messages about the first few lines that were skipped
    n_skipped: int = 0
    label: str | None = None  # what the header calls the column of the label


class ShardSummary(NamedTuple):
    """What the client needs to know of a shard before training."""

    name: str
    format: str
    rows: int
    entries: int
    classes: Array  # of the rows that count
    counts: Array
    features: Features | None
    skipped: tuple[str, ...]
    n_skipped: int
    statistics: dict[str, Array] | None = None  # of the columns, if rows are to be prepared
    label: str | None = None


class PreparedShard(NamedTuple):
    """A shard that is ready for training."""

    name: str
    examples: Examples
    features: Features  # of this shard alone, for their names

    @property
    def rows(self) -> Matrix:
        """The rows as a matrix."""
        rows = self.examples.sheet.rows
        if hasattr(rows, "X"):
            return rows.X
        signed = [array.view(array.dtype.str.replace("u", "i")) for array in (rows.indices, rows.indptr)]
        return sp.csr_array((rows.data, *signed), shape=(len(self.examples), self.examples.width))

    @property
    def labels(self) -> Array:
        """The labels of the rows."""
        return self.examples.classes[self.examples.sheet.code]


# Dask spills large objects to disk and avoids moving them, but does not know the size of SciPy's sparse arrays.
def _bytes_of(X: Matrix) -> int:
    return sum(part.nbytes for part in ((X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)))


def _size_of_shard(shard: Shard) -> int:
    return 1000 + (0 if shard.data is None else _bytes_of(shard.data.X) + shard.data.y.nbytes)


def _size_of_kept(kept: PreparedShard) -> int:
    return 1000 + _bytes_of(kept.rows) + sum(part.nbytes for part in kept.examples.sheet[1:])


sizeof.register(Shard, _size_of_shard)
sizeof.register(PreparedShard, _size_of_kept)


def shard_of_file(path: str, options: Options) -> Shard:
    """Read a file as a shard."""
    with one_thread():
        dataset = Dataset([path], options)
        try:
            data = dataset.read()
        except NoRowsError:
            return Shard(path, None, None)
        reading = dataset.reading
        return Shard(path, data, dataset.features, reading.format, tuple(reading.skipped), reading.n_skipped, reading.label)


def as_rows(name: str, X: Any) -> Matrix:
    """A block as a contiguous array or CSR matrix of floats."""
    try:
        checked(X)
    except ValueError as error:
        raise ReadError(f"{name}: {error}") from None
    X = sp.csr_array(X) if sp.issparse(X) else np.ascontiguousarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ReadError(f"{name}: rows must be a two-dimensional array of numbers; this has shape {X.shape} and type {X.dtype}")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def shard_of_block(name: str, X: Any, y: Any) -> Shard:
    """A block of rows and a block of labels as a shard."""
    columns = [str(column) for column in X.columns] if hasattr(X, "columns") else None
    if columns is not None and not all(kind.kind in "biuf" for kind in X.dtypes):
        strange = next(column for column, kind in zip(columns, X.dtypes, strict=True) if kind.kind not in "biuf")
        raise ReadError(f"{name}: the column {strange!r} does not hold numbers; encode it, or leave it out")
    X = as_rows(name, X)
    try:
        y = np.asarray(unmasked(y, "y"))
    except ValueError as error:
        raise ReadError(f"{name}: {error}") from None
    if y.ndim != 1 or len(y) != X.shape[0]:
        raise ReadError(f"{name}: has {X.shape[0]} rows and labels of shape {y.shape}; each row needs one label")
    if not len(y):
        return Shard(name, None, None)
    return Shard(name, Labelled(X, y), Numbered(0, X.shape[1]) if columns is None else Named(columns))


def summary_of(shard: Shard, wanted: Wanted = NOT_PREPARED) -> ShardSummary:
    """The summary of a shard."""
    if shard.data is None:
        return ShardSummary(shard.name, "", 0, 0, np.zeros(0), np.zeros(0, np.int64), None, (), 0)
    X, y, _, weight = shard.data
    counting = y if weight is None else y[weight != 0]
    try:
        classes = sorted_classes(counting)
    except ValueError as error:
        raise ReadError(f"{shard.name}: {error}") from None
    counts = np.bincount(np.searchsorted(classes, counting), minlength=len(classes))
    features = shard.features
    if isinstance(features, Hashed):
        features = Hashed(*features.way, features.scheme)  # names are fetched later, for large weights only
    entries = X.nnz if sp.issparse(X) else X.size
    found = None
    if wanted.prepare and features is not None:
        known = Statistics()
        known.add(X)
        found = tensors_of(known, is_of_words(features))
    return ShardSummary(
        shard.name, shard.format, len(y), entries, classes, counts, features, shard.skipped, shard.n_skipped, found, shard.label
    )


class Agreement(NamedTuple):
    """The classes and features that all shards share."""

    classes: Array
    counts: Array  # of the rows that count
    features: Features
    rows: int
    entries: int
    preparer: Preparer | None = None


def agreement_of(*summaries: ShardSummary, wanted: Wanted = NOT_PREPARED) -> Agreement:
    """All classes with their counts, and all features, in the order of the shards; and how rows are prepared."""
    if not summaries:
        raise ReadError("no shard has any rows; give files with one labelled row per line")
    first = summaries[0]
    for other in summaries[1:]:
        if other.format != first.format:
            raise ReadError(f"{other.name}: is {other.format}, but {first.name} is {first.format}; give files of one format")
        if (other.classes.dtype.kind in "biuf") != (first.classes.dtype.kind in "biuf"):
            numbers, words = (other, first) if other.classes.dtype.kind in "biuf" else (first, other)
            raise ReadError(
                f"the labels of {numbers.name} are numbers, but those of {words.name} are not; use numbers in all or in none"
            )
    classes = np.unique(np.concatenate([summary.classes for summary in summaries]))
    if len(classes) == 1:
        raise ReadError(f"all rows are of class {classes.tolist()[0]}; learning needs two classes or more")
    counts = np.zeros(len(classes), np.int64)
    for summary in summaries:
        counts[np.searchsorted(classes, summary.classes)] += summary.counts
    if not len(classes):
        raise ReadError("every sample weight is zero: there is nothing to learn from")
    if first.format in TABLES:
        _check_columns(summaries)
    try:
        features = together([summary.features for summary in summaries if summary.features is not None])
    except ValueError as error:
        raise ReadError(f"the shards do not fit together: {error}; give files of one kind") from None
    rows, entries = sum(summary.rows for summary in summaries), sum(summary.entries for summary in summaries)
    preparer = preparer_for(wanted, features, _together(summaries, features)) if wanted.prepare else None
    return Agreement(classes, counts, features, rows, entries, preparer)


def _together(summaries: Sequence[ShardSummary], features: Features) -> Statistics:
    """The statistics of all shards, in the columns that they share."""
    found = Statistics()
    for summary in summaries:
        assert summary.statistics is not None, "the shards were asked for them"
        assert summary.features is not None, "and rows have features"
        places = features.places(summary.features, summary.statistics["columns"])
        found.join(statistics_of(summary.rows, summary.statistics | {"columns": places}, features.width))
    return found


def _check_columns(summaries: Sequence[ShardSummary]) -> None:
    """Refuse a column that holds numbers in one table and categories in another."""
    numeric: dict[str, str] = {}
    categories: dict[str, str] = {}
    for summary in summaries:
        assert isinstance(summary.features, Named), "tables have names"
        known = Known(summary.features)
        plain = {name for name in known.numeric if "=" not in name}
        for mine, others, what in ((plain, categories, "numbers"), (known.categories, numeric, "categories")):
            for name in sorted(mine & others.keys()):
                other = "categories" if what == "numbers" else "numbers"
                raise ReadError(
                    f"{summary.name}: the column {name} holds {what}, but {other} in {others[name]}; "
                    f"name it among the categories (--categories {name})"
                )
        numeric |= dict.fromkeys(plain, summary.name)
        categories |= dict.fromkeys(known.categories, summary.name)


def prepared(shard: Shard, agreement: Agreement, constant: int) -> PreparedShard:
    """The shard as examples with the columns and classes that all shards share."""
    assert shard.data is not None, "shards without rows are skipped"
    assert shard.features is not None, "and rows have features"
    X, y, _, weight = shard.data
    with one_thread():
        try:
            X = _with_shared_columns(X, shard.features, agreement.features)
            if agreement.preparer is not None:
                X = agreement.preparer.apply(X, agreement.features)
            seen = examples(X, y, constant=constant, weight=weight, threads=1).coded_in(agreement.classes)
        except ValueError as error:
            raise ReadError(f"{shard.name}: {error}") from None
    return PreparedShard(shard.name, seen, shard.features)


def _with_shared_columns(X: Matrix, own: Features, features: Features) -> Matrix:
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


def names_of(kept: PreparedShard, columns: Array) -> tuple[dict[str, Any], dict[str, Array]]:
    """The names of hashed features in these columns, as this shard has them."""
    return kept.features.header(), kept.features.tensors(columns)


def add_names(features: Hashed, answers: list[tuple[dict[str, Any], dict[str, Array]]]) -> None:
    """Add the names that the shards have found."""
    for header, tensors in answers:
        other = features_of(header, tensors)
        assert isinstance(other, Hashed), "the shards agree on what features are"
        features.take_names(other)
