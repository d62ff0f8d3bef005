"""F8, F9 and F18 on data made for them; planted margins are what was asked for, exactly; a seed is the whole of the chance."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Inseparable, Perceptron, Separable, margin, separate
from novikoff.data import datasets
from novikoff.data.datasets import FUNCTIONS, at_least, ball, boolean, gaussian_pair, lower_bound, quadratic, with_label_noise

SEEDS = st.integers(0, 2**32)
SIZES = st.integers(2, 40)
WIDTHS = st.integers(1, 12)
PAIRS = st.lists(st.integers(-8, 8), min_size=2, max_size=2, unique=True)
SEEDED = {
    "gaussian_pair": lambda seed: gaussian_pair(30, 4, 0.1, seed),
    "ball": lambda seed: ball(30, 4, 2.0, seed),
    "quadratic": lambda seed: quadratic(30, seed),
    "with_label_noise": lambda seed: with_label_noise(*boolean("or", 5), 0.5, seed),
}


def well_formed(X, y):
    return X.dtype == np.float64 and y.dtype == np.int64 and X.shape[0] == len(y) and set(y.tolist()) == {-1, 1}


def exact_distance(x, c):
    return sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x.tolist(), c, strict=True))


# ---- Boolean functions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("values", [(0, 1), (-1, 1)])
def test_f9_all_are_separable_but_parity(name, n, values):
    X, y = boolean(name, n, values)
    assert well_formed(X, y)
    assert isinstance(separate(X, y), Inseparable if name in ("xor", "parity") and n > 1 else Separable)


@given(st.sampled_from(sorted(FUNCTIONS)), st.integers(2, 5), PAIRS)
def test_f9_whatever_stands_for_true_and_false(name, n, values):
    X, y = boolean(name, n, values)
    assert set(X.ravel().tolist()) == set(values)
    assert isinstance(separate(X, y), Inseparable if name in ("xor", "parity") else Separable)


@pytest.mark.parametrize("n", range(1, 6))
def test_at_least_is_separated_by_the_count(n):
    for k in range(1, n + 1):
        X, y = boolean(at_least(k), n)
        assert (y * (X.sum(axis=1) - k + 0.5) > 0).all()
        assert isinstance(separate(X, y), Separable)
    assert (boolean(at_least(0), n)[1] == 1).all()
    assert (boolean(at_least(n + 1), n)[1] == -1).all()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("and", all),
        ("or", any),
        ("nand", lambda row: not all(row)),
        ("nor", lambda row: not any(row)),
        ("xor", lambda row: sum(row) % 2),
        ("parity", lambda row: np.bool_(sum(row) & 1)),
        ("majority", lambda row: sum(row) > len(row) / 2),
    ],
)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_name_is_its_function(name, own, n):
    X, y = boolean(name, n)
    assert (boolean(own, n)[1] == y).all()
    assert (boolean(own, n, values=(5, -5))[1] == y).all()
    assert len(np.unique(X, axis=0)) == 2**n
    assert X.tolist() == sorted(X.tolist())


def test_every_name_is_tested_above():
    assert set(FUNCTIONS) == {"and", "or", "nand", "nor", "xor", "parity", "majority"}


def test_xor_of_two_and_their_values():
    X, y = boolean("xor", 2, values=(-1, 1))
    assert X.tolist() == [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    assert y.tolist() == [-1, 1, 1, -1]


def test_the_largest():
    X, y = boolean("majority", 20)
    assert X.shape == (2**20, 20)
    assert (y == 1).sum() == (2**20 - 184756) // 2  # without the ties, of which there are 20 over 10


# ---- the slowest data -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(2, 7))
def test_f8_exactly_as_many_mistakes(n):
    X, y = lower_bound(n)
    assert well_formed(X, y)
    clf = Perceptron(fit_intercept=False, order="given", max_iter=10**9).fit(X, y)
    assert clf.n_mistakes_ == (4**n - 1) // 3
    assert clf.coef_[0].tolist() == [2.0**k for k in range(n)]
    assert clf.stop_reason_ == "clean pass"


@given(st.integers(1, 30))
def test_f8_as_it_is_written(n):
    X, y = lower_bound(n)
    assert not np.signbit(X[X == 0]).any()
    for i in range(1, n + 1):
        assert X[i - 1].tolist() == [(-1) ** i] * (i - 1) + [(-1) ** (i + 1)] + [0] * (n - i)
        assert y[i - 1] == (-1) ** (i + 1)


# ---- planted margins ------------------------------------------------------------------------------------------------


@given(SIZES, WIDTHS, st.floats(1e-9, 1e9), SEEDS)
def test_the_planted_margin_is_what_was_asked_for(n, width, wanted, seed):
    """In fractions, of the rows as they are: wanted² ≤ ⟨u, x⟩² / ‖u‖² on every row, and at most 1 % more on some."""
    X, y, u = gaussian_pair(n, width, wanted, seed)
    assert well_formed(X, y)
    assert X.shape == (n, width)
    assert np.linalg.norm(u) == pytest.approx(1)
    exact = [Fraction(v) for v in u.tolist()]
    signed = (y[:, None] * X).tolist()
    scores = [sum(a * Fraction(b) for a, b in zip(exact, z, strict=True)) for z in signed]
    assert min(scores) > 0
    square = min(scores) ** 2 / sum(a * a for a in exact)
    assert Fraction(wanted) ** 2 <= square <= (Fraction(101, 100) * Fraction(wanted)) ** 2


@given(SIZES, WIDTHS, SEEDS)
def test_f5_on_a_planted_margin(n, width, seed):
    X, y, u = gaussian_pair(n, width, 0.25, seed)
    clf = Perceptron(fit_intercept=False, max_iter=10**6).fit(X, y)
    assert clf.n_mistakes_ <= (X**2).sum(axis=1).max() / margin(u, X, y) ** 2
    found = separate(X, y, fit_intercept=False)
    assert isinstance(found, Separable)
    assert found.margin.high >= 0.25


@pytest.mark.parametrize(("width", "wanted"), [(3, 1e-16), (3, 1e-100), (10_000, 1e-12)])
def test_a_margin_lost_in_rounding_is_refused(width, wanted):
    with pytest.raises(ValueError, match="is too small for rows of width"):
        gaussian_pair(10, width, wanted)


# ---- curved boundaries ----------------------------------------------------------------------------------------------


@given(SIZES, WIDTHS, st.floats(1e-3, 1e3), SEEDS, st.data())
def test_f18_a_ball(n, width, radius, seed, more):
    c = more.draw(st.none() | st.lists(st.floats(-10, 10), min_size=width, max_size=width))
    X, y = ball(n, width, radius, seed, center=c)
    assert well_formed(X, y)
    assert X.shape == (n, width)
    assert abs(y.sum()) <= 1
    for x, t in zip(X, y.tolist(), strict=True):
        beyond = exact_distance(x, c or [0.0] * width) - Fraction(radius) ** 2
        assert t * beyond > 0
        assert abs(beyond) > Fraction(radius) ** 2 / 100


@given(st.integers(2, 20), st.integers(1, 4), SEEDS)
def test_f18_a_ball_is_linear_after_the_map(n, width, seed):
    X, y = ball(n, width, 1.0, seed, center=np.ones(width))
    assert isinstance(separate(np.column_stack([X, (X**2).sum(axis=1)]), y), Separable)


def test_a_ball_is_not_linear_before_it():
    X, y = ball(200, 2, 1.0)
    assert isinstance(separate(X, y), Inseparable)


def test_a_ball_lost_in_rounding_is_refused():
    with pytest.raises(ValueError, match="is too small this far from the origin"):
        ball(10, 2, 1.0, center=[1e17, 0])


@given(SIZES, SEEDS)
def test_f18_quadratic(n, seed):
    """The explicit map does not round, so (1, 1, −3) separates it exactly, without an intercept."""
    X, y = quadratic(n, seed)
    assert well_formed(X, y)
    assert X.shape == (n, 2)
    assert np.abs(X).max() <= 1
    for (a, b), t in zip(X.tolist(), y.tolist(), strict=True):
        assert t * (Fraction(a) ** 2 + Fraction(b) ** 2 - 3 * Fraction(a) * Fraction(b)) > 0
    mapped = np.column_stack([X**2, X.prod(axis=1)])
    assert (y * (mapped @ [1, 1, -3]) > 0).all()
    assert isinstance(separate(mapped, y, fit_intercept=False), Separable)


def test_rows_with_the_origin_among_them_are_drawn_again(monkeypatch):
    class Drawn:
        rows = iter([[[0, 0], [1, 1], [1, -1]], [[1, 0], [1, 1], [1, -1]]])

        def integers(self, *_, **__):
            return np.array(next(self.rows)) * 2**20

    monkeypatch.setattr(datasets, "_generator", lambda seed: Drawn())
    X, y = quadratic(3)
    assert (X.tolist(), y.tolist()) == ([[1.0, 0.0], [1.0, 1.0], [1.0, -1.0]], [1, -1, 1])


def test_quadratic_is_not_linear_before_the_map():
    assert isinstance(separate(*quadratic(200)), Inseparable)


# ---- noise and chance -----------------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.floats(0, 1), SEEDS)
def test_noise_is_as_much_as_was_asked_for(n, share, seed):
    X, y = np.arange(n, dtype=float)[:, None], np.where(np.arange(n) % 3, 1, -1)
    before = y.copy()
    same, noisy, flipped = with_label_noise(X, y, share, seed)
    assert same is X
    assert (y == before).all()
    assert len(flipped) == round(share * n)
    assert np.flatnonzero(noisy != y).tolist() == flipped.tolist()
    assert set(noisy.tolist()) <= {-1, 1}


def test_noise_takes_lists_and_sparse_rows():
    assert with_label_noise([[1], [2]], [-1, 1], 1)[1].tolist() == [1, -1]
    assert with_label_noise(sp.csr_array(np.eye(2)), [-1.0, 1.0], 1)[1].tolist() == [1, -1]


@pytest.mark.parametrize("name", SEEDED)
@given(SEEDS)
def test_the_same_seed_gives_the_same_data(name, seed):
    np.random.seed(0)
    for one, other in zip(SEEDED[name](seed), SEEDED[name](np.uint64(seed)), strict=True):
        assert np.array_equal(one, other)
    assert any(not np.array_equal(one, other) for one, other in zip(SEEDED[name](seed), SEEDED[name](seed + 1), strict=True))


# ---- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: boolean("maybe", 2),
            "unknown .* 'maybe'; choose one of and, or, nand, nor, xor, parity, majority",
        ),
        (lambda: boolean(["and"], 2), r"unknown Boolean function \['and'\]"),
        (lambda: boolean("and", 0), "n must be a whole number between 1 and 20, not 0"),
        (lambda: boolean("and", 21), "n must be a whole number between 1 and 20, not 21"),
        (lambda: boolean("and", 2.0), "n must be a whole number between 1 and 20, not 2.0"),
        (lambda: boolean("and", True), "n must be a whole number between 1 and 20, not True"),
        (lambda: boolean("and", 2, values=(1, 1)), "values must be two different numbers"),
        (lambda: boolean("and", 2, values=(0, np.nan)), "values must be two different numbers"),
        (lambda: boolean("and", 2, values=(0, 10**400)), "values must be two different numbers"),
        (lambda: boolean("and", 2, values=(0, 1, 2)), "values must be two different numbers"),
        (lambda: boolean("and", 2, values=1), "values must be two different numbers"),
        (lambda: boolean(lambda row: -1, 2), r"must return True or False \(or 1 or 0\); this one returns -1 for \(0, 0\)"),
        (lambda: boolean(lambda row: None, 2), r"returns None for \(0, 0\)"),
        (lambda: at_least(-1), "k must be a whole number of at least 0, not -1"),
        (lambda: lower_bound(0), "n must be a whole number of at least 1, not 0"),
        (lambda: gaussian_pair(1, 2, 0.1), "n must be a whole number of at least 2, not 1"),
        (lambda: gaussian_pair(10, 0, 0.1), "width must be a whole number of at least 1, not 0"),
        (lambda: gaussian_pair(10, 2, 0), "margin must be a positive number between 1e-100 and .*, not 0"),
        (lambda: gaussian_pair(10, 2, np.inf), "margin must be a positive number .*, not inf"),
        (lambda: gaussian_pair(10, 2, "wide"), "margin must be a positive number .*, not 'wide'"),
        (lambda: gaussian_pair(10, 2, 0.1, seed=-1), "seed must be a whole number of at least 0, not -1"),
        (lambda: gaussian_pair(10, 2, 0.1, seed=None), "seed must be a whole number of at least 0, not None"),
        (lambda: ball(1, 2, 1.0), "n must be a whole number of at least 2, not 1"),
        (lambda: ball(10, 2, -1.0), "radius must be a positive number .*, not -1.0"),
        (lambda: ball(10, 2, np.nan), "radius must be a positive number .*, not nan"),
        (lambda: ball(10, 2, 1.0, center=[0, 0, 0]), "center must be 2 numbers"),
        (lambda: ball(10, 2, 1.0, center=[0, np.inf]), "center must be 2 numbers"),
        (lambda: ball(10, 2, 1.0, center="here"), "center must be 2 numbers"),
        (lambda: quadratic(1), "n must be a whole number of at least 2, not 1"),
        (
            lambda: with_label_noise([[0], [1]], [1], 0.5),
            r"there are 2 rows but labels of shape \(1,\); give one label for each row",
        ),
        (lambda: with_label_noise([0, 1], [1, -1], 0.5), r"data must be two-dimensional; this has shape \(2,\)"),
        (lambda: with_label_noise([[0], [1]], [0, 1], 0.5), r"labels must be -1 and \+1 here"),
        (lambda: with_label_noise([[0], [1]], [-1, 1], 1.5), "share of labels .* between 0 and 1, not 1.5"),
        (lambda: with_label_noise([[0], [1]], [-1, 1], np.nan), "share of labels .* between 0 and 1, not nan"),
    ],
)
def test_refused_with_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence) as refusal:
        call()
    assert "\n" not in str(refusal.value)
