"""Generated datasets: Boolean functions, slow data for the Perceptron, given margins, curved boundaries, label noise.

Each function returns rows X (float64) and labels y (−1 and +1). Random numbers depend on `seed` only. Random data always has
both classes.
"""

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from novikoff.foundation.array_types import Array

Row = tuple[int, ...]

MOST_VARIABLES = 20  # about a million rows
LEAST, MOST = 1e-100, 1e100  # lengths whose squares neither overflow nor underflow

# Each function, given the number of true variables and the number of variables.
FUNCTIONS: dict[str, Callable[[Array, int], Array]] = {
    "and": lambda true, n: true == n,
    "or": lambda true, n: true > 0,
    "nand": lambda true, n: true < n,
    "nor": lambda true, n: true == 0,
    "xor": lambda true, n: true % 2 == 1,
    "parity": lambda true, n: true % 2 == 1,
    "majority": lambda true, n: 2 * true > n,
}


def boolean(function: str | Callable[[Row], Any], n: int, values: Sequence[float] = (0, 1)) -> tuple[Array, Array]:
    """All 2ⁿ rows of n variables, counted upwards in binary, and +1 where a Boolean function of them is true.

    The function is "and", "or", "nand", "nor", "xor", "parity" (the same as xor: an odd number of variables is true), "majority"
    (more than half are true), or your own function: it is called with each row as a tuple of 0s and 1s, and returns true or
    false. `values` are the numbers for false and true in X. All named functions are separable, except xor and parity of two or
    more variables.

    >>> X, y = boolean("and", 2)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, -1, 1])
    >>> boolean(lambda row: row[0] and not row[1], 2, values=(-1, 1))[1].tolist()
    [-1, -1, 1, -1]
    """
    n = _whole("n", n, 1, MOST_VARIABLES)
    false, true = _two_numbers(values)
    bits = (np.arange(2**n)[:, None] >> np.arange(n)[::-1]) & 1
    if callable(function):
        holds = np.array([_answer(function, row) for row in map(tuple, bits.tolist())])
    elif isinstance(function, str) and function in FUNCTIONS:
        holds = FUNCTIONS[function](bits.sum(axis=1), n)
    else:
        raise ValueError(f"unknown Boolean function {function!r}; choose one of {', '.join(FUNCTIONS)}, or give a function")
    return np.where(bits == 1, true, false), np.where(holds, 1, -1)


def at_least(k: int) -> Callable[[Row], bool]:
    """The Boolean function that is true if at least k of its variables are true, for `boolean`.

    >>> boolean(at_least(2), 3)[1].tolist()
    [-1, -1, -1, 1, -1, 1, 1, 1]
    """
    k = _whole("k", k, 0)
    return lambda row: sum(row) >= k


def lower_bound(n: int) -> tuple[Array, Array]:
    """The n examples on which the Perceptron, in this order and without an intercept, makes (4ⁿ − 1)/3 mistakes (F8).

    Row i has (−1)ⁱ in columns 1 to i − 1, (−1)ⁱ⁺¹ in column i and 0 after it; its label is (−1)ⁱ⁺¹. For n = 1 that is one class.

    >>> X, y = lower_bound(3)
    >>> X.tolist(), y.tolist()
    ([[1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [-1.0, -1.0, 1.0]], [1, -1, 1])
    """
    n = _whole("n", n, 1)
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    return y[:, None] * (np.eye(n) - np.tri(n, k=-1)) + 0.0, y  # + 0.0: turns −0.0 into 0.0


def gaussian_pair(n: int, width: int, margin: float, seed: int = 0) -> tuple[Array, Array, Array]:
    """Two Gaussian classes on either side of a random hyperplane through the origin; the third value is its unit normal u.

    Every row has y·⟨u, x⟩ ≥ margin, and for the nearest row it is within 1 % of `margin`. Another hyperplane may have a wider
    margin, in particular if there are few rows for the width. Each class has half of the rows.

    >>> X, y, u = gaussian_pair(100, 5, margin=0.1)
    >>> bool(0.1 <= (y * (X @ u)).min() <= 0.101)
    True
    """
    n = _whole("n", n, 2)
    width = _whole("width", width, 1)
    margin = _length("margin", margin)
    rng = _generator(seed)
    u = rng.normal(size=width)
    u /= np.linalg.norm(u)
    y = _sides(n, rng)
    X = rng.normal(size=(n, width))
    far = np.abs(rng.normal(size=n))
    far += 1.005 * margin - far.min()  # half a percent for rounding
    X += np.outer(y * far - X @ u, u)
    found, rounding = y * (X @ u), 2 * (width + 1) * np.finfo(float).eps * (np.abs(X) @ np.abs(u))
    if (found - rounding).min() < margin or (found + rounding).min() > 1.01 * margin:
        raise ValueError(f"a margin of {margin!r} is too small for rows of width {width}: rounding hides it; use a larger one")
    return X, y, u


def ball(n: int, width: int, radius: float, seed: int = 0, *, center: Any = None) -> tuple[Array, Array]:
    """Rows outside (+1) and inside (−1) a ball: sign(‖x − c‖² − r²), which is linear in ‖x‖² and the coordinates.

    `center` is c (default: the origin). Each class has half of the rows, uniform in the ball and in the shell of the same volume
    around it. Both are then moved away from the surface by a hundredth of the radius.

    >>> X, y = ball(6, 3, radius=2.0)
    >>> bool((np.sign((X**2).sum(axis=1) - 4) == y).all())
    True
    """
    n = _whole("n", n, 2)
    width = _whole("width", width, 1)
    radius = _length("radius", radius)
    c = _point(center, width)
    rng = _generator(seed)
    y = _sides(n, rng)
    away = rng.normal(size=(n, width))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    volume = rng.random(n) + (y > 0)
    X = c + away * (radius * np.where(y > 0, 1.01, 0.99) * volume ** (1 / width))[:, None]
    found = (((X - c) / radius) ** 2).sum(axis=1)
    if (np.abs(found - 1) < 0.01).any() or (np.sign(found - 1) != y).any():
        raise ValueError(f"a radius of {radius!r} is too small this far from the origin: rounding hides it; move the center")
    return X, y


def quadratic(n: int, seed: int = 0) -> tuple[Array, Array]:
    """Rows of the square [−1, 1]² and the sign of x₁² + x₂² − 3x₁x₂, which is linear in x₁², x₂² and x₁x₂.

    Coordinates are multiples of 2⁻²⁰, so these products are not rounded, and the labels are exact. The boundary is a pair of
    lines of irrational slope. The only such point on it is the origin, which is left out.

    >>> X, y = quadratic(5)
    >>> bool((np.sign((X**2).sum(axis=1) - 3 * X.prod(axis=1)) == y).all())
    True
    """
    n = _whole("n", n, 2)
    rng = _generator(seed)
    while True:
        X = rng.integers(-(2**20), 2**20, size=(n, 2), endpoint=True) / 2**20
        sides = np.sign((X**2).sum(axis=1) - 3 * X.prod(axis=1))
        if set(sides.tolist()) == {-1, 1}:  # both classes, and no origin
            return X, sides.astype(np.int64)


def with_label_noise(X: Any, y: Any, share: float, seed: int = 0) -> tuple[Any, Array, Array]:
    """The same rows with round(share·n) of their n labels flipped, and the numbers of these rows, in order.

    X is returned unchanged. y is copied.

    >>> X, y, flipped = with_label_noise(*boolean("and", 2), share=0.5)
    >>> len(flipped), np.flatnonzero(y != boolean("and", 2)[1]).tolist() == flipped.tolist()
    (2, True)
    """
    labels, shape = np.asarray(y), X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2:
        raise ValueError(f"data must be two-dimensional; this has shape {shape}")
    n = int(shape[0])
    if labels.shape != (n,):
        raise ValueError(f"there are {n} rows but labels of shape {labels.shape}; give one label for each row")
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError("labels must be -1 and +1 here")
    if not _is_number(share) or not 0 <= share <= 1:
        raise ValueError(f"the share of labels to flip must be a number between 0 and 1, not {share!r}")
    flipped = np.sort(_generator(seed).choice(n, size=round(float(share) * n), replace=False))
    noisy = labels.astype(np.int64)
    noisy[flipped] *= -1
    return X, noisy, flipped


def _sides(n: int, rng: np.random.Generator) -> Array:
    """As many −1 as +1 (for odd n, one −1 more), in a random order."""
    return rng.permutation(np.where(np.arange(n) % 2 == 0, -1, 1))


def _generator(seed: Any) -> np.random.Generator:
    return np.random.default_rng(_whole("seed", seed, 0))


def _answer(function: Callable[[Row], Any], row: Row) -> bool:
    answer = function(row)
    if not isinstance(answer, (Real, np.bool_)) or answer not in (0, 1):
        raise ValueError(f"a Boolean function must return True or False (or 1 or 0); this one returns {answer!r} for {row}")
    return bool(answer)


def _two_numbers(values: Any) -> tuple[float, float]:
    pair = tuple(values) if isinstance(values, (Sequence, np.ndarray)) else ()
    if len(pair) != 2 or not all(_is_number(v) and abs(v) <= MOST for v in pair) or float(pair[0]) == float(pair[1]):
        raise ValueError(f"values must be two different numbers, for false and for true, of at most {MOST:g}, not {values!r}")
    return float(pair[0]), float(pair[1])


def _point(center: Any, width: int) -> Array:
    if center is None:
        return np.zeros(width)
    try:
        c = np.asarray(center, float)
    except (TypeError, ValueError):
        c = np.empty(0)
    if c.shape != (width,) or not (np.abs(c) <= MOST).all():
        raise ValueError(f"center must be {width} numbers of at most {MOST:g}, one for each column, not {center!r}")
    return c


def _whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < low or (high is not None and int(value) > high):
        limits = f"of at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be a whole number {limits}, not {value!r}")
    return int(value)


def _length(name: str, value: Any) -> float:
    if not _is_number(value) or not LEAST <= value <= MOST:
        raise ValueError(f"{name} must be a positive number between {LEAST:g} and {MOST:g}, not {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real)
