"""`novikoff score`: how well a model answers labelled rows."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.options import as_read, model_at, reading, told
from novikoff.cli.predict import answering, rows_of

if TYPE_CHECKING:
    from novikoff.readers import Options

SHOWN = 20  # classes whose figures are printed as a table
FIRST = 10  # errors that are named


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
    model = model_at(place)
    data = answering(files, model, as_read(model, options))
    figures = _Figures(model.learner.classes.tolist())
    try:
        for X, y in rows_of(model, data):
            figures.add(model.learner, X, y)
    except ValueError as error:
        raise Refused(str(error)) from None
    told(data)
    say(json.dumps(figures.plain()) if as_json else str(figures))


class _Figures:
    """Counts of answers by label."""

    def __init__(self, classes: list[Any]) -> None:
        import numpy as np

        self.classes = classes
        self.confusion = np.zeros((len(classes), len(classes)), np.int64)  # a row a label, a column an answer
        self.strange: dict[Any, int] = {}  # labels that the model never saw
        self.rows = self.right = 0
        self.first: list[int] = []  # rows answered wrongly

    def add(self, learner: Any, X: Any, y: Any) -> None:
        import numpy as np

        decisions = learner.decide(X)
        codes = learner.codes(decisions)
        known = np.isin(y, learner.classes)
        label = np.searchsorted(learner.classes, np.where(known, y, learner.classes[0]))
        np.add.at(self.confusion, (label[known], codes[known]), 1)
        right = known & (codes == label)
        if decisions.shape[1] == 1:
            right &= decisions[:, 0] != 0
        for name, count in zip(*np.unique(y[~known], return_counts=True), strict=True):
            self.strange[name.item()] = self.strange.get(name.item(), 0) + int(count)
        self.first += [self.rows + int(i) for i in np.flatnonzero(~right)[: FIRST - len(self.first)]]
        self.rows += len(y)
        self.right += int(right.sum())

    def plain(self) -> dict[str, Any]:
        own, given, answered = (self.confusion.diagonal(), self.confusion.sum(axis=1), self.confusion.sum(axis=0))
        return {
            "rows": self.rows,
            "errors": self.rows - self.right,
            "accuracy": self.right / self.rows,
            "classes": self.classes,
            "precision": [int(o) / int(a) if a else None for o, a in zip(own, answered, strict=True)],
            "recall": [int(o) / int(g) if g else None for o, g in zip(own, given, strict=True)],
            "confusion": self.confusion.tolist(),
            "labels_never_seen": {str(label): count for label, count in self.strange.items()},
            "first_errors": self.first,
        }

    def __str__(self) -> str:
        plain = self.plain()
        said = [
            f"accuracy {plain['accuracy']:.4f}: {self.right:,} of {self.rows:,} rows are answered rightly, "
            f"{plain['errors']:,} wrongly"
        ]
        if self.strange:
            listed = ", ".join(map(str, list(self.strange)[:5]))
            said.append(
                f"{sum(self.strange.values()):,} rows have a label that the model never saw, and count as errors: {listed}"
            )
        if len(self.classes) <= SHOWN:
            said += _table(plain)
        if self.first:
            more = ", …" if plain["errors"] > len(self.first) else ""
            said.append(f"rows answered wrongly, counted from 0: {', '.join(map(str, self.first))}{more}")
        return "\n".join(said)


def _table(plain: dict[str, Any]) -> list[str]:
    """The confusion matrix, a line a label, precision and recall beside it."""
    names = [str(name) for name in plain["classes"]]
    head = ["label \\ answer", *names, "precision", "recall"]
    rows = [
        [name, *map(str, counts), *("–" if share is None else f"{share:.4f}" for share in shares)]
        for name, counts, *shares in zip(names, plain["confusion"], plain["precision"], plain["recall"], strict=True)
    ]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
