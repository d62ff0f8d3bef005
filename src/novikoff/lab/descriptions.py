"""A run as JSON: the numbers and sentences that the page shows."""

from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.engine.rules import Bound, NoBound
from novikoff.foundation.array_types import Array
from novikoff.lab.checks import finite
from novikoff.lab.problems import EXAMPLES, UPDATES
from novikoff.lab.runs import LabRun, count_wrong
from novikoff.learning.run import StopReason
from novikoff.plot.certificate import meeting_point
from novikoff.plot.evidence import floats, short_number
from novikoff.proof.certificate import Inseparable, Separable, Undecided
from novikoff.proof.certificate_files import rational_text

Json = dict[str, object]

MOST_BEYOND = 5  # the outer curves of the proof go on for at most this many times the updates of the run
CURVE_POINTS = 300  # at most, on an outer curve
ROUNDING = 1e-9  # relative error allowed in an inequality between sums
HALVINGS = 8  # of an edge of the grid, to find where the vote changes: 1/256 of the edge is less than a pixel


def describe_run(run: LabRun) -> Json:
    """Everything about the run at once."""
    linear = run.problem.kernel is None
    return {
        "rows": len(run.y),
        "stop_reason": str(run.run.stop_reason),
        "stopped": describe_end(run),
        "passes": [{"examples": one.examples, "updates": one.updates, "mistakes": one.mistakes} for one in run.run.passes],
        "examples": run.handled,
        "updates": {name: column.tolist() for name, column in run.entries._asdict().items()}
        | {
            "w": run.w.tolist() if linear else None,
            "mistakes": np.cumsum(~(run.entries.margin > 0)).tolist(),
            "least": json_list(run.least) if linear else None,
            "norm": run.norm.tolist(),
            "along": None if run.along is None else run.along.tolist(),
            "cosine": None if run.along is None else json_list(_quotient(run.along, run.norm)),
            "high": run.high.tolist(),
            "low": run.low.tolist() if linear else None,
        },
        "radius": run.facts.radius,
        "u": None if run.u is None else run.u.tolist(),
        "gamma": run.gamma or None,
        "widest": _widest(run),
        "extended": run.problem.intercept,
        "squeeze": _outer_curves(run),
        "bound": _bound(run.bound),
        "bound_by_losses": _bound(run.facts.by_losses),
        "origin": None if run.facts.origin is None else run.facts.origin.sentence,
        "cycle": f"{run.run.cycles[0]}." if 0 in run.run.cycles else None,
        "certificate": _certificate(run),
        "kernel": None if linear else str(run.problem.kernel),
        "checked": _verification(run),
    }


def describe_end(run: LabRun) -> str:
    """Why the run ended, in a sentence."""
    last = run.run.passes[-1]
    match run.run.stop_reason:
        case StopReason.CLEAN_PASS:
            enough = "" if run.problem.rule == "rosenblatt" else " by enough"
            return f"Pass {last.number:,} changed nothing: every point is on its own side{enough}."
        case StopReason.CYCLE:
            repeats = str(run.run.cycles[0]) if 0 in run.run.cycles else "the passes repeat for ever"
            if isinstance(run.certified.certificate, Separable):
                return f"The steps are lost to rounding in doubles: the weights of an earlier pass came back, and {repeats}."
            return f"The weights of an earlier pass came back, so {repeats}: no number of passes is enough."
        case StopReason.ON_PASS:
            updates = sum(one.updates for one in run.run.passes)
            so_far = f"{amount(updates, 'update')} in {amount(last.number, 'pass', 'passes')}"
            return f"Stopped after {so_far}: the lab allows no more than {UPDATES:,} updates and {EXAMPLES:,} examples."
    passes = "The only pass was made" if last.number == 1 else f"All {last.number:,} passes were made"
    times = "once" if last.updates == 1 else f"{last.updates:,} times"
    return f"{passes}, and the last still changed the weights {times}."


def describe_example(run: LabRun, t: int) -> Json:
    """The example that was handled at time t, counted from 0."""
    n, k = len(run.y), run.updates_before(t)
    number, place = divmod(t, n)
    row = int(run.learner.order_of(run.examples, number)[place])
    update = k < len(run.entries.t) and int(run.entries.t[k]) == t
    linear = run.problem.kernel is None
    if update:
        margin = float(run.entries.margin[k])
    else:
        margin = float(run.y[row] * run.learner.scores(run.X[row : row + 1], run.answering(t)[:1])[0, 0])
    return {
        "pass": number + 1,
        "place": place,
        "row": row,
        "x": run.X[row].tolist(),
        "y": int(run.y[row]),
        "margin": margin,
        "mistake": not margin > 0,
        "update": update,
        "step": float(run.entries.step[k]) if update else 0.0,
        "before": (run.w[k - 1].tolist() if k else [0.0, 0.0, 0.0]) if linear else None,
        "after": run.answering(t + 1)[0].tolist() if linear else None,
    }


def describe_boundaries(run: LabRun, handled: int, view: list[float], columns: int, rows: int) -> Json:
    """The scores of each readout on a grid, row by row from the lowest x2 up, and the errors it makes.

    A vote is constant between two lines, so its boundary cannot be interpolated from the grid: `crossings` has it.
    """
    x1, x2 = np.linspace(view[0], view[1], columns), np.linspace(view[2], view[3], rows)
    grid = np.column_stack([np.tile(x1, rows), np.repeat(x2, columns)])
    decisions = run.decisions(handled, np.concatenate([grid, run.X]))
    scores = {readout: each[: len(grid)] for readout, each in decisions.items()}
    answer: Json = {readout: json_list(each) for readout, each in scores.items()}
    return answer | {
        "errors": {readout: count_wrong(each[len(grid) :] * run.y) for readout, each in decisions.items()},
        "crossings": {
            side: _crossings(run, handled, grid, sign * scores["voted"], sign, columns)
            for side, sign in (("positive", 1), ("negative", -1))
        },
    }


def _crossings(run: LabRun, handled: int, grid: Array, votes: Array, sign: int, columns: int) -> Json:
    """Where the vote becomes positive along the edges of the grid, as a share of each edge, by the number of its first corner."""
    inside = (votes > 0).reshape(-1, columns)
    number = np.arange(len(grid)).reshape(-1, columns)
    answer: Json = {}
    for direction, here, there in (("right", np.s_[:, :-1], np.s_[:, 1:]), ("up", np.s_[:-1, :], np.s_[1:, :])):
        crossed = inside[here] != inside[there]
        first, second, starts = number[here][crossed], number[there][crossed], inside[here][crossed]
        low, high = np.zeros(len(first)), np.ones(len(first))
        for _ in range(HALVINGS if len(first) else 0):
            middle = (low + high) / 2
            at = grid[first] + middle[:, None] * (grid[second] - grid[first])
            same = (sign * run.votes(handled, at) > 0) == starts
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        answer[direction] = dict(zip(map(str, first.tolist()), ((low + high) / 2).tolist(), strict=True))
    return answer


# ---- proofs -----------------------------------------------------------------------------------------------------------------


def _verification(run: LabRun) -> str:
    """Whether `verify` accepts the certificate, and how exactly."""
    certificate, kernel = run.certified.certificate, run.problem.kernel
    if not run.certified.verified or isinstance(certificate, Undecided):
        return ""
    how = "in exact arithmetic" if kernel is None or kernel.exact else "within the tolerance that it states"
    return f"Checked {how}, by code that shares nothing with the learner."


def _widest(run: LabRun) -> Json | None:
    """The hyperplane of widest margin, the bias last, scaled so that ‖w‖ = 1; and its margin."""
    certificate = run.certified.certificate
    if not isinstance(certificate, Separable) or run.problem.kernel is not None:
        return None
    w = floats([*certificate.weights.tolist(), certificate.intercept])
    length = float(np.linalg.norm(w[:-1]))
    return {"w": (w / length).tolist(), "margin": certificate.margin.low} if length > 0 else None


def _outer_curves(run: LabRun) -> Json | None:
    """The outer curves of the proof: kγ ≤ w·u, and ‖w‖ ≤ √(k·bound)·γ, which is √k·R for the plain rule.

    They are drawn to where they cross, by some of their points; `floor_now` and `ceiling_now` have a value for every update.
    None where there is no bound.
    """
    bound, certificate = run.bound, run.certified.certificate
    if not isinstance(certificate, Separable) or run.along is None:
        return None
    if not isinstance(bound, Bound) or finite(bound.value) is None:
        return None
    margin, updates = run.gamma, len(run.entries.t)
    until = min(int(np.ceil(bound.value)) + 1, max(10, MOST_BEYOND * updates))
    drawn, now = np.unique(np.linspace(0, until, CURVE_POINTS).round()), np.arange(1, updates + 1)
    growth = bound.value * (margin / run.facts.radius) ** 2
    floor, ceiling = now * margin, np.sqrt(now * bound.value) * margin
    sides = np.array([floor, run.along, run.norm, ceiling])
    ordered = (np.diff(sides, axis=0) >= -ROUNDING * np.maximum(np.abs(sides[:-1]), np.abs(sides[1:]))).all()
    if not ordered:  # the rounding errors are larger than the margin, and sums in doubles show nothing
        return None
    return {
        "k": drawn.astype(np.int64).tolist(),
        "root": "√k·R" if abs(growth - 1) < 1e-6 else f"√({growth:.4g}·k)·R",
        "floor": (drawn * margin).tolist(),
        "ceiling": (np.sqrt(drawn * bound.value) * margin).tolist(),
        "floor_now": floor.tolist(),
        "ceiling_now": ceiling.tolist(),
    }


def _certificate(run: LabRun) -> Json:
    certificate, linear = run.certified.certificate, run.problem.kernel is None
    rows, multipliers = (certificate.rows, certificate.multipliers) if isinstance(certificate, Inseparable) else ((), ())
    total = sum(multipliers, Fraction(0))
    meeting = None
    if isinstance(certificate, Inseparable) and linear and run.problem.intercept:
        meeting = meeting_point(run.X, certificate.rows, certificate.multipliers, run.y > 0).tolist()
    return {
        "outcome": certificate.outcome,
        "sentence": str(certificate),
        "rows": list(rows),
        "multipliers": [rational_text(each) for each in multipliers],  # exact
        "short_multipliers": [short_number(each) for each in multipliers],
        "shares": [float(each / total) for each in multipliers],
        "meeting": meeting,
        "origin": isinstance(certificate, Inseparable) and linear and not run.problem.intercept,
        "support": list(certificate.hull.rows) if isinstance(certificate, Separable) and linear else [],
    }


def _bound(bound: Bound | NoBound) -> Json:
    if isinstance(bound, NoBound):
        return {"why": bound.why}
    if (value := finite(bound.value)) is None:
        return {"why": "it is too large for a double"}
    return {"value": value, "theorem": bound.theorem, "of": bound.of}


# ---- numbers ----------------------------------------------------------------------------------------------------------------


def amount(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def json_list(numbers: Array) -> list[Any]:
    """An array as nested lists, with None for what is not finite."""
    if np.isfinite(numbers).all():
        return list(numbers.tolist())
    return [json_list(each) if each.ndim else finite(each) for each in numbers]


def _quotient(above: Array, below: Array) -> Array:
    """NaN where `below` is 0."""
    quotient: Array = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotient
