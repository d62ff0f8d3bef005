"""`separate` through a kernel is right, and proves it; the stranger believes nothing else."""

import json
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import PolynomialFeatures

from forged import changed_once, signed_again
from novikoff import Inseparable, Separable, Undecided, separate, verify
from novikoff.data import datasets
from novikoff.engine import kernels
from novikoff.proof.certificate import CertificateError, Hull, Margin
from novikoff.proof.certificate_files import from_json, load
from novikoff.proof.exact_kernels import KernelValues
from novikoff.proof.named_kernels import Kernel
from novikoff.solve.max_margin import with_constant_column
from novikoff.solve.separability import through_kernels as kernel_separation
from novikoff.solve.separability.through_kernels import KernelQuestion
from verdicts import holds

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def proved(X, y, kernel=None, **how):
    """The certificate, accepted by `verify`, by the literal checker where it knows the kernel, and the same from its file."""
    certificate = separate(X, y, kernel=kernel, **how)
    verdict = verify(certificate, X, y, kernel=kernel if callable(kernel) and not isinstance(kernel, tuple) else None)
    assert verdict, verdict.why
    assert from_json(certificate.to_json()) == certificate
    if certificate.data.kernel.name in ("linear", "poly", "rbf", "laplacian", "sigmoid"):
        assert holds(certificate, np.asarray(X, float), np.asarray(y))
    return certificate


# ---- verdicts that are known ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_parity_takes_as_high_a_degree_as_it_has_bits(fit_intercept):
    for bits in (2, 3, 4):
        X, y = datasets.boolean("parity", bits)
        enough = proved(X, y, "poly", degree=bits, gamma=1, coef0=1, fit_intercept=fit_intercept)
        assert isinstance(enough, Separable)
        assert "exactly" in str(enough)
        assert enough.tolerance == 0
        assert isinstance(proved(X, y, "poly", degree=bits - 1, gamma=1, coef0=1, fit_intercept=fit_intercept), Inseparable)
        assert isinstance(proved(X, y, "linear", fit_intercept=fit_intercept), Inseparable)


def test_circles_are_separable_by_squares_and_not_by_lines():
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 6.3, 300), np.repeat([1.0, 2.0], 150)
    X, y = np.c_[radius * np.cos(angle), radius * np.sin(angle)] * rng.uniform(0.9, 1.1, (300, 1)), radius == 2
    assert isinstance(proved(X, y, "linear", fit_intercept=True), Inseparable)
    curved = separate(sp.csr_array(X), y, kernel="poly", degree=2)
    assert isinstance(curved, Separable)
    assert verify(curved, X, y)
    assert 0 < curved.margin.low <= curved.margin.high < np.inf


def as_the_map_has_it(seed):
    """The same verdict as for every monomial up to the degree, written out: their span is that of (1 + ⟨a, b⟩)ᵈ."""
    rng = np.random.default_rng([5, seed])
    degree, width, bias = 1 + seed % 3, int(rng.integers(1, 4)), bool(rng.integers(2))
    coef0 = int(rng.integers(0, 2)) if degree > 1 else int(rng.integers(1, 3))
    X = rng.integers(-3, 4, (int(rng.integers(3, 25)), width)).astype(float)
    if coef0:
        mapped = PolynomialFeatures(degree).fit_transform(X)
    else:  # the products of exactly so many
        every = PolynomialFeatures(degree).fit(X)
        mapped = every.transform(X)[:, every.powers_.sum(axis=1) == degree]
    if seed % 2:
        y = rng.integers(0, 2, len(X))
    else:
        w = rng.standard_normal(mapped.shape[1])
        y = (mapped @ w + (rng.standard_normal() if bias else 0) > 0).astype(int)
    gamma = [1, Fraction(1, 3), 0.1][seed % 5 % 3]
    how = {"degree": degree, "gamma": gamma, "coef0": coef0, "fit_intercept": bias}
    expected = separate(mapped, y, fit_intercept=bias)
    found = proved(X, y, "poly", **how)
    assert found.outcome == expected.outcome
    return found, X, y


@pytest.mark.parametrize("seed", range(100))
def test_the_verdict_is_that_of_the_explicit_map(seed):
    as_the_map_has_it(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(100, 1000, 100))
def test_the_verdict_is_that_of_the_explicit_map_of_many_more(first):
    for seed in range(first, first + 100):
        as_the_map_has_it(seed)


def test_both_verdicts_occur_among_them():
    assert {as_the_map_has_it(seed)[0].outcome for seed in range(12)} == {"separable", "inseparable"}


@pytest.mark.parametrize("seed", range(10))
def test_every_way_of_deciding_is_right(seed, monkeypatch):
    """Without the perceptron; with columns that do not span, which must grow; and without floats that help."""
    monkeypatch.setattr(KernelQuestion, "perceptron", lambda self, until: (np.zeros(len(self.sign)), False))
    as_the_map_has_it(seed)
    monkeypatch.setattr(KernelQuestion, "spanning", lambda self, until: [0])
    monkeypatch.setattr(kernel_separation, "ADDED", 1)
    as_the_map_has_it(seed)
    monkeypatch.setattr(KernelValues, "nothing_rounds", False)
    as_the_map_has_it(seed)
    monkeypatch.setattr(kernel_separation, "HELD", 2)
    as_the_map_has_it(seed)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_different_points_are_separable_within_a_tolerance(kernel, fit_intercept):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    certificate = proved(X, y, kernel, fit_intercept=fit_intercept)
    assert isinstance(certificate, Separable)
    assert 0 < certificate.tolerance <= 1e-12
    assert f"relative error of {certificate.tolerance:g}" in str(certificate)
    assert verify(separate(sp.csr_array(X), y, kernel=kernel, fit_intercept=fit_intercept), X, y)


def inner(A, B):
    return (A @ B.T + 1) ** 2


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid", inner])
def test_equal_rows_with_different_labels_contradict_each_other_whatever_the_kernel(kernel):
    X = np.random.default_rng(2).standard_normal((40, 3))
    y = (X[:, 0] > 0).astype(int)
    X[30], y[30] = X[7], 1 - y[7]
    certificate = proved(X, y, kernel)
    assert (certificate.rows, certificate.multipliers) == ((7, 30), (1, 1))
    assert verify(certificate, X, y)  # of equal rows nothing need be computed
    assert (
        "do not cancel out" in verify(replace(certificate, rows=(7, 29)), X, y, kernel=kernel if callable(kernel) else None).why
    )


def test_values_given_as_a_matrix_are_taken_as_they_are():
    X, y = XOR
    for degree, outcome in ((1, "inseparable"), (2, "separable")):
        K = (X @ X.T + 1) ** degree
        certificate = separate(K, y, kernel="precomputed")
        assert certificate.outcome == outcome
        assert verify(certificate, K, y)
        assert not verify(certificate, K + 1, y)
    assert "void" in str(certificate)


# ---- what exactness means -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("apart", [1e-5, 1e-9, 1e-14, 1e-100, 5e-324])
def test_points_too_near_for_floats_are_decided_by_decimals_or_not_at_all(kernel, apart):
    X, y = np.array([[0.0], [apart], [1.0], [1.5]]), np.array([0, 1, 0, 1])
    certificate = proved(X, y, kernel, gamma=1.0)
    assert certificate.outcome != "inseparable"
    if apart > 1e-15:
        assert isinstance(certificate, Separable)


def test_a_tolerance_that_is_too_large_is_refused():
    X, y = np.array([[0.0], [1e-9], [1.0]]), np.array([0, 1, 0])
    certificate = separate(X, y, kernel="rbf", gamma=1.0)
    assert certificate.tolerance < 1e-12
    assert not verify(replace(certificate, tolerance=1e-6), X, y)
    assert not verify(replace(certificate, tolerance=1.5), X, y)


@pytest.mark.parametrize("kernel", ["sigmoid", "poly"])
def test_where_a_kernel_is_not_positive_semidefinite_margins_are_void(kernel):
    X, y = XOR
    certificate = proved(X, y, kernel, gamma=0.5, coef0=-1)
    assert isinstance(certificate, Separable)
    assert certificate.margin == Margin(0, np.inf)
    assert "margins and mistakes are void" in str(certificate)
    assert not verify(replace(certificate, margin=Margin(0.0, 9.0), hull=Hull((0,), (1.0,))), X, y)
    assert not verify(replace(certificate, margin=Margin(1e-9, np.inf)), X, y)


def test_the_margin_of_a_linear_kernel_is_that_of_the_rows():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 2.0]]), np.array([0, 0, 1, 1])
    (low, high), (other_low, other_high) = (
        separate(rows, y, fit_intercept=intercept, **how).margin
        for rows, intercept, how in ((with_constant_column(X), False, {}), (X, True, {"kernel": "linear"}))
    )
    assert low <= other_high
    assert other_low <= high
    assert other_high == pytest.approx(high, rel=1e-9)


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
@pytest.mark.parametrize("size", [1e-150, 1e-3, 1.0, 30.0, 1e80, 1e160])
def test_floats_are_no_more_wrong_than_they_say(name, size):
    """Of numbers large and small, against values that are sharp."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((12, 7)) * size * 10.0 ** rng.integers(-2, 3, (12, 1))
    X[1] = X[0] * (1 + 1e-13)
    X[2] = -X[0]
    known = {"degree": 3} if name == "poly" else {}
    known |= {"gamma": Fraction(1, 3)} if name != "linear" else {}
    known |= {"coef0": 0.1} if name in ("poly", "sigmoid") else {}
    for stored in (X, sp.csr_array(X)):
        values = KernelValues(Kernel(name, **known), stored)
        everything = np.arange(len(X))
        floats, doubts = values.floats(everything, everything)
        for i in everything:
            for j, (low, high) in enumerate(values.sharp(int(i), range(len(X)))):
                if np.isfinite(floats[i, j]) and np.isfinite(doubts[i, j]):
                    assert low - Fraction(doubts[i, j]) <= Fraction(floats[i, j]) <= high + Fraction(doubts[i, j])
    if size <= 1:
        assert (doubts <= 1e-10 * np.maximum(1, np.abs(floats))).all()  # or they would be of no use


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
def test_the_values_are_those_of_the_kernels_that_learn(name):
    X = np.random.default_rng(5).standard_normal((20, 4))
    kernel = kernels.find_kernel(name, degree=3, gamma=0.3, coef0=0.5)
    floats, _ = KernelValues(kernel_separation.described(kernel), X).floats(np.arange(20), np.arange(20))
    np.testing.assert_allclose(kernel.between(kernels.Points(X), kernels.Points(X)), floats, rtol=1e-9, atol=1e-12)


def test_rows_that_are_too_many_to_be_held_are_separated_all_the_same(monkeypatch):
    monkeypatch.setattr(kernel_separation, "HELD", 10)
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
    assert isinstance(proved(X, y, "rbf"), Separable)
    assert isinstance(proved(X, y, "linear"), Inseparable)
    assert isinstance(proved(X, (X[:, 0] > X[:, 1] ** 2).astype(int), "poly", degree=2), Separable)


@pytest.mark.parametrize("t", ["-1/1000000000000", "1/3", "-17/5", "90000", "0"])
def test_tanh_lies_between(t):
    """tanh(2s)·(1 + tanh²(s)) = 2·tanh(s), which needs no other tanh to compare with."""
    X = np.array([[1.0]])

    def between(c):
        return KernelValues(Kernel("sigmoid", gamma=Fraction(1, 10**30), coef0=c - Fraction(1, 10**30)), X).sharp(0, [0])[0]

    s, double = between(Fraction(t)), between(2 * Fraction(t))
    ends = [a * (1 + b * b) - 2 * b for a in double for b in s]
    assert min(ends) <= 0 <= max(ends)
    assert max(s) - min(s) <= Fraction(1, 10**59) * max(map(abs, s))


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
@pytest.mark.parametrize("numbers", [1e150, 1e-310, 1e-160, 3e200])
def test_hostile_numbers_end_with_a_verdict_or_a_sentence(kernel, numbers):
    rng = np.random.default_rng(4)
    X = rng.integers(-3, 4, (7, 2)) * numbers
    X[::3] *= 1e-5
    y = rng.integers(0, 2, 7)
    for gamma in (1.0, None):
        if gamma is None and kernel not in ("linear", "poly") and numbers in (1e-310, 1e-160, 3e200):
            with pytest.raises(ValueError, match="gamma cannot follow the scale"):
                separate(X, y, kernel=kernel)
            continue
        certificate = separate(X, y, kernel=kernel, gamma=gamma, budget=20)
        assert verify(certificate, X, y)
        if kernel == "linear":
            assert certificate.outcome == separate(X, y, fit_intercept=False).outcome


# ---- what is not to be believed -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(150))
def test_a_changed_certificate_is_accepted_exactly_if_it_still_proves_what_it_says(seed):
    rng = np.random.default_rng(seed)
    certificate, X, y = as_the_map_has_it(seed % 12)
    if seed % 4 == 3:
        X, y = rng.standard_normal((6, 2)), np.array([0, 1, 0, 1, 1, 0])
        certificate = separate(X, y, kernel="rbf")
    document = json.loads(certificate.to_json())
    changed = changed_once(document, rng)
    try:
        accepted = bool(verify(from_json(signed_again(changed)), X, y))
    except CertificateError:
        assert changed != document
        return
    same_data = all(changed["data"][name] == document["data"][name] for name in ("fingerprint", "rows", "columns", "no", "yes"))
    assert accepted == (same_data and holds(changed, X, y))


def test_each_thing_that_can_be_wrong_is_named():
    X, y = XOR
    good = separate(X, y, kernel="poly", degree=2)
    low, high = good.margin

    def why(**change):
        return verify(replace(good, **change), X, y).why

    assert not why()
    assert "numbers of weights and support rows differ" in why(support=good.support[1:])
    assert "numbers of weights and support rows differ" in why(tolerance=None)
    assert "named twice" in why(support=(0, 0, *good.support[2:]))
    assert "does not exist" in why(support=(9, *good.support[1:]))
    assert "not on its own side" in why(weights=-good.weights)
    assert "not a finite number" in why(weights=good.weights * np.nan)
    assert "there is an intercept" in why(intercept=1.0)
    assert "is nearer" in why(margin=Margin(high * 1.01, high))
    assert "no margin is above" in why(margin=Margin(low, low / 2))
    assert "upper end" in why(margin=Margin(low, -1.0))
    assert "not on its own side" in why(data=good.data._replace(kernel=Kernel("poly", 1, Fraction(1), Fraction(1))))
    assert "leave kernel= out" in verify(good, X, y, kernel=inner).why
    assert "made without a kernel" in verify(separate(X, [0, 1, 1, 1]), X, [0, 1, 1, 1], kernel=inner).why
    no = separate(X, y, kernel="linear", fit_intercept=True)
    assert "constant coordinate" in verify(replace(no, multipliers=(1, 1, 1, 2)), X, y).why
    assert "something is left at row" in verify(replace(no, multipliers=(2, 1, 2, 1)), X, y).why


@pytest.mark.parametrize(("change", "why"), [
    ({"name": "cubic"}, "not among linear"),
    ({"degree": 2}, "kernel poly has degree, gamma, coef0"),
    ({"degree": 0, "gamma": 1.0, "coef0": 1.0}, "whole number from 1"),
    ({"degree": 10**6, "gamma": 1.0, "coef0": 1.0}, "whole number from 1"),
    ({"degree": 2, "gamma": -1.0, "coef0": 1.0}, "gamma is not positive"),
    ({"degree": 2, "gamma": 1, "coef0": 1.0}, "neither a double"),
])  # fmt: skip
def test_a_kernel_that_is_none_is_refused_though_the_digest_agrees(change, why):
    document = json.loads(separate(*XOR, kernel="poly", degree=2).to_json())
    document["data"]["kernel"] = {"name": "poly"} | change
    with pytest.raises(CertificateError, match=why):
        from_json(signed_again(document))


# ---- functions ------------------------------------------------------------------------------------------------------


def test_a_function_is_exact_for_the_values_that_it_returns_and_must_be_given_again():
    X, y = XOR
    for function, outcome in ((inner, "separable"), (lambda A, B: A @ B.T + 1, "inseparable")):
        certificate = proved(X, y, function)
        assert certificate.outcome == outcome
        assert f"kernel {function.__qualname__}" in str(certificate)
        assert "give it as kernel=" in verify(certificate, X, y).why
        assert not verify(certificate, X, y, kernel=lambda A, B: -inner(A, B))
    assert "must be the function" in verify(certificate, X, y, kernel="inner").why
    assert "no number" in verify(certificate, X, y, kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).why


def shapeless(A, B):
    return np.ones(3)


def hollow(A, B):
    return np.full((A.shape[0], B.shape[0]), np.nan)


def lopsided(A, B):
    return A[:, :1] - B[:, :1].T


@pytest.mark.parametrize(("function", "why"), [
    (shapeless, r"the kernel shapeless gives shape \(3,\)"),
    (hollow, "the kernel hollow gives nan"),
    (lopsided, "the kernel lopsided is not symmetric"),
])  # fmt: skip
def test_a_function_that_is_no_kernel_is_refused_by_name(function, why):
    with pytest.raises(ValueError, match=why):
        separate(*XOR, kernel=function)


# ---- how it is asked ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "why"), [
    ({"kernel": "cubic"}, "no kernel 'cubic'"),
    ({"kernel": "poly", "degree": 0}, "degree must be"),
    ({"kernel": "poly", "degree": 2000}, "from 1 to 1000"),
    ({"kernel": "rbf", "gamma": -1}, "gamma must be"),
    ({"kernel": "poly", "method": "rescaled"}, "the only method is auto"),
    ({"kernel": "precomputed"}, r"square matrix; this has shape \(4, 2\)"),
    ({"kernel": "rbf", "budget": -1}, "budget"),
])  # fmt: skip
def test_bad_questions_get_a_sentence(how, why):
    with pytest.raises(ValueError, match=why):
        separate(*XOR, **how)


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array])
def test_a_matrix_that_is_not_symmetric_is_refused_naming_where(stored):
    K = np.eye(4)
    K[1, 2] = 0.5
    with pytest.raises(ValueError, match=r"\(1, 2\) it has 0.5, and at \(2, 1\) 0"):
        separate(stored(K), [0, 1, 0, 1], kernel="precomputed")


def test_a_kernel_may_be_a_name_or_itself_and_its_gamma_the_scale_of_the_data():
    X, y = XOR
    by_name = separate(X, y, kernel="rbf")
    assert (
        by_name
        == separate(X, y, kernel=kernels.kernels()["rbf"](1 / (X.shape[1] * X.var())))
        == separate(X, y, kernel="rbf", gamma="scale")
    )
    assert by_name.data.kernel == Kernel("rbf", gamma=1 / (X.shape[1] * X.var()))
    assert separate(X, y, kernel="poly").data.kernel == Kernel("poly", 3, Fraction(1), Fraction(1))
    assert not by_name.data.fit_intercept


@pytest.mark.parametrize("kernel", ["poly", "rbf", "linear"])
def test_a_budget_is_kept_and_what_is_known_is_proved(kernel):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1500, 8)), rng.integers(0, 2, 1500)
    begun = time.monotonic()
    certificate = separate(X, y, kernel=kernel, budget=0.0)
    assert time.monotonic() - begun < 10
    assert isinstance(certificate, Undecided)
    assert "budget of 0 s" in str(certificate)
    assert 0 < certificate.margin_at_most < np.inf
    assert verify(certificate, X, y)


def test_what_a_run_has_found_is_checked():
    X, y = XOR
    question = KernelQuestion(kernels.find_kernel("poly", degree=1), X.astype(float), np.where(y, 1.0, -1.0), False, 0, 1)
    cycle = question.of_cycle(np.array([0, 1, 2, 3]), np.array([2, 2, 2, 2]))
    assert cycle.multipliers == (1, 1, 1, 1)
    assert verify(cycle, X, y)
    assert question.of_cycle([0, 1, 2, 3], [1, 1, 1, 2]) is None
    undecided = question.of_coefficients([0, 1], [1.0, 1.0], "no clean pass", Hull((0, 1), (1.0, 1.0)))
    assert str(undecided).startswith("Undecided: no clean pass.")
    assert undecided.margin_at_most < np.inf
    assert verify(undecided, X, y)
    curved = KernelQuestion(kernels.find_kernel("poly", degree=2), X.astype(float), np.where(y, 1.0, -1.0), True, 0, 1)
    good = curved.decided(None)
    again = curved.of_coefficients(good.support, good.weights.tolist(), "why", good.hull)
    assert isinstance(again, Separable)
    assert verify(again, X, y)
    assert again.intercept == sum(map(Fraction, again.weights.tolist()))


def test_a_file_is_written_and_read_back_digest_and_all(tmp_path):
    X, y = XOR
    for how in ({"kernel": "poly", "gamma": Fraction(1, 3), "degree": 2}, {"kernel": "rbf"}, {"kernel": "linear"}):
        certificate = separate(X, y, **how)
        certificate.save(tmp_path / "proof.json")
        assert load(tmp_path / "proof.json") == certificate
        assert verify(load(tmp_path / "proof.json"), X, y)
        edited = (tmp_path / "proof.json").read_text().replace('"fit_intercept": false', '"fit_intercept": true')
        with pytest.raises(CertificateError, match="digest"):
            from_json(edited)


BEFORE = """{
"format": "novikoff certificate",
"version": 1,
"outcome": "separable",
"data": {"rows": 2, "columns": 1, "fit_intercept": false, "no": 0, "yes": 1, "fingerprint": "61756763810d6991"},
"weights": [1.0],
"intercept": 0.0,
"margin": [1.0, 1.0000000000000038],
"hull": {"rows": [1], "multipliers": [1.0]},
"digest": "44d5424195fa28c09366aa9452660cf3b5efabe315d2f5623ed189422cdf0468"
}
"""


def test_certificates_without_a_kernel_and_an_intercept_are_written_as_they_always_were():
    text = separate([[-1.0], [1.0]], [0, 1], fit_intercept=False).to_json()
    assert text == BEFORE
    assert verify(from_json(BEFORE), [[-1.0], [1.0]], [0, 1])


def test_parameters_without_a_kernel_are_refused():
    for what in ("degree", "gamma", "coef0"):
        with pytest.raises(ValueError, match="are parameters of a kernel: name it"):
            separate(*XOR, **{what: 2})
