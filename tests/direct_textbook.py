"""Learning all classes at once (F25), written out on fractions, and data that it can separate."""

from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

FOUR = st.sampled_from([0, 1, 2, 3])
BIAS = st.booleans()
ROUNDING = 1 + 1e-9


def literal_step(rule, margin, sqnorm):
    """The step of each rule as in its paper, for a positive example with this margin and squared norm."""
    loss = max(Fraction(0), 1 - margin)
    match rule:
        case "rosenblatt":
            return Fraction(margin <= 0)
        case "margin":
            return Fraction(margin <= sqnorm / 2)
        case "threshold":
            return Fraction(margin <= 1)
        case "pa":
            return loss / sqnorm if sqnorm else loss
        case "pa-i":
            return min(Fraction(1), loss / sqnorm) if sqnorm else min(Fraction(1), loss)
        case "pa-ii":
            return loss / (sqnorm + Fraction(1, 2))
        case "arow":
            return loss / (sqnorm + 1)
        case "stream":
            return loss / (sqnorm + Fraction(0.05))
        case "second-order":
            return (1 - margin) / (sqnorm + 1) if margin <= 0 else Fraction(0)


class Textbook:
    """One vector of fractions per class. A class exists from its first row on, or from the start if it was announced."""

    def __init__(self, rule="rosenblatt", bias=True, classes=()):
        self.rule, self.bias, self.w = rule, Fraction(bias), {}
        self.announced, self.past, self.updates, self.seen = sorted(classes), [], [], 0

    def score(self, name, x):
        return sum(a * b for a, b in zip(self.w[name], x, strict=True))

    def learn(self, X, y, order=None, weight=None, known=None):
        """One pass. `known` are the classes from now on (default: those of `y`). Returns whether no row caused an update."""
        names = sorted({*self.w, *self.announced, *(set(y) if known is None else known)})
        self.w = {name: self.w.get(name, [Fraction(0)] * (len(X[0]) + 1)) for name in names}
        clean = True
        for i in range(len(X)) if order is None else order:
            x, own = [*map(Fraction, X[i]), self.bias], y[i]
            others = [name for name in names if name != own]
            if others:
                rival = max(others, key=lambda name: (self.score(name, x), -names.index(name)))
                margin = self.score(own, x) - self.score(rival, x)
                tau = literal_step(self.rule, margin, 2 * sum(v * v for v in x))
                if tau or margin <= 0:
                    tau *= 1 if weight is None else Fraction(weight[i])
                    self.w = self.w | {
                        own: [a + tau * b for a, b in zip(self.w[own], x, strict=True)],
                        rival: [a - tau * b for a, b in zip(self.w[rival], x, strict=True)],
                    }
                    self.updates.append((self.seen, i, own, rival, margin, tau))
                    clean = False
            self.seen += 1
            self.past.append(self.w)
        return clean

    def fit(self, X, y, passes, **more):
        for _ in range(passes):
            if self.learn(X, y, **more):
                break
        return self

    def matrix(self):
        return [self.w[name] for name in sorted(self.w)]


@st.composite
def many_separable(draw, bias, least=2):
    """Rows, labels of at least `least` classes, and one weight vector per class: each row scores highest for its own class."""
    d, classes = draw(st.integers(1, 4)), draw(st.integers(least, 4))
    row = st.lists(st.integers(-3, 3), min_size=d + 1, max_size=d + 1)
    u = np.array(draw(st.lists(row, min_size=classes, max_size=classes)), float)
    u[:, -1] *= bias
    X = np.array(
        draw(st.lists(st.lists(st.integers(-6, 6).map(lambda k: k / 2), min_size=d, max_size=d), min_size=least, max_size=20))
    )
    scores = np.column_stack([X, np.ones(len(X))]) @ u.T
    kept = np.sort(scores, axis=1)[:, -1] > np.sort(scores, axis=1)[:, -2]
    y = scores.argmax(axis=1)[kept]
    assume(len(set(y.tolist())) >= least)
    return X[kept], y, u[np.unique(y)]


def lead_of(X, y, u, bias):
    """For each row, the score of its own class minus the highest score of another class."""
    scores = np.column_stack([X, np.full(len(X), float(bias))]) @ u.T
    code = np.searchsorted(np.unique(y), y)
    own = scores[np.arange(len(X)), code]
    scores[np.arange(len(X)), code] = -np.inf
    return own - scores.max(axis=1)
