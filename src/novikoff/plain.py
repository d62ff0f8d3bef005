"""The stranger's own parser: slow, obvious, and without a line in common with `novikoff.readers`.

`novikoff verify` reads data with this, so that a mistake of the readers cannot vouch for itself. The formats and what is
refused are the same: svmlight, tables, npz; a number is a finite decimal; labels are numbers if all of them are, else text.
"""

import bz2
import csv
import gzip
import io
import lzma
import math
import re
import sys
from os.path import splitext
from typing import Any

import numpy as np
import scipy.sparse as sp

ENDINGS = dict.fromkeys((".svm", ".svmlight", ".libsvm", ".txt", ".dat"), "svm") | {".csv": "csv", ".tsv": "csv", ".npz": "npz"}
DECIMAL = r"[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?"


class PlainError(ValueError):
    """This file is not what it should be."""


def read_plainly(path: Any, label: Any = None) -> tuple[Any, Any, int]:
    """The rows, a csr_array or a float64 array; their labels; the number of columns."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        content = _content(str(path))
        kind = _kind(str(path), content)
        if kind == "csv":
            X, labels = _table(content, None if label is None else str(label))
        elif label is not None:
            raise PlainError("the labels are no column of a table here; leave the label column out")
        else:
            X, labels = _svmlight(content) if kind == "svm" else _archive(content)
        if not labels:
            raise PlainError("has no rows")
        return X, np.array(_label_values(labels)), X.shape[1]
    except PlainError as error:
        raise PlainError(f"{name}: {error}") from None


def _content(path: str) -> bytes:
    try:
        if path == "-":
            if sys.stdin is None:
                raise PlainError("standard input is closed; give a file")
            content = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                content = file.read()
    except (OSError, ValueError) as error:
        raise PlainError(f"cannot be read ({getattr(error, 'strerror', None) or error}); check the path") from None
    try:
        if content[:2] == b"\x1f\x8b":
            return gzip.decompress(content)
        if content[:6] == b"\xfd7zXZ\x00":
            return lzma.decompress(content)
        return bz2.decompress(content) if content[:3] == b"BZh" else content
    except Exception:
        raise PlainError("the compressed file is damaged or cut short; fetch or pack it again") from None


def _kind(path: str, content: bytes) -> str:
    stem, ending = splitext(path.lower())
    if ending in (".gz", ".xz", ".bz2"):
        ending = splitext(stem)[1]
    if ending in ENDINGS:
        return ENDINGS[ending]
    for line in content.split(b"\n"):
        if line.lstrip().startswith(b"#"):
            continue
        if line.startswith(b"PK\x03\x04"):
            return "npz"
        if re.match(rb"\s*[^\s:]+\s+(qid:\S+\s+)?[0-9]+:", line):
            return "svm"
        if re.search(rb"[,;\t]", line.strip()) and not re.search(rb"\s[0-9]+:", line):
            return "csv"
    raise PlainError("neither name nor content tells its format; call it .svm, .csv, .tsv or .npz")


def _lines(content: bytes) -> list[str]:
    lines = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise PlainError(f"line {number} is not UTF-8 text") from None
        if b"\0" in line:
            raise PlainError(f"line {number} has a zero byte")
    return lines


def _number(text: str, where: str) -> float:
    if not re.fullmatch(DECIMAL, text) or not math.isfinite(float(text)):
        raise PlainError(f"{where}: {text[:40]!r} is not a finite number")
    return float(text)


def _label_values(labels: list[tuple[str, str]]) -> list[Any]:
    """The labels themselves, of pairs (label as written, where)."""
    for text, where in labels:
        if not text or len(text) > 200 or re.fullmatch("[-+]?(nan|inf|infinity)", text.lower()):
            raise PlainError(f"{where}: {text[:40]!r} is not a label")
        if re.fullmatch(DECIMAL, text) and abs(float(text)) >= 2**53:
            raise PlainError(f"{where}: {text[:40]!r} is too large for a label")
    if not all(re.fullmatch(DECIMAL, text) for text, _ in labels):
        return [text for text, _ in labels]
    values = [float(text) for text, _ in labels]
    return [int(value) for value in values] if all(value.is_integer() for value in values) else values


def _svmlight(content: bytes) -> tuple[Any, list[tuple[str, str]]]:
    rows: list[dict[int, float]] = []
    labels = []
    for number, line in enumerate(_lines(content), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"line {number}"
        if ":" in words[0]:
            raise PlainError(f"{where} has no label")
        row: dict[int, float] = {}
        for place, word in enumerate(words[1:]):
            if place == 0 and word.startswith("qid:"):
                continue
            index, colon, value = word.partition(":")
            if not colon or not re.fullmatch("[0-9]{1,10}", index) or int(index) > 2**31 - 2:
                raise PlainError(f"{where}: {word[:40]!r} is not an index and a value")
            if int(index) in row:
                raise PlainError(f"{where}: the index {index} occurs twice")
            row[int(index)] = _number(value, where)
        rows.append(row)
        labels.append((words[0], where))
    if rows and not any(rows):
        raise PlainError("has labels, but not a single index:value pair")
    first = 0 if any(0 in row for row in rows) else 1
    width = max((index for row in rows for index in row), default=0) + 1 - first
    values = [row[index] for row in rows for index in sorted(row)]
    columns = [index - first for row in rows for index in sorted(row)]
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    return sp.csr_array(
        (np.array(values, float), np.array(columns, int), np.array(starts, int)), shape=(len(rows), width)
    ), labels


def _table(content: bytes, label: str | None) -> tuple[Any, list[tuple[str, str]]]:
    lines = _lines(content)
    unquoted = re.sub(r'"[^"]*("|$)', "", next((line for line in lines if line.strip()), ""))
    separator = max("\t;,", key=unquoted.count)
    table = csv.reader([line + "\n" for line in lines], delimiter=separator, skipinitialspace=True, strict=True)
    rows = []
    try:
        for fields in table:
            row = [field.strip() for field in fields]
            if row not in ([], [""]):
                rows.append((row, f"line {table.line_num}"))
    except csv.Error as error:
        raise PlainError(f"line {table.line_num}: {error}") from None
    if not rows or len(rows[0][0]) < 2:
        raise PlainError("is empty, or has one column")
    names = rows[0][0]
    by_number = label is not None and re.fullmatch("[0-9]+", label) is not None
    if label is None:
        at = len(names) - 1
    elif by_number:
        at = int(label) - 1 if len(label) < 10 else -1
    else:
        at = names.index(label) if names.count(label) == 1 else -1
    if not 0 <= at < len(names):
        raise PlainError(f"no column, or more than one, is {label!r}")
    features = [name for j, name in enumerate(names) if j != at and name]
    numeric = [bool(re.fullmatch(DECIMAL + "|[-+]?(nan|inf|infinity)", name, re.IGNORECASE)) for name in features]
    header = (label is not None and not by_number) or (bool(features) and not any(numeric))
    if not header and not all(numeric):
        raise PlainError("the first line is neither a header nor a row: it has both words and numbers")
    X, labels = [], []
    for row, where in rows[header:]:
        if len(row) != len(names):
            raise PlainError(f"{where} has {len(row)} columns where the first line has {len(names)}")
        labels.append((row[at], where))
        X.append([_number(field, where) for j, field in enumerate(row) if j != at])
    return np.array(X, float).reshape(len(X), len(names) - 1), labels


def _archive(content: bytes) -> tuple[Any, list[tuple[str, str]]]:
    try:
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        y = archive["y"]
        if "X" in archive:
            X = archive["X"]
        elif archive["format"].item() in (b"csr", b"csc", b"coo"):
            X = sp.load_npz(io.BytesIO(content))
            if X.format != "coo":
                X.check_format(full_check=True)
            X = X.tocoo()
        else:
            raise PlainError("save the sparse matrix as CSR")
    except Exception as error:
        raise PlainError(f"is not an archive of plain arrays X and y ({' '.join(str(error).split())[:200]})") from None
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y) or X.shape[1] == 0:
        raise PlainError("X and y do not have rows and labels of the same number, or X has no columns")
    if X.dtype.kind not in "biuf" or y.dtype.kind not in "biufSU":
        raise PlainError("X is not of real numbers, or y neither of numbers nor of text")
    if sp.issparse(X):
        if len(set(zip(X.row.tolist(), X.col.tolist(), strict=True))) < X.nnz:
            raise PlainError("the sparse matrix has an entry stored twice")
        X = sp.csr_array(X)
    X = X.astype(np.float64)
    if not np.isfinite(X.data if sp.issparse(X) else X).all():
        raise PlainError("X has an entry that is not finite")
    labels = []
    for i, item in enumerate(y.tolist()):
        try:
            text = item.decode("utf-8") if isinstance(item, bytes) else str(item)
        except UnicodeDecodeError:
            raise PlainError(f"y[{i}] is not UTF-8 text") from None
        labels.append((str(int(item)) if isinstance(item, bool) else text.strip(), f"y[{i}]"))
    return X if sp.issparse(X) else np.ascontiguousarray(X), labels
