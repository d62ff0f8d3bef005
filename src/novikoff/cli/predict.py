"""`novikoff predict`: print the label of each row, one per line."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.help_texts import option
from novikoff.cli.options import as_read, dataset, model_at, print_skipped, reading
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.printable import as_field

if TYPE_CHECKING:
    from novikoff.data.readers import Dataset, Options
    from novikoff.models.model import Model

SOME_WITHOUT_LABEL = 1  # the exit code if lines were skipped


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("-m", "--model", "place", required=True, type=click.Path(), help="The model, as written by `novikoff fit -o`.")
@option("--scores", is_flag=True, help="Print scores after each label: one with two classes, otherwise one per class.")
@option("--proba", is_flag=True, help="Print the probability of each class after each label, in the order of the classes.")
@option("--sigma", type=click.FloatRange(0, 1), help="Print ? if |cos(w, x)| is below this (default: always print a label).")
@option("--json", "as_json", is_flag=True, help="Print one JSON object per row.")
@reading(unlabelled=True)
@click.pass_context
def predict(
    ctx: click.Context,
    files: tuple[str, ...],
    place: str,
    scores: bool,
    proba: bool,
    sigma: float | None,
    as_json: bool,
    options: "Options",
) -> None:
    """Predict the label of each row of FILES, one per line. Labels in FILES are ignored and may be missing.

    With --skip-bad-lines, a bad line gives an empty line ({"label": null} with --json), so that line k of the output always
    belongs to row k. The exit code is then 1.

    A label with control characters, such as a line break, or a quotation mark at its beginning is printed as a JSON string.

    \b
    Examples:
      novikoff predict test.svm -m model.nvk > labels.txt
      novikoff predict test.csv -m model.nvk --sigma 0.1 --scores
      novikoff predict test.csv -m model.nvk --proba
      cat new.jsonl | novikoff predict - --format jsonl -m model.nvk --json
    """
    from novikoff.data.matrices import widened
    from novikoff.data.readers import NoRowsError

    model = model_at(place)
    data = answering(files, model, options)
    try:
        for part in data.parts():
            X = model.prepared(widened(part.X, model.learner.width))
            lines = _lines(model, X, scores, proba, sigma, as_json)
            if lines := _with_gaps(lines, part.bad, json.dumps({"label": None}) if as_json else ""):
                say("\n".join(lines))
    except NoRowsError as error:
        if not data.reading.n_skipped:  # otherwise there are rows, and all of them are bad
            raise Refused(str(error)) from None
    except ValueError as error:
        raise Refused(str(error)) from None
    print_skipped(data)
    if data.reading.n_skipped:
        ctx.exit(SOME_WITHOUT_LABEL)


def answering(files: tuple[str, ...], model: "Model", options: "Options") -> "Dataset":
    """The files, read into the columns of the model."""
    model.features.frozen = True
    return dataset(files, as_read(model, options), model.features)


def _with_gaps(lines: list[str], bad: "Array | None", gap: str) -> list[str]:
    """The lines, with a gap for each bad line; `bad` says before how many of the lines it comes."""
    import numpy as np

    return lines if bad is None else np.insert(np.array(lines, object), bad, gap).tolist()


def _lines(model: "Model", X: "Matrix", scores: bool, proba: bool, sigma: float | None, as_json: bool) -> list[str]:
    if not X.shape[0]:
        return []
    learner = model.learner
    decisions = learner.decide(X)
    labels = learner.classes[learner.codes(decisions)].tolist()
    sure = [True] * len(labels) if sigma is None else learner.sure(X, decisions, sigma).tolist()
    columns: dict[str, list[Any]] = {"label": labels, "scores": decisions.tolist()}
    if proba:
        columns["probabilities"] = learner.probabilities(decisions).tolist()
    if as_json:
        columns |= {} if sigma is None else {"sure": sure}
        return [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    shown = [[as_field(label) if certain else "?"] for label, certain in zip(labels, sure, strict=True)]
    for wanted, name in ((scores, "scores"), (proba, "probabilities")):
        if wanted:
            shown = [[*line, *map(repr, numbers)] for line, numbers in zip(shown, columns[name], strict=True)]
    return ["\t".join(line) for line in shown]
