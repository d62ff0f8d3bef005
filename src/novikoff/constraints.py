"""Files of constraints: tables of numbers, one constraint a row, NumPy archives, and MPS.

A table's rows and an archive's are the rows of a cone, A·w ≥ 1. An MPS file says its own ends.
"""

import io
import re
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.mps import mps_of
from novikoff.sources import ReadError, Source, opened

Array = np.ndarray[Any, Any]

SEPARATORS = re.compile(rb"[,;\t ]")


class Constraints(NamedTuple):
    """lower ≤ A·w ≤ upper; of a cone the ends are those of A·w ≥ 1."""

    A: Any
    lower: Any = 1.0
    upper: Any = np.inf
    bounds: Any = None
    cone: bool = True
    remarks: tuple[str, ...] = ()  # what of the file is left out


def read_constraints(path: str | PathLike[str], format: str | None = None) -> Constraints:
    """The constraints of a file, packed or not, or of standard input ("-"). The format is csv, npz or mps, or found."""
    name = fspath(path)
    if format not in (None, "csv", "npz", "mps"):
        raise ReadError(f"there is no format {format!r} of constraints; the formats are csv, npz, mps")
    with opened(name) as source:
        kind = format or _kind(source)
        if kind != "mps":
            return Constraints(_archive(source) if kind == "npz" else _table(source))
        found = mps_of(source)
        return Constraints(found.A, found.lower, found.upper, found.bounds, False, tuple(found.remarks))


def _kind(source: Source) -> str:
    first = source.file.peek(1000)
    if source.suffix == ".mps" or re.match(rb"(\s*\*[^\n]*\n|\s*\n)*(NAME|ROWS|OBJSENSE)\b", first):
        return "mps"
    return "npz" if source.suffix == ".npz" or first.startswith(b"PK\x03\x04") else "csv"


def _table(source: Source) -> Array:
    content = source.file.read().removeprefix(b"\xef\xbb\xbf")
    lines = content.split(b"\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), None)
    if first is None:
        raise ReadError(f"{source.name}: is empty; give a constraint a row")
    header = not _numbers(lines[first])
    try:
        rows = np.loadtxt(io.BytesIO(SEPARATORS.sub(b" ", content)), ndmin=2, skiprows=first + header, comments=None)
    except ValueError:
        rows = np.array([[np.nan]])
    if rows.size and np.isfinite(rows).all() and len(rows) + header == sum(map(bool, map(bytes.strip, lines))):
        return rows
    raise _what_is_wrong(source.name, lines, first + header)


def _numbers(line: bytes) -> list[float] | None:
    """What a line holds, if that is finite numbers and nothing else."""
    try:
        numbers = [float(word) for word in re.split(rb"\s*[,;\t]\s*|\s+", line.strip())]
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _what_is_wrong(name: str, lines: list[bytes], first: int) -> ReadError:
    """The first line that is no constraint, and why."""
    width = None
    for k, line in enumerate(lines[first:], first + 1):
        words = re.split(rb"\s*[,;\t]\s*|\s+", line.strip()) if line.strip() else []
        for column, word in enumerate(words, 1):
            if _numbers(word) is None:
                shown = repr(word[:40].decode("utf-8", "replace"))
                return ReadError(
                    f"{name}:{k}: {shown} in column {column} is not a finite number; a constraint is a row of numbers"
                )
        if words and width not in (None, len(words)):
            return ReadError(f"{name}:{k}: has {len(words)} numbers, the rows before {width}; mend the row")
        width = len(words) or width
    return ReadError(f"{name}: has a header and no rows; give a constraint a row")


def _archive(source: Source) -> Any:
    file = io.BytesIO(source.file.read())
    try:
        with np.load(file, allow_pickle=False) as archive:
            names = list(archive)
            if "format" not in names:
                kept = [name for name in ("A", "X") if name in names] or names
                if len(kept) != 1:
                    raise ReadError(f"{source.name}: has arrays {', '.join(names)[:200]}; call the matrix A")
                return archive[kept[0]]
        file.seek(0)
        return sp.csr_array(sp.load_npz(file))
    except ReadError:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds of a damaged archive
        why = " ".join(str(error).split())[:200]
        raise ReadError(f"{source.name}: is not an archive of plain arrays ({why}); save it again with numpy.savez") from None
