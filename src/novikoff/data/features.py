"""How a feature gets its column: by number, by name, or by hash. A model stores this together with its weights.

`width` is the number of columns so far. Features grow during learning. When they are frozen, new features get no column and
are ignored, as if their weight were 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from novikoff.compiler.dispatch import compiled
from novikoff.data.feature_bags import LONGEST_NAME, Met, hash_names, note_names
from novikoff.data.hashing import MOST_BITS, Way
from novikoff.data.murmur import PADDING
from novikoff.foundation.array_types import Array

DIRECT = 2**22  # smaller feature numbers are columns; a file with larger ones numbers them in order of occurrence
LARGEST = 2**63 - 1
NOWHERE = -1  # the column of a feature without a column
MOST_NAMES = 2**26  # bytes of the names of hashed features
MOST_KEPT = 2**17  # names of hashed features that are saved


class Features:
    """Base class of the three kinds."""

    kind: ClassVar[str]
    frozen = False

    @property
    def width(self) -> int:
        raise NotImplementedError

    def name(self, column: int) -> str:
        """The name of the feature of this column."""
        raise NotImplementedError

    def sign(self, column: int) -> int:
        """−1 if the values of the feature are stored with the opposite sign, so that its weight means the opposite; else 1."""
        return 1

    def places(self, other: Any, met: Array) -> Array:
        """The column in these features of each of the columns `met` of `other`, as int32; NOWHERE if there is none."""
        raise NotImplementedError

    def header(self) -> dict[str, Any]:
        """Settings for JSON; `of` restores the features from them and from `tensors`."""
        raise NotImplementedError

    def tensors(self, columns: Array | None = None) -> dict[str, Array]:
        """The tables as arrays. `columns` are the most important columns, if not all names can be kept."""
        return {}

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Features":
        raise NotImplementedError


class Numbered(Features):
    """Features are integers, counted from `base`. Column j is feature base + j, except for very large numbers.

    If a file has a number of DIRECT or more, further numbers get columns in order of occurrence, so that there are only as many
    weights as features.
    """

    kind = "numbered"

    def __init__(self, base: int = 0, width: int = 0, far: Sequence[int] | None = None) -> None:
        self.base = base
        self._near = width  # smaller columns are feature numbers themselves
        self.compacted = far is not None
        self._far = {number: width + k for k, number in enumerate(far or ())}
        self._numbers = list(far or ())  # of the columns from `_near` on

    @property
    def width(self) -> int:
        return self._near + len(self._numbers)

    def name(self, column: int) -> str:
        return str(column + self.base if column < self._near else self._numbers[column - self._near])

    def numbers(self, columns: Array) -> Array:
        """The numbers of these columns."""
        near, far = np.arange(self.base, self.base + self._near, dtype=np.int64), np.array(self._numbers, np.int64)
        return np.concatenate([near, far])[columns] if self.compacted else np.add(columns, self.base, dtype=columns.dtype)

    def widen(self, width: int) -> None:
        """Make at least `width` columns, each of them a feature number itself."""
        self._near = max(self._near, width)

    def columns(self, numbers: Array, most: int) -> Array:
        """The column of each of these numbers, the largest of which is `most`, as int32; computed in place if possible."""
        if not self.takes(most):
            return self._by_table(numbers)
        numbers = numbers.astype(np.int32, copy=False)
        return np.subtract(numbers, np.int32(self.base), out=numbers) if self.base else numbers

    def places(self, other: "Numbered", met: Array) -> Array:
        numbers = other.numbers(met.astype(np.int64))
        if numbers.min(initial=self.base) < self.base:
            raise ValueError("an index is 0, but earlier indices count from 1")
        return self.columns(numbers, int(numbers.max(initial=self.base - 1)))

    @classmethod
    def together(cls, parts: Sequence["Numbered"]) -> "Numbered":
        """Counted from the base of the first part. Large numbers get columns in order of occurrence, as in one file."""
        base = min(part.base for part in parts)
        most = max(part.base + part._near for part in parts)
        if not any(part.compacted for part in parts):
            return cls(base, most - base)
        numbers = [part.numbers(np.arange(part.width)) for part in parts]
        return cls(base, 0, np.unique(np.concatenate(numbers)).tolist())

    def takes(self, most: int) -> bool:
        """Whether all numbers up to `most`, minus the base, are columns themselves. If so, these columns are made."""
        top = most - self.base + 1
        if self.compacted or top > max(self._near, 0 if self.frozen else DIRECT):
            return False
        self.widen(top)
        return True

    def _by_table(self, numbers: Array) -> Array:
        met, inverse = np.unique(numbers, return_inverse=True)
        near = int(np.searchsorted(met, self._near + self.base))
        far = met[near:].tolist()
        if not self.frozen:
            self.compacted = True
            for number in far:
                if number not in self._far:
                    self._far[number] = self.width
                    self._numbers.append(number)
        columns = [*(met[:near] - self.base).tolist(), *(self._far.get(number, NOWHERE) for number in far)]
        return np.array(columns, np.int32)[inverse]

    def header(self) -> dict[str, Any]:
        return {"kind": self.kind, "base": self.base, "near": self._near, "compacted": self.compacted}

    def tensors(self, columns: Array | None = None) -> dict[str, Array]:
        return {"numbers": np.array(self._numbers, np.int64)} if self.compacted else {}

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Numbered":
        if not all(type(header[name]) is int and 0 <= header[name] <= LARGEST for name in ("base", "near")):
            raise ValueError("the numbers of the features are damaged")
        far = tensors["numbers"].tolist() if header["compacted"] else None
        if far is not None and not (tensors["numbers"].dtype == np.int64 and len(set(far)) == len(far)):
            raise ValueError("the numbers of the features are damaged")
        return cls(header["base"], header["near"], far)


class Named(Features):
    """Features are names, numbered in order of occurrence. Some are indicators: of a category, or of a gap."""

    kind = "named"

    def __init__(self, names: Sequence[str] = (), indicators: Iterable[str] = ()) -> None:
        self._columns = {name: column for column, name in enumerate(names)}
        self._names = list(names)
        self._indicators = set(indicators)

    @property
    def width(self) -> int:
        return len(self._names)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._names)

    def name(self, column: int) -> str:
        return self._names[column]

    @property
    def numbers(self) -> Array:
        """Which columns hold numbers: all but the indicators."""
        return np.array([name not in self._indicators for name in self._names], bool)

    def column(self, name: str) -> int:
        found = self._columns.get(name, NOWHERE)
        if found == NOWHERE and not self.frozen:
            found = self._columns[name] = len(self._names)
            self._names.append(name)
        return found

    def indicator(self, name: str) -> int:
        """The column of this feature, which is an indicator if it is new."""
        if name not in self._columns and not self.frozen:
            self._indicators.add(name)
        return self.column(name)

    @property
    def table(self) -> Mapping[Any, int]:
        """The columns by name. It is not a copy: do not change it."""
        return self._columns

    def found(self, names: Iterable[str]) -> Array:
        """The column of each of these names that has one, as int32; NOWHERE for the others."""
        return np.array([self._columns.get(name, NOWHERE) for name in names], np.int32)

    def columns(self, names: Sequence[str]) -> Array:
        """The column of each of these names, as int32."""
        found = list(map(self._columns.get, names))
        if None in found:
            found = [self.column(name) for name in names]
        return np.array(found, np.int32)

    def places(self, other: "Named", met: Array) -> Array:
        names = [other.name(column) for column in met.tolist()]
        if not self.frozen:
            self._indicators |= {name for name in other._indicators.intersection(names) if name not in self._columns}
        return self.columns(names)

    def header(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def tensors(self, columns: Array | None = None) -> dict[str, Array]:
        return packed(self._names) | ({"numbers": np.packbits(self.numbers)} if self._indicators else {})

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Named":
        names = unpacked(tensors)
        if len(set(names)) < len(names):
            raise ValueError("two features have the same name")
        if "numbers" not in tensors:
            return cls(names)
        if len(tensors["numbers"]) != (len(names) + 7) // 8 or tensors["numbers"].dtype != np.uint8:
            raise ValueError("the kinds of the features are damaged")
        numbers = np.unpackbits(tensors["numbers"], count=len(names))
        return cls(names, [name for name, number in zip(names, numbers.tolist(), strict=True) if not number])


class Hashed(Features):
    """Features are texts, and their columns are hashes. `scheme` is the name of the reader that makes them.

    There are 2^bits columns (buckets) from the start. Learning does not need the names of features. To explain the weights, the
    name of the first feature in each bucket is kept, up to MOST_NAMES bytes of names.
    """

    kind = "hashed"

    def __init__(self, bits: int = 20, words: int = 1, characters: int = 0, scheme: str = "text") -> None:
        if not 1 <= bits <= MOST_BITS:
            raise ValueError(f"hashed features take 1 to {MOST_BITS} bits, not {bits}")
        if words < 0 or characters < 0 or not words + characters:
            raise ValueError(f"words and characters must not be negative, and not both 0; they are {words} and {characters}")
        self.way = Way(bits, words, characters)
        self.scheme = scheme
        # A second hash of the feature in each bucket, odd for a negative sign; 0: no feature.
        self._check = np.zeros(2**bits, np.uint32)
        self._at = np.zeros(2**bits, np.uint32)  # where its name begins among the names
        self._length = np.zeros(2**bits, np.uint8)  # and how long it is; 0: not known
        self._shared = np.zeros(2**bits, bool)
        self._names = np.empty(0, np.uint8)
        self._used = 0

    @property
    def width(self) -> int:
        return 1 << self.way.bits

    @property
    def collisions(self) -> int:
        """How many buckets are known to have more than one feature."""
        return int(self._shared.sum())

    def name(self, column: int) -> str:
        at, length = int(self._at[column]), int(self._length[column])
        text = self._names[at : at + min(length, LONGEST_NAME)].tobytes().decode("utf-8", "ignore")
        return text + "…" * (length > LONGEST_NAME) if length else f"bucket {column}"

    def sign(self, column: int) -> int:
        return -1 if self._check[column] & 1 else 1

    def places(self, other: "Hashed", met: Array) -> Array:
        if self.header() != other.header():
            raise ValueError(f"its features are hashed {other._description()}, but earlier ones {self._description()}")
        return met.astype(np.int32)

    def _description(self) -> str:
        bits, words, characters = self.way
        return f"as {self.scheme} (bits {bits}, words {words}, characters {characters})"

    def take_names(self, other: "Hashed") -> None:
        """Name buckets without a name as in `other`, which was read later; mark buckets with different features as shared."""
        there, here = other._check != 0, self._check != 0
        self._shared |= other._shared | (there & here & (other._check != self._check))
        new = np.flatnonzero(there & ~here)
        room = MOST_NAMES - self._used
        length = np.minimum(other._length[new].astype(np.int64), LONGEST_NAME + 1)
        new = new[np.cumsum(length) <= room]
        length = length[: len(new)]
        starts = np.cumsum(length) - length
        inside = np.arange(length.sum()) - np.repeat(starts, length)
        names = other._names[np.repeat(other._at[new].astype(np.int64), length) + inside]
        self._check[new], self._at[new], self._length[new] = other._check[new], self._used + starts, other._length[new]
        self._names = np.concatenate([self._names[: self._used], names])
        self._used = len(self._names)

    def note(self, met: Met) -> None:
        """Record these features: name the buckets without a name, and mark buckets that have another feature as shared."""
        if self.frozen:
            return
        room = min(MOST_NAMES, self._used + int(np.minimum(met.length + met.space_length + 1, LONGEST_NAME + 1).sum()))
        if room > len(self._names):
            more = min(MOST_NAMES, room + room // 2) - self._used
            self._names = np.concatenate([self._names[: self._used], np.empty(more, np.uint8)])
        self._used = compiled(note_names)(met, self._check, self._at, self._length, self._shared, self._names, self._used)

    def header(self) -> dict[str, Any]:
        return {"kind": self.kind, "scheme": self.scheme, **self.way._asdict()}

    def tensors(self, columns: Array | None = None) -> dict[str, Array]:
        """The names, at most MOST_KEPT, of the first of these columns if given; and which buckets are shared.

        First come the names that tell their own bucket and sign by their hash, as those of texts do, in alphabetical order. The
        others, such as names that were cut, come in the order of their buckets, which are listed with their checks.

        When they are loaded, a bucket without a name counts as a bucket without a feature, so `collisions` may then be too low.
        """
        met = np.flatnonzero(self._check) if columns is None else columns[self._check[columns] != 0]
        named = np.sort(met[:MOST_KEPT])
        at, length = self._at[named].astype(np.int64), self._length[named]
        buckets, checks = _hashes(self._names[: self._used], at, length, self.way.bits)
        telling = (buckets == named) & (checks == self._check[named]) & (length > 0)
        content, spans = self._names.tobytes(), list(zip(at.tolist(), (at + length).tolist(), strict=True))
        first = sorted(content[spans[i][0] : spans[i][1]] for i in np.flatnonzero(telling))
        names = [*first, *(content[spans[i][0] : spans[i][1]] for i in np.flatnonzero(~telling))]
        tables = {
            "text": np.frombuffer(b"".join(names), np.uint8),
            "lengths": np.array([len(name) for name in names], np.uint8),
            "columns": named[~telling].astype(np.int32),
            "check": self._check[named][~telling],
        }
        return tables | ({"shared": np.flatnonzero(self._shared).astype(np.int32)} if self._shared.any() else {})

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array]) -> "Hashed":
        if not all(type(header[name]) is int for name in ("bits", "words", "characters")):
            raise ValueError("the settings of the features are damaged")
        new = cls(header["bits"], header["words"], header["characters"], header["scheme"])
        try:
            new._take_tables(tensors if "ends" not in tensors else _today(tensors, new.width))
        except (IndexError, TypeError, ValueError):
            raise ValueError("the names are damaged") from None
        return new

    def _take_tables(self, tensors: dict[str, Array]) -> None:
        """Take the names of `tensors`. Raises an error if they are inconsistent."""
        text, length, others, check = (tensors[name] for name in ("text", "lengths", "columns", "check"))
        shared = tensors.get("shared", np.empty(0, np.int32))
        ends = np.cumsum(length, dtype=np.int64)
        telling = len(length) - len(others)
        if (
            any(table.ndim != 1 for table in (text, length, others, check, shared))
            or (text.dtype, length.dtype, check.dtype) != (np.uint8, np.uint8, np.uint32)
            or any(table.dtype != np.int32 or ((table < 0) | (table >= self.width)).any() for table in (others, shared))
            or len(check) != len(others)
            or telling < 0
            or (length > LONGEST_NAME + 1).any()
            or len(text) != (ends[-1] if len(ends) else 0)
        ):
            raise ValueError
        buckets, checks = _hashes(text, (ends - length)[:telling], length[:telling], self.way.bits)
        columns = np.concatenate([buckets, others])
        self._check[columns] = np.concatenate([checks, check])
        self._at[columns], self._length[columns] = ends - length, length
        self._names, self._used = text.copy(), len(text)
        self._shared[shared] = True


def _hashes(names: Array, at: Array, length: Array, bits: int) -> tuple[Array, Array]:
    """The bucket and the check of each name, by the hash of its bytes."""
    buckets, checks = np.empty(len(at), np.int64), np.empty(len(at), np.uint32)
    content = np.concatenate([names, np.zeros(PADDING, np.uint8)])
    compiled(hash_names)(content, at, length.astype(np.int64), bits, buckets, checks)
    return buckets, checks


def _today(tensors: dict[str, Array], width: int) -> dict[str, Array]:
    """The tables as they are written today, from an older file: all columns and checks, ends, and a bit for each bucket."""
    ends, shared = tensors["ends"].astype(np.int64), tensors.get("shared", np.zeros((width + 7) // 8, np.uint8))
    length = np.diff(ends, prepend=0)
    if len(shared) != (width + 7) // 8 or ((length < 0) | (length > LONGEST_NAME + 1)).any():
        raise ValueError
    return tensors | {
        "lengths": length.astype(np.uint8),
        "columns": tensors["columns"].astype(np.int32),
        "shared": np.flatnonzero(np.unpackbits(shared, count=width)).astype(np.int32),
    }


def together(parts: Sequence[Features]) -> Features:
    """Features of one kind with a column for every feature of every part, numbered as if the parts were read one after another.

    >>> together([Named(["a", "b"]), Named(["c", "a"])]).names
    ('a', 'b', 'c')
    """
    first = parts[0]
    kinds = list(dict.fromkeys(part.kind for part in parts))
    if len(kinds) > 1:
        raise ValueError(f"the parts have features of different kinds: {kinds[0]} and {kinds[1]}")
    if isinstance(first, Numbered):
        return Numbered.together([part for part in parts if isinstance(part, Numbered)])
    all_of_them = Named() if isinstance(first, Named) else features_of(first.header(), first.tensors())
    for part in parts:
        all_of_them.places(part, np.arange(part.width))
    return all_of_them


def features_of(header: dict[str, Any], tensors: dict[str, Array]) -> Features:
    """The features from `header` and `tensors`."""
    kinds = {kind.kind: kind for kind in Features.__subclasses__()}
    if header["kind"] not in kinds:
        raise ValueError(f"unknown kind of features {header['kind']!r}; the kinds are {', '.join(kinds)}")
    return kinds[header["kind"]].of(header, tensors)


def packed(texts: Sequence[str]) -> dict[str, Array]:
    """Texts as one array of bytes and one of their ends."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {"text": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def unpacked(tensors: dict[str, Array]) -> list[str]:
    """The inverse of `packed`. Raises an error if the ends decrease or lie beyond the bytes."""
    content, ends = tensors["text"].tobytes(), [0, *tensors["ends"].tolist()]
    if tensors["ends"].dtype != np.int64 or ends != sorted(ends) or ends[-1] != len(content):
        raise ValueError("the names are damaged")
    return [content[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]
