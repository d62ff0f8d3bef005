"""river's own checks, its pipelines, metrics and evaluations."""

import pickle
import random
from copy import deepcopy

import pandas as pd
import pytest

river = pytest.importorskip("river")
from river import checks, compose, datasets, evaluate, metrics, preprocessing  # noqa: E402

from novikoff.engine.rules.margin import Margin  # noqa: E402
from novikoff.engine.rules.passive_aggressive import PA  # noqa: E402
from novikoff.estimators.online_learner import OnlineLearner  # noqa: E402
from novikoff.estimators.river_adapter import OnlineClassifier  # noqa: E402

CHECKS = list(checks.yield_checks(OnlineClassifier()))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: getattr(check, "__name__", "check"))
@pytest.mark.filterwarnings("ignore")
def test_river_finds_nothing_wrong(check):
    random.seed(0)  # it shuffles features
    check(OnlineClassifier())


def test_in_a_pipeline_it_learns_as_it_does_alone():
    model = preprocessing.StandardScaler() | OnlineClassifier(readout="averaged")
    scaler, online = preprocessing.StandardScaler(), OnlineLearner(readout="averaged")
    score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    accuracy = metrics.Accuracy()
    for x, y in datasets.Phishing():
        scaler.learn_one(x)
        guess = online.predict_and_learn_one(scaler.transform_one(x), y)
        if guess is not None:
            accuracy.update(y, guess)
    assert model["OnlineClassifier"].online.learner.weights().tolist() == online.learner.weights().tolist()
    assert score.get() > 0.85
    assert abs(score.get() - accuracy.get()) < 0.01


def test_many_classes_and_metrics():
    model = compose.Pipeline(preprocessing.StandardScaler(), OnlineClassifier("pa-i"))
    score = evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, metrics.MacroF1() + metrics.Accuracy())
    assert min(metric.get() for metric in score) > 0.5
    assert len(model["OnlineClassifier"].online.classes) == 7


@pytest.mark.parametrize("rule", ["pa", PA(), Margin(c=0.25)])
def test_clones_are_new_and_copies_go_on(rule):
    model = OnlineClassifier(rule, readout="pocket", class_weight={"a": 2.0})
    for k in range(20):
        model.learn_one({"x": k % 3 - 1.0, k % 4: 1.0}, "abc"[k % 3])
    clone = model.clone()
    assert (clone.readout, clone.class_weight, clone.online.classes) == ("pocket", {"a": 2.0}, [])
    assert clone.online.learner.rule == model.online.learner.rule
    assert model.clone({"readout": "last"}).readout == "last"
    for copy in (deepcopy(model), pickle.loads(pickle.dumps(model))):
        for k in range(20):
            assert copy.predict_one({"x": 1.0, k % 4: k}) == model.predict_one({"x": 1.0, k % 4: k})
        copy.learn_one({"x": 100.0, "new": 1.0}, "d")
    assert model.online.features == ("x", "0", "1", "2", "3")


def test_batches_are_rows():
    X = pd.DataFrame({"a": [1.0, -1.0, 0.5], "b": [0.0, 1.0, 2.0]}, index=[7, 8, 9])
    model, other = OnlineClassifier(), OnlineClassifier()
    model.learn_many(X, pd.Series(["x", "y", "x"]))
    for x, y in zip(X.to_dict("records"), "xyx", strict=True):
        other.learn_one(x, y)
    assert model.online.learner.weights().tolist() == other.online.learner.weights().tolist()
    assert model.predict_many(X).index.tolist() == [7, 8, 9]
    with pytest.raises(ValueError, match="have the same name"):
        model.learn_one({1: 1.0, "1": 2.0}, "x")
