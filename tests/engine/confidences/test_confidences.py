"""Learning with a confidence, against AROW written down literally, on fractions; and what every confidence has to keep to."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from chosen import RULES, short
from novikoff.engine.confidences import confidences, find_confidence
from novikoff.engine.confidences.diagonal import Diagonal
from novikoff.engine.confidences.full import MOST, Full
from novikoff.engine.kernels.rbf import Rbf
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import rules, step
from novikoff.engine.rules.arow import Arow, SecondOrder
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.learning.learner import Learner
from oracles import SIGNS, any_data, fractions

KINDS = sorted(confidences())
EXACT = ["diagonal", "full"]  # without roots
FRACTIONS = st.fractions(-3, 3, max_denominator=5)
R = st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(10)])


@st.composite
def few_rows(draw, labels=SIGNS):
    """At most five rows of fractions: with each update of a diagonal Σ, its numbers get twice as many digits."""
    n, d = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(FRACTIONS, min_size=d, max_size=d), min_size=n, max_size=n))
    return X, draw(st.lists(labels, min_size=n, max_size=n).filter(lambda y: len(set(y)) > 1))


ALL = [(rule, kind) for rule in RULES for kind in EXACT]
SOME = short([("arow", "diagonal"), ("arow", "full"), ("rosenblatt", "diagonal"), ("margin", "full")], ALL)


def literal(X, y, passes, bias, r, kind, steps=None, weights=None):
    """AROW [crammer2009adaptive], or another rule along Σx, as it is written in the paper. Returns w, Σ and the updates."""
    steps = steps or (lambda margin, v: max(0, 1 - margin) / (v + r))
    rows, d = [[*x, bias] for x in X], len(X[0]) + 1
    w, sigma, updates = [0] * d, [[int(j == k) for k in range(d)] for j in range(d)], []
    for _ in range(passes):
        for i, (x, t) in enumerate(zip(rows, y, strict=True)):
            margin = t * sum(a * b for a, b in zip(w, x, strict=True))
            along = [sum(s * b for s, b in zip(line, x, strict=True)) for line in sigma]
            v = sum(a * b for a, b in zip(along, x, strict=True))
            tau, g = steps(margin, v), weights[i] if weights else 1
            if tau != 0 or margin <= 0:
                updates.append((i, margin, g * tau))
                w = [a + g * tau * t * b for a, b in zip(w, along, strict=True)]
                for j in range(d):
                    for k in range(d) if kind == "full" else [j]:
                        sigma[j][k] -= g * along[j] * along[k] / (r + g * v)
    return w, sigma, updates


def literal_stream(X, y, passes, bias, r, kind, steps, weights=None):
    """The same with σ = h^(−¾), where h has grown by x²/r before the step."""
    rows, d = np.column_stack([X, np.full(len(X), bias)]), len(X[0]) + 1
    w, h, updates = np.zeros(d), np.ones(d), []
    for _ in range(passes):
        for i, (x, t) in enumerate(zip(rows, y, strict=True)):
            margin, g = t * (w @ x), weights[i] if weights else 1
            sigma = (h + x * x / r) ** -0.75
            tau = steps(margin, (sigma * x) @ x)
            if tau != 0 or margin <= 0:
                w = w + g * tau * t * sigma * x
                h = h + g * x * x / r
                updates.append((i, margin, g * tau))
    return w, np.diag(h**-0.75), updates


def matrix(learner, v=0):
    sigma = learner.vectors.confidence.sigma[v]
    return sigma if sigma.ndim == 2 else np.diag(sigma)


@pytest.mark.parametrize("kind", EXACT)
@given(data=few_rows(), bias=st.booleans(), r=R, passes=st.integers(1, 2))
def test_it_is_the_literal_arow_on_fractions(kind, data, bias, r, passes):
    X, y = fractions(data[0]), data[1]
    learner = Learner(Arow(r), confidence=kind)
    learner.fit(examples(X, y, constant=int(bias)), passes)
    w, sigma, updates = literal(X.tolist(), y, passes, int(bias), r, kind)
    assert learner.team.w[0].tolist() == w
    assert matrix(learner).tolist() == sigma
    assert [(u.row, u.margin, u.step) for u in learner.ledgers[0]] == updates
    assert learner.team.w_sqnorm[0] == sum(a * a for a in w)  # cached, so recomputed


@pytest.mark.parametrize(("rule", "kind"), SOME)
@given(data=few_rows(), r=R, seed=st.integers(0, 9))
def test_every_rule_steps_along_its_confidence(rule, kind, data, r, seed):
    """With sample weights: they scale the step, and what Σ⁻¹ grows by."""
    X, y = fractions(data[0]), data[1]
    weights = [Fraction(int(k), 2) for k in np.random.default_rng(seed).integers(1, 5, len(X))]
    own = rules()[rule]() if rule not in ("arow", "second-order") else rules()[rule](r)
    own = type(own)(*map(Fraction, own))
    learner = Learner(own, confidence=confidences()[kind](r))
    learner.fit(examples(X, y, weight=weights), 1)
    w, sigma, updates = literal(X.tolist(), y, 1, 1, r, kind, lambda margin, v: step(own, margin, v), weights)
    assert learner.team.w[0].tolist() == w
    assert matrix(learner).tolist() == sigma
    assert [(u.row, u.margin, u.step) for u in learner.ledgers[0]] == updates


@given(data=any_data(), r=st.sampled_from([0.05, 1.0]), seed=st.integers(0, 9), rule=st.sampled_from(["arow", "margin", "pa-i"]))
def test_the_confidence_for_streams_is_the_literal_one(data, r, seed, rule):
    X, y = np.array(data[0]), np.array(data[1])
    weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], len(X)).tolist()
    own = rules()[rule](r) if rule == "arow" else rules()[rule]()
    learner = Learner(own, confidence=confidences()["stream"](r))
    learner.fit(examples(X, y, weight=weights), 2)

    def steps(margin, v):
        assume((step(own, margin - 1e-9, v) == 0) == (step(own, margin + 1e-9, v) == 0))  # rounding does not decide
        return step(own, margin, v)

    w, sigma, _ = literal_stream(X.tolist(), y, 2, 1, r, "stream", steps, weights)
    np.testing.assert_allclose(learner.team.w[0], w, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(matrix(learner), sigma, rtol=1e-6, atol=1e-9)


STORAGES = {
    "dense": np.asarray,
    "float32": lambda X: np.asarray(X, np.float32),
    "columns first": np.asfortranarray,
    "csr": sp.csr_array,
    "csr float32": lambda X: sp.csr_array(np.asarray(X, np.float32)),
    "csr 64-bit": lambda X: _with_long_indices(sp.csr_array(X)),
}


def _with_long_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pytest.mark.parametrize(
    ("storage", "kind"),
    short(
        [("dense", "diagonal"), ("csr", "diagonal"), ("csr", "full"), ("dense", "stream"), ("csr", "stream")],
        [(s, kind) for s in STORAGES for kind in KINDS],
    ),
)
@pytest.mark.parametrize("rule", short([("arow",)], [(rule,) for rule in RULES]))
def test_compiled_it_is_the_literal_one_in_every_storage(rule, storage, kind):
    rng = np.random.default_rng(5)
    X = rng.integers(-2, 3, (40, 9)) / 2.0
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(0, 0.7, 40) > 0, 1, -1)
    own = rules()[rule]()
    learner = Learner(rule, confidence=kind)
    learner.fit(examples(STORAGES[storage](X), y), 3)
    written = literal_stream if kind == "stream" else literal
    r = getattr(own, "r", 1.0)  # Σ has the r of the rule, if that has one
    w, sigma, updates = written(X.tolist(), y, 3, 1, r, kind, lambda margin, v: step(own, margin, v))
    np.testing.assert_allclose(learner.team.w[0], w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(matrix(learner), sigma, rtol=1e-9, atol=1e-12)
    assert [u.row for u in learner.ledgers[0]] == [i for i, _, _ in updates]
    assert learner.team.w_sqnorm[0] == pytest.approx((learner.team.w[0] ** 2).sum())


@given(data=any_data(numbers=st.integers(-500, 500).map(lambda k: k / 100)), r=st.sampled_from([0.01, 1.0, 100.0]))
def test_a_full_sigma_is_symmetric_and_the_inverse_of_what_its_updates_add_up_to(data, r):
    """F26's A, from the ledger alone; and w = A⁻¹b, ridge regression on the rows of the updates."""
    X, y = np.array(data[0]), np.array(data[1])
    learner = Learner(Arow(r), confidence="full")
    learner.fit(examples(X, y), 3)
    sigma, rows = matrix(learner), [u.row for u in learner.ledgers[0]]
    Z = np.column_stack([X, np.ones(len(X))])[rows]
    A = np.eye(Z.shape[1]) + Z.T @ Z / r
    assert (sigma == sigma.T).all()
    assert np.linalg.eigvalsh(sigma).min() > 0
    np.testing.assert_allclose(sigma @ A, np.eye(len(A)), atol=1e-7)
    np.testing.assert_allclose(learner.team.w[0], np.linalg.solve(A, Z.T @ y[rows] / r), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-100, 1e-3, 1.0, 1e3, 1e150])
@pytest.mark.parametrize("r", [1e-30, 1.0, 1e30])
def test_a_diagonal_sigma_never_leaves_0_to_1(scale, r):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 3)) * scale, rng.integers(0, 2, 50)
    learner = Learner(Arow(r))
    learner.fit(examples(X, y, constant=0), 5)
    sigma = learner.vectors.confidence.sigma
    assert ((sigma >= 0) & (sigma <= 1)).all()
    assert np.isfinite(learner.team.w).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", ["arow", "margin"])
@given(data=any_data(labels=st.sampled_from(["a", "b", "c", "d"])), cuts=st.lists(st.integers(0, 20), max_size=4))
def test_streamed_equals_batch_whenever_a_class_or_a_column_appears(rule, kind, data, cuts):
    X, y = np.array(data[0]), np.array(data[1])
    batch = Learner(rule, confidence=kind, readout="averaged")
    batch.fit(examples(X, y), 1)
    stream = Learner(rule, confidence=kind, readout="averaged")
    width = 0
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        if len(part):
            width = max([width, 1, *(np.flatnonzero(X[part].any(axis=0)) + 1)])
            if stream.started:
                stream.widen(width)
            stream.learn(examples(X[part][:, :width], y[part]))
    stream.widen(X.shape[1])
    assert stream.team.w.tolist() == batch.team.w.tolist()
    assert stream.vectors.confidence.sigma.tolist() == batch.vectors.confidence.sigma.tolist()
    assert stream.weights().tolist() == batch.weights().tolist()


@pytest.mark.parametrize("kind", EXACT)
@given(data=few_rows(labels=st.sampled_from([0, 1, 2])), r=R)
def test_all_classes_at_once_is_the_literal_one_on_z(kind, data, r):
    """Kesler's z = (e_y − e_rival) ⊗ x, each an example of +1; Σ has a number for each weight of each class."""
    X, y = fractions(data[0]), np.unique(data[1], return_inverse=True)[1]
    classes, width = y.max() + 1, X.shape[1] + 1
    learner = Learner(Arow(r), confidence=kind, multiclass="direct")
    learner.fit(examples(X, y), 1)
    length = width * classes
    w, sigma = np.full(length, Fraction(0)), np.where(np.eye(length, dtype=bool), Fraction(1), Fraction(0))
    for x, own in zip(X, y, strict=True):
        scores = [w[c::classes] @ [*x, 1] for c in range(classes)]
        rival = max((c for c in range(classes) if c != own), key=lambda c: (scores[c], -c))
        z = np.full(length, Fraction(0))
        z[own::classes], z[rival::classes] = [*x, 1], [-v for v in [*x, 1]]
        margin, along = w @ z, sigma @ z
        if margin < 1:
            w = w + (1 - margin) / (along @ z + r) * along
            shrunk = sigma - np.outer(along, along) / (r + along @ z)
            sigma = shrunk if kind == "full" else np.diag(np.diag(shrunk))
    assert learner.team.w[0].tolist() == w.tolist()
    assert (matrix(learner) == sigma).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_that_joins_all_at_once_starts_unsure(kind):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    learner = Learner("arow", confidence=kind, multiclass="direct")
    learner.learn(examples(X, y))
    before = matrix(learner).copy()
    learner.begin(np.array([0, 1, 2]), 3, 1)
    after = matrix(learner)
    old = np.flatnonzero(np.arange(12) % 3 < 2)
    assert (after[np.ix_(old, old)] == before).all()
    new = np.flatnonzero(np.arange(12) % 3 == 2)
    assert (after[new] == np.eye(12)[new]).all()


@given(data=few_rows(), kind=st.sampled_from(EXACT))
def test_the_average_is_the_literal_mean(data, kind):
    X, y = fractions(data[0]), data[1]
    learner = Learner("arow", confidence=kind, readout="averaged")
    learner.fit(examples(X, y), 1)
    after = [literal(X[:k].tolist(), y[:k], 1, 1, 1, kind)[0] for k in range(1, len(X) + 1)]
    assert learner.weights()[0].tolist() == [sum(each) / len(X) for each in zip(*after, strict=True)]


def test_names_and_parameters():
    assert find_confidence("auto", Rosenblatt()) is None
    assert find_confidence("auto", Arow(3.0)) == Diagonal(3.0)
    assert type(find_confidence("auto", SecondOrder(2.0))) is Full
    assert find_confidence("diagonal", Rosenblatt()) == Diagonal(1.0)
    assert find_confidence(None, Arow()) is find_confidence("none", Arow()) is None
    with pytest.raises(ValueError, match="there is no confidence 'much'; the confidences are none, diagonal, full, stream"):
        find_confidence("much", Arow())
    with pytest.raises(TypeError, match=r"one of novikoff\.engine\.confidences, not 3"):
        find_confidence(3, Arow())
    with pytest.raises(ValueError, match="r must be a positive number"):
        find_confidence(Diagonal(0.0), Arow())


def test_what_cannot_be_combined_is_refused():
    with pytest.raises(ValueError, match="with a kernel there are none"):
        Learner("arow", confidence="diagonal", kernel=Rbf(1.0))
    assert Learner("arow", kernel=Rbf(1.0)).confidence is None
    with pytest.raises(ValueError, match="directions are not kept"):
        Learner("arow", readout="voted")
    wide = int(MOST**0.5)
    with pytest.raises(ValueError, match="use confidence='diagonal'"):
        Learner("arow", confidence="full").fit(examples(sp.csr_array((2, wide)), [0, 1]), 1)
