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
    weight = weight / weight.mean()
    case = decisions, code, weight, case[3]
    best = likelihood(found, *case)
    slack = 1e-6 * (1 + abs(best))  # the scale is never quite 0
    for other in [0.0, *(found * factor for factor in (0.5, 0.99, 1.01, 2)), 1e-3, 1.0, 10.0]:
        assert likelihood(other, *case) <= best + slack


@given(scored())
def test_probabilities_follow_the_scores(case):
    decisions, code, weight, classes = case
    chances = calibrated(decisions, code, weight).probabilities(decisions)
    assert chances.shape == (len(decisions), classes)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    winners = (decisions[:, 0] > 0).astype(int) if classes == 2 else decisions.argmax(axis=1)
    assert (chances[np.arange(len(chances)), winners] >= chances.max(axis=1)).all()


def test_weights_count_as_shares():
    rng = np.random.default_rng(0)
    decisions, code, weight = rng.normal(size=(3000, 3)), rng.integers(0, 3, 3000), rng.integers(1, 4, 3000)
    decisions[np.arange(3000), code] += 1
    repeated = np.repeat(np.arange(3000), weight)
    one = calibrated(decisions, code, weight / 512).scale
    assert one == calibrated(decisions, code, weight * 2.0).scale
    other = calibrated(decisions[repeated], code[repeated], np.ones(len(repeated))).scale
    assert one == pytest.approx(other, rel=0.01)  # but for the rows that are added to each class
    assert one != pytest.approx(calibrated(decisions, code, np.ones(3000)).scale, rel=1e-3)


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
    assert Calibration(0.0).probabilities(np.array([[3.0]])).tolist() == [[0.5, 0.5]]
    opposite = np.array([[-1.0], [1], [-1], [1]])
    chances = calibrated(opposite, code, np.ones(4)).probabilities(opposite)
    np.testing.assert_allclose(chances, 0.5, atol=1e-8)
    assert chances.argmax(axis=1).tolist() == [0, 1, 0, 1]  # still in the order of the scores


def test_each_class_counts_a_row_more():
    targets = smoothed_targets(np.array([0, 0, 2]), np.ones(3), 3)
    np.testing.assert_allclose(targets, [[3 / 4, 1 / 8, 1 / 8], [3 / 4, 1 / 8, 1 / 8], [1 / 6, 1 / 6, 2 / 3]])
