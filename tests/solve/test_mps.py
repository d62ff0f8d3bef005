"""MPS files: what is read is what was written, and what is not as in the file is said."""

import bz2
import gzip
import random
import subprocess
import sys

import numpy as np
import pytest

from novikoff import Infeasible, solve_system
from novikoff.data.sources import ReadError
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


def test_what_is_read_is_what_is_written(tmp_path):
    found = read_mps(written(tmp_path, SMALL))
    assert found.A.format == "csr"
    assert found.A.toarray().tolist() == [[1, 1e-10, 0], [0.1, 0, 0], [0, -2.5, 1e16], [0, 0, 4]]
    assert found.lower.tolist() == [-np.inf, -1, 0.3, 2]
    assert found.upper.tolist() == [5, np.inf, 0.3, 8]
    assert found.bounds.tolist() == [[-np.inf, np.inf], [0, 7], [-np.inf, np.inf]]
    assert (found.row_names, found.column_names) == (["most", "least", "equal", "range"], ["x", "y", "z"])
    assert found.remarks == ["1 integer column is treated as continuous"]


@pytest.mark.parametrize("seed", range(10))
def test_any_numbers_are_read_back(seed, tmp_path):
    """The oracle writes the text; every number comes back as the double it is."""
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
    assert found.A.toarray().tolist() == table
    assert found.lower.tolist() == [-np.inf if s == "L" else b for s, b in zip(senses, right, strict=True)]
    assert found.upper.tolist() == [np.inf if s == "G" else b for s, b in zip(senses, right, strict=True)]
    assert found.bounds.tolist() == [[0, np.inf]] * columns


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "a.mps.gz"), (bz2.compress, "a.mps.bz2"), (bytes, "anything")])
def test_packed_files_and_other_names(pack, name, tmp_path):
    (tmp_path / name).write_bytes(pack(SMALL.encode()))
    assert read_mps(tmp_path / name).A.nnz == 6


def test_what_is_left_out_is_said(tmp_path):
    text = SMALL.replace("x         most      1.0", "x         cost      1.0   most      1e-13\n    x  ")
    assert "the objective is left out" in read_mps(written(tmp_path, text)).remarks
    assert any("1e-13" in remark and "ignored" in remark for remark in read_mps(written(tmp_path, text)).remarks)


def test_bounds_that_contradict_each_other_are_a_system_all_the_same(tmp_path):
    found = read_mps(written(tmp_path, SMALL.replace("UP BND       y         7.0", "UP BND       y         -7.0")))
    assert any("inconsistent bounds" in remark for remark in found.remarks)
    assert isinstance(solve_system(*found[:4]), Infeasible)


@pytest.mark.parametrize(("text", "why"), [
    ("", "is empty"),
    ("hello\n", "is not an MPS file"),
    (SMALL[:200], "a line of COLUMNS has 4 words"),
    (SMALL.replace("RHS\n", "1.0\nRHS\n", 1), "a line of COLUMNS has 1 word "),
    (SMALL.replace("RHS\n", "1.0\n    MARKER               O BNR'                 'INTEND'\nRHS\n", 1), "fixed format"),
    ("NAME\nROWS\n N  c\nCOLUMNS\nRHS\nENDATA\n", "is not an MPS file that describes a system"),
    (SMALL.replace("UP BND       y", "SC BND       y"), "semi-continuous"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_sentence(text, why, tmp_path, capfd):
    with pytest.raises(ReadError, match=rf"a\.mps: .*{why}") as caught:
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


def test_zero_bytes_are_refused_before_highs_sees_them(tmp_path):
    """Which reads beyond its memory where names have spaces and lines have zero bytes."""
    lines = ["NAME test", "ROWS", " N cost", " L lim1", " E eq", "COLUMNS", "   lim1", " E eq", "COLUMNS", "    x cost 1 lim1 1"]
    lines += [
        "    y cost" + "\t" * 12 + "2147483648" + "\t" * 56 + "im1 \0\0\0\x80\0\0\0\0\0eq -1",
        "RHS",
        "    RHS lim1 4",
        "ENDATA",
        "",
    ]
    (tmp_path / "a.mps").write_bytes("\n".join(lines).encode("latin-1"))
    program = f"from novikoff.solve.mps import read_mps; read_mps({str(tmp_path / 'a.mps')!r})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "a.mps: a line has a zero byte" in ended.stderr
