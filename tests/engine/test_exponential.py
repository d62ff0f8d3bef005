"""exp, compiled: against the C library's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.compiler.dispatch import compiled
from novikoff.engine.exponential import LOWEST, exp_of, exp_of_distances

ULP = np.finfo(float).eps


def run(x):
    """exp of each number."""
    products = np.array([x], float) / 2
    compiled(exp_of_distances)(products, np.zeros(1), np.zeros(len(x)), 1.0)
    return products[0]


@given(st.lists(st.floats(LOWEST, 0, exclude_min=True), min_size=1, max_size=50))
def test_two_units_of_the_last_place_are_the_most(numbers):
    for ours, x in zip(run(numbers).tolist(), numbers, strict=True):
        assert abs(ours - np.exp(x)) <= 2 * ULP * np.exp(x)
        assert ours == float(exp_of(np.float64(x)))  # machine code and Python are the same lines


def test_many_numbers():
    x = -np.geomspace(1e-300, 707, 1_000_003)
    assert np.abs(run(x) / np.exp(x) - 1).max() <= 2 * ULP


def test_the_ends():
    assert run([0.0, -0.0, 3.0, -5e-324]).tolist() == [1, 1, 1, 1]
    assert run([LOWEST, -709.0, -1e300, -np.inf, np.nan]).tolist() == [0] * 5
    assert run([np.nextafter(LOWEST, 0)])[0] == pytest.approx(np.exp(LOWEST), rel=1e-12)


def test_distances_are_those_of_rows():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 3)), rng.normal(size=(9, 3))
    products = A @ B.T
    compiled(exp_of_distances)(products, (A**2).sum(axis=1), (B**2).sum(axis=1), 0.7)
    apart = ((A[:, None] - B[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(products, np.exp(-0.7 * apart), rtol=1e-13)
