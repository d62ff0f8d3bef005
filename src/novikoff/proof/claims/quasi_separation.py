"""Claims about quasi-separation (F31): which rows weights can have on their own sides, and which coefficients are infinite."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import Certificate
from novikoff.proof.claims import RejectedError, reject_outcome
from novikoff.proof.claims.two_classes import check_multipliers
from novikoff.proof.exact import Signed, Weights, weights
from novikoff.proof.exact_constraints import violated
from novikoff.proof.quasi_separation import (
    FINITE,
    MINUS,
    PLUS,
    UNDETERMINED,
    UNIDENTIFIED,
    CompletelySeparable,
    NullSpace,
    Overlapping,
    QuasiSeparable,
    Separation,
)
from novikoff.proof.rational_matrix import Ends
from novikoff.proof.rationals import Number, whole_multiples

PRIME = 2**31 - 1  # products of two remainders fit into 64 bits


def check(certificate: Certificate, z: Signed) -> None:
    """Raise `RejectedError` unless the certificate holds for these rows."""
    if not isinstance(certificate, CompletelySeparable | QuasiSeparable | Overlapping) or certificate.kernel is not None:
        raise reject_outcome(certificate)
    overlap = _check_overlap(certificate, z)
    w = _check_weights(certificate, z, overlap)
    everything, rows = np.arange(len(z)), np.array(certificate.rows, int)
    _check_null_space(certificate.collinear, z, everything, "collinear")
    _check_null_space(certificate.collinear_in_overlap, z, rows, "collinear_in_overlap")
    _check_coefficients(certificate, z, [w, *(_direction(w.tolist(), z) for w in certificate.directions)], overlap)


def _check_overlap(certificate: Separation, z: Signed) -> Array:
    """Multipliers above 0 with which the rows of the overlap cancel out. Return for each row whether it is one of them."""
    overlap = np.zeros(len(z), bool)
    if certificate.rows or certificate.multipliers:
        check_multipliers(certificate.rows, certificate.multipliers, z)
        if not all(certificate.multipliers):
            raise RejectedError("the multiplier of a row is 0, so the row need not be one of the overlap")
        if any(z.combined(certificate.rows, certificate.multipliers)[0].values()):
            raise RejectedError("the rows of the overlap do not cancel out")
        overlap[list(certificate.rows)] = True
    fits = {CompletelySeparable: not overlap.any(), Overlapping: overlap.all(), QuasiSeparable: overlap.any() != overlap.all()}
    if not fits[type(certificate)]:
        raise RejectedError(f"the outcome is {certificate.outcome!r}, but {overlap.sum()} of the {len(z)} rows are the overlap")
    return overlap


def _check_weights(certificate: Separation, z: Signed, overlap: Array) -> Weights:
    if len(certificate.weights) != certificate.data.columns:
        raise RejectedError(f"there are {len(certificate.weights)} weights for {certificate.data.columns} columns")
    if not z.fit_intercept and certificate.intercept != 0:
        raise RejectedError("there is an intercept, although the certificate says that there is none")
    w = _finite([*certificate.weights.tolist(), *([certificate.intercept] if z.fit_intercept else [])])
    separated, on_it = np.flatnonzero(~overlap), np.flatnonzero(overlap)
    if len(separated):
        row, least = z.taken(separated).least(w)
        if not least > 0:
            raise RejectedError(f"row {separated[row]} is not of the overlap, and is not on its own side")
    _check_zero(w, z, on_it, "the weights")
    return w


def _direction(numbers: Sequence[Number], z: Signed) -> Weights:
    if len(numbers) != z.length:
        raise RejectedError(f"a direction has {len(numbers)} coordinates; there are {z.length}")
    w = _finite(numbers)
    row = violated(z, w, Ends(np.zeros(len(z))), Ends(np.full(len(z), np.inf)))
    if row is not None:
        raise RejectedError(f"a direction has row {row} on the wrong side")
    return w


def _check_null_space(space: NullSpace, z: Signed, rows: Array, name: str) -> None:
    """The vectors are orthogonal to these rows and independent, and the rows have a rank that leaves room for no more."""
    own, among = set(space.columns), set(rows.tolist())
    if len(own) != len(space.columns) or len(own) != len(space.vectors) or not all(j < z.length for j in own):
        raise RejectedError(f"{name}: the vectors do not have one column each")
    for j, vector in zip(space.columns, space.vectors, strict=True):
        entries = dict(zip(vector.columns, vector.factors, strict=True))
        if len(entries) != len(vector.columns) or not all(entries.values()):
            raise RejectedError(f"{name}: a vector has a coordinate twice, or one that is 0")
        if own & entries.keys() != {j}:
            raise RejectedError(f"{name}: a vector is 0 in its own column, or not 0 in that of another")
        _check_zero(weights([entries.get(k, Fraction(0)) for k in range(z.length)]), z, rows, f"{name}: a vector")
    others = [j for j in range(z.length) if j not in own]
    if len(space.rows) != len(others) or not among.issuperset(space.rows):
        raise RejectedError(f"{name}: there are other rows than columns, or a row is not among those that it is about")
    if not _is_regular([_whole_row(z, i, others) for i in space.rows]):
        raise RejectedError(f"{name}: the rows are not independent, so there are more vectors")


def _check_coefficients(certificate: Separation, z: Signed, directions: list[Weights], overlap: Array) -> None:
    signs = _proved_signs(certificate, z, overlap)
    unidentified, infinite = certificate.collinear.moves, certificate.collinear_in_overlap.moves
    for j, said in enumerate(certificate.coefficients):
        if j in unidentified:
            shown = UNIDENTIFIED
        elif j not in infinite:
            shown = FINITE
        elif j in signs:
            shown = PLUS if signs[j] > 0 else MINUS
        elif any(w.whole[j] > 0 for w in directions) and any(w.whole[j] < 0 for w in directions):
            shown = UNDETERMINED
        else:
            raise RejectedError(f"nothing shows the sign of coefficient {j}, or that it is undetermined")
        if shown != said:
            raise RejectedError(f"coefficient {j} is said to be {said}, but is shown to be {shown}")


def _proved_signs(certificate: Separation, z: Signed, overlap: Array) -> dict[int, int]:
    """The columns of the sign proofs, and the only sign that directions can have there."""
    signs = dict[int, int]()
    for column, rows, multipliers in certificate.signs:
        if len(rows) != len(multipliers) or len(set(rows)) < len(rows) or not all(0 <= row < len(z) for row in rows):
            raise RejectedError(f"the proof of the sign of coefficient {column} names a row twice, or one that does not exist")
        if any(multiplier < 0 and not overlap[row] for row, multiplier in zip(rows, multipliers, strict=True)):
            raise RejectedError(f"the proof of the sign of coefficient {column} has a negative multiplier")
        left = {j: whole for j, whole in z.combined(rows, multipliers)[0].items() if whole}
        if left.keys() != {column}:
            raise RejectedError(f"the proof of the sign of coefficient {column} does not leave this coordinate alone")
        signs[column] = left[column]
    return signs


# ---- parts ----------------------------------------------------------------------------------------------------------


def _finite(numbers: Sequence[Number]) -> Weights:
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        raise RejectedError("a weight is not a finite number")
    return weights(numbers)


def _check_zero(w: Weights, z: Signed, rows: Array, what: str) -> None:
    zero = Ends(np.zeros(len(rows)))
    row = violated(z.taken(rows), w, zero, zero) if len(rows) else None
    if row is not None:
        raise RejectedError(f"{what} is not orthogonal to row {rows[row]}")


def _whole_row(z: Signed, i: int, columns: Sequence[int]) -> list[int]:
    """Row i at these columns, times a number that makes it whole."""
    there, values = z.z(i)
    entries = dict(zip(there, whole_multiples(values)[0], strict=True))
    return [entries.get(j, 0) for j in columns]


def _is_regular(matrix: list[list[int]]) -> bool:
    """Whether the determinant of a square matrix is not 0. A remainder other than 0 shows it; else it is computed."""
    left = np.array([[number % PRIME for number in row] for row in matrix], np.int64).reshape(len(matrix), len(matrix))
    for k in range(len(matrix)):
        candidates = np.flatnonzero(left[k:, k])
        if not len(candidates):
            return _determinant(matrix) != 0
        left[[k, k + candidates[0]]] = left[[k + candidates[0], k]]
        factors = left[k + 1 :, k] * pow(int(left[k, k]), -1, PRIME) % PRIME
        left[k + 1 :] = (left[k + 1 :] - factors[:, None] * left[k]) % PRIME
    return True


def _determinant(matrix: list[list[int]]) -> int:
    """The determinant up to its sign, by elimination in which every division is exact (Bareiss)."""
    left, before = [row[:] for row in matrix], 1
    for k in range(len(left)):
        pivot = next((i for i in range(k, len(left)) if left[i][k]), None)
        if pivot is None:
            return 0
        left[k], left[pivot] = left[pivot], left[k]
        for i in range(k + 1, len(left)):
            left[i] = [(left[k][k] * a - left[i][k] * b) // before for a, b in zip(left[i], left[k], strict=True)]
        before = left[k][k]
    return before
