"""Rows that are known only by their inner products: w is Σ cⱼ·φ(xⱼ), and φ is never computed (F19).

While a vector w learns from n rows, it is stored as
    [ ⟨w, φ(xᵢ)⟩ for each of the n rows | cⱼ for each of them, then for rows stored before | its bias ],
so a score is a lookup, and an addition adds a row of the Gram matrix. The Gram matrix may cover only a block of the rows:
then the values of the other rows must be updated when the block is done (`engine/weights/span.py`).
"""

from typing import Any, NamedTuple

from novikoff.engine.storages import add, decide, decide_by_vector, entries, fetch, locate, score, sound, sqnorm, touch
from novikoff.foundation.array_types import Array


class KernelRows(NamedTuple):
    own: Array  # K(xᵢ, xᵢ)
    gram: Array  # K between the rows of the block
    block: Array  # which rows these are
    place: Array  # for each row, where it is in the block
    constant: Any


@score.register(KernelRows)
def _score(rows: Any, i: Any, w: Any) -> Any:
    return w[i]


decide.register(KernelRows)(decide_by_vector)


@add.register(KernelRows)
def _add(rows: Any, i: Any, w: Any, c: Any) -> None:
    p, square = rows.place[i], rows.constant * rows.constant
    for k in range(len(rows.block)):
        w[rows.block[k]] += c * (rows.gram[p, k] + square)
    w[len(rows.own) + i] += c
    w[len(w) - 1] += c * rows.constant


@sqnorm.register(KernelRows)
def _sqnorm(rows: Any, i: Any) -> Any:
    return rows.own[i] + rows.constant * rows.constant


@sound.register(KernelRows)
def _sound(rows: Any, i: Any, width: Any) -> Any:
    return True


@entries.register(KernelRows)
def _entries(rows: Any) -> Any:
    return len(rows.own)


@locate.register(KernelRows)
def _locate(rows: Any, i: Any) -> None:
    pass


@fetch.register(KernelRows)
def _fetch(rows: Any, i: Any, part: Any, parts: Any) -> None:
    pass


@touch.register(KernelRows)
def _touch(rows: Any, i: Any) -> Any:
    return 0.0
