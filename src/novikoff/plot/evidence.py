"""A certificate and rows: whether it is about them, which of them it names, and its score of any point."""

from collections.abc import Callable, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.engine.kernels import Points, find_kernel
from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import (
    Certificate,
    Classes,
    Hulls,
    Inseparable,
    ManyInseparable,
    ManySeparable,
    Separable,
    System,
    Undecided,
)
from novikoff.proof.named_kernels import GIVEN_BY_USERS, Kernel
from novikoff.solve.separability.linear import Question
from novikoff.solve.separability.many_classes import ManyQuestion

AT_ONCE = 2**22  # values of a kernel held at once


def is_of(proof: Certificate, X: Any, names: Array) -> bool:
    """Whether a certificate is about these rows and labels. Without a fingerprint, only their shape is compared."""
    data = proof.data
    assert not isinstance(data, System), "a certificate about classes"
    if X.shape != (data.rows, data.columns):
        return False
    if isinstance(data, Classes):
        known = np.array(data.classes)
        if not np.isin(names, known).all():
            return False
        mark = ManyQuestion.about(X, names, data.fit_intercept, known).data.fingerprint if data.fingerprint else ""
    else:
        if not set(np.unique(names).tolist()) <= {data.no, data.yes} and data.no is not None:
            return False
        mark = Question.about(X, names, data.fit_intercept, (data.no, data.yes)).data.fingerprint if data.fingerprint else ""
    return bool(mark == data.fingerprint)


def rows_of(proof: Certificate) -> tuple[int, ...]:
    """The rows that a certificate names, each once."""
    match proof:
        case Inseparable() | ManyInseparable():
            return tuple(dict.fromkeys(proof.rows))
        case Separable() | ManySeparable() | Undecided():
            return tuple(dict.fromkeys(proof.hull.rows))
    return ()


def floats(numbers: Iterable[float | Fraction]) -> Array:
    """Numbers as floats. Where one is too large for a float, all are divided by the largest."""
    each = [number if isinstance(number, (float, Fraction)) else float(number) for number in numbers]
    try:
        return np.array([float(number) for number in each])
    except OverflowError:
        largest = max(abs(Fraction(number)) for number in each)
        return np.array([float(Fraction(number) / largest) for number in each])


def short_number(value: int | float | Fraction, longest: int = 12, digits: int = 4) -> str:
    """The number as it is if that takes at most `longest` characters, otherwise rounded to `digits` digits."""
    exact = Fraction(value)
    if not isinstance(value, float) and exact.numerator.bit_length() + exact.denominator.bit_length() < 4 * longest:
        text = str(value)
        if len(text) <= longest:
            return text
    with localcontext(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN):
        quotient = Decimal(exact.numerator) / Decimal(exact.denominator)
        return f"{quotient.normalize():.{digits}g}"


def function_of(proof: Separable, X: Any, kernel: Any) -> tuple[Callable[[Any], Array], float]:
    """w·x + b as a function of rows, and the length that turns it into a margin: of w, or of (w, b); 0 where there is none."""
    whole = floats([*proof.weights.tolist(), proof.intercept])
    w, b = whole[:-1], float(whole[-1])
    through = proof.data.kernel
    if through is None:
        counted = w if isinstance(proof.hull, Hulls) else whole
        return lambda at: np.asarray(at @ w + b), float(np.linalg.norm(counted))
    if through.name == "precomputed":  # X has the values of the kernel
        held = list(proof.support or ())
        return lambda at: np.asarray(at[:, held] @ w + b), 0.0  # the values need not be those of an inner product
    found = _found(through, kernel)
    stored = Points(X[list(proof.support or ())])
    step = max(1, AT_ONCE // max(1, len(stored)))

    def value(at: Any) -> Array:
        blocks = [found.between(Points(at[k : k + step]), stored, 1) @ w + b for k in range(0, at.shape[0], step)]
        return np.concatenate(blocks)

    length = float(w @ (value(stored.X) - b)) + b * b if through.positive else 0.0
    return value, max(0.0, length) ** 0.5


def _found(kernel: Kernel, function: Any) -> Any:
    if kernel.name in GIVEN_BY_USERS:
        if not callable(function):
            raise ValueError(f"this certificate is of the user's own kernel {kernel}: give it, as in kernel=function")
        return find_kernel(function)
    given = {part: getattr(kernel, part) for part in ("degree", "gamma", "coef0")}
    return find_kernel(kernel.name, **{part: float(v) if isinstance(v, Fraction) else v for part, v in given.items()})
