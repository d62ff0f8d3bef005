"""What is printed of data and files has no control characters, and an answer is one line."""

import json
import re

import pytest
from calling import done, run
from hypothesis import given
from hypothesis import strategies as st

from novikoff.foundation.printable import as_field, printable, printable_lines

HOSTILE = [
    "\x1b[2Jred",
    "two\nlines",
    "tab\there",
    "x\ry",
    "\x07bell",
    "\x9b31m",
    "\u202egpj.exe",
    "a\u2028b",
    "\x7fd",
    '"quoted"',
    "C:\\new",
    "ü",
]
RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@given(st.text())
def test_what_is_printed_has_no_control_characters_and_a_field_can_be_read_back(text):
    assert not RAW.search(printable(text) + as_field(text))
    assert "\n" not in printable(text) + as_field(text)
    assert not RAW.search(printable_lines(text).replace("\t", ""))
    field = as_field(text)
    assert (json.loads(field) if field.startswith('"') else field) == text


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def clean(result):
    """Lines of text, of what is printed."""
    assert not RAW.search((result.stdout + result.stderr).replace("\t", "")), (result.stdout, result.stderr)
    return result


def test_labels_and_names_of_data(here):
    rows = [{"features": {f"f{label}": 3, label: k % 2}, "label": label} for k, label in enumerate(HOSTILE * 3)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (here / "a.jsonl").write_text(text)
    (here / "strange.jsonl").write_text(text + json.dumps({"features": {}, "label": "\x1b]0;never\x07"}) + "\n")
    done("fit", "a.jsonl", "-o", "m.nvk", "-q", "--rule", "rosenblatt", "--passes", "100")
    for args in (
        ["fit", "a.jsonl"],
        ["fit", "a.jsonl", "--json"],
        ["learn", "a.jsonl", "-m", "l.nvk"],
        ["score", "strange.jsonl", "-m", "m.nvk"],
        ["score", "strange.jsonl", "-m", "m.nvk", "--json"],
        ["inspect", "m.nvk", "--top", "50"],
        ["inspect", "m.nvk", "--text"],
        ["inspect", "m.nvk", "--json"],
    ):
        assert clean(run(*args)).exit_code == 0
    assert len(run("score", "strange.jsonl", "-m", "m.nvk").stdout.splitlines()) == 7 + len(HOSTILE)
    for args in (
        ["certify", "a.jsonl"],
        ["certify", "a.jsonl", "--class", "no\x1b"],
        ["fit", "no\x1b.svm"],
        ["fit", "a.jsonl", "--rule", "\x1b"],
    ):
        assert clean(run(*args)).exit_code == 3
    clean(run("certify", "a.jsonl", "--class", HOSTILE[0]))
    for more in ([], ["--scores"], ["--sigma", "0"], ["--json"]):
        lines = clean(run("predict", "a.jsonl", "-m", "m.nvk", *more)).stdout.split("\n")[:-1]
        assert len(lines) == len(rows)
    lines = done("predict", "a.jsonl", "-m", "m.nvk").split("\n")[:-1]
    assert [json.loads(line) if line.startswith('"') else line for line in lines] == [row["label"] for row in rows]


def test_names_of_files(here):
    (here / "a.svm").write_text("1 1:1\n-1 1:-1\n" * 3)
    name = "red\x1b[31m\nfile"
    (here / "bad.svm").write_text("1 1:1\n-1 1:\x1bx\n1 1:2\n-1 1:-2\n")
    (here / f"{name}.svm").write_text("1 1:1\n-1 1:-1\n")
    (here / "mail").mkdir()
    (here / "mail" / f"{name}.eml").write_text("Subject: a\n\nb\n")
    for code, args in (
        (0, ["fit", "a.svm", "-o", name]),
        (0, ["learn", "a.svm", "-m", name]),
        (0, ["convert", "a.svm", f"{name}.nvkd"]),
        (0, ["fit", "bad.svm", "--skip-bad-lines"]),
        (3, ["fit", "bad.svm"]),
        (3, ["fit", f"{name}.none"]),
        (3, ["inspect", f"{name}.svm"]),
        (0, ["mail", "learn", "--ham", "mail", "--spam", "mail", "-m", f"{name}.mail"]),
        (1, ["mail", "classify", "-m", f"{name}.mail", "mail", "mail"]),
    ):
        found = clean(run(*args))
        assert found.exit_code == code, found.output
        assert not any(line.startswith("file") for line in (found.stdout + found.stderr).splitlines())


MPS = """ROWS
 N cost
 G row
COLUMNS
 x row 1
 m 'MARKER' 'INTORG'
 y row 1
 m 'MARKER' 'INTEND'
 z row 1
 v row 1
 w row 1
RHS
 r row 1
BOUNDS
 BV b z
 LI b v 0
 UP b w 7
ENDATA
"""


def test_verify_says_that_integers_are_treated_as_continuous_as_solve_does(here):
    (here / "a.mps").write_text(MPS)
    solved = run("solve", "a.mps")
    assert (solved.exit_code, solved.stderr) == (0, "novikoff: 3 integer columns are treated as continuous\n")
    for more in ([], ["--fast"]):
        verified = run("verify", "a.solution.json", "a.mps", *more)
        assert (verified.exit_code, verified.stderr) == (0, solved.stderr)
    (here / "b.mps").write_text(re.sub(" m .*\n| BV .*\n| LI .*\n", "", MPS))
    done("solve", "b.mps")
    assert run("verify", "b.solution.json", "b.mps").stderr == ""
