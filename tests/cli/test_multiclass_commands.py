"""`--multiclass direct`: a model that answers, is scored, goes on, and whose proof is verified."""

import json

import numpy as np
import pytest
from calling import done, refused, run

import novikoff
from novikoff import Perceptron
from novikoff.proof.certificate import ManySeparable


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).integers(-9, 10, (90, 4))
    y = (X @ np.random.default_rng(1).integers(-3, 4, (4, 3))).argmax(axis=1)
    lines = [f"{t} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) for x, t in zip(X, y, strict=True)]
    (tmp_path / "train.svm").write_text("\n".join(lines[:60]) + "\n")
    (tmp_path / "more.svm").write_text("\n".join(lines[60:]) + "\n7 1:50\n")
    return X.astype(float), y


TEXTBOOK = ("--rule", "rosenblatt", "--readout", "last", "--order", "given", "--passes", 5000, "--multiclass", "direct")


def test_fit_predict_score_inspect_and_verify(here):
    X, y = here
    told = done("fit", "train.svm", "-o", "model", *TEXTBOOK)
    assert "Separable: all 60 rows have their highest score for their own of 3 classes" in told
    alone = Perceptron(max_iter=5000, multiclass="direct").fit(X[:60], y[:60])
    model = novikoff.load("model")
    assert model.learner.multiclass == "direct"
    assert model.learner.weights().tolist() == np.column_stack([alone.coef_, alone.intercept_]).tolist()
    assert done("predict", "more.svm", "-m", "model").split()[:30] == [str(label) for label in alone.predict(X[60:])]
    assert json.loads(done("score", "train.svm", "-m", "model", "--json"))["accuracy"] == 1
    assert "0: intercept" in done("inspect", "model")
    (proof,) = model.certificates
    assert isinstance(proof, ManySeparable)
    proof.save("proof.json")
    assert done("verify", "proof.json", "train.svm").startswith("Result  the proof holds\nProof   Separable")
    assert "does not hold" in done("verify", "proof.json", "more.svm", code=1)


def test_learn_goes_on_and_meets_a_new_class(here):
    X, y = here
    done("fit", "train.svm", "-o", "model", *TEXTBOOK)
    before = novikoff.load("model").learner
    told = done("learn", "more.svm", "-m", "model", "--progressive")
    after = novikoff.load("model").learner
    assert after.classes.tolist() == [0, 1, 2, 7]
    assert after.rows_fed == before.rows_fed + 31
    stream = Perceptron(max_iter=5000, multiclass="direct").fit(X[:60], y[:60])
    stream.partial_fit(np.vstack([X[60:], [[50, 0, 0, 0]]]), np.append(y[60:], 7))
    assert after.weights().tolist() == np.column_stack([stream.coef_, stream.intercept_]).tolist()
    wrong = sum(stream.ledger_.entries.margin[stream.ledger_.entries.row >= 60] <= 0)
    assert f": {wrong:,} of 31 wrong before learning" in told


def test_in_pieces_and_from_nothing(here):
    done("fit", "train.svm", "-o", "whole", *TEXTBOOK[:-4], "--passes", 1, "--multiclass", "direct")
    done("learn", "train.svm", "-m", "stream", "--rule", "rosenblatt", "--readout", "last", "--multiclass", "direct")
    whole, stream = (novikoff.load(name).learner for name in ("whole", "stream"))
    assert stream.weights().tolist() == whole.weights().tolist()


def test_a_name_that_is_none_is_refused(here):
    refused(run("fit", "train.svm", "--multiclass", "all"), "'ovr'", "'direct'")
