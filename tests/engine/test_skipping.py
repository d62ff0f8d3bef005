"""Skipping changes nothing but time (F22): what a run does is compared with ==, and what is claimed, with exact arithmetic."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff.engine.skipping
import novikoff.learning.pass_driver
import novikoff.learning.schedule
import novikoff.learning.sweeping
from chosen import RULES, short
from novikoff.engine.labelled_rows import examples
from novikoff.engine.prefetching import Scouts, scouts
from novikoff.engine.rules import no_update_margin, rules
from novikoff.engine.skipping import Everything, SkippingPlan, Watch, checkpoint, idle, measure_up, moved, new_watch
from novikoff.engine.storages import score
from novikoff.foundation.interrupts import Interrupts
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from oracles import any_data

CASES = [*((rule, "dense") for rule in RULES), ("rosenblatt", "csr"), ("margin", "csr")]
CASES = short([("margin", "dense"), ("pa-i", "dense"), ("rosenblatt", "dense"), ("rosenblatt", "csr")], CASES)
STORES = {"dense": np.asarray, "csr": sp.csr_array}


class Witness(SkippingPlan):
    """A vigil that writes down what the watch says after each pass, before it is computed afresh."""

    seen: list  # of (pass, rows idle then, a copy of the watch, w)

    def before_pass(self, passes, updates, w):
        if isinstance(self.watch, Watch):
            copy = Watch(*(part.copy() if isinstance(part, np.ndarray) else part for part in self.watch))
            self.seen.append((passes, np.array([idle(copy, i) for i in range(self.rows)]), copy, w[0].copy()))
        return super().before_pass(passes, updates, w)


@pytest.fixture
def forced(monkeypatch):
    """Watching begins as soon as a vector learns alone, with few checkpoints, and is never given up."""
    Witness.seen = []
    monkeypatch.setattr(novikoff.learning.pass_driver, "SkippingPlan", Witness)
    for name, value in {"LONG": 0, "RARE": 1e-9, "HARDLY": 2, "PRODUCTS": 1e-9, "CHECKPOINTS": 3}.items():
        monkeypatch.setattr(novikoff.engine.skipping, name, value)
    return Witness.seen


def story(seen, rule, passes, skipping, **settings):
    start = settings.pop("start", None)
    learner = Learner(rule, confidence=None, skipping=skipping, **settings)
    run = learner.fit(seen, passes, start=start)
    ledgers = [[tuple(update) for update in ledger] for ledger in learner.ledgers]
    tallies = [ledger.tally for ledger in learner.ledgers]
    answers = learner.team.w.tolist(), learner.weights().tolist(), learner.team.clock.tolist()
    return ledgers, tallies, answers, run.stop_reason, run.errors, [report[:4] for report in run.passes]


def separable(n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    s = X @ np.arange(1, d + 1)
    return X[np.abs(s) > 0.3], np.where(s > 0, 1, -1)[np.abs(s) > 0.3]


@pytest.mark.parametrize(("rule", "store"), CASES)
@given(data=any_data(), bias=st.booleans(), order=st.sampled_from(["given", "once", "each"]), alone=st.booleans())
def test_same_run_on_any_data(rule, store, data, bias, order, alone):
    X, y = np.array(data[0]), data[1]
    if alone or not bias:
        X[:, 0] = np.abs(X[:, 0]) + 0.5  # the ghost is done soon, and the other vector alone
    seen = examples(STORES[store](X), y, constant=int(bias))
    with pytest.MonkeyPatch.context() as patch:
        forced.__wrapped__(patch)
        assert story(seen, rule, 25, True, order=order) == story(seen, rule, 25, False, order=order)


@pytest.mark.parametrize("readout", ["averaged", "pocket", "voted"])
@pytest.mark.parametrize("weights", [{}, {"class_weight": {-1: 3.0, 1: 0.7}}])
def test_same_run_with_every_readout_and_weights(readout, weights, forced):
    X, y = separable()
    seen = examples(X, y, weight=np.arange(len(y)) % 3 / 2 if weights else None)
    settings = {"readout": readout, "order": "each", **weights}
    assert story(seen, "rosenblatt", 60, True, **settings) == story(seen, "rosenblatt", 60, False, **settings)
    assert any(rows.any() for _, rows, _, _ in forced)


@pytest.mark.parametrize(("rule", "store"), CASES)
def test_rows_are_left_unread(rule, store, forced):
    X, y = separable()
    assert story(examples(STORES[store](X), y), rule, 300, True) == story(examples(STORES[store](X), y), rule, 300, False)
    assert len(forced) > 3
    assert np.mean([watch.read[0] / len(y) for _, _, watch, _ in forced]) < 0.8


@pytest.mark.parametrize("scale", [1.0, 1e-60, 1e60])
@pytest.mark.parametrize("rule", ["margin", "rosenblatt"])
def test_claims_are_true_in_exact_arithmetic(rule, scale, forced):
    """Every idle row is right, and no checkpoint is farther than said."""
    X, y = separable(60)
    X = X * scale
    story(examples(X, y, constant=scale), rule, 40, True)
    z = np.array([[Fraction(float(v)) * int(t) for v in [*x, scale]] for x, t in zip(X, y, strict=True)])
    found = rules()[rule]()
    for _, rows, watch, w in forced[::3]:
        exact = np.array(list(map(Fraction, w)))
        for x in z[rows]:
            assert x @ exact > no_update_margin(found, x @ x)
        for k, c in enumerate(watch.number):
            if c == 0:
                continue
            past = np.array(list(map(Fraction, watch.past[k])))
            off, size = (exact - past) @ (exact - past), exact @ exact
            b = min(1, max(0, (past @ exact) / size)) if size else 0
            nearest = (b * exact - past) @ (b * exact - past)
            assert Fraction(float(watch.far[c])) ** 2 >= nearest
            assert abs(Fraction(float(watch.gap[k])) - off) <= Fraction(float(watch.doubt[0]))
            assert float(watch.far[c]) == pytest.approx(float(nearest) ** 0.5, rel=1e-3, abs=1e-5 * float(watch.reach[0]))
            assert c != watch.newest[0] or Fraction(float(watch.drift[0])) ** 2 >= off
        assert np.bincount(watch.since, minlength=len(watch.held))[1:].tolist() == watch.held[1:].tolist()
        assert abs(Fraction(float(watch.w_sqnorm[0])) - size) <= Fraction(float(watch.doubt[0]))
        assert Fraction(float(watch.reach[0])) ** 2 >= size


@pytest.mark.parametrize("large", [1e3, 1e8, 1e15])
@given(seed=st.integers(0, 10**6))
def test_rounding_is_allowed_for(large, seed):
    """Weights so large, and rows so nearly at a right angle to them, that a score is little but rounding."""
    rng = np.random.default_rng(seed)
    d = 7
    start = rng.standard_normal((1, d + 1)) * large
    X = rng.standard_normal((60, d)) * 10.0 ** rng.integers(-3, 2, (60, 1))
    X[:, 0] = -(X[:, 1:] @ start[0, 1:d] + start[0, d] + rng.integers(-3, 4, 60) * large * 1e-16) / start[0, 0]
    y = rng.choice([-1, 1], 60)
    seen = examples(X, y)
    with pytest.MonkeyPatch.context() as patch:
        forced.__wrapped__(patch)
        runs = [story(seen, "rosenblatt", 30, skipping, start=start) for skipping in (True, False)]
        records = Witness.seen[::7]
    assert runs[0] == runs[1]
    z = np.array([[Fraction(v) * int(t) for v in [*x, 1.0]] for x, t in zip(X, y, strict=True)])
    for _, rows, _, w in records:
        exact = np.array(list(map(Fraction, w)))
        for x in z[rows]:  # however the sum is taken, it comes out positive
            assert (x @ exact) ** 2 > ((d + 1) * Fraction(2) ** -53) ** 2 * (x @ x) * (exact @ exact)
            assert x @ exact > 0


def test_a_score_is_no_more_wrong_than_is_allowed_for():
    """One large product and many that are lost beside it, of a row along w: ⟨w, x⟩ = ‖w‖·‖x‖."""
    n = 20_000
    x = np.full(n, 2.0**-27)
    x[0] = 1.0
    seen, w = examples(np.vstack([x, -x]), [1, 0], constant=0), np.append(x, 0.0)
    square = 1 + (n - 1) * Fraction(2) ** -54
    for got in (score(seen.sheet.rows, 0, w), seen.scores(w[None])[0, 0]):
        off = abs(Fraction(float(got)) - square)
        assert Fraction(2) ** -50 < off < Fraction(new_watch(1, 1, n + 1).blur) / 4 * square


def test_every_update_adds_to_the_doubt():
    sheet = examples(np.array([[1.0, 2.0], [-1.0, 1.0]]), [0, 1]).sheet
    watch, w = new_watch(2, 1, 3), np.array([3.0, 1.0, 2.0])
    checkpoint(watch, w)
    for i, y in ((0, 1), (1, -1), (0, -1)):
        before, x = float(watch.doubt[0]), np.append(sheet.rows.X[i], 1.0)
        moved(watch, 0, i, y, y * (w @ x), 0.5, sheet, None)
        w = w + y * 0.5 * x
        assert watch.doubt[0] >= before + 2 * watch.blur * (w @ w)
        assert watch.gap[0] == ((w - watch.past[0]) ** 2).sum()


def test_slices_and_interruption(forced, monkeypatch):
    X, y = separable()
    monkeypatch.setattr(novikoff.learning.schedule, "SLICE", 50 * X.shape[1])
    whole = story(examples(X, y), "rosenblatt", 300, False)
    assert story(examples(X, y), "rosenblatt", 300, True) == whole
    for stop in (30, 77, 100):
        ended = []
        for skipping in (True, False):
            count = iter(range(10**6))
            monkeypatch.setattr(Interrupts, "asked", lambda self, count=count, stop=stop: next(count) >= stop)
            ended.append(story(examples(X, y), "rosenblatt", 300, skipping))
        assert ended[0] == ended[1]
        assert ended[0][3] is StopReason.INTERRUPTED
    assert any(rows.any() for _, rows, _, _ in forced)


def test_no_scout_goes_ahead_of_a_watch(forced, monkeypatch):
    X, y = separable(6000, 40)
    alone = story(examples(X, y), "rosenblatt", 60, False, order="each", threads=1)
    monkeypatch.setattr(novikoff.learning.sweeping, "WORTH_PREFETCHING", 0)
    scouted = []
    monkeypatch.setattr(scouts, "ahead", lambda *a: scouted.append(1) or Scouts().ahead(*a))
    assert story(examples(X, y), "rosenblatt", 60, True, order="each", threads=2) == alone
    assert len(scouted) + len(forced) + 1 == len(alone[-1])  # the watch of the last pass is not written down
    assert forced


def test_numbers_of_checkpoints_may_run_out(forced, monkeypatch):
    monkeypatch.setattr(novikoff.engine.skipping, "NUMBERS", 5)
    X, y = separable()
    assert story(examples(X, y), "margin", 300, True) == story(examples(X, y), "margin", 300, False)
    assert [int(watch.newest[0]) for _, _, watch, _ in forced][:7] == [1, 2, 3, 4, 1, 2, 3]


def test_a_checkpoint_that_is_dropped_leaves_its_rows_due():
    """And it is the one that the fewest rows refer to."""
    watch = new_watch(3, 2, 3)
    for c in (1, 2):
        checkpoint(watch, np.full(3, float(c)))
        measure_up(watch)
    watch.slack[:], watch.since[:], watch.held[1:3] = 100.0, [1, 2, 1], [2, 1]
    assert [idle(watch, i) for i in range(3)] == [True, True, True]
    checkpoint(watch, np.full(3, 3.0))
    measure_up(watch)
    assert [idle(watch, i) for i in range(3)] == [True, False, True]


def test_three_classes_are_the_same_too(forced):
    X, y = separable()
    y = np.where(X[:, 0] > 1, 2, y)
    assert story(examples(X, y), "rosenblatt", 60, True) == story(examples(X, y), "rosenblatt", 60, False)


def vigil(n=1000, d=10, rule="rosenblatt", allowed=True, **settings):
    X = np.random.default_rng(0).standard_normal((n, d))
    return SkippingPlan(rules()[rule](), examples(X, np.arange(n) % 2, **settings), allowed)


def test_watching_begins_in_a_long_run_with_few_updates_of_one_vector():
    w, many = np.ones((1, 11)), 10**6
    assert isinstance(vigil().before_pass(many, 1, w), Watch)
    assert isinstance(vigil().before_pass(many, 100, w), Everything)
    assert isinstance(vigil().before_pass(5, 1, w), Everything)
    assert isinstance(vigil().before_pass(many, 1, np.ones((2, 11))), Everything)
    assert isinstance(vigil(allowed=False).before_pass(many, 1, w), Everything)
    assert isinstance(vigil(n=100).before_pass(many, 0, w), Watch)
    assert isinstance(vigil(n=10).before_pass(many, 0, w), Everything)  # as many weights as numbers in the data


def test_watching_is_given_up_where_hardly_a_row_is_left_out_and_tried_again_when_updates_are_half_as_many():
    watcher, w = vigil(), np.ones((1, 11))
    kinds = []
    for updates in [2, 2, 2, 2, 2, 2, 1, 1]:
        watch = watcher.before_pass(10**6, updates, w)
        kinds.append(type(watch))
        if isinstance(watch, Watch):
            watch.read[0] = 999
    assert [a is not b for a, b in pairwise(kinds)].count(True) == 2
    assert kinds[0] is kinds[-1] is Watch
    assert kinds[novikoff.engine.skipping.TRIAL] is Everything


def test_fractions_and_rules_that_do_not_say_when_they_are_quiet_are_never_watched(monkeypatch):
    X = np.array([[Fraction(k)] for k in range(200)], dtype=object)
    assert isinstance(
        SkippingPlan(rules()["margin"](), examples(X, np.arange(200) % 2), True).before_pass(10**9, 0, X[:1]), Everything
    )

    class Mine(tuple):
        pass

    seen = examples(np.ones((1000, 1)), np.arange(1000) % 2)
    assert isinstance(SkippingPlan(Mine(), seen, True).before_pass(10**9, 0, np.ones((1, 2))), Everything)
