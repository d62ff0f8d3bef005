"""The .nvkd format: rows in their in-memory layout, read in blocks without parsing, for many passes over large data.

The layout is that of safetensors: the length of a JSON header in eight bytes, the header, and the arrays one after another. The
value of "novikoff" in the header is itself JSON: rows, width, the texts of labels and how features get their columns.

The file is not memory-mapped: if a mapped file is truncated, the process crashes (docs/decisions/files.md). A block is read into
its own memory and checked there, each time that it is read.
"""

import io
import json
import math
import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from novikoff.data.features import NOWHERE, Features, features_of
from novikoff.data.matrices import known_only, matrix, widened
from novikoff.data.opening import opened
from novikoff.data.readers import Dataset, Labelled, Part, Reading, format
from novikoff.data.sources import ReadError, Source
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.atomic_files import write_whole
from novikoff.foundation.matrix_checks import checked

FORMAT, VERSION = "novikoff data", 2  # version 1 has other tables of hashed names, which `Hashed` knows
AT_A_TIME = 2**22  # approximate bytes of a block
LONGEST_HEADER = 2**24
WIDEST = 2**31 - 1  # columns are stored in 32 bits while there are fewer entries than that
ALIGNED = 64  # arrays begin at multiples of this many bytes
# Types of arrays as safetensors names them: the letter of the kind, and the bits.
NAMES = {
    kind: f"{kind.kind.upper()}{8 * kind.itemsize}"
    for kind in map(np.dtype, (np.float64, np.int64, np.int32, np.uint32, np.uint8))
}
TYPES = {name: kind for kind, name in NAMES.items()}
# The types that each array of rows may have.
OF_ROWS: dict[str, tuple[Any, ...]] = {
    "values": (np.float64,),
    "dense": (np.float64,),
    "weight": (np.float64,),
    "columns": (np.int32, np.int64),
    "starts": (np.int32, np.int64),
    "codes": (np.int32,),
}


def _recognises(line: bytes) -> bool:
    return line[8:40].startswith(b'{"__metadata__":{"novikoff":') and b"novikoff data" in line


@format("nvkd", ".nvkd", recognises=_recognises, magic=True)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    rows = _Rows(source, reading)
    step = max(1, rows.count) if reading.whole else rows.in_a_block
    for first in range(0, rows.count, step):
        yield rows.part(first, min(first + step, rows.count))


class Blocks:
    """The blocks of an open converted file. They can be read in any order and any number of times."""

    def __init__(self, rows: "_Rows", reading: Reading) -> None:
        self._rows, self._reading = rows, reading
        self.rows: int = rows.count
        self.entries: int = rows.entries

    def __len__(self) -> int:
        return -(-self.rows // int(self._rows.in_a_block))

    def __getitem__(self, k: int) -> Labelled:
        part = self._rows.part(*self._span(k))
        return Labelled(part.X, self._reading.labels.of(part.codes), None, part.weight)

    def labels(self) -> Array:
        """The distinct labels that occur. `reading` counts them."""
        labels, each = self._reading.labels, []
        for first, last in map(self._span, range(len(self))):
            codes = self._rows.codes(first, last)
            labels.count(codes, self._reading.name, first)
            each.append(np.unique(codes))
        return np.unique(labels.of(np.unique(np.concatenate(each))))

    def _span(self, k: int) -> tuple[int, int]:
        size = self._rows.in_a_block
        return k * size, min((k + 1) * size, self.rows)


@contextmanager
def blocks_of(dataset: Dataset) -> Iterator[Blocks]:
    """The blocks of a dataset that is one converted file."""
    (path,) = dataset.paths
    reading = dataset.begin()
    with opened(path) as source:
        rows = _Rows(source, reading)
        dataset.features = reading.features
        yield Blocks(rows, reading)


class _Stored(NamedTuple):
    """Where an array is in the file."""

    kind: Any
    shape: tuple[int, ...]
    at: int

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * int(self.kind.itemsize)


class _Rows:
    """The rows of an open converted file, with the columns and labels of `reading`."""

    def __init__(self, source: Source, reading: Reading) -> None:
        if reading.options.label is not None:
            raise ReadError(f"{source.name}: has its labels already; leave the label column out")
        self._name = source.name
        self._file: Any = source.file if source.seekable else io.BytesIO(source.whole())
        self._state = self._stat()
        try:
            self._open()
        except ReadError:
            raise
        except Exception:  # any error that a damaged header causes
            raise _damaged(source.name) from None
        self._features: Features = reading.features_of(type(self._own), lambda: self._own, source.name)
        self._code_of = reading.labels.codes(self._labels, lambda k: f"{source.name}: label {k}")
        try:
            self._places = self._find_places()
        except ReadError:
            raise
        except (ValueError, MemoryError) as error:
            raise ReadError(f"{source.name}: {error}; convert it again with the same options as the others") from None

    def _open(self) -> None:
        """Read the header and the features. Raises an error if the file is inconsistent."""
        size = int(self._file.seek(0, io.SEEK_END))
        length = int(self._filled(np.empty(1, "<u8"), 0)[0])
        if length > min(LONGEST_HEADER, size):
            raise _damaged(self._name)
        table = json.loads(self._filled(np.empty(length, np.uint8), 8).tobytes())
        about = json.loads(table.pop("__metadata__")["novikoff"])
        if about["format"] != FORMAT:
            raise ReadError(f"{self._name}: is not a .nvkd file; create it with `novikoff convert`")
        if about["version"] not in range(1, VERSION + 1):
            raise ReadError(
                f"{self._name}: has version {about['version']}, but this program reads up to {VERSION}; convert the data again"
            )
        self._arrays = {name: _stored(entry, 8 + length, size) for name, entry in table.items()}
        of_features = {name: self._read(name, 0, math.prod(a.shape)) for name, a in self._arrays.items() if name not in OF_ROWS}
        self._own = features_of(about["features"], {name.removeprefix("features."): a for name, a in of_features.items()})
        self.count, self._width, self._labels = about["rows"], about["width"], about["labels"]
        self._check()
        self.entries = math.prod(self._arrays["dense" if self._is_dense else "values"].shape)
        of_rows = sum(array.nbytes for name, array in self._arrays.items() if name in OF_ROWS)
        self.in_a_block = max(1, AT_A_TIME * self.count // max(1, of_rows))

    def _check(self) -> None:
        rows, width, arrays = self.count, self._width, self._arrays
        self._is_dense = "dense" in arrays
        lengths = {"codes": rows}
        lengths |= (
            {"dense": rows * width}
            if self._is_dense
            else {"starts": rows + 1} | dict.fromkeys(("values", "columns"), math.prod(arrays["values"].shape))
        )
        lengths |= {"weight": rows} if "weight" in arrays else {}
        good = all(type(number) is int and 0 <= number <= most for number, most in ((rows, 2**62), (width, WIDEST)))
        good &= self._own.width == width and all(isinstance(text, str) for text in self._labels)
        good &= all(math.prod(arrays[name].shape) == length for name, length in lengths.items())
        good &= all(arrays[name].kind in OF_ROWS[name] for name in lengths)
        if not good or not (self._is_dense or self._starts(0, 0)[0] == 0):
            raise _damaged(self._name)

    # ---- rows -------------------------------------------------------------------------------------------------------

    def part(self, first: int, last: int) -> Part:
        """The rows first…last−1."""
        X = self._placed(self._dense(first, last) if self._is_dense else self._sparse(first, last))
        codes = self.codes(first, last)
        weight = self._read("weight", first, last - first) if "weight" in self._arrays else None
        self._require_unchanged()
        return Part(X, codes, weight)

    def codes(self, first: int, last: int) -> Array:
        """The labels of the rows first…last−1, as numbers of `reading`."""
        codes = self._read("codes", first, last - first)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(self._labels):
            raise _damaged(self._name)
        return self._code_of[codes]

    def _dense(self, first: int, last: int) -> Array:
        return self._read("dense", first * self._width, (last - first) * self._width).reshape(last - first, self._width)

    def _sparse(self, first: int, last: int) -> Matrix:
        starts = self._starts(first, last)
        begin, end = int(starts[0]), int(starts[-1])
        if not 0 <= begin <= end <= self.entries:
            raise _damaged(self._name)
        values, columns = (self._read(name, begin, end - begin) for name in ("values", "columns"))
        X = matrix(values, columns, starts - starts.dtype.type(begin), self._width)
        try:
            return checked(X)
        except ValueError:
            raise _damaged(self._name) from None

    def _starts(self, first: int, last: int) -> Array:
        """Where the rows first…last begin. The start of row `last` is the end of the one before."""
        return self._read("starts", first, last - first + 1)

    # ---- columns ----------------------------------------------------------------------------------------------------

    def _find_places(self) -> Array | None:
        """The column of each column of the file in the features of the reading; None if they are the same."""
        own, features = self._own, self._features
        if own is features or _alike(own, features):
            return None
        met = np.arange(own.width if self.count else 0) if self._is_dense else self._columns_met()
        found = features.places(own, met)
        if (found == met).all():
            return None
        places = np.full(own.width, NOWHERE, np.int32)
        places[met] = found
        return places

    def _columns_met(self) -> Array:
        """The columns that occur. Feature numbers that do not occur need no column."""
        has = np.zeros(self._width, bool)
        for first in range(0, self.entries, AT_A_TIME):
            columns = self._read("columns", first, min(AT_A_TIME, self.entries - first))
            if not 0 <= columns.min() <= columns.max() < self._width:
                raise _damaged(self._name)
            has[columns] = True
        return np.flatnonzero(has)

    def _placed(self, X: Matrix) -> Matrix:
        places, width = self._places, self._features.width
        if places is None:
            return widened(X, width)
        if hasattr(X, "indptr"):
            return matrix(*known_only(X.data, places[X.indices], X.indptr), width).sorted_indices()
        placed = np.zeros((X.shape[0], width))
        placed[:, places[places != NOWHERE]] = X[:, places != NOWHERE]
        return placed

    # ---- the file ---------------------------------------------------------------------------------------------------

    def _read(self, name: str, first: int, count: int) -> Array:
        """`count` numbers of an array, from `first` on."""
        kind, _, at = self._arrays[name]
        return self._filled(np.empty(count, kind), at + first * kind.itemsize)

    def _filled(self, array: Array, at: int) -> Array:
        """The array, filled with the bytes of the file from `at` on."""
        self._file.seek(at)
        if self._file.readinto(array.view(np.uint8)) != array.nbytes:
            self._require_unchanged()
            raise _damaged(self._name)
        return array

    def _require_unchanged(self) -> None:
        if self._stat() != self._state:
            raise ReadError(f"{self._name}: was changed while it was read; run again when no program writes to it")

    def _stat(self) -> tuple[int, ...]:
        """Size and modification time, which show whether a file on disk was changed."""
        try:
            found = os.fstat(self._file.fileno())
        except (OSError, AttributeError):  # not a file of the operating system
            return ()
        return found.st_size, found.st_mtime_ns


def _stored(entry: Any, begin: int, size: int) -> _Stored:
    """The array that an entry of the header describes. Raises an error if it does not lie within the file."""
    (first, last), shape = entry["data_offsets"], tuple(entry["shape"])
    array = _Stored(TYPES[entry["dtype"]], shape, begin + first)
    good = all(type(number) is int and number >= 0 for number in (first, last, *shape))
    if not good or array.nbytes != last - first or begin + last > size:
        raise ValueError
    return array


def _alike(own: Features, features: Features) -> bool:
    """Whether all columns are the same in both, whether or not they occur."""
    a, b = own.tensors(), features.tensors()
    return own.header() == features.header() and a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def _damaged(name: str) -> ReadError:
    return ReadError(f"{name}: is damaged or cut short; convert the data again")


# ---- writing --------------------------------------------------------------------------------------------------------


class _Column:
    """An array that grows in a temporary file."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.length, self.file = np.dtype(kind), 0, tempfile.TemporaryFile()  # noqa: SIM115 (`convert` closes it)

    def add(self, array: Array) -> None:
        self.file.write(np.ascontiguousarray(array, self.kind).data)
        self.length += array.size


def convert(dataset: Dataset, path: str) -> int:
    """Write the dataset to a .nvkd file, completely or not at all. Returns the number of rows."""
    columns: dict[str, _Column] = {}
    rows, entries, weighted = 0, 0, False

    def add(name: str, kind: Any, array: Array) -> None:
        if name not in columns:
            columns[name] = _Column(kind)
        columns[name].add(array)

    try:
        for part in dataset.parts():
            if part.weight is not None and not weighted:
                weighted = True
                add("weight", np.float64, np.ones(rows))
            if hasattr(part.X, "indptr"):
                add("values", np.float64, part.X.data)
                add("columns", np.int32, part.X.indices)
                add("starts", np.int64, part.X.indptr[:-1].astype(np.int64) + entries)
                entries += int(part.X.indptr[-1])
            else:
                add("dense", np.float64, part.X)
            add("codes", np.int32, part.codes)
            if weighted:
                add("weight", np.float64, np.ones(len(part.codes)) if part.weight is None else part.weight)
            rows += len(part.codes)
        if "starts" in columns:
            add("starts", np.int64, np.array([entries]))
        assert dataset.features is not None
        for name, array in dataset.features.tensors().items():
            add(f"features.{name}", array.dtype, array)
        write_whole(path, lambda file: _assemble(file, dataset, columns, rows, entries))
    finally:
        for column in columns.values():
            column.file.close()
    return rows


def _assemble(file: BinaryIO, dataset: Dataset, columns: dict[str, _Column], rows: int, entries: int) -> None:
    features = dataset.features
    assert features is not None
    about = {
        "format": FORMAT,
        "version": VERSION,
        "rows": rows,
        "width": features.width,
        "labels": dataset.reading.labels.texts,
        "features": features.header(),
    }
    narrow = entries < 2**31  # SciPy uses the wider type of the two for both columns and starts
    table: dict[str, Any] = {"__metadata__": {"novikoff": json.dumps(about)}}
    index = np.dtype(np.int32 if narrow else np.int64)
    kinds = {name: index if name in ("columns", "starts") else column.kind for name, column in columns.items()}
    at = 0
    for name in sorted(columns, key=lambda name: -kinds[name].itemsize):  # so that all are aligned without gaps
        shape = [rows, features.width] if name == "dense" else [columns[name].length]
        size = columns[name].length * kinds[name].itemsize
        table[name] = {"dtype": NAMES[kinds[name]], "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(table, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNED)
    file.write(struct.pack("<Q", len(text)) + text)
    for name in list(table)[1:]:
        column = columns[name]
        column.file.seek(0)
        if kinds[name] == column.kind:
            shutil.copyfileobj(column.file, file, 2**20)
        else:
            while piece := column.file.read(2**20):
                file.write(np.frombuffer(piece, column.kind).astype(kinds[name]).data)
