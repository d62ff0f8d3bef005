"""Files prepared as the command line does, against scikit-learn's imputer, scaler, encoder and tf-idf."""

import csv
import io

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from novikoff.data.preparer import Wanted, preparer_for
from novikoff.data.readers import Dataset, Options

GAPS = ["", "?", "NA", "NaN", "null", "None"]
NUMBERS = st.integers(-999, 999).map(lambda n: n / 8)
WORDS = st.sampled_from(["red", "blue", "gr,een", 'say "hi"', "größe", "two\nlines", "x=y"])


@st.composite
def tables(draw):
    """Columns of numbers and of categories, with gaps; the first three rows of numbers have none, so that roles are clear."""
    rows, kinds = draw(st.integers(3, 12)), draw(st.lists(st.sampled_from(["number", "category"]), min_size=1, max_size=4))
    kinds = ["number", *kinds]
    columns = []
    for kind in kinds:
        values = draw(st.lists(NUMBERS if kind == "number" else WORDS, min_size=rows, max_size=rows))
        gaps = draw(st.lists(st.integers(0, 3).map(lambda n: n == 0), min_size=rows, max_size=rows))
        columns.append([None if gap and i > 2 else value for i, (value, gap) in enumerate(zip(values, gaps, strict=True))])
    return kinds, columns, draw(st.lists(st.sampled_from("ab"), min_size=rows, max_size=rows)), draw(st.randoms())


def written(kinds, columns, labels, rng):
    names = [f"{kind} {j}" for j, kind in enumerate(kinds)]
    text = io.StringIO()
    write = csv.writer(text, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), lineterminator=rng.choice(["\n", "\r\n"]))
    write.writerow([*names, "label"])
    for *row, label in zip(*columns, labels, strict=True):
        write.writerow([*(rng.choice(GAPS) if value is None else value for value in row), label])
    return names, text.getvalue()


def reference(names, kinds, columns):
    """What scikit-learn makes of the table: one array, and the names of its columns as ours are called."""
    table = np.empty((len(columns[0]), len(columns)), object)
    for j, column in enumerate(columns):
        table[:, j] = column
    numbers = [j for j, kind in enumerate(kinds) if kind == "number"]
    held = [j for j, kind in enumerate(kinds) if kind != "number"]
    scaled = make_pipeline(SimpleImputer(missing_values=np.nan), StandardScaler())
    made = {}
    X = table[:, numbers].astype(float)
    columns_of = ColumnTransformer([("numbers", scaled, list(range(len(numbers))))]).fit_transform(X)
    made |= {names[j]: columns_of[:, k] for k, j in enumerate(numbers)}
    for j in held:
        encoder = OneHotEncoder(sparse_output=False).fit(table[:, [j]])
        for category, column in zip(encoder.categories_[0], encoder.transform(table[:, [j]]).T, strict=True):
            made[f"{names[j]} is missing" if category is None else f"{names[j]}={category}"] = column
    for j in numbers:
        gaps = np.array([value is None for value in table[:, j]], float)
        if gaps.any():
            made[f"{names[j]} is missing"] = gaps
    return made


@given(tables())
def test_tables_are_prepared_as_by_imputer_scaler_and_encoder(tmp_path_factory, table):
    kinds, columns, labels, rng = table
    names, text = written(kinds, columns, labels, rng)
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    path.write_text(text, encoding="utf-8", newline="")
    data = Dataset(path, Options(prepared=True, label="label"))
    found = data.settle()
    rows = Dataset(path, Options(prepared=True, label="label")).read()
    ours = preparer_for(Wanted(), data.features, found).apply(rows.X, data.features)
    ours = ours.toarray() if sp.issparse(ours) else ours
    expected = reference(names, kinds, columns)
    assert set(data.features.names) == set(expected)
    for j, name in enumerate(data.features.names):
        assert np.allclose(ours[:, j], expected[name], atol=1e-9), name
    assert rows.y.tolist() == labels


@given(st.lists(st.text("ab c\u00e9", min_size=1, max_size=12), min_size=1, max_size=12))
def test_texts_are_prepared_as_by_tfidf(tmp_path_factory, texts):
    texts = [f"word {' '.join(text.split())}" for text in texts]
    path = tmp_path_factory.mktemp("text") / "rows.text"
    path.write_text("".join(f"{'ab'[k % 2]}\t{text}\n" for k, text in enumerate(texts)), encoding="utf-8")
    data = Dataset(path, Options(prepared=True, bits=10))
    X = data.read().X
    found = Dataset(path, Options(prepared=True, bits=10)).settle()
    ours = preparer_for(Wanted(), data.features, found).apply(X, data.features)
    counts = HashingVectorizer(n_features=2**10, norm=None).transform(texts)
    assert np.allclose(ours.toarray(), TfidfTransformer().fit_transform(counts).toarray())


@pytest.mark.parametrize("weighting", ["binary", "counts"])
def test_other_weightings(tmp_path, weighting):
    (tmp_path / "rows.text").write_text("a\tone two two\nb\ttwo two two\n")
    data = Dataset(tmp_path / "rows.text", Options(prepared=True, bits=10))
    X, found = data.read().X, data.settle()
    made = preparer_for(Wanted(weighting=weighting), data.features, found).apply(X, data.features)
    sizes = sorted(np.abs(made[[0]].data).tolist())
    assert np.allclose(sizes, np.array([1, 1] if weighting == "binary" else [1, 2]) / np.sqrt(2 if weighting == "binary" else 5))
