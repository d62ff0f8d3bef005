"""A perceptron in polynomial time: it stretches space along the weights that it finds [dunagan2008simple] (F15).

If the cone of solutions is narrow, a perceptron needs about 1/γ² steps. This one makes the cone wider. After a short perceptron
phase, an F13 phase finds weights that no row contradicts by more than an angle of σ = 1/(32n). More often than not, such weights
are near the cone. Space is stretched to twice its length along them. O(n log 1/γ) stretches are enough with high probability. If
there is no cone it would never end, so it has limits.

Both phases use the row with the lowest score. Scores are kept for all rows, and each step adds a row of the Gram matrix to
them, so the time of a step depends on the number of rows and not on their length. There are few rows: only those that were
violated so far.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from novikoff.compiler import helper, loop
from novikoff.compiler.dispatch import compiled
from novikoff.foundation.array_types import Array
from novikoff.proof.exact import Signed
from novikoff.solve.nearest_point import column_scales, row_scales

WIDEST = 1000  # weights, at most: the space is a square matrix of that size
AT_A_TIME = 300  # at least this many rows are added in a round
SLICE = 30_000_000  # scores changed between two checks of the time and for Ctrl-C
ROUNDS = 104  # of F13 in a row: if a cone exists, all of them fail with a probability below 10⁻⁶ (F14)
STRETCHES = 32  # per weight; docs/cones.md says how narrow the cone may be
STEPS = 2 * 10**8


Proof = TypeVar("Proof")


class Stage(NamedTuple):
    """The state before space was stretched, or at the end."""

    rows: Array  # the rows in use, of length 1, in the stretched space
    space: Array  # B: weights x of the stretched space are B·x in the original space, up to column scales
    x: Array | None  # in the stretched space: the solution, or the direction of the stretch; None if not found
    steps: int  # so far


class Rescaled(NamedTuple, Generic[Proof]):
    w: Array  # a solution; otherwise the weights found that get the fewest rows wrong
    proof: Proof | None  # that w is a solution; None if it is not
    steps: int
    stretches: int
    why: str = ""  # why there is no proof


def perceptron_phase(n: int) -> int:
    """The number of steps of F1 before each stretch."""
    return 16 * n * n


def narrowest(n: int) -> float:
    """The σ of the F13 phase."""
    return 1 / (32 * n)


def most_updates(n: int, sigma: float) -> int:
    """ln n / σ²: from a good start, F13 makes no more updates (F13)."""
    return math.floor(math.log(n) / sigma**2)


def check_seed(seed: object) -> None:
    if not (isinstance(seed, int | np.integer) and seed >= 0):
        raise ValueError(f"the seed must be a whole number and not negative; it is {seed!r}")


def rescaled(
    z: Signed,
    proof_of: Callable[[Array], Proof | None],
    *,
    seed: int = 0,
    begin_with: Array | None = None,
    phase: int | None = None,
    max_stretches: int | None = None,
    max_steps: int = STEPS,
    until: float = math.inf,
    on_stage: Callable[[Stage], object] = lambda stage: None,
) -> Rescaled[Proof]:
    """Find weights with w·z > 0 on every row, computed in floats and confirmed by `proof_of`, which returns a proof or None.

    It works on some of the rows, `begin_with` or the first, and adds others when they are found on the wrong side. A
    perceptron phase has `phase` steps (default: 16n²); with no stretches it is a plain perceptron. `on_stage` is called
    before each stretch, and at the end.
    """
    n = z.length
    if n > WIDEST:
        raise ValueError(f"rescaling keeps a matrix of all weights by all weights, and {n:,} are too many; {WIDEST:,} are not")
    search = _Search(z, seed, begin_with, max_steps, until)
    most = STRETCHES * n if max_stretches is None else max_stretches
    try:
        for stretches in range(most + 1):
            for w in search.perceptron(perceptron_phase(n) if phase is None else phase):
                if (proof := proof_of(w)) is not None:
                    on_stage(search.stage(search.best_inside))
                    return Rescaled(w, proof, search.steps, stretches)
            if stretches < most:
                along = search.improved()
                on_stage(search.stage(along))
                search.stretch(along)
        on_stage(search.stage(None))
    except _SpentError as spent:
        on_stage(search.stage(None))
        return Rescaled(search.best, None, search.steps, stretches, str(spent))
    return Rescaled(search.best, None, search.steps, most, f"space was stretched {most} times, as often as it may be")


class _SpentError(Exception):
    """A limit is reached; the message says which."""


class _Search:
    """The state of the search: some rows, the stretched space, and the number of steps."""

    def __init__(self, z: Signed, seed: int, begin_with: Array | None, max_steps: int, until: float) -> None:
        self.z, self.max_steps, self.until, self.steps = z, max_steps, until, 0
        self.rng = np.random.default_rng(seed)
        self.columns = column_scales(z)
        self.sizes = row_scales(z, self.columns)
        self.joining = max(AT_A_TIME, 2 * z.length)
        self.space = np.eye(z.length)
        self.working = np.arange(len(z)) if begin_with is None else begin_with
        self.working = self.working[: self.joining]
        self.rows = np.empty((0, z.length))
        self._take_in(self.working)
        self.best, self.best_inside, self.fewest = np.zeros(z.length), np.zeros(z.length), len(z) + 1
        self._scores(self.rows.sum(axis=0))  # two guesses, better than what a search without a solution finds:
        self._scores(np.linalg.lstsq(self.rows, np.ones(len(self.rows)))[0])  # the mean, and least squares

    def _take_in(self, more: Array) -> None:
        rows = self.z.rows(more, self.columns, self.sizes)
        self.rows = np.concatenate([self.rows, _unit(rows.toarray() if sp.issparse(rows) else rows)])
        self._look()

    def _look(self) -> None:
        """Compute the rows in the stretched space and their products, from the original rows, so that errors do not grow."""
        self.inside = _unit(self.rows @ self.space)
        self.gram = self.inside @ self.inside.T

    def perceptron(self, limit: int) -> Iterator[Array]:
        """Weights that are right on every row in floats. If they are right only on the rows in use, others are added."""
        before = -1
        while before < len(self.working):
            before = len(self.working)
            scores, taken = np.zeros(before), np.zeros(before)
            self._run(fall_back, scores, taken, limit=limit)
            there = self._scores(taken @ self.inside)
            if not scores.min() > 0:
                return
            wrong = np.flatnonzero(~(there > 0))
            if not len(wrong):
                yield self.best
                return
            lowest = wrong[np.argsort(there[wrong], kind="stable")[: self.joining]]
            fresh = np.setdiff1d(lowest, self.working)
            self.working = np.concatenate([self.working, fresh])
            self._take_in(fresh)

    def _scores(self, x: Array) -> Array:
        """The scores of all rows. The weights, of the stretched space, are kept if they get fewer rows wrong than any before."""
        w = (self.space @ x) * self.columns
        with np.errstate(over="ignore", invalid="ignore"):
            scores: Array = self.z.scores(w) * self.sizes
        wrong = int((~(scores > 0)).sum())
        if (wrong < self.fewest and np.isfinite(w).all()) or wrong == 0:
            self.best, self.best_inside, self.fewest = w, x, wrong
        return scores

    def improved(self) -> Array:
        """Weights of length 1 that no row in use contradicts by an angle above σ (F13), from as many starts as needed."""
        n = self.z.length
        sigma = narrowest(n)
        for _ in range(ROUNDS):
            x = self.rng.standard_normal(n)
            x /= np.linalg.norm(x)
            scores, taken, sqnorm = self.inside @ x, np.zeros(len(self.inside)), np.ones(1)
            self._run(turn_away, scores, taken, sqnorm, sigma, limit=most_updates(n, sigma))
            x = x + taken @ self.inside
            length = np.linalg.norm(x)
            if length > 0 and scores.min() >= -sigma * math.sqrt(max(sqnorm[0], 0.0)):
                unit: Array = x / length
                return unit
        raise _SpentError(f"{ROUNDS} random starts led nowhere, which is all but certain to mean that there is no solution")

    def stretch(self, x: Array) -> None:
        """Stretch space to twice its length along x."""
        self.space += np.outer(self.space @ x, x)
        self.space /= np.abs(self.space).max()
        self._look()

    def stage(self, x: Array | None) -> Stage:
        return Stage(self.inside, self.space.copy(), x, self.steps)

    def _run(self, phase: Any, scores: Array, taken: Array, *others: Any, limit: int) -> None:
        """Run the phase, in slices, until it is over or has made `limit` steps."""
        made = 0
        while made < limit:
            if time.monotonic() > self.until:
                raise _SpentError("the time is used up")
            if self.steps >= self.max_steps:
                raise _SpentError(f"{self.max_steps:,} steps were made, as many as there may be")
            some = min(limit - made, max(1, SLICE // len(scores)), self.max_steps - self.steps)
            now = compiled(phase)(self.gram, scores, taken, *others, some)
            made += now
            self.steps += now
            if now < some:
                return


@loop
def fall_back(gram: Any, scores: Any, taken: Any, limit: Any) -> int:
    """F1 on the row with the lowest score while that is not positive: w += a. Returns the number of steps."""
    for k in range(limit):
        i = least(scores)
        if scores[i] > 0:
            return k
        taken[i] += 1
        move(scores, gram[i], 1.0)
    return limit  # type: ignore[no-any-return]


@loop
def turn_away(gram: Any, scores: Any, taken: Any, sqnorm: Any, sigma: Any, limit: Any) -> int:
    """F13 on the row with the lowest score while w contradicts it by σ: w −= (w·a)a. Returns the number of steps."""
    for k in range(limit):
        i = least(scores)
        score = scores[i]
        if not score < -sigma * np.sqrt(max(sqnorm[0], 0.0)):
            return k
        taken[i] -= score
        sqnorm[0] -= score * score
        move(scores, gram[i], -score)
    return limit  # type: ignore[no-any-return]


@helper
def least(scores: Any) -> Any:
    """The index of the lowest score; on ties, the first."""
    i = 0
    for j in range(1, len(scores)):
        if scores[j] < scores[i]:
            i = j
    return i


@helper
def move(scores: Any, products: Any, step: Any) -> None:
    """Change the scores of all rows by a step along one row."""
    for j in range(len(scores)):
        scores[j] += step * products[j]


def _unit(rows: Array) -> Array:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
