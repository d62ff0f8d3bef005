"""Rows in the way: what to do about data that is not separable. A greedy search, whose answer is proved to do."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.learning.learner import Learner
from novikoff.proof.certificate import Separable
from novikoff.proof.exact import Weights, weights
from novikoff.solve.separability.linear import PASSES, Question

TRIED_AGAIN = 200  # rows in the way that are put back in groups, to see whether they are


class Removal(NamedTuple):
    """Rows without which the rest is separable, and the proof of that, for the data without them. Fewer rows might do."""

    rows: tuple[int, ...]
    certificate: Separable

    def __str__(self) -> str:
        if not self.rows:
            return "Nothing need be removed."
        shown = ", ".join(map(str, self.rows[:20])) + (", …" if len(self.rows) > 20 else "")
        return (
            f"Without {len(self.rows)} of the rows the rest is separable, which is proved: {shown}.\n"
            "They were found greedily: a shorter list may exist."
        )


def rows_in_the_way(X: Any, y: Any, *, fit_intercept: bool = True, positive: Any = None) -> Removal:
    """A short list of rows whose removal makes the data separable. A heuristic; that the rest is separable is proved.

    Where all rows but those of one label are in the way, the proof is of that label alone. Where no row is left, or only rows
    that are not `positive`, of several labels, `verify` refuses the proof: it needs a row of each label that a proof names.

    >>> len(rows_in_the_way([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).rows)
    1
    """
    question = Question.about(X, y, fit_intercept, positive=positive)
    wrong, proof = _in_the_way(question)
    rest = np.setdiff1d(np.arange(len(question.z)), wrong)
    left = np.asarray(y)[rest]
    if len(left) and (left == left[0]).all():
        alone = Question.about(question.z.numbers[rest], left, fit_intercept).decided(None)
        assert isinstance(alone, Separable), "these rows were separated as one side of the question"
        proof = alone
    return Removal(tuple(wrong.tolist()), proof)


def _in_the_way(question: Question) -> tuple[Array, Separable]:
    """Rows whose removal makes the rest separable, as few as can be found without much ado."""
    wrong = min((_wrong_under(question, w) for w in _fair_weights(question)), key=len)
    while True:  # a separator of the rest may have some of the others right as well
        found = question.without(wrong).decided(None)
        assert isinstance(found, Separable), "weights that have the rest right are known"
        w = [*found.weights.tolist(), *([found.intercept] if question.z.fit_intercept else [])]
        still = _wrong_under(question, weights(w))
        proof = found
        if len(still) == len(wrong):
            break
        wrong = still
    groups = [wrong[np.argsort(-question.z.scores(weights(w).floats, wrong), kind="stable")]] if len(wrong) <= TRIED_AGAIN else []
    while groups:  # put them back, the least wrong first: all, or else half of them, and so on
        group = groups.pop()
        fewer = np.setdiff1d(wrong, group)
        if isinstance(again := question.without(fewer).decided(None), Separable):
            wrong, proof = fewer, again
        elif len(group) > 1:
            groups += [group[len(group) // 2 :], group[: len(group) // 2]]
    return wrong, proof


def _fair_weights(question: Question) -> Iterator[Weights]:
    """Weights that have many rows right."""
    seen = question.examples()
    yield weights([0.0] * (question.z.length - 1) + [1.0])
    yield weights([0.0] * (question.z.length - 1) + [-1.0])
    if seen is not None and len(seen.classes) == 2:
        for rule, readout in (("rosenblatt", "pocket"), ("margin", "averaged")):
            learner = Learner(rule, readout=readout, order="each")
            try:
                learner.fit(seen, PASSES)
            except ValueError:  # the weights have overflowed
                continue
            w = learner.weights()[0]
            yield weights((w if question.z.fit_intercept else w[:-1]).tolist())


def _wrong_under(question: Question, w: Weights) -> Array:
    """The rows with w·z ≤ 0, exactly."""
    scores = question.z.scores(w.floats)
    rows = np.arange(len(scores))
    doubtful = rows[~(np.abs(scores) > question.z.doubt(w.floats))]
    wrong = scores <= 0
    wrong[doubtful] = [question.z.score(i, w) <= 0 for i in doubtful.tolist()]
    return np.flatnonzero(wrong)
