"""The best point of a linear program, compared with all its vertices; each answer is verified, and netlib's values come out."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Feasible, Infeasible, Optimal, Unbounded, Undecided, solve_system, verify
from novikoff.proof.certificate_files import from_json
from novikoff.proof.literal_checker import Constraints, Wrong, check
from novikoff.solve import linear_systems as systems
from novikoff.solve.constraint_files import read_constraints

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
small = st.one_of(st.integers(-3, 3), st.fractions(-2, 2, max_denominator=10))
limits = st.one_of(st.none(), small)


@st.composite
def programs(draw, boxed=False):
    """A, lower, upper, bounds, objective and sense. In a box, every program that has a point has a best one."""
    n, d = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    A = np.array([[draw(small) for _ in range(d)] for _ in range(n)], object).reshape(n, d)
    pairs = [(draw(limits), draw(limits)) for _ in range(n)]
    bounds = [(-2, draw(st.integers(-1, 2))) if boxed else (draw(limits), draw(limits)) for _ in range(d)]
    c = [draw(small) for _ in range(d)]
    return A, [low for low, _ in pairs], [high for _, high in pairs], bounds, c, draw(st.sampled_from(["maximize", "minimize"]))


def vertices(A, lower, upper, bounds):
    """All points where as many limits as there are coordinates hold with equality, and none is violated."""
    width = len(bounds)
    rows = [*A.tolist(), *([int(i == j) for j in range(width)] for i in range(width))]
    ends = [*zip(lower, upper, strict=True), *bounds]
    faces = [(row, end) for row, pair in zip(rows, ends, strict=True) for end in pair if end is not None]
    for chosen in itertools.combinations(faces, width):
        matrix = flint.fmpq_mat([[flint.fmpq(*Fraction(v).as_integer_ratio()) for v in row] for row, _ in chosen])
        right = flint.fmpq_mat([[flint.fmpq(*Fraction(end).as_integer_ratio())] for _, end in chosen])
        if matrix.det() == 0:
            continue
        x = [Fraction(int(v.p), int(v.q)) for v in matrix.solve(right).entries()]
        values = [sum(Fraction(a) * b for a, b in zip(row, x, strict=True)) for row in rows]
        if all((low is None or low <= v) and (high is None or v <= high) for v, (low, high) in zip(values, ends, strict=True)):
            yield x


def solved(A, lower, upper, bounds, c, sense, **more):
    answer = solve_system(A, lower, upper, bounds, **{sense: c}, **more)
    assert verify(answer, A, lower=lower, upper=upper, bounds=bounds, **{sense: c})
    assert from_json(answer.to_json()) == answer
    return answer


@given(programs(boxed=True))
def test_no_vertex_is_better(program):
    A, lower, upper, bounds, c, sense = program
    answer = solved(*program)
    values = [sum((Fraction(a) * b for a, b in zip(c, x, strict=True)), Fraction(0)) for x in vertices(A, lower, upper, bounds)]
    assert isinstance(answer, Optimal if values else Infeasible)
    if values:
        assert answer.value == (max if sense == "maximize" else min)(values)


@given(programs())
def test_an_objective_does_not_change_whether_there_is_a_point(program):
    answer = solved(*program)
    assert isinstance(answer, Infeasible) == isinstance(solve_system(*program[:4]), Infeasible)
    if isinstance(answer, Unbounded):
        assert isinstance(solved(*program[:4], [0] * len(program[4]), program[5]), Optimal)
        other = "minimize" if program[5] == "maximize" else "maximize"
        assert solved(*program[:4], [-Fraction(v) for v in program[4]], other).outcome == "unbounded"


@given(programs())
def test_the_simplex_needs_no_advice(program):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(systems.Adviser, "proposal", lambda *_: None)
        alone = solved(*program)
    advised = solved(*program)
    assert alone.outcome == advised.outcome
    assert getattr(alone, "value", 0) == getattr(advised, "value", 0)


def test_an_objective_is_one_number_a_column_and_one_sense():
    for how, why in (
        ({"maximize": [1]}, r"shape \(1,\); it needs one number for each of the 2 columns"),
        ({"maximize": [1, np.inf]}, "the objective of column 1 is not a finite number"),
        ({"minimize": [1, None]}, "the objective of column 1 is not a finite number"),
        ({"minimize": "ab"}, "the objective must be"),
        ({"minimize": [1, 1], "maximize": [1, 1]}, "give one of them"),
    ):
        with pytest.raises(ValueError, match=why):
            solve_system([[1, 1]], 1, 2, **how)


def test_a_budget_ends_the_search():
    assert isinstance(solve_system([[1, 1]], 1, 2, maximize=[1, 2], budget=0), Undecided)


def test_verify_wants_the_objective_and_its_sense():
    A, c = [[1.0, 1.0]], [1.0, 2.0]
    answer = solve_system(A, None, 2, (0, None), maximize=c)
    assert isinstance(answer, Optimal)
    assert (answer.value, answer.x.tolist()) == (4.0, [0.0, 2.0])
    ends = {"lower": None, "upper": 2, "bounds": (0, None)}
    assert verify(answer, A, **ends, maximize=c)
    for objective, why in (
        ({}, "give it, as maximize="),
        ({"minimize": c}, "give it, as maximize="),
        ({"maximize": [1.0, 2.5]}, "another system"),
        ({"maximize": c, "minimize": c}, "give one of them"),
    ):
        assert why in verify(answer, A, **ends, **objective).why
    feasible = solve_system(A, None, 2, (0, None))
    assert isinstance(feasible, Feasible)
    assert verify(feasible, A, **ends, maximize=c)  # a point is one whatever the objective


@given(programs(), st.data())
def test_forgeries_are_refused(program, data):
    """One number of the answer is changed: both checkers refuse it, unless it is true as well."""
    A, lower, upper, bounds, c, sense = program
    answer = solved(*program)
    document = json.loads(answer.to_json())
    where = [(name, k) for name in ("w", "ray", "multipliers", "column_multipliers") for k in range(len(document.get(name, [])))]
    where += [("value", None)] * ("value" in document)
    if not where:
        return
    name, k = data.draw(st.sampled_from(where))
    off = data.draw(st.sampled_from([Fraction(1), Fraction(-1, 3), Fraction(1, 10**30)]))
    old = document[name] if k is None else document[name][k]
    new = str(Fraction(old) + off)
    if k is None:
        document[name] = new
    else:
        document[name][k] = new
    forged = from_json(_sealed(document))
    held = bool(verify(forged, A, lower=lower, upper=upper, bounds=bounds, **{sense: c}))
    ends = [[none if v is None else v for v in side] for side, none in (
        (lower, -np.inf), (upper, np.inf), ([b[0] for b in bounds], -np.inf), ([b[1] for b in bounds], np.inf))]  # fmt: skip
    exact = [[_as_number(v) for v in side] for side in (*ends, c)]
    rows = [{j: _as_number(v) for j, v in enumerate(row) if v} for row in A.tolist()]
    try:
        check(_sealed(document), Constraints(len(c), rows, *exact))
        literally = True
    except Wrong:
        literally = False
    assert held == literally
    if name in ("value", "multipliers", "column_multipliers") and answer.outcome == "optimal":
        assert not held


def _as_number(value):
    exact = value if isinstance(value, float) else Fraction(value)
    return float(exact) if exact == float(exact) else exact


def _sealed(document):
    import hashlib

    body = "{\n" + "".join(f"{json.dumps(k)}: {json.dumps(v)},\n" for k, v in document.items() if k != "digest")
    return f'{body}"digest": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'


# The optimal values that are published with netlib's problems, to the digits given there.
VALUES = {
    "afiro": "-4.6475314286E+02", "adlittle": "2.2549496316E+05", "blend": "-3.0812149846E+01", "israel": "-8.9664482186E+05",
    "kb2": "-1.7499001299E+03", "recipe": "-2.6661600000E+02", "sc50a": "-6.4575077059E+01", "sc50b": "-7.0000000000E+01",
    "share2b": "-4.1573224074E+02", "stocfor1": "-4.1131976219E+04", "bnl2": "1.8112365404E+03", "degen3": "-9.8729400000E+02",
    "ship12l": "1.4701879193E+06", "sierra": "1.5394362184E+07",
}  # fmt: skip
LONG = {"bnl2", "degen3", "ship12l", "sierra"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.full) if n in LONG else n for n in VALUES])
def test_published_values_are_reproduced(name):
    path = next((p for p in DATA.glob(f"lp*/{name}.mps.gz")), None)
    if path is None:
        pytest.skip("the data is not beside the project")
    found = read_constraints(path)
    answer = solve_system(found.A, found.lower, found.upper, found.bounds, minimize=found.objective.c)
    assert isinstance(answer, Optimal)
    assert verify(answer, found.A, **found.ends)
    assert f"{float(answer.value + found.objective.offset):.10E}" == VALUES[name]
