"""NumPy's archives: arrays X and y, or a sparse matrix as `scipy.sparse.save_npz` lays it out, and y beside it.

Arrays of Python objects are pickles, which run code when read: they are refused.
"""

import io
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from novikoff.data.features import Numbered
from novikoff.data.labels import LARGEST_LABEL
from novikoff.data.matrices import known_only, matrix, widened
from novikoff.data.readers import Part, Reading, format
from novikoff.data.sources import ReadError, Source, check_archive
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked_archive

AT_A_TIME = 2**16  # rows of a block


def _recognises(line: bytes) -> bool:
    return line.startswith(b"PK\x03\x04")


@format("npz", ".npz", recognises=_recognises, magic=True)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f"{source.name}: its labels are the array y; leave the label column out")
    X, y = _arrays(source, reading)
    if X.ndim == 2 and X.shape[0] and not X.shape[1]:
        raise ReadError(f"{source.name}: X has no columns; check what was saved")
    if y is None and X.ndim == 2:
        y = np.full(X.shape[:1], "")
    if y is None or y.ndim != 1 or X.ndim != 2 or X.shape[0] != len(y):
        labels = "" if y is None else f" and y {y.shape}"
        raise ReadError(f"{source.name}: X has the shape {X.shape}{labels}; X has one row for each entry of y")
    if X.dtype.kind not in "biuf":
        raise ReadError(f"{source.name}: X has the type {X.dtype}; save real numbers")
    X = _sparse(source.name, X) if sp.issparse(X) else _dense(source.name, X)
    X = _placed(X, reading.features_of(Numbered, Numbered, source.name))
    texts, label_of = _labels(source.name, y)
    codes = reading.labels.codes(texts, lambda k: f"{source.name}: y[{np.argmax(label_of == k)}]")
    for first in range(0, len(y), AT_A_TIME):
        last = first + AT_A_TIME
        yield Part(X[first:last], codes[label_of[first:last]])


def _placed(X: Matrix, features: Numbered) -> Matrix:
    """The rows in the columns that the features have: column j of X is the number base + j."""
    if features.compacted:
        X = sp.csr_array(X)
        numbers = X.indices.astype(np.int64) + features.base
        X = matrix(*known_only(X.data, features.columns(numbers, int(numbers.max(initial=0))), X.indptr), features.width)
        X.sort_indices()
        return X
    if not features.frozen:
        features.widen(X.shape[1])
    return widened(X[:, : features.width], features.width)


def _arrays(source: Source, reading: Reading) -> tuple[Matrix, Array | None]:
    file = io.BytesIO(source.whole())
    try:
        check_archive(source.name, file)
        with np.load(file, allow_pickle=False) as archive:
            if "y" not in archive and not reading.options.unlabelled:
                raise ReadError(f"{source.name}: has no array y; save the labels as y")
            y = archive.get("y")
            if not isinstance(y, np.ndarray | None):
                raise ReadError(f"{source.name}: y is not an array; save it again with numpy.savez")
            if "X" in archive:
                if not isinstance(archive["X"], np.ndarray):
                    raise ReadError(f"{source.name}: X is not an array; save it again with numpy.savez")
                return archive["X"], y
            if "format" not in archive:
                raise ReadError(f"{source.name}: has no array X; save the rows as X")
            kind = archive["format"].item()
        if kind not in (b"csr", b"csc", b"coo"):
            raise ReadError(f"{source.name}: the sparse matrix is stored as {kind!r}; save it as CSR")
        file.seek(0)
        return sp.load_npz(file), y
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
        raise ReadError(f"{name}: X[{i}, {j}] is {X[i, j]}, which is not finite; fill in a number or leave the row out")
    return X


def _sparse(name: str, X: Matrix) -> Matrix:
    stored = X.nnz
    try:
        X = sp.csr_array(checked_archive(X)).astype(np.float64)
        X.sum_duplicates()
    except ValueError as error:
        raise ReadError(f"{name}: {error} and save it again") from None
    if X.nnz != stored:
        raise ReadError(f"{name}: the sparse matrix has an entry stored twice; call its sum_duplicates() and save it again")
    wrong = np.flatnonzero(~np.isfinite(X.data))
    if len(wrong):
        i = int(np.searchsorted(X.indptr, wrong[0], side="right")) - 1
        where = f"X[{i}, {X.indices[wrong[0]]}] is {X.data[wrong[0]]}"
        raise ReadError(f"{name}: {where}, not finite; fill in a number or leave the row out")
    return X


def _labels(name: str, y: Array) -> tuple[list[str], Array]:
    """The different labels as text, and which of them each row has."""
    if y.dtype.kind in "SU":
        try:
            texts = [(item.decode("utf-8") if isinstance(item, bytes) else item).strip() for item in y.tolist()]
        except (UnicodeDecodeError, SystemError):  # the latter of code points that no character has
            raise ReadError(f"{name}: the labels y are not valid text; save them as text") from None
        y = np.array(texts, np.str_) if texts else np.zeros(0, np.str_)
    elif y.dtype.kind not in "biuf":
        raise ReadError(f"{name}: y has the type {y.dtype}; save numbers or text")
    else:
        wrong = np.flatnonzero(~(np.abs(y.astype(np.float64)) < LARGEST_LABEL))
        if len(wrong):
            raise ReadError(f"{name}: y[{wrong[0]}] is {y[wrong[0]]}, which is not a valid class; number the classes from 1")
        y = y.astype(np.float64) + 0.0
    kinds, label_of = np.unique(y, return_inverse=True)
    return [kind if isinstance(kind, str) else repr(kind) for kind in kinds.tolist()], label_of
