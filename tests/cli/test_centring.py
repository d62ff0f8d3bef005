"""Rows far from the origin on the command line: the warning, --centre, and bounds about the rows that the learner saw."""

import json
from pathlib import Path

import numpy as np
import pytest
from calling import done, refused, run
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff
from html_pages import taken_apart
from novikoff.cli.fit import _facts
from novikoff.data.preparer import NOT_PREPARED, Wanted
from novikoff.data.readers import Dataset, Options
from novikoff.engine.rules import Bound
from novikoff.learning.learner import Learner
from novikoff.models.model import Model
from novikoff.models.training import train
from oracles import separable_data

CENTRED = Wanted(centre=True)
PLAINLY = ("--rule", "rosenblatt", "--readout", "last", "--order", "given", "--passes", "20000")
AND = [(20, 20, "no"), (20, 21, "no"), (21, 20, "no"), (21, 21, "yes")]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("and.csv").write_text("a,b,kind\n" + "".join(f"{a},{b},{kind}\n" for a, b, kind in AND))
    return tmp_path


def written(place, X, y, names=True):
    head = [",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])] if names else []
    place.write_text("\n".join([*head, *(",".join([*map(repr, x), str(k)]) for x, k in zip(X.tolist(), y, strict=True))]) + "\n")
    return str(place)


@settings(max_examples=20)
@given(separable_data(bias=True), st.sampled_from([0.0, -20.0, 300.0]), st.sampled_from([NOT_PREPARED, CENTRED, Wanted()]))
def test_bounds_certificates_and_weights_are_those_of_their_rows(tmp_path_factory, data, shift, wanted):
    X, y, _ = data
    X = X + shift
    path = written(tmp_path_factory.mktemp("rows") / "rows.csv", X, y)
    dataset = Dataset(path, Options(prepared=wanted.prepare))
    trained = train(Learner("rosenblatt", order="given"), dataset, 200, wanted=wanted)
    model = Model(trained.learner, dataset.features, trained.certificates, preparer=trained.preparer)
    (facts,) = _facts(trained, trained.learner)
    seen = X - X.mean(axis=0) if wanted.centre else model.prepared(X)
    assert np.allclose(model.prepared(X), seen, atol=1e-9)
    z = np.column_stack([seen, np.ones(len(X))]) * y[:, None]
    assert facts.prepared == wanted.prepare
    assert facts.radius == pytest.approx(np.sqrt((z * z).sum(axis=1).max()))
    assert facts.mistakes == sum(one.mistakes for one in trained.run.passes)
    own = (z @ facts.u).min() / np.linalg.norm(facts.u) if facts.u.any() else 0.0
    if isinstance(facts.by_margin, Bound) and wanted.prepare:
        assert facts.margin[0] == pytest.approx(own, rel=1e-6, abs=1e-9)
        assert facts.by_margin.value == pytest.approx((facts.radius / facts.margin[0]) ** 2)
    for bound in (facts.by_margin, facts.by_losses):
        assert not isinstance(bound, Bound) or facts.mistakes <= bound.value * (1 + 1e-9)
    (certificate,) = model.certificates
    assert certificate.outcome == "undecided" or novikoff.verify(certificate, X, y)
    (w,) = model.weights()
    scores = X @ w[:-1] + w[-1]
    clear = np.abs(scores) > 1e-9 * (1 + np.abs(X) @ np.abs(w[:-1]) + abs(w[-1]))
    assert (np.where(scores > 0, 1, -1) == model.labels(X))[clear].all()


def test_a_slow_run_far_away_is_warned_of_once_and_a_centred_one_is_not(here):
    far = run("fit", "and.csv", "--no-prepare", *PLAINLY, "-o", "far")
    assert "22,040 mistakes" in far.stdout
    assert far.stderr.count("\n") == 1
    assert "warning: the rows lie far from the origin: R² is 883, and 1.5 around their mean" in far.stderr
    assert "--centre instead of --no-prepare" in far.stderr
    near = run("fit", "and.csv", "--centre", *PLAINLY, "-o", "near")
    assert "5 mistakes" in near.stdout
    assert "numbers centred: 2 features" in near.stdout
    assert near.stderr == ""
    assert run("fit", "and.csv", *PLAINLY).stderr == ""
    assert run("fit", "and.csv", "--no-prepare", *PLAINLY, "-q").stderr == ""
    assert done("predict", "and.csv", "-m", "near") == done("predict", "and.csv", "-m", "far") == "no\nno\nno\nyes\n"
    record = json.loads(done("inspect", "far", "--json"))["run"]
    assert (record["radius"] ** 2, record["radius_around_mean"] ** 2) == pytest.approx((883, 1.5))
    assert "radius_around_mean" not in json.loads(done("inspect", "near", "--json"))["run"]


@pytest.mark.parametrize(("how", "said"), [(["--no-prepare"], 1), (["--centre"], 0), ([], 0)])
@pytest.mark.parametrize("classes", [2, 3])
def test_reports_say_it_once_and_say_whose_bounds_they_have(here, how, said, classes):
    if classes == 3:
        Path("and.csv").write_text(Path("and.csv").read_text() + "20,20,maybe\n")
    done("fit", "and.csv", *how, *PLAINLY[:-1], "20", "-o", "model", "--report", "fitted.html", "-q")
    done("report", "model", "and.csv", "-o", "after.html")
    for page in ("fitted.html", "after.html"):
        words = taken_apart(Path(page).read_text("utf-8")).words()
        assert words.count("far from the origin") == said
        assert words.count("The learner saw prepared rows") == 1 - said
    if classes == 2:
        words = taken_apart(Path("fitted.html").read_text("utf-8")).words()
        assert ("over 4 prepared rows" in words) == (said == 0)


def test_numbers_without_names_are_centred_if_that_is_asked_for(here):
    X, y = np.array([[a, b] for a, b, _ in AND], float), np.array([0, 0, 0, 1])
    np.savez("and.npz", X=X, y=y)
    assert "--centre" in run("fit", "and.npz", *PLAINLY).stderr
    assert "5 mistakes" in done("fit", "and.npz", "--centre", *PLAINLY, "-o", "model")
    model = novikoff.load("model")
    assert model.preparer.method == "centre"
    assert model.prepared(X).tolist() == (X - 20.5).tolist()
    (proof,) = model.certificates
    proof.save("proof.json")
    assert "holds" in done("verify", "proof.json", "and.npz")
    Path("and.svm").write_text("".join(f"{k} 1:{a} 2:{b}\n" for (a, b), k in zip(X.tolist(), y, strict=True)))
    assert "5 mistakes" in done("fit", "and.svm", "--centre", *PLAINLY, "-o", "other")
    assert np.array_equal(novikoff.load("other").weights(), model.weights())


def test_what_cannot_be_centred_is_refused(here):
    Path("holes.svm").write_text("1 1:2 2:3\n0 1:4\n")
    refused(run("fit", "holes.svm", "--centre"), "rows leave out numbers that are 0", "leave --centre out")
    Path("words.txt").write_text("a\tone two\nb\tthree\n")
    refused(run("fit", "words.txt", "--format", "text", "--centre"), "counts of words", "leave --centre out")
    refused(run("learn", "words.txt", "--format", "text", "--centre", "-m", "model"), "counts of words")
    refused(run("fit", "and.csv", "--centre", "--no-prepare"), "--no-prepare", "leave one of them out")
    assert not Path("model").exists()


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("order", ["given", "each"])
def test_centred_in_pieces_as_in_memory(here, monkeypatch, names, order):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(2000, 3)) + 50, rng.integers(0, 2, 2000)
    options = Options(prepared=True, format="csv" if names else None)
    path = written(here / "rows.csv", X, y)
    if not names:
        path = "rows.svm"
        Path(path).write_text("".join(f"{k} 1:{a!r} 2:{b!r} 3:{c!r}\n" for (a, b, c), k in zip(X.tolist(), y, strict=True)))
    made = []
    for memory in (None, 1):
        monkeypatch.setattr("novikoff.data.sources.CHUNK", 2**22 if memory is None else 5000)
        for passes in (1, 3):
            made.append(train(Learner("rosenblatt", order=order), Dataset(path, options), passes, memory=memory, wanted=CENTRED))
    for trained in made:
        assert trained.preparer.method == "centre"
        assert np.array_equal(trained.preparer.found.mean[-3:], made[0].preparer.found.mean[-3:])  # pieces have a column 0
    if order == "given":
        assert np.array_equal(made[1].learner.weights()[:, -4:], made[3].learner.weights()[:, -4:])


def test_a_stream_is_centred_by_the_rows_up_to_each(here):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 2)) + 50, rng.integers(0, 2, 300)
    lines = [f"{k} 1:{a!r} 2:{b!r}\n" for (a, b), k in zip(X.tolist(), y, strict=True)]
    Path("all.svm").write_text("".join(lines))
    Path("first.svm").write_text("".join(lines[:100]))
    Path("then.svm").write_text("".join(lines[100:]))
    done("learn", "all.svm", "--centre", "-m", "one", "-q")
    done("learn", "first.svm", "--centre", "-m", "two", "-q")
    done("learn", "then.svm", "-m", "two", "-q")
    one, two = novikoff.load("one"), novikoff.load("two")
    assert np.array_equal(one.learner.weights(), two.learner.weights())
    assert one.preparer.found.mean == pytest.approx(X.mean(axis=0))
    piped = run("fit", "-", "--format", "svmlight", "--centre", *PLAINLY[:-1], "1", "-o", "three", input="".join(lines))
    assert piped.exit_code == 0, piped.stderr
    assert novikoff.load("three").preparer.running


@pytest.mark.xdist_group("cluster")
def test_a_cluster_centres_by_the_means_of_all_shards(here):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)) + 50, rng.integers(0, 2, 60)
    files = [written(here / f"part{k}.csv", X[k::2] + 3 * k, y[k::2]) for k in range(2)]
    done("fit", *files, "--cluster", "local", "--centre", "-o", "model", "-q", "--rule", "rosenblatt")
    model = novikoff.load("model")
    assert model.preparer.method == "centre"
    assert model.preparer.found.mean == pytest.approx(np.vstack([X[::2], X[1::2] + 3]).mean(axis=0))
