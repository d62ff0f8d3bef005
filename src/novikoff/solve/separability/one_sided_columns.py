"""Columns with which rows agree settle these rows at once.

If no z has a negative number in column j, a large weight of j puts every row that has a positive one on its own side, and changes
no other row. Nor can such a row have a part in rows that cancel out: nothing cancels its number in column j. So the rows that are
left decide, and among them other columns may be one-sided now. Of text, most words are, and often no row is left.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.proof.exact import Signed

DIGITS = 20  # binary ones of a weight, in units of the margin that rows are to have: exact sums stay short


class Layer(NamedTuple):
    rows: Array  # settled by these columns
    columns: Array  # one-sided, once the rows of the layers before are gone
    side: Array  # the sign of each of these columns


def settled(z: Signed) -> tuple[list[Layer], Array]:
    """Layer by layer, the rows that one-sided columns settle, and the rows that are left."""
    entries = sp.coo_array(z.X)
    row, column, value = entries.row, entries.col, entries.data * z.sign[entries.row]
    left, layers = np.ones(len(z), bool), list[Layer]()
    while True:
        up, down = (np.bincount(column[of], minlength=z.X.shape[1]) > 0 for of in (value > 0, value < 0))
        one_sided = up != down
        rows = np.unique(row[one_sided[column] & (value != 0)])
        if not len(rows):
            return layers, np.flatnonzero(left)
        columns = np.flatnonzero(one_sided)
        layers.append(Layer(rows, columns, np.where(up[columns], 1.0, -1.0)))
        left[rows] = False
        stays = left[row]
        row, column, value = row[stays], column[stays], value[stays]


def with_settled(z: Signed, layers: list[Layer], w: Array) -> Array:
    """The weights w, which separate the rows that are left, with weights of the one-sided columns that settle the others."""
    w, wanted = w.copy(), 2.0 ** np.frexp(np.abs(w).max(initial=0))[1]
    with np.errstate(all="ignore"):
        for layer in reversed(layers):
            pull = sp.coo_array(abs(z.X[layer.rows][:, layer.columns]))
            least = z.scores(w, layer.rows) - 2 * z.doubts(w, layer.rows)
            lacking = np.maximum(wanted - least, 0.0) / pull.sum(axis=1)
            most = np.zeros(len(layer.columns))
            np.maximum.at(most, pull.col, lacking[pull.row])
            w[layer.columns] = layer.side * np.ceil(np.ldexp(most / wanted, DIGITS)) * np.ldexp(wanted, -DIGITS)
    return w
