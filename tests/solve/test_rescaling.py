"""F15: what is kept is what it would be if it were computed anew, and the promises of its phases."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import RescaledPerceptron, Separable, Undecided, separate, verify
from novikoff.compiler.dispatch import compiled
from novikoff.data.datasets import gaussian_pair, lower_bound
from novikoff.proof.exact import Signed, weights
from novikoff.solve.nearest_point import column_scales
from novikoff.solve.rescaling import fall_back, most_updates, narrowest, perceptron_phase, rescaled, turn_away


def cone(seed, rows=12, n=5):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((rows, n))
    return A / np.linalg.norm(A, axis=1, keepdims=True), rng


@pytest.mark.parametrize("run", [compiled, lambda phase: phase], ids=["compiled", "plain"])
@given(seed=st.integers(0, 10**6), limit=st.integers(0, 200))
def test_a_perceptron_phase_keeps_the_scores_of_the_weights_it_makes(run, seed, limit):
    A, _ = cone(seed)
    scores, taken = np.zeros(len(A)), np.zeros(len(A))
    steps = run(fall_back)(A @ A.T, scores, taken, limit)
    assert steps == taken.sum() <= limit
    assert scores == pytest.approx(A @ (taken @ A), abs=1e-12 * (1 + limit))
    assert steps == limit or scores.min() > 0


@pytest.mark.parametrize("run", [compiled, lambda phase: phase], ids=["compiled", "plain"])
@given(seed=st.integers(0, 10**6), sigma=st.floats(0.01, 0.5))
def test_an_f13_phase_keeps_scores_and_length_and_ends_where_nothing_is_clearly_wrong(run, seed, sigma):
    A, rng = cone(seed)
    x = rng.standard_normal(A.shape[1])
    scores, taken, sqnorm, limit = A @ x, np.zeros(len(A)), np.array([x @ x]), 50
    steps = run(turn_away)(A @ A.T, scores, taken, sqnorm, sigma, limit)
    now = x + taken @ A
    assert scores == pytest.approx(A @ now, abs=1e-12)
    assert sqnorm[0] == pytest.approx(now @ now, abs=1e-12)
    assert sqnorm[0] <= (x @ x) * (1 - sigma**2) ** steps * (1 + 1e-9) + 1e-12  # each step takes a share of σ² at least
    assert steps == limit or (A @ now).min() >= -sigma * np.linalg.norm(now) - 1e-7


def test_the_numbers_are_those_of_the_paper():
    assert [perceptron_phase(n) for n in (1, 10)] == [16, 1600]
    assert narrowest(10) == 1 / 320
    assert most_updates(10, 0.1) == math.floor(math.log(10) / 0.1**2) == 230


def test_rows_join_when_they_are_in_the_way():
    """Of many rows only some are worked on, and the answer is right on all of them."""
    X, y, _ = gaussian_pair(5000, 6, 0.01, seed=2)
    z = Signed(X, y.astype(float), False)
    found = rescaled(z, lambda w: w if z.least(weights(w.tolist()))[1] > 0 else None)
    assert not found.why
    assert z.least(weights(found.w.tolist()))[1] > 0


@pytest.mark.parametrize(
    ("caps", "why"),
    [
        ({"max_stretches": 2}, "space was stretched 2 times, as often as it may be"),
        ({"max_steps": 5000}, "5,000 steps were made, as many as there may be"),
        ({"until": 0.0}, "the time is used up"),
    ],
)
def test_caps_are_kept_and_said(caps, why):
    X, y = lower_bound(16)
    found = rescaled(Signed(X, y.astype(float), False), lambda w: None, **caps)
    assert found.why == why
    assert found.stretches <= caps.get("max_stretches", 10**9)
    assert found.steps <= caps.get("max_steps", 10**9)
    assert np.isfinite(found.w).all()


def test_the_best_weights_are_kept_where_none_are_right():
    X, y, _ = gaussian_pair(300, 3, 0.1, seed=0)
    y = y.copy()
    y[:6] = -y[:6]
    found = rescaled(Signed(X, y.astype(float), True), lambda w: True, max_steps=30_000)
    assert found.why
    wrong = (y * (X @ found.w[:-1] + found.w[-1]) <= 0).sum()
    assert 0 < wrong < 30


def test_where_no_weights_are_right_few_rows_are_answered_wrongly():
    """Hardly more than were turned around, whatever the seed."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 4))
        turned = rng.random(200) < 0.1
        y = (X @ [1, -2, 1, 0.5] > 0) ^ turned
        found = RescaledPerceptron(max_steps=20_000, random_state=seed).fit(X, y)
        assert (found.predict(X) != y).sum() <= 1.7 * turned.sum()


def test_separate_by_rescaling():
    X, y = lower_bound(14)
    found = separate(X, y, fit_intercept=False, method="rescaled")
    assert isinstance(found, Separable)
    assert verify(found, X, y)
    assert found == separate(X, y, fit_intercept=False, method="rescaled", seed=0)
    xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    found = separate(*xor, method="rescaled")
    assert isinstance(found, Undecided)
    assert verify(found, *xor)
    with pytest.raises(ValueError, match="there is no method 'simplex'; the methods are auto, rescaled"):
        separate(X, y, method="simplex")


# ---- the estimator ---------------------------------------------------------------------------------------------------


def test_the_estimator_separates_and_proves_it():
    X, y = lower_bound(12)
    model = RescaledPerceptron(fit_intercept=False, random_state=0).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.stop_reason_ == "separated"
    assert model.n_stretches_ > 0
    assert verify(model.certificate_, X, y)
    assert isinstance(model.certificate_, Separable)
    again = RescaledPerceptron(fit_intercept=False, random_state=0).fit(X, y)
    assert (model.coef_ == again.coef_).all()


def test_many_classes_each_have_their_proof(tmp_path):
    X = np.array([[0, 4], [1, 5], [-4, -2], [-5, -3], [4, -2], [5, -3.0]])
    y = np.array(["up", "up", "left", "left", "right", "right"])
    model = RescaledPerceptron(random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    assert all(verify(proof, X, y) and isinstance(proof, Separable) for proof in model.certificate_.values())
    model.save(tmp_path / "m.nvk")


def test_what_cannot_be_separated_ends_and_is_said():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    with pytest.warns(UserWarning, match=r"not separated: .*of 4 training rows are answered wrongly.*novikoff.separate"):
        model = RescaledPerceptron(random_state=0).fit(X, y)
    assert model.stop_reason_ != "separated"
    assert isinstance(model.certificate_, Undecided)


@pytest.mark.parametrize("wrong", [{"max_steps": -1}, {"max_steps": None}, {"max_stretches": 1.5}])
def test_caps_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="must be a whole number and not negative"):
        RescaledPerceptron(**wrong).fit([[0.0], [1.0]], [0, 1])


def test_stages_are_told_before_each_stretch_and_at_the_end():
    X, y = lower_bound(8)
    z, stages = Signed(X, y.astype(float), False), []
    told = rescaled(z, lambda w: (z.scores(w) > 0).all() or None, on_stage=stages.append)
    assert told.stretches == len(stages) - 1 > 0
    assert stages[-1].steps == told.steps
    assert (stages[0].space == np.eye(8)).all()
    for before, after in pairwise(stages):
        stretched = before.space @ (np.eye(8) + np.outer(before.x, before.x))
        assert after.space == pytest.approx(stretched / np.abs(stretched).max())
    assert (stages[-1].rows @ stages[-1].x > 0).all()
    assert (stages[-1].space @ stages[-1].x) * column_scales(z) == pytest.approx(told.w)


def test_where_nothing_is_found_the_last_stage_says_so():
    stages = []
    told = rescaled(Signed(np.array([[1.0], [-1.0]]), np.ones(2), False), lambda w: None, max_stretches=1, on_stage=stages.append)
    assert told.proof is None
    assert stages[-1].x is None
    again = rescaled(Signed(np.array([[1.0]]), np.ones(1), False), lambda w: None, max_stretches=2, on_stage=stages.append)
    assert again.stretches == 2
    assert [stage.x is None for stage in stages[-3:]] == [False, False, True]
