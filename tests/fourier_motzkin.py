"""Linear systems decided by Fourier and Motzkin's elimination on fractions: an oracle for a few variables."""

from fractions import Fraction


def can_hold(constraints):
    """Whether some w has a·w ≥ b for each pair (a, b)."""
    rows = {(tuple(map(Fraction, a)), Fraction(b)) for a, b in constraints}
    while rows and next(iter(rows))[0]:
        above = [(a, b) for a, b in rows if a[-1] > 0]
        below = [(a, b) for a, b in rows if a[-1] < 0]
        kept = {(a[:-1], b) for a, b in rows if a[-1] == 0}
        for a, b in above:
            for c, d in below:
                combined = tuple(x / a[-1] - y / c[-1] for x, y in zip(a[:-1], c[:-1], strict=True))
                kept.add(scaled(combined, b / a[-1] - d / c[-1]))
        rows = kept
    return all(b <= 0 for _, b in rows)


def scaled(a, b):
    """The same constraint with a largest coefficient of 1, so that equal ones are counted once."""
    size = max(map(abs, a), default=0) or 1
    return tuple(x / size for x in a), b / size


def quasi_separation(X, y, fit_intercept):
    """Which rows some w of D has on their own sides, and what a logistic regression does with each coefficient (F31)."""
    signs = [1 if label == max(y) else -1 for label in y]
    z = [[s * value for value in [*row, *([1] if fit_intercept else [])]] for s, row in zip(signs, X, strict=True)]
    cone = [(row, 0) for row in z]
    lines = cone + [([-value for value in row], 0) for row in z]

    def unit(j, sign):
        return [(sign if k == j else 0) for k in range(len(z[0]))]

    def verdict(j):
        if can_hold([*lines, (unit(j, 1), 1)]):
            return "unidentified"
        up, down = (can_hold([*cone, (unit(j, sign), 1)]) for sign in (1, -1))
        return {(0, 0): "finite", (1, 0): "+infinite", (0, 1): "-infinite", (1, 1): "undetermined"}[up, down]

    separated = [i for i, row in enumerate(z) if can_hold([*cone, (row, 1)])]
    return separated, [verdict(j) for j in range(len(z[0]))]
