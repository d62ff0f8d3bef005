"""fit, predict, score, learn, inspect, convert: as a user would call them, and as a user would get them wrong."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time

import fsspec
import numpy as np
import pytest
import zstandard
from calling import done, rows, run, summary
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score

import novikoff
from novikoff import AROW, MarginPerceptron
from novikoff.cli import main
from novikoff.data import sources
from novikoff.models.model import load


def test_from_a_file_to_a_model_to_answers(here):
    said = done("fit", "train.svm", "-o", "model.nvk")
    assert "300 rows, 6 features" in said
    assert re.search(r"arow rule.* confidence, last weights, [0-9]+ shuffled passes", said)
    assert list(summary(said)) == ["Read", "Trained", "Updates", "Result", "Proof", "Saved"]
    assert "decided" in said or "Separable" in said
    by_hand = AROW()
    model = load("model.nvk")
    assert model.learner.classes.tolist() == [-1, 1]
    test = novikoff.open("test.svm").read()
    labels = done("predict", "test.svm", "-m", "model.nvk").split()
    assert labels == [str(label) for label in model.labels(test.X).tolist()]
    figures = json.loads(done("score", "test.svm", "-m", "model.nvk", "--json"))
    answers = np.array([int(label) for label in labels])
    assert figures["accuracy"] == (answers == test.y).mean() > 0.85
    assert figures["confusion"] == confusion_matrix(test.y, answers).tolist()
    assert figures["precision"][1] == pytest.approx(precision_score(test.y, answers))
    assert figures["recall"][1] == pytest.approx(recall_score(test.y, answers))
    assert figures["macro_f1"] == pytest.approx(f1_score(test.y, answers, average="macro"))
    values, counts = np.unique(test.y, return_counts=True)
    assert figures["baseline"] == {"label": int(values[counts.argmax()]), "accuracy": counts.max() / len(test.y)}
    assert [one["label"] for one in figures["by_class"]] == figures["classes"] == [-1, 1]
    assert [one["rows"] for one in figures["by_class"]] == counts.tolist()
    assert [one["f1"] for one in figures["by_class"]] == figures["f1"]
    told = summary(done("score", "test.svm", "-m", "model.nvk"))
    assert list(told) == ["Accuracy", "Macro", "Baseline", "Wrong", "Classes"]
    assert told["Accuracy"].startswith(f"{figures['accuracy']:.4f} ")
    assert told["Macro"].split() == ["F1", f"{figures['macro_f1']:.4f}"]
    assert told["Baseline"] == f"always '{figures['baseline']['label']}': {figures['baseline']['accuracy']:.4f}"
    assert by_hand.max_iter is None
    assert by_hand.readout == model.learner.readout == "last"


def test_many_classes_have_a_line_each_and_the_largest_come_first(here):
    for classes, lines in ((8, 8), (9, 9), (45, 40)):
        labels = [f"class{k}" for k in range(classes) for _ in range(k + 1)]
        text = "".join(f"{label} {label[5:]}:1\n" for label in labels)
        (here / "many.svm").write_text(text)
        done("fit", "many.svm", "-o", "many.nvk", "-q")
        (here / "test.svm").write_text(text + "class0 1:1\n")
        told = summary(done("score", "test.svm", "-m", "many.nvk"))["Classes"].split("\n")
        if classes == 8:
            assert told[0].split()[:2] == ["label", "\\"]
            assert told[0].split()[3:-2] == [f"class{k}" for k in range(8)]
            continue
        assert told[0].split() == ["label", "rows", "precision", "recall", "F1"]
        assert [line.split()[:2] for line in told[1 : min(lines, classes - 2) + 1]] == [
            [f"class{k}", str(k + 1)] for k in range(classes - 1, 1, -1)
        ][:lines]
        assert told[lines + 1 :] == (["… and 5 more"] if classes == 45 else [])
        assert max(map(len, told)) < 60
        test, figures = novikoff.open("test.svm").read(), json.loads(done("score", "test.svm", "-m", "many.nvk", "--json"))
        answers = done("predict", "test.svm", "-m", "many.nvk").split()
        assert figures["macro_f1"] == pytest.approx(f1_score(test.y, answers, average="macro"))


def test_a_model_that_is_no_better_than_one_answer_is_told_so(here):
    rows = [("ham", 1)] * 7 + [("spam", 1)] * 2 + [("spam", 2)]
    (here / "a.svm").write_text("".join(f"{label} 1:{value}\n" for label, value in rows))
    flags = ["--rule", "rosenblatt", "--readout", "last", "--order", "given", "--passes", "1"]
    said = summary(done("fit", "a.svm", "-o", "m.nvk", "--balanced"))
    assert re.search(r"right \([0-9]+ wrong\); (always|no better than always answering) 'ham': 70.0 %", said["Result"])
    (here / "b.svm").write_text("spam 1:1\n" * 3 + "ham 1:1\n" * 2)
    done("fit", "a.svm", "-o", "m.nvk", *flags)
    model = load("m.nvk")
    answer = model.labels(np.ones((1, 1)))[0]
    (here / "c.svm").write_text(f"{answer} 1:1\n" * 3 + "ham 1:1\n" * 2 + "spam 1:1\n" * 2)
    told = summary(done("score", "c.svm", "-m", "m.nvk"))
    assert told["Baseline"] == f"always '{answer}': 0.7143; the model is no better than always answering that"
    (here / "one.svm").write_text(f"{answer} 1:1\n" * 3)
    assert summary(done("score", "one.svm", "-m", "m.nvk"))["Baseline"] == f"always '{answer}': 1.0000"


def test_the_command_fits_what_the_estimator_fits(here):
    """Same rule, readout, order and number of passes; and the same weights, given the same shuffling."""
    X, y, *_ = novikoff.open("train.svm").read()
    done("fit", "train.svm", "-o", "margin.nvk", "--rule", "margin", "--order", "given")
    assert (load("margin.nvk").learner.weights()[:, :-1] == MarginPerceptron(order="given").fit(X, y).coef_).all()
    done("fit", "train.svm", "-o", "model.nvk", "--order", "given")
    learner = load("model.nvk").learner  # of the settings that were chosen
    same = AROW(learner.rule.r, learner.confidence, multiclass=learner.multiclass, order="given").fit(X, y)
    assert (learner.weights()[:, :-1] == same.coef_).all()
    done("fit", "train.svm", "-o", "arow.nvk", "--order", "given", "--rule", "arow")
    assert (load("arow.nvk").learner.weights()[:, :-1] == AROW(1.0, "diagonal", order="given").fit(X, y).coef_).all()
    done("fit", "train.svm", "-o", "plain.nvk", "--rule", "rosenblatt", "--readout", "last", "--passes", "20", "--order", "given")
    by_hand = novikoff.Perceptron(max_iter=20).fit(X, y)
    assert (load("plain.nvk").learner.weights()[:, :-1] == by_hand.coef_).all()
    assert load("plain.nvk").run["mistakes"] == by_hand.n_mistakes_
    assert [str(c) for c in load("plain.nvk").certificates] == [str(by_hand.certificate_)]


def test_scores_doubt_and_json(here):
    done("fit", "train.svm", "-o", "model.nvk", "-q")
    model, test = load("model.nvk"), novikoff.open("test.svm").read()
    decisions = model.decisions(test.X)
    told = [line.split("\t") for line in done("predict", "test.svm", "-m", "model.nvk", "--scores").splitlines()]
    assert [float(score) for _, score in told] == decisions[:, 0].tolist()
    sure = model.learner.sure(test.X, decisions, 0.3)
    doubtful = done("predict", "test.svm", "-m", "model.nvk", "--sigma", "0.3").split()
    assert [label != "?" for label in doubtful] == sure.tolist()
    assert 0 < sum(sure) < len(sure)
    plain = [json.loads(line) for line in done("predict", "test.svm", "-m", "model.nvk", "--json", "--sigma", "0.3").splitlines()]
    assert [line["sure"] for line in plain] == sure.tolist()
    assert [line["scores"][0] for line in plain] == decisions[:, 0].tolist()


def test_many_classes_and_inspection(here):
    (here / "three.svm").write_text(rows(2, 600, ("cat", "dog", "owl")))
    done("fit", "three.svm", "-o", "three.nvk", "-q")
    figures = json.loads(done("score", "three.svm", "-m", "three.nvk", "--json"))
    assert figures["classes"] == ["cat", "dog", "owl"]
    assert figures["accuracy"] > 0.8
    shown = done("inspect", "three.nvk", "--top", "2")
    assert all(name in shown for name in ("cat: intercept", "dog: intercept", "owl: intercept"))
    plain = json.loads(done("inspect", "three.nvk", "--top", "2", "--json"))
    w = load("three.nvk").learner.weights()[0, :-1]
    largest = np.argsort(-np.abs(w))[:2]
    assert plain["largest"][0] == [{"feature": str(j + 1), "weight": w[j]} for j in largest]
    assert done("inspect", "three.nvk", "--text").count("\n") > 6


def test_learning_online_in_sessions(here):
    for name in ("train.svm", "test.svm"):
        done("learn", name, "-m", "sessions.nvk", "-q")
    done("learn", "train.svm", "test.svm", "-m", "once.nvk", "-q")
    assert (load("sessions.nvk").learner.weights() == load("once.nvk").learner.weights()).all()
    assert load("once.nvk").learner.rows_fed == 600


@pytest.mark.parametrize("classes", [("-1", "1"), ("cat", "dog", "owl")])
def test_progressive_error_is_that_of_answers_before_learning(here, monkeypatch, classes):
    (here / "stream.svm").write_text(rows(3, 200, classes))
    X, y, *_ = novikoff.open("stream.svm").read()
    learner, wrong = novikoff.Perceptron().partial_fit(X[:1], y[:1], classes=np.unique(y)), 1
    for i in range(1, 200):
        zero = len(classes) == 2 and learner.decision_function(X[[i]])[0] == 0
        wrong += zero or learner.predict(X[[i]])[0] != y[i]
        learner.partial_fit(X[[i]], y[[i]])
    args = ["learn", "stream.svm", "-m", "m.nvk", "--progressive", "--json", "--rule", "rosenblatt", "--readout", "last"]
    told = [json.loads(line) for line in done(*args).splitlines()]
    first = 0 if len(classes) > 2 and y[0] == classes[0] else 1  # of equal scores the first class is the answer
    assert told[-1]["progressive_error"] * 200 == pytest.approx(wrong - 1 + first)
    assert [line["rows"] for line in told] == [1, 2, 4, 8, 16, 32, 64, 128, 200]


def test_standard_input_packed_files_and_patterns(here):
    text = rows(0).encode()
    (here / "a.svm.gz").write_bytes(gzip.compress(text[: text.index(b"\n", 4000) + 1]))
    (here / "b.svm.zst").write_bytes(zstandard.compress(text[text.index(b"\n", 4000) + 1 :]))
    done("fit", "*.svm.*", "-o", "both.nvk", "-q", "--order", "given", "--passes", "1")
    done("fit", "-", "-o", "pipe.nvk", "-q", "--order", "given", "--passes", "1", input=text)
    done("fit", "train.svm", "-o", "file.nvk", "-q", "--order", "given", "--passes", "1")
    weights = [load(name).learner.weights() for name in ("both.nvk", "pipe.nvk", "file.nvk")]
    assert (weights[0] == weights[1]).all()
    assert (weights[1] == weights[2]).all()
    assert done("predict", "-", "-m", "file.nvk", input=text) == done("predict", "train.svm", "-m", "file.nvk")
    done("fit", "-", "-o", "shuffled.nvk", "-q", input=text)
    assert load("shuffled.nvk").run["rows"] == 300


def test_every_command_takes_addresses(here):
    """And says of them what it says of the files."""

    def both(*args, code=0, at):
        on_disk, fetched = (done(*args[:at], there + args[at], *args[at + 1 :], code=code) for there in ("", "memory://"))
        assert fetched.replace("memory://", "") == on_disk
        return on_disk

    memory = fsspec.filesystem("memory")
    done("convert", "train.svm", "train.nvkd", "-q")
    (here / "clean.svm").write_text(rows(0, noise=0))
    (here / "cone.csv").write_text("1,2\n3,-4\n")
    (here / "spam.eml").write_text("Subject: hello\n\nworld\n")
    for name in ("train.svm", "test.svm", "train.nvkd", "clean.svm", "cone.csv", "spam.eml"):
        memory.pipe(f"/{name}", (here / name).read_bytes())
    for memory_taken in ("1", "1G"):
        for name in ("train.svm", "train.nvkd"):
            for place, out in (("", "disk.nvk"), ("memory://", "fetched.nvk")):
                done("fit", place + name, "-o", out, "--memory", memory_taken, "--report", "page.html", "-q")
            assert (load("disk.nvk").learner.weights() == load("fetched.nvk").learner.weights()).all()
    assert load("fetched.nvk").run["files"] == ["memory://train.nvkd"]
    both("predict", "test.svm", "-m", "disk.nvk", at=1)
    both("score", "te*.svm", "-m", "disk.nvk", at=1)
    both("certify", "clean.svm", "--out", "proof.json", at=1)
    both("verify", "proof.json", "clean.svm", at=2)
    both("verify", "--fast", "proof.json", "clean.svm", at=3)
    both("report", "disk.nvk", "test.svm", "-o", "page.html", at=2)
    both("solve", "cone.csv", at=1)
    both("verify", "cone.solution.json", "cone.csv", at=2)
    for place, out in (("", "disk.nvk"), ("memory://", "fetched.nvk")):
        os.remove(out)
        done("learn", f"{place}train.svm", "-m", out, "-q")
        done("mail", "learn", "--spam", f"{place}spam.eml", "-m", f"mail-{out}")
        done("convert", f"{place}test.svm", f"{out}d", "-q")
    assert (load("disk.nvk").learner.weights() == load("fetched.nvk").learner.weights()).all()
    assert (here / "disk.nvkd").read_bytes() == (here / "fetched.nvkd").read_bytes()


def test_a_model_is_not_written_over_data_that_was_given_as_an_address(here):
    assert "is an input file" in run("fit", (here / "train.svm").as_uri(), "-o", "train.svm").stderr


def test_the_converted_form_is_as_good(here):
    done("convert", "train.svm", "train.nvkd")
    for name in ("train.svm", "train.nvkd"):
        done("fit", name, "-o", f"{name}.nvk", "-q", "--seed", "5")
    assert (load("train.svm.nvk").learner.weights() == load("train.nvkd.nvk").learner.weights()).all()
    assert done("predict", "train.nvkd", "-m", "train.svm.nvk") == done("predict", "train.svm", "-m", "train.svm.nvk")
    assert run("certify", "train.nvkd", "--out", "p.json").exit_code in (0, 1)
    assert run("verify", "p.json", "train.svm").exit_code == 0


def test_tables_by_name(here):
    (here / "train.csv").write_text(
        "size,colour,kind\n" + "".join(f"{i % 7},{'red' if i % 3 else 'blue'},{'ab'[i % 7 > 3]}\n" for i in range(99))
    )
    (here / "new.csv").write_text("colour,size\nred,6\ngreen,0\n")
    done("fit", "train.csv", "--label", "kind", "-o", "m.nvk", "-q", "--passes", "50")
    assert done("predict", "new.csv", "-m", "m.nvk").split() == ["b", "a"]
    assert "size" in done("inspect", "m.nvk")
    assert json.loads(done("score", "train.csv", "-m", "m.nvk", "--json"))["accuracy"] == 1


def test_bad_lines_stop_the_run_or_are_counted(here):
    (here / "bad.svm").write_text("1 1:1\n-1 12:0.5.1\n-1 1:-1\n")
    found = run("fit", "bad.svm", "-o", "m.nvk")
    assert found.exit_code == 3
    assert 'bad.svm:2: value "0.5.1" of feature 12 is not a number' in found.stderr
    assert not os.path.exists("m.nvk")
    found = run("fit", "bad.svm", "-o", "m.nvk", "--skip-bad-lines")
    assert found.exit_code == 0
    assert "skipped 1 bad line" in found.stderr
    assert "bad.svm:2" in found.stderr
    assert load("m.nvk").run["skipped_lines"] == 1


def test_features_beyond_any_memory_are_compacted(here):
    (here / "far.svm").write_text(f"1 1:1 {2**31 + 5}:1\n-1 1:-1 {2**62}:1\n")
    for extra in ([], ["--order", "given", "--passes", "1"]):
        done("fit", "far.svm", "-o", "far.nvk", "-q", *extra)
        assert load("far.nvk").learner.width == 3
        assert str(2**62) in done("inspect", "far.nvk")
        assert done("predict", "far.svm", "-m", "far.nvk").split() == ["1", "-1"]


MISTAKES = [
    (["fit", "missing.svm"], "missing.svm: cannot be read (No such file or directory)"),
    (["fit", "empty.svm"], "empty.svm: has no rows"),
    (["fit", "one.svm"], "all rows are of class 1; learning needs two classes or more"),
    (["fit", "train.svm", "-o", "nowhere/m.nvk"], "the folder nowhere does not exist"),
    (["fit", "train.svm", "-o", "train.svm"], "is an input file"),
    (["fit", "train.svm", "--rule", "adaline"], "unknown rule; choose one of arow, margin,"),
    (["fit", "train.svm", "--readout", "best"], "the readouts are"),
    (["fit", "train.svm", "--order", "random"], "the orders are"),
    (["fit", "train.svm", "--set", "C=1"], "has no parameter C"),
    (["fit", "train.svm", "--rule", "pa-i", "--set", "C=much"], "is not a number"),
    (["fit", "train.svm", "--rule", "pa-i", "--set", "C=-1"], "must be a positive number"),
    (["fit", "train.svm", "--passes", "0"], "--passes"),
    (["fit", "train.svm", "--memory", "lots"], "write it like 500M"),
    (["fit", "train.svm", "--format", "xml"], "unknown format 'xml'"),
    (["fit", "no*.svm"], "no file matches"),
    (["fit", "."], "is a folder"),
    (["fit", "memory://none.svm"], "memory://none.svm: cannot be read (No such file); check the address"),
    (["fit", "memory://none*.svm"], "memory://none*.svm: no file matches; check the pattern"),
    (["fit", "nowhere://rows.svm"], "nowhere://rows.svm: cannot be read (Protocol not known: nowhere); check the address"),
    (["fit", "train.svm", "-o", "memory://m.nvk"], "memory://m.nvk: the model cannot be written to an address"),
    (["fit", "train.svm", "--report", "memory://r.html"], "the report cannot be written to an address"),
    (["convert", "train.svm", "memory://out.nvkd"], "the converted data cannot be written to an address"),
    (["learn", "train.svm", "-m", "memory://m.nvk"], "the model cannot be written to an address"),
    (["fit"], "Missing argument"),
    (["predict", "test.svm", "-m", "missing.nvk"], "missing.nvk: cannot be read"),
    (["predict", "test.svm", "-m", "train.svm"], "train.svm: this is not a model"),
    (["predict", "test.svm"], "--model"),
    (["score", "empty.svm", "-m", "m.nvk"], "has no rows"),
    (["learn", "broken.svm", "-m", "m.nvk"], "broken.svm:1"),
    (["inspect", "train.svm"], "not a model"),
    (["convert", "train.svm", "out.svm"], "the name must end in .nvkd"),
    (["convert", "missing.svm", "out.nvkd"], "cannot be read"),
]


@pytest.mark.parametrize(("args", "said"), MISTAKES)
def test_mistakes(here, args, said):
    (here / "empty.svm").write_text("")
    (here / "one.svm").write_text("1 1:1\n1 2:1\n")
    (here / "broken.svm").write_text("1 x\n")
    done("fit", "train.svm", "-o", "m.nvk", "-q")
    before = {path: (here / path).read_bytes() for path in os.listdir(here)}
    found = run(*args)
    assert found.exit_code == 3
    assert said in found.stderr
    assert found.stderr.count("\n") == 1
    assert "Traceback" not in found.stderr
    assert {path: (here / path).read_bytes() for path in os.listdir(here)} == before


def test_a_label_that_the_model_never_saw_is_an_error_and_said(here):
    done("fit", "train.svm", "-o", "m.nvk", "-q")
    (here / "strange.svm").write_text("7 1:1\n1 1:1\n")
    assert "1 row with a label that the model never saw" in done("score", "strange.svm", "-m", "m.nvk")
    assert json.loads(done("score", "strange.svm", "-m", "m.nvk", "--json"))["labels_never_seen"] == {"7": 1}


def test_every_command_says_how_it_is_called():
    for name in main.list_commands(None):
        said = done(name, "--help")
        assert "Example" in said, name
    assert "_NOVIKOFF_COMPLETE" in done("completion", "bash")


# ---- as processes ----------------------------------------------------------------------------------------------------


def process(*args, **extra):
    command = [sys.executable, "-m", "novikoff", *map(str, args)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **extra)


def test_no_command_about_files_imports_scikit_learn(here):
    program = """
import sys
from novikoff.cli import main
for args in (["fit", "train.svm", "-o", "m.nvk", "-q"], ["predict", "test.svm", "-m", "m.nvk"],
             ["score", "test.svm", "-m", "m.nvk"], ["learn", "test.svm", "-m", "m.nvk", "-q"],
             ["inspect", "m.nvk"], ["convert", "train.svm", "t.nvkd", "-q"]):
    try:
        main(args)
    except SystemExit as end:
        assert not end.code, args
    assert "sklearn" not in sys.modules, args
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_a_closed_pipe_is_silent_and_nothing_is_coloured(here):
    (here / "long.svm").write_text(rows(5) * 200)
    done("fit", "train.svm", "-o", "m.nvk", "-q")
    with process("predict", "long.svm", "-m", "m.nvk") as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    with process("fit", "train.svm") as running:
        said, complaints = running.communicate()
    assert b"\x1b" not in said + complaints
    assert complaints == b""


def test_what_comes_through_a_pipe_is_learned_as_it_comes_and_kept_after_ctrl_c(here):
    with process("learn", "-", "-m", "m.nvk", "--progressive", env=os.environ | {"PYTHONUNBUFFERED": "1"}) as running:
        running.stdin.write(rows(0).encode())
        running.stdin.flush()
        lines = [running.stdout.readline() for _ in range(9)]
        assert b"256 rows" in lines[-1]
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        complaints = running.stderr.read()
        assert running.wait() == 130
    assert b"interrupted; the model learned so far is in m.nvk" in complaints
    assert load("m.nvk").learner.rows_fed == 300


def test_a_table_through_a_pipe_is_learned_row_by_row(here):
    with process(
        "learn", "-", "--format", "csv", "-m", "m.nvk", "--progressive", env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as running:
        for written, said in ((b"size,kind\n1,a\n", b" 1 rows"), (b"5,b\n", b" 2 rows"), (b"2,a\n4,b\n", b" 4 rows")):
            running.stdin.write(written)
            running.stdin.flush()
            assert said in running.stdout.readline()
        running.stdin.close()
        assert b"Learned  4 rows" in running.stdout.read()
        assert running.wait() == 0


def test_ctrl_c_ends_a_fit_with_what_was_learned(here):
    (here / "hard.svm").write_text("".join(f"{1 - 2 * (i % 2)} 1:{i % 5} 2:{i % 3}\n" for i in range(20_000)))
    program = """
import os, signal, threading
from novikoff.cli import main
from novikoff.learning import pass_driver
orders = pass_driver.orders
def begun(*rest):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    return orders(*rest)
pass_driver.orders = begun
main(["fit", "hard.svm", "-o", "m.nvk", "--rule", "rosenblatt", "--readout", "last", "--passes", "100000000"])
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 130
    assert "Result   interrupted; " in found.stdout
    assert found.stderr == "novikoff: interrupted; the model learned so far is in m.nvk\n"
    assert load("m.nvk").run["stop_reason"] == "interrupted"


def test_reading_in_small_chunks_changes_nothing(here, monkeypatch):
    done("fit", "train.svm", "-o", "whole.nvk", "-q", "--order", "given", "--passes", "1")
    monkeypatch.setattr(sources, "CHUNK", 1000)
    done("fit", "train.svm", "-o", "pieces.nvk", "-q", "--order", "given", "--passes", "1")
    assert (load("whole.nvk").learner.weights() == load("pieces.nvk").learner.weights()).all()


@pytest.mark.parametrize("kind", ["svm", "csv", "jsonl", "vw"])
def test_a_model_answers_the_converted_form_as_the_file(here, kind):
    """Its columns are others than the model's: some are lacking, some are new, and they stand in another order."""
    rng = np.random.default_rng(5)
    for name, own in (("old", ["1", "3", "4"]), ("new", ["4", "2", "3", "1"] if kind == "csv" else ["4", "2", "3"])):
        lines = [",".join([*(f"f{j}" for j in own), "kind"])] if kind == "csv" else []
        for _ in range(40):
            values = {j: round(x, 3) for j, x in zip(own, rng.normal(size=len(own)).tolist(), strict=True)}
            label = "ab"[values["3"] + values["4"] > 0]
            lines.append(
                {
                    "svm": f"{label} " + " ".join(f"{j}:{values[j]}" for j in sorted(own)),
                    "csv": ",".join([*map(str, values.values()), label]),
                    "jsonl": json.dumps({"features": {f"f{j}": x for j, x in values.items()}, "label": label}),
                    "vw": f"{label} |f " + " ".join(f"f{j}:{x}" for j, x in values.items()),
                }[kind]
            )
        (here / f"{name}.{kind}").write_text("\n".join(lines) + "\n")
    done("fit", f"old.{kind}", "-o", "m.nvk", "-q")
    done("convert", f"new.{kind}", "new.nvkd", "-q")
    assert done("predict", "new.nvkd", "-m", "m.nvk", "--scores") == done("predict", f"new.{kind}", "-m", "m.nvk", "--scores")
    assert done("score", "new.nvkd", "-m", "m.nvk") == done("score", f"new.{kind}", "-m", "m.nvk")


UNLABELLED = {  # a row as it is learned from, and as it is to be answered; what stands above the rows
    "svm": [("{0} 1:{1} 2:{2}", "1:{1} 2:{2}"), ("{0} qid:7 1:{1} 2:{2} # said", "qid:7 1:{1} 2:{2} # said")],
    "csv": [("{1},{2},{0}", "{1},{2}"), ("{1},{2},{0}", "{1},{2},")],
    "vw": [("{0} |f a:{1} b:{2}", "|f a:{1} b:{2}"), ("{0} 1 'tag|f a:{1} b:{2}", "'tag|f a:{1} b:{2}")],
    "jsonl": [
        ('{{"features": {{"a": {1}, "b": {2}}}, "label": "{0}"}}', '{{"features": {{"a": {1}, "b": {2}}}}}'),
        ('{{"features": {{"a": {1}, "b": {2}}}, "label": "{0}"}}', '{{"features": {{"a": {1}, "b": {2}}}, "label": null}}'),
    ],
    "text": [("{0}\tword{1} other{2}", "word{1} other{2}")],
}


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize(("kind", "row", "bare"), [(kind, *pair) for kind, pairs in UNLABELLED.items() for pair in pairs])
def test_rows_without_labels_are_answered_as_those_with(here, kind, row, bare, header):
    rng = np.random.default_rng(3)
    values = [(str(label), *rng.integers(1, 20, 2).tolist()) for label in rng.choice(["no", "yes"], 30)]
    top = {"csv": ["a,b,kind"]} if header else {}
    names = {"csv": ["a,b" + ",kind" * (bare.count(",") > 1)]} if header else {}
    for name, form, first in ((f"old.{kind}", row, top), (f"new.{kind}", bare, names)):
        (here / name).write_text("".join(line + "\n" for line in [*first.get(kind, []), *(form.format(*v) for v in values)]))
    done("fit", f"old.{kind}", "-o", "m.nvk", "-q")
    answers = done("predict", f"old.{kind}", "-m", "m.nvk", "--scores")
    assert len(set(answers.splitlines())) > 5
    assert done("predict", f"new.{kind}", "-m", "m.nvk", "--scores") == answers
    known = [] if kind != "text" else ["--format", "text"]
    assert done("predict", "-", "-m", "m.nvk", "--scores", *known, input=(here / f"new.{kind}").read_text()) == answers
    refused = run("score", f"new.{kind}", "-m", "m.nvk")
    assert refused.exit_code == 3
