"""Bytes become raw rows and labels: `open(paths)`, in blocks, and `read(paths)`, all at once, whatever the format.

Each format is one file of this folder, and says by which names and first lines it is recognised. What all of them hold to,
and `novikoff.proof.independent_parsers` too, without sharing a line with them:

- A number has decimal digits, perhaps a sign, a point and an exponent, and is finite as a double. Nothing is guessed for a
  missing one.
- Labels that are all numbers are numbers: whole ones are ints, so +1, 1 and 1.0 are the same label. Any other label makes
  all of them text, as written. In a stream the first block tells. A label that may be missing, and is, is NaN among numbers
  and empty among texts.
- What is wrong is said with its line, and what to do. The file is refused then, or the line is, if bad lines are to be skipped.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.data.features import NOWHERE, Features, Named
from novikoff.data.sources import Chunk, ReadError, Source, named, opened
from novikoff.foundation.parallel import cores, in_order, one_ahead, shares, side_by_side
from novikoff.foundation.registry import gather

Array = np.ndarray[Any, Any]

LARGEST_LABEL = 2**53  # whole numbers below are doubles too, each one another
LONGEST_LABEL = 200  # characters; anything longer is not a class's name
MOST_LABELS = 2**20  # different ones in one reading
SHOWN = 5  # bad lines whose sentences are kept
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")  # digits are matched in one way only
IN_NUMBERS = b"0123456789+-.eE"  # what Python's float takes of these characters alone is what NUMBER describes
NOT_UTF_8 = "is not UTF-8 text; convert it with iconv, or check the file's kind"
HAS_ZERO = "has a zero byte, which no text has; check the file's kind"
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class NoRowsError(ReadError):
    """There is nothing in the files."""


class Labelled(NamedTuple):
    """Rows and their labels, as they stand in the file."""

    X: Any  # a float64 array, or a csr_array
    y: Array  # int64, float64 or text
    names: tuple[str, ...] | None = None  # of the columns of X, where features have names; without a header, "1", "2", …
    weight: Array | None = None  # importance of the rows, where the file tells


class Part(NamedTuple):
    """What a format makes of some lines."""

    X: Any
    codes: Array  # labels, numbered as `Labels` does
    weight: Array | None = None


class Options(NamedTuple):
    """What a user may say about the files."""

    format: str | None = None  # the name of a format; None: found from name and content
    label: str | None = None  # a table's column, by name or counted from 1
    categories: tuple[str, ...] = ()  # columns of a table that hold categories, though they may look like numbers
    zero_based: bool | None = None  # whether svmlight's indices count from 0; None: found
    skip_bad_lines: bool = False
    unlabelled: bool = False  # whether labels may be missing, as where they are to be predicted
    bits: int = 20  # 2^bits buckets for hashed features
    words: int = 1  # runs of up to so many words are features of a text
    characters: int = 0  # and runs of so many characters; 0: none


REMEMBERED = ("label", "categories", "bits", "words", "characters")


def how_read(options: Options) -> dict[str, Any]:
    """What a model remembers of how its files were read."""
    kept = options._asdict()
    return {name: kept[name] for name in REMEMBERED}


def as_read(trained: dict[str, Any], options: Options) -> Options:
    """The options, completed by those that a model remembers."""
    label = options.label if options.label is not None else trained.get("label")
    kept = {name: trained[name] for name in ("bits", "words", "characters") if name in trained}
    return options._replace(label=label, categories=options.categories or tuple(trained.get("categories", ())), **kept)


@dataclass
class Reading:
    """What a format needs to know of the reading under way, and what it finds."""

    options: Options
    name: str  # of the first file
    whole: bool  # all parts are put together at the end, so what only the end shows is seen
    features: Features | None = None
    format: str = ""  # the name of the one that the files are of, once it is known
    made: bool = False  # whether this reading made the features
    labels: "Labels" = field(default_factory=lambda: Labels())
    skipped: list[str] = field(default_factory=list)  # the first few sentences
    n_skipped: int = 0
    passed_over: int = 0  # files in a folder of mail that are no mail
    finish: Callable[[Any, "Reading"], Any] | None = None  # what only the end shows: a better matrix of all rows

    def bad(self, where: Callable[[], str], why: str, rows: int = 1) -> None:
        """A line is wrong, or so many are for the same reason: the end of the reading, or of the line.

        `where` says where the first of them is. To find that takes a while, and it is asked only if the sentence is kept.
        """
        if not self.options.skip_bad_lines:
            raise ReadError(f"{where()}: {why}")
        self.n_skipped += rows
        if len(self.skipped) < SHOWN:
            self.skipped += [f"{where()}: {why}"] * min(rows, SHOWN - len(self.skipped))

    def features_of(self, kind: type, make: Callable[[], Any], name: str) -> Any:
        """The features so far, which must be of this kind; made now if these are the first rows."""
        if self.features is None:
            self.features, self.made = make(), True
        if not isinstance(self.features, kind):
            raise ReadError(f"{name}: its features are {kind.kind}, but those before are {self.features.kind}; give like files")  # type: ignore[attr-defined]
        return self.features


class Format(NamedTuple):
    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]  # whether a line, the first that tells, is of this format
    parts: Callable[[Source, Reading], Iterator[Part]]


_formats: dict[str, Format] = {}


def format(
    name: str, *suffixes: str, recognises: Callable[[bytes], bool]
) -> Callable[[Callable[[Source, Reading], Iterator[Part]]], Callable[[Source, Reading], Iterator[Part]]]:
    """Register `parts(source, reading)` for files with such names or, where the name says nothing, such lines."""

    def register(parts: Callable[[Source, Reading], Iterator[Part]]) -> Callable[[Source, Reading], Iterator[Part]]:
        _formats[name] = Format(name, suffixes, recognises, parts)
        return parts

    return register


def formats() -> list[str]:
    """The names of all formats."""
    gather(__name__)
    return sorted(_formats)


class Dataset:
    """Labelled files that are read when they are iterated over, in blocks of rows, again from the start each time.

    `features` says which column is what; given those of a model, the same columns are used.
    """

    def __init__(self, paths: Any, options: Options = Options(), features: Features | None = None) -> None:  # noqa: B008 (a constant)
        gather(__name__)
        if options.format is not None and options.format not in _formats:
            raise ReadError(f"there is no format {options.format!r}; the formats are {', '.join(sorted(_formats))}")
        self.paths = named(paths)
        self.options = options
        self.features = features
        self.reading = self._reading(whole=False)
        self._begun = False

    def __iter__(self) -> Iterator[Labelled]:
        for part in self.parts():
            yield Labelled(part.X, self.reading.labels.of(part.codes), _names(self.reading), part.weight)

    def parts(self) -> Iterator[Part]:
        """The same with labels as numbers, of `reading.labels`."""
        reading = self.begin()
        for part in self._parts(reading):
            self.features = reading.features
            yield part

    def read(self) -> Labelled:
        """All rows at once."""
        found = self.read_at_most(None)
        assert found is not None
        return found

    def read_at_most(self, most: int | None) -> Labelled | None:
        """All rows at once; None as soon as they turn out to take more bytes than that."""
        reading = self.begin(whole=True)
        parts: list[Part] = []
        taken = 0
        for part in self._parts(reading):
            parts.append(part)
            taken += part.X.data.nbytes * 3 // 2 if sp.issparse(part.X) else part.X.nbytes
            if most is not None and taken > most:
                return None
        X = _stacked([part.X for part in parts], reading.features)
        if reading.finish is not None:
            X = reading.finish(X, reading)
        self.features = reading.features
        weight = None
        if any(part.weight is not None for part in parts):
            weight = np.concatenate([np.ones(len(part.codes)) if part.weight is None else part.weight for part in parts])
        return Labelled(X, reading.labels.of(np.concatenate([part.codes for part in parts])), _names(reading), weight)

    def begin(self, whole: bool = False) -> Reading:
        """A reading of the files, from the start."""
        if self._begun and "-" in self.paths:
            raise ReadError("standard input: can be read only once; save it to a file first")
        self._begun = True
        self.reading = self._reading(whole)
        return self.reading

    def _reading(self, whole: bool) -> Reading:
        name = "standard input" if self.paths[0] == "-" else self.paths[0]
        return Reading(self.options, name, whole, self.features, labels=Labels(not whole, self.options.unlabelled, name))

    def _parts(self, reading: Reading) -> Iterator[Part]:
        anything, first = False, None
        for path in self.paths:
            with opened(path) as source:
                known = _format(source, self.options.format)
                first = first or known
                if known is not first:
                    raise ReadError(
                        f"{source.name}: is {known.name}, but {reading.name} is {first.name}; give files of one format"
                    )
                reading.format = known.name
                for part in known.parts(source, reading):
                    anything = anything or len(part.codes) > 0
                    yield part
        if not anything:
            raise NoRowsError(f"{reading.name}: has no rows; give a file with one labelled row a line")


def open(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    label: str | int | None = None,
    features: Features | None = None,
    **options: Any,
) -> Dataset:
    """Labelled files, by name, address or pattern ("logs/*.svm.gz", "s3://bucket/*.svm"); "-" is standard input.

    Iterated over, they give blocks of rows.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,age,kind\\n4.5,3,cat\\n30,5,dog\\n")
    ...     [block.y.tolist() for block in open(path)]
    [['cat', 'dog']]
    """
    return Dataset(paths, Options(label=None if label is None else str(label), **options), features)


def read(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]], *, label: str | int | None = None, **options: Any
) -> Labelled:
    """The rows and labels of files, all at once. `label` is a table's column, by name or counted from 1."""
    return open(paths, label=label, **options).read()


def _format(source: Source, wanted: str | None) -> Format:
    if wanted is not None:
        return _formats[wanted]
    for known in _formats.values():
        if source.suffix in known.suffixes:
            return known
    first = source.peek()
    for line in first.splitlines():
        found = [known for known in _formats.values() if not line.lstrip().startswith(b"#") and known.recognises(line)]
        if found:
            return min(found, key=lambda known: known.name == "csv")  # a separator may stand in lines of all kinds
    if not first:
        raise NoRowsError(f"{source.name}: is empty")
    raise ReadError(f"{source.name}: neither name nor content tells its format; give --format {'|'.join(sorted(_formats))}")


def _names(reading: Reading) -> tuple[str, ...] | None:
    return reading.features.names if isinstance(reading.features, Named) else None


def _stacked(parts: list[Any], features: Features | None) -> Any:
    """Matrices under each other, each as wide as the widest; sparse if one of them is."""
    width = max(max(part.shape[1] for part in parts), 0 if features is None else features.width)
    if len(parts) == 1:
        return widened(parts[0], width)
    if not any(map(sp.issparse, parts)):
        return np.concatenate([widened(part, width) for part in parts])
    parts = [sp.csr_array(part) for part in parts]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.indptr) for part in parts]), dtype=np.int64)])
    return matrix(joined([part.data for part in parts]), joined([part.indices for part in parts]), starts, width)


def joined(arrays: list[Array]) -> Array:
    """`np.concatenate`, on threads: what takes the time is memory that is touched for the first time."""
    ends = np.cumsum([len(array) for array in arrays]).tolist()
    together = np.empty(ends[-1], np.result_type(*arrays))

    def copy(share: range) -> None:
        for k in share:
            together[ends[k] - len(arrays[k]) : ends[k]] = arrays[k]

    side_by_side([partial(copy, share) for share in shares(len(arrays), cores())])
    return together


# ---- what formats have in common ------------------------------------------------------------------------------------


def matrix(values: Array, columns: Array, starts: Array, width: int) -> Any:
    """A csr_array of these, in 32-bit indices where they do."""
    kind = np.int32 if len(values) < 2**31 else np.int64  # SciPy gives both the wider type of the two
    return sp.csr_array(
        (values, columns.astype(kind, copy=False), starts.astype(kind, copy=False)), shape=(len(starts) - 1, width)
    )


def widened(X: Any, width: int) -> Any:
    """The matrix with as many columns; those that it lacks are 0."""
    if X.shape[1] == width:
        return X
    if sp.issparse(X):
        return matrix(X.data, X.indices, X.indptr, width)
    return np.hstack([X, np.zeros((X.shape[0], width - X.shape[1]))])


def known_only(values: Array, columns: Array, starts: Array) -> tuple[Array, Array, Array]:
    """The entries whose feature has a column."""
    known = columns != NOWHERE
    if known.all():
        return values, columns, starts
    return values[known], columns[known], np.concatenate([[0], np.cumsum(known)])[starts]


def parsed(source: Source, parse: Callable[[Chunk], Any], counted: bool = True) -> Iterator[tuple[Chunk, Any]]:
    """Each chunk of the source and what `parse` makes of it, on threads that are ahead of whoever asks."""
    chunks = source.chunks(counted)
    return in_order(
        lambda chunk: (chunk, parse(chunk)), chunks if source.may_rest else one_ahead(chunks), lambda chunk: chunk.resting
    )


def text_of(chunk: Chunk) -> str:
    """The chunk as text; what is none is refused."""
    content = chunk.bytes
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(f"{where(chunk, error.start)}: {NOT_UTF_8}") from None
    if "\0" in text:
        at = len(text[: text.index("\0")].encode("utf-8"))
        raise ReadError(f"{where(chunk, at)}: {HAS_ZERO}")
    return text.removeprefix("\ufeff") if chunk.first else text


def where(chunk: Chunk, at: int) -> str:
    """Source and line of a byte of the chunk."""
    line = chunk.line + bytes(chunk.content[:at]).count(b"\n")
    return f"{chunk.source}:{line}"


def numbers(texts: Sequence[str]) -> Array | None:
    """These as doubles; None if one of them is not a finite number, for the caller to say which."""
    if " ".join(texts).encode("utf-8").translate(None, IN_NUMBERS + b" "):
        return None
    try:
        values = np.array(list(map(float, texts)), np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def why_not_a_number(text: str) -> str | None:
    """None, if it is one."""
    if not text:
        return "the value is missing; fill it in or leave the row out"
    if NOT_FINITE.fullmatch(text) or (NUMBER.fullmatch(text) and not np.isfinite(float(text))):
        return f"{shown(text)} is not finite; fill in a number or leave the row out"
    return None if NUMBER.fullmatch(text) else f"{shown(text)} is not a number; write it like -1.5 or 2e-3"


def is_unicode(text: str) -> bool:
    """Whether it has no halves of surrogate pairs, which are no characters."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def first_twice(names: Iterable[str]) -> str | None:
    """The first name that was there before."""
    seen = set[str]()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


class Labels:
    """The labels of a reading: texts, numbered as they are met. Once settled, numbers stay numbers."""

    def __init__(self, settled: bool = False, may_lack: bool = False, name: str = "the data") -> None:
        self._codes: dict[str, int] = {}
        self._settled = settled
        self._may_lack = may_lack  # whether rows need not have one; an empty text stands for none then
        self._name = name  # of the first file
        self._values: Array | None = None

    def code(self, text: str) -> int | str:
        """The number of this label, or why it is none."""
        found = self._codes.get(text)
        if found is None:
            if why := self._why_not(text):
                return why
            if len(self._codes) == MOST_LABELS:
                raise ReadError(f"{self._name}: has more than {MOST_LABELS:,} different labels; check where the labels are")
            found = self._codes[text] = len(self._codes)
        return found

    def codes_of(self, texts: Sequence[str]) -> tuple[Array, dict[int, str]]:
        """The numbers of these labels, -1 for those that are none; and why those are none, each by its place."""
        found = list(map(self.code, texts))
        wrong = {k: code for k, code in enumerate(found) if isinstance(code, str)}
        return np.array([-1 if isinstance(code, str) else code for code in found], np.int32), wrong

    @property
    def texts(self) -> list[str]:
        """All labels met so far, each at its number."""
        return list(self._codes)

    def none(self) -> int:
        """The number that stands for no label."""
        return self._codes.setdefault("", len(self._codes))

    def codes(self, texts: Sequence[str], where: Callable[[int], str]) -> Array:
        """The numbers of these labels; `where(i)` says where the i-th of them stands."""
        for text in dict.fromkeys(texts):
            if isinstance(why := self.code(text), str):
                raise ReadError(f"{where(texts.index(text))}: {why}")
        return np.array([self._codes[text] for text in texts], np.int32)

    def _why_not(self, text: str) -> str | None:
        if not text and self._may_lack:
            return None
        if why := _why_no_label(text):
            return why
        if self._settled and self._values is not None and self._values.dtype.kind in "if" and not NUMBER.fullmatch(text):
            return f"the label {shown(text)} is no number, but those before are; make all of them numbers, or none"
        return None

    def of(self, codes: Array) -> Array:
        """The labels of these numbers."""
        if not len(codes):
            return np.zeros(0, np.int64)
        known = self._values
        if known is None or len(known) < len(self._codes):
            known = self._values = self._with_new(known)
        return known[codes]

    def _with_new(self, known: Array | None) -> Array:
        """The labels known, and those that were met since."""
        if known is None or not self._settled or (known.dtype.kind == "U" and not any(known)):
            return _values(list(self._codes))
        new = list(islice(self._codes, len(known), None))
        return np.concatenate([known, np.array(new, np.str_) if known.dtype.kind == "U" else _numeric(new)])


def _why_no_label(text: str) -> str | None:
    if not text:
        return "the label is missing; fill it in or leave the row out"
    if NOT_FINITE.fullmatch(text):
        return f"the label is {text}; fill it in or leave the row out"
    if NUMBER.fullmatch(text) and not abs(float(text)) < LARGEST_LABEL:
        return f"the label {shown(text)} is too large a number; number the classes from 1"
    if "\0" in text or not is_unicode(text):
        return f"the label {shown(text)} has characters that no text has; rename the class"
    if len(text) > LONGEST_LABEL:
        return f"the label has {len(text)} characters; check which column has the labels"
    return None


def _values(texts: list[str]) -> Array:
    if not any(texts) or not all(NUMBER.fullmatch(text) for text in texts if text):
        return np.array(texts, np.str_)
    return _numeric(texts)


def _numeric(texts: list[str]) -> Array:
    values = np.array([float(text or "nan") for text in texts]) + 0.0  # -0 is 0
    return values.astype(np.int64) if (values == np.floor(values)).all() else values
