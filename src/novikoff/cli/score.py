"""`novikoff score`: how well a model predicts labelled rows."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.help_texts import option
from novikoff.cli.options import as_read, model_at, print_skipped, reading
from novikoff.cli.predict import answering, rows_of
from novikoff.cli.summary import Summary, count, listed
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Options
    from novikoff.models.scoring import Scores

SHOWN = 20  # classes whose figures are printed as a table


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("-m", "--model", "place", required=True, type=click.Path(), help="The model, as written by `novikoff fit -o`.")
@option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@reading()
def score(files: tuple[str, ...], place: str, as_json: bool, options: "Options") -> None:
    """Measure a model on labelled FILES: accuracy, precision, recall, confusion matrix, first errors.

    \b
    Examples:
      novikoff score test.svm -m model.nvk
      novikoff score test.csv -m model.nvk --json

    With two classes, a score of exactly 0 means that the model cannot decide. It counts as an error.
    """
    from novikoff.models.scoring import Scores

    model = model_at(place)
    data = answering(files, model, as_read(model, options))
    figures = Scores(model.learner.classes.tolist())
    try:
        for X, y in rows_of(model, data):
            figures.add(model.learner, model.learner.decide(X), y)
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
    if figures.strange:
        rows = count(sum(figures.strange.values()), "row")
        summary.add("Unknown", f"{rows} with a label that the model never saw, counted as errors: {listed(figures.strange, 5)}")
    if figures.first:
        more = ", …" if errors > len(figures.first) else ""
        summary.add("Wrong", f"rows {', '.join(map(str, figures.first))}{more} (counted from 0)")
    if len(figures.classes) <= SHOWN:
        summary.add("Classes", "\n".join(_table(plain)))
    return summary


def _table(plain: dict[str, Any]) -> list[str]:
    """The confusion matrix, one line per label, with precision and recall."""
    names = [printable(name) for name in plain["classes"]]
    head = ["label \\ predicted", *names, "precision", "recall"]
    rows = [
        [name, *map(str, counts), *("–" if share is None else f"{share:.4f}" for share in shares)]
        for name, counts, *shares in zip(names, plain["confusion"], plain["precision"], plain["recall"], strict=True)
    ]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
