"""Mistakes against their bound (F5, F6, F23, F24, F25)."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from novikoff.engine.rule import Bound, NoBound
from novikoff.learning.bounds import Facts
from novikoff.learning.learner import Pass
from novikoff.plot.canvas import axes, colour, count, ink, legend, note

FEW = 200  # passes up to which each has a bar of its own
FLAT = 20  # where the highest bar is so small a part of the whole, the axis is logarithmic, or there were no bars to be seen


def mistakes(run: Any, ax: Any = None) -> Any:
    """Mistakes in each pass (bars) and in all (line) against the bound that the theorem gives, or why there is none.

    `run` is what `clf.facts(X, y)` gives. A bound of updates stands against updates, of which mistakes are a part. A fitted
    classifier will do for the bars alone.
    """
    facts = run if isinstance(run, Facts) else None
    passes = _passes(run)
    ax = axes(ax)
    bound = None if facts is None else _bound(facts)
    numbers, made = [one.number for one in passes], [one.mistakes for one in passes]
    updates = [one.updates for one in passes]
    more = updates != made
    if more:
        _bars(ax, numbers, updates, colour=colour(5), label="updates that were right, but not by enough")
    _bars(ax, numbers, made, colour=colour(0), label="mistakes")
    ax.set(xlabel="pass", ylabel="mistakes and other updates" if more else "mistakes", title="Mistakes in each pass")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlim(0.4, max(4, numbers[-1]) + 0.6)
    if facts is not None:
        of = bound.of if isinstance(bound, Bound) else "mistakes"
        total = list(accumulate(updates if of == "updates" else made))
        ax.plot(numbers, total, color=ink(), marker="." if len(numbers) <= FEW else "", label=f"{of} in all: {total[-1]:,}")
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
        raise ValueError("this model has learned from a stream, which has no passes: plot a fit")
    return tuple(passes)


def _bound(facts: Facts) -> Bound | NoBound:
    """The bound by the margin or, where there is none, by the losses; only of what is counted here."""
    for bound in (facts.by_margin, facts.by_losses):
        if isinstance(bound, Bound) and bound.of in ("mistakes", "updates"):
            return bound
    if isinstance(facts.by_losses, Bound):
        return NoBound(f"{facts.by_losses.theorem} bounds the {facts.by_losses.of}, which are not counted here")
    return facts.by_losses


def _bars(ax: Any, numbers: list[int], heights: list[int], colour: str, label: str) -> None:
    if len(numbers) <= FEW:
        ax.bar(numbers, heights, color=colour, label=label)
    else:
        edges = [numbers[0] - 0.5, *(number + 0.5 for number in numbers)]
        ax.stairs(heights, edges, fill=True, color=colour, label=label)


def one_of(many: dict[Any, Any]) -> str:
    """What to say to somebody who has one for each class, and gives all of them."""
    first = next(iter(many), None)
    return f"there is one for each of {len(many)} classes, against the rest: choose, as in …[{first!r}]"
