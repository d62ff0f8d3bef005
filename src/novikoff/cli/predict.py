"""`novikoff predict`: a model answers, a line a row."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.options import as_read, dataset, model_at, reading, told
from novikoff.foundation.printable import as_field

if TYPE_CHECKING:
    from novikoff.data.readers import Dataset, Options
    from novikoff.models.model import Model


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-m", "--model", "place", required=True, type=click.Path(), help="The model, as `novikoff fit -o` writes it.")
@click.option("--scores", is_flag=True, help="After each label, a tab and the scores: one for two classes, one a class for more.")
@click.option("--sigma", type=click.FloatRange(0, 1), help="Answer ? where |cos(w, x)| is below this.")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each row.")
@reading(unlabelled=True)
def predict(files: tuple[str, ...], place: str, scores: bool, sigma: float | None, as_json: bool, options: "Options") -> None:
    """Answer each row of FILES with a label, one a line. Labels in the files are not looked at, and may be missing.

    A label that has control characters (a line break, say) or begins with a quotation mark is written as JSON writes it.

    \b
    Examples:
      novikoff predict test.svm -m model.nvk > labels.txt
      novikoff predict test.csv -m model.nvk --sigma 0.1 --scores
      cat new.jsonl | novikoff predict - --format jsonl -m model.nvk --json
    """
    model = model_at(place)
    data = answering(files, model, options)
    try:
        for X, _ in rows_of(model, data):
            say("\n".join(_lines(model, X, scores, sigma, as_json)))
    except ValueError as error:
        raise Refused(str(error)) from None
    told(data)


def answering(files: tuple[str, ...], model: "Model", options: "Options") -> "Dataset":
    """The files, read into the columns that the model has."""
    model.features.frozen = True
    return dataset(files, as_read(model, options), model.features)


def rows_of(model: "Model", data: "Dataset") -> Iterator[tuple[Any, Any]]:
    """The rows of the files, as wide as the model, and their labels."""
    import scipy.sparse as sp

    for block in data:
        X, width = block.X, model.learner.width
        if X.shape[1] < width:
            X = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width)) if sp.issparse(X) else _padded(X, width)
        if X.shape[0]:
            yield X, block.y


def _padded(X: Any, width: int) -> Any:
    import numpy as np

    return np.pad(X, ((0, 0), (0, width - X.shape[1])))


def _lines(model: "Model", X: Any, scores: bool, sigma: float | None, as_json: bool) -> list[str]:
    learner = model.learner
    decisions = learner.decide(X)
    labels = learner.classes[learner.codes(decisions)].tolist()
    sure = [True] * len(labels) if sigma is None else learner.sure(X, decisions, sigma).tolist()
    if as_json:
        told = zip(labels, decisions.tolist(), sure, strict=True)
        return [
            json.dumps({"label": label, "scores": score} | ({} if sigma is None else {"sure": s})) for label, score, s in told
        ]
    shown = [as_field(label) if relied else "?" for label, relied in zip(labels, sure, strict=True)]
    if not scores:
        return shown
    return ["\t".join([label, *map(repr, score)]) for label, score in zip(shown, decisions.tolist(), strict=True)]
