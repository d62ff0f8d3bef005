"""Explicit maps (F18, F19): what is curved becomes flat, the kernel is met exactly, and what was learned is read back."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_iris, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novikoff import MarginPerceptron, Perceptron, PolynomialMap, Quadratic, QuadraticMap, Separable, verify
from novikoff.data.datasets import ball, boolean, quadratic
from novikoff.estimators import feature_maps as maps
from oracles import any_data

WHOLE = st.integers(-5, 5)
TRUE = Quadratic(np.array([[1, -1.5], [-1.5, 1]]), np.zeros(2), 0.0)  # of F18


def grid(reach):
    """Every point of a square with whole coordinates but the origin, where alone F18's form is 0, and the sign of that."""
    steps = np.arange(-reach, reach + 1.0)
    X = np.array(np.meshgrid(steps, steps)).reshape(2, -1).T
    X = X[X.any(axis=1)]
    return X, np.sign(X[:, 0] ** 2 + X[:, 1] ** 2 - 3 * X[:, 0] * X[:, 1])


def learned(X, y, seed=0):
    return make_pipeline(QuadraticMap(), Perceptron(order="each", max_iter=100_000, random_state=seed)).fit(X, y)


# ---- F18: curved boundaries are learned ---------------------------------------------------------------------------------

CURVED = {
    "xor": lambda seed: boolean("xor", 2),
    "xor of ±1": lambda seed: boolean("xor", 2, values=(-1, 1)),
    "circles": lambda seed: make_circles(200, factor=0.5, noise=0.03, random_state=seed),
    "ball": lambda seed: ball(200, 3, radius=2.0, seed=seed, center=[1, -2, 0.5]),
    "quadratic": lambda seed: quadratic(300, seed=seed),
    "grid": lambda seed: grid(8),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", CURVED)
def test_f18_curved_data_is_learned_with_proof(kind, seed):
    X, y = CURVED[kind](seed)
    pipe = learned(X, y, seed)
    assert pipe.score(X, y) == 1
    certificate = pipe[-1].certificate_
    assert isinstance(certificate, Separable)
    assert verify(certificate, PolynomialFeatures(2, include_bias=False).fit_transform(X), y)
    assert not isinstance(Perceptron(max_iter=50).fit(X, y).certificate_, Separable)  # as it is, it is not


@pytest.mark.parametrize("seed", range(3))
def test_f18_reads_back_the_form_that_the_data_was_made_by(seed):
    """Whatever separates the grid is near the form, by linear programming; and what was learned is within those limits."""
    X, y = grid(20)
    z = y[:, None] * np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2, X, np.ones(len(X)), X[:, 0] * X[:, 1]])
    limits = [
        [
            end * linprog(end * one, A_ub=-z, b_ub=np.zeros(len(z)), A_eq=[np.eye(6)[5]], b_eq=[-3], bounds=(None, None)).fun
            for end in (1, -1)
        ]
        for one in np.eye(6)[:5]
    ]
    assert np.abs(np.array(limits[:2]) - 1).max() < 0.021  # the squares, where x0·x1 has −3
    pipe = learned(X, y, seed)
    found = pipe[0].read_back(pipe[-1])
    scale = found.A[0, 1] / TRUE.A[0, 1]
    assert scale > 0
    for (low, high), value in zip(limits, [*np.diag(found.A), *found.b, found.c], strict=True):
        assert low - 1e-6 <= value / scale <= high + 1e-6
    assert (np.sign(found(X)) == np.sign(TRUE(X))).all()


# ---- reading back -------------------------------------------------------------------------------------------------------


@given(any_data(WHOLE), st.booleans(), st.booleans(), st.booleans())
def test_a_quadratic_is_the_decision_function_exactly_on_whole_numbers(data, repeated, bias, sparse):
    X, y = np.array(data[0], float), data[1]
    rows = sp.csr_array(X) if sparse else X
    clf = Perceptron(max_iter=10, fit_intercept=bias)
    pipe = make_pipeline(PolynomialMap(degree=2, repeated=repeated), clf).fit(X, y)
    found = pipe[0].read_back(pipe[-1])
    assert (found.A == found.A.T).all()
    assert found(rows).tolist() == pipe.decision_function(X).tolist()
    by_hand = [x @ found.A @ x + found.b @ x + found.c for x in X]
    assert by_hand == pipe.decision_function(X).tolist()


@pytest.mark.parametrize("classifier", [MarginPerceptron(random_state=0), LogisticRegression(max_iter=10_000)])
def test_many_classes_have_a_quadratic_each(classifier):
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(QuadraticMap(), classifier).fit(X, np.array(["a", "b", "c"])[y])
    found = pipe[0].read_back(pipe[-1])
    assert list(found) == ["a", "b", "c"]
    assert np.allclose(np.column_stack([each(X) for each in found.values()]), pipe.decision_function(X), rtol=1e-9)


def test_a_quadratic_is_a_formula():
    assert str(TRUE) == "1·x0² − 3·x0·x1 + 1·x1² > 0"
    A, b = np.array([[-1, 0.25], [0.25, 0]]), np.array([0, -2])
    assert str(Quadratic(A, b, 1.5, ("height", "age"))) == "−1·height² + 0.5·height·age − 2·age + 1.5 > 0"
    assert str(Quadratic(np.zeros((1, 1)), np.zeros(1), 0.0)) == "0 > 0"


def test_what_is_no_quadratic_is_refused():
    X, y = boolean("xor", 2)
    pipe = learned(X, y)
    cubic = PolynomialMap(degree=3).fit(X)
    with pytest.raises(ValueError, match="only a map of degree 2 is read back as a quadratic; this one has degree 3"):
        cubic.read_back(Perceptron().fit(cubic.transform(X), y))
    with pytest.raises(ValueError, match=r"coef_ of this Perceptron has shape \(1, 2\), but this map has 5 columns"):
        pipe[0].read_back(Perceptron(max_iter=2).fit(X, y))
    with pytest.raises(ValueError, match=r"this Pipeline has no coef_.*such as pipe\[-1\]"):
        pipe[0].read_back(pipe)
    with pytest.raises(ValueError, match="this Perceptron has no coef_"):
        pipe[0].read_back(Perceptron())
    with pytest.raises(ValueError, match="readout='voted' has no quadratic"):
        pipe[0].read_back(Perceptron(readout="voted").fit(pipe[0].transform(X), y))
    with pytest.raises(NotFittedError):
        QuadraticMap().read_back(pipe[-1])
    with pytest.raises(ValueError, match="this quadratic is for 2 columns, but X has 3"):
        TRUE([[1, 2, 3]])


# ---- F19: columns repeated are the kernel -------------------------------------------------------------------------------


@given(any_data(WHOLE), st.integers(1, 4), st.booleans())
def test_f19_dot_products_of_repeated_columns_are_the_kernel_exactly(data, degree, sparse):
    X = np.array(data[0])
    mapped = PolynomialMap(degree, repeated=True).fit_transform(sp.csr_array(X) if sparse else X)
    assert sp.issparse(mapped) == sparse
    assert mapped.shape[1] == (1 + X.shape[1]) ** degree
    assert (mapped @ mapped.T - (1 + X @ X.T) ** degree == 0).all()  # dense, since the kernel is


def kernel_mistakes(X, y, degree, passes):
    """The rows that the kernel perceptron gets wrong, in order, on whole numbers."""
    kernel, mistakes = [[(1 + sum(a * b for a, b in zip(x, v, strict=True))) ** degree for v in X] for x in X], []
    for _ in range(passes):
        before = len(mistakes)
        for i, row in enumerate(kernel):
            if y[i] * sum(y[j] * row[j] for j in mistakes) <= 0:
                mistakes.append(i)
        if len(mistakes) == before:
            break
    return mistakes


@given(any_data(WHOLE), st.integers(1, 4))
def test_f19_a_perceptron_on_repeated_columns_makes_the_kernels_mistakes(data, degree):
    X, y = data
    pipe = make_pipeline(PolynomialMap(degree, repeated=True), Perceptron(fit_intercept=False, max_iter=5)).fit(X, y)
    assert [update.row for update in pipe[-1].ledger_] == kernel_mistakes(X, y, degree, passes=5)


# ---- columns ------------------------------------------------------------------------------------------------------------


@given(any_data(WHOLE), st.integers(1, 5), st.booleans())
def test_a_column_is_what_its_name_says(data, degree, repeated):
    X = np.array(data[0], float)
    mapped = PolynomialMap(degree, repeated=repeated).fit(X)
    columns = mapped.transform(X)
    names = mapped.get_feature_names_out()
    assert len(set(names)) == len(names) == mapped.n_output_features_ == columns.shape[1]
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    for name, column in zip(names, columns.T, strict=True):
        value = np.ones(len(X))
        for factor in name.split(" (")[0].split("·"):
            if factor != "1":
                place, power = factor[1], factor[2:].translate(digits)
                value *= X[:, int(place)] ** int(power or 1)
        assert value.tolist() == column.tolist()


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_is_dense(degree, repeated, dtype):
    X = np.random.default_rng(0).integers(-3, 4, size=(30, 4)).astype(dtype) * (np.arange(120).reshape(30, 4) % 3 == 0)
    X = X.astype(dtype)
    mapped = PolynomialMap(degree, repeated=repeated).fit(X)
    dense = mapped.transform(X)
    assert dense.dtype == dtype
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix):
        sparse = mapped.transform(kind(X))
        assert sparse.format == "csr"
        assert sparse.dtype == dtype
        assert sparse.toarray().tolist() == dense.tolist()


def test_columns_named_twice_are_summed_and_the_matrix_is_left_alone():
    X = sp.csr_array((np.array([2.0, 3.0, 5.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert QuadraticMap().fit_transform(X).toarray().tolist() == [[3, 7, 9, 21, 49]]
    assert X.indices.tolist() == [1, 0, 1]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_a_frame_go_all_the_way(frame):
    X, y = grid(3)
    X = frame({"height": X[:, 0], "age": X[:, 1]})
    pipe = learned(X, y)
    names = ["height", "age", "height²", "height·age", "age²"]
    assert pipe[0].get_feature_names_out().tolist() == names
    assert str(pipe[0].read_back(pipe[-1])).split("·", 1)[1].startswith("height²")
    for kind, output in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        pipe = make_pipeline(QuadraticMap(), Perceptron(max_iter=1000)).set_output(transform=kind).fit(X, y)
        assert isinstance(pipe[0].transform(X), output)
        assert set(pipe[-1].feature_importance()) == set(names)
        again = PolynomialMap(2, repeated=True).set_output(transform=kind).fit_transform(X)
        assert list(again.columns)[-3:] == ["height·age", "height·age (2)", "age²"]


def test_names_that_meet_are_told_apart():
    names = QuadraticMap().fit(pd.DataFrame({"x": [1.0], "x²": [2.0]})).get_feature_names_out()
    assert names.tolist() == ["x", "x²", "x² (2)", "x·x²", "x²²"]


def test_large_powers_are_written_out():
    assert PolynomialMap(12).fit([[1.0]]).get_feature_names_out()[-1] == "x0¹²"


# ---- refused ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, -1, 31, 2.0, True, "two", None])
def test_a_degree_that_is_none_is_refused(degree):
    with pytest.raises(ValueError, match=r"degree must be a whole number from 1 to 30; it is "):
        PolynomialMap(degree).fit([[1.0]])


def test_what_is_not_finite_or_will_not_be_is_refused():
    X = np.ones((3, 2))
    fitted = QuadraticMap().fit(X)
    for value, sentence in [
        (np.nan, "row 1, column 0 is NaN"),
        (np.inf, r"row 1, column 0 is infinity \(inf\)"),
        (1e200, "row 1 is too long"),
    ]:
        X[1, 0] = value
        for rows in (X, sp.csr_array(X)):
            for attempt in (fitted.transform, QuadraticMap().fit):
                with pytest.raises(ValueError, match=sentence):
                    attempt(rows)
    for dtype, value in [(np.float64, 1e110), (np.float32, 1e13)]:
        X[1, 0] = value
        with pytest.raises(ValueError, match=rf"the largest number is 1e\+\d+, whose power 3 overflows {np.dtype(dtype)}"):
            PolynomialMap(degree=3).fit(X.astype(dtype))
        assert np.isfinite(QuadraticMap().fit_transform(X.astype(dtype))).all()


def test_too_many_columns_are_counted_not_made(monkeypatch):
    wide = sp.csr_array((1, 10**6))
    with pytest.raises(ValueError, match=r"1,000,000 columns give 500,001,500,000 products of degree 2"):
        QuadraticMap().fit(wide)
    with pytest.raises(ValueError, match=r"1,000,000 columns give 1e\+180 products of degree 30"):
        PolynomialMap(degree=30, repeated=True).fit(wide)
    monkeypatch.setattr(maps, "MOST_NUMBERS", 100)
    fitted = QuadraticMap().fit(np.ones((1, 4)))  # 14 columns
    assert fitted.transform(np.ones((7, 4))).shape == (7, 14)
    with pytest.raises(ValueError, match="8 rows with 14 columns would be 112 numbers, but the maximum is 100 at once"):
        fitted.transform(np.ones((8, 4)))
    few = sp.csr_array(np.eye(4)[np.arange(50) % 4])
    assert fitted.transform(few).nnz == 100  # x and x² of each row: what is stored is counted, not what is 0
    with pytest.raises(ValueError, match="51 rows with 14 columns would be 102 numbers"):
        fitted.transform(sp.csr_array(np.eye(4)[np.arange(51) % 4]))


def test_a_refused_fit_changes_nothing():
    fitted = PolynomialMap(degree=2).fit([[1.0, 2.0]])
    before = fitted.transform([[3.0, 4.0]]).tolist()
    with pytest.raises(ValueError, match="NaN"):
        fitted.set_params(degree=3, repeated=True).fit([[np.nan]])
    assert fitted.n_features_in_ == 2
    assert fitted.transform([[3.0, 4.0]]).tolist() == before  # nor do parameters, before the next fit
    assert fitted.transform([[1e120, 1.0]]).max() == 1e120**2  # whose cube would be refused


def test_pieces_are_learned_as_the_whole():
    X, y = grid(4)
    fitted = QuadraticMap().fit(X)
    pieces = Perceptron()
    for part in np.array_split(np.arange(len(X)), 5):
        pieces.partial_fit(fitted.transform(X[part]), y[part])
    assert pieces.coef_.tolist() == Perceptron(max_iter=1).fit(fitted.transform(X), y).coef_.tolist()


@pytest.mark.parametrize("index", [np.int8, np.int16, np.uint32, np.int64])
def test_indices_of_any_type(index):
    X = sp.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    expected = QuadraticMap().fit_transform(X.toarray())
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    assert (QuadraticMap().fit(X).transform(X).toarray() == expected).all()
