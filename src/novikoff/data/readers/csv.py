"""Tables: one row a line, features and one label, separated by commas, semicolons or tabs.

The label is in the last column unless another is named; a number is a column's place, counted from 1. A column holds categories
if it is said to, or if most of its values do not even begin like numbers: each category becomes a feature of its own,
"colour=red", that is 1 where it stands. Most of all values count where the file is read as a whole and can be read again: the
first 1000 rows are taken for it, and if they were wrong, it is read once more. In blocks, and from a pipe, the first 1000 rows
decide (of a stream through a pipe: those of them that are there when it first rests). Features are numbered so: columns of
numbers first, then categories as they are met, row by row.

Where rows will be prepared, an empty field, "NA" and the like (`fields.MISSING`) are gaps: NaN in a column of numbers, no
category in one of categories, and the feature "colour is missing" is 1. Otherwise an empty field is an error. Gaps do not count
when it is decided what a column holds.

The first line is a header if it has words where the lines below have numbers, be it only for the label; or if it numbers the
columns, as programs do, and has a label that no line below has. Who names a column says with it that there is a header. Without
one, columns are called "1", "2", … Further files, and those for a model, have its columns by name, in any order, the label's
too; of more columns a model that has learned makes nothing, and a column that is lacking is refused.

Rows are parsed by a compiled loop. What it does not know how to take, it leaves to Python's csv module, row by row: whatever is
unusual is slow, and whatever is wrong is looked at twice.
"""

import csv
import io
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler.dispatch import compiled
from novikoff.data.chunks import parsed_chunks, text_of
from novikoff.data.csv_loop import NUMBER, SKIPPED, TEXT, Found, Kinds, Layout, meet_kinds, parse_table, place_again
from novikoff.data.features import NOWHERE, Named
from novikoff.data.fields import MISSING, NOT_FINITE, why_not_a_number
from novikoff.data.fields import NUMBER as IS_NUMBER
from novikoff.data.readers import NoRowsError, Part, Reading, format
from novikoff.data.readers.column_roles import BEGINS, Counts, Row, begins_like_a_number, columns_of, like_numbers
from novikoff.data.readers.lines import NEWLINE
from novikoff.data.readers.tables import (
    Column,
    Indicators,
    gaps_in,
    label_column,
    named_categories,
    remember_label,
    settled,
    stored,
)
from novikoff.data.sources import PADDING, Chunk, ReadError, Source
from novikoff.foundation.array_types import Array

FIELDS = 2**16  # turned into numbers together where Python parses
SAMPLE = 1000  # rows that decide which columns hold categories
NOT_ASCII = 128  # the first byte that is not; 0 less 1 is more, too
SEED = np.uint64(secrets.randbits(64) | 1)  # of hashes, so that nobody can write texts that collide


@dataclass(frozen=True)
class Table:
    """The layout of a table."""

    name: str
    separator: str
    width: int
    at: int | None  # the label's column
    columns: list[Column]
    gaps: frozenset[str]  # texts that are gaps

    @cached_property
    def plain(self) -> list[Column]:
        return [column for column in self.columns if not column.categories]

    @cached_property
    def held(self) -> list[Column]:
        return [column for column in self.columns if column.categories]

    @cached_property
    def texts(self) -> list[int]:
        """The columns that are read as texts: categories, then the label."""
        return [column.at for column in self.held] + ([] if self.at is None else [self.at])

    def layout(self) -> Layout:
        roles, slots = np.full(self.width, SKIPPED, np.int8), np.zeros(self.width, np.int32)
        for role, columns in ((NUMBER, [column.at for column in self.plain]), (TEXT, self.texts)):
            roles[columns], slots[columns] = role, np.arange(len(columns))
        return Layout(ord(self.separator), roles, slots, np.array(sorted(self.gap_numbers), np.float64))

    @cached_property
    def gap_numbers(self) -> frozenset[float]:
        return frozenset(float(text) for text in self.gaps if IS_NUMBER.fullmatch(text))

    def number(self, text: str) -> float:
        """The number; NaN if it is none, or a gap, however it is written: -999 is -999.0."""
        if text in self.gaps or not (BEGINS.match(text) and IS_NUMBER.fullmatch(text)):
            return np.nan
        value = float(text)
        return np.nan if value in self.gap_numbers else value

    def number_texts(self, row: str) -> list[tuple[int, str]]:
        """The column and the text of each number of a row; those of categories come after them."""
        fields = next(_reader(io.StringIO(row, newline="\n"), self.separator))
        return [(j, fields[column.at].strip()) for j, column in enumerate(self.plain)]

    def is_gap(self, text: str, in_numbers: bool) -> bool:
        """Whether the text means a gap, in a column of numbers or in another."""
        return text in self.gaps or (in_numbers and bool(IS_NUMBER.fullmatch(text)) and float(text) in self.gap_numbers)


class Block(NamedTuple):
    """Some rows, before it is known which of them are good. All of them are numbered, the odd ones with the others."""

    values: Array  # of each row but the odd ones, its numbers; NaN where there is a word
    kind_of: Array  # and the kinds of its texts
    words: tuple[Array, Array]  # row and kind of each word in a column of numbers
    infinite: list[int]  # rows with a number that is not finite
    odd: dict[int, Row | ReadError | None]  # rows parsed in Python, by their number; None: a blank line
    content: Array | None = None  # bytes of the other rows
    kinds: Kinds | None = None  # in these
    lines: "Lines | None" = None  # of them
    row_at: Array | None = None  # where they begin
    unfinished: int = -1  # where the row begins whose quotes do not end

    def row(self, k: int) -> Row:
        """The k-th of the rows that are not odd."""
        assert self.lines is not None
        assert self.row_at is not None
        found = self.lines.row_at(int(self.row_at[k]))
        assert isinstance(found, Row), "the loop has read it"
        return found


class Met:
    """The different texts of the columns of a table, so far: its kinds, numbered as they are met."""

    def __init__(self, table: Table, features: Named) -> None:
        self._table, self._features = table, features
        self._kinds = _room_for_kinds(0)
        self._bytes: Array = np.empty(0, np.uint8)
        self._by_text: dict[tuple[int, str], int] = {}  # kinds that Python has read
        self.texts: list[str] = []
        self.names: list[str] = []  # of the indicators of categories
        self.is_gap: Array = np.zeros(0, bool)
        self.is_like: Array = np.zeros(0, bool)  # whether it begins like a number
        self.values: Array = np.zeros(0)  # of what is a number, but no gap
        self.columns: Array = np.zeros(0, np.int32)  # of the indicators; NOWHERE if a category has none, or none yet

    @property
    def slots(self) -> Array:
        return self._kinds.slot

    def kinds_in(self, block: Block) -> Array:
        """Which of the kinds each kind of the block is."""
        if block.kinds is None or block.content is None:
            return np.zeros(0, np.int64)
        many = int(block.kinds.tally[0])
        self._make_room(many, int(block.kinds.length[:many].sum(dtype=np.int64)))
        found = np.empty(many, np.int64)
        compiled(meet_kinds)(block.content, block.kinds, SEED, self._kinds, self._bytes, found)
        self._describe_new()
        return found

    def kind_of(self, slot: int, text: str) -> int:
        """The kind of a text that Python has read in this column. The compiled loop may meet it as another kind."""
        if (slot, text) not in self._by_text:
            self._make_room(1, 0)
            self._by_text[slot, text] = kind = int(self._kinds.tally[0])
            self._kinds.slot[kind], self._kinds.length[kind] = slot, -1  # as long as no text is
            self._kinds.tally[0] += 1
            self._describe_new(text)
        return self._by_text[slot, text]

    def _make_room(self, many: int, size: int) -> None:
        kinds, used = self._kinds.tally.tolist()
        if used + size > len(self._bytes):
            self._bytes = np.concatenate([self._bytes[:used], np.empty(used + 2 * size, np.uint8)])
        if kinds + many > len(self._kinds.slot):
            larger = _room_for_kinds(2 * (kinds + many))
            for new, old in zip(larger[:4], self._kinds[:4], strict=True):
                new[:kinds] = old[:kinds]
            larger.tally[:] = self._kinds.tally
            compiled(place_again)(larger, SEED)
            self._kinds = larger
            more = len(larger.slot) - len(self.columns)
            self.is_gap, self.is_like = (np.append(array, np.zeros(more, bool)) for array in (self.is_gap, self.is_like))
            self.values = np.append(self.values, np.zeros(more))
            self.columns = np.append(self.columns, np.full(more, NOWHERE, np.int32))

    def _describe_new(self, *texts: str) -> None:
        """Of the kinds that are new, from bytes or with these texts."""
        before, now, held, table = len(self.texts), int(self._kinds.tally[0]), self._table.held, self._table
        first, slots = self._kinds.at[before:now], self._kinds.slot[before:now].tolist()
        spans = zip(first.tolist(), (first + self._kinds.length[before:now]).tolist(), strict=True)
        raw = self._bytes.data
        new = texts or [bytes(raw[a:b]).decode("utf-8").strip() for a, b in spans]
        each = list(zip(slots, new, strict=True))
        names = [held[slot].indicator(text, table.gaps) if slot < len(held) else "" for slot, text in each]
        self.texts += new
        self.names += names
        self.is_gap[before:now] = [table.is_gap(text, slot >= len(table.texts)) for slot, text in each]
        self.is_like[before:now] = [begins_like_a_number(text) for text in new]
        self.values[before:now] = [table.number(text) for text in new]
        self.columns[before:now] = np.where(self._kinds.slot[before:now] < len(held), self._features.found(names), 0)


def _recognises(line: bytes) -> bool:
    """A line with a separator, if no other format knows it. Those may also stand between the pairs of svmlight."""
    return bool(re.search(rb"[,;\t]", line.strip())) and not re.search(rb"\s[0-9]+:|[|\0-\x08]", line)


def _row_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The first line and the text of each row; a row has several lines if quotes hold ends of lines."""
    lines, taken, first = TextLines(source.chunks()), list[str](), 1
    table = _reader((taken.append(line) or line for line in lines), _separator(lines.leading))  # type: ignore[func-returns-value]
    try:
        for fields in table:
            if _stripped(fields) is not None:
                yield first, "".join(taken)
            first = table.line_num + 1
            taken.clear()
    except csv.Error as error:
        raise _broken(source.name, table.line_num, error) from None


@format("csv", ".csv", ".tsv", recognises=_recognises, row_lines=_row_lines)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    held: list[Chunk] = []
    chunks = source.chunks()
    lines = TextLines(held.append(chunk) or chunk for chunk in chunks)  # type: ignore[func-returns-value]
    separator = _separator(lines.leading)
    sample = _sample(_rows(source.name, lines, separator), hurry=not reading.whole)
    if not sample:
        raise NoRowsError(f"{source.name}: is empty")
    first = sample[0]
    if len(first.fields) < 2 and not reading.options.unlabelled:
        raise ReadError(f"{source.name}:{first.line}: has one column; separate features and label by commas, semicolons or tabs")
    place, gaps = f"{source.name}:{first.line}", gaps_in(reading.options)
    at = label_column(place, first.fields, reading)
    counts, numeric = None, like_numbers(sample, gaps) if reading.numbers is None else reading.numbers
    if reading.settles and reading.features is None and reading.numbers is None:
        guessed = set(range(len(numeric))) - named_categories(place, first.fields, reading) - {at}
        counts = Counts(first.fields, numeric, gaps, guessed, alone=len(sample) == 1)
    everything = chain(held, chunks)
    try:
        header, columns = columns_of(place, sample, numeric, at, reading)
        columns, features = settled(place, columns, reading)
    except ReadError:
        if counts is not None and len(sample) == SAMPLE:
            all_columns = [Column(j, "", categories=False) for j in range(len(first.fields))]
            table = Table(source.name, separator, len(first.fields), None, all_columns, gaps)
            counts.require_no_other(_blocks(source, _below(everything, first.line), table), table, Met(table, Named()))
        raise
    table = Table(source.name, separator, len(first.fields), at, columns, gaps)
    reading.number_texts = table.number_texts
    blocks = _blocks(source, _below(everything, first.line if header else 0), table)
    if header:
        remember_label(first.fields, at, reading)
    if counts is not None:
        counts.guessed &= {column.at for column in columns}
        if not header:
            counts.leave_out(first.fields)
    met = Met(table, features)
    try:
        for block in blocks:
            kinds = met.kinds_in(block)
            if counts is not None:
                counts.add(block, kinds, table, met)
            part = _part(block, kinds, table, met, features, reading)
            if len(part.codes) or part.bad is not None:
                yield part
    except WordError:
        if counts is not None:
            counts.require_no_other(blocks, table, met)
        raise
    if counts is not None:
        counts.require_no_other(iter(()), table, met)


# ---- lines and rows, in Python --------------------------------------------------------------------------------------


class TextLines:
    """The lines of chunks."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self.resting = False  # what has been read is all that is there
        self.leading: list[str] = []  # the first lines, up to one that is not blank
        self._lines = self._all(chunks)
        for line in self._lines:
            self.leading.append(line)
            if line.strip():
                break

    def __iter__(self) -> Iterator[str]:
        return chain(self.leading, self._lines)

    def _all(self, chunks: Iterator[Chunk]) -> Iterator[str]:
        for chunk in chunks:
            some = io.StringIO(text_of(chunk), newline="\n").readlines()
            for k, line in enumerate(some, 1):
                self.resting = chunk.resting and k == len(some)
                yield line


def _rows(name: str, lines: TextLines, separator: str, line: int = 1, columns: int = 0) -> Iterator[Row]:
    """The rows of lines, the first of which has this number. They have as many columns as the first, unless that is known."""
    last = ""

    def remembered() -> Iterator[str]:
        nonlocal last
        for text in lines:
            last = text
            yield text

    table = _reader(remembered(), separator)
    try:
        for fields in table:
            stripped = _stripped(fields)
            if stripped is None and columns == 1 and last.strip():
                stripped = [""]  # quotes without a text, which in other tables are a blank line
            if stripped is not None:
                columns = columns or len(stripped)
                yield Row(table.line_num + line - 1, stripped, lines.resting)
    except csv.Error as error:
        raise _broken(name, table.line_num + line - 1, error) from None


def _reader(lines: Iterator[str], separator: str) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)


def _stripped(fields: list[str]) -> list[str] | None:
    """The fields without blanks around them; None if the line is blank."""
    stripped = [field.strip() for field in fields]
    return None if stripped in ([], [""]) else stripped


def _broken(name: str, line: int, error: csv.Error) -> ReadError:
    why = "a line ends with CR alone" if "new-line" in str(error) else str(error)
    return ReadError(f"{name}:{line}: {why}; check the quotes and line ends up to here")


def _separator(lines: list[str]) -> str:
    """The most frequent separator of the first line, outside quotes. In a tie a comma loses: it may be a decimal comma."""
    bare = re.sub(r'"[^"]*("|$)', "", lines[-1] if lines else "")
    return max("\t;,", key=bare.count)


def _sample(rows: Iterator[Row], hurry: bool) -> list[Row]:
    """The first rows, which decide what the columns are. In a hurry, two rows are enough if more would mean waiting."""
    sample = []
    for row in rows:
        sample.append(row)
        if len(sample) == SAMPLE or (hurry and row.resting and len(sample) > 1):
            break
    return sample


def _batches(rows: Iterator[Row], size: int) -> Iterator[list[Row | ReadError]]:
    some: list[Row | ReadError] = []
    try:
        for row in rows:
            some.append(row)
            if len(some) == size or row.resting:
                yield some
                some = []
    except ReadError as error:
        some.append(error)
    if some:
        yield some


# ---- chunks ---------------------------------------------------------------------------------------------------------


def _below(chunks: Iterator[Chunk], lines: int) -> Iterator[Chunk]:
    """The chunks without the first so many lines, and without the mark that a file may begin with."""
    for chunk in chunks:
        at = 3 if chunk.first and bytes(chunk.content[:3]) == b"\xef\xbb\xbf" else 0
        while lines and at < chunk.length:
            at = bytes(chunk.content[: chunk.length]).find(b"\n", at) + 1 or chunk.length
            lines -= 1
        if at < chunk.length:
            yield _from(chunk, at)


def _from(chunk: Chunk, at: int) -> Chunk:
    """The chunk without the bytes before this place."""
    line = chunk.line + bytes(chunk.content[:at]).count(b"\n")
    return chunk._replace(line=line, content=chunk.content[at:], length=chunk.length - at, first=False)


def _joined(one: Chunk, other: Chunk) -> Chunk:
    content = memoryview(bytearray(one.bytes + other.bytes + bytes(PADDING)))
    return other._replace(line=one.line, content=content, length=one.length + other.length)


def _blocks(source: Source, chunks: Iterator[Chunk], table: Table) -> Iterator[Block]:
    """All rows. A row whose quotes do not end in its chunk is parsed with the next; if they do not end there, Python parses the
    rest of the file, so that every byte is looked at a few times at most."""
    loops = table.width > 1  # a row of one column may look like a blank line

    def parse(chunk: Chunk) -> Block | None:
        return _parse(chunk, table) if loops else None

    parsed = parsed_chunks(chunks, parse, source.may_rest)
    begun: Chunk | None = None  # a row whose quotes do not end
    for chunk, block in parsed:
        if begun is not None and loops:
            chunk = _joined(begun, chunk)
            block = parse(chunk)
            loops = block is None or block.unfinished != 0
        if block is None or not loops:
            loops = False
            yield from _plain_blocks(chain([chunk], (later for later, _ in parsed)), table)
            return
        begun = _from(chunk, block.unfinished) if block.unfinished >= 0 else None
        if len(block.values) or block.odd:
            yield block
    if begun is not None:
        yield from _plain_blocks(iter([begun]), table)


def _plain_blocks(chunks: Iterator[Chunk], table: Table) -> Iterator[Block]:
    """All rows, parsed by Python."""
    first = next(chunks)
    rows = _rows(table.name, TextLines(chain([first], chunks)), table.separator, first.line, table.width)
    for some in _batches(rows, max(1, FIELDS // table.width)):
        nothing: Array = np.zeros(0, np.int64)
        values, kind_of = np.empty((0, len(table.plain))), np.empty((0, len(table.texts)), np.int32)
        yield Block(values, kind_of, (nothing, nothing), [], dict(enumerate(some)))


class Lines:
    """The lines of a chunk, for rows that Python parses."""

    def __init__(self, chunk: Chunk, table: Table) -> None:
        self._chunk, self._table = chunk, table

    @cached_property
    def _ends(self) -> Array:
        content = np.frombuffer(self._chunk.content, np.uint8)[: self._chunk.length]
        return np.append(np.flatnonzero(content == 10) + 1, self._chunk.length)

    def row_at(self, at: int) -> Row | ReadError | None:
        """The row that begins there; None if the line is blank."""
        first = int(np.searchsorted(self._ends, at, side="right"))

        def lines() -> Iterator[str]:
            begin = at
            for end in self._ends[first:]:
                yield bytes(self._chunk.content[begin:end]).decode("utf-8")
                begin = int(end)

        table = _reader(lines(), self._table.separator)
        try:
            fields = _stripped(next(table, []))
        except csv.Error as error:
            return _broken(self._chunk.source, self._chunk.line + first + table.line_num - 1, error)
        return None if fields is None else Row(self._chunk.line + first + table.line_num - 1, fields)


def _parse(chunk: Chunk, table: Table) -> Block:
    """The rows of a chunk."""
    content = np.frombuffer(chunk.content, np.uint8)
    if (content[: chunk.length] - np.uint8(1)).max(initial=0) >= NOT_ASCII - 1:
        text_of(chunk)  # refused if it is not text
    found, kinds = _found(content, chunk.length, table)
    rows, words, doubts, odd, unfinished = found.tally.tolist()
    values, infinite = found.values, []
    for row, slot, first, last in found.doubtful[:doubts].tolist():
        values[row, slot] = float(bytes(chunk.content[first:last]))
        if not np.isfinite(values[row, slot]):
            infinite.append(row)
    values.resize((rows, values.shape[1]), refcheck=False)  # what lies beyond was never written to
    lines = Lines(chunk, table)
    numbers = (found.odd_after[:odd] + np.arange(odd)).tolist()
    odd_rows = {number: lines.row_at(at) for number, at in zip(numbers, found.odd_at[:odd].tolist(), strict=True)}
    of_words = found.word_row[:words], found.word_kind[:words]
    return Block(
        values, found.kind_of[:rows], of_words, infinite, odd_rows, content, kinds, lines, found.row_at[:rows], unfinished
    )


def _found(content: Array, end: int, table: Table) -> tuple[Found, Kinds]:
    """What the compiled loop finds. A row that is not odd takes a byte for each column, and one more may be begun."""
    lines = int(np.count_nonzero(content[:end] == NEWLINE)) + 1
    numbers, texts, most = len(table.plain), len(table.texts), min(lines, end // table.width + 1) + 1
    found = Found(
        values=np.empty((most, numbers)),
        kind_of=np.empty((most, texts), np.int32),
        row_at=np.empty(most, np.int32),
        odd_at=np.empty(lines, np.int32),
        odd_after=np.empty(lines, np.int32),
        word_row=np.empty(most * numbers, np.int32),
        word_kind=np.empty(most * numbers, np.int32),
        doubtful=np.empty((most * numbers, 4), np.int32),
        tally=np.zeros(5, np.int64),
    )
    kinds = _room_for_kinds(min(end + 1, lines * (numbers + texts)))
    compiled(parse_table)(content, end, table.layout(), SEED, found, kinds)
    return found, kinds


def _room_for_kinds(most: int) -> Kinds:
    slot, at, length = (np.empty(most, np.int32) for _ in range(3))
    table = np.zeros(1 << (2 * most).bit_length(), np.int32)
    return Kinds(slot, at, length, np.empty(most, np.uint64), table, np.zeros(2, np.int64))


# ---- rows -----------------------------------------------------------------------------------------------------------


class WordError(ReadError):
    """A column of numbers has a word."""


class Wrong(NamedTuple):
    """What is wrong with a row."""

    where: str
    why: str
    is_word: bool = False


def _part(block: Block, kinds: Array, table: Table, met: Met, features: Named, reading: Reading) -> Part:
    """The good rows of a block, whose kinds are these."""
    prepared, plain, held = reading.options.prepared, table.plain, table.held
    values, kind_of = block.values, block.kind_of
    number = np.arange(len(values) + len(block.odd))  # of each row that may be good
    number = np.delete(number, list(block.odd)) if block.odd else number
    word_row, word_kind = block.words
    if len(word_row):
        values[word_row, met.slots[kinds][word_kind] - len(table.texts)] = met.values[kinds][word_kind]
    wrong: dict[int, Wrong | ReadError] = {}
    for k in _suspects(block, kinds, met, len(held), prepared):
        if why := _why_wrong(block.row(k), table, prepared):
            wrong[int(number[k])] = why
        else:  # what is not finite is a gap
            values[k, ~np.isfinite(values[k])] = np.nan
    more: dict[int, int] = {}  # kinds of odd rows, numbered after the others
    mended: list[tuple[int, list[float], list[int]]] = []  # odd rows: number, numbers, kinds
    for k, row in block.odd.items():
        if isinstance(row, ReadError):
            wrong[k] = row
        elif row is not None and (why := _why_wrong(row, table, prepared)):
            wrong[k] = why
        elif row is not None:
            own = [table.number(row.fields[column.at]) for column in plain]
            texts = [met.kind_of(slot, row.fields[at]) for slot, at in enumerate(table.texts)]
            mended.append((k, own, [len(kinds) + more.setdefault(kind, len(more)) for kind in texts]))
    if mended:
        numbers, own_values, own_kinds = zip(*mended, strict=True)
        number = np.concatenate([number, numbers])
        order = np.argsort(number)
        number = number[order]
        values = np.concatenate([values, np.array(own_values, np.float64).reshape(len(mended), len(plain))])[order]
        kind_of = np.concatenate([kind_of, np.array(own_kinds, np.int32).reshape(len(mended), len(table.texts))])[order]
        kinds = np.concatenate([kinds, np.array(list(more), np.int64)])
    good = ~np.isin(number, list(wrong)) if wrong else np.ones(len(number), bool)
    codes = _codes(block, number, kind_of[:, len(held) :], kinds, met, good, wrong, table, reading)
    bad = None
    if wrong:
        for k in sorted(wrong):
            _refuse(wrong[k], reading)
        good = ~np.isin(number, list(wrong))
        values, kind_of, codes = values[good], kind_of[good], codes[good]
        bad = np.searchsorted(number[good], sorted(wrong)).astype(np.int64)
    columns, ats = met.columns[kinds], np.array([*(column.at for column in held), *[0] * (len(plain) + 1)])
    indicators = Indicators(kind_of[:, : len(held)], columns, ats[met.slots[kinds]], lambda kind: met.names[kinds[kind]])
    X = stored(values, plain, indicators, features, reading.options)
    met.columns[kinds] = columns
    return Part(X, codes, None, bad)


def _suspects(block: Block, kinds: Array, met: Met, categories: int, prepared: bool) -> list[int]:
    """The rows that have a word where a number should be, or a gap where none may be."""
    word_row, word_kind = block.words
    is_gap = met.is_gap[kinds]
    rows = [word_row[~np.isfinite(met.values[kinds][word_kind]) & ~(is_gap[word_kind] & prepared)]]
    rows.append(np.array(block.infinite, np.int64))
    if not prepared and is_gap[met.slots[kinds] < categories].any():
        rows.append(np.flatnonzero(is_gap[block.kind_of[:, :categories]].any(axis=1)))
    return np.unique(np.concatenate(rows)).tolist()  # type: ignore[no-any-return]


def _codes(
    block: Block,
    number: Array,
    kind_of: Array,
    kinds: Array,
    met: Met,
    good: Array,
    wrong: dict[int, Wrong | ReadError],
    table: Table,
    reading: Reading,
) -> Array:
    """The codes of the labels of good rows, whose kinds are in one column. Rows with an invalid label are added to `wrong`."""
    if table.at is None:
        return np.full(len(good), reading.labels.none(), np.int32)
    kind_of, rows = kind_of[:, 0], np.flatnonzero(good)
    first = np.full(len(kinds), len(good))
    first[kind_of[rows][::-1]] = rows[::-1]
    there = np.flatnonzero(first < len(good))
    there = there[np.argsort(first[there])]
    codes, invalid = reading.labels.codes_of([met.texts[kind] for kind in kinds[there].tolist()])
    code_of = np.full(len(kinds), -1, np.int32)
    code_of[there] = codes
    if invalid:
        why_of = {int(there[k]): why for k, why in invalid.items()}
        before = np.cumsum(~np.isin(number, list(block.odd))) - 1  # which of the rows that are not odd each is
        for k in rows[code_of[kind_of[rows]] < 0].tolist():
            row = block.odd.get(int(number[k])) or block.row(int(before[k]))
            assert isinstance(row, Row)
            wrong[int(number[k])] = Wrong(f"{table.name}:{row.line}, column {table.at + 1}", why_of[int(kind_of[k])])
    return code_of[kind_of]


def _hint(field: str, column: Column, prepared: bool) -> str:
    """What else can be done about a field that is no number."""
    if field in MISSING:
        return "" if prepared else "; `fit` without --no-prepare fills it in"
    name = column.name if column.called and column.name else str(column.at + 1)
    return f", or give --categories {name}, --ignore {name} or --missing" if not NOT_FINITE.fullmatch(field) else ""


def _refuse(wrong: Wrong | ReadError, reading: Reading) -> None:
    if isinstance(wrong, ReadError):
        raise wrong
    try:
        reading.bad(lambda: wrong.where, wrong.why)
    except ReadError as error:
        raise (WordError(str(error)) if wrong.is_word else error) from None


def _why_wrong(row: Row, table: Table, prepared: bool) -> Wrong | None:
    """What is wrong with the row, but for its label; None if nothing is."""
    place = f"{table.name}:{row.line}"
    if len(row.fields) != table.width:
        return Wrong(
            place,
            f"has {len(row.fields)} columns where the first line has {table.width}; "
            "add or remove separators, or put quotes around what holds one",
        )
    for column in table.columns:
        field = row.fields[column.at]
        if prepared and field in table.gaps:
            continue
        if why := why_not_a_number(field if not column.categories or not field else "0"):
            return Wrong(f"{place}, {column.place}", why + _hint(field, column, prepared), not column.categories)
    return None
