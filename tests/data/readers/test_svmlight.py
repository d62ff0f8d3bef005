"""svmlight text: what is read, and what is refused in which words."""

import bz2
import gzip
import io
import lzma
import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given as generated
from hypothesis import reject
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from made import numbers, rows_of, svmlight_text
from novikoff.data.features import DIRECT, Numbered, features_of
from novikoff.data.readers import open, read
from novikoff.data.sources import CHUNK as BLOCK
from novikoff.data.sources import ReadError

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
import problems


@pytest.fixture
def given(tmp_path):
    def write(content, name="data.svm"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_rows_labels_comments_blanks_and_queries(given):
    X, y, names, _ = read(given("# about\n+1 1:0.5 3:-2e1 # one\n\n-1 qid:7 2:.25\r\n  1\n"))
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
    X, y, *_ = read(given(content))
    assert X[:, [1]].toarray().ravel().tolist() == list(range(len(y)))
    with pytest.raises(ReadError, match=rf":{len(y) + 1}: 'x' is not an index and a value"):
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
    with pytest.raises(ReadError, match='standard input:1: value "x" of feature 1 is not a number'):
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
        ("1 1:1\n1 1:1 2:abc", ':2: value "abc" of feature 2 is not a number; write it like'),
        ("1 1:", ":1: the value is missing"),
        ("1 1: 2", "the value is missing"),
        ("1 1:nan", 'value "nan" of feature 1 is not finite; fill in a number or leave the row out'),
        ("1 1:-INFINITY", "is not finite"),
        ("1 1:1e999", 'value "1e999" of feature 1 is not finite'),
        ("1 7:1 1:1\n1 7:1e999\n", ':2: value "1e999" of feature 7 is not finite'),
        ("1 1:1_0", "is not a number"),
        ("1 1:1-2 2:", '"1-2" of feature 1 is not a number'),
        ("1 1:0x10", "is not a number"),
        ("1 1:١", "is not a number"),
        ("1 ١:1", "is not an index and a value"),
        ("1 1:2:3", '"2:3" of feature 1 is not a number'),
        ("1 7", "'7' is not an index and a value; write it like 7:0.5"),
        ("1 :5", "is not an index and a value"),
        ("1 -1:5", "is not an index and a value"),
        ("1 +1:5", "is not an index and a value"),
        ("1 1e1:5", "is not an index and a value"),
        ("1 1:5 qid:3", "'qid:3' is not an index"),
        ("1 9223372036854775808:5", "the index '9223372036854775808' is too large; the largest is 9223372036854775807"),
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


PACK = [(gzip.compress, "gz"), (lzma.compress, "xz"), (bz2.compress, "bz2"), (zstandard.compress, "zst")]


@pytest.mark.parametrize(("pack", "suffix"), PACK)
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
    with pytest.raises(ReadError, match="the format is not clear from name or content"):
        read(given("hello\nworld\n", "data"))
    with pytest.raises(ReadError, match="leave the label column out"):
        read(given("1 1:1"), label=1)


def test_of_huge_indices_only_those_that_occur_have_columns(given):
    path = given("1 9:1 9223372036854775807:2\n0 4194304:3\n1 3:4 9:5\n")
    dataset = open(path)
    X = dataset.read().X
    assert X.toarray().tolist() == [[0, 1, 0, 2], [0, 0, 3, 0], [4, 5, 0, 0]]
    assert [dataset.features.name(j) for j in range(4)] == ["3", "9", "4194304", str(2**63 - 1)]
    assert dataset.read().X.toarray().tolist() == X.toarray().tolist()
    again = features_of(dataset.features.header(), dataset.features.tensors())
    again.frozen = True
    found = open(given("1 4:7 9:6 4194304:5\n", "b.svm"), features=again).read()
    assert found.X.toarray().tolist() == [[0, 6, 5, 0]]


@pytest.mark.parametrize(("index", "width"), [(DIRECT - 1, DIRECT), (DIRECT, 2), (DIRECT + 1, 2)])
def test_where_huge_begins(given, index, width):
    assert read(given(f"1 0:1 {index}:1\n")).X.shape == (1, width)
    assert read(given(f"1 1:1 {index + 1}:1\n")).X.shape == (1, width)
    assert read(given(f"1 0:1 {index}:1\n"), zero_based=True).X.shape == (1, width)


def test_a_model_keeps_counting_as_it_did(given):
    """Columns of features that were given stay what they were, whatever the file would suggest alone."""
    known = Numbered(0, 3)
    found = open(given("1 1:5 2:6\n"), features=known).read()
    assert found.X.toarray().tolist() == [[0, 5, 6]]
    known.frozen = True
    assert open(given("1 1:5 7:6\n"), features=known).read().X.toarray().tolist() == [[0, 5, 0]]
    with pytest.raises(ReadError, match="an index is 0, but earlier indices count from 1"):
        open(given("1 0:5\n"), features=Numbered(1, 3)).read()


def test_several_files_are_one(given):
    paths = [given("1 1:1 3:1\n", "a.svm"), given("0 0:1\n", "b.svm"), given("1 5:2", "c.svm")]
    found = read([*paths[:2], str(paths[2])])
    assert found.X.toarray().tolist() == [[0, 1, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2]]
    assert read(str(paths[0].parent / "*.svm")).y.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("a\xa0b 1:1", "a\xa0b"),  # only ASCII's blanks separate words
        ("a\x85b 1:1", "a\x85b"),
        ("größenordnung 1:1", "größenordnung"),
        ("a\v1:1", "a"),
        ("a qid:3\f1:1\v", "a"),
        ("\ta\r1:1\r", "a"),
        ("a 1:1 #\udcff\udc80", "a"),
        ("a 1:1#\0", "a"),
        ("a qid:x 1:1.00000000000000000000000000000000000000000", "a"),
    ],
)
def test_odd_lines(given, line, label):
    content = line.encode("utf-8", "surrogateescape")
    for text in (content, content + b"\n", b"b 1:2\n" + content + b"\nb 1:3"):
        found = read(given(text))
        assert label in found.y.tolist()
        assert found.X.shape[1] == 1
        assert found.X.toarray()[found.y == label].tolist() == [[1]]


@generated(svmlight_text(), st.data())
def test_lines_without_labels_have_the_same_features(tmp_path_factory, text, data):
    """What is left of a line with pairs when its label is taken away is a row without a label."""
    path, bare = (tmp_path_factory.mktemp("bare") / name for name in ("d.svm", "bare.svm"))
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if data.draw(st.booleans()):
            lines[k] = re.sub(r"^[^\s#]+\s+(?=qid:|[0-9]+:)", "", line)
    path.write_text(text)
    bare.write_text("\n".join(lines))
    told, missing = open(path), open(bare, unlabelled=True)
    try:
        labelled = rows_of(told.read(), told.features)
    except ReadError:
        reject()
    found = rows_of(missing.read(), missing.features)
    assert [row for row, _, _ in found] == [row for row, _, _ in labelled]
    rows = [line for line in lines if line.strip() and not line.startswith("#")]
    assert [label in ("", "nan") for label in [str(y) for _, y, _ in found]] == [":" in re.split(r"[\s#]", r)[0] for r in rows]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1:1\n1:1 2:abc", ':2: value "abc" of feature 2 is not a number'),
        ("1:1\na:b 1:1", ":2: 'a:b' is not an index and a value"),
        ("1:1\n1:1 1:2", ":2: the index 1 occurs twice"),
        ("1:1\nqid:1 x", ":2: 'x' is not an index and a value"),
        ("1:1\n1:\0", ":2: has a zero byte"),
    ],
)
def test_lines_without_labels_refused(given, content, said):
    with pytest.raises(ReadError) as refused:
        open(given(content), unlabelled=True).read()
    assert said in str(refused.value)


def test_bad_lines_are_left_out_and_counted(given):
    lines = [
        b"a\0 1:1",
        b"a 1:1",
        b"\xff 1:1",
        b"\xfe 1:1",
        b"a 1:x",
        b"nan 1:1",
        b"a\xff 1:1",
        b"b 1:2 1:3",
        b"b 2:1e999",
        b"c 3:4",
    ]
    dataset = open(given(b"\n".join(lines)), skip_bad_lines=True)
    found = dataset.read()
    assert found.y.tolist() == ["a", "c"]
    assert found.X.toarray().tolist() == [[1, 0, 0], [0, 0, 4]]
    assert dataset.reading.n_skipped == 8
    assert len(dataset.reading.skipped) == 5


@st.composite
def text_for_scikit_learn(draw):
    """Text that its reader takes, too: numbers as labels, indices in order and below 2³¹, no query ids."""
    largest = draw(st.sampled_from([60, 60, 2**22 + 1, 2**31 - 1]))
    index = st.integers(0, 60) | st.integers(max(0, largest - 5), largest)
    lines = []
    for label in draw(st.lists(st.sampled_from(["+1", "1", "-1", "1.0", "-1e0", "0.5", "2"]), min_size=1, max_size=6)):
        pairs = [f"{i}:{draw(numbers)}" for i in sorted(draw(st.sets(index, max_size=6)))]
        gap, comment = draw(st.sampled_from([" ", "  ", "\t"])), draw(st.sampled_from(["", "", " # said: 1:2", "\r"]))
        lines += [gap.join([label, *pairs]) + comment, *draw(st.sampled_from([[], [], [""], ["# x"]]))]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@generated(text_for_scikit_learn())
def test_against_scikit_learn(tmp_path_factory, text):
    """Where both take a file. scikit-learn knows numbers as labels only."""
    path = tmp_path_factory.mktemp("svm") / "d.svm"
    path.write_text(text)
    try:
        X, y, *_ = read(path)
        expected, labels = load_svmlight_file(str(path), zero_based="auto")
    except (ValueError, OverflowError, MemoryError):
        reject()
    width, columns = expected.shape[1], expected.indices
    if width > DIRECT:
        occurring, columns = np.unique(columns, return_inverse=True)
        width = len(occurring)
    assert X.shape == (len(labels), width)
    X.sort_indices()
    rows = [sorted(zip(columns[a:b], expected.data[a:b], strict=True)) for a, b in pairwise(expected.indptr)]
    assert rows == [list(zip(X.indices[a:b], X.data[a:b], strict=True)) for a, b in pairwise(X.indptr)]
    assert y.tolist() == labels.tolist()


REAL = ["a9a", "mushrooms", "agaricus.txt.train", "reuters.tst.bz2", "ijcnn1.trn.bz2", "w8a", "news20.bz2", "reuters.trn.bz2"]


@pytest.mark.parametrize("name", [*REAL[:4], *(pytest.param(name, marks=pytest.mark.full) for name in REAL[4:])])
def test_real_data_against_scikit_learn(name):
    path = problems.REAL / name
    if not path.exists():
        pytest.skip("the data is not beside the project")
    expected, labels = load_svmlight_file(str(path), zero_based="auto")
    X, y, *_ = read(path)
    assert X.shape == expected.shape
    assert (X.indptr == expected.indptr).all()
    assert (X.indices == expected.indices).all()
    assert (X.data == expected.data).all()
    assert (y == labels).all()


@pytest.mark.parametrize("value", ["7" * 10**6 + "x", "7" * 10**6 + ".x", "1e" + "7" * 10**6 + "x", "." + "7" * 10**6 + "x"])
def test_a_long_number_that_is_none_is_refused_at_once(tmp_path, value):
    """A pattern that could match digits in two ways took a time that grew with the square: hours for these."""
    (tmp_path / "a.svm").write_text(f"1 1:{value}\n-1 1:1\n")
    with pytest.raises(ReadError, match="is not a number"):
        open(tmp_path / "a.svm").read()
