"""report, and fit --report: as a user would call them, and as a user would get them wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from calling import done, refused, rows, run

from novikoff.models import load
from pages import taken_apart


def page_at(place):
    return taken_apart(Path(place).read_text("utf-8"))


def test_a_report_has_the_numbers_of_score_and_inspect(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    assert done("report", "model.nvk", "test.svm", "-o", "page.html") == "The report is in page.html.\n"
    page, scores = page_at("page.html"), json.loads(done("score", "test.svm", "-m", "model.nvk", "--json"))
    assert f"an accuracy of {scores['accuracy']:.4f} on these rows" in page.words()
    assert [[cell.numbers[0] for cell in line[1:]] for line in page.table("Confusion matrix")] == scores["confusion"]
    assert [line[2].numbers[0] for line in page.table("By class")] == scores["precision"]
    assert [line[4].numbers[0] for line in page.table("By class")] == scores["f1"]
    found = json.loads(done("inspect", "model.nvk", "--json", "--top", "20"))
    told = [(line[0].text, line[1].numbers[0]) for line in page.table("Above 0 for 1, below for -1")]
    assert told == [(one["feature"], one["weight"]) for one in found["largest"][0]]
    assert "novikoff fit train.svm -o model.nvk -q" in page.words()
    assert found["run"]["files"] == ["train.svm"]
    certificate = load("model.nvk").certificates[0]
    assert certificate.data.fingerprint in page.words()
    for what, version in found["run"]["made_with"].items():
        assert f"{what} {version}" in page.words()


def test_fit_reports_on_what_it_learned_from(here):
    said = done("fit", "train.svm", "--report", "page.html", "--rule", "rosenblatt", "--readout", "last", "--passes", "3")
    assert "The report is in page.html." in said
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
    assert "needs the rows that were learned from" in words
    done("fit", "train.svm", "--report", "given.html", "-q", "--memory", "1K", "--order", "given", "-o", "given.nvk")
    done("fit", "train.svm", "-q", "--order", "given", "-o", "held.nvk")
    assert load("given.nvk").run["hardest"] == load("held.nvk").run["hardest"]
    assert load("given.nvk").run["radius"] == load("held.nvk").run["radius"]
    assert load("given.nvk").run["each_pass"][0][1:4] == load("held.nvk").run["each_pass"][0][1:4]


def test_what_came_through_a_pipe_is_gone(here):
    done("fit", "-", "--format", "svmlight", "--report", "page.html", "-q", "--passes", "1", "--order", "given", input=rows(0))
    assert "No labelled rows were at hand" in page_at("page.html").words()


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
    assert "there are no weights of features" in words
    assert "novikoff certify train.svm --kernel rbf --gamma 0.5 --out proof.json" in words
    (here / "three.csv").write_text("a,b,kind\n" + "".join(f"{k % 3},{k % 7},{'xyz'[k % 3]}\n" for k in range(60)))
    for how in ("ovr", "direct"):
        done("fit", "three.csv", "--multiclass", how, "--report", f"{how}.html", "-q")
        assert len(page_at(f"{how}.html").table("Confusion matrix")) == 3


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
    assert "No labelled rows were at hand" in page_at("page.html").words()


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
    refused(run("report", "model.nvk", "test.svm", "-o", "nowhere/page.html"), "there is no folder nowhere")
    refused(run("report", "model.nvk", "test.svm", "-o", "."), "is a folder")
    refused(run("report", "model.nvk", "test.svm", "-o", "test.svm"), "is the data itself")
    refused(run("report", "model.nvk", "test.svm", "-o", "model.nvk"), "is the data itself")
    refused(run("report", "model.nvk", "wrong.svm", "-o", "page.html"), "wrong.svm:1", "is not a number")
    refused(run("report", "model.nvk", "table.csv", "-o", "page.html"), "its features are")
    refused(run("report", "model.nvk", "empty.svm", "-o", "page.html"), "empty.svm")
    refused(run("fit", "train.svm", "--report", "nowhere/page.html"), "there is no folder nowhere")
    refused(run("fit", "train.svm", "--report", "train.svm"), "is the data itself")
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
