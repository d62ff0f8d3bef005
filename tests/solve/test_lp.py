"""LP files: what is read is what was written, and what programs read differently is refused, with its line."""

import gzip
from fractions import Fraction

import numpy as np
import pytest

from novikoff import Infeasible, solve_system
from novikoff.data.sources import ReadError
from novikoff.solve.lp import read_lp

SMALL = r"""\ a comment
Maximize
 profit: 0.7 x - 2 y + 1e16 z + 2.5
Subject To
 most: x + 1e-10 y <= 5
 -5 <= 0.1x - z <= 8
 equal: - 2.5 y + + 3 z
  = - 0.3
Bounds
 x free
 -inf <= z <= 1e30
 y <= 7
General
 y
End
"""
HEAD = "min\n obj: x + y\nst\n c1: x + y >= 1\n"


def written(tmp_path, text, name="a.lp"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def bounds_of(found):
    return dict(zip(found.column_names, zip(*(end.tolist() for end in found.bounds), strict=True), strict=True))


def test_what_is_read_is_what_is_written(tmp_path):
    found = read_lp(written(tmp_path, SMALL))
    assert found.A.nearest.toarray().tolist() == [[1, 1e-10, 0], [0.1, 0, -1], [0, -2.5, 3]]
    assert found.A.exact == {0: {1: Fraction("1e-10")}, 1: {0: Fraction("0.1")}}
    assert found.lower.tolist() == [-np.inf, -5, Fraction("-0.3")]
    assert found.upper.tolist() == [5, 8, Fraction("-0.3")]
    assert bounds_of(found) == {"x": (-np.inf, np.inf), "y": (0, 7), "z": (-np.inf, np.inf)}
    assert found.row_names == ("most", "1", "equal")
    assert found.remarks == ("1 integer column is treated as continuous",)
    assert (found.objective.sense, found.objective.offset) == ("maximize", Fraction("2.5"))
    assert found.objective.c.tolist() == [Fraction("0.7"), -2, 1e16]
    assert not found.cone


def test_without_a_name_constraints_are_counted(tmp_path):
    assert read_lp(written(tmp_path, "min x\nst\nx >= 1\ny >= 2\nend")).row_names == ()


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "a.lp.gz"), (bytes, "anything")])
def test_packed_files_and_other_names(pack, name, tmp_path):
    assert read_lp(written(tmp_path, pack(SMALL.encode()), name)).A.nearest.nnz == 6


@pytest.mark.parametrize(("line", "ends"), [
    ("x >= 2", (2, np.inf)), ("2 <= x <= 5", (2, 5)), ("5 >= x >= 2", (2, 5)), ("x free", (-np.inf, np.inf)),
    ("-inf <= x", (-np.inf, np.inf)), ("x = 3", (3, 3)), ("3 = x", (3, 3)), ("0 <= x", (0, np.inf)), ("x <= 4", (0, 4)),
    ("x <= + Infinity", (0, np.inf)), ("- infinity <= x <= - 3", (-np.inf, -3)), ("x<=-3\nx>=-5", (-5, -3)),
    ("x =< 4", (0, 4)), ("x < 4", (0, 4)), ("x => 1", (1, np.inf)), ("x >= --1", (1, np.inf)),
    ("x <= 1e20", (0, np.inf)), ("x <= 1e400", (0, np.inf)),
])  # fmt: skip
def test_bounds(tmp_path, line, ends):
    assert bounds_of(read_lp(written(tmp_path, f"{HEAD}bounds\n{line}\nend")))["x"] == ends


def test_bounds_that_contradict_each_other_are_a_system_all_the_same(tmp_path):
    found = read_lp(written(tmp_path, HEAD + "bounds\n 0 <= x <= -1\nend"))
    assert isinstance(solve_system(*found[:4]), Infeasible)


def test_columns_that_are_only_mentioned_are_columns(tmp_path):
    found = read_lp(written(tmp_path, HEAD + "bounds\n u <= 3\ngen\n v x\nbin\n w y\nend"))
    assert bounds_of(found) == {"x": (0, np.inf), "y": (0, 1), "u": (0, 3), "v": (0, np.inf), "w": (0, 1)}
    assert found.remarks == (
        "4 integer columns are treated as continuous",
        "3 columns are in no constraint and not in the objective",
    )


@pytest.mark.parametrize(("row", "entries"), [
    ("3x+2 y", {"x": 3, "y": 2}), ("x - - y", {"x": 1, "y": 1}), ("- + x + -2 y", {"x": -1, "y": -2}),
    ("3\nx\n+\n4\ny", {"x": 3, "y": 4}), ("2 e1 + e", {"e1": 2, "e": 1}), ("0 x", {}),
    ("x[1] + x(1,2)", {"x[1]": 1, "x(1,2)": 1}), ("...1 - .5x", {"...1": 1, "x": -0.5}),
    ("inflow + nancy + ender + st1", dict.fromkeys(("inflow", "nancy", "ender", "st1"), 1)), ("größe", {"größe": 1}),
])  # fmt: skip
def test_sums(tmp_path, row, entries):
    found = read_lp(written(tmp_path, f"min z\nst\nc: {row} >= 1\nend"))
    assert {name: value for name, value in zip(found.column_names, found.A.toarray()[0], strict=True) if value} == entries


@pytest.mark.parametrize("end", ["c2: 0 x >= 0", "c2: >= 0", "c2:\n>=\n+0"])
def test_constraints_without_variables_as_programs_write_them(tmp_path, end):
    assert read_lp(written(tmp_path, f"{HEAD}{end}\nsemi\nend\n")).row_names == ("c1", "c2")


@pytest.mark.parametrize(("text", "why"), [
    ("", ": is empty"),
    ("\\ nothing\n\n", ": is empty"),
    ("hello\n", ":1: an LP file begins with minimize or maximize, not with 'hello'"),
    ("minimise x\nend", ":1: an LP file begins with minimize"),
    ("\n\nmax: 3x + 2y;\n", ":3: 'max' is a word of the format, .*; if this is lp_solve's own format, write it as MPS"),
    (SMALL[:-5], ": ends without End; it may be cut short"),
    (HEAD + "end\nend", ":6: 'end' stands after End; remove it"),
    ("min\nst\nend", ": has neither constraints nor variables"),
    ("min x + inf\nst\nend", ":1: the constant of the objective is infinite"),
    ("min x\nc1: x >= 1\nend", ":2: 'c1' belongs to a constraint, but 'subject to' is missing"),
    ("min x\nmax x\nend", ":2: the section 'max' comes a second time"),
    (HEAD + "bounds\nbounds\nend", ":6: the section 'bounds' comes a second time"),
    ("min x\nbounds\nst\nend", ":3: the section 'st' comes late"),
    (HEAD + "c1: x >= 2\nend", ":5: the constraint 'c1' is there already"),
    (HEAD + "x + y + x >= 2\nend", ":5: the variable 'x' occurs here already"),
    (HEAD + "x + 3 >= 2\nend", ":5: programs add a constant beside variables, or leave it out"),
    (HEAD + "x - 1 + y >= 2\nend", ":5: programs add a constant beside variables"),
    (HEAD + "c2: x\n >= y + 2\nend", ":6: 'y' stands where a number should; bring the variables to the left"),
    (HEAD + "x >= 2 y\nend", ":5: 'y' stands behind a whole constraint or bound"),
    (HEAD + "x >= 2 + 3\nend", r":5: '\+' stands behind a whole constraint"),
    (HEAD + "x >= 2 y <= 3\nend", ":5: 'y' stands behind a whole constraint"),
    (HEAD + "3 <= 2 x\nend", ":5: a constraint that begins with a number needs variables and another number on the right"),
    (HEAD + "0 >= 3\nend", ":5: a constraint that begins with a number"),
    (HEAD + "1 + 2 <= x <= 4\nend", ":5: there is more than one number on the left"),
    (HEAD + "1 <= x >= 4\nend", ":5: limits on both sides are written with <= twice, or with >= twice"),
    (HEAD + "1 = x = 4\nend", ":5: limits on both sides"),
    (HEAD + ">= 4\nend", ":5: a constraint has variables before '>='"),
    (HEAD + "x + y\nend", ":6: <=, >= or = is missing before 'end'"),
    (HEAD + "x y >= 2\nend", ":5: 'y' has no . or - before it"),
    (HEAD + "2 3 x >= 2\nend", ":5: '3' has no . or - before it"),
    (HEAD + "x + >= 2\nend", ":5: a number is missing before '>='"),
    (HEAD + "x == 2\nend", ":5: a number is missing before '='"),
    (HEAD + "x + bin >= 2\nend", ":5: a number is missing before 'bin'; it is a word of the format, and no name"),
    (HEAD + "x + free >= 2\nend", ":5: a number is missing before 'free'; it is a word of the format"),
    (HEAD + "x + nan >= 2\nend", ":5: 'nan' is a word of the format"),
    (HEAD + "st: x >= 2\nend", ":5: 'st' is a word of the format, so it cannot be a name"),
    (HEAD + "inf x >= 2\nend", ":5: a coefficient is infinite"),
    (HEAD + "1e400 x >= 2\nend", r":5: a number is not between 10\^-300 and 10\^300"),
    (HEAD + "1e99999 x >= 2\nend", ":5: the exponent of 1e99999 is not between -300 and 300"),
    (HEAD + "9" * 1001 + " x >= 2\nend", ":5: 9{20}… has more than 1,000 characters"),
    (HEAD + "x >= inf\nend", ":5: the constraint has limits that no number satisfies"),
    (HEAD + "c2: x <= -1e20\nend", ":5: the constraint 'c2' has limits that no number satisfies"),
    (HEAD + "3e >= 2\nend", ":5: '3e' may be a number and a name, or no number; put a blank between them"),
    (HEAD + "2e5y >= 2\nend", ":5: '2e5y' may be a number and a name"),
    (HEAD + "0x1 >= 2\nend", ":5: '0x' may be a number and a name"),
    (HEAD + "1,5 x >= 2\nend", ":5: '1,' may be a number and a name"),
    (HEAD + "x >= 1_000\nend", ":5: '1_' may be a number and a name"),
    (HEAD + "3 * x >= 2\nend", r":5: '\*' is a sign of quadratic terms"),
    (HEAD + "x + [ x ^ 2 ] >= 2\nend", r":5: '\[' is a sign of quadratic terms, which are no linear constraint"),
    ("min x + [ y^2 ] / 2\nst\nend", r":1: '\[' is a sign of quadratic terms"),
    (HEAD + "y^2 >= 2\nend", r":5: '\^' is a sign of quadratic terms"),
    (HEAD + "c2: b = 1 -> x >= 2\nend", ":5: '->' is an indicator constraint, which is no linear constraint"),
    (HEAD + "3 (x + y) >= 2\nend", r":5: '\(' is no part of an LP file"),
    (HEAD + "x\0 >= 2\nend", r":5: '\\x00' is no part of an LP file"),
    (HEAD + "x\u00a0>= 2\nend", r":5: '\\xa0' is no part of an LP file"),
    (HEAD + "x" * 256 + " >= 2\nend", ":5: the name x{40}… has more than 255 characters; programs cut it"),
    (HEAD + "bounds\n\nx <= -2\nend", ":7: the variable 'x' has a negative upper bound and no lower bound"),
    (HEAD + "bounds\nx <= 2\nx <= 2\nend", ":7: the variable 'x' has this bound already"),
    (HEAD + "bounds\nx free\nx >= 2\nend", ":7: the variable 'x' has this bound already"),
    (HEAD + "bounds\nx <= 2 y <= 3\nend", ":6: 'y' stands behind a whole constraint or bound"),
    (HEAD + "bounds\nx\n<= 2\nend", ":6: a bound is a line, but this one goes on in the next"),
    (HEAD + "bounds\n2 x <= 4\nend", ":6: <=, >= or = is missing before 'x'"),
    (HEAD + "bounds\n-x <= 4\nend", ":6: 'x' stands where a number should"),
    (HEAD + "bounds\nx <= y\nend", ":6: 'y' stands where a number should"),
    (HEAD + "bounds\nb: x <= 4\nend", ":6: a variable, without a coefficient, is missing before 'b'"),
    (HEAD + "bounds\n1 <= x >= 4\nend", ":6: limits on both sides"),
    (HEAD + "bounds\nx >= inf\nend", ":6: the variable 'x' has limits that no number satisfies"),
    (HEAD + "bounds\nx <= 5\nbinary\ny\nx\nend", ":9: the binary variable 'x' has other bounds than 0 and 1"),
    (HEAD + "gen\nx 3\nend", ":6: a variable is missing before '3'"),
    (HEAD + "semi-continuous\nx\nend", ":6: semi-continuous variables are not read here, but linear constraints alone"),
    (HEAD + "sos2\ns1: x:1 y:2\nend", ":6: special ordered sets are not read here"),
    (HEAD + "SOS\ns1: S1:: x:1 y:2\nend", ":6: special ordered sets are not read here"),
    (HEAD + "PWLObj\nx: (1, 2) (3, 4)\nend", ":6: piecewise-linear objectives are not read here"),
    (HEAD + "Lazy  Constraints\nc2: x <= 1\nend", ":6: lazy constraints are not read here"),
    (HEAD + "user cuts\nc2: x <= 1\nend", ":6: user cuts are not read here"),
    (HEAD + "General Constraints\ng: x = MAX ( y )\nend", ":6: general constraints are not read here"),
])  # fmt: skip
def test_what_is_refused_is_refused_in_one_sentence_with_its_line(text, why, tmp_path, capfd):
    with pytest.raises(ReadError, match=rf"a\.lp{why}") as caught:
        read_lp(written(tmp_path, text))
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ReadError, match="check the path"):
        read_lp(tmp_path / "absent.lp")
    (tmp_path / "cut.lp.gz").write_bytes(gzip.compress(SMALL.encode())[:-20])
    with pytest.raises(ReadError, match="damaged or cut short"):
        read_lp(tmp_path / "cut.lp.gz")


def test_names_in_latin_1(tmp_path):
    assert read_lp(written(tmp_path, "min größe\nst\nend".encode("latin-1"))).column_names == ("größe",)
