"""Certificates made to be accepted though they are false, or refused though they are true, with the data that they are of.

Numbers come from the ends of what doubles can hold, claims lie within a rounding of the truth, and one thing or another is
changed in the end. Nothing is said of what holds: that is for those to agree on who are asked.
"""

import hashlib
import json
import math
from fractions import Fraction

import numpy as np

from novikoff.proof.certificate import CertificateError
from novikoff.proof.certificate_files import from_json
from novikoff.proof.fingerprint import fingerprint, of_system
from novikoff.proof.rational_matrix import Ends, numbers_of, rational
from novikoff.proof.rationals import root_above, root_below

LARGEST, LEAST = 1.7976931348623157e308, 5e-324
TAME = [1.0, -1.0, 2.0, -3.0, 0.5, 0.0]
WILD = [
    LEAST,
    -LEAST,
    2.0**-1022,
    3e-310,
    1e-160,
    0.1,
    1 / 3,
    -0.7,
    1e16,
    2.0**53 + 2,
    1e160,
    -1e154,
    1e308,
    -LARGEST,
    LARGEST,
    -0.0,
]
LABELS = [(0, 1), (-1, 1), ("a", "b"), (None, 1), (1, 2.5), (2**53, 2**53 + 1), ("0", "1")]
RATIONAL = [Fraction(1, 3), Fraction(1, 10), Fraction(-7, 5), 0.1, Fraction(10**20 + 1), Fraction(1, 10**200)]
KERNELS = ["linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"]


class Case:
    """A certificate as the text of its file, and the data it is of: X and y, or a matrix, its four ends and an objective."""

    def __init__(self, seed):
        self.rng = np.random.default_rng([18, seed])
        self.X = self.y = self.ends = self.objective = None
        kind = self.pick(["two", "two", "many", "kernel", "system"])
        self.wild = self.rng.random() < 0.6
        if kind == "system" and self.chance(0.5):
            kind = "program"
        document = getattr(self, f"_{kind}")()
        self.text = signed(document)

    # ---- numbers ----------------------------------------------------------------------------------------------------

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def chance(self, share):
        return self.rng.random() < share

    def number(self):
        if not self.wild or self.chance(0.5):
            return self.pick(TAME)
        return (
            self.pick(WILD) if self.chance(0.7) else float(np.ldexp(self.rng.standard_normal(), self.rng.integers(-1080, 1020)))
        )

    def matrix(self, *shape):
        return np.array([self.number() for _ in range(int(np.prod(shape)))]).reshape(shape)

    def near(self, value):
        """A double that is that one, or beside it, or somewhere else."""
        if self.chance(0.6):
            return value
        if self.chance(0.7):
            return math.nextafter(value, self.pick([-math.inf, math.inf]))
        return self.pick(
            [0.0, LEAST, 1e-300, 1.0, LARGEST, -1.0, value * (1 + 2**-40), value * (1 - 2**-40), value / 2, value * 2]
        )

    def multiplier(self):
        if self.chance(0.25):
            return Fraction(int(self.rng.integers(0, 9)), int(self.rng.integers(1, 9)))
        return abs(self.number())

    def multipliers(self, count):
        found = [self.multiplier() for _ in range(count)]
        return [1.0, *found[1:]] if found and not any(found) and self.chance(0.9) else found

    def some(self, n, at_most=None):
        """Numbers of rows, now and then one that is named twice or does not exist."""
        rows = self.rng.permutation(n)[: int(self.rng.integers(1, min(n, at_most or n) + 1))].tolist()
        if self.chance(0.03):
            rows.append(self.pick([*rows, n, n + 3]))
        return rows

    # ---- classes ----------------------------------------------------------------------------------------------------

    def _labelled(self, code, names):
        """Labels of these numbers; where the first name is None, any that are not the second."""
        rest = [0, 3, -2] if isinstance(names[1], int) else ["x", "y"]
        self.y = [self.pick(rest) if names[c] is None else names[c] for c in code]
        if self.chance(0.03):
            self.y[self.pick(range(len(self.y)))] = self.pick([7, "z", 1.0, True])
        claimed = list(names)
        if self.chance(0.06):
            claimed[self.pick(range(len(claimed)))] = self.pick([7, 7.5, "z", True, 1.0, float(2**53), names[-1], None])
        return claimed

    def _about(self, code, names, intercept):
        rows, columns = self.X.shape
        codes = [0 if c == 0 else int(c) for c in code]
        claimed = self._labelled(codes, names)
        place = {name: k for k, name in enumerate(claimed) if name is not None}
        again = [place.get(label, 0) for label in self.y]
        about = {"rows": rows, "columns": columns, "fit_intercept": intercept}
        about |= {"classes": claimed} if len(names) > 2 or self.many else {"no": claimed[0], "yes": claimed[1]}
        return about | {"fingerprint": str(fingerprint(self.X, np.array(again)))}

    many = False

    def _two(self):
        n, d = int(self.rng.integers(1, 6)), int(self.rng.integers(1, 4))
        self.X, intercept, names = self.matrix(n, d), bool(self.rng.integers(2)), self.pick(LABELS)
        if n > 1 and self.chance(0.4):
            self.X[-1] = self.X[0] * self.pick([1.0, -1.0, 1.0])
        w = [Fraction(v) for v in self.matrix(d + 1).tolist()]
        if not intercept and self.chance(0.97):
            w[-1] = Fraction(0)
        z = [[*map(Fraction, x), Fraction(intercept)] for x in self.X.tolist()]
        code = [int(_dot(w, x) > 0) if self.chance(0.9) else int(self.rng.integers(2)) for x in z]
        z = [[(2 * c - 1) * v for v in x] for c, x in zip(code, z, strict=True)]
        about = self._about(code, names, intercept)
        if self.chance(0.2):
            return self._cancelling(n, d)
        if self.chance(0.1):
            rows = self.some(n, d + 3)
            factors = [Fraction(m) for m in self.multipliers(len(rows))]
            return {"outcome": "inseparable", "data": about, "rows": rows, "multipliers": [*map(_text, factors)]}
        if intercept == self.chance(0.97) and self.chance(0.6):
            hull, high = self._hulls(code, z)
            low = self._low(w, z, w[:-1])
        else:
            hull, high = self._hull(lambda i: z[i] if i < n else z[0], n)
            low = self._low(w, z)
        document = {"data": about, "hull": hull} | self._mixing(z, low, 1)
        if self.chance(0.3):
            return {"outcome": "undecided", **document, "why": "time", "margin_at_most": high}
        weights = [_plain(v) for v in w]
        if self.chance(0.2):
            weights = [_text(v) for v in w]
        return {"outcome": "separable", **document, "weights": weights[:-1], "intercept": weights[-1], "margin": [low, high]}

    def _cancelling(self, n, d, kernel=None):
        """Rows that cancel out, or nearly: a combination of some is another of the other label."""
        intercept, names = bool(self.rng.integers(2)), self.pick(LABELS)
        linear = kernel is not None and kernel["name"] == "linear"
        count, shift = int(self.rng.integers(1, 4)), 0 if intercept or kernel else int(self.rng.integers(-900, 900))
        shift = self.pick([0, 1, -3]) if linear else shift  # with an intercept, the constants are left
        parts = self.matrix(count, d)
        parts[:] = parts[0] if self.chance(0.4) or kernel else parts
        share = (
            [Fraction(1, count)] * count
            if self.chance(0.7)
            else [Fraction(k + 1, count * (count + 1) // 2) for k in range(count)]
        )
        middle = [
            sum(s * Fraction(v) for s, v in zip(share, column, strict=True)) for column in zip(*parts.tolist(), strict=True)
        ]
        with np.errstate(all="ignore"):
            last = np.nan_to_num(np.ldexp([_double(m) for m in middle], shift), posinf=LARGEST, neginf=-LARGEST)
        if self.chance(0.2):
            last[0] = self.near(float(last[0]))
        self.X = np.clip(np.nan_to_num(np.vstack([parts, last, self.matrix(1, d)])), -LARGEST, LARGEST)
        code = [0] * count + [1, self.pick([0, 1])]
        unit = Fraction(self.multiplier()) or Fraction(1)
        factors = [s * unit for s in share] + [unit / Fraction(2) ** shift]
        if self.chance(0.15):
            at = self.pick(range(len(factors)))
            factors[at] = self.pick([-factors[at], factors[at] * (1 + Fraction(1, 10**30)), Fraction(0), Fraction(1)])
        about = self._about(code, names, intercept) | ({"kernel": kernel} if kernel else {})
        rows = list(range(count + 1))
        return {"outcome": "inseparable", "data": about, "rows": rows, "multipliers": [*map(_text, factors)]}

    def _low(self, w, z, counted=None):
        """The margin of w, or nearly; `counted` are the weights that its length is of."""
        least, square = min(_dot(w, one) for one in z), _dot(counted or w, counted or w)
        return self.near(root_below(least**2 / square) if least > 0 and square else 0.0)

    def _hulls(self, code, z):
        """A point of each class, and half their distance, or nearly."""
        if self.chance(0.15):
            return {"no": {"rows": [], "multipliers": []}, "yes": {"rows": [], "multipliers": []}}, None
        sides, point, shown = {}, [Fraction(0)] * (len(z[0]) - 1), True
        for name, side in (("no", 0), ("yes", 1)):
            own = [i for i, c in enumerate(code) if c == side or self.chance(0.02)]
            rows = [own[k] if k < len(own) else len(z) for k in self.some(len(own))] if own else []
            factors = self.multipliers(len(rows))
            sides[name] = {"rows": rows, "multipliers": [*map(_plain, factors)]}
            total = 2 * sum(map(Fraction, factors))
            shown = shown and bool(total)
            for i, factor in zip(rows, factors, strict=True) if total else ():
                point = [p + Fraction(factor) / total * v for p, v in zip(point, z[min(i, len(z) - 1)], strict=False)]
        if not shown:
            return sides, self.pick([0.0, 1.0, None])
        found = root_above(_dot(point, point))
        found = self.near(found) if found < math.inf else LARGEST
        return sides, found if abs(found) < math.inf and not self.chance(0.03) else None

    def _hull(self, z, n, rivals=None):
        """Rows, multipliers and what they show, or nearly."""
        if self.chance(0.2):
            return {"rows": [], "multipliers": []} | ({} if (rivals is None) == self.chance(0.95) else {"rivals": []}), None
        rows = self.some(n)
        factors = self.multipliers(len(rows))
        hull = {"rows": rows, "multipliers": [*map(_plain, factors)]}
        if rivals is not None:
            hull["rivals"] = [rivals(i) for i in rows]
            hull = {name: hull[name] for name in ("rows", "rivals", "multipliers")}
            vectors = [z(i, r) for i, r in zip(rows, hull["rivals"], strict=True)]
        else:
            vectors = [z(i) for i in rows]
        return hull, self._high(vectors, factors)

    def _high(self, vectors, factors):
        exact, total = [Fraction(f) for f in factors], sum(Fraction(f) for f in factors)
        if not total:
            return self.pick([0.0, 1.0, None])
        point = [sum(f * v for f, v in zip(exact, column, strict=True)) for column in zip(*vectors, strict=True)]
        found = root_above(_dot(point, point) / total**2)
        found = self.near(found) if found < math.inf else LARGEST
        return found if abs(found) < math.inf and not self.chance(0.03) else None

    def _mixing(self, z, low, factor):
        if not self.chance(0.2):
            return {}
        n, passes = len(z), int(self.rng.integers(1, 5))
        shards = self.pick([1, 1, 2, n, n + 1, 10**300, 0])
        radius = self.near(root_above(max(_dot(x, x) for x in z)))
        clean = self.chance(0.8)
        mistakes = self.near(
            self.pick([0.0, 1.0, 0.5, float(passes * n), float(max(0, passes - 1) * max(0, n - shards + 1)), 1 / max(1, shards)])
        )
        radius = radius if abs(radius) < math.inf else LARGEST
        mistakes = mistakes if abs(mistakes) < math.inf else LARGEST
        claim = self.pick([None, float(factor), float(factor), 0.5, 3.0])
        return {
            "mixing": {
                "shards": shards,
                "passes": passes,
                "clean": clean,
                "mistakes": mistakes,
                "radius": radius,
                "factor": claim,
            }
        }

    # ---- many classes -----------------------------------------------------------------------------------------------

    def _many(self):
        self.many = True
        n, d, classes = int(self.rng.integers(1, 6)), int(self.rng.integers(1, 3)), int(self.rng.integers(2, 4))
        self.X, intercept = self.matrix(n, d), bool(self.rng.integers(2))
        names = self.pick([[0, 1, 2], ["a", "b", "c"], [1, 2.5, -3]])[:classes]
        W = self.matrix(classes, d + 1)
        if not intercept and self.chance(0.97):
            W[:, -1] = 0
        x = [[*map(Fraction, row), Fraction(intercept)] for row in self.X.tolist()]
        exact = [[Fraction(v) for v in w] for w in W.tolist()]
        code = [max(range(classes), key=lambda k: _dot(exact[k], row)) for row in x]
        code = [c if self.chance(0.9) else int(self.rng.integers(classes)) for c in code]

        def z(i, rival):
            i, rival = (i if i < n else 0), (rival if rival < classes else 0)
            out = [[Fraction(0)] * (d + 1) for _ in range(classes)]
            out[code[i]] = [a + b for a, b in zip(out[code[i]], x[i], strict=True)]
            out[rival] = [a - b for a, b in zip(out[rival], x[i], strict=True)]
            return [v for part in out for v in part]

        def rival(i):
            others = [r for r in range(classes) if r != code[min(i, n - 1)]]
            return self.pick(others) if self.chance(0.98) else self.pick([code[min(i, n - 1)], classes])

        about = self._about(code, names, intercept)
        if self.chance(0.3):
            rows, rivals = self.some(n), [rival(i) for i in range(n + 4)]
            factors = [Fraction(m) for m in self.multipliers(len(rows))]
            rivals = [rivals[i] for i in rows]
            if n > 1 and self.chance(0.7):  # the same row with two labels, or three that take turns
                rows, rivals = [0, 1], [1, 0]
                if n > 2 and classes > 2 and self.chance(0.5):
                    rows, rivals = [0, 1, 2], [1, 2, 0]
                self.X[: len(rows)] = self.X[0]
                code[: len(rows)] = range(len(rows))
                factors = [Fraction(self.multiplier()) or Fraction(1)] * len(rows)
                if self.chance(0.2):
                    factors[0] += self.pick([Fraction(1, 10**400), Fraction(-1, 3)])
                about = self._about(code, names, intercept)
            return {
                "outcome": "many inseparable",
                "data": about,
                "rows": rows,
                "rivals": rivals,
                "multipliers": [*map(_text, factors)],
            }
        zs = [z(i, r) for i in range(n) for r in range(classes) if r != code[i]]
        flat = [v for w in exact for v in w]
        low = self._low(flat, zs) if any(flat) else 0.0
        hull, high = self._hull(z, n, rival)
        document = {"data": about, "hull": hull} | self._mixing(x, low, 2)
        if self.chance(0.3):
            return {"outcome": "undecided", **document, "why": "time", "margin_at_most": high}
        return {"outcome": "many separable", **document, "weights": W[:, :-1].tolist(), "intercepts": W[:, -1].tolist(),
                "margin": [low, high]}  # fmt: skip

    # ---- through a kernel -------------------------------------------------------------------------------------------

    def _kernel(self):
        name, n = self.pick(KERNELS), int(self.rng.integers(2, 5))
        d = n if name == "precomputed" else int(self.rng.integers(1, 3))
        self.X, intercept, names = self.matrix(n, d), bool(self.rng.integers(2)), self.pick(LABELS)
        if self.chance(0.3):
            self.X[-1] = self.X[0]
        kernel = {"name": name}
        if name == "poly":
            kernel["degree"] = int(self.rng.integers(1, 5))
        if name in ("poly", "rbf", "laplacian", "sigmoid"):
            kernel["gamma"] = _plain(
                self.pick([1.0, 0.5, Fraction(1, 3), Fraction(1, 10**200), 1e-300, 1e300, abs(self.number()) or 1.0])
            )
        if name in ("poly", "sigmoid"):
            kernel["coef0"] = _plain(self.pick([1.0, 0.0, -1.0, Fraction(1, 7), self.number()]))
        support = self.some(n)
        alpha, b = self.matrix(len(support)), (self.number() if intercept else 0.0)
        with np.errstate(all="ignore"):
            values = _float_kernel(kernel, self.X)
            f = np.nan_to_num(values[:, [min(k, n - 1) for k in support]] @ alpha + b)
        code = [int(v > 0) if self.chance(0.95) else int(self.rng.integers(2)) for v in f]
        sign = [2 * c - 1 for c in code]
        about = self._about(code, names, intercept) | {"kernel": kernel}
        if self.chance(0.2):
            return self._lopsided(n, kernel) if name == "precomputed" else self._cancelling(n, d, kernel)
        if self.chance(0.15):
            rows = self.some(n)
            factors = [Fraction(1)] * len(rows) if self.chance(0.7) else [Fraction(m) for m in self.multipliers(len(rows))]
            return {"outcome": "inseparable", "data": about, "rows": rows, "multipliers": [*map(_text, factors)]}
        rows = self.some(n)
        factors = [float(m) for m in self.multipliers(len(rows))]
        with np.errstate(all="ignore"):
            lam = np.array([f * sign[min(i, n - 1)] for i, f in zip(rows, factors, strict=True)])
            at = [min(i, n - 1) for i in rows]
            square = lam @ values[np.ix_(at, at)] @ lam + (lam.sum() ** 2 if intercept else 0.0)
            high = float(np.sqrt(abs(square)) / np.abs(lam).sum()) * self.pick([1.0, 1.0, 1 + 2**-30, 1 - 2**-30, 2.0, 0.5])
            at = [min(i, n - 1) for i in support]
            norm = math.sqrt(
                abs(float(alpha @ values[np.ix_(at, at)] @ alpha)) + min(b * b if abs(b) < 1e150 else LARGEST, LARGEST / 4)
            )
            low = float(np.min(f * sign) / norm) * self.pick([0.0, 0.0, 1.0, 1 - 2**-30, 1 + 2**-30, 0.5]) if norm else 0.0
        hull, high = {"rows": rows, "multipliers": factors}, (high if math.isfinite(high) else None)
        if self.chance(0.4) or name in ("sigmoid", "precomputed"):
            hull, high = {"rows": [], "multipliers": []}, None
        if self.chance(0.2):
            return {"outcome": "undecided", "data": about, "why": "time", "margin_at_most": high, "hull": hull}
        tolerance = self.pick(
            [0.0, 1e-12, 1e-30, 1e-3, 0.5, 1.0, 2.0] if name in ("rbf", "sigmoid") else [0.0, 0.0, 0.0, 1e-12, 1.0]
        )
        margin = [low if 0 <= low < math.inf else 0.0, high]
        found = {"weights": alpha.tolist(), "intercept": b, "margin": margin, "hull": hull, "support": support}
        return {"outcome": "separable", "data": about, **found, "tolerance": tolerance}

    def _lopsided(self, n, kernel):
        """Values of a kernel of which two rows cancel out, or two columns, which proves nothing where they are not symmetric."""
        self.X, code = self.matrix(n, n), [0, 1, *(int(self.rng.integers(2)) for _ in range(n - 2))]
        double = self.pick([1.0, 2.0, -1.0])
        with np.errstate(all="ignore"):
            twin = np.clip(self.X[0] * double, -LARGEST, LARGEST)
        self.X[1] = twin
        if self.chance(0.5):
            self.X = np.ascontiguousarray(self.X.T)
        factors = [Fraction(double), Fraction(1)] if double > 0 else [Fraction(1), Fraction(1)]
        about = self._about(code, self.pick(LABELS), False) | {"kernel": kernel}
        return {"outcome": "inseparable", "data": about, "rows": [0, 1], "multipliers": [*map(_text, factors)]}

    # ---- constraints ------------------------------------------------------------------------------------------------

    def _system(self):
        n, d = int(self.rng.integers(1, 5)), int(self.rng.integers(1, 4))
        self.X, w = self.matrix(n, d), self.matrix(d)
        if n > 1 and self.chance(0.5):
            self.X[-1] = -self.X[0]
        scores = [_dot([*map(Fraction, row)], [*map(Fraction, w.tolist())]) for row in self.X.tolist()]

        def beside(value, up):
            return self.near(_double(value)) if self.chance(0.8) else (math.inf if up else -math.inf)

        def finite(value, none):
            return value if not math.isinf(value) or value == none else -value

        lower = [finite(beside(s, False), -math.inf) for s in scores]
        upper = [finite(beside(s, True), math.inf) if self.chance(0.6) else math.inf for s in scores]
        low = [float(v) if self.chance(0.3) else -math.inf for v in w]
        high = [float(v) if self.chance(0.3) else math.inf for v in w]
        against = n > 1 and self.chance(0.4)
        if against:  # a·w ≥ l and −a·w ≥ −l + next to nothing
            self.X[-1] = -self.X[0]
            lower[0] = self.number()
            lower[-1] = self.near(-lower[0])
        self.ends = [np.array(end) for end in (lower, upper, low, high)]
        about = {"rows": n, "columns": d, "fingerprint": str(of_system(self.X, *(Ends.of(end.tolist()) for end in self.ends)))}
        rest = {"method": "m", "work": {"steps": 0, "stretches": 0, "calls": 0}}
        kind = self.pick(["feasible", "feasible", "infeasible", "infeasible", "undecided"])
        if kind == "feasible":
            point = [self.near(v) if self.chance(0.2) else v for v in w.tolist()]
            return {"outcome": kind, "data": about, "w": [v if math.isfinite(v) else 1.0 for v in point], **rest}
        if kind == "infeasible":
            rows = [int(self.rng.integers(n)) for _ in range(int(self.rng.integers(0, 4)))]
            columns = [int(self.rng.integers(d)) for _ in range(int(self.rng.integers(0, 3)))]
            factors = [Fraction(1) if self.chance(0.6) else Fraction(self.number()) for _ in (*rows, *columns)]
            if against:
                rows, columns, factors = [0, n - 1], [], [Fraction(self.multiplier()) or Fraction(1)] * 2
            if self.chance(0.1):
                factors = [-f for f in factors]
            return {"outcome": kind, "data": about, "rows": rows, "multipliers": [_text(f) for f in factors[: len(rows)]],
                    "columns": columns, "column_multipliers": [_text(f) for f in factors[len(rows) :]], **rest}  # fmt: skip
        z = [[*map(Fraction, row)] for row in self.X.tolist()]
        hull, above = self._hull(lambda i: z[min(i, n - 1)], n)
        return {"outcome": kind, "data": about, "why": "time", "margin_at_most": above, "hull": hull}

    # ---- rational numbers and objectives ----------------------------------------------------------------------------

    def rational(self):
        return Fraction(self.pick([*TAME, *TAME, *RATIONAL]))

    def nearly(self, value):
        """That number, or another one."""
        if self.chance(0.94):
            return value
        off = self.pick([Fraction(1, 10**25), Fraction(-1, 3), Fraction(1), -2 * value])
        return value + off

    def _program(self):
        """A point, and multipliers that prove it the best one, or a direction without end; some of it is changed."""
        n, d = int(self.rng.integers(1, 4)), int(self.rng.integers(1, 4))
        A = [[self.rational() for _ in range(d)] for _ in range(n)]
        w, ray = [self.rational() for _ in range(d)], [self.rational() for _ in range(d)]
        sense, unbounded = self.pick(["maximize", "minimize"]), self.chance(0.4)
        identity = [[Fraction(i == j) for j in range(d)] for i in range(d)]
        c, total, ends, shares = [Fraction(0)] * d, Fraction(0), [], []
        for a in (*A, *identity):
            score, along = _dot(a, w), _dot(a, ray)
            share = self.rational() if self.chance(0.5) else Fraction(0)
            tight_above = (share > 0) == (sense == "maximize")
            room = [self.pick([Fraction(0), Fraction(1, 7), Fraction(2), math.inf]) for _ in range(2)]
            low, high = score - room[0], score + room[1]
            if unbounded:
                low, high = (-math.inf if along < 0 else low), (math.inf if along > 0 else high)
            elif share:
                low, high = (low, score) if tight_above else (score, high)
                c = [x + share * y for x, y in zip(c, a, strict=True)]
                total += share * score
            ends.append((low if low == -math.inf else self.nearly(low), high if high == math.inf else self.nearly(high)))
            shares.append(Fraction(0) if unbounded else share)
        if unbounded:
            c = [self.rational() for _ in range(d)]
            sense = "maximize" if _dot(c, ray) > 0 else "minimize"
        c = [self.nearly(v) for v in c]
        self.X = np.array([[_allowed(self.nearly(v)) for v in row] for row in A], object)
        self.ends = [[_allowed(end[side]) for end in part] for part in (ends[:n], ends[n:]) for side in (0, 1)]
        self.objective = (sense if self.chance(0.97) else "maximize", [_allowed(v) for v in c])
        whole = of_system(numbers_of(self.X), *map(Ends.of, self.ends), Ends.of(self.objective[1]))
        about = {"rows": n, "columns": d, "fingerprint": str(whole)}
        about |= {"numbers": "rationals" if self.chance(0.97) else "decimals"} if self.chance(0.9) else {}
        about |= {"row_names": [f"r{i}" for i in range(n)]} if self.chance(0.3) else {}
        document = {"data": about, "sense": sense, "w": [_plain(self.nearly(v)) for v in w]}
        document |= {"method": "m", "work": {"steps": 0, "stretches": 0, "calls": 0}}
        if unbounded:
            return {"outcome": "unbounded", **document, "ray": [_plain(self.nearly(v)) for v in ray]}
        named = [k for k, share in enumerate(shares) if share or self.chance(0.02)]
        factors = [_text(self.nearly(shares[k])) for k in named]
        rows = sum(k < n for k in named)
        evidence = {"rows": named[:rows], "multipliers": factors[:rows]}
        evidence |= {"columns": [k - n for k in named[rows:]], "column_multipliers": factors[rows:]}
        return {"outcome": "optimal", **document, "value": _plain(self.nearly(total)), **evidence}


def _dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _allowed(value):
    """The number as matrices have it; the nearest double, where it is too large or too small for them."""
    try:
        return rational(value)
    except ValueError:
        return _double(value)


def _double(value):
    try:
        return float(value)
    except OverflowError:
        return LARGEST if value > 0 else -LARGEST


def _text(value):
    """Zeros may stand before a number."""
    return f"0{value}" if value == 1 else str(Fraction(value))


def _plain(value):
    """As a certificate has it: a double, or else text."""
    if isinstance(value, float):
        return value
    try:
        rounded = float(value)
    except OverflowError:
        return _text(value)
    return rounded if Fraction(rounded) == value else _text(value)


def _float_kernel(kernel, X):
    def parameter(name):
        value = kernel.get(name, 1.0)
        return float(Fraction(value))

    products = X @ X.T
    match kernel["name"]:
        case "linear":
            return products
        case "poly":
            return (parameter("gamma") * products + parameter("coef0")) ** kernel["degree"]
        case "sigmoid":
            return np.tanh(parameter("gamma") * products + parameter("coef0"))
        case "precomputed":
            return X
    apart = X[:, None, :] - X[None, :, :]
    return np.exp(-parameter("gamma") * ((apart**2) if kernel["name"] == "rbf" else np.abs(apart)).sum(axis=2))


FIELDS = [
    "outcome", "data", "weights", "intercept", "intercepts", "rows", "rivals", "multipliers", "columns", "column_multipliers",
    "sense", "value", "w", "ray", "why", "margin_at_most", "margin", "hull", "support", "tolerance", "method", "work", "mixing",
]  # fmt: skip


def signed(document):
    """The text of the file, digest and all."""
    hull = document.get("hull")
    if hull and len(str(document)) % 3 == 0:  # fields may come in any order
        document = document | {"hull": dict(reversed(hull.items()))}
    version = 2 if hull and "yes" in hull else 3 if "sense" in document else 1
    whole = {"format": "novikoff certificate", "version": version} | {name: document[name] for name in FIELDS if name in document}
    body = "{\n" + "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in whole.items())
    return f'{body}"digest": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'


def readable(text):
    """The certificate, or None where it is refused as none."""
    try:
        return from_json(text)
    except CertificateError:
        return None
