"""NumPy's archives: arrays X and y, or a sparse matrix as `scipy.sparse.save_npz` lays it out, and y beside it.

Arrays of Python objects are pickles, which run code when read: they are refused.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.readers import LARGEST_LABEL, Array, Labelled, Labels, ReadError, Source, reader


def _recognises(line: bytes) -> bool:
    return line.startswith(b"PK\x03\x04")


@reader(".npz", recognises=_recognises)
def read(source: Source, label: str | None) -> Labelled:
    if label is not None:
        raise ReadError(f"{source.name}: its labels are the array y; leave the label column out")
    X, y = _arrays(source)
    if y.ndim != 1 or X.ndim != 2 or X.shape[0] != len(y):
        raise ReadError(f"{source.name}: X has the shape {X.shape} and y {y.shape}; X has one row for each entry of y")
    if X.shape[0] and not X.shape[1]:
        raise ReadError(f"{source.name}: X has no columns; check what was saved")
    if X.dtype.kind not in "biuf":
        raise ReadError(f"{source.name}: X has the type {X.dtype}; save real numbers")
    return Labelled(_sparse(source.name, X) if sp.issparse(X) else _dense(source.name, X), _labels(source.name, y), None)


def _arrays(source: Source) -> tuple[Any, Array]:
    try:
        with np.load(source.file, allow_pickle=False) as archive:
            if "y" not in archive:
                raise ReadError(f"{source.name}: has no array y; save the labels as y")
            if "X" in archive:
                return archive["X"], archive["y"]
            if "format" not in archive:
                raise ReadError(f"{source.name}: has no array X; save the rows as X")
            y, kind = archive["y"], archive["format"].item()
        if kind not in (b"csr", b"csc", b"coo"):
            raise ReadError(f"{source.name}: the sparse matrix is stored as {kind!r}; save it as CSR")
        source.file.seek(0)
        return sp.load_npz(source.file), y
    except ReadError:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds of a damaged archive
        why = " ".join(str(error).split())[:200]
        raise ReadError(f"{source.name}: is not an archive of plain arrays ({why}); save it again with numpy.savez") from None


def _dense(name: str, X: Array) -> Array:
    X = np.ascontiguousarray(X, np.float64)
    wrong = np.argwhere(~np.isfinite(X))
    if len(wrong):
        i, j = wrong[0]
        raise ReadError(f"{name}: X[{i}, {j}] is {X[i, j]}, not finite; fill in a number or leave the row out")
    return X


def _sparse(name: str, X: Any) -> Any:
    stored = X.nnz
    try:
        if X.format != "coo":
            X.check_format(full_check=True)
        X = sp.csr_array(X).astype(np.float64)
        X.sum_duplicates()
    except ValueError as error:
        raise ReadError(f"{name}: the sparse matrix is broken ({error}); save it again") from None
    if X.nnz != stored:
        raise ReadError(f"{name}: the sparse matrix has an entry stored twice; call its sum_duplicates() and save it again")
    wrong = np.flatnonzero(~np.isfinite(X.data))
    if len(wrong):
        i = int(np.searchsorted(X.indptr, wrong[0], side="right")) - 1
        where = f"X[{i}, {X.indices[wrong[0]]}] is {X.data[wrong[0]]}"
        raise ReadError(f"{name}: {where}, not finite; fill in a number or leave the row out")
    return X


def _labels(name: str, y: Array) -> Array:
    if y.dtype.kind in "SU":
        labels = Labels()
        try:
            texts = [item.decode("utf-8") if isinstance(item, bytes) else item for item in y.tolist()]
        except UnicodeDecodeError:
            raise ReadError(f"{name}: the labels y are bytes that are not UTF-8; save them as text") from None
        labels.add([text.strip() for text in texts], lambda i: f"{name}: y[{i}]")
        return labels.array()
    if y.dtype.kind not in "biuf":
        raise ReadError(f"{name}: y has the type {y.dtype}; save numbers or text")
    wrong = np.flatnonzero(~(np.abs(y.astype(np.float64)) < LARGEST_LABEL))
    if len(wrong):
        raise ReadError(f"{name}: y[{wrong[0]}] is {y[wrong[0]]}, which is no class; number the classes from 1")
    values = y.astype(np.float64) + 0.0
    return values.astype(np.int64) if (values == np.floor(values)).all() else values
