"""Decimals of a file are what the stranger's parser reads there, however long, and both refuse the same."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from made import PACK, small_blocks, svmlight_text, table_text
from novikoff.data.readers import open
from novikoff.data.sources import ReadError
from novikoff.proof.certificate import RATIONALS
from novikoff.proof.independent_parsers import PlainError, read_plainly
from novikoff.solve.labelled_decimals import decimals_of


def decimals(path, **how):
    files = open(path, **how)
    found = files.read()
    return decimals_of(found.X, files), found.y


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("decimals")


def seen(path, read, refusal):
    """All numbers and labels; None if the file is refused."""
    try:
        X, y = read(path)[:2]
    except refusal as error:
        why = str(error)
    else:
        return [list(map(Fraction, row)) for row in X.toarray().tolist()], y.tolist()
    assert why.startswith(str(path))
    return None


def both(path):
    return seen(path, decimals, ReadError), seen(path, lambda path: read_plainly(path, None, RATIONALS), PlainError)


@given(st.one_of(svmlight_text(), table_text()), st.sampled_from(["d.svm", "d.csv", "d"]), st.sampled_from(list(PACK)))
def test_two_parsers_read_the_same_decimals(folder, text, name, packed):
    if "4194" in text or "2147" in text or "9223" in text:  # indices that make a matrix too wide to write out
        return
    path = folder / (name + packed)
    path.write_bytes(PACK[packed](text.encode()))
    quick, plain = both(path)
    assert quick == plain


long_numbers = st.one_of(
    st.decimals(-1, 1, places=3).map(str),
    st.tuples(st.integers(-(10**19), 10**19), st.integers(-40, 20)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
    st.floats(-1e9, 1e9).filter(lambda v: not 0 < abs(v) < 1e-200).map(lambda v: f"{v:.18e}"),
    st.floats(-1e9, 1e9).filter(lambda v: not 0 < abs(v) < 1e-200).map(lambda v: f"{v:.16g}"),
    st.sampled_from(["9007199254740993", "9999999999999999", "0.1000000000000000055511151231257827021181583404541015625"]),
)


@example([["9007199254740993", "0.1", "0.30000000000000004"]] * 2, False)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(long_numbers, min_size=n, max_size=n), min_size=2, max_size=9)),
       st.booleans())  # fmt: skip
def test_long_numbers_are_what_stands_there(folder, rows, with_words):
    """Also in several blocks, beside comments, blank lines, words and rows whose fields are quoted or not in order."""
    expected = [[Fraction(number) for number in row] for row in rows]
    labels = [k % 2 for k in range(len(rows))]
    words = [["red, 0.12345678901234567", "blue"][k // 2 % 2] for k in range(len(rows))]
    svmlight = "# 1:12345678901234567\n\n" + "".join(
        f"{label} qid:3 " + " ".join(f"{j}:{row[j - 1]}" for j in range(len(row), 0, -1)) + " # 1:1e-999\n"
        for label, row in zip(labels, rows, strict=True)
    )
    table = "".join(
        ",".join(([f'"{word}"'] if with_words else []) + [str(label), f'"{row[0]}"', *row[1:]]) + "\n\n"
        for label, word, row in zip(labels, words, rows, strict=True)
    )
    header = ",".join((["word"] if with_words else []) + ["kind", *(f"x{j}" for j in range(len(rows[0])))]) + "\n"
    for name, text, label in (("d.svm", svmlight, None), ("d.csv", header + table, "kind")):
        path = folder / name
        path.write_text(text)
        with small_blocks(60):
            X, y = decimals(path, label=label)
        width = len(rows[0])
        assert [list(map(Fraction, row[:width])) for row in X.toarray().tolist()] == expected
        assert X.nearest.shape[1] == width + (len(set(words)) if with_words and label else 0)
        assert y.tolist() == labels
        plain = read_plainly(path, label, RATIONALS)[0]
        assert plain.toarray().tolist() == X.toarray().tolist()


def test_rows_are_found_beside_bad_lines_and_far_columns(tmp_path):
    path = tmp_path / "d.svm"
    path.write_text("r 1:0.12345678901234567890 5:x\n1 9000000000:0.12345678901234567890 7:0.1\n0 7:9007199254740993\n")
    X, _ = decimals(path, skip_bad_lines=True)
    assert X.toarray().tolist() == [[Fraction(1, 10), Fraction("0.1234567890123456789")], [Fraction(2**53 + 1), 0]]


def test_indices_that_count_from_0(tmp_path):
    path = tmp_path / "d.svm"
    for indices, how in (("01", {}), ("12", {}), ("01", {"zero_based": True})):
        path.write_text("".join(f"{j} {index}:9007199254740993\n" for j, index in enumerate(indices)))
        assert decimals(path, **how)[0].toarray().tolist() == [[2**53 + 1, 0], [0, 2**53 + 1]]


UNFIT = ["1e-999999999", "1e-400", "1e-99999999999999999999", "1e305", "1e-320", f"0.{1:0311}", "1" * 305, "0." + "1" * 1001]


@pytest.mark.parametrize("text", UNFIT)
@pytest.mark.parametrize(("name", "row"), [("d.svm", "{} 1:{}\n"), ("d.csv", "{0},{1},{0}\n")])
def test_numbers_that_are_too_large_or_small_or_long_are_refused(tmp_path, name, row, text):
    path = tmp_path / name
    path.write_text(row.format("0", "1") + row.format("1", text))
    with pytest.raises(ReadError, match=rf"^{path}:2: [^\n]*(not between|more than 1,000 characters)[^\n]*$"):
        decimals(path)
    with pytest.raises(PlainError, match=rf"^{path}: line 2[^\n]*not between[^\n]*$"):
        read_plainly(path, None, RATIONALS)


def test_what_has_no_decimals_is_refused(tmp_path):
    np.savez(tmp_path / "d.npz", X=[[0.1], [0.2]], y=[0, 1])
    (tmp_path / "d.jsonl").write_text('{"features": {"a": 0.1}, "label": 1}\n')
    for name in ("d.npz", "d.jsonl"):
        with pytest.raises(ReadError, match=rf"{name}: is {name[2:]}; decimals are taken from svmlight text and tables only$"):
            decimals(tmp_path / name)
    for name in ("a.svm", "b.svm"):
        (tmp_path / name).write_text("1 1:0.1\n")
    with pytest.raises(ReadError, match="one of several files"):
        decimals(tmp_path / "?.svm")


@pytest.mark.parametrize(("name", "before", "later"), [
    ("d.svm", "1 1:{}\n2 1:1\n", "1 1:{}\n"),
    ("d.svm", "1 1:{}\n2 1:1\n", "1 1:2{}\n2 1:1\n"),
    ("d.svm", "1 1:{}\n2 1:1\n", "1 9:{}\n2 1:1\n"),
    ("d.svm", "1 1:{}\n2 1:1\n", "1 0:{}\n2 1:1\n"),
    ("d.csv", "0,{},1\n0,{},2\n", "{},0\n{},0\n"),
])  # fmt: skip
def test_a_file_that_changes_between_two_looks_is_refused(tmp_path, name, before, later):
    path, long = tmp_path / name, "0.12345678901234567890"
    path.write_text(before.format(long, long))
    files = open(path)
    X = files.read().X
    path.write_text(later.format(long, long))
    with pytest.raises(ReadError, match=rf"{name}: has changed while it was read"):
        decimals_of(X, files)
