"""Many classes at once, as one weight vector for which every row is an example of +1: Kesler's construction (F25).

Row x of class y is z = (e_y − e_r) ⊗ x for its rival r, the best of the other classes (on ties, the first). The vectors of
the K classes are stored as one, w, with the K weights of a column next to each other: w[j·K + c] is that of class c, column j.
⟨w, z⟩ = ⟨w_y, x⟩ − max ⟨w_r, x⟩, and ‖z‖² = 2·‖x‖².
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import helper
from novikoff.engine.storages import (
    add,
    add_scaled,
    decide,
    entries,
    fetch,
    locate,
    project,
    scaled_sqnorm,
    score,
    score_classes,
    shrink,
    sqnorm,
    strengthen,
    take,
)
from novikoff.foundation.array_types import Array


class Kesler(NamedTuple):
    """At least two classes. Only one thread at a time may use it, since scoring writes to `rival` and `scores`."""

    rows: Any  # as they are stored
    code: Array  # the class of each
    rival: Array  # of each row, the rival when it was last scored
    taken: Array  # of each row, the rival when it was last learned from
    scores: Array  # of the row scored last, one per class


def kesler_rows(rows: Any, code: Array, classes: int, number: Any) -> Kesler:
    """The rows of a storage, with this many classes."""
    return Kesler(rows, code, np.zeros_like(code), np.zeros_like(code), np.zeros(classes, number))


@helper
def kinds(rows: Any) -> Any:
    """How many classes there are. The machine code cannot know that there are some, and steps of 0 would be an error."""
    return max(1, len(rows.scores))


@score.register(Kesler)
def _score(rows: Any, i: Any, w: Any) -> Any:
    scores, y = rows.scores, rows.code[i]
    score_classes(rows.rows, i, w, scores)
    rival = 1 if y == 0 else 0
    for r in range(rival + 1, len(scores)):
        if r != y and scores[r] > scores[rival]:
            rival = r
    rows.rival[i] = rival
    return scores[y] - scores[rival]


@decide.register(Kesler)
def _decide(rows: Any, i: Any, w: Any, out: Any) -> None:
    classes = kinds(rows)
    for v in range(len(w)):
        score_classes(rows.rows, i, w[v], out[v * classes : (v + 1) * classes])


@add.register(Kesler)
def _add(rows: Any, i: Any, w: Any, c: Any) -> None:
    """Uses the rival that row i had when it was last scored, whatever w is, so that an average follows the weights."""
    rows.taken[i] = rows.rival[i]
    classes = kinds(rows)
    add(rows.rows, i, w[rows.code[i] :: classes], c)
    add(rows.rows, i, w[rows.rival[i] :: classes], -c)


@project.register(Kesler)
def _project(rows: Any, i: Any, w: Any) -> Any:
    rows.taken[i] = rows.rival[i]
    classes = kinds(rows)
    return project(rows.rows, i, w[rows.code[i] :: classes]) - project(rows.rows, i, w[rows.rival[i] :: classes])


@scaled_sqnorm.register(Kesler)
def _scaled_sqnorm(rows: Any, i: Any, sigma: Any) -> Any:
    classes = kinds(rows)
    own = scaled_sqnorm(rows.rows, i, sigma[rows.code[i] :: classes])
    return own + scaled_sqnorm(rows.rows, i, sigma[rows.rival[i] :: classes])


@add_scaled.register(Kesler)
def _add_scaled(rows: Any, i: Any, w: Any, sigma: Any, c: Any) -> Any:
    rows.taken[i] = rows.rival[i]
    y, r, classes = rows.code[i], rows.rival[i], kinds(rows)
    grown = add_scaled(rows.rows, i, w[y::classes], sigma[y::classes], c)
    return grown + add_scaled(rows.rows, i, w[r::classes], sigma[r::classes], -c)


@shrink.register(Kesler)
def _shrink(rows: Any, i: Any, sigma: Any, beta: Any) -> None:
    classes = kinds(rows)
    shrink(rows.rows, i, sigma[rows.code[i] :: classes], beta)
    shrink(rows.rows, i, sigma[rows.rival[i] :: classes], beta)


@strengthen.register(Kesler)
def _strengthen(rows: Any, i: Any, precision: Any, sigma: Any, c: Any) -> None:
    classes = kinds(rows)
    for k in (rows.code[i], rows.rival[i]):
        strengthen(rows.rows, i, precision[k::classes], sigma[k::classes], c)


@sqnorm.register(Kesler)
def _sqnorm(rows: Any, i: Any) -> Any:
    return 2 * sqnorm(rows.rows, i)


@entries.register(Kesler)
def _entries(rows: Any) -> Any:
    return entries(rows.rows)


@take.register(Kesler)
def _take(rows: Any, which: Any, width: Any) -> Any:
    return take(rows.rows, which, width)


@locate.register(Kesler)
def _locate(rows: Any, i: Any) -> None:
    locate(rows.rows, i)


@fetch.register(Kesler)
def _fetch(rows: Any, i: Any, part: Any, parts: Any) -> None:
    fetch(rows.rows, i, part, parts)
