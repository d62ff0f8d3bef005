"""What is in a file says what it is; its name decides only where that is not clear."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made import FILES
from novikoff.data.opening import opened
from novikoff.data.readers import format_of, formats, read
from novikoff.data.sources import ReadError
from novikoff.proof.independent_parsers import read_plainly

CERTAIN = ("parquet", "feather", "arrow", "npz", "jsonl", "vw")  # tables and labelled texts may look like each other
FORMAT = {"svm": "svmlight", "feather": "parquet", "arrow": "parquet", "mbox": "mail"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    formats()
    return tmp_path_factory.mktemp("formats")


@pytest.mark.parametrize("kind", FILES)
@given(st.data(), st.sampled_from(["csv", "dat", "txt", "svm", "vw", "text", "jsonl", "npz", "parquet", "eml", ""]))
@settings(max_examples=60)
def test_what_is_written_is_recognised_whatever_its_name(folder, kind, data, ending):
    content = data.draw(FILES[kind])
    own, other = folder / f"a.{kind}", folder / f"a.{ending}"
    own.write_bytes(content)
    with opened(str(own)) as source:
        found = format_of(source, None).name
    like_svmlight = kind == "text" and found == "svmlight" and b":" in content  # "1<tab>1:2" is both
    assert found == FORMAT.get(kind, kind) or (kind == "svm" and b":" not in content) or like_svmlight
    other.write_bytes(content)
    if kind in CERTAIN and content.strip():
        try:
            with opened(str(other)) as source:
                assert format_of(source, None).name == found
        except ReadError:
            assert not ending


@pytest.mark.parametrize(
    ("content", "name", "format"),
    [
        ("1 |f a b:2\n-1 |f c\n", "a.dat", "vw"),
        ("1 |f a b:2\n-1 |f c\n", "a.csv", "vw"),
        ("1 |f a,b b:2\n-1 |f c\n", "a.csv", "csv"),
        ("a,b,kind\n1,2,x\n", "a.txt", "csv"),
        ("a,b,kind\n1,2,x\n", "a.dat", "csv"),
        ("a,b,kind\n1,2,x\n", "a.vw", "csv"),
        ("1 1:0.5 3:1\n-1 2:1 # a comment\n", "a.csv", "svmlight"),
        ("1 1:0.5 3:1\n-1 2:1\n", "a.txt", "svmlight"),
        ("2026-01-01 10:30,5,x\n2026-01-01 10:31,6,y\n", "a.csv", "csv"),
        ("2026-01-01 10:30\t5\tx\n", "a.tsv", "csv"),
        ("a|b,1\nc|d,2\n", "a.csv", "csv"),
        ("spam\tbuy now\n", "a.csv", "csv"),
        ("spam\tbuy now\n", "a.text", "text"),
        ("spam\tbuy\n", "a.text", "text"),
        ("spam\tbuy now\n", "a.txt", "text"),
        ('{"features": {"a": 1}, "label": 2}\n', "a.csv", "jsonl"),
        ("hello\n", "a.csv", "csv"),
        ("hello\n", "a.dat", "svmlight"),
        ("1 x\n", "a.svm", "svmlight"),
        ("1,2,3\n", "a.npz", "npz"),
    ],
)
def test_content_before_name(folder, content, name, format):
    (folder / name).write_text(content)
    with opened(str(folder / name)) as source:
        assert format_of(source, None).name == format


def test_the_verifier_finds_the_same(folder):
    for name, content in (("a.csv", "1 1:0.5 3:1\n-1 2:1\n"), ("a.dat", "a,b,kind\n1,2,x\n3,4,y\n")):
        (folder / name).write_text(content)
        X, y, *_ = read(folder / name)
        rows, labels, _ = read_plainly(folder / name)
        assert (rows != X).sum() == 0
        assert labels.tolist() == y.tolist()


def test_what_is_not_clear_needs_format(folder):
    (folder / "a.txt").write_text("hello\n")
    with pytest.raises(ReadError, match="choose one with --format"):
        read(folder / "a.txt")
