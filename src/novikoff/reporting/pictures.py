"""The plots of a report, as SVG inside the page: text stays text, and lines have the colour of the page's text."""

import io
import re
import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
import scipy.sparse as sp

from novikoff import plot
from novikoff.foundation.array_types import Array
from novikoff.learning.bounds import Facts
from novikoff.models.model import Model
from novikoff.plot.canvas import COLOURS, name
from novikoff.proof.certificate import Undecided
from novikoff.reporting.survey import Histogram, Survey

if TYPE_CHECKING:
    from markupsafe import Markup

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
    svg: "Markup"
    caption: str


def pictures(model: Model, rows: Survey | None, facts: list[Facts]) -> dict[str, Picture]:
    """The plots that can be drawn, by name."""
    drawn = {"mistakes": _mistakes(model, facts), "proof": _proof(model, facts)}
    if rows is not None:
        drawn |= {"margins": _margins(rows), "boundary": _boundary(model, rows), "certificate": _certificate(model, rows)}
    return {what: one for what, one in drawn.items() if one is not None}


def _mistakes(model: Model, facts: list[Facts]) -> Picture | None:
    passes = model.run.each_pass or ()
    if len(passes) < 2:
        return None
    known = len(facts) == 1 and facts[0].per_pass is not None  # with one fact for each class, draw those of all classes together
    run: Any = facts[0] if known else SimpleNamespace(passes_=passes)
    made = sum(one.mistakes for one in passes)
    caption = (
        f"Mistakes in each of {len(passes):,} passes: {passes[0].mistakes:,} in the first, {passes[-1].mistakes:,} in the last, "
        f"{made:,} in all."
    )
    return picture("mistakes", caption, partial(plot.mistakes, run), 3.2)


def _proof(model: Model, facts: list[Facts]) -> Picture | None:
    """For two classes, or for all at once. For each class against the rest there would be too many."""
    if len(facts) != 1 or facts[0].course is None or not len(facts[0].course.updates):
        return None
    u = "the last weights" if model.learner.readout == "voted" else "the weights that answer"
    caption = (
        f"The course of w over {facts[0].updates:,} updates: along u, {u}; its length; both together; and the "
        "cosine between them. Dashed lines are the bounds of the theorem."
    )
    return picture("proof", caption, partial(plot.proof, facts[0]), 6.2)


def _boundary(model: Model, rows: Survey) -> Picture | None:
    if model.learner.width != 2:
        return None
    X, y = rows.sample.X, rows.sample.y
    X = X.toarray() if sp.issparse(X) else X
    drawn = np.isin(y, model.learner.classes) & ~np.isnan(X).any(axis=1)  # a gap has no place
    if not drawn.any():
        return None
    X, y = X[drawn], y[drawn]
    chosen = ", chosen at random," if len(drawn) < rows.scores.rows else ""
    some = "all" if len(y) == rows.scores.rows else f"{len(y):,}{chosen}"
    caption = f"The answers of the model, with {some} of {rows.scores.rows:,} rows. Rings mark the rows that it gets wrong."
    names = [model.features.name(column) for column in (0, 1)]

    def draw(ax: Any) -> None:
        plot.boundary(_Answers(model), X, y, ax=ax)
        ax.set(xlabel=name(names[0]), ylabel=name(names[1]))

    return picture("boundary", caption, draw, 4.4)


def _certificate(model: Model, rows: Survey) -> Picture | None:
    """Where the certificate is about these rows, and all of them can be drawn."""
    if len(model.certificates) != 1 or isinstance(model.certificates[0], Undecided) or len(rows.sample.y) != rows.scores.rows:
        return None
    caption = "What the certificate proves about these rows. " + " ".join(str(model.certificates[0]).split())
    try:
        return picture(
            "certificate", caption, partial(plot.certificate, model.certificates[0], rows.sample.X, rows.sample.y), 4.0
        )
    except ValueError:  # these are other rows, or the kernel is a function that the model does not have
        return None


class _Answers:
    """A model with the methods of a classifier, which plots need."""

    def __init__(self, model: Model) -> None:
        self._model, self.classes_ = model, model.learner.classes

    def predict(self, X: Any) -> Array:
        return self._model.labels(X)

    def decision_function(self, X: Any) -> Array:
        decisions = self._model.decisions(X)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions


def _margins(rows: Survey) -> Picture | None:
    """The histogram of the margins, right and wrong rows apart. It counts all rows, which `novikoff.plot` would have to hold."""
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

    caption = (
        f"Margins of all {right + wrong:,} rows, in bins of {spread.width:g}, from {spread.edges[0]:g} to {spread.edges[-1]:g}: "
        f"{right:,} right, {wrong:,} wrong."
    )
    return picture("margins", caption, draw)


def picture(what: str, caption: str, draw: Callable[..., object], height: float = 2.6) -> Picture:
    """What `draw` draws on its `ax`, as SVG. The caption describes it in words."""
    from markupsafe import Markup
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: Any = LOOK | {"svg.hashsalt": what}
    with rc_context(style), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about glyphs that a font lacks: the reader's may have them
        figure = Figure(figsize=(5.8, height), layout="constrained")
        FigureCanvasSVG(figure)
        ax = figure.add_subplot()
        draw(ax=ax)
        if (legend := ax.get_legend()) is not None:  # below the plot, where it hides nothing
            legend.remove()
            figure.legend(loc="outside lower left", ncols=2, fontsize="small")
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None}, transparent=True)
    return Picture(Markup(_inside(written.getvalue(), what, caption)), caption)


def _inside(svg: str, what: str, caption: str) -> str:
    """The drawing as part of a page: no prolog, ids of its own, a title for screen readers."""
    body = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    body = re.sub(r"<[^>]*>", partial(_tag_inside, what), body)  # text between tags may come from data, and stays as it is
    view = re.search(r'viewBox="[^"]*"', body)
    assert view is not None, "matplotlib writes a viewBox"
    inner = body[body.index(">") + 1 :]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view[0]} role="img" '
        f'aria-labelledby="{what}-title"><title id="{what}-title">{escape(caption.replace("`", ""))}</title>'
    )
    return head + inner


def _tag_inside(what: str, tag: re.Match[str]) -> str:
    own = re.sub(r'\bid="([^"]*)"', rf'id="{what}-\1"', tag[0])
    own = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{what}-", own)
    return own.replace(INK, "currentColor")
