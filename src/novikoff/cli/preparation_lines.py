"""Lines of a summary that say what a table was understood to hold, and how rows were prepared."""

from typing import TYPE_CHECKING

from novikoff.cli.summary import Summary, count, listed
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.features import Features
    from novikoff.models.model import Model

NAMED = 5  # columns with gaps that are named
GAP = " is missing"  # ends the name of an indicator of gaps
NUMBERS = {
    "variance": "numbers scaled to unit variance",
    "largest": "numbers scaled by their largest value",
    "centre": "numbers centred",
}


def columns_of(features: "Features") -> str:
    """How many columns there are: "10 columns (6 numbers, 4 categories)" for a table, otherwise "123 features"."""
    from novikoff.data.features import Named

    if not isinstance(features, Named):
        return count(features.width, "feature")
    kinds = features.numbers
    numbers = [name for name, number in zip(features.names, kinds, strict=True) if number]
    indicators = [name for name, number in zip(features.names, kinds, strict=True) if not number]
    held = {name.removesuffix(GAP) if name.endswith(GAP) else name.partition("=")[0] for name in indicators} - set(numbers)
    if not held:
        return count(len(numbers), "feature")
    of = f"{count(len(numbers), 'number')}, {len(held):,} {'category' if len(held) == 1 else 'categories'}"
    return f"{count(len(numbers) + len(held), 'column')} ({of})"


def missing(model: "Model") -> str:
    """How many values of which columns are missing: "; missing: workclass 1,836, age 12". Empty if none is."""
    gaps = {} if model.preparer is None else model.preparer.gaps(model.features)
    named = [f"{printable(name)} {rows:,}" for name, rows in sorted(gaps.items(), key=lambda one: -one[1])]
    return f"; missing: {', '.join(named[:NAMED])}{', …' if len(named) > NAMED else ''}" if named else ""


def add_preparation(summary: Summary, model: "Model") -> None:
    """Say how rows were prepared, and which columns tell nothing."""
    from novikoff.data.features import Named

    preparer, features = model.preparer, model.features
    if preparer is None:
        return
    if preparer.of_words:
        how = {"tfidf": "words weighted by tf-idf", "binary": "words counted once", "counts": "words counted"}[preparer.method]
        summary.add("Prepared", how + (", rows of length 1" if preparer.unit else ""))
        return
    said = [NUMBERS[preparer.method]]
    if isinstance(features, Named):
        said = said if features.numbers.any() else []
        indicators = [name for name, number in zip(features.names, features.numbers, strict=True) if not number]
        said += ["gaps filled with the mean and marked"] * any(name.endswith(GAP) for name in indicators)
        said += ["categories as indicators"] * any(not name.endswith(GAP) for name in indicators)
    summary.add("Prepared", f"{', '.join(said)}: {count(features.width, 'feature')}")
    constant = [features.name(j) for j in preparer.constant()]
    if constant:
        summary.add(
            "Constant",
            f"{listed(constant)}: the same in all rows, so nothing is learned from {'it' if len(constant) == 1 else 'them'}",
        )


def statistics(model: "Model", top: int) -> list[str]:
    """Mean, standard deviation and gaps of the first columns of numbers, as the training rows had them."""
    from novikoff.data.features import Named

    preparer, features = model.preparer, model.features
    if preparer is None or preparer.of_words or not isinstance(features, Named):
        return []
    found, numbers = preparer.found, [j for j, number in enumerate(features.numbers.tolist()) if number]
    rows = [["column", "mean", "deviation", "missing"]]
    for j in numbers[:top]:
        deviation = float(found.variance[j]) ** 0.5
        rows.append([printable(features.name(j)), f"{found.mean[j]:.6g}", f"{deviation:.6g}", f"{found.gaps[j]:,}"])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [f"  {name.ljust(widths[0])}  " + "  ".join(map(str.rjust, cells, widths[1:])) for name, *cells in rows]
    more = len(numbers) - top
    return (
        ["Numbers before they are prepared:", *lines, *([f"  … and {more:,} more"] if more > 0 else [])] if len(rows) > 1 else []
    )
