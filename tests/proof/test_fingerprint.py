"""The fingerprint: the same however the data is stored or cut, another for other data, and what the document says it is."""

import struct

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from novikoff.engine.labelled_rows import examples
from novikoff.proof.fingerprint import Fingerprint, fingerprint, row_hashes

NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1e300])
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=NUMBERS)


def in_plain_python(X, side):
    """As docs/certificates.md says it."""
    bits = 2**64

    def mixed(x):
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % bits
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % bits
        return x ^ (x >> 31)

    total = 0
    for x, yes in zip(X, side, strict=True):
        row = 0xD1B54A32D192ED03 * int(yes)
        for j, value in enumerate(x):
            if value != 0:
                (raw,) = struct.unpack("<Q", struct.pack("<d", value))
                row += mixed(raw ^ ((j + 1) * 0x9E3779B97F4A7C15 % bits))
        total = (total * 0x5851F42D4C957F2D + mixed(row % bits)) % bits
    return f"{total:016x}"


@given(matrices, st.data())
def test_it_is_what_the_document_says_in_every_storage_and_in_pieces(X, data):
    side = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    wanted = in_plain_python(X.tolist(), side)
    assert str(fingerprint(X, side)) == wanted
    assert str(fingerprint(sp.csr_array(X), side)) == wanted
    assert str(fingerprint(np.asfortranarray(X), side)) == wanted
    cut = data.draw(st.integers(0, len(X)))
    first, second = fingerprint(X[:cut], side[:cut]), fingerprint(sp.csr_array(X)[cut:], side[cut:])
    assert str(first.then(second)) == wanted
    assert str(Fingerprint().then(first).then(second).then(Fingerprint())) == wanted


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_the_compiled_hashes_are_the_same(store, dtype):
    X = np.random.default_rng(0).integers(-3, 4, (500, 70)) / 4.0
    stored = store(X.astype(dtype))
    assert (examples(stored, np.arange(500) % 2).hashes() == row_hashes(stored)).all()


def test_blocks_of_any_size_agree(monkeypatch):
    X = np.random.default_rng(1).integers(-1, 2, (300, 40)).astype(float)
    X[7] = X[100:120] = 0
    wanted = row_hashes(X)
    for block in (1, 39, 40, 1000):
        monkeypatch.setattr("novikoff.proof.fingerprint.BLOCK", block)
        assert (row_hashes(X) == wanted).all()
        assert (row_hashes(sp.csr_array(X)) == wanted).all()


def test_all_small_boolean_tables_differ():
    rows = np.array([[(n >> k) & 1 for k in range(10)] for n in range(1024)], float)
    hashes = np.concatenate([row_hashes(rows), row_hashes(-rows[1:]), row_hashes(2 * rows[1:])])
    assert len(set(hashes.tolist())) == len(hashes)
    pairs = {str(fingerprint(rows[[i, j]], [a, b])) for i in range(16) for j in range(16) for a in (0, 1) for b in (0, 1)}
    assert len(pairs) == 16 * 16 * 4


@pytest.mark.parametrize("kind", ["u8", "i4", "i8", "i2", "i1", "u4", ">i4", ">i8"])
def test_starts_of_any_type_agree(kind):
    X = sp.csr_array(np.eye(4)[[0, 2, 1, 3, 3]])
    other = X.copy()
    other.indptr = X.indptr.astype(kind)
    assert (row_hashes(other) == row_hashes(X)).all()
