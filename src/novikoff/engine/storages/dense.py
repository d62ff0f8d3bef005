"""A two-dimensional array, contiguous or strided."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import dot, prefetch
from novikoff.engine.storages import (
    add,
    add_scaled,
    decide,
    decide_by_vector,
    entries,
    entry_hash,
    fetch,
    hashed,
    locate,
    move_by,
    numbers_of,
    project,
    scaled_sqnorm,
    score,
    score_classes,
    shrink,
    shrink_one,
    sound,
    sqnorm,
    storage,
    strengthen,
    strengthen_one,
    take,
    touch,
)
from novikoff.foundation.array_types import Array


class Dense(NamedTuple):
    X: Array
    constant: Any


@storage
def make(X: Any, constant: Any) -> Dense | None:
    return Dense(numbers_of(X), constant) if isinstance(X, np.ndarray) and X.ndim == 2 else None


@score.register(Dense)
def _score(rows: Any, i: Any, w: Any) -> Any:
    return dot(rows.X[i], w) + w[len(w) - 1] * rows.constant


project.register(Dense)(_score)
decide.register(Dense)(decide_by_vector)


@score_classes.register(Dense)
def _score_classes(rows: Any, i: Any, w: Any, out: Any) -> None:
    classes = len(out)
    for c in range(classes):
        out[c] = w[len(w) - classes + c] * rows.constant
    for j in range(rows.X.shape[1]):
        for c in range(classes):
            out[c] += w[j * classes + c] * rows.X[i, j]


@add.register(Dense)
def _add(rows: Any, i: Any, w: Any, c: Any) -> None:
    for j in range(rows.X.shape[1]):
        w[j] += c * rows.X[i, j]
    w[len(w) - 1] += c * rows.constant


@sqnorm.register(Dense)
def _sqnorm(rows: Any, i: Any) -> Any:
    return dot(rows.X[i], rows.X[i]) + rows.constant * rows.constant


@scaled_sqnorm.register(Dense)
def _scaled_sqnorm(rows: Any, i: Any, sigma: Any) -> Any:
    width = rows.X.shape[1]
    two = width - width % 2
    a = sigma[width] * rows.constant * rows.constant
    b = a * 0
    for j in range(0, two, 2):  # two sums: one would wait for itself
        a += sigma[j] * rows.X[i, j] * rows.X[i, j]
        b += sigma[j + 1] * rows.X[i, j + 1] * rows.X[i, j + 1]
    for j in range(two, width):
        a += sigma[j] * rows.X[i, j] * rows.X[i, j]
    return a + b


@add_scaled.register(Dense)
def _add_scaled(rows: Any, i: Any, w: Any, sigma: Any, c: Any) -> Any:
    width = rows.X.shape[1]
    grown = move_by(w, width, c * sigma[width] * rows.constant)
    for j in range(width):
        grown += move_by(w, j, c * sigma[j] * rows.X[i, j])
    return grown


@shrink.register(Dense)
def _shrink(rows: Any, i: Any, sigma: Any, beta: Any) -> None:
    for j in range(rows.X.shape[1]):
        shrink_one(sigma, j, rows.X[i, j], beta)
    shrink_one(sigma, rows.X.shape[1], rows.constant, beta)


@strengthen.register(Dense)
def _strengthen(rows: Any, i: Any, precision: Any, sigma: Any, c: Any) -> None:
    for j in range(rows.X.shape[1]):
        strengthen_one(precision, sigma, j, rows.X[i, j], c)
    strengthen_one(precision, sigma, rows.X.shape[1], rows.constant, c)


@sound.register(Dense)
def _sound(rows: Any, i: Any, width: Any) -> Any:
    return rows.X.shape[1] == width


@entries.register(Dense)
def _entries(rows: Any) -> Any:
    return rows.X.size


@take.register(Dense)
def _take(rows: Any, which: Any, width: Any) -> Any:
    return rows.X[which]


@locate.register(Dense)
def _locate(rows: Any, i: Any) -> None:
    pass


@fetch.register(Dense)
def _fetch(rows: Any, i: Any, part: Any, parts: Any) -> None:
    j = 8 * part
    while j < rows.X.shape[1]:  # a range would divide to know how long it is
        prefetch(rows.X, i, j)
        j += 8 * parts


@touch.register(Dense)
def _touch(rows: Any, i: Any) -> Any:
    s = 0.0
    for j in range(0, rows.X.shape[1], 8):
        s += rows.X[i, j]
    return s


@hashed.register(Dense)
def _hashed(rows: Any, i: Any) -> Any:
    s = np.uint64(0)
    for j in range(rows.X.shape[1]):
        s += entry_hash(j, rows.X[i, j])
    return s
