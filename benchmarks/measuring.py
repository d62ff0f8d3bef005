"""How the benchmarks measure, and what they print."""

import argparse
import json
import math
import platform
import time
import warnings
from pathlib import Path

import sklearn
from pictures import draw

import novikoff
from novikoff.foundation.parallel import cores

ROUNDS = 5
rows = []


def best(*tasks, rounds=ROUNDS, warm=True):
    """The least time of each task, in seconds; the tasks take turns, so that a noisy moment hits them alike."""
    for task in tasks if warm else ():
        task()
    times = [[] for _ in tasks]
    for _ in range(rounds):
        for task, mine in zip(tasks, times, strict=True):
            began = time.perf_counter()
            task()
            mine.append(time.perf_counter() - began)
    return [min(mine) for mine in times]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def markdown_table(head, lines):
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(line)} |" for line in lines), ""]


def report(what, value, bar, unit="×", at_least=True, note=""):
    good = value >= bar if at_least else value <= bar
    rows.append(
        {
            "what": what,
            "value": round(value, 3),
            "unit": unit,
            "bar": bar,
            "at least": at_least,
            "reached": bool(good),
            "note": note,
        }
    )
    sign = "≥" if at_least else "≤"
    print(f"{what:<66} {value:8.3g} {unit:<3} {sign} {bar:<5g} {'ok' if good else 'SHORT':<6} {note}", flush=True)


def page():
    lines = [
        "# How fast, measured",
        "",
        f"Written by `make bench`: novikoff {novikoff.__version__} and scikit-learn {sklearn.__version__}, in the same process",
        f"on the same arrays, best of {ROUNDS} (ten classes 3, bandwidth 15) after a warm-up, on a shared machine",
        f"with {cores()} cores.",
        "Ratios are their time ÷ ours unless said otherwise. The table below has the same numbers.",
        "",
        "![Figures that were to be at least so much, and their bars](benchmarks-at-least.svg)",
        "",
        "![Figures that were to be at most so much, and their bars](benchmarks-at-most.svg)",
        "",
        "| | measured | bar | |",
        "|---|---|---|---|",
    ]
    for row in rows:
        sign = "at least" if row["at least"] else "at most"
        lines.append(f"| {row['what']} | {row['value']:.3g} {row['unit']} | {sign} {row['bar']:g} | {row['note']} |")
    return "\n".join(lines) + "\n"


def main(benches, about, other_pages=()):
    """Run the benchmarks. `other_pages` are files to write beside the Markdown: the name of each, and a function for its text."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"novikoff {novikoff.__version__}, scikit-learn {sklearn.__version__}, {platform.processor() or platform.machine()}")
    for bench in benches:
        if chosen.only in bench.__name__:
            bench()
    if chosen.markdown:
        with open(chosen.markdown, "w") as file:
            file.write(page())
        draw(rows, Path(chosen.markdown).parent)
        for name, written in other_pages:
            if text := written():
                Path(chosen.markdown).with_name(name).write_text(text)
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump({"novikoff": novikoff.__version__, "scikit-learn": sklearn.__version__, "rows": rows}, file, indent=1)
