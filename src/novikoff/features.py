"""How a feature gets its column: by number, by name, or by hash. A model keeps this beside its weights.

`width` is the number of columns so far. Features grow while they learn; frozen, they give no column to a feature that was
never met, and such features say nothing, as a weight of 0 would.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

Array = np.ndarray[Any, Any]

DIRECT = 2**22  # numbers below are columns themselves; those of a file with larger ones are numbered as they are met
LARGEST = 2**63 - 1
NOWHERE = -1  # the column of a feature that has none


class Features:
    """What the three kinds have in common."""

    kind: ClassVar[str]
    frozen = False

    @property
    def width(self) -> int:
        raise NotImplementedError

    def name(self, column: int) -> str:
        """What people call the feature of this column."""
        raise NotImplementedError

    def header(self) -> dict[str, Any]:
        """All but the tables, as JSON can hold it; `of` makes the features again of this and `tensors`."""
        raise NotImplementedError

    def tensors(self) -> dict[str, Array]:
        """The tables, as arrays of numbers."""
        return {}

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Features":
        raise NotImplementedError


class Numbered(Features):
    """Features are whole numbers, counted from `base`. Column j is feature base + j, but for numbers that are too large for that.

    A file with a number of DIRECT or more has its further numbers numbered in the order in which they are met, so that the
    weights are as many as the features.
    """

    kind = "numbered"

    def __init__(self, base: int = 0, width: int = 0, far: Sequence[int] | None = None) -> None:
        self.base = base
        self._near = width  # columns below are numbers themselves
        self._far = None if far is None else {number: width + k for k, number in enumerate(far)}

    @property
    def width(self) -> int:
        return self._near + len(self._far or ())

    def name(self, column: int) -> str:
        if column < self._near:
            return str(column + self.base)
        return str(next(number for number, at in (self._far or {}).items() if at == column))

    def columns(self, numbers: Array) -> Array:
        """The column of each of these numbers, as int32."""
        numbers = numbers.astype(np.int64) if numbers.dtype != np.int32 else numbers
        top = int(numbers.max(initial=self.base - 1)) - self.base + 1
        if self._far is None and top <= max(self._near, 0 if self.frozen else DIRECT):
            self._near = max(self._near, top)
            return (numbers - numbers.dtype.type(self.base)).astype(np.int32, copy=False)
        return self._by_table(numbers)

    def _by_table(self, numbers: Array) -> Array:
        if self._far is None:
            self._far = {}
        met, inverse = np.unique(numbers, return_inverse=True)
        columns = np.full(len(met), NOWHERE, np.int32)
        near = met < self._near + self.base
        columns[near] = met[near] - self.base
        for k in np.flatnonzero(~near).tolist():
            number = int(met[k])
            if number not in self._far and not self.frozen:
                self._far[number] = self.width
            columns[k] = self._far.get(number, NOWHERE)
        return columns[inverse]

    def header(self) -> dict[str, Any]:
        return {"kind": self.kind, "base": self.base, "near": self._near, "compacted": self._far is not None}

    def tensors(self) -> dict[str, Array]:
        return {} if self._far is None else {"numbers": np.array(list(self._far), np.int64)}

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Numbered":
        return cls(header["base"], header["near"], tensors["numbers"].tolist() if header["compacted"] else None)


class Named(Features):
    """Features are names, numbered as they are met."""

    kind = "named"

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._columns = {name: column for column, name in enumerate(names)}
        self._names = list(names)

    @property
    def width(self) -> int:
        return len(self._names)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._names)

    def name(self, column: int) -> str:
        return self._names[column]

    def column(self, name: str) -> int:
        found = self._columns.get(name, NOWHERE)
        if found == NOWHERE and not self.frozen:
            found = self._columns[name] = len(self._names)
            self._names.append(name)
        return found

    def columns(self, names: Sequence[str]) -> Array:
        """The column of each of these names, as int32."""
        return np.array([self.column(name) for name in names], np.int32)

    def header(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def tensors(self) -> dict[str, Array]:
        return packed(self._names)

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Named":
        return cls(unpacked(tensors))


def packed(texts: Sequence[str]) -> dict[str, Array]:
    """Texts as one array of bytes and one of their ends."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {"text": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def unpacked(tensors: dict[str, Array]) -> list[str]:
    """Of `packed`, the texts. Refuses ends that fall, or that lie beyond the bytes."""
    content, ends = tensors["text"].tobytes(), [0, *tensors["ends"].tolist()]
    if ends != sorted(ends) or ends[-1] != len(content):
        raise ValueError("the names are damaged")
    return [content[a:b].decode("utf-8", "surrogatepass") for a, b in zip(ends[:-1], ends[1:], strict=True)]
