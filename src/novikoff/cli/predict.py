"""`novikoff predict`: print the label of each row, one per line."""

import json
from collections.abc import Iterator
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


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("-m", "--model", "place", required=True, type=click.Path(), help="The model, as written by `novikoff fit -o`.")
@option("--scores", is_flag=True, help="Print scores after each label: one with two classes, otherwise one per class.")
@option("--proba", is_flag=True, help="Print the probability of each class after each label, in the order of the classes.")
@option("--sigma", type=click.FloatRange(0, 1), help="Print ? if |cos(w, x)| is below this (default: always print a label).")
@option("--json", "as_json", is_flag=True, help="Print one JSON object per row.")
@reading(unlabelled=True)
def predict(
    files: tuple[str, ...], place: str, scores: bool, proba: bool, sigma: float | None, as_json: bool, options: "Options"
) -> None:
    """Predict the label of each row of FILES, one per line. Labels in FILES are ignored and may be missing.

    A label with control characters, such as a line break, or a quotation mark at its beginning is printed as a JSON string.

    \b
    Examples:
      novikoff predict test.svm -m model.nvk > labels.txt
      novikoff predict test.csv -m model.nvk --sigma 0.1 --scores
      novikoff predict test.csv -m model.nvk --proba
      cat new.jsonl | novikoff predict - --format jsonl -m model.nvk --json
    """
    model = model_at(place)
    data = answering(files, model, options)
    try:
        for X, _ in rows_of(model, data):
            say("\n".join(_lines(model, X, scores, proba, sigma, as_json)))
    except ValueError as error:
        raise Refused(str(error)) from None
    print_skipped(data)


def answering(files: tuple[str, ...], model: "Model", options: "Options") -> "Dataset":
    """The files, read into the columns of the model."""
    model.features.frozen = True
    return dataset(files, as_read(model, options), model.features)


def rows_of(model: "Model", data: "Dataset") -> "Iterator[tuple[Matrix, Array]]":
    """The rows of the files, as wide as the model and prepared, and their labels."""
    import scipy.sparse as sp

    for block in data:
        X, width = block.X, model.learner.width
        if X.shape[1] < width:
            X = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width)) if sp.issparse(X) else _padded(X, width)
        if X.shape[0]:
            yield model.prepared(X), block.y


def _padded(X: "Array", width: int) -> "Array":
    import numpy as np

    return np.pad(X, ((0, 0), (0, width - X.shape[1])))


def _lines(model: "Model", X: "Matrix", scores: bool, proba: bool, sigma: float | None, as_json: bool) -> list[str]:
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
