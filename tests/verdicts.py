"""Problems whose verdict is known because of how they are made, and a checker of certificates that shares nothing with ours."""

from fractions import Fraction

import numpy as np

KINDS = [
    "wide", "thin", "very thin", "hair", "conflict", "contradiction", "zero row", "deficient",
    "scales", "thin scales", "conflict scales", "boundary", "nudged", "one class", "lattice",
]  # fmt: skip


def known(seed):
    """(X, y, fit_intercept, separable, kind) of one problem."""
    rng = np.random.default_rng([7, seed])
    kind = KINDS[seed % len(KINDS)]
    width = int(rng.integers(1, 61)) if seed % 3 else int(rng.integers(1, 6))
    intercept = bool(rng.integers(2))
    rows = int(rng.integers(2, 8 * width + 10))
    X = rng.integers(-64, 65, (rows, width)) / 16.0
    w = rng.integers(-8, 9, width) + 0.5
    b = (rng.integers(-8, 9) + 0.25) if intercept else 0.0
    separable = True
    if kind in ("thin", "very thin", "hair", "thin scales"):
        size = {"thin": 1e-4, "very thin": 1e-8, "hair": 1e-12, "thin scales": 1e-6}[kind]
        X = rng.standard_normal((rows, width))
        side = np.where(rng.random(rows) < 0.5, 1, -1)
        X += np.outer(side * size * (1 + rng.random(rows)) - (X @ w + b) / (w @ w) * 1.0, w)
    if kind == "deficient":
        X[:, width // 2 :] = X[:, : width - width // 2]
    if kind == "zero row":
        X[rng.integers(rows)] = 0
        separable = intercept
    X, y = _labelled(X, w, b, keep_zero=kind == "zero row")
    if kind == "one class":
        X, y = X[y == y[0]], y[y == y[0]]
    if kind in ("conflict", "conflict scales", "boundary"):  # a point between others of the same label gets the other label
        count = int(rng.choice([1, 2, 4, 8]))
        some = rng.choice(np.flatnonzero(y == y[0]), count)
        X, y = np.vstack([X, X[some].sum(axis=0) / count]), np.append(y, -y[0])
        separable = False
    if kind == "nudged":  # the same, but just on the side of its label: it stays as the hyperplane has it
        some = rng.choice(np.flatnonzero(y == y[0]), 2)
        X, y = _labelled(np.vstack([X, X[some].mean(axis=0) - w * 2.0**-40]), w, b)
    if kind == "contradiction":
        X, y = np.vstack([X, X[:1]]), np.append(y, -y[0])
        separable = False
    if "scales" in kind:
        X = np.ldexp(X, rng.integers(-200, 200, X.shape[1]))
        if not intercept:
            X = np.ldexp(X, rng.integers(-200, 200, len(X))[:, None])
    shuffled = rng.permutation(len(y))
    return X[shuffled], y[shuffled], intercept, separable, kind


def _labelled(X, w, b, keep_zero=False):
    """Labels by the exact side of w·x + b; rows on the plane are left out, or called positive."""
    exact = [sum((Fraction(a) * Fraction(c) for a, c in zip(w, x, strict=True)), Fraction(b)) for x in X]
    y = np.array([1 if s > 0 or (s == 0 and keep_zero) else -1 for s in exact])
    kept = np.array([keep_zero or s != 0 for s in exact])
    if not kept.any():
        return np.vstack([X[:1] * 0 + w]), np.array([1])
    return X[kept], y[kept]


def shards_hold(mixing, rows, low, many=False):
    """Can what is said of shards be so, of these rows of fractions? `low` is the margin that is proved, None if none is."""
    shards, passes, clean, mistakes, radius, factor = mixing.values()
    if shards < 1 or passes < 1 or mistakes < 0 or radius <= 0 or (factor is not None and factor < 1 + many):
        return False
    square = Fraction(radius) ** 2
    if any(sum(v * v for v in row) > square for row in rows):
        return False
    return low is None or (clean and (factor is None or Fraction(mistakes) * Fraction(low) ** 2 <= Fraction(factor) * square))


def holds(document, X, y):
    """Does this certificate, a dictionary as read from its JSON, prove what it says? Fractions only, one row after the other."""

    def number(value):
        return Fraction(value) if not isinstance(value, str) else Fraction(*[int(part, 0) for part in value.split("/")])

    data = document["data"]
    z = []
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        sign = 1 if label == data["yes"] else -1
        z.append([sign * Fraction(v) for v in [*x, *([1] if data["fit_intercept"] else [])]])
    width = data["columns"] + data["fit_intercept"]

    def below(hull, high):
        if high is None:
            return True
        multipliers = [number(m) for m in hull["multipliers"]]
        if len(set(hull["rows"])) != len(multipliers) or min(multipliers) < 0 or sum(multipliers) == 0:
            return False
        point = [sum(m * z[i][j] for i, m in zip(hull["rows"], multipliers, strict=True)) for j in range(width)]
        return high >= 0 and sum(p * p for p in point) <= Fraction(high) ** 2 * sum(multipliers) ** 2

    if (data["rows"], data["columns"]) != X.shape:
        return False
    if "mixing" in document and not shards_hold(document["mixing"], z, document.get("margin", [None])[0]):
        return False
    if document["outcome"] == "separable":
        w = [number(v) for v in document["weights"]] + ([number(document["intercept"])] if data["fit_intercept"] else [])
        if len(w) != width or (not data["fit_intercept"] and number(document["intercept"]) != 0):
            return False
        least = min(sum(a * b for a, b in zip(w, row, strict=True)) for row in z)
        low, high = document["margin"]
        right = least > 0 and low >= 0 and least**2 >= Fraction(low) ** 2 * sum(a * a for a in w)
        return right and below(document["hull"], high)
    if document["outcome"] == "inseparable":
        rows, multipliers = document["rows"], [number(m) for m in document["multipliers"]]
        if not 0 < len(rows) == len(set(rows)) == len(multipliers) <= width + 1 or min(rows) < 0 or max(rows) >= len(z):
            return False
        if min(multipliers) < 0 or max(multipliers) == 0:
            return False
        return all(sum(m * z[i][j] for i, m in zip(rows, multipliers, strict=True)) == 0 for j in range(width))
    return below(document["hull"], document["margin_at_most"])
