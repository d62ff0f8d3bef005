"""The mixture, against its definition in fractions, and the theorem about it (F20)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splitting import split

from novikoff import Inseparable, Separable, max_margin, separate
from novikoff.data import datasets
from novikoff.distributed import fit, precisions
from novikoff.distributed.mixing import Report, mixed, moved, of_shard, shares_of, tree, weighted_updates
from novikoff.distributed.precisions import sure
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules.arow import Arow
from novikoff.learning.learner import Learner
from novikoff.learning.state import learner_of, state_of


@pytest.mark.parametrize("spread", [1e-10, 1e9])
def test_a_mixture_with_a_full_confidence_can_be_saved(spread):
    """Inverses are rounded, and Σ stays a matrix of confidences."""
    rng = np.random.default_rng(0)
    scales = np.geomspace(spread, 1, 12)
    learner = Learner(Arow(0.1), confidence="full")
    learner.begin(np.array([0, 1]), 12, 1)
    for number in range(4):
        parts = []
        for shard in range(4):
            X = rng.normal(size=(30, 12)) * scales
            one = Learner(Arow(0.1), confidence="full", seed=shard)
            one.begin(np.array([0, 1]), 12, 1)
            one.take_up(learner.shared(), 0, None)
            before = sure(one)
            one.go_over(examples(X, (X[:, -1] + rng.normal(size=30) > 0).astype(int)), number)
            gains = sure(one).gained_since(before)
            report = Report(30, np.ones(1, np.int64), np.ones(1, np.int64), 1.0, False, 0.0)
            parts.append(of_shard(gains, gains * 0, None, np.ones(1, np.int64), report))
        shared = learner.shared()
        changes = precisions.moved(learner, tree(parts, mixed))
        shared.reshape(-1)[changes.where] = changes.values
        learner.take_up(shared, 0, None)
        learner_of(*state_of(learner))


def report(updates):
    return Report(1, updates, updates, 1.0, False, 0.0)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 20), st.integers(1, 9), st.sampled_from(["uniform", "mistakes"]))
def test_the_mixture_is_the_weighted_mean_of_what_shards_changed(seed, vectors, length, shards, mixing):
    rng = np.random.default_rng(seed)
    base = rng.integers(-8, 9, (vectors, length)).astype(float)
    updates = [rng.integers(0, 4, vectors) for _ in range(shards)]
    dense = rng.choice([0.05, 0.4, 1.0], shards)
    steps = [
        rng.integers(-4, 5, base.shape) * (rng.random(base.shape) < d) * (u > 0)[:, None]
        for d, u in zip(dense, updates, strict=True)
    ]
    sums = [step * 3.0 for step in steps]
    shares = [shares_of(mixing, u) for u in updates]
    parts = [of_shard(base + s, base, a, m, report(u)) for s, a, m, u in zip(steps, sums, shares, updates, strict=True)]
    whole = tree(parts, mixed)
    changes = moved(base, whole)
    after, total = base.copy(), np.zeros(base.size)
    after.reshape(-1)[changes.where] = changes.values
    total[changes.where] = whole.sums
    for v in range(vectors):
        weight = sum(int(share[v]) for share in shares)
        for j in range(length):
            change = sum((int(m[v]) * Fraction(int(s[v, j])) for m, s in zip(shares, steps, strict=True)), Fraction(0))
            wanted = Fraction(base[v, j]) + (change / weight if weight else 0)
            assert after[v, j] == pytest.approx(float(wanted), rel=1e-15, abs=1e-15)
            assert weight & (weight - 1) or Fraction(after[v, j]) == wanted  # nothing rounds where a power of two divides
            if not any(s[v, j] for s in steps):
                assert after[v, j] == base[v, j]
    assert (total.reshape(base.shape) == sum(sums)).all()
    assert [r.updates.tolist() for r in whole.reports] == [u.tolist() for u in updates]


@given(st.lists(st.text("ab", min_size=1, max_size=1), min_size=1, max_size=40))
def test_the_tree_joins_neighbours_and_a_branch_is_a_tree_of_its_own(leaves):
    def join(one, other):
        return f"({one}{other})"

    for size in (1, 2, 4, 8, 16, 64):
        branches = [tree(leaves[k : k + size], join) for k in range(0, len(leaves), size)]
        assert tree(branches, join) == tree(leaves, join)
    assert tree(leaves, join).replace("(", "").replace(")", "") == "".join(leaves)


def test_only_what_changed_travels_where_that_is_smaller():
    base, one, ones = np.zeros((1, 1000)), np.zeros((1, 1000)), np.ones(1, np.int64)
    one[0, [3, 700]] = 2
    small = of_shard(one, base, None, ones, report(ones))
    assert small.places.tolist() == [3, 700]
    assert of_shard(base + 1, base, None, ones, report(ones)).places is None
    assert mixed(small, of_shard(base + 1, base, None, ones, report(ones))).values[[3, 4, 700]].tolist() == [3, 1, 3]


def test_weighted_updates_by_their_definition():
    each = [report(np.array([3, 0])), report(np.array([1, 0])), report(np.array([0, 5]))]
    assert weighted_updates("uniform", each) == [Fraction(4, 3), Fraction(5, 3)]
    assert weighted_updates("mistakes", each) == [Fraction(10, 4), Fraction(5)]


@pytest.mark.parametrize(
    ("rule", "mixing"), [("rosenblatt", "uniform"), ("rosenblatt", "mistakes"), ("margin", "mistakes"), ("threshold", "uniform")]
)
def test_f20_bounds_the_weighted_mistakes(client, rule, mixing):
    for shards in (1, 2, 3, 5, 8):
        X, y, _ = datasets.gaussian_pair(160, 4, margin=0.4, seed=shards)
        blocks, labels = split(X, y, shards, seed=shards)
        heard = []
        keep = lambda epoch: heard.append(epoch.mistakes)  # noqa: B023, E731
        model = fit(blocks, labels, client=client, passes=400, rule=rule, mixing=mixing, on_pass=keep)
        proof = model.certificates[0]
        told, widest = proof.mixing, max_margin(X, y).margin.high
        assert isinstance(proof, Separable)
        assert told.clean
        assert told.shards == shards
        radius = np.sqrt((X**2).sum(axis=1).max() + 1)
        assert radius <= told.radius <= radius * 1.0001
        factor = {"rosenblatt": 1, "margin": 2, "threshold": 1 + 2 / radius**2}[rule]
        assert told.factor == pytest.approx(factor)
        assert told.mistakes <= factor * (told.radius / widest) ** 2
        if rule == "rosenblatt":  # whose updates are its mistakes
            squares = sum(sum(m * m for m in each) / max(1, sum(each)) for each in heard)
            means = sum(sum(each) / shards for each in heard)
            assert told.mistakes == pytest.approx(squares if mixing == "mistakes" else means)


def test_mixing_once_at_the_end_can_fail_where_mixing_after_each_pass_does_not(client):
    """The shards' own separators, mixed once, get rows of separable data wrong (F20)."""
    rng = np.random.default_rng(1)
    failed = 0
    for _ in range(200):
        X = rng.integers(-5, 6, (8, 2)).astype(float)
        y = np.where(X @ [2.0, 1.0] > 0, 1, -1)
        if len(set(y)) < 2 or isinstance(separate(X, y, fit_intercept=False), Inseparable):
            continue
        own = []
        for part in (slice(0, 4), slice(4, 8)):
            w = np.zeros(2)
            for _ in range(200):
                for x, label in zip(X[part], y[part], strict=True):
                    if label * (w @ x) <= 0:
                        w = w + label * x
            own.append(w)
        if (y * (X @ (own[0] + own[1])) <= 0).any():
            failed += 1
            model = fit([X[:4], X[4:]], [y[:4], y[4:]], client=client, passes=500, fit_intercept=False)
            assert isinstance(model.certificates[0], Separable)
            if failed == 3:
                break
    assert failed
