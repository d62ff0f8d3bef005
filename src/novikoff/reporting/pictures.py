"""The plots of a report, as drawings that stand inside the page: text stays text, and ink is the page's ink."""

import io
import re
import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from novikoff import plot
from novikoff.engine.storages import Array
from novikoff.learning.bounds import Facts
from novikoff.learning.learner import Pass
from novikoff.models.model import Model
from novikoff.plot.canvas import COLOURS, name
from novikoff.proof.certificate import Undecided
from novikoff.reporting.survey import Histogram, Survey

INK = "#010203"  # becomes the colour of the page's text
RIGHT, WRONG = COLOURS[0], COLOURS[1]
LOOK: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.titlesize": "small",
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
    drawn = {"mistakes": _mistakes(model, facts), "proof": _proof(model, facts)}
    if rows is not None:
        drawn |= {"margins": _margins(rows), "boundary": _boundary(model, rows), "certificate": _certificate(model, rows)}
    return {what: one for what, one in drawn.items() if one is not None}


def _mistakes(model: Model, facts: list[Facts]) -> Picture | None:
    passes = [Pass(*one) for one in model.run.get("each_pass") or []]
    if len(passes) < 2:
        return None
    known = len(facts) == 1 and facts[0].per_pass is not None  # of many classes, those of all together
    run: Any = facts[0] if known else SimpleNamespace(passes_=passes)
    made = sum(one.mistakes for one in passes)
    told = (
        f"Mistakes in each of {len(passes):,} passes: {passes[0].mistakes:,} in the first, {passes[-1].mistakes:,} in the last, "
    )
    return picture("mistakes", f"{told}{made:,} in all.", partial(plot.mistakes, run), 3.2)


def _proof(model: Model, facts: list[Facts]) -> Picture | None:
    """Of two classes, or of all at once; of each against the rest there would be too many."""
    if len(facts) != 1 or facts[0].course is None or not len(facts[0].course.updates):
        return None
    u = "the last weights" if model.learner.readout == "voted" else "the weights that answer"
    told = (
        f"How w went over {facts[0].updates:,} updates: along u, {u}; its length; both together; and the "
        "cosine between them. Broken lines are what the theorem allows."
    )
    return picture("proof", told, partial(plot.proof, facts[0]), 6.2)


def _boundary(model: Model, rows: Survey) -> Picture | None:
    known = np.isin(rows.sample.y, model.learner.classes)
    if model.learner.width != 2 or not known.any():
        return None
    X, y = rows.sample.X[known], rows.sample.y[known]
    some = "all" if len(y) == rows.scores.rows else f"{len(y):,}, chosen at random,"
    told = f"Where the model says what, with {some} of {rows.scores.rows:,} rows; rings are around those it gets wrong."
    names = [model.features.name(column) for column in (0, 1)]

    def draw(ax: Any) -> None:
        plot.boundary(_Answers(model), X, y, ax=ax)
        ax.set(xlabel=name(names[0]), ylabel=name(names[1]))

    return picture("boundary", told, draw, 4.4)


def _certificate(model: Model, rows: Survey) -> Picture | None:
    """Where the rows are those that something was proved of, and few enough to be drawn."""
    if len(model.certificates) != 1 or isinstance(model.certificates[0], Undecided) or len(rows.sample.y) != rows.scores.rows:
        return None
    told = "What the certificate proves of these rows, drawn: " + " ".join(str(model.certificates[0]).split())
    try:
        return picture("certificate", told, partial(plot.certificate, model.certificates[0], rows.sample.X, rows.sample.y), 4.0)
    except ValueError:  # these are other rows, or the proof is through a function that the model does not have
        return None


class _Answers:
    """A model as plots ask classifiers."""

    def __init__(self, model: Model) -> None:
        self._model, self.classes_ = model, model.learner.classes

    def predict(self, X: Any) -> Array:
        return self._model.labels(X)

    def decision_function(self, X: Any) -> Array:
        decisions = self._model.decisions(X)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions


def _margins(rows: Survey) -> Picture | None:
    """How the margins are spread, right and wrong apart: of all rows, which no plot of `novikoff.plot` would have at once."""
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


def picture(what: str, told: str, draw: Callable[..., Any], height: float = 2.6) -> Picture:
    """What `draw` puts on the axes it is given, as markup; `told` says in words what it shows."""
    from markupsafe import Markup
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    look: Any = LOOK | {"svg.hashsalt": what}
    with rc_context(look), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # of glyphs that a font lacks: text stays text, and the reader's may have them
        figure = Figure(figsize=(5.8, height), layout="constrained")
        FigureCanvasSVG(figure)
        ax = figure.add_subplot()
        draw(ax=ax)
        if (legend := ax.get_legend()) is not None:  # below, where it hides nothing
            legend.remove()
            figure.legend(loc="outside lower left", ncols=2, fontsize="small")
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None}, transparent=True)
    return Picture(Markup(_inside(written.getvalue(), what, told)), told)


def _inside(svg: str, what: str, told: str) -> str:
    """The drawing as part of a page: no prolog, ids of its own, a name for those who do not see it."""
    body = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    body = re.sub(r"<[^>]*>", partial(_tag_inside, what), body)  # text between tags came from data, and stays as it is
    view = re.search(r'viewBox="[^"]*"', body)
    assert view is not None, "matplotlib writes what is seen of the drawing"
    inner = body[body.index(">") + 1 :]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view[0]} role="img" '
        f'aria-labelledby="{what}-told"><title id="{what}-told">{escape(told)}</title>'
    )
    return head + inner


def _tag_inside(what: str, tag: re.Match[str]) -> str:
    own = re.sub(r'\bid="([^"]*)"', rf'id="{what}-\1"', tag[0])
    own = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{what}-", own)
    return own.replace(INK, "currentColor")
