"""All classes at once, against the textbook on fractions, Kesler's construction written out, and the theorems (F25)."""

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff
from chosen import RULES
from novikoff import (
    ManyInseparable,
    ManySeparable,
    MarginPerceptron,
    OnlineLearner,
    PassiveAggressive,
    Perceptron,
    Separable,
    Undecided,
    development_curve,
    verify,
)
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rule import Bound, Evidence, NoBound, rules
from novikoff.learning.learner import Learner, StopReason
from novikoff.learning.state import learner_of, state_of
from novikoff.proof.certificate import Classes, Data, Hull, ManyHull, Mixing, from_json, load
from novikoff.proof.exact import root_above, root_below
from oracles import any_data
from verdicts import holds

FOUR = st.sampled_from([0, 1, 2, 3])
BIAS = st.booleans()
ROUNDING = 1 + 1e-9


def literal_step(rule, margin, sqnorm):
    """The rules as papers have them, for an example of +1 with this margin and squared length."""
    loss = max(Fraction(0), 1 - margin)
    match rule:
        case "rosenblatt":
            return Fraction(margin <= 0)
        case "margin":
            return Fraction(margin <= sqnorm / 2)
        case "threshold":
            return Fraction(margin <= 1)
        case "pa":
            return loss / sqnorm if sqnorm else loss
        case "pa-i":
            return min(Fraction(1), loss / sqnorm) if sqnorm else min(Fraction(1), loss)
        case "pa-ii":
            return loss / (sqnorm + Fraction(1, 2))


class Textbook:
    """A dictionary of vectors, all of fractions. Classes are known from the first row that is of them, or announced."""

    def __init__(self, rule="rosenblatt", bias=True, classes=()):
        self.rule, self.bias, self.w = rule, Fraction(bias), {}
        self.announced, self.past, self.updates, self.seen = sorted(classes), [], [], 0

    def score(self, name, x):
        return sum(a * b for a, b in zip(self.w[name], x, strict=True))

    def learn(self, X, y, order=None, weight=None, known=None):
        """`known`: the classes that there are from now on."""
        names = sorted({*self.w, *self.announced, *(set(y) if known is None else known)})
        self.w = {name: self.w.get(name, [Fraction(0)] * (len(X[0]) + 1)) for name in names}
        clean = True
        for i in range(len(X)) if order is None else order:
            x, own = [*map(Fraction, X[i]), self.bias], y[i]
            others = [name for name in names if name != own]
            if others:
                rival = max(others, key=lambda name: (self.score(name, x), -names.index(name)))
                margin = self.score(own, x) - self.score(rival, x)
                tau = literal_step(self.rule, margin, 2 * sum(v * v for v in x))
                if tau or margin <= 0:
                    tau *= 1 if weight is None else Fraction(weight[i])
                    self.w = self.w | {
                        own: [a + tau * b for a, b in zip(self.w[own], x, strict=True)],
                        rival: [a - tau * b for a, b in zip(self.w[rival], x, strict=True)],
                    }
                    self.updates.append((self.seen, i, own, rival, margin, tau))
                    clean = False
            self.seen += 1
            self.past.append(self.w)
        return clean

    def fit(self, X, y, passes, **more):
        for _ in range(passes):
            if self.learn(X, y, **more):
                break
        return self

    def matrix(self):
        return [self.w[name] for name in sorted(self.w)]


def exact(X):
    return np.array([[Fraction(v) for v in x] for x in X], object)


def told(learner):
    """The updates of a learner, with the names of classes."""
    names = learner.classes.tolist()
    return [(u.t, u.row, names[u.y], names[u.rival], u.margin, u.step) for u in learner.ledgers[0]]


def all_rows(learner):
    """The weights of every class, also of two."""
    return learner.team.w[0].reshape(-1, len(learner.classes)).T.tolist()


def direct(rule="rosenblatt", **settings):
    return Learner(rule, multiclass="direct", **settings)


# ---- the algorithm --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(numbers=st.fractions(-3, 3, max_denominator=3), labels=FOUR), bias=BIAS, passes=st.integers(1, 4))
def test_the_textbook_to_the_last_fraction(rule, data, bias, passes):
    X, y = data
    learner = direct(rule)
    run = learner.fit(examples(exact(X), y, constant=int(bias)), passes)
    book = Textbook(rule, bias).fit(X, y, passes)
    assert told(learner) == book.updates
    assert all_rows(learner) == book.matrix()
    assert learner.ledgers[0].mistakes == sum(margin <= 0 for *_, margin, _ in book.updates)
    rows = [[*map(Fraction, x), Fraction(bias)] for x in X]
    if run.errors is not None:
        wrong = [all(book.score(t, x) > book.score(r, x) for r in book.w if r != t) for x, t in zip(rows, y, strict=True)]
        assert run.errors == wrong.count(False)


@pytest.mark.parametrize("order", ["given", "once", "each"])
@given(data=any_data(labels=FOUR), bias=BIAS)
def test_floats_dense_and_sparse_are_the_textbook_where_nothing_rounds(order, data, bias):
    X, y = data
    for rule in ("rosenblatt", "margin"):
        book, passes = Textbook(rule, bias), 3
        for number in range(passes):
            rows = np.arange(len(X), dtype=np.uint32)
            if order != "given":
                np.random.default_rng([5, number if order == "each" else 0]).shuffle(rows)
            if book.learn(X, y, order=rows.tolist()):
                break
        for stored in (np.array(X), sp.csr_array(np.array(X))):
            learner = direct(rule, order=order, seed=5)
            learner.fit(examples(stored, y, constant=int(bias)), passes)
            assert told(learner) == book.updates
            assert all_rows(learner) == book.matrix()


@pytest.mark.parametrize("entries", range(1, 12))
def test_long_sparse_rows_score_as_dense_ones(entries):
    """Every place of a group of four columns, and the tail, for every class: powers of two, so that no order rounds."""
    X = np.zeros((3, 14))
    X[0, :entries] = 2.0 ** np.arange(entries)
    X[1, 3] = X[2, 12] = 1.0
    learners = [direct() for _ in range(3)]
    stored = X, sp.csr_array(X), sp.csr_array(X.astype(np.float32))
    for learner, rows in zip(learners, stored, strict=True):
        learner.fit(examples(rows, [0, 1, 2]), 1, start=3.0 ** (np.arange(45).reshape(3, 15) % 5))
    assert len({str(learner.decide(rows).tolist()) for learner, rows in zip(learners, stored, strict=True)}) == 1
    assert len({str(told(learner)) for learner in learners}) == 1


@given(data=any_data(labels=FOUR), bias=BIAS)
def test_kesler_written_out(data, bias):
    """One vector of all weights, and z = (e_y − e_r) ⊗ x: what the binary machinery means by margins, norms and the hull."""
    X, y = exact(data[0]), data[1]
    learner = direct()
    learner.fit(examples(X, y, constant=int(bias)), 3)
    classes = len(learner.classes)
    names = learner.classes.tolist()
    w, least, k = np.full(classes * (X.shape[1] + 1), Fraction(0)), None, 0
    for update in learner.ledgers[0]:
        x = np.append(X[update.row], Fraction(bias))
        each = {
            r: np.kron([Fraction(c == names.index(y[update.row])) - Fraction(c == r) for c in range(classes)], x)
            for r in range(classes)
        }
        z = each[update.rival]
        assert update.y == names.index(y[update.row]) != update.rival
        assert z @ z == 2 * (x @ x)
        assert update.margin == w @ z == min(w @ each[r] for r in range(classes) if r != update.y)
        assert all(w @ each[r] > w @ z for r in range(update.rival) if r != update.y)  # of equals, the first
        w, k = w + z, k + 1
        least = w @ w / k**2 if least is None else min(least, w @ w / k**2)
    tally = learner.ledgers[0].tally
    assert tally.w_sqnorm == w @ w
    assert np.array(all_rows(learner)).ravel().tolist() == w.tolist()
    assert tally.hull_sq >= least  # which may be left as it was where ‖w‖² has all but vanished
    assert tally.steps == k


@given(data=any_data(labels=FOUR), bias=BIAS, weights=st.data())
def test_sample_and_class_weights_scale_the_step(data, bias, weights):
    X, y = data
    sample = weights.draw(st.lists(st.sampled_from([1, 2, 3]), min_size=len(X), max_size=len(X)))
    by_class = {0: Fraction(1, 2), 2: Fraction(3)}
    by_class = {name: by_class[name] for name in by_class if name in y}
    learner = direct("pa-i", class_weight=by_class)
    learner.fit(examples(exact(X), y, constant=int(bias), weight=[Fraction(s) for s in sample]), 2)
    scaled = [s * by_class.get(t, 1) for s, t in zip(sample, y, strict=True)]
    assert told(learner) == Textbook("pa-i", bias).fit(X, y, 2, weight=scaled).updates
    assert isinstance(learner.bound(Evidence(1.0, 1.0)), NoBound)


# ---- which weights answer -------------------------------------------------------------------------------------------------


@given(data=any_data(labels=FOUR), bias=BIAS)
def test_averaged_and_voted_as_if_every_w_had_been_stored(data, bias):
    X, y = data
    book = Textbook("rosenblatt", bias).fit(X, y, 3)
    names, rows = sorted(set(y)), [[*map(Fraction, x), Fraction(bias)] for x in X]
    mean = [[sum(w[name][j] for w in book.past) / len(book.past) for j in range(len(rows[0]))] for name in names]
    votes = [[0] * len(names) for _ in rows]
    for w in book.past:
        for i, x in enumerate(rows):
            scores = [sum(a * b for a, b in zip(w[name], x, strict=True)) for name in names]
            if scores.count(max(scores)) == 1:  # a shared lead is "I don't know"
                votes[i][scores.index(max(scores))] += 1
    for stored in (exact(X), np.array(X), sp.csr_array(np.array(X))):
        seen = examples(stored, y, constant=int(bias))
        averaged, voted = direct(readout="averaged"), direct(readout="voted")
        averaged.fit(seen, 3)
        voted.fit(seen, 3)
        expected = mean if len(names) > 2 else mean[1:]
        if stored.dtype == object:
            assert averaged.weights().tolist() == expected
        np.testing.assert_allclose(averaged.weights().astype(float), np.array(expected, float), rtol=1e-12, atol=1e-12)
        won = votes if len(names) > 2 else [[b - a] for a, b in votes]
        assert voted.decide(stored).tolist() == won


def test_the_pocket_has_no_more_errors_than_the_last_weights():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (60, 3)).astype(float), rng.integers(0, 4, 60)
    last, pocket = Perceptron(max_iter=9, multiclass="direct"), Perceptron(readout="pocket", max_iter=9, multiclass="direct")
    last.fit(X, y)
    pocket.fit(X, y)
    leads = pocket.decision_function(X)
    own = leads[np.arange(60), y]
    leads[np.arange(60), y] = -np.inf
    assert pocket._run.errors == (own <= leads.max(axis=1)).sum() == pocket._learner.carry.fewest[0]
    assert pocket._run.errors < last._run.errors
    assert [*pocket.ledger_] == [*last.ledger_]  # counting errors on the way does not disturb who the rivals are


def test_sure_by_the_angle_of_all_weights_together():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    clf = MarginPerceptron(multiclass="direct", random_state=0).fit(X, y)
    w = np.column_stack([clf.coef_, clf.intercept_])
    sure = {sigma: clf.predict_with_doubt(X, sigma)[1] for sigma in (0.0, 0.05, 0.2)}
    for i, x in enumerate(np.column_stack([X, np.ones(80)])):
        second, first = np.sort(w @ x)[-2:]
        z_angle = (first - second) / (sqrt(2) * np.linalg.norm(x) * np.linalg.norm(w))
        for sigma, found in sure.items():
            assert found[i] == (z_angle >= sigma and first > second)
    assert 0 < sure[0.2].sum() < sure[0.05].sum() < 80
    voted = Perceptron(readout="voted", multiclass="direct", max_iter=3).fit(X, y)
    votes = np.sort(voted.decision_function(X), axis=1)
    share = (votes[:, -1] - votes[:, -2]) / voted.ledger_.tally.examples
    assert voted.predict_with_doubt(X, 0.3)[1].tolist() == (share >= 0.3).tolist()


def test_shapes_and_ties():
    X, y = np.eye(4), ["a", "b", "c", "d"]
    clf = Perceptron(multiclass="direct").fit(X, y)
    assert clf.coef_.shape == (4, 4)
    assert clf.intercept_.shape == (4,)
    assert clf.decision_function(X).shape == (4, 4)
    assert clf.predict(X).tolist() == y
    fresh = Perceptron(multiclass="direct").partial_fit(X[:1], y[:1], classes=y)
    assert fresh.predict(np.array([[0.0, -1, 0, 0]])).tolist() == ["a"]  # −1 each for the others: of equals, the first
    assert not fresh.predict_with_doubt(np.array([[-1.0, 0, 0, 0]]), 0)[1].any()  # a shared lead is never sure


# ---- the theorems ---------------------------------------------------------------------------------------------------------


@st.composite
def many_separable(draw, bias):
    """Rows, labels of two classes at least, and a U, a row a class, whose highest score each row has for its own class alone."""
    d, classes = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    row = st.lists(st.integers(-3, 3), min_size=d + 1, max_size=d + 1)
    u = np.array(draw(st.lists(row, min_size=classes, max_size=classes)), float)
    u[:, -1] *= bias
    X = np.array(
        draw(st.lists(st.lists(st.integers(-6, 6).map(lambda k: k / 2), min_size=d, max_size=d), min_size=2, max_size=20))
    )
    scores = np.column_stack([X, np.ones(len(X))]) @ u.T
    kept = np.sort(scores, axis=1)[:, -1] > np.sort(scores, axis=1)[:, -2]
    y = scores.argmax(axis=1)[kept]
    assume(len(set(y.tolist())) > 1)
    return X[kept], y, u[np.unique(y)]


def lead_of(X, y, u, bias):
    scores = np.column_stack([X, np.full(len(X), float(bias))]) @ u.T
    code = np.searchsorted(np.unique(y), y)
    own = scores[np.arange(len(X)), code]
    scores[np.arange(len(X)), code] = -np.inf
    return own - scores.max(axis=1)


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), many_separable(bias))), st.sampled_from(["given", "once", "each"]))
def test_f5_with_both_lemmas_and_f7(drawn, order):
    bias, (X, y, u) = drawn
    learner = direct(order=order, seed=1)
    run = learner.fit(examples(X, y, constant=int(bias)), 100_000)
    radius_sq = (X**2).sum(axis=1).max() + bias
    least = lead_of(X, y, u, bias).min()
    assert least > 0
    assert run.stop_reason is StopReason.CLEAN_PASS
    assert (lead_of(X, y, np.array(all_rows(learner)), bias) > 0).all()
    w = np.zeros_like(u)
    for k, update in enumerate(learner.ledgers[0], 1):  # dyadic numbers: nothing rounds, so ≤ is exact
        x = np.append(X[update.row % len(X)], float(bias))
        w[update.y] += x
        w[update.rival] -= x
        assert (w * u).sum() >= k * least
        assert (w * w).sum() <= k * 2 * radius_sq
        assert least**2 * k**2 <= (w * w).sum() * (u * u).sum()  # F7: γ* ≤ ‖w‖/k, and γ* ≥ the margin of u
    k = learner.ledgers[0].mistakes
    assert k * least**2 <= 2 * radius_sq * (u * u).sum()
    bound = learner.bound(Evidence(sqrt(radius_sq), sqrt((u * u).sum()) / least))
    assert k <= bound.value * ROUNDING
    assert bound.value == pytest.approx(2 * radius_sq * (u * u).sum() / least**2)


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(labels=FOUR), bias=BIAS, passes=st.integers(1, 4), more=st.data())
def test_every_rules_bound_on_data_of_any_kind(rule, data, bias, passes, more):
    """F6, F23 and F24 with the radius √2·R, for any U and its hinge losses against the worst rival."""
    X, y = np.array(data[0]), np.array(data[1])
    classes = len(set(data[1]))
    numbers = st.lists(st.floats(-3, 3), min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)
    u = np.array(more.draw(st.lists(numbers, min_size=classes, max_size=classes)))
    u[:, -1] *= bias
    learner = direct(rule)
    run = learner.fit(examples(exact(X), y, constant=int(bias)), passes)
    short = np.maximum(0.0, 1 - lead_of(X, y, u, bias))
    times = len(run.passes)
    radius = sqrt((X**2).sum(axis=1).max() + bias)
    bound = learner.bound(Evidence(radius, sqrt((u * u).sum()), times * short.sum(), times * (short**2).sum()))
    if rule == "pa" and short.any():
        assert isinstance(bound, NoBound)
        return
    assert isinstance(bound, Bound)
    suffered = sum(max(0.0, 1 - float(update.margin)) ** 2 for update in learner.ledgers[0])
    ledger = learner.ledgers[0]
    counted = {"mistakes": ledger.mistakes, "updates": ledger.updates, "squared losses suffered": suffered}[bound.of]
    assert counted <= bound.value * ROUNDING + 1e-9


# ---- streams --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("readout", ["last", "averaged"])
@given(data=any_data(labels=FOUR), cuts=st.lists(st.integers(0, 20), max_size=4))
def test_streamed_equals_batch_where_classes_are_announced(readout, data, cuts):
    X, y = np.array(data[0]), np.array(data[1])
    batch = Perceptron(readout=readout, max_iter=1, multiclass="direct").fit(X, y)
    stream = Perceptron(readout=readout, multiclass="direct")
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        if len(part):
            stream.partial_fit(X[part], y[part], classes=np.unique(y))
    assert [*stream.ledger_] == [*batch.ledger_]
    assert stream.ledger_.tally == batch.ledger_.tally
    assert stream.coef_.tolist() == batch.coef_.tolist()
    assert stream.intercept_.tolist() == batch.intercept_.tolist()


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(labels=FOUR), cuts=st.lists(st.integers(0, 20), max_size=4), bias=BIAS)
def test_a_class_that_comes_later_starts_from_zero(rule, data, cuts, bias):
    """It is nobody's rival before it is there, and everything else goes on; also from one class, which has no rival at all."""
    X, y = data
    learner, book = direct(rule), Textbook(rule, bias)
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        if len(part):
            rows, labels = [X[i] for i in part], [y[i] for i in part]
            learner.learn(examples(exact(rows), labels, constant=int(bias)))
            before = len(book.updates)
            book.learn(rows, labels)
            book.updates[before:] = [(t, int(part[i]), *rest) for t, i, *rest in book.updates[before:]]
    assert told(learner) == book.updates
    assert all_rows(learner) == book.matrix()
    assert learner.ledgers[0].tally.examples == len(X)
    counts = {name: y.count(name) for name in sorted(set(y))}
    assert dict(zip(learner.classes.tolist(), learner.class_counts.tolist(), strict=True)) == counts


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), many_separable(bias))))
def test_the_bound_holds_over_classes_that_come_later(drawn):
    """What was learned before is a run on some of the z's of all the classes there are in the end."""
    bias, (X, y, u) = drawn
    order = np.argsort(y, kind="stable")  # class after class
    X, y = X[order], y[order]
    learner = direct()
    for _ in range(4):
        for name in np.unique(y):
            learner.learn(examples(X[y == name], y[y == name], constant=int(bias)))
    least, radius_sq = lead_of(X, y, u, bias).min(), (X**2).sum(axis=1).max() + bias
    tally = learner.ledgers[0].tally
    assert tally.mistakes * least**2 <= 2 * radius_sq * (u * u).sum()
    assert least**2 <= tally.hull_sq * (u * u).sum() * ROUNDING


def test_one_class_alone_is_never_wrong():
    X = np.array([[1.0], [2.0], [-1.0]])
    clf = Perceptron(multiclass="direct").partial_fit(X, ["a"] * 3)
    assert clf.n_updates_ == clf.n_mistakes_ == 0
    assert clf.predict(X).tolist() == ["a"] * 3
    assert clf.ledger_.tally.examples == 3
    assert isinstance(clf.certificate_, Undecided)
    clf.partial_fit([[5.0]], ["b"])
    assert clf.predict([[5.0], [-5.0]]).tolist() == ["b", "a"]


@given(data=any_data(labels=FOUR), cuts=st.lists(st.integers(0, 20), max_size=3))
def test_foretold_is_what_the_weights_say_before_they_learn(data, cuts):
    X, y = data
    learner, book = direct(), Textbook()
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        known = sorted({*book.w, *(y[i] for i in part)})
        answers = []
        for i in part:
            scores = [book.score(name, [*map(Fraction, X[i]), 1]) if name in book.w else 0 for name in known]
            best = known[scores.index(max(scores))]
            shared = (
                len(known) > 1
                and y[i] in [n for n, s in zip(known, scores, strict=True) if s == max(scores)]
                and scores.count(max(scores)) > 1
            )
            answers.append(-1 if shared else known.index(best))
            book.learn([X[i]], [y[i]], known=known)
        if len(part):
            rows = np.array([X[i] for i in part])
            assert learner.learn(examples(rows, [y[i] for i in part]), foretelling=True).tolist() == answers


def test_a_wider_piece_and_a_class_with_it():
    rng = np.random.default_rng(2)
    X, y = rng.integers(-2, 3, (30, 5)).astype(float), rng.integers(0, 3, 30)
    X[:15, 3:], y[:15] = 0, np.minimum(y[:15], 1)
    learner, other = direct(readout="averaged"), direct(readout="averaged")
    learner.learn(examples(X[:15, :3], y[:15]))
    learner.widen(5)
    learner.learn(examples(X[15:], y[15:]))
    other.learn(examples(X[:15], y[:15]))
    other.learn(examples(X[15:], y[15:]))
    assert learner.width == 5
    assert all_rows(learner) == all_rows(other)
    assert learner.weights().tolist() == other.weights().tolist()
    with pytest.raises(ValueError, match="have been learned from"):
        learner.narrow(3)


# ---- beside one-vs-rest ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("rule", ["rosenblatt", "margin"])
@given(data=any_data(), bias=BIAS)
def test_two_classes_at_once_are_one_vector(rule, readout, data, bias):
    X, y = exact(data[0]), data[1]
    seen = examples(X, y, constant=int(bias))
    one, both = Learner(rule, readout=readout), direct(rule, readout=readout)
    runs = [learner.fit(seen, 3) for learner in (one, both)]
    assert runs[0].errors == runs[1].errors
    assert both.decide(X).tolist() == one.decide(X).tolist()
    assert both.weights().tolist() == one.weights().tolist()
    assert [(u.t, u.row, 2 * u.margin, u.step) for u in one.ledgers[0]] == [
        (u.t, u.row, u.margin, u.step) for u in both.ledgers[0]
    ]


@given(data=any_data(), bias=BIAS)
def test_two_classes_at_once_and_the_rules_whose_parameters_have_a_scale(data, bias):
    """The lead of one class over the other is twice the score of one vector: that is what becomes of C and θ."""
    X, y = exact(data[0]), data[1]
    seen = examples(X, y, constant=int(bias))
    if not bias and not all(any(x) for x in data[0]):
        return  # of a zero row a step has no effect, and may be of any length
    kinds = rules()
    two, one = Fraction(2), Fraction(1)
    for rule, alone, scale in (
        (kinds["pa"](), kinds["pa"](), 2),
        (kinds["pa-i"](one), kinds["pa-i"](two), 2),
        (kinds["pa-ii"](one), kinds["pa-ii"](two), 2),
        (kinds["threshold"](two), kinds["threshold"](one), 1),
    ):
        single, both = Learner(alone), direct(rule)
        single.fit(seen, 3)
        both.fit(seen, 3)
        assert (scale * both.weights()).tolist() == single.weights().tolist()


def test_estimators_of_two_classes_agree():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] > 0.1, "yes", "no")
    for kind in (Perceptron, MarginPerceptron):
        one, both = kind(random_state=0).fit(X, y), kind(random_state=0, multiclass="direct").fit(X, y)
        assert both.coef_.tolist() == one.coef_.tolist()
        assert both.certificate_ == one.certificate_
        assert both.decision_function(X).tolist() == one.decision_function(X).tolist()
        assert both.certify(X, y) == one.certify(X, y)
        a, b = one.facts(X, y), both.facts(X, y)
        assert (a.mistakes, a.updates) == (b.mistakes, b.updates)
        assert b.by_losses.value == pytest.approx(a.by_losses.value)
        assert b.by_margin == a.by_margin or b.by_margin.value == pytest.approx(a.by_margin.value)
        assert b.margin == pytest.approx(np.multiply(a.margin, sqrt(2)))


def test_one_vs_rest_is_as_it_was():
    X, y = np.eye(3), [0, 1, 2]
    assert Perceptron().multiclass == "ovr"
    assert len(Perceptron().fit(X, y).ledger_) == 3
    voted = Learner(readout="voted")
    voted.fit(examples(X, y), 2)
    settings, arrays = state_of(voted)
    assert {name.rpartition(".")[2] for name in arrays if name.startswith("ledger.0.")} == {"t", "row", "y", "margin", "step"}
    del settings["multiclass"]  # as in files written before there was a choice
    assert learner_of(settings, arrays).decide(X).tolist() == voted.decide(X).tolist()


# ---- put away, taken out, refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket", "voted"])
def test_saved_loaded_and_gone_on_with(readout, tmp_path):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 4)), rng.choice(["a", "b", "c"], 60)
    clf = Perceptron(readout=readout, max_iter=3, multiclass="direct").fit(X, y)
    clf.save(tmp_path / "model")
    model = novikoff.load(tmp_path / "model")
    assert model.learner.multiclass == "direct"
    assert model.decisions(X).tolist() == clf.decision_function(X).tolist()
    assert model.labels(X).tolist() == clf.predict(X).tolist()
    assert model.certificates == [clf.certificate_]
    again, went_on = model.learner, clf._learner
    later = examples(X[::-1] + 1, np.append(y[1:], "aa"))  # with a class that is new, and comes second
    for learner in (again, went_on):
        learner.fit(later, 2)
    assert again.decide(X).tolist() == went_on.decide(X).tolist()
    assert again.weights().tolist() == went_on.weights().tolist()
    assert again.classes.tolist() == ["a", "aa", "b", "c"]


def test_what_does_not_fit_is_not_taken_out():
    rng = np.random.default_rng(5)
    learner = direct(readout="voted")
    learner.fit(examples(rng.normal(size=(40, 2)), rng.integers(0, 3, 40)), 2)
    settings, arrays = state_of(learner)
    assert learner_of(settings, arrays).weights().tolist() == learner.weights().tolist()
    for name, value in (("ledger.0.rival", 3), ("ledger.0.y", -1)):
        spoilt = arrays | {name: np.where(np.arange(len(arrays[name])) == 1, value, arrays[name]).astype(arrays[name].dtype)}
        with pytest.raises(ValueError, match="the ledger is damaged"):
            learner_of(settings, spoilt)
    with pytest.raises(ValueError, match="the ledger is damaged"):
        learner_of(settings, arrays | {"ledger.0.rival": arrays["ledger.0.y"]})
    with pytest.raises(ValueError, match="do not have weights of shape"):
        learner_of(settings, arrays | {"team.w": arrays["team.w"][:, :-1]})
    with pytest.raises(ValueError, match="there is no multiclass 'all'"):
        learner_of(settings | {"multiclass": "all"}, arrays)


@pytest.mark.parametrize("wrong", ["one", None, 3, ["direct"]])
def test_no_such_multiclass(wrong):
    with pytest.raises(ValueError, match=r"there is no multiclass .*; it is 'ovr', .* or 'direct'"):
        Perceptron(multiclass=wrong).fit(np.eye(3), [0, 1, 2])


def test_refusals_change_nothing():
    X, y = np.eye(3), [0, 1, 2]
    clf = Perceptron(multiclass="direct").partial_fit(X, y)
    before = clf.coef_.tolist()
    clf.multiclass = "ovr"
    with pytest.raises(ValueError, match="multiclass was changed since learning began"):
        clf.partial_fit(X, y)
    clf.multiclass = "direct"
    with pytest.raises(ValueError, match="row 1, column 0 is NaN"):
        clf.partial_fit(np.array([[1.0, 0, 0], [np.nan, 0, 0]]), [0, 7])
    with pytest.raises(ValueError, match="some labels are numbers and some are not"):
        clf.partial_fit(X, ["a", "b", "c"])
    assert clf.coef_.tolist() == before
    assert clf.classes_.tolist() == y
    with pytest.raises(ValueError, match="overflowed"):
        clf.partial_fit(X, y, sample_weight=1e300)
    assert clf.coef_.tolist() == before
    with pytest.raises(ValueError, match="one class only"):
        Perceptron(multiclass="direct").fit(X, [1, 1, 1])
    with pytest.raises(ValueError, match="multiclass='direct'"):
        OnlineLearner.of(novikoff.Model(clf._learner, novikoff.data.features.Named(["x", "y", "z"])))


def test_zero_weights_do_nothing_at_all():
    rng = np.random.default_rng(6)
    X, y = rng.integers(-2, 3, (30, 3)).astype(float), rng.integers(0, 3, 30)
    mixed, labels, weight = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.tile([1.0, 0.0], 30)
    labels[1::2] = 99
    for settings in ({}, {"class_weight": "balanced"}, {"order": "each", "seed": 3}):
        with_zeros, without = direct(readout="averaged", **settings), direct(readout="averaged", **settings)
        runs = with_zeros.fit(examples(mixed, labels, weight=weight), 3), without.fit(examples(X, y), 3)
        assert runs[0].errors == runs[1].errors
        assert with_zeros.weights().tolist() == without.weights().tolist()
        assert with_zeros.ledgers[0].tally == without.ledgers[0].tally


def test_warm_starts_and_first_weights():
    rng = np.random.default_rng(7)
    X, y = rng.integers(-2, 3, (40, 3)).astype(float), rng.integers(0, 3, 40)
    clf = Perceptron(max_iter=2, warm_start=True, multiclass="direct").fit(X, y)
    twice = clf.fit(X, y)
    whole = Perceptron(max_iter=4, multiclass="direct").fit(X, y)
    assert twice.coef_.tolist() == whole.coef_.tolist()
    first = Perceptron(max_iter=2, multiclass="direct").fit(X, y)
    on = Perceptron(max_iter=2, multiclass="direct").fit(X, y, coef_init=first.coef_, intercept_init=first.intercept_)
    assert on.coef_.tolist() == whole.coef_.tolist()
    assert isinstance(on.bound(radius=1.0, margin=1.0), NoBound)


@pytest.mark.filterwarnings("ignore")
def test_a_development_curve_has_the_scores_that_the_estimator_would_have():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    clf = Perceptron(max_iter=3, order="each", random_state=0, multiclass="direct")
    curve = development_curve(clf, X[:40], y[:40], dev=(X[40:], y[40:]))
    for readout, scores in curve.dev.items():
        for number, score in zip(curve.passes.tolist(), scores.tolist(), strict=True):
            alone = Perceptron(max_iter=number, order="each", random_state=0, multiclass="direct", readout=readout)
            assert alone.fit(X[:40], y[:40]).score(X[40:], y[40:]) == score


# ---- certificates ---------------------------------------------------------------------------------------------------------


@given(data=any_data(labels=FOUR), bias=BIAS, sparse=st.booleans())
def test_what_a_fit_proves_holds_by_two_strangers(data, bias, sparse):
    X, y = np.array(data[0]), np.array(data[1])
    assume(len(set(data[1])) > 2)
    stored = sp.csr_array(X) if sparse else X
    clf = Perceptron(max_iter=60, fit_intercept=bias, multiclass="direct").fit(stored, y)
    certificate = clf.certificate_
    assert isinstance(certificate, ManySeparable) == (clf.stop_reason_ == "clean pass")
    assert isinstance(certificate, ManyInseparable) == bool(clf._run.cycles)  # nothing rounds here
    assert holds(certificate, X, y)
    assert verify(certificate, X, y)
    assert verify(certificate, sp.csr_array(X), y)
    assert from_json(certificate.to_json()) == certificate
    asked = clf.certify(X, y)
    assert isinstance(asked, ManySeparable) == isinstance(certificate, ManySeparable)
    assert holds(asked, X, y)
    assert verify(asked, X, y)


def of_three_kinds():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [3.0, 3.0]])
    xor, fine = np.array([0, 1, 1, 0, 2]), np.array([0, 1, 2, 1, 1])
    proofs = [
        (Perceptron(multiclass="direct", max_iter=300).fit(X, fine).certificate_, X, fine),
        (Perceptron(multiclass="direct", max_iter=300).fit(X, xor).certificate_, X, xor),
        (Perceptron(multiclass="direct", max_iter=1).fit(X, fine).certificate_, X, fine),
    ]
    assert [type(proof) for proof, *_ in proofs] == [ManySeparable, ManyInseparable, Undecided]
    return proofs


def mutations(proof):
    """The same certificate, each time with something in it that is not so."""
    data = proof.data
    yield replace(proof, data=data._replace(fingerprint="0" * 16)), "other data"
    yield replace(proof, data=data._replace(classes=(0, 1, 7))), "not among the certificate's"
    yield replace(proof, data=data._replace(classes=(0, 1, 1, 2))), "names a label twice"
    yield replace(proof, data=data._replace(rows=4)), "4 rows"
    yield replace(proof, data=Data(data.rows, data.columns, True, None, 1, data.fingerprint)), "other data"
    match proof:
        case ManySeparable(weights=w, intercepts=b, margin=(low, high), hull=hull):
            yield replace(proof, weights=-w, intercepts=-b), "higher score"
            yield replace(proof, weights=w * 0, intercepts=b * 0), "higher score"
            yield replace(proof, weights=w[:2], intercepts=b[:2]), "weights of shape"
            yield replace(proof, weights=np.where(w == w.max(), np.inf, w)), "finite double"
            yield replace(proof, margin=type(proof.margin)(2 * low, high)), "nearer"
            yield replace(proof, margin=type(proof.margin)(np.inf, high)), "number from 0 on"
            yield replace(proof, margin=type(proof.margin)(-1.0, high)), "number from 0 on"
            yield replace(proof, margin=type(proof.margin)(low, high / 2)), "no margin is above"
            yield replace(proof, margin=type(proof.margin)(low, np.nan)), "upper end"
            yield replace(proof, hull=ManyHull()), "all multipliers are zero"
            yield replace(proof, hull=Hull(hull.rows, hull.multipliers)), "not of a kind"
            yield replace(proof, hull=hull._replace(rivals=hull.rivals[1:])), "rivals"
            yield replace(proof, hull=hull._replace(rows=(99, *hull.rows[1:]))), "row 99 does not exist"
        case ManyInseparable(rows=rows, rivals=rivals, multipliers=times):
            yield replace(proof, multipliers=(times[0] * 2, *times[1:])), "do not cancel"
            yield replace(proof, multipliers=(-times[0], *times[1:])), "negative"
            yield replace(proof, multipliers=tuple(0 * m for m in times)), "all multipliers are zero"
            yield replace(proof, rivals=(2, *rivals[1:])), "do not cancel"
            yield replace(proof, rivals=(0, *rivals[1:])), "cannot have class number 0"
            yield replace(proof, rivals=(3, *rivals[1:])), "cannot have class number 3"
            yield replace(proof, rows=rows[:1] * 2 + rows[2:], rivals=rivals[:1] * 2 + rivals[2:]), "twice"
            yield replace(proof, rows=rows * 9, rivals=rivals * 9, multipliers=times * 9), "more than are ever needed"
        case Undecided(margin_at_most=high):
            yield replace(proof, margin_at_most=high * 0.9), "no margin is above"
            yield replace(proof, hull=Hull()), "not of a kind"


MIXED = Mixing(2, 999, True, 2.5, root_above(Fraction(19)), 2.0)  # the longest row is (3, 3, 1)


def mutations_of_mixing():
    yield MIXED._replace(shards=0), "0 shards"
    yield MIXED._replace(passes=0), "0 passes"
    yield MIXED._replace(mistakes=-0.5), "from 0 on"
    yield MIXED._replace(radius=root_below(Fraction(19))), "longer than the radius"
    yield MIXED._replace(radius=-MIXED.radius), "longer than the radius"
    yield MIXED._replace(factor=1.0), "at least 2"


def test_what_many_classes_say_of_shards_is_checked():
    (fine, X, y), _, (open_, *_) = of_three_kinds()
    allowed = 2 * (MIXED.radius / fine.margin.low) ** 2
    for proof in (fine, open_):
        for same in (MIXED, MIXED._replace(factor=None), MIXED._replace(radius=20.0)):
            told = replace(proof, mixing=same)
            assert from_json(told.to_json()) == told
            assert verify(told, X, y)
            assert holds(told, X, y)
        for wrong, why in mutations_of_mixing():
            told = from_json(replace(proof, mixing=wrong).to_json())
            assert why in verify(told, X, y).why
            assert not holds(told, X, y)
    too_many = MIXED._replace(mistakes=allowed * 1.01)
    for wrong, why in [(MIXED._replace(clean=False), "not clean"), (too_many, "more than F20 allows")]:
        assert why in verify(replace(fine, mixing=wrong), X, y).why
        assert not holds(replace(fine, mixing=wrong), X, y)
        assert verify(replace(open_, mixing=wrong), X, y)
        assert holds(replace(open_, mixing=wrong), X, y)
    assert verify(replace(fine, mixing=too_many._replace(factor=None)), X, y)
    assert f"are 2.5, and F20 allows {allowed:.6g} with a margin" in str(replace(fine, mixing=MIXED)).splitlines()[-1]
    assert "F20 allows 2·(R/γ)² with R = 4.3589 wherever" in str(replace(open_, mixing=MIXED)).splitlines()[-1]


def test_mutated_certificates_are_refused():
    for proof, X, y in of_three_kinds():
        assert verify(proof, X, y)
        assert holds(proof, X, y)
        for changed, why in mutations(proof):
            verdict = verify(changed, X, y)
            assert not verdict
            assert why in verdict.why, (why, verdict.why)
        other = verify(proof, X[::-1], y)
        assert not other
        assert "other data" in other.why
        assert not verify(proof, X)


def test_certificate_files(tmp_path):
    for proof, X, y in of_three_kinds():
        proof.save(tmp_path / "proof.json")
        assert load(tmp_path / "proof.json") == proof
        assert verify(load(tmp_path / "proof.json"), X, y)
        text = proof.to_json()
        for changed in (text.replace("true", "false", 1), text.replace('"classes": [0', '"classes": [5', 1)):
            assert changed != text
            with pytest.raises(ValueError, match="digest"):
                from_json(changed)


def test_unsound_parts_of_a_file_are_refused():
    proof = of_three_kinds()[0][0]
    for why, part in {
        "weights is not a list": {"weights": proof.intercepts},
        "not a table of numbers": {"weights": np.zeros((0, 2))},
        "not doubles": {"intercepts": np.array([1, 2, 3])},
        "labels are text or numbers": {"data": proof.data._replace(classes=((0,), 1, 2))},
        "whole numbers": {"data": proof.data._replace(rows=-1)},
        "not of the kind": {"data": Data(5, 2, True, 0, 1, "")},
    }.items():
        with pytest.raises(ValueError, match=why):
            from_json(replace(proof, **part).to_json())


def test_margins_close_in_and_thin_ones_are_decided_exactly():
    """Three points and a hair: floats cannot tell the lead from 0, whole numbers can."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    proof = Perceptron(multiclass="direct", fit_intercept=False).fit(X, [0, 1, 2]).certificate_
    assert isinstance(proof, ManySeparable)
    assert 0 < proof.margin.low <= proof.margin.high
    hair = replace(proof, weights=proof.weights * 0 + np.array([[1.0, 2.0**-60], [1.0 - 2.0**-53, 1.0], [0.0, 0.0]]))
    assert holds(replace(hair, margin=proof.margin._replace(low=0.0)), X, np.array([0, 1, 2]))
    assert verify(replace(hair, margin=proof.margin._replace(low=0.0)), X, np.array([0, 1, 2]))
    level = replace(hair, weights=hair.weights * 0 + np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    assert not verify(replace(level, margin=proof.margin._replace(low=0.0)), X, np.array([0, 1, 2]))


def test_a_stream_proves_nothing_and_says_of_what():
    clf = Perceptron(multiclass="direct").partial_fit(np.eye(3), ["a", "b", "c"])
    assert isinstance(clf.certificate_, Undecided)
    assert clf.certificate_.data == Classes(3, 3, True, ("a", "b", "c"), "")
    assert not verify(clf.certificate_, np.eye(3), ["a", "b", "c"])
    assert isinstance(Perceptron(multiclass="direct").partial_fit(np.eye(2), [0, 1]).certificate_.data, Data)
    assert isinstance(
        PassiveAggressive(multiclass="direct", variant="PA", max_iter=50).fit(np.eye(2), [0, 1]).certificate_, Separable
    )


# ---- facts ----------------------------------------------------------------------------------------------------------------


@given(BIAS.flatmap(lambda bias: st.tuples(st.just(bias), many_separable(bias))))
def test_facts_are_those_of_kesler_written_out(drawn):
    bias, (X, y, u) = drawn
    assume(len(u) > 2)
    clf = Perceptron(multiclass="direct", fit_intercept=bias, max_iter=10_000).fit(X, y)
    found = clf.facts(X, y, u=u)
    w, norm, course = np.zeros_like(u), sqrt((u * u).sum()), found.course
    for k, update in enumerate(clf.ledger_):
        x = np.append(X[update.row], float(bias))
        w[update.y] += x
        w[update.rival] -= x
        assert course.w_sqnorm[k] == (w * w).sum()
        assert course.w_u[k] == pytest.approx((w * u).sum() / norm)
    low, high = found.margin
    leads = lead_of(X, y, np.column_stack([clf.coef_, clf.intercept_]), bias)
    size = sqrt((clf.coef_**2).sum() + (clf.intercept_**2).sum())
    assert low == pytest.approx(max(leads.min() / size, lead_of(X, y, u, bias).min() / norm))  # the better of two separators
    assert low <= high * ROUNDING
    assert found.mistakes <= found.by_margin.value * ROUNDING
    assert found.by_margin.value == pytest.approx(2 * found.radius**2 / low**2)
    assert found.mistakes <= found.by_losses.value * ROUNDING <= found.by_losses_simply * ROUNDING**2
    scale = sqrt((found.u**2).sum()) / norm
    losses = np.maximum(0, 1 - scale * lead_of(X, y, u, bias)).sum() * found.passes
    assert found.losses == pytest.approx(losses, abs=1e-9)
    assert "all classes at once (F25)" in str(found)
    assert "2R²‖u‖² + 2L" in str(found)


def test_facts_with_an_svm_and_what_is_refused():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    clf = Perceptron(multiclass="direct", max_iter=5).fit(X, y)
    assert clf.facts(X, y, u="svm").by_losses_simply <= clf.facts(X, y).by_losses_simply
    with pytest.raises(ValueError, match="u must have 3 rows of 4 finite numbers"):
        clf.facts(X, y, u=np.ones(4))
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(X[::-1], y)
    with pytest.raises(ValueError, match="this is other data"):
        clf.facts(-X, y)
