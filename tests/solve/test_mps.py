"""MPS files: what is read is what was written, and what is not as in the file is said."""

import bz2
import gzip
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Feasible, Infeasible, solve_system, verify
from novikoff.data.sources import ReadError
from novikoff.proof.certificate import DOUBLES, RATIONALS
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.solve.mps import read_mps

SMALL = """NAME          small
ROWS
 N  cost
 L  most
 G  least
 E  equal
 L  range
COLUMNS
    x         most      1.0   least     0.1
    MARKER    'MARKER'  'INTORG'
    y         most      1e-10   equal     -2.5
    MARKER    'MARKER'  'INTEND'
    z         range     4.0   equal     1e+16
RHS
    RHS       most      5.0   least     -1.0
    RHS       equal     0.3   range     8.0
RANGES
    RNG       range     6.0
BOUNDS
 FR BND       x
 UP BND       y         7.0
 MI BND       z
 UP BND       z         1e30
ENDATA
"""


def written(tmp_path, text, name="a.mps"):
    path = tmp_path / name
    path.write_text(text)
    return path


def exactly(text):
    """The decimals that stand there."""
    return [Fraction(word) if "inf" not in word else float(word) for word in text.split()]


def test_what_is_read_is_what_is_written(tmp_path):
    found = read_mps(written(tmp_path, SMALL))
    assert found.A.nearest.toarray().tolist() == [[1, 1e-10, 0], [0.1, 0, 0], [0, -2.5, 1e16], [0, 0, 4]]
    assert found.A.exact == {0: {1: Fraction("1e-10")}, 1: {0: Fraction("0.1")}}
    assert found.lower.tolist() == exactly("-inf -1 0.3 2")
    assert found.upper.tolist() == exactly("5 inf 0.3 8")
    assert [end.tolist() for end in found.bounds] == [[-np.inf, 0, -np.inf], [np.inf, 7, np.inf]]
    assert (found.row_names, found.column_names) == (("most", "least", "equal", "range"), ("x", "y", "z"))
    assert found.remarks == ("1 integer column is treated as continuous",)
    assert (found.objective.sense, found.objective.c.tolist(), found.objective.offset) == ("minimize", [0, 0, 0], 0)


def test_the_objective_its_sense_and_its_constant(tmp_path):
    text = SMALL.replace("    x         most", "    x         cost      0.7\n    x         most")
    text = text.replace("    RHS       most", "    RHS       cost      2.5\n    RHS       most").replace(
        "NAME", "OBJSENSE\n  MAX\nNAME"
    )
    found = read_mps(written(tmp_path, text)).objective
    assert (found.sense, found.c.tolist(), found.offset) == ("maximize", [Fraction("0.7"), 0, 0], Fraction("-2.5"))


@pytest.mark.parametrize("seed", range(10))
def test_any_numbers_are_read_back(seed, tmp_path):
    """The oracle writes the text; every number comes back as the decimal that it wrote."""
    rng = random.Random(seed)
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    table = [
        [rng.choice([0.0, rng.uniform(-1, 1), rng.randint(1, 9) * 10.0 ** rng.randint(-9, 9)]) for _ in range(columns)]
        for _ in range(rows)
    ]
    senses = [rng.choice("LGE") for _ in range(rows)]
    right = [rng.uniform(-9, 9) for _ in range(rows)]
    lines = ["NAME t", "ROWS", " N  c", *(f" {sense}  r{i}" for i, sense in enumerate(senses)), "COLUMNS"]
    for j in range(columns):
        lines += [f"    x{j}  c  1", *(f"    x{j}  r{i}  {table[i][j]!r}" for i in range(rows) if table[i][j])]
    lines += ["RHS", *(f"    RHS  r{i}  {b!r}" for i, b in enumerate(right)), "ENDATA", ""]
    found = read_mps(written(tmp_path, "\n".join(lines)))
    right = [Fraction(repr(b)) for b in right]
    for i, row in enumerate(table):
        for j, number in enumerate(row):
            assert found.A.exact.get(i, {}).get(j, found.A.nearest[i, j]) == Fraction(repr(number))
    assert found.lower.tolist() == [-np.inf if s == "L" else b for s, b in zip(senses, right, strict=True)]
    assert found.upper.tolist() == [np.inf if s == "G" else b for s, b in zip(senses, right, strict=True)]
    assert [end.tolist() for end in found.bounds] == [[0] * columns, [np.inf] * columns]


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "a.mps.gz"), (bz2.compress, "a.mps.bz2"), (bytes, "anything")])
def test_packed_files_and_other_names(pack, name, tmp_path):
    (tmp_path / name).write_bytes(pack(SMALL.encode()))
    assert read_mps(tmp_path / name).A.nearest.nnz == 6


def test_bounds_that_contradict_each_other_are_a_system_all_the_same(tmp_path):
    found = read_mps(written(tmp_path, SMALL.replace("UP BND       y         7.0", "LO BND       y 0\n UP BND       y -7.0")))
    assert isinstance(solve_system(*found[:4]), Infeasible)


@pytest.mark.parametrize(("text", "why"), [
    ("", ": is empty"),
    ("hello\n", ":1: 'hello' is no section of a linear program"),
    (SMALL[:200], ": ends without ENDATA"),
    (SMALL.replace("RHS\n", " 1.0\nRHS\n", 1), ":14: a line of COLUMNS is a name, then one or two rows"),
    (SMALL.replace("RHS\n", "1.0\nRHS\n", 1), ":14: '1.0' is no section"),
    ("NAME\nROWS\n N  c\nCOLUMNS\nRHS\nENDATA\n", ": has neither rows nor columns"),
    (SMALL.replace("UP BND       y", "SC BND       y"), ":21: 'SC' is no kind of bound that is read here: it is semi-continuous"),
    (SMALL.replace("UP BND       y         7.0", "UP BND       y         -7.0"), ": the column 'y' has a negative upper bound"),
    (SMALL.replace("5.0", "1e999999999"), ":15: the exponent of 1e999999999 is not between -300 and 300"),
    (SMALL.replace("4.0", "1e301"), ": 1E\\+301 is not between|: a number is not between 10\\^-300 and 10\\^300"),
    (SMALL.replace("4.0", "1e400"), ": a number is not between 10\\^-300 and 10\\^300"),
    (SMALL.replace("4.0", "inf"), ": a coefficient is infinite"),
    (SMALL.replace("most      5.0", "cost      inf"), ": the constant of the objective is infinite"),
    (SMALL.replace("5.0", "9" * 1001), ":15: 9{20}… has more than 1,000 characters"),
    (SMALL.replace("0.1", "0.1\0"), ":9: has a zero byte"),
    (SMALL.replace("least     0.1", "most      0.1"), ":9: the row 'most' has a number here already"),
    (SMALL.replace(" UP BND       z", " MI BND       z"), ":23: the column 'z' has this bound already"),
    (SMALL.replace("    RHS       equal", "    OTHER     equal"), ":16: another set of numbers begins"),
    (SMALL.replace("z         range", "z         other"), ":13: 'other' is not among the ROWS"),
    (SMALL.replace(" UP BND       y", " UP BND       u"), ":21: a line of BOUNDS is a kind"),
    (SMALL.replace("most      5.0", "most      -1e20"), ": the row 'most' has limits that no number satisfies"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_sentence(text, why, tmp_path, capfd):
    with pytest.raises(ReadError, match=rf"a\.mps{why}") as caught:
        read_mps(written(tmp_path, text))
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_files_that_are_not_there(tmp_path):
    for path in (tmp_path / "absent.mps", tmp_path):
        with pytest.raises(ReadError, match=r"check the path|is a folder"):
            read_mps(path)
    (tmp_path / "cut.mps.gz").write_bytes(gzip.compress(SMALL.encode())[:-20])
    with pytest.raises(ReadError, match="damaged or cut short"):
        read_mps(tmp_path / "cut.mps.gz")


def test_nothing_is_printed(tmp_path, capfd):
    read_mps(written(tmp_path, SMALL))
    assert capfd.readouterr() == ("", "")


tenths = st.lists(st.integers(-99, 99).filter(bool), min_size=2, max_size=6)


@given(tenths, st.sampled_from(["as decimals", "as doubles", "at random"]), st.integers(-300, 300))
def test_generated_systems_are_decided_as_decimals_or_as_doubles(tmp_path_factory, numbers, meant, other):
    """One equation whose unknowns are 1: the sum of its decimals is right, or that of the nearest doubles, or neither."""
    words = [f"{k / 10:.1f}" for k in numbers]
    decimals = list(map(Fraction, words))
    doubles = [Fraction(float(word)) for word in words]
    right = {"as decimals": sum(decimals), "as doubles": sum(doubles), "at random": Fraction(other, 10)}[meant]
    with localcontext(prec=200):  # all digits of a double
        end = format(Decimal(right.numerator) / Decimal(right.denominator), "f")
    columns = "".join(f" x{k} sum {word}\n" for k, word in enumerate(words))
    bounds = "".join(f" FX B x{k} 1\n" for k in range(len(words)))
    path = tmp_path_factory.mktemp("tenths") / "t.mps"
    path.write_text(f"NAME t\nROWS\n N obj\n E sum\nCOLUMNS\n{columns}RHS\n RHS sum {end}\nBOUNDS\n{bounds}ENDATA\n")
    as_decimals = sum(decimals) == Fraction(end)
    as_doubles = sum(doubles) == Fraction(float(end))
    assert meant != "as decimals" or as_decimals
    for numbers_are, feasible in ((RATIONALS, as_decimals), (DOUBLES, as_doubles)):
        plain = read_constraints_plainly(path, numbers=numbers_are)
        ends = {"lower": plain.lower, "upper": plain.upper, "bounds": plain.bounds}
        answer = solve_system(plain.A, **ends)
        assert isinstance(answer, Feasible if feasible else Infeasible)
        assert verify(answer, plain.A, **ends)
