"""Rows that are known by their inner products alone: w is Σ cⱼ·φ(xⱼ), and nobody computes φ (F19).

While it learns from n rows, a vector w is written as
    [ ⟨w, φ(xᵢ)⟩ for each of the n rows | cⱼ for each of them, then for rows of earlier days | its bias ],
so that to score is to look up, and to add is to add a row of the Gram matrix. That matrix may be of a block of the rows only:
then the values of the others must be brought up to date when the block is done (`space.py`).
"""

from typing import Any, NamedTuple

from novikoff.engine.storages import Array, add, entries, fetch, locate, score, sound, sqnorm, touch


class KernelRows(NamedTuple):
    own: Array  # K(xᵢ, xᵢ)
    gram: Array  # K between the rows of the block
    block: Array  # which rows these are
    place: Array  # for each row, where it is in the block
    constant: Any


@score.register(KernelRows)
def _score(rows: Any, i: Any, w: Any) -> Any:
    return w[i]


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
