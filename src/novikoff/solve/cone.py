"""The perceptron as a solver: find w with A·w ≥ 1, or multipliers that prove that there is none (F16).

A cone is a problem of two classes of which one is empty: every row is an example of +1, and there is no bias. So every method
that decides separability also decides this, and the answers are the same certificates under other names.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import alone
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.proof.certificate import (
    Certificate,
    Feasible,
    Hull,
    Infeasible,
    Inseparable,
    Separable,
    System,
    Undecided,
    Work,
    weights_array,
)
from novikoff.proof.exact import Signed, Weights, as_numbers, weights
from novikoff.proof.exact_constraints import row_ends
from novikoff.proof.fingerprint import of_system
from novikoff.proof.rational_matrix import RationalMatrix, numbers_of, signed
from novikoff.proof.rationals import Number
from novikoff.solve.linear_systems import solve_system
from novikoff.solve.nearest_point import Nearest, OutOfTimeError, deadline
from novikoff.solve.rescaling import STEPS, check_seed, rescaled
from novikoff.solve.separability.linear import EVIDENCE, Question

Answer = Feasible | Infeasible | Undecided

PASSES = 2**13  # of the sequential perceptron in one attempt, at most; each attempt has twice as many as the one before
CALLS = 10_000  # of an oracle
NARROW, SHORT = 200, 200_000  # up to NARROW weights, `auto` tries SHORT steps of rescaling
EASY_CALLS = 4  # per weight: calls of an oracle by a plain perceptron, before the widest margin is computed
LARGER = (0, 2.0**-48, 2.0**-40, 2.0**-30, 2.0**-20)  # relative excess length that w may have to fit into doubles


class OracleError(ValueError):
    """The oracle returned something that is not a violated row."""


def solve_cone(
    A: Any = None,
    *,
    oracle: Callable[[Array], Any] | None = None,
    n: int | None = None,
    method: str = "auto",
    seed: int = 0,
    max_steps: int | None = None,
    max_stretches: int | None = None,
    max_calls: int = CALLS,
    budget: float | None = None,
) -> Answer:
    """Find w with A·w ≥ 1, exactly (Feasible), or multipliers λ ≥ 0 with λᵀA = 0, exactly (Infeasible).

    Otherwise the answer is Undecided, with the reason.

    Methods: "perceptron" goes through the rows in turn, "most violated" takes the row with the lowest score, "rescaled" stretches
    space between short runs (F15), "highs" starts from a basis of HiGHS, "exact" searches the hull in rational arithmetic. "auto"
    makes a short run of the first, then of rescaling, then looks for the nearest point of the hull, and ends with HiGHS and exact
    arithmetic. Without a `budget`, in seconds, "auto" is never Undecided. `max_steps` and `max_stretches` limit the first three.

    Instead of A, an `oracle` can be given. It is called with w, an array of n numbers, and returns a row with a·w ≤ 0, or None if
    there is none. It is called at most `max_calls` times.

    >>> answer = solve_cone([[2, 1], [-1, 1]])
    >>> answer.w.tolist(), answer.slack.tolist()
    ([1.0, 2.0], [3.0, 0.0])
    >>> print(solve_cone([[1, 0], [-1, 0], [0, 1]]))
    Infeasible: 2 of the 3 rows (0, 1) contradict each other.
    Weighted by the multipliers they add up to a contradiction, exactly; found by the nearest point of the hull.
    """
    for name, cap in (("max_steps", max_steps), ("max_stretches", max_stretches), ("max_calls", max_calls)):
        if cap is not None and not (isinstance(cap, int | np.integer) and cap >= 0):
            raise ValueError(f"{name} must be a whole number and not negative; it is {cap!r}")
    check_seed(seed)
    until = deadline(budget)
    if oracle is not None:
        if A is not None or method != "auto":
            raise ValueError("an oracle takes the place of A, and of the method: give one of them")
        if not callable(oracle) or not (isinstance(n, int | np.integer) and n >= 1):
            raise ValueError("an oracle is something to call, and n says how many weights there are, at least 1")
        with alone:
            return _asked(oracle, int(n), max_calls, until)
    if A is None or n is not None:
        raise ValueError("give A, or an oracle and n")
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
    cone = Cone(numbers_of(A), seed, max_steps, max_stretches, until)
    with alone:  # matrices are small: threads would only wait for each other
        return cone.easy() or METHODS[method](cone)


class Cone:
    """The rows, and the work done on them so far."""

    def __init__(
        self, A: Matrix | RationalMatrix, seed: int, max_steps: int | None, max_stretches: int | None, until: float
    ) -> None:
        self.question = Question(signed(A, np.ones(A.shape[0]), False), None, 1)
        self.seed, self.max_steps, self.max_stretches, self.until = seed, max_steps, max_stretches, until
        self.counts = np.zeros(A.shape[0], np.int64)  # how often each row was a mistake
        self.steps = self.stretches = 0

    @property
    def z(self) -> Signed:
        return self.question.z

    # ---- methods ----------------------------------------------------------------------------------------------------

    def easy(self) -> Answer | None:
        """The answer in cases that need no method: no rows, no columns, or a row of zeros."""
        if not len(self.z):
            return self.feasible(weights([0.0] * self.z.length), Fraction(1), "a look at the rows")
        if not self.z.length:
            return self.infeasible((0,), (Fraction(1),), "a look at the rows")
        proof = self.question.contradiction()
        return None if proof is None else self.infeasible(tuple(proof.rows), tuple(proof.multipliers), "a look at the rows")

    def auto(self) -> Answer:
        self.counts, w = self.question.perceptron(self.until)
        self.steps += int(self.counts.sum())
        if w is not None and (found := self.satisfied_by(w, "the perceptron")):
            return found
        if self.z.length <= NARROW:
            some = np.argsort(-self.counts, kind="stable")
            tried = self._rescaled(SHORT, begin_with=some, max_stretches=self.max_stretches)
            if isinstance(tried, Feasible):
                return tried
        try:
            certificate, *_ = self.question.by_the_hull_in_floats(self.counts, self.until)
        except OutOfTimeError:
            return self.undecided("the budget is used up")
        if certificate is not None:
            return self.answer(certificate, "the nearest point of the hull")
        return self.highs()

    def perceptron(self) -> Answer:
        """F1 over the rows in turn, until none is violated, or the weights repeat themselves, which is also a proof (F9)."""
        seen = self.question.examples()
        if seen is None:
            return self.undecided("the rows are too long or too short for a perceptron in floats")
        if self.max_steps == 0:
            return self.undecided("no steps were allowed")
        learner, passes = Learner("rosenblatt"), 64
        while passes < PASSES and self.steps < (math.inf if self.max_steps is None else self.max_steps):
            run = learner.fit(seen, passes, on_pass=lambda done: time.monotonic() > self.until)
            passes *= 2
            self.steps = learner.ledgers[0].updates
            if run.stop_reason is StopReason.CLEAN_PASS:
                found = self.satisfied_by(learner.weights()[0, :-1], "the perceptron")
                return found or self.undecided("the perceptron is done, but not in exact arithmetic")
            for cycle in run.cycles.values():
                proof = self.question.of_cycle(cycle.rows, cycle.times)
                if proof is not None:
                    return self.answer(proof, "the perceptron, whose weights repeat themselves")
            if run.stop_reason is not StopReason.MAX_ITER:
                break
        return self.undecided(
            f"the perceptron made {self.steps:,} steps and was not done", learner.ledgers[0].entries.row % len(self.z)
        )

    def most_violated(self) -> Answer:
        """F1 on the row with the lowest score, rows scaled to length 1: rescaling without its stretches."""
        most = STEPS if self.max_steps is None else self.max_steps
        return self._rescaled(most, "the perceptron on the most violated row", phase=most + 1, max_stretches=0)

    def rescaled(self) -> Answer:
        most = STEPS if self.max_steps is None else self.max_steps
        return self._rescaled(most, max_stretches=self.max_stretches)

    def _rescaled(self, max_steps: int, method: str = "rescaling", **how: Any) -> Answer:
        made = rescaled(
            self.z, lambda w: self.satisfied_by(w, method), seed=self.seed, max_steps=max_steps, until=self.until, **how
        )
        self.steps += made.steps
        self.stretches += made.stretches
        return replace(made.proof, work=self.work) if made.proof else self.undecided(made.why)

    def highs(self) -> Answer:
        """HiGHS and exact arithmetic on some of the rows. Rows that the answer violates are added, until there are none."""
        working = np.sort(np.argsort(-self.counts, kind="stable")[: max(300, 4 * self.z.length)])
        while True:
            left = self.until - time.monotonic()
            answer = solve_system(self.z.numbers[working], 1.0, np.inf, budget=None if math.isinf(left) else max(0.0, left))
            self.steps += answer.work.steps if isinstance(answer, Feasible | Infeasible) else 0
            match answer:
                case Infeasible():
                    return self.infeasible(tuple(working[list(answer.rows)].tolist()), answer.multipliers, answer.method)
                case Undecided():
                    return self.undecided(answer.why)
            assert isinstance(answer, Feasible), "there is no objective"
            w = weights(answer.w.tolist())
            if (found := self.satisfied_by(w, answer.method)) is not None:
                return found
            wrong = np.setdiff1d(np.argsort(self.z.scores(w.floats), kind="stable")[: max(300, 2 * self.z.length)], working)
            wrong = wrong if len(wrong) else np.setdiff1d([self.z.least(w)[0]], working)
            working = np.sort(np.concatenate([working, wrong]))

    def exact(self) -> Answer:
        try:
            return self.answer(self.question.by_the_hull(self.counts, self.until), "the exact walk through the hull")
        except OutOfTimeError:
            return self.undecided("the budget is used up")

    # ---- answers ----------------------------------------------------------------------------------------------------

    @property
    def work(self) -> Work:
        return Work(self.steps, self.stretches)

    @property
    def system(self) -> System:
        A = self.z.numbers
        found = str(of_system(A, *row_ends(A, 1.0, np.inf, None), hashes=self.question.hashes))
        rows, columns = A.shape
        return System(rows, columns, found, self.question.kind_of_numbers)

    def answer(self, certificate: Certificate, method: str) -> Answer:
        match certificate:
            case Separable():
                w = weights(certificate.weights.tolist())
                return self.feasible(w, self.z.least(w)[1], method)
            case Inseparable():
                return self.infeasible(certificate.rows, certificate.multipliers, method)
        raise AssertionError(certificate)

    def satisfied_by(self, w: Array | Weights, method: str) -> Feasible | None:
        """The answer with these weights, if a·w > 0 on every row, exactly."""
        if not isinstance(w, Weights):
            if not np.isfinite(w).all():
                return None
            w = weights(w.tolist())
        least = self.z.least(w)[1] if len(self.z) else Fraction(1)
        return self.feasible(w, least, method) if least > 0 else None

    def feasible(self, w: Weights, least: Fraction, method: str) -> Feasible:
        numbers = _scaled(self.z, w, least)
        slack = np.maximum(self.z.scores(weights(numbers).floats) - 1, 0.0)
        return Feasible(self.system, weights_array(numbers), method, self.work, slack)

    def infeasible(self, rows: tuple[int, ...], multipliers: tuple[Fraction, ...], method: str) -> Infeasible:
        return Infeasible(self.system, rows, multipliers, (), (), method, self.work)

    def undecided(self, why: str, mistakes: Array | None = None) -> Undecided:
        hull = Hull() if mistakes is None else self.question.hull_of_mistakes(mistakes[:EVIDENCE])
        return Undecided(self.system, why, self.question.upper_end(hull, quickly=True), hull)


METHODS: dict[str, Callable[[Cone], Answer]] = {
    "auto": Cone.auto,
    "perceptron": Cone.perceptron,
    "most violated": Cone.most_violated,
    "rescaled": Cone.rescaled,
    "highs": Cone.highs,
    "exact": Cone.exact,
}


def _scaled(z: Signed, w: Weights, least: Fraction) -> Sequence[Number]:
    """The same direction, scaled so that A·w ≥ 1: in doubles if possible, and hardly longer than needed."""
    exact = [number * w.scale / least for number in w.whole]
    for more in LARGER:
        try:
            doubles = [float(number * (1 + Fraction(more))) for number in exact]
        except OverflowError:
            break
        if more == 0:
            if all(Fraction(double) == number for double, number in zip(doubles, exact, strict=True)):
                return doubles
        elif not len(z) or z.least(weights(doubles))[1] >= 1:
            return doubles
    return exact


# ---- an oracle ------------------------------------------------------------------------------------------------------


class _Asked:
    """An oracle. It is not trusted: every row that it returns is checked, and kept."""

    def __init__(self, oracle: Callable[[Array], Any], n: int) -> None:
        self.oracle, self.n, self.calls = oracle, n, 0
        self.rows: dict[bytes, Array] = {}
        self.near: Nearest | None = None

    @property
    def matrix(self) -> Array:
        return np.array(list(self.rows.values())) if self.rows else np.zeros((0, self.n))

    def cone(self, until: float) -> Cone:
        return Cone(self.matrix, 0, None, None, until)

    def widest(self, until: float) -> Array | Infeasible | Undecided:
        """The weights with the widest margin on the rows seen so far; or why there are none."""
        rows = self.matrix
        if rows.any(axis=1).all():
            question = self.cone(until).question
            near = question.nearest_of(
                np.arange(len(rows)), question.even_scales(), np.ones(len(rows)), start=self.near, until=until
            )
            if (rows @ near.at > 0).all():
                self.near = near  # where to continue when a row was added
                return near.at
        cone = self.cone(until)
        answer = cone.easy() or cone.auto()
        return answer.w.astype(np.float64) if isinstance(answer, Feasible) else answer

    def answer(self, known: Answer) -> Answer:
        """The same answer, about the rows seen. Only the oracle says that no other row is violated."""
        if isinstance(known, Undecided):
            return known
        return replace(known, work=known.work._replace(calls=self.calls), seen=self.matrix)

    def row(self, w: Array) -> Array | None:
        """A row with a·w ≤ 0, or None if the oracle knows none."""
        self.calls += 1
        given = self.oracle(w.copy())
        if given is None:
            return None
        row: Array
        try:
            row = np.asarray(given)
        except ValueError:  # its parts have different lengths
            row = np.array(None)
        if row.dtype.kind not in "biuf" or isinstance(given, np.ma.MaskedArray):
            raise OracleError(f"call {self.calls}: the oracle gave {type(given).__name__}, which is not a row of numbers")
        if row.shape != (self.n,):
            raise OracleError(f"call {self.calls}: the oracle gave a row of shape {row.shape}; rows have {self.n} numbers")
        if not np.isfinite(row).all():
            raise OracleError(f"call {self.calls}: the oracle gave a row with {row[~np.isfinite(row)][0]} in it")
        try:
            row = as_numbers(row[None, :])[0].astype(np.float64)
        except ValueError as error:
            raise OracleError(f"call {self.calls}: the oracle gave a row that is not of doubles; {error}") from None
        z = Signed(row[None, :], np.ones(1), False)
        if z.score(0, weights(w.tolist())) > Fraction(float(z.doubts(w, np.array([0]))[0])):
            raise OracleError(
                f"call {self.calls}: the oracle gave a row with a·w = {float(row @ w):.6g}, which is satisfied; "
                "it must give one with a·w ≤ 0, or None"
            )
        self.rows.setdefault(row.tobytes(), row)
        return row


def _asked(oracle: Callable[[Array], Any], n: int, max_calls: int, until: float) -> Answer:
    """A plain perceptron for a while. Then each call uses the weights with the widest margin on the rows seen so far."""
    asked = _Asked(oracle, n)
    w: Array = np.zeros(n)
    while asked.calls < max_calls and time.monotonic() < until:
        row = asked.row(w)
        if row is None:
            found = asked.cone(until).satisfied_by(w, "an oracle's last word")
            if found is not None:
                return asked.answer(found)
            row = asked.matrix[np.argmin(asked.matrix @ w)]  # violated exactly, though not for the oracle: rounding
        if asked.calls <= EASY_CALLS * n and row.any():
            row = row / np.abs(row).max()  # a square could overflow or underflow
            w += row / np.linalg.norm(row)
            continue
        widest = asked.widest(until)
        if not isinstance(widest, np.ndarray):
            return asked.answer(widest)
        w = widest
    known = asked.cone(until).auto() if asked.rows and time.monotonic() < until else None
    if isinstance(known, Infeasible):
        return asked.answer(known)
    why = "and still gave rows" if asked.calls == max_calls else "and the budget is used up"
    return asked.answer(asked.cone(until).undecided(f"the oracle was asked {asked.calls:,} times, {why}"))
