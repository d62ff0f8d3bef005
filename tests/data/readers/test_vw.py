"""Vowpal Wabbit's text: the same columns and values as its own, and what is refused in which words."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data import sources
from novikoff.data.readers import open as opened
from novikoff.data.readers import read
from novikoff.data.sources import ReadError

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "vw"
BITS = 18


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.vw"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="module")
def by_vowpal_wabbit():
    """Label, importance and features of a line, for each column its values, as Vowpal Wabbit reads it."""
    vw = pytest.importorskip("vowpalwabbit").Workspace(f"--quiet --noconstant -b {BITS}")

    def parse(line):
        example = vw.parse(line)
        row = {}
        for index, value in example.iter_features():
            row.setdefault(index % 2**BITS, []).append(value)
        found = example.get_simplelabel_label(), example.get_simplelabel_weight(), row
        vw.finish_example(example)
        return found

    return parse


def agrees(X, row):
    """Within what is lost in the float32 of each value, which may be more than what is left of their sum."""
    found = [row.get(c, [0.0]) for c in X.indices]
    lost = [1e-5 * (1 + sum(map(abs, values))) for values in found]
    return set(X.indices) >= set(row) and (np.abs(np.array([*map(sum, found)]) - X.data) <= lost).all()


numbers = st.floats(-100, 100, width=32).map(lambda x: f"{x:.6g}") | st.sampled_from(["1", "0", "+2", "-.5", "3.", "1e2", "2E-1"])
names = st.text(st.sampled_from("abXYZ019_-.+é中'#^"), min_size=1, max_size=12) | st.sampled_from(
    ["7", "08", "9" * 25, "\x01a\x02"]
)
values = numbers | st.sampled_from(["red", "Green_2", "über", "_"])
features = st.builds("{}:{}".format, names, values) | names | numbers.map(":{}".format)
spaces = st.builds(
    "|{}{} {}".format,
    names | st.just(""),
    st.just(""),
    st.lists(features, max_size=6).map("  ".join),
) | st.builds("|{}:{}\t{}".format, names, numbers, st.lists(features, max_size=6).map(" ".join))
labels = st.builds("{}{}{} ".format, st.sampled_from(["1", "-1", "2.5"]), st.sampled_from(["", " 2", " 0.25 0"]), st.just(""))
tags = st.sampled_from(["", "'tag ", "'tag", "tag"])
rows = st.builds("{}{}{}".format, labels, tags, st.lists(spaces, min_size=1, max_size=3).map(" ".join))


@given(st.lists(rows, min_size=1, max_size=6))
def test_rows_are_those_of_vowpal_wabbit(tmp_path_factory, by_vowpal_wabbit, rows):
    path = tmp_path_factory.mktemp("vw") / "data.vw"
    path.write_text("\n".join(rows), encoding="utf-8", newline="")
    X, y, _, weight = read(path, bits=BITS)
    for i, line in enumerate(rows):
        label, importance, row = by_vowpal_wabbit(line)
        assert y[i] == label
        assert (1 if weight is None else weight[i]) == importance
        assert agrees(X[[i]], row), line


def test_real_rows(by_vowpal_wabbit):
    path = REAL / "rcv1_small.dat"
    if not path.exists():
        pytest.skip("the data is not beside the project")
    X, y, *_ = read(path, format="vw", bits=BITS)
    lines = path.read_text().splitlines()
    assert X.shape == (len(lines), 2**BITS)
    for i in range(0, len(lines), 10):
        label, _, row = by_vowpal_wabbit(lines[i])
        assert y[i] == label
        assert agrees(X[[i]], row)


def test_labels_importances_and_names(write):
    data = opened(write("1 |f word:0.5 12\n\n-1 3 |f word word |g:2 x:red y | z\r\n2 'tag| a:0 b:0.1234567890123456789012345"))
    X, y, names, weight = data.read()
    assert y.tolist() == [1, -1, 2]
    assert weight.tolist() == [1, 3, 1]
    rows = [{data.features.name(c): v for c, v in zip(X[[i]].indices, X[[i]].data, strict=True)} for i in range(3)]
    assert rows == [
        {"f^word": 0.5, "f^12": 1},
        {"f^word": 2, "g^x:red": 1, "g^y": 2, "z": 1},
        {"b": float("0.1234567890123456789012345")},
    ]
    assert names is None


def test_rows_without_labels(write):
    lines = "| a b\n'tag | c\n1 | d\n"
    assert np.array_equal(read(write(lines), unlabelled=True).y, [np.nan, np.nan, 1], equal_nan=True)
    with pytest.raises(ReadError, match=r":1: the label is missing; put it first"):
        read(write(lines))


@pytest.mark.parametrize("line", ["1 |f a", "1 2 'x |f a", "|f a", "-1 0.5 0 tag|f a", "3 | a:1 b:2"])
def test_recognised_by_its_first_line(write, line):
    assert opened(write(line, "data"), unlabelled=True).read().X.shape == (1, 2**20)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 a b", "has no | before its features; write it like 1 |f word:0.5 another"),
        ("1|f a", "the label is missing ('1' is a tag, since it touches the |); put it first, and a space after it"),
        ("'1 |f a", "the label is missing; put it first"),
        ("1 2 3 4 |f a", "has 4 words before its |; there can be a label, an importance and a base"),
        ("1:0.5 2:0.25 |f a", "the label '1:0.5' has costs"),
        ("1 x |f a", "the importance 'x' is not a number"),
        ("1 -2 |f a", "the importance '-2' is below 0; give 0 or more"),
        ("1 1 0.5 |f a", "the base '0.5' is not 0; other bases are not supported, so leave it out"),
        ("1 |f:x a", "the scale of the namespace 'f': 'x' is not a number"),
        ("1 |f: a", "the scale of the namespace 'f': the value is missing"),
        ("1 |:2 a", "'|:2' has no name before its scale; write it like |f:0.5"),
        ("1 |f a:", "the value of the feature 'a': the value is missing"),
        ("1 |f a:1.5x", "the value of the feature 'a': '1.5x' is not a number"),
        ("1 |f a:2:3", "the value of the feature 'a': '2:3' is not a number"),
        ("1 |f a:NaN", "the value of the feature 'a': 'NaN' is not finite"),
        ("1 |f a:-infinity", "'-infinity' is not finite"),
        ("1 |f a:1e999", "'1e999' is not finite"),
        ("1 |f :x", "the value of the feature '': 'x' is not a number"),
        ("1 |f:1e200 a:1e200", "a value is too large after scaling"),
        ("inf |f a", "the label is inf"),
        (b"1 |f \xff", "is not UTF-8 text"),
        (b"1 |f \0", "has a zero byte"),
    ],
)
def test_refused(write, line, said):
    line = line.encode() if isinstance(line, str) else line
    path = write(b"1 |f a\n" + line + b"\n1 |f b")
    with pytest.raises(ReadError) as caught:
        read(path)
    assert "data.vw:2: " in str(caught.value)
    assert said in str(caught.value)
    data = opened(path, skip_bad_lines=True)
    assert data.read().X.shape == (2, 2**20)
    assert data.reading.n_skipped == 1


@given(st.lists(rows, min_size=1, max_size=10), st.integers(1, 60))
def test_a_stream_in_pieces_is_the_whole(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("stream") / "data.vw"
    path.write_text("\n".join(rows), encoding="utf-8", newline="")
    X, y, _, weight = read(path, bits=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "CHUNK", size)
        blocks = list(opened(path, bits=8))
    assert (sp.vstack([block.X for block in blocks]).tocsr() != X).nnz == 0
    assert np.concatenate([block.y for block in blocks]).tolist() == y.tolist()
    weights = np.concatenate([np.ones(len(block.y)) if block.weight is None else block.weight for block in blocks])
    assert weights.tolist() == (np.ones(len(y)) if weight is None else weight).tolist()


@given(
    st.binary(max_size=80)
    | st.lists(st.sampled_from([b"1 ", b"|", b"f", b":", b"2.5", b" ", b"\n", b"\xff", b"\0", b"'", b"-", b"e9", b"\t"])).map(
        b"".join
    )
)
def test_whatever_the_bytes_there_are_rows_or_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "data.vw"
    path.write_bytes(content)
    for how in ({}, {"unlabelled": True}, {"skip_bad_lines": True}):
        try:
            X, y, *_ = read(path, **how)
        except ReadError as error:
            assert "data.vw" in str(error)  # noqa: PT017
        else:
            assert X.shape == (len(y), 2**20)
            assert np.isfinite(X.data).all()
