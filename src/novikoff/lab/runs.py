"""What a run does, example for example, and what is proved of it: every number that the page shows.

The learner makes the run; its ledger is enough to have the weights as of any moment (F10), so nothing is run twice.
"""

import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rule import Bound, Evidence, NoBound
from novikoff.engine.storages import Array
from novikoff.engine.weights.span import Span
from novikoff.lab.problems import EXAMPLES, UPDATES, Problem, RefusedError, finite
from novikoff.learning.bounds import Facts, facts, sqnorms
from novikoff.learning.learner import ORDERS, Learner, Pass, Run, StopReason
from novikoff.plot.certificate import meeting_point
from novikoff.plot.evidence import floats, function_of
from novikoff.proof.certificate import Certificate, Inseparable, Separable, Undecided, rational_text
from novikoff.proof.verify import verify
from novikoff.solve.max_margin import max_margin
from novikoff.solve.rescaling import Stage
from novikoff.solve.separability import separate
from novikoff.solve.separability.linear import Question

KEPT = 16  # runs that are remembered
AT_ONCE = 50_000  # scores of rows by weights held at once: they stay near
ORDERS_TAKE = 5.0  # seconds at most, for the runs in other orders
BEYOND = 5  # times as many updates as were made are drawn of the proof's outer curves, at most
ROUNDING = 1e-9  # of either side, what may be wrong with an inequality between sums
CURVE = 300  # points of such a curve, at most
THROUGH_A_KERNEL = 2.0  # seconds for the question whether a kernel separates the points


class Certified(NamedTuple):
    certificate: Certificate
    verified: bool


@lru_cache(KEPT)
def certified(points: Any, intercept: bool, kernel: Any) -> Certified:
    """Whether the points can be separated, with the proof, and whether a stranger believes it."""
    problem = Problem(points, kernel=kernel)
    X, y = problem.arrays()
    try:
        if kernel is None:
            found = max_margin(X, y, fit_intercept=intercept)
        else:
            found = separate(X, y, kernel=problem.inner_product, fit_intercept=intercept, budget=THROUGH_A_KERNEL)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return Certified(found, bool(verify(found, X, y)))


@lru_cache(KEPT)
def run_of(problem: Problem) -> "LabRun":
    """The run of this problem, made now or remembered."""
    problem.require_both_classes()
    learner, examples, run = learned(problem, problem.order, problem.seed)
    return LabRun(problem, *problem.arrays(), learner, examples, run)


def learned(problem: Problem, order: str, seed: int) -> tuple[Learner, Examples, Run]:
    """The learner after its run, which ends before a pass that might make more updates, or handle more examples, than may be.

    Its readout is the vote: the learner then keeps the rows of its updates, and learns as it does with the last weights.
    """
    made = 0

    def enough(report: Pass) -> bool:
        nonlocal made
        made += report.updates
        return made + report.examples > UPDATES or (report.number + 1) * report.examples > EXAMPLES

    learner = Learner(problem.rule, readout="voted", order=order, seed=seed, kernel=problem.inner_product, skipping=False)
    try:
        examples = learner.space.look(*problem.arrays(), constant=1 if problem.intercept else 0)
        run = learner.fit(examples, problem.passes, on_pass=enough, until_cycle=True)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return learner, examples, run


@dataclass(frozen=True)
class LabRun:
    """A run that is over, and what can be asked about it."""

    problem: Problem
    X: Array
    y: Array
    learner: Learner
    examples: Examples
    run: Run

    @cached_property
    def entries(self) -> Any:
        return self.learner.ledgers[0].entries

    @cached_property
    def handled(self) -> int:
        """Examples in all."""
        return int(self.learner.ledgers[0].tally.examples)

    @cached_property
    def rows(self) -> Array:
        """The rows with the constant coordinate."""
        return np.column_stack([self.X, np.full(len(self.X), float(self.learner.constant))])

    @cached_property
    def changes(self) -> Array:
        """What each update multiplied its row by: y·step."""
        return self.entries.y * self.entries.step  # type: ignore[no-any-return]

    # ---- weights as of a moment -----------------------------------------------------------------------------------------

    @cached_property
    def w(self) -> Array:
        """The weights after each update, the bias last: the same sums in the same order as the learner's."""
        return np.cumsum(self.changes[:, None] * self.rows[self.entries.row], axis=0)

    @cached_property
    def late(self) -> Array:
        """Σ t·change after each update: what the averaged weights lack (F10)."""
        return np.cumsum((self.entries.t * self.changes)[:, None] * self.rows[self.entries.row], axis=0)

    def made(self, handled: int) -> int:
        """Updates made while so many examples were handled."""
        return int(np.searchsorted(self.entries.t, handled))

    def answering(self, handled: int) -> Array:
        """The last and the averaged weights when so many examples were handled, as the learner's space has them."""
        k = self.made(handled)
        space = self.learner.space
        if not isinstance(space, Span):
            if not k:
                return np.zeros((2, 3))
            return np.stack([self.w[k - 1], (handled * self.w[k - 1] - self.late[k - 1]) / handled])
        row, change, t = self.entries.row[:k], self.changes[:k], self.entries.t[:k]
        weighed = np.stack([change, change * (handled - t) / max(1, handled)])
        assert space.stored is not None, "a run from w = 0 begins with an update"
        slot, length = np.searchsorted(space.stored.numbers, row), len(space.stored)
        sums = np.stack([np.bincount(slot, each, length) for each in weighed])
        return np.column_stack([sums, weighed.sum(axis=1) * float(self.learner.constant)])

    def decisions(self, handled: int, X: Array) -> dict[str, Array]:
        """What the last, the averaged and the voted weights say of these rows, as of that moment."""
        last, averaged = self.learner.scores(X, self.answering(handled)).T
        voted = np.concatenate([votes[0, :, 0] for votes in self.learner.votes(self.learner.voters, X, [[handled]])])
        return {"last": last, "averaged": averaged, "voted": voted}

    def errors(self, handled: int) -> dict[str, int]:
        """The points that each readout gets wrong; 0 is never right."""
        return {name: _wrong(said * self.y) for name, said in self.decisions(handled, self.X).items()}

    # ---- how it went ----------------------------------------------------------------------------------------------------

    @cached_property
    def sqnorm(self) -> Array:
        return sqnorms(self.entries, self.examples.sheet.sqnorm[self.entries.row])

    @cached_property
    def norm(self) -> Array:
        return np.sqrt(np.maximum(self.sqnorm, 0))

    @cached_property
    def high(self) -> Array:
        """No separator has a margin above this, by the updates so far (F7)."""
        return np.minimum.accumulate(self.norm / np.cumsum(self.entries.step))

    @cached_property
    def least(self) -> Array:
        """The least y·⟨w, x⟩ over all points, of the weights after each update."""
        z = (self.rows * self.y[:, None]).T
        at_once = max(1, AT_ONCE // len(self.y))
        return np.concatenate([(self.w[k : k + at_once] @ z).min(axis=1) for k in range(0, len(self.w), at_once)])

    @cached_property
    def low(self) -> Array:
        """The best margin of the weights so far, 0 before they first separate (F7)."""
        reached = np.divide(self.least, np.linalg.norm(self.w, axis=1), out=np.zeros(len(self.w)), where=self.least > 0)
        return np.maximum.accumulate(reached)

    # ---- what is proved -------------------------------------------------------------------------------------------------

    @cached_property
    def certified(self) -> Certified:
        return certified(self.problem.points, self.problem.intercept, self.problem.kernel)

    @cached_property
    def u(self) -> Array | None:
        """The widest separator known, of length 1, the bias last."""
        found = self.certified.certificate
        if not isinstance(found, Separable) or self.problem.kernel is not None:
            return None
        w = floats([*found.weights.tolist(), found.intercept])
        return w / np.linalg.norm(w)  # type: ignore[no-any-return]

    @cached_property
    def along_u(self) -> Array | None:
        """What the widest separator known, of length 1, says of each point; None where none is known."""
        found = self.certified.certificate
        if not isinstance(found, Separable):
            return None
        value, length = function_of(found, self.X, None)
        return value(self.X) / length if length > 0 else None

    @cached_property
    def along(self) -> Array | None:
        """w·u after each update."""
        return None if self.along_u is None else np.cumsum(self.changes * self.along_u[self.entries.row])

    @cached_property
    def facts(self) -> Facts:
        """Against the widest separator; where none is known, against the averaged weights, which give a bound for free (F6)."""
        found = self.certified.certificate
        low = found.margin.low if isinstance(found, Separable) else 0.0
        u = None if self.problem.kernel is not None else self.answering(self.handled)[1] if self.u is None else self.u
        return facts(self.learner, self.examples, 0, self.run.passes, low, u)

    @cached_property
    def bound(self) -> Bound | NoBound:
        """By the margin of the separator that the page shows."""
        found = self.certified.certificate
        if isinstance(found, Separable) and found.margin.low > 0:
            return self.learner.bound(Evidence(self.facts.radius, 1 / found.margin.low))
        return NoBound("there is no separator" if isinstance(found, Inseparable) else "no separator is known")

    # ---- what the page is told ------------------------------------------------------------------------------------------

    def told(self) -> dict[str, Any]:
        """Everything about the run at once."""
        linear = self.problem.kernel is None
        return {
            "rows": len(self.y),
            "stop_reason": str(self.run.stop_reason),
            "stopped": self.stopped(),
            "passes": [{"examples": one.examples, "updates": one.updates, "mistakes": one.mistakes} for one in self.run.passes],
            "examples": self.handled,
            "updates": {name: column.tolist() for name, column in self.entries._asdict().items()}
            | {
                "w": self.w.tolist() if linear else None,
                "mistakes": np.cumsum(~(self.entries.margin > 0)).tolist(),
                "least": _listed(self.least) if linear else None,
                "norm": self.norm.tolist(),
                "along": None if self.along is None else self.along.tolist(),
                "cosine": None if self.along is None else _listed(_quotient(self.along, self.norm)),
                "high": self.high.tolist(),
                "low": self.low.tolist() if linear else None,
            },
            "radius": self.facts.radius,
            "u": None if self.u is None else self.u.tolist(),
            "margin": self._margin(),
            "squeeze": self._squeeze(),
            "bound": _bound(self.bound),
            "bound_by_losses": _bound(self.facts.by_losses),
            "cycle": f"{self.run.cycles[0]}." if 0 in self.run.cycles else None,
            "certificate": self._certificate(),
            "kernel": None if linear else str(self.problem.kernel),
            "checked": self._checked(),
        }

    def _checked(self) -> str:
        """Who else believes the certificate, and how far."""
        found, through = self.certified.certificate, self.problem.kernel
        if not self.certified.verified or isinstance(found, Undecided):
            return ""
        how = "in exact arithmetic" if through is None or through.exact else "within the tolerance that it names"
        return f"Checked {how}, by code that shares nothing with the learner."

    def stopped(self) -> str:
        """Why the run ended, in plain words."""
        run, last = self.run, self.run.passes[-1]
        match run.stop_reason:
            case StopReason.CLEAN_PASS:
                enough = "" if self.problem.rule == "rosenblatt" else " by enough"
                return f"Pass {last.number} changed nothing: every point is on its own side{enough}."
            case StopReason.CYCLE:
                said = str(run.cycles[0]) if 0 in run.cycles else "the passes repeat for ever"
                if isinstance(self.certified.certificate, Separable):
                    return (
                        f"In doubles steps are lost to rounding here, the weights came back to where they had been, and {said}."
                    )
                return f"The weights came back to where they had been, so {said}: no number of passes will do."
            case StopReason.ON_PASS:
                made = sum(one.updates for one in run.passes)
                most = f"{UPDATES:,} updates and {EXAMPLES:,} examples"
                return f"{made:,} updates were made in {last.number:,} passes: the lab ends a run before it has more than {most}."
        times = "once" if last.updates == 1 else f"{last.updates:,} times"
        return f"All {last.number:,} passes were made, and the last still changed the weights {times}."

    def _margin(self) -> dict[str, Any] | None:
        found = self.certified.certificate
        return {"low": found.margin.low, "high": finite(found.margin.high)} if isinstance(found, Separable) else None

    def _squeeze(self) -> dict[str, Any] | None:
        """The outer curves of the proof, kγ ≤ w·u and ‖w‖ ≤ √(k·bound)·γ, which is √k·R for the plain rule, to where they cross.

        Of a long way, some of its points, and all of those of the run, `_now`; None where no bound holds.
        """
        bound, margin = self.bound, self._margin()
        if margin is None or self.along is None or not isinstance(bound, Bound) or finite(bound.value) is None:
            return None
        updates = len(self.entries.t)
        until = min(int(np.ceil(bound.value)) + 1, max(10, BEYOND * updates))
        drawn, now = np.unique(np.linspace(0, until, CURVE).round()), np.arange(1, updates + 1)
        growth = bound.value * (margin["low"] / self.facts.radius) ** 2
        root = "√k·R" if abs(growth - 1) < 1e-6 else f"√({growth:.4g}·k)·R"
        told: dict[str, Any] = {"k": drawn.astype(np.int64).tolist(), "root": root}
        for name, k in (("", drawn), ("_now", now)):
            told[f"floor{name}"] = (k * margin["low"]).tolist()
            told[f"ceiling{name}"] = (np.sqrt(k * bound.value) * margin["low"]).tolist()
        sides = np.array([told["floor_now"], self.along, self.norm, told["ceiling_now"]])
        ordered = (np.diff(sides, axis=0) >= -ROUNDING * np.maximum(np.abs(sides[:-1]), np.abs(sides[1:]))).all()
        return told if ordered else None  # where rounding is more than the margin, sums in floats show nothing

    def _certificate(self) -> dict[str, Any]:
        found = self.certified.certificate
        rows, multipliers = (found.rows, found.multipliers) if isinstance(found, Inseparable) else ((), ())
        total = sum(multipliers, Fraction(0))
        told: dict[str, Any] = {
            "outcome": found.outcome,
            "sentence": str(found),
            "rows": list(rows),
            "multipliers": [rational_text(each) for each in multipliers],
            "shares": [float(each / total) for each in multipliers],
            "meeting": None,
            "support": list(found.hull.rows)
            if isinstance(found, Separable) and self.problem.kernel is None
            else [],  # of the widest
        }
        if self.problem.kernel is not None:
            return told
        if isinstance(found, Inseparable) and self.problem.intercept:
            told["meeting"] = meeting_point(self.X, found.rows, found.multipliers, self.y > 0).tolist()
        return told | {"origin": isinstance(found, Inseparable) and not self.problem.intercept}

    def look(self, t: int) -> dict[str, Any]:
        """The example that was handled at time t."""
        n, k = len(self.y), self.made(t)
        number, place = divmod(t, n)
        row = int(self.learner.order_of(self.examples, number)[place])
        update = k < len(self.entries.t) and int(self.entries.t[k]) == t
        linear = self.problem.kernel is None
        if update:
            margin = float(self.entries.margin[k])
        else:
            margin = float(self.y[row] * self.learner.scores(self.X[row : row + 1], self.answering(t)[:1])[0, 0])
        return {
            "pass": number + 1,
            "place": place,
            "row": row,
            "x": self.X[row].tolist(),
            "y": int(self.y[row]),
            "margin": margin,
            "mistake": not margin > 0,
            "update": update,
            "step": float(self.entries.step[k]) if update else 0.0,
            "before": (self.w[k - 1].tolist() if k else [0.0, 0.0, 0.0]) if linear else None,
            "after": self.answering(t + 1)[0].tolist() if linear else None,
        }

    def boundary(self, handled: int, view: list[float], columns: int, rows: int) -> dict[str, Any]:
        """What each readout says at the points of a grid, row by row from the lowest x2 up, and the errors it makes."""
        x1, x2 = np.linspace(view[0], view[1], columns), np.linspace(view[2], view[3], rows)
        grid = np.column_stack([np.tile(x1, rows), np.repeat(x2, columns)])
        said = self.decisions(handled, np.concatenate([grid, self.X]))
        told: dict[str, Any] = {name: _listed(each[: len(grid)]) for name, each in said.items()}
        return told | {"errors": {name: _wrong(each[len(grid) :] * self.y) for name, each in said.items()}}


def orders_of(problem: Problem, runs: int) -> dict[str, Any]:
    """How many mistakes are made in the order given, and in so many others of either kind, or fewer if that takes long (F2).

    Where the bound is one of updates, it is updates that are counted.
    """
    run = run_of(problem)
    if isinstance(run.certified.certificate, Inseparable):
        raise RefusedError("these points cannot be separated, so no order comes to an end: there is nothing to compare")
    until = time.monotonic() + ORDERS_TAKE
    bound, unfinished = run.bound, 0
    of = bound.of if isinstance(bound, Bound) else "mistakes"
    counts: dict[str, Any] = {order: [] for order in ORDERS}
    for order, seed in [("given", 0), *((order, seed) for seed in range(runs) for order in ("once", "each"))]:
        if order != "given" and time.monotonic() > until:
            break
        learner, _, made = learned(problem, order, seed)
        tally = learner.ledgers[0].tally
        counts[order].append(tally.mistakes if of == "mistakes" else tally.updates)
        unfinished += made.stop_reason is not StopReason.CLEAN_PASS
    return counts | {"of": of, "unfinished": unfinished, "bound": finite(bound.value) if isinstance(bound, Bound) else None}


def rescaled_of(problem: Problem) -> dict[str, Any]:
    """Rescaling (F15), stage by stage, through the origin: the plane is the space that is stretched."""
    problem.require_both_classes()
    if isinstance(certified(problem.points, False, None).certificate, Inseparable):
        raise RefusedError("no line through the origin has these points on their own sides, so stretching would go on for ever")
    stages: list[Stage] = []
    try:
        question = Question.about(*problem.arrays(), False)
        _, made = question.by_rescaling(seed=problem.seed, on_stage=stages.append)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return {
        "stages": [
            {
                "rows": _listed(stage.rows),
                "space": _listed(stage.space),
                "w": None if stage.x is None else _listed(stage.x),
                "steps": stage.steps,
            }
            for stage in stages
        ],
        "why": made.why or f"After {made.stretches} stretches and {made.steps:,} steps every point is on its own side, exactly.",
    }


def _quotient(above: Array, below: Array) -> Array:
    """NaN where nothing can be divided."""
    quotient: Array = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotient


def _wrong(margins: Array) -> int:
    return int(np.count_nonzero(~(margins > 0)))


def _listed(numbers: Array) -> list[Any]:
    """As JSON can have them."""
    if np.isfinite(numbers).all():
        return numbers.tolist()  # type: ignore[no-any-return]
    return [_listed(each) if each.ndim else finite(each) for each in numbers]


def _bound(found: Bound | NoBound) -> dict[str, Any]:
    if isinstance(found, NoBound):
        return {"why": found.why}
    if (value := finite(found.value)) is None:
        return {"why": "it is too large for a double"}
    return {"value": value, "theorem": found.theorem, "of": found.of}
