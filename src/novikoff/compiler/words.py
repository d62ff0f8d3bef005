"""Arguments as the compiled library takes them: their types, which find the machine code, and a row of 64-bit words.

An array is one word, the address of its fields (NumPy's `PyArrayObject_fields`, which its C interface keeps as they are). A
number is one word. A tuple is its parts in a row. All types of a family, such as the rules, share one machine code: an argument
is the number of its type and then the words of every type of the family, of which only its own are looked at.
"""

from collections.abc import Callable, Sequence
from functools import cache
from struct import Struct
from typing import Any, TypeVar

import numpy as np

FIELDS = object.__basicsize__  # where the fields of an array begin: after what every Python object begins with
CONTIGUOUS, ALIGNED = 0x001, 0x100  # flags of NumPy's arrays
EITHER, BY_ROWS, STRIDED = "either", "by rows", "strided"  # how the two-dimensional arrays of a member of a family lie in memory

Kind = Any  # hashable
F = TypeVar("F", bound=Callable[[], Sequence[Any]])


class Family:
    """Types of which an argument may be any. `make` gives one value of each: floats, and arrays without entries."""

    def __init__(self, name: str, make: Callable[[], Sequence[Any]]) -> None:
        self.name = name
        self.members = members = list(make())
        self.numbers = {type(member): k for k, member in enumerate(members)}
        self._parts = [tuple(_part(part) for part in member) for member in members]
        words: list[list[Any]] = [[_word(part) for part in member] for member in members]
        self._before = [[k, *(w for own in words[:k] for w in own)] for k in range(len(members))]
        self._after = [[w for own in words[k + 1 :] for w in own] for k in range(len(members))]
        self.form = "q" + "".join("d" if part == "number" else "q" for parts in self._parts for part in parts)

    def __str__(self) -> str:
        return f"{self.name}({' '.join(f'{type(m).__module__}.{type(m).__qualname__}{m._fields}' for m in self.members)})"

    def take_apart(self, value: Any, key: list[Kind], words: list[Any]) -> None:
        k, lies = self.numbers[type(value)], EITHER
        words += self._before[k]
        for part, known in zip(value, self._parts[k], strict=True):
            words.append(_word(part))
            if known == "number":
                lies = lies if type(part) is float else f"{type(part)} for a float"
            elif type(part) is not np.ndarray or (part.dtype, part.ndim) != known:
                lies = "of other types"
            elif not part.flags.num & CONTIGUOUS or part.ndim == 2:
                found = BY_ROWS if part.flags.num & CONTIGUOUS else STRIDED
                lies = found if lies in (EITHER, found) and part.ndim == 2 and part.flags.num & ALIGNED else "mixed"
        words += self._after[k]
        key += self, lies


def _part(part: Any) -> Any:
    return (part.dtype, part.ndim) if isinstance(part, np.ndarray) else "number"


def _word(part: Any) -> Any:
    return id(part) + FIELDS if isinstance(part, np.ndarray) else part


_families: list[Callable[[], Family]] = []


def family(name: str) -> Callable[[F], F]:
    """Declare a family: the function gives one value of each of its types."""

    def declare(make: F) -> F:
        _families.append(cache(lambda: Family(name, make)))
        return make

    return declare


def families() -> list[Family]:
    """Those that are declared by now."""
    return [each() for each in _families]


@cache
def family_of(kind: type) -> Family | None:
    """The family that this type belongs to. Ask for types of arguments only: where these are known, so are their families."""
    return next((each for each in families() if kind in each.numbers), None)


def take_apart(arguments: Sequence[Any], key: list[Kind], words: list[Any]) -> None:
    """The types of the arguments, appended to the key, and their words."""
    for x in arguments:
        kind = type(x)
        if isinstance(x, np.ndarray):  # also one that is mapped from a file
            key += x.dtype, x.ndim, x.flags.num & (CONTIGUOUS | ALIGNED)
            words.append(id(x) + FIELDS)
        elif kind is int or kind is float or kind is bool:
            key.append(kind)
            words.append(x)
        elif isinstance(x, tuple):
            of = family_of(kind)  # type: ignore[arg-type]
            if of is not None:
                of.take_apart(x, key, words)
            else:
                key += kind, len(x)
                take_apart(x, key, words)
        elif isinstance(x, np.generic):
            key += "scalar", kind
            words.append(x.item())
        else:  # None, and whatever only numba knows of
            key.append(kind)


def words_before(arguments: Sequence[Any]) -> int:
    """How many words these arguments take."""
    words: list[Any] = []
    take_apart(arguments, [], words)
    return len(words)


def layout_of(key: Sequence[Kind]) -> Struct:
    """How the words lie in memory."""
    form, parts = "", iter(key)
    for part in parts:
        if isinstance(part, np.dtype):
            next(parts), next(parts)
            form += "q"
        elif isinstance(part, Family):
            next(parts)
            form += part.form
        elif part == "scalar":
            kind: Any = next(parts)
            form += "d" if issubclass(kind, np.floating) else "Q" if issubclass(kind, np.unsignedinteger) else "q"
        elif part in (int, bool, float):
            form += "d" if part is float else "q"
        elif isinstance(part, type) and issubclass(part, tuple):
            next(parts)
    return Struct(form)


def names(key: Sequence[Kind]) -> list[str]:
    """The types in words. If arrays of families may lie in either way, since there are none: in both. What is compiled for
    strided tables also takes tables that lie by rows, so that is the last name."""
    ways = [BY_ROWS, STRIDED] if EITHER in key else [""]
    texts = [[way if part == EITHER else _name(part) for part in key] for way in ways]
    return [" ".join(text) for text in texts] + [" ".join(_strided(text)) for text in texts]


def _name(part: Any) -> str:
    return f"{part.__module__}.{part.__qualname__}" if isinstance(part, type) else str(part)


def _strided(text: list[str]) -> list[str]:
    """With all two-dimensional arrays strided."""
    by_rows, strided = str(CONTIGUOUS | ALIGNED), str(ALIGNED)
    return [strided if k and word == by_rows and text[k - 1] == "2" else word for k, word in enumerate(text)]
