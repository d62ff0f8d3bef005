"""Two parsers that share no line read the same, and refuse the same."""

import bz2
import gzip
import lzma
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff.plain import PlainError, read_plainly
from novikoff.readers import ReadError, read

PACK = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["+1", "1.", ".5", "-0", "1E3", "00012.50e-02", "1e-400", "4.9406564584124654e-324"]),
)
labels = st.one_of(
    st.lists(st.sampled_from(["+1", "1", "-1", "1.0", "-1e0"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["0.5", "1", "2"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["ham", "spam", "größe", "1", "1,2"]), min_size=1, max_size=6),
)


def seen(path, parse, refusal):
    """What a parser makes of a file: rows, labels and their kind; None if it refuses."""
    try:
        X, y = parse(path)[:2]
    except refusal as error:
        why = str(error)
    else:
        assert X.dtype == np.float64
        return sp.issparse(X), X.shape, (X.toarray() if sp.issparse(X) else X).tolist(), y.tolist(), y.dtype.kind
    assert why.startswith(str(path))
    return None


def both(path, label=None):
    return seen(path, partial(read, label=label), ReadError), seen(path, partial(read_plainly, label=label), PlainError)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("plain")


@st.composite
def svmlight_text(draw):
    lines = []
    for label in draw(labels):
        indices = draw(st.lists(st.integers(0, 60), max_size=6, unique=True))
        pairs = [f"{index}:{draw(numbers)}" for index in indices]
        query = draw(st.sampled_from([[], [], ["qid:4"]]))
        comment = draw(st.sampled_from(["", "", " # said: 1:2", "\r"]))
        gap = draw(st.sampled_from([" ", "  ", "\t"]))
        lines += [gap.join([label, *query, *pairs]) + comment, *draw(st.sampled_from([[], [], [""], ["# x"]]))]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@st.composite
def table_text(draw):
    separator = draw(st.sampled_from(",;\t"))
    width = draw(st.integers(1, 4))
    rows = []
    for label in draw(labels):
        fields = [draw(numbers) for _ in range(width)]
        rows.append([f'"{field}"' if draw(st.booleans()) else f" {field} " for field in fields] + [f'"{label}"'])
    header = [[f"column {j}" for j in range(width)] + ["kind"]] if draw(st.booleans()) else []
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(separator.join(row) for row in header + rows) + draw(st.sampled_from(["", end]))


@given(svmlight_text(), st.sampled_from(["d.svm", "d.libsvm", "d.txt"]), st.sampled_from(list(PACK)))
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
    assert label is not None or quick is not None


@given(st.data())
def test_damaged_text_is_read_or_refused_alike(folder, data):
    """A few characters are changed: both parsers still agree, and neither fails in another way."""
    text = list(data.draw(st.one_of(svmlight_text(), table_text())))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.text(st.sampled_from('0179:.,;\t\n\r "#-+eEnaif_x\ufeff\0é\xa0\x1c'), max_size=3)
        )
    path = folder / data.draw(st.sampled_from(["e.svm", "e.csv", "e"]))
    path.write_bytes("".join(text).encode())
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


def test_of_what_is_no_file_both_say_so(tmp_path):
    assert both(tmp_path) == (None, None)
    assert both(tmp_path / "none.csv") == (None, None)


def test_the_stranger_imports_nothing_of_ours():
    check = (
        "import novikoff.plain, sys\nassert not [m for m in sys.modules if m.startswith('novikoff.') and m != 'novikoff.plain']"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
