"""The figures as pictures for docs/benchmarks.md; `make bench` draws them, too.

python benchmarks/pictures.py

A picture brings its own background for light and for dark screens: inside a page it cannot ask which of them the page has.
"""

import json
from html import escape
from math import log2
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 480, 12, 76, 40, 52, 10
LENGTH = WIDTH - LEFT - RIGHT
MOST = 64  # the longest bar of ratios, which are drawn on a logarithmic scale
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2430 }
.title { font-weight: 600; font-size: 13px }
.bar { stroke: #1f2430; stroke-width: 2 }
.paper { fill: #ffffff } .rail { fill: #eceef3 } .reached { fill: #2f6fb3 } .short { fill: #c2571a }
@media (prefers-color-scheme: dark) {
text { fill: #e4e6ec }
.bar { stroke: #e4e6ec }
.paper { fill: #1e2129 } .rail { fill: #2c303c } .reached { fill: #5b9bdc } .short { fill: #e8824a }
}"""


def drawn(rows):
    """Each picture by the name of its file: what was to be at least so much, and what was to be at most so much."""
    return {
        "benchmarks-at-least.svg": picture(
            "To be at least the mark; logarithmic scale",
            [row for row in rows if row["at least"]],
            lambda number, row: log2(min(max(number, 1), MOST)) / log2(MOST),
        ),
        "benchmarks-at-most.svg": picture(
            "To be at most the mark, which is in the middle",
            [row for row in rows if not row["at least"]],
            lambda number, row: min(max(number / row["bar"], 0), 2) / 2,
        ),
    }


def picture(title, rows, place):
    """A bar for each figure, and a mark for what it was to reach."""
    height = TOP + ROW * len(rows) + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        f"<title>{title}</title><style>{STYLE}</style>",
        f'<path class="paper" d="M0 0h{WIDTH}v{height}h-{WIDTH}z"/><text class="title" x="{LEFT}" y="22">{title}</text>',
        f'<text x="{LEFT}" y="40">blue: reached · orange: short of it</text>',
    ]
    for i, row in enumerate(rows):
        top = TOP + ROW * i
        kind = "reached" if row["reached"] else "short"
        mark = LEFT + LENGTH * place(row["bar"], row)
        width = max(LENGTH * place(row["value"], row), 1)
        lines += [
            f'<text x="{LEFT}" y="{top + 13}">{escape(row["what"])}</text>',
            f'<path class="rail" d="M{LEFT} {top + 19}h{LENGTH}v12h-{LENGTH}z"/>',
            f'<rect class="{kind}" x="{LEFT}" y="{top + 19}" width="{width:.1f}" height="12"/>',
            f'<path class="bar" d="M{mark:.1f} {top + 16}v18"/>',
            f'<text x="{LEFT + LENGTH + 8}" y="{top + 29}">{row["value"]:.3g} {row["unit"]}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def draw(rows, folder):
    for name, drawing in drawn(rows).items():
        (folder / name).write_text(drawing)


if __name__ == "__main__":
    draw(json.loads((ROOT / "benchmarks" / "figures.json").read_text())["rows"], ROOT / "docs")
