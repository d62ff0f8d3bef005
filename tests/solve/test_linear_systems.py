"""Systems whose verdict is known because of how they are made, answers checked twice, and every proof that is none refused."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import highspy
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff import Feasible, Infeasible, Undecided, solve_system, verify
from novikoff.proof.exact_constraints import row_ends
from novikoff.solve import linear_systems as systems
from novikoff.solve.mps import read_mps

LP = Path(__file__).resolve().parents[3] / "shared" / "data" / "lp"
KINDS = ["inside", "edge", "corner", "hair", "farkas", "apart", "decimals", "box"]
SCALES = [0, 30, 200]  # columns and rows are multiplied by powers of two up to this one


def exactly(row, x):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(row, x, strict=True)), Fraction(0))


def known(seed):
    """(A, lower, upper, bounds, feasible) of one system."""
    rng = np.random.default_rng([11, seed])
    kind, scale = KINDS[seed % len(KINDS)], SCALES[seed // len(KINDS) % len(SCALES)]
    n, m = int(rng.integers(1, 12)), int(rng.integers(2, 20))
    A = rng.integers(-9, 10, (m, n)) * (rng.random((m, n)) < rng.choice([0.3, 1.0])) / 4.0
    x = rng.integers(-20, 21, n) / 8.0
    if kind == "decimals":
        A, x = np.round(rng.standard_normal((m, n)), 2), np.round(rng.standard_normal(n), 1)
    at = [exactly(row, x) for row in A.tolist()]
    if kind == "decimals":  # rows that x satisfies, with no room between doubles
        lower, upper = (np.array([rounded(s, way) for s in at]) for way in (-math.inf, math.inf))
    else:
        lower, upper = (np.array([float(s) for s in at]) for _ in range(2))
        lower -= {"inside": rng.integers(1, 5, m) / 4.0, "hair": np.zeros(m)}.get(kind, rng.integers(0, 2, m))
        upper += rng.integers(1, 5, m) / 4.0 if kind == "inside" else rng.integers(0, 2, m)
    if kind in ("inside", "box", "edge"):
        lower[rng.random(m) < 0.4] = -np.inf
        upper[rng.random(m) < 0.4] = np.inf
    if kind == "edge":  # equations, some of them redundant
        lower[: m // 2] = upper[: m // 2] = [float(s) for s in at[: m // 2]]
        A = np.vstack([A, A[: m // 2].sum(axis=0)])
        lower, upper = (np.append(end, float(sum(at[: m // 2]))) for end in (lower, upper))
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    if kind in ("corner", "box"):  # x is a corner of its bounds, or in them
        low, high = np.where(rng.random(n) < 0.6, x, -np.inf), np.where(rng.random(n) < 0.6, x + 1, np.inf)
    feasible = True
    if kind in ("hair", "farkas", "apart"):  # the rows that hold sum up to one that is touched, or missed by a little
        some = rng.integers(1, 4, m)
        gap = {"hair": 0.0, "farkas": 0.25, "apart": 2.0**-27}[kind]
        A = np.vstack([A, -(some @ A)])
        lower, upper = np.append(lower, -(some @ lower) + gap), np.append(upper, np.inf)
        feasible = gap == 0
    columns, rows = (np.ldexp(1.0, rng.integers(-scale, scale + 1, size)) for size in (n, len(A)))
    A, lower, upper, low, high = A * columns * rows[:, None], lower * rows, upper * rows, low / columns, high / columns
    if kind == "corner":
        lower, upper = np.where(rng.random(m) < 0.5, upper, lower), upper  # x need not satisfy these
        feasible = None
    order = rng.permutation(len(A))
    return A[order], lower[order], upper[order], np.stack([low, high], axis=1), feasible


def rounded(number, way):
    """The nearest double on that side."""
    near = float(number)
    beyond = Fraction(near) < number if way > 0 else Fraction(near) > number
    return math.nextafter(near, way) if beyond else near


def proves(answer, A, lower, upper, bounds):
    """Whether the answer is true of the system: Fractions and lists only."""
    width = len(bounds)
    rows = [[Fraction(v) for v in row] for row in A] + [[Fraction(i == j) for j in range(width)] for i in range(width)]
    ends = [*zip(lower, upper, strict=True), *bounds]
    if isinstance(answer, Feasible):
        x = [Fraction(v) for v in answer.w.tolist()]
        return all(low <= exactly(row, x) <= high for row, (low, high) in zip(rows, ends, strict=True))
    named = [*answer.rows, *(len(A) + j for j in answer.columns)]
    multipliers = [*answer.multipliers, *answer.column_multipliers]
    held = [ends[k][m < 0] for k, m in zip(named, multipliers, strict=True)]
    if not all(map(math.isfinite, held)):
        return False
    sums = [sum(m * rows[k][j] for k, m in zip(named, multipliers, strict=True)) for j in range(width)]
    return not any(sums) and sum(m * Fraction(end) for m, end in zip(multipliers, held, strict=True)) > 0


def lists(A, lower, upper, bounds):
    return np.asarray(A).tolist(), lower.tolist(), upper.tolist(), bounds.tolist()


def right(A, lower, upper, bounds, **options):
    """The answer, after it has been checked by both."""
    answer = solve_system(A, lower, upper, bounds, **options)
    assert verify(answer, A, lower=lower, upper=upper, bounds=bounds)
    assert proves(answer, *lists(A, lower, upper, bounds))
    return answer


@pytest.mark.parametrize("seed", [*range(100), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(100, 500))])
def test_the_verdict_is_the_one_that_is_known(seed):
    A, lower, upper, bounds, feasible = known(seed)
    answer = right(A, lower, upper, bounds)
    if feasible is not None:
        assert isinstance(answer, Feasible if feasible else Infeasible)


def test_both_verdicts_and_every_method_occur():
    answers = [solve_system(*known(seed)[:4]) for seed in range(48)]
    assert {type(answer) for answer in answers} == {Feasible, Infeasible}
    assert {answer.method for answer in answers} >= {"the perceptron", "HiGHS's basis"}


@pytest.mark.parametrize("seed", range(0, 200, 5))
def test_the_simplex_needs_no_advice(seed, monkeypatch):
    """From the rows alone, by Bland's rule alone, the same verdict, and the perceptron has no say in it."""
    A, lower, upper, bounds, _ = known(seed)
    verdict = type(solve_system(A, lower, upper, bounds))
    monkeypatch.setattr(systems.Adviser, "proposal", lambda *_: None)
    monkeypatch.setattr(systems._Constraints, "by_the_perceptron", lambda *_: None)
    for greedy in (1_000, 0):
        monkeypatch.setattr(systems, "GREEDY", greedy)
        answer = right(A, lower, upper, bounds)
        assert isinstance(answer, verdict)
        assert answer.method in ("exact simplex", "a look at the point nearest to 0", "a look at the ends")


@pytest.mark.parametrize("advice", ["singular", "nonsense"])
def test_bad_advice_changes_no_verdict(advice, monkeypatch):
    rng = np.random.default_rng(5)

    def proposal(self, low, high, until):
        basic = np.zeros(len(low), bool)
        basic[: self.rows] = True
        return (basic if advice == "singular" else rng.permutation(basic)), rng.random(len(low)) < 0.5, None

    for seed in range(40):
        A, lower, upper, bounds, feasible = known(seed)
        with monkeypatch.context() as patch:
            patch.setattr(systems.Adviser, "proposal", proposal)
            answer = right(A, lower, upper, bounds)
        assert feasible in (None, isinstance(answer, Feasible))


def test_the_cone_is_that_of_the_constraints():
    """A point inside has every row of the cone on its own side, at any t > 0."""
    A, lower, upper, bounds, _ = known(0)
    x = solve_system(A, lower, upper, bounds).w
    constraints = systems._Constraints(A, *row_ends(A, lower, upper, bounds))
    cone, is_lower = constraints.cone()
    scores = cone.X @ np.append(3 * x, 3.0)
    assert (np.where(is_lower, scores, -scores) >= 0).all()
    assert len(scores) == np.isfinite([*lower, *upper, *bounds.ravel()]).sum() + 2


ODD = [0.0, 1.0, -1.0, 0.1, -0.3, 3.0, 1e20, -1e-9, 1e308, -1e308, 5e-324, -5e-324, 2.0**-1022, 1e200, -1e-200]


@pytest.mark.parametrize("seed", range(60))
def test_any_doubles_are_decided(seed):
    """Numbers that overflow and underflow in every float computation on the way."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 6, 2)
    pool = ODD[: 8 if seed % 2 else None]
    A = rng.choice(pool, (m, n)) * (rng.random((m, n)) < 0.7)
    rows, bounds = np.sort(rng.choice(pool, (m, 2))), np.sort(rng.choice(pool, (n, 2)))
    for ends in (rows, bounds):
        ends[rng.random(len(ends)) < 0.3, 0] = -np.inf
        ends[rng.random(len(ends)) < 0.3, 1] = np.inf
    right(A, *rows.T, bounds)


INF = np.inf
EDGES = {
    "ends of a row": ([[1.0]], 2, 1, None, Infeasible),
    "ends of a coordinate": ([[1.0]], None, None, (2, 1), Infeasible),
    "no rows": (np.zeros((0, 2)), None, None, [(3, 4), (-4, -3)], Feasible),
    "no rows, free": (np.zeros((0, 2)), None, None, None, Feasible),
    "no columns": (np.zeros((2, 0)), -1, 0, None, Feasible),
    "no columns, too high": (np.zeros((2, 0)), [0, 1], 2, None, Infeasible),
    "nothing": (np.zeros((0, 0)), None, None, None, Feasible),
    "a zero row": ([[0.0, 0.0], [1.0, 1.0]], [0, 1], None, None, Feasible),
    "a zero row, too high": ([[0.0, 0.0], [1.0, 1.0]], [1, 1], None, None, Infeasible),
    "a zero row, too low": ([[0.0, 0.0], [1.0, 1.0]], [-INF, 1], [-1, INF], None, Infeasible),
    "all 0": ([[1.0, -1.0], [-1.0, 1.0]], 0, 0, None, Feasible),
    "no ends": ([[1.0, 2.0]], None, None, None, Feasible),
    "an equation": ([[3.0, 0.0]], 1, 1, None, Feasible),
    "an equation of fixed coordinates": ([[1.0, 1.0]], 3, 3, [(1, 1), (2, 2)], Feasible),
    "another": ([[1.0, 1.0]], 4, 4, [(1, 1), (2, 2)], Infeasible),
    "far away": ([[1e-300]], 1e300, None, None, Feasible),
    "two equations": ([[1.0, 1.0], [2.0, 2.0]], [1, 2], [1, 2], None, Feasible),
    "two others": ([[1.0, 1.0], [2.0, 2.0]], [1, 3], [1, 3], None, Infeasible),
    "one digit": ([[0.1], [1.0]], [0.3, -INF], [0.3, 3.0], None, Feasible),
    "one digit too many": ([[0.1], [1.0]], [0.3, -INF], [0.3, math.nextafter(3.0, 0) - 2**-50], None, Infeasible),
}


@pytest.mark.parametrize(("A", "lower", "upper", "bounds", "outcome"), EDGES.values(), ids=EDGES.keys())
def test_each_edge_case_has_a_clear_outcome(A, lower, upper, bounds, outcome):
    for given_as in (np.asarray(A, float), sp.csr_array(np.asarray(A, float))):
        answer = solve_system(given_as, lower, upper, bounds)
        assert isinstance(answer, outcome)
        assert verify(answer, A, lower=lower, upper=upper, bounds=bounds)


def test_contradictory_ends_are_named_twice():
    answer = solve_system([[1, 0], [0, 1]], [0, 2], [1, 1])
    assert (answer.rows, sorted(answer.multipliers)) == ((1, 1), [-1, 1])
    answer = solve_system([[1, 0]], 0, 1, [(None, None), (5, 4)])
    assert (answer.columns, sorted(answer.column_multipliers)) == ((1, 1), [-1, 1])


def test_multipliers_are_whole_and_coprime():
    answer = solve_system([[0.5, 1.5], [-0.25, -0.75]], [1, 0], None)
    assert sorted(answer.multipliers) == [1, 2]


def test_points_are_doubles_where_doubles_do():
    assert solve_system([[2.0, 1.0]], 1, 1, (0, None)).w.dtype == np.float64
    third = solve_system([[3.0]], 1, 1)
    assert third.w.tolist() == [Fraction(1, 3)]
    assert third.slack.tolist() == [0.0]


@pytest.mark.parametrize(("arguments", "why"), [
    (([[np.nan]], 0, 1), "finite"),
    (([[1.0]], [0, 0], 1), "one number for each"),
    (([[1.0]], np.nan, 1), "no number satisfies"),
    (([[1.0]], np.inf, None), "no number satisfies"),
    (([[1.0]], 0, 1, [(0, 1, 2)]), "bounds are a pair"),
    (([1.0], 0, 1), "two-dimensional"),
])  # fmt: skip
def test_what_is_no_system_is_refused_with_a_sentence(arguments, why):
    with pytest.raises(ValueError, match=why):
        solve_system(*arguments)
    with pytest.raises(ValueError, match="budget"):
        solve_system([[1.0]], 0, 1, budget=-1)


@pytest.mark.parametrize("budget", [0, 1e-6, 1e-3])
def test_a_short_budget_gives_no_wrong_answer(budget):
    for seed in range(24):
        A, lower, upper, bounds, feasible = known(seed)
        answer = solve_system(A, lower, upper, bounds, budget=budget)
        assert verify(answer, A, lower=lower, upper=upper, bounds=bounds)
        if isinstance(answer, Undecided):
            assert "budget" in answer.why
        elif feasible is not None:
            assert isinstance(answer, Feasible) == feasible


@given(st.integers(0, 400), st.data())
def test_changed_answers_hold_exactly_if_they_are_true(seed, data):
    A, lower, upper, bounds, _ = known(seed)
    answer = solve_system(A, lower, upper, bounds)
    if isinstance(answer, Feasible):
        k = data.draw(st.integers(0, len(answer.w) - 1))
        w, old = answer.w.copy(), answer.w[k]
        step = 1 if old == 0 else abs(Fraction(old)) / 2**52
        w[k] = data.draw(st.sampled_from([-old, old + step, old - step, old * 2, 0 * old]))
        changed = replace(answer, w=w)
    else:
        what = "multipliers" if answer.multipliers else "column_multipliers"
        numbers = list(getattr(answer, what))
        k = data.draw(st.integers(0, len(numbers) - 1))
        numbers[k] = data.draw(st.sampled_from([-numbers[k], numbers[k] + 1, numbers[k] - Fraction(1, 2**80), numbers[k] * 2]))
        changed = replace(answer, **{what: tuple(numbers)})
    assume(isinstance(changed, Feasible) or all([*changed.multipliers, *changed.column_multipliers]))
    assert bool(verify(changed, A, lower=lower, upper=upper, bounds=bounds)) == proves(changed, *lists(A, lower, upper, bounds))


def test_answers_that_are_nearly_right_are_refused():
    A, lower = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([2.0, 0.0])
    point = solve_system(A, lower, lower)
    assert point.w.tolist() == [1.0, 1.0]
    for w in ([math.nextafter(1, 0), 1.0], [math.nextafter(1, 2), 1.0], [1.0, -1.0], [1.0], [1.0, np.nan]):
        assert not verify(replace(point, w=np.array(w)), A, lower=lower, upper=lower)
    A, lower = np.array([[1.0, 2.0], [-3.0, -1.0], [1.0, 0.0]]), np.array([4.0, -1.0, 0.0])
    proof = solve_system(A, lower, None, (None, 1))
    assert verify(proof, A, lower=lower, upper=None, bounds=(None, 1))
    for k, multiplier in enumerate(proof.multipliers):
        for other in (-multiplier, multiplier + 1, multiplier * 2):
            changed = replace(proof, multipliers=(*proof.multipliers[:k], other, *proof.multipliers[k + 1 :]))
            assert not verify(changed, A, lower=lower, upper=None, bounds=(None, 1))


def test_nothing_is_printed(capfd):
    for seed in range(8):
        solve_system(*known(seed)[:4])
    assert capfd.readouterr() == ("", "")


def test_another_user_of_highs_is_no_obstacle():
    highspy.Highs.resetGlobalScheduler(True)
    other = highspy.Highs()
    other.setOptionValue("output_flag", False)
    other.setOptionValue("threads", 2)
    other.addVar(0, 1)
    other.run()
    assert solve_system([[3.0]], 1, 1).method == "HiGHS's basis"
    highspy.Highs.resetGlobalScheduler(True)


FILES = sorted(LP.glob("*.mps.gz")) or [None]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.split(".")[0] if path else "none")
def test_linear_programs_of_netlib(path):
    if path is None:
        pytest.skip("the data is not beside the project")
    model = read_mps(path)
    answer = solve_system(model.A, model.lower, model.upper, model.bounds)
    assert isinstance(answer, Infeasible if path.name.startswith("infeasible-") else Feasible)
    assert verify(answer, model.A, lower=model.lower, upper=model.upper, bounds=model.bounds)
    bounds = list(zip(*(end.tolist() for end in model.bounds), strict=True))
    assert proves(answer, model.A.toarray().tolist(), model.lower.tolist(), model.upper.tolist(), bounds)


def test_sides_may_be_left_out_or_none_in_a_list():
    A = [[1.0, 1.0], [1.0, -1.0]]
    for lower, upper, same in (
        ([2, None], [2, 0], ([2, -np.inf], [2, 0])),
        (None, [1, None], (-np.inf, [1, np.inf])),
        (np.array([1, None]), None, ([1, -np.inf], np.inf)),
    ):
        answer = solve_system(A, lower, upper)
        assert answer == solve_system(A, *same)
        assert verify(answer, A, lower=lower, upper=upper)
    assert solve_system(A, upper=3).x.tolist() == [0, 0]
    for lower, why in (([2**2000, None], "a number is not between"), (["1", None], "'1' is not a whole number, float, Fraction")):
        with pytest.raises(ValueError, match=f"lower: {why}"):
            solve_system(A, lower)
