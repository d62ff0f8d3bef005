"""Rows that one-sided columns settle decide nothing: the rows that are left have the answer of all, and the proof."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff import Inseparable, Separable, separate, verify
from novikoff.proof.exact import Signed, weights
from novikoff.solve.separability.linear import Question
from novikoff.solve.separability.one_sided_columns import settled, with_settled
from verdicts import holds


@st.composite
def sparse_rows(draw, exponents=(0,)):
    """Few entries in each row; columns scaled by powers of two."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows, width = draw(st.integers(1, 40)), draw(st.integers(1, 25))
    X = rng.integers(-2, 4, (rows, width)) * (rng.random((rows, width)) < draw(st.sampled_from([0.05, 0.1, 0.3])))
    X = np.ldexp(X.astype(float), np.array([[draw(st.sampled_from(exponents)) for _ in range(width)]]))
    return X, rng.integers(0, 2, rows), draw(st.booleans())


def by_the_hull(question):
    return question.by_the_hull(np.zeros(len(question.z), int), np.inf)


@example((np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 1]), True), False)
@given(sparse_rows(), st.booleans())
def test_the_answer_is_that_of_the_hull_and_proved(data, dense):
    X, y, fit_intercept = data
    question = Question.about(X if dense else sp.csr_array(X), y, fit_intercept)
    layers, left = settled(question.z)
    gone = np.concatenate([left[:0], *(layer.rows for layer in layers)])
    assert sorted([*gone.tolist(), *left.tolist()]) == list(range(len(X)))
    found, expected = question.by_one_sided_columns(np.inf), by_the_hull(question)
    if not layers:
        assert found is None
        return
    assert type(found) is type(expected)
    assert holds(found, X, y)
    assert verify(found, X, y)
    if isinstance(expected, Inseparable):
        assert not set(expected.rows) & set(gone.tolist())


def test_the_rows_that_are_left_keep_their_fractions():
    """The nearest doubles of the first two rows are the same; the last is settled by its own column."""
    X, y = np.array([[Fraction(1, 10), 0], [Fraction(1, 10) + Fraction(1, 10**20), 0], [5, 1]], object), [1, -1, 1]
    found = separate(X, y)
    assert isinstance(found, Separable)
    assert verify(found, X, y)
    assert isinstance(separate(X.astype(float), y), Inseparable)


@given(sparse_rows([-60, -3, 0, 7, 60]))
def test_rows_are_settled_whatever_the_scales_and_the_weights_of_the_others(data):
    X, y, fit_intercept = data
    z = Signed(sp.csr_array(X), np.where(y == 1, 1.0, -1.0), fit_intercept)
    layers, left = settled(z)
    w = np.random.default_rng(len(X)).standard_normal(z.length)
    for layer in layers:
        w[layer.columns] = 0.0
    answer = with_settled(z, layers, w)
    exact, before = weights(answer.tolist()), weights(w.tolist())
    assert all(z.score(i, exact) > 0 for layer in layers for i in layer.rows.tolist())
    assert all(z.score(i, exact) == z.score(i, before) for i in left.tolist())


@pytest.mark.parametrize("words", [2_000, 20_000])
def test_text_of_random_labels_is_decided_by_a_few_rows(words):
    rng = np.random.default_rng(0)
    often = 1 / np.arange(1, words + 1)
    rows = [rng.choice(words, 15, p=often / often.sum()) for _ in range(1000)]
    X = sp.csr_array((np.ones(15_000), np.concatenate(rows), np.arange(0, 15_001, 15)), (1000, words))
    question = Question.about(X, rng.integers(0, 2, 1000), True)
    assert len(settled(question.z)[1]) < 100
    assert isinstance(question.by_one_sided_columns(np.inf), Separable)
