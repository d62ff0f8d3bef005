"""The converted form: rows as they lie in memory, mapped and not read, for many passes over much data.

The layout is safetensors': the length of a JSON header in eight bytes, the header, and arrays one after the other. The header's
"novikoff" is JSON again: rows, width, the labels' texts and how features got their columns.
"""

import io
import json
import mmap
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np

from novikoff.features import NOWHERE, Features, features_of
from novikoff.readers import Array, Dataset, Part, Reading, format, known_only, matrix, widened
from novikoff.sources import ReadError, Source
from novikoff.writing import write_whole

FORMAT, VERSION = "novikoff data", 1
AT_A_TIME = 2**22  # bytes of a block, about
FETCHED_AROUND = 2**19  # bytes on either side of one that is read, which the system may map with it
LONGEST_HEADER = 2**24
ALIGNED = 64  # bytes at a multiple of which the arrays begin
# Types of arrays as safetensors names them: the kind's letter and the bits.
NAMES = {
    kind: f"{kind.kind.upper()}{8 * kind.itemsize}"
    for kind in map(np.dtype, (np.float64, np.int64, np.int32, np.uint32, np.uint8))
}
TYPES = {name: kind for kind, name in NAMES.items()}


def _recognises(line: bytes) -> bool:
    return line[8:40].startswith(b'{"__metadata__":{"novikoff":') and b"novikoff data" in line


@format("nvkd", ".nvkd", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f"{source.name}: has its labels already; leave the label column out")
    header, arrays = _opened(source)
    own: Features = header["features"]
    features: Features = reading.features_of(type(own), lambda: own, source.name)
    codes = reading.labels.codes(header["labels"], lambda k: f"{source.name}: label {k}")[arrays["codes"]]
    X = _matrix(header, arrays)
    try:
        places = _places(source.name, X, own, features)
    except ReadError:
        raise
    except ValueError as error:
        raise ReadError(f"{source.name}: {error}; convert it again, as the others were read") from None
    weight = arrays.get("weight")
    rows = len(codes) if reading.whole else max(1, AT_A_TIME * len(codes) // max(1, source_bytes(arrays)))
    for first in range(0, len(codes), max(1, rows)):
        some = slice(first, first + rows)
        own_rows = _some(X, some) if rows < len(codes) else X
        _check_columns(source.name, own_rows)
        yield Part(_placed(own_rows, places, features.width), codes[some], None if weight is None else weight[some])


def _places(name: str, X: Any, own: Features, features: Features) -> Array | None:
    """Where each column of X is among the features; None if each stands there as it does here."""
    if own is features or _alike(own, features):
        return None
    met = np.arange(own.width)
    if hasattr(X, "indices"):
        _check_columns(name, X)
        has = np.zeros(own.width, bool)
        has[X.indices] = True  # numbers that do not occur need no columns
        met = np.flatnonzero(has)
    found = features.places(own, met)
    if (found == met).all():
        return None
    places = np.full(own.width, NOWHERE, np.int32)
    places[met] = found
    return places


def _alike(own: Features, features: Features) -> bool:
    """Whether every column of one is the same of the other, without a look at which of them occur."""
    a, b = own.tensors(), features.tensors()
    return own.header() == features.header() and a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def _placed(X: Any, places: Array | None, width: int) -> Any:
    if places is None:
        return widened(X, width)
    if hasattr(X, "indptr"):
        return matrix(*known_only(X.data, places[X.indices], X.indptr), width).sorted_indices()  # a copy: X is not to be written
    placed = np.zeros((X.shape[0], width))
    placed[:, places[places != NOWHERE]] = X[:, places != NOWHERE]
    return placed


def _check_columns(name: str, X: Any) -> None:
    if hasattr(X, "indices") and X.nnz and not (X.indices.min() >= 0 and X.indices.max() < X.shape[1]):
        raise _damaged(name)


def let_go(X: Any) -> None:
    """Take the pages of a mapped matrix out of this process's memory; they come back when they are looked at."""
    for array in (X.data, X.indices) if hasattr(X, "indptr") else (X,):
        mapping: Any = array
        while isinstance(mapping, np.ndarray | memoryview):
            mapping = mapping.obj if isinstance(mapping, memoryview) else mapping.base
        if isinstance(mapping, mmap.mmap) and array.nbytes and hasattr(mmap, "MADV_DONTNEED"):
            first = array.ctypes.data - np.frombuffer(mapping, np.uint8).ctypes.data
            page = max(0, first - FETCHED_AROUND) // mmap.PAGESIZE * mmap.PAGESIZE
            mapping.madvise(mmap.MADV_DONTNEED, page, min(first + array.nbytes + FETCHED_AROUND, len(mapping)) - page)


def _some(X: Any, rows: slice) -> Any:
    """These rows as they lie in the file. SciPy would copy them, and so it would views that are small beside their arrays."""
    if not hasattr(X, "indptr"):
        return X[rows]
    starts = X.indptr[rows.start : rows.stop + 1]
    values, columns = (np.frombuffer(memoryview(array)[starts[0] : starts[-1]], array.dtype)[:] for array in (X.data, X.indices))
    return matrix(values, columns, starts - starts[0], X.shape[1])


def source_bytes(arrays: dict[str, Array]) -> int:
    return sum(array.nbytes for array in arrays.values())


def _opened(source: Source) -> tuple[dict[str, Any], dict[str, Array]]:
    """What the file says of itself, and its arrays, mapped where the file is a plain one."""
    content: Any = None
    if isinstance(source.file.raw, io.FileIO):  # and nothing that is being unpacked or fetched
        with suppress(OSError, ValueError):
            content = mmap.mmap(source.file.fileno(), 0, access=mmap.ACCESS_READ)
    if content is None:
        content = source.whole()
    try:
        (length,) = struct.unpack_from("<Q", content, 0)
        if length > LONGEST_HEADER:
            raise _damaged(source.name)
        table = json.loads(bytes(content[8 : 8 + length]))
        about = json.loads(table.pop("__metadata__")["novikoff"])
        if about["format"] != FORMAT:
            raise ReadError(f"{source.name}: is no converted data; make it with novikoff convert")
        if about["version"] != VERSION:
            raise ReadError(f"{source.name}: is of version {about['version']}; this program reads version {VERSION}")
        arrays = {
            name: np.frombuffer(
                content, TYPES[entry["dtype"]], int(np.prod(entry["shape"])), 8 + length + entry["data_offsets"][0]
            ).reshape(entry["shape"])
            for name, entry in table.items()
        }
        about["features"] = features_of(about["features"], {k.removeprefix("features."): a for k, a in arrays.items()})
        _check(about, arrays)
    except ReadError:
        raise
    except Exception:  # whatever a damaged header leads to
        raise _damaged(source.name) from None
    return about, arrays


def _damaged(name: str) -> ReadError:
    return ReadError(f"{name}: is damaged or cut short; convert the data again")


def _check(about: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Refuse what does not fit together. That columns are in range is seen block by block."""
    rows, width, codes = about["rows"], about["width"], arrays["codes"]
    good = len(codes) == rows and about["features"].width == width and all(isinstance(text, str) for text in about["labels"])
    good &= rows == 0 or bool(codes.min() >= 0 and codes.max() < len(about["labels"]))
    good &= "weight" not in arrays or len(arrays["weight"]) == rows
    if "dense" in arrays:
        good &= arrays["dense"].shape == (rows, width)
    else:
        starts, entries = arrays["starts"], len(arrays["values"])
        good &= len(starts) == rows + 1 and starts[0] == 0 and starts[-1] == entries == len(arrays["columns"])
        good &= bool((np.diff(starts) >= 0).all())
    if not good:
        raise ValueError


def _matrix(header: dict[str, Any], arrays: dict[str, Array]) -> Any:
    if "dense" in arrays:
        return arrays["dense"]
    return matrix(arrays["values"], arrays["columns"], arrays["starts"], header["width"])


# ---- writing --------------------------------------------------------------------------------------------------------


class _Column:
    """An array that grows in a temporary file."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.length, self.file = np.dtype(kind), 0, tempfile.TemporaryFile()  # noqa: SIM115 (`convert` closes it)

    def add(self, array: Array) -> None:
        self.file.write(np.ascontiguousarray(array, self.kind).data)
        self.length += array.size


def convert(dataset: Dataset, path: str) -> int:
    """Write the dataset's rows in the converted form; the number of rows. The file is there whole or not at all."""
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
    narrow = entries < 2**31  # SciPy gives columns and starts the wider type of the two
    table: dict[str, Any] = {"__metadata__": {"novikoff": json.dumps(about)}}
    index = np.dtype(np.int32 if narrow else np.int64)
    kinds = {name: index if name in ("columns", "starts") else column.kind for name, column in columns.items()}
    at = 0
    for name in sorted(columns, key=lambda name: -kinds[name].itemsize):  # so that all of them are aligned, without gaps
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
