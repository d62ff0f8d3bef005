"""The stranger: raw data and a certificate in, yes or no out, in exact arithmetic.

No code of the learner's is used, and no number of the certificate is believed that can be computed from the data. The values of a
kernel are computed again, as fractions or, where they are none, as numbers between two of them (`exact_kernels.py`).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from novikoff.foundation.matrix_checks import unmasked
from novikoff.proof.certificate import (
    Certificate,
    Classes,
    Data,
    Feasible,
    Hull,
    Infeasible,
    Inseparable,
    Kernel,
    ManyHull,
    ManyInseparable,
    ManySeparable,
    Mixing,
    Separable,
    System,
    Undecided,
    labels_of,
)
from novikoff.proof.exact import ManyRows, Signed, as_numbers, norm_above, root_above, row_ends, violated, weights
from novikoff.proof.exact_kernels import KernelValues
from novikoff.proof.fingerprint import fingerprint, of_system

Array = np.ndarray[Any, Any]

MOST_PASSES = 2**63  # as many as a counter counts


@dataclass(frozen=True)
class Verdict:
    """True if the certificate holds; otherwise `why` names the first thing that is wrong."""

    holds: bool
    why: str = ""

    def __bool__(self) -> bool:
        return self.holds


class _WrongError(Exception):
    """The first thing that is wrong."""


def verify(
    certificate: Certificate,
    X: Any,
    y: Any = None,
    *,
    lower: Any = 1.0,
    upper: Any = inf,
    bounds: Any = None,
    kernel: Callable[[Any, Any], Any] | None = None,
) -> Verdict:
    """Does the certificate prove of this data what it says?

    Of classes, X are the rows and y their labels; `kernel` is the function of two matrices that the certificate is of, if it
    is of one. Of constraints, X is the matrix of lower ≤ X·w ≤ upper, a cone if the
    two are not given; `bounds` are those of w itself, two numbers for each coordinate (or two for all), none if not given.
    """
    check = _CHECKS.get(type(certificate))
    if check is None:
        raise TypeError(
            f"verify needs a certificate, as `separate` or `novikoff.proof.certificate.load` gives it, not {certificate!r}"
        )

    def judged() -> None:
        if isinstance(certificate.data, System):
            if y is not None or kernel is not None:
                raise _WrongError("the certificate is of constraints, which have no labels and no kernel")
            check(certificate, _the_system(certificate.data, X, lower, upper, bounds))
            return
        if y is None:
            raise _WrongError("the certificate is of classes: give the labels as well")
        data: Any = certificate.data
        rows: Any = _the_classes(data, X, y) if isinstance(data, Classes) else _the_data(data, X, y)
        if (through := getattr(data, "kernel", None)) is not None:
            _THROUGH_A_KERNEL[type(certificate)](certificate, _the_values(through, rows, kernel))
            return
        if kernel is not None:
            raise _WrongError("the certificate is of no kernel: leave kernel= out")
        check(certificate, rows)

    return _verdict(judged)


def verify_rows(certificate: Certificate, found: Callable[[], Any]) -> Verdict:
    """The same of rows that lie elsewhere: they answer as `exact.Signed` or `exact.ManyRows` do, and have a `fingerprint`."""

    def judged() -> None:
        data: Any = certificate.data
        _require_named(data)
        rows = found()
        _require_shape(data, (len(rows), rows.columns))
        _require_labels(data, rows.occurring)
        _require_fingerprint(data, rows.fingerprint)
        _CHECKS[type(certificate)](certificate, rows)

    return _verdict(judged)


def _verdict(judged: Callable[[], None]) -> Verdict:
    try:
        judged()
    except (_WrongError, ValueError) as error:
        return Verdict(False, str(error))
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        return Verdict(False, f"a field of the certificate, or the data, is not of a kind that it can be ({error})")
    return Verdict(True)


def _the_data(data: Data, X: Any, y: Any) -> Signed:
    """X and y, if they are what the certificate speaks of."""
    X, code = _the_rows(data, X), codes(y, (data.no, data.yes))
    _recognised(data, X, code)
    return Signed(X, 2.0 * code - 1.0, data.fit_intercept)


def _the_rows(data: Data | Classes, X: Any) -> Any:
    _require_named(data)
    X = as_numbers(X)
    _require_shape(data, X.shape)
    return X


def _require_shape(data: Any, shape: tuple[int, ...]) -> None:
    if shape != (data.rows, data.columns):
        raise _WrongError(
            f"the certificate is of {data.rows} rows and {data.columns} columns, the data has {shape[0]} and {shape[1]}"
        )


def _require_named(data: Any) -> None:
    if not data.fingerprint:
        raise _WrongError("the certificate does not say which data it is of: it decides nothing, and nobody asked; use `certify`")


def _recognised(data: Data | Classes, X: Any, code: Array) -> None:
    if len(code) != data.rows:
        raise _WrongError(f"there are {data.rows} rows and {len(code)} labels")
    _require_labels(data, np.unique(code).tolist())
    _require_fingerprint(data, str(fingerprint(X, code)))


def _require_labels(data: Data | Classes, occurring: Collection[int]) -> None:
    """Each label that the certificate names is that of some row: of one that no row has, anything could be said."""
    names = labels_of(data)
    if len(names) < 2:
        raise _WrongError("the certificate is of fewer than two classes")
    for code, name in enumerate(names):
        if name is not None and code not in occurring:
            raise _WrongError(f"no row has the label {name!r}, of which the certificate speaks")


def _require_fingerprint(data: Any, found: str) -> None:
    if found != data.fingerprint:
        raise _WrongError(f"this is other data: its fingerprint is {found}, the certificate's {data.fingerprint[:40]}")


def _the_classes(data: Classes, X: Any, y: Any) -> ManyRows:
    """X and y, if they are what a certificate of many classes speaks of."""
    X, code = _the_rows(data, X), codes(y, data.classes)
    _recognised(data, X, code)
    return ManyRows(X, code, len(data.classes), data.fit_intercept)


def codes(y: Any, names: Sequence[Any]) -> Array:
    """The place of each label among the names; refused where it has none. A first name of None stands for every other label."""
    y = np.asarray(unmasked(y, "y"))
    if y.ndim != 1:
        raise ValueError(f"labels must be one-dimensional; these have shape {y.shape}")
    if None in names[1:]:
        raise ValueError("a label of the certificate is None, which no row has")
    place = {name: code for code, name in enumerate(names) if name is not None}
    if len(place) + (names[0] is None) != len(names):
        raise ValueError("the certificate names a label twice")
    other = 0 if names[0] is None else -1
    found = np.array([place.get(label, other) for label in y.tolist()], np.int64)  # as Python compares: 2⁵³ + 1 is not 2.0⁵³
    if (found < 0).any():
        i = int(np.flatnonzero(found < 0)[0])
        raise ValueError(f"the label of row {i} is {y[i]}, which is not among the certificate's: {_listed(names)}")
    return found


def _listed(names: Sequence[Any]) -> str:
    return ", ".join(map(repr, names[:10])) + (", …" if len(names) > 10 else "")


def _check_separable(certificate: Separable, z: Signed) -> None:
    if len(certificate.weights) != certificate.data.columns:
        raise _WrongError(f"there are {len(certificate.weights)} weights for {certificate.data.columns} columns")
    if not z.fit_intercept and certificate.intercept != 0:
        raise _WrongError("there is an intercept, where the certificate says that there is none")
    numbers = [*certificate.weights.tolist(), *([certificate.intercept] if z.fit_intercept else [])]
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        raise _WrongError("a weight is not a finite number")
    w = weights(numbers)
    row, least = z.least(w)
    if not least > 0:
        raise _WrongError(f"row {row} is not on its own side of the hyperplane")
    low, high = certificate.margin
    if least**2 < _lower_end(low) ** 2 * w.sqnorm:
        raise _WrongError(f"the margin of these weights is not {low} or more: row {row} is nearer")
    _check_upper_end(certificate.hull, high, z)
    if certificate.mixing is not None:
        _check_clean_mixing(certificate.mixing, low, z, 1)


def _lower_end(low: float) -> Fraction:
    if not 0 <= low < inf:
        raise _WrongError(f"the margin of these weights is not {low}: it is a number from 0 on")
    return Fraction(low)


def _check_upper_end(hull: Hull, high: float, z: Signed) -> None:
    """The evidence shows that no separator has a margin above `high`."""
    if not isinstance(hull, Hull):
        raise _WrongError("the evidence is of many classes, the certificate is not")
    if high == inf and not hull.rows and not hull.multipliers:
        return
    _check_multipliers(hull.rows, hull.multipliers, z)
    if not high >= 0:
        raise _WrongError(f"the upper end of the margin is {high}")
    if all(isinstance(multiplier, float) for multiplier in hull.multipliers) and z.norm_above(hull) <= high:
        return  # floats are enough, their error bound included
    if high < inf and z.sqnorm_of(hull) > Fraction(high) ** 2:
        raise _WrongError(f"the rows given do not show that no margin is above {high}")


def _check_multipliers(rows: tuple[int, ...], multipliers: tuple[Any, ...], z: Signed) -> None:
    if len(rows) != len(multipliers):
        raise _WrongError(f"there are {len(rows)} rows and {len(multipliers)} multipliers")
    if not all(0 <= row < len(z) for row in rows):
        raise _WrongError(f"row {next(row for row in rows if not 0 <= row < len(z))} does not exist")
    if len(set(rows)) < len(rows):
        raise _WrongError("a row is named twice")
    if not all(0 <= multiplier < inf for multiplier in multipliers):
        raise _WrongError("a multiplier is negative, or not a number")
    if not any(multipliers):
        raise _WrongError("all multipliers are zero")


def _check_inseparable(certificate: Inseparable, z: Signed) -> None:
    _check_multipliers(certificate.rows, certificate.multipliers, z)
    if len(certificate.rows) > z.length + 1:
        raise _WrongError(f"{len(certificate.rows)} rows are more than are ever needed for {z.length} weights")
    for column, total in z.combined(certificate.rows, certificate.multipliers)[0].items():
        if total:
            where = "the constant coordinate" if column == certificate.data.columns else f"column {column}"
            raise _WrongError(f"the rows do not cancel out: something is left in {where}")


# ---- many classes at once -------------------------------------------------------------------------------------------


def _check_many_separable(certificate: ManySeparable, many: ManyRows) -> None:
    w, b = certificate.weights, certificate.intercepts
    if w.shape != (many.classes, certificate.data.columns) or b.shape != (many.classes,):
        raise _WrongError(
            f"there are weights of shape {w.shape} for {many.classes} classes and {certificate.data.columns} columns"
        )
    if w.dtype != np.float64 or b.dtype != np.float64 or not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise _WrongError("a weight is not a finite double")
    if not many.fit_intercept and b.any():
        raise _WrongError("there is an intercept, where the certificate says that there is none")
    whole = np.column_stack([w, b]) if many.fit_intercept else w
    row, rival, least = many.least(whole)
    if not least > 0:
        raise _WrongError(f"row {row} does not have a higher score for its own class than for {certificate.data.classes[rival]}")
    low, high = certificate.margin
    if least < _lower_end(low) * norm_above(whole):  # quickly; else by the exact squares
        squares = weights(whole.ravel().tolist()).sqnorm
        if least**2 < Fraction(low) ** 2 * squares:
            raise _WrongError(f"the margin of these weights is not {low} or more: row {row} is nearer")
    _check_many_upper_end(certificate.hull, high, many)
    if certificate.mixing is not None:
        _check_clean_mixing(certificate.mixing, low, many, 2)


def _check_many_upper_end(hull: ManyHull, high: float, many: ManyRows) -> None:
    if not isinstance(hull, ManyHull):
        raise _WrongError("the evidence is not of a kind that it can be: of many classes, rows have rivals")
    if high == inf and not any(hull):
        return
    z = _written_out(hull.rows, hull.rivals, hull.multipliers, many)
    _check_upper_end(Hull(tuple(range(len(z))), hull.multipliers), high, z)


def _written_out(rows: tuple[int, ...], rivals: tuple[int, ...], multipliers: tuple[Any, ...], many: ManyRows) -> Signed:
    """The z's of these rows and rivals, if there are such."""
    if not len(rows) == len(rivals) == len(multipliers):
        raise _WrongError(f"there are {len(rows)} rows, {len(rivals)} rivals and {len(multipliers)} multipliers")
    if len(set(zip(rows, rivals, strict=True))) < len(rows):
        raise _WrongError("a row is named twice with the same rival")
    for row, rival in zip(rows, rivals, strict=True):
        if not 0 <= row < len(many.code):
            raise _WrongError(f"row {row} does not exist")
        if not 0 <= rival < many.classes or rival == many.code[row]:
            raise _WrongError(f"row {row} cannot have class number {rival} as its rival")
    return many.z(rows, rivals)


def _check_many_inseparable(certificate: ManyInseparable, many: ManyRows) -> None:
    rows, multipliers = certificate.rows, certificate.multipliers
    if len(rows) > many.classes * many.length + 1:
        raise _WrongError(f"{len(rows)} rows are more than are ever needed for {many.classes * many.length} weights")
    z = _written_out(rows, certificate.rivals, multipliers, many)
    _check_multipliers(tuple(range(len(z))), multipliers, z)
    if any(z.combined(range(len(z)), multipliers)[0].values()):
        raise _WrongError("the rows, each for its class and against its rival, do not cancel out")


def _check_undecided(certificate: Undecided, rows: Any) -> None:
    hull, high = certificate.hull, certificate.margin_at_most
    if isinstance(certificate.data, Classes):
        _check_many_upper_end(hull, high, rows)  # type: ignore[arg-type]
    else:
        _check_upper_end(hull, high, rows.z if isinstance(certificate.data, System) else rows)  # type: ignore[arg-type]
    if certificate.mixing is not None:
        _check_mixing(certificate.mixing, rows, 2 if isinstance(certificate.data, Classes) else 1, separable=False)


# ---- learned on shards ----------------------------------------------------------------------------------------------


def _check_mixing(mixing: Mixing, rows: Signed | ManyRows, least_factor: int, separable: bool) -> None:
    """What is said of shards can be so. How often weights changed, no data tells; within which limits, it does.

    A shard has a row at least. A row makes one update a pass at most, a clean pass makes none, and the shares of the shards add
    up to 1: a pass counts for no more than the rows of the largest shard. Weights that are not 0 took an update, which counts
    for no less than a shard's even share.
    """
    shards, passes, clean, mistakes, radius, factor = mixing
    n = len(rows)
    if not all(isinstance(count, int) and count >= 1 for count in (shards, passes)) or shards > n or passes >= MOST_PASSES:
        raise _WrongError(f"there are {_short(shards)} shards and {_short(passes)} passes of {n} rows: that cannot be")
    if not 0 <= mistakes < inf:
        raise _WrongError(f"the updates on the shards are {mistakes}: they are a number from 0 on")
    most = (passes - bool(clean)) * (n - shards + 1)
    if mistakes > most:
        raise _WrongError(f"the updates on the shards are {mistakes}: in {passes} passes there are at most {most}")
    if mistakes < 1 / shards and (separable or not clean):
        raise _WrongError(f"the updates on the shards are {mistakes}: weights that change take an update at least")
    if factor is not None and not least_factor <= factor < inf:
        raise _WrongError(f"the factor of F20 is {factor}: it is at least {least_factor}")
    if not 0 < radius < inf or not rows.within(radius):
        raise _WrongError(f"a row is longer than the radius {radius}, or that is none")


def _short(count: Any) -> str:
    return str(count) if not isinstance(count, int) or abs(count) < 10**20 else f"about 10^{int(count.bit_length() * 0.30103)}"


def _check_clean_mixing(mixing: Mixing, low: float, rows: Signed | ManyRows, least_factor: int) -> None:
    """The same where the weights separate, and F20 with the margin that they prove."""
    if mixing.clean is not True:
        raise _WrongError("the last pass on the shards was not clean, and yet the weights are said to separate")
    _check_mixing(mixing, rows, least_factor, separable=True)
    if mixing.factor is not None and Fraction(mixing.mistakes) * Fraction(low) ** 2 > (
        Fraction(mixing.factor) * Fraction(mixing.radius) ** 2
    ):
        raise _WrongError(f"there are {mixing.mistakes} updates on the shards, more than F20 allows with a margin of {low}")


# ---- through a kernel -----------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    values: KernelValues
    z: Signed  # the rows themselves


def _the_values(kernel: Kernel, z: Signed, function: Callable[[Any, Any], Any] | None) -> _Rows:
    if function is not None and kernel.name != "called":
        raise _WrongError(f"the certificate is of the kernel {kernel}, which is computed here: leave kernel= out")
    if function is not None and not callable(function):
        raise _WrongError("kernel must be the function of two matrices that the certificate is of")
    if kernel.name == "precomputed" and z.X.shape[0] != z.X.shape[1]:
        raise _WrongError(f"values of a kernel are a square matrix; this has shape {z.X.shape}")
    return _Rows(KernelValues(kernel, z.X, function), z)


def _check_separable_through(certificate: Separable, rows: _Rows) -> None:
    values, z = rows
    support, alpha, intercept, tolerance = (
        certificate.support,
        certificate.weights.tolist(),
        certificate.intercept,
        certificate.tolerance,
    )
    if support is None or tolerance is None or len(support) != len(alpha):
        raise _WrongError("there are not as many weights as rows that they belong to, or no tolerance")
    if not all(0 <= row < len(z) for row in support) or len(set(support)) < len(support):
        raise _WrongError("a row of the support is named twice, or does not exist")
    if not all(isfinite(number) for number in [*alpha, intercept] if isinstance(number, float)):
        raise _WrongError("a weight is not a finite number")
    if not 0 <= tolerance < 1:
        raise _WrongError(f"the tolerance is {tolerance}: it must be a share")
    if not tolerance and not values.kernel.exact:
        raise _WrongError(f"the tolerance is 0, and values of the kernel {values.kernel} are known only within one")
    if not z.fit_intercept and intercept != 0:
        raise _WrongError("there is an intercept, where the certificate says that there is none")
    row, least = values.lowest(z.sign, support, alpha, intercept, tolerance)
    if not least > 0:
        raise _WrongError(f"row {row} is not on its own side, or not for certain")
    low, high = certificate.margin
    if _lower_end(low) > 0 and not values.kernel.positive:
        raise _WrongError(f"the kernel {values.kernel} is not known to be positive semidefinite: there is no margin")
    for sharply in (False, True) if low > 0 else ():
        square = values.square_above(support, alpha, intercept, sharply)
        if square < inf and least**2 >= Fraction(low) ** 2 * square:
            break
        if sharply:
            row, least = values.lowest(z.sign, support, alpha, intercept, 0.0, low * root_above(Fraction(square)))
            if least <= 0 or least**2 < Fraction(low) ** 2 * square:
                raise _WrongError(f"the margin of these weights is not {low} or more: row {row} is nearer")
    _check_upper_end_through(certificate.hull, high, rows)


def _check_upper_end_through(hull: Hull, high: float, rows: _Rows) -> None:
    values, z = rows
    if not isinstance(hull, Hull):
        raise _WrongError("the evidence is of many classes, the certificate is not")
    if high == inf and not hull.rows and not hull.multipliers:
        return
    if not values.kernel.positive:
        raise _WrongError(f"the kernel {values.kernel} is not known to be positive semidefinite: there is no upper end")
    _check_multipliers(hull.rows, hull.multipliers, z)
    if not high >= 0:
        raise _WrongError(f"the upper end of the margin is {high}")
    signed, total = _signed(hull.rows, hull.multipliers, z), sum((Fraction(m) for m in hull.multipliers), Fraction(0))
    constant = sum(signed, Fraction(0)) if z.fit_intercept else Fraction(0)
    for sharply in (False, True):
        if high == inf or values.square_above(hull.rows, signed, constant, sharply) <= (Fraction(high) * total) ** 2:
            return
    raise _WrongError(f"the rows given do not show that no margin is above {high}")


def _signed(rows: tuple[int, ...], multipliers: tuple[Any, ...], z: Signed) -> list[Fraction]:
    return [Fraction(multiplier) * int(z.sign[row]) for row, multiplier in zip(rows, multipliers, strict=True)]


def _check_inseparable_through(certificate: Inseparable, rows: _Rows) -> None:
    values, z = rows
    _check_multipliers(certificate.rows, certificate.multipliers, z)
    signed = _signed(certificate.rows, certificate.multipliers, z)
    if z.fit_intercept and sum(signed, Fraction(0)):
        raise _WrongError("the rows do not cancel out: something is left in the constant coordinate")
    row = values.remains_at(certificate.rows, signed)
    if row is not None:
        but = "" if values.kernel.exact else f"; through the kernel {values.kernel} only equal rows do for certain"
        raise _WrongError(f"the rows do not cancel out: something is left at row {row}{but}")


def _check_undecided_through(certificate: Undecided, rows: _Rows) -> None:
    _check_upper_end_through(
        certificate.hull,  # type: ignore[arg-type]
        certificate.margin_at_most,
        rows,
    )


_THROUGH_A_KERNEL: dict[type, Callable[[Any, Any], None]] = {
    Separable: _check_separable_through,
    Inseparable: _check_inseparable_through,
    Undecided: _check_undecided_through,
}


# ---- constraints ----------------------------------------------------------------------------------------------------


class _Constraints(NamedTuple):
    z: Signed  # the rows, as they are
    lower: Array
    upper: Array
    low: Array  # of the coordinates
    high: Array

    def ends(self, of_columns: bool) -> tuple[Array, Array]:
        return (self.low, self.high) if of_columns else (self.lower, self.upper)


def _the_system(system: System, A: Any, lower: Any, upper: Any, bounds: Any) -> _Constraints:
    """These constraints, if they are what the certificate speaks of."""
    A = as_numbers(A)
    ends = row_ends(A, lower, upper, bounds)
    if A.shape != (system.rows, system.columns):
        raise _WrongError(
            f"the certificate is of {system.rows} rows and {system.columns} columns, the system has {A.shape[0]} and {A.shape[1]}"
        )
    found = str(of_system(A, *ends))
    if found != system.fingerprint:
        raise _WrongError(f"this is another system: its fingerprint is {found}, the certificate's {system.fingerprint[:40]}")
    return _Constraints(Signed(A, np.ones(A.shape[0]), False), *ends)


def _check_feasible(certificate: Feasible, system: _Constraints) -> None:
    z, numbers = system.z, certificate.w.tolist()
    if len(numbers) != z.length:
        raise _WrongError(f"the point has {len(numbers)} coordinates, the system {z.length}")
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        raise _WrongError("a coordinate is not a finite number")
    for j, number in enumerate(numbers):
        if not float(system.low[j]) <= number <= float(system.high[j]):
            raise _WrongError(f"coordinate {j} is not within its bounds")
    row = violated(z, weights(numbers), system.lower, system.upper)
    if row is not None:
        raise _WrongError(f"row {row} is not satisfied")


def _check_infeasible(certificate: Infeasible, system: _Constraints) -> None:
    """Σ λ·a = 0 over rows and coordinates, while the ends that they hold to add up to more than 0."""
    total, sums = Fraction(0), dict[int, Fraction]()
    for of_columns, named, multipliers in (
        (False, certificate.rows, certificate.multipliers),
        (True, certificate.columns, certificate.column_multipliers),
    ):
        what, ends = ("coordinate", "row")[not of_columns], system.ends(of_columns)
        if len(named) != len(multipliers):
            raise _WrongError(f"there are {len(named)} {what}s and {len(multipliers)} multipliers")
        for k, multiplier in zip(named, multipliers, strict=True):
            if not 0 <= k < len(ends[0]):
                raise _WrongError(f"{what} {k} does not exist")
            if not isinstance(multiplier, Fraction) or not multiplier:
                raise _WrongError(f"the multiplier of {what} {k} is 0, or no fraction")
            end = ends[multiplier < 0][k]
            if not isfinite(end):
                raise _WrongError(f"{what} {k} has no {'upper' if multiplier < 0 else 'lower'} end for its multiplier to be of")
            total += multiplier * Fraction(float(end))
            if of_columns:
                sums[k] = sums.get(k, Fraction(0)) + multiplier
    columns, scale = system.z.combined(certificate.rows, certificate.multipliers)
    for j, whole in columns.items():
        sums[j] = sums.get(j, Fraction(0)) + whole * scale
    for j, left in sums.items():
        if left:
            raise _WrongError(f"the constraints do not cancel out: something is left of coordinate {j}")
    if not total > 0:
        raise _WrongError("the constraints cancel out, but do not contradict each other")


_CHECKS: dict[type, Callable[[Any, Any], None]] = {
    Separable: _check_separable,
    Inseparable: _check_inseparable,
    ManySeparable: _check_many_separable,
    ManyInseparable: _check_many_inseparable,
    Undecided: _check_undecided,
    Feasible: _check_feasible,
    Infeasible: _check_infeasible,
}
