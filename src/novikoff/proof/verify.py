"""Does a certificate hold for this data? Answered in exact arithmetic, without any code of the learner.

Every number of the certificate that can be computed from the data is computed again. This file compares the data with what the
certificate is about; `claims/` checks what it claims.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, cast

import numpy as np

from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import unmasked
from novikoff.proof.certificate import Certificate, Classes, Data, Label, Optimal, System, Unbounded, labels_of
from novikoff.proof.certificate_files import KINDS
from novikoff.proof.claims import (
    ManyClassRows,
    RejectedError,
    TwoClassRows,
    constraints,
    many_classes,
    quasi_separation,
    through_kernels,
    two_classes,
)
from novikoff.proof.exact_kernels import UserKernel
from novikoff.proof.exact_many_classes import ManyRows
from novikoff.proof.fingerprint import fingerprint
from novikoff.proof.quasi_separation import Separation
from novikoff.proof.rational_matrix import RationalMatrix, numbers_of, signed


@dataclass(frozen=True)
class Verdict:
    """True if the certificate holds; otherwise `why` names the first thing that is wrong."""

    holds: bool
    why: str = ""

    def __bool__(self) -> bool:
        return self.holds


def verify(
    certificate: Certificate,
    X: Any,
    y: Any = None,
    *,
    lower: Any = 1.0,
    upper: Any = inf,
    bounds: Any = None,
    maximize: Any = None,
    minimize: Any = None,
    kernel: UserKernel | None = None,
) -> Verdict:
    """Does the certificate hold for this data?

    For a certificate of classes, X are the rows and y their labels. `kernel` is needed only if the certificate was made with a
    kernel that is not in this package: the same function of two matrices, or the exact form of the user's kernel, a function of
    two rows of fractions. A certificate never runs code by itself.

    For a certificate of constraints, X is the matrix of lower ≤ X·w ≤ upper (default: a cone, X·w ≥ 1), and `bounds` are those of
    w: two numbers for each coordinate, or two for all (default: none). `maximize` or `minimize` is the objective; it is
    needed if the certificate is `Optimal` or `Unbounded`.
    """
    if type(certificate) not in KINDS:
        raise TypeError(
            "verify needs a certificate, such as `separate` or `novikoff.proof.certificate_files.load` returns, "
            f"not {certificate!r}"
        )

    def check() -> None:
        data = certificate.data
        if isinstance(data, System):
            if y is not None or kernel is not None:
                raise RejectedError("the certificate is of constraints, which have no labels and no kernel")
            objective = _objective(certificate, maximize, minimize)
            constraints.check(certificate, constraints.constraints_of(data, X, lower, upper, bounds, objective))
            return
        if maximize is not None or minimize is not None:
            raise RejectedError("the certificate is of classes, which have no objective")
        if y is None:
            raise RejectedError("the certificate is of classes: give the labels as well")
        if kernel is not None and certificate.kernel is None:
            raise RejectedError("the certificate was made without a kernel: leave kernel= out")
        rows, code = _rows_and_codes(data, X, y)
        if isinstance(rows, RationalMatrix) and (isinstance(data, Classes) or data.kernel is not None):
            raise RejectedError("the numbers must be doubles: the certificate is of many classes or a kernel")
        if isinstance(data, Classes):
            many_classes.check(certificate, ManyRows(rows, code, len(data.classes), data.fit_intercept))
            return
        z = signed(rows, 2.0 * code - 1.0, data.fit_intercept)
        if isinstance(certificate, Separation):
            quasi_separation.check(certificate, z)
        elif data.kernel is None:
            two_classes.check(certificate, z)
        else:
            through_kernels.check(certificate, through_kernels.rows_through(data.kernel, z, kernel))

    return _verdict(check)


def _objective(certificate: Certificate, maximize: Any, minimize: Any) -> Any:
    """The objective, if the certificate is of one: whether there is a point at all does not depend on it."""
    if maximize is not None and minimize is not None:
        raise RejectedError("an objective is maximized or minimized: give one of them")
    if not isinstance(certificate, Optimal | Unbounded):
        return None
    objective = maximize if certificate.sense == "maximize" else minimize
    if objective is None:
        raise RejectedError(f"the certificate is of an objective: give it, as {certificate.sense}=")
    return objective


class RowsElsewhere(Protocol):
    """Rows that are not in this process. They answer the questions of `claims`, too."""

    columns: int

    def __len__(self) -> int: ...
    @property
    def occurring(self) -> Collection[int]: ...
    @property
    def fingerprint(self) -> str: ...


def verify_rows(certificate: Certificate, rows_of: Callable[[], RowsElsewhere]) -> Verdict:
    """`verify` for rows that are elsewhere. `rows_of` is called once the certificate has named its data."""

    def check() -> None:
        data = certificate.data
        if isinstance(data, System):
            raise RejectedError("the certificate is of constraints, not of rows with labels")
        _require_fingerprint(data)
        rows = rows_of()
        _check_shape(data, (len(rows), rows.columns))
        _check_labels(data, rows.occurring)
        _check_fingerprint(data, rows.fingerprint)
        if isinstance(data, Classes):
            many_classes.check(certificate, cast(ManyClassRows, rows))
        else:
            two_classes.check(certificate, cast(TwoClassRows, rows))

    return _verdict(check)


def _verdict(check: Callable[[], None]) -> Verdict:
    try:
        check()
    except (RejectedError, ValueError) as error:
        return Verdict(False, str(error))
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        return Verdict(False, f"a field of the certificate, or the data, has a wrong type or value ({error})")
    return Verdict(True)


# ---- is this the data that the certificate is about? ----------------------------------------------------------------


def _rows_and_codes(data: Data | Classes, X: Any, y: Any) -> tuple[Matrix | RationalMatrix, Array]:
    """The rows and the numbers of their labels, if they are the data that the certificate is about."""
    _require_fingerprint(data)
    X = numbers_of(X)
    _check_shape(data, X.shape)
    code = codes(y, labels_of(data))
    if len(code) != data.rows:
        raise RejectedError(f"there are {data.rows} rows and {len(code)} labels")
    _check_labels(data, np.unique(code).tolist())
    _check_fingerprint(data, str(fingerprint(X, code)))
    return X, code


def _require_fingerprint(data: Data | Classes) -> None:
    if not data.fingerprint:
        raise RejectedError("the certificate does not say which data it is about, since it decides nothing; use `certify`")


def _check_shape(data: Data | Classes, shape: tuple[int, ...]) -> None:
    if shape != (data.rows, data.columns):
        raise RejectedError(
            f"the certificate is for {data.rows} rows and {data.columns} columns, the data has {shape[0]} and {shape[1]}"
        )


def _check_labels(data: Data | Classes, occurring: Collection[int]) -> None:
    """Each label that the certificate names must occur. Anything could be claimed about a class without rows."""
    names = labels_of(data)
    if len(names) < 2:
        raise RejectedError("the certificate is of fewer than two classes")
    for code, name in enumerate(names):
        if name is not None and code not in occurring:
            raise RejectedError(f"no row has the label {name!r}, which the certificate names")


def _check_fingerprint(data: Data | Classes, found: str) -> None:
    if found != data.fingerprint:
        raise RejectedError(f"this is other data: its fingerprint is {found}, the certificate's {data.fingerprint[:40]}")


def codes(y: Any, names: Sequence[Label | None]) -> Array:
    """The position of each label among the names. A first name of None stands for all others, else those are refused."""
    y = np.asarray(unmasked(y, "y"))
    if y.ndim != 1:
        raise ValueError(f"labels must be one-dimensional; these have shape {y.shape}")
    if None in names[1:]:
        raise ValueError("a label of the certificate is None, which no row has")
    position = {name: code for code, name in enumerate(names) if name is not None}
    if len(position) + (names[0] is None) != len(names):
        raise ValueError("the certificate names a label twice")
    other = 0 if names[0] is None else -1
    found = np.array([position.get(label, other) for label in y.tolist()], np.int64)  # as Python compares: 2⁵³ + 1 is not 2.0⁵³
    if (found < 0).any():
        i = int(np.flatnonzero(found < 0)[0])
        listed = ", ".join(map(repr, names[:10])) + (", …" if len(names) > 10 else "")
        raise ValueError(f"the label of row {i} is {y[i]}, which is not among the certificate's: {listed}")
    return found
