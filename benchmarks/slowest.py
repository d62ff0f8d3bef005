"""The data on which a perceptron is slowest (F8), and the way out of it: a table and a picture for the documents.

python benchmarks/slowest.py [--most N] [--folder docs]   (plots need the extra `plot`)
"""

import argparse
from pathlib import Path

import matplotlib as mpl

from novikoff import Learner, solve_cone, verify
from novikoff.data.datasets import lower_bound
from novikoff.engine.labelled_rows import examples

RUN_UP_TO = 7  # beyond that the perceptron's own run takes long, and is known


def perceptron_mistakes(n):
    """F1 in the given order, run where it is quick. It is exactly (4ⁿ − 1)/3."""
    if n <= RUN_UP_TO:
        learner = Learner()
        learner.fit(examples(*lower_bound(n), constant=0), 10**9)
        assert learner.ledgers[0].updates == (4**n - 1) // 3
    return (4**n - 1) // 3


def rows(most):
    for n in range(2, most + 1, 2):
        X, y = lower_bound(n)
        A = X * y[:, None]
        answer = solve_cone(A, method="rescaled")
        assert verify(answer, A)
        yield n, answer.work.steps, answer.work.stretches, perceptron_mistakes(n)


def table(found):
    lines = [
        "# The slowest data, and the way out",
        "",
        "Written by `python benchmarks/slowest.py`. The data is that of F8: n rows of n numbers each, without a bias. The table",
        "compares the mistakes of a perceptron in the given order, (4ⁿ − 1)/3, with the steps and stretches of",
        '`solve_cone(A, method="rescaled")`, seed 0. Each answer was verified exactly.',
        "",
        "![Steps against n, both on logarithmic scales](slowest.svg)",
        "",
        "| n | steps, rescaled | stretches | mistakes, plain |",
        "|---|---|---|---|",
    ]
    lines += [f"| {n} | {steps:,} | {stretches:,} | {plain:,} |" for n, steps, stretches, plain in found]
    return "\n".join(lines) + "\n"


def picture(found, path):
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    n, steps, _, plain = zip(*found, strict=True)
    axes.loglog(n, plain, "o--", color="#d55e00", label="perceptron: (4ⁿ − 1)/3 mistakes")
    axes.loglog(n, steps, "s-", color="#0072b2", label="rescaled: steps")
    later = [(a, b) for a, b in zip(n, steps, strict=True) if a >= 16]
    if later:
        power = [later[-1][1] * (a / later[-1][0]) ** 4 for a, _ in later]
        axes.loglog([a for a, _ in later], power, ":", color="#555555", label="n⁴, for comparison")
    axes.set(xlabel="n", ylabel="steps", title="The data on which a perceptron is slowest (F8)")
    axes.set_xticks([2, 4, 8, 16, 24, 32, 40], [2, 4, 8, 16, 24, 32, 40])
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=Path("docs"))
    chosen = parser.parse_args()
    found = list(rows(chosen.most))
    (chosen.folder / "slowest.md").write_text(table(found), encoding="utf-8")
    picture(found, chosen.folder / "slowest.svg")
