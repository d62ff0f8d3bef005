"""Data of two columns: its points, a grid around them, and lines where something on that grid is 0."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.plot.canvas import MARKS, axes, colour, marker, name, paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import ContourSet

GRID = 200  # points of the grid to a side
ROOM = 0.12  # of the width, left free around the points


def labelled(X: Any, y: Any) -> tuple[Any, Array]:
    """The matrix and its labels, one for each row."""
    names = np.asarray(unmasked(y, "y"))
    X = checked(X) if sp.issparse(X) or hasattr(X, "columns") else np.asarray(checked(X))
    if len(X.shape) != 2 or names.shape != (X.shape[0],) or not len(names):
        raise ValueError(f"give rows, and a label for each: X has the shape {X.shape} and y {names.shape}")
    return X, names


def two_columns(X: Any) -> Array:
    """The rows as points in the plane."""
    if X.shape[1] != 2:
        raise ValueError(
            f"this plot needs two columns, and these rows have {X.shape[1]}: choose two of them and fit again, or use "
            "plot.margins and plot.weights, which take any number"
        )
    return np.asarray(X.toarray() if sp.issparse(X) else X, float)


def sorted_labels(*some: Any) -> list[Any]:
    """The different labels, sorted."""
    found = {label for labels in some for label in np.asarray(labels).tolist()}
    return sorted(found, key=lambda label: (str(type(label)), label))


def leads(scores: Array, code: Array) -> Array:
    """For each row, its score for the class with this code minus the best score for another class."""
    rows, others = np.arange(len(scores)), scores.astype(float)
    others[rows, code] = -np.inf
    return np.asarray(scores[rows, code] - others.max(axis=1))


def scatter(ax: "Axes", points: Array, code: Array, labels: list[Any], faint: bool = False) -> None:
    """The points. `code` has the number of each point's label."""
    for number, label in enumerate(labels):
        own = points[code == number]
        ax.scatter(
            own[:, 0],
            own[:, 1],
            s=26,
            c=colour(number),
            marker=marker(number),
            edgecolors=[paper(ax)],
            linewidths=0.5,
            alpha=0.35 if faint else 1.0,
            label=name(label),
            zorder=3,
        )


def ring(ax: "Axes", points: Array, label: str) -> None:
    """Put rings around these points."""
    if len(points):
        ax.scatter(points[:, 0], points[:, 1], s=110, facecolors="none", edgecolors=MARKS, linewidths=1.6, label=label, zorder=4)


def grid_around(points: Array, room: float = ROOM) -> tuple[Array, Array, Array]:
    """A grid around the points: its values of either column, and its points."""
    low, high = points.min(axis=0), points.max(axis=0)
    width = np.where(high > low, high - low, np.maximum(1.0, np.abs(high)))
    across, up = (np.linspace(a - room * w, b + room * w, GRID) for a, b, w in zip(low, high, width, strict=True))
    return across, up, np.column_stack([each.ravel() for each in np.meshgrid(across, up)])


def zero_line(ax: "Axes", across: Array, up: Array, values: Array, **how: Any) -> "ContourSet | None":
    """The line where these values on the grid are 0, if there is one."""
    if not values.min() < 0 < values.max():
        return None
    return ax.contour(across, up, values.reshape(GRID, GRID), levels=[0.0], **how)


def shaded(ax: "Axes", across: Array, up: Array, inside: Array, **how: Any) -> "ContourSet | None":
    """Shade the part of the grid where `inside` is true, if there is any."""
    if not inside.any():
        return None
    return ax.contourf(across, up, inside.reshape(GRID, GRID).astype(float), levels=[0.5, 1.5], **how)


def plane_axes(ax: "Axes | None", X: Any, title: str) -> "Axes":
    ax = axes(ax, (6.0, 5.0))
    names = [name(column) for column in getattr(X, "columns", ["x0", "x1"])]
    ax.set(xlabel=names[0], ylabel=names[1], title=title)
    return ax
