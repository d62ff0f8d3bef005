"""What certificates claim, checked in exact arithmetic: a file for each kind of claim.

Each file has a `check(certificate, rows)`, which raises `RejectedError` at the first thing that is wrong.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import Certificate, Hull, Hulls
from novikoff.proof.exact import Signed, Weights
from novikoff.proof.rationals import Number


class RejectedError(Exception):
    """The certificate does not hold. The message names the first thing that is wrong."""


class RowsWithin(Protocol):
    """Rows, at hand or elsewhere, that know their number and whether any is longer than a radius."""

    def __len__(self) -> int: ...
    def within(self, radius: float) -> bool: ...


class TwoClassRows(RowsWithin, Protocol):
    """The questions that checks ask of rows of two classes, as `exact.Signed` answers them."""

    @property
    def fit_intercept(self) -> bool: ...
    @property
    def length(self) -> int: ...
    def least(self, w: Weights) -> tuple[int, Fraction]: ...
    def signs(self, rows: Sequence[int]) -> Array: ...
    def norm_above(self, hull: Hull | Hulls) -> float: ...
    def sqnorm_of(self, hull: Hull | Hulls) -> Fraction: ...
    def combined(self, rows: Sequence[int], multipliers: Sequence[Number]) -> tuple[dict[int, int], Fraction]: ...


class ManyClassRows(RowsWithin, Protocol):
    """The questions that checks ask of rows of many classes, as `exact_many_classes.ManyRows` answers them."""

    @property
    def code(self) -> Array: ...
    @property
    def classes(self) -> int: ...
    @property
    def fit_intercept(self) -> bool: ...
    @property
    def length(self) -> int: ...
    def least(self, w: Array) -> tuple[int, int, Fraction]: ...
    def z(self, rows: Sequence[int], rivals: Sequence[int]) -> Signed: ...


def reject_outcome(certificate: Certificate) -> RejectedError:
    """The error for an outcome that says nothing about this kind of data."""
    return RejectedError(f"a certificate with the outcome {certificate.outcome!r} cannot be about this kind of data")
