"""The learner in the space of a kernel, held to the learner among columns and to slow literal versions (F10, F19)."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

import novikoff
import novikoff.engine.weights.span
from chosen import RULES
from novikoff import KernelPerceptron, Learner, Perceptron, PolynomialMap
from novikoff.engine.kernels import Points, find_kernel
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rule import Bound, Evidence, NoBound
from novikoff.engine.weights.forgetron import bound as forgetting_bound
from novikoff.engine.weights.span import kernel_examples
from novikoff.learning.state import learner_of, state_of
from oracles import any_data

READOUTS = ["last", "averaged", "voted", "pocket"]
SMALL = 3  # rows of a block, where blocks are tried
pytestmark = pytest.mark.filterwarnings("ignore::novikoff.estimators.linear_classifier.ScaleRemark")


def fractions(X):
    return np.array([[Fraction(v) for v in x] for x in X], object)


def gram(kernel, X):
    return kernel.between(Points(X), Points(X))


def story(learner):
    return [[tuple(update) for update in ledger] for ledger in learner.ledgers]


def whole(number):
    return pytest.approx(number, rel=1e-9, abs=1e-9)


# ---- the same learner -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("readout", READOUTS)
@given(
    data=any_data(labels=st.integers(0, 2)),
    constant=st.integers(0, 1),
    blocks=st.booleans(),
    order=st.sampled_from(["given", "each"]),
)
@settings(max_examples=12)
def test_the_linear_kernel_is_the_learner_among_columns(rule, readout, data, constant, blocks, order):
    X, y = fractions(data[0]), np.array(data[1])
    if readout == "pocket" and blocks:
        return  # without the ratchet, which needs all rows at hand; there is a test of its own
    plain = Learner(rule, readout=readout, order=order)
    plain.fit(examples(X, y, constant=constant), 3)
    span = Learner(rule, readout=readout, order=order, kernel=find_kernel("linear"), cache_bytes=0 if blocks else 10**6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(novikoff.engine.weights.span, "BLOCK", SMALL)
        span.fit(kernel_examples(X, y, span.kernel, constant=constant), 3)
    assert story(span) == story(plain)
    for part in ("w_sqnorm", "hull_sq", "steps", "mistakes"):
        assert getattr(span.team, part).tolist() == getattr(plain.team, part).tolist()
    stored = span.space.stored
    for kept, w in zip(span.vectors(), plain.vectors(), strict=True):
        again = kept[:, :-1] @ stored.X if stored is not None else np.zeros((len(w), X.shape[1]), int)
        assert np.column_stack([again, kept[:, -1]]).tolist() == w.tolist()
    assert span.decide(X).astype(float) == whole(plain.decide(X).astype(float))  # an average is a quotient of floats


@given(any_data(), st.integers(1, 3), st.sampled_from(["margin", "rosenblatt"]))
@settings(max_examples=25)
def test_a_polynomial_is_its_columns_repeated(data, degree, rule):
    X, y = np.rint(np.array(data[0])), np.array(data[1])
    mapped = PolynomialMap(degree=degree, repeated=True).fit_transform(X)
    plain = Learner(rule)
    plain.fit(examples(mapped, y, constant=0), 5)
    span = Learner(rule, kernel=find_kernel("poly", degree=degree))
    span.fit(kernel_examples(X, y, span.kernel), 5)
    assert story(span) == story(plain)


@given(data=any_data(labels=st.integers(0, 2)), cut=st.integers(0, 20), readout=st.sampled_from(["last", "averaged", "pocket"]))
@settings(max_examples=25)
def test_a_stream_in_pieces_is_one_pass(data, cut, readout):
    X, y = fractions(data[0]), np.array(data[1])
    kernel = find_kernel("poly", degree=2)
    once, pieces = (Learner(readout=readout, kernel=kernel) for _ in range(2))
    once.learn(kernel_examples(X, y, kernel), np.unique(y))
    for part in (slice(None, cut), slice(cut, None)):
        if len(y[part]):
            pieces.learn(kernel_examples(X[part], y[part], kernel))
    assert story(pieces) == story(once)
    assert pieces.decide(X).astype(float) == whole(once.decide(X).astype(float))


@given(data=any_data(), cut=st.integers(1, 19), readout=st.sampled_from(["last", "averaged"]))
@settings(max_examples=25)
def test_passes_over_pieces_are_passes_over_all(data, cut, readout):
    """Data that is not held: a row that is met again in the next pass is stored once."""
    X, y = fractions(data[0]), np.array(data[1])
    kernel = find_kernel("poly", degree=2)
    held, pieces = (Learner(readout=readout, kernel=kernel) for _ in range(2))
    held.fit(kernel_examples(X, y, kernel), 4)
    cuts = [slice(None, cut), slice(cut, None)]
    looked_at = [kernel_examples(X[part], y[part], kernel) for part in cuts if len(y[part])]
    pieces.fit_pieces(lambda number: ((seen, seen.fed) for seen in looked_at), 4)
    assert story(pieces)[0] == story(held)[0]
    assert pieces.decide(X).astype(float) == whole(held.decide(X).astype(float))
    if pieces.space.stored is not None:
        assert (np.diff(pieces.space.stored.numbers) > 0).all()


@pytest.mark.parametrize("name", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_blocks_and_a_small_cache_change_nothing(name, stored, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, size=(90, 3)).astype(float)
    y = np.where((X**2).sum(axis=1) + rng.normal(size=90) > 5, 1, 0)
    settings = {"gamma": 0.5, "max_iter": 12, "order": "each", "random_state": 3, "readout": "averaged", "fit_intercept": True}
    clf = KernelPerceptron(name, **settings).fit(stored(X), y)
    monkeypatch.setattr(novikoff.engine.weights.span, "BLOCK", 8)
    for cache in (0, 4 * 90 * 8 / 2**20, 0.03):  # no room, room for four rows of the Gram matrix, for nearly half of it
        other = KernelPerceptron(name, cache_size=cache, **settings).fit(stored(X), y)
        assert [(u.t, u.row) for u in other.ledger_] == [(u.t, u.row) for u in clf.ledger_]
        np.testing.assert_allclose(other.decision_function(X), clf.decision_function(X), rtol=1e-9, atol=1e-9)
        assert other._run.errors == clf._run.errors


def test_the_pocket_without_all_rows_at_hand_is_that_of_a_stream():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, size=(60, 2)), rng.integers(0, 2, 60)
    kernel = find_kernel("linear")
    span = Learner(readout="pocket", kernel=kernel, cache_bytes=0)
    run = span.fit(kernel_examples(fractions(X), y, kernel, constant=1), 1)
    stream = Learner(readout="pocket")
    stream.learn(examples(fractions(X), y, constant=1))
    assert span.decide(fractions(X)).tolist() == stream.decide(fractions(X)).tolist()
    assert run.errors == ((span.decide(fractions(X))[:, 0] > 0) != y).sum() + (span.decide(fractions(X))[:, 0] == 0)[y == 0].sum()


# ---- literal versions -----------------------------------------------------------------------------------------------------


def every_weight_vector(K, y, passes):
    """The perceptron in coefficients: its vectors after each example, and the rows that were mistakes."""
    alpha, after, mistakes = np.zeros(len(y)), [], []
    for _ in range(passes):
        before = len(mistakes)
        for i in range(len(y)):
            if y[i] * (K[i] @ alpha) <= 0:
                alpha = alpha.copy()
                alpha[i] += y[i]
                mistakes.append(i)
            after.append(alpha)
        if len(mistakes) == before:
            break
    return after, mistakes


@pytest.mark.parametrize("name", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize(("classes", "intercept"), [(2, False), (3, False), (2, True)])
def test_votes_and_averages_are_those_of_every_vector_there_was(name, classes, intercept):
    rng = np.random.default_rng(5)
    X = rng.integers(-2, 3, size=(40, 2)).astype(float)
    if name == "sigmoid":  # which is odd: on these a score would be 0, or nearly, as the processor rounds
        X = rng.normal(size=(40, 2))
    y = rng.integers(0, classes, 40)
    new = rng.normal(size=(15, 2))
    settings = {"gamma": 0.5, "degree": 2, "max_iter": 4, "fit_intercept": intercept}
    clf = {readout: KernelPerceptron(name, readout=readout, **settings).fit(X, y) for readout in ("last", "averaged", "voted")}
    kernel = clf["last"].kernel_
    K, test = gram(kernel, X) + intercept, kernel.between(Points(new), Points(X)) + intercept
    sides = [1] if classes == 2 else range(classes)
    decided = {readout: c.decision_function(new).reshape(len(new), -1) for readout, c in clf.items()}
    for v, side in enumerate(sides):
        after, mistakes = every_weight_vector(K, np.where(y == side, 1, -1), len(clf["last"].passes_))
        ledger = clf["last"].ledger_ if classes == 2 else clf["last"].ledger_[v]
        assert [update.row for update in ledger] == mistakes
        after += [after[-1]] * (ledger.tally.examples - len(after))  # others may have gone on for longer
        scores = np.array([test @ alpha for alpha in after])
        assert decided["last"][:, v] == whole(scores[-1])
        assert decided["averaged"][:, v] == whole(scores.mean(axis=0))
        clear = np.abs(scores).min(axis=0) > 1e-9  # of others rounding may turn a vote
        assert clear.sum() > 5
        assert decided["voted"][clear, v] == whole(np.sign(scores).sum(axis=0)[clear])


@pytest.mark.parametrize("name", ["rbf", "poly", "laplacian"])
def test_what_is_kept_of_w_is_true(name):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    clf = KernelPerceptron(name, gamma=0.4, max_iter=3, fit_intercept=True).fit(X, y)
    learner = clf._learner
    K = gram(clf.kernel_, X) + 1
    for v in range(3):
        alpha = np.zeros(80)
        alpha[clf.support_] = clf.dual_coef_[v]
        assert learner.team.w_sqnorm[v] == whole(alpha @ K @ alpha)
        assert clf.decision_function(X)[:, v] == whole(K @ alpha)
        assert clf.intercept_[v] == alpha.sum()
    assert learner.space.sqnorms(learner.weights()) == whole(learner.team.w_sqnorm[:-1])
    assert set(clf.support_) == {update.row for ledger in learner.ledgers for update in ledger}
    assert (clf.support_vectors_ == X[clf.support_]).all()


# ---- theorems -------------------------------------------------------------------------------------------------------------


@given(any_data(), st.integers(2, 3))
@settings(max_examples=40)
def test_the_bounds_hold_in_the_space_of_the_kernel(data, degree):
    """F5 and F7 against the widest margin of the explicit map, where there is one."""
    X, y = np.rint(np.array(data[0])), np.array(data[1])
    mapped = PolynomialMap(degree=degree, repeated=True).fit_transform(X)
    proof = novikoff.separate(mapped, y, fit_intercept=False)
    clf = KernelPerceptron("poly", degree=degree, max_iter=30).fit(X, y)
    radius_sq = ((1 + (X**2).sum(axis=1)) ** degree).max()
    if isinstance(proof, novikoff.Separable):
        found = clf.bound(radius=radius_sq**0.5, margin=proof.margin.low)
        assert isinstance(found, Bound)
        assert found.value == whole(radius_sq / proof.margin.low**2)
        assert clf.n_mistakes_ <= found.value * (1 + 1e-9)
        facts = clf.facts(X, y)
        assert facts.margin[1] >= proof.margin.low * (1 - 1e-9)
        assert facts.radius == whole(radius_sq**0.5)
        assert facts.mistakes <= facts.by_losses.value * (1 + 1e-9)


def test_a_kernel_that_is_none_has_no_bounds():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    for kernel in ("sigmoid", lambda a, b: a @ b.T):
        clf = KernelPerceptron(kernel, max_iter=3).fit(X, y)
        assert isinstance(clf.bound(radius=1, margin=0.1), NoBound)
        facts = clf.facts(X, y)
        assert "positive semidefinite" in str(facts)
        assert isinstance(facts.margin, NoBound)


def bits(n):
    X = np.array(list(product([0, 1], repeat=n)), float)
    return X, X.sum(axis=1) % 2


def grid(boundary):
    """Points of a grid that are on neither side of none."""
    X = np.array(list(product(range(-4, 5), repeat=2)), float)
    values = boundary(*X.T)
    return X[values != 0], values[values != 0] > 0


CURVED = {
    "xor": (bits(2), {"kernel": "poly", "degree": 2}),
    "parity": (bits(4), {"kernel": "poly", "degree": 4}),
    "parity, rbf": (bits(4), {"kernel": "rbf"}),
    "circles": (grid(lambda a, b: a**2 + b**2 - 6.5), {"kernel": "poly", "degree": 2}),
    "circles, rbf": (grid(lambda a, b: a**2 + b**2 - 6.5), {"kernel": "rbf", "gamma": 0.5}),
    "ball": (grid(lambda a, b: (a - 1) ** 2 + (b + 2) ** 2 - 7), {"kernel": "poly", "degree": 2}),
    "F18": (grid(lambda a, b: a**2 + b**2 - 3 * a * b), {"kernel": "poly", "degree": 2}),
    "F18, laplacian": (grid(lambda a, b: a**2 + b**2 - 3 * a * b), {"kernel": "laplacian", "gamma": 0.5}),
}


@pytest.mark.parametrize("name", CURVED)
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_curved_classes_are_learned_and_the_certificate_says_so(name, stored):
    (X, y), how = CURVED[name]
    clf = KernelPerceptron(max_iter=100_000, **how).fit(stored(X), y)
    assert clf.stop_reason_ == "clean pass"
    assert clf.score(X, y) == 1
    proof = clf.certificate_
    assert isinstance(proof, novikoff.Separable)
    assert proof.tolerance == (0 if how["kernel"] == "poly" else 1e-12)
    assert novikoff.verify(proof, X, y)
    assert not novikoff.verify(proof, X, ~y.astype(bool))
    again = clf.certify(X, y)
    assert isinstance(again, novikoff.Separable)
    assert novikoff.verify(again, X, y)
    facts = clf.facts(stored(X), y)
    assert facts.mistakes <= facts.by_margin.value
    assert proof.margin.low <= facts.margin[1]


def test_a_cycle_proves_that_a_kernel_is_too_weak():
    X, y = bits(4)
    clf = KernelPerceptron("poly", degree=3, max_iter=2000).fit(X, y)
    assert isinstance(clf.certificate_, novikoff.Inseparable)
    assert novikoff.verify(clf.certificate_, X, y)
    assert clf.stop_reason_ == "max_iter"


def test_what_decides_nothing_says_why():
    X, y = circles()
    stopped = KernelPerceptron(max_iter=1).fit(X, y)
    assert "no clean pass in 1" in stopped.certificate_.why
    assert novikoff.verify(stopped.certificate_, X, y)
    assert stopped.certificate_.margin_at_most < 1
    streamed = KernelPerceptron().partial_fit(X, y)
    assert "stream" in streamed.certificate_.why
    assert streamed.certificate_.data.kernel.name == "rbf"
    with pytest.raises(ValueError, match="not the rows of one fit"):
        stopped.certify(X[::-1], y[::-1])
    flat = KernelPerceptron("sigmoid", max_iter=3).fit(X, y)
    assert "void" in str(flat.certificate_)


# ---- a budget ---------------------------------------------------------------------------------------------------------------


def forgetron(K, y, budget, passes):
    """The self-tuned Forgetron where K(x, x) ≤ 1: what it stored (row, coefficient), its mistakes and what forgetting cost."""
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
    monkeypatch.setattr(novikoff.engine.weights.span, "BLOCK", 16)
    clf = KernelPerceptron("rbf", gamma=1.0, budget=budget, max_iter=4, fit_intercept=bias).fit(X, y)
    K = (gram(clf.kernel_, X) + bias) / (1 + bias)
    stored, mistakes, spent, shrunk = forgetron(K, y, budget, len(clf.passes_))
    assert [update.row for update in clf.ledger_] == mistakes
    assert clf.support_.tolist() == [row for row, _ in stored]
    assert clf.dual_coef_[0] == whole([c for _, c in stored])
    assert clf._learner.carry.spent[0] == whole(spent)
    assert clf._learner.carry.shrunk[0] == whole(shrunk)
    assert len(clf.support_) <= budget
    assert clf._learner.team.w_sqnorm[0] == whole(clf._learner.space.sqnorms(clf._learner.weights())[0])
    scores = (1 + bias) * sum(c * K[row] for row, c in stored)
    assert clf.decision_function(X) == whole(scores)


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

    monkeypatch.setattr(novikoff.engine.weights.span.Budgeted, "after", broken)
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
    """Against vectors u whose norm the budget allows for, those of an ordinary run among them; and the sum its proof is about."""
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
    spent, shrunk, mistakes = clf._learner.carry.spent[0], clf._learner.carry.shrunk[0], clf.n_mistakes_
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
    assert "grew longer" in clf.bound(radius=1e6, margin=1e8, losses=1.0).why


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"budget": 0}, "budget must be"),
        ({"budget": 2.5}, "budget must be"),
        ({"budget": 5, "readout": "averaged"}, "only the last weights"),
        ({"budget": 5, "rule": "margin"}, "Forgetron, which has the rule 'rosenblatt'"),
        ({"cache_size": -1}, "cache_size must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"kernel": "cosine"}, "there is no kernel"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        KernelPerceptron(**settings).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("settings", "scale", "said"),
    [
        ({"kernel": "poly", "degree": 1001}, 1.0, "degree must be a whole number from 1 to 1000"),
        ({"kernel": "poly", "degree": 900}, 1e3, "the kernel of row . with itself is inf: .* smaller parameters"),
        ({"kernel": "rbf", "gamma": 1e20}, 1.0, "take a smaller gamma"),
        ({"kernel": "sigmoid", "coef0": -9.0, "rule": "margin"}, 1.0, "with itself is .*rosenblatt and threshold"),
        ({"kernel": lambda a, b: 1j * (a @ b.T)}, 1.0, "gives complex numbers"),
        ({"kernel": "rbf", "budget": 2**40}, 1.0, "below 2³¹"),
    ],
)
def test_numbers_that_lead_nowhere_are_refused(settings, scale, said):
    X, y = circles(30)
    with pytest.raises(ValueError, match=said):
        KernelPerceptron(max_iter=3, **settings).fit(scale * X, y)


def test_a_gamma_that_follows_the_data_waits_for_the_data_to_be_right():
    X, y = circles(30)
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="row 7, column 1 is NaN"):
        KernelPerceptron().fit(X, y)
    with pytest.raises(ValueError, match="there are no rows"):
        KernelPerceptron().fit(np.empty((0, 2)), [])


# ---- using it ---------------------------------------------------------------------------------------------------------------


def circles(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where((X**2).sum(axis=1) > 1.4, "out", "in")


def test_a_function_and_precomputed_values_serve_as_kernels():
    X, y = circles()
    named = KernelPerceptron("rbf", gamma=0.7).fit(X, y)
    called = KernelPerceptron(lambda a, b: find_kernel("rbf", gamma=0.7).between(Points(a), Points(b))).fit(X, y)
    K = gram(find_kernel("rbf", gamma=0.7), X)
    for readout in ("last", "averaged", "voted"):
        given = KernelPerceptron("precomputed", readout=readout).fit(K, y)
        wanted = KernelPerceptron("rbf", gamma=0.7, readout=readout).fit(X, y)
        np.testing.assert_allclose(given.decision_function(K[:9]), wanted.decision_function(X[:9]), rtol=1e-9)
        assert [u.row for u in given.ledger_] == [u.row for u in named.ledger_] == [u.row for u in called.ledger_]
    assert given.predict_with_doubt(K[:9], 0.5)[1].tolist() == wanted.predict_with_doubt(X[:9], 0.5)[1].tolist()
    with pytest.raises(ValueError, match="an angle needs an inner product"):
        KernelPerceptron("precomputed").fit(K, y).predict_with_doubt(K[:9])
    assert cross_val_score(KernelPerceptron("precomputed"), K, y, cv=3).min() > 0.85


@pytest.mark.parametrize("kernel", ["precomputed", find_kernel("precomputed")])
def test_precomputed_values_are_of_one_fit(kernel):
    K, y = np.eye(4) + 1, [0, 1, 0, 1]
    assert KernelPerceptron(kernel).__sklearn_tags__().input_tags.pairwise
    with pytest.raises(ValueError, match="a stream has none: use fit"):
        KernelPerceptron(kernel).partial_fit(K, y)
    with pytest.raises(ValueError, match="warm_start must be False"):
        KernelPerceptron(kernel, warm_start=True).fit(K, y)


def test_rows_that_floats_cannot_tell_apart_are_refused():
    X, y = circles(60)
    for shift in (0, 1e3):
        assert KernelPerceptron("rbf", gamma=0.5).fit(X + shift, y).stop_reason_ == "clean pass"
    with pytest.raises(ValueError, match=r"so far from 0 that values of the RBF kernel would be wrong by about .*StandardScaler"):
        KernelPerceptron("rbf", gamma=0.5).fit(X + 1e7, y)


def test_values_that_are_no_kernel_are_refused():
    K = np.eye(4)
    with pytest.raises(ValueError, match=r"a square matrix; this has shape \(4, 3\)"):
        KernelPerceptron("precomputed").fit(K[:, :3], [0, 1, 0, 1])
    K[1, 2] = 3
    with pytest.raises(ValueError, match=r"not symmetric: at \(1, 2\) it has 3, and at \(2, 1\) 0"):
        KernelPerceptron("precomputed").fit(K, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="a stream has none: use fit"):
        KernelPerceptron("precomputed").partial_fit(np.eye(4), [0, 1, 0, 1])


def test_a_function_that_fails_half_way_leaves_the_model_as_it_was():
    X, y = circles(60)
    calls = []

    def moody(a, b):
        calls.append(len(a))
        return a @ b.T + (np.nan if len(calls) > 100 else 0)

    clf = KernelPerceptron(moody).partial_fit(X[:30], y[:30])
    before = clf.decision_function(X), clf.n_updates_, clf.support_.tolist()
    calls.extend([0] * 100)
    with pytest.raises(ValueError, match="moody gives nan"):
        clf.partial_fit(X[30:], y[30:])
    del calls[:]
    assert (clf.decision_function(X) == before[0]).all()
    assert (clf.n_updates_, clf.support_.tolist()) == before[1:]


@pytest.mark.parametrize("settings", [{}, {"readout": "averaged"}, {"readout": "voted"}, {"readout": "pocket"}, {"budget": 9}])
def test_models_are_saved_and_go_on(settings, tmp_path):
    X, y = circles()
    clf = KernelPerceptron("poly", degree=2, max_iter=3, **settings).fit(X, y)
    clf.save(tmp_path / "model.nvk")
    model = novikoff.load(tmp_path / "model.nvk")
    assert model.decisions(X)[:, 0].tolist() == clf.decision_function(X).tolist()
    if settings != {"readout": "voted"}:
        more = model.learner.space.look(X[:50], y[:50], constant=0)
        model.learner.learn(more)
        clf.partial_fit(X[:50], y[:50])
        assert model.decisions(X)[:, 0].tolist() == clf.decision_function(X).tolist()


def test_what_a_file_cannot_hold_or_do_is_said(tmp_path):
    X, y = circles(40)
    with pytest.raises(ValueError, match="is a function, and a model file has none that could run"):
        KernelPerceptron(lambda a, b: a @ b.T, max_iter=2).fit(X, y).save(tmp_path / "model.nvk")
    KernelPerceptron().fit(X, y).save(tmp_path / "model.nvk")
    model = novikoff.load(tmp_path / "model.nvk")
    for use in (novikoff.models.model.to_text, novikoff.OnlineLearner.of):
        with pytest.raises(ValueError, match=r"has a kernel|features are numbered"):
            use(model)
    with pytest.raises(AttributeError, match="no weights of columns"):
        _ = KernelPerceptron().fit(X, y).coef_


def test_only_the_linear_kernel_has_weights_of_columns():
    X, y = circles(40)
    for stored in (np.asarray, sp.csr_array):
        clf = KernelPerceptron("linear", fit_intercept=True, max_iter=3).fit(stored(X), y)
        plain = Perceptron(max_iter=3).fit(X, y)
        np.testing.assert_allclose(clf.coef_, plain.coef_, rtol=1e-9)
        assert (clf.intercept_ == plain.intercept_).all()
        assert set(clf.feature_importance()) == {"x0", "x1"}


def test_doubt_is_the_angle_in_the_space_of_the_kernel():
    X, y = circles()
    clf = KernelPerceptron("poly", degree=2, readout="averaged", fit_intercept=True).fit(X, y)
    alpha = np.zeros(len(X))
    alpha[clf.support_] = clf.dual_coef_[0]
    K = gram(clf.kernel_, X) + 1
    cosine = np.abs(K @ alpha) / np.sqrt(alpha @ K @ alpha) / np.sqrt(K.diagonal())
    for sigma in (0.01, 0.1, 0.4):
        labels, sure = clf.predict_with_doubt(X, sigma)
        assert (labels == clf.predict(X)).all()
        assert (sure == (cosine >= sigma)).all()
        assert 0 < sure.sum() < len(X)


def test_weights_of_rows_and_classes_scale_the_step():
    X, y = circles()
    weight = np.random.default_rng(0).uniform(0, 2, len(X))
    weight[::7] = 0
    ours = KernelPerceptron("linear", max_iter=4, fit_intercept=True, class_weight={"in": 2.0}).fit(X, y, sample_weight=weight)
    plain = Perceptron(max_iter=4, class_weight={"in": 2.0}).fit(X, y, sample_weight=weight)
    assert [(u.row, u.step) for u in ours.ledger_] == [(u.row, u.step) for u in plain.ledger_]
    assert not set(ours.support_) & set(range(0, len(X), 7))


def test_classes_may_appear_in_a_stream():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, size=(60, 2)).astype(float), np.sort(rng.integers(0, 4, 60))
    ours, plain = KernelPerceptron("linear"), Perceptron(fit_intercept=False)
    for a, b in pairwise([0, 5, 17, 33, 60]):
        ours.partial_fit(X[a:b], y[a:b])
        plain.partial_fit(X[a:b], y[a:b])
        assert (ours.classes_ == plain.classes_).all()
        assert ours.decision_function(X) == whole(plain.decision_function(X))


def test_doubt_without_an_inner_product_is_refused():
    X, y = circles(40)
    clf = KernelPerceptron("sigmoid", max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="an angle needs an inner product"):
        clf.predict_with_doubt(X)


def test_answers_that_overflow_are_refused():
    X, y = circles(30)
    clf = KernelPerceptron("poly").fit(X, y)
    with pytest.raises(ValueError, match=r"values of row . are too large"), np.errstate(all="ignore"):
        clf.predict(X * 1e103)


def test_facts_are_of_the_data_that_was_learned_from():
    X, y = circles(60)
    clf = KernelPerceptron(gamma=0.7).fit(X, y)
    other = X.copy()
    other[np.setdiff1d(np.arange(60), clf.support_)[0]] = 100.0
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(other, y)


def test_a_proof_that_was_interrupted_is_none(monkeypatch):
    X, y = circles(60)
    clf = KernelPerceptron(gamma=0.7).fit(X[:30], y[:30])

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(novikoff.estimators.linear_classifier, "of_run", interrupted)
    clf.fit(X, y)
    assert "interrupted before the proof" in clf.certificate_.why
    assert clf.score(X, y) == 1


def test_a_function_may_give_a_sparse_matrix():
    X, y = circles(60)
    sparse = KernelPerceptron(lambda a, b: a @ b.T, max_iter=5).fit(sp.csr_array(X), y)
    assert [u.row for u in sparse.ledger_] == [u.row for u in KernelPerceptron("linear", max_iter=5).fit(X, y).ledger_]


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("kernel", {"name": "rbf", "parameters": {"gamma": "scale"}}),
        ("kernel", {"name": "rbf", "parameters": {}}),
        ("kernel", {"name": "rbf", "parameters": {"gamma": 10**400}}),
        ("kernel", {"name": "poly", "parameters": {"degree": 10**5, "gamma": 1, "coef0": 1}}),
        ("kernel", {"name": "called", "parameters": {}}),
        ("kernel", {"name": "precomputed", "parameters": {}}),
        ("rows_fed", 0),
        ("columns", 7),
        ("radius_sq", 10**400),
        ("budget", 0),
    ],
)
def test_a_damaged_kernel_is_refused(what, value):
    X, y = circles(60)
    clf = KernelPerceptron(gamma=0.7, budget=9).fit(X, y)
    parts, arrays = state_of(clf._learner)
    learner_of(parts, arrays)
    with pytest.raises(ValueError, match=r"\w"):
        learner_of(parts | {what: value}, arrays)


def test_facts_are_those_of_the_kernel_that_learned():
    X, y = circles(40)
    clf = KernelPerceptron("rbf", gamma=1.0).fit(X, y)
    before = str(clf.facts(X, y))
    clf.set_params(gamma=2.0)
    assert str(clf.facts(X, y)) == before
    assert clf.kernel_.gamma == 1
    with pytest.raises(ValueError, match="kernel was changed since learning began"):
        clf.partial_fit(X, y)
    assert clf.kernel_.gamma == 1


def test_voters_are_counted():
    X, y = circles(40)
    clf = KernelPerceptron("rbf", readout="voted").fit(X, y)
    assert clf.memory_of_votes_ == clf.support_vectors_.nbytes + clf.support_.nbytes + sum(
        ledger.nbytes for ledger in clf._learner.ledgers
    )


def test_a_warm_start_goes_on():
    X, y = circles()
    twice = KernelPerceptron("rbf", max_iter=2, warm_start=True).fit(X, y).fit(X, y)
    once = KernelPerceptron("rbf", max_iter=4).fit(X, y)
    assert [(u.t, u.row % len(X)) for u in twice.ledger_] == [(u.t, u.row) for u in once.ledger_]
    with pytest.raises(ValueError, match="kernel was changed since learning began"):
        twice.set_params(kernel="poly").fit(X, y)


def test_wider_rows_in_a_stream_are_as_if_the_others_had_zeros():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-2, 3, size=(40, 5)).astype(float), np.arange(40) % 2
    X[:20, 3:] = 0
    kernel = find_kernel("poly", degree=2)
    learner, other = Learner(kernel=kernel), Learner(kernel=kernel)
    learner.learn(kernel_examples(sp.csr_array(X[:20, :3]), y[:20], kernel))
    learner.widen(5)
    learner.learn(kernel_examples(sp.csr_array(X[20:]), y[20:], kernel))
    other.learn(kernel_examples(X, y, kernel))
    assert story(learner) == story(other)
    assert learner.decide(X).tolist() == other.decide(X).tolist()
