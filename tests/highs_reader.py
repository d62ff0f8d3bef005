"""HiGHS as a second opinion on MPS and LP files. It takes numbers as doubles, and reads carelessly: give it well-formed files."""

import gzip
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import highspy
import numpy as np
import scipy.sparse as sp

MARKER = re.compile(r"\s*\S+\s+'MARKER'\s+('INTORG'|'INTEND')")


class Read(NamedTuple):
    A: sp.csr_array
    lower: np.ndarray
    upper: np.ndarray
    bounds: np.ndarray
    cost: np.ndarray
    maximize: bool
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    offset: float


def read_with_highs(path, suffix=".mps"):
    content = Path(path).read_bytes()
    text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
    if suffix == ".mps":
        text = "".join(map(_line, text.split("\n")))
    highs = highspy.Highs()
    for option, value in {"output_flag": False, "small_matrix_value": 1e-12, "large_matrix_value": np.inf}.items():
        highs.setOptionValue(option, value)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / f"plain{suffix}"
        plain.write_text(text)
        status = highs.readModel(str(plain))
    assert status != highspy.HighsStatus.kError
    model = highs.getLp()
    matrix, shape = model.a_matrix_, (model.num_row_, model.num_col_)
    A = sp.csc_array((np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_)), shape).tocsr()
    A.eliminate_zeros()
    return Read(
        A,
        np.array(model.row_lower_),
        np.array(model.row_upper_),
        np.stack([model.col_lower_, model.col_upper_], axis=1).reshape(-1, 2),
        np.array(model.col_cost_),
        model.sense_ == highspy.ObjSense.kMaximize,
        tuple(model.row_names_),
        tuple(model.col_names_),
        model.offset_,
    )


def _line(text):
    """Where names have spaces, HiGHS counts characters: an empty line, and one of 127, would keep it reading for ever."""
    text = text.rstrip()
    if not text or text.startswith("*"):
        return ""
    if marker := MARKER.fullmatch(text):
        text = "    MARKER    'MARKER'                 " + marker[1]
    text = text.ljust(80)
    return text + (" \n" if len(text) % 127 == 0 else "\n")


def assert_same_decimals(own, plain):
    """What the reader of `solve` has, and what the stranger has."""
    assert own.A.shape == plain.A.shape
    assert (own.A.nearest != plain.A.nearest).nnz == 0
    assert own.A.exact == plain.A.exact
    for ours, theirs in zip((own.lower, own.upper, *own.bounds), (plain.lower, plain.upper, *plain.bounds), strict=True):
        assert ours.tolist() == theirs.tolist()
    assert (own.row_names, own.column_names) == (plain.row_names, plain.column_names)
    assert (own.objective is None) == (plain.objective is None)
    if own.objective is not None:
        assert (own.objective.sense, own.objective.c.tolist()) == (plain.objective[0], plain.objective[1].tolist())


def assert_same(found, plain):
    """What HiGHS has, and what the stranger has, as doubles."""
    A, lower, upper, bounds = plain[:4]
    assert A.dtype == np.float64
    assert A.has_canonical_format
    assert A.shape == found.A.shape
    for ours, theirs in [
        (A.indptr, found.A.indptr),
        (A.indices, found.A.indices),
        (A.data, found.A.data),
        (lower, found.lower),
        (upper, found.upper),
        (bounds, found.bounds),
    ]:
        assert ours.tolist() == theirs.tolist()
        assert np.signbit(ours).tolist() == np.signbit(theirs).tolist()  # a fingerprint is of bits
    if plain.objective is not None:
        assert (plain.objective[0] == "maximize", plain.objective[1].tolist()) == (found.maximize, found.cost.tolist())
    if found.row_names or found.column_names:
        assert (plain.row_names, plain.column_names) == (found.row_names, found.column_names)
