"""A·w ≥ 1 or a proof that there is none; each answer is checked with fractions, by code that shares nothing with the library."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Feasible, Infeasible, Undecided, solve_cone, verify
from novikoff.data.datasets import lower_bound
from novikoff.solve.cone import METHODS, OracleError

KINDS = ["wide", "thin", "hair", "integers", "scales", "shrunk", "pair", "sum", "sum scales", "mean", "edge", "flat"]


def known(seed):
    """(A, feasible, kind): a cone around a w that was there first, or one of whose rows some were made to cancel out."""
    rng = np.random.default_rng([5, seed])
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(1, 8)) if seed % 4 else int(rng.integers(8, 25))
    m = int(rng.integers(1, 6 * n + 3))
    w = rng.integers(-9, 10, n) + 0.5
    A = rng.integers(-40, 41, (m, n)) / 8.0 if kind != "wide" else rng.standard_normal((m, n))
    if kind in ("thin", "hair"):
        A = rng.standard_normal((m, n))
        A += np.outer((1 + rng.random(m)) * (1e-5 if kind == "thin" else 1e-11) - A @ w, w / (w @ w))
    if kind == "shrunk":  # rows nearly cancel, and do not
        A = np.vstack([A, -A + np.outer(np.ones(m), w) * 2.0**-30])
    exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, w, strict=True)) for row in A]
    A = np.array([row if s > 0 else -row for row, s in zip(A, exact, strict=True) if s] or [w])
    feasible = kind not in ("pair", "sum", "sum scales", "mean", "edge", "flat")
    some = rng.choice(len(A), int(rng.integers(1, len(A) + 1)), replace=False)
    if kind == "pair":
        A = np.vstack([A, -A[some[0]] * 4])
    if kind in ("sum", "sum scales"):
        A = np.vstack([A, -A[some].sum(axis=0)])
    if kind == "mean":
        A = np.vstack([A, -(rng.integers(1, 5, len(some)) @ A[some])])
    if kind == "edge":  # a half-space and its boundary's opposite: infeasible by a zero margin only
        A = np.vstack([A, A[some[0]] * 2, -A[some[0]]])
    if kind == "flat":
        A[rng.integers(len(A))] = 0
    if "scales" in kind:
        A = np.ldexp(A, rng.integers(-150, 150, n)) if feasible else np.ldexp(A, rng.integers(-150, 150, (len(A), 1)))
    return A[rng.permutation(len(A))], feasible, kind


def least(A, w):
    return min(sum(Fraction(a) * Fraction(b) for a, b in zip(row, w, strict=True)) for row in A.tolist())


def cancels(A, answer):
    rows, multipliers = answer.rows, answer.multipliers
    together = [sum(m * Fraction(A[i, j]) for i, m in zip(rows, multipliers, strict=True)) for j in range(A.shape[1])]
    return len(set(rows)) == len(rows) > 0 and all(m > 0 for m in multipliers) and not any(together)


def check(A, answer, feasible):
    match answer:
        case Feasible():
            assert feasible
            assert 1 <= least(A, answer.w.tolist()) < 2
        case Infeasible():
            assert not feasible
            assert cancels(A, answer)
        case _:
            pytest.fail(str(answer))
    assert verify(answer, A)


@pytest.mark.parametrize("seed", [*range(100), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(100, 500))])
def test_the_verdict_is_right_and_the_answer_holds(seed):
    A, feasible, _ = known(seed)
    check(A, solve_cone(A), feasible)


def test_the_kinds_are_what_they_are_called():
    verdicts = [known(seed)[1] for seed in range(500)]
    assert 0.4 < np.mean(verdicts) < 0.6


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_agrees_where_it_has_an_answer(method):
    for seed in range(24):
        A, feasible, kind = known(seed)
        answer = solve_cone(A, method=method, max_steps=2000, max_stretches=20)
        if not isinstance(answer, Undecided):
            check(A, answer, feasible)
        else:
            assert method not in ("auto", "highs", "exact")
            assert not feasible or kind not in ("wide",), f"{method} gave up on an easy cone: {answer}"
            assert verify(answer, A)


@pytest.mark.parametrize("n", range(2, 17))
def test_the_slowest_cone_is_solved_by_rescaling(n):
    X, y = lower_bound(n)
    A = X * y[:, None]
    answer = solve_cone(A, method="rescaled")
    check(A, answer, True)
    assert answer.method == "rescaling"
    w = [Fraction(v) for v in answer.w.tolist()]
    assert all(w[i] >= 2**i for i in range(n))  # F8
    assert answer.work.steps < 100 * n**4  # polynomial, where F1 makes (4ⁿ − 1)/3 mistakes


def test_the_work_is_said_and_seeds_are_kept():
    A = (lambda X, y: X * y[:, None])(*lower_bound(10))
    first, again, other = (solve_cone(A, method="rescaled", seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.work.stretches > 0
    assert (first.work, first.w.tolist()) != (other.work, other.w.tolist())


def test_a_cycle_is_a_proof():
    A = np.array([[1.0, 2], [-1, 1], [0, -1]])
    answer = solve_cone(A, method="perceptron")
    check(A, answer, False)
    assert "repeat themselves" in answer.method


def test_sparse_and_dense_and_whole_numbers_are_the_same():
    A = known(3)[0]
    answers = [solve_cone(kind(A)) for kind in (np.array, sp.csr_array, sp.csc_matrix, np.asfortranarray)]
    assert len(set(answers)) == 1
    whole = np.array([[2, 1], [-1, 1]])
    assert solve_cone(whole) == solve_cone(whole.astype(np.float32)) == solve_cone(whole.tolist())


def test_odd_cones():
    assert isinstance(solve_cone(np.zeros((0, 3))), Feasible)
    check(np.zeros((2, 3)), solve_cone(np.zeros((2, 3))), False)
    assert isinstance(solve_cone(np.zeros((2, 0))), Infeasible)
    check(np.array([[2.0]]), solve_cone([[2]]), True)
    check(np.array([[1e308, 1e308], [-1e308, 1e308]]), solve_cone([[1e308, 1e308], [-1e308, 1e308]]), True)
    check(np.array([[5e-324], [1.0]]), solve_cone([[5e-324], [1.0]]), True)
    check(np.array([[5e-324], [-1.0]]), solve_cone([[5e-324], [-1.0]]), False)


def test_a_budget_ends_it():
    A = (lambda X, y: X * y[:, None])(*lower_bound(40))
    for method in METHODS:
        answer = solve_cone(A, method=method, budget=0.0)
        assert isinstance(answer, Undecided) or verify(answer, A)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"A": [[np.nan]]}, "row 0, column 0 is nan"),
        ({"A": [1.0]}, "two-dimensional"),
        ({"A": [["x"]]}, "whole numbers, float32 or float64"),
        ({"A": [[1.0]], "method": "simplex"}, "there is no method 'simplex'"),
        ({"A": [[1.0]], "budget": -1}, "number of seconds"),
        ({"A": [[1.0]], "budget": "1"}, "number of seconds"),
        ({"A": [[1.0]], "max_steps": 1.5}, "max_steps must be a whole number"),
        ({"A": [[1.0]], "seed": -1}, "the seed must be a whole number and not negative; it is -1"),
        ({"A": [[1.0]], "seed": None}, "the seed must be a whole number"),
        ({"A": [[1.0]], "method": ["auto"]}, "there is no method"),
        ({}, "give A, or an oracle and n"),
        ({"A": [[1.0]], "n": 1}, "give A, or an oracle and n"),
        ({"oracle": print}, "n says how many"),
        ({"oracle": 3, "n": 2}, "something to call"),
        ({"A": [[1.0]], "oracle": print, "n": 1}, "give one of them"),
    ],
)
def test_what_makes_no_sense_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_cone(**given)


def test_rescaling_refuses_what_it_cannot_hold():
    with pytest.raises(ValueError, match="too many"):
        solve_cone(sp.eye_array(3000, format="csr"), method="rescaled")


# ---- an oracle -------------------------------------------------------------------------------------------------------


def lowest_of(A, calls=None):
    def oracle(w):
        if calls is not None:
            calls.append(w)
        scores = A @ w
        return A[np.argmin(scores)] if scores.min() <= 0 else None

    return oracle


@given(st.integers(0, 10**6).filter(lambda seed: KINDS[seed % len(KINDS)] not in ("hair", "scales", "sum scales")))
def test_an_oracle_is_as_good_as_the_rows(seed):
    A, feasible, _ = known(seed)
    calls = []
    answer = solve_cone(oracle=lowest_of(A, calls), n=A.shape[1])
    assert answer.work.calls == len(calls)
    assert isinstance(answer, Feasible if feasible else Infeasible)
    assert {*map(tuple, answer.seen.tolist())} <= {*map(tuple, A.tolist())}
    assert verify(answer, answer.seen)
    if feasible:
        assert (A @ answer.w > 0).all()


def test_no_rows_at_all():
    assert solve_cone(oracle=lambda w: None, n=3).w.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        (lambda w: np.ones(3), r"call 2: the oracle gave a row with a·w = 1.73\d*, which is satisfied"),
        (lambda w: [1.0, 2.0], r"call 1: the oracle gave a row of shape \(2,\); rows have 3 numbers"),
        (lambda w: [np.nan, 0, 0], "call 1: the oracle gave a row with nan in it"),
        (lambda w: "row", "call 1: the oracle gave str, which is not a row of numbers"),
        (lambda w: ["1", "2", "3"], "call 1: the oracle gave list, which is not a row of numbers"),
        (lambda w: [[1, 2], 3, 4], "call 1: the oracle gave list, which is not a row of numbers"),
        (lambda w: [Fraction(1, 3), 1, 1], "call 1: the oracle gave list, which is not a row of numbers"),  # it would be rounded
        (lambda w: np.ma.masked_array([1.0, 2, 3], [1, 0, 0]), "call 1: the oracle gave MaskedArray, which is not a row"),
        (lambda w: [2**53 + 1, 0, 0], "call 1: the oracle gave a row that is not of doubles; some whole numbers"),
    ],
)
def test_a_lying_oracle_is_found_out(lie, sentence):
    with pytest.raises(OracleError, match=sentence):
        solve_cone(oracle=lie, n=3)


@pytest.mark.parametrize("size", [1e308, 1.0, 5e-324])
def test_rows_of_an_oracle_may_be_of_any_size(size):
    answer = solve_cone(oracle=lambda w: np.array([size, 0.0]) if w[0] <= 0 else None, n=2)
    assert verify(answer, answer.seen)
    assert answer.seen.tolist() == [[size, 0]]


def test_an_oracle_may_use_one_array_for_all_its_rows_and_do_as_it_likes_with_w():
    A, given = np.array([[1.0, 2], [3, -1], [-1, 1]]), np.empty(2)

    def oracle(w):
        scores = A @ w
        w[:] = np.nan
        given[:] = A[np.argmin(scores)]
        return given if scores.min() <= 0 else None

    answer = solve_cone(oracle=oracle, n=2)
    assert {*map(tuple, answer.seen.tolist())} <= {*map(tuple, A.tolist())}
    assert (A @ answer.w > 0).all()


def test_where_nothing_is_allowed_nothing_is_decided():
    A = [[2.0, 1], [-1, 1]]
    for method in ("perceptron", "most violated", "rescaled"):
        assert isinstance(solve_cone(A, method=method, max_steps=0), Undecided)
    assert "asked 0 times, and still" in solve_cone(oracle=lowest_of(np.array(A)), n=2, max_calls=0).why
    assert "the budget is used up" in solve_cone(oracle=lowest_of(np.array(A)), n=2, budget=0).why


def test_an_oracle_that_never_stops_is_stopped():
    calls = []

    def endless(w):
        """Always another row that w is just wrong about, while u would be right about all of them."""
        calls.append(1)
        u, unit = np.array([1.0, 2.0, 4.0]), w / (np.linalg.norm(w) or 1.0)
        return u - unit * (unit @ u + 2.0**-20) if w.any() else np.array([1.0, 0, 0])

    answer = solve_cone(oracle=endless, n=3, max_calls=10)
    assert len(calls) == 10
    assert isinstance(answer, Undecided)
    assert "asked 10 times" in str(answer)


def test_an_oracle_cannot_change_the_weights():
    A = np.array([[1.0, 0], [0, 1.0]])

    def meddling(w):
        row = lowest_of(A)(w)
        w[:] = 7.0
        return row

    assert solve_cone(oracle=meddling, n=2) == solve_cone(oracle=lowest_of(A), n=2)
