"""Claims about many classes at once (F25): every row has its highest score for its own class, or no weights achieve that."""

from fractions import Fraction
from math import inf, isfinite

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import Certificate, Hull, Hulls, ManyHull, ManyInseparable, ManySeparable, Undecided
from novikoff.proof.claims import ManyClassRows, RejectedError, reject_outcome
from novikoff.proof.claims.shards import check_clean_mixing, check_mixing
from novikoff.proof.claims.two_classes import check_multipliers, check_upper_end, lower_end
from novikoff.proof.exact import Signed, weights
from novikoff.proof.exact_many_classes import norm_above
from novikoff.proof.rationals import Number


def check(certificate: Certificate, many: ManyClassRows) -> None:
    """Raise `RejectedError` unless the certificate holds for these rows."""
    match certificate:
        case ManySeparable():
            _check_separable(certificate, many)
        case ManyInseparable():
            _check_inseparable(certificate, many)
        case Undecided():
            _check_upper_end(certificate.hull, certificate.margin_at_most, many)
            if certificate.mixing is not None:
                check_mixing(certificate.mixing, many, 2, separable=False)
        case _:
            raise reject_outcome(certificate)


def _check_separable(certificate: ManySeparable, many: ManyClassRows) -> None:
    w, b = certificate.weights, certificate.intercepts
    if w.shape != (many.classes, certificate.data.columns) or b.shape != (many.classes,):
        raise RejectedError(
            f"there are weights of shape {w.shape} for {many.classes} classes and {certificate.data.columns} columns"
        )
    if not (_are_rational(w) and _are_rational(b)):
        raise RejectedError("a weight is neither a finite double nor a fraction")
    if not many.fit_intercept and b.any():
        raise RejectedError("there is an intercept, although the certificate says that there is none")
    whole = np.column_stack([w, b]) if many.fit_intercept else w
    row, rival, least = many.least(whole)
    other = certificate.data.classes[rival]
    if not least > 0:
        raise RejectedError(f"row {row} does not have a higher score for its own class than for {other}")
    low, high = certificate.margin
    if whole.dtype == object or least < lower_end(low) * norm_above(whole):  # quickly; else by the exact squares
        squares = weights(whole.ravel().tolist()).sqnorm
        if least**2 < Fraction(low) ** 2 * squares:
            raise RejectedError(f"the margin of these weights is not {low} or more: row {row} is nearer")
    _check_upper_end(certificate.hull, high, many)
    if certificate.mixing is not None:
        check_clean_mixing(certificate.mixing, Fraction(low) ** 2, many, 2)


def _are_rational(numbers: Array) -> bool:
    """Whether these are finite doubles, or objects that are such or fractions."""
    if numbers.dtype != object:
        return numbers.dtype == np.float64 and bool(np.isfinite(numbers).all())
    return all(isinstance(n, Fraction) or (isinstance(n, float) and isfinite(n)) for n in numbers.ravel().tolist())


def _check_inseparable(certificate: ManyInseparable, many: ManyClassRows) -> None:
    rows, multipliers = certificate.rows, certificate.multipliers
    if len(rows) > many.classes * many.length + 1:
        raise RejectedError(f"{len(rows)} rows are more than are ever needed for {many.classes * many.length} weights")
    z = _written_out(rows, certificate.rivals, multipliers, many)
    check_multipliers(tuple(range(len(z))), multipliers, z)
    if any(z.combined(range(len(z)), multipliers)[0].values()):
        raise RejectedError("the rows, each for its class and against its rival, do not cancel out")


def _check_upper_end(hull: Hull | Hulls | ManyHull, high: float, many: ManyClassRows) -> None:
    if not isinstance(hull, ManyHull):
        raise RejectedError("the evidence is not of a kind that fits: with many classes, each row has a rival")
    if high == inf and not any(hull):
        return
    z = _written_out(hull.rows, hull.rivals, hull.multipliers, many)
    check_upper_end(Hull(tuple(range(len(z))), hull.multipliers), high, z)


def _written_out(rows: tuple[int, ...], rivals: tuple[int, ...], multipliers: tuple[Number, ...], many: ManyClassRows) -> Signed:
    """The z's of these rows and rivals, if all of them exist."""
    if not len(rows) == len(rivals) == len(multipliers):
        raise RejectedError(f"there are {len(rows)} rows, {len(rivals)} rivals and {len(multipliers)} multipliers")
    if len(set(zip(rows, rivals, strict=True))) < len(rows):
        raise RejectedError("a row is named twice with the same rival")
    for row, rival in zip(rows, rivals, strict=True):
        if not 0 <= row < len(many.code):
            raise RejectedError(f"row {row} does not exist")
        if not 0 <= rival < many.classes or rival == many.code[row]:
            raise RejectedError(f"row {row} cannot have class number {rival} as its rival")
    return many.z(rows, rivals)
