"""Kernel values in exact arithmetic: rationals, or between two rationals; and floats with a bound on their error.

Nothing is shared with `engine/kernels/`. A float decides only where its error bound leaves no doubt (F21). The rest is computed
sharply: ⟨a, b⟩ and its powers as fractions, exp of a rational by `decimal`, whose exp is rounded correctly.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array, Matrix
from novikoff.proof.exact import EPSILON, TINY, nearest_double
from novikoff.proof.named_kernels import Kernel
from novikoff.proof.rationals import Number, whole_multiples

KernelFunction = Callable[[Matrix, Matrix], Any]  # of two matrices: the values between their rows
ExactForm = Callable[[Sequence[Fraction], Sequence[Fraction]], Fraction | int]  # of two rows: the value between them
UserKernel = KernelFunction | ExactForm
Between = tuple[Fraction, Fraction]  # a number lies there; the two are equal where it is known

BLOCK = 2**21  # values held at once
ULPS = 8  # by which exp and tanh of floats may be wrong; libraries promise fewer
FAR = 12_000  # exp(−FAR) and all below it are taken for something between 0 and NEARLY_NOTHING
NEARLY_NOTHING = Fraction(1, 10**5000)
DIGITS = 60  # of a sharp value that is not rational, to begin with


class KernelValues:
    """K(xᵢ, xⱼ) for the rows of X. A kernel that is `called` or `custom` needs its function: see `UserKernel`."""

    def __init__(self, kernel: Kernel, X: Matrix, function: UserKernel | None = None) -> None:
        kernel.check()
        self.kernel, self.function = kernel, function
        self.X = X if X.dtype == np.float64 else X.astype(np.float64)
        self._whole: dict[int, tuple[Any, int]] = {}
        self._fractions: dict[int, tuple[Fraction, ...]] = {}

    def __len__(self) -> int:
        return int(self.X.shape[0])

    # ---- floats, and how wrong they can be --------------------------------------------------------------------------

    def floats(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """K between these rows and those, and by how much each value can be wrong: not at all where nothing rounds."""
        name = self.kernel.name
        with np.errstate(all="ignore"):
            if name in ("precomputed", "called"):
                values = self._given(rows, columns)
                return values, np.zeros_like(values)
            if name == "custom":
                return self._rounded(rows, columns)
            return self._of_distances(rows, columns) if name in ("rbf", "laplacian") else self._of_products(rows, columns)

    def _given(self, rows: Array, columns: Array) -> Array:
        if self.kernel.name == "precomputed":
            return _dense(self.X[rows][:, columns])
        if self.function is None:
            raise ValueError(f"the certificate is of the function {self.kernel.function}: give it as kernel=, to be called again")
        values = np.array(self.function(self.X[rows], self.X[columns]), np.float64)
        if values.shape != (len(rows), len(columns)) or not np.isfinite(values).all():
            raise ValueError(
                f"the kernel returns shape {values.shape} for {len(rows)} and {len(columns)} rows, or a value that is no number"
            )
        return values

    def _rounded(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """The nearest doubles of the values of an exact form."""
        exact = [[self._exact_value(i, j) for j in columns.tolist()] for i in rows.tolist()]
        values = np.array([_floats(each) for each in exact], np.float64).reshape(len(rows), len(columns))
        return values, np.zeros_like(values) if (values == exact).all() else EPSILON * np.abs(values) + TINY

    def _of_products(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        kernel, width = self.kernel, self.X.shape[1]
        values = _dense(self.X[rows] @ self.X[columns].T)
        if self.nothing_rounds:
            doubts = np.zeros_like(values)
        else:
            sizes = self._norms[rows][:, None] * self._norms[columns]
            doubts = (width + 8) * EPSILON * sizes + TINY
        if kernel.name == "linear":
            return values, doubts
        gamma, coef0 = nearest_double(kernel.gamma or 0), nearest_double(kernel.coef0 or 0)
        size = gamma * np.abs(values)
        values = gamma * values + coef0
        if not self.nothing_rounds:
            doubts = gamma * doubts + 4 * EPSILON * (size + abs(coef0)) + TINY
        if kernel.name == "sigmoid":
            values = np.tanh(values)
            return values, doubts + ULPS * EPSILON * np.abs(values) + TINY
        degree = kernel.degree or 1
        if not self.nothing_rounds:  # |tᵈ − sᵈ| ≤ d·max(|t|, |s|)ᵈ⁻¹·|t − s|
            reach = np.abs(values) + doubts
            doubts = degree * (1 + 1e-9) * (reach ** (degree - 1) * doubts + 2 * EPSILON * reach**degree) + TINY
        power = values.copy()
        for _ in range(degree - 1):
            power *= values
        return power, doubts

    def _of_distances(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        from scipy.spatial.distance import cdist  # where it is needed

        metric = "sqeuclidean" if self.kernel.name == "rbf" else "cityblock"
        gamma = nearest_double(self.kernel.gamma or 0)
        apart = cdist(_dense(self.X[rows]), _dense(self.X[columns]), metric)
        far = gamma * apart
        values = np.exp(-far)
        wrong = (self.X.shape[1] + 8) * EPSILON * far + (gamma + 1) * TINY  # the exponent, by so much
        doubts = np.where(far < 700, values * (2 * wrong + ULPS * EPSILON), 2.0**-1000) + TINY
        unknown = ~np.isfinite(apart) | ((wrong > 1) & (far < 700)) | (gamma * TINY > 1)
        return values, np.where(unknown, 1.0, doubts)  # all values lie between 0 and 1

    @cached_property
    def _norms(self) -> Array:
        """‖x‖ of each row, never too small, of numbers however large or small."""
        largest = abs(self.X).max(axis=1)
        largest = np.maximum(largest.toarray().ravel() if sp.issparse(largest) else largest, 2.0**-1000)
        with np.errstate(all="ignore"):
            if sp.issparse(self.X):
                units = sp.diags_array(1 / largest) @ self.X
                squares = np.asarray(units.multiply(units).sum(axis=1)).ravel()
            else:
                units = self.X / largest[:, None]
                squares = np.einsum("ij,ij->i", units, units)
            norms: Array = largest * np.sqrt(squares) * (1 + (self.X.shape[1] + 8) * EPSILON) + TINY
        return norms

    @cached_property
    def nothing_rounds(self) -> bool:
        """Whether all is whole and so small that the floats are the values themselves."""
        kernel, values = self.kernel, self.X.data if sp.issparse(self.X) else self.X
        parameters = [Fraction(number) for number in (kernel.gamma, kernel.coef0) if number is not None]
        if kernel.name not in ("linear", "poly") or any(number.denominator != 1 for number in parameters):
            return False
        if not (values == np.rint(values)).all():
            return False
        norm = float(np.max(self._norms, initial=0))
        if not norm < 2.0**27:  # nor are the squares, then
            return False
        largest = Fraction(norm) ** 2
        if kernel.name == "poly":
            gamma, coef0 = parameters
            largest = (gamma * largest + abs(coef0)) ** (kernel.degree or 1)
        return largest < 2**53

    # ---- sharp ------------------------------------------------------------------------------------------------------

    def sharp(self, i: int, columns: Sequence[int], digits: int = DIGITS, given: Array | None = None) -> list[Between]:
        """K between row i and those rows: exactly, or within a relative 10^−digits. `given` is what a function returned."""
        gamma, coef0 = (Fraction(number or 0) for number in (self.kernel.gamma, self.kernel.coef0))
        products = (self._product(i, j) for j in columns)
        match self.kernel.name:
            case "precomputed" | "called":
                values = self._given(np.array([i]), np.asarray(columns))[0] if given is None else given
                return [(exact, exact) for exact in map(Fraction, values.tolist())]
            case "custom":
                return [(exact, exact) for exact in (self._exact_value(i, j) for j in columns)]
            case "rbf" | "laplacian":
                return [_exp(-gamma * self._distance(i, j), digits) for j in columns]
            case "sigmoid":
                return [_tanh(gamma * s + coef0, digits) for s in products]
            case "linear":
                return [(s, s) for s in products]
            case "poly":
                powers = ((gamma * s + coef0) ** (self.kernel.degree or 1) for s in products)
                return [(p, p) for p in powers]
        raise AssertionError(self.kernel.name)

    def _row(self, i: int) -> tuple[Any, int]:
        """Row i as whole numbers, a list or for sparse rows a dictionary, and what they are divided by."""
        if i not in self._whole:
            if sp.issparse(self.X):
                inside = slice(self.X.indptr[i], self.X.indptr[i + 1])
                whole, scale = whole_multiples(self.X.data[inside].tolist())
                self._whole[i] = dict(zip(self.X.indices[inside].tolist(), whole, strict=True)), scale.denominator
            else:
                whole, scale = whole_multiples(self.X[i].tolist())
                self._whole[i] = whole, scale.denominator
        return self._whole[i]

    def _exact_value(self, i: int, j: int) -> Fraction:
        """K(xᵢ, xⱼ) by the exact form that the user gave."""
        assert self.function is not None, "a custom kernel comes with its exact form"
        value = self.function(self._row_of_fractions(i), self._row_of_fractions(j))
        if isinstance(value, bool) or not isinstance(value, Fraction | int):
            raise ValueError(
                f"the exact form of the kernel {self.kernel} returns {value!r} for rows {i} and {j}: "
                "it must return a Fraction or an int"
            )
        return Fraction(value)

    def _row_of_fractions(self, i: int) -> tuple[Fraction, ...]:
        if i not in self._fractions:
            self._fractions[i] = tuple(map(Fraction, _dense(self.X[[i]])[0].tolist()))
        return self._fractions[i]

    def _product(self, i: int, j: int) -> Fraction:
        (a, p), (b, q) = self._row(i), self._row(j)
        if isinstance(a, dict):
            a, b = (a, b) if len(a) < len(b) else (b, a)
            return Fraction(sum(v * b[k] for k, v in a.items() if k in b), p * q)
        return Fraction(sum(map(mul, a, b)), p * q)

    def _distance(self, i: int, j: int) -> Fraction:
        """‖a − b‖² for rbf, Σ|a − b| for laplacian."""
        (a, p), (b, q) = self._row(i), self._row(j)
        if isinstance(a, dict):
            keys = a.keys() | b.keys()
            a, b = [a.get(k, 0) for k in keys], [b.get(k, 0) for k in keys]
        bottom = math.lcm(p, q)
        p, q = bottom // p, bottom // q
        apart = [v * p - w * q for v, w in zip(a, b, strict=True)]
        if self.kernel.name == "rbf":
            return Fraction(sum(map(mul, apart, apart)), bottom * bottom)
        return Fraction(sum(map(abs, apart)), bottom)

    # ---- sums over rows ---------------------------------------------------------------------------------------------

    def blocks(self, columns: int, rows: int | None = None) -> Iterator[Array]:
        """Rows, so many at a time that their values with so many others can be held."""
        held = BLOCK // 256 if self.kernel.name == "custom" else BLOCK  # exact forms are slow; deadlines are checked each block
        rows, high = len(self) if rows is None else rows, max(1, held // max(1, columns))
        return (np.arange(first, min(first + high, rows)) for first in range(0, rows, high))

    def lowest(
        self,
        sign: Array,
        support: Sequence[int],
        coefficients: Sequence[Number],
        intercept: Number,
        tolerance: float,
        least: float = 0.0,
        until: float = math.inf,
    ) -> tuple[int, Fraction]:
        """A number that no y·f(x) − tolerance·Σ |αₖ·K(x, xₖ)| is below, and the row that is, as far as is known, the lowest.

        f(x) = Σ αₖ·K(x, xₖ) + intercept. Floats are enough for rows that are above `least` by more than they can be wrong; the
        rest is computed sharply. When the time is over, nothing is known, and 0 comes back.
        """
        named, alpha = np.asarray(support, int), _floats(coefficients)
        exact = [Fraction(a) for a in coefficients]
        digits = DIGITS if tolerance >= 10.0**-DIGITS or not tolerance else DIGITS - math.floor(math.log10(tolerance))
        worst: tuple[int, Fraction] | None = None
        for rows in self.blocks(len(support)):
            if time.monotonic() > until:
                return int(rows[0]), Fraction(0)
            values, doubts = self.floats(rows, named)
            lower = self._lower(values, doubts, sign[rows], alpha, nearest_double(intercept), tolerance)
            sure = lower > least * (1 + 4 * EPSILON) + TINY
            if sure.any():
                k = int(np.argmin(np.where(sure, lower, np.inf)))
                found = int(rows[k]), Fraction(float(lower[k]))
                worst = found if worst is None or found[1] < worst[1] else worst
            for k in np.flatnonzero(~sure).tolist():
                if time.monotonic() > until:
                    return int(rows[k]), Fraction(0)
                between = self.sharp(int(rows[k]), support, digits, values[k])
                end = Fraction(intercept) * int(sign[rows[k]])
                for a, (low, high) in zip(exact, between, strict=True):
                    signed = a * int(sign[rows[k]])
                    end += signed * (low if signed > 0 else high) - Fraction(tolerance) * abs(a) * max(abs(low), abs(high))
                if worst is None or end < worst[1]:
                    worst = int(rows[k]), end
                if end <= 0:
                    return worst
        assert worst is not None, "there is a row"
        return worst

    def _lower(self, values: Array, doubts: Array, sign: Array, alpha: Array, intercept: float, tolerance: float) -> Array:
        with np.errstate(all="ignore"):
            sizes = np.abs(values) @ np.abs(alpha) + abs(intercept)
            wrong = doubts @ np.abs(alpha)
            doubt = (wrong + (len(alpha) + 8) * EPSILON * (sizes + wrong) + tolerance * (sizes + wrong)) * (1 + 1e-9) + TINY
            lower: Array = sign * (values @ alpha + intercept) - doubt
            return np.where(np.isfinite(lower), lower, -np.inf)

    def square_above(
        self, support: Sequence[int], coefficients: Sequence[Number], constant: Number, sharply: bool = False
    ) -> Fraction | float:
        """No less than Σ Σ αᵢ·αⱼ·K(xᵢ, xⱼ) + constant², which is ‖w‖²: in floats with their error bound, or sharply."""
        if sharply:
            return self._square_sharply(support, [Fraction(a) for a in coefficients]) + Fraction(constant) ** 2
        named, alpha = np.asarray(support, int), _floats(coefficients)
        total, doubt = 0.0, 0.0
        with np.errstate(all="ignore"):
            for part in self.blocks(len(named), len(named)):
                values, doubts = self.floats(named[part], named)
                sizes = np.abs(alpha[part]) @ (np.abs(values) + doubts) @ np.abs(alpha)
                total += float(alpha[part] @ values @ alpha)
                doubt += float(np.abs(alpha[part]) @ doubts @ np.abs(alpha)) + (2 * len(alpha) + 16) * EPSILON * float(sizes)
            above = (total + 2 * doubt) * (1 + 16 * EPSILON) + TINY
        return Fraction(above) + Fraction(constant) ** 2 if math.isfinite(above) else math.inf

    def _square_sharply(self, support: Sequence[int], alpha: Sequence[Fraction]) -> Fraction:
        """The upper end, which for a rational kernel is the number itself. K(a, b) = K(b, a), so half of the values do."""
        total = Fraction(0)
        for k, i in enumerate(support):
            for j, (low, high) in enumerate(self.sharp(i, support[k:]), k):
                signed = alpha[k] * alpha[j] * (1 if j == k else 2)
                total += signed * (high if signed > 0 else low)
        return total

    def remains_at(self, rows: Sequence[int], signed: Sequence[Fraction]) -> int | None:
        """A row at which something is left of Σ λ·y·φ(x); None where the rows cancel out.

        Equal rows do whatever the kernel. Others do where ‖Σ λ·y·φ(x)‖² = 0, for which it is enough to look at the rows named;
        and where no φ is known, where Σ λ·y·K(x, xⱼ) = 0 for every row j there is.
        """
        together: dict[Any, Fraction] = {}
        for i, factor in zip(rows, signed, strict=True):
            whole, bottom = self._row(i)
            same = frozenset(pair for pair in whole.items() if pair[1]) if isinstance(whole, dict) else tuple(whole)
            together[same, bottom] = together.get((same, bottom), Fraction(0)) + factor
        if not any(together.values()):
            return None
        if not self.kernel.exact:
            return rows[0]
        of = rows if self.kernel.positive else range(len(self))
        return next((j for j, left in self.left_over(rows, signed, of) if left), None)

    def left_over(self, rows: Sequence[int], signed: Sequence[Fraction], of: Sequence[int]) -> Iterator[tuple[int, Fraction]]:
        """Σ λᵢ·yᵢ·K(xᵢ, xⱼ) for each row j that is asked of, of a kernel whose values are rationals."""
        if self.kernel.name == "custom":  # K(xᵢ, xⱼ) in this order: the exact form need not be symmetric
            for j in of:
                yield j, sum((a * self._exact_value(i, j) for a, i in zip(signed, rows, strict=True)), Fraction(0))
            return
        given = self.kernel.name in ("precomputed", "called")
        for part in self.blocks(len(rows), len(of)):
            values = self._given(np.asarray(rows, int), np.asarray(of, int)[part]).T if given else None
            for k, j in enumerate(of[part[0] : part[-1] + 1]):
                between = self.sharp(j, rows, given=None if values is None else values[k])
                yield j, sum((a * value for a, (value, _) in zip(signed, between, strict=True)), Fraction(0))


def _dense(X: Matrix) -> Array:
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def _floats(numbers: Sequence[Number]) -> Array:
    return np.array([nearest_double(number) for number in numbers], np.float64)


def _exp(exponent: Fraction, digits: int) -> Between:
    """exp of a number that is not positive."""
    if not exponent:
        return Fraction(1), Fraction(1)
    if exponent < -FAR:
        return Fraction(0), NEARLY_NOTHING
    # The quotient is wrong by a relative 10^−p, its exp by FAR·10^−p and the last digit: far less than 10^−digits.
    context = Context(prec=digits + 10, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
    value = Fraction(context.exp(context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))))
    share = value / 10**digits
    return value - share, min(Fraction(1), value + share)


def _tanh(t: Fraction, digits: int) -> Between:
    if not t:
        return Fraction(0), Fraction(0)
    lost = (
        max(0, t.denominator.bit_length() - t.numerator.bit_length()) // 3 + 1
    )  # digits that 1 − exp(−2|t|) loses for a small t
    low, high = _exp(-2 * abs(t), digits + lost + 3)
    unit = 10 ** (digits + lost + 3)
    least, most = (1 - high) / (1 + high), (1 - low) / (1 + low)
    # rounded outward to decimals, or sums of many would have endless denominators
    least, most = Fraction(math.floor(least * unit), unit), Fraction(math.ceil(most * unit), unit)
    return (least, most) if t > 0 else (-most, -least)
