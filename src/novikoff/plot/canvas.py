"""What all plots share: where they draw, their colours and markers, and text that comes from data."""

import textwrap
import unicodedata
from importlib import import_module
from typing import Any

# Of Okabe and Ito: told apart whatever kind of colour-blindness, on white and on black. Classes also differ by their markers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "^", "s", "D", "v", "P", "<")  # one more than colours, so that seven classes and more still differ
MARKS = COLOURS[3]  # of what is pointed out: support rows, the best of a curve, the place where lines meet
LONGEST = 28  # characters of a name
MANY = 2000  # points


def pyplot() -> Any:
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'novikoff[plot]'") from None


def axes(ax: Any, size: tuple[float, float] = (6.4, 4.4)) -> Any:
    """The axes to draw into: those given, or those of a new figure."""
    plt = pyplot()
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def ink() -> Any:
    """The colour of text, as the style has it."""
    return pyplot().rcParams["text.color"]


def paper(ax: Any) -> Any:
    """The colour that is drawn on."""
    return ax.get_facecolor()


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def name(text: Any, longest: int = LONGEST) -> str:
    """A label or a name as it stands in the data: on one line, not too long, and no formula though there are dollars in it."""
    plain = "".join(
        " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cs", "Cn", "Co") else c
        for c in str(text)
    )
    short = plain if len(plain) <= longest else plain[: longest - 1] + "…"
    return (" " if short.startswith("_") else "") + short.replace("$", r"\$")  # what begins with _ has no place in a legend


def note(ax: Any, text: str, width: int = 60) -> None:
    """A sentence in the picture, where something is not drawn, or to say what is known; its names are not formulas."""
    lines = "\n".join(line for part in text.splitlines() for line in textwrap.wrap(part, width))
    red, green, blue, there = paper(ax)  # where the paper is transparent, so is what is put behind the sentence
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


def legend(ax: Any, size: int = 0, **how: Any) -> None:
    """A legend where there is room for it; among many points nobody looks for that, since it takes long."""
    ax.legend(fontsize="small", **({"loc": "best" if size <= MANY else "upper right"} | how))


def count(number: float) -> str:
    """A number as a legend has it: whole where it is, else with four digits at least."""
    return f"{number:,.0f}" if number >= 10_000 or number == int(number) else f"{number:.4g}"
