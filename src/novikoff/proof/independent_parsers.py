"""The parser of `verify`: slow, obvious, and without a line in common with `novikoff.data.readers`.

`novikoff verify` reads data with this, so that a mistake of the readers cannot vouch for itself. It shares only what reads
nothing: `matrix_checks`, which refuses sparse matrices that point outside themselves, and the types of rational numbers. It knows
svmlight, tables and npz, and takes and refuses what the readers do: a number is a finite decimal; labels are numbers if all of
them are, else text; a table's words become columns of their own; of huge indices only those that occur have a column. Constraints
are read in `independent_constraint_parsers`.
"""

import bz2
import csv
import gzip
import io
import lzma
import math
import re
import sys
import zipfile
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from os.path import lexists, splitext
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked_archive
from novikoff.proof.certificate import DOUBLES
from novikoff.proof.rational_matrix import LARGEST as LARGEST_POWER
from novikoff.proof.rational_matrix import RationalMatrix, rational

ENDINGS = dict.fromkeys((".svm", ".svmlight", ".libsvm", ".dat"), "svm") | {".csv": "csv", ".tsv": "csv", ".npz": "npz"}
OTHERS = (".vw", ".text", ".jsonl", ".ndjson", ".parquet", ".feather", ".arrow", ".eml", ".mbox", ".nvkd")
OTHER_LINES = (
    rb"PAR1|ARROW1|FEA1|\xff\xff\xff\xff",  # Parquet, Arrow
    rb"(?s:.{8})\{\"__metadata__\"",  # converted data
    rb"(\xef\xbb\xbf)?\s*\{",  # JSON
    rb"From |(?i:from|to|subject|date|received|message-id|return-path|delivered-to|mime-version)[ \t]*:",  # mail
    rb"\s*+([^\s|:,;]+ ++){0,3}[^\s|:,;]*+ *+\|",  # Vowpal Wabbit
    rb"\s*+[^\s:|,;]+\t(?!.*\s[0-9]+:)(?=.*[A-Za-z\x80-\xff]{2})(?=.*\S +\S)[^\t]*$",  # a label, a tab and words
)
PAIR = rb"\s*[^\s:|]+\s+(qid:\S+\s+)?[0-9]+:"
ONLY_PAIRS = rb"\s*+[^\s:|,;]++(\s++qid:[^\s,;]++)?(\s++[0-9]++:[-+.0-9eE]++)++\s*+(#.*+)?"
SEEN = 2**20  # bytes of a file that tell what it is
DECIMAL = r"[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?"
NOT_A_NUMBER = r"[-+]?(nan|inf|infinity)"
SAMPLE = 1000  # rows at the beginning of a table that tell whether there is a header
HUGE = 2**22  # columns; with more, those are left out that have no entry
LONGEST_NAME = 1000  # characters of a column's name
LONGEST_NUMBER = 1_000  # characters of a number that is read as the decimal it is
LARGEST = 2**32  # bytes of a file, unpacked: all of them are held at once, and take many times as much as numbers


class PlainError(ValueError):
    """This file is not what it should be."""


def read_plainly(
    path: str | Path, label: str | int | None = None, numbers: str = DOUBLES
) -> tuple[Matrix | RationalMatrix, Array, int]:
    """The rows, a csr_array or a float64 array, or rational numbers; their labels; the number of columns.

    The numbers of a text are read as doubles or as rationals: the decimals that stand there.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        content = content_of(str(path))
        kind = _kind(str(path), content)
        if kind == "csv":
            X, labels = _table(content, None if label is None else str(label), numbers)
        elif label is not None:
            raise PlainError("the labels are no column of a table here; leave the label column out")
        else:
            X, labels = _svmlight(content, numbers) if kind == "svm" else _archive(content)
        if not labels:
            raise PlainError("has no rows")
        return X, np.array(_label_values(labels)), X.shape[1]
    except PlainError as error:
        raise PlainError(f"{name}: {error}") from None


def content_of(path: str) -> bytes:
    try:
        if path == "-":
            if sys.stdin is None:
                raise PlainError("standard input is closed; give a file")
            content = _at_most(sys.stdin.buffer)
        elif "://" in path and not lexists(path):
            content = _fetched(path)
        else:
            with open(path, "rb") as file:
                content = _at_most(file)
    except PlainError:
        raise
    except (OSError, ValueError) as error:
        raise PlainError(f"cannot be read ({getattr(error, 'strerror', None) or error}); check the path") from None
    try:
        packed = io.BytesIO(content)
        if content[:2] == b"\x1f\x8b":
            return _at_most(gzip.open(packed))
        if content[:6] == b"\xfd7zXZ\x00":
            return _at_most(lzma.open(packed))
        if content[:3] == b"BZh":
            return _at_most(bz2.open(packed))
        return _unzst(packed) if content[:4] == b"\x28\xb5\x2f\xfd" else content
    except PlainError:
        raise
    except Exception:
        raise PlainError("the compressed file is damaged or cut short; fetch or pack it again") from None


def _fetched(address: str) -> bytes:
    try:
        import fsspec

        with fsspec.open(address, "rb") as file:
            return _at_most(file)
    except PlainError:
        raise
    except ImportError as error:
        raise PlainError(f"cannot be read ({error}); install what is missing, or pip install 'novikoff[remote]'") from None
    except Exception as error:  # protocols raise all kinds
        why = getattr(error, "strerror", None) or " ".join(str(error).split())[:200] or type(error).__name__
        raise PlainError(f"cannot be read ({why}); check the address") from None


def _at_most(file: IO[bytes] | gzip.GzipFile) -> bytes:
    """All bytes, if they are no more than LARGEST."""
    pieces, size = [], 0
    while piece := file.read(2**20):
        pieces.append(piece)
        size += len(piece)
        _check_size(size)
    return b"".join(pieces)


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise PlainError(f"has more than {LARGEST:,} bytes, unpacked, which are too many for this reader; use verify --fast")


def _unzst(packed: IO[bytes]) -> bytes:
    import zstandard

    pieces, size, rest = [], 0, packed.read(2**14)
    while rest:
        frame = zstandard.ZstdDecompressor().decompressobj()
        while rest and not frame.eof:
            pieces.append(frame.decompress(rest))
            size += len(pieces[-1])
            _check_size(size)
            rest = b"" if frame.eof else packed.read(2**14)
        if not frame.eof:
            raise EOFError
        rest = frame.unused_data or packed.read(2**14)
    return b"".join(pieces)


def _kind(path: str, content: bytes) -> str:
    stem, ending = splitext(path.lower())
    if ending in (".gz", ".xz", ".bz2", ".zst"):
        ending = splitext(stem)[1]
    first = [line for line in content[:SEEN].splitlines() if line.strip() and not line.lstrip().startswith(b"#")][:20]
    if content.startswith(b"PK\x03\x04"):
        return "npz"
    if first and all(re.fullmatch(ONLY_PAIRS, line) for line in first):
        return "svm"
    if ending in (".csv", ".tsv", ".npz"):
        return ENDINGS[ending]
    if ENDINGS.get(ending) == "svm" and any(re.match(PAIR, line) for line in first):
        return "svm"
    if ending not in OTHERS:
        for line in content.splitlines():
            if line.lstrip().startswith(b"#"):
                continue
            if line.startswith(b"PK\x03\x04"):
                return "npz"
            if any(re.match(begin, line) for begin in OTHER_LINES):
                break
            if re.search(rb"[,;\t]", line.strip()) and not re.search(rb"\s[0-9]+:|[|\x00-\x08]", line):
                return "csv"
            if re.match(PAIR, line):
                return "svm"
    if ending in ENDINGS:
        return ENDINGS[ending]
    raise PlainError("is neither svmlight text nor a table nor npz, which is all that this reader knows; use verify --fast")


def _text(line: bytes, number: int) -> str:
    if b"\0" in line:
        raise PlainError(f"line {number} has a zero byte")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise PlainError(f"line {number} is not UTF-8 text") from None


def number_of(text: str, where: str) -> float:
    if not re.fullmatch(DECIMAL, text) or not math.isfinite(float(text)):
        raise PlainError(f"{where}: {text[:40]!r} is not a finite number")
    return float(text)


def exact_number(text: str, where: str) -> Fraction:
    """The decimal that stands there, of which it is known that it is one."""
    try:
        found = Decimal(re.sub("[dD]", "e", text)) if len(text) <= LONGEST_NUMBER else Decimal("nan")
    except InvalidOperation:  # the exponent has more than 18 digits
        found = Decimal("nan")
    if not found.is_finite() or (found and not -LARGEST_POWER <= found.adjusted() <= LARGEST_POWER):
        raise PlainError(f"{where}: {text[:40]} is not between 10^-{LARGEST_POWER} and 10^{LARGEST_POWER} in size, or too long")
    return Fraction(found)


def exact_or_infinite(text: str, where: str) -> float | Fraction:
    """The decimal that stands there; beyond the largest power of ten, infinity. Files write such limits where there are none."""
    if len(text) <= LONGEST_NUMBER and abs(nearest := float(re.sub("[dD]", "e", text))) > 10.0**LARGEST_POWER:
        return math.copysign(math.inf, nearest)
    return exact_number(text, where)


def _value(text: str, where: str, numbers: str) -> float | Fraction:
    nearest = number_of(text, where)
    return nearest if numbers == DOUBLES else rational(exact_number(text, where))


def _label_values(labels: list[tuple[str, str]]) -> list[str] | list[int] | list[float]:
    """The labels themselves, of pairs (label as written, where)."""
    for text, where in labels:
        if not text or len(text) > 200 or re.fullmatch(NOT_A_NUMBER, text, re.IGNORECASE):
            raise PlainError(f"{where}: {text[:40]!r} is not a label")
        if re.fullmatch(DECIMAL, text) and abs(float(text)) >= 2**53:
            raise PlainError(f"{where}: {text[:40]!r} is too large for a label")
    if not all(re.fullmatch(DECIMAL, text) for text, _ in labels):
        return [text for text, _ in labels]
    values = [float(text) for text, _ in labels]
    return [int(value) for value in values] if all(value.is_integer() for value in values) else values


def _svmlight(content: bytes, numbers: str) -> tuple[Matrix | RationalMatrix, list[tuple[str, str]]]:
    rows: list[dict[int, float | Fraction]] = []
    labels = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        words = [word for word in re.split("[ \t\r\v\f]", _text(line.partition(b"#")[0], number)) if word]
        if not words:
            continue
        where = f"line {number}"
        if ":" in words[0]:
            raise PlainError(f"{where} has no label")
        row: dict[int, float | Fraction] = {}
        for place, word in enumerate(words[1:]):
            if place == 0 and word.startswith("qid:"):
                continue
            index, colon, value = word.partition(":")
            if not colon or not re.fullmatch("[0-9]{1,19}", index) or int(index) > 2**63 - 1:
                raise PlainError(f"{where}: {word[:40]!r} is not an index and a value")
            if int(index) in row:
                raise PlainError(f"{where}: the index {index} occurs twice")
            row[int(index)] = _value(value, where, numbers)
        rows.append(row)
        labels.append((words[0], where))
    if rows and not any(rows):
        raise PlainError("has labels, but not a single index:value pair")
    first = 0 if any(0 in row for row in rows) else 1
    occurring = sorted({index for row in rows for index in row})
    width = max(occurring, default=0) + 1 - first
    column = {index: index - first for index in occurring}
    if width > HUGE:
        width, column = len(occurring), {index: place for place, index in enumerate(occurring)}
    return _sparse([{column[index]: value for index, value in row.items()} for row in rows], width, numbers), labels


def _sparse(rows: list[dict[int, float | Fraction]], width: int, numbers: str) -> Matrix | RationalMatrix:
    return csr_of(rows, width) if numbers == DOUBLES else RationalMatrix.of_entries(rows, width)


def csr_of(rows: list[dict[int, float | Fraction]], width: int) -> Matrix:
    values = [row[column] for row in rows for column in sorted(row)]
    columns = [column for row in rows for column in sorted(row)]
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    return sp.csr_array((np.array(values, float), np.array(columns, int), np.array(starts, int)), shape=(len(rows), width))


def _table(content: bytes, label: str | None, numbers: str) -> tuple[Matrix | RationalMatrix, list[tuple[str, str]]]:
    lines = [_text(line, number) for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)]
    unquoted = re.sub(r'"[^"]*("|$)', "", next((line for line in lines if line.strip()), ""))
    separator = max("\t;,", key=unquoted.count)
    reader = csv.reader([line + "\n" for line in lines], delimiter=separator, skipinitialspace=True, strict=True)
    rows = []
    try:
        for fields in reader:
            row = [field.strip() for field in fields]
            if row not in ([], [""]):
                rows.append((row, f"line {reader.line_num}"))
    except csv.Error as error:
        raise PlainError(f"line {reader.line_num}: {error}") from None
    if not rows or len(rows[0][0]) < 2:
        raise PlainError("is empty, or has one column")
    names = rows[0][0]
    by_name = label is not None and not re.fullmatch("[0-9]+", label)
    if label is None:
        at = len(names) - 1
    elif by_name:
        at = names.index(label) if names.count(label) == 1 else -1
    else:
        at = int(label) - 1 if len(label) < 10 else -1
    if not 0 <= at < len(names):
        raise PlainError(f"no column, or more than one, is {label!r}")
    features = [j for j in range(len(names)) if j != at]
    holds_words = _holding_words([row for row, _ in rows])
    of_words, of_numbers = [j for j in features if holds_words[j]], [j for j in features if not holds_words[j]]
    header = by_name or _begins_with_a_header(rows, of_numbers, at)
    if header:
        _check_names([names[j] for j in features], {names[j] for j in of_words})
    for row, where in rows[header:]:
        if len(row) != len(names):
            raise PlainError(f"{where} has {len(row)} columns where the first line has {len(names)}")
    labels = [(row[at], where) for row, where in rows[header:]]
    found = [[_value(row[j], where, numbers) for j in of_numbers] for row, where in rows[header:]]
    if not of_words:
        table = np.array(found, float if numbers == DOUBLES else object).reshape(len(found), len(features))
        return table if numbers == DOUBLES else RationalMatrix.of_objects(table), labels
    column = {(j, ""): place for place, j in enumerate(of_numbers)}
    X: list[dict[int, float | Fraction]] = []
    for values, (row, where) in zip(found, rows[header:], strict=True):
        X.append({place: value for place, value in enumerate(values) if value != 0})
        for j in of_words:
            if not row[j]:
                raise PlainError(f"{where}: a value is missing")
            X[-1][column.setdefault((j, row[j]), len(column))] = 1.0
    return _sparse(X, len(column), numbers), labels


def _check_names(names: list[str], of_words: set[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if len(name) > LONGEST_NAME:
            raise PlainError(f"the column {name[:40]!r} has a name of more than {LONGEST_NAME:,} characters")
        begins = (name[:k] for k, character in enumerate(name) if character == "=")
        if name in seen or any(begin in of_words for begin in begins):
            raise PlainError(f"the column {name[:40]!r} is called like another, or like a category of another")
        seen.add(name)


def _holding_words(rows: list[list[str]]) -> list[bool]:
    """Of each column, whether most of what stands there, perhaps below a name, does not begin as a number does."""
    like_numbers: list[list[bool]] = [[] for _ in rows[0]]
    for row in rows:
        for text, like in zip(row, like_numbers, strict=False):
            if text:
                like.append(bool(re.match("[-+]?[.]?[0-9]", text) or _is_number(text)))
    for name, like in zip(rows[0], like_numbers, strict=True):
        if name and not like[0] and len(like) > 1:
            del like[0]
    return [like.count(False) > like.count(True) for like in like_numbers]


def _begins_with_a_header(rows: list[tuple[list[str], str]], of_numbers: list[int], at: int) -> bool:
    first = rows[0][0]
    there = [_is_number(first[j]) for j in of_numbers if first[j]]
    if any(there) and not all(there):
        raise PlainError("the first line is neither a header nor a row: it has both words and numbers")
    labels = [row[at] for row, _ in rows[1:SAMPLE] if len(row) > at]
    if len(labels) > 1 and first[at] and not re.fullmatch(DECIMAL, first[at]) and all(there):
        names = [name for name in [*first[:at], *first[at + 1 :]] if name]
        counted = len(names) > 1 and names in ([str(k) for k in range(b, b + len(names))] for b in (0, 1))
        of_labels = all(re.fullmatch(DECIMAL, label) for label in labels)
        if of_labels and (counted or not of_numbers):
            return True
        if counted and first[at] not in labels and len(set(labels)) <= len(labels) / 2:
            return True
    if not of_numbers and len(rows) > 1:
        raise PlainError("all columns hold words, so nothing tells whether there is a header")
    return not of_numbers or (bool(there) and not any(there))


def _is_number(text: str) -> bool:
    """Perhaps not a finite one."""
    return re.fullmatch(f"{DECIMAL}|{NOT_A_NUMBER}", text, re.IGNORECASE) is not None


def _archive(content: bytes) -> tuple[Matrix, list[tuple[str, str]]]:
    try:
        check_archive(content)
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        y = archive["y"]
        X = archive["X"] if "X" in archive else sparse_of(archive, content)
        if not (isinstance(y, np.ndarray) and (sp.issparse(X) or isinstance(X, np.ndarray))):
            raise PlainError("X or y is no array")
    except PlainError:
        raise
    except Exception as error:
        raise PlainError(f"is not an archive of plain arrays X and y ({' '.join(str(error).split())[:200]})") from None
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y) or X.shape[1] == 0:
        raise PlainError("X and y do not have rows and labels of the same number, or X has no columns")
    if X.dtype.kind not in "biuf" or y.dtype.kind not in "biufSU":
        raise PlainError("X is not of real numbers, or y neither of numbers nor of text")
    X = X.astype(np.float64)
    if not np.isfinite(X.data if sp.issparse(X) else X).all():
        raise PlainError("X has an entry that is not finite")
    labels = []
    try:
        items = y.tolist()
    except SystemError:  # code points that no character has
        raise PlainError("y has characters that no text has") from None
    for i, item in enumerate(items):
        try:
            text = item.decode("utf-8") if isinstance(item, bytes) else str(item)
        except UnicodeDecodeError:
            raise PlainError(f"y[{i}] is not UTF-8 text") from None
        labels.append((str(int(item)) if isinstance(item, bool) else text.strip(), f"y[{i}]"))
    return X if sp.issparse(X) else np.ascontiguousarray(X), labels


def check_archive(content: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        _check_size(sum(member.file_size for member in archive.infolist()))


def sparse_of(archive: Any, content: bytes) -> Matrix:
    """The sparse matrix that SciPy saved, as CSR."""
    if archive["format"].item() not in (b"csr", b"csc", b"coo"):
        raise PlainError("save the sparse matrix as CSR")
    X = sp.load_npz(io.BytesIO(content))
    X = checked_archive(X).tocoo()
    if len(set(zip(X.row.tolist(), X.col.tolist(), strict=True))) < X.nnz:
        raise PlainError("the sparse matrix has an entry stored twice")
    return sp.csr_array(X)
