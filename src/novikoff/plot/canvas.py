"""What all plots share: where they draw, their colours and markers, and text that comes from data."""

import textwrap
import unicodedata
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# The colours of Okabe and Ito, which differ for every kind of colour vision, on white and on black. Markers differ, too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "^", "s", "D", "v", "P", "<")  # one more than colours, so that seven classes and more still differ
MARKS = COLOURS[3]  # of what a plot points out: support rows, the best of a curve, the point where lines meet
LONGEST = 28  # characters of a name
MANY = 2000  # points


def pyplot() -> Any:
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'novikoff[plot]'") from None


def axes(ax: "Axes | None", size: tuple[float, float] = (6.4, 4.4)) -> "Axes":
    """The axes to draw into: those given, or those of a new figure."""
    if ax is not None:
        return ax
    new: Axes = pyplot().subplots(figsize=size, layout="constrained")[1]
    return new


def ink() -> Any:
    """The style's colour of text."""
    return pyplot().rcParams["text.color"]


def paper(ax: "Axes") -> Any:
    """The background colour."""
    return ax.get_facecolor()


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def name(text: object, longest: int = LONGEST) -> str:
    """A label or a name from the data: on one line, not too long, and not read as a formula even if it has dollar signs."""
    plain = "".join(
        " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cs", "Cn", "Co") else c
        for c in str(text)
    )
    short = plain if len(plain) <= longest else plain[: longest - 1] + "…"
    return (" " if short.startswith("_") else "") + short.replace(
        "$", r"\$"
    )  # matplotlib leaves names that begin with _ out of legends


def note(ax: "Axes", text: str, width: int = 60) -> None:
    """A sentence in the plot, for instance why something is not drawn. Names in it are not read as formulas."""
    lines = "\n".join(line for part in text.splitlines() for line in textwrap.wrap(part, width))
    red, green, blue, there = paper(ax)  # the box behind the sentence is transparent where the background is
    ax.text(
        0.5,
        0.97,
        lines,
        transform=ax.transAxes,
        ha="center",
        va="top",
        fontsize="small",
        parse_math=False,
        zorder=5,
        bbox={"boxstyle": "round,pad=0.4", "facecolor": (red, green, blue, 0.8 * there), "edgecolor": "none"},
    )


def whole_ticks(axis: "Axis") -> None:
    """Ticks at whole numbers only."""
    locator: Any = axis.get_major_locator()
    locator.set_params(integer=True)


def legend(ax: "Axes", size: int = 0, **how: Any) -> None:
    """A legend where there is room for it. With many points its place is fixed, since to search for room takes long."""
    ax.legend(fontsize="small", **({"loc": "best" if size <= MANY else "upper right"} | how))


def count(number: float) -> str:
    """A number for a legend: without decimals where it is whole or large, otherwise with four digits."""
    return f"{number:,.0f}" if number >= 10_000 or number == int(number) else f"{number:.4g}"
