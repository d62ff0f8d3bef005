"""The regions of a classifier of two columns."""

from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.plot.canvas import colour, ink, legend, name
from novikoff.plot.plane import (
    grid_around,
    labelled,
    leads,
    plane_axes,
    ring,
    scatter,
    shaded,
    sorted_labels,
    two_columns,
    zero_line,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def boundary(clf: Any, X: Any, y: Any, *, sigma: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """The regions of a classifier, the lines between them, and the points by class. Points that it gets wrong are ringed.

    `clf` is any fitted classifier of two columns, or a pipeline. With `sigma`, the region where `predict_with_doubt` is not sure
    is hatched.
    """
    X, names = labelled(X, y)
    points = two_columns(X)
    across, up, at = grid_around(points)
    asked = _like(X, at)
    answers = np.asarray(clf.predict(asked))
    unsure = None if sigma is None else ~_doubt(clf, asked, sigma)
    labels = sorted_labels(names, getattr(clf, "classes_", answers))
    ax = plane_axes(ax, X, "Decisions")
    for number, label in enumerate(labels):
        shaded(ax, across, up, answers == label, colors=[colour(number)], alpha=0.18, zorder=0)
    for values in _edges(clf, asked, answers):
        zero_line(ax, across, up, values, colors=[ink()], linewidths=1.4, zorder=2)
    if unsure is not None and shaded(ax, across, up, unsure, colors="none", hatches=["////"], zorder=1) is not None:
        ax.fill([], [], facecolor="none", edgecolor=ink(), hatch="////", label=f"not sure (sigma {sigma:g})")
    scatter(ax, points, np.array([labels.index(label) for label in names.tolist()]), labels)
    wrong = np.asarray(clf.predict(X)) != names
    ring(ax, points[wrong], f"wrong: {wrong.sum():,}")
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
    legend(ax, len(points))
    return ax


def _like(X: Any, at: Array) -> Any:
    """The points of the grid, as a data frame with the same columns if X is one."""
    if hasattr(X, "iloc"):
        return type(X)(at, columns=X.columns)
    return type(X)(at, schema=list(X.columns)) if hasattr(X, "columns") else at


def _edges(clf: Any, asked: Any, answers: Array) -> list[Array]:
    """Values that are 0 on the lines between regions: scores, leads of classes or, where there are no scores, answers."""
    if not hasattr(clf, "decision_function"):
        return [np.where(answers == label, 0.5, -0.5) for label in sorted_labels(answers)[1:]]
    scores = np.asarray(clf.decision_function(asked))
    if scores.ndim == 1:
        return [scores]
    return [leads(scores, np.full(len(scores), number)) for number in range(scores.shape[1])]


def _doubt(clf: Any, asked: Any, sigma: float) -> Array:
    """Where the classifier is sure."""
    if hasattr(clf, "steps"):
        clf, asked = clf[-1], clf[:-1].transform(asked)
    if not hasattr(clf, "predict_with_doubt"):
        raise ValueError(f"sigma needs predict_with_doubt, which {name(type(clf).__name__)} does not have: leave sigma out")
    return np.asarray(clf.predict_with_doubt(asked, sigma=sigma)[1])
