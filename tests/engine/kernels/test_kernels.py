"""What every kernel owes, found by being there; scikit-learn has the same ones."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels

from novikoff.engine import kernels as family
from novikoff.engine.kernels import Points, find_kernel, fitted_to, in_fractions, kernels
from novikoff.engine.kernels.called import KernelError

NAMED = {
    "laplacian": {"gamma": 0.3},
    "linear": {},
    "poly": {"degree": 4, "gamma": 0.5, "coef0": 2.0},
    "rbf": {"gamma": 0.3},
    "sigmoid": {"gamma": 0.3, "coef0": -0.1},
}
RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(37, 5)), RNG.normal(size=(231, 5))


def test_none_is_forgotten():
    assert set(kernels()) == {*NAMED, "precomputed", "called"}


@pytest.mark.parametrize("name", sorted(NAMED))
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array, np.float32], ids=["dense", "csr", "float32"])
@pytest.mark.parametrize("tile", [1, 64, 2**16])
def test_values_are_those_of_scikit_learn(name, stored, tile, monkeypatch):
    monkeypatch.setattr(family, "TILE", tile)
    kernel, (a, b) = find_kernel(name, **NAMED[name]), (stored(A), stored(B))
    plain = [x.toarray() if sp.issparse(x) else x.astype(float) for x in (a, b)]
    theirs = pairwise_kernels(*plain, metric=name, **NAMED[name])
    np.testing.assert_allclose(kernel.between(Points(a), Points(b)), theirs, rtol=1e-9, atol=1e-12)
    mixed = kernel.between(Points(a), Points(plain[1]))  # rows may be stored as they like
    np.testing.assert_allclose(mixed, theirs, rtol=1e-9, atol=1e-12)
    alone = pairwise_kernels(plain[0], metric=name, **NAMED[name]).diagonal()
    np.testing.assert_allclose(kernel.of_itself(Points(a)), alone, rtol=1e-9)
    some = np.array([3, 1, 30])
    np.testing.assert_allclose(kernel.between(Points(a)[some], Points(b)), theirs[some], rtol=1e-9, atol=1e-12)


@given(st.data())
def test_polynomials_do_not_round_on_fractions(data):
    number = st.fractions(-3, 3, max_denominator=7)
    rows = data.draw(st.lists(st.lists(number, min_size=2, max_size=2), min_size=1, max_size=4))
    kernel = find_kernel("poly", degree=data.draw(st.integers(1, 4)), gamma=0.75, coef0=data.draw(st.integers(0, 3)))
    points = Points(np.array([[Fraction(v) for v in row] for row in rows], object))
    values = in_fractions(kernel).between(points, points)
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            product = sum(p * q for p, q in zip(a, b, strict=True))
            assert values[i, j] == (Fraction(3, 4) * product + kernel.coef0) ** kernel.degree
    assert (in_fractions(kernel).of_itself(points) == values.diagonal()).all()


def test_what_rounds_is_refused_where_nothing_may():
    with pytest.raises(ValueError, match="'rbf' cannot be computed on fractions"):
        in_fractions(find_kernel("rbf"))


@pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "linear"])
def test_those_called_positive_are(name):
    kernel = find_kernel(name, **NAMED[name])
    values = kernel.between(Points(B), Points(B))
    assert kernel.positive
    assert np.linalg.eigvalsh((values + values.T) / 2).min() > -1e-9 * np.abs(values).max()


def test_those_that_are_not_say_so():
    sigmoid = find_kernel("sigmoid", gamma=1, coef0=-1)
    assert not sigmoid.positive
    assert np.linalg.eigvalsh(sigmoid.between(Points(A), Points(A))).min() < -0.1
    odd = find_kernel("poly", degree=2, coef0=-1)
    assert not odd.positive
    assert np.linalg.eigvalsh(odd.between(Points(A), Points(A))).min() < -0.1
    assert not find_kernel("precomputed").positive
    assert not find_kernel(lambda a, b: a @ b.T).positive


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a, b: 1.0, r"gives shape \(\) for 2 and 3 rows"),
        (lambda a, b: b @ a.T, r"gives shape \(3, 2\) for 2 and 3 rows"),
        (lambda a, b: np.full((len(a), len(b)), np.nan), "gives nan between two rows"),
        (lambda a, b: [["x"] * len(b)] * len(a), "no matrix of numbers"),
    ],
)
def test_functions_that_are_no_kernels_are_refused_by_name(function, said):
    function.__qualname__ = "my_kernel"
    with pytest.raises(KernelError, match=f"the kernel my_kernel .*{said}|the kernel my_kernel {said}"):
        find_kernel(function).between(Points(A[:2]), Points(A[:3]))


def test_a_function_that_is_not_symmetric_is_refused_by_name():
    def lopsided(a, b):
        return a @ b.T + np.arange(len(a))[:, None]

    points = Points(A)
    with pytest.raises(KernelError, match=r"lopsided is not symmetric: .* for rows (0 and 36|36 and 0)"):
        find_kernel(lopsided).between(points, points)


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("poly", {"degree": 0}, "degree must be"),
        ("poly", {"degree": 2.5}, "degree must be"),
        ("poly", {"gamma": 0}, "gamma must be"),
        ("poly", {"coef0": np.inf}, "coef0 must be"),
        ("rbf", {"gamma": -1}, "gamma must be"),
        ("laplacian", {"gamma": "large"}, "gamma must be"),
        ("sigmoid", {"coef0": "none"}, "coef0 must be"),
        ("cosine", {}, "there is no kernel 'cosine'; the kernels are laplacian, linear"),
        ("called", {}, "there is no kernel 'called'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(name, parameters, said):
    with pytest.raises(ValueError, match=said):
        find_kernel(name, **parameters)
    with pytest.raises(TypeError, match="kernel must be a name"):
        find_kernel(3)


def test_gamma_may_follow_the_data():
    for X in (B, sp.csr_array(B)):
        assert fitted_to(find_kernel("rbf"), X).gamma == pytest.approx(1 / (5 * B.var()))
        assert fitted_to(find_kernel("laplacian", gamma="auto"), X).gamma == 1 / 5
    assert fitted_to(find_kernel("sigmoid"), np.ones((3, 2))).gamma == 1
    assert fitted_to(find_kernel("poly"), B) == find_kernel("poly", gamma=1)
    assert fitted_to(find_kernel("linear"), B) == find_kernel("linear")
