"""How a model answers labelled rows, block by block. Memory does not grow with the number of rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import frexp
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.data.matrices import widened
from novikoff.data.readers import Labelled
from novikoff.foundation.array_types import Array
from novikoff.models.model import Model
from novikoff.models.scoring import Scores, class_of
from novikoff.plot.evidence import is_of
from novikoff.plot.plane import leads

WORST = 20  # rows listed
LARGEST = 4  # features listed for each
BINS = 64  # of a histogram, at most
EXACT = 2.0**40  # bins between 0 and any number, at most, so that none is rounded into another bin
SAMPLE = 2000  # rows that are drawn


class Wrong(NamedTuple):
    """A row that is answered wrongly. Its margin is the score of the label minus that of the answer."""

    margin: float
    row: int
    label: object
    answer: object  # None where the score is 0
    features: list[tuple[str, float]]  # the largest by size


class Histogram:
    """Counts of numbers in bins whose width, a power of 2, doubles when there would be more than BINS of them.

    So it is exact: every number is counted in the bin that it belongs to.
    """

    def __init__(self, kinds: int) -> None:
        self.width = 0.0  # until the first numbers come
        self.first = 0  # bin k is [(first + k)·width, (first + k + 1)·width)
        self.counts = np.zeros((kinds, 0), np.int64)

    def add(self, numbers: Array, kind: Array) -> None:
        """Count these numbers, each as of its kind. Numbers that are not finite are left out."""
        numbers, kind = numbers[np.isfinite(numbers)], kind[np.isfinite(numbers)]
        if not len(numbers):
            return
        low, high = float(numbers.min()), float(numbers.max())
        if not self.width:
            spread = max(high / 2 - low / 2, abs(low) / EXACT, abs(high) / EXACT) or 1.0
            self.width = 2.0 ** (frexp(spread)[1] - 4)
            self.first = int(self._places(low))
        while max(abs(low), abs(high)) / self.width > EXACT or len(self._span(low, high)) > BINS:
            self._double()
        span = self._span(low, high)
        room = np.zeros((len(self.counts), len(span)), np.int64)
        at = self.first - span.start
        room[:, at : at + self.counts.shape[1]] = self.counts
        np.add.at(room, (kind, self._places(numbers) - span.start), 1)
        self.counts, self.first = room, span.start

    def _span(self, low: float, high: float) -> range:
        """The present bins, and those of numbers from `low` to `high`."""
        first, last = int(self._places(low)), int(self._places(high))
        return range(min(first, self.first), max(last + 1, self.first + self.counts.shape[1]))

    def _places(self, numbers: Array | float) -> Array:
        """The bin of each number. A negative number is in a negative bin, even where the quotient underflows to 0."""
        at = np.asarray(numbers) / self.width
        return np.asarray(np.floor(at).astype(np.int64) - ((at == 0) & (np.asarray(numbers) < 0)))

    def _double(self) -> None:
        odd = self.first % 2
        padded = np.pad(self.counts, ((0, 0), (odd, (self.counts.shape[1] + odd) % 2)))
        self.counts = padded[:, 0::2] + padded[:, 1::2]
        self.first, self.width = self.first // 2, 2 * self.width

    @property
    def edges(self) -> Array:
        return (self.first + np.arange(self.counts.shape[1] + 1)) * self.width


@dataclass
class Survey:
    """The scores, a histogram of the margins (right, wrong), the rows that are wrong by the most, and a sample for plots."""

    scores: Scores
    margins: Histogram
    worst: list[Wrong]
    sample: Labelled


def survey(model: Model, blocks: Iterable[Labelled]) -> Survey:
    """Go over all rows once. They must have the model's columns; missing columns at the end are 0."""
    learner = model.learner
    scores, margins, worst = Scores(learner.classes.tolist()), Histogram(2), list[Wrong]()
    sample = _Sample()
    for block in blocks:
        if not len(block.y):
            continue
        X, y = widened(block.X, learner.width), block.y
        decisions = model.decisions(X)
        before = scores.rows
        right = scores.add(learner, decisions, y)
        rows, margin = margins_of(model, decisions, y)
        margins.add(margin, (~right[rows]).astype(np.intp))
        worst = _worst(model, X, y, decisions, rows[~right[rows]], margin[~right[rows]], before, worst)
        sample.add(X, y)
    return Survey(scores, margins, worst, sample.rows())


def margins_of(model: Model, decisions: Array, y: Array) -> tuple[Array, Array]:
    """The rows whose label the model knows, and their margins: the score of the label minus the highest other score.

    With two classes the margin is the score itself, positive on the side of the label.
    """
    classes = model.learner.classes
    label = class_of(classes, y)
    rows = np.flatnonzero(label >= 0)
    label, decisions = label[rows], decisions[rows]
    if decisions.shape[1] == 1:
        return rows, decisions[:, 0] * np.where((label == 1) | (len(classes) == 1), 1, -1)
    return rows, leads(decisions, label)


def learned_from(model: Model, seen: Survey) -> bool | None:
    """Whether the model learned from these rows, by their fingerprint; None where that is not known."""
    marked = [certificate for certificate in model.certificates if certificate.data.fingerprint]
    if not marked or len(seen.sample.y) != seen.scores.rows:
        return None
    return is_of(marked[0], seen.sample.X, seen.sample.y)


def _worst(
    model: Model, X: Any, y: Array, decisions: Array, rows: Array, margin: Array, before: int, worst: list[Wrong]
) -> list[Wrong]:
    """The rows that are wrong by the most, of those so far and of this block."""
    answers = model.learner.codes(decisions)
    for k in np.argsort(margin, kind="stable")[:WORST].tolist():
        if len(worst) == WORST and not margin[k] < worst[-1].margin:
            break
        i = int(rows[k])
        answer = model.learner.classes[answers[i]]
        if decisions.shape[1] == 1 and decisions[i, 0] == 0:
            answer = None  # a score of 0 is not an answer
        worst = [*worst, Wrong(float(margin[k]), before + i, y[i], answer, _largest(model, X, i))]
        worst = sorted(worst, key=lambda one: (one.margin, one.row))[:WORST]
    return worst


def _largest(model: Model, X: Any, i: int) -> list[tuple[str, float]]:
    """The features of row i that are largest when it is prepared, with their own values. A gap has none."""
    row = X[i : i + 1]
    learned = model.prepared(row)
    if sp.issparse(row):
        columns, values, learned = row.indices, row.data, learned.data
    else:
        columns, values, learned = np.arange(row.shape[1]), row[0], learned[0]
    most = np.argsort(-np.abs(learned), kind="stable")[:LARGEST]
    pairs = [(int(columns[k]), float(values[k])) for k in most if learned[k] != 0 and not np.isnan(values[k])]
    return [(model.features.name(j), value * model.features.sign(j)) for j, value in pairs]


class _Sample:
    """A random sample in which every row has the same chance: the rows with the smallest random keys."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self._keys, self._blocks = np.empty(0), list[tuple[Any, Array]]()

    def add(self, X: Any, y: Array) -> None:
        keys = self._rng.random(len(y))
        some = np.sort(np.argsort(keys, kind="stable")[:SAMPLE])
        self._blocks.append((X[some], y[some]))
        self._keys = np.concatenate([self._keys, keys[some]])
        if len(self._keys) > 8 * SAMPLE:
            self._thin()

    def _thin(self) -> None:
        kept = np.sort(np.argsort(self._keys, kind="stable")[:SAMPLE])
        X = [block for block, _ in self._blocks]
        stacked = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.concatenate(X)
        y = np.concatenate([labels for _, labels in self._blocks])
        self._blocks, self._keys = [(stacked[kept], y[kept])], self._keys[kept]

    def rows(self) -> Labelled:
        self._thin()
        return Labelled(*self._blocks[0])
