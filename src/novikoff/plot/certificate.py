"""Plots of certificates: the hyperplane that separates, or the rows that contradict each other."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.plot.canvas import MARKS, axes, colour, ink, legend, marker, name, note, whole_ticks
from novikoff.plot.evidence import floats, function_of, is_of, rows_of, short_number
from novikoff.plot.mistakes import one_of
from novikoff.plot.plane import grid_around, labelled, leads, plane_axes, ring, scatter, shaded, two_columns, zero_line
from novikoff.proof import certificate as proofs
from novikoff.proof.certificate import Classes, Hulls, Inseparable, ManyInseparable, ManySeparable, Separable, System, Undecided
from novikoff.proof.rationals import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 12  # rows whose multipliers are written beside them: those with the largest
BARS = 30
TEXT = 0.25  # of the width, left free for the text beside the points


def certificate(cert: Any, X: Any, y: Any, *, kernel: Any = None, ax: "Axes | None" = None) -> "Axes":
    """What a certificate proves about the data.

    With two columns: the hyperplane (with a kernel, a curve) and the strip around it that has no rows; or the rows that
    contradict each other with their multipliers, and the point where their hulls meet. With more columns: the margins of all
    rows, sorted; or the multipliers as bars. Multipliers are scaled to a sum of 1 for each class or, without an intercept, for
    all rows. `kernel` is needed where the kernel of the certificate is a function of the user's.
    """
    if isinstance(cert, dict):
        raise ValueError(one_of(cert))
    if not isinstance(cert, proofs.Certificate) or isinstance(cert.data, System):
        raise TypeError(f"give a certificate about classes, as novikoff.separate returns, not {type(cert).__name__}")
    frame, names = labelled(X, y)
    X = frame.tocsr() if sp.issparse(frame) else np.asarray(frame, float)
    if not is_of(cert, X, names):
        raise ValueError("the certificate is about other data: give the rows and labels that it was made from, in the same order")
    view = _View(cert, frame, X, names, kernel)
    match cert:
        case Separable() | ManySeparable():
            return _separable_plane(view, ax) if view.plane else _sorted_margins(view, ax)
        case Inseparable() | ManyInseparable():
            return _cancelling_plane(view, ax) if view.plane else _bars(view, cert.rows, cert.multipliers, ax)
        case _:
            return _undecided(view, ax)


class _View:
    """A certificate with its data: the labels of the classes, the code of each row's class, and the scores."""

    def __init__(self, cert: Any, frame: Any, X: Any, names: Array, kernel: Any) -> None:
        self.cert, self.frame, self.X, self.kernel = cert, frame, X, kernel
        data = cert.data
        self.many = isinstance(data, Classes)
        self.through: Any = getattr(data, "kernel", None)
        self.plane = X.shape[1] == 2 and (self.through is None or self.through.name != "precomputed")
        if self.many:
            self.labels = list(data.classes)
            self.code = np.array([self.labels.index(label) for label in names.tolist()])
        else:
            self.labels = ["the rest" if data.no is None else data.no, data.yes]
            self.code = (names == data.yes).astype(int)
        self.side = np.where(self.code == 1, 1.0, -1.0)

    def score(self) -> tuple[Callable[[Any, Array], Array], float]:
        """A function of rows and class codes: the lead of these classes. And the length to divide it by for a margin, or 0."""
        if self.many:
            w, b = np.asarray(self.cert.weights, float), np.asarray(self.cert.intercepts, float)
            length = float(np.sqrt((w * w).sum() + (b * b).sum()))
            return (lambda at, code: leads(np.asarray(at @ w.T + b), code)), length
        f, length = function_of(self.cert, self.X, self.kernel)
        return (lambda at, code: f(at) * np.where(code == 1, 1.0, -1.0)), length


def _separable_plane(view: _View, ax: "Axes | None") -> "Axes":
    score, length = view.score()
    points = two_columns(view.X)
    across, up, at = grid_around(points)
    own = score(view.X, view.code)
    least = float(own.min())
    low, high = view.cert.margin
    ax = plane_axes(ax, view.frame, f"Separable: {_interval(low, high)}" if length else "Separable")
    each = [score(at, np.full(len(at), number)) for number in range(len(view.labels))]
    shaded(
        ax, across, up, np.max(each, axis=0) < least, colors=[ink()], alpha=0.12, zorder=0
    )  # where no class leads by as much as a row does
    for values in each if view.many else each[1:]:
        zero_line(ax, across, up, values, colors=[ink()], linewidths=1.6, zorder=2)
    for values in each:
        zero_line(ax, across, up, values - least, colors=[ink()], linewidths=0.9, linestyles="--", zorder=2)
    ax.fill([], [], color=ink(), alpha=0.12, label="no rows")
    scatter(ax, points, view.code, view.labels)
    support = own <= least * (1 + 1e-9)  # the rows of the hull bound the margin, but need not be on it
    ring(ax, points[support], f"support rows: {int(support.sum()):,}")
    return _finished(ax, across, up, len(points))


def _sorted_margins(view: _View, ax: "Axes | None") -> "Axes":
    score, length = view.score()
    own = score(view.X, view.code) / (length or 1.0)
    order = np.argsort(own, kind="stable")
    ax = axes(ax)
    for number, label in enumerate(view.labels):
        at = np.flatnonzero(view.code[order] == number)
        ax.plot(
            at + 1,
            own[order][at],
            linestyle="",
            marker=marker(number),
            markersize=4,
            color=colour(number),
            label=name(label),
        )
    low, high = view.cert.margin
    if length:
        ax.axhline(low, color=ink(), linestyle="-", linewidth=1, label=f"margin, at least {low:.4g}")
        if np.isfinite(high):
            ax.axhline(high, color=MARKS, linestyle="--", label=f"no hyperplane's is above {high:.4g}")
    else:
        note(ax, "The kernel is not known to be an inner product, so there are scores but no margins.")
    extended = view.cert.data.fit_intercept and not isinstance(view.cert.hull, Hulls)
    divided = f"y·(w·x + b) / {'‖(w, b)‖' if extended else '‖w‖'}" if length else "y·(w·x + b)"
    what = "lead over the best other / ‖w‖" if view.many else divided
    positive = own[own > 0]
    if len(positive) == len(own) and own.max() > 100 * own.min():
        ax.set_yscale("log")
    ax.set(xlabel="rows, the nearest first", ylabel=what, title=f"Separable: all {len(own):,} rows are above 0")
    whole_ticks(ax.xaxis)
    legend(ax, len(own))
    return ax


def _cancelling_plane(view: _View, ax: "Axes | None") -> "Axes":
    cert, points = view.cert, two_columns(view.X)
    rows = list(rows_of(cert))
    few = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
    ax = plane_axes(ax, view.frame, f"Not separable: {few} contradict each other")
    across, up, _ = grid_around(points, TEXT)
    scatter(ax, points, view.code, view.labels, faint=True)
    where = points[rows].mean(axis=0)
    if view.many or view.through is not None:
        space = "against their rivals" if view.many else f"in the space of the kernel {view.through.name}"
        note(ax, f"Weighted, they cancel out {space}.")
    elif cert.data.fit_intercept:
        where = _hulls_that_meet(ax, view, points)
    else:
        reach = _spokes(ax, view, points)
        where = np.zeros(2)
        across, up, _ = grid_around(np.vstack([points, reach, [where]]), TEXT)
    ring(ax, points[rows], f"{few} of {len(points):,}")
    _written(ax, points, cert.rows, scaled(view, cert.rows, cert.multipliers), where)
    return _finished(ax, across, up, len(points))


def _hulls_that_meet(ax: "Axes", view: _View, points: Array) -> Array:
    """The hulls of the named rows of each class, and their common point: Σ λx / Σ λ, which is the same for both."""
    cert = view.cert
    for number in (0, 1):
        own = points[[row for row in cert.rows if view.code[row] == number]]
        _polygon(ax, hull_of(own), colour(number), f"hull of {name(view.labels[number])}")
    meeting = meeting_point(points, cert.rows, cert.multipliers, view.code == 1)
    ax.plot(*meeting, linestyle="", marker="X", markersize=11, color=MARKS, label="where the hulls meet", zorder=5)
    return meeting


def _spokes(ax: "Axes", view: _View, points: Array) -> Array:
    """The rows times their labels, from 0. Since 0 is in their hull, no hyperplane through 0 has them all on one side."""
    z = points[list(view.cert.rows)] * view.side[list(view.cert.rows)][:, None]
    _polygon(ax, hull_of(z), ink(), "hull of the rows times ±1")
    for (across, up), row in zip(z, view.cert.rows, strict=True):
        how = {"arrowstyle": "-|>", "color": colour(int(view.code[row])), "linewidth": 1.6}
        ax.annotate("", xy=(across, up), xytext=(0, 0), arrowprops=how, zorder=4)
    ax.plot(0, 0, linestyle="", marker="X", markersize=11, color=MARKS, label="0, where they cancel out", zorder=5)
    return z


def meeting_point(points: Array, rows: Sequence[int], multipliers: Sequence[Fraction], positive: Array) -> Array:
    """Σ λx / Σ λ over the positive class, computed exactly and rounded once."""
    chosen = [(points[row], Fraction(value)) for row, value in zip(rows, multipliers, strict=True) if positive[row]]
    total = sum(value for _, value in chosen)
    return np.array([float(sum(Fraction(float(x[d])) * value for x, value in chosen) / total) for d in (0, 1)])


def hull_of(points: Array) -> Array:
    """The corners of the convex hull, in order (Andrew's monotone chain). Points on a line have two corners, their ends."""
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) <= 2:
        return np.array(ordered)

    def chain(some: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        corners: list[tuple[float, ...]] = []
        for p in some:
            while len(corners) > 1 and _turn(corners[-2], corners[-1], p) <= 0:
                corners.pop()
            corners.append(p)
        return corners[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _polygon(ax: "Axes", corners: Array, shade: str, label: str) -> None:
    if len(corners):
        how: dict[str, Any] = {"facecolor": (shade, 0.2), "edgecolor": (shade, 0.8), "linewidth": 2}
        ax.fill(corners[:, 0], corners[:, 1], label=label, zorder=1, **how)


def _written(ax: "Axes", points: Array, rows: Sequence[int], multipliers: Sequence[Fraction], away: Array) -> None:
    """The multipliers beside their rows, on the side away from this point."""
    largest = sorted(zip(rows, multipliers, strict=True), key=lambda one: -one[1])[:FEW]
    for row, value in largest:
        direction = points[row] - away
        right, above = direction[0] >= 0, direction[1] >= 0
        ax.annotate(
            f"λ = {short_number(value, longest=7, digits=3)}",
            xy=points[row],
            xytext=(9 if right else -9, 9 if above else -9),
            textcoords="offset points",
            ha="left" if right else "right",
            va="bottom" if above else "top",
            fontsize="small",
            zorder=6,
        )


def scaled(view: _View, rows: Sequence[int], multipliers: Sequence[Number]) -> list[Fraction]:
    """Multipliers as shares, since they are known only up to a factor. With an intercept, those of each class sum to 1."""
    each = [Fraction(value) for value in multipliers]
    if isinstance(view.cert, Inseparable) and view.cert.data.fit_intercept:
        total = sum(value for row, value in zip(rows, each, strict=True) if view.code[row] == 1)
    else:
        total = sum(each)
    return [value / total for value in each]


def _bars(view: _View, rows: Sequence[int], multipliers: Sequence[Number], ax: "Axes | None") -> "Axes":
    """Multipliers by row; of many, the largest."""
    heights = floats(scaled(view, rows, multipliers))
    chosen = np.sort(np.argsort(-heights, kind="stable")[:BARS])
    ax = axes(ax, (6.4, 1.4 + 0.26 * max(3, len(chosen))))
    rivals = getattr(view.cert, "rivals", None) or getattr(getattr(view.cert, "hull", None), "rivals", None)
    against = "" if rivals is None else ", not {}"
    for number, label in enumerate(view.labels):
        own = [place for place, k in enumerate(chosen) if view.code[rows[k]] == number]
        if own:
            ax.barh(own, heights[chosen[own]], color=colour(number), label=name(label))
    labels = [f"row {rows[k]}" + (against.format(name(view.labels[rivals[k]], 12)) if rivals else "") for k in chosen.tolist()]
    ax.set_yticks(np.arange(len(chosen)), labels=labels)
    ax.invert_yaxis()
    some = "" if len(chosen) == len(rows) else f", the largest {len(chosen)} of {len(rows):,}"
    undecided = isinstance(view.cert, Undecided)
    title = "Undecided" if undecided else f"Not separable: {len(set(rows)):,} rows contradict each other"
    ax.set(xlabel=f"multiplier λ{some}", title=title)
    legend(ax)
    return ax


def _undecided(view: _View, ax: "Axes | None") -> "Axes":
    rows = list(rows_of(view.cert))
    if view.plane:
        points = two_columns(view.X)
        across, up, _ = grid_around(points)
        ax = plane_axes(ax, view.frame, "Undecided")
        scatter(ax, points, view.code, view.labels)
        ring(ax, points[rows], f"rows known to bound the margin: {len(rows)}")
        ax = _finished(ax, across, up, len(points))
    elif rows:
        hull = view.cert.hull.as_one() if isinstance(view.cert.hull, Hulls) else view.cert.hull
        ax = _bars(view, hull.rows, hull.multipliers, ax)
    else:
        ax = axes(ax)
        ax.set_title("Undecided")
        ax.set_axis_off()
    note(ax, str(view.cert).replace("`", ""))
    return ax


def _interval(low: float, high: float) -> str:
    return f"margin ≥ {low:.4g}" + (f", at most {high:.4g}" if np.isfinite(high) else "")


def _finished(ax: "Axes", across: Array, up: Array, size: int) -> "Axes":
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
    legend(ax, size)
    return ax
