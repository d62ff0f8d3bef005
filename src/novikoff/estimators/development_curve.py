"""Choosing `max_iter` and the readout on development data (F12). One run gives the scores of every smaller `max_iter`."""

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
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.learning.learner import Learner
from novikoff.learning.pass_driver import MOST_PASSES
from novikoff.learning.run import Pass, StopReason

READOUTS = ("last", "averaged", "voted")
Part = tuple[Any, Any]  # rows and labels


class Best(NamedTuple):
    """The setting with the highest development accuracy. Among equal ones it is the one with the fewest passes."""

    readout: str
    max_iter: int
    score: float


@dataclass(frozen=True)
class DevelopmentCurve:
    """The accuracy after each pass for each readout. With cross-validation it is the mean over the folds."""

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
    def best_params(self) -> dict[str, str | int]:
        """The best setting as keywords for `set_params`."""
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
    """Train once, or with `cv` once per fold, and compute the accuracy for every smaller `max_iter` and every readout.

    Each accuracy is exactly that of the estimator with this `readout`, `max_iter` and seed. "voted" takes time proportional to
    rows × updates; leave it out of `readouts` if that is too much.

    Parameters
    ----------
    estimator : a linear estimator of novikoff.
    X, y : training data.
    dev : development data as a pair (X, y). Give either `dev` or `cv`.
    cv : number of folds, or a splitter of scikit-learn.
    readouts : readouts to compare (default: "last", "averaged" and "voted").
    """
    if not isinstance(estimator, LinearClassifier):
        raise TypeError(
            f"a development curve needs a linear estimator of novikoff, not {type(estimator).__name__}: transform the data first"
        )
    if (dev is None) == (cv is None):
        raise ValueError("give either development data, dev=(X, y), or a number of folds, cv=5")
    chosen = list(dict.fromkeys(readouts))
    if not chosen or not set(chosen) <= set(READOUTS):
        raise ValueError(f"readouts must be some of {', '.join(READOUTS)}; it is {chosen}")
    X, y = checked(X, "X"), column_or_1d(unmasked(y, "y"))
    if dev is not None:
        folds = [[(X, y), dev]]
    else:
        X = X.tocsr() if sp.issparse(X) else X
        splits = check_cv(cv, y, classifier=True).split(X, y)
        folds = [[(_safe_indexing(X, part), _safe_indexing(y, part)) for part in split] for split in splits]
    curves = [_one_run(clone(estimator), fold[0], fold[1], chosen) for fold in folds]
    length = max(curve.shape[-1] for curve in curves)
    # A run that ends with a clean pass ends there with any larger max_iter, too.
    padded = [np.pad(curve, [(0, 0), (0, 0), (0, length - curve.shape[-1])], mode="edge") for curve in curves]
    train_curves, dev_curves = np.mean(padded, axis=0)
    return DevelopmentCurve(
        np.arange(1, length + 1),
        dict(zip(chosen, train_curves, strict=True)),
        dict(zip(chosen, dev_curves, strict=True)),
    )


def _one_run(estimator: LinearClassifier, train: Part, held_out: Part, readouts: list[str]) -> Array:
    """The accuracies of one run, in the shape (train and development, readouts, passes)."""
    estimator.set_params(readout="averaged")
    passes = estimator._max_passes() or MOST_PASSES
    X, seen = estimator._validated_examples(*train, None, reset=True)
    if len(seen.classes) < 2:
        raise ValueError(f"there is one class only among the training rows: {seen.classes.tolist()[0]!r}")
    X2, _ = estimator._validated_examples(*held_out, None, reset=False)
    sets = [(X, column_or_1d(train[1])), (X2, column_or_1d(held_out[1]))]
    estimator._choose_settings(seen)
    learner = estimator._new_learner()
    if learner.confidence is not None and "voted" in readouts:
        raise ValueError("votes replay the updates, and with a confidence their directions are not kept: leave out 'voted'")
    accuracies_by_pass: list[list[list[float]]] = []
    clocks: list[Array] = []

    def record(report: Pass) -> None:
        weights = {"last": learner.rows_of(learner.team.w), "averaged": learner.weights()}
        clocks.append(learner.team.clock[learner.answering].copy())
        accuracies_by_pass.append(
            [
                [_right(learner, learner.scores(A, weights[r]), b) / len(b) if r in weights else 0.0 for r in readouts]
                for A, b in sets
            ]
        )

    if learner.fit(seen, passes, on_pass=record).stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    accuracies = np.moveaxis(np.array(accuracies_by_pass), 0, -1)
    if "voted" in readouts:
        for which, (A, b) in enumerate(sets):
            accuracies[which, readouts.index("voted")] = _voted(learner, seen, A, b, np.array(clocks).T.tolist())
    return accuracies


def _voted(learner: Learner, seen: Examples, X: Matrix, y: Array, ends: list[list[int]]) -> Array:
    """The accuracy of the vote after each pass."""
    if not all(ledger.complete for ledger in learner.ledgers):
        raise ValueError(
            f"voting needs every update, and there were more than ledger_cap={learner.ledger_cap}: raise it, or leave out 'voted'"
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
