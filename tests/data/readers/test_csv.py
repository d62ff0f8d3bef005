"""Tables: headers, separators, the label's column, and what is refused."""

import gzip
import os
import queue
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as generated
from hypothesis import strategies as st

from novikoff.data import sources
from novikoff.data.readers import open, read
from novikoff.data.sources import ReadError
from novikoff.proof.independent_parsers import read_plainly

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
import problems


@pytest.fixture
def given(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_with_a_header(given):
    X, y, names, _ = read(given('weight, "age, in years",kind\n4.5,3,"cat"\n\n 30 ,"5",dog\n'))
    assert names == ("weight", "age, in years")
    assert X.tolist() == [[4.5, 3], [30, 5]]
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.tolist() == ["cat", "dog"]


def test_without_a_header(given):
    X, y, names, _ = read(given("1,2,+1\n3,4,-1\n"))
    assert names == ("1", "2")
    assert X.tolist() == [[1, 2], [3, 4]]
    assert y.tolist() == [1, -1]


@pytest.mark.parametrize("label", ["kind", "2", 2])
def test_the_label_by_name_or_number(given, label):
    X, y, names, _ = read(given("weight,kind,age\n4.5,0,3\n30,1,5\n"), label=label)
    assert names == ("weight", "age")
    assert X.tolist() == [[4.5, 3], [30, 5]]
    assert y.tolist() == [0, 1]


def test_a_label_given_by_name_says_that_there_is_a_header(given):
    assert read(given("id,0,1,kind\n7,2,3,1\n"), label="kind").names == ("id", "0", "1")
    assert read(given("0,1,kind\n2,3,1\n"), label="kind").X.tolist() == [[2, 3]]


def test_a_column_without_a_name(given):
    assert read(given('"",a,b,kind\n1,2,3,x\n')).names == ("", "a", "b")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["data.csv", "data.tsv", "data", "data.csv.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_names_and_line_ends(given, separator, name, end):
    content = ("\ufeff" + end.join(["a,b,c", "1,2,x", "3,4,y"]).replace(",", separator)).encode()
    X, y, names, _ = read(given(gzip.compress(content) if name.endswith("gz") else content, name))
    assert names == ("a", "b")
    assert X.tolist() == [[1, 2], [3, 4]]
    assert y.tolist() == ["x", "y"]


def test_many_rows(given):
    X = np.random.default_rng(0).normal(size=(5000, 40))
    content = "".join(",".join(map(repr, row)) + f",{i % 2}\n" for i, row in enumerate(X.tolist()))
    found = read(given(content))
    assert (found.X == X).all()
    assert found.y.tolist() == [0, 1] * 2500
    with pytest.raises(ReadError, match=r"data\.csv:5001: has 1 columns where the first line has 41"):
        read(given(content + "7\n"))


@pytest.mark.parametrize(
    ("content", "label", "said"),
    [
        ("", None, "is empty"),
        ("\n \n", None, "is empty"),
        ("a,b,c\n", None, "has no rows"),
        ("1\n2\n", None, ":1: has one column"),
        ("a,b,c\n1,2,x\n1,2\n", None, ":3: has 2 columns where the first line has 3; add or remove separators"),
        ("a,b,c\n1,,x\n", None, ":2, column 2 (b): the value is missing; fill it in or leave the row out"),
        ("1,nan,x\n", None, ":1, column 2: 'nan' is not finite"),
        (",,x\n", None, ":1, column 1: the value is missing"),
        ("1,2,x\n1,1e400,x\n", None, ":2, column 2: '1e400' is not finite"),
        ("1,2,x\n\n1,two,x\n", None, ":3, column 2: 'two' is not a number; write it like"),
        ("a,b,c\nx,1,2\ny,1,?\n", "1", ":3, column 3 (c): '?' is not a number"),
        ("1,2,x\n1,1_000,x\n", None, ":2, column 2: '1_000' is not a number"),
        ("a;b;c\n1,5;2;x\n", None, "'1,5' is not a number"),
        ("1,2,x\n1,2,\n", None, ":2, column 3: the label is missing"),
        ("1,2,x\n1,2,NaN\n", None, ":2, column 3: the label is NaN"),
        ("1,abc,x\n1,2,x\n", None, ":1: neither a header nor a row: it has the number '1' and the word 'abc'"),
        ("a,b,c\n1,2,x\n", "d", ":1: no column is called 'd' among a, b, c; give its number, from 1"),
        ("a,a,c\n1,2,x\n", "a", "more than one column is called 'a'"),
        ("a,b,c\n1,2,x\n", "0", "there is no column 0; columns are counted from 1 to 3"),
        ("a,b,c\n1,2,x\n", "4", "there is no column 4"),
        ("a,b,c\n1,2,x\n", "9" * 5000, "there is no column 999"),
        ('1,2,x\n1,"2,x\n', None, "check the quotes"),
        ('1,2,x\n1,"2"3,x\n', None, ":2: "),
        ("1,2,x\r3,4,y\r", None, "line ends"),
        (b"1,2,x\n1,2,\xe9\n", None, ":2: is not UTF-8 text"),
        (b"1,2,x\n1,2,\0\n", None, ":2: has a zero byte"),
    ],
)
def test_refused(given, content, label, said):
    with pytest.raises(ReadError) as caught:
        read(given(content), label=label)
    assert said in str(caught.value)
    assert "data.csv" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_some_labels_may_be_words_and_others_numbers(given):
    X, y, _, _ = read(given("x,1,2\n1,1,2\n"), label="1")
    assert X.tolist() == [[1, 2], [1, 2]]
    assert y.tolist() == ["x", "1"]


def test_categories_become_columns_of_their_own(given):
    X, y, names, _ = read(given("weight,colour,kind\n4.5,red,cat\n30,brown,dog\n0,red,cat\n"))
    assert names == ("weight", "colour=red", "colour=brown")
    assert X.format == "csr"
    assert X.toarray().tolist() == [[4.5, 1, 0], [30, 0, 1], [0, 1, 0]]
    assert y.tolist() == ["cat", "dog", "cat"]


def test_numbers_that_are_categories(given):
    path = given("code,a,kind\n3,1,x\n7,2,y\n")
    assert read(path, categories=("code",)).names == read(path, categories=("1",)).names == ("a", "code=3", "code=7")
    with pytest.raises(ReadError, match="no column is called 'cod', but categories name it"):
        read(path, categories=("cod",))
    with pytest.raises(ReadError, match="there is no column 4"):
        read(path, categories=("4",))


def test_who_names_a_column_of_categories_says_that_there_is_a_header(given):
    found = read(given("colour,kind\nred,cat\nbrown,dog\n"), categories=("colour",))
    assert found.names == ("colour=red", "colour=brown")
    assert found.y.tolist() == ["cat", "dog"]


def test_a_word_among_numbers_is_a_mistake_and_not_a_category(given):
    with pytest.raises(ReadError, match=r":4, column 1 \(a\): '\?' is not a number"):
        read(given("a,kind\n1,x\n2,y\n?,x\n"))
    assert read(given("a,kind\n?,x\n?,y\n2,x\n"), label="kind").names == ("a=?", "a=2")


def test_most_of_all_rows_tell_what_a_column_holds(given):
    """The first thousand are only a guess, which is put right if the rest says otherwise."""
    path = given("\n".join(["a,kind"] + ["1,x"] * 1000 + ["word,y"] * 1001))
    assert read(path, label="kind").names == ("a=1", "a=word")
    with pytest.raises(ReadError, match=r":1: all columns hold words"):
        read(path)
    path = given("\n".join(["a,kind"] + ["word,x"] * 501 + ["1,y"] * 600))
    with pytest.raises(ReadError, match=r":2, column 1 \(a\): 'word' is not a number"):
        read(path, label="kind")
    found = read(path, label="kind", skip_bad_lines=True)
    assert found.names == ("a",)
    assert len(found.y) == 600
    path = given("\n".join(["a,b,kind"] + ["1,1,x"] * 1000 + ["word,1,y"] * 1000 + ["1,?,x"]))
    with pytest.raises(ReadError, match=r":1002, column 1 \(a\): 'word' is not a number"):  # a tie: numbers
        read(path)


def test_in_blocks_the_first_block_decides_unless_the_table_is_settled_before(given, monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 1000)
    path = given("\n".join(["a,b,kind"] + ["1,1,x"] * 1000 + ["word,1,y"] * 1001))
    with pytest.raises(ReadError, match=r":1002, column 1 \(a\): 'word' is not a number"):
        for _ in open(path):
            pass
    settled = open(path)
    settled.settle()
    assert settled.features.names == ("b", "a=1", "a=word")
    assert sum(len(block.y) for block in settled) == 2001


def test_a_gap_says_nothing_about_what_a_column_holds(given):
    content = "a,b,kind\n" + "NA,red,x\n" * 5 + "2,?,y\n" * 2
    found = read(given(content), prepared=True)
    assert found.names == ("a", "a is missing", "b=red", "b is missing")
    with pytest.raises(ReadError, match=r"column 1 \(a\): 'NA' is not a number|all columns hold words"):
        read(given("a,kind\n1,0\nNA,1\n"))


GAPPY = "a,b,colour,kind\n1,2,red,x\n,0,NA,y\n3,?,,x\n0,5,blue,y\n"


def test_gaps_become_nan_and_have_indicators(given):
    X, y, names, _ = read(given(GAPPY), prepared=True)
    assert names == ("a", "b", "colour=red", "a is missing", "colour is missing", "b is missing", "colour=blue")
    nan = np.nan
    rows = [[1, 2, 1, 0, 0, 0, 0], [nan, 0, 0, 1, 1, 0, 0], [3, nan, 0, 0, 1, 1, 0], [0, 5, 0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(X.toarray(), rows)
    assert X.nnz == 8 + 4 + 2  # zeros of numbers are stored
    assert y.tolist() == ["x", "y", "x", "y"]


def test_numbers_with_gaps_stay_dense(given, monkeypatch):
    path = given("a,b,kind\n1,2,0\n3,-1,1\nNA,5,0\n")
    for size in (8, sources.CHUNK):
        monkeypatch.setattr(sources, "CHUNK", size)
        dataset = open(path, prepared=True, missing=("-1",))
        X, _, names, _ = dataset.read()
        assert names == ("a", "b", "b is missing", "a is missing")
        np.testing.assert_array_equal(X, [[1, 2, 0, 0], [3, np.nan, 1, 0], [np.nan, 5, 0, 1]])
        assert dataset.features.numbers.tolist() == [True, True, False, False]


def test_gaps_of_a_model(given, model):
    known = model(GAPPY, prepared=True)
    found = open(given("b,colour,a\n,green,4\nNA,,\n"), features=known, unlabelled=True, label="kind", prepared=True).read()
    nan = np.nan
    np.testing.assert_array_equal(found.X.toarray(), [[4, nan, 0, 0, 0, 1, 0], [nan, nan, 0, 1, 1, 1, 0]])
    never = model("a,b,kind\n1,2,x\n3,4,y\n", prepared=True)
    found = open(given("a,b,kind\n,5,x\n"), features=never, prepared=True).read()
    np.testing.assert_array_equal(found.X, [[nan, 5]])  # no indicator, as there was no gap to learn from


def test_a_column_of_nothing_but_gaps_holds_numbers(given):
    found = read(given("a,b,kind\n1,,x\n2,NA,y\n"), prepared=True)
    assert found.names == ("a", "b", "b is missing")
    assert np.isnan(found.X[:, 1]).all()


def test_a_column_called_like_the_gaps_of_another(given):
    with pytest.raises(ReadError, match="the column 'a is missing' is called like the gaps of 'a'; rename one of the two"):
        read(given("a,a is missing,kind\n1,2,x\n"), prepared=True)


def test_words_among_numbers_are_no_gaps(given):
    with pytest.raises(ReadError, match=r":3, column 1 \(a\): 'two' is not a number"):
        read(given("a,kind\n1,x\ntwo,y\n3,x\n"), prepared=True)
    with pytest.raises(ReadError, match=r":3, column 1 \(a\): 'inf' is not finite"):
        read(given("a,kind\n1,x\ninf,y\n3,x\n"), prepared=True)


@pytest.mark.parametrize("ignore", [("id",), ("1",), (1,), ("id", "note")])
def test_ignored_columns(given, ignore):
    path = given("id,a,note,kind\n" + "".join(f"r{i},{i},w,x\n" for i in range(1500)))
    found = read(path, ignore=tuple(map(str, ignore)))
    assert found.names == (("a",) if len(ignore) > 1 else ("a", "note=w"))
    assert found.X[:, [0]].sum() == 1499 * 750


def test_what_cannot_be_ignored(given, model):
    path = given("id,a,kind\n1,2,x\n")
    with pytest.raises(ReadError, match="no column is called 'idd', but it is to be ignored"):
        read(path, ignore=("idd",))
    with pytest.raises(ReadError, match="there is no column 7"):
        read(path, ignore=("7",))
    with pytest.raises(ReadError, match="column 3 holds the labels, but is to be ignored"):
        read(path, ignore=("kind",))
    known = model("id,a,kind\n1,2,x\n3,4,y\n", ignore=("id",))
    assert known.names == ("a",)
    assert open(given("a,kind\n5,x\n"), features=known, ignore=("id",)).read().X.tolist() == [[5]]


def test_bad_lines_are_placed_among_the_rows(given, monkeypatch):
    path = given("a,kind\nw,x\n1,x\n2,y\nw,x\n3,\n4,y\n5\n")
    for size, expected in ((sources.CHUNK, [[0, 2, 2, 3]]), (5, None)):
        monkeypatch.setattr(sources, "CHUNK", size)
        parts = list(open(path, skip_bad_lines=True).parts())
        if expected is not None:
            assert [part.bad.tolist() for part in parts] == expected
        before = np.cumsum([0, *(len(part.codes) for part in parts)]).tolist()
        placed = [n + k for part, n in zip(parts, before, strict=False) if part.bad is not None for k in part.bad.tolist()]
        assert placed == [0, 2, 2, 3]
        assert open(path, skip_bad_lines=True).read().X.ravel().tolist() == [1, 2, 4]
        assert sum(len(block.y) for block in open(path, skip_bad_lines=True)) == 3


def test_a_field_may_go_over_several_lines(given, monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 8)
    found = read(given('a,note,kind\n1,"one\ntwo, and\nthree",x\n2,short,y\n'))
    assert found.names == ("a", "note=one\ntwo, and\nthree", "note=short")
    with pytest.raises(ReadError, match=":5, column 1"):
        read(given('a,note,kind\n1,"one\ntwo, and\nthree",x\n?,short,y\n3,c,x\n'))


@pytest.fixture
def model(given):
    """The features of a table that was read before."""

    def made(content, frozen=True, **options):
        dataset = open(given(content, "before.csv"), **options)
        dataset.read()
        dataset.features.frozen = frozen
        return dataset.features

    return made


PETS = "weight,age,colour,kind\n4.5,3,red,cat\n30,5,brown,dog\n"


def test_a_model_finds_its_columns_by_name(given, model):
    known = model(PETS)
    path = given("colour,id,kind,age,weight\nblue,7,cat,1,2\nred,8,dog,3,4\n")
    found = open(path, label="kind", features=known).read()
    assert found.X.toarray().tolist() == [[2, 1, 0, 0], [4, 3, 1, 0]]
    assert found.y.tolist() == ["cat", "dog"]
    assert known.names == ("weight", "age", "colour=red", "colour=brown")
    with pytest.raises(ReadError, match="the column 'age' is missing; add it"):
        open(given("weight,colour,kind\n1,red,cat\n"), features=known).read()
    with pytest.raises(ReadError, match="the column 'colour' is missing"):
        open(given("weight,age,kind\n1,2,cat\n"), features=known).read()


@pytest.mark.parametrize(
    ("content", "label", "labels"),
    [
        ("weight,age,colour\n1,2,red\n", None, [""]),
        ("weight,age,colour,kind\n1,2,red,cat\n", None, ["cat"]),
        ("weight,age,colour,kind\n1,2,red,\n", None, [""]),
        ("colour,age,weight\nred,2,1\n", "kind", [""]),
        ("kind,colour,age,weight\ncat,red,2,1\n", "kind", ["cat"]),
        ("weight,age,colour\n1,2,red\n", "4", [""]),
    ],
)
def test_labels_may_lack_where_they_are_to_be_predicted(given, model, content, label, labels):
    found = open(given(content), features=model(PETS), label=label, unlabelled=True).read()
    assert found.X.toarray().tolist() == [[1, 2, 1, 0]]
    assert found.y.tolist() == labels


@pytest.mark.parametrize("label", [None, "1", "2"])
def test_labels_may_lack_without_a_header(given, model, label):
    at = int(label or 3) - 1
    rows = [["1", "red"], ["2", "blue"]]
    labelled = "".join(",".join([*row[:at], "x", *row[at:]]) + "\n" for row in rows)
    known = model(labelled, label=label)
    for content, y in ((labelled, "x"), ("".join(",".join(row) + "\n" for row in rows), "")):
        found = open(given(content), features=known, label=label, unlabelled=True).read()
        assert found.X.toarray().tolist() == [[1, 1, 0], [2, 0, 1]]
        assert found.y.tolist() == [y, y]
    one = open(given("blue\n" if label == "never" else "7,blue\n"), features=known, label=label, unlabelled=True).read()
    assert one.X.toarray().tolist() == [[7, 0, 1]]


def test_a_missing_label_among_numbers_is_nan(given, model):
    y = open(given("a,kind\n1,2\n3,\n"), features=model("a,kind\n1,0\n"), unlabelled=True).read().y
    assert y[0] == 2
    assert np.isnan(y[1])


def test_several_files_are_one_table(given):
    paths = [
        given("a,b,kind\n1,2,x\n", "1.csv"),
        given("b,c,a,kind\n3,red,4,y\n", "2.csv"),
        given("b;a;c;kind\n5;6;blue;z\n", "3.tsv"),
    ]
    found = read(paths)
    assert found.names == ("a", "b", "c=red", "c=blue")
    assert found.X.toarray().tolist() == [[1, 2, 0, 0], [4, 3, 1, 0], [6, 5, 0, 1]]
    assert found.y.tolist() == ["x", "y", "z"]
    with pytest.raises(ReadError, match=r"1\.csv:1: the column 'c' is missing"):
        read(paths[1:] + paths[:1])
    with pytest.raises(ReadError, match=r"is svmlight, but .*1\.csv is csv; give files of one format"):
        read([*paths, given("1 1:1\n", "4.svm")])


def test_wider_and_wider_dense_files(given):
    found = read([given("a,kind\n1,x\n", "1.csv"), given("a,b,kind\n2,3,y\n", "2.csv")])
    assert found.X.tolist() == [[1, 0], [2, 3]]


def test_rows_through_a_pipe_come_as_they_are_written():
    """Lines that are not whole are waited for, and so is the first row: a header alone tells nothing."""
    reads, writes = os.pipe()
    found = queue.SimpleQueue()
    path = f"/dev/fd/{reads}"
    reader = threading.Thread(target=lambda: [found.put(block) for block in open(path, format="csv")], daemon=True)
    reader.start()
    try:
        for written, came in [
            (b"size,colour,kind\n", None),
            (b"1,red,a\n", [[[1, 1], "a"]]),
            (b'2,green,b\n3,"deep', [[[2, 0, 1], "b"]]),
            (b'\nred",a\n4,', [[[3, 0, 0, 1], "a"]]),
            (b"red,b\n5,red,b\n", [[[4, 1, 0, 0], "b"], [[5, 1, 0, 0], "b"]]),
        ]:
            os.write(writes, written)
            if came is None:
                with pytest.raises(queue.Empty):
                    found.get(timeout=0.2)
                continue
            block = found.get(timeout=60)
            assert [[x, y] for x, y in zip(block.X.toarray().tolist(), block.y.tolist(), strict=True)] == came
    finally:
        os.close(writes)
        reader.join()
        os.close(reads)
    assert found.empty()


def test_bad_lines_are_left_out_and_counted(given):
    content = "a,b,kind\n1,red,x\n?,red,y\n2,,x\n3,red\n4,blue,\n5,green,x\n"
    dataset = open(given(content), skip_bad_lines=True)
    found = dataset.read()
    assert found.y.tolist() == ["x", "x"]
    assert found.names == ("a", "b=red", "b=green")
    assert dataset.reading.n_skipped == 4
    said = [":3, column 1 (a): '?'", ":4, column 2 (b): the value is missing", ":5: has 2 columns", ":6, column 3: the label is"]
    for sentence, part in zip(dataset.reading.skipped, said, strict=True):
        assert part in sentence


tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.tuples(
            st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=width, max_size=width),
            st.sampled_from(["red", "blue", "a;b", 'say "no"', "two\nlines"]),
            st.integers(-2, 2),
        ),
        min_size=1,
        max_size=20,
    )
)


@generated(tables, st.sampled_from(",;\t"))
def test_against_pandas(tmp_path_factory, rows, separator):
    path = tmp_path_factory.mktemp("tables") / "d.csv"
    frame = pd.DataFrame([[*values, word, label] for values, word, label in rows])
    frame.columns = [f"column {j}" for j in frame.columns]
    frame.to_csv(path, index=False, sep=separator)
    again = pd.read_csv(path, sep=separator, dtype=str)  # its own reading of numbers may be off by a bit
    again = again.astype(dict.fromkeys(again.columns[:-2], float) | {again.columns[-1]: int})
    X, y, names, _ = read(path)
    word = again.columns[-2]
    expected = again.iloc[:, :-2].astype(float)
    for value in again[word].unique():
        expected[f"{word}={value}"] = (again[word] == value).astype(float)
    assert list(names) == list(expected.columns)
    assert (X.toarray() == expected.to_numpy()).all()
    assert y.tolist() == again.iloc[:, -1].tolist()


@pytest.mark.parametrize("name", ["banknote_authentication", "ionosphere", "iris", "sonar"])
def test_real_tables_against_pandas(name):
    path = problems.REAL.parent / "dense" / f"{name}.csv"
    if not path.exists():
        pytest.skip("the data is not beside the project")
    frame = pd.read_csv(path, header=None)
    X, y, *_ = read(path)
    assert (frame.iloc[:, :-1].to_numpy() == X).all()
    assert y.tolist() == frame.iloc[:, -1].tolist()
    rows, labels, _ = read_plainly(path)
    assert (rows == X).all()
    assert labels.tolist() == y.tolist()


COUNTED = "0,1,2,kind\n5,1,2,{0}\n6,3,4,{1}\n7,5,6,{0}\n8,7,8,{1}\n"


@pytest.mark.parametrize("labels", [("cat", "dog"), ("0", "1")])
@pytest.mark.parametrize("first", ["0,1,2", "1,2,3", ",0,1"])
def test_columns_that_are_numbered_have_a_header(given, labels, first):
    """Programs write 0,1,2 where columns have no names; the label's column is called by a word, and no row has that label."""
    path = given(COUNTED.replace("0,1,2", first, 1).format(*labels))
    X, y, names, _ = read(path)
    assert names == tuple(first.split(","))
    assert X.shape == (4, 3)
    assert set(map(str, y.tolist())) == set(labels)
    plain_X, plain_y = read_plainly(path)[:2]
    assert (plain_X == X).all()
    assert list(plain_y) == y.tolist()


@pytest.mark.parametrize("content", [COUNTED.format("kind", "dog"), COUNTED.replace("0,1,2", "0,1,3", 1).format("cat", "dog")])
def test_a_row_that_may_be_one_is_no_header(given, content):
    path = given(content)
    X, y, names, _ = read(path)
    assert names == ("1", "2", "3")
    assert X.shape == (5, 3)
    assert y.tolist()[0] == "kind"
    assert list(read_plainly(path)[1]) == y.tolist()


def test_a_word_above_labels_that_are_numbers_is_a_header(given):
    path = given("colour,size,kind\nred,big,1\nblue,small,0\nred,small,1\n")
    X, y, names, _ = read(path)
    assert names == ("colour=red", "size=big", "colour=blue", "size=small")
    assert y.tolist() == [1, 0, 1]
    plain_X, plain_y = read_plainly(path)[:2]
    assert (plain_X != X).nnz == 0
    assert list(plain_y) == y.tolist()


def test_further_files_have_the_label_where_their_header_says(given):
    first, second = given("a,b,kind\n1,2,x\n3,4,y\n", "first.csv"), given("kind,b,a\ny,6,5\n", "second.csv")
    X, y, _, _ = read([first, second])
    assert X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert y.tolist() == ["x", "y", "y"]


@pytest.mark.parametrize("written", ["-999", "-999.0", "-9.99e2"])
def test_a_number_that_means_a_gap_does_so_however_it_is_written(given, written):
    X, _, names, _ = read(given(f"a,b,kind\n{written},1,x\n2,-999,y\n3,3,x\n"), prepared=True, missing=("-999",))
    assert names == ("a", "b", "a is missing", "b is missing")
    assert np.array_equal(X, [[np.nan, 1, 1, 0], [2, np.nan, 0, 1], [3, 3, 0, 0]], equal_nan=True)


def test_in_a_table_of_one_column_quotes_without_a_text_are_a_gap(given):
    trained = open(given("a,kind\n1,x\n,y\n", "trained.csv"), prepared=True)
    trained.read()
    path = given('a\n1\n""\n\n  \n6\n""\n')
    X = open(path, prepared=True, unlabelled=True, features=trained.features).read().X
    assert np.isnan(X[:, 0]).tolist() == [False, True, False, True]
