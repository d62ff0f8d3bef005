"""How a model file holds arrays: of weights only those that were learned, and long arrays compressed.

Of a million hashed features, a text has ten thousand. The weights of the others are still what they were at first, and so are
their averages and confidences; a file leaves them out.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from novikoff.data.sources import free_memory
from novikoff.foundation.array_types import Array

# Arrays with a number for each weight of each vector, and what the number is at first.
AT_FIRST = {
    "team.w": 0.0,
    "carry.late": 0.0,
    "carry.kept": 0.0,
    "start": 0.0,
    "confidence.sigma": 1.0,
    "confidence.precision": 1.0,
}
LEAST = 1024  # bytes of an array that is compressed
LEVEL = 9  # of zstd
TYPES = ("float64", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)))


# ---- weights that were learned ---------------------------------------------------------------------------------------


def learned_only(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays of `AT_FIRST` without the weights for which all of them are as they were at first, and where the others are.

    `learned` has the distance of each weight from the one before it, and `shape` the number of vectors and their length.
    """
    shape = arrays["team.w"].shape
    bits = {
        name: np.ascontiguousarray(arrays[name]).reshape(-1).view(np.int64)  # so that −0 differs from 0
        for name in AT_FIRST
        if name in arrays and arrays[name].shape == shape
    }
    changed = np.zeros(shape[0] * shape[1], bool)
    for name, numbers in bits.items():
        changed |= numbers != np.float64(AT_FIRST[name]).view(np.int64)
    places = np.flatnonzero(changed)
    gaps = np.diff(places, prepend=0)
    where = {"learned": gaps.astype(np.min_scalar_type(int(gaps.max(initial=0)))), "shape": np.array(shape, np.int64)}
    return {**arrays, **{name: numbers[places].view(np.float64) for name, numbers in bits.items()}, **where}


def with_all_weights(arrays: Mapping[str, Array], columns: int, classes: int) -> dict[str, Array]:
    """The inverse of `learned_only`, for a model of so many columns and classes."""
    if "learned" not in arrays:
        return dict(arrays)
    rest = dict(arrays)
    gaps, shape = rest.pop("learned"), rest.pop("shape")
    if shape.dtype != np.int64 or shape.shape != (2,) or gaps.dtype.kind != "u" or gaps.ndim != 1:
        raise ValueError("the places of the weights are damaged")
    vectors, length = shape.tolist()
    # With multiclass="direct" one vector has the weights of all classes. The ghost is one more vector.
    if not (0 < vectors <= classes + 1 and length > 0 and length % (columns + 1) == 0 and length // (columns + 1) <= classes):
        raise ValueError(f"{vectors} vectors of {length} weights do not fit {classes} classes and {columns} columns")
    names = [name for name in AT_FIRST if name in rest and rest[name].ndim == 1]
    _check_memory(8 * len(names) * vectors * length)
    steps = gaps[1:]
    if (steps == 0).any() or (gaps >= vectors * length).any():
        raise ValueError("the places of the weights are damaged")
    places = np.cumsum(gaps, dtype=np.int64)
    if places.max(initial=0) >= vectors * length:
        raise ValueError("the places of the weights are damaged")
    for name in names:
        if rest[name].dtype != np.float64 or len(rest[name]) != len(places):
            raise ValueError(f"{name} should have {len(places)} numbers")
        numbers = np.zeros(vectors * length) if AT_FIRST[name] == 0 else np.full(vectors * length, AT_FIRST[name])
        numbers[places] = rest[name]
        rest[name] = numbers.reshape(vectors, length)
    return rest


# ---- compression -----------------------------------------------------------------------------------------------------


def compressed(arrays: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays, long ones as zstd frames; and the type and shape of each that is compressed, for JSON.

    Of whole numbers, the first bytes of all come first, then the second ones, and so on: the high ones are mostly 0.
    """
    import zstandard

    packer, stored, packed = zstandard.ZstdCompressor(level=LEVEL), {}, {}
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        frame = packer.compress(_in_planes(array)) if array.nbytes >= LEAST and array.dtype.name in TYPES else b""
        if frame and len(frame) < array.nbytes:
            stored[name], packed[name] = np.frombuffer(frame, np.uint8), [array.dtype.name, list(array.shape)]
        else:
            stored[name] = array
    return stored, packed


def decompressed(arrays: Mapping[str, Array], packed: Mapping[str, Any]) -> dict[str, Array]:
    """The inverse of `compressed`. Nothing is decompressed unless there is memory for all of it."""
    import zstandard

    expected = {}
    for name, (kind, shape) in packed.items():
        if kind not in TYPES or not all(type(n) is int and 0 <= n < 2**48 for n in shape) or arrays[name].dtype != np.uint8:
            raise ValueError(f"{name} is damaged")
        size = np.dtype(kind).itemsize
        for n in shape:
            size *= n
        expected[name] = size
    _check_memory(sum(expected.values()))
    whole, unpacker = dict(arrays), zstandard.ZstdDecompressor()
    for name, (kind, shape) in packed.items():
        try:
            frame = arrays[name].tobytes()
            content = unpacker.decompress(frame) if zstandard.frame_content_size(frame) == expected[name] else b""
        except zstandard.ZstdError:
            content = b""
        if len(content) != expected[name]:
            raise ValueError(f"{name} is damaged")
        whole[name] = _from_planes(content, np.dtype(kind)).reshape(shape)
    return whole


def _in_planes(array: Array) -> bytes:
    if array.dtype.kind == "f":
        return array.tobytes()
    planes: Array = array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T
    return planes.tobytes()


def _from_planes(content: bytes, kind: Any) -> Array:
    if kind.kind == "f":
        return np.frombuffer(content, kind)
    whole: Array = np.frombuffer(content, np.uint8).reshape(kind.itemsize, -1).T.copy().view(kind)
    return whole.reshape(-1)


def _check_memory(needed: int) -> None:
    most = free_memory()
    if needed > most:
        raise ValueError(f"it needs {needed:,} bytes of memory, and {most:,} are free; use a machine with more memory")
