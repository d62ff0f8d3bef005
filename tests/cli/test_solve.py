"""`novikoff solve`, and `novikoff verify` on what it wrote: answers, files, exit codes, and one line for every mistake."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp
from calling import done, refused, run, summary

from novikoff.data.datasets import lower_bound
from novikoff.proof.certificate import Feasible, Hull, Infeasible, System, Undecided
from novikoff.proof.certificate_files import load
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.solve import cone
from novikoff.solve import linear_systems as systems

YES = [[2.0, 1.0], [-1.0, 1.0], [0.5, 3.0]]
NO = [[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0]]
MPS = "NAME t\nROWS\n N obj\n L r1\n G r2\nCOLUMNS\n x obj 1 r1 1\n x r2 1\n y r1 1\nRHS\n RHS r1 4 r2 1\nENDATA\n"
NO_MPS = MPS.replace("r2 1\nENDATA", "r2 5\nENDATA")
LP = "min x\nst\n r1: x + y <= 4\n r2: x >= 1\nend\n"
HARD = (lambda X, y: X * y[:, None])(*lower_bound(20)).tolist()  # a perceptron makes 4²⁰/3 mistakes (F8)
TABLES = {"yes.csv": ",", "yes.tsv": "\t", "yes.txt": " ", "yes.dat": ";"}


def table(rows, separator=",", header=""):
    return header + "".join(separator.join(map(repr, row)) + "\n" for row in rows)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, separator in TABLES.items():
        (tmp_path / name).write_text(table(YES, separator))
    (tmp_path / "no.csv").write_text(table(NO))
    (tmp_path / "system.mps").write_text(MPS)
    (tmp_path / "no.mps").write_text(NO_MPS)
    (tmp_path / "program.lp").write_text(LP)
    return tmp_path


def holds(proof, data, **more):
    """Both parsers say so."""
    for how in ([], ["--fast"]):
        assert summary(done("verify", proof, data, *how, **more)) == {"Result": "the proof holds", "Proof": str(load(proof))}


def satisfies(answer, A):
    return isinstance(answer, Feasible) and (np.array(A) @ answer.w.astype(float) >= 1 - 1e-9).all()


@pytest.mark.parametrize("name", TABLES)
def test_tables(here, name):
    found = summary(done("solve", name))
    proof = "yes.solution.json"
    assert re.fullmatch(r"feasible: w satisfies all 3 rows exactly; the smallest A·w is 1, with \d+ tight rows?", found["Result"])
    assert found["Saved"] == proof
    assert satisfies(load(proof), YES)
    holds(proof, name)


def test_a_header_and_blank_lines_are_no_constraints(here):
    (here / "named.csv").write_text(table(YES, header="first,second\n\n") + "\n\n")
    done("solve", "named.csv")
    answer = load("named.solution.json")
    assert answer.data == load_of("yes.csv").data._replace(column_names=("first", "second"))
    holds("named.solution.json", "named.csv")
    holds("named.solution.json", "yes.tsv")
    (here / "other.csv").write_text(table(YES, header="first,third\n"))
    said = done("verify", "named.solution.json", "other.csv", code=1)
    assert said.startswith("Result  the proof does not hold: it names rows or columns otherwise than the file")


def load_of(data):
    done("solve", data, "-o", "other.json", "-q")
    return load("other.json")


def test_archives(here):
    np.savez(here / "dense.npz", A=YES)
    np.savez(here / "named.npz", X=np.array(YES, np.float32), y=[1, 2, 3])
    sp.save_npz(here / "sparse.npz", sp.csc_array(YES))
    for name in ("dense", "named", "sparse"):
        done("solve", f"{name}.npz")
        assert load(f"{name}.solution.json").data == load_of("yes.csv").data._replace(numbers="doubles")
        holds(f"{name}.solution.json", f"{name}.npz")


def test_infeasible(here):
    found = summary(done("solve", "no.csv", code=1))
    proof = "no.solution.json"
    assert found == {
        "Result": "infeasible: 2 of the 3 rows contradict each other; the answer has the multipliers that prove it",
        "Rows": "0, 1",
        "Saved": proof,
    }
    answer = load(proof)
    assert isinstance(answer, Infeasible)
    assert (np.array([float(m) for m in answer.multipliers]) @ np.array(NO)[list(answer.rows)]).tolist() == [0, 0]
    holds(proof, "no.csv")


def test_systems(here):
    (here / "packed.mps.gz").write_bytes(gzip.compress(MPS.encode()))
    for name, proof in (("system.mps", "system.solution.json"), ("packed.mps.gz", "packed.solution.json")):
        found = run("solve", name)
        assert found.exit_code == 0
        assert summary(found.stdout) == {
            "Result": "feasible: x satisfies all 2 rows and the bounds exactly",
            "Point": "x ≈ 1.45455, y ≈ 1.45455",
            "Saved": proof,
        }
        assert found.stderr == "novikoff: the objective is left out; --optimize includes it\n"
        holds(proof, name)
    found = summary(done("solve", "no.mps", code=1))
    assert found["Result"] == (
        "infeasible: 2 of the 2 rows and the bounds of 1 column contradict each other; "
        "the answer has the multipliers that prove it"
    )
    assert (found["Rows"], found["Columns"]) == ("r1, r2", "y")
    holds("no.solution.json", "no.mps")


def test_lp_files(here):
    """The same as the MPS file, to the answer."""
    (here / "packed.lp.gz").write_bytes(gzip.compress(LP.encode()))
    for name in ("program.lp", "packed.lp.gz"):
        done("solve", name, "-o", "s.json")
        holds("s.json", name)
        assert load("s.json").x.tolist() == load_of("system.mps").x.tolist()
        assert load("s.json").data == load_of("system.mps").data
        holds("s.json", "system.mps")
    done("solve", "-", "-o", "s.json", input=LP)
    holds("s.json", "-", input=LP)
    (here / "no").write_text(LP.replace("x >= 1", "x >= 5"))
    found = summary(done("solve", "no", code=1))
    assert (found["Rows"], found["Columns"]) == ("r1, r2", "y")
    holds("no.solution.json", "no")
    (here / "table").write_text("min max\n3 0\n")
    assert run("solve", "table").exit_code == 3
    assert done("solve", "table", "--format", "csv").startswith("Result  feasible")
    found = run("solve", "packed.lp.gz", "--format", "mps")
    refused(found, "packed.lp.gz:1: 'min' is no section")


def test_the_point_is_printed_by_the_names_in_the_file(here):
    (here / "named.csv").write_text("left,right\n3,0\n0,1\n")
    assert summary(done("solve", "named.csv"))["Point"].startswith("left = ")
    answer = load("named.solution.json")
    lines = done("solve", "named.csv", "--full").splitlines()[1:3]
    assert [line.split()[-3:] for line in lines] == [
        [name, "=", repr(value) if isinstance(value, float) else str(value)]
        for name, value in zip(("left", "right"), answer.x.tolist(), strict=True)
    ]
    np.savez(here / "wide.npz", A=np.eye(12))
    assert summary(done("solve", "wide.npz"))["Point"].endswith(", … (12 coordinates; --full prints them all)")


def test_the_format_may_be_told(here):
    (here / "rows").write_text(table(YES))
    (here / "system").write_text("\n" + MPS.replace("NAME", "name"))
    done("solve", "rows", "--format", "csv")
    holds("rows.solution.json", "rows")
    assert run("solve", "system").exit_code == 3
    done("solve", "system", "--format", "mps")
    refused(
        run("solve", "rows", "--format", "svm"), "rows: there is no format 'svm' of constraints; the formats are csv, npz, mps"
    )


@pytest.mark.parametrize("content", [table(YES).encode(), gzip.compress(table(YES).encode(), mtime=0)])
def test_standard_input(here, content):
    assert summary(done("solve", "-", input=content))["Saved"] == "constraints.solution.json"
    holds("constraints.solution.json", "-", input=content)
    holds("constraints.solution.json", "yes.csv")


def test_standard_input_of_other_formats(here):
    packed = io.BytesIO()
    np.savez(packed, YES)
    done("solve", "-", input=packed.getvalue())
    holds("constraints.solution.json", "-", input=packed.getvalue())
    done("solve", "-", "-o", "system.json", input=MPS)
    holds("system.json", "system.mps")


def test_where_the_answer_is_written(here):
    before = set(os.listdir())
    assert summary(done("solve", "yes.csv", "-o", "place.json"))["Saved"] == "place.json"
    assert set(os.listdir()) - before == {"place.json"}
    done("solve", "yes.csv", "--out", "place.json")
    (here / "folder").mkdir()
    (here / "folder" / "far.csv").write_text("1,2\n")
    assert summary(done("solve", "folder/far.csv"))["Saved"] == "far.solution.json"
    assert os.listdir("folder") == ["far.csv"]


def test_json_is_the_answer_and_is_written_only_if_told(here):
    before = os.listdir()
    said = done("solve", "yes.csv", "--json")
    assert os.listdir() == before
    assert json.loads(said)["outcome"] == "feasible"
    assert done("solve", "yes.csv", "--json", "-o", "place.json") == said == (here / "place.json").read_text()
    found = run("solve", "system.mps", "--json")
    assert json.loads(found.stdout)["outcome"] == "feasible"
    assert found.stderr == ""


def test_quiet(here):
    for name, code in (("yes.csv", 0), ("no.csv", 1), ("system.mps", 0)):
        found = run("solve", name, "--quiet")
        assert (found.exit_code, found.output) == (code, "")
    assert (here / "system.solution.json").exists()
    refused(run("solve", "none.csv", "-q"), "cannot be read")


@pytest.mark.parametrize("method", ["auto", "perceptron", "most-violated", "rescaled", "highs", "exact", "most violated"])
def test_methods(here, method):
    done("solve", "yes.csv", "--method", method)
    holds("yes.solution.json", "yes.csv")


def test_seeds(here, monkeypatch):
    first, again = (done("solve", "yes.csv", "--method", "rescaled", "--seed", "3", "--json") for _ in range(2))
    assert first == again
    asked = {}
    monkeypatch.setattr(cone, "solve_cone", lambda A, **how: asked.update(how) or undecided(A))
    run("solve", "yes.csv", "--seed", "3", "--budget", "2.5", "--method", "most-violated")
    assert asked == {"method": "most violated", "seed": 3, "budget": 2.5}


def undecided(A, *_, **__):
    return Undecided(System(*np.shape(A), "0" * 16), "the budget is used up", np.inf, Hull())


def test_undecided_writes_nothing(here, monkeypatch):
    monkeypatch.setattr(cone, "solve_cone", undecided)
    monkeypatch.setattr(systems, "solve_system", undecided)
    before = os.listdir()
    for name in ("yes.csv", "system.mps"):
        assert done("solve", name, "--budget", "1", "-o", "place.json", code=2) == "Result  undecided: the budget is used up\n"
    assert json.loads(done("solve", "yes.csv", "--json", code=2))["outcome"] == "undecided"
    assert os.listdir() == before


def test_a_cap_makes_undecided(here):
    (here / "hard.csv").write_text(table(HARD))
    said = done("solve", "hard.csv", "--method", "perceptron", code=2)
    assert said.startswith("Result  undecided: the perceptron made ")
    assert not (here / "hard.solution.json").exists()
    assert load_of("hard.csv").outcome == "feasible"


# ---- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "words"), [
    ("1,2\n3,x\n", ["bad.csv:2: 'x' in column 2 is not a finite number; a constraint is a row of numbers"]),
    ("1,2\n3,nan\n", ["bad.csv:2: 'nan' in column 2"]),
    ("1,2\n\n-inf,3\n", ["bad.csv:3: '-inf' in column 1"]),
    ("1,2\n3,4,5\n", ["bad.csv:2: has 3 numbers, the rows before 2; mend the row"]),
    ("", ["bad.csv: is empty; give a constraint a row"]),
    ("a,b\n", ["bad.csv: has a header and no rows"]),
    ("to be or not\nto be\n", ["bad.csv:2: 'to' in column 1"]),
    ("+1 1:2 2:3\n", ["bad.csv:1: '1:2' in column 2"]),
    (gzip.compress(b"1,2\n", mtime=0)[:-5], ["bad.csv: the compressed file is damaged or cut short"]),
    (b"\x00\xff\x01", ["bad.csv: has a header and no rows"]),
    ("NAME\nROWS\nthis is none\n", ["bad.csv:3: 'this' is no section of a linear program; give an MPS file of one"]),
    ("NAME x\n", ["bad.csv: ends without ENDATA; it may be cut short"]),
])  # fmt: skip
def test_data_that_is_none(here, content, words):
    (here / "bad.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    before = sorted(os.listdir())
    refused(run("solve", "bad.csv"), *words)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(("arrays", "words"), [
    ({"B": YES, "C": NO}, ["t.npz: has arrays B, C; call the matrix A"]),
    ({"A": [1.0, 2.0]}, ["t.npz: data must be two-dimensional; this has shape (2,)"]),
    ({"A": [["x"]]}, ["t.npz: data must be whole numbers, float32 or float64"]),
    ({"A": [[1.0, np.nan]]}, ["t.npz: row 0, column 1 is nan: every value must be a finite number"]),
    ({"A": [[1j]]}, ["t.npz: data must be whole numbers"]),
])  # fmt: skip
def test_archives_that_are_none(here, arrays, words):
    np.savez(here / "t.npz", **arrays)
    refused(run("solve", "t.npz"), *words)


@pytest.mark.parametrize(("args", "words"), [
    (["solve"], ["Missing argument 'DATA'", "`novikoff solve --help` shows how"]),
    (["solve", "none.csv"], ["none.csv: cannot be read (No such file or directory); check the path"]),
    (["solve", "."], [".: is a folder; give a file in it"]),
    (["solve", "yes.csv", "-o", "."], [".: is a folder; give the name of a file"]),
    (["solve", "yes.csv", "-o", "no/where.json"], ["no/where.json: the folder no does not exist; create it first"]),
    (["solve", "yes.csv", "-o", "./yes.csv"], ["is an input file; give another name for the answer"]),
    (["solve", "yes.csv", "-o", "-"], ["the answer cannot be written to standard output; give a file name, or use --json"]),
    (["solve", "yes.csv", "--method", "magic"], ["yes.csv: there is no method 'magic'; the methods are auto, perceptron, most"]),
    (["solve", "system.mps", "--method", "rescaled"], ["--method rescaled is for cones, and an MPS or LP file is a linear"]),
    (["solve", "yes.csv", "--optimize"], ["there is no objective; leave out --optimize"]),
    (["solve", "yes.csv", "--seed", "-1"], ["--seed"]),
    (["solve", "yes.csv", "--budget", "0"], ["--budget", "greater than 0"]),
    (["solve", "yes.csv", "--budget", "nan"], ["greater than 0"]),
    (["solve", "yes.csv", "no.csv"], ["unexpected extra argument"]),
    (["verify", "proof.json", "none.csv"], ["none.csv: cannot be read"]),
    (["verify", "proof.json", "bad.csv"], ["bad.csv: line 2, column 1: 'x' is not a finite number; a constraint is a row of"]),
    (["verify", "proof.json", "bad.csv", "--fast"], ["bad.csv:2: 'x' in column 1 is not a finite number"]),
    (["verify", "proof.json", "yes.csv", "--label", "1"], ["yes.csv: the proof is about constraints, which have no labels"]),
    (["verify", "classes.json", "system.mps"], ["system.mps: is a system of constraints, but the proof is about classes"]),
    (["verify", "classes.json", "program.lp"], ["program.lp: is a system of constraints, but the proof is about classes"]),
    (["solve", "program.lp", "--method", "exact"], ["--method exact is for cones, and an MPS or LP file is a linear"]),
    (["verify", "classes.json", "system.mps", "--fast"], ["system.mps: is a system of constraints"]),
    (["verify", "proof.json", "classes.svm"], ["classes.svm: line 1, column 2: '1:1' is not a finite number; a constraint is"]),
    (["verify", "yes.csv", "yes.csv"], ["yes.csv: not a certificate", "create it again with `novikoff certify`"]),
])  # fmt: skip
def test_mistakes(here, args, words):
    (here / "bad.csv").write_text("1,2\nx,3\n")
    (here / "classes.svm").write_text("1 1:1\n-1 1:-1\n")
    done("solve", "yes.csv", "-o", "proof.json")
    done("certify", "classes.svm", "--out", "classes.json")
    before = sorted(os.listdir()), (here / "yes.csv").read_text()
    refused(run(*args), *words)
    assert (sorted(os.listdir()), (here / "yes.csv").read_text()) == before


def test_nothing_half_written(here, monkeypatch):
    (here / "place.json").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(os.listdir())
    refused(run("solve", "yes.csv", "-o", "place.json"), "place.json: cannot be written (No space left on device)")
    assert sorted(os.listdir()) == before
    assert (here / "place.json").read_text() == "old"


# ---- verify ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [[], ["--fast"]])
def test_a_proof_of_other_constraints_does_not_hold(here, how):
    (here / "classes.csv").write_text("1,2,-1\n3,4,1\n")
    done("certify", "classes.csv", "--out", "classes.json")
    done("solve", "yes.csv")
    done("solve", "system.mps")
    (here / "other.csv").write_text(table([[2.0, 1.5], *YES[1:]]))
    (here / "other.mps").write_text(MPS.replace("RHS r1 4", "RHS r1 5"))
    for proof, data, why in (
        ("yes.solution.json", "other.csv", "this is another system: its fingerprint is "),
        ("yes.solution.json", "system.mps", "the certificate is for 3 rows and 2 columns, the system has 2 and 2"),
        ("system.solution.json", "other.mps", "this is another system: its fingerprint is "),
        ("system.solution.json", "yes.csv", "the certificate is for 2 rows and 2 columns, the system has 3 and 2"),
        ("yes.solution.json", "classes.csv", "the certificate is for 3 rows and 2 columns, the system has 2 and 3"),
        ("classes.json", "yes.csv", "the certificate is for 2 rows and 2 columns, the data has 3 and 1"),
    ):
        assert done("verify", proof, data, *how, code=1).startswith(f"Result  the proof does not hold: {why}")


def test_an_undecided_answer_says_what_it_proves(here):
    (here / "hard.csv").write_text(table(HARD))
    (here / "proof.json").write_text(done("solve", "hard.csv", "--method", "perceptron", "--json", code=2))
    said = done("verify", "proof.json", "hard.csv")
    assert summary(said)["Result"] == "the proof holds"
    assert summary(said)["Proof"].startswith("Undecided: ")
    assert said.endswith("This proves only the upper bound of the margin, not whether there is a solution.\n")


def test_help_shows_an_example():
    said = done("solve", "--help")
    assert "novikoff solve rows.csv" in said
    assert "Exit codes: 0 feasible (with --optimize: optimal), 1 infeasible or unbounded" in " ".join(said.split())


@pytest.mark.parametrize(
    ("args", "absent"),
    [
        (["solve", "--help"], ["numpy", "scipy", "numba", "highspy"]),
        (
            ["verify", "p.json", "yes.csv"],
            ["numba", "highspy", "novikoff.solve.constraint_files", "novikoff.data.sources", "novikoff.learning.learner"],
        ),
        (
            ["verify", "s.json", "system.mps"],
            ["numba", "highspy", "novikoff.solve.mps", "novikoff.data.sources", "novikoff.learning.learner"],
        ),
        (
            ["verify", "s.json", "program.lp"],
            ["numba", "highspy", "novikoff.solve.lp", "novikoff.data.sources", "novikoff.learning.learner"],
        ),
    ],
)
def test_nothing_is_imported_that_is_not_needed(here, args, absent):
    done("solve", "yes.csv", "-o", "p.json")
    done("solve", "system.mps", "-o", "s.json")
    check = (
        f"import sys\nfrom novikoff.cli import main\ntry: main({args!r})\nexcept SystemExit as end: assert not end.code\n"
        f"assert not [m for m in {absent!r} if m in sys.modules], sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True, stdout=subprocess.DEVNULL)


def test_what_the_verifier_does_not_read_is_said(here):
    (here / "odd.mps").write_text(MPS.replace("RHS\n", "RANGES\n RG r1 2\nRHS\n", 1))
    found = run("solve", "odd.mps")
    assert found.exit_code == 0
    assert "warning: the verifier cannot read this file" in found.stderr
    assert "the section RHS comes late" in found.stderr
    assert "verifier" not in run("solve", "system.mps").stderr


def test_whole_numbers_that_are_no_doubles(here):
    np.savez(here / "t.npz", A=[[2**60 + 1]])
    done("solve", "t.npz")
    assert load("t.solution.json").data.numbers == "rationals"
    holds("t.solution.json", "t.npz")


# ---- decimals and objectives ----------------------------------------------------------------------------------------

TENTHS = "NAME t\nROWS\n N obj\n E sum\nCOLUMNS\n x obj 0.3 sum 0.1\n y obj -0.1 sum 0.2\nRHS\n RHS sum 0.3\nBOUNDS\n FX B x 1\n"


def test_a_number_in_a_file_is_the_decimal_that_stands_there(here):
    """0.1 + 0.2 = 0.3, but not of the doubles next to them. The double next to 0.1 is not 0.1, though it reads as the same."""
    (here / "tenths.mps").write_text(TENTHS + " FX B y 1\nENDATA\n")
    assert load_of("tenths.mps").outcome == "feasible"
    (here / "doubles.mps").write_text((TENTHS + " FX B y 0\nENDATA\n").replace("sum 0.3", f"sum {Decimal.from_float(0.1)}"))
    done("solve", "doubles.mps", code=1)
    answer = load("doubles.solution.json")
    assert (answer.outcome, answer.data.numbers) == ("infeasible", "rationals")
    holds("doubles.solution.json", "doubles.mps")
    assert done("verify", "doubles.solution.json", "doubles.mps", "--literal").startswith("Result  the proof holds")
    for name, as_doubles in (("tenths", "infeasible"), ("doubles", "feasible")):
        found = read_constraints_plainly(f"{name}.mps")
        answer = systems.solve_system(found.A, found.lower, found.upper, found.bounds)
        assert answer.outcome == as_doubles
        answer.save("old.json")  # as before there were decimals: of doubles, and verified as such
        assert '"version": 1' in (here / "old.json").read_text()
        assert done("verify", "old.json", f"{name}.mps").startswith("Result  the proof holds")
        refused(run("verify", "old.json", f"{name}.mps", "--fast"), "the proof is about doubles")


def test_the_best_point(here):
    text = TENTHS.replace(" FX B x 1\n", "").replace("BOUNDS\n", "ENDATA\n").replace("RHS sum", "RHS obj 2 sum")
    (here / "best.mps").write_text(text)
    found = summary(done("solve", "best.mps", "--optimize"))
    assert found["Result"].startswith("optimal: the minimum of the objective is -2.15; the answer has")
    assert found["Point"] == "x = 0, y = 1.5"
    for how in ([], ["--literal"], ["--fast"]):
        assert done("verify", "best.solution.json", "best.mps", *how).startswith("Result  the proof holds\nProof   Optimal: ")
    (here / "other.mps").write_text((here / "best.mps").read_text().replace("ROWS", "OBJSENSE\n  MAX\nROWS"))
    for how in ([], ["--literal"], ["--fast"]):
        assert "does not hold" in done("verify", "best.solution.json", "other.mps", *how, code=1)
    assert "-2.15" not in done("solve", "other.mps", "--optimize")


def test_the_best_point_of_an_lp_file(here):
    text = "max\n value: 0.3 x + 0.1 y + 2\nst\n 0.2 <= 0.1 x + 0.2 y <= 0.3\nbounds\n u <= 1\ngen\n x\nend\n"
    (here / "best.lp").write_text(text)
    said = run("solve", "best.lp", "--optimize")
    remarks = (
        "novikoff: 1 integer column is treated as continuous\nnovikoff: 1 column is in no constraint and not in the objective\n"
    )
    assert (said.exit_code, said.stderr) == (0, remarks)
    assert summary(said.stdout)["Result"].startswith("optimal: the maximum of the objective is 2.9; the answer has")
    for how in ([], ["--literal"], ["--fast"]):
        found = run("verify", "best.solution.json", "best.lp", *how)
        assert found.stdout.startswith("Result  the proof holds\nProof   Optimal: ")
        assert found.stderr == remarks
    (here / "other.lp").write_text(text.replace("max", "min"))
    for how in ([], ["--literal"], ["--fast"]):
        assert "does not hold" in done("verify", "best.solution.json", "other.lp", *how, code=1)
    (here / "free.lp").write_text(text.replace(" <= 0.3", " <= inf"))
    assert summary(done("solve", "free.lp", "--optimize", code=1))["Result"].startswith("unbounded: the objective has no maximum")
    for how in ([], ["--literal"], ["--fast"]):
        assert done("verify", "free.solution.json", "free.lp", *how).startswith("Result  the proof holds\nProof   Unbounded: ")


def test_an_objective_without_end(here):
    (here / "free.mps").write_text((TENTHS + "ENDATA\n").replace(" E sum", " G sum").replace(" FX B x 1\n", ""))
    found = summary(done("solve", "free.mps", "--optimize", code=1))
    assert found["Result"].startswith("unbounded: the objective has no minimum; the answer has a point and a direction")
    for how in ([], ["--literal"], ["--fast"]):
        assert done("verify", "free.solution.json", "free.mps", *how).startswith("Result  the proof holds\nProof   Unbounded: ")
