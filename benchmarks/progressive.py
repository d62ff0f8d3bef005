"""Predict, then learn, one pass: how often ours is wrong, and Vowpal Wabbit's and river's models on the same rows.

python benchmarks/accuracy.py runs it.
"""

from typing import NamedTuple

import numpy as np
import real_sets
from candidate import ONLINE, ONLINE_NAME
from measuring import geometric_mean, markdown_table, report
from river import linear_model
from vowpalwabbit import Workspace

from novikoff import OnlineLearner

VW = {"default": "", "hinge": "--loss_function hinge"}
RIVER = {
    "LogisticRegression": linear_model.LogisticRegression,
    "PAClassifier": linear_model.PAClassifier,
    "Perceptron": linear_model.Perceptron,
}
RIVER_ROWS = 20_000  # river is slow: of a longer stream it reads so many


class Errors(NamedTuple):
    """Progressive errors on one stream."""

    name: str
    rows: int
    ours: float
    vw: dict[str, float]
    river_rows: int
    ours_there: float  # on the rows that river read
    river: dict[str, float]

    @property
    def to_vw(self):
        return self.ours / min(self.vw.values())

    @property
    def to_river(self):
        return self.ours_there / min(self.river.values())


measured: list[Errors] = []


def dictionaries(X):
    """The rows, as numbers by the number of their column."""
    for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        yield dict(zip(map(str, X.indices[start:end].tolist()), X.data[start:end].tolist(), strict=True))


def our_mistakes(X, y):
    """Whether our answer to each row, before learning from it, was wrong."""
    learner = OnlineLearner(**ONLINE)
    pairs = zip(dictionaries(X), y.tolist(), strict=True)
    return np.array([learner.predict_and_learn_one(x, label) != label for x, label in pairs])


def vw_error(X, y, options):
    """Vowpal Wabbit's own count, also of answers before learning. Features whose names are numbers do not collide."""
    vw = Workspace(f"--quiet --binary {options}")
    for x, label in zip(dictionaries(X), y.tolist(), strict=True):
        vw.learn(f"{label} | " + " ".join(f"{column}:{value!r}" for column, value in x.items()))
    error = vw.get_sum_loss() / len(y)
    vw.finish()
    return error


def river_error(X, y, model):
    wrong = 0
    for x, label in zip(dictionaries(X), (y > 0).tolist(), strict=True):
        wrong += model.predict_one(x) != label
        model.learn_one(x, label)
    return wrong / len(y)


def errors(name, X, y):
    mistakes, part = our_mistakes(X, y), min(len(y), RIVER_ROWS)
    return Errors(
        name=name,
        rows=len(y),
        ours=float(mistakes.mean()),
        vw={loss: vw_error(X, y, options) for loss, options in VW.items()},
        river_rows=part,
        ours_there=float(mistakes[:part].mean()),
        river={model: river_error(X[:part], y[:part], new()) for model, new in RIVER.items()},
    )


def bench_progressive():
    for name, data in real_sets.found(real_sets.STREAMS):
        row = errors(name, *real_sets.stream(data))
        measured.append(row)
        theirs = ", ".join(f"{model} {error:.4f}" for model, error in (row.vw | row.river).items())
        print(f"{name:16} {row.ours:.4f} ÷ Vowpal Wabbit {row.to_vw:.3f}, ÷ river {row.to_river:.3f}; {theirs}", flush=True)
    if measured:
        what = f"{len(measured)} streams, geometric mean"
        to_vw, to_river = (geometric_mean([getattr(row, to) for row in measured]) for to in ("to_vw", "to_river"))
        report(f"progressive error ÷ Vowpal Wabbit, {what}", to_vw, 1.0, at_least=False)
        report(f"progressive error ÷ river, {what}", to_river, 1.0, at_least=False)


def section():
    """What the page says about it."""
    if not measured:
        return []
    head = ["stream", "rows", "ours", *(f"vw, {loss}" for loss in VW), "÷ vw"]
    head += ["rows", "ours", *(f"river, {model}" for model in RIVER), "÷ river"]
    lines = [
        [
            row.name,
            f"{row.rows:,}",
            *(f"{100 * error:.2f}" for error in (row.ours, *row.vw.values())),
            f"{row.to_vw:.2f}",
            f"{row.river_rows:,}",
            *(f"{100 * error:.2f}" for error in (row.ours_there, *row.river.values())),
            f"{row.to_river:.2f}",
        ]
        for row in measured
    ]
    return [
        "## Streams",
        "",
        "The progressive error is the share of rows, in per cent, that were answered wrongly before they were learned from,",
        "in one pass. All learners read the same rows in the same order. Ours is",
        f"`{ONLINE_NAME}`.",
        "Vowpal Wabbit runs with `--binary` and its default loss or `--loss_function hinge`. river's models have their",
        f"default settings, and read at most {RIVER_ROWS:,} rows. Ratios are ours ÷ the best of theirs. Texts are shuffled",
        "with seed 0, and their rows are counts of words, scaled to length 1. The others come in the order of their files.",
        "",
        *markdown_table(head, lines),
        f"Geometric means: ÷ Vowpal Wabbit {geometric_mean([row.to_vw for row in measured]):.2f}, "
        f"÷ river {geometric_mean([row.to_river for row in measured]):.2f}.",
        "",
    ]
