"""Two parsers that share no line read the same, and refuse the same."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from made import PACK, labelled_text, svmlight_text, table_text, vw_text
from novikoff.data.features import Hashed
from novikoff.data.readers import open
from novikoff.data.sources import ReadError
from novikoff.proof.independent_parsers import PlainError, read_plainly


def seen(path, parse, refusal):
    """What a parser makes of a file: rows, labels and their kind; None if it refuses."""
    try:
        X, y = parse(path)[:2]
    except refusal as error:
        why = str(error)
    else:
        assert X.dtype == np.float64
        if sp.issparse(X):
            assert X.has_canonical_format
            X = X.copy()
            X.eliminate_zeros()
            return X.shape, X.data.tolist(), X.indices.tolist(), X.indptr.tolist(), y.tolist(), y.dtype.kind
        return X.tolist(), y.tolist(), y.dtype.kind
    assert why.startswith(str(path))
    return None


def quickly(path, label):
    """As the readers read; other formats than those that plain knows count as refused."""
    dataset = open(path, label=label)
    found = dataset.read()
    if isinstance(dataset.features, Hashed):
        raise ReadError(f"{path}: is text")
    return found


def both(path, label=None):
    return seen(path, partial(quickly, label=label), ReadError), seen(path, partial(read_plainly, label=label), PlainError)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("plain")


@given(svmlight_text(), st.sampled_from(["d.svm", "d.libsvm", "d.dat"]), st.sampled_from(list(PACK)))
def test_svmlight_is_read_alike(folder, text, name, packed):
    path = folder / (name + packed)
    path.write_bytes(PACK[packed](text.encode()))
    quick, plain = both(path)
    assert quick == plain
    assert (quick is not None) == any(
        ":" in word for line in text.split("\n") for word in line.partition("#")[0].split() if "q" not in word
    )


@given(
    table_text(), st.sampled_from(["d.csv", "d.tsv", "d"]), st.sampled_from(list(PACK)), st.sampled_from([None, 1, "1", "kind"])
)
def test_tables_are_read_alike(folder, text, name, packed, label):
    path = folder / (name + packed)
    path.write_bytes(PACK[packed](text.encode()))
    quick, plain = both(path, label)
    assert quick == plain


@given(st.data())
def test_damaged_text_is_read_or_refused_alike(folder, data):
    """A few characters are changed: both parsers still agree, and neither fails in another way."""
    text = data.draw(st.one_of(svmlight_text(), table_text(), svmlight_text(), table_text(), labelled_text(), vw_text()))
    text = list(text)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.text(st.sampled_from('0179:.,;\t\n\r "#-+eEnaif_x=\ufeff\0é\xa0\x85\u2028\x1c\v\f\x7f'), max_size=3)
        )
    path = folder / data.draw(st.sampled_from(["e.svm", "e.csv", "e"]))
    content = bytearray("".join(text).encode())
    for at in data.draw(st.lists(st.integers(0, len(content)), max_size=1)):
        content[at:at] = data.draw(st.sampled_from([b"\xff", b"\xc3", b"\x80"]))
    path.write_bytes(content)
    quick, plain = both(path, data.draw(st.sampled_from([None, None, "2", "kind"])))
    assert quick == plain


@given(
    st.binary(max_size=60),
    st.sampled_from(["f.svm", "f.csv", "f", "f.npz", "f.gz"]),
    st.sampled_from([b"", b"\x1f\x8b", b"BZh", b"PK\x03\x04"]),
)
def test_any_bytes_are_read_or_refused_alike(folder, content, name, first):
    path = folder / name
    path.write_bytes(first + content)
    quick, plain = both(path)
    assert quick == plain


@pytest.mark.parametrize(("label", "taken"), [
    ("9007199254740991", True), ("9007199254740992", False), ("-9007199254740992", False), ("x" * 200, True), ("x" * 201, False),
])  # fmt: skip
def test_labels_at_the_limit_are_read_or_refused_alike(tmp_path, label, taken):
    path = tmp_path / "d.svm"
    path.write_text(f"{label} 1:1\n")
    quick, plain = both(path)
    assert quick == plain
    assert (str(quick[-2][0]) == label) if taken else quick is None


def test_a_query_stands_after_the_label_only(tmp_path):
    path = tmp_path / "d.svm"
    path.write_text("1 qid:4 1:1\n")
    assert None not in both(path)
    path.write_text("1 1:1 qid:4\n")
    assert both(path) == (None, None)


def test_of_what_is_no_file_both_say_so(tmp_path):
    assert both(tmp_path) == (None, None)
    assert both(tmp_path / "none.csv") == (None, None)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.jsonl", b'{"features": {"a": 1}, "label": 1}\n'),
        ("d", b'{"features": {"a": 1, "b": 2}, "label": 1}\n'),
        ("d.vw", b"1 | a:1\n"),
        ("d", b"1 | a:1,2\n"),
        ("d.parquet", b"PAR1"),
        ("d", b"PAR1\x15,\n1,2\n"),
        ("d.nvkd", b""),
        ("d", b"hello\n"),
    ],
)
def test_of_other_formats_it_says_what_to_do(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PlainError, match="use verify --fast"):
        read_plainly(tmp_path / name)


def test_the_parser_imports_nothing_of_whoever_finds_proofs():
    check = (
        "import novikoff.proof.independent_parsers, sys\n"
        "below = ('novikoff.proof', 'novikoff.foundation')\n"
        "assert not [m for m in sys.modules if m.startswith(('novikoff.', 'numba')) and not m.startswith(below)]"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
