"""What the stranger reads of an LP file, HiGHS reads too, to the bit; as decimals, the reader of `solve` does."""

import gzip
import math
from fractions import Fraction
from pathlib import Path

import highspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highs_reader import assert_same, assert_same_decimals, read_with_highs
from lp_texts import lp_text
from made import PACK
from novikoff.data.sources import ReadError
from novikoff.proof.certificate import RATIONALS
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.proof.independent_parsers import PlainError
from novikoff.solve.constraint_files import read_constraints
from novikoff.solve.lp import read_lp
from novikoff.solve.mps import read_mps

LP = Path(__file__).resolve().parents[3] / "shared" / "data" / "lp"
CHANGES = [
    *[
        "x",
        "y1",
        "3",
        "2x",
        "-inf",
        "free",
        "end",
        "st",
        "bounds",
        "bin",
        "gen",
        "<=",
        ">=",
        "=",
        ":",
        "[",
        "]",
        "^",
        "->",
        "+",
        "-",
        "\\",
        "obj:",
        "c0:",
        "2e5y",
        "0x1",
        "1e400",
    ],
    "\n",
    "\n\n",
]
HEAD = "min\n obj: x + y\nst\n c1: x + y >= 1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lp")


def written(folder, text, name="d.lp"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def outcome(read, refusals, *args):
    """What is read, or why nothing is."""
    try:
        return read(*args)
    except refusals as error:
        return str(error)


def plainly(path, remarks=None):
    return read_constraints_plainly(path, remarks, RATIONALS)


def assert_both_say(path, said):
    own, remarks = read_lp(path), []
    assert_same_decimals(own, plainly(path, remarks))
    assert list(own.remarks) == remarks
    names = said["names"]
    assert own.column_names == tuple(names)
    assert own.objective.sense == said["sense"]
    assert own.objective.offset == said["offset"]
    assert own.objective.c.tolist() == [said["cost"].get(name, 0) for name in names]
    assert own.A.toarray().tolist() == [[row.get(name, 0) for name in names] for _, row, _, _ in said["rows"]]
    if any(name for name, *_ in said["rows"]):
        assert own.row_names == tuple(name or str(i) for i, (name, *_) in enumerate(said["rows"]))
    ends = [(low, high) for _, _, low, high in said["rows"]]
    bounds = [said["bounds"].get(name, (0, None)) for name in names]
    for found, given_ends in (((own.lower, own.upper), ends), (own.bounds, bounds)):
        assert found[0].tolist() == [-math.inf if low is None else low for low, _ in given_ends]
        assert found[1].tolist() == [math.inf if high is None else high for _, high in given_ends]
    unused = len(names) - said["used"]
    expected = [f"{said['integers']} integer"] * bool(said["integers"]) + [f"{unused} column"] * bool(unused)
    assert [remark[: len(begin)] for remark, begin in zip(remarks, expected, strict=True)] == expected


@given(lp_text(), st.sampled_from(list(PACK)))
def test_highs_reads_the_same(folder, given_text, packed):
    text, said = given_text
    path = written(folder, text)
    if not said["names"] and not said["rows"]:
        return
    plain = read_constraints_plainly(written(folder, PACK[packed](text.encode()), "e.lp" + packed))
    found = read_with_highs(path, ".lp")
    names = found.row_names
    if len(plain.row_names) == len(names):
        assert [name for name in plain.row_names if not name.isdigit()] == [n for n in names if not n.startswith("HiGHS_R")]
    found = found._replace(row_names=plain.row_names)
    if not said["cost"]:
        found = found._replace(maximize=said["sense"] == "maximize")  # HiGHS passes over an objective without a word
    assert_same(found, plain)
    assert Fraction(found.offset) == float(said["offset"])
    assert_both_say(path, said)


@given(lp_text(wide=True))
def test_both_readers_read_what_stands_there(folder, given_text):
    """Also what HiGHS refuses or misreads: ranges, <, =<, other words."""
    text, said = given_text
    if said["names"] or said["rows"]:
        assert_both_say(written(folder, text), said)


@given(st.data())
def test_both_readers_take_and_refuse_the_same(folder, data):
    """A few words or lines are changed."""
    text, _ = data.draw(lp_text(wide=True))
    some = st.one_of(
        st.sampled_from(CHANGES),
        st.text(st.sampled_from("01 \t\n\r.eEx<>=+-*/\\:[](),_;é\u00a0\x85\0'\""), max_size=3),
    )
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(some) + text[at + data.draw(st.integers(0, 5)) :]
    path = written(folder, text)
    own, plain = outcome(read_lp, ReadError, path), outcome(plainly, PlainError, path)
    if isinstance(own, str):
        assert own.startswith(f"{path}:")
        assert "\n" not in own
        assert isinstance(plain, str), own
        assert plain.startswith(f"{path}: ")
    else:
        assert not isinstance(plain, str), plain
        assert_same_decimals(own, plain)


@pytest.mark.skipif(not LP.is_dir(), reason="the data is not beside the project")
def test_real_systems_that_highs_writes_are_read_as_their_mps_files(tmp_path):
    """HiGHS writes a range as two rows, and numbers with 15 digits."""
    files = sorted(LP.glob("*.mps*"))
    assert files
    for path in files:
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.readModel(str(path))
        highs.writeModel(str(tmp_path / "d.lp"))
        mps = read_mps(path)
        if any(name[0].isdigit() for name in mps.row_names + mps.column_names):  # HiGHS does not read them again, either
            assert outcome(read_lp, ReadError, tmp_path / "d.lp").startswith(f"{tmp_path / 'd.lp'}:")
            continue
        own = read_lp(tmp_path / "d.lp")
        assert_same_decimals(own, plainly(tmp_path / "d.lp"))
        assert own.objective.sense == mps.objective.sense
        assert by_name(own) == by_name(mps), path.name
        for found, expected in zip(rows_by_name(own), rows_by_name(mps), strict=True):
            assert found == expected, path.name


def by_name(constraints):
    """The cost and bounds of each column, by name."""
    cost, (low, high) = constraints.objective.c.tolist(), (end.tolist() for end in constraints.bounds)
    return dict(zip(constraints.column_names, zip(cost, low, high, strict=True), strict=True))


def rows_by_name(constraints):
    """Each row and its ends, a range as two rows."""
    A, names, columns = constraints.A.toarray().tolist(), constraints.row_names, constraints.column_names
    for row, name, low, high in zip(A, names, constraints.lower.tolist(), constraints.upper.tolist(), strict=True):
        entries = {column: value for column, value in zip(columns, row, strict=True) if value}
        if -math.inf < low < high < math.inf:
            yield name + "lo", entries, low, math.inf
            yield name + "up", entries, -math.inf, high
        else:
            yield name, entries, low, high


def test_the_name_or_the_first_line_tells_what_it_is(folder):
    text = "\\ a comment\n\n" + HEAD + "end\n"
    packed = gzip.compress(text.encode())
    for name, content in (("d", text), ("e", packed), ("d.lp.gz", text), ("F.LP.GZ", packed)):
        path = written(folder, content, name)
        assert_same_decimals(read_constraints(path), plainly(path))
        assert read_constraints_plainly(path).A.shape == (1, 2)
    for name, text in (("t.csv", "min max\n1 2\n"), ("t.tsv", "Min\tmax\n1\t2\n"), ("t", "min,max\n1,2\n")):
        path = written(folder, text, name)
        assert read_constraints(path).cone
        assert plainly(path).A.toarray().tolist() == [[1, 2]]
    path = written(folder, "hello", "t.lp")
    assert all("begins with" in outcome(read, ValueError, path) for read in (read_constraints, plainly))


@given(
    st.binary(max_size=80),
    st.sampled_from(["f.lp", "f", "f.lp.gz"]),
    st.sampled_from([b"", b"\\", b"min\n", HEAD.encode(), HEAD.encode() + b"bounds\n", HEAD.encode() + b"gen\n"]),
)
def test_any_bytes_are_read_or_refused(folder, content, name, first):
    path = written(folder, first + content, name)
    for read, refusal in ((read_constraints, ReadError), (read_constraints_plainly, PlainError)):
        why = outcome(read, refusal, path)
        assert not isinstance(why, str) or (why.startswith(str(path)) and "\n" not in why)


@pytest.mark.parametrize(("text", "where"), [
    ("", "is empty"),
    ("x >= 2\nend", "line 1: it begins with 'x'"),
    (HEAD, "ends without End"),
    (HEAD + "end\nx", "line 6: something stands after End"),
    ("min\nst\nend", "has neither constraints nor variables"),
    (HEAD + "bounds\nbounds\nend", "line 6: the section bounds is there already"),
    (HEAD + "bounds\nst\nend", "line 6: the section st is there already"),
    ("min x\nbounds\nst\nend", "line 3: the constraints come late"),
    ("min x\nmax x\nend", "line 2: the section max is there already"),
    (HEAD + "c1: x <= 4\nend", "line 5: the constraint 'c1' is there already"),
    (HEAD + "c2: x + x <= 4\nend", "line 5: the variable 'x' is there already"),
    (HEAD + "c2: x + 1 <= 4\nend", "line 5: a constant stands beside variables"),
    (HEAD + "c2: x <= 4 + 1\nend", "line 5: '+' stands behind the number on the right"),
    (HEAD + "c2: x <= y\nend", "line 5: a constraint has no end"),
    (HEAD + "c2: 2 <= x >= 1\nend", "line 5: two limits have <= twice"),
    (HEAD + "c2: inf x >= 1\nend", "line 5: a coefficient is not finite"),
    (HEAD + "c2: x >= inf\nend", "row 1, counted from 0: no number is between"),
    (HEAD + "c2: 2e5y >= 1\nend", "line 5: 2e5 and 'y' have no blank between them"),
    (HEAD + "c2: . x >= 1\nend", "line 5: '.' is no part of linear constraints"),
    (HEAD + "c2: [ x ^2 ] >= 1\nend", "line 5: '[' is no part of linear constraints"),
    (HEAD + "c2: x = 1 -> y >= 1\nend", "line 5: an indicator constraint"),
    (HEAD + "st: x >= 1\nend", "line 5: 'st' is a word of the format"),
    (HEAD + "bounds\nx <= 1 y <= 2\nend", "line 6: a bound is one variable"),
    (HEAD + "bounds\nx <= 1\nx <= 1\nend", "line 7: the variable has this bound already"),
    (HEAD + "bounds\nx <= -1\nend", "line 6: the upper bound is negative"),
    (HEAD + "bounds\nx <= 2\nbin\nx\nend", "line 8: a binary variable has other bounds"),
    (HEAD + "gen\nx 2\nend", "line 6: '2' is no variable"),
    (HEAD + "sos\ns1: S1\nend", "line 6: special ordered sets"),
    (HEAD + "user cuts\nc2: x >= 1\nend", "line 6: user cuts"),
    (HEAD + "c2: x\0 >= 1\nend", r"line 5: '\x00' is no part"),
    ("min " + "x" * 256 + "\nend", "has more than 255 characters"),
])  # fmt: skip
def test_what_is_refused_and_where(folder, text, where):
    with pytest.raises(PlainError) as refusal:
        read_constraints_plainly(path := written(folder, text))
    assert str(refusal.value).startswith(f"{path}: ")
    assert where in str(refusal.value)
    with pytest.raises(ReadError):
        read_lp(path)
