"""The plots of a report, as drawings that stand inside the page: text stays text, and ink is the page's ink."""

import io
import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from novikoff.bounds import Facts
from novikoff.models import Model
from novikoff.reporting.survey import Histogram, Survey
from novikoff.rule import Bound

INK = "#010203"  # becomes the colour of the page's text
RIGHT, WRONG = "#2f6fb2", "#c8641f"  # readable on white and on black
MOST_POINTS = 400  # of a curve
FAR = 20  # times what was made: a bound that is further away is not drawn
LOOK: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.facecolor": "none",
}


class Picture(NamedTuple):
    svg: Any  # markup that stands for itself
    caption: str


def pictures(model: Model, rows: Survey | None, facts: list[Facts]) -> dict[str, Picture]:
    """Those that can be drawn, by what they show."""
    drawn = {"mistakes": _mistakes(model, facts)}
    if rows is not None:
        drawn["margins"] = _margins(rows)
    return {what: one for what, one in drawn.items() if one is not None}


def _mistakes(model: Model, facts: list[Facts]) -> Picture | None:
    """Mistakes after each pass, summed up, against what they cannot exceed."""
    passes = model.run.get("each_pass") or []
    if len(passes) < 2:
        return None
    numbers, made = np.array([one[0] for one in passes]), np.cumsum([one[3] for one in passes])
    some = np.unique(np.linspace(0, len(numbers) - 1, MOST_POINTS).astype(int))
    # A bound on updates is one on mistakes, which are some of them; one on losses is not.
    known = [
        b for one in facts[:1] for b in (one.by_margin, one.by_losses) if isinstance(b, Bound) and b.of in ("mistakes", "updates")
    ]
    bound = min(known, key=lambda b: b.value) if known and len(facts) == 1 else None
    if bound is not None and bound.value > FAR * made[-1]:
        bound = None  # nothing else would be seen

    def draw(ax: Any) -> None:
        ax.plot(numbers[some], made[some], color=WRONG, marker="o" if len(some) <= 40 else None, markersize=4, label="mistakes")
        if bound is not None:
            ax.axhline(bound.value, color=INK, linestyle="--", linewidth=1, label=f"{bound.of}: at most {bound.value:,.1f}")
        ax.set(xlabel="pass", ylabel="mistakes so far", ylim=(0, None))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend()

    told = f"Mistakes so far after each of {len(passes):,} passes: {made[0]:,} after the first, {made[-1]:,} in the end."
    limit = "" if bound is None else f" By theorem there can be at most {bound.value:,.1f} {bound.of} ({bound.theorem})."
    return picture("mistakes", told + limit, draw)


def _margins(rows: Survey) -> Picture | None:
    """How the margins are spread, right and wrong apart."""
    spread: Histogram = rows.margins
    right, wrong = (int(counts.sum()) for counts in spread.counts)
    if not right + wrong:
        return None

    def draw(ax: Any) -> None:
        for counts, colour, label, hatch in ((spread.counts[0], RIGHT, "right", None), (spread.counts[1], WRONG, "wrong", "//")):
            below = 0 if label == "right" else spread.counts[0]
            ax.bar(
                spread.edges[:-1],
                counts,
                spread.width,
                below,
                align="edge",
                color=colour,
                label=label,
                hatch=hatch,
                edgecolor=INK,
                linewidth=0.3,
            )
        ax.axvline(0, color=INK, linewidth=1)
        ax.set(xlabel="margin", ylabel="rows")
        ax.legend()

    told = (
        f"Margins of {right + wrong:,} rows, all of them counted, in bins of {spread.width:g}: {right:,} right, {wrong:,} wrong; "
        f"from {spread.edges[0]:g} to {spread.edges[-1]:g}."
    )
    return picture("margins", told, draw)


def picture(what: str, told: str, draw: Callable[[Any], None], height: float = 2.6) -> Picture:
    """What `draw` puts on the axes it is given, as markup; `told` says in words what it shows."""
    from markupsafe import Markup
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    look: Any = LOOK | {"svg.hashsalt": what}
    with rc_context(look), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # of glyphs that a font lacks: text stays text, and the reader's fonts may have them
        figure = Figure(figsize=(5.8, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None}, transparent=True)
    return Picture(Markup(_inside(written.getvalue(), what, told)), told)


def _inside(svg: str, what: str, told: str) -> str:
    """The drawing as part of a page: no prolog, ids of its own, a name for those who do not see it."""
    body = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    body = re.sub(r'\bid="([^"]*)"', rf'id="{what}-\1"', body)
    body = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{what}-", body)
    body = body.replace(INK, "currentColor")
    view = re.search(r'viewBox="[^"]*"', body)
    assert view is not None, "matplotlib writes what is seen of the drawing"
    inner = body[body.index(">") + 1 :]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view[0]} role="img" '
        f'aria-labelledby="{what}-told"><title id="{what}-told">{escape(told)}</title>'
    )
    return head + inner
