"""Claims about two classes: a separator and its margin, or rows that cancel out."""

from fractions import Fraction
from math import inf, isfinite

from novikoff.proof.certificate import Certificate, Hull, Hulls, Inseparable, ManyHull, Separable, Undecided
from novikoff.proof.claims import RejectedError, RowsWithin, TwoClassRows, reject_outcome
from novikoff.proof.claims.shards import check_clean_mixing, check_mixing
from novikoff.proof.exact import weights
from novikoff.proof.rationals import Number


def check(certificate: Certificate, z: TwoClassRows) -> None:
    """Raise `RejectedError` unless the certificate holds for these rows."""
    match certificate:
        case Separable():
            _check_separable(certificate, z)
        case Inseparable():
            _check_inseparable(certificate, z)
        case Undecided():
            check_upper_end(certificate.hull, certificate.margin_at_most, z)
            if certificate.mixing is not None:
                check_mixing(certificate.mixing, z, 1, separable=False)
        case _:
            raise reject_outcome(certificate)


def _check_separable(certificate: Separable, z: TwoClassRows) -> None:
    if len(certificate.weights) != certificate.data.columns:
        raise RejectedError(f"there are {len(certificate.weights)} weights for {certificate.data.columns} columns")
    if not z.fit_intercept and certificate.intercept != 0:
        raise RejectedError("there is an intercept, although the certificate says that there is none")
    numbers = [*certificate.weights.tolist(), *([certificate.intercept] if z.fit_intercept else [])]
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        raise RejectedError("a weight is not a finite number")
    w = weights(numbers)
    row, least = z.least(w)
    if not least > 0:
        raise RejectedError(f"row {row} is not on its own side of the hyperplane")
    low, high = certificate.margin
    check_upper_end(certificate.hull, high, z)
    square = w.sqnorm_of_columns if isinstance(certificate.hull, Hulls) else w.sqnorm
    if lower_end(low) and not square:
        raise RejectedError("the weights of all columns are 0: there is no hyperplane that a row could be distant from")
    if least**2 < Fraction(low) ** 2 * square:
        raise RejectedError(f"the margin of these weights is not {low} or more: row {row} is nearer")
    if certificate.mixing is not None:
        extended = least**2 / w.sqnorm if isinstance(certificate.hull, Hulls) else Fraction(low) ** 2
        check_clean_mixing(certificate.mixing, extended, z, 1)


def _check_inseparable(certificate: Inseparable, z: TwoClassRows) -> None:
    check_multipliers(certificate.rows, certificate.multipliers, z)
    if len(certificate.rows) > z.length + 1:
        raise RejectedError(f"{len(certificate.rows)} rows are more than are ever needed for {z.length} weights")
    for column, total in z.combined(certificate.rows, certificate.multipliers)[0].items():
        if total:
            where = "the constant coordinate" if column == certificate.data.columns else f"column {column}"
            raise RejectedError(f"the rows do not cancel out: something is left in {where}")


def lower_end(low: float) -> Fraction:
    """The lower end of a margin as a fraction."""
    if not 0 <= low < inf:
        raise RejectedError(f"the lower end of the margin is {low}: it must be a finite number from 0 on")
    return Fraction(low)


def check_upper_end(hull: Hull | Hulls | ManyHull, high: float, z: TwoClassRows) -> None:
    """Raise unless the hull shows that no separator has a margin above `high`."""
    if isinstance(hull, ManyHull):
        raise RejectedError("the evidence is of many classes, the certificate is not")
    if isinstance(hull, Hulls) and not z.fit_intercept:
        raise RejectedError("two points, one of each class, are evidence only if there is an intercept")
    sides = tuple(hull) if isinstance(hull, Hulls) else (hull,)
    if high == inf and not any(side.rows or side.multipliers for side in sides):
        return
    check_sides(hull, z)
    if not high >= 0:
        raise RejectedError(f"the upper end of the margin is {high}")
    floats = all(isinstance(multiplier, float) for side in sides for multiplier in side.multipliers)
    if floats and z.norm_above(hull) <= high:
        return  # floats are enough, their error bound included
    if high < inf and z.sqnorm_of(hull) > Fraction(high) ** 2:
        raise RejectedError(f"the rows given do not show that no margin is above {high}")


def check_sides(hull: Hull | Hulls, z: TwoClassRows) -> None:
    """Raise unless the rows and multipliers make a point in the hull of the z's, or one in the hull of each class."""
    if isinstance(hull, Hull):
        check_multipliers(hull.rows, hull.multipliers, z)
        return
    for side, sign in zip(hull, (-1, 1), strict=True):
        check_multipliers(side.rows, side.multipliers, z)
        if (z.signs(side.rows) != sign).any():
            raise RejectedError("a row is named on the side of the other class")


def check_multipliers(rows: tuple[int, ...], multipliers: tuple[Number, ...], z: RowsWithin) -> None:
    """Raise unless each row exists, is named once, and has a multiplier of at least 0, and one multiplier is positive."""
    if len(rows) != len(multipliers):
        raise RejectedError(f"there are {len(rows)} rows and {len(multipliers)} multipliers")
    if not all(0 <= row < len(z) for row in rows):
        raise RejectedError(f"row {next(row for row in rows if not 0 <= row < len(z))} does not exist")
    if len(set(rows)) < len(rows):
        raise RejectedError("a row is named twice")
    if not all(0 <= multiplier < inf for multiplier in multipliers):
        raise RejectedError("a multiplier is negative, or not a number")
    if not any(multipliers):
        raise RejectedError("all multipliers are zero")
