"""Raw tables and texts on the command line: what is prepared, said, remembered and proved."""

import json
import os
import pty
import random
import re
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from calling import done, refused, run, summary
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff
from novikoff.data.preparer import Wanted
from novikoff.data.readers import Dataset, Options
from novikoff.learning.learner import Learner
from novikoff.models.training import train


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def people(rows=200, seed=0):
    """A table with an id, gaps in both kinds of columns, and numbers of different scales."""
    rng = random.Random(seed)
    lines = ["id,age,wealth,job,same,kind"]
    for k in range(rows):
        age, job = rng.randint(18, 80), rng.choice(["own", "state", "private"])
        kind = "yes" if (age > 45) ^ (job == "own" and rng.random() < 0.8) else "no"
        gaps = rng.random()
        lines.append(
            f"{k},{'' if gaps < 0.1 else age},{rng.randint(1, 10**6)},{'NA' if gaps > 0.9 else job},5,{kind}",
        )
    return "\n".join(lines) + "\n"


def test_what_was_understood_is_said(here):
    (here / "people.csv").write_text(people())
    told = done("fit", "people.csv", "--ignore", "id", "-o", "model")
    lines = people().split("\n")[1:-1]
    age, job = sum(line.split(",")[1] == "" for line in lines), sum(line.split(",")[3] == "NA" for line in lines)
    assert "200 rows, 4 columns (3 numbers, 1 category)" in told
    assert f"age {age}" in told
    assert f"job {job}" in told
    assert "numbers scaled to unit variance, gaps filled with the mean and marked, categories as indicators: 8 features" in told
    assert "same: the same in all rows" in told


def constant_in(path):
    """The features that the summary calls the same in all rows."""
    found = [line for line in done("fit", str(path)).split("\n") if line.startswith("Constant")]
    return found[0].removeprefix("Constant").split(":")[0].strip().split(", ") if found else []


def test_what_is_the_same_in_all_rows_is_named_and_nothing_else(here):
    (here / "table.csv").write_text(
        "a,same,job,none,nothing,half,y\n" + "".join(f"{k},5,own,,?,{'3' * (k % 2)},{'ab'[k % 2]}\n" for k in range(9))
    )
    assert sorted(constant_in("table.csv")) == ["job=own", "none is missing", "nothing is missing", "same"]
    rows = [{"a": k, "same": 5, "zero": 0, "job": "own"} | ({"rare": 2, "rare zero": 0} if k % 3 else {}) for k in range(9)]
    (here / "rows.jsonl").write_text("".join(json.dumps({"features": row, "label": k % 2}) + "\n" for k, row in enumerate(rows)))
    assert sorted(constant_in("rows.jsonl")) == ["job=own", "rare zero", "same", "zero"]
    (here / "rows.svm").write_text("".join(f"{k % 2} 1:{k * 1000 + 1}{' 3:1' * (k % 3 > 0)} 4:2\n" for k in range(9)))
    assert constant_in("rows.svm") == ["4"]


def test_predict_and_score_prepare_as_fit_did_and_reordered_columns_do_no_harm(here):
    (here / "people.csv").write_text(people())
    done("fit", "people.csv", "--ignore", "id", "-o", "model", "-q")
    right = json.loads(done("score", "people.csv", "-m", "model", "--json"))["accuracy"]
    assert right > 0.75
    rows = [line.split(",") for line in people().split("\n")[:-1]]
    (here / "turned.csv").write_text("\n".join(",".join(row[k] for k in (5, 4, 3, 2, 1)) for row in rows) + "\n")
    told = json.loads(done("score", "turned.csv", "-m", "model", "--label", "kind", "--json"))
    assert told["accuracy"] == right
    assert len(done("predict", "people.csv", "-m", "model").split()) == 200


def test_an_id_is_refused_where_nobody_can_be_asked(here):
    (here / "people.csv").write_text(people())
    told = "the column id has another value in each row, as an id has; leave it out with --ignore id, or confirm it with --yes"
    refused(run("fit", "people.csv"), "people.csv", told)
    done("fit", "people.csv", "--yes", "-o", "model")
    (here / "few.csv").write_text(people(49))
    done("fit", "few.csv")


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 3), (b"y\n", 0)])
def test_on_a_terminal_it_asks(here, answer, code):
    (here / "people.csv").write_text(people())
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "novikoff", "fit", "people.csv", "-o", "model"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        told = b""
        while b"Go on? [y/N]:" not in told:
            told += os.read(ours, 1000)
        os.write(ours, answer)
        with suppress(OSError):  # the terminal is closed
            while some := os.read(ours, 1000):
                told += some
        assert running.wait() == code
    os.close(ours)
    assert (here / "model").exists() == (code == 0)


def test_whole_numbers_that_are_all_different_by_chance_are_no_id(here):
    rng = random.Random(0)
    lines = [f"{rng.randint(1, 10**9)},{10**9 - k},{'ab'[k % 2]}" for k in range(100)]
    (here / "rows.csv").write_text("\n".join(["wealth,id,kind", *lines]) + "\n")
    refused(run("fit", "rows.csv"), "the column id")
    done("fit", "rows.csv", "--ignore", "id", "-q")
    (here / "names.csv").write_text("\n".join(["name,size,kind", *(f"n{k},{k % 7},{'ab'[k % 2]}" for k in range(100))]) + "\n")
    refused(run("fit", "names.csv"), "the column name has another value in each row")


def test_a_label_with_very_many_values_is_refused_unless_it_is_named(here):
    lines = ["kind,size,hours", *(f"{'ab'[k % 2]},{k % 7},{k % 90}" for k in range(900))]
    (here / "hours.csv").write_text("\n".join(lines) + "\n")
    refused(run("fit", "hours.csv"), "column hours is taken for the label, and has 90 different values in 900 rows", "--label")
    done("fit", "hours.csv", "--label", "kind", "-q")


def test_missing_adds_texts_and_the_model_remembers_them(here):
    (here / "rows.csv").write_text("size,kind\n1,a\n-,a\n3,b\n4,b\n")
    refused(run("fit", "rows.csv"), "rows.csv:3", "'-' is not a number")
    done("fit", "rows.csv", "--missing", "-", "-o", "model", "-q")
    assert len(done("predict", "rows.csv", "-m", "model").split()) == 4


def test_without_preparation_gaps_are_errors(here):
    (here / "rows.csv").write_text("size,kind\n1,a\n,a\n3,b\n")
    refused(run("fit", "rows.csv", "--no-prepare"), "rows.csv:3")
    refused(run("certify", "rows.csv"), "rows.csv:3")
    (here / "whole.csv").write_text("size,kind\n1,a\n2,a\n3,b\n")
    done("fit", "whole.csv", "--no-prepare", "-o", "model", "-q")
    assert novikoff.load("model").preparer is None


def test_what_is_proved_of_prepared_rows_is_verified_from_the_file(here):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1, 1000, 0.01] + [5, -3000, 0]
    y = np.where((X - [5, -3000, 0]) @ [1, 0.001, 100] > 0, "up", "down")
    far = np.abs((X - [5, -3000, 0]) @ [1, 0.001, 100]) > 0.5
    rows = [f"{a!r},{b!r},{c!r},{kind}" for (a, b, c), kind in zip(X[far].tolist(), y[far], strict=True)]
    (here / "rows.csv").write_text("\n".join(["a,b,c,kind", *rows]) + "\n")
    assert "Separable" in done("fit", "rows.csv", "--rule", "rosenblatt", "--passes", "1000", "--readout", "last", "-o", "model")
    (proof,) = novikoff.load("model").certificates
    proof.save("proof.json")
    assert "holds" in done("verify", "proof.json", "rows.csv")


def test_a_model_is_restored_with_its_preparation(here):
    (here / "people.csv").write_text(people())
    done("fit", "people.csv", "--ignore", "id", "-o", "model", "-q")
    model = novikoff.load("model")
    novikoff.models.model.save(model, "again")
    again = novikoff.load("again")
    data = Dataset("people.csv", Options(prepared=True, ignore=("id",)), model.features).read()
    assert np.array_equal(model.decisions(data.X), again.decisions(data.X))


@pytest.mark.parametrize("kind", ["table", "text"])
@pytest.mark.parametrize("rule", ["arow", "rosenblatt"])
def test_files_in_pieces_give_the_same_model_as_in_memory(here, monkeypatch, kind, rule):
    if kind == "table":
        (here / "rows").write_text(people(3000))
    else:
        rng = random.Random(1)
        words = ["one", "two", "three", "four", "five"]
        lines = [f"{'ab'[k % 2]}\t{' '.join(rng.choices(words, k=5))} {'ax' * (k % 2)}\n" for k in range(3000)]
        (here / "rows").write_text("".join(lines))
    options = Options(prepared=True, format="csv" if kind == "table" else "text", ignore=("id",) if kind == "table" else ())
    made = []
    for memory in (None, 1):
        monkeypatch.setattr("novikoff.data.sources.CHUNK", 2**22 if memory is None else 5000)
        learner = Learner(rule, order="given")
        trained = train(learner, Dataset("rows", options), 3, memory=memory, wanted=Wanted())
        assert (trained.held is None) == (memory == 1)
        made.append(trained)
    whole, pieces = made
    assert np.array_equal(whole.learner.weights(), pieces.learner.weights())
    assert np.array_equal(whole.preparer.found.mean, pieces.preparer.found.mean)


@pytest.mark.parametrize("order", ["given", "each"])
def test_the_whole_table_tells_what_a_column_holds_also_in_pieces(here, monkeypatch, order):
    monkeypatch.setattr("novikoff.data.sources.CHUNK", 5000)
    rows = [f"{k if k < 1500 else 'xyz'[k % 3]},{k % 5 or ''},{'ab'[k % 2]}" for k in range(4000)]
    (here / "rows.csv").write_text("\n".join(["code,size,kind", *rows]) + "\n")
    learner, data = Learner("arow", order=order), Dataset("rows.csv", Options(prepared=True))
    trained = train(learner, data, 2, memory=1, wanted=Wanted())
    assert trained.held is None
    assert {"size", "size is missing", "code=x", "code=7"} <= set(data.features.names)
    assert data.features.numbers.sum() == 1
    assert trained.preparer.found.gaps[data.features.names.index("size")] == 800


@settings(max_examples=10)
@given(st.integers(1, 99))
def test_learning_in_one_go_and_in_pieces_gives_the_same_model(tmp_path_factory, cut):
    here = tmp_path_factory.mktemp("learn")
    head, *lines = people(100).split("\n")[:-1]
    for name, some in (("all", lines), ("first", lines[:cut]), ("then", lines[cut:])):
        (here / f"{name}.csv").write_text("\n".join([head, *some]) + "\n")
    how = ("--ignore", "id", "--label", "kind", "--categories", "job", "-q")
    done("learn", here / "all.csv", "-m", here / "one", *how)
    done("learn", here / "first.csv", "-m", here / "two", *how)
    done("learn", here / "then.csv", "-m", here / "two", *how)
    one, two = novikoff.load(here / "one"), novikoff.load(here / "two")
    rows = Dataset(here / "all.csv", Options(prepared=True, ignore=("id",), label="kind"), one.features).read().X
    places = [two.features.names.index(name) for name in one.features.names]
    assert np.array_equal(one.learner.weights()[:, :-1], two.learner.weights()[:, places])
    assert one.preparer.found.rows == two.preparer.found.rows == 100
    assert np.isfinite(one.decisions(rows)).all()


def test_texts_are_weighted(here):
    lines = [f"{'ab'[k % 2]}\tthe the the {'cat' if k % 2 else 'dog'} {k}\n" for k in range(40)]
    (here / "rows.text").write_text("".join(lines))
    assert "words weighted by tf-idf, rows of length 1" in done("fit", "rows.text", "-o", "model")
    assert novikoff.load("model").preparer.method == "tfidf"
    done("fit", "rows.text", "--weighting", "counts", "--no-normalize", "-o", "plain", "-q")
    assert novikoff.load("plain").preparer is None


def test_weights_are_shown_in_the_units_of_the_file(here):
    (here / "rows.csv").write_text("size,kind\n" + "".join(f"{1000 * k},{'ab'[k > 5]}\n" for k in range(12)))
    done("fit", "rows.csv", "-o", "model", "-q")
    model = novikoff.load("model")
    shown = json.loads(done("inspect", "model", "--json"))
    (weight,) = shown["largest"][0]
    scores = model.decisions(np.array([[0.0], [1000.0]]))[:, 0]
    assert np.isclose(weight["weight"] * 1000, scores[1] - scores[0])
    assert np.isclose(shown["intercepts"][0], scores[0])


@pytest.mark.parametrize("memory", [(), ("--memory", "1k")])
def test_a_pipe_gives_the_model_of_the_file(here, memory):
    (here / "people.csv").write_text(people())
    for name in ("-", "people.csv"):
        done("fit", name, "--ignore", "id", "-o", f"{name}.nvk", *memory, input=people())
    pipe, file = novikoff.load("-.nvk"), novikoff.load("people.csv.nvk")
    assert pipe.weights().tolist() == file.weights().tolist()
    assert pipe.features.names == file.features.names
    assert pipe.run["how"] == file.run["how"]
    refused(run("fit", "-", input=people() + "x\n"), "standard input:202: has 1 column")


@pytest.mark.parametrize(
    ("content", "more", "why"),
    [
        ("a,job,y\n1,own,u\n2,,v\n3,own,u\n4,own,v\n", (), "gaps were filled"),
        ("a,job,y\n1,own,u\n,own,v\n3,own,u\n4,own,v\n", (), "gaps were filled"),
        ("a,b,y\n1,5,u\n2,6,v\n3,7,u\n4,8,v\n", ("--ignore", "b"), "columns were left out"),
    ],
)
def test_no_proof_is_claimed_or_offered_of_rows_that_certify_does_not_read(here, content, more, why):
    (here / "data.csv").write_text(content)
    told = summary(done("fit", "data.csv", "-o", "model", "--report", "report.html", *more))["Proof"]
    assert told.startswith(f"not decided by this run: {why}")
    assert "certify" not in told
    assert "novikoff certify" not in (here / "report.html").read_text()
    assert summary(done("inspect", "model"))["Proof"] == told


def test_the_report_of_rows_with_gaps(here):
    """Of the largest features of a row, gaps are none; a row with a gap has no place in the plane."""
    rng = random.Random(0)
    lines = [f"{a},{b},{'yes' if a / 100 + b > 1 else 'no'}" for a, b in ((100 * rng.random(), rng.random()) for _ in range(40))]
    (here / "data.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    (here / "gaps.csv").write_text("\n".join(["a,b,y", *lines, ",0.9,no", ",,no"]) + "\n")
    done("fit", "data.csv", "-o", "model")
    done("report", "model", "gaps.csv", "-o", "report.html")
    told = (here / "report.html").read_text()
    assert "The answers of the model, with 40 of 42 rows" in told
    assert "nan" not in re.findall(r'<data value="([^"]*)"', told)


def test_options_of_columns_can_be_repeated(here):
    (here / "people.csv").write_text(people())
    once = done("fit", "people.csv", "--ignore", "id,same", "--missing", "own,state", "-o", "once")
    twice = done(
        "fit", "people.csv", "--ignore", "id", "--ignore", " same", "--missing", "own", "--missing", "state", "-o", "twice"
    )
    assert once.split("Trained")[0].split("    ")[0] == twice.split("Trained")[0].split("    ")[0]
    assert novikoff.load("once").run.reading == novikoff.load("twice").run.reading


@pytest.mark.parametrize("cluster", [False, pytest.param(True, marks=pytest.mark.xdist_group("cluster"))])
def test_the_model_remembers_what_the_header_calls_the_label(here, cluster):
    """Columns may then be added, removed and reordered, those of the label and of ignored columns too."""
    rows = [line.split(",") for line in people().split("\n")[:-1]]
    by_name = {name: [row[k] for row in rows] for k, name in enumerate(rows[0])}

    def written(name, *columns):
        (here / name).write_text("".join(",".join(line) + "\n" for line in zip(*(by_name[c] for c in columns), strict=True)))
        return name

    by_name["extra"] = ["extra", *("12" for _ in rows[1:])]
    written("people.csv", *rows[0])
    done("fit", "people.csv", "--ignore", "id", "-o", "model", "-q", *(["--cluster", "local"] if cluster else []))
    right = json.loads(done("score", "people.csv", "-m", "model", "--json"))["accuracy"]
    predicted = done("predict", "people.csv", "-m", "model")
    for columns in (["kind", *rows[0][:-1]], [*rows[0], "extra"]):
        assert json.loads(done("score", written("other.csv", *columns), "-m", "model", "--json"))["accuracy"] == right
        assert done("predict", "other.csv", "-m", "model") == predicted
    for columns in (rows[0][:-1], ["age", "wealth", "job", "same", "id"], ["age", "wealth", "job", "same"]):
        assert done("predict", written("other.csv", *columns), "-m", "model") == predicted
    if not cluster:
        done("learn", written("more.csv", "kind", *rows[0][:-1]), "-m", "model", "-q")
        assert novikoff.load("model").learner.classes.tolist() == ["no", "yes"]


def test_texts_in_a_column_are_no_categories(here):
    rng = random.Random(0)
    words = ["good", "poor", "awful", "fine", "great", "dull", "sharp"]
    lines = ["text,stars,label", *(f"{' '.join(rng.choices(words, k=4))},{k % 5},{'ab'[k % 2]}" for k in range(80))]
    (here / "reviews.csv").write_text("\n".join(lines) + "\n")
    refused(run("fit", "reviews.csv"), "the column text", "--ignore text", "--yes")
    done("fit", "reviews.csv", "--ignore", "text")
    done("fit", "reviews.csv", "--yes")


def test_a_word_among_numbers_names_what_can_be_done(here):
    (here / "days.csv").write_text("a,day,kind\n1,2024-11-13,x\n2,2024-11-14,y\n")
    refused(run("fit", "days.csv"), "'2024-11-13' is not a number", "--categories day, --ignore day or --missing")
    for more in (["--categories", "day"], ["--ignore", "day"], ["--missing", "2024-11-13,2024-11-14"]):
        done("fit", "days.csv", *more)
