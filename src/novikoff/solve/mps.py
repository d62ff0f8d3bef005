"""Linear programs from MPS files, the format in which they are exchanged. Numbers are the decimals that stand there.

A line is read as words. If names have spaces, so that words do not come out right, the file must be in the fixed format, in which
every field has its place. What programs read differently is refused: a negative upper bound where no lower bound is given (0, or
none?), repeated numbers, sets of numbers under several names.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from os import PathLike, fspath

from novikoff.data.opening import opened
from novikoff.data.sources import Source
from novikoff.proof.independent_constraint_parsers import integers_remark
from novikoff.proof.rational_matrix import Ends, RationalMatrix
from novikoff.proof.rationals import Number
from novikoff.solve.constraints import Constraints, Misread, Value, decimal, ends_of, entry, on_line, text_of
from novikoff.solve.objectives import Objective

SECTIONS = ("NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA")
WITH_KIND = ("ROWS", "BOUNDS")  # the first field of a line says what kind it is of
PLACES = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))  # of the fields of the fixed format
SENSES = {"MAX": "maximize", "MAXIMIZE": "maximize", "MIN": "minimize", "MINIMIZE": "minimize"}
NUMBERED = ("UP", "LO", "FX", "UI", "LI")  # bounds that come with a number
INTEGER = ("UI", "LI", "BV")

Line = tuple[int, str]  # its number, from 1, and its text
Layout = Callable[[str, str], list[str]]  # the fields of a line of a section


def read_mps(path: str | PathLike[str]) -> Constraints:
    """The linear program in an MPS file, packed or not. Columns of whole numbers are treated as continuous."""
    with opened(fspath(path)) as source:
        return mps_of(source)


def mps_of(source: Source) -> Constraints:
    try:
        sense, sections = _sections(text_of(source.whole()))
        try:
            return _Program(_in_words, sense, sections).constraints()
        except Misread as in_words:
            try:
                return _Program(_in_places, sense, sections).constraints()
            except Misread as in_places:  # report what is wrong in the layout in which more could be read
                raise max(in_words, in_places, key=lambda misread: misread.line or math.inf) from None
    except Misread as misread:
        raise misread.in_file(source.name) from None


def _sections(text: str) -> tuple[str, dict[str, list[Line]]]:
    """The sense of the objective, and the lines of each section."""
    sections: dict[str, list[Line]] = {}
    sense, section, empty = "minimize", "", True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("*"):
            continue
        empty = False
        if "\0" in line:
            raise Misread(number, "has a zero byte, which no text has; check the file's kind")
        first, *rest = line.split()
        if section == "OBJSENSE" and first.upper() in SENSES and not rest:
            sense = SENSES[first.upper()]
        elif line[0].isspace():
            if section not in sections:
                raise Misread(number, "belongs to no section; give an MPS file")
            sections[section].append((number, line))
        else:
            section = first.upper()
            if section not in SECTIONS:
                raise Misread(number, f"{first[:40]!r} is no section of a linear program; give an MPS file of one")
            if section in sections:
                raise Misread(number, f"the section {section} begins a second time")
            if section == "ENDATA":
                return sense, sections
            if section == "OBJSENSE" and rest:
                sense = SENSES.get(rest[0].upper(), sense)
            sections[section] = []
    raise Misread(0, "is empty; give an MPS file" if empty else "ends without ENDATA; it may be cut short")


def _in_words(section: str, line: str) -> list[str]:
    return line.split()


def _in_places(section: str, line: str) -> list[str]:
    """The fields by their places; nothing may stand between them."""
    line = line.rstrip()
    between = [line[a:b] for (_, a), (b, _) in zip(((0, 0), *PLACES), (*PLACES, (61, 61)), strict=True)]
    if "".join(between).strip(" ") or "\t" in line:
        raise ValueError("names have spaces, and something stands where no field of the fixed format has its place")
    fields = [line[a:b].strip(" ") for a, b in PLACES]
    while fields and not fields[-1]:
        fields.pop()
    return fields if section in WITH_KIND else fields[1:]


class _Program:
    """What the sections say, in one layout."""

    def __init__(self, layout: Layout, sense: str, sections: dict[str, list[Line]]) -> None:
        self.layout, self.sense, self.sections = layout, sense, sections
        self.rows: dict[str, int | None] = {}  # their numbers; an objective has none
        self.objective: str | None = None  # the first row without limits
        self.kinds: list[str] = []
        self.entries: list[dict[int, Value]] = []
        self.cost: dict[int, Value] = {}
        self.columns: dict[str, int] = {}
        self.column_names: list[str] = []
        self.integers: set[int] = set()
        for number, fields in self.lines("ROWS"):
            self.read_row(number, fields)
        self.read_columns()
        self.right, self.ranges = dict(self.by_row("RHS")), dict(self.by_row("RANGES"))
        self.low: dict[int, Value] = {}
        self.high: dict[int, Value] = {}
        self.read_bounds()

    def lines(self, section: str) -> Iterator[tuple[int, list[str]]]:
        for number, line in self.sections.get(section, []):
            yield number, on_line(number, partial(self.layout, section), line)

    def read_row(self, number: int, fields: list[str]) -> None:
        if len(fields) != 2 or fields[0].upper() not in ("N", "L", "G", "E"):
            raise Misread(number, f"a line of ROWS is a kind (N, L, G or E) and a name, not {' '.join(fields)[:40]!r}")
        kind, name = fields[0].upper(), fields[1]
        if name in self.rows:
            raise Misread(number, f"the row {name[:40]!r} is declared twice")
        if kind == "N":
            self.rows[name] = None
            self.objective = self.objective or name
        else:
            self.rows[name] = len(self.kinds)
            self.kinds.append(kind)
            self.entries.append({})

    def read_columns(self) -> None:
        integer, last, seen = False, "", set[str]()
        for number, fields in self.lines("COLUMNS"):
            if fields[1:2] == ["'MARKER'"]:
                if fields[-1] not in ("'INTORG'", "'INTEND'"):
                    raise Misread(number, "a marker is 'INTORG' or 'INTEND'")
                integer = fields[-1] == "'INTORG'"
                continue
            name = fields[0] if fields else ""
            if name != last:
                if name in self.columns:
                    raise Misread(number, f"the column {name[:40]!r} begins a second time")
                last, seen = name, set()
                self.columns[name] = len(self.columns)
                self.column_names.append(name)
                self.integers |= {self.columns[name]} if integer else set()
            for row, value in self.pairs(number, "COLUMNS", fields[1:], seen):
                if value and self.rows[row] is not None:
                    self.entries[self.rows[row] or 0][self.columns[name]] = value
                elif value and row == self.objective:
                    self.cost[self.columns[name]] = value

    def pairs(self, number: int, section: str, fields: list[str], seen: set[str]) -> Iterator[tuple[str, Value]]:
        """One row and its number, or two. No row occurs twice."""
        if len(fields) not in (2, 4):
            raise Misread(number, f"a line of {section} is a name, then one or two rows, each with a number")
        for row, text in zip(fields[::2], fields[1::2], strict=True):
            if row not in self.rows:
                raise Misread(number, f"{row[:40]!r} is not among the ROWS")
            if row in seen:
                raise Misread(number, f"the row {row[:40]!r} has a number here already")
            seen.add(row)
            yield row, on_line(number, decimal, text)

    def by_row(self, section: str) -> Iterator[tuple[str, Value]]:
        """The numbers of a section by row. The name of the set before them may be left out."""
        sets, seen = set[str](), set[str]()
        for number, fields in self.lines(section):
            named = len(fields) % 2 == 1
            self.one_set(number, sets, fields[0] if named and fields else "")
            yield from self.pairs(number, section, fields[named:], seen)

    def one_set(self, number: int, sets: set[str], name: str) -> None:
        sets.add(name)
        if len(sets) > 1:
            raise Misread(number, "another set of numbers begins under another name; leave one of them out")

    def read_bounds(self) -> None:
        sets = set[str]()
        for number, fields in self.lines("BOUNDS"):
            kind, *rest = [fields[0].upper(), *fields[1:]] if fields else [""]
            wanted = 1 + (kind in NUMBERED)  # the column and perhaps a number
            named = len(rest) > wanted and not (len(rest) == 2 and rest[0] in self.columns and rest[1] not in self.columns)
            self.one_set(number, sets, rest[0] if named else "")
            column, *texts = rest[named:] or [""]
            if column not in self.columns or len(texts) < wanted - 1 or len(texts) > 1:
                raise Misread(number, "a line of BOUNDS is a kind, perhaps the name of a set, a column, and perhaps a number")
            self.bound(number, kind, self.columns[column], on_line(number, decimal, texts[0]) if kind in NUMBERED else math.inf)
            self.integers |= {self.columns[column]} if kind in INTEGER else set()
        for j, high in self.high.items():
            if high < 0 and j not in self.low:
                name = self.column_names[j][:40]
                raise Misread(
                    0,
                    f"the column {name!r} has a negative upper bound and no lower bound, which programs take for 0 or for none; "
                    "add a line LO or MI",
                )

    def bound(self, number: int, kind: str, j: int, value: Value) -> None:
        ends: dict[str, tuple[Value | None, Value | None]] = {
            "UP": (None, value),
            "UI": (None, value),
            "LO": (value, None),
            "LI": (value, None),
            "FX": (value, value),
            "FR": (-math.inf, math.inf),
            "MI": (-math.inf, None),
            "PL": (None, math.inf),
            "BV": (Fraction(0), Fraction(1)),
        }
        if kind not in ends:
            also = ": it is semi-continuous, which is no linear constraint" if kind == "SC" else ""
            raise Misread(number, f"{kind[:40]!r} is no kind of bound that is read here{also}")
        for known, given in zip((self.low, self.high), ends[kind], strict=True):
            if given is not None:
                if j in known:
                    raise Misread(number, f"the column {self.column_names[j][:40]!r} has this bound already")
                known[j] = given

    # ---- what it comes to -----------------------------------------------------------------------------------------------

    def constraints(self) -> Constraints:
        if not self.kinds and not self.columns:
            raise Misread(0, "has neither rows nor columns; check it")
        try:
            rows = [{j: entry(value) for j, value in row.items()} for row in self.entries]
            cost = Ends.of(entry(self.cost.get(j, Fraction(0))) for j in range(len(self.columns)))
            ends = [self.ends_of_row(name, i) for name, i in self.rows.items() if i is not None]
            bounds = [self.ends_of_column(j) for j in range(len(self.columns))]
        except ValueError as error:
            raise Misread(0, str(error)) from None
        offset = -self.right.get(self.objective or "", Fraction(0))
        if isinstance(offset, float):
            raise Misread(0, "the constant of the objective is infinite")
        return Constraints(
            RationalMatrix.of_entries(rows, len(self.columns)),
            Ends.of(low for low, _ in ends),
            Ends.of(high for _, high in ends),
            (Ends.of(low for low, _ in bounds), Ends.of(high for _, high in bounds)),
            cone=False,
            remarks=tuple(integers_remark(len(self.integers))),
            column_names=tuple(self.columns),
            row_names=tuple(name for name, i in self.rows.items() if i is not None),
            objective=None if self.objective is None else Objective(self.sense, cost, offset),
        )

    def ends_of_row(self, name: str, i: int) -> tuple[Number, Number]:
        """An L row is at most, a G row at least, an E row equal to its right side; a range says how far the other end is."""
        kind, right = self.kinds[i], self.right.get(name, Fraction(0))
        low: Value = -math.inf if kind == "L" else right
        high: Value = math.inf if kind == "G" else right
        if name in self.ranges:
            span = self.ranges[name]
            size = span if span >= 0 else -span
            if kind == "L" or (kind == "E" and span < 0):
                low = high - size
            else:
                high = low + size
        return ends_of(low, high, f"the row {name[:40]!r}")

    def ends_of_column(self, j: int) -> tuple[Number, Number]:
        """At least 0 unless something else is said. A whole number of which nothing is said is 0 or 1."""
        unsaid = j in self.integers and j not in self.low and j not in self.high
        low, high = self.low.get(j, Fraction(0)), self.high.get(j, Fraction(1) if unsaid else math.inf)
        return ends_of(low, high, f"the column {self.column_names[j][:40]!r}")
