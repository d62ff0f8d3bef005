"""`novikoff score`: how well a model predicts labelled rows."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.help_texts import option
from novikoff.cli.options import as_read, model_at, print_skipped, reading
from novikoff.cli.predict import answering
from novikoff.cli.summary import BAD, Summary, count, listed
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Options
    from novikoff.models.scoring import Baseline, Scores

MOST_IN_MATRIX = 8  # classes of a confusion matrix; with more, each class has a line of its own
MOST_LINES = 40  # classes that have such a line


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("-m", "--model", "place", required=True, type=click.Path(), help="The model, as written by `novikoff fit -o`.")
@option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@reading()
def score(files: tuple[str, ...], place: str, as_json: bool, options: "Options") -> None:
    """Measure a model on labelled FILES: accuracy, macro F1, precision and recall of each class, first errors.

    The baseline is the accuracy of always answering the most frequent class. With up to 8 classes there is a confusion matrix.

    \b
    Examples:
      novikoff score test.svm -m model.nvk
      novikoff score test.csv -m model.nvk --json

    With two classes, a score of exactly 0 means that the model cannot decide. It counts as an error.
    """
    from novikoff.data.matrices import widened
    from novikoff.models.scoring import Scores

    model = model_at(place)
    data = answering(files, model, as_read(model, options))
    figures = Scores(model.learner.classes.tolist())
    try:
        for block in data:
            if len(block.y):
                figures.add(model.learner, model.decisions(widened(block.X, model.learner.width)), block.y)
    except ValueError as error:
        raise Refused(str(error)) from None
    print_skipped(data)
    if as_json:
        say(json.dumps(figures.plain()))
    else:
        _summary(figures).print()


def _summary(figures: "Scores") -> Summary:
    plain, summary = figures.plain(), Summary()
    errors = int(plain["errors"])
    summary.add(
        "Accuracy", f"{plain['accuracy']:.4f} ({figures.right:,} of {count(figures.rows, 'row')} right, {errors:,} wrong)"
    )
    summary.add("Macro F1", f"{plain['macro_f1']:.4f}")
    baseline = figures.baseline
    if baseline.reached_by(figures.right):
        summary.add("Baseline", f"{always(baseline)}; the model is no better than always answering that", colour=BAD)
    else:
        summary.add("Baseline", always(baseline))
    if figures.strange:
        rows = count(sum(figures.strange.values()), "row")
        summary.add("Unknown", f"{rows} with a label that the model never saw, counted as errors: {listed(figures.strange, 5)}")
    if figures.first:
        more = ", …" if errors > len(figures.first) else ""
        summary.add("Wrong", f"rows {', '.join(map(str, figures.first))}{more} (counted from 0)")
    summary.add("Classes", "\n".join(_matrix(plain) if len(figures.classes) <= MOST_IN_MATRIX else _lines(plain)))
    return summary


def always(baseline: "Baseline") -> str:
    """The accuracy of always giving the same answer: "always 'ham': 0.6880"."""
    return f"always '{printable(baseline.label)}': {baseline.accuracy:.4f}"


def _matrix(plain: dict[str, Any]) -> list[str]:
    """The confusion matrix, a line for each label, with precision and recall."""
    names = [printable(name) for name in plain["classes"]]
    head = ["label \\ predicted", *names, "precision", "recall"]
    rows = [
        [name, *map(str, counts), *map(_share, shares)]
        for name, counts, *shares in zip(names, plain["confusion"], plain["precision"], plain["recall"], strict=True)
    ]
    if plain["labels_never_seen"]:
        rows.append(["(never seen)", *map(str, plain["answers_to_never_seen"]), _share(None), _share(0.0)])
    return _aligned(head, rows)


def _lines(plain: dict[str, Any]) -> list[str]:
    """A line for each class, the largest first: its rows, precision, recall and F1."""
    classes = sorted(plain["by_class"], key=lambda one: -one["rows"])
    rows = [
        [printable(one["label"]), f"{one['rows']:,}", *map(_share, (one["precision"], one["recall"], one["f1"]))]
        for one in classes[:MOST_LINES]
    ]
    more = len(classes) - MOST_LINES
    return _aligned(["label", "rows", "precision", "recall", "F1"], rows) + ([f"… and {more:,} more"] if more > 0 else [])


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.4f}"


def _aligned(head: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
