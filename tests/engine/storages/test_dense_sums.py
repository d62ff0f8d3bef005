"""Sums of dense rows have one order: the bits are those of plain Python, however a row is stored and whatever the processor."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chosen import short
from novikoff.compiler import LANES, dot
from novikoff.compiler.dispatch import compiled
from novikoff.engine.labelled_rows import examples, measure, score_rows
from novikoff.engine.storages import rows_of
from novikoff.learning.learner import Learner

ODD = st.sampled_from([0.0, -0.0, 1e308, -1e308, 1e-300, -5e-324, np.inf, -np.inf, np.nan]) | st.floats()
STORAGES = {
    "strided": lambda X: np.repeat(X, 3, axis=1)[:, ::3],
    "reversed": lambda X: X[:, ::-1].copy()[:, ::-1],
    "columns first": np.asfortranarray,
}


@st.composite
def two_rows(draw, odd=ODD):
    """x and w: numbers whose sum rounds at every step, and here and there what is not finite, or underflows, or has no sign."""
    width = draw(st.integers(1, 5 * LANES))
    rows = np.random.default_rng(draw(st.integers(0, 2**32))).standard_normal((2, width))
    for place, number in draw(st.lists(st.tuples(st.integers(0, 2 * width - 1), odd), max_size=4)):
        rows.flat[place] = number
    return rows


def score_and_sqnorm(X, w):
    """By compiled code, of a row alone. The constant coordinate is 0, and adds nothing."""
    score, sqnorm, rows = np.empty((1, 1)), np.empty(1), rows_of(X, 0.0)
    assert compiled(score_rows)(rows, 0, 1, np.append(w, 0.0)[None], score) == -1
    assert compiled(measure)(rows, 0, 1, X.shape[1], sqnorm) == -1
    return bits([score[0, 0], sqnorm[0]])


def bits(numbers):
    return [number.hex() for number in map(float, numbers)]  # NaN is NaN, whatever its bits


@given(two_rows())
def test_compiled_sum_is_that_of_plain_python_to_the_bit(rows):
    x, w = rows.tolist()
    assert score_and_sqnorm(rows[:1], rows[1]) == bits([dot(x, w), dot(x, x)])


@given(two_rows(), st.sampled_from(sorted(STORAGES)))
def test_strides_make_no_difference(rows, storage):
    x, w = rows
    assert score_and_sqnorm(STORAGES[storage](rows)[:1], w) == score_and_sqnorm(x[None], w)


@given(two_rows(odd=st.sampled_from([-0.0, 3e38, -1e-45, np.inf, np.nan])))
def test_floats_of_32_bits_are_summed_as_doubles(rows):
    x, w = rows.astype(np.float32)[0], rows[1]
    assert score_and_sqnorm(x[None], w) == score_and_sqnorm(x[None].astype(np.float64), w)


@pytest.mark.parametrize("kind", short([(np.int64,)], [(np.int64,), (np.uint8,), (np.bool_,)]))
def test_whole_numbers_are_summed_as_doubles(kind):
    x, w = np.arange(5 * LANES - 1) % 7 > 2, np.random.default_rng(0).standard_normal(5 * LANES - 1)
    assert score_and_sqnorm(x[None].astype(kind), w) == score_and_sqnorm(x[None].astype(np.float64), w)


def test_order_of_the_sum():
    """Written out for a row of 16 + 8 + 2 numbers, with weights of 1."""
    x = np.random.default_rng(1).standard_normal(26)
    eight = (x[:8] + x[8:16]) + x[16:24]
    four = eight[:4] + eight[4:]
    two = four[:2] + four[2:] + x[24:]
    assert dot(x, np.ones(26)) == two[0] + two[1]
    assert two[0] + two[1] != sum(x)


def test_a_product_is_rounded_before_it_is_added():
    """(1 + ε)(1 − ε) − 1 is 0, and would be −ε² if the product were fused with the sum."""
    e = 2.0**-30
    x, w = np.full((1, 2 * LANES), 1 + e), np.full(2 * LANES, 1 - e)
    x[0, :LANES], w[:LANES] = -1, 1
    assert score_and_sqnorm(x, w)[0] == bits([0.0])[0]


def weights_of_a_run(X):
    """Of steps that are not whole, so that a fused product would show in the weights, too."""
    learner = Learner("pa-i")
    learner.fit(examples(X, np.arange(len(X)) % 3 % 2), 3)
    return bits(learner.team.w[0])


def test_a_compiled_run_is_one_in_plain_python_to_the_bit():
    """An array of Python's own numbers is not compiled for."""
    X = np.random.default_rng(2).standard_normal((40, 2 * LANES + 7))
    assert weights_of_a_run(X) == weights_of_a_run(X.astype(object))


PLACES = [str(Path(__file__).parent), str(Path(__file__).parents[2])]


def test_a_processor_without_wide_vectors_learns_the_same_bits():
    """Compiled for the least of its kind, which has vectors of two numbers, if any, and no fused products."""
    code = f"import sys; sys.path[:0] = {PLACES}; import test_dense_sums as here\nprint(here.weights_of_a_run(here.wide_rows()))"
    least = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    said = subprocess.run([sys.executable, "-c", code], env=least, check=True, capture_output=True, text=True).stdout
    assert said.strip() == str(weights_of_a_run(wide_rows()))


def wide_rows():
    return np.random.default_rng(3).standard_normal((60, 6 * LANES + 11))
