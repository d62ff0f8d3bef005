"""Margins: how far each row is on its own side (F4)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.plot.canvas import COLOURS, MARKS, axes, colour, ink, legend, name, whole_ticks
from novikoff.plot.evidence import is_of, rows_of
from novikoff.plot.plane import labelled, leads
from novikoff.proof.certificate import Inseparable, ManyInseparable, ManySeparable, Separable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 40


def margins(clf: Any, X: Any, y: Any, ax: "Axes | None" = None) -> "Axes":
    """The margins of all rows, y·(⟨w, x⟩ + b)/‖w‖, as a histogram by class. Wrong rows are left of 0.

    Ticks mark the rows that the classifier's certificate names, if it has one about this data: rows that contradict each other,
    or rows that bound the margin from above. Otherwise they mark the rows of each class that are nearest to 0. With many classes
    the margin is the lead of a row's class over the best other class; with votes, the share by which the vote was won.
    """
    X, names = labelled(X, y)
    own, what = _margins(clf, X, names)
    proof = getattr(clf, "certificate_", None)
    if isinstance(proof, (Separable, Inseparable, ManySeparable, ManyInseparable)) and is_of(proof, X, names) and rows_of(proof):
        cancel = isinstance(proof, (Inseparable, ManyInseparable))
        marked, why = np.array(rows_of(proof)), "rows that contradict each other" if cancel else "rows that bound the margin"
    else:
        marked, why = _nearest(own, names), "nearest of each class"
    ax = axes(ax)
    edges = _edges(own)
    classes = np.unique(names).tolist()
    groups = [(name(label), own[names == label]) for label in classes]
    if len(classes) > len(COLOURS):
        groups = [(f"{len(classes)} classes", own)]
    below = np.zeros(len(edges) - 1)
    for number, (label, some) in enumerate(groups):
        heights = _counts(some, edges)
        ax.bar(edges[:-1], heights, np.diff(edges), bottom=below, align="edge", color=colour(number), label=label, linewidth=0)
        below += heights
    wrong = int((~(own > 0)).sum())
    ax.axvline(0, color=ink(), linewidth=1.2)
    if wrong:
        ax.axvspan(edges[0], 0, color=MARKS, alpha=0.12, zorder=0, label=f"wrong: {wrong:,} of {len(own):,}")
    top = float(below.max())
    ax.plot(
        own[marked],
        np.full(len(marked), -0.04 * top),  # below the bars
        linestyle="",
        marker="|",
        markersize=10,
        markeredgewidth=1.2,
        color=ink(),
        label=f"{why}: {len(marked):,}",
    )
    ax.set(xlabel=what, ylabel="rows", title="Margins")
    ax.set(xlim=edges[[0, -1]], ylim=(-0.08 * top, 1.08 * top))
    whole_ticks(ax.yaxis)
    legend(ax, len(marked))
    return ax


def _margins(clf: Any, X: Any, names: Array) -> tuple[Array, str]:
    """The margin of each row, and the label of the axis."""
    scores = np.asarray(clf.decision_function(X), float)
    classes = np.asarray(clf.classes_)
    if (strange := ~np.isin(names, classes)).any():
        row = int(np.flatnonzero(strange)[0])
        raise ValueError(f"the label of row {row} is {names.tolist()[row]!r}, which the classifier does not know")
    last = clf[-1] if hasattr(clf, "steps") else clf
    learner: Any = getattr(last, "_learner", None)  # only novikoff's classifiers have one
    votes = learner is not None and learner.reading.votes
    if scores.ndim > 1:
        lead = leads(scores, np.searchsorted(classes, names))
        if votes:
            return lead / max(1, *learner.voting_ends()), "share by which the vote was won"
        return lead, "lead of the row's class over the best other"
    signed = np.where(names == classes[-1], scores, -scores)
    if votes:
        return signed / max(1, *learner.voting_ends()), "share by which the vote was won"
    length, what = _length(last, learner)
    return (signed / length, what) if length > 0 else (signed, "score y·(⟨w, x⟩ + b)")


def _length(last: Any, learner: Any) -> tuple[float, str]:
    """‖w‖, or 0 if it is not known, and the label of the axis. The bias counts only with a kernel, as a coordinate."""
    if learner is not None and learner.kernel is not None:
        positive = float(learner.space.sqnorms(learner.weights())[0]) if learner.kernel.positive else 0.0
        return positive**0.5, "margin y·⟨w, φ(x)⟩ / ‖w‖"
    w = getattr(last, "coef_", None)
    return (0.0 if w is None else float(np.linalg.norm(w))), "margin y·(⟨w, x⟩ + b) / ‖w‖"


def _nearest(own: Array, names: Array) -> Array:
    """The rows of each class that are nearest to 0."""
    near: list[int] = []
    for label in np.unique(names):
        rows = np.flatnonzero(names == label)
        size = np.abs(own[rows])
        near += rows[size <= size.min() * (1 + 1e-9)].tolist()
    return np.array(near)


def _edges(own: Array) -> Array:
    """The edges of bins of one width. 0 is an edge, so that no bin has both right and wrong rows."""
    low, high = min(0.0, float(own.min())), max(0.0, float(own.max()))
    width = (high - low) / BINS or 1.0
    first = min(np.floor(low / width + 1e-9), -1.0 if (own <= 0).any() else 0.0)
    last = max(np.ceil(high / width - 1e-9), 1.0)
    return width * np.arange(first, last + 1)


def _counts(own: Array, edges: Array) -> Array:
    """Rows in each bin. A row on an edge is in the bin to the left, since a margin of 0 is wrong."""
    place = np.clip(np.searchsorted(edges, own, side="left") - 1, 0, len(edges) - 2)
    return np.bincount(place, minlength=len(edges) - 1).astype(float)
