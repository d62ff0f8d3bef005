"""Claims about a system of constraints: a point that satisfies it, or multipliers that rule out every point (Farkas)."""

from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import Certificate, Feasible, Infeasible, System, Undecided
from novikoff.proof.claims import RejectedError, reject_outcome
from novikoff.proof.claims.two_classes import check_upper_end
from novikoff.proof.exact import Signed, as_numbers, weights
from novikoff.proof.exact_constraints import row_ends, violated
from novikoff.proof.fingerprint import of_system


class Constraints(NamedTuple):
    """lower ≤ rows·w ≤ upper, and low ≤ w ≤ high."""

    z: Signed  # the rows, as they are
    lower: Array
    upper: Array
    low: Array  # of the coordinates
    high: Array

    def ends(self, of_columns: bool) -> tuple[Array, Array]:
        return (self.low, self.high) if of_columns else (self.lower, self.upper)


def constraints_of(system: System, A: Any, lower: Any, upper: Any, bounds: Any) -> Constraints:
    """These constraints, if they are the ones that the certificate is about."""
    A = as_numbers(A)
    ends = row_ends(A, lower, upper, bounds)
    if A.shape != (system.rows, system.columns):
        rows, columns = A.shape
        raise RejectedError(
            f"the certificate is for {system.rows} rows and {system.columns} columns, the system has {rows} and {columns}"
        )
    fingerprint = str(of_system(A, *ends))
    if fingerprint != system.fingerprint:
        raise RejectedError(
            f"this is another system: its fingerprint is {fingerprint}, the certificate's {system.fingerprint[:40]}"
        )
    return Constraints(Signed(A, np.ones(A.shape[0]), False), *ends)


def check(certificate: Certificate, system: Constraints) -> None:
    """Raise `RejectedError` unless the certificate holds for these constraints."""
    match certificate:
        case Feasible():
            _check_feasible(certificate, system)
        case Infeasible():
            _check_infeasible(certificate, system)
        case Undecided():
            check_upper_end(certificate.hull, certificate.margin_at_most, system.z)
        case _:
            raise reject_outcome(certificate)


def _check_feasible(certificate: Feasible, system: Constraints) -> None:
    z, numbers = system.z, certificate.w.tolist()
    if len(numbers) != z.length:
        raise RejectedError(f"the point has {len(numbers)} coordinates, the system {z.length}")
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        raise RejectedError("a coordinate is not a finite number")
    for j, number in enumerate(numbers):
        if not float(system.low[j]) <= number <= float(system.high[j]):
            raise RejectedError(f"coordinate {j} is not within its bounds")
    row = violated(z, weights(numbers), system.lower, system.upper)
    if row is not None:
        raise RejectedError(f"row {row} is not satisfied")


def _check_infeasible(certificate: Infeasible, system: Constraints) -> None:
    """Σ λ·a = 0 over rows and coordinates, while the ends that belong to the multipliers add up to more than 0."""
    total, sums = Fraction(0), dict[int, Fraction]()
    for of_columns, named, multipliers in (
        (False, certificate.rows, certificate.multipliers),
        (True, certificate.columns, certificate.column_multipliers),
    ):
        what, ends = ("coordinate", "row")[not of_columns], system.ends(of_columns)
        if len(named) != len(multipliers):
            raise RejectedError(f"there are {len(named)} {what}s and {len(multipliers)} multipliers")
        for k, multiplier in zip(named, multipliers, strict=True):
            if not 0 <= k < len(ends[0]):
                raise RejectedError(f"{what} {k} does not exist")
            if not isinstance(multiplier, Fraction) or not multiplier:
                raise RejectedError(f"the multiplier of {what} {k} is 0, or not a fraction")
            end = ends[multiplier < 0][k]
            if not isfinite(end):
                raise RejectedError(f"{what} {k} has no {'upper' if multiplier < 0 else 'lower'} end, but a multiplier for it")
            total += multiplier * Fraction(float(end))
            if of_columns:
                sums[k] = sums.get(k, Fraction(0)) + multiplier
    columns, scale = system.z.combined(certificate.rows, certificate.multipliers)
    for j, whole in columns.items():
        sums[j] = sums.get(j, Fraction(0)) + whole * scale
    for j, left in sums.items():
        if left:
            raise RejectedError(f"the constraints do not cancel out: something is left of coordinate {j}")
    if not total > 0:
        raise RejectedError("the constraints cancel out, but do not contradict each other")
