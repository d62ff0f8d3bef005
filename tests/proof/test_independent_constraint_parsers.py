"""What the stranger reads of an MPS file, HiGHS reads too, to the bit; as decimals, the reader of `solve` does."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from highs_reader import assert_same, assert_same_decimals, read_with_highs
from made import PACK
from novikoff.data.sources import ReadError
from novikoff.proof.certificate import RATIONALS
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.proof.independent_parsers import PlainError
from novikoff.solve.constraint_files import read_constraints
from novikoff.solve.mps import read_mps

LP = Path(__file__).resolve().parents[3] / "shared" / "data" / "lp"

HEAD = "NAME t\nROWS\n N obj\n L r1\n G r2\n E r3\nCOLUMNS\n x obj 7 r1 1\n x r2 2 r3 3\n y r1 -1\n"
SPACES = """NAME          T
ROWS
 N  OBJ
 L  R 1
 G  R 2
COLUMNS
    X 1       R 1                 1.   R 2                 2.
    X 2       R 1                 3.
RHS
    RHS       R 1                 7.
RANGES
    RNG       R 2                 4.
BOUNDS
 UP BND       X 1                -2.
 FR BND       X 2
ENDATA
"""


def assert_read_alike(path):
    """As doubles, by HiGHS; as decimals, by the reader of `solve`, if neither refuses a tiny number or a lone negative bound."""
    assert_same(read_with_highs(path), read_constraints_plainly(path))
    try:
        plain = read_constraints_plainly(path, numbers=RATIONALS)
    except PlainError:
        with pytest.raises(ReadError, match=r"negative upper bound|is not between"):
            read_mps(path)
    else:
        assert_same_decimals(read_mps(path), plain)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mps")


def written(folder, text, name="d.mps"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.skipif(not LP.is_dir(), reason="the data is not beside the project")
def test_real_systems_are_read_alike():
    files = sorted(LP.glob("*.mps*"))
    assert files
    for path in files:
        assert_read_alike(path)


# ---- files that somebody might write --------------------------------------------------------------------------------

numbers = st.one_of(
    st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-12).map(repr),
    st.sampled_from(["0", "-0", "1", "-1.", ".5", "+2.50", "1e3", "1E-3", "12345678901234567890", "0.1", "1e-11", "-7.25e+05"]),
)
ends = st.one_of(numbers, st.sampled_from(["1e20", "9.9e19", "1e30", "1e400", "Inf", "5e-324", "2D1", "1d-2"]))


@st.composite
def mps(draw, spaces=False):
    """(what it says, in words by section), in no layout yet."""
    gap = " " if spaces else ""
    rows, columns = ([f"{letter}{gap}{k}" for k in range(draw(st.integers(1, 5)))] for letter in "RX")
    kinds = [draw(st.sampled_from("LGEN")) for _ in rows]
    objective = draw(st.booleans()) or "N" in kinds
    sections = {"ROWS": [["N", "OBJ"]] * objective + [[kind, row] for kind, row in zip(kinds, rows, strict=True)]}
    targets = ["OBJ"] * objective + rows
    lines, integer = [], False
    for column in columns:
        if not spaces and draw(st.booleans()):
            lines.append(["MARKER", "'MARKER'", "'INTEND'" if integer else "'INTORG'"])
            integer = not integer
        lines += paired(draw, column, targets, numbers, least=1)
    sections["COLUMNS"] = lines
    allowed = [row for kind, row in zip(kinds, rows, strict=True) if kind != "E"]
    if spaces or draw(st.booleans()):
        sections["RHS"] = paired(draw, "RHS", targets, numbers)
    if draw(st.booleans()):
        sections["RANGES"] = paired(draw, "RNG", rows if draw(st.booleans()) else allowed, numbers)
    if draw(st.booleans()):
        sections["BOUNDS"] = []
        for column in draw(st.lists(st.sampled_from(columns), unique=True)):
            kind = draw(st.sampled_from(["UP", "LO", "FX", "FR", "MI", "PL"] + ([] if spaces else ["BV", "UI", "LI"])))
            line = [kind, "BND", column]
            if kind in ("UP", "LO", "FX", "UI", "LI"):
                line.append(draw(ends if kind == "UP" and not spaces else numbers))
            sections["BOUNDS"].append(line)
            if kind in ("LO", "MI", "LI") and draw(st.booleans()):
                sections["BOUNDS"].append(["UP", "BND", column, draw(numbers)])
    return sections


def paired(draw, name, rows, values, least=0):
    """Lines of a name and one or two rows with their numbers, no row twice."""
    chosen = draw(st.lists(st.sampled_from(rows), unique=True, min_size=least)) if rows else []
    lines = []
    while chosen:
        some = 2 if len(chosen) > 1 and draw(st.booleans()) else 1
        lines.append([name, *(word for row in chosen[:some] for word in (row, draw(values)))])
        chosen = chosen[some:]
    return lines


def free(sections, gap=" "):
    lines = ["NAME made"]
    for section, entries in sections.items():
        lines += [section, *(gap + gap.join(words) for words in entries)]
    return "\n".join([*lines, "ENDATA", ""])


def fixed(sections):
    """Each field where it has its place."""
    lines = ["NAME          MADE"]
    for section, entries in sections.items():
        lines.append(section)
        for words in entries:
            kind, *fields = words if section in ("ROWS", "BOUNDS") else ["", *words]
            fields += [""] * (5 - len(fields))
            cut = [fields[0], fields[1], fields[2][:12], fields[3], fields[4][:12]]
            lines.append(" {:<2} {:<8}  {:<8}  {:<12}   {:<8}  {:<12}".format(kind, *cut).rstrip())
    return "\n".join([*lines, "ENDATA", ""])


@given(mps(), st.sampled_from([" ", "   ", "\t"]), st.sampled_from(list(PACK)))
def test_files_in_free_format_are_read_alike(folder, sections, gap, packed):
    path = written(folder, free(sections, gap))
    assert_read_alike(path)
    other = written(folder, PACK[packed](free(sections, gap).encode()), "e.mps" + packed)
    assert_same(read_with_highs(path), read_constraints_plainly(other))


@given(mps())
def test_set_names_may_be_left_out(folder, sections):
    for section, at in (("RHS", 0), ("BOUNDS", 1)):
        if section in sections:
            sections[section] = [line[:at] + line[at + 1 :] for line in sections[section]]
    assert_read_alike(written(folder, free(sections)))


@given(mps(spaces=True))
def test_files_in_fixed_format_are_read_alike(folder, sections):
    path = written(folder, fixed(sections))
    try:
        read_constraints_plainly(path)
    except PlainError:  # cut short, a number may have become none
        reject()
    assert_read_alike(path)


def test_names_may_have_spaces(folder):
    A, lower, upper, bounds = read_constraints_plainly(path := written(folder, SPACES))[:4]
    assert A.toarray().tolist() == [[1, 3], [2, 0]]
    assert (lower.tolist(), upper.tolist()) == ([-np.inf, 0], [7, 4])
    assert bounds.tolist() == [[-np.inf, -2], [-np.inf, np.inf]]
    assert_read_alike(path)


@pytest.mark.parametrize("text", [
    HEAD + "ENDATA\n",
    HEAD + "BOUNDS\n UP B x -1\nENDATA\n",  # below the lower bound, which stays 0
    HEAD + "BOUNDS\n LO B x -5\n UP B x -1\nENDATA\n",
    HEAD + "BOUNDS\n MI B x\n UP B x -1\nENDATA\n",
    HEAD + "BOUNDS\n BV B x\n UI B y 3.5\nENDATA\n",
    HEAD + "BOUNDS\n FR x\n UP y 5\nENDATA\n",
    HEAD + "RHS\n RHS obj 4 r2 -1e30\n RHS r1 -1e19\nENDATA\n",
    HEAD + "RHS\n RHS r1 4 r2 1\n RHS r3 2\nRANGES\n RG r1 -2 r2 -3\n RG r3 -1\nENDATA\n",
    HEAD + "RHS\n RHS r3 0.1\nRANGES\n RG r1 0 r2 0\n RG r3 0.2\nENDATA\n",
    HEAD.replace("NAME t\n", "* a comment\n\nNAME t and more\nOBJSENSE\n    MAX\n") + "* another\nENDATA\nwhatever\n",
    HEAD.replace("NAME t\n", "NAME\nOBJSENSE MIN\n") + "ENDATA\n",
    HEAD.replace("\n", "\r\n") + "ENDATA\r\n",
    HEAD.replace(" N obj\n", " N obj\n N other\n").replace("obj 7", "other 7") + "RHS\n RHS other 3\nENDATA\n",
    HEAD.replace(" N obj\n", "").replace("obj 7 ", "") + "ENDATA\n",
    HEAD.replace("r1 -1", "r1 0") + "ENDATA\n",
    HEAD.replace("ROWS", "rows") + "endata\n",
    HEAD + "\nRHS\n\n RHS r1 1\n\nENDATA\n",
    "NAME\nROWS\n N o\nCOLUMNS\n x o 1\nENDATA\n",
    "NAME\nROWS\n N o\n L r\nCOLUMNS\nRHS\n RHS r -1\nENDATA\n",
    "ROWS\n L r\nENDATA\n",
    SPACES.replace("BOUNDS", "\nBOUNDS").replace("RHS\n", "* a comment\nRHS\n"),
    SPACES.replace(" UP BND ", " LO BND       X 1                -9.\n UP BND "),
])  # fmt: skip
def test_what_is_read_alike(folder, text):
    assert_read_alike(written(folder, text))


@pytest.mark.parametrize(("text", "where"), [
    (HEAD, "ends without ENDATA"),
    (HEAD.replace("r1 -1", "r1 1,5") + "ENDATA\n", "line 10: '1,5' is not a number"),  # HiGHS has 1
    (HEAD.replace("r1 -1", "r1 one") + "ENDATA\n", "line 10: 'one' is not a number"),  # HiGHS has 0
    (HEAD.replace("r1 -1", "r1 0x10") + "ENDATA\n", "line 10: '0x10' is not a number"),
    (HEAD.replace("r1 -1", "r1 nan") + "ENDATA\n", "line 10: 'nan' is not a number"),
    (HEAD.replace("r1 -1", "r1 inf") + "ENDATA\n", "line 10: an entry is not finite"),
    (HEAD.replace("r1 -1", "r1 1 r2 2 r3 3") + "ENDATA\n", "line 10: after one name"),  # HiGHS reads two of them
    (HEAD.replace("r1 -1", "r1 1 r2") + "ENDATA\n", "line 10: after one name"),
    (HEAD.replace("r1 -1", "r1 1 r1 2") + "ENDATA\n", "line 10: the row 'r1' has a number here already"),
    (HEAD.replace("y r1 -1", "a_long_name r9 1") + "ENDATA\n", "line 10: 'r9' is no row"),
    (HEAD + " x r1 4\nENDATA\n", "line 11: the column 'x' begins a second time"),
    (HEAD.replace(" G r2", " G r1") + "ENDATA\n", "line 5: the row 'r1' is declared twice"),
    (HEAD.replace(" G r2", " X r2") + "ENDATA\n", "line 5: 'X' is no kind of row"),
    (HEAD.replace(" G r2", " G r2 and more") + "ENDATA\n", "line 5: a row has a kind and a name"),
    (HEAD + "RHS\n RHS r1 1\n RHS r1 2\nENDATA\n", "line 13: the row 'r1' has a number here already"),
    (HEAD + "RHS\n ONE r1 1\n TWO r2 2\nENDATA\n", "line 13: another set"),
    (HEAD + "RHS\n RHS r1 -1e20\nENDATA\n", "row 0, counted from 0: no number is between"),
    (HEAD + "RANGES\n RG r1 2\nRHS\n RHS r1 3\nENDATA\n", "line 13: the section RHS comes late or twice"),
    (HEAD + "RANGES\n r1 2\nENDATA\n", "line 12: after one name"),
    (HEAD + "BOUNDS\n UP B z 3\nENDATA\n", "line 12: 'z' is no column"),  # HiGHS makes one
    (HEAD + "BOUNDS\n UP B x 3\n FX B x 4\nENDATA\n", "line 13: the column 'x' has this bound already"),
    (HEAD + "BOUNDS\n SC B x 3\nENDATA\n", "line 12: 'SC' is no kind of bound"),
    (HEAD + "BOUNDS\n UP B x\nENDATA\n", "line 12: a bound has a kind"),
    (HEAD + "BOUNDS\n FR x y\nENDATA\n", "line 12: a bound has a kind"),
    (HEAD + "BOUNDS\n UP B\nENDATA\n", "line 12: '' is no column"),
    (HEAD + "BOUNDS\n LO B x 1e20\nENDATA\n", "column 0, counted from 0: no number is between"),
    (HEAD + "SOS\n S1 x\nENDATA\n", "line 11: 'SOS' is no section of linear constraints"),
    (HEAD + " RHS\nENDATA\n", "line 11: 'RHS' stands alone"),
    (HEAD + " NAME r1 1\nENDATA\n", "line 11: 'NAME' stands alone"),  # HiGHS reads nothing after it
    (HEAD + " M 'MARKER' 'INTEND'\nENDATA\n", "line 11: a marker is"),
    ("NAME\n x y\nENDATA\n", "line 2: it is of no section"),
    ("x y\n", "line 1: it is of no section"),
    ("NAME\nROWS\n N o\nENDATA\n", "has neither rows nor columns"),
    (HEAD.replace("-1", "-1\0") + "ENDATA\n", "line 10: it has a zero byte"),
    (HEAD + "  * remark\nENDATA\n", "they have no section RHS"),  # HiGHS counts characters from here on
    (SPACES.replace("RHS\n    RHS       R 1                 7.\n", ""), "wrongly where they have no section RHS"),
    (SPACES.replace("ROWS", "OBJSENSE\n    MAX\nROWS"), "wrongly where they have a section OBJSENSE"),
    (SPACES.replace("RHS       R 1 ", "RHS      R 1  "), "line 10: names have spaces, and something stands where"),
    (SPACES.replace("    RHS  ", " XX RHS  "), "line 10: it has more fields, or fewer"),
    (SPACES.replace(" FR BND       X 2", " BV BND       X 2"), "line 15: 'BV' is no kind of bound"),
    (SPACES.replace(" 1.   R 2", "1D0   R 2"), "line 7: '1D0' is not a number"),
])  # fmt: skip
def test_what_is_refused_and_where(folder, text, where):
    with pytest.raises(PlainError) as refusal:
        read_constraints_plainly(path := written(folder, text))
    assert str(refusal.value).startswith(f"{path}: ")
    assert where in str(refusal.value)


@given(st.data())
def test_what_both_readers_take_they_take_for_the_same(folder, data):
    """A few words or lines are changed: whatever both still take, they take for the same. HiGHS would crash on some of it."""
    spaces = data.draw(st.booleans())
    text = (fixed if spaces else free)(data.draw(mps(spaces)))
    some = st.one_of(
        st.sampled_from(["R0", "R 0", "X0", "X 1", "OBJ", "1", "1e30", "1e-13", "RHS", "NAME", "BOUNDS", "ENDATA", "'MARKER'"]),
        st.text(st.sampled_from("01 \t\n\r*'.-eEdDxNLGEé\0"), max_size=3),
    )
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(some) + text[at + data.draw(st.integers(0, 5)) :]
    path = written(folder, text)
    try:
        plain = read_constraints_plainly(path, numbers=RATIONALS)
    except PlainError:
        plain = None
    try:
        found = read_mps(path)
    except ReadError:
        found = None
    if found is not None and plain is not None:
        assert_same_decimals(found, plain)


@pytest.mark.parametrize("length", [126, 127, 128, 254])
def test_where_names_have_spaces_lines_of_any_length_come_to_an_end(folder, length):
    long = "*" + "-" * (length - 1)
    rows = SPACES.replace("ROWS\n", f"ROWS\n{long}\n\n")
    assert_read_alike(written(folder, rows))


@given(
    st.binary(max_size=80),
    st.sampled_from(["f.csv", "f", "f.npz", "f.gz", "f.mps", "f.mps.gz"]),
    st.sampled_from([b"", b"\x1f\x8b", b"BZh", b"PK\x03\x04", b"NAME\nROWS\n", b"NAME\nROWS\n N o\n L r\nCOLUMNS\n x r 1\n"]),
)
def test_any_bytes_are_read_or_refused(folder, content, name, first):
    path = written(folder, first + content, name)
    for read, refusal in ((read_constraints, ReadError), (read_constraints_plainly, PlainError)):
        why = str(path)
        try:
            read(path)
        except refusal as error:
            why = str(error)
        assert why.startswith(str(path))
        assert "\n" not in why


def test_the_name_or_the_first_line_tells_what_it_is(folder):
    text = "* a comment\n\n" + HEAD + "ENDATA\n"
    for name, content in (("d", text), ("e", gzip.compress(text.encode())), ("d.mps.gz", text)):
        path = written(folder, content, name)
        assert_same_decimals(read_constraints(path), read_constraints_plainly(path, numbers=RATIONALS))
        assert read_constraints_plainly(path).A.shape == (3, 2)


def test_the_parser_imports_nothing_of_whoever_finds_proofs():
    check = (
        "import novikoff.proof.independent_constraint_parsers, sys\n"
        "below = ('novikoff.proof', 'novikoff.foundation')\n"
        "assert not [m for m in sys.modules if m.startswith(('novikoff.', 'highspy', 'numba')) and not m.startswith(below)]"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
