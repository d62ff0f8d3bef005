"""svmlight text: what is read, and what is refused in which words."""

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest

from novikoff.readers import BLOCK, ReadError, read


@pytest.fixture
def given(tmp_path):
    def write(content, name="data.svm"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_rows_labels_comments_blanks_and_queries(given):
    X, y, names = read(given("# about\n+1 1:0.5 3:-2e1 # one\n\n-1 qid:7 2:.25\r\n  1\n"))
    assert X.format == "csr"
    assert X.dtype == np.float64
    assert X.toarray().tolist() == [[0.5, 0, -20], [0, 0.25, 0], [0, 0, 0]]
    assert y.tolist() == [1, -1, 1]
    assert y.dtype == np.int64
    assert names is None


def test_indices_count_from_0_only_if_a_0_occurs(given):
    assert read(given("1 1:5\n0 2:6")).X.toarray().tolist() == [[5, 0], [0, 6]]
    assert read(given("1 1:5\n0 0:6")).X.toarray().tolist() == [[0, 5], [6, 0]]


def test_indices_are_sorted(given):
    X = read(given("1 3:3 1:1 2:2\n0\n1 2:5 1:4")).X
    assert X.indices.tolist() == [0, 1, 2, 0, 1]
    assert X.data.tolist() == [1, 2, 3, 4, 5]
    assert X.indices.dtype == np.int32


@pytest.mark.parametrize(
    ("labels", "read_as", "kind"),
    [
        (["+1", "1", "1.0", "-1"], [1, 1, 1, -1], "i"),
        (["0.5", "1", "2e0"], [0.5, 1, 2], "f"),
        (["spam", "ham", "+1"], ["spam", "ham", "+1"], "U"),
        (["größe", "naïve"], ["größe", "naïve"], "U"),
    ],
)
def test_labels(given, labels, read_as, kind):
    y = read(given("".join(f"{label} 1:1\n" for label in labels))).y
    assert y.tolist() == read_as
    assert y.dtype.kind == kind


def test_more_than_one_block_is_read_as_one(given):
    line = "1 2:{i} 1:0.125\n"
    content = "".join(line.format(i=i) for i in range(3 * BLOCK // len(line)))
    X, y, _ = read(given(content))
    assert X[:, [1]].toarray().ravel().tolist() == list(range(len(y)))
    with pytest.raises(ReadError, match=rf":{len(y) + 1}, word 2: 'x' is not"):
        read(given(content + "1 x\n"))


@pytest.mark.parametrize(
    "name", ["data.svm.gz", "data.txt.xz", "data.DAT.bz2", "data.libsvm.gz", "data", "data.gz", "data.svmlight"]
)
def test_names_and_compression(given, name):
    content = b"\n# no, comma\n+1\n+1 1:1\n-1 2:1\n"
    pack = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}.get(name.split(".")[-1], bytes)
    assert read(given(pack(content), name)).X.toarray().tolist() == [[0, 0], [1, 0], [0, 1]]


def test_standard_input(monkeypatch):
    for content in (b"+1 1:1\n", gzip.compress(b"+1 1:1\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read("-").y.tolist() == [1]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 1:x")))
    with pytest.raises(ReadError, match="standard input:1, word 2: 'x' is not a number"):
        read("-")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no rows"),
        ("# only this\n\n", "has no rows"),
        ("1 1:1\n1:1 2:2", ":2: the label is missing before '1:1'; put it first"),
        ("1 1:1\nnan 1:2", ":2: the label is nan"),
        ("-Inf 1:2", ":1: the label is -Inf"),
        ("1e17 1:2", "too large a number"),
        ("x" * 201 + " 1:2", "the label has 201 characters"),
        ("1\n2\n", "not a single index:value pair"),
        ("1 1:1\n1 1:1 2:abc", ":2, word 3: 'abc' is not a number"),
        ("1 1:", ":1, word 2: the value is missing"),
        ("1 1: 2", "the value is missing"),
        ("1 1:nan", "'nan' is not finite; fill in a number or leave the row out"),
        ("1 1:-INFINITY", "is not finite"),
        ("1 1:1e999", "'1e999' is not finite"),
        ("1 1:1_0", "is not a number"),
        ("1 1:1-2 2:", "'1-2' is not a number"),
        ("1 1:0x10", "is not a number"),
        ("1 1:١", "is not a number"),
        ("1 ١:1", "is not an index and a value"),
        ("1 1:2:3", "'2:3' is not a number"),
        ("1 7", "'7' is not an index and a value; write it like 7:0.5"),
        ("1 :5", "is not an index and a value"),
        ("1 -1:5", "is not an index and a value"),
        ("1 +1:5", "is not an index and a value"),
        ("1 1e1:5", "is not an index and a value"),
        ("1 1:5 qid:3", "'qid:3' is not an index"),
        ("1 2147483647:5", "the index '2147483647' is too large; the largest is 2147483646"),
        ("1 " + "0" * 5000 + ":5", "is too large"),
        ("1 3:1 2:1 3:1", ":1: the index 3 occurs twice"),
        ("1 3:1\n2 3:1 3:1", ":2: the index 3 occurs twice"),
        (b"1 1:1\n1 1:\xff", ":2: is not UTF-8 text"),
        (b"1 1:1\n1 1:1\0", ":2: has a zero byte"),
        ("1 1:1\n".encode("utf-16"), ":1: is not UTF-8 text"),
    ],
)
def test_refused(given, content, said):
    with pytest.raises(ReadError) as caught:
        read(given(content))
    assert said in str(caught.value)
    assert "data.svm" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, "gz"), (lzma.compress, "xz"), (bz2.compress, "bz2")])
def test_damaged_compression(given, pack, suffix):
    whole = pack(b"1 1:1\n" * 1000)
    for content in (whole[:-9], whole[:12], whole[: len(whole) // 2] + b"\xaa" * 20):
        with pytest.raises(ReadError, match="damaged or cut short"):
            read(given(content, f"data.svm.{suffix}"))


def test_what_is_no_file(given, tmp_path):
    with pytest.raises(ReadError, match=r"none\.svm: cannot be read \(No such file or directory\); check the path"):
        read(tmp_path / "none.svm")
    with pytest.raises(ReadError, match="is a folder; give a file in it"):
        read(tmp_path)
    with pytest.raises(ReadError, match="is not a path"):
        read("a\0b")
    with pytest.raises(ReadError, match="is empty"):
        read(given("", "data"))
    with pytest.raises(ReadError, match="neither name nor content tells its format"):
        read(given("hello\nworld\n", "data"))
    with pytest.raises(ReadError, match="leave the label column out"):
        read(given("1 1:1"), label=1)
