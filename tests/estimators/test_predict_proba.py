"""Probabilities of the classes, by every estimator."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import novikoff
from chosen import RULES
from novikoff import AROW, KernelPerceptron, MarginPerceptron, ModifiedPerceptron, OnlineLearner, PassiveAggressive, Perceptron
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import NO_PROBABILITIES, Learner

ESTIMATORS = [AROW, Perceptron, MarginPerceptron, PassiveAggressive, KernelPerceptron]


def split(load):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_probabilities_are_of_the_classes(kind, load):
    X, X_test, y, _ = split(load)
    clf = kind(random_state=0).fit(X, y)
    chances = clf.predict_proba(X_test)
    assert chances.shape == (len(X_test), len(clf.classes_))
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (clf.classes_[chances.argmax(axis=1)] == clf.predict(X_test)).all()
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(X_test)), chances)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_they_are_as_good_as_those_of_a_calibrated_svm(load):
    X, X_test, y, y_test = split(load)
    ours, theirs = (
        log_loss(y_test, clf.fit(X, y).predict_proba(X_test))
        for clf in (AROW(random_state=0), CalibratedClassifierCV(LinearSVC()))
    )
    assert ours < 1.2 * theirs


@pytest.mark.parametrize("rule", RULES)
def test_they_are_calibrated(rule):
    """Of the rows with probabilities near p, about the share p is of the class: on noise, no rule is sure."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 5))
    y = (X @ rng.normal(size=5) + 2 * rng.logistic(size=8000) > 0).astype(int)
    learner = Learner(rule, readout="averaged")
    learner.learn(examples(X[:6000], y[:6000]))
    chances = learner.probabilities(learner.decide(X[6000:]))[:, 1]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (chances >= low) & (chances < low + 0.2)
        if inside.sum() > 100:
            assert abs(y[6000:][inside].mean() - chances[inside].mean()) < 0.12


def test_they_are_the_same_however_rows_are_stored_and_after_saving(tmp_path):
    X, X_test, y, _ = split(load_iris)
    dense = AROW(random_state=0).fit(X, y)
    sparse = AROW(random_state=0).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.predict_proba(X_test), sparse.predict_proba(sp.csr_array(X_test)))
    dense.save(tmp_path / "m.nvk")
    learner = novikoff.load(tmp_path / "m.nvk").learner
    assert learner.probabilities(learner.decide(X_test)).tolist() == dense.predict_proba(X_test).tolist()


def test_a_stream_has_them_from_its_first_rows_and_recalibrates():
    X, X_test, y, _ = split(load_breast_cancer)
    clf = AROW().partial_fit(X[:1], y[:1])
    assert clf.predict_proba(X_test[:2]).tolist() == [[1.0], [1.0]]
    for first in range(1, len(X), 50):
        clf.partial_fit(X[first : first + 50], y[first : first + 50])
        kept = clf.predict_proba(X_test)
        clf._learner._calibration = None
        assert kept.tolist() == clf.predict_proba(X_test).tolist()


def test_one_at_a_time_it_is_what_the_learner_says():
    X, _, y, _ = split(load_iris)
    online = OnlineLearner("arow")
    assert online.predict_proba_one({"x": 1}) == {}
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        x = {f"x{j}": value for j, value in enumerate(row)}
        before = online.predict_proba_one(x)
        assert not before or sum(before.values()) == pytest.approx(1)
        assert not before or before[online.predict_one(x)] == max(before.values())
        online.learn_one(x, label)
    learner = online.learner
    learner._calibration = None
    there = learner.probabilities(learner.decide(X[:5]))
    one_by_one = [[*online.predict_proba_one({f"x{j}": v for j, v in enumerate(row)}).values()] for row in X[:5].tolist()]
    np.testing.assert_allclose(one_by_one, there, atol=0.02)  # calibrated again after 1 % of new rows


def test_where_there_are_none():
    X, _, y, _ = split(load_breast_cancer)
    assert not hasattr(Perceptron(readout="voted"), "predict_proba")
    assert not hasattr(ModifiedPerceptron(), "predict_proba")
    given = Perceptron(max_iter=5).fit(X, y, coef_init=np.ones((1, 30)), intercept_init=[0.0])
    with pytest.raises(ValueError, match="no probabilities") as refusal:
        given.predict_proba(X)
    assert str(refusal.value) == NO_PROBABILITIES
