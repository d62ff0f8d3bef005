"""F3 and F4: the update is a subgradient step, and a distance is a distance."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from novikoff import distance, hinge_loss, margin, perceptron_loss, perceptron_subgradient
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from oracles import any_data


@given(any_data())
def test_f3_the_perceptron_descends_its_loss(data):
    """Every update is w minus the subgradient at its row; every other row has subgradient 0."""
    X, y = np.array(data[0]), np.array(data[1])
    w, b, used = np.zeros(X.shape[1]), 0.0, []
    for i, (x, t) in enumerate(zip(X, y, strict=True)):
        slope, slope_b = perceptron_subgradient(w, x, t, b)
        w, b = w - slope, b - slope_b
        used += [i] if slope_b else []
    learner = Learner("rosenblatt")
    learner.fit(examples(X, y), 1)
    assert [*w, b] == learner.team.w[0].tolist()
    assert used == [update.row for update in learner.ledgers[0]]


@given(any_data())
def test_subgradient_lies_below_the_loss(data):
    X, y = np.array(data[0]), np.array(data[1])
    rng = np.random.default_rng(0)
    w, v = rng.normal(size=(2, X.shape[1]))
    slope, slope_b = perceptron_subgradient(w, X, y, 0.5)
    assert perceptron_loss(v, X, y, 2.0) >= perceptron_loss(w, X, y, 0.5) + slope @ (v - w) + slope_b * 1.5 - 1e-9
    assert perceptron_loss(w, sp.csr_array(X), y, 0.5) == pytest.approx(perceptron_loss(w, X, y, 0.5))
    assert hinge_loss(w, X, y, 0.5) == pytest.approx(sum(max(0, 1 - t * (w @ x + 0.5)) for x, t in zip(X, y, strict=True)))


def test_f4_distance_is_to_the_nearest_point():
    rng = np.random.default_rng(0)
    w, X, b = rng.normal(size=3), rng.normal(size=(20, 3)), 0.7
    feet = X - ((X @ w + b) / (w @ w))[:, None] * w
    assert np.allclose(feet @ w + b, 0)
    assert np.allclose(distance(w, X, b), np.linalg.norm(X - feet, axis=1))
    with pytest.raises(ValueError, match="w is 0"):
        distance(np.zeros(3), X)


def test_margin_counts_the_intercept_and_is_minus_infinity_where_nothing_is_separated():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), [1, -1]
    assert margin([1, 0], X, y) == 1.0
    assert margin([1, 0], X, y, intercept=0.5) == pytest.approx(0.5 / np.hypot(1, 0.5))
    assert margin([0, 1], X, y) == -np.inf
    with pytest.raises(ValueError, match="labels must be -1 and"):
        margin([1, 0], X, [0, 1])
