"""The exported graph, run by onnxruntime, says what the model says."""

import sys

import numpy as np
import pytest

from novikoff.data.features import Numbered
from novikoff.data.preparation import Statistics
from novikoff.data.preparer import Preparer
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.models.export_onnx import to_onnx
from novikoff.models.model import Model

onnxruntime = pytest.importorskip("onnxruntime")


def answers(content, X):
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(["label", "scores"], {"X": X})


@pytest.mark.parametrize("labels", [["a"], ["no", "yes"], [0, 1], [False, True], [0.5, 1.5], ["a", "b", "c", "Ü"], [1, 2, 3, 9]])
@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_the_same_labels_in_onnxruntime(tmp_path, labels, constant, readout):
    rng = np.random.default_rng(0)
    X = rng.integers(-8, 9, (200, 6)) / 4
    learner = Learner("margin", readout=readout)
    learner.learn(examples(X, rng.choice(labels, 200), constant=constant))
    model = Model(learner, Numbered(0, 6))
    content = to_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == content
    X = np.concatenate([X, rng.normal(size=(300, 6)), np.zeros((2, 6))])
    label, scores = answers(content, X)
    decisions = model.decisions(X)
    np.testing.assert_allclose(scores, decisions, rtol=1e-12, atol=1e-12)
    between = np.sort(decisions if decisions.shape[1] > 1 else np.hstack([decisions, np.zeros_like(decisions)]))
    clear = between[:, -1] - between[:, -2] > 1e-9  # where classes are as good as equal, rounding chooses
    clear[500:] = True  # but not between zeros
    assert label[clear].tolist() == model.labels(X)[clear].tolist()
    assert clear.mean() > 0.95
    assert type(label.tolist()[0]) is type(labels[0]) or labels == [False, True]


@pytest.mark.parametrize(
    ("method", "unit"),
    [("variance", False), ("centre", False), ("largest", False), ("tfidf", True), ("binary", True), ("counts", False)],
)
def test_rows_are_prepared_in_the_graph(method, unit):
    rng = np.random.default_rng(1)
    X = rng.integers(-8, 9, (200, 6)) * np.array([1, 1000, 1, 0.01, 1, 1])
    if method in ("variance", "centre", "largest"):
        X[rng.random(X.shape) < 0.1] = np.nan
    X[3] = 0
    found = Statistics()
    found.add(X)
    preparer, features, learner = Preparer(method, unit, False, found), Numbered(0, 6), Learner("arow")
    learner.learn(examples(preparer.apply(X, features), rng.choice(["a", "b", "c"], 200)))
    model = Model(learner, features, preparer=preparer)
    label, scores = answers(to_onnx(model), X)
    np.testing.assert_allclose(scores, model.decisions(X), rtol=1e-10, atol=1e-10)
    assert label.tolist() == model.labels(X).tolist()


def test_a_vote_and_nothing_at_all_are_refused(monkeypatch):
    voted = Learner(readout="voted")
    voted.fit(examples(np.array([[1.0], [-1.0]]), [0, 1]), 2)
    with pytest.raises(ValueError, match="a vote has no weights to export"):
        to_onnx(Model(voted, Numbered(0, 1)))
    with pytest.raises(ValueError, match="nothing to export"):
        to_onnx(Model(Learner(), Numbered(0, 1)))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'novikoff\[onnx\]'"):
        to_onnx(Model(voted, Numbered(0, 1)))
