"""A budget of stored rows: the Forgetron, against a literal version of it and against its theorem."""

import numpy as np
import pytest

from kernel_problems import circles, close_to, gram
from novikoff import KernelPerceptron, Learner
from novikoff.engine.kernel_examples import kernel_examples
from novikoff.engine.kernels import find_kernel
from novikoff.engine.rules import Bound, Evidence, NoBound
from novikoff.engine.weights import budgeted
from novikoff.engine.weights import span as spans
from novikoff.engine.weights.forgetron import bound as forgetting_bound
from oracles import fractions


def forgetron(K, y, budget, passes):
    """The self-tuned Forgetron where K(x, x) ≤ 1: stored (row, coefficient) pairs, mistakes and the cost of forgetting."""
    stored, mistakes, spent, shrunk = [], [], 0.0, 0.0
    for _ in range(passes):
        for i in range(len(y)):
            if y[i] * sum(c * K[j, i] for j, c in stored) <= 0:
                mistakes.append(i)
                stored.append((i, float(y[i])))
                if len(stored) > budget:
                    r, c = stored[0]
                    mu = np.sign(c) * sum(d * K[j, r] for j, d in stored)

                    def cost(phi, c=c, mu=mu):
                        return (phi * c) ** 2 + 2 * phi * abs(c) * (1 - phi * mu)

                    low, high = 0.0, 1.0
                    if spent + cost(1.0) <= 15 / 32 * len(mistakes):
                        low = 1.0
                    else:
                        for _ in range(200):
                            middle = (low + high) / 2
                            low, high = (middle, high) if spent + cost(middle) <= 15 / 32 * len(mistakes) else (low, middle)
                    spent, shrunk = spent + cost(low), shrunk + (1 - low) / (1 + low)
                    stored = [(j, low * d) for j, d in stored[1:]]
    return stored, mistakes, spent, shrunk


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("budget", [1, 2, 7, 25, 200])
def test_the_budget_is_kept_by_the_forgetron(budget, bias, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(70, 2))
    y = np.where((X**2).sum(axis=1) + 0.7 * rng.normal(size=70) > 1.5, 1, -1)
    monkeypatch.setattr(spans, "BLOCK", 16)
    clf = KernelPerceptron("rbf", gamma=1.0, budget=budget, max_iter=4, fit_intercept=bias).fit(X, y)
    K = (gram(clf.kernel_, X) + bias) / (1 + bias)
    stored, mistakes, spent, shrunk = forgetron(K, y, budget, len(clf.passes_))
    assert [update.row for update in clf.ledger_] == mistakes
    assert clf.support_.tolist() == [row for row, _ in stored]
    assert clf.dual_coef_[0] == close_to([c for _, c in stored])
    assert clf._learner.readout_state.spent[0] == close_to(spent)
    assert clf._learner.readout_state.shrunk[0] == close_to(shrunk)
    assert len(clf.support_) <= budget
    assert clf._learner.team.w_sqnorm[0] == close_to(clf._learner.space.sqnorms(clf._learner.weights())[0])
    scores = (1 + bias) * sum(c * K[row] for row, c in stored)
    assert clf.decision_function(X) == close_to(scores)


def test_a_budget_of_each_class_is_kept_and_no_cycle_is_claimed():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = np.eye(6)[rng.integers(0, 6, 8)], rng.integers(0, 3, 8)
        y[:3] = [0, 1, 2]
        clf = KernelPerceptron("linear", budget=2, max_iter=9).fit(X, y)
        assert ((clf.dual_coef_ != 0).sum(axis=1) <= 2).all()
        assert not clf._run.cycles


def test_a_block_that_did_not_come_to_an_end_leaves_a_model_that_answers(monkeypatch):
    X, y = circles(60)
    clf = KernelPerceptron("rbf", gamma=1.0, budget=5).partial_fit(X, y)

    def broken(*args):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(budgeted.Budgeted, "after", broken)
    with pytest.raises(KeyboardInterrupt):
        clf.partial_fit(X, y)
    assert len(clf.support_) <= 5
    assert clf.predict(X).shape == (60,)


def test_fractions_have_no_roots():
    learner = Learner(kernel=find_kernel("linear"), budget=2)
    seen = kernel_examples(fractions([[1], [2]]), np.array([0, 1]), learner.kernel)
    with pytest.raises(ValueError, match="give the data as floats"):
        learner.fit(seen, 1)


def test_a_budget_on_a_stream_is_the_same_in_pieces():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 2))
    y = np.where((X**2).sum(axis=1) + rng.normal(size=400) > 1.5, 1, -1)
    whole_stream = KernelPerceptron("rbf", gamma=1.0, budget=12).partial_fit(X, y)
    pieces = KernelPerceptron("rbf", gamma=1.0, budget=12)
    for part in np.array_split(np.arange(400), 23):
        pieces.partial_fit(X[part], y[part])
        assert len(pieces.support_) <= 12
    assert [u.row for u in pieces.ledger_] == [u.row for u in whole_stream.ledger_]
    assert pieces.support_.tolist() == whole_stream.support_.tolist()
    np.testing.assert_allclose(pieces.decision_function(X), whole_stream.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_theorem_of_the_forgetron_holds(seed):
    """Against vectors u of every norm that the budget allows, and against the sum that its proof is about."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0.2 * rng.normal(size=600), 1, -1)
    clf = KernelPerceptron("rbf", gamma=0.5, budget=90, max_iter=3).fit(X, y)
    assert len(clf.support_) == 90 < clf.n_mistakes_
    K = gram(clf.kernel_, X)
    u = KernelPerceptron("rbf", gamma=0.5, readout="averaged", max_iter=10).fit(X, y)
    alpha = np.zeros(600)
    alpha[u.support_] = u.dual_coef_[0]
    alpha /= np.sqrt(alpha @ K @ alpha)
    spent, shrunk, mistakes = clf._learner.readout_state.spent[0], clf._learner.readout_state.shrunk[0], clf.n_mistakes_
    allowed = 0
    for size in np.geomspace(0.01, 3, 60):
        losses = 3 * np.maximum(0, 1 - size * y * (K @ alpha)).sum()
        assert mistakes <= size**2 * (1 + shrunk) + 2 * losses + spent + 1e-6
        found = clf.bound(radius=1.0, margin=1 / size, losses=losses)
        if isinstance(found, Bound):
            allowed += 1
            assert mistakes <= found.value
    assert 10 < allowed < 60
    assert isinstance(clf.facts(X, y).by_losses, Bound)


def test_what_the_forgetron_promises_depends_on_the_budget():
    assert isinstance(forgetting_bound(83, Evidence(1.0, 0.1)), NoBound)
    assert forgetting_bound(84, Evidence(1.0, 0.1, losses=2.0)).value == pytest.approx(2 * 0.01 + 8)
    assert isinstance(forgetting_bound(84, Evidence(2.0, 0.6)), NoBound)
    assert "larger budget" in forgetting_bound(84, Evidence(2.0, 0.6)).why
    assert isinstance(forgetting_bound(84, Evidence(1.0, 0.1, weighted=True)), NoBound)


def test_rows_that_grow_after_something_was_forgotten_void_the_bound():
    X, y = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 2
    clf = KernelPerceptron("poly", degree=2, budget=90).partial_fit(X, y)
    assert isinstance(clf.bound(radius=100.0, margin=1e4, losses=1.0), Bound)
    clf.partial_fit(X, y)
    assert isinstance(clf.bound(radius=100.0, margin=1e4, losses=1.0), Bound)
    clf.partial_fit(100 * X, y)
    assert "longer rows came after something was forgotten" in clf.bound(radius=1e6, margin=1e8, losses=1.0).why
