"""How models prepare rows: statistics that do not depend on blocks, streams row by row, weights in own units, files."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.features import Hashed, Named, Numbered
from novikoff.data.preparation import Statistics
from novikoff.data.preparer import NOT_PREPARED, Preparer, Stream, Wanted, preparer_for, spread, statistics_of, tensors_of
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.models.model import Model

OF_NUMBERS = ["variance", "largest", "centre"]
METHODS = [*OF_NUMBERS, "tfidf", "binary", "counts"]


@st.composite
def tables(draw):
    """Rows of numbers, some of them gaps, as an array or as CSR with zeros and gaps stored here and there."""
    rows, width = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    numbers = st.floats(-1e6, 1e6, allow_subnormal=False) | st.just(math.nan) | st.integers(-3, 3).map(float)
    X = np.array(draw(st.lists(numbers, min_size=rows * width, max_size=rows * width))).reshape(rows, width)
    if not draw(st.booleans()):
        return X
    kept = np.array(draw(st.lists(st.booleans(), min_size=rows * width, max_size=rows * width))).reshape(X.shape)
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return sp.csr_array((X[kept], np.nonzero(kept)[1].astype(np.int32), starts.astype(np.int32)), shape=X.shape)


def found_in(X):
    found = Statistics()
    found.add(X)
    return found


def same(a, b):
    return a.rows == b.rows and all(np.array_equal(x, y) for x, y in zip(a.columns, b.columns, strict=True))


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def names(width):
    return Named([f"x{j}" for j in range(width)])


@given(tables(), st.integers(0, 12))
def test_statistics_have_the_same_bits_in_whatever_blocks_rows_come(X, cut):
    pieces = Statistics()
    for piece in (X[:cut], X[cut:]):
        pieces.add(piece)
    assert same(pieces, found_in(X))


@given(tables())
def test_statistics_are_those_of_numpy(X):
    found = found_in(X)
    for j in range(X.shape[1]):
        column = X.data[X.indices == j] if sp.issparse(X) else X[:, j]
        values = column[~np.isnan(column)]
        assert (found.filled[j], found.gaps[j]) == (len(values), np.isnan(column).sum())
        if len(values):
            scale = max(1.0, float(np.abs(values).max()))
            assert math.isclose(found.mean[j], values.mean(), rel_tol=1e-9, abs_tol=1e-9 * scale)
            assert math.isclose(found.squares[j], values.var() * len(values), rel_tol=1e-6, abs_tol=1e-9 * scale**2)
            assert found.largest[j] == np.abs(values).max()


@given(tables(), st.sampled_from(METHODS), st.integers(0, 12))
def test_a_row_of_a_stream_is_prepared_by_the_statistics_of_the_rows_up_to_it(X, method, cut):
    unit = method not in OF_NUMBERS
    if unit:
        X = sp.csr_array(np.nan_to_num(dense(X)))
    features = Hashed(2, scheme="text") if unit else names(X.shape[1])
    wide = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], 4)) if unit else X
    stream = Preparer(method, unit, True, Statistics())
    told = [dense(stream.follow(piece, features)) for piece in (wide[:cut], wide[cut:]) if piece.shape[0]]
    told = np.concatenate(told)
    for i in range(wide.shape[0]):
        upto = Statistics()
        upto.add(wide[: i + 1])
        alone = dense(Preparer(method, unit, False, upto).apply(wide[i : i + 1], features))[0]
        if method == "variance":  # rounding decides what is constant
            alone = np.where(upto.constant & (np.abs(told[i]) <= 1), told[i], alone)
        assert np.allclose(told[i], alone, rtol=1e-6, atol=1e-6)


@given(tables(), st.sampled_from(OF_NUMBERS), st.lists(st.floats(-10, 10), min_size=5, max_size=5))
def test_weights_in_own_units_score_rows_as_they_are(X, method, w):
    X = np.nan_to_num(dense(X))
    preparer = Preparer(method, False, False, found_in(X))
    w = np.array([[*w[: X.shape[1]], w[-1]]])
    scores = preparer.apply(X, names(X.shape[1])) @ w[0, :-1] + w[0, -1]
    own = preparer.in_own_units(w, names(X.shape[1]))
    size = np.abs(X) @ np.abs(own[0, :-1]) + abs(own[0, -1]) + np.abs(w).sum() + 1
    assert (np.abs(X @ own[0, :-1] + own[0, -1] - scores) <= 1e-9 * size).all()


def test_indicators_stay_as_they_are():
    features = Named(["age", "colour=red", "age is missing"], ["colour=red", "age is missing"])
    X = np.array([[1.0, 1, 0], [3, 0, 0], [math.nan, 1, 1]])
    preparer = preparer_for(Wanted(), features, found_in(X))
    made = preparer.apply(X, features)
    assert made[:, 1:].tolist() == X[:, 1:].tolist()
    assert np.allclose(made[:, 0], [-math.sqrt(1.5), math.sqrt(1.5), 0])


def test_which_rows_are_prepared_and_how():
    full, holes = np.array([[1.0, 2], [3, 4]]), sp.csr_array([[1.0, 0], [0, 4]])
    assert preparer_for(NOT_PREPARED, names(2), found_in(full)) is None
    assert preparer_for(Wanted(), names(2), found_in(full)).method == "variance"
    assert preparer_for(Wanted(), names(2), found_in(holes)).method == "largest"
    assert preparer_for(Wanted(), Numbered(0, 2), found_in(full)) is None
    assert preparer_for(Wanted(), Numbered(0, 2), found_in(full * [1, 1000])).method == "variance"
    assert preparer_for(Wanted(), Numbered(0, 2), found_in(sp.csr_array(holes * [[1, 1000]]))).method == "largest"
    assert preparer_for(Wanted(), Hashed(3, scheme="text"), found_in(holes)).method == "tfidf"
    assert preparer_for(Wanted(), Hashed(3, scheme="vw"), found_in(holes)) is None
    assert preparer_for(Wanted(weighting="counts", normalize=False), Hashed(3, scheme="text"), found_in(holes)) is None


def test_what_is_centred_has_a_number_or_a_gap_everywhere():
    full, holes = np.array([[1.0, 2], [3, math.nan]]), sp.csr_array([[1.0, 0], [0, 4]])
    for features in (names(2), Numbered(0, 2)):
        preparer = preparer_for(Wanted(centre=True), features, found_in(full))
        assert preparer.method == "centre"
        assert preparer.apply(full, features).tolist() == [[-1, 0], [1, 0]]
        with pytest.raises(ValueError, match="rows leave out numbers"):
            preparer_for(Wanted(centre=True), features, found_in(holes))
    nobody_has = sp.csr_array((np.ones(4), [0, 2, 0, 2], [0, 2, 4]), shape=(2, 3))
    assert preparer_for(Wanted(centre=True), Numbered(0, 3), found_in(nobody_has)).method == "centre"
    with pytest.raises(ValueError, match="counts of words are mostly 0"):
        preparer_for(Wanted(centre=True), Hashed(3, scheme="text"), found_in(holes))
    assert Stream(Wanted(centre=True)).rows(full, Numbered(0, 2)).tolist() == [[0, 0], [1, 0]]


def test_rare_columns_do_not_tell_of_scales():
    rows = np.zeros((100, 2))
    rows[:, 0], rows[0, 1] = 1, 1e6
    assert spread(found_in(sp.csr_array(rows))) == 1
    assert spread(found_in(rows)) == 1e6


@given(tables(), st.booleans())
def test_statistics_are_restored_from_their_arrays(X, of_words):
    found = found_in(X)
    again = statistics_of(found.rows, tensors_of(found, of_words), X.shape[1])
    assert np.array_equal(again.filled, found.filled)
    assert of_words or same(again, found)


@pytest.mark.parametrize(
    ("name", "value"),
    [("columns", [0, 0]), ("columns", [0, 2]), ("filled", [3, 1]), ("mean", [math.inf, 0]), ("squares", [-1, 0])],
)
def test_damaged_statistics_are_refused(name, value):
    arrays = tensors_of(found_in(np.array([[1.0, 2], [3, 5]])), False)
    with pytest.raises(ValueError, match="statistics of the rows are damaged"):
        statistics_of(2, arrays | {name: np.array(value, arrays[name].dtype)}, 2)


def test_a_column_whose_variance_is_no_number_is_named():
    preparer = Preparer("variance", False, False, found_in(np.array([[1e300], [-1e300]])))
    with pytest.raises(ValueError, match="column wealth has values that are too large"):
        preparer.apply(np.array([[1.0]]), Named(["wealth"]))
    Preparer("centre", False, False, preparer.found).apply(np.array([[1.0]]), Named(["wealth"]))
    preparer = Preparer("centre", False, False, found_in(np.array([[1.5e308], [-1.5e308]])))
    with pytest.raises(ValueError, match="column wealth has values that are too large or too small: their mean is not a finite"):
        preparer.apply(np.array([[1.0]]), Named(["wealth"]))


def test_a_stream_of_numbers_without_names_stays_as_it_is():
    X = np.array([[1.0, 1000.0]])
    assert Stream(Wanted()).rows(X, Numbered(0, 2)) is X
    assert Stream(Wanted()).rows(X, names(2)).tolist() == [[0, 0]]  # the first row is the mean of the rows so far


def broken(X):
    X = X.copy()
    X.indices[2] = 2**31 - 1
    return X


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        (lambda X: X.tocsc(), TypeError, "give an array or a CSR matrix"),
        (lambda X: X.toarray().tolist(), TypeError, "as `novikoff.open"),
        (broken, ValueError, "the CSR matrix is broken"),
    ],
)
def test_a_model_refuses_what_it_cannot_prepare(wrong, error, told):
    X = sp.csr_array(np.arange(1.0, 9.0).reshape(4, 2))
    found = Statistics()
    found.add(X)
    preparer, learner = Preparer("largest", False, False, found), Learner()
    learner.learn(examples(preparer.apply(X, Numbered(0, 2)), [0, 0, 1, 1]))
    model = Model(learner, Numbered(0, 2), preparer=preparer)
    assert model.labels(X).tolist() == model.labels(X.toarray()).tolist()
    with pytest.raises(error, match=told):
        model.labels(wrong(X))
