"""Problems whose verdict is known because of how they are made, and the literal checker asked about certificates."""

import json
from fractions import Fraction

import numpy as np

from novikoff.proof.literal_checker import Table, Wrong, check

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


def holds(document, X, y):
    """Does this certificate, or a dictionary as read from its JSON, prove what it says? Asked of the literal checker."""
    text = json.dumps(document) if isinstance(document, dict) else document.to_json()
    try:
        check(text, Table(X.shape[1], rows_of(X), y.tolist()))
    except Wrong:
        return False
    return True


def rows_of(X):
    """The rows as the literal checker has them."""
    return [{j: value for j, value in enumerate(row) if value} for row in X.tolist()]
