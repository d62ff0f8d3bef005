"""report, and fit --report: as a user would call them, and as a user would get them wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from calling import done, refused, rows, run, summary

from html_pages import taken_apart
from model_files import rewritten
from novikoff.models.model import load


def page_at(place):
    return taken_apart(Path(place).read_text("utf-8"))


def test_a_report_has_the_numbers_of_score_and_inspect(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    assert done("report", "model.nvk", "test.svm", "-o", "page.html") == "Report  page.html\n"
    page, scores = page_at("page.html"), json.loads(done("score", "test.svm", "-m", "model.nvk", "--json"))
    assert f"an accuracy of {scores['accuracy']:.4f} on these rows" in page.words()
    assert [[cell.numbers[0] for cell in line[1:]] for line in page.table("Confusion matrix")] == scores["confusion"]
    assert [line[2].numbers[0] for line in page.table("By class")] == scores["precision"]
    assert [line[4].numbers[0] for line in page.table("By class")] == scores["f1"]
    found = json.loads(done("inspect", "model.nvk", "--json", "--top", "20"))
    told = [(line[0].text, line[1].numbers[0]) for line in page.table("Above 0 for 1, below 0 for -1")]
    assert told == [(one["feature"], one["weight"]) for one in found["largest"][0]]
    assert "novikoff fit train.svm -o model.nvk -q" in page.words()
    assert found["run"]["files"] == ["train.svm"]
    certificate = load("model.nvk").certificates[0]
    assert certificate.data.fingerprint in page.words()
    for what, version in found["run"]["made_with"].items():
        assert f"{what} {version}" in page.words()


def test_fit_reports_on_what_it_learned_from(here):
    said = done("fit", "train.svm", "--report", "page.html", "--rule", "rosenblatt", "--readout", "last", "--passes", "3")
    assert summary(said)["Report"] == "page.html"
    page = page_at("page.html")
    assert "These are the rows that the model learned from." in page.words()
    assert "With hinge losses of" in page.words()
    assert [line[0].text for line in page.table("Each pass")] == ["1", "2", "3"]
    done("fit", "train.svm", "-o", "model.nvk", "-q", "--rule", "rosenblatt", "--readout", "last", "--passes", "3")
    done("report", "model.nvk", "train.svm", "-o", "again.html")
    again = page_at("again.html")
    assert "These are the rows that the model learned from." in again.words()
    for table in ("Each pass", "By class", "Confusion matrix", "Wrong by the most"):
        assert again.table(table) == page.table(table)
    assert json.loads(done("fit", "train.svm", "--report", "page.html", "--json"))["report"] == "page.html"


def test_data_that_is_not_held(here):
    done("fit", "train.svm", "--report", "page.html", "-q", "--memory", "1K", "-o", "model.nvk")
    words = page_at("page.html").words()
    assert "the rows were shuffled in pieces, whose numbers are not those in the files" in words
    assert "needs the training rows" in words
    given = "-q", "--rule", "arow", "--order", "given"
    done("fit", "train.svm", "--report", "given.html", "--memory", "1K", *given, "-o", "given.nvk")
    done("fit", "train.svm", *given, "-o", "held.nvk")
    assert load("given.nvk").run["hardest"] == load("held.nvk").run["hardest"]
    assert load("given.nvk").run["radius"] == load("held.nvk").run["radius"]
    assert load("given.nvk").run["each_pass"][0][1:4] == load("held.nvk").run["each_pass"][0][1:4]


def test_what_came_through_a_pipe_is_gone(here):
    done("fit", "-", "--format", "svmlight", "--report", "page.html", "-q", "--passes", "1", "--order", "given", input=rows(0))
    assert "No labelled rows were given" in page_at("page.html").words()


LEARNED, SAME = "These are the rows that the model learned from.", "Whether the rows are the same was not checked."


def told_of(*files, model="model.nvk", **more):
    done("report", model, *files, "-o", "page.html", **more)
    words = page_at("page.html").words()
    return (LEARNED in words, SAME in words, "on the rows it learned from" in words)


def test_rows_are_those_learned_from_only_where_that_is_known(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    for same in ("train.svm", "./train.svm", str(here / "train.svm"), "tra*.svm"):
        assert told_of(same) == (True, False, True)
    (here / "copy.svm").write_text(rows(0))
    assert told_of("copy.svm") == (True, False, True)
    assert told_of("test.svm") == (False, False, False)
    (here / "train.svm").write_text(rows(1))  # as many rows, and others
    assert told_of("train.svm") == (False, False, False)
    done("fit", "-", "--format", "svmlight", "-q", "-o", "piped.nvk", input=rows(0))
    assert told_of("-", "--format", "svmlight", model="piped.nvk", input=rows(1)) == (False, False, False)
    assert told_of("-", "--format", "svmlight", model="piped.nvk", input=rows(0)) == (False, False, False)


def test_of_data_without_a_fingerprint_no_more_is_said_than_was_looked_at(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q", "--passes", "1", "--order", "given")
    assert not load("model.nvk").certificates[0].data.fingerprint
    for same in ("train.svm", "./train.svm", "tra*.svm"):
        assert told_of(same) == (False, True, False)
    assert told_of("test.svm") == (False, False, False)
    (here / "train.svm").write_text(rows(0, 299))
    assert told_of("train.svm") == (False, False, False)


def test_what_may_change_a_verdict_depends_on_what_was_asked(here):
    (here / "ray.csv").write_text("x,y,label\n1,0,a\n2,0,b\n3,1,b\n")
    done(
        "fit",
        "ray.csv",
        "--no-prepare",
        "--no-intercept",
        "--report",
        "page.html",
        "-q",
        "--rule",
        "rosenblatt",
        "--order",
        "given",
        "--passes",
        "50",
    )
    words = page_at("page.html").words()
    assert "It is proved that no straight boundary through the origin gets all training rows right." in words
    assert "other features, a bias, a kernel or other labels for some of these rows may." in words
    assert "No other rule, order, number of passes or program can change this" in words
    (here / "same.csv").write_text("x,y,label\n1,0,a\n1,0,b\n3,1,b\n")
    done(
        "fit",
        "same.csv",
        "--no-prepare",
        "--report",
        "page.html",
        "-q",
        "--rule",
        "rosenblatt",
        "--order",
        "given",
        "--passes",
        "50",
    )
    words = page_at("page.html").words()
    assert "It is proved that no straight boundary gets all training rows right." in words
    assert "other features, a kernel or other labels" in words


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": 3, "command": [1, 2], "reading": [1]},
        {"files": {"a": 1}, "command": "novikoff", "reading": {"label": ["x"], "categories": 7, "bits": [3]}},
        {"each_pass": [[1, 2]], "hardest": [[1]], "kept": "many", "made_with": ["a"]},
        {"each_pass": 5, "hardest": {"a": 2}, "radius": "wide", "seconds": "long", "stop_reason": ["clean pass"]},
        {"each_pass": [["1", None, 2, 3, 4.0]] * 3, "errors": "none", "skipped_lines": [1], "entries": {}, "how": 8, "rows": "x"},
        {"estimator": [1], "call": 7, "seconds": -1.0, "radius": -1.0},
    ],
)
def test_a_file_that_says_anything_of_its_run_has_what_is_not_understood_left_out(here, wrong):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    changed = rewritten(Path("model.nvk").read_bytes(), lambda document, *_: document["run"].update(wrong))
    Path("crafted.nvk").write_bytes(changed)
    done("report", "crafted.nvk", "test.svm", "-o", "page.html")
    page = page_at("page.html")
    assert "rows correctly" in page.words()
    if "each_pass" in wrong:
        assert "has no record of its passes" in page.words()


def test_text_kernels_and_many_classes(here):
    lines = [f"{'spam' if k % 3 else 'ham'}\t{'cheap pills' if k % 3 else 'dear friend'} <b>{k}</b>\n" for k in range(60)]
    (here / "mail.text").write_text("".join(lines))
    done("fit", "mail.text", "-o", "text.nvk", "-q", "--bits", "12")
    done("report", "text.nvk", "mail.text", "-o", "text.html")
    page = page_at("text.html")
    assert {"cheap", "dear"} <= {line[0].text for line in page.table("Above 0 for spam")}
    assert "novikoff certify mail.text --bits 12" in page.words()
    done("fit", "train.svm", "--kernel", "rbf", "--gamma", "0.5", "--report", "kernel.html", "-q", "--passes", "2")
    words = page_at("kernel.html").words()
    assert "has no weights of features" in words
    assert "novikoff certify train.svm --kernel rbf --gamma 0.5 --out proof.json" in words
    (here / "three.csv").write_text("a,b,kind\n" + "".join(f"{k % 3},{k % 7},{'xyz'[k % 3]}\n" for k in range(60)))
    for how in ("ovr", "direct"):
        done("fit", "three.csv", "--multiclass", how, "--report", f"{how}.html", "-q")
        assert len(page_at(f"{how}.html").table("Confusion matrix")) == 3
    assert "novikoff certify three.csv --label kind --multiclass direct --out proof.json" in page_at("direct.html").words()


def test_the_commands_that_check_the_verdict_do(here):
    (here / "clean.svm").write_text(rows(0, 60, noise=0.0))
    done("fit", "clean.svm", "--report", "page.html", "-q")
    words = page_at("page.html").words()
    assert "novikoff certify clean.svm --out proof.json" in words
    assert "novikoff verify proof.json clean.svm" in words
    done("certify", "clean.svm", "--out", "proof.json")
    done("verify", "proof.json", "clean.svm")


def test_a_report_without_rows(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    done("report", "model.nvk", "-o", "page.html")
    assert "No labelled rows were given" in page_at("page.html").words()


def test_an_interrupted_fit_is_reported_on(here):
    (here / "big.svm").write_text(rows(0, 20_000, noise=3.0))
    command = [sys.executable, "-m", "novikoff", "fit", "big.svm", "--passes", "1000000", "--report", "page.html"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(12)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "it was interrupted" in page_at("page.html").words()


def test_refusals(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    (here / "wrong.svm").write_text("1 1:x\n")
    (here / "table.csv").write_text("a,b,label\n1,2,1\n")
    (here / "empty.svm").write_text("")
    before = sorted(here.iterdir())
    refused(run("report", "model.nvk", "none.svm", "-o", "page.html"), "none.svm")
    refused(run("report", "none.nvk", "test.svm", "-o", "page.html"), "none.nvk: cannot be read")
    refused(run("report", "test.svm", "test.svm", "-o", "page.html"), "this is not a model")
    refused(run("report", "model.nvk", "test.svm"), "--out")
    refused(run("report", "model.nvk", "test.svm", "-o", "nowhere/page.html"), "the folder nowhere does not exist")
    refused(run("report", "model.nvk", "test.svm", "-o", "."), "is a folder")
    refused(run("report", "model.nvk", "test.svm", "-o", "test.svm"), "is an input file")
    refused(run("report", "model.nvk", "test.svm", "-o", "model.nvk"), "is an input file")
    refused(run("report", "model.nvk", "wrong.svm", "-o", "page.html"), "wrong.svm:1", "is not a number")
    refused(
        run("report", "model.nvk", "table.csv", "-o", "page.html"),
        "has named features, but the model has numbered features",
    )
    refused(run("report", "model.nvk", "empty.svm", "-o", "page.html"), "empty.svm")
    refused(run("fit", "train.svm", "--report", "nowhere/page.html"), "the folder nowhere does not exist")
    refused(run("fit", "train.svm", "--report", "train.svm"), "is an input file")
    refused(run("fit", "train.svm", "-o", "new.nvk", "--report", "new.nvk"), "new.nvk")
    assert sorted(here.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_cannot_be_written_to(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    (here / "closed").mkdir(mode=0o500)
    refused(run("report", "model.nvk", "test.svm", "-o", "closed/page.html"), "cannot be written there")


def test_what_is_missing_is_named_before_the_work(here, monkeypatch):
    monkeypatch.setattr("novikoff.reporting.find_spec", lambda name: None)
    refused(run("fit", "none.svm", "--report", "page.html"), "pip install 'novikoff[plot]'")
