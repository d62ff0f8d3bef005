"""Tables: headers, separators, the label's column, and what is refused."""

import gzip

import numpy as np
import pytest

from novikoff.readers import ReadError, read


@pytest.fixture
def given(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_with_a_header(given):
    X, y, names = read(given('weight, "age, in years",kind\n4.5,3,"cat"\n\n 30 ,"5",dog\n'))
    assert names == ("weight", "age, in years")
    assert X.tolist() == [[4.5, 3], [30, 5]]
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.tolist() == ["cat", "dog"]


def test_without_a_header(given):
    X, y, names = read(given("1,2,+1\n3,4,-1\n"))
    assert names is None
    assert X.tolist() == [[1, 2], [3, 4]]
    assert y.tolist() == [1, -1]


@pytest.mark.parametrize("label", ["kind", "2", 2])
def test_the_label_by_name_or_number(given, label):
    X, y, names = read(given("weight,kind,age\n4.5,0,3\n30,1,5\n"), label=label)
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
    X, y, names = read(given(gzip.compress(content) if name.endswith("gz") else content, name))
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
        ("x,1,2\n1,1,2\n", "1", None),
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
    if said is None:
        read(given(content), label=label)
        return
    with pytest.raises(ReadError) as caught:
        read(given(content), label=label)
    assert said in str(caught.value)
    assert "data.csv" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
