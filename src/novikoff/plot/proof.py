"""The proof of F5, drawn over a run: every update moves w towards u, and none makes it much longer."""

from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.engine.rules import NoBound
from novikoff.foundation.array_types import Array
from novikoff.learning.bounds import Course, Facts
from novikoff.plot.canvas import MARKS, colour, count, ink, legend, note, pyplot
from novikoff.plot.mistakes import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 2000  # on a line; of a longer run some updates are drawn, the first and the last included


def proof(run: Any, ax: Any = None) -> Array:
    """Four panels over the updates k: w·u above k·γ; ‖w‖² below k·R²; both together, which bound k; and the cosine of w and u.

    `run` is what `clf.facts(X, y)` returns; `facts(X, y, u="widest")` shows the tightest proof. Only lines that hold for the rule
    are drawn, and a panel without one says why. Returns an array of the four axes. `ax` may be four axes, or one, whose place
    is divided among the four.
    """
    if isinstance(run, dict):
        raise ValueError(one_of(run))
    if not isinstance(run, Facts):
        raise TypeError(f"give what clf.facts(X, y) returns, not {type(run).__name__}")
    course = run.course
    if course is None or not len(course.updates):
        raise ValueError(f"there is nothing to draw: {_why_not(run)}")
    panels = _panels(ax)
    at = _some(len(course.updates))
    thinned: Any = {part: values[at] for part, values in course._asdict().items() if isinstance(values, np.ndarray)}
    drawn = course._replace(**thinned)
    _towards(panels[0], drawn)
    _length(panels[1], drawn, run.radius)
    _squeezed(panels[2], drawn, run.radius)
    _cosine(panels[3], drawn)
    return panels


def _why_not(run: Facts) -> str:
    if isinstance(run.margin, NoBound):
        return f"the proof does not apply to this run: {run.margin.why}"
    return "the run made no update" if run.course else "the course of w is not known: the ledger is not complete, or u is 0"


def _panels(ax: Any) -> Array:
    plt = pyplot()
    if ax is None:
        return np.asarray(plt.subplots(2, 2, figsize=(10, 7.4), layout="constrained")[1]).ravel()
    if isinstance(ax, (np.ndarray, list, tuple)):
        four = np.asarray(ax, dtype=object).ravel()
        if len(four) != 4:
            raise ValueError(f"the proof has four panels: give one ax, which is divided, or four of them, not {len(four)}")
        return four
    ax.set_axis_off()
    place = ax.get_subplotspec()
    if place is not None:
        grid = place.subgridspec(2, 2)
    else:
        box = ax.get_position()
        room = {"wspace": 0.3, "hspace": 0.4}
        grid = ax.figure.add_gridspec(2, 2, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1, **room)
    return np.array([ax.figure.add_subplot(grid[row, column]) for row in (0, 1) for column in (0, 1)])


def _some(k: int) -> Array:
    if k <= POINTS:
        return np.arange(k)
    return np.unique(np.concatenate([np.linspace(0, k - 1, POINTS // 2), np.geomspace(1, k, POINTS // 2) - 1]).astype(np.int64))


def _times(course: Course) -> str:
    """The factor of γ: k where every step is 1, otherwise Στ."""
    return "k" if np.array_equal(course.steps, course.updates) else "Στ"


def _of(growth: float, square: float, what: str) -> str:
    """A number as a multiple of a square: R², 2·R²."""
    return what if abs(growth / square - 1) < 1e-9 else f"{growth / square:.4g}·{what}"


def _towards(ax: "Axes", course: Course) -> None:
    ax.plot(course.updates, course.w_u, color=colour(0), label="w·u")
    if course.margin > 0:
        line = course.margin * course.steps
        ax.plot(course.updates, line, color=colour(1), linestyle="--", label=f"{_times(course)}·γ, γ = {course.margin:.3g}")
    else:
        note(ax, "u does not separate: there is no γ > 0 that every update adds", 32)
    _finish(ax, "w·u" if not course.margin > 0 else "w·u: every update adds at least γ", "w·u")


def _length(ax: "Axes", course: Course, radius: float) -> None:
    title = "‖w‖²"
    ax.plot(course.updates, course.w_sqnorm, color=colour(0), label=title)
    if isinstance(course.growth, NoBound):
        note(ax, f"no line: {course.growth.why}", 32)
    else:
        line, most = course.growth * course.updates, _of(course.growth, radius**2, "R²")
        title = f"‖w‖²: every update adds at most {most}"
        ax.plot(course.updates, line, color=colour(1), linestyle="--", label=f"k·{most}, R = {radius:.3g}")
    _finish(ax, title, "‖w‖²")


def _squeezed(ax: "Axes", course: Course, radius: float) -> None:
    """k·γ ≤ w·u ≤ ‖w‖ ≤ √k·R: the ends meet where k is (R/γ)², and k can be no larger (F5; F23 has √(1 + 2c)·R)."""
    k = course.updates
    ax.plot(k, np.sqrt(course.w_sqnorm), color=colour(0), label="‖w‖")
    ax.plot(k, course.w_u, color=colour(2), label="w·u")
    title = "w·u ≤ ‖w‖"
    if isinstance(course.growth, NoBound):
        note(ax, "nothing bounds ‖w‖ from above here", 32)
        return _finish(ax, title, "length")
    root = _of(np.sqrt(course.growth), radius, "R")
    if not course.margin > 0:
        ax.plot(k, np.sqrt(course.growth * k), color=colour(1), linestyle="--", label=f"√k·{root}")
        note(ax, "u does not separate: nothing bounds w·u from below", 32)
        return _finish(ax, f"{title} ≤ √k·{root}", "length")
    slope = course.margin * course.steps[-1] / k[-1]  # rules with a bound on ‖w‖² make steps of one length
    most = course.growth / slope**2
    reach = np.geomspace(1, max(2.0, most * 1.6), 50)
    ax.plot(reach, np.sqrt(course.growth * reach), color=colour(1), linestyle="--", label=f"√k·{root}")
    ax.plot(reach, slope * reach, color=colour(4), linestyle=":", label=f"{_times(course)}·γ")
    limit = _of(most, (radius / course.margin) ** 2, "(R/γ)²")
    meeting = float(np.sqrt(course.growth * most))
    ax.plot([most], [meeting], linestyle="", marker="o", color=MARKS, label=f"k ≤ {limit} = {count(most)}", zorder=4)
    ax.axvline(k[-1], color=ink(), linewidth=0.8, alpha=0.6, label=f"the run: k = {k[-1]:,}")
    if most > 10:
        ax.set(xscale="log", yscale="log")
    return _finish(ax, f"{_times(course)}·γ ≤ {title} ≤ √k·{root}", "length")


def _cosine(ax: "Axes", course: Course) -> None:
    ax.plot(course.updates, course.cosine, color=colour(0), label="cos(w, u)")
    ax.axhline(1, color=ink(), linewidth=0.8, alpha=0.6)
    if course.margin > 0 and not isinstance(course.growth, NoBound):
        floor = course.margin * course.steps / np.sqrt(course.growth * course.updates)
        ax.plot(course.updates, floor, color=colour(1), linestyle="--", label="the least that the two lines allow")
    ax.set_ylim(min(-0.02, 1.1 * float(np.nanmin(course.cosine))), 1.08)
    _finish(ax, "cos(w, u): never above 1", "cosine")


def _finish(ax: "Axes", title: str, ylabel: str) -> None:
    ax.set(title=title, xlabel="updates k", ylabel=ylabel)
    legend(ax, POINTS)
