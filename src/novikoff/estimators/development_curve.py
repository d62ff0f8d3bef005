"""Choosing `max_iter` on development data (F12): one run passes through every smaller `max_iter` on its way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, column_or_1d

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.storages import Array
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.learning.learner import Learner, Pass, StopReason

READOUTS = ("last", "averaged", "voted")


class Best(NamedTuple):
    """The setting with the highest development accuracy; of equals, the one with the fewest passes."""

    readout: str
    max_iter: int
    score: float


@dataclass(frozen=True)
class DevelopmentCurve:
    """Accuracy after each pass, for each readout; with cross-validation, the mean over the folds."""

    passes: Array
    train: dict[str, Array]
    dev: dict[str, Array]

    @property
    def best(self) -> Best:
        ranked = [
            (-score, number, place, readout)
            for place, (readout, curve) in enumerate(self.dev.items())
            for number, score in zip(self.passes.tolist(), curve.tolist(), strict=True)
        ]
        score, number, _, readout = min(ranked)
        return Best(readout, number, -score)

    @property
    def best_params(self) -> dict[str, Any]:
        """The best setting, as `set_params` wants it."""
        return {"readout": self.best.readout, "max_iter": self.best.max_iter}


def development_curve(
    estimator: LinearClassifier,
    X: Any,
    y: Any,
    *,
    dev: tuple[Any, Any] | None = None,
    cv: Any = None,
    readouts: Sequence[str] = READOUTS,
) -> DevelopmentCurve:
    """Train once (once a fold, with `cv`) and see how every smaller `max_iter` and every readout would have done.

    Each point is exactly the score that the estimator would have with that `readout` and `max_iter`, the same seed given. Voting
    costs rows × updates; leave it out of `readouts` where that is too much.
    """
    if not isinstance(estimator, LinearClassifier):
        raise TypeError(f"a curve can be drawn for novikoff's linear estimators, not for {type(estimator).__name__}: scale first")
    if (dev is None) == (cv is None):
        raise ValueError("give development data, dev=(X, y), or a number of folds, cv=5: one of the two")
    chosen = list(dict.fromkeys(readouts))
    if not chosen or not set(chosen) <= set(READOUTS):
        raise ValueError(f"a curve can be drawn for some of {', '.join(READOUTS)}, not for {chosen}")
    X, y = checked(X, "X"), column_or_1d(unmasked(y, "y"))
    if dev is not None:
        folds = [[(X, y), dev]]
    else:
        X = X.tocsr() if sp.issparse(X) else X
        splits = check_cv(cv, y, classifier=True).split(X, y)
        folds = [[(_safe_indexing(X, part), _safe_indexing(y, part)) for part in split] for split in splits]
    curves = [_one_run(clone(estimator), fold[0], fold[1], chosen) for fold in folds]
    length = max(curve.shape[-1] for curve in curves)
    # A run that ends at a clean pass would have ended there with any larger max_iter as well.
    padded = [np.pad(curve, [(0, 0), (0, 0), (0, length - curve.shape[-1])], mode="edge") for curve in curves]
    train_curves, dev_curves = np.mean(padded, axis=0)
    return DevelopmentCurve(
        np.arange(1, length + 1),
        dict(zip(chosen, train_curves, strict=True)),
        dict(zip(chosen, dev_curves, strict=True)),
    )


def _one_run(estimator: Any, train: Any, held_out: Any, readouts: list[str]) -> Array:
    """Accuracies of one run, of shape (train and development, readouts, passes)."""
    estimator.set_params(readout="averaged")
    passes = estimator._max_passes()
    X, seen = estimator._examples(*train, None, reset=True)
    if len(seen.classes) < 2:
        raise ValueError(f"there is one class only among the training rows: {seen.classes.tolist()[0]!r}")
    X2, _ = estimator._examples(*held_out, None, reset=False)
    sets = [(X, column_or_1d(train[1])), (X2, column_or_1d(held_out[1]))]
    learner: Learner = estimator._new_learner()
    points: list[list[list[float]]] = []
    clocks: list[Array] = []

    def look(report: Pass) -> None:
        weights = {"last": learner.rows_of(learner.team.w), "averaged": learner.weights()}
        clocks.append(learner.team.clock[learner.answering].copy())
        points.append(
            [
                [_right(learner, learner.scores(A, weights[r]), b) / len(b) if r in weights else 0.0 for r in readouts]
                for A, b in sets
            ]
        )

    if learner.fit(seen, passes, on_pass=look).stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    accuracies = np.moveaxis(np.array(points), 0, -1)
    if "voted" in readouts:
        for which, (A, b) in enumerate(sets):
            accuracies[which, readouts.index("voted")] = _voted(learner, seen, A, b, np.array(clocks).T.tolist())
    return accuracies


def _voted(learner: Learner, seen: Examples, X: Any, y: Array, ends: list[list[int]]) -> Array:
    """The accuracy of the vote after each pass."""
    if not all(ledger.complete for ledger in learner.ledgers):
        raise ValueError(
            f"voting needs every update, and there were more than ledger_cap={learner.ledger_cap}: raise it, or leave voted out"
        )
    used = np.concatenate([ledger.entries.row for ledger in learner.ledgers[learner.answering]])
    ballot = Ballot().with_rows(seen.sheet.rows, seen.width, 0, used)
    right, first = np.zeros(len(ends[0])), 0
    for block in learner.votes(ballot, X, ends):
        truth = y[first : first + block.shape[1]]
        right += [_right(learner, votes, truth) for votes in block]
        first += len(truth)
    accuracy: Array = right / len(y)
    return accuracy


def _right(learner: Learner, decisions: Array, y: Array) -> int:
    return int((learner.classes[learner.codes(decisions)] == y).sum())
