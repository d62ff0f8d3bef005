"""What the page is told of a run is what the learner did: recomputed here by a textbook in fractions, and by other readouts."""

from fractions import Fraction
from itertools import pairwise
from math import isfinite, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff import Inseparable, Learner, Separable, separate
from novikoff.lab import orders
from novikoff.lab.checks import RefusedError
from novikoff.lab.descriptions import describe_boundaries, describe_example, describe_run
from novikoff.lab.orders import compare_orders
from novikoff.lab.problems import EXAMPLES, UPDATES, problem_of
from novikoff.lab.runs import run_of
from novikoff.lab.stretching import stretch
from novikoff.learning.run import StopReason
from oracles import NUMBERS, SIGNS

XOR = [[0, 0, -1], [0, 1, 1], [1, 0, 1], [1, 1, -1]]
AND = [[0, 0, -1], [0, 1, -1], [1, 0, -1], [1, 1, 1]]
POLY = {"name": "poly", "degree": 2}


def run_with(points, **settings):
    return run_of(problem_of({"points": points, "settings": settings}))


POINTS = st.lists(st.tuples(NUMBERS, NUMBERS, SIGNS).map(list), min_size=2, max_size=12)
BOTH = POINTS.filter(lambda points: len({point[2] for point in points}) == 2)
LINEAR = st.fixed_dictionaries(
    {
        "rule": st.sampled_from(["rosenblatt", "margin"]),
        "order": st.sampled_from(["given", "once", "each"]),
        "seed": st.integers(0, 5),
        "passes": st.integers(1, 12),
        "intercept": st.booleans(),
    }
)
ANY = st.tuples(LINEAR, st.sampled_from([None, POLY])).map(lambda both: {**both[0], "kernel": both[1]})


def textbook(run):
    """Each example as (row, margin, updated, coefficients after it), in fractions; the order is the learner's."""
    problem, n = run.problem, len(run.y)
    bias = Fraction(problem.intercept)
    points = [[Fraction(x) for x in point[:2]] for point in problem.points]
    dot = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in points] for p in points]
    values = [[(d if problem.kernel is None else (1 + d) ** 2) + bias * bias for d in row] for row in dot]
    coefficients, handled = [Fraction(0)] * n, []
    for number in range(len(run.run.passes)):
        for row in run.learner.order_of(run.examples, number).tolist():
            y = problem.points[row][2]
            margin = y * sum(c * values[row][j] for j, c in enumerate(coefficients))
            enough = Fraction(1, 2) * values[row][row] if problem.rule == "margin" else 0
            if updated := margin <= enough:
                coefficients = [c + y * (j == row) for j, c in enumerate(coefficients)]
            handled.append((row, margin, updated, coefficients))
    return handled, values


@given(points=BOTH, settings=ANY)
def test_every_example_is_the_textbooks(points, settings):
    run = run_with(points, **settings)
    handled, values = textbook(run)
    n, least = len(points), []
    assert run.handled == len(handled)
    before = [Fraction(0)] * n
    for t, (row, margin, updated, after) in enumerate(handled):
        look = describe_example(run, t)
        assert (look["row"], look["margin"], look["update"]) == (row, margin, updated)
        assert (look["pass"], look["place"]) == (t // n + 1, t % n)
        assert look["x"] == points[row][:2]
        assert look["y"] == points[row][2]
        assert look["mistake"] == (margin <= 0)
        assert look["step"] == updated
        if settings["kernel"] is None:
            assert look["before"] == weights_of(points, before, settings["intercept"])
            assert look["after"] == weights_of(points, after, settings["intercept"])
        else:
            assert look["before"] is None
            assert look["after"] is None
        if updated:
            scores = [sum(c * values[i][j] for j, c in enumerate(after)) for i in range(n)]
            least.append(min(point[2] * score for point, score in zip(points, scores, strict=True)))
        before = after
    assert describe_run(run)["updates"]["least"] == (least if settings["kernel"] is None else None)


def weights_of(points, coefficients, intercept):
    rows = [[*map(Fraction, point[:2]), Fraction(intercept)] for point in points]
    return [sum(c * row[d] for c, row in zip(coefficients, rows, strict=True)) for d in range(3)]


@given(points=BOTH, settings=LINEAR)
def test_weights_are_the_learners_to_the_bit_where_nothing_rounds(points, settings):
    run = run_with(points, **settings)
    told = describe_run(run)
    assert told["updates"]["w"][-1] == run.learner.team.w[0].tolist()
    assert run.errors(run.handled)["last"] == run.learner.errors(run.examples)


@given(seed=st.integers(0, 1000), rule=st.sampled_from(["rosenblatt", "margin"]))
def test_weights_are_near_the_learners_where_sums_round(seed, rule):
    run = run_with(cloud(seed, 40), rule=rule, order="each", passes=20)
    np.testing.assert_allclose(run.w[-1], run.learner.team.w[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.answering(run.handled)[0], run.w[-1])
    again = Learner(rule, readout="averaged", order="each", seed=run.problem.seed, skipping=False)
    again.fit(again.space.look(run.X, run.y, constant=1), len(run.run.passes))
    np.testing.assert_allclose(run.answering(run.handled)[1], again.weights()[0], rtol=1e-9, atol=1e-12)


def cloud(seed, n, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X @ [1.0, -2.0] > 0.3, 1, -1) * np.where(rng.random(n) < noise, -1, 1)
    return [[*x, label] for x, label in zip(X.tolist(), y.tolist(), strict=True)]


@given(points=BOTH, settings=LINEAR, cut=st.integers(1, 12))
def test_readouts_as_of_a_pass_are_those_of_a_run_that_is_cut_there(points, settings, cut):
    run = run_with(points, **settings)
    cut = min(cut, len(run.run.passes))
    said = run.decisions(cut * len(points), run.X)
    how = {"order": settings["order"], "seed": settings["seed"], "skipping": False}
    for readout in ("last", "averaged", "voted"):
        learner = Learner(settings["rule"], readout=readout, **how)
        learner.fit(learner.space.look(run.X, run.y, constant=int(settings["intercept"])), cut)
        decided = learner.decide(run.X)[:, 0]
        assert said[readout].tolist() == decided.tolist()
        assert run.errors(cut * len(points))[readout] == (~(run.y * decided > 0)).sum()


@pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "linear"])
def test_through_a_kernel_readouts_are_those_of_a_run_that_is_cut(name):
    run = run_with(cloud(3, 30), kernel={"name": name, "gamma": 2.0}, passes=6)
    grid = np.random.default_rng(0).normal(size=(20, 2))
    for cut in (1, len(run.run.passes)):
        said = run.decisions(cut * 30, grid)
        for readout in ("last", "averaged", "voted"):
            learner = Learner(readout=readout, kernel=run.problem.inner_product)
            learner.fit(learner.space.look(run.X, run.y, constant=1), cut)
            np.testing.assert_allclose(said[readout], learner.decide(grid)[:, 0], rtol=1e-9, atol=1e-9)


@given(points=BOTH, settings=LINEAR)
def test_the_margins_ends_close_in_on_the_margin(points, settings):
    run = run_with(points, **settings)
    told, rows = describe_run(run), run.rows * run.y[:, None]
    best, steps = 0.0, 0.0
    for k, w in enumerate(run.w):
        steps += run.entries.step[k]
        length = sqrt(w @ w)
        least = float((rows @ w).min())
        best = max(best, least / length if least > 0 else 0.0)
        assert told["updates"]["low"][k] == pytest.approx(best, rel=1e-12)
        assert told["updates"]["norm"][k] == length
        assert told["updates"]["high"][k] <= length / steps + 1e-12
    assert told["updates"]["high"] == sorted(told["updates"]["high"], reverse=True)
    if isfinite(hull_sq := run.learner.ledgers[0].tally.hull_sq):  # the learner does not rely on a w that has come back to 0
        assert told["updates"]["high"][-1] == pytest.approx(sqrt(hull_sq), rel=1e-12) or told["updates"]["high"][-1] == 0
    if told["gamma"] is not None:
        assert told["updates"]["low"][-1] <= run.certified.extended.margin.high * (1 + 1e-12)
        assert told["updates"]["high"][-1] >= told["gamma"] * (1 - 1e-12)
        assert np.linalg.norm(told["u"]) == pytest.approx(1)
        assert (rows @ told["u"]).min() == pytest.approx(told["gamma"], rel=1e-9)
        strip = told["widest"]
        assert np.linalg.norm(strip["w"][:2]) == pytest.approx(1)
        assert (rows @ strip["w"]).min() == pytest.approx(strip["margin"], rel=1e-9)
        assert strip["margin"] >= told["gamma"] * (1 - 2e-3)
        np.testing.assert_allclose(told["updates"]["along"], run.w @ told["u"], rtol=1e-9, atol=1e-9)
        squeeze = told["squeeze"]
        sides = [squeeze["floor_now"], told["updates"]["along"], told["updates"]["norm"], squeeze["ceiling_now"]]
        assert (np.diff(sides, axis=0) >= -1e-9 * (1 + np.abs(sides[-1]))).all()
        apart = np.subtract(squeeze["ceiling"], squeeze["floor"])
        assert ((apart > -1e-9) == (np.array(squeeze["k"]) < told["bound"]["value"] + 1e-6)).all()  # they cross at the bound
        assert np.allclose(told["updates"]["cosine"], np.divide(*sides[1:3]))
        made = sum(one["updates" if told["bound"]["of"] == "updates" else "mistakes"] for one in told["passes"])
        assert made <= told["bound"]["value"] * (1 + 1e-9)
    else:
        assert told["u"] is told["updates"]["along"] is told["updates"]["cosine"] is told["squeeze"] is None
        assert told["bound"] == {"why": "there is no separator"}


@given(points=BOTH, intercept=st.booleans())
def test_the_certificate_is_that_of_separate_and_holds(points, intercept):
    run = run_with(points, intercept=intercept, passes=3)
    told, X, y = describe_run(run), run.X, run.y
    proved = told["certificate"]
    assert "exact arithmetic" in told["checked"]
    assert proved["outcome"] == separate(X, y, fit_intercept=intercept).outcome
    if proved["outcome"] == "separable":
        assert isinstance(run.certified.certificate, Separable)
        w = np.array(told["u"])
        assert (y * (X @ w[:2] + w[2]) > 0).all()
        assert set(proved["support"]) <= set(range(len(y)))
    assume(proved["outcome"] == "inseparable")
    assert isinstance(run.certified.certificate, Inseparable)
    shares = [Fraction(text) for text in proved["multipliers"]]
    assert proved["shares"] == pytest.approx([float(s / sum(shares)) for s in shares])
    rows = proved["rows"]
    cancels = sum(s * int(y[i]) * np.array([*map(Fraction, X[i]), intercept]) for s, i in zip(shares, rows, strict=True))
    assert not cancels.any()
    if intercept:
        for side in (-1, 1):  # the same point, from either class
            mine = [(s, i) for s, i in zip(shares, rows, strict=True) if y[i] == side]
            total = sum(s for s, _ in mine)
            meeting = [float(sum(s * Fraction(X[i, d]) for s, i in mine) / total) for d in range(2)]
            assert proved["meeting"] == pytest.approx(meeting)
    else:
        assert proved["meeting"] is None
    assert proved["origin"] is not intercept


def test_xor_ends_as_soon_as_it_repeats_itself():
    told = describe_run(run_with(XOR, passes=10_000))
    assert told["stop_reason"] == "cycle"
    assert len(told["passes"]) == 1
    assert "pass 1 repeats for ever" in told["stopped"]
    assert told["cycle"] == "pass 1 repeats for ever."
    assert told["certificate"]["meeting"] == [0.5, 0.5]
    assert told["certificate"]["shares"] == [0.25] * 4


def test_in_a_new_order_each_time_xor_ends_at_the_limit():
    run = run_with(XOR, passes=10_000, order="each")
    told = describe_run(run)
    assert told["stop_reason"] in ("on_pass", "max_iter")
    assert sum(one["updates"] for one in told["passes"]) == len(told["updates"]["t"]) <= UPDATES
    assert str(f"{len(told['updates']['t']):,}") in told["stopped"] or told["stop_reason"] == "max_iter"


def test_updates_are_limited():
    run = run_with(cloud(0, 1000, noise=0.4), passes=10_000)
    assert run.run.stop_reason is StopReason.ON_PASS
    assert UPDATES - 1000 < len(run.entries.t) <= UPDATES
    assert f"more than {UPDATES:,} updates" in describe_run(run)["stopped"]


def test_a_clean_pass_and_the_last_pass_are_said():
    assert describe_run(run_with(AND))["stopped"] == "Pass 9 changed nothing: every point is on its own side."
    assert describe_run(run_with(AND, passes=2))["stopped"].startswith("All 2 passes were made, and the last still changed")
    assert "by enough" in describe_run(run_with(AND, rule="margin"))["stopped"]


@pytest.mark.parametrize(
    ("points", "settings", "outcome"),
    [
        ([[1, 2, 1], [1, 2, -1]], {}, "inseparable"),
        ([[0, 0, 1], [1, 0, -1]], {"intercept": False}, "inseparable"),
        ([[0, 0, 1], [1, 1, -1], [2, 2, 1]], {}, "inseparable"),
        ([[0, 0, 1], [1, 1, 1], [2, 2, -1]], {}, "separable"),
        ([[3, 3, 1]] * 5 + [[3, 3, -1]] * 5, {}, "inseparable"),
        ([[1e6, -1e6, 1], [1e6, 1e6, -1]], {}, "separable"),
        ([[1e-6, 1e-6, 1], [-1e-6, 1e-6, -1]], {}, "separable"),
        ([[1e-50, 0, 1], [0, 1e-50, -1]], {"intercept": False}, "separable"),
        ([[1e-50, 0, 1], [0, 1e-50, -1]], {"passes": 50}, "separable"),
        ([[1e6, 1e-50, 1], [1e6, -1e-50, -1]], {"intercept": False, "passes": 50}, "separable"),
        ([[1, 1, 1], [1, 1 + 2**-52, -1]], {"passes": 50}, "separable"),
        ([[1e6, 1e6, 1], [-1e6, 1e6, -1]], {"kernel": {"name": "poly", "degree": 10}}, "separable"),
    ],
)
def test_odd_points_are_answered(points, settings, outcome):
    run = run_with(points, **settings)
    told = describe_run(run)
    assert told["certificate"]["outcome"] == outcome
    assert told["checked"]
    describe_boundaries(run, run.handled, [-1.0, 1.0, -1.0, 1.0], 3, 3)
    describe_example(run, run.handled - 1)


def test_the_same_point_twice_is_a_contradiction_of_two():
    proved = describe_run(run_with([[0, 0, 1], [1, 2, 1], [1, 2, -1], [5, 5, -1]]))["certificate"]
    assert proved["rows"] == [1, 2]
    assert proved["meeting"] == [1, 2]


@pytest.mark.parametrize(
    ("points", "settings", "words"),
    [
        ([], {}, "there are no points"),
        ([[0, 0, 1], [1, 1, 1]], {}, "add a point of the other class"),
        ([[1, 0, 1], [0, 1e-200, -1]], {"intercept": False}, '"x2 of point 1" is 1e-200, nearer to 0 than 1e-50'),
    ],
)
def test_what_cannot_be_learned_from_is_refused(points, settings, words):
    with pytest.raises(RefusedError, match=words):
        run_with(points, **settings)


def test_kernels_with_the_same_parameters_are_not_taken_for_each_other():
    wide = [[2 * x1, 2 * x2, y] for x1, x2, y in XOR]
    kernels = [describe_run(run_with(wide, kernel={"name": name, "gamma": 1.0})) for name in ("rbf", "laplacian")]
    assert [told["kernel"] for told in kernels] == ["rbf (gamma 1)", "laplacian (gamma 1)"]
    assert kernels[0]["updates"]["margin"] != kernels[1]["updates"]["margin"]


def test_xor_is_separated_through_a_kernel():
    told = describe_run(run_with(XOR, kernel=POLY))
    assert told["stop_reason"] == "clean pass"
    assert told["certificate"]["outcome"] == "separable"
    assert "exact arithmetic" in told["checked"]
    assert told["updates"]["w"] is told["updates"]["least"] is told["updates"]["low"] is told["u"] is None
    assert sum(one["mistakes"] for one in told["passes"]) <= told["bound"]["value"]
    sides = [told["squeeze"]["floor_now"], told["updates"]["along"], told["updates"]["norm"], told["squeeze"]["ceiling_now"]]
    assert (np.diff(sides, axis=0) >= -1e-9).all()  # kγ ≤ w·u ≤ ‖w‖ ≤ √k·R, in the space of the kernel
    assert np.allclose(told["updates"]["cosine"], np.divide(*sides[1:3]))


def test_a_grid_is_told_from_its_lowest_row_up():
    run = run_with([[-1, 0, -1], [1, 0, 1]], intercept=False)
    told = describe_boundaries(run, run.handled, [-2.0, 2.0, 0.0, 1.0], 3, 2)
    assert np.sign(told["last"]).tolist() == np.sign(told["voted"]).tolist() == [-1, 0, 1] * 2
    assert told["errors"] == {"last": 0, "averaged": 0, "voted": 0}
    above = run_with([[0, -1, -1], [0, 1, 1]], intercept=False)
    assert np.sign(describe_boundaries(above, above.handled, [0.0, 1.0, -1.0, 1.0], 2, 2)["averaged"]).tolist() == [-1, -1, 1, 1]
    nothing = describe_boundaries(run, 0, [-2.0, 2.0, 0.0, 1.0], 2, 2)
    assert nothing["last"] == nothing["averaged"] == nothing["voted"] == [0.0] * 4
    assert nothing["errors"] == {"last": 2, "averaged": 2, "voted": 2}


@given(points=BOTH, settings=LINEAR)
def test_the_vote_changes_where_the_crossings_are(points, settings):
    run = run_with(points, **settings)
    size, view = 5, [-3.0, 3.0, -2.0, 4.0]
    answer = describe_boundaries(run, run.handled, view, size, size)
    corner = [np.array([x1, x2]) for x2 in np.linspace(-2, 4, size) for x1 in np.linspace(-3, 3, size)]
    for side, sign in (("positive", 1), ("negative", -1)):
        inside = np.array(answer["voted"]) * sign > 0
        for direction, step in (("right", 1), ("up", size)):
            crossings = {int(place): share for place, share in answer["crossings"][side][direction].items()}
            last = [size - 1] if direction == "right" else []
            first = [place for place in range(size * size - step) if place % size not in last]
            assert sorted(crossings) == [place for place in first if inside[place] != inside[place + step]]
            for place, share in crossings.items():
                ends = [corner[place] + at * (corner[place + step] - corner[place]) for at in (share - 2**-9, share + 2**-9)]
                before, after = sign * run.votes(run.handled, np.array(ends)) > 0
                assert (before, after) == (inside[place], inside[place + step])


def test_other_orders_are_those_of_the_learner_and_within_the_bound():
    points = cloud(5, 30, noise=0)
    told = compare_orders(problem_of({"points": points}), 4)
    for order in ("once", "each"):
        again = [run_with(points, order=order, seed=seed).learner.ledgers[0].mistakes for seed in range(4)]
        assert told[order] == again
    assert told["given"] == [run_with(points).learner.ledgers[0].mistakes]
    assert told["of"] == "mistakes"
    assert max(told["once"] + told["each"]) <= told["bound"]
    assert told["unfinished"] == 0
    assert compare_orders(problem_of({"points": points, "settings": {"passes": 1}}), 4)["unfinished"] == 9


def test_where_the_bound_is_of_updates_these_are_counted():
    points = cloud(5, 30, noise=0)
    told = compare_orders(problem_of({"points": points, "settings": {"rule": "margin"}}), 3)
    assert told["of"] == "updates"
    assert told["once"] == [run_with(points, rule="margin", order="once", seed=s).learner.ledgers[0].updates for s in range(3)]
    assert max(told["once"] + told["each"] + told["given"]) <= told["bound"]


def test_orders_that_take_long_are_fewer(monkeypatch):
    monkeypatch.setattr(orders, "SECONDS", 0.0)
    told = compare_orders(problem_of({"points": cloud(5, 30, noise=0)}), 4)
    assert [len(told[order]) for order in ("given", "once", "each")] == [1, 0, 0]


def test_where_rounding_is_more_than_the_margin_nothing_false_is_told():
    told = describe_run(run_with([[1e-11, 0, 1], [1e6, 1, -1]], intercept=False))
    assert told["certificate"]["outcome"] == "separable"
    sides = [told["squeeze"]["floor_now"], told["updates"]["along"]] if told["squeeze"] else [[0], [0]]
    assert (np.diff(sides, axis=0) >= 0).all()
    assert "lost to rounding" in told["stopped"]
    assert "no number of passes" not in told["stopped"]


def test_a_long_run_ends_before_it_is_slow():
    points = [[float(np.cos(k)), float(np.sin(k)), 1 if k else -1] for k in range(1000)]
    told = describe_run(run_with(points, order="each", passes=10_000))
    assert told["examples"] <= EXAMPLES
    assert told["stop_reason"] == "on_pass"
    assert f"{EXAMPLES:,} examples" in told["stopped"]


def test_the_curve_above_is_named_by_its_rule():
    points = cloud(5, 30, noise=0)
    assert describe_run(run_with(points))["squeeze"]["root"] == "√k·R"
    assert describe_run(run_with(points, rule="margin"))["squeeze"]["root"] == "√(2·k)·R"


def test_what_was_checked_is_not_said_to_be_more():
    assert "tolerance" in describe_run(run_with(XOR, kernel={"name": "rbf", "gamma": 1.0}))["checked"]
    assert describe_run(run_with(XOR))["checked"].startswith("Checked in exact arithmetic")


def test_no_order_of_xor_comes_to_an_end():
    with pytest.raises(RefusedError, match="nothing to compare"):
        compare_orders(problem_of({"points": XOR}), 4)


def narrow(width):
    """Three points that leave weights a cone of this angle: two almost opposite, and one that leads away from it, first."""
    angles = [1.0, 0.2, 0.2 + np.pi - width]
    return [[*map(float, (np.cos(a), np.sin(a))), 1] for a in angles[:2]] + [
        [float(-np.cos(angles[2])), float(-np.sin(angles[2])), -1]
    ]


def test_a_narrow_cone_is_stretched_until_it_is_separated():
    points = narrow(1e-3)
    told = stretch(problem_of({"points": points}))
    assert "every point is on its own side" in told["why"]
    stages = told["stages"]
    assert len(stages) > 2
    assert stages[0]["space"] == [[1, 0], [0, 1]]
    assert (np.array(stages[-1]["rows"]) @ stages[-1]["w"] > 0).all()
    for before, after in pairwise(stages):
        space, x = np.array(before["space"]), np.array(before["w"])
        assert np.linalg.norm(before["rows"], axis=1) == pytest.approx(1)
        stretched = space @ (np.eye(2) + np.outer(x, x))
        np.testing.assert_allclose(after["space"], stretched / np.abs(stretched).max(), rtol=1e-12, atol=1e-15)
        assert before["steps"] <= after["steps"]


def test_what_cannot_be_rescaled_says_why():
    with pytest.raises(RefusedError, match="no line through the origin"):
        stretch(problem_of({"points": XOR}))
