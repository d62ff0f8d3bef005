"""Decide whether linear constraints can all hold: lower ≤ A·x ≤ upper, with bounds on x itself; with a proof either way (F17).

Cheap tests come first: limits that contradict each other; the point within the bounds nearest to 0; and a perceptron with a
small budget, if there may be an interior point. For the rest HiGHS proposes a basis, in floats, and exact arithmetic decides
from there: the simplex of [dutertre2006fast], which has no objective and always ends. Every answer is checked exactly.
"""

import math
import time
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.engine.labelled_rows import examples
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import alone
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.proof.certificate import Feasible, Hull, Infeasible, System, Undecided, Work, weights_array
from novikoff.proof.exact import Signed, Weights, as_numbers, weights
from novikoff.proof.exact_constraints import row_ends, violated
from novikoff.proof.fingerprint import of_system
from novikoff.proof.rationals import Number, coprime, whole_multiples
from novikoff.solve.block_triangular import BlockTriangular
from novikoff.solve.nearest_point import OutOfTimeError, column_scales, deadline, row_scales

Answer = Feasible | Infeasible | Undecided

PASSES = 50  # of the perceptron: some hundredths of a second for a small system
LOOKS = 10  # attempts of HiGHS, each at a finer scale than the one before
GREEDY = 1_000  # pivots at the largest violation; from then on at the first, which always ends (Bland)
PROPOSED, PIVOTED = "HiGHS's basis", "exact simplex"


def solve_system(A: Any, lower: Any = None, upper: Any = None, bounds: Any = None, *, budget: float | None = None) -> Answer:
    """Decide whether a point x with lower ≤ A·x ≤ upper, within bounds, exists.

    The answer is a certificate: Feasible, Infeasible or Undecided. A is an array or sparse matrix of integers or floats. lower
    and upper are one number for each row, or one for all rows (default: no limit). None stands for no limit, also in a list. If
    both are equal, the row is an equation.
    `bounds` are the limits of x: one pair for each column, or one for all, or None. Without a `budget`, in seconds, the answer is
    never Undecided.

    >>> print(solve_system([[1, 1], [1, -1]], [2, 0], [2, 0]).x)
    [1. 1.]
    >>> print(solve_system([[1, 2]], 4, None, [(None, 1), (None, 1)]))
    Infeasible: 1 of the 1 rows (0) and the bounds of 2 of the 2 coordinates contradict each other.
    Weighted by the multipliers they add up to a contradiction, exactly; found by HiGHS's basis.
    """
    A = as_numbers(A)
    constraints = _Constraints(A, *row_ends(A, lower, upper, bounds))
    until = deadline(budget)
    with alone:  # matrices are small: threads would only wait for each other
        try:
            return constraints.decided(until)
        except OutOfTimeError:
            return Undecided(constraints.data, f"the budget of {budget:g} s is used up", math.inf, Hull())


class _Constraints:
    """The variables are the coordinates of x, then the rows of A·x. Each has two ends (limits), which may be infinite."""

    def __init__(self, A: Matrix, lower: Array, upper: Array, low: Array, high: Array) -> None:
        rows, self.width = map(int, A.shape)
        self.z = Signed(A, np.ones(rows), False)
        self.low, self.high = np.concatenate([low, lower]), np.concatenate([high, upper])
        self.data = System(rows, self.width, str(of_system(A, lower, upper, low, high)))

    def decided(self, until: float) -> Answer:
        crossed = np.flatnonzero(self.low > self.high)
        if len(crossed):
            k = int(crossed[0])
            return self.infeasible([(k, Fraction(1)), (k, Fraction(-1))], "a look at the ends", Work())
        nearest = weights(np.clip(0.0, self.low, self.high)[: self.width].tolist())
        if self.violated(nearest) is None:
            return self.feasible(nearest.floats, "a look at the point nearest to 0", Work())
        return self.by_the_perceptron(until) or self.by_the_simplex(until)

    def violated(self, x: Weights) -> int | None:
        """The first variable that is not between its ends, in exact arithmetic; None if every one is."""
        for k, n in enumerate(x.whole):
            if not self.between_ends(k, n * x.scale):
                return k
        row = violated(self.z, x, self.low[self.width :], self.high[self.width :])
        return None if row is None else self.width + row

    def between_ends(self, k: int, value: Fraction) -> bool:
        return float(self.low[k]) <= value <= float(self.high[k])

    def value(self, k: int, x: Weights) -> Fraction:
        return x.whole[k] * x.scale if k < self.width else self.z.score(k - self.width, x)

    # ---- an interior point ------------------------------------------------------------------------------------------

    def by_the_perceptron(self, until: float) -> Feasible | None:
        """An interior point x/t, if a few passes find one: the (x, t) with t·low < (x, A·x) < t·high and t > 0 form a cone."""
        if (self.low == self.high).any():
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
        lower, upper = np.flatnonzero(np.isfinite(self.low)), np.flatnonzero(np.isfinite(self.high))
        ends = np.concatenate([self.low[lower], self.high[upper]])
        variables = sp.vstack([sp.eye_array(self.width), sp.csr_array(self.z.X)]).tocsr()
        rows = sp.hstack([variables[np.concatenate([lower, upper])], sp.csr_array(-ends[:, None])])
        t = sp.csr_array(([1.0, -1.0], ([0, 1], [self.width] * 2)), (2, self.width + 1))  # once for each class
        rows = sp.vstack([rows, t]).tocsr()
        is_lower = np.concatenate([np.repeat([True, False], [len(lower), len(upper)]), [True, False]])
        says_something = np.diff(rows.indptr) > 0
        return Signed(rows[says_something], np.ones(says_something.sum()), False), is_lower[says_something]

    # ---- the simplex ------------------------------------------------------------------------------------------------

    def by_the_simplex(self, until: float) -> Answer:
        """Go from a basis that HiGHS proposes to one that gives a point, or that has a contradiction as a row of its tableau.

        A basic variable beyond an end is set to that end, and a variable that can still move becomes basic instead. If none can
        move, the ends of the others contradict the end that was exceeded. Before any pivot HiGHS is called again: if it found no
        violation, its scale may have been too coarse [gleixner2016iterative].
        """
        adviser = _Adviser(self.z) if self.width else None
        basis, looks, pivots, method = self.proposed(adviser, self.low, self.high, until), 1, 0, PROPOSED
        if basis is None:  # start from the rows
            basis, looks, method = self.basis(np.arange(len(self.low)) >= self.width, False), LOOKS, PIVOTED
        while time.monotonic() < until:
            x = basis.point
            leaving = self.worst(x, basis.suspect) if pivots < GREEDY else self.violated(x)
            if leaving is None:
                return self.feasible(self.in_doubles(x), method, Work(steps=pivots))
            sign = 1 if self.value(leaving, x) < float(self.low[leaving]) else -1
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

    def end(self, k: int, multiplier: Fraction) -> float:
        """The end of variable k that a multiplier refers to."""
        return float(self.low[k] if multiplier > 0 else self.high[k])

    def worst(self, x: Weights, suspect: int | None) -> int | None:
        """A variable beyond an end: the suspect, or the one farthest beyond in floats; None if there is none."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.concatenate([x.floats, self.z.scores(x.floats)])
            beyond = np.nan_to_num(np.maximum(self.low - values, values - self.high), nan=-np.inf)
        k = int(np.argmax(beyond)) if suspect is None else suspect
        return self.violated(x) if self.between_ends(k, self.value(k, x)) else k

    def magnified(self, x: Weights, k: int) -> tuple[Array, Array]:
        """The ends relative to x, scaled so that variable k, which is beyond an end, is about 1 beyond it."""
        values = [self.value(v, x) for v in range(len(self.low))]
        end = self.low[k] if values[k] < float(self.low[k]) else self.high[k]
        beyond = abs(values[k] - Fraction(float(end)))
        power = Fraction(2) ** max(0, beyond.denominator.bit_length() - beyond.numerator.bit_length())

        def seen(end: float, value: Fraction) -> float:
            try:
                return float((Fraction(end) - value) * power) if math.isfinite(end) else end
            except OverflowError:
                return math.inf if end > value else -math.inf

        low, high = (np.array(list(map(seen, ends.tolist(), values))) for ends in (self.low, self.high))
        return low, high

    def proposed(self, adviser: "_Adviser | None", low: Array, high: Array, until: float) -> "_Basis | None":
        """The basis that HiGHS ends with, if it is a valid one."""
        found = None if adviser is None else adviser.proposal(low, high, until)
        basis = None if found is None else self.basis(*found)
        try:
            return basis if basis is not None and basis.point else None
        except ZeroDivisionError:  # it is singular, which floats did not show
            return None

    def basis(self, basic: Array, at_high: Array | bool, suspect: int | None = None) -> "_Basis":
        """The other variables are set to their lower end, to the upper end if `at_high`, to the only end there is, or to 0."""
        first, second = np.where(at_high, self.high, self.low), np.where(at_high, self.low, self.high)
        at = np.where(np.isfinite(first), first, np.where(np.isfinite(second), second, 0.0))
        return _Basis(self.z, basic, at.tolist(), suspect)

    # ---- certificates -----------------------------------------------------------------------------------------------

    def in_doubles(self, x: Weights) -> Array:
        """The point rounded to doubles, if that satisfies every constraint; otherwise unchanged."""
        if np.isfinite(x.floats).all() and self.violated(weights(x.floats.tolist())) is None:
            return x.floats
        return weights_array([n * x.scale for n in x.whole])

    def feasible(self, x: Array, method: str, work: Work) -> Feasible:
        with np.errstate(over="ignore", invalid="ignore"):
            slack = self.z.scores(weights(x.tolist()).floats) - self.low[self.width :]
        return Feasible(self.data, x, method, work, slack)

    def infeasible(self, proof: Iterable[tuple[int, Fraction]], method: str, work: Work) -> Infeasible:
        """The certificate, with the multipliers of variables split into those of coordinates and of rows."""
        named = sorted(proof)
        whole = coprime(multiplier for _, multiplier in named)
        columns = sum(k < self.width for k, _ in named)
        rows = tuple(k - self.width for k, _ in named[columns:])
        return Infeasible(
            self.data, rows, tuple(whole[columns:]), tuple(k for k, _ in named[:columns]), tuple(whole[:columns]), method, work
        )


class _Adviser:
    """HiGHS, which proposes bases in floats. Rows and columns are scaled by powers of two, which does not change bases."""

    def __init__(self, z: Signed) -> None:
        import highspy  # only when needed

        columns = column_scales(z)
        sizes = row_scales(z, columns)
        self.A = sp.csr_array(z.rows(np.arange(len(z)), columns, sizes))
        self.rows, self.width, self.units = len(z), z.length, np.concatenate([1 / columns, sizes])
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = self.width, self.rows
        model.col_cost_ = model.col_lower_ = model.col_upper_ = np.zeros(self.width)
        model.row_lower_ = model.row_upper_ = np.zeros(self.rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = self.A.indptr, self.A.indices, self.A.data
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options: dict[str, bool | float | str] = {
            "output_flag": False,
            "presolve": "off",
            "solver": "simplex",
            "parallel": "off",
            "threads": 1,
        }
        for name, value in (options | {"primal_feasibility_tolerance": 1e-10}).items():
            self.highs.setOptionValue(name, value)
        self.highs.passModel(model)

    def proposal(self, low: Array, high: Array, until: float) -> tuple[Array, Array, int | None] | None:
        """The variables that are basic at the end, those at their upper ends, and one whose row may be a contradiction."""
        from highspy import HighsBasisStatus, HighsModelStatus, HighsStatus

        with np.errstate(over="ignore"):
            low, high = low * self.units, high * self.units
        every = np.arange(len(low), dtype=np.int32)
        self.highs.changeColsBounds(self.width, every[: self.width], low[: self.width], high[: self.width])
        self.highs.changeRowsBounds(self.rows, every[: self.rows], low[self.width :], high[self.width :])
        self.highs.setOptionValue("time_limit", max(0.0, until - time.monotonic()))
        if self.highs.run() == HighsStatus.kError:
            self.highs.setOptionValue("threads", 0)  # the number may have been set elsewhere in this process
            self.highs.run()
        infeasible = self.highs.getModelStatus() == HighsModelStatus.kInfeasible
        ray = self.highs.getDualRay()[2] if infeasible and self.highs.getDualRayExist()[1] else None
        found = self.highs.getBasis()
        status = np.array([int(s) for s in [*found.col_status, *found.row_status]])
        basic = status == int(HighsBasisStatus.kBasic)
        if not found.valid or len(status) != len(every) or basic.sum() != self.rows:
            return None
        # A ray is a row of the tableau, up to rounding: it has only one basic variable.
        suspect = None if ray is None else int(np.argmax(np.abs(np.concatenate([self.A.T @ ray, ray])) * basic))
        return basic, status == int(HighsBasisStatus.kUpper), suspect


class _Basis:
    """Some variables, as many as there are rows, are basic: the others determine their values. The others are `at` an end.

    The nonbasic rows and the basic coordinates form a square matrix, from which everything else is computed. The suspect is a
    basic variable whose row may be a contradiction.
    """

    def __init__(self, z: Signed, basic: Array, at: list[float], suspect: int | None = None) -> None:
        self.z, self.basic, self.at, self.suspect = z, basic, at, suspect
        self.coordinates = np.flatnonzero(basic[: z.length]).tolist()
        self.place = {j: place for place, j in enumerate(self.coordinates)}
        self.rows = np.flatnonzero(~basic[z.length :]).tolist()
        lines = [self.line(i) for i in self.rows]
        self.scales = [scale for _, scale in lines]
        self.matrix = BlockTriangular([line for line, _ in lines])

    def line(self, i: int) -> tuple[dict[int, int], Fraction]:
        """Row i at the basic coordinates, as integers by place, and their common factor."""
        columns, values = self.z.z(i)
        whole, scale = whole_multiples(values)
        return {self.place[j]: n for j, n in zip(columns, whole, strict=True) if j in self.place}, scale

    @cached_property
    def point(self) -> Weights:
        """All coordinates of the point at which the nonbasic rows are at their ends too."""
        numbers: list[Number] = [0.0 if self.basic[j] else self.at[j] for j in range(self.z.length)]
        fixed = weights(numbers)
        missing = [Fraction(self.at[self.z.length + i]) - self.z.score(i, fixed) for i in self.rows]
        solved = self.matrix.solve([m / scale for m, scale in zip(missing, self.scales, strict=True)])
        for j, number in zip(self.coordinates, solved, strict=True):
            numbers[j] = number
        return weights(numbers)

    def row_of(self, k: int) -> dict[int, Fraction]:
        """Multipliers with which the variables sum to 0 identically: 1 for k, which is basic, others for nonbasic variables."""
        i = k - self.z.length
        if i < 0:
            wanted, multipliers = [Fraction(j == k) for j in self.coordinates], dict[int, Fraction]()
        else:
            line, scale = self.line(i)
            wanted, multipliers = [line.get(place, 0) * scale for place in range(len(self.rows))], {i: Fraction(1)}
        solved = self.matrix.transposed.solve(wanted)
        multipliers |= {r: -n / scale for r, n, scale in zip(self.rows, solved, self.scales, strict=True) if n}
        left, scale = self.z.combined(list(multipliers), list(multipliers.values()))
        of_coordinates = {j: -n * scale for j, n in left.items() if n}
        return of_coordinates | {self.z.length + r: m for r, m in multipliers.items()}

    def same_as(self, other: "_Basis") -> bool:
        return bool((self.basic == other.basic).all()) and self.at == other.at

    def pivot(self, leaving: int, end: float, entering: int) -> "_Basis":
        basic, at = self.basic.copy(), self.at.copy()
        basic[leaving], basic[entering], at[leaving] = False, True, end
        return _Basis(self.z, basic, at)
