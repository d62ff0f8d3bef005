"""A CSV table as points."""

import re

import numpy as np
import scipy.sparse as sp

from novikoff.data.readers import read
from novikoff.data.sources import ReadError
from novikoff.foundation.atomic_files import scratch
from novikoff.lab.checks import RefusedError
from novikoff.lab.problems import problem_of


def points_of(text: object) -> dict[str, object]:
    """The points of a table with two columns of numbers and a column of labels. The first of the two labels, sorted, is -1."""
    if not isinstance(text, str):
        raise RefusedError('"text" must be the table, as text')
    with scratch() as folder:
        path = folder / "table.csv"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))  # the reader refuses lone surrogates, with their line
        try:
            table = read(path)
        except ReadError as error:
            message = re.sub(re.escape(str(path)) + r":(\d+)", r"line \1", str(error))
            raise RefusedError(message.replace(str(path), "the table")) from None
    names = table.names or ()
    if len(names) != 2 or sp.issparse(table.X):
        columns = "1 column" if len(names) == 1 else f"{len(names)} columns"
        raise RefusedError(
            f"the table has {columns} beside the label: give two columns of numbers, x1 and x2, and the label last"
        )
    classes = np.unique(table.y).tolist()
    if len(classes) != 2:
        listed = ", ".join(map(str, classes[:5])) + (", …" if len(classes) > 5 else "")
        labels = "one label" if len(classes) == 1 else f"{len(classes):,} different labels"
        raise RefusedError(f"the last column has {labels} ({listed}): give two classes")
    points = [[*x, 1 if label == classes[1] else -1] for x, label in zip(table.X.tolist(), table.y.tolist(), strict=True)]
    checked = problem_of({"points": points})
    return {
        "points": [list(point) for point in checked.points],
        "labels": {"-1": str(classes[0]), "1": str(classes[1])},
    }
