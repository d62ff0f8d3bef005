"""Compressed sparse rows, with 32- or 64-bit indices.

The sum of a row uses four accumulators, written out, so it is the same on every processor. Indices are viewed as
unsigned, and offsets are unsigned constants: with a signed offset the loop would have to test for negative indices.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.compiler import prefetch, wide
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
    read_only,
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

ONE, TWO, THREE, FOUR, EIGHT = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(8)


class Csr(NamedTuple):
    data: Array
    indices: Array
    indptr: Array
    constant: Any


@storage
def make(X: Any, constant: Any) -> Csr | None:
    if not (sp.issparse(X) and X.format == "csr"):
        return None
    small = X.indices.itemsize == X.indptr.itemsize == 4
    return Csr(numbers_of(X.data), _unsigned(X.indices, small), _unsigned(X.indptr, small), constant)


def _unsigned(array: Array, small: bool) -> Array:
    """In place, if it has 32 bits and may have, or 64."""
    if array.itemsize != (4 if small else 8) or not array.dtype.isnative or not array.flags.c_contiguous:
        array = array.astype(np.int32 if small else np.int64)
    return read_only(array.view(np.uint32 if array.itemsize == 4 else np.uint64))


@score.register(Csr)
def _score(rows: Any, i: Any, w: Any) -> Any:
    start, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
    four = start + (end - start) // FOUR * FOUR
    a = b = c = d = 0
    for p in range(start, four, FOUR):
        a += w[rows.indices[p]] * rows.data[p]
        b += w[rows.indices[p + ONE]] * rows.data[p + ONE]
        c += w[rows.indices[p + TWO]] * rows.data[p + TWO]
        d += w[rows.indices[p + THREE]] * rows.data[p + THREE]
    for p in range(four, end):
        a += w[rows.indices[p]] * rows.data[p]
    return (a + b) + (c + d) + w[len(w) - 1] * rows.constant


project.register(Csr)(_score)
decide.register(Csr)(decide_by_vector)


@score_classes.register(Csr)
def _score_classes(rows: Any, i: Any, w: Any, out: Any) -> None:
    start, end, classes = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1]), np.uint64(len(out))
    four = start + (end - start) // FOUR * FOUR
    last = np.uint64(len(w)) - classes
    for k in range(classes):
        out[k] = w[last + k] * rows.constant
    for p in range(start, four, FOUR):  # four columns at once: fewer loads and stores of the sums
        a, b = np.uint64(rows.indices[p]) * classes, np.uint64(rows.indices[p + ONE]) * classes
        c, d = np.uint64(rows.indices[p + TWO]) * classes, np.uint64(rows.indices[p + THREE]) * classes
        at_a, at_b, at_c, at_d = rows.data[p], rows.data[p + ONE], rows.data[p + TWO], rows.data[p + THREE]
        for k in range(classes):
            out[k] += (w[a + k] * at_a + w[b + k] * at_b) + (w[c + k] * at_c + w[d + k] * at_d)
    for p in range(four, end):
        a = np.uint64(rows.indices[p]) * classes
        for k in range(classes):
            out[k] += w[a + k] * rows.data[p]


@add.register(Csr)
def _add(rows: Any, i: Any, w: Any, c: Any) -> None:
    for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        w[rows.indices[p]] += c * rows.data[p]
    w[len(w) - 1] += c * rows.constant


@sqnorm.register(Csr)
def _sqnorm(rows: Any, i: Any) -> Any:
    start, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
    four = start + (end - start) // FOUR * FOUR
    a = b = c = d = 0
    for p in range(start, four, FOUR):
        a += wide(rows.data[p]) * wide(rows.data[p])
        b += wide(rows.data[p + ONE]) * wide(rows.data[p + ONE])
        c += wide(rows.data[p + TWO]) * wide(rows.data[p + TWO])
        d += wide(rows.data[p + THREE]) * wide(rows.data[p + THREE])
    for p in range(four, end):
        a += wide(rows.data[p]) * wide(rows.data[p])
    return (a + b) + (c + d) + rows.constant * rows.constant


@scaled_sqnorm.register(Csr)
def _scaled_sqnorm(rows: Any, i: Any, sigma: Any) -> Any:
    start, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
    four = start + (end - start) // FOUR * FOUR
    a = b = c = d = 0
    for p in range(start, four, FOUR):
        a += sigma[rows.indices[p]] * rows.data[p] * rows.data[p]
        b += sigma[rows.indices[p + ONE]] * rows.data[p + ONE] * rows.data[p + ONE]
        c += sigma[rows.indices[p + TWO]] * rows.data[p + TWO] * rows.data[p + TWO]
        d += sigma[rows.indices[p + THREE]] * rows.data[p + THREE] * rows.data[p + THREE]
    for p in range(four, end):
        a += sigma[rows.indices[p]] * rows.data[p] * rows.data[p]
    return (a + b) + (c + d) + sigma[len(sigma) - 1] * rows.constant * rows.constant


@add_scaled.register(Csr)
def _add_scaled(rows: Any, i: Any, w: Any, sigma: Any, c: Any) -> Any:
    bias = len(w) - 1
    grown = move_by(w, bias, c * sigma[bias] * rows.constant)
    for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        grown += move_by(w, rows.indices[p], c * sigma[rows.indices[p]] * rows.data[p])
    return grown


@shrink.register(Csr)
def _shrink(rows: Any, i: Any, sigma: Any, beta: Any) -> None:
    for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        shrink_one(sigma, rows.indices[p], rows.data[p], beta)
    shrink_one(sigma, len(sigma) - 1, rows.constant, beta)


@strengthen.register(Csr)
def _strengthen(rows: Any, i: Any, precision: Any, sigma: Any, c: Any) -> None:
    for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        strengthen_one(precision, sigma, rows.indices[p], rows.data[p], c)
    strengthen_one(precision, sigma, len(sigma) - 1, rows.constant, c)


@sound.register(Csr)
def _sound(rows: Any, i: Any, width: Any) -> Any:
    start, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
    if start == end:
        return True
    good = rows.indices[end - ONE] < width  # the largest index, if they are increasing
    for p in range(start + ONE, end):
        good &= rows.indices[p - ONE] < rows.indices[p]
    return good


@entries.register(Csr)
def _entries(rows: Any) -> Any:
    return rows.data.size


@take.register(Csr)
def _take(rows: Any, which: Any, width: Any) -> Any:
    signed = [array.view(np.int32 if array.itemsize == 4 else np.int64) for array in (rows.indices, rows.indptr)]
    return sp.csr_array((rows.data, *signed), shape=(len(rows.indptr) - 1, width))[which]


@locate.register(Csr)
def _locate(rows: Any, i: Any) -> None:
    prefetch(rows.indptr, i, 0)


@fetch.register(Csr)
def _fetch(rows: Any, i: Any, part: Any, parts: Any) -> None:
    p, end = rows.indptr[i] + 16 * part, rows.indptr[i + 1]
    while p < end:  # one loop: one mispredicted branch at its end; and no range, which divides to know how long it is
        prefetch(rows.data, p, 0)
        prefetch(rows.data, p + 8, 0)
        prefetch(rows.indices, p, 0)
        p += 16 * parts


@touch.register(Csr)
def _touch(rows: Any, i: Any) -> Any:
    s = 0.0
    for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1]), EIGHT):
        s += rows.data[p] + rows.indices[p]
    return s


@hashed.register(Csr)
def _hashed(rows: Any, i: Any) -> Any:
    s = np.uint64(0)
    for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        s += entry_hash(rows.indices[p], rows.data[p])
    return s
