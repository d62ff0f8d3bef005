"""Claims about a system of constraints: a point that satisfies it, multipliers that rule out every point, the best point."""

from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from novikoff.proof.certificate import Certificate, Feasible, Infeasible, Optimal, System, Unbounded, Undecided
from novikoff.proof.claims import RejectedError, reject_outcome
from novikoff.proof.claims.two_classes import check_upper_end
from novikoff.proof.exact import Signed, weights
from novikoff.proof.exact_constraints import coefficients, row_ends, violated
from novikoff.proof.fingerprint import of_system
from novikoff.proof.rational_matrix import Ends, numbers_of, signed
from novikoff.proof.rationals import Number


class Constraints(NamedTuple):
    """lower ≤ rows·w ≤ upper, and low ≤ w ≤ high."""

    z: Signed  # the rows, as they are
    lower: Ends
    upper: Ends
    low: Ends  # of the coordinates
    high: Ends
    objective: Ends | None

    def ends(self, of_columns: bool) -> tuple[Ends, Ends]:
        return (self.low, self.high) if of_columns else (self.lower, self.upper)


def constraints_of(system: System, A: Any, lower: Any, upper: Any, bounds: Any, objective: Any) -> Constraints:
    """These constraints, if they are the ones that the certificate is about."""
    A = numbers_of(A)
    ends = row_ends(A, lower, upper, bounds)
    cost = None if objective is None else coefficients(objective, A.shape[1])
    if A.shape != (system.rows, system.columns):
        rows, columns = A.shape
        raise RejectedError(
            f"the certificate is for {system.rows} rows and {system.columns} columns, the system has {rows} and {columns}"
        )
    fingerprint = str(of_system(A, *ends, cost))
    if fingerprint != system.fingerprint:
        raise RejectedError(
            f"this is another system: its fingerprint is {fingerprint}, the certificate's {system.fingerprint[:40]}"
        )
    return Constraints(signed(A, np.ones(A.shape[0]), False), *ends, cost)


def check(certificate: Certificate, system: Constraints) -> None:
    """Raise `RejectedError` unless the certificate holds for these constraints."""
    match certificate:
        case Feasible():
            _check_point(certificate.w.tolist(), system)
        case Infeasible():
            _check_infeasible(certificate, system)
        case Optimal():
            _check_optimal(certificate, system)
        case Unbounded():
            _check_unbounded(certificate, system)
        case Undecided():
            check_upper_end(certificate.hull, certificate.margin_at_most, system.z)
        case _:
            raise reject_outcome(certificate)


def _check_point(numbers: list[Number], system: Constraints) -> None:
    z = system.z
    _check_length(numbers, system, "point")
    for j, number in enumerate(numbers):
        if not system.low[j] <= number <= system.high[j]:
            raise RejectedError(f"coordinate {j} is not within its bounds")
    row = violated(z, weights(numbers), system.lower, system.upper)
    if row is not None:
        raise RejectedError(f"row {row} is not satisfied")


def _check_length(numbers: list[Number], system: Constraints, what: str) -> None:
    if len(numbers) != system.z.length:
        raise RejectedError(f"the {what} has {len(numbers)} coordinates, the system {system.z.length}")
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        raise RejectedError("a coordinate is not a finite number")


def _objective_at(numbers: list[Number], system: Constraints) -> Fraction:
    pairs = zip(system.objective.tolist() if system.objective else [], numbers, strict=True)
    return sum((Fraction(c) * Fraction(x) for c, x in pairs if c and x), Fraction(0))


def _check_optimal(certificate: Optimal, system: Constraints) -> None:
    """c·w is the value, and Σ λ·a = c over rows and coordinates, while the ends that belong to the λ add up to the value."""
    numbers = certificate.w.tolist()
    _check_point(numbers, system)
    value = Fraction(certificate.value)
    if _objective_at(numbers, system) != value:
        raise RejectedError("the objective has another value at the point")
    sums, total = _combined(certificate, system, upper_if_positive=certificate.sense == "maximize")
    for j, c in enumerate(system.objective.tolist() if system.objective else []):
        if sums.pop(j, 0) != c:
            raise RejectedError(f"the constraints do not add up to the objective: coordinate {j} is another")
    if total != value:
        raise RejectedError("the ends of the constraints do not add up to the value, so a better point is not ruled out")


def _check_unbounded(certificate: Unbounded, system: Constraints) -> None:
    """No end stops the ray, and the objective gets better along it."""
    _check_point(certificate.w.tolist(), system)
    ray = certificate.ray.tolist()
    _check_length(ray, system, "ray")
    gain = _objective_at(ray, system)
    if not (gain > 0 if certificate.sense == "maximize" else gain < 0):
        raise RejectedError("the objective does not get better along the ray")
    exact = weights(ray)
    for what, low, high, along in (
        ("coordinate", system.low, system.high, [Fraction(number) for number in ray]),
        ("row", system.lower, system.upper, [system.z.score(i, exact) for i in range(len(system.z))]),
    ):
        for k, change in enumerate(along):
            if (change < 0 and isfinite(low.floats[k])) or (change > 0 and isfinite(high.floats[k])):
                raise RejectedError(f"the ray leaves the limits of {what} {k}")


def _check_infeasible(certificate: Infeasible, system: Constraints) -> None:
    """Σ λ·a = 0 over rows and coordinates, while the ends that belong to the multipliers add up to more than 0."""
    sums, total = _combined(certificate, system, upper_if_positive=False)
    for j, left in sums.items():
        if left:
            raise RejectedError(f"the constraints do not cancel out: something is left of coordinate {j}")
    if not total > 0:
        raise RejectedError("the constraints cancel out, but do not contradict each other")


def _combined(
    certificate: Infeasible | Optimal, system: Constraints, upper_if_positive: bool
) -> tuple[dict[int, Fraction], Fraction]:
    """Σ λ·a over rows and coordinates, by coordinate, and Σ λ·end."""
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
            upper = (multiplier > 0) is upper_if_positive
            if not isfinite(ends[upper].floats[k]):
                raise RejectedError(f"{what} {k} has no {'upper' if upper else 'lower'} end, but a multiplier for it")
            total += multiplier * Fraction(ends[upper][k])
            if of_columns:
                sums[k] = sums.get(k, Fraction(0)) + multiplier
    columns, scale = system.z.combined(certificate.rows, certificate.multipliers)
    for j, whole in columns.items():
        sums[j] = sums.get(j, Fraction(0)) + whole * scale
    return sums, total
