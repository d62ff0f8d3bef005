"""`novikoff score`: how well a model answers labelled rows."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.options import as_read, model_at, reading, told
from novikoff.cli.predict import answering, rows_of
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Options
    from novikoff.models.scoring import Scores

SHOWN = 20  # classes whose figures are printed as a table


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-m", "--model", "place", required=True, type=click.Path(), help="The model, as `novikoff fit -o` writes it.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@reading()
def score(files: tuple[str, ...], place: str, as_json: bool, options: "Options") -> None:
    """Compare the model's answers with the labels in FILES: accuracy, precision, recall, confusion matrix, errors.

    \b
    Examples:
      novikoff score test.svm -m model.nvk
      novikoff score test.csv -m model.nvk --json

    A score of exactly 0 between two classes is "I don't know", and counts as an error.
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
    told(data)
    say(json.dumps(figures.plain()) if as_json else _sentences(figures))


def _sentences(figures: "Scores") -> str:
    plain = figures.plain()
    said = [
        f"accuracy {plain['accuracy']:.4f}: {figures.right:,} of {figures.rows:,} rows are answered rightly, "
        f"{plain['errors']:,} wrongly"
    ]
    if figures.strange:
        listed = ", ".join(map(printable, list(figures.strange)[:5]))
        said.append(
            f"{sum(figures.strange.values()):,} rows have a label that the model never saw, and count as errors: {listed}"
        )
    if len(figures.classes) <= SHOWN:
        said += _table(plain)
    if figures.first:
        more = ", …" if plain["errors"] > len(figures.first) else ""
        said.append(f"rows answered wrongly, counted from 0: {', '.join(map(str, figures.first))}{more}")
    return "\n".join(said)


def _table(plain: dict[str, Any]) -> list[str]:
    """The confusion matrix, a line a label, precision and recall beside it."""
    names = [printable(name) for name in plain["classes"]]
    head = ["label \\ answer", *names, "precision", "recall"]
    rows = [
        [name, *map(str, counts), *("–" if share is None else f"{share:.4f}" for share in shares)]
        for name, counts, *shares in zip(names, plain["confusion"], plain["precision"], plain["recall"], strict=True)
    ]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
