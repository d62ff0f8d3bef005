"""Decide whether weights can have some rows on their own sides and none on the wrong one: quasi-separation (F31), with a proof.

A linear system looks for w with w·z ≥ 0 on every row and a positive sum of w·z over the rows that are still open. While there is
one, rows that it has on their own sides are closed, and the dimension of the open ones falls. Once there is none, the multipliers
of the contradiction are those with which the open rows cancel out: they are the overlap. [albert1984existence; konis2007linear]
"""

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import alone
from novikoff.proof.certificate import Certificate, Feasible, Hull, Infeasible, Separable, Undecided, weights_array
from novikoff.proof.exact import Signed, Weights, weights
from novikoff.proof.quasi_separation import (
    FINITE,
    MINUS,
    PLUS,
    UNDETERMINED,
    UNIDENTIFIED,
    Combination,
    CompletelySeparable,
    NullSpace,
    Overlapping,
    QuasiSeparable,
    SignProof,
)
from novikoff.proof.rationals import Number, coprime, whole_multiples
from novikoff.solve.linear_systems import solve_system
from novikoff.solve.nearest_point import OutOfTimeError, deadline
from novikoff.solve.separability.linear import Question

MOST_COEFFICIENTS = 3000  # their number squared are the entries of a dense matrix
LARGEST = Fraction(np.finfo(np.float64).max)


def quasi_separate(
    X: Any, y: Any, *, fit_intercept: bool = True, positive: Any = None, budget: float | None = None
) -> Certificate:
    """Which rows can weights have on their own sides if no row may be on the wrong one? Which coefficients are infinite?

    The answer is a certificate: CompletelySeparable, QuasiSeparable or Overlapping; and Undecided only after a `budget`, in
    seconds (default: no limit). Its `rows` are those that no such weights have on their own sides, its `coefficients` say what a
    logistic regression does with each column, the intercept last. `positive` is as of `separate`.

    >>> answer = quasi_separate([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], [0, 0, 0, 1, 0])
    >>> print(answer)
    Quasi-separable: a hyperplane has 3 of the 5 rows on their own sides, and none on the wrong one (labels 0 and 1).
    It goes through the other 2: 3, 4. Weighted by the multipliers they cancel out exactly, so every hyperplane without a row on \
the wrong side does.
    +infinite: column 0, column 1.
    -infinite: the intercept.
    >>> answer.coefficients
    ('+infinite', '+infinite', '-infinite')
    """
    until = deadline(budget)
    question = Question.about(X, y, fit_intercept, positive=positive)
    if question.z.rounded:
        raise ValueError("numbers must be doubles here; these are fractions or decimals")
    if question.z.length > MOST_COEFFICIENTS:
        raise ValueError(
            f"there are {question.z.length} coefficients, and at most {MOST_COEFFICIENTS} can be told apart exactly: "
            "leave columns out, or ask `separate`, which takes any number"
        )
    with alone:
        try:
            return _Search(question, until).certificate()
        except OutOfTimeError:
            return Undecided(question.data, f"the budget of {budget:g} s is used up", math.inf, Hull())


class _Search:
    """The rows as one sparse matrix of doubles, one row a z, and what is known so far."""

    def __init__(self, question: Question, until: float) -> None:
        self.question, self.z, self.until = question, question.z, until
        X = sp.csr_array(self.z.X.astype(np.float64))
        ones = sp.csr_array(np.ones((len(self.z), int(self.z.fit_intercept))))
        self.A = sp.csr_array(sp.diags_array(self.z.sign) @ sp.hstack([X, ones]))

    def certificate(self) -> Certificate:
        w, overlap, multipliers = self.partition()
        every = np.arange(len(self.z))
        collinear = null_space(self.z, every, self.until)
        in_overlap = collinear if len(overlap) == len(every) else null_space(self.z, overlap, self.until)
        coefficients, signs, directions = self.coefficients(w, overlap, collinear, in_overlap)
        kind = CompletelySeparable if not len(overlap) else Overlapping if len(overlap) == len(every) else QuasiSeparable
        numbers, columns = [*_numbers(w), 0.0], self.z.X.shape[1]
        return kind(
            self.question.data,
            weights_array(numbers[:columns]),
            numbers[columns],
            tuple(overlap.tolist()),
            tuple(multipliers),
            tuple(coefficients),
            collinear,
            in_overlap,
            tuple(signs),
            tuple(weights_array(_numbers(direction)) for direction in directions),
        )

    # ---- rows -------------------------------------------------------------------------------------------------------

    def partition(self) -> tuple[Weights, Array, list[Fraction]]:
        """Weights that have every row but the overlap's on its own side, the overlap, and its multipliers."""
        found = self.question.decided(self.seconds_left())
        if isinstance(found, Separable):
            numbers = [*found.weights.tolist(), *([found.intercept] if self.z.fit_intercept else [])]
            return weights(numbers), np.array([], int), []
        w: Weights = weights([0.0] * self.z.length)
        still_open = np.arange(len(self.z))
        while len(still_open):
            match self.further(still_open):
                case Infeasible(rows=rows, multipliers=multipliers):
                    return w, still_open, self.cancelling(still_open, dict(zip(rows, multipliers, strict=True)))
                case found:
                    w = _sum(w, weights(found.w.tolist()[: self.z.length]))
                    still_open = still_open[[self.z.score(i, w) == 0 for i in still_open.tolist()]]
        return w, still_open, []

    def further(self, still_open: Array) -> Feasible | Infeasible:
        """Weights with no row on the wrong side, and with Σ w·z ≥ 1 over the open rows.

        The sum of these z's need not be a vector of doubles. It is split into a few that are, p₁ + … + pₖ, with a variable for
        the sum so far between one and the next: p₁·w = u₁, u₁ + p₂·w = u₂, and so on; the last is u + pₖ·w ≥ 1.
        """
        parts = _in_doubles(self.z.combined(still_open.tolist(), [1.0] * len(still_open)), self.z.length)
        links = sp.diags_array([-1.0] * (len(parts) - 1), shape=(len(parts), len(parts) - 1)) + sp.diags_array(
            [1.0] * (len(parts) - 1), offsets=-1, shape=(len(parts), len(parts) - 1)
        )
        A = sp.block_array([[self.A, None], [sp.csr_array(np.array(parts)), links]], format="csr")
        lower = np.zeros(A.shape[0])
        lower[-1] = 1.0
        upper = np.full(A.shape[0], np.inf)
        upper[len(self.z) : -1] = 0.0
        return self.solved(A, lower, upper)

    def cancelling(self, still_open: Array, contradiction: dict[int, Fraction]) -> list[Fraction]:
        """Multipliers of the open rows, all at least 1: each row has its own in the contradiction, and that of the sum, as 1."""
        of_sum = contradiction[max(contradiction)]  # the sum is the last row
        return [1 + contradiction.get(i, 0) / of_sum for i in still_open.tolist()]

    # ---- coefficients -----------------------------------------------------------------------------------------------

    def coefficients(
        self, w: Weights, overlap: Array, collinear: NullSpace, in_overlap: NullSpace
    ) -> tuple[list[str], list[SignProof], list[Weights]]:
        """What is said of each coefficient, with the proofs of signs and further directions."""
        verdicts, signs, directions = list[str](), list[SignProof](), list[Weights]()
        unidentified, infinite = collinear.moves, in_overlap.moves
        for j in range(self.z.length):
            if j in unidentified:
                verdicts.append(UNIDENTIFIED)
            elif j not in infinite:
                verdicts.append(FINITE)
            else:
                if w.whole[j] == 0:
                    directions += self.both_ways(w, j, overlap, in_overlap)
                known = {_sign(direction.whole[j]) for direction in [w, *directions]}
                sign = _sign(w.whole[j])
                found = None if {-1, 1} <= known else self.against(j, sign, overlap)
                if isinstance(found, SignProof):
                    signs.append(found)
                    verdicts.append(PLUS if sign > 0 else MINUS)
                else:
                    directions += [] if found is None else [found]
                    verdicts.append(UNDETERMINED)
        return verdicts, signs, directions

    def against(self, j: int, sign: int, overlap: Array) -> "Weights | SignProof":
        """A direction with the other sign at coordinate j, or the proof that there is none."""
        upper = np.full(len(self.z), np.inf)
        upper[overlap] = 0.0
        bounds = [(-math.inf, math.inf)] * self.z.length
        bounds[j] = (-math.inf, -1.0) if sign > 0 else (1.0, math.inf)
        match self.solved(self.A, 0.0, upper, bounds):
            case Infeasible(rows=rows, multipliers=multipliers):
                return SignProof(j, rows, multipliers)
            case found:
                return weights(found.w.tolist())

    def both_ways(self, w: Weights, j: int, overlap: Array, in_overlap: NullSpace) -> list[Weights]:
        """w is 0 at coordinate j, and every row but the overlap's leaves room: a little of a vector, added and subtracted."""
        vector = next(vector for vector in in_overlap.vectors if j in vector.columns)
        step = _dense(vector, self.z.length)
        rows = np.setdiff1d(np.arange(len(self.z)), overlap).tolist()
        scores = [(self.z.score(i, w), abs(self.z.score(i, step))) for i in rows]
        room = min((score / change for score, change in scores if change), default=Fraction(1))
        return [_sum(w, weights([sign * room * n * step.scale for n in step.whole])) for sign in (1, -1)]

    # ---- systems ----------------------------------------------------------------------------------------------------

    def solved(self, A: Any, lower: Any, upper: Any, bounds: Any = None) -> Feasible | Infeasible:
        with np.errstate(over="ignore"):  # of a scale that is not used, at the ends of the range of doubles
            found = solve_system(A, lower, upper, bounds, budget=self.seconds_left())
        if isinstance(found, Undecided):
            raise OutOfTimeError
        assert isinstance(found, Feasible | Infeasible), "there is no objective"
        return found

    def seconds_left(self) -> float | None:
        return None if self.until == math.inf else max(0.0, self.until - time.monotonic())


def null_space(z: Signed, rows: Array, until: float = math.inf) -> NullSpace:
    """All vectors that are orthogonal to these z's, with the proof that there are no others.

    Independent rows and columns are found modulo a prime: rows that are independent modulo a prime are independent. The vectors
    are then solved for exactly, and checked on all rows. If one fails, the prime divides a determinant, and another is tried.
    """
    order = [*range(z.X.shape[1], z.length), *range(z.X.shape[1])]  # columns may depend on the intercept, not it on them
    lines = _Lines(z, order)
    for prime in _primes():
        kept: list[int] = []
        for start in range(0, len(rows), z.length):
            if time.monotonic() > until:
                raise OutOfTimeError
            candidates = [*kept, *rows[start : start + z.length].tolist()]
            kept = [candidates[k] for k in _pivots(lines.modulo(candidates, prime).transpose())]
            if len(kept) == z.length:
                break
        pivots = _pivots(lines.modulo(kept, prime))
        own = sorted({*range(z.length)} - {*pivots})
        vectors = lines.orthogonal(kept, pivots, own)
        if all(_is_orthogonal(z, rows, _dense(vector, z.length), until) for vector in vectors):
            return NullSpace(tuple(kept), tuple(order[k] for k in own), tuple(vectors))
    raise AssertionError  # there is always another prime


def _is_orthogonal(z: Signed, rows: Array, w: Weights, until: float) -> bool:
    if time.monotonic() > until:
        raise OutOfTimeError
    return all(z.score(i, w) == 0 for i in rows.tolist())


class _Lines:
    """The z's as whole numbers, each times a positive number, with their coordinates in a given order."""

    def __init__(self, z: Signed, order: Sequence[int]) -> None:
        self.z, self.order, self.place = z, order, {j: k for k, j in enumerate(order)}

    def __getitem__(self, i: int) -> list[int]:
        columns, values = self.z.z(i)
        line = [0] * len(self.place)
        for j, n in zip(columns, whole_multiples(values)[0], strict=True):
            line[self.place[j]] = n
        return line

    def modulo(self, rows: Sequence[int], prime: int) -> Any:
        import flint

        return flint.nmod_mat(len(rows), len(self.place), [n % prime for i in rows for n in self[i]], prime)

    def orthogonal(self, rows: Sequence[int], pivots: Sequence[int], own: Sequence[int]) -> list[Combination]:
        """For each place of `own` the vector that is 1 there, 0 at the others of `own`, and orthogonal to the rows."""
        import flint

        table = [self[i] for i in rows] if own else []
        left, right = ([line[k] for line in table for k in places] for places in (pivots, own))
        size = len(table)
        solved = flint.fmpz_mat(size, size, left).solve(flint.fmpz_mat(size, len(own), right)).table() if size else []
        vectors = []
        for c, k in enumerate(own):
            entries = {self.order[k]: Fraction(1)}
            entries |= {self.order[p]: -Fraction(int(x[c].p), int(x[c].q)) for p, x in zip(pivots, solved, strict=False) if x[c]}
            columns = sorted(entries)
            vectors.append(Combination(tuple(columns), tuple(coprime(entries[j] for j in columns))))
        return vectors


def _pivots(matrix: Any) -> list[int]:
    """The columns in which the rows of the reduced echelon form begin: the first columns that are independent."""
    reduced, rank = matrix.rref()
    found, k = list[int](), 0
    for row in range(rank):
        while not int(reduced[row, k]):
            k += 1
        found.append(k)
    return found


def _primes() -> Iterator[int]:
    import flint

    return (n for n in count(2**61 - 1, -2) if flint.fmpz(n).is_prime())


def _in_doubles(total: tuple[dict[int, int], Fraction], length: int) -> list[list[float]]:
    """Vectors of doubles whose sum is this vector: its numbers rounded, then what is missing, and so on."""
    whole, scale = total
    left = [whole.get(j, 0) * scale for j in range(length)]
    parts = list[list[float]]()
    while any(left) or not parts:
        parts.append([float(min(max(number, -LARGEST), LARGEST)) for number in left])
        left = [number - Fraction(part) for number, part in zip(left, parts[-1], strict=True)]
    return parts


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _numbers(w: Weights) -> list[Number]:
    """The doubles if they are exact; else whole numbers without a common divisor, as doubles if they are."""
    return list(w.floats.tolist()) if w.doubles else list(_as_doubles(coprime(n * w.scale for n in w.whole)))


def _sum(a: Weights, b: Weights) -> Weights:
    return weights(_as_doubles([m * a.scale + n * b.scale for m, n in zip(a.whole, b.whole, strict=True)]))


def _as_doubles(numbers: list[Fraction]) -> Sequence[Number]:
    """As doubles if all of them are."""
    rounded = [float(number) if abs(number) < LARGEST else math.inf for number in numbers]
    return rounded if all(math.isfinite(r) and Fraction(r) == n for r, n in zip(rounded, numbers, strict=True)) else numbers


def _dense(vector: Combination, length: int) -> Weights:
    entries = dict(zip(vector.columns, vector.factors, strict=True))
    return weights([entries.get(j, Fraction(0)) for j in range(length)])
