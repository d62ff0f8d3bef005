"""`--kernel`: a curved boundary from a file to a model that answers, goes on and is proved."""

import json

import numpy as np
import pytest
from calling import done, refused, run

import novikoff
from novikoff import KernelPerceptron, Separable

TEXTBOOK = ("--no-prepare", "--rule", "rosenblatt", "--readout", "last", "--order", "given", "--passes", 5000)
TEXTBOOK += ("--kernel", "poly", "--degree", 2)


@pytest.fixture
def rings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).integers(-4, 5, (80, 2)).astype(float)
    y = np.where((X**2).sum(axis=1) > 11, "out", "in")
    lines = ["a,b,ring", *(f"{a},{b},{ring}" for (a, b), ring in zip(X, y, strict=True))]
    (tmp_path / "rings.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "half.csv").write_text("\n".join(lines[:41]) + "\n")
    return X, y


def test_fit_predict_score_inspect_and_verify(rings):
    X, y = rings
    told = done("fit", "rings.csv", "-o", "model", *TEXTBOOK)
    alone = KernelPerceptron("poly", degree=2, max_iter=5000).fit(X, y)
    assert f"Stored   {len(alone.support_)} rows" in told
    assert "Separable through the kernel poly (degree 2, gamma 1, coef0 1)" in told
    model = novikoff.load("model")
    assert model.decisions(X)[:, 0].tolist() == alone.decision_function(X).tolist()
    assert done("predict", "rings.csv", "-m", "model").split() == y.tolist()
    assert json.loads(done("score", "rings.csv", "-m", "model", "--json"))["accuracy"] == 1
    assert "Poly(degree=2, gamma=1, coef0=1)" in done("inspect", "model")
    (proof,) = model.certificates
    assert isinstance(proof, Separable)
    proof.save("proof.json")
    assert "holds" in done("verify", "proof.json", "rings.csv")


def test_the_bias_must_be_asked_for(rings):
    done("fit", "rings.csv", "-o", "without", *TEXTBOOK)
    done("fit", "rings.csv", "-o", "with", "--intercept", *TEXTBOOK)
    assert [novikoff.load(name).learner.constant for name in ("without", "with")] == [0, 1]


def test_data_that_is_not_held_is_learned_in_pieces(rings):
    X, _ = rings
    told = json.loads(done("fit", "rings.csv", "-o", "model", "--memory", "100", "--json", *TEXTBOOK))
    assert "larger than the memory" in told["how"]
    done("fit", "rings.csv", "-o", "held", *TEXTBOOK)
    assert novikoff.load("held").decisions(X).tolist() == novikoff.load("model").decisions(X).tolist()


def test_a_budget_is_kept_while_it_goes_on(rings):
    how = ("--kernel", "rbf", "--gamma", 0.2, "--budget", 7, "--rule", "rosenblatt", "--readout", "last")
    done("learn", "half.csv", "-m", "model", *how)
    done("learn", "rings.csv", "-m", "model")
    learner = novikoff.load("model").learner
    assert (learner.rows_fed, learner.team.w.shape[1] - 1) == (120, 7)


def test_what_cannot_be_is_said(rings):
    refused(run("fit", "rings.csv", "--kernel", "cosine"), "there is no kernel 'cosine'", "rbf")
    refused(run("fit", "rings.csv", "--budget", "5"), "there is no kernel")
    refused(run("fit", "rings.csv", "--kernel", "rbf", "--budget", "5"), "with a budget the readout must be 'last'")
    refused(run("fit", "rings.csv", "--kernel", "rbf", "--multiclass", "direct"), "one against the rest")
    refused(run("fit", "rings.csv", "--kernel", "rbf", "--gamma", "-1"), "gamma must be")
    refused(run("fit", "rings.csv", "--degree", "2"), "--kernel poly")
    refused(run("certify", "rings.csv", "--degree", "2"), "kernel='poly'")
    done("fit", "rings.csv", "-o", "model", *TEXTBOOK)
    refused(run("inspect", "model", "--text"), "has a kernel")
