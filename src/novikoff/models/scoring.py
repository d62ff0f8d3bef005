"""Accuracy, precision, recall and the confusion matrix, counted block by block, and what they are compared with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.fields import NUMBER
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
        self.answers_to_strange = np.zeros(len(classes), np.int64)  # the predictions for their rows
        self.rows = self.right = 0
        self.first: list[int] = []  # the numbers of the first wrong rows

    def add(self, learner: Learner, decisions: Array, y: Array, numbers: Array | None = None) -> Array:
        """Count a block of rows with these labels and numbers, and return which predictions are right.

        Without numbers, rows are numbered as they come.
        """
        codes = learner.codes(decisions)
        label = class_of(learner.classes, y)
        known = label >= 0
        np.add.at(self.confusion, (label[known], codes[known]), 1)
        np.add.at(self.answers_to_strange, codes[~known], 1)
        right: Array = codes == label
        if decisions.shape[1] == 1:
            right &= decisions[:, 0] != 0
        names, counts = np.unique(y[~known], return_counts=True)
        for name, count in zip(names.tolist(), counts.tolist(), strict=True):
            self.strange[name] = self.strange.get(name, 0) + count
        numbers = np.arange(self.rows, self.rows + len(y)) if numbers is None else numbers
        self.first += numbers[~right][: FIRST - len(self.first)].tolist()
        self.rows += len(y)
        self.right += int(right.sum())
        return right

    @property
    def given(self) -> dict[Label, int]:
        """The rows of each label: of those that the model knows, then of the others."""
        return dict(zip(self.classes, self.confusion.sum(axis=1).tolist(), strict=True)) | self.strange

    @property
    def baseline(self) -> Baseline:
        return baseline_of(self.given, self.rows)

    def plain(self) -> dict[str, Any]:
        """The figures as JSON. A ratio with the denominator 0 is None."""
        never = [0] * len(self.strange)  # answered, and so never right
        labels, given = list(self.given), list(self.given.values())
        own = [*self.confusion.diagonal().tolist(), *never]
        answered = [*(self.confusion.sum(axis=0) + self.answers_to_strange).tolist(), *never]
        precision = [_share(o, a) for o, a in zip(own, answered, strict=True)]
        recall = [_share(o, g) for o, g in zip(own, given, strict=True)]
        f1 = [_share(2 * o, g + a) for o, g, a in zip(own, given, answered, strict=True)]
        occurring = [share for share in f1 if share is not None]
        by_class = zip(labels, given, precision, recall, f1, strict=True)
        n = len(self.classes)
        return {
            "rows": self.rows,
            "errors": self.rows - self.right,
            "accuracy": self.right / self.rows,
            "macro_f1": sum(occurring) / len(occurring),  # of classes that occur as a label or an answer
            "baseline": {"label": self.baseline.label, "accuracy": self.baseline.accuracy},
            "classes": self.classes,
            "precision": precision[:n],
            "recall": recall[:n],
            "f1": f1[:n],
            "by_class": [dict(zip(("label", "rows", "precision", "recall", "f1"), one, strict=True)) for one in by_class],
            "confusion": self.confusion.tolist(),
            "labels_never_seen": {str(label): count for label, count in self.strange.items()},
            "answers_to_never_seen": self.answers_to_strange.tolist(),
            "first_errors": self.first,
        }


def class_of(classes: Array, y: Array) -> Array:
    """Of each label, which of the classes it is; -1 if it is none.

    A file may have texts where the model has numbers, and the other way round: one label decides what all labels of a file are.

    >>> class_of(np.array([1, 10]), np.array(["10", "maybe", "+1"])).tolist()
    [1, -1, 0]
    >>> class_of(np.array(["2", "ham"]), np.array([2, 3])).tolist()
    [0, -1]
    """
    place = {label: k for k, label in enumerate(classes.tolist())}
    names, which = np.unique(y, return_inverse=True)
    labels = names.tolist()
    if y.dtype.kind == "U" and classes.dtype.kind in "iuf":
        labels = [float(name) if NUMBER.fullmatch(name) else name for name in labels]
    elif y.dtype.kind in "iuf" and classes.dtype.kind == "U":
        labels = [str(int(name) if float(name).is_integer() else name) for name in labels]
    return np.array([place.get(label, -1) for label in labels], np.intp)[which]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
