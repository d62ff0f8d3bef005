"""Probabilities have the greatest likelihood that one scale can give, and follow the scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.learning.calibration import Calibration, calibrated, smoothed_targets

SCORE = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@st.composite
def scored(draw):
    """Decisions for two or more classes, with codes and weights."""
    classes = draw(st.integers(2, 4))
    rows = draw(st.integers(1, 12))
    columns = 1 if classes == 2 else classes
    scores = draw(st.lists(st.lists(SCORE, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    code = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    weight = draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    return np.array(scores), np.array(code), np.array(weight, float), classes


def likelihood(scale, decisions, code, weight, classes):
    """The formula, row by row."""
    total = 0.0
    for row, y, w in zip(decisions, code, weight, strict=True):
        s = [0.0, row[0]] if classes == 2 else row.tolist()
        largest = max(scale * one for one in s)
        log_sum = largest + np.log(sum(np.exp(scale * one - largest) for one in s))
        own = weight[code == y].sum()
        for c in range(classes):
            target = (own + 1) / (own + 2) if c == y else 1 / (own + 2) / (classes - 1)
            total += w * target * (scale * s[c] - log_sum)
    return total


@given(scored())
def test_no_other_scale_has_a_greater_likelihood(case):
    decisions, code, weight, _ = case
    found = calibrated(decisions, code, weight).scale
    assert 0 <= found < np.inf
    best = likelihood(found, *case)
    for other in [0.0, *(found * factor for factor in (0.5, 0.99, 1.01, 2)), 1e-3, 1.0, 10.0]:
        assert likelihood(other, *case) <= best + 1e-9 * (1 + abs(best))


@given(scored())
def test_probabilities_follow_the_scores(case):
    decisions, code, weight, classes = case
    chances = calibrated(decisions, code, weight).probabilities(decisions)
    assert chances.shape == (len(decisions), classes)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    winners = (decisions[:, 0] > 0).astype(int) if classes == 2 else decisions.argmax(axis=1)
    assert (chances[np.arange(len(chances)), winners] >= chances.max(axis=1)).all()


def test_a_weight_is_so_many_rows():
    rng = np.random.default_rng(0)
    decisions, code, weight = rng.normal(size=(30, 3)), rng.integers(0, 3, 30), rng.integers(1, 4, 30)
    repeated = np.repeat(np.arange(30), weight)
    ones = np.ones(len(repeated))
    one, other = calibrated(decisions, code, weight.astype(float)), calibrated(decisions[repeated], code[repeated], ones)
    assert one.scale == pytest.approx(other.scale)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1.0, 1e200, 1e307])
def test_any_size_of_scores(size):
    """The scale has the opposite size. Scores that separate the classes make no class certain."""
    decisions, code = np.array([[1.0], [2], [-1], [-2]]) * size, np.array([1, 1, 0, 0])
    chances = calibrated(decisions, code, np.ones(4)).probabilities(decisions)
    right = chances[np.arange(4), code]
    assert (right == 0.5).all() if size < 1e-300 else (right > 0.5).all()
    assert (chances > 0).all()


def test_scores_that_say_nothing_or_the_opposite():
    code = np.array([1, 0, 1, 0])
    assert calibrated(np.zeros((4, 1)), code, np.ones(4)).scale == 0
    assert calibrated(np.array([[-1.0], [1], [-1], [1]]), code, np.ones(4)).scale == 0
    assert Calibration(0.0).probabilities(np.array([[3.0]])).tolist() == [[0.5, 0.5]]


def test_each_class_counts_a_row_more():
    targets = smoothed_targets(np.array([0, 0, 2]), np.ones(3), 3)
    np.testing.assert_allclose(targets, [[3 / 4, 1 / 8, 1 / 8], [3 / 4, 1 / 8, 1 / 8], [1 / 6, 1 / 6, 2 / 3]])
