"""All classes at once, against the textbook on fractions and Kesler's construction written out (F25)."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from chosen import RULES
from direct_textbook import BIAS, FOUR, Textbook
from learners import class_weights, direct, named_updates
from novikoff.engine.labelled_rows import examples
from oracles import any_data, fractions


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(numbers=st.fractions(-3, 3, max_denominator=3), labels=FOUR), bias=BIAS, passes=st.integers(1, 4))
def test_the_textbook_to_the_last_fraction(rule, data, bias, passes):
    X, y = data
    learner = direct(rule)
    run = learner.fit(examples(fractions(X), y, constant=int(bias)), passes)
    book = Textbook(rule, bias).fit(X, y, passes)
    assert named_updates(learner) == book.updates
    assert class_weights(learner) == book.matrix()
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
            assert named_updates(learner) == book.updates
            assert class_weights(learner) == book.matrix()


@pytest.mark.parametrize("entries", range(1, 12))
def test_long_sparse_rows_score_as_dense_ones(entries):
    """Every place in a group of four columns, and the tail, for every class. Powers of two do not round in any order."""
    X = np.zeros((3, 14))
    X[0, :entries] = 2.0 ** np.arange(entries)
    X[1, 3] = X[2, 12] = 1.0
    learners = [direct() for _ in range(3)]
    stored = X, sp.csr_array(X), sp.csr_array(X.astype(np.float32))
    for learner, rows in zip(learners, stored, strict=True):
        learner.fit(examples(rows, [0, 1, 2]), 1, start=3.0 ** (np.arange(45).reshape(3, 15) % 5))
    assert len({str(learner.decide(rows).tolist()) for learner, rows in zip(learners, stored, strict=True)}) == 1
    assert len({str(named_updates(learner)) for learner in learners}) == 1


@given(data=any_data(labels=FOUR), bias=BIAS)
def test_kesler_written_out(data, bias):
    """Margins, norms and the hull are those of one vector of all weights and of z = (e_y − e_r) ⊗ x."""
    X, y = fractions(data[0]), data[1]
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
        assert all(w @ each[r] > w @ z for r in range(update.rival) if r != update.y)  # of rivals with equal scores, the first
        w, k = w + z, k + 1
        least = w @ w / k**2 if least is None else min(least, w @ w / k**2)
    tally = learner.ledgers[0].tally
    assert tally.w_sqnorm == w @ w
    assert np.array(class_weights(learner)).ravel().tolist() == w.tolist()
    assert tally.hull_sq >= least  # not updated where ‖w‖² is almost 0
    assert tally.steps == k
