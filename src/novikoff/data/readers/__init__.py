"""Read labelled files of any format: `open(paths)` in blocks, `read(paths)` all at once.

Each format is one file of this folder, which says by which names and first lines it is recognised. All formats follow these
rules, and so does `novikoff.proof.independent_parsers`, which shares no code with them:

- A number has decimal digits, optionally a sign, a point and an exponent, and is finite as a double. A missing number is an
  error, unless rows will be prepared: then it is a gap.
- If all labels are numbers, they are read as numbers: +1, 1 and 1.0 are the same label. Otherwise all labels are texts. In a
  stream the first block decides. A missing label, where that is allowed, is NaN or an empty text.
- An error gives the line and says what to do. The file is refused, or only the line if bad lines are skipped.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from novikoff.data.features import Features, Named
from novikoff.data.labels import Labels
from novikoff.data.matrices import Pile
from novikoff.data.opening import comes_once, copy_to, named, opened
from novikoff.data.preparation import Statistics
from novikoff.data.sources import ReadError, Source
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.registry import import_all

SHOWN = 5  # bad lines whose sentences are kept
LOOKED_AT = 20  # lines by which a format is recognised although the name says another


K = TypeVar("K", bound=Features)
T = TypeVar("T")
Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


class NoRowsError(ReadError):
    """The files have no rows."""


class Contradicted(Exception):  # noqa: N818 (no error: the file is read again)
    """The columns of a table hold something else than its first rows said. `numbers` says of each whether it holds numbers."""

    def __init__(self, numbers: list[bool]) -> None:
        self.numbers = numbers


class Labelled(NamedTuple):
    """Rows and their labels, in the order of the file."""

    X: Matrix  # float64
    y: Array  # int64, float64 or text
    names: tuple[str, ...] | None = None  # of the columns of X, where features have names; without a header, "1", "2", …
    weight: Array | None = None  # importance of the rows, if the file has it


class Part(NamedTuple):
    """The rows of some lines."""

    X: Matrix
    codes: Array  # labels, numbered as `Labels` does
    weight: Array | None = None
    bad: Array | None = None  # of each bad line that was skipped, how many of these rows come before it, in order


class Options(NamedTuple):
    """The user's options for reading files."""

    format: str | None = None  # the name of a format; None: found from name and content
    label: str | None = None  # a table's column, by name or counted from 1
    known_label: str | None = None  # the same, of the table that a model has learned from
    categories: tuple[str, ...] = ()  # columns of a table that hold categories, though they may look like numbers
    ignore: tuple[str, ...] = ()  # columns of a table that are left out, by name or counted from 1
    missing: tuple[str, ...] = ()  # texts that mean a gap in a table, beside `MISSING`
    prepared: bool = False  # rows will be prepared: a gap is NaN and has an indicator, and zeros of a table are stored
    zero_based: bool | None = None  # whether svmlight's indices count from 0; None: found
    skip_bad_lines: bool = False
    unlabelled: bool = False  # whether labels may be missing, as where they are to be predicted
    bits: int = 20  # 2^bits buckets for hashed features
    words: int = 1  # runs of up to so many words are features of a text
    characters: int = 0  # and runs of so many characters; 0: none


REMEMBERED = ("label", "categories", "ignore", "missing", "bits", "words", "characters")


def how_read(options: Options, label: str | None = None) -> dict[str, object]:
    """The options that a model remembers; `label` is what the header calls the label's column, if there is one."""
    kept = options._asdict() | {"label": label or options.label or options.known_label}
    return {name: kept[name] for name in REMEMBERED}


def as_read(trained: Mapping[str, Any], options: Options) -> Options:
    """The options, completed by those that a model remembers."""
    kept: dict[str, Any] = {name: trained[name] for name in ("bits", "words", "characters") if name in trained}
    for name in ("categories", "ignore", "missing"):
        kept[name] = getattr(options, name) or tuple(trained.get(name, ()))
    return options._replace(known_label=trained.get("label"), **kept)


RowLines = Callable[[Source], Iterator[tuple[int, str]]]


@dataclass
class FileRows:
    """What was read of a file, as far as is needed to find the lines of its rows (`data/row_lines.py`)."""

    path: str
    rows: int = 0
    skipped: list[Array] = field(default_factory=list)  # of each bad line that was skipped, how many rows come before it


@dataclass
class Reading:
    """The state of one reading of the files, which the formats use and update."""

    options: Options
    name: str  # of the first file
    whole: bool  # all parts are joined at the end
    features: Features | None = None
    settles: bool = False  # a table may be read again if its first rows mislead (`Contradicted`)
    numbers: list[bool] | None = None  # which columns of a table hold numbers, once all of it has been read
    label: str | None = None  # what the header of a table calls the column of the label
    format: str = ""  # name of the format, once it is known
    made: bool = False  # whether this reading made the features
    labels: Labels = field(default_factory=Labels)
    skipped: list[str] = field(default_factory=list)  # the first few sentences
    n_skipped: int = 0
    passed_over: int = 0  # files in a folder of mail that are not mail
    finish: Callable[[Matrix, "Reading"], Matrix] | None = None  # changes the matrix of all rows at the end
    # the column and the text of each number of a row, from the row's text; None for formats whose numbers are not looked up so
    number_texts: Callable[[str], list[tuple[int, str]]] | None = None
    seconds: float | None = None  # how long it took, if all rows were read at once
    files: list[FileRows] = field(default_factory=list)  # read so far, if all rows are read at once

    def bad(self, where: Callable[[], str], why: str) -> None:
        """A line is wrong: raise the error, or skip it.

        `where` returns its position. It is called only if the message is needed, since it may be slow.
        """
        if not self.options.skip_bad_lines:
            raise ReadError(f"{where()}: {why}")
        self.n_skipped += 1
        if len(self.skipped) < SHOWN:
            self.skipped.append(f"{where()}: {why}")

    def features_of(self, kind: type[K], make: Callable[[], K], name: str) -> K:
        """The features so far, which must be of this kind; made now if these are the first rows."""
        if self.features is None:
            self.features, self.made = make(), True
        if not isinstance(self.features, kind):
            before = "earlier files have" if self.made else "the model has"
            known = f"{before} {self.features.kind} features"
            raise ReadError(f"{name}: has {kind.kind} features, but {known}; use files of one kind")
        return self.features


class Format(NamedTuple):
    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]  # whether a line, the first that tells, is of this format
    surely: Callable[[bytes], bool] | None  # whether a line cannot be of another format
    magic: bool  # whether the first bytes tell
    yields: bool  # a file without a line like this is of another format, whatever its name
    parts: Callable[[Source, Reading], Iterator[Part]]
    row_lines: RowLines | None = None  # the first line and the text of each row, bad ones and a header included


_formats: dict[str, Format] = {}


def format(
    name: str,
    *suffixes: str,
    recognises: Callable[[bytes], bool],
    surely: Callable[[bytes], bool] | None = None,
    magic: bool = False,
    yields: bool = False,
    row_lines: RowLines | None = None,
) -> Callable[[Callable[[Source, Reading], Iterator[Part]]], Callable[[Source, Reading], Iterator[Part]]]:
    """Register `parts(source, reading)` for files with such lines, or with these suffixes if the lines do not decide."""

    def register(parts: Callable[[Source, Reading], Iterator[Part]]) -> Callable[[Source, Reading], Iterator[Part]]:
        _formats[name] = Format(name, suffixes, recognises, surely, magic, yields, parts, row_lines)
        return parts

    return register


def formats() -> list[str]:
    """The names of all formats."""
    import_all(__name__)
    return sorted(_formats)


class Dataset:
    """Labelled files. Iterating reads them in blocks of rows, each time from the start.

    `features` says which column is what; given those of a model, the same columns are used.
    """

    def __init__(self, paths: Paths, options: Options = Options(), features: Features | None = None) -> None:  # noqa: B008 (a constant)
        import_all(__name__)
        if options.format is not None and options.format not in _formats:
            raise ReadError(f"unknown format {options.format!r}; choose one of {', '.join(sorted(_formats))}")
        self.paths = named(paths)
        self.options = options
        self.features = features
        self._numbers: list[bool] | None = None
        self.reading = self._reading(whole=False)
        self._begun = False
        self.copies: dict[str, str] = {}  # of standard input and pipes, which come only once

    @property
    def comes_once(self) -> bool:
        """Whether it can be read only once."""
        return any(comes_once(path) and path not in self.copies for path in self.paths)

    def copy_pipes(self, folder: Path) -> None:
        """Copy standard input and pipes into the folder. As long as it exists, they can be read again."""
        for number, path in enumerate(filter(comes_once, self.paths)):
            place = folder / f"pipe {number}"
            copy_to(place, path)
            self.copies[path] = str(place)

    def sizes(self) -> list[int]:
        """The bytes of each file, as far as they are known."""
        places = [self.copies.get(path, path) for path in self.paths]
        return [os.stat(place).st_size if os.path.exists(place) else 0 for place in places]

    def __iter__(self) -> Iterator[Labelled]:
        for part in self.parts():
            if len(part.codes) or part.bad is None:
                yield Labelled(part.X, self.reading.labels.of(part.codes), _names(self.reading), part.weight)

    def parts(self) -> Iterator[Part]:
        """The blocks, with labels as codes of `reading.labels`."""
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
        """All rows at once; None if they need more bytes than `most`."""
        return self._settled(lambda: self._read_at_most(most))

    def settle(self) -> Statistics:
        """Read all rows without keeping them: their statistics. Later readings in blocks then know what every column holds.

        The features of the first reading in blocks are those of its first block; after this, they are those of all rows.
        """
        return self._settled(self._read_through)

    def _settled(self, read: Callable[[], T]) -> T:
        """What is read, from the start once more if a table holds something else than its first rows said."""
        try:
            return read()
        except Contradicted as found:
            self._numbers = found.numbers
            return read()

    def _read_through(self) -> Statistics:
        reading, found = self.begin(whole=True), Statistics()
        for part in self._parts(reading):
            found.add(part.X)
        self.features = reading.features
        return found

    def _read_at_most(self, most: int | None) -> Labelled | None:
        reading, began = self.begin(whole=True), perf_counter()
        pile, codes, weights, taken = Pile(), [], [], 0
        for part in self._parts(reading):
            pile.add(part.X)
            codes.append(part.codes)
            weights.append(part.weight)
            taken += part.X.data.nbytes * 3 // 2 if sp.issparse(part.X) else part.X.nbytes
            if most is not None and taken > most:
                return None
        X = pile.whole(reading.features)
        if reading.finish is not None:
            X = reading.finish(X, reading)
        self.features, reading.seconds = reading.features, perf_counter() - began
        weight = None
        if any(some is not None for some in weights):
            given = zip(codes, weights, strict=True)
            weight = np.concatenate([np.ones(len(of)) if some is None else some for of, some in given])
        return Labelled(X, reading.labels.of(np.concatenate(codes)), _names(reading), weight)

    def begin(self, whole: bool = False) -> Reading:
        """A reading of the files, from the start."""
        if self._begun and "-" in self.paths and self.comes_once:
            raise ReadError("standard input: can be read only once; save it to a file first")
        self._begun = True
        self.reading = self._reading(whole)
        return self.reading

    def _reading(self, whole: bool) -> Reading:
        name = "standard input" if self.paths[0] == "-" else self.paths[0]
        labels = Labels(not whole, self.options.unlabelled, name)
        return Reading(self.options, name, whole, self.features, labels=labels)

    def _parts(self, reading: Reading) -> Iterator[Part]:
        anything, first = False, None
        for path in self.paths:
            with opened(path, self.copies.get(path)) as source:
                known = format_of(source, self.options.format)
                first = first or known
                if known is not first:
                    raise ReadError(
                        f"{source.name}: is {known.name}, but {reading.name} is {first.name}; give files of one format"
                    )
                reading.format = known.name
                reading.numbers = self._numbers if path == self.paths[0] else None
                reading.settles = reading.whole and not self.comes_once and not source.may_rest
                own = FileRows(path)
                reading.files += [own] if reading.whole else []
                for part in known.parts(source, reading):
                    reading.labels.count(part.codes, source.name, own.rows)
                    if part.bad is not None and reading.whole:
                        own.skipped.append(own.rows + part.bad)
                    own.rows += len(part.codes)
                    anything = anything or len(part.codes) > 0
                    yield part
        if not anything:
            each = "row" if self.options.unlabelled else "labelled row"
            raise NoRowsError(f"{reading.name}: has no rows; give a file with one {each} per line")


def open(
    paths: Paths,
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


def read(paths: Paths, *, label: str | int | None = None, **options: Any) -> Labelled:
    """The rows and labels of files, all at once. `label` is a table's column, by name or counted from 1."""
    return open(paths, label=label, **options).read()


def format_of(source: Source, wanted: str | None) -> Format:
    """The format that is wanted, or that of the content; if several fit, or none, that of the name."""
    if wanted is not None:
        return _formats[wanted]
    first = source.peek()
    lines = [line for line in first.splitlines() if line.strip() and not line.lstrip().startswith(b"#")]
    begin = lines[:LOOKED_AT] if len(lines) < 2 or first.endswith(b"\n") else lines[:-1][:LOOKED_AT]
    for known in _formats.values():
        if known.magic and known.recognises(first):
            return known
        if known.surely is not None and begin and all(map(known.surely, begin)):
            return known
    named = next((known for known in _formats.values() if source.suffix in known.suffixes), None)
    if named is not None and (not named.yields or any(map(named.recognises, begin))):
        return named
    for line in lines:
        found = [known for known in _formats.values() if known.recognises(line)]
        if found:
            return min(found, key=lambda known: known.name == "csv")  # a separator may stand in lines of all kinds
    if named is not None:
        return named
    if not first:
        raise NoRowsError(f"{source.name}: is empty")
    raise ReadError(
        f"{source.name}: the format is not clear from name or content; choose one with --format: {', '.join(sorted(_formats))}"
    )


def _names(reading: Reading) -> tuple[str, ...] | None:
    return reading.features.names if isinstance(reading.features, Named) else None
