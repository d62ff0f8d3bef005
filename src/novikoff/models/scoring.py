"""How well answers agree with labels, counted block by block."""

from typing import Any

import numpy as np

from novikoff.engine.storages import Array
from novikoff.learning.learner import Learner

FIRST = 10  # errors that are named


class Scores:
    """Counts of answers by label. A score of exactly 0 between two classes is "I don't know", and counts as an error."""

    def __init__(self, classes: list[Any]) -> None:
        self.classes = classes
        self.confusion = np.zeros((len(classes), len(classes)), np.int64)  # a row a label, a column an answer
        self.strange: dict[Any, int] = {}  # labels that the model never saw
        self.rows = self.right = 0
        self.first: list[int] = []  # rows answered wrongly

    def add(self, learner: Learner, decisions: Array, y: Array) -> Array:
        """Count a block of rows with these labels; which of them are answered rightly."""
        codes = learner.codes(decisions)
        known = np.isin(y, learner.classes)
        label = np.searchsorted(learner.classes, np.where(known, y, learner.classes[0]))
        np.add.at(self.confusion, (label[known], codes[known]), 1)
        right: Array = known & (codes == label)
        if decisions.shape[1] == 1:
            right &= decisions[:, 0] != 0
        names, counts = np.unique(y[~known], return_counts=True)
        for name, count in zip(names.tolist(), counts.tolist(), strict=True):
            self.strange[name] = self.strange.get(name, 0) + count
        self.first += [self.rows + int(i) for i in np.flatnonzero(~right)[: FIRST - len(self.first)]]
        self.rows += len(y)
        self.right += int(right.sum())
        return right

    def plain(self) -> dict[str, Any]:
        """The figures, as JSON can hold them. A share of nothing is None."""
        own, given, answered = (self.confusion.diagonal(), self.confusion.sum(axis=1), self.confusion.sum(axis=0))
        return {
            "rows": self.rows,
            "errors": self.rows - self.right,
            "accuracy": self.right / self.rows,
            "classes": self.classes,
            "precision": [_share(o, a) for o, a in zip(own, answered, strict=True)],
            "recall": [_share(o, g) for o, g in zip(own, given, strict=True)],
            "f1": [_share(2 * o, g + a) for o, g, a in zip(own, given, answered, strict=True)],
            "confusion": self.confusion.tolist(),
            "labels_never_seen": {str(label): count for label, count in self.strange.items()},
            "first_errors": self.first,
        }


def _share(part: Any, whole: Any) -> float | None:
    return int(part) / int(whole) if whole else None
