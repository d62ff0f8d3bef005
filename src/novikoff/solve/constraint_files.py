"""Files of constraints: tables of numbers, one constraint a row, NumPy archives, MPS and LP files.

A table's rows and an archive's are the rows of a cone, A·w ≥ 1. MPS and LP files say their own ends. A number in text is the
decimal that stands there; the numbers of an archive are doubles.
"""

import io
import re
from collections.abc import Callable
from os import PathLike, fspath

import numpy as np
import scipy.sparse as sp

from novikoff.data.opening import opened
from novikoff.data.sources import ReadError, Source, check_archive
from novikoff.foundation.array_types import Matrix
from novikoff.foundation.matrix_checks import checked_archive
from novikoff.proof.rational_matrix import RationalMatrix
from novikoff.solve.constraints import LONG, Constraints, decimal, entry
from novikoff.solve.lp import SENSES, lp_of
from novikoff.solve.mps import mps_of

BLANK = b" \t\r"
IN_NUMBERS = b"+-.0123456789eE "
NUMBER = re.compile(rb"[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?")
# What begins so is no name of a column; neither is nothing, nor what is not a number where one should be.
LIKE_A_NUMBER = re.compile(rb"[-+.]*([0-9]|$)|[-+]?(nan|inf|infinity)$", re.IGNORECASE)

BEGINS_LP = re.compile(rb"[ \t\r]*+(" + "|".join(SENSES).encode() + rb")([ \t\r]|$)", re.IGNORECASE)


def read_constraints(path: str | PathLike[str], format: str | None = None) -> Constraints:
    """The constraints of a file, packed or not, or of standard input ("-"). The format is csv, npz, mps or lp, or found."""
    name = fspath(path)
    if format not in (None, *FORMATS):
        raise ReadError(f"there is no format {format!r} of constraints; the formats are {', '.join(FORMATS)}")
    with opened(name) as source:
        kind = format or _kind(source)
        return FORMATS[kind](source)


def _kind(source: Source) -> str:
    first = source.file.peek(1000)
    if source.suffix == ".mps" or re.match(rb"(NAME|ROWS|OBJSENSE)\b", _first_line(first, b"*")):
        return "mps"
    if source.suffix == ".lp" or (source.suffix not in (".csv", ".tsv") and BEGINS_LP.match(_first_line(first, b"\\"))):
        return "lp"
    return "npz" if source.suffix == ".npz" or first.startswith(b"PK\x03\x04") else "csv"


def _first_line(content: bytes, comment: bytes) -> bytes:
    return next((line for line in content.split(b"\n") if line.strip() and not line.lstrip().startswith(comment)), b"")


def _table(source: Source) -> Constraints:
    """The separator is the one of tab, semicolon and comma that the first line has most of, or blanks if it has none."""
    lines = [line.strip(BLANK) for line in source.whole().removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    first = next((k for k, line in enumerate(lines) if line), None)
    if first is None:
        raise ReadError(f"{source.name}: is empty; give a constraint a row")
    separator = max(b"\t", b";", b",", key=lines[first].count)
    if separator not in lines[first]:
        separator = b" "
    header = _fields(lines[first], separator)
    names = () if any(map(LIKE_A_NUMBER.match, header)) else tuple(name.decode("utf-8", "replace") for name in header)
    begin = first + bool(names)
    kept = [line for line in lines[begin:] if line]
    if not kept:
        raise ReadError(f"{source.name}: has a header and no rows; give a constraint a row")
    if not b"".join(kept).translate(None, IN_NUMBERS + separator):
        try:
            rows = np.loadtxt(kept, ndmin=2, comments=None, delimiter=None if separator == b" " else separator.decode())
        except ValueError:
            raise _what_is_wrong(source.name, lines, begin, separator) from None
        if np.isfinite(rows).all():
            try:
                A = _exactly(kept, separator) if any(map(LONG.search, kept)) else RationalMatrix.of_decimals(rows)
            except ValueError as error:
                raise ReadError(f"{source.name}: {error}") from None
            return Constraints(A, column_names=names if len(names) == rows.shape[1] else ())
    raise _what_is_wrong(source.name, lines, begin, separator)


def _exactly(lines: list[bytes], separator: bytes) -> RationalMatrix:
    rows = [[entry(decimal(field.decode("ascii"))) for field in _fields(line, separator)] for line in lines]
    return RationalMatrix.of_objects(np.array(rows, object))


def _fields(line: bytes, separator: bytes) -> list[bytes]:
    return [field.strip(b" ") for field in re.split(b" +" if separator == b" " else separator, line)]


def _what_is_wrong(name: str, lines: list[bytes], begin: int, separator: bytes) -> ReadError:
    """The first line that is no constraint, and why."""
    width = None
    for k, line in enumerate(lines[begin:], begin + 1):
        fields = _fields(line, separator) if line else []
        for column, field in enumerate(fields, 1):
            if not NUMBER.fullmatch(field) or not np.isfinite(float(field)):
                shown = repr(field[:40].decode("utf-8", "replace"))
                return ReadError(
                    f"{name}:{k}: {shown} in column {column} is not a finite number; a constraint is a row of numbers"
                )
        if fields and width not in (None, len(fields)):
            return ReadError(f"{name}:{k}: has {len(fields)} numbers, the rows before {width}; mend the row")
        width = len(fields) or width
    raise AssertionError("rows of finite numbers, all of one length, were refused")


def _archive(source: Source) -> Constraints:
    return Constraints(_matrix(source))


def _matrix(source: Source) -> Matrix:
    file = io.BytesIO(source.whole())
    try:
        check_archive(source.name, file)
        with np.load(file, allow_pickle=False) as archive:
            names = list(archive)
            if "format" not in names:
                kept = [name for name in ("A", "X") if name in names] or names
                if len(kept) != 1:
                    raise ReadError(f"{source.name}: has arrays {', '.join(names)[:200]}; call the matrix A")
                if not isinstance(archive[kept[0]], np.ndarray):
                    raise ReadError(f"{source.name}: {kept[0]} is no array; save it again with numpy.savez")
                return archive[kept[0]]
        file.seek(0)
        return sp.csr_array(checked_archive(sp.load_npz(file)))
    except ReadError:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds of a damaged archive
        why = " ".join(str(error).split())[:200]
        raise ReadError(f"{source.name}: is not an archive of plain arrays ({why}); save it again with numpy.savez") from None


FORMATS: dict[str, Callable[[Source], Constraints]] = {"csv": _table, "npz": _archive, "mps": mps_of, "lp": lp_of}
