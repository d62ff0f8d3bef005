"""The mistake bound of AROW with a full confidence (F26) and of the second-order perceptron (F27), after a run.

Let A = I + Σxxᵀ/r over the rows of the updates, U the updates that were no mistakes, and g(u) = max(0, 1 − u·z). For every u,
mistakes ≤ √(r·uᵀAu)·√(ln det A + U) + Σg(u) − U [crammer2009adaptive, theorem 2].
"""

from collections.abc import Callable
from math import inf, sqrt

import numpy as np
import scipy.sparse as sp

from novikoff.engine.confidences.full import Full
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import Bound, Evidence, NoBound, void
from novikoff.engine.rules.arow import Arow, SecondOrder, Stream
from novikoff.engine.storages import take
from novikoff.foundation.array_types import Array
from novikoff.learning.learner import Learner


def second_order_bound(
    learner: Learner, examples: Examples, v: int, scores: Array, u_norm: float
) -> Callable[[Evidence], Bound | NoBound]:
    """The bound of vector v, for u of any length. `scores` are u·z of all rows, for a u of norm `u_norm`."""
    nothing = _no_bound(learner, v)
    if nothing is not None or not u_norm:
        return lambda evidence: nothing or NoBound("u is 0")
    rule, ledger = learner.rule, learner.ledgers[v]
    assert isinstance(rule, Arow | SecondOrder | Stream)
    r, theorem = rule.r, "F27 (second-order perceptron)" if isinstance(rule, SecondOrder) else "F26 (AROW)"
    times = np.bincount(ledger.entries.row - (learner.rows_fed - len(examples)), minlength=len(examples))
    others = ledger.updates - ledger.mistakes
    stretch = r * u_norm**2 + float((times * scores**2).sum())  # r·uᵀAu
    volume = log_det(examples, times, r) + others

    def bound(evidence: Evidence) -> Bound:
        scale = evidence.u_norm / u_norm
        losses = float((times * np.maximum(0.0, 1.0 - scale * scores)).sum())
        return Bound("mistakes", max(0.0, scale * sqrt(stretch * volume) + losses - others), theorem)

    return bound


def log_det(examples: Examples, times: Array, r: float) -> float:
    """ln det(I + Σxxᵀ/r), where row i counts times[i] times. The constant coordinate is included."""
    used = np.flatnonzero(times)
    X = take(examples.sheet.rows, used, examples.width)
    X = np.column_stack([X.toarray() if sp.issparse(X) else X, np.full(len(used), float(examples.constant))])
    gram = (X * times[used, None]).T @ X
    sign, value = np.linalg.slogdet(np.eye(len(gram)) + gram / r)
    return float(value) if sign > 0 else inf


def _no_bound(learner: Learner, v: int) -> NoBound | None:
    rule = learner.rule
    own = isinstance(rule, Arow | SecondOrder | Stream) and learner.confidence == Full(rule.r)
    if not own or not isinstance(learner.confidence, Full):
        bound = learner.bound(Evidence(1.0, 1.0))
        assert isinstance(bound, NoBound), "with a confidence no bound is known before the run"
        return bound
    if learner.strategy.at_once:
        return NoBound("F26 and F27 are about two classes, or one against the rest")
    if not learner.ledgers[v].complete:
        return NoBound("the bound needs every update, and there were more than ledger_cap")
    return void(Evidence(1.0, 1.0, from_zero=learner.from_zero, weighted=learner.weighted))
