"""Accuracy, precision, recall and the confusion matrix, counted block by block, and what they are compared with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.learning.learner import Learner
from novikoff.models.run_record import Label

FIRST = 10  # number of wrong rows that are listed


class Baseline(NamedTuple):
    """The class with the most rows, which is the best answer if nothing is known of a row."""

    label: object
    rows: int  # that are of this class
    of: int  # of so many

    @property
    def accuracy(self) -> float:
        return self.rows / self.of

    def reached_by(self, right: int) -> bool:
        """Whether a model that is right for `right` rows is no better. Rows of one class alone cannot tell."""
        return right <= self.rows < self.of


def baseline_of(counts: Mapping[Any, int], rows: int) -> Baseline:
    """The baseline, given the rows of each class and of all. Of equally large classes, it is the first."""
    label = max(counts, key=counts.__getitem__)
    return Baseline(label, counts[label], rows)


class Scores:
    """Counts of predictions by label. With two classes, a score of exactly 0 counts as an error."""

    def __init__(self, classes: list[Label]) -> None:
        self.classes = classes
        self.confusion = np.zeros((len(classes), len(classes)), np.int64)  # a row per label, a column per prediction
        self.strange: dict[Label, int] = {}  # labels that the model does not know, with their counts
        self.rows = self.right = 0
        self.first: list[int] = []  # the numbers of the first wrong rows

    def add(self, learner: Learner, decisions: Array, y: Array) -> Array:
        """Count a block of rows with these labels, and return which predictions are right."""
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

    @property
    def baseline(self) -> Baseline:
        return baseline_of(dict(zip(self.classes, self.confusion.sum(axis=1).tolist(), strict=True)), self.rows)

    def plain(self) -> dict[str, Any]:
        """The figures as JSON. A ratio with the denominator 0 is None."""
        own, given, answered = (self.confusion.diagonal(), self.confusion.sum(axis=1), self.confusion.sum(axis=0))
        precision = [_share(o, a) for o, a in zip(own, answered, strict=True)]
        recall = [_share(o, g) for o, g in zip(own, given, strict=True)]
        f1 = [_share(2 * o, g + a) for o, g, a in zip(own, given, answered, strict=True)]
        occurring = [share for share in f1 if share is not None]
        by_class = zip(self.classes, given.tolist(), precision, recall, f1, strict=True)
        return {
            "rows": self.rows,
            "errors": self.rows - self.right,
            "accuracy": self.right / self.rows,
            "macro_f1": sum(occurring) / (len(occurring) + len(self.strange)),  # of classes that occur as a label or an answer
            "baseline": {"label": self.baseline.label, "accuracy": self.baseline.accuracy},
            "classes": self.classes,
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "by_class": [dict(zip(("label", "rows", "precision", "recall", "f1"), one, strict=True)) for one in by_class],
            "confusion": self.confusion.tolist(),
            "labels_never_seen": {str(label): count for label, count in self.strange.items()},
            "first_errors": self.first,
        }


def _share(part: int, whole: int) -> float | None:
    return int(part) / int(whole) if whole else None
