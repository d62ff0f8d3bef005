"""Help texts and summaries: aligned, coloured on a terminal only, and true."""

import io
import json
import re
import sys

import click
import pytest
from calling import done, rows, run, summary
from hypothesis import given
from hypothesis import strategies as st

from novikoff.cli import main
from novikoff.cli.class_counts import small_classes
from novikoff.cli.help_texts import names
from novikoff.cli.model_lines import certify_command
from novikoff.cli.summary import Summary, count, listed, percent
from novikoff.data.labels import LabelCount
from novikoff.data.readers import Options, formats
from novikoff.engine.kernels import kernels
from novikoff.engine.readouts import readouts
from novikoff.engine.rules import rules


def commands(group=main, path=()):
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_help_texts_are_complete_and_mention_no_function_of_python(command):
    text = done(*command, "--help")
    assert not re.search(r"{\w+}", text)
    assert "`separate`" not in text
    assert "[default" not in text


def test_help_texts_name_what_is_registered():
    assert names("rules") == tuple(rules())
    assert names("readouts") == tuple(readouts())
    assert names("kernels") == tuple(name for name in kernels() if name != "called")
    assert names("formats") == tuple(formats())
    text = " ".join(done("fit", "--help").split())
    for what in ("rules", "readouts", "kernels", "formats"):
        assert ", ".join(names(what)) in text
    assert "(default: arow; margin with a kernel or votes)" in text


@given(st.integers(1, 10**7), st.data())
def test_a_percentage_is_0_or_100_only_if_that_is_exact(whole, data):
    part = data.draw(st.integers(0, whole))
    number = float(percent(part, whole).removesuffix(" %"))
    assert (number == 100) == (part == whole)
    assert (number == 0) == (part == 0)
    assert abs(number - 100 * part / whole) <= 0.05


def test_words_of_a_summary():
    assert [count(n, "row") for n in (0, 1, 1000)] == ["0 rows", "1 row", "1,000 rows"]
    assert count(2, "class", "classes") == "2 classes"
    assert listed(range(3), 2) == "0, 1, …"
    assert listed(["a\x1bb"]) == "a\\x1bb"


def test_a_summary_is_aligned():
    lines = Summary()
    lines.add("Read", "3 rows", seconds=0.051)
    lines.add("Trained", "two\nlines")
    lines.add("Saved", "m.nvk", seconds=1234)
    assert str(lines) == "Read     3 rows    0.05 s\nTrained  two\n         lines\nSaved    m.nvk     1,234.00 s"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize(("variables", "coloured"), [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals(monkeypatch, variables, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"COLUMNS": "40", **variables}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    lines = Summary()
    lines.add("Result", "a text that is longer than the line [bold] of \x1b[31m this terminal", colour="green")
    lines.print()
    printed = terminal.getvalue()
    assert ("\x1b[32m" in printed) == coloured
    assert "\x1b[31m" not in printed
    assert "[bold]" in printed
    assert printed.count("\n") > 1


@pytest.mark.parametrize(
    ("sizes", "small"),
    [
        ([24720, 7841], []),
        ([200, 199, 1], [1]),
        ([75, 74, 1], [1]),
        ([500_000, 400], [400]),
        ([500_000, 600], []),
        ([3, 3, 1], []),
        ([1] * 500, []),
        ([2] * 500 + [1000], []),
        ([10_000] * 10 + [1, 2, 3], [1, 2, 3]),
    ],
)
def test_which_classes_are_small(sizes, small):
    counts = {k: LabelCount(rows, "a", 0) for k, rows in enumerate(sizes)}
    assert [counted.rows for counted in small_classes(counts).values()] == small


def with_a_typo(here):
    lines = rows(0).splitlines(keepends=True)
    lines[7] = "11" + lines[7][lines[7].index(" ") :]
    (here / "typo.svm").write_text("# a comment\n" + "".join(lines))


WARNING = "class 11 has only 1 of 300 rows (first: row 7 of typo.svm, counted from 0); check the labels for typos\n"


@pytest.mark.parametrize(
    "args",
    [
        ["fit"],
        ["fit", "--json"],
        ["fit", "--order", "given", "--passes", "1"],
        ["fit", "--memory", "1K"],
        ["fit", "--memory", "1K", "--order", "given"],
        ["learn", "-m", "new.nvk"],
        ["certify", "--class", "11"],
    ],
    ids=" ".join,
)
def test_a_typo_in_a_label_is_named(here, args):
    with_a_typo(here)
    found = run(args[0], "typo.svm", *args[1:])
    assert found.exit_code in (0, 1)
    assert found.stderr == f"novikoff: warning: {WARNING}"
    if "--json" not in args:
        assert run(args[0], "train.svm", *args[1:-1] if "11" in args else args[1:], *["1"] * ("11" in args)).stderr == ""


def test_a_typo_in_a_label_is_named_by_what_it_stops(here):
    with_a_typo(here)
    assert run("certify", "typo.svm").stderr.endswith(f"with --multiclass direct; {WARNING}")
    assert "class 11 has only 1 of 300 rows" in run("convert", "typo.svm", "typo.nvkd").stderr
    done("convert", "typo.svm", "again.nvkd", "-q")
    assert "class 11" in run("fit", "again.nvkd", "--memory", "1").stderr
    assert run("fit", "typo.svm", "-q").output == ""


def test_labels_that_are_written_in_several_ways_are_counted_together(here):
    (here / "ways.svm").write_text("+1 1:1\n1 1:2\n1.0 1:3\n-1 1:-1\n")
    assert "2 classes (-1: 1, 1: 3)" in done("fit", "ways.svm")


def test_proofs_of_many_classes_are_grouped(here):
    (here / "many.svm").write_text(rows(3, classes=[str(k) for k in range(12)], n=600))
    found = summary(done("fit", "many.svm", "--multiclass", "ovr"))
    assert found["Proof"].count("not decided by this run") == 1
    assert "Undecided" not in found["Proof"]
    assert "`novikoff certify many.svm --class LABEL`" in found["Proof"]
    command = found["Proof"].split("`")[1].replace("LABEL", "3").split()
    assert run(*command[1:], "--budget", "5").exit_code in (0, 1, 2)  # it exists, and answers
    assert "12 classes" in found["Read"]
    (here / "far.svm").write_text("".join(f"{k} {k + 1}:1\n" for k in range(3)) * 3)
    found = summary(done("fit", "far.svm", "--rule", "rosenblatt", "--passes", "50"))
    assert found["Proof"] == "separable from the rest: all 3 classes (0, 1, 2)"
    assert found["Result"] == "the last weights have all 9 training rows right (clean pass); always '0': 33.3 %"


def test_the_command_that_decides_reads_the_files_in_the_same_way(here):
    options = Options(label="kind of", zero_based=False, categories=("a", "b"), skip_bad_lines=True, bits=18)
    kernel = {"kernel": "poly", "degree": 2, "gamma": None, "coef0": None, "intercept": False}
    assert certify_command(["a.csv"], options, kernel, of_class=True) == (
        "novikoff certify a.csv --label 'kind of' --categories a,b --one-based --skip-bad-lines --bits 18 "
        "--kernel poly --degree 2 --no-intercept --class LABEL"
    )
    assert certify_command(["a", "b"], Options(), {}, of_class=False) == "novikoff certify DATA"
    command = summary(done("fit", "train.svm", "--one-based"))["Proof"].split("`")[1]
    assert run(*command.split()[1:]).exit_code in (0, 1)


def test_keys_of_json_stay(here):
    found = json.loads(done("fit", "train.svm", "-o", "m.nvk", "--json"))
    run_of_training = "classes each_pass entries errors features files hardest how kept made_with radius reading rows seconds"
    settings = "command kernel mistakes mistakes_in_last_pass order passes readout rule skipped_lines stop_reason stored updates"
    assert sorted(found) == sorted(f"{run_of_training} {settings} confidence certificates model report".split())
    assert sorted(json.loads(done("learn", "train.svm", "-m", "m.nvk", "--json"))) == ["classes", "features", "model", "rows"]
