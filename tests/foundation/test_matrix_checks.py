"""Nothing reads through the pointers of a sparse matrix before they have been checked."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff
from hostile import GOOD, Y, matrices
from novikoff.distributed.shards import shard_of_block
from novikoff.foundation.matrix_checks import checked

MAKERS = [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array, sp.lil_array, sp.dok_array, sp.csr_matrix]
HOSTILE = dict(matrices())


def test_every_door_refuses_every_broken_matrix_and_none_of_them_ends_the_process():
    program = Path(__file__).parents[1] / "hostile.py"
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=600)
    last = (ended.stdout.splitlines() or [""])[-1]
    assert ended.returncode == 0, f"{last}\nexit code {ended.returncode}\n{ended.stderr[-3000:]}"
    assert last.endswith(" refused")
    assert int(last.split()[0]) >= 40 * len(HOSTILE)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_said_in_a_sentence(name):
    with pytest.raises(ValueError, match=r"is broken: .*; build the matrix again$|must not be a masked array"):
        checked(HOSTILE[name])


@given(st.data())
def test_matrices_as_scipy_makes_them_are_let_in(data):
    """Also with room to spare behind the entries, and with starts and indices of any width."""
    shape = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
    numbers = data.draw(st.lists(st.sampled_from([0.0, 0.0, 1.5]), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    X = data.draw(st.sampled_from(MAKERS))(np.array(numbers).reshape(shape))
    if X.format in ("csr", "csc"):
        kind = data.draw(st.sampled_from([np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64, ">i4"]))
        spare = data.draw(st.integers(0, 3))
        X.indptr = X.indptr.astype(kind)
        X.indices = np.concatenate([X.indices, np.full(spare, -1)]).astype(kind)
        X.data = np.concatenate([X.data, np.full(spare, np.nan)])
    assert checked(X) is X


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=5), st.integers(0, 6), st.booleans())
def test_starts_are_let_in_exactly_where_every_slice_they_mean_is_there(starts, entries, sorted_ones):
    """Said anew, in Python's numbers, of which no difference wraps around."""
    starts = [0, *(sorted(start % 8 for start in starts) if sorted_ones else starts)]
    X = sp.csr_array((len(starts) - 1, 2))
    X.indptr, X.indices, X.data = np.array(starts, np.int32), np.zeros(entries, np.int32), np.ones(entries)
    if all(0 <= a <= b <= entries for a, b in pairwise(starts)):
        checked(X)
    else:
        with pytest.raises(ValueError, match="indptr"):
            checked(X)


MASKED = np.ma.masked_array([0, 1, 0], [1, 0, 0])
LABELLED = {
    "fit": lambda y: novikoff.Perceptron().fit(GOOD, y),
    "fit, weights": lambda y: novikoff.Perceptron().fit(GOOD, Y, sample_weight=y),
    "fit through a kernel": lambda y: novikoff.KernelPerceptron().fit(GOOD, y),
    "partial_fit": lambda y: novikoff.Perceptron().partial_fit(GOOD, y, classes=[0, 1]),
    "partial_fit, weights": lambda y: novikoff.Perceptron().partial_fit(GOOD, Y, classes=[0, 1], sample_weight=y),
    "certify": lambda y: novikoff.Perceptron().fit(GOOD, Y).certify(GOOD, y),
    "development_curve": lambda y: novikoff.development_curve(novikoff.Perceptron(), GOOD, y, dev=(GOOD, Y)),
    "separate": lambda y: novikoff.separate(GOOD, y),
    "max_margin": lambda y: novikoff.max_margin(GOOD, y),
    "quasi_separate": lambda y: novikoff.quasi_separate(GOOD, y),
    "rows_in_the_way": lambda y: novikoff.rows_in_the_way(GOOD, y),
    "solve_system": lambda y: novikoff.solve_system(GOOD, y, None),
    "hinge_loss": lambda y: novikoff.hinge_loss([1, 1, 1], GOOD, 2 * y - 1),
    "report": lambda y: novikoff.report(novikoff.Perceptron().fit(GOOD, Y), GOOD, y),
    "plot.margins": lambda y: novikoff.plot.margins(novikoff.Perceptron().fit(GOOD, Y), GOOD, y),
    "shards": lambda y: shard_of_block("block 0", GOOD, y),
}


@pytest.mark.parametrize("door", LABELLED)
def test_masked_labels_and_weights_are_refused(door):
    with pytest.raises(ValueError, match="masked array"):
        LABELLED[door](MASKED)


@pytest.mark.parametrize("kind", ["i1", "i2", ">i4", ">i8"])
def test_starts_and_indices_of_other_widths_change_no_answer(kind):
    X = sp.csr_array(GOOD)
    X.indptr, X.indices = X.indptr.astype(kind), X.indices.astype(kind)
    found = novikoff.separate(X, Y)
    assert found == novikoff.separate(GOOD, Y)
    assert novikoff.verify(found, X, Y)


def test_unsigned_offsets_are_refused():
    """SciPy subtracts them, and makes room for 2³² entries."""
    X = sp.dia_array(np.eye(3))
    X.offsets = (X.offsets + 100).astype(np.uint32)
    with pytest.raises(ValueError, match="offsets must be signed"):
        novikoff.separate(X, [0, 1, 0])
