"""A table that somebody pastes, as points."""

import re
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.data.readers import read
from novikoff.data.sources import ReadError
from novikoff.foundation.atomic_files import scratch
from novikoff.lab.problems import RefusedError, problem_of


def points_of(text: Any) -> dict[str, Any]:
    """The points of a table with two columns of numbers and a label, of two classes; the first of these, in order, is -1."""
    if not isinstance(text, str):
        raise RefusedError('"text" must be the table, as text')
    with scratch() as folder:
        path = folder / "table.csv"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))  # halves of characters are for the reader to refuse
        try:
            table = read(path)
        except ReadError as error:
            said = re.sub(re.escape(str(path)) + r":(\d+)", r"line \1", str(error))
            raise RefusedError(said.replace(str(path), "the table")) from None
    names = table.names or ()
    if len(names) != 2 or sp.issparse(table.X):
        raise RefusedError(
            f"the table has {len(names)} columns beside the label: give two columns of numbers, x1 and x2, and the label last"
        )
    classes = np.unique(table.y).tolist()
    if len(classes) != 2:
        listed = ", ".join(map(str, classes[:5]))
        raise RefusedError(f"the last column has the labels, and there are {len(classes)} of them ({listed}): give two classes")
    points = [[*x, 1 if label == classes[1] else -1] for x, label in zip(table.X.tolist(), table.y.tolist(), strict=True)]
    checked = problem_of({"points": points})
    return {
        "points": [list(point) for point in checked.points],
        "labels": {"-1": str(classes[0]), "1": str(classes[1])},
    }
