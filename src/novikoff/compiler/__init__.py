"""Generic functions and loops that run as plain Python and, from the same source, as machine code.

A storage, a rule or a readout is a `NamedTuple`. Its functions are `generic`: dispatched on the type of the first argument.
The registry of `functools.singledispatch` is also passed to numba, so nothing is registered twice. This file has what loops are
written with; `dispatch.py` runs them as machine code, from the library that was compiled ahead of time (`library.py`) or by numba
(`by_numba.py`).
"""

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any, Protocol, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class Question(Protocol):
    """A function decorated with `generic`."""

    registry: Mapping[type, Callable[..., Any]]

    def __call__(self, *args: Any) -> Any: ...
    def register(self, kind: type) -> Callable[[F], F]: ...


generics: list[Question] = []
registries: list[Mapping[type, Callable[..., Any]]] = []  # theirs
helpers: list[Callable[..., Any]] = []
files_apart: set[str] = set()
LANES = 16  # parallel sums of `dot`: enough that an addition need not wait for the one before


def generic(f: Callable[..., Any]) -> Question:
    """Declare a generic function. Types implement it with `@f.register(Type)` and the same parameter names."""
    question = cast(Question, singledispatch(f))
    generics.append(question)
    registries.append(question.registry)
    return question


def helper(f: F) -> F:
    """A plain function that compiled code may call. It is inlined."""
    helpers.append(f)
    return f


@helper
def wide(x: Any) -> Any:
    """In compiled code, converts a float32 to a float64. Anything else, such as a fraction, is returned as it is."""
    return x


@helper
def dot(x: Any, w: Any) -> Any:
    """Σ xⱼwⱼ, with the same bits on every processor. w must be at least as long as x; this is not checked.

    LANES parallel sums each take one number of the row at a time. When fewer numbers than sums are left, the second half of the
    sums is added to the first, and half as many sums continue, down to one.
    """
    j, sums = 0, [0] * (2 * LANES)
    while len(sums) > 1:
        lanes = len(sums) // 2
        sums = [a + b for a, b in zip(sums[:lanes], sums[lanes:], strict=True)]
        while j + lanes <= len(x):
            sums = [s + w[j + k] * x[j + k] for k, s in enumerate(sums)]
            j += lanes
    return sums[0]


@helper
def prefetch(array: Any, i: Any, j: Any) -> None:
    """Prefetch `array[i, j]` (or `array[i]`, with j = 0) into the cache. Affects only speed."""


@helper
def store_shared(counter: Any, t: Any) -> None:
    """Set counter[0] to t atomically, so that another thread can read it."""
    counter[0] = t


@helper
def load_shared(counter: Any) -> Any:
    """The value that another thread last stored. It is read from memory at each call."""
    return counter[0]


@helper
def eight_bytes(content: Any, p: Any) -> Any:
    """The bytes p … p+7 of an array of bytes as one little-endian number. Bounds are not checked."""
    return int.from_bytes(bytes(content[p : p + 8]), "little")


@helper
def byte_at(content: Any, p: Any) -> Any:
    """Byte p of an array of bytes, p ≥ 0. Bounds are not checked."""
    return int(content[p])


@helper
def trailing_zeros(number: Any) -> Any:
    """The zero bits below the lowest one bit; 64 if there is none."""
    return (int(number) & -int(number)).bit_length() - 1 if number else 64


@helper
def high_product(a: Any, b: Any) -> Any:
    """The upper 64 of the 128 bits of a·b."""
    return int(a) * int(b) >> 64


@helper
def marks(content: Any, p: Any) -> Any:
    """One bit for each of the bytes p … p+63 that may end a word or a part of a number: codes up to the space, and : . # ."""
    return sum(1 << k for k, byte in enumerate(bytes(content[p : p + 64])) if byte <= 32 or byte in b":.#")


def loop(f: F) -> F:
    """Mark a loop for compiling. `f` itself stays the plain Python function; `dispatch.compiled(f)` is the machine code."""
    return f


def apart(file: str) -> None:
    """Declare that the loops of this file only use helpers of such files. Loops of other files do not depend on it."""
    files_apart.add(file)
