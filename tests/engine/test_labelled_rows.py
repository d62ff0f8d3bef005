"""Bad input is refused with a sentence, before anything is learned; good input is used in place."""

import numpy as np
import pytest
import scipy.sparse as sp

from chosen import short
from novikoff.engine.labelled_rows import checked_rows, examples, scores
from novikoff.engine.storages import rows_of, sqnorm

GOOD, LABELS = np.arange(12.0).reshape(4, 3), [0, 1, 0, 1]


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_names_the_first_bad_row_and_column(make, dtype, value, word):
    X = np.ones((50, 7), dtype)
    X[31, 5] = X[31, 6] = X[40, 0] = value
    for look in (lambda: examples(make(X), np.arange(50) % 2), lambda: scores(make(X), 1, np.ones((1, 8)))):
        with pytest.raises(ValueError, match=f"row 31, column 5 is {word}"):
            look()


def test_large_data_on_threads_names_the_first_one_too():
    X = np.ones((3000, 100))
    X[2900, 3] = X[17, 50] = np.nan
    with pytest.raises(ValueError, match="row 17, column 50 is NaN"):
        checked_rows(X, 1)


def test_finite_rows_may_overflow_when_squared():
    with pytest.raises(ValueError, match="row 1 is too long, its squared norm overflows: scale the data down"):
        examples(np.array([[1.0], [1e200]]), [0, 1])


@pytest.mark.parametrize(
    ("X", "y", "weight", "sentence"),
    [
        (GOOD[:0], [], None, "there are no rows"),
        (GOOD[:, :0], LABELS, None, "there are no columns"),
        (GOOD[0], LABELS, None, "data must be two-dimensional"),
        (GOOD, [0, 1], None, "there are 4 rows and 2 labels"),
        (GOOD, [[0], [1], [0], [1]], None, "labels must be one-dimensional"),
        (GOOD, [0, np.nan, 0, 1], None, "the label of row 1 is nan"),
        (GOOD, np.array([0, "a", 0, 1], dtype=object), None, "labels of different kinds cannot be put in order: int, str"),
        (GOOD, LABELS, [1, 2], "sample weights of shape \\(2,\\)"),
        (GOOD, LABELS, [1, 2, -3, 1], "sample weight of row 2 is -3.0"),
        (GOOD, LABELS, [1, np.nan, 3, 1], "sample weight of row 1 is nan"),
    ],
)
def test_refuses_with_a_sentence(X, y, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        examples(X, y, weight=weight)


def test_broken_csr_is_refused_and_never_read_out_of_bounds():
    X = sp.csr_array(GOOD)
    X.indices[5] = 10**6
    with pytest.raises(ValueError, match="CSR matrix is broken"):
        examples(X, LABELS)
    with pytest.raises(ValueError, match="CSR matrix is broken"):
        scores(X, 1, np.ones((1, 4)))
    X.indices[5] = -1
    with pytest.raises(ValueError, match="CSR matrix is broken"):
        examples(X, LABELS)
    Y = sp.csr_array(GOOD)
    Y.indptr[-1] = 10**6
    with pytest.raises(ValueError, match="indptr ends with 1000000, beyond its"):
        examples(Y, LABELS)
    Y.indptr[-1] = 11
    Y.indptr[1] = 12
    with pytest.raises(ValueError, match="indptr falls from 12 to"):
        examples(Y, LABELS)


@pytest.mark.parametrize(
    "index", short([(np.dtype("i2"),), (np.dtype(">i8"),)], [(np.dtype(kind),) for kind in ("i2", "u4", ">i4", ">i8")])
)
def test_indices_of_other_types_are_converted(index):
    X = sp.csr_array(GOOD)
    usual = examples(X, LABELS).sheet.sqnorm.tolist()
    for name in ("indices", "indptr"):
        Y = sp.csr_array(GOOD)
        setattr(Y, name, getattr(Y, name).astype(index))
        assert examples(Y, LABELS).sheet.sqnorm.tolist() == usual
        assert scores(Y, 1, np.ones((1, 4))).tolist() == scores(X, 1, np.ones((1, 4))).tolist()
    Y.indptr = Y.indptr.astype(float)
    with pytest.raises(ValueError, match="must be whole numbers"):
        examples(Y, LABELS)


def test_rows_whose_norm_underflows_are_refused_and_zero_rows_are_not():
    for make in (np.asarray, sp.csr_array):
        with pytest.raises(ValueError, match="row 1 is too short"):
            examples(make(np.array([[1.0, 0.0], [0.0, 1e-170]])), [0, 1], constant=0)
        examples(make(np.array([[1.0, 0.0], [0.0, 0.0]])), [0, 1], constant=0)
        examples(make(np.array([[1.0, 0.0], [0.0, 1e-170]])), [0, 1])  # with a bias nothing is lost


def test_no_rows_to_predict():
    with pytest.raises(ValueError, match="there are no rows"):
        scores(GOOD[:0], 1, np.ones((1, 4)))


def test_column_named_twice_means_the_sum():
    twice = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    seen = examples(twice, [0, 1])
    assert seen.sheet.sqnorm.tolist() == [9 + 1, 16 + 1]
    assert scores(twice, 1, np.array([[1.0, 1.0, 0.0]]))[:, 0].tolist() == [3.0, 4.0]
    assert twice.data.tolist() == [1.0, 2.0, 4.0]  # and the user's matrix is as it was


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_data_is_used_in_place(dtype, index):
    X = np.ones((5, 4), dtype)[::2, ::3]
    assert np.shares_memory(rows_of(X, 1.0).X, X)
    S = sp.csr_array(np.eye(3, dtype=dtype))
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    rows = rows_of(S, 1.0)
    assert np.shares_memory(rows.data, S.data)
    assert np.shares_memory(rows.indices, S.indices)
    assert np.shares_memory(rows.indptr, S.indptr)
    assert not rows.data.flags.writeable


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_float32_is_squared_in_double_precision(make):
    X = np.array([[1 + 2.0**-20, 3 + 2.0**-20, 5 + 2.0**-20, 7 + 2.0**-20, 1 + 2.0**-21]], np.float32)
    assert examples(make(np.repeat(X, 2, 0)), [0, 1]).sheet.sqnorm[0] == (X.astype(float) ** 2).sum() + 1
    assert sqnorm(rows_of(make(X), 1.0), 0) == pytest.approx((X.astype(float) ** 2).sum() + 1, rel=1e-6)
