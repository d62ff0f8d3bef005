"""Decide whether two classes can be separated through a kernel, with a proof either way (F19).

A separator is f(x) = Σ αₖ·K(x, xₖ), a sum over rows, plus an intercept if there is one. The cheap ways come first: equal rows
with different labels; a perceptron on the matrix of kernel values; numbers α that solve f(x) = y. Then columns J of that matrix
that span all others: whether some α over J separates is an ordinary question about the rows of K(·, J), which `linear.Question`
decides, exactly if the values are rational. Every answer is checked by `exact_kernels`, which shares no code with this file.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from novikoff.engine.kernels import Points
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.parallel import alone
from novikoff.proof.certificate import Certificate, Data, Hull, Inseparable, Label, Margin, Separable, Undecided, weights_array
from novikoff.proof.exact import Signed, Weights
from novikoff.proof.exact_kernels import KernelValues, UserKernel
from novikoff.proof.named_kernels import KERNELS, Kernel, unknown_kernel_message
from novikoff.proof.rationals import Number, root_above, root_below
from novikoff.solve.nearest_point import OutOfTimeError, deadline, nearest_by_products
from novikoff.solve.separability.linear import PASSES, Proof, Question, lowest_of_each_class

HELD = 4000  # rows whose values with each other are all held
STEPS = 2 * 10**8  # numbers that the perceptron may add before something cleverer is tried
NEGLIGIBLE = 1e-10  # what is left of a row when columns span it, as a share of its square
TOLERANCES = (1e-12, 1e-30, 1e-100)  # of values that are not rational: what floats can show, and what decimals can
FEW = 64  # rows up to which squares are computed sharply at once
SIDE = 100  # rows of each class that a point of the hull is sought among
ADDED = 20  # columns that are added when others do not span
SMALL = 128  # rows up to which α is also sought in long decimals
LONG = (60, 250)  # digits of those


@runtime_checkable
class HasExactForm(Protocol):
    """A kernel of the user's own that things can be proved through."""

    def exact_value(self, a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
        """K(a, b) of two rows of fractions, without rounding."""


class KernelQuestion:
    """Can these rows be separated through one of `engine.kernels`? `sign` is ±1 for each row."""

    def __init__(self, kernel: Any, X: Matrix, sign: Array, fit_intercept: bool, no: Label | None, yes: Label) -> None:
        if (why := no_proof_through(kernel)) is not None:
            raise ValueError(why)
        self.kernel, self.sign, self.fit_intercept = kernel, sign, fit_intercept
        self.plain = Question(Signed(X, sign, True), no, yes)  # which of the rows are equal does not depend on the kernel
        self.values = KernelValues(described(kernel), X, _user_function(kernel))
        kernel.look_at(self.values.X)

    @cached_property
    def data(self) -> Data:
        return self.plain.data._replace(fit_intercept=self.fit_intercept, kernel=self.values.kernel)

    @property
    def data_unseen(self) -> Data:
        """The data without a fingerprint, which takes time."""
        return self.plain.data_unseen._replace(fit_intercept=self.fit_intercept, kernel=self.values.kernel)

    @cached_property
    def gram(self) -> "_Gram":
        rounded = type(self.kernel)(*(float(value) if isinstance(value, Fraction) else value for value in self.kernel))
        return _Gram(rounded, self.values.X, float(self.fit_intercept))

    def decided(self, budget: float | None) -> Certificate:
        until = deadline(budget)
        equal = self.plain.contradiction()
        if equal is not None:
            return self.inseparable(equal)
        times = np.zeros(len(self.sign))
        try:
            times, clean = self.perceptron(until)
            if clean and (found := self.separable(*self._of_times(times), until=until)) is not None:
                return found
            return self._interpolated(until) or self._by_columns(times, until)
        except OutOfTimeError:
            return self.undecided(f"the budget of {budget:g} s is used up", self._hull_of_times(times))

    # ---- a perceptron -----------------------------------------------------------------------------------------------

    def perceptron(self, until: float) -> tuple[Array, bool]:
        """How far it has stepped along each row, and whether all rows are right then. The lowest row is always the next.

        Rows are scaled by powers of two to a length of about 1, which changes no verdict.
        """
        gram, y = self.gram, self.sign
        times, g = np.zeros(len(y)), np.zeros(len(y))
        if not np.isfinite(gram.diagonal).all():
            return times, False
        sizes = np.ldexp(1.0, np.clip(-(np.frexp(np.where(gram.diagonal, np.abs(gram.diagonal), 1.0))[1] // 2), -500, 500))
        for step in range(1000 + min(PASSES * len(y), STEPS // len(y))):
            if step % 64 == 63 and time.monotonic() > until:
                break
            i = int(np.argmin(g * sizes))
            if g[i] > 0 or not math.isfinite(g[i]):
                return times, bool(g[i] > 0)
            times[i] += sizes[i]
            with np.errstate(all="ignore"):
                g += gram.column(i) * (y * (y[i] * sizes[i]))
        return times, False

    def _of_times(self, times: Array) -> tuple[list[int], list[Number], Number]:
        """Rows, coefficients and intercept of Σ times·y·(φ(x), 1)."""
        rows = np.flatnonzero(times)
        coefficients: list[Number] = (times[rows] * self.sign[rows]).tolist()
        return rows.tolist(), coefficients, self._intercept(coefficients)

    def _intercept(self, coefficients: Sequence[Number]) -> Number:
        """Σ α, the weight that the constant coordinate gets of K + 1, as a float if it is one."""
        if not self.fit_intercept:
            return 0.0
        return _shortest(sum((Fraction(a) for a in coefficients), Fraction(0)))

    # ---- f(x) = y ---------------------------------------------------------------------------------------------------

    def _interpolated(self, until: float) -> Separable | None:
        """The separator with f(x) = y on every row, where floats can find it."""
        if time.monotonic() > until:
            raise OutOfTimeError
        if self.gram.whole is None or (self.values.kernel.exact and len(self.spanning(until)) < len(self.sign)):
            return None
        try:
            alpha = np.linalg.solve(
                self.gram.whole, self.sign
            )  # a matrix that is nearly singular shows when the answer is checked
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(alpha).all():
            return None
        return self.separable(list(range(len(alpha))), alpha.tolist(), self._intercept(alpha.tolist()), until=until)

    def _interpolated_in_decimals(self, until: float) -> Separable | None:
        """The same with as many digits as it may take, of few rows: floats cannot tell rows apart that are nearly equal."""
        import flint  # where it is needed

        n = len(self.sign)
        for digits in LONG if n <= SMALL else ():
            unit = 10**digits
            table = []
            for i in range(n):
                if time.monotonic() > until:
                    raise OutOfTimeError
                table.append(
                    [
                        round((low + high) / 2 * unit) + unit * self.fit_intercept
                        for low, high in self.values.sharp(i, range(n), digits)
                    ]
                )
            try:
                solved = flint.fmpz_mat(table).solve(flint.fmpz_mat([[int(side)] for side in self.sign]))
            except ZeroDivisionError:
                continue
            exact = [Fraction(int(solved[k, 0].p), int(solved[k, 0].q)) * unit for k in range(n)]
            shift = 4 * digits - max(a.numerator.bit_length() - a.denominator.bit_length() for a in exact)
            alpha = [Fraction(round(a * Fraction(2) ** shift)) / Fraction(2) ** shift for a in exact]
            if (found := self.separable(list(range(n)), alpha, self._intercept(alpha), until=until)) is not None:
                return found
        return None

    # ---- columns that span ------------------------------------------------------------------------------------------

    def spanning(self, until: float) -> list[int]:
        """Rows whose columns of the matrix span all columns, as far as floats can tell."""
        gram = self.gram
        if not np.isfinite(gram.diagonal).all():
            return list(range(min(len(self.sign), ADDED)))
        if self.values.kernel.positive:
            return gram.pivots(until) or [0]  # values may be too small for floats
        if gram.whole is None:
            return list(range(HELD))
        from scipy.linalg import qr

        r, order = qr(gram.whole, mode="r", pivoting=True, check_finite=False)
        sizes = np.abs(np.diagonal(r))
        return sorted(order[: int((sizes > NEGLIGIBLE * sizes[0]).sum())].tolist())

    def _by_columns(self, times: Array, until: float) -> Certificate:
        """An ordinary question about the rows of K(·, J). Where J turns out not to span, it grows."""
        support, exact = self.spanning(until), self.values.kernel.exact
        while time.monotonic() < until:
            z = _Columns.of(self.values, support, self.sign, self.fit_intercept)
            inner = Question(z, *self.plain.labels, np.zeros(len(z), np.uint64))
            with alone:
                found = inner.by_the_hull(times, until) if exact else inner.by_the_hull_in_floats(times, until)[0]
            if isinstance(found, Separable):
                certificate = self.separable(support, found.weights.tolist(), found.intercept, until=until)
                if certificate is not None:
                    return certificate
            if not exact:
                break
            if not isinstance(found, Inseparable):  # a function that does not give the same values twice
                return self.undecided(f"the kernel {self.values.kernel} gives other values when it is asked again", Hull())
            signed = [multiplier * int(self.sign[i]) for i, multiplier in zip(found.rows, found.multipliers, strict=True)]
            of = found.rows if self.values.kernel.positive else range(len(z))
            left = [(abs(rest), j) for j, rest in self.values.left_over(found.rows, signed, of) if rest]
            if not left:
                return self.inseparable(Proof(list(found.rows), list(found.multipliers)))
            support += [j for _, j in sorted(left, reverse=True)[:ADDED]]
        if time.monotonic() >= until:
            raise OutOfTimeError
        certificate = self._interpolated_in_decimals(until)
        why = "floats cannot tell, and the values of the kernel are not rationals, to which one could turn"
        return certificate or self.undecided(why, self._hull_of_times(times))

    # ---- what a run has found ---------------------------------------------------------------------------------------

    def of_coefficients(
        self, rows: Sequence[int], coefficients: Sequence[Number], why: str, hull: Hull | None = None
    ) -> Certificate:
        """Separable by Σ αₖ·(K(x, xₖ) + 1), without the 1 where there is no intercept, or Undecided. The hull may be given."""
        found = self.separable(rows, coefficients, self._intercept(coefficients), hull)
        return found or self.undecided(why, Hull() if hull is None else hull)

    def of_cycle(self, rows: Sequence[int], times: Sequence[Number]) -> Inseparable | None:
        """The proof by rows whose steps, so many of each, have cancelled out, if they did so exactly."""
        named = [int(i) for i in rows]
        multipliers = [Fraction(float(many)) for many in times]
        signed = [many * int(self.sign[i]) for i, many in zip(named, multipliers, strict=True)]
        if (
            (self.fit_intercept and sum(signed, Fraction(0)))
            or not any(multipliers)
            or self.values.remains_at(named, signed) is not None
        ):
            return None
        return self.inseparable(Proof(named, multipliers))

    def undecided(self, why: str, hull: Hull, data: Data | None = None) -> Undecided:
        high, hull = self.upper_end(hull)
        return Undecided(data or self.data, why, high, hull)

    # ---- certificates -----------------------------------------------------------------------------------------------

    def inseparable(self, proof: Proof) -> Inseparable:
        found = self.plain.inseparable(proof)
        return Inseparable(self.data, found.rows, found.multipliers)

    def separable(
        self,
        rows: Sequence[int],
        coefficients: Sequence[Number],
        intercept: Number,
        hull: Hull | None = None,
        until: float = math.inf,
    ) -> Separable | None:
        """The certificate for this sum over rows; None if it does not separate, exactly or within some tolerance."""
        kept = [(int(i), a) for i, a in zip(rows, coefficients, strict=True) if a]
        support, alpha = tuple(i for i, _ in kept), [a for _, a in kept]
        for tolerance in (0.0,) if self.values.kernel.exact else TOLERANCES:
            least = self.values.lowest(self.sign, support, alpha, intercept, tolerance, until=until)[1]
            if least > 0:
                margin, hull = self.margin(support, alpha, intercept, least, hull)
                return Separable(self.data, weights_array(alpha), intercept, margin, hull, support, tolerance)
        return None

    def margin(
        self, support: Sequence[int], alpha: Sequence[Number], intercept: Number, least: Fraction, hull: Hull | None
    ) -> tuple[Margin, Hull]:
        """Both ends, and the evidence for the upper one: void where there is no φ."""
        if not self.values.kernel.positive:
            return Margin(0.0, math.inf), Hull()
        square = self._square(support, alpha, intercept)
        low = root_below(least**2 / Fraction(square)) if square < math.inf else 0.0
        high, hull = self.upper_end(self.hull_of(support, alpha, intercept) if hull is None else hull)
        return Margin(low, high), hull

    def upper_end(self, hull: Hull) -> tuple[float, Hull]:
        """What the hull shows that no margin is above, and the hull, if it shows that of any number."""
        if not hull.rows or not self.values.kernel.positive:
            return math.inf, Hull()
        signed = [Fraction(many) * int(self.sign[i]) for i, many in zip(hull.rows, hull.multipliers, strict=True)]
        square = self._square(hull.rows, signed, sum(signed, Fraction(0)) if self.fit_intercept else Fraction(0))
        total = sum((Fraction(many) for many in hull.multipliers), Fraction(0))
        high = root_above(max(Fraction(0), Fraction(square)) / total**2) if square < math.inf else math.inf
        return high, hull if high < math.inf else Hull()

    def _square(self, rows: Sequence[int], factors: Sequence[Number], constant: Number) -> Fraction | float:
        """An upper end of the square; sharp for few rows, else with an allowance for how other machines add."""
        quick = self.values.square_above(rows, factors, constant)
        if len(rows) <= FEW or quick == math.inf:
            return self.values.square_above(rows, factors, constant, sharply=True)
        return quick * (1 + Fraction(1, 2**30))

    def hull_of(self, support: Sequence[int], alpha: Sequence[Number], intercept: Number) -> Hull:
        """The nearest point to 0 in the hull of the rows that f has nearest to its zero, as near as floats come."""
        scores = np.empty(len(self.sign))
        factors = np.array([float(a) for a in alpha])
        with np.errstate(all="ignore"):
            for part in self.values.blocks(len(support)):
                scores[part] = self.values.floats(part, np.asarray(support, int))[0] @ factors + float(intercept)
        rows = lowest_of_each_class(scores * self.sign, self.sign > 0, SIDE)
        with np.errstate(all="ignore"), alone:  # matrices are small, and threads would only wait for each other
            products = (self.values.floats(rows, rows)[0] + float(self.fit_intercept)) * np.outer(
                self.sign[rows], self.sign[rows]
            )
            largest = float(np.abs(products).max(initial=0))
            if not 0 < largest < math.inf:
                return Hull((int(rows[0]),), (1.0,))
            found = nearest_by_products(products / largest)
        return Hull(tuple(rows[found.chosen].tolist()), tuple(found.multipliers.tolist()))

    def _hull_of_times(self, times: Array) -> Hull:
        rows = np.flatnonzero(times)
        return Hull(tuple(rows.tolist()), tuple(times[rows].tolist()))


class _Gram:
    """K + 1 between all rows, or K where there is no intercept, in floats: all that can be held, else column by column."""

    def __init__(self, kernel: Any, X: Matrix, constant: float) -> None:
        self.kernel, self.points, self.constant = kernel, Points(X), constant
        with np.errstate(all="ignore"):
            self.whole = kernel.between(self.points, self.points) + constant if len(self.points) <= HELD else None
            self.diagonal = kernel.of_itself(self.points) + constant
        self._kept: dict[int, Array] = {}
        self._pivots: list[int] | None = None

    def column(self, j: int) -> Array:
        if self.whole is not None:
            return self.whole[j]  # type: ignore[no-any-return]  # a row, which is the same and lies together
        if j not in self._kept:
            if len(self._kept) * len(self.points) > HELD**2:
                self._kept.clear()
            with np.errstate(all="ignore"):
                self._kept[j] = self.kernel.between(self.points, self.points[[j]])[:, 0] + self.constant
        return self._kept[j]

    def pivots(self, until: float) -> list[int]:
        """Rows that span all others: Cholesky's factorisation with the largest pivot first, until nothing is left of any row."""
        if self._pivots is not None:
            return list(self._pivots)
        left, chosen = self.diagonal.copy(), list[int]()
        sizes = np.where(self.diagonal > 0, self.diagonal, 1.0)
        factor = np.zeros((len(left), 64))
        while len(chosen) < min(len(left), HELD):
            if time.monotonic() > until:
                raise OutOfTimeError
            j = int(np.argmax(left / sizes))
            if not left[j] > NEGLIGIBLE * sizes[j]:
                break
            rank = len(chosen)
            if rank == factor.shape[1]:
                factor = np.hstack([factor, np.zeros_like(factor)])
            with np.errstate(all="ignore"):
                factor[:, rank] = (self.column(j) - factor[:, :rank] @ factor[j, :rank]) / math.sqrt(left[j])
                left -= factor[:, rank] ** 2
            left[j] = 0.0
            chosen.append(j)
        self._pivots = sorted(chosen)
        return list(self._pivots)


@dataclass(frozen=True)
class _Columns(Signed):
    """The rows y·(K(x, J), 1). X is what floats make of them; `z` gives the rationals that they are."""

    wrong: Array  # by how much each number of X can be
    values: KernelValues
    support: list[int]
    known: dict[int, tuple[list[int], list[Fraction]]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: KernelValues, support: list[int], sign: Array, fit_intercept: bool) -> "_Columns":
        named = np.asarray(support, int)
        parts = [values.floats(rows, named) for rows in values.blocks(len(named))]
        X, wrong = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return cls(X, sign, fit_intercept, wrong, values, support)

    def z(self, i: int) -> tuple[list[int], list[Fraction]]:
        if i not in self.known:
            side, numbers = int(self.sign[i]), [low for low, _ in self.values.sharp(i, self.support, given=self.X[i])]
            there = [j for j, number in enumerate(numbers) if number]
            last = ([len(numbers)], [Fraction(side)]) if self.fit_intercept else ([], [])
            self.known[i] = there + last[0], [side * numbers[j] for j in there] + last[1]
        return self.known[i]

    def doubts(self, w: Array, rows: Array) -> Array:
        with np.errstate(all="ignore"):
            own = self.wrong[rows] @ np.abs(w[: self.X.shape[1]])
            doubts: Array = super().doubts(w, rows) * (1 + 1e-9) + 2 * own
        return doubts

    def doubt(self, w: Array) -> float:
        with np.errstate(all="ignore"):
            return super().doubt(w) * (1 + 1e-9) + 2 * float(self.wrong.max(initial=0)) * float(np.abs(w).sum())

    def nothing_rounds(self, floats: Array, w: Weights) -> bool:
        return not self.wrong.any() and super().nothing_rounds(floats, w)


def no_proof_through(kernel: Any) -> str | None:
    """Why nothing can be proved through this kernel; None where something can."""
    known = kernel.name in KERNELS and kernel.name != "custom"
    return None if known or isinstance(kernel, HasExactForm) else unknown_kernel_message(kernel.name)


def described(kernel: Any) -> Kernel:
    """The kernel as certificates name it. One of the user's own is described in words."""
    if kernel.name == "called":
        return Kernel("called", function=kernel.function_name)
    parameters: dict[str, Any] = kernel._asdict()
    if kernel.name not in KERNELS or kernel.name == "custom":
        listed = ", ".join(f"{name} {value}" for name, value in parameters.items())
        return Kernel("custom", function=f"{kernel.name} ({listed})" if listed else kernel.name)
    return Kernel(kernel.name, **{n: int(v) if n == "degree" else _number(v) for n, v in parameters.items()})  # type: ignore[arg-type]


def _user_function(kernel: Any) -> UserKernel | None:
    """What has to be called to compute a kernel that is not one of this package."""
    if described(kernel).name == "custom":
        return cast(HasExactForm, kernel).exact_value
    return getattr(kernel, "function", None)


def _number(value: Any) -> Number:
    return float(value) if isinstance(value, float | np.floating) else Fraction(*map(int, value.as_integer_ratio()))


def _shortest(number: Fraction) -> Number:
    try:
        rounded = float(number)
    except OverflowError:
        return number
    return rounded if Fraction(rounded) == number else number
