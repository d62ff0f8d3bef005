"""The command line: answers, exit codes, and one line for every mistake."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from calling import refused, run, summary
from click.testing import CliRunner

import novikoff
from novikoff.cli import main
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.proof import verify as verification
from novikoff.proof.certificate import Data, Hull, Mixing, Undecided
from novikoff.proof.certificate_files import load
from novikoff.proof.fingerprint import fingerprint
from novikoff.solve import separability

SEPARABLE = "+1 1:1 2:2\n+1 1:2\n-1 1:-1 2:0.5\n"
INSEPARABLE = "+1 1:1\n-1 1:2\n+1 1:3\n"
CLASSES = "a,b,kind\n0,0,x\n1,0,y\n5,5,z\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"yes.svm": SEPARABLE, "no.svm": INSEPARABLE, "three.csv": CLASSES, "bad.svm": "1 1:x\n"}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def process(*args, **more):
    return subprocess.run([sys.executable, "-m", "novikoff", *args], capture_output=True, text=True, **more)


def undecided(X, y, **how):
    yes = np.asarray(y) == 1
    data = Data(*X.shape, True, -1, 1, str(fingerprint(X, yes)))
    return Undecided(data, "the budget of 1 s is used up", np.inf, Hull())


def test_separable(folder):
    result = run("certify", "yes.svm", "--out", "proof.json")
    assert result.exit_code == 0
    assert summary(result.stdout) == {"Result": str(load("proof.json")), "Saved": "proof.json"}
    assert summary(result.stdout)["Result"].startswith("Separable: ")
    result = run("verify", "proof.json", "yes.svm")
    assert result.exit_code == 0
    assert summary(result.stdout) == {"Result": "the proof holds", "Proof": str(load("proof.json"))}


def test_not_separable(folder):
    result = run("certify", "no.svm", "--out", "proof.json")
    assert result.exit_code == 1
    assert summary(result.stdout)["Result"].startswith("Not separable: ")
    assert run("verify", "proof.json", "no.svm").exit_code == 0


def test_undecided(folder, monkeypatch):
    monkeypatch.setattr(separability, "separate", undecided)
    result = run("certify", "no.svm", "--out", "proof.json", "--budget", "1")
    assert result.exit_code == 2
    assert summary(result.stdout)["Result"] == "Undecided: the budget of 1 s is used up."
    result = run("verify", "proof.json", "no.svm")
    assert result.exit_code == 0
    assert summary(result.stdout)["Result"] == "the proof holds"
    assert summary(result.stdout)["Proof"].startswith("Undecided")
    assert "This proves nothing" in result.stdout


def test_an_undecided_proof_says_what_it_proves(folder, monkeypatch):
    proof = separability.separate([[1.0], [-1.0]], [1, -1])
    Undecided(proof.data, "the budget is used up", proof.margin.high, proof.hull).save("proof.json")
    (folder / "two.svm").write_text("1 1:1\n-1 1:-1\n")
    result = run("verify", "proof.json", "two.svm")
    assert result.exit_code == 0
    assert "This proves only the upper bound of the margin, not whether the data is separable." in result.stdout


@pytest.mark.parametrize("how", [[], ["--fast"]])
def test_what_a_proof_says_of_shards_is_checked_and_told(folder, how):
    run("certify", "yes.svm", "--out", "proof.json")
    mixing = Mixing(2, 3, True, 1.5, 2.5, 1.0)
    replace(load("proof.json"), mixing=mixing).save("mixed.json")
    result = run("verify", "mixed.json", "yes.svm", *how)
    assert result.exit_code == 0
    assert summary(result.stdout) == {"Result": "the proof holds", "Proof": str(load("mixed.json"))}
    assert "Learned on 2 shards, mixed after each of 3 passes" in result.stdout
    replace(load("proof.json"), mixing=mixing._replace(radius=2.4)).save("mixed.json")  # the first row has 1² + 2² + 1² = 6
    result = run("verify", "mixed.json", "yes.svm", *how)
    assert result.exit_code == 1
    assert result.stdout.startswith("Result  the proof does not hold: a row is longer than the radius 2.4")


@pytest.mark.parametrize("how", [[], ["--fast"]])
def test_a_proof_of_other_data_does_not_hold(folder, how):
    run("certify", "yes.svm", "--out", "proof.json")
    (folder / "other.svm").write_text(SEPARABLE.replace("0.5", "0.25"))
    result = run("verify", "proof.json", "other.svm", *how)
    assert result.exit_code == 1
    assert result.stdout.startswith("Result  the proof does not hold: ")
    assert result.stderr == ""


def test_a_proof_holds_whatever_the_format(folder):
    run("certify", "three.csv", "--class", "z", "--out", "proof.json")
    np.savez(folder / "three.npz", X=[[0, 0], [1, 0], [5, 5]], y=["x", "y", "z"])
    (folder / "three.svm").write_text("x\ny 1:1\nz 2:5 1:5\n")
    for data in ("three.csv", "three.npz", "three.svm"):
        for how in ([], ["--fast"]):
            assert run("verify", "proof.json", data, *how).exit_code == 0


def test_the_readers_are_the_strangers_own_unless_it_has_to_be_fast(folder, monkeypatch):
    run("certify", "yes.svm", "--out", "proof.json")
    monkeypatch.setattr("novikoff.data.readers.open", None)
    assert run("verify", "proof.json", "yes.svm").exit_code == 0
    assert run("verify", "proof.json", "yes.svm", "--fast").exit_code == 3


def test_what_is_asked_for_reaches_separate(folder, monkeypatch):
    asked = {}
    monkeypatch.setattr(separability, "separate", lambda X, y, **how: asked.update(how) or undecided(X, y))
    run("certify", "yes.svm", "--no-intercept", "--budget", "2.5")
    assert asked == {"fit_intercept": False, "budget": 2.5}
    run("certify", "yes.svm", "--class", "+1.0")
    assert asked["positive"] == 1
    (folder / "t.csv").write_text("kind,a\nx,1\ny,2\n")
    run("certify", "t.csv", "--label", "kind", "--class", "y")
    assert asked["positive"] == "y"


def test_through_a_kernel(folder):
    """XOR: not by lines, by squares of coordinates, and by bumps, whose certificate says what it is certain within."""
    (folder / "xor.svm").write_text("-1 1:0\n+1 1:1\n+1 2:1\n-1 1:1 2:1\n")
    for how, code, words in (
        (["--kernel", "poly", "--degree", "1"], 1, "Not separable through the kernel poly (degree 1, gamma 1, coef0 1)"),
        (["--kernel", "poly", "--degree", "2", "--gamma", "0.5", "--coef0", "2"], 0, "poly (degree 2, gamma 0.5, coef0 2)"),
        (["--kernel", "rbf", "--intercept"], 0, "a relative error of 1e-12"),
        (["--kernel", "sigmoid"], 0, "void"),
    ):
        result = run("certify", "xor.svm", *how, "--out", "proof.json")
        assert result.exit_code == code
        assert words in result.stdout
        assert load("proof.json").data.fit_intercept == ("--intercept" in how)
        assert "--removal" not in result.stdout
        for way in ([], ["--fast"]):
            checked = run("verify", "proof.json", "xor.svm", *way)
            assert checked.exit_code == 0
            assert checked.stdout.startswith("Result  the proof holds\n")
        assert run("verify", "proof.json", "yes.svm").exit_code == 1
    refused(run("certify", "xor.svm", "--kernel", "cubic"), "there is no kernel 'cubic'", "poly")
    refused(run("certify", "xor.svm", "--kernel", "poly", "--degree", "0"), "degree must be")
    refused(run("certify", "xor.svm", "--kernel", "precomputed"), "square matrix")
    refused(run("certify", "xor.svm", "--kernel", "rbf", "--removal"), "--removal", "leave")


def test_json(folder):
    result = run("certify", "no.svm", "--json", "--out", "proof.json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["outcome"] == "inseparable"
    assert result.stdout == (folder / "proof.json").read_text()


def test_standard_input(folder):
    assert run("certify", "-", "--out", "proof.json", input=SEPARABLE).exit_code == 0
    assert run("verify", "proof.json", "-", input=SEPARABLE).exit_code == 0
    assert run("verify", "proof.json", "-", "--fast", input=SEPARABLE).exit_code == 0
    assert run("verify", "proof.json", "-", input=INSEPARABLE).exit_code == 1


def test_classes(folder):
    refused(run("certify", "three.csv"), "three.csv: has 3 classes (x, y, z); choose the one to separate")
    refused(run("certify", "three.csv", "--class", "w"), "no row has the label w; the classes are x, y, z")
    refused(run("certify", "yes.svm", "--class", "w"), "no row has the label w; the classes are -1, 1")
    assert run("certify", "three.csv", "--class", "x").exit_code == 0


def test_all_classes_at_once(folder):
    refused(run("certify", "three.csv"), "with --class, or decide about all at once with --multiclass direct")
    (folder / "mixed.csv").write_text(CLASSES + "0,0,z\n")
    (folder / "between.csv").write_text("a,kind\n0,x\n2,x\n1,y\n9,z\n")
    for name, code, words in (
        ("three.csv", 0, "Separable: all 3 rows have their highest score for their own of 3 classes"),
        ("mixed.csv", 1, "Not separable: 2 of the 4 rows (labels 'x', 'y', 'z') contradict each other: 0, 3."),
        ("between.csv", 1, "Not separable: 3 of the 4 rows (labels 'x', 'y', 'z') contradict each other: 0, 1, 2."),
    ):
        result = run("certify", name, "--multiclass", "direct", "--out", "proof.json")
        assert result.exit_code == code
        assert words in result.stdout
        assert "--removal" not in result.stdout
        for way in ([], ["--fast"], ["--literal"]):
            assert run("verify", "proof.json", name, *way).exit_code == 0
            assert run("verify", "proof.json", "yes.svm", *way).exit_code != 0
    assert run("certify", "between.csv", "--multiclass", "direct", "--budget", "1e-9").exit_code == 2
    assert "a hyperplane has all 3 rows" in run("certify", "yes.svm", "--multiclass", "direct").stdout
    for how in (["--class", "x"], ["--kernel", "rbf"], ["--removal"]):
        refused(run("certify", "three.csv", "--multiclass", "direct", *how), f"{how[0]} does not work with --multiclass direct")
    refused(run("certify", "three.csv", "--multiclass", "ovr"), "--multiclass ovr", "direct", "--class")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], ["Missing command", "`novikoff --help` shows how"]),
        (["fitt"], ["No such command 'fitt'"]),
        (["certify"], ["Missing argument 'DATA'", "`novikoff certify --help` shows how"]),
        (["certify", "yes.svm", "--nothing"], ["No such option", "--nothing"]),
        (["certify", "yes.svm", "no.svm"], ["unexpected extra argument"]),
        (["certify", "yes.svm", "--budget", "soon"], ["'soon' is not a valid float"]),
        (["certify", "yes.svm", "--budget", "0"], ["--budget", "greater than 0"]),
        (["certify", "yes.svm", "--budget", "nan"], ["greater than 0"]),
        (["certify", "none.svm"], ["none.svm: cannot be read (No such file or directory); check the path"]),
        (["certify", "."], [".: is a folder"]),
        (["certify", "bad.svm"], ['bad.svm:1: value "x" of feature 1 is not a number']),
        (["certify", "yes.svm", "--label", "kind"], ["leave the label column out"]),
        (["certify", "three.csv", "--label", "kin"], ["no column is called 'kin' among a, b, kind"]),
        (["certify", "yes.svm", "--out", "-"], ["or use --json"]),
        (["certify", "yes.svm", "--out", "."], ["is a folder"]),
        (["certify", "yes.svm", "--out", "no/where.json"], ["the folder no does not exist; create it first"]),
        (["certify", "yes.svm", "--out", "./yes.svm"], ["is an input file"]),
        (["verify", "proof.json"], ["Missing argument 'DATA'"]),
        (["verify", "proof.json", "none.svm"], ["none.svm: cannot be read"]),
        (["verify", "proof.json", "none.svm", "--fast"], ["none.svm: cannot be read"]),
        (["verify", "proof.json", "bad.svm"], ["bad.svm: line 1: 'x' is not a finite number"]),
        (["verify", "none.json", "yes.svm"], ["none.json: cannot be read"]),
        (["verify", "yes.svm", "yes.svm"], ["yes.svm: not a certificate"]),
    ],
)
def test_mistakes(folder, args, words):
    run("certify", "yes.svm", "--out", "proof.json")
    before = sorted(os.listdir()), (folder / "yes.svm").read_text()
    refused(run(*args), *words)
    assert (sorted(os.listdir()), (folder / "yes.svm").read_text()) == before


def test_data_that_separate_refuses(folder, monkeypatch):
    def refuse(*_, **__):
        raise ValueError("the labels are all alike:\ngive two kinds")

    monkeypatch.setattr(separability, "separate", refuse)
    refused(run("certify", "yes.svm"), "novikoff: yes.svm: the labels are all alike: give two kinds\n")


def test_our_own_mistakes_are_no_answers(folder, monkeypatch):
    monkeypatch.setattr(verification, "verify", lambda *_, **__: 1 / 0)
    run("certify", "yes.svm", "--out", "proof.json")
    result = run("verify", "proof.json", "yes.svm")
    assert result.exit_code == 3
    assert "ZeroDivisionError" in result.stderr
    assert "this is a bug in novikoff" in result.stderr


def test_too_little_memory(folder, monkeypatch):
    def greedy(*_, **__):
        raise MemoryError

    monkeypatch.setattr(separability, "separate", greedy)
    refused(run("certify", "yes.svm"), "not enough memory")


def test_nothing_half_written(folder, monkeypatch):
    (folder / "proof.json").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(os.listdir())
    refused(run("certify", "yes.svm", "--out", "proof.json"), "proof.json: cannot be written (No space left on device)")
    assert sorted(os.listdir()) == before
    assert (folder / "proof.json").read_text() == "old"


def test_a_link_stays_a_link(folder):
    (folder / "store").mkdir()
    (folder / "proof.json").symlink_to("store/proof.json")
    assert run("certify", "yes.svm", "--out", "proof.json").exit_code == 0
    assert (folder / "proof.json").is_symlink()
    assert load("store/proof.json").outcome == "separable"


@pytest.mark.parametrize("args", [["-h"], ["--help"], ["certify", "-h"], ["verify", "--help"]])
def test_help_shows_an_example(args):
    result = run(*args)
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert "Exit codes: 0" in result.stdout


def test_version():
    assert run("--version").stdout == f"novikoff, version {novikoff.__version__}\n"


def test_as_a_process(folder):
    result = process("certify", "yes.svm", "--out", "proof.json")
    assert (result.returncode, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    assert process("verify", "proof.json", "yes.svm").stdout.startswith("Result  the proof holds\n")
    assert process("certify", "no.svm").returncode == 1
    result = process("certify", "none.svm")
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == "novikoff: none.svm: cannot be read (No such file or directory); check the path\n"
    result = process("certify", "--nothing")
    assert (result.returncode, result.stderr.count("\n")) == (3, 1)


def test_letters_that_the_terminal_lacks(folder):
    rows = "".join(f"{label} 1:{i}\n" for i, label in enumerate(["größe", "naïve", "größe"]))
    (folder / "text.svm").write_text(rows)
    result = process("certify", "text.svm", "--json", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
def test_a_closed_pipe_is_no_mistake(folder):
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run([sys.executable, "-m", "novikoff", "certify", "no.svm"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_of_a_process_that_waits(folder):
    waiting = subprocess.Popen(
        [sys.executable, "-m", "novikoff", "certify", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    waiting.stdin.write(b"+1 1:1\n" * 20_000)  # more than a pipe holds: when it is written, the process reads
    waiting.stdin.flush()
    waiting.send_signal(signal.SIGINT)
    out, error = waiting.communicate(timeout=30)
    assert (waiting.returncode, out, error) == (130, b"", b"")


@pytest.mark.parametrize(
    ("args", "absent"),
    [
        (["--help"], ["numpy", "scipy", "numba", "sklearn", "rich"]),
        (["certify", "--help"], ["numpy", "scipy", "numba", "sklearn", "rich"]),
        (["verify", "proof.json", "yes.svm"], ["numba", "sklearn", "novikoff.data.readers", "novikoff.learning.learner"]),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(folder, args, absent):
    run("certify", "yes.svm", "--out", "proof.json")
    check = (
        f"import sys\nfrom novikoff.cli import main\ntry: main({args!r})\nexcept SystemExit as end: assert not end.code\n"
        f"assert not [m for m in {absent!r} if m in sys.modules], sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True, stdout=subprocess.DEVNULL)


def test_rows_in_the_way_are_named_on_request(tmp_path):
    data = tmp_path / "xor.csv"
    data.write_text("0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    plain = CliRunner().invoke(main, ["certify", str(data)])
    assert plain.exit_code == 1
    assert "--removal" in plain.output
    asked = CliRunner().invoke(main, ["certify", str(data), "--removal"])
    assert asked.exit_code == 1
    assert "Without 1 of the rows" in asked.output


def test_lines_of_rows_are_named_and_shown(folder):
    (folder / "no.svm").write_text("# a comment\n+1 1:1 # \x1b[31m\nwrong 1:x\n\n-1 1:2\n+1 1:3\n")
    certify = ["certify", "no.svm", "--skip-bad-lines", "--out", "proof.json"]
    result = summary(run(*certify).stdout)["Result"]
    assert result.endswith("\nIn no.svm: row 0 (line 2), row 1 (line 5), row 2 (line 6). --show-rows prints them.")
    shown = run(*certify, "--show-rows", "--removal").stdout
    assert "  row 0 (line 2), multiplier 1: +1 1:1 # \\x1b[31m\n" in shown
    assert "  row 1 (line 5), multiplier 2: -1 1:2\n" in shown
    assert "  row 2 (line 6), multiplier 1: +1 1:3\n" in shown
    assert summary(shown)["Removal"].splitlines()[-2] == "In no.svm:"
    (folder / "clean.svm").write_text((folder / "no.svm").read_text().replace("wrong 1:x\n", ""))
    for way in ([], ["--fast"]):
        assert "row 1 (line 4)" in run("verify", "proof.json", "clean.svm", *way).stdout
    refused(run(*certify, "--show-rows", "--json"), "--show-rows", "--json")
    assert "row" not in run("certify", "yes.svm", "--show-rows").stdout.replace("rows", "")


def test_lines_of_standard_input_and_of_files_without_lines(folder):
    assert "line" not in run("certify", "-", input=INSEPARABLE).stdout
    assert "In standard input:\n          row 0 (line 1), multiplier 1: +1 1:1\n" in (
        run("certify", "-", "--show-rows", input=INSEPARABLE).stdout
    )
    np.savez(folder / "no.npz", X=[[1], [2], [3]], y=[1, -1, 1])
    assert "line" not in run("certify", "no.npz").stdout
    assert "The rows have no lines to show:\n          row 0, multiplier 1\n" in run("certify", "no.npz", "--show-rows").stdout


def test_many_lines_and_long_ones_are_cut(folder):
    (folder / "long.csv").write_text("x,note,kind\n" + "".join(f'{k},"{"n" * 500}",{"ab"[k % 2]}\n' for k in range(60)))
    removed = run("certify", "long.csv", "--show-rows", "--removal").stdout
    lines = [line.strip() for line in removed.splitlines() if line.strip().startswith("row ")]
    assert max(map(len, lines)) < 250
    assert all(line.endswith("n…") for line in lines)
    assert "… and " in removed
    named = run("certify", "long.csv", "--removal").stdout.rpartition("In long.csv: ")[2]
    assert named.count("(line ") == 10
    assert ", … --show-rows prints them." in named


def test_rows_of_many_classes_are_shown_with_their_rivals(folder):
    (folder / "between.csv").write_text("a,kind\n0,x\n2,x\n1,y\n9,z\n")
    shown = run("certify", "between.csv", "--multiclass", "direct", "--show-rows").stdout
    assert "  row 0 (line 2), multiplier 1 against 'y': 0,x\n" in shown
    assert "  row 2 (line 4), multiplier 2 against 'x': 1,y\n" in shown


def test_what_is_being_done_is_told_on_a_terminal_and_nowhere_else(folder, monkeypatch):
    told = []
    monkeypatch.setattr("novikoff.learning.progress.Working.tell", lambda self, doing: told.append(doing))
    assert "pass" not in run("certify", "yes.svm").stderr
    monkeypatch.setattr("novikoff.cli.certify.on_terminal", lambda: True)
    run("certify", "yes.svm", "--json")
    run("certify", "yes.svm", "--quiet")
    assert not told
    run("certify", "yes.svm")
    assert any("mistakes" in doing for doing in told)


def test_quiet_prints_nothing_and_still_answers(folder):
    result = run("certify", "no.svm", "--quiet", "--out", "proof.json")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "")
    assert (folder / "proof.json").exists()


@pytest.mark.parametrize("where", ["passes", "anywhere"])
def test_ctrl_c_ends_the_search_with_a_sentence(where, folder, monkeypatch):
    """Also in the passes of the perceptron, which end with what they have learned."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    if where == "passes":
        monkeypatch.setattr(Learner, "fit", lambda *args, **how: SimpleNamespace(stop_reason=StopReason.INTERRUPTED))
    else:
        monkeypatch.setattr(separability, "separate", interrupted)
    result = run("certify", "yes.svm", "--out", "proof.json")
    assert result.exit_code == 130
    assert result.output == "novikoff: interrupted; the question is not decided, and proof.json was not written\n"
    assert not (folder / "proof.json").exists()
