"""Parquet and Arrow files: what is read, against pandas, and what is refused in which words."""

import io
import subprocess
import sys
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given as generated
from hypothesis import strategies as st

from made import arrow_bytes, arrow_tables, parquet_bytes
from novikoff.data import readers
from novikoff.data.readers import read
from novikoff.data.sources import ReadError

WRITE = {
    "parquet": parquet_bytes,
    "feather": lambda table: arrow_bytes(table, stream=False),
    "arrow": lambda table: arrow_bytes(table, stream=True),
}
PETS = pa.table(
    {
        "weight": [4.5, 30, 5],
        "age": pa.array([3, 5, 1], pa.int8()),
        "colour": ["red", "brown", "red"],
        "tame": [True, False, True],
        "kind": pa.array(["cat", "dog", "cat"]).dictionary_encode(),
    }
)


@pytest.fixture
def given(tmp_path):
    def write(table, name="data.parquet"):
        path = tmp_path / name
        path.write_bytes(table if isinstance(table, bytes) else WRITE[name.rpartition(".")[2]](pa.table(table)))
        return path

    return write


@pytest.mark.parametrize("ending", WRITE)
@pytest.mark.parametrize("named", [True, False])
def test_features_categories_and_labels(given, ending, named):
    X, y, names, _ = read(given(WRITE[ending](PETS), f"data.{ending}" if named else "data"))
    assert names == ("weight", "age", "tame", "colour=red", "colour=brown")
    assert X.toarray().tolist() == [[4.5, 3, 1, 1, 0], [30, 5, 0, 0, 1], [5, 1, 1, 1, 0]]
    assert y.tolist() == ["cat", "dog", "cat"]


def test_from_a_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(parquet_bytes(PETS))))
    assert read("-").y.tolist() == ["cat", "dog", "cat"]
    code = "from novikoff.data.readers import read; print(read('-').y.tolist())"  # a pipe of the system's
    piped = subprocess.run([sys.executable, "-c", code], input=parquet_bytes(PETS), stdout=subprocess.PIPE, check=True)
    assert piped.stdout.decode() == "['cat', 'dog', 'cat']\n"


@pytest.mark.parametrize("label", ["age", "2", 2])
def test_the_label_by_name_or_number(given, label):
    X, y, names, _ = read(given(PETS.drop_columns(["colour", "kind"])), label=label)
    assert names == ("weight", "tame")
    assert y.tolist() == [3, 5, 1]
    assert isinstance(X, np.ndarray)
    assert X.tolist() == [[4.5, 1], [30, 0], [5, 1]]


def test_the_names_of_rows_that_pandas_writes_are_no_column(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2], "kind": ["x", "y"]}, index=[7, 8])
    frame.to_parquet(tmp_path / "d.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "d.parquet").names
    found = read(tmp_path / "d.parquet")
    assert found.names == ("a",)
    assert found.y.tolist() == ["x", "y"]


def test_numbers_that_are_categories(given):
    found = read(given({"code": [3, 7, 3], "a": [1.0, 2, 3], "kind": [0, 1, 0]}), categories=("code",))
    assert found.names == ("a", "code=3", "code=7")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.5, 2.5]).cast(pa.float32()),
        pa.array(np.array([1.5, 2.5], np.float16)),
        pa.array([Decimal("1.5"), Decimal("2.5")]),
        pa.array([1.5, 2.5]).dictionary_encode(),
    ],
    ids=str,
)
def test_kinds_of_numbers(given, column):
    assert read(given({"a": column, "kind": [0, 1]})).X.tolist() == [[1.5], [2.5]]


@generated(arrow_tables(), st.sampled_from(list(WRITE)))
def test_against_pandas(tmp_path_factory, table, ending):
    path = tmp_path_factory.mktemp("parquet") / f"d.{ending}"
    path.write_bytes(WRITE[ending](table))
    X, y, names, _ = read(path)
    X = X if isinstance(X, np.ndarray) else X.toarray()
    frame = table.to_pandas()
    words = [c for c in frame.columns[:-1] if isinstance(frame[c].iloc[0], str)]
    expected = frame.drop(columns=["kind", *words]).astype(float)
    for c in words:
        for value in frame[c].unique():
            expected[f"{c}={value}"] = (frame[c] == value).astype(float)
    assert sorted(names) == sorted(expected.columns)
    assert (expected[list(names)].to_numpy() == X).all()
    labels = frame["kind"].astype(object).tolist()
    assert [str(label) for label in y.tolist()] == [str(label) for label in labels] or [*map(float, y)] == [*map(float, labels)]


def test_rows_come_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(readers.parquet, "FIELDS", 200)
    n = 1000
    pq.write_table(pa.table({"a": np.arange(n), "kind": np.arange(n) % 2}), tmp_path / "d.parquet")
    blocks = list(readers.open(tmp_path / "d.parquet"))
    assert len(blocks) == 10
    assert np.concatenate([block.X for block in blocks]).ravel().tolist() == list(range(n))


def test_a_model_finds_its_columns_by_name(given):
    dataset = readers.open(given(PETS))
    dataset.read()
    known = dataset.features
    known.frozen = True
    other = PETS.select(["tame", "colour", "age", "weight"]).append_column("when", pa.array([date(2026, 1, 1)] * 3))
    X, y, *_ = readers.open(given(other.slice(1), "b.parquet"), features=known, unlabelled=True, label="kind").read()
    assert X.toarray().tolist() == [[30, 5, 0, 0, 1], [5, 1, 1, 1, 0]]
    assert y.tolist() == ["", ""]
    with pytest.raises(ReadError, match="the column 'colour' is missing; add it"):
        readers.open(given(PETS.drop_columns(["colour"]), "c.parquet"), features=known).read()
    swapped = PETS.set_column(1, "age", pa.array(["a", "b", "c"]))
    with pytest.raises(ReadError, match=r"column 2 \(age\) has text, but earlier files have numbers there"):
        readers.open(given(swapped, "d.parquet"), features=known).read()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"a": [1.0, None, 2], "kind": [0, 1, 0]}, "row 1, column 1 (a): the value is missing; fill it in or leave the row out"),
        ({"a": [1.0, 2, float("nan")], "kind": [0, 1, 0]}, "row 2, column 1 (a): the value is not finite"),
        ({"a": ["x", None], "kind": [0, 1]}, "row 1, column 1 (a): the value is missing"),
        ({"a": ["x", ""], "kind": [0, 1]}, "row 1, column 1 (a): the value is missing"),
        ({"a": [1.0, 2], "kind": ["x", None]}, "row 1, column 2 (kind): the value is missing"),
        ({"a": [1.0, 2], "kind": [1, float("nan")]}, "row 1, column 2 (kind): the label is nan"),
        ({"a": [[1], [2]], "kind": [0, 1]}, "column 1 (a) has the type list<"),
        (
            {"a": [date(2026, 1, 1)], "kind": [0]},
            "column 1 (a) has the type date32[day]; leave it out, or make it numbers or text",
        ),
        ({"a": [1.0], "kind": [date(2026, 1, 1)]}, "column 2 (kind) has the type date32[day]"),
        ({"a": [1.0]}, "has 1 column; save features and a label"),
        ({"a": pa.array([], pa.float64()), "kind": pa.array([], pa.int8())}, "has no rows"),
        ({"a": ["b"], "a=b": [1.0], "kind": [0]}, "the column 'a=b' is called like a category of 'a'; rename one of the two"),
        (pa.table([[1.0], [2.0], [1]], names=["a", "a", "kind"]), "more than one column is called 'a'"),
        (b"PAR1 and so on", "cannot be read as Parquet or Arrow"),
        (b"FEA1 and so on", "is Feather of version 1; write it again"),
        (b"hello", "is neither Parquet nor Arrow; write it again"),
    ],
)
def test_refused(given, table, said):
    with pytest.raises(ReadError) as caught:
        read(given(table))
    assert said in str(caught.value)
    assert "data.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_bad_rows_are_left_out_and_counted(given):
    table = {"a": [1.0, None, float("inf"), 4, 5], "b": ["x", "y", "z", None, "x"], "kind": [1, 2, 3, 4, 5]}
    dataset = readers.open(given(table), skip_bad_lines=True)
    found = dataset.read()
    assert found.y.tolist() == [1, 5]
    assert found.names == ("a", "b=x")
    assert dataset.reading.n_skipped == 3


def test_without_pyarrow_it_says_what_to_install(given):
    path = given(PETS)
    check = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from novikoff.data.readers import read\n"
        "from novikoff.data.sources import ReadError\n"
        "try: read(sys.argv[1])\n"
        "except ReadError as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", check, str(path)], check=True, capture_output=True, text=True).stdout
    assert "pip install novikoff[parquet]" in said


def test_gaps_become_nan_and_have_indicators(given):
    table = {"a": [1.0, None, float("nan")], "b": ["x", None, "NA"], "kind": [0, 1, 0]}
    X, _, names, _ = read(given(table), prepared=True)
    assert names == ("a", "b=x", "a is missing", "b is missing")
    np.testing.assert_array_equal(X.toarray(), [[1, 1, 0, 0], [np.nan, 0, 1, 1], [np.nan, 0, 1, 1]])
    with pytest.raises(ReadError, match=r"row 1, column 1 \(a\): the value is not finite"):
        read(given({"a": [1.0, float("inf")], "kind": [0, 1]}), prepared=True)


def test_ignored_columns(given):
    assert read(given(PETS), ignore=("colour", "3")).names == ("weight", "age", "tame")
    dates = PETS.append_column("when", pa.array([date(2026, 1, 1)] * 3))
    assert read(given(dates), ignore=("when",), label="kind").names == read(given(PETS)).names
    with pytest.raises(ReadError, match="no column is called 'color', but it is to be ignored"):
        read(given(PETS), ignore=("color",))


def test_bad_rows_are_placed_among_the_others(given):
    (part,) = readers.open(given({"a": [None, 1.0, 2.0, None, None], "kind": [1, 0, 1, 0, 1]}), skip_bad_lines=True).parts()
    assert part.bad.tolist() == [0, 2, 2]
