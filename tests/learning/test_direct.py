"""`multiclass="direct"` of the learner: weights, readouts, streams and late classes, and how it compares with one-vs-rest."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from chosen import RULES
from direct_textbook import BIAS, FOUR, Textbook
from learners import class_weights, direct, named_updates
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import Evidence, NoBound, rules
from novikoff.learning.learner import Learner
from oracles import any_data, fractions


@given(data=any_data(labels=FOUR), bias=BIAS, weights=st.data())
def test_sample_and_class_weights_scale_the_step(data, bias, weights):
    X, y = data
    sample = weights.draw(st.lists(st.sampled_from([1, 2, 3]), min_size=len(X), max_size=len(X)))
    by_class = {0: Fraction(1, 2), 2: Fraction(3)}
    by_class = {name: by_class[name] for name in by_class if name in y}
    learner = direct("pa-i", class_weight=by_class)
    learner.fit(examples(fractions(X), y, constant=int(bias), weight=[Fraction(s) for s in sample]), 2)
    scaled = [s * by_class.get(t, 1) for s, t in zip(sample, y, strict=True)]
    assert named_updates(learner) == Textbook("pa-i", bias).fit(X, y, 2, weight=scaled).updates
    assert isinstance(learner.bound(Evidence(1.0, 1.0)), NoBound)


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
            if scores.count(max(scores)) == 1:  # a shared lead is no vote
                votes[i][scores.index(max(scores))] += 1
    for stored in (fractions(X), np.array(X), sp.csr_array(np.array(X))):
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


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(labels=FOUR), cuts=st.lists(st.integers(0, 20), max_size=4), bias=BIAS)
def test_a_class_that_comes_later_starts_from_zero(rule, data, cuts, bias):
    """It is no rival before its first row, and the other classes go on as before. A single class has no rival at all."""
    X, y = data
    learner, book = direct(rule), Textbook(rule, bias)
    for part in np.split(np.arange(len(X)), sorted(c for c in cuts if c < len(X))):
        if len(part):
            rows, labels = [X[i] for i in part], [y[i] for i in part]
            learner.learn(examples(fractions(rows), labels, constant=int(bias)))
            before = len(book.updates)
            book.learn(rows, labels)
            book.updates[before:] = [(t, int(part[i]), *rest) for t, i, *rest in book.updates[before:]]
    assert named_updates(learner) == book.updates
    assert class_weights(learner) == book.matrix()
    assert learner.ledgers[0].tally.examples == len(X)
    counts = {name: y.count(name) for name in sorted(set(y))}
    assert dict(zip(learner.classes.tolist(), learner.class_counts.tolist(), strict=True)) == counts


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
            answers.append(-1 if scores.count(max(scores)) > 1 else known.index(best))
            book.learn([X[i]], [y[i]], known=known)
        if len(part):
            rows = np.array([X[i] for i in part])
            decisions = learner.learn(examples(rows, [y[i] for i in part]), foretelling=True)
            assert learner.answers(decisions).tolist() == answers


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
    assert class_weights(learner) == class_weights(other)
    assert learner.weights().tolist() == other.weights().tolist()
    with pytest.raises(ValueError, match="have been learned from"):
        learner.narrow(3)


@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("rule", ["rosenblatt", "margin"])
@given(data=any_data(), bias=BIAS)
def test_two_classes_at_once_are_one_vector(rule, readout, data, bias):
    X, y = fractions(data[0]), data[1]
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
    """The lead of one class over the other is twice the score of a single vector, so C and θ are scaled."""
    X, y = fractions(data[0]), data[1]
    seen = examples(X, y, constant=int(bias))
    assume(bias or all(any(x) for x in data[0]))  # a step along a zero row has no effect, so it may have any length
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
