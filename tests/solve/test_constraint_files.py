"""Tables, archives and MPS files as constraints; the stranger's parser reads tables and archives alike, and refuses the same."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.sources import ReadError
from novikoff.proof.certificate import RATIONALS
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.proof.independent_parsers import PlainError
from novikoff.solve.constraint_files import read_constraints

SEPARATORS = [",", ";", "\t", " ", " , ", ", ", "   ", " ; "]
doubles = st.floats(-1e300, 1e300).filter(lambda v: not 0 < abs(v) < 1e-300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("constraints")


def matrix(read, refusal, path):
    """The rows as lists, or why there are none."""
    try:
        found = read(path)
    except refusal as error:
        return str(error)
    A, lower, upper, bounds = found[:4]
    assert (lower, upper, bounds) == (1.0, np.inf, None)
    return (A if isinstance(A, np.ndarray) else A.toarray()).tolist()


def both(path):
    plainly = partial(read_constraints_plainly, numbers=RATIONALS)
    return matrix(read_constraints, ReadError, path), matrix(plainly, PlainError, path)


@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(doubles, min_size=n, max_size=n), min_size=1, max_size=6)),
    st.sampled_from(SEPARATORS),
    st.sampled_from(["", "a name", "\ufeff", "größe", '"quoted"']),
    st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
)
def test_a_table_of_decimals_is_read_back_equal(folder, rows, separator, header, end):
    path = folder / "t.csv"
    names = header.strip("\ufeff") and separator.join([header.replace(" ", "_")] * len(rows[0])) + end
    text = "\ufeff" * (header == "\ufeff") + names + "".join(separator.join(map(repr, row)) + end for row in rows)
    path.write_text(text, encoding="utf-8", newline="")
    for found in both(path):
        assert found == [[Fraction(repr(number)) for number in row] for row in rows]
    assert read_constraints_plainly(path).A.tolist() == rows


@given(st.text(st.sampled_from("0123.,;\t \n\r+-eEnaifx_\0\x0b\x1c\x85\xa0é"), max_size=40))
def test_whatever_a_table_says_both_read_it_alike(folder, text):
    path = folder / "t.txt"
    path.write_text(text, encoding="utf-8", newline="")
    quick, plain = both(path)
    assert isinstance(quick, str) == isinstance(plain, str)
    if isinstance(quick, str):
        assert quick.startswith(f"{path}:")
        assert plain.startswith(f"{path}: ")
    else:
        assert quick == plain


@pytest.mark.parametrize(("text", "where"), [
    ("", ": is empty; give a constraint a row"),
    ("\n \t\n", ": is empty; give a constraint a row"),
    ("a,b\n", ": has a header and no rows; give a constraint a row"),
    ("1,2\n\n3,x\n", ":3: 'x' in column 2 is not a finite number; a constraint is a row of numbers"),
    ("1,2\n3,nan\n", ":2: 'nan' in column 2 is not a finite number"),
    ("1,2\n-inf,3\n", ":2: '-inf' in column 1 is not a finite number"),
    ("1,2\n1e999,3\n", ":2: '1e999' in column 1 is not a finite number"),
    ("1,2\n3,4,5\n", ":2: has 3 numbers, the rows before 2; mend the row"),
    ("a b\n1 2\n3\n", ":3: has 1 numbers, the rows before 2; mend the row"),
    ("1,,2\n3,4,\n", ":1: '' in column 2 is not a finite number"),  # nothing closes up
    ("1\t\t2\n3\t\t4\n", ":1: '' in column 2 is not a finite number"),
    ("1,x\n2,3\n", ":1: 'x' in column 2 is not a finite number"),  # a header has no numbers
    ("nan,y\n2,3\n", ":1: 'nan' in column 1 is not a finite number"),
    (",y\n2,3\n", ":1: '' in column 1 is not a finite number"),
    ("--1\n2\n", ":1: '--1' in column 1 is not a finite number"),
    ("1.5kg\n2\n", ":1: '1.5kg' in column 1 is not a finite number"),
    ("1,2\n3;4\n", ":2: '3;4' in column 1 is not a finite number"),  # one separator a table
    ("1_0,2\n", ":1: '1_0' in column 1 is not a finite number"),
    ("1,2\n1e-301,3\n", ": a number is not between 10^-300 and 10^300 in size, nor a double"),
    ("1,2\n1e-400,3\n", ": a number is not between 10^-300 and 10^300 in size, nor a double"),  # no 0
    ("1,2\n1e-99999999999999999999,3\n", ": the exponent of 1e-99999999999999999999 is not between"),
    ("1,2\n1.00000000000000000001e-301,3\n", ": a number is not between 10^-300 and 10^300 in size, nor a double"),
    ("1,2\r3,4\n", ":1: '2\\r3' in column 2 is not a finite number"),
])  # fmt: skip
def test_what_a_table_is_refused_for_and_where(tmp_path, text, where):
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    quick, plain = both(path)
    assert quick.startswith(f"{path}{where}")
    assert isinstance(plain, str)


@pytest.mark.parametrize("text", ["9007199254740993", "9999999999999999", "0.12345678901234567", "-.1234567890123456"])
def test_numbers_of_sixteen_digits_are_what_stands_there(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(f"{text},1\n")
    assert both(path) == ([[Fraction(text), 1]],) * 2


def test_archives(tmp_path):
    A = np.array([[1, 2], [0, -3]])
    path = tmp_path / "t.npz"
    for arrays in ({"A": A}, {"X": A, "y": [1, 2]}, {"whatever": A}):
        np.savez(path, **arrays)
        assert both(path) == (A.tolist(), A.tolist())
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix):
        sp.save_npz(path, kind(A))
        assert both(path) == (A.tolist(), A.tolist())
    path.rename(tmp_path / "t")
    assert both(tmp_path / "t") == (A.tolist(), A.tolist())
    assert read_constraints(tmp_path / "t", "npz").A.tocsr().toarray().tolist() == A.tolist()


def test_what_an_archive_is_refused_for(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, B=[[1]], C=[[2]])
    quick, plain = both(path)
    assert quick == f"{path}: has arrays B, C; call the matrix A"
    assert plain == f"{path}: has 2 arrays; call the matrix A"
    np.savez(path, A=np.array([[object()]], object))
    assert all("is not an archive of plain arrays" in why for why in both(path))
    path.write_bytes(b"PK\x03\x04 and so on")
    assert all("is not an archive of plain arrays" in why for why in both(path))


def test_formats_are_known_by_name_or_content_or_told(tmp_path):
    path = tmp_path / "t.dat"
    path.write_text("NAME\nROWS\n L r\nCOLUMNS\n x r 1\nENDATA\n")
    assert not read_constraints(path).cone
    assert not read_constraints(path, "mps").cone
    with pytest.raises(ReadError, match=r"t\.dat:2: 'ROWS' in column 1"):
        read_constraints(path, "csv")
    with pytest.raises(ReadError, match="no format 'svm' of constraints; the formats are csv, npz, mps"):
        read_constraints(path, "svm")


def test_a_small_archive_cannot_claim_many_rows(tmp_path):
    sp.save_npz(tmp_path / "rows.npz", sp.csc_array(([1.0], ([0], [0])), shape=(805_306_372, 3)))
    assert (tmp_path / "rows.npz").stat().st_size < 2000
    for told in both(tmp_path / "rows.npz"):
        assert "has 805,306,372 rows and 1 entries" in told
