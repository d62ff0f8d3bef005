"""Bytes become raw rows and labels: `read(path)`, whatever the format.

Each format is one file of this folder, and says by which names and first lines it is recognised. What all of them hold to,
and `novikoff.plain` too, without sharing a line with them:

- A number has decimal digits, perhaps a sign, a point and an exponent, and is finite as a double. Nothing is guessed for a
  missing one.
- Labels that are all numbers are numbers: whole ones are ints, so +1, 1 and 1.0 are the same label. Any other label makes
  all of them text, as written.
- A file is refused whole: what is wrong, in which line, what to do.
"""

import bz2
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from os.path import splitext
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from novikoff.family import gather

Array = np.ndarray[Any, Any]

BLOCK = 2**20  # bytes of text that are looked at together
LARGEST_LABEL = 2**53  # whole numbers below are doubles too, each one another
LONGEST_LABEL = 200  # characters; anything longer is not a class's name
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
IN_NUMBERS = b"0123456789+-.eE"  # what Python's float takes of these characters alone is what NUMBER describes
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)

PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"BZh": bz2.BZ2File,
}
PACKED_NAMES = (".gz", ".xz", ".bz2")


class ReadError(ValueError):
    """This file is not what it should be: what, where, what to do."""


class Labelled(NamedTuple):
    """Rows and their labels, as they stand in the file."""

    X: Any  # a float64 array, or a csr_array
    y: Array  # int64, float64 or text
    names: tuple[str, ...] | None  # of the columns of X, where the file tells


class Source(NamedTuple):
    """A file that was opened and, if need be, is being unpacked."""

    name: str
    file: BinaryIO


class Format(NamedTuple):
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]  # whether a line, the first that tells, is of this format
    read: Callable[[Source, str | None], Labelled]


_formats: list[Format] = []


def reader(
    *suffixes: str, recognises: Callable[[bytes], bool]
) -> Callable[[Callable[[Source, str | None], Labelled]], Callable[[Source, str | None], Labelled]]:
    """Register `read(source, label)` for files with such names or, where the name says nothing, such lines."""

    def register(read: Callable[[Source, str | None], Labelled]) -> Callable[[Source, str | None], Labelled]:
        _formats.append(Format(suffixes, recognises, read))
        return read

    return register


def read(path: str | PathLike[str], *, label: str | int | None = None) -> Labelled:
    """The rows and labels of a file; "-" is standard input. `label` is a table's column, by name or counted from 1.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,age,kind\\n4.5,3,cat\\n30,5,dog\\n")
    ...     read(path).y.tolist()
    ['cat', 'dog']
    """
    gather(__name__)
    name = "standard input" if fspath(path) == "-" else fspath(path)
    try:
        with _opened(fspath(path), name) as file:
            source = Source(name, _unpacked(file))
            found = _format(fspath(path), source).read(source, None if label is None else str(label))
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise _broken(name) from None
    except OSError as error:
        if error.errno is None:  # what bz2 says of a stream that is none
            raise _broken(name) from None
        raise ReadError(f"{name}: cannot be read ({error.strerror}); check the path") from None
    if not len(found.y):
        raise ReadError(f"{name}: has no rows; give a file with one labelled row a line")
    return found


def _opened(path: str, name: str) -> BinaryIO:
    """The file, such that it can be read twice: a pipe cannot, so it is read whole."""
    if path == "-":
        if sys.stdin is None:
            raise ReadError(f"{name}: standard input is closed; give a file")
        return io.BytesIO(sys.stdin.buffer.read())
    try:
        file = open(path, "rb")  # noqa: SIM115 (`read` closes it)
    except IsADirectoryError:
        raise ReadError(f"{name}: is a folder; give a file in it") from None
    except ValueError:  # a zero byte in the name
        raise ReadError(f"{name!r}: is not a path; check it") from None
    if file.seekable():
        return file
    with file:
        return io.BytesIO(file.read())


def _unpacked(file: BinaryIO) -> BinaryIO:
    """Known by its first bytes, since downloads are unpacked on the way at times and keep their names."""
    first = file.read(6)
    file.seek(0)
    for magic, unpack in PACKED.items():
        if first.startswith(magic):
            return cast(BinaryIO, io.BufferedReader(unpack(file), BLOCK))
    return file


def _broken(name: str) -> ReadError:
    return ReadError(f"{name}: the compressed file is damaged or cut short; fetch or pack it again")


def _format(path: str, source: Source) -> Format:
    stem, suffix = splitext(path.lower())
    if suffix in PACKED_NAMES:
        suffix = splitext(stem)[1]
    for known in _formats:
        if suffix in known.suffixes:
            return known
    anything = False
    for line in source.file:
        anything = True
        for known in _formats:
            if not line.lstrip().startswith(b"#") and known.recognises(line):
                source.file.seek(0)
                return known
    if not anything:
        raise ReadError(f"{source.name}: is empty")
    raise ReadError(f"{source.name}: neither name nor content tells its format; call it .svm, .csv, .tsv or .npz")


# ---- what formats have in common ------------------------------------------------------------------------------------


def blocks(source: Source) -> Iterator[tuple[int, str]]:
    """Runs of whole lines as text, each with the number of its first line, counted from 1."""
    number = 1
    while lines := source.file.readlines(BLOCK):
        content = b"".join(lines)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = number + content.count(b"\n", 0, error.start)
            raise ReadError(f"{source.name}:{line}: is not UTF-8 text; convert it with iconv, or check the file's kind") from None
        if "\0" in text:
            line = number + text.count("\n", 0, text.index("\0"))
            raise ReadError(f"{source.name}:{line}: has a zero byte, which no text has; check the file's kind")
        yield number, text.removeprefix("\ufeff") if number == 1 else text
        number += len(lines)


def numbers(texts: Sequence[str]) -> Array | None:
    """These as doubles; None if one of them is not a finite number, for the caller to say which."""
    if " ".join(texts).encode("utf-8").translate(None, IN_NUMBERS + b" "):
        return None
    try:
        values = np.array(list(map(float, texts)), np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def why_not_a_number(text: str) -> str | None:
    """None, if it is one."""
    if not text:
        return "the value is missing; fill it in or leave the row out"
    if NOT_FINITE.fullmatch(text) or (NUMBER.fullmatch(text) and not np.isfinite(float(text))):
        return f"{shown(text)} is not finite; fill in a number or leave the row out"
    return None if NUMBER.fullmatch(text) else f"{shown(text)} is not a number; write it like -1.5 or 2e-3"


def shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


class Labels:
    """The labels of a file, row by row."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._rows: list[Array] = []

    def add(self, texts: Sequence[str], where: Callable[[int], str]) -> None:
        """The labels of the next rows; `where(i)` says where the i-th of them stands."""
        for i, text in enumerate(texts):
            if text not in self._codes:
                if why := _why_no_label(text):
                    raise ReadError(f"{where(i)}: {why}")
                self._codes[text] = len(self._codes)
        self._rows.append(np.array([self._codes[text] for text in texts], np.int64))

    def array(self) -> Array:
        return _values(list(self._codes))[np.concatenate(self._rows)] if self._codes else np.zeros(0, np.int64)


def _why_no_label(text: str) -> str | None:
    if not text:
        return "the label is missing; fill it in or leave the row out"
    if NOT_FINITE.fullmatch(text):
        return f"the label is {text}; fill it in or leave the row out"
    if NUMBER.fullmatch(text) and not abs(float(text)) < LARGEST_LABEL:
        return f"the label {shown(text)} is too large a number; number the classes from 1"
    if len(text) > LONGEST_LABEL:
        return f"the label has {len(text)} characters; check which column has the labels"
    return None


def _values(texts: list[str]) -> Array:
    if not all(NUMBER.fullmatch(text) for text in texts):
        return np.array(texts, np.str_)
    values = np.array([float(text) for text in texts]) + 0.0  # -0 is 0
    return values.astype(np.int64) if (values == np.floor(values)).all() else values
