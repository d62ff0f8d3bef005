"""Decide whether linear constraints can all hold: lower ≤ A·x ≤ upper, with bounds on x itself; with a proof either way (F17).

Cheap tests come first: limits that contradict each other; the point within the bounds nearest to 0; and a perceptron with a
small budget, if there may be an interior point. For the rest HiGHS proposes a basis, in floats, and exact arithmetic decides
from there: the simplex of [dutertre2006fast], which has no objective and always ends. Every answer is checked exactly.

With an objective, HiGHS is asked for the best point. From the first feasible basis, the textbook simplex with Bland's rule
[bland1977new] goes on in exact arithmetic until the basis is optimal, or until nothing stops a direction in which the objective
gets better. HiGHS's basis is nearly always optimal already.
"""

import math
import time
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.engine.labelled_rows import examples
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import alone
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.proof.certificate import (
    DOUBLES,
    RATIONALS,
    Feasible,
    Hull,
    Infeasible,
    Optimal,
    System,
    Unbounded,
    Undecided,
    Work,
    weights_array,
)
from novikoff.proof.exact import Signed, Weights, nearest_double, weights
from novikoff.proof.exact_constraints import row_ends, violated
from novikoff.proof.fingerprint import of_ends, of_system
from novikoff.proof.rational_matrix import Ends, RationalMatrix, numbers_of, signed
from novikoff.proof.rationals import Number, coprime
from novikoff.solve.adviser import Adviser
from novikoff.solve.exact_basis import Basis
from novikoff.solve.nearest_point import OutOfTimeError, column_scales, deadline, row_scales
from novikoff.solve.objectives import Objective

Answer = Feasible | Infeasible | Optimal | Unbounded | Undecided

PASSES = 50  # of the perceptron: some hundredths of a second for a small system
LOOKS = 10  # attempts of HiGHS, each at a finer scale than the one before
GREEDY = 1_000  # pivots at the largest violation; from then on at the first, which always ends (Bland)
PROPOSED, PIVOTED = "HiGHS's basis", "exact simplex"


def solve_system(
    A: Any,
    lower: Any = None,
    upper: Any = None,
    bounds: Any = None,
    *,
    maximize: Any = None,
    minimize: Any = None,
    budget: float | None = None,
) -> Answer:
    """Decide whether a point x with lower ≤ A·x ≤ upper, within bounds, exists; with an objective, find the best one.

    The answer is a certificate: Feasible, Infeasible or Undecided. A is an array or sparse matrix of integers or floats, or an
    array of fractions or decimals, which are taken as they are. lower and upper are one number for each row, or one for all rows
    (default: no limit). None stands for no limit, also in a list. If both are equal, the row is an equation. `bounds` are the
    limits of x: one pair for each column, or one for all, or None. Without a `budget`, in seconds, the answer is never Undecided.

    `maximize` or `minimize` is an objective, one number for each column. Then the answer is Optimal, with the point, the value
    and the multipliers that prove that no point is better; or Unbounded, with a point and a direction; or Infeasible or
    Undecided.

    >>> print(solve_system([[1, 1], [1, -1]], [2, 0], [2, 0]).x)
    [1. 1.]
    >>> print(solve_system([[1, 2]], 4, None, [(None, 1), (None, 1)]))
    Infeasible: 1 of the 1 rows (0) and the bounds of 2 of the 2 coordinates contradict each other.
    Weighted by the multipliers they add up to a contradiction, exactly; found by HiGHS's basis.
    >>> print(solve_system([[3, 1], [1, 2]], upper=[6, 5], bounds=(0, None), maximize=[1, 1]).value)
    16/5
    """
    A = numbers_of(A)
    constraints = _Constraints(A, *row_ends(A, lower, upper, bounds))
    objective = Objective.of(maximize, minimize, constraints.width)
    until = deadline(budget)
    with alone:  # matrices are small: threads would only wait for each other
        try:
            return constraints.decided(until) if objective is None else constraints.best(objective, until)
        except OutOfTimeError:
            return Undecided(constraints.data, f"the budget of {budget:g} s is used up", math.inf, Hull())


class _Constraints:
    """The variables are the coordinates of x, then the rows of A·x. Each has two ends (limits), which may be infinite."""

    def __init__(self, A: Matrix | RationalMatrix, lower: Ends, upper: Ends, low: Ends, high: Ends) -> None:
        rows, self.width = map(int, A.shape)
        self.z = signed(A, np.ones(rows), False)
        self.low, self.high = low.then(lower), high.then(upper)
        numbers = RATIONALS if isinstance(A, RationalMatrix) or self.low.exact or self.high.exact else DOUBLES
        self.found = of_system(A, lower, upper, low, high)
        self.data = System(rows, self.width, str(self.found), numbers)

    def decided(self, until: float) -> Answer:
        if (answer := self.contradicted_by_ends()) is not None:
            return answer
        nearest = [self.within_ends(k, 0.0) for k in range(self.width)]
        if self.violated(weights(nearest)) is None:
            return self.feasible(weights_array(nearest), "a look at the point nearest to 0", Work())
        return self.by_the_perceptron(until) or self.by_the_simplex(until)

    def best(self, objective: Objective, until: float) -> Answer:
        if (answer := self.contradicted_by_ends()) is not None:
            return answer
        found = self.feasible_basis(until, objective)
        return found if isinstance(found, Infeasible) else self.improved(found, objective, until)

    def contradicted_by_ends(self) -> Infeasible | None:
        k = self.crossed()
        return None if k is None else self.infeasible([(k, Fraction(1)), (k, Fraction(-1))], "a look at the ends", Work())

    @cached_property
    def ends_of_rows(self) -> tuple[Ends, Ends]:
        return self.low.after(self.width), self.high.after(self.width)

    def violated(self, x: Weights) -> int | None:
        """The first variable that is not between its ends, in exact arithmetic; None if every one is."""
        for k, n in enumerate(x.whole):
            if not self.between_ends(k, n * x.scale):
                return k
        row = violated(self.z, x, *self.ends_of_rows)
        return None if row is None else self.width + row

    def crossed(self) -> int | None:
        """The first variable whose lower end is above its upper end; None if there is none."""
        near = np.flatnonzero(self.low.floats >= self.high.floats).tolist()  # to round to the nearest double keeps the order
        return next((k for k in near if self.low[k] > self.high[k]), None)

    def within_ends(self, k: int, value: Number) -> Number:
        return min(max(value, self.low[k]), self.high[k])

    def between_ends(self, k: int, value: Fraction) -> bool:
        return self.low[k] <= value <= self.high[k]

    def value(self, k: int, x: Weights) -> Fraction:
        return x.whole[k] * x.scale if k < self.width else self.z.score(k - self.width, x)

    # ---- an interior point ------------------------------------------------------------------------------------------

    def by_the_perceptron(self, until: float) -> Feasible | None:
        """An interior point x/t, if a few passes find one: the (x, t) with t·low < (x, A·x) < t·high and t > 0 form a cone."""
        if (self.low.floats == self.high.floats).any():
            return None
        cone, is_lower = self.cone()
        columns = column_scales(cone)
        try:
            rows = cone.rows(np.arange(len(cone)), columns, row_scales(cone, columns))
            seen = examples(rows, is_lower.astype(np.int8), constant=0)
        except ValueError:  # some rows overflow or underflow
            return None
        learner = Learner("rosenblatt", order="each")
        run = learner.fit(seen, PASSES, on_pass=lambda _: time.monotonic() > until)
        if run.stop_reason is not StopReason.CLEAN_PASS:
            return None
        with np.errstate(all="ignore"):
            *numbers, t = learner.team.w[0, :-1] * columns
            x = np.array(numbers) / t
        if not np.isfinite(x).all() or self.violated(weights(x.tolist())) is not None:
            return None
        return self.feasible(x, "the perceptron", Work(steps=sum(done.updates for done in run.passes)))

    def cone(self) -> tuple[Signed, Array]:
        """The rows of the cone as two classes: (a, −end) has a positive score for a lower end, a negative one for an upper."""
        low, high = self.low.floats, self.high.floats
        lower, upper = np.flatnonzero(np.isfinite(low)), np.flatnonzero(np.isfinite(high))
        ends = np.concatenate([low[lower], high[upper]])
        variables = sp.vstack([sp.eye_array(self.width), sp.csr_array(self.z.X)]).tocsr()
        rows = sp.hstack([variables[np.concatenate([lower, upper])], sp.csr_array(-ends[:, None])])
        t = sp.csr_array(([1.0, -1.0], ([0, 1], [self.width] * 2)), (2, self.width + 1))  # once for each class
        rows = sp.vstack([rows, t]).tocsr()
        is_lower = np.concatenate([np.repeat([True, False], [len(lower), len(upper)]), [True, False]])
        says_something = np.diff(rows.indptr) > 0
        return Signed(rows[says_something], np.ones(says_something.sum()), False), is_lower[says_something]

    # ---- the simplex ------------------------------------------------------------------------------------------------

    def by_the_simplex(self, until: float) -> Answer:
        found = self.feasible_basis(until)
        if isinstance(found, Infeasible):
            return found
        return self.feasible(self.in_doubles(found.basis.point), found.method, Work(steps=found.pivots))

    def feasible_basis(self, until: float, objective: Objective | None = None) -> "Reached | Infeasible":
        """Go from a basis that HiGHS proposes to one that gives a point, or that has a contradiction as a row of its tableau.

        A basic variable beyond an end is set to that end, and a variable that can still move becomes basic instead. If none can
        move, the ends of the others contradict the end that was exceeded. Before any pivot HiGHS is called again: if it found no
        violation, its scale may have been too coarse [gleixner2016iterative].
        """
        adviser = Adviser(self.z, objective) if self.width and len(self.z) else None
        basis, looks, pivots, method = self.proposed(adviser, self.low.floats, self.high.floats, until), 1, 0, PROPOSED
        if basis is None:  # start from the rows
            basis, looks, method = self.basis(np.arange(len(self.low)) >= self.width, False), LOOKS, PIVOTED
        while time.monotonic() < until:
            x = basis.point
            leaving = self.worst(x, basis.suspect) if pivots < GREEDY else self.violated(x)
            if leaving is None:
                return Reached(basis, pivots, method)
            sign = 1 if self.value(leaving, x) < self.low[leaving] else -1
            proof = {k: sign * multiplier for k, multiplier in basis.row_of(leaving).items()}
            may_move = [k for k, multiplier in proof.items() if k != leaving and basis.at[k] != self.end(k, multiplier)]
            if not may_move:
                return self.infeasible(proof.items(), method, Work(steps=pivots))
            closer = self.proposed(adviser, *self.magnified(x, leaving), until) if looks < LOOKS else None
            if closer is not None and not closer.same_as(basis):
                basis, looks = closer, looks + 1
            else:
                basis, looks, method = basis.pivot(leaving, self.end(leaving, proof[leaving]), min(may_move)), LOOKS, PIVOTED
                pivots += 1
        raise OutOfTimeError

    # ---- the best point ---------------------------------------------------------------------------------------------

    def improved(self, reached: "Reached", objective: Objective, until: float) -> Answer:
        """Go from a feasible basis to one that is optimal, or to a direction in which the objective gets better without end.

        The objective is a combination of the nonbasic variables. If one of these can still move and make it better, it does, as
        far as the basic variables allow. Of several, the first enters and the first leaves, which always ends (Bland).
        """
        basis, pivots, method = reached
        while time.monotonic() < until:
            shares = basis.shares_of(objective.c)
            gains = {k: objective.sign * share for k, share in sorted(shares.items())}
            entering = next((k for k, gain in gains.items() if basis.at[k] != self.far_end(k, gain)), None)
            if entering is None:
                return self.optimal(basis, shares, objective, method, Work(steps=pivots))
            up = 1 if gains[entering] > 0 else -1
            direction = basis.direction(entering, up)
            if (stop := self.first_stop(basis, direction, entering)) is None:
                return self.unbounded(basis, direction, objective, method, Work(steps=pivots))
            leaving, end = stop
            basis = basis.moved(entering, end) if leaving == entering else basis.pivot(leaving, end, entering)
            pivots, method = pivots + 1, PIVOTED
        raise OutOfTimeError

    def far_end(self, k: int, change: Fraction) -> Number:
        """The end of variable k in the direction of a change."""
        return self.high[k] if change > 0 else self.low[k]

    def first_stop(self, basis: Basis, direction: Weights, entering: int) -> tuple[int, Number] | None:
        """The variable that reaches an end first on the way in this direction, and the end; None if none ever does."""
        moving = [entering, *np.flatnonzero(basis.basic).tolist()]
        changes = ((k, self.value(k, direction)) for k in moving)
        ends = ((k, change, self.far_end(k, change)) for k, change in changes if change)
        stops = [((Fraction(end) - self.value(k, basis.point)) / change, k, end) for k, change, end in ends if math.isfinite(end)]
        _, leaving, end = min(stops, default=(None, None, None))
        return None if leaving is None or end is None else (leaving, end)

    def end(self, k: int, multiplier: Fraction) -> Number:
        """The end of variable k that a multiplier refers to."""
        return self.low[k] if multiplier > 0 else self.high[k]

    def worst(self, x: Weights, suspect: int | None) -> int | None:
        """A variable beyond an end: the suspect, or the one farthest beyond in floats; None if there is none."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.concatenate([x.floats, self.z.scores(x.floats)])
            beyond = np.nan_to_num(np.maximum(self.low.floats - values, values - self.high.floats), nan=-np.inf)
        k = int(np.argmax(beyond)) if suspect is None else suspect
        return self.violated(x) if self.between_ends(k, self.value(k, x)) else k

    def magnified(self, x: Weights, k: int) -> tuple[Array, Array]:
        """The ends relative to x, scaled so that variable k, which is beyond an end, is about 1 beyond it."""
        values = [self.value(v, x) for v in range(len(self.low))]
        end = self.low[k] if values[k] < self.low[k] else self.high[k]
        beyond = abs(values[k] - Fraction(end))
        power = Fraction(2) ** max(0, beyond.denominator.bit_length() - beyond.numerator.bit_length())

        def seen(end: Number, value: Fraction) -> float:
            try:
                return float((Fraction(end) - value) * power) if math.isfinite(end) else float(end)
            except OverflowError:
                return math.inf if end > value else -math.inf

        low, high = (np.array(list(map(seen, ends.tolist(), values))) for ends in (self.low, self.high))
        return low, high

    def proposed(self, adviser: Adviser | None, low: Array, high: Array, until: float) -> Basis | None:
        """The basis that HiGHS ends with, if it is a valid one."""
        found = None if adviser is None else adviser.proposal(low, high, until)
        basis = None if found is None else self.basis(*found)
        try:
            return basis if basis is not None and basis.point else None
        except ZeroDivisionError:  # it is singular, which floats did not show
            return None

    def basis(self, basic: Array, at_high: Array | bool, suspect: int | None = None) -> Basis:
        """The other variables are set to their lower end, to the upper end if `at_high`, to the only end there is, or to 0."""
        pairs = zip(self.low.tolist(), self.high.tolist(), np.broadcast_to(at_high, len(self.low)).tolist(), strict=True)
        ordered = ((high, low) if is_high else (low, high) for low, high, is_high in pairs)
        at = [next((end for end in ends if math.isfinite(end)), 0.0) for ends in ordered]
        return Basis(self.z, basic, at, suspect)

    # ---- certificates -----------------------------------------------------------------------------------------------

    def in_doubles(self, x: Weights) -> Array:
        """The point rounded to doubles, if that satisfies every constraint; otherwise unchanged."""
        if np.isfinite(x.floats).all() and self.violated(weights(x.floats.tolist())) is None:
            return x.floats
        return weights_array([n * x.scale for n in x.whole])

    def feasible(self, x: Array, method: str, work: Work) -> Feasible:
        with np.errstate(over="ignore", invalid="ignore"):
            slack = self.z.scores(weights(x.tolist()).floats) - self.low.floats[self.width :]
        return Feasible(self.data, x, method, work, slack)

    def optimal(self, basis: Basis, shares: dict[int, Fraction], objective: Objective, method: str, work: Work) -> Optimal:
        x = basis.point
        value = sum((Fraction(objective.c[j]) * n for j, n in enumerate(x.whole) if n), Fraction(0)) * x.scale
        named = sorted(shares.items())
        columns = sum(k < self.width for k, _ in named)
        return Optimal(
            self.data_with(objective),
            objective.sense,
            near if (near := nearest_double(value)) == value else value,
            _as_array(x),
            tuple(k - self.width for k, _ in named[columns:]),
            tuple(share for _, share in named[columns:]),
            tuple(k for k, _ in named[:columns]),
            tuple(share for _, share in named[:columns]),
            method,
            work,
        )

    def unbounded(self, basis: Basis, direction: Weights, objective: Objective, method: str, work: Work) -> Unbounded:
        data = self.data_with(objective)
        return Unbounded(data, objective.sense, _as_array(basis.point), _as_array(direction), method, work)

    def data_with(self, objective: Objective) -> System:
        numbers = RATIONALS if objective.c.exact else self.data.numbers
        return self.data._replace(fingerprint=str(self.found.then(of_ends(objective.c))), numbers=numbers)

    def infeasible(self, proof: Iterable[tuple[int, Fraction]], method: str, work: Work) -> Infeasible:
        """The certificate, with the multipliers of variables split into those of coordinates and of rows."""
        named = sorted(proof)
        whole = coprime(multiplier for _, multiplier in named)
        columns = sum(k < self.width for k, _ in named)
        rows = tuple(k - self.width for k, _ in named[columns:])
        return Infeasible(
            self.data, rows, tuple(whole[columns:]), tuple(k for k, _ in named[:columns]), tuple(whole[:columns]), method, work
        )


class Reached(NamedTuple):
    """A basis whose point is feasible, the pivots that it took, and who found it."""

    basis: Basis
    pivots: int
    method: str


def _as_array(x: Weights) -> Array:
    """The numbers themselves: doubles if they all are."""
    numbers = [n * x.scale for n in x.whole]
    exact = all(float_ == number for float_, number in zip(x.floats.tolist(), numbers, strict=True))
    return x.floats if exact else weights_array(numbers)
