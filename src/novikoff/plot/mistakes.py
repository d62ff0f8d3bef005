"""Mistakes against their bound (F5, F6, F23, F24, F25)."""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from novikoff.engine.rules import Bound, NoBound
from novikoff.learning.bounds import Facts
from novikoff.learning.run import Pass
from novikoff.plot.canvas import axes, colour, count, ink, legend, note, whole_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 200  # passes; beyond that, they are drawn as one area
FLAT = 20  # times the highest bar: above that the axis is logarithmic, or the bars could not be seen


def mistakes(run: Any, ax: "Axes | None" = None) -> "Axes":
    """Mistakes in each pass (bars) and in total (line) against the bound of the theorem, or why there is no bound.

    `run` is what `clf.facts(X, y)` returns, or a fitted classifier, for the bars alone. A bound on updates is compared with the
    number of updates.
    """
    facts = run if isinstance(run, Facts) else None
    passes = _passes(run)
    ax = axes(ax)
    bound = None if facts is None else _bound(facts)
    numbers, made = [one.number for one in passes], [one.mistakes for one in passes]
    updates = [one.updates for one in passes]
    more = updates != made
    if more:
        _bars(ax, numbers, updates, colour=colour(5), label="updates on rows that were right, but not by enough")
    _bars(ax, numbers, made, colour=colour(0), label="mistakes")
    ax.set(xlabel="pass", ylabel="mistakes and other updates" if more else "mistakes", title="Mistakes in each pass")
    whole_ticks(ax.xaxis)
    ax.set_xlim(0.4, max(4, numbers[-1]) + 0.6)
    if facts is not None:
        of = bound.of if isinstance(bound, Bound) else "mistakes"
        total = list(accumulate(updates if of == "updates" else made))
        ax.plot(numbers, total, color=ink(), marker="." if len(numbers) <= FEW else "", label=f"{of} in total: {total[-1]:,}")
        if isinstance(bound, Bound):
            ax.axhline(bound.value, color=colour(1), linestyle="--", label=f"at most {count(bound.value)} {of}: {bound.theorem}")
        elif bound is not None:
            note(ax, f"no bound: {bound.why}")
        highest = max(total[-1], bound.value if isinstance(bound, Bound) else 0)
        if highest > FLAT * max(1, *updates):
            ax.set_yscale("log")
            ax.set_ylim(0.7, highest * 10)  # with room for the legend
    legend(ax, len(numbers))
    return ax


def _passes(run: Any) -> Sequence[Pass]:
    if isinstance(run, Facts):
        if run.per_pass is None:
            raise ValueError("the ledger of this class is not complete: raise ledger_cap, or plot the classifier itself")
        return run.per_pass
    if isinstance(run, dict):
        raise ValueError(one_of(run))
    passes: Any = getattr(run, "passes_", None)
    if passes is None:
        raise TypeError(f"give what clf.facts(X, y) returns, or a fitted classifier that makes passes, not {type(run).__name__}")
    if not passes:
        raise ValueError("this model has learned from a stream, which has no passes: plot a model that was fitted")
    return tuple(passes)


def _bound(facts: Facts) -> Bound | NoBound:
    """The bound by the margin or, where there is none, by the losses. Only bounds on what is counted here."""
    for bound in (facts.by_margin, facts.by_losses):
        if isinstance(bound, Bound) and bound.of in ("mistakes", "updates"):
            return bound
    if isinstance(facts.by_losses, Bound):
        return NoBound(f"{facts.by_losses.theorem} bounds the {facts.by_losses.of}, which this plot does not count")
    return facts.by_losses


def _bars(ax: "Axes", numbers: list[int], heights: list[int], colour: str, label: str) -> None:
    if len(numbers) <= FEW:
        ax.bar(numbers, heights, color=colour, label=label)
    else:
        edges = [numbers[0] - 0.5, *(number + 0.5 for number in numbers)]
        ax.stairs(heights, edges, fill=True, color=colour, label=label)


def one_of(many: dict[object, object]) -> str:
    """The error for a caller who gives the results of all classes instead of one."""
    first = next(iter(many), None)
    return f"there are results for {len(many)} classes, each against the rest: choose one, as in …[{first!r}]"
