"""Pipelines, searches, calibration, copies, frames: what people do with an estimator."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chosen import short
from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine.rules.margin import Margin
from novikoff.engine.rules.passive_aggressive import PAI
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.engine.rules.threshold import Threshold

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
ALL = [Perceptron(max_iter=20), MarginPerceptron(random_state=0), PassiveAggressive(random_state=0)]


@pytest.mark.parametrize("estimator", ALL)
def test_pipeline_search_and_calibration(estimator):
    pipe = make_pipeline(StandardScaler(), estimator)
    assert cross_val_score(pipe, *CANCER, cv=5).mean() > 0.94
    name = type(estimator).__name__.lower()
    search = GridSearchCV(pipe, {f"{name}__readout": ["last", "averaged"], f"{name}__max_iter": [1, 5]}, cv=3).fit(*CANCER)
    assert search.best_score_ > 0.94
    calibrated = CalibratedClassifierCV(pipe, cv=3).fit(*CANCER)
    assert calibrated.predict_proba(CANCER[0]).shape == (569, 2)
    assert calibrated.score(*CANCER) > 0.94


@pytest.mark.parametrize(
    ("estimator", "readout"),
    short(
        [(ALL[0], "last"), (ALL[0], "voted"), (ALL[0], "pocket"), (ALL[1], "averaged"), (ALL[2], "averaged")],
        [(estimator, readout) for estimator in ALL for readout in ("last", "averaged", "voted", "pocket")],
    ),
)
def test_clone_and_joblib_round_trips(estimator, readout, tmp_path):
    fitted = clone(estimator).set_params(readout=readout).fit(*IRIS)
    joblib.dump(fitted, tmp_path / "model")
    again = joblib.load(tmp_path / "model")
    assert (again.decision_function(IRIS[0]) == fitted.decision_function(IRIS[0])).all()
    assert clone(fitted).fit(*IRIS).coef_.tolist() == fitted.coef_.tolist()
    if readout != "voted":
        assert again.partial_fit(*IRIS).coef_.tolist() == fitted.partial_fit(*IRIS).coef_.tolist()


@pytest.mark.parametrize("rule", [Rosenblatt(2.0), Margin(0.1), Threshold(3.0), PAI(0.5), "pa", "pa-ii", "threshold"])
def test_any_rule_in_the_textbook_estimator(rule):
    clf = clone(Perceptron(rule=rule, max_iter=5)).fit(*IRIS)
    assert type(clf.get_params()["rule"]) is type(rule)
    assert clf.get_params()["rule"] == rule
    assert clf.score(*IRIS) > 1 / 3


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(frame):
    X = frame({"height": [1.0, 2.0, -1.0, -2.0], "noise": [0.0, 0.1, 0.0, 0.1]})
    clf = Perceptron().fit(X, [1, 1, 0, 0])
    assert clf.feature_names_in_.tolist() == ["height", "noise"]
    assert list(clf.feature_importance()) == ["height", "noise"]
    assert clf.feature_importance()["height"] == abs(clf.coef_[0, 0])
    assert clf.predict(X).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("kind", ["csc", "coo", "lil", "dok"])
def test_other_sparse_formats_are_converted(kind):
    X = sp.csr_array(CANCER[0])
    same = Perceptron(max_iter=3).fit(X.asformat(kind), CANCER[1])
    assert same.coef_.tolist() == Perceptron(max_iter=3).fit(X, CANCER[1]).coef_.tolist()


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [2.0, 3.0], [False, True], ["b", "a"]])
def test_any_labels(labels):
    y = np.array(labels)[CANCER[1]]
    clf = Perceptron(max_iter=10).fit(CANCER[0], y)
    assert clf.classes_.tolist() == sorted(labels)
    assert set(clf.predict(CANCER[0])) <= set(y)
    assert np.mean(clf.predict(CANCER[0]) == y) > 0.8


def test_digits_one_against_the_rest():
    X, y = load_digits(return_X_y=True)
    clf = MarginPerceptron(random_state=0).fit(X[:1200], y[:1200])
    assert clf.coef_.shape == (10, 64)
    assert len(clf.ledger_) == 10
    assert clf.score(X[1200:], y[1200:]) > 0.9
    assert clf.n_updates_ == sum(ledger.updates for ledger in clf.ledger_)


def test_read_only_data():
    X = CANCER[0].copy()
    X.flags.writeable = False
    assert Perceptron(max_iter=3).fit(X, CANCER[1]).coef_.tolist() == Perceptron(max_iter=3).fit(*CANCER).coef_.tolist()
