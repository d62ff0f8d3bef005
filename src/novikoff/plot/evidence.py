"""What a certificate says of rows: whether it is of these, which of them it names, and its function of any point."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.engine.kernels import Points, find_kernel
from novikoff.engine.storages import Array
from novikoff.proof.certificate import Classes, Inseparable, Kernel, ManyInseparable, Separable
from novikoff.solve.many_classes import ManyQuestion
from novikoff.solve.separability.linear import Question

AT_ONCE = 2**22  # values of a kernel


def is_of(proof: Any, X: Any, names: Array) -> bool:
    """Whether a certificate is of these rows and labels; one without a fingerprint is, if there are as many."""
    data = proof.data
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


def rows_of(proof: Any) -> tuple[int, ...]:
    """The rows that a certificate names, each once."""
    named = proof.rows if isinstance(proof, (Inseparable, ManyInseparable)) else proof.hull.rows
    return tuple(dict.fromkeys(named))


def floats(numbers: Any) -> Array:
    """Floats or fractions as floats, all of them scaled alike where they are too large for that."""
    each = [number if isinstance(number, (float, Fraction)) else float(number) for number in numbers]
    try:
        return np.array([float(number) for number in each])
    except OverflowError:
        largest = max(abs(Fraction(number)) for number in each)
        return np.array([float(Fraction(number) / largest) for number in each])


def function_of(proof: Separable, X: Any, kernel: Any) -> tuple[Callable[[Any], Array], float]:
    """w·x + b as a function of rows, and the length of (w, b) by which its margin is measured: 0 where there is none."""
    whole = floats([*proof.weights.tolist(), proof.intercept])
    w, b = whole[:-1], float(whole[-1])
    through = proof.data.kernel
    if through is None:
        return lambda at: np.asarray(at @ w + b), float(np.linalg.norm(whole))
    if through.name == "precomputed":  # X has the values, and a row of it is all that is known of a row
        held = list(proof.support or ())
        return lambda at: np.asarray(at[:, held] @ w + b), 0.0  # nor known to be those of an inner product
    found = _found(through, kernel)
    stored = Points(X[list(proof.support or ())])
    step = max(1, AT_ONCE // max(1, len(stored)))

    def value(at: Any) -> Array:
        blocks = [found.between(Points(at[k : k + step]), stored, 1) @ w + b for k in range(0, at.shape[0], step)]
        return np.concatenate(blocks)

    length = float(w @ (value(stored.X) - b)) + b * b if through.positive else 0.0
    return value, max(0.0, length) ** 0.5


def _found(kernel: Kernel, function: Any) -> Any:
    if kernel.name == "called":
        if not callable(function):
            raise ValueError("this certificate is of a function of two matrices: give it, as in kernel=function")
        return find_kernel(function)
    given = {part: getattr(kernel, part) for part in ("degree", "gamma", "coef0")}
    return find_kernel(kernel.name, **{part: float(v) if isinstance(v, Fraction) else v for part, v in given.items()})
