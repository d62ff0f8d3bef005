"""`Prepared`: against scikit-learn's imputer, scaler, one-hot encoder and tf-idf, and on tables of every mix."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import AROW, Prepared
from novikoff.data.preparation import Statistics, by_largest, standardized, weighted

KINDS = ["red", "blue", "Grün", "a=b", None, "?", "NA", " red "]
NUMBERS = st.floats(-1e6, 1e6) | st.just(float("nan"))


@parametrize_with_checks([Prepared()])
def test_it_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


@st.composite
def tables(draw):
    rows = draw(st.integers(2, 12))
    frame = {}
    for k in range(draw(st.integers(0, 3))):
        frame[f"n{k}"] = draw(st.lists(NUMBERS, min_size=rows, max_size=rows))
    for k in range(draw(st.integers(0 if frame else 1, 3))):
        frame[f"c{k}"] = pd.Series(draw(st.lists(st.sampled_from(KINDS), min_size=rows, max_size=rows)), dtype=object)
        frame[f"c{k}"][0] = "red"  # a column of gaps alone holds numbers
    columns = draw(st.permutations(list(frame)))
    return pd.DataFrame(frame)[columns]


def _by_scikit_learn(frame):
    """The same from scikit-learn's parts: numbers, indicators of gaps, indicators of categories."""
    numbers = [name for name in frame if name.startswith("n")]
    kinds = [name for name in frame if name.startswith("c")]
    cleaned = frame.copy()
    for name in kinds:
        stripped = cleaned[name].map(lambda text: text.strip() if isinstance(text, str) else text)
        cleaned[name] = stripped.where(~stripped.isin(["?", "NA"]) & stripped.notna(), "\uffff")  # sorts last
    parts = {}
    if numbers:
        filled = SimpleImputer(keep_empty_features=True).fit_transform(frame[numbers])
        parts |= dict(zip(numbers, StandardScaler().fit_transform(filled).T, strict=True))
        marks = MissingIndicator(features="all").fit_transform(frame[numbers])
        parts |= {f"{name} is missing": mark for name, mark in zip(numbers, marks.T, strict=True) if mark.any()}
    for name in kinds:
        encoder = OneHotEncoder(sparse_output=False).fit(cleaned[[name]])
        for kind, column in zip(encoder.categories_[0], encoder.transform(cleaned[[name]]).T, strict=True):
            parts[f"{name} is missing" if kind == "\uffff" else f"{name}={kind}"] = column
    return parts


@given(tables())
def test_it_equals_imputer_scaler_and_one_hot_encoder(frame):
    prepared, expected = Prepared(sparse_output=False).fit(frame), _by_scikit_learn(frame)
    result = prepared.transform(frame)
    assert prepared.get_feature_names_out().tolist() == list(expected)
    np.testing.assert_allclose(result, np.column_stack(list(expected.values())), atol=1e-6, rtol=1e-9)
    sparse = Prepared(sparse_output=True).fit_transform(frame)
    assert (sparse.toarray() == result).all()
    assert sparse.indices.dtype == sparse.indptr.dtype == np.int32  # scikit-learn's SVM takes no others


@given(tables(), st.integers(1, 12))
def test_pieces_give_the_statistics_of_all_rows(frame, cut):
    """The first piece decides which columns hold categories: "red" stands first in all of them."""
    whole, pieces = Prepared(sparse_output=False).fit(frame), Prepared(sparse_output=False)
    for part in (frame[:cut], frame[cut:]):
        if len(part):
            pieces.partial_fit(part)
    names, by_pieces = whole.get_feature_names_out().tolist(), pieces.get_feature_names_out().tolist()
    assert sorted(names) == sorted(by_pieces)
    order = [by_pieces.index(name) for name in names]
    np.testing.assert_allclose(pieces.transform(frame)[:, order], whole.transform(frame), atol=1e-6, rtol=1e-6)


@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.floats(-1e9, 1e9)), st.data())
def test_joined_statistics_are_those_of_all_rows(X, data):
    cut = data.draw(st.integers(0, len(X)))
    joined, whole = Statistics(), Statistics()
    for part in (X[:cut], X[cut:]):
        joined.add(part)
    whole.add(X)
    assert joined.rows == whole.rows == len(X)
    np.testing.assert_allclose(joined.mean, X.mean(axis=0), rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(joined.variance, X.var(axis=0), rtol=1e-7, atol=1e-6 * float(np.abs(X).max()) ** 2 * 1e-9 + 1e-9)
    assert joined.largest.tolist() == whole.largest.tolist() == np.abs(X).max(axis=0).tolist()


def test_sparse_columns_keep_their_zeros():
    X = sp.random(40, 15, 0.2, random_state=0, format="csr") * 50
    prepared = Prepared().fit(X)
    result = prepared.transform(X)
    assert sp.issparse(result)
    np.testing.assert_allclose(result.toarray(), MaxAbsScaler().fit_transform(X).toarray())
    with pytest.raises(ValueError, match="fitted on a sparse X"):
        prepared.transform(X.toarray())
    X.data[3] = np.nan
    with pytest.raises(ValueError, match="of the sparse X has a NaN"):
        Prepared().fit(X)


@pytest.mark.parametrize("kind", [sp.csr_array, np.asarray, pd.DataFrame])
def test_words_are_weighted_as_by_scikit_learn(kind):
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.4, (30, 20)).astype(float))
    given = kind(counts.toarray())
    np.testing.assert_allclose(
        sp.csr_array(Prepared(weighting="tfidf").fit_transform(given)).toarray(),
        TfidfTransformer().fit_transform(counts).toarray(),
    )
    plain = TfidfTransformer(norm=None).fit_transform(counts).toarray()
    np.testing.assert_allclose(sp.csr_array(Prepared(weighting="tfidf", normalize=False).fit_transform(given)).toarray(), plain)
    binary = sp.csr_array(Prepared(weighting="binary", normalize=False).fit_transform(given)).toarray()
    assert (binary == (counts.toarray() > 0)).all()


def test_weights_for_own_units_give_the_same_scores():
    rng = np.random.default_rng(1)
    X, w = rng.normal(5, 3, (20, 4)), rng.normal(size=(2, 5))
    found = Statistics()
    found.add(X)
    for preparation in (standardized(found), by_largest(found), weighted(found, "tfidf", unit=False)):
        scores = preparation.apply(X) @ w[:, :-1].T + w[:, -1]
        own = preparation.in_own_units(w)
        np.testing.assert_allclose(X @ own[:, :-1].T + own[:, -1], scores)


def test_what_fit_did_not_see():
    train = pd.DataFrame({"size": [1.0, 2.0, 3.0], "kind": ["cat", "dog", "cat"]})
    new = pd.DataFrame({"size": [np.nan], "kind": ["eel"]})
    prepared = Prepared().fit(train)
    assert prepared.transform(new).tolist() == [[0.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="feature names"):
        prepared.transform(new[["kind", "size"]])
    with pytest.raises(ValueError, match="column 'size' held numbers in fit, and now holds 'big'"):
        prepared.transform(pd.DataFrame({"size": ["big"], "kind": ["cat"]}))
    with pytest.raises(ValueError, match="row 0, column 'size' is infinity"):
        prepared.transform(pd.DataFrame({"size": [np.inf], "kind": ["cat"]}))


def test_frames_of_pandas_and_polars():
    polars = pytest.importorskip("polars")
    columns = {"size": [1.0, None, 3.0], "kind": ["cat", "dog", None]}
    of_pandas, of_polars = (Prepared().fit_transform(frame(columns)) for frame in (pd.DataFrame, polars.DataFrame))
    assert of_pandas.tolist() == of_polars.tolist()
    frame = Prepared().set_output(transform="pandas").fit_transform(pd.DataFrame(columns))
    assert list(frame) == ["size", "size is missing", "kind=cat", "kind=dog", "kind is missing"]


def test_categories_may_be_numbers():
    frame = pd.DataFrame({"zip": pd.Categorical([10115, 20095, 10115]), "size": [1.0, 2.0, 3.0]})
    assert Prepared().fit(frame).get_feature_names_out().tolist() == ["size", "zip=10115", "zip=20095"]


@pytest.mark.parametrize("wrong", [{"weighting": "bm25"}, {"sparse_output": "no"}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Prepared(**wrong).fit([[1.0], [2.0]])


def test_centred_numbers_keep_their_unit_and_all_else_stays():
    frame = pd.DataFrame({"size": [10.0, np.nan, 30.0], "kind": ["cat", "dog", "cat"]})
    assert Prepared(centre=True).fit_transform(frame).tolist() == [[-10, 0, 1, 0], [0, 1, 0, 1], [10, 0, 1, 0]]
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 5, 1000] + [0, 3, 1e6]
    np.testing.assert_allclose(Prepared(centre=True).fit_transform(X), StandardScaler(with_std=False).fit_transform(X))


@pytest.mark.parametrize("wrong", [{"weighting": "counts"}, {}])
def test_what_is_sparse_cannot_be_centred(wrong):
    with pytest.raises(ValueError, match="centre must be False"):
        Prepared(centre=True, **wrong).fit(sp.csr_array(np.eye(3)))


def test_numbers_whose_variance_overflows_are_refused():
    with pytest.raises(ValueError, match="column 0 has values that are too large"):
        Prepared().fit([[1e200], [-1e200]])


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_a_pipeline_learns_from_raw_columns(load):
    X, y = load(return_X_y=True)
    ours = cross_val_score(make_pipeline(Prepared(), AROW(random_state=0)), X, y, cv=5).mean()
    scaled = cross_val_score(make_pipeline(StandardScaler(), AROW(random_state=0)), X, y, cv=5).mean()
    assert abs(ours - scaled) < 0.01
    assert ours > 0.95


def test_a_column_transformer_takes_it():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "kind": ["cat", "dog", "cat"]})
    both = ColumnTransformer([("all", Prepared(), ["size", "kind"])])
    assert both.fit_transform(frame).shape == (3, 3)
    assert both.get_feature_names_out().tolist() == ["all__size", "all__kind=cat", "all__kind=dog"]


def test_the_figure_in_the_readme_holds_in_cross_validation():
    figure = re.search(r"([0-9.]+) % in 5-fold cross-validation", (Path(__file__).parents[2] / "README.md").read_text())
    X, y = load_breast_cancer(return_X_y=True)
    right = cross_val_score(make_pipeline(Prepared(), AROW(random_state=0)), X, y, cv=5).mean()
    assert abs(100 * right - float(figure[1])) < 0.1


def test_lists_are_read_value_by_value():
    rows = [[1, "a"], [2, "b"], [None, "a"]]
    as_list, as_objects = Prepared().fit(rows), Prepared().fit(np.array(rows, object))
    assert as_list.get_feature_names_out().tolist() == as_objects.get_feature_names_out().tolist()
    assert (as_list.transform(rows) == as_objects.transform(np.array(rows, object))).all()
    assert Prepared().fit([[1, 2], [3, 4]]).get_feature_names_out().tolist() == ["x0", "x1"]


def test_numbers_can_mean_a_gap_and_a_text_alone_is_refused():
    frame = pd.DataFrame({"n": [1.0, -999.0, 3.0], "t": ["a", "-999", "b"]})
    names = Prepared(missing=("-999", -999)).fit(frame).get_feature_names_out().tolist()
    assert names == ["n", "n is missing", "t=a", "t=b", "t is missing"]
    assert Prepared(missing=(-999,)).fit(frame).statistics_["mean"].tolist() == [2.0]
    with pytest.raises(ValueError, match=r"missing must be a tuple, such as \('-999',\)"):
        Prepared(missing="-999").fit(frame)


def test_a_support_vector_machine_takes_the_result():
    frame = pd.DataFrame({"n": np.arange(60.0), "t": [f"kind {k % 12}" for k in range(60)]})
    pipeline = make_pipeline(Prepared(), LinearSVC()).fit(frame, np.arange(60) % 12 > 5)
    assert sp.issparse(pipeline[0].transform(frame))
    assert pipeline.score(frame, np.arange(60) % 12 > 5) == 1


@pytest.mark.parametrize("kind", [">i4", ">i8", "<u2", "i1"])
def test_indices_of_any_type_are_taken(kind):
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.4, (30, 20)).astype(float))
    other = counts.copy()
    other.indices = counts.indices.astype(kind)
    for settings in ({}, {"weighting": "tfidf"}):
        wanted = Prepared(**settings).fit_transform(counts)
        assert (Prepared(**settings).fit_transform(other) != wanted).nnz == 0
