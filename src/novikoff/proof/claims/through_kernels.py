"""Claims about two classes through a kernel: a sum over rows that separates, or rows that cancel out in φ-space."""

from fractions import Fraction
from math import inf, isfinite
from typing import NamedTuple

from novikoff.proof.certificate import Certificate, Hull, Hulls, Inseparable, ManyHull, Separable, Undecided
from novikoff.proof.claims import RejectedError, reject_outcome
from novikoff.proof.claims.two_classes import check_multipliers, lower_end
from novikoff.proof.exact import Signed
from novikoff.proof.exact_kernels import KernelValues, UserKernel
from novikoff.proof.named_kernels import GIVEN_BY_USERS, Kernel
from novikoff.proof.rationals import Number, root_above


class KernelRows(NamedTuple):
    """Rows and the values of the kernel between them."""

    values: KernelValues
    z: Signed  # the rows themselves


def rows_through(kernel: Kernel, z: Signed, function: UserKernel | None) -> KernelRows:
    """The rows with the kernel of the certificate. `function` is what the user gave as `kernel=`."""
    if function is not None and kernel.name not in GIVEN_BY_USERS:
        raise RejectedError(f"`verify` computes the kernel {kernel} of this certificate itself: leave kernel= out")
    if kernel.name == "custom" and not callable(function):
        raise RejectedError(
            f"the certificate is of the kernel {kernel}, which is not one of this package: "
            "give its exact form as kernel=, a function of two rows of fractions"
        )
    if function is not None and not callable(function):
        raise RejectedError("kernel= must be the function of two matrices that the certificate was made with")
    if kernel.name == "precomputed" and z.X.shape[0] != z.X.shape[1]:
        raise RejectedError(f"precomputed kernel values must be a square matrix; this has shape {z.X.shape}")
    return KernelRows(KernelValues(kernel, z.X, function), z)


def check(certificate: Certificate, rows: KernelRows) -> None:
    """Raise `RejectedError` unless the certificate holds for these rows."""
    match certificate:
        case Separable():
            _check_separable(certificate, rows)
        case Inseparable():
            _check_inseparable(certificate, rows)
        case Undecided():
            _check_upper_end(certificate.hull, certificate.margin_at_most, rows)
        case _:
            raise reject_outcome(certificate)


def _check_separable(certificate: Separable, rows: KernelRows) -> None:
    values, z = rows
    support, alpha, intercept, tolerance = (
        certificate.support,
        certificate.weights.tolist(),
        certificate.intercept,
        certificate.tolerance,
    )
    if support is None or tolerance is None or len(support) != len(alpha):
        raise RejectedError("the numbers of weights and support rows differ, or there is no tolerance")
    if not all(0 <= row < len(z) for row in support) or len(set(support)) < len(support):
        raise RejectedError("a row of the support is named twice, or does not exist")
    if not all(isfinite(number) for number in [*alpha, intercept] if isinstance(number, float)):
        raise RejectedError("a weight is not a finite number")
    if not 0 <= tolerance < 1:
        raise RejectedError(f"the tolerance is {tolerance}: it must be at least 0 and below 1")
    if not tolerance and not values.kernel.exact:
        raise RejectedError(f"the tolerance is 0, but values of the kernel {values.kernel} are not rational and need one")
    if not z.fit_intercept and intercept != 0:
        raise RejectedError("there is an intercept, although the certificate says that there is none")
    row, least = values.lowest(z.sign, support, alpha, intercept, tolerance)
    if not least > 0:
        raise RejectedError(f"row {row} is not on its own side, or not beyond the tolerance")
    low, high = certificate.margin
    if lower_end(low) > 0 and not values.kernel.positive:
        raise RejectedError(f"the kernel {values.kernel} is not known to be positive semidefinite: there is no margin")
    for sharply in (False, True) if low > 0 else ():
        square = values.square_above(support, alpha, intercept, sharply)
        if square < inf and least**2 >= Fraction(low) ** 2 * square:
            break
        if sharply:
            row, least = values.lowest(z.sign, support, alpha, intercept, 0.0, low * root_above(Fraction(square)))
            if least <= 0 or least**2 < Fraction(low) ** 2 * square:
                raise RejectedError(f"the margin of these weights is not {low} or more: row {row} is nearer")
    _check_upper_end(certificate.hull, high, rows)


def _check_inseparable(certificate: Inseparable, rows: KernelRows) -> None:
    values, z = rows
    check_multipliers(certificate.rows, certificate.multipliers, z)
    signed = _signed(certificate.rows, certificate.multipliers, z)
    if z.fit_intercept and sum(signed, Fraction(0)):
        raise RejectedError("the rows do not cancel out: something is left in the constant coordinate")
    row = values.remains_at(certificate.rows, signed)
    if row is not None:
        but = "" if values.kernel.exact else f"; through the kernel {values.kernel} only equal rows are known to cancel out"
        raise RejectedError(f"the rows do not cancel out: something is left at row {row}{but}")


def _check_upper_end(hull: Hull | Hulls | ManyHull, high: float, rows: KernelRows) -> None:
    values, z = rows
    if not isinstance(hull, Hull):
        raise RejectedError("through a kernel, the evidence is a point in the hull of all rows")
    if high == inf and not hull.rows and not hull.multipliers:
        return
    if not values.kernel.positive:
        raise RejectedError(f"the kernel {values.kernel} is not known to be positive semidefinite: there is no upper end")
    check_multipliers(hull.rows, hull.multipliers, z)
    if not high >= 0:
        raise RejectedError(f"the upper end of the margin is {high}")
    signed, total = _signed(hull.rows, hull.multipliers, z), sum((Fraction(m) for m in hull.multipliers), Fraction(0))
    constant = sum(signed, Fraction(0)) if z.fit_intercept else Fraction(0)
    for sharply in (False, True):
        if high == inf or values.square_above(hull.rows, signed, constant, sharply) <= (Fraction(high) * total) ** 2:
            return
    raise RejectedError(f"the rows given do not show that no margin is above {high}")


def _signed(rows: tuple[int, ...], multipliers: tuple[Number, ...], z: Signed) -> list[Fraction]:
    return [Fraction(multiplier) * int(z.sign[row]) for row, multiplier in zip(rows, multipliers, strict=True)]
