"""What the library is compared with: short, slow and obvious. Nothing here imports it, but for the storages under test."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st


def fractions(X):
    """The matrix, exactly: an array of fractions, on which nothing rounds."""
    return np.array([[Fraction(v) for v in x] for x in X], object)


def textbook(X, y, passes, bias=True):
    """The Perceptron on lists of fractions: its weights (bias last) and the rows it got wrong, in order."""
    rows = [[*map(Fraction, x), Fraction(bias)] for x in X]
    w, mistakes = [Fraction(0)] * len(rows[0]), []
    for _ in range(passes):
        clean = True
        for i, (x, t) in enumerate(zip(rows, y, strict=True)):
            if t * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
                w = [a + t * b for a, b in zip(w, x, strict=True)]
                mistakes.append(i)
                clean = False
        if clean:
            break
    return w, mistakes


def mixed(X, y, shards, passes, bias=True):
    """F20 for F1 on lists of fractions: the weights, bias last; the passes made; whether the last was clean; Σ μ·updates.

    A shard is a list of row numbers; its share μ of the mixture is its share of the rows.
    """
    rows = [[*map(Fraction, x), Fraction(bias)] for x in X]
    w, updates, clean, t = [Fraction(0)] * len(rows[0]), Fraction(0), False, 0
    while t < passes and not clean:
        mixture, made = [Fraction(0)] * len(w), Fraction(0)
        for shard in shards:
            v, share = w, Fraction(len(shard), len(rows))
            for i in shard:
                if y[i] * sum(a * b for a, b in zip(v, rows[i], strict=True)) <= 0:
                    v = [a + y[i] * b for a, b in zip(v, rows[i], strict=True)]
                    made += share
            mixture = [a + share * b for a, b in zip(mixture, v, strict=True)]
        w, updates, clean, t = mixture, updates + made, not made, t + 1
    return w, t, clean, updates


def replay(X, constant, ledger):
    """Every weight vector there was, from the ledger alone: w₀ = 0, w₁, w₂, …"""
    w = [np.zeros(X.shape[1] + 1, X.dtype) if X.dtype != object else np.array([Fraction(0)] * (X.shape[1] + 1))]
    for update in ledger:
        w.append(w[-1] + update.step * update.y * np.append(X[update.row], constant))
    return w


NUMBERS = st.integers(-6, 6).map(lambda k: k / 2)  # dyadic and short: no update of an additive rule rounds

SIGNS = st.sampled_from([-1, 1])


@st.composite
def any_data(draw, numbers=NUMBERS, labels=SIGNS):
    """A matrix and labels of at least two kinds, whatever they are: duplicates, zero rows, contradictions."""
    n, d = draw(st.integers(2, 20)), draw(st.integers(1, 4))
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(labels, min_size=n, max_size=n).filter(lambda y: len(set(y)) > 1))
    return X, y


@st.composite
def separable_data(draw, bias):
    """A matrix, labels of both kinds and a u (bias last, 0 without one) with u·z > 0 on every row, all dyadic."""
    d = draw(st.integers(1, 4))
    u = draw(st.lists(st.integers(-3, 3), min_size=d + 1, max_size=d + 1).filter(lambda u: any(u[:d])))
    if not bias:
        u[d] = 0
    row = st.lists(NUMBERS, min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=2, max_size=20))
    X = [x for x in X if _at(u, x) != 0]
    y = [1 if _at(u, x) > 0 else -1 for x in X]
    X += [[-v for v in x] for x in X[:1]] if not bias else []
    y += [-t for t in y[:1]] if not bias else []
    if len(set(y)) < 2:  # the mirror image of u's own direction is on the other side
        far = [8.0 * v for v in u[:d]]
        for sign in (1, -1):
            x = [sign * v for v in far]
            if _at(u, x) != 0:
                X.append(x)
                y.append(1 if _at(u, x) > 0 else -1)
    return np.array(X, float).reshape(-1, d), np.array(y), np.array(u, float)


def _at(u, x):
    return sum(a * b for a, b in zip(u, [*x, 1], strict=True))
