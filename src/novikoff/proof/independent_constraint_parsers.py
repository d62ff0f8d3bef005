"""The parser of `verify` for constraints: tables of numbers, NumPy archives, MPS and LP files. Slow, obvious, and strict.

The numbers of a text are doubles, or the decimals that stand there, as the certificate says. What is read differently by
different programs is refused, with the line: malformed numbers, rows and columns that are not declared, repeated entries. A proof
about less than the file says is no proof about the file. As is usual, ends of 10²⁰ and more mean that there is no end.
"""

import io
import math
import re
from contextlib import suppress
from fractions import Fraction
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array, Matrix
from novikoff.proof.certificate import DOUBLES, System
from novikoff.proof.independent_lp_parser import begins_like_lp, lp_of
from novikoff.proof.independent_parsers import (
    DECIMAL,
    NOT_A_NUMBER,
    PlainError,
    check_archive,
    content_of,
    csr_of,
    exact_number,
    exact_or_infinite,
    number_of,
    sparse_of,
)
from novikoff.proof.rational_matrix import Ends, RationalMatrix, rational

SECTIONS = ("NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS")  # in this order
FIXED_SECTIONS = ("NAME", "ROWS", "COLUMNS", "RHS")  # where names have spaces, HiGHS relies on these
FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))  # where names have spaces, a line is cut here
NO_END = 1e20
GIVEN = math.nan  # stands for the number on the line
BOUNDS = {  # what each kind says of the lower bound and the upper one
    b"UP": (None, GIVEN),
    b"LO": (GIVEN, None),
    b"FX": (GIVEN, GIVEN),
    b"FR": (-math.inf, math.inf),
    b"MI": (-math.inf, None),
    b"PL": (None, math.inf),
}
INTEGER_BOUNDS = {b"UI": BOUNDS[b"UP"], b"LI": BOUNDS[b"LO"], b"BV": (0.0, 1.0)}

OBJECTIVE = -1  # the number of the first row without limits
Line = tuple[str, bytes]  # "line 7", and what it says
Value = float | Fraction


class PlainSystem(NamedTuple):
    """lower ≤ A·w ≤ upper; of a table or an archive, the cone A·w ≥ 1. Arrays of doubles, or rational numbers."""

    A: Matrix | RationalMatrix
    lower: Array | Ends | float = 1.0
    upper: Array | Ends | float = np.inf
    bounds: Array | tuple[Ends, Ends] | None = None
    objective: tuple[str, Array | Ends] | None = None  # "minimize" or "maximize", and what
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()

    @property
    def ends(self) -> dict[str, Any]:
        """All but A, as `verify` takes it."""
        objective = {} if self.objective is None else {self.objective[0]: self.objective[1]}
        return {"lower": self.lower, "upper": self.upper, "bounds": self.bounds} | objective

    def has_names_of(self, data: System) -> bool:
        """Whether the names in a certificate are those of the file. Neither need have any."""
        said = (data.row_names, self.row_names), (data.column_names, self.column_names)
        return all(not names or not own or names == own for names, own in said)


def read_constraints_plainly(path: str | PathLike[str], remarks: list[str] | None = None, numbers: str = DOUBLES) -> PlainSystem:
    """What the file says, its numbers read as doubles or as rationals.

    If `remarks` is given, sentences are added to it on what the constraints leave out of the file.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        content = content_of(str(path))
        if _is_mps(str(path), content):
            return _mps(content, [] if remarks is None else remarks, numbers)
        if _is_lp(str(path), content):
            return _lp(content, [] if remarks is None else remarks, numbers)
        archive = re.search(r"\.npz(\.gz|\.xz|\.bz2|\.zst)?$", str(path).lower()) or content.startswith(b"PK\x03\x04")
        return PlainSystem(_archive(content)) if archive else _table(content, numbers)
    except PlainError as error:
        raise PlainError(f"{name}: {error}") from None


def _is_mps(path: str, content: bytes) -> bool:
    lines = (line for line in content.split(b"\n") if line.strip() and not line.lstrip().startswith(b"*"))
    named_so = re.search(r"\.mps(\.gz|\.xz|\.bz2|\.zst)?$", path.lower())
    return bool(named_so or re.match(rb"\s*(NAME|ROWS|OBJSENSE)\b", next(lines, b"")))


def _is_lp(path: str, content: bytes) -> bool:
    table = re.search(r"\.(csv|tsv)(\.gz|\.xz|\.bz2|\.zst)?$", path.lower())
    return bool(re.search(r"\.lp(\.gz|\.xz|\.bz2|\.zst)?$", path.lower()) or (not table and begins_like_lp(content)))


# ---- tables and archives --------------------------------------------------------------------------------------------


def _table(content: bytes, numbers: str) -> PlainSystem:
    lines = [line.strip(" \t\r") for line in content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")]
    first = next((line for line in lines if line), "")
    separator = max("\t;,", key=first.count)
    fields = [re.split(separator if separator in first else " +", line) for line in lines]
    rows = [(f"line {number}", [field.strip(" ") for field in row]) for number, row in enumerate(fields, 1) if row != [""]]
    names = tuple(rows.pop(0)[1]) if rows and not any(map(_like_a_number, rows[0][1])) else ()  # a header
    if not rows:
        raise PlainError("has no rows; give a constraint a row")
    found: list[list[Value]] = []
    for where, row in rows:
        found.append([_number(field, f"{where}, column {j}", numbers) for j, field in enumerate(row, 1)])
        if len(row) != len(rows[0][1]):
            raise _wrong(where, f"it has {len(row)} numbers where the first row has {len(rows[0][1])}")
    A = np.array(found) if numbers == DOUBLES else RationalMatrix.of_objects(np.array(found, object))
    return PlainSystem(A, column_names=names if len(names) == A.shape[1] else ())


def _number(field: str, where: str, numbers: str) -> Value:
    try:
        nearest = number_of(field, where)
    except PlainError as error:
        raise PlainError(f"{error}; a constraint is a row of numbers") from None
    return nearest if numbers == DOUBLES else exact_number(field, where)


def _like_a_number(field: str) -> bool:
    """Whether it starts like a number, even a malformed one: then the first line is not a header."""
    return re.match(f"[-+.]*([0-9]|$)|({NOT_A_NUMBER})$", field, re.IGNORECASE) is not None


def _archive(content: bytes) -> Matrix:
    try:
        check_archive(content)
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            names = list(archive)
            if "format" in names:
                return sparse_of(archive, content)
            kept = [name for name in ("A", "X") if name in names] or names
            if len(kept) == 1:
                if not isinstance(archive[kept[0]], np.ndarray):
                    raise PlainError(f"{kept[0]} is no array")
                return archive[kept[0]]
    except PlainError:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds of a damaged archive
        raise PlainError(f"is not an archive of plain arrays ({' '.join(str(error).split())[:200]})") from None
    raise PlainError(f"has {len(names)} arrays; call the matrix A")


# ---- LP -------------------------------------------------------------------------------------------------------------


def integers_remark(columns: int) -> list[str]:
    """A remark about columns that the file declares to be whole numbers."""
    return [f"{columns} integer column{'s are' if columns > 1 else ' is'} treated as continuous"] if columns else []


def unused_remark(columns: int) -> list[str]:
    """A remark about columns of an LP file that are there because bounds or a list mention them. A name may be misspelt."""
    return [f"{columns} column{'s are' if columns > 1 else ' is'} in no constraint and not in the objective"] if columns else []


def _lp(content: bytes, remarks: list[str], numbers: str) -> PlainSystem:
    found = lp_of(content, numbers)
    remarks += integers_remark(found.integers) + unused_remark(found.unused)
    rows = [_ends(low, high, "row", i) for i, (low, high) in enumerate(found.rows)]
    columns = [_ends(low, high, "column", j) for j, (low, high) in enumerate(found.columns)]
    return system_of(found.entries, rows, columns, (found.sense, found.cost), found.row_names, found.column_names, numbers)


# ---- MPS ------------------------------------------------------------------------------------------------------------


class _SpacesError(Exception):
    """Here HiGHS begins again, since a name has a space: it counts characters from now on."""


def _mps(content: bytes, remarks: list[str], numbers: str) -> PlainSystem:
    sections, sense = _sections(content)
    with suppress(_SpacesError):
        found = _Mps(sections, False, sense, numbers)
        remarks += integers_remark(len(found.integers))
        return found.system()
    if numbers != DOUBLES:
        return _Mps(sections, True, sense, numbers).system()
    if missing := [name for name in FIXED_SECTIONS if name not in sections]:
        raise PlainError(f"names have spaces, and HiGHS reads such files wrongly where they have no section {missing[0]}")
    if "OBJSENSE" in sections:
        raise PlainError("names have spaces, and HiGHS reads such files wrongly where they have a section OBJSENSE")
    return _Mps(sections, True, sense, numbers).system()


def _sections(content: bytes) -> tuple[dict[str, list[Line]], str]:
    """The lines of each section, and the sense of the objective. A section's name stands alone, but for NAME and OBJSENSE."""
    sections: dict[str, list[Line]] = {}
    last, sense = "", "minimize"
    for number, line in enumerate(content.split(b"\n"), 1):
        words, where = line.split(), f"line {number}"
        if not words or line.startswith(b"*"):
            continue
        if b"\0" in line:
            raise _wrong(where, "it has a zero byte")
        name = words[0].upper().decode("latin-1")
        if last == "OBJSENSE" and name[:3] in ("MAX", "MIN"):
            sense = "maximize" if name.startswith("MAX") else "minimize"
            continue
        if len(words) > 1 and name not in ("NAME", "OBJSENSE"):
            if last in ("", "NAME", "OBJSENSE"):
                raise _wrong(where, "it is of no section that has such lines")
            sections[last].append((where, line))
            continue
        if line[:1].isspace():
            raise _wrong(where, f"{_shown(words[0])} stands alone, as a section's name does, but not in the first column")
        if name == "ENDATA":
            return sections, sense
        if name not in SECTIONS:
            raise _wrong(where, f"{_shown(words[0])} is no section of linear constraints")
        if any(SECTIONS.index(name) <= SECTIONS.index(before) for before in sections):
            raise _wrong(where, f"the section {name} comes late or twice; the order is {', '.join(SECTIONS)}")
        last, sections[name] = name, []
        if name == "OBJSENSE" and len(words) > 1:
            sense = "maximize" if words[1].upper().startswith(b"MAX") else "minimize"
    raise PlainError("ends without ENDATA; it may be cut short")


class _Mps:
    """What the sections say, one after the other."""

    def __init__(self, sections: dict[str, list[Line]], fixed: bool, sense: str, numbers: str) -> None:
        self.fixed, self.sense, self.numbers = fixed, sense, numbers
        self.zero: Value = 0.0 if numbers == DOUBLES else Fraction(0)  # a fraction plus a float would round
        self.rows: dict[bytes, int | None] = {}  # their numbers; rows without limits but the first have none
        self.kinds: list[bytes] = []
        self.lower: list[Value] = []
        self.upper: list[Value] = []
        self.columns: dict[bytes, int] = {}
        self.bounds: list[list[Value]] = []
        self.whole: list[bool] = []  # columns between the markers, of which no bound is known
        self.integers = set[int]()  # columns between the markers, or with bounds of integers
        self.entries: list[dict[int, Value]] = []  # of each row
        self.cost: dict[int, Value] = {}
        for section, read in (
            ("ROWS", self.read_rows),
            ("COLUMNS", self.read_columns),
            ("RHS", self.read_right_sides),
            ("RANGES", self.read_ranges),
            ("BOUNDS", self.read_bounds),
        ):
            read(sections.get(section, []))

    def system(self) -> PlainSystem:
        if not self.kinds and not self.columns:
            raise PlainError("has neither rows nor columns; check it")
        for j in (j for j, whole in enumerate(self.whole) if whole):
            self.bounds[j] = [0.0, 1.0]
        rows = [_ends(low, high, "row", i) for i, (low, high) in enumerate(zip(self.lower, self.upper, strict=True))]
        columns = [_ends(low, high, "column", j) for j, (low, high) in enumerate(self.bounds)]
        cost = [self.cost.get(j, 0.0) for j in range(len(self.columns))]
        has_objective = OBJECTIVE in self.rows.values()
        names = (
            tuple(_name(name) for name, i in self.rows.items() if i not in (None, OBJECTIVE)),
            tuple(map(_name, self.columns)),
        )
        return system_of(self.entries, rows, columns, (self.sense, cost) if has_objective else None, *names, self.numbers)

    # ---- sections -------------------------------------------------------------------------------------------------------

    def read_rows(self, lines: list[Line]) -> None:
        for where, line in lines:
            kind, *name = self.fields(where, line, has_kind=True)
            if kind not in (b"N", b"L", b"G", b"E"):
                raise _wrong(where, f"{_shown(kind)} is no kind of row; the kinds are N, L, G, E")
            if len(name) != 1:
                self.begin_again_if(len(line.strip()[1:].strip()) <= 8)
                raise _wrong(where, "a row has a kind and a name")
            if name[0] in self.rows:
                raise _wrong(where, f"the row {_shown(name[0])} is declared twice")
            if kind == b"N":
                self.rows[name[0]] = None if OBJECTIVE in self.rows.values() else OBJECTIVE
                continue
            self.rows[name[0]] = len(self.kinds)
            self.kinds.append(kind)
            self.lower.append(-math.inf if kind == b"L" else self.zero)
            self.upper.append(math.inf if kind == b"G" else self.zero)
            self.entries.append({})

    def read_columns(self, lines: list[Line]) -> None:
        integer, last, seen = False, None, set[bytes]()
        for where, line in lines:
            words = line.split()
            if words[1] == b"'MARKER'":
                if self.fixed or words[2:] != [b"'INTEND'" if integer else b"'INTORG'"]:
                    raise _wrong(where, "a marker is 'INTORG' and then 'INTEND', and names have no spaces")
                integer = not integer
                continue
            column, *pairs = self.fields(where, line)
            if not self.fixed and words[1] not in self.rows and _width_of_two(line) < 9:
                self.begin_again_if(len(line.strip()[:10].strip()) <= 8)
            if column != last:
                if column in self.columns:
                    raise _wrong(where, f"the column {_shown(column)} begins a second time")
                last, seen = column, set()
                self.columns[column] = len(self.columns)
                self.bounds.append([0.0, math.inf])
                self.whole.append(integer)
                self.integers |= {self.columns[column]} if integer else set()
            for row, value in self.pairs(where, pairs, seen):
                if not math.isfinite(value):
                    raise _wrong(where, "an entry is not finite")
                if row is not None and value:
                    (self.cost if row == OBJECTIVE else self.entries[row])[self.columns[column]] = value

    def read_right_sides(self, lines: list[Line]) -> None:
        for row, value in self.of_one_set(lines, optional=True):
            if self.kinds[row] != b"G":
                self.upper[row] = value
            if self.kinds[row] != b"L":
                self.lower[row] = value

    def read_ranges(self, lines: list[Line]) -> None:
        """So long is the way from one end to the other; of an equation, up or down as the sign says."""
        for row, value in self.of_one_set(lines, optional=False):
            if self.kinds[row] == b"L" or (self.kinds[row] == b"E" and value < 0):
                self.lower[row] = self.upper[row] - (value if value >= 0 else -value)
            else:
                self.upper[row] = self.lower[row] + (value if value >= 0 else -value)

    def of_one_set(self, lines: list[Line], optional: bool) -> list[tuple[int, Value]]:
        """The rows' numbers and values. There may be a set of them under each of several names, but here is one."""
        found, sets, seen = [], set[bytes | None](), set[bytes]()
        for where, line in lines:
            words = self.fields(where, line)
            unnamed = optional and not self.fixed and words[0] in self.rows
            sets.add(None if unnamed else words[0])
            found += self.pairs(where, words[int(not unnamed) :], seen)
            self.one_set(where, sets)
        return [(row, value) for row, value in found if row is not None and row != OBJECTIVE]

    def read_bounds(self, lines: list[Line]) -> None:
        sets, given = set[bytes | None](), set[tuple[int, int]]()
        for where, line in lines:
            kind, *words = self.fields(where, line, has_kind=True)
            unnamed = not self.fixed and words[0] in self.columns
            sets.add(None if unnamed else words[0])
            self.one_set(where, sets)
            column, *values = words if unnamed else words[1:] or [b""]
            if column not in self.columns:
                raise _wrong(where, f"{_shown(column)} is no column")
            kinds = BOUNDS if self.fixed else BOUNDS | INTEGER_BOUNDS
            if kind not in kinds:
                raise _wrong(where, f"{_shown(kind)} is no kind of bound that is read here")
            needs_number = GIVEN in kinds[kind]
            if len(values) > (needs_number or not unnamed) or len(values) < needs_number:
                raise _wrong(where, "a bound has a kind, perhaps a name, a column, and a number if it is UP, LO, FX, UI or LI")
            j, number = self.columns[column], self.number(where, values[0]) if needs_number else 0.0
            for end, said in enumerate(kinds[kind]):
                if said is not None:
                    if (j, end) in given:
                        raise _wrong(where, f"the column {_shown(column)} has this bound already")
                    given.add((j, end))
                    self.bounds[j][end] = number if said is GIVEN else said
            self.whole[j] = False
            self.integers |= {j} if kind in INTEGER_BOUNDS else set()
            if self.fixed and kind == b"UP" and number < 0 and self.bounds[j][0] == 0:
                self.bounds[j][0] = -math.inf  # so HiGHS has it where names have spaces, and only there
            if self.numbers != DOUBLES:
                self.check_upper(where, j, given)

    def check_upper(self, where: str, j: int, given: set[tuple[int, int]]) -> None:
        if (j, 0) not in given and self.bounds[j][1] < 0:
            raise _wrong(where, "the upper bound is negative, and no lower bound is given before it")

    # ---- lines ----------------------------------------------------------------------------------------------------------

    def fields(self, where: str, line: bytes, has_kind: bool = False) -> list[bytes]:
        """The fields of a line: its words, or where names have spaces what stands where a field has its place."""
        if not self.fixed:
            return line.split()
        line = line.rstrip()
        ends = [0, *(end for field in FIELDS for end in field), len(line) + 1]
        between = b"".join(line[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))
        if between.strip(b" ") or b"\t" in line:
            raise _wrong(where, "names have spaces, and something stands where no field has its place")
        kind, *fields = (line[a:b].rstrip() for a, b in FIELDS)
        while fields and not fields[-1]:
            fields.pop()
        if bool(kind) is not has_kind or not 0 < len(fields) <= (3 if has_kind else 5):
            raise _wrong(where, "it has more fields, or fewer, than a line of this section")
        return [kind.strip(), *fields] if has_kind else fields

    def pairs(self, where: str, words: list[bytes], seen: set[bytes]) -> list[tuple[int | None, Value]]:
        """One row and its number, or two of them; a row may occur once in these lines."""
        if len(words) not in (2, 4):
            raise _wrong(where, "after one name a line has one row and its number, or two")
        found = []
        for name, value in zip(words[::2], words[1::2], strict=True):
            if name not in self.rows:
                raise _wrong(where, f"{_shown(name)} is no row")
            if name in seen:
                raise _wrong(where, f"the row {_shown(name)} has a number here already")
            seen.add(name)
            found.append((self.rows[name], self.number(where, value)))
        return found

    def number(self, where: str, word: bytes) -> Value:
        """A decimal, perhaps with FORTRAN's D, or infinity."""
        text = word.strip().decode("latin-1")
        if re.fullmatch(DECIMAL if self.fixed else DECIMAL.replace("eE", "eEdD"), text):
            return float(re.sub("[dD]", "e", text)) if self.numbers == DOUBLES else exact_or_infinite(text, where)
        if re.fullmatch("[-+]?inf(inity)?", text, re.IGNORECASE):
            return float(text)
        raise _wrong(where, f"{_shown(word.strip())} is not a number")

    def begin_again_if(self, short: bool) -> None:
        if short and not self.fixed:
            raise _SpacesError

    def one_set(self, where: str, sets: set[bytes | None]) -> None:
        if len(sets) > 1:
            raise _wrong(where, "another set of numbers begins under another name; leave one of them out")


def _width_of_two(line: bytes) -> int:
    """The characters up to the end of the second word."""
    return len(re.match(rb"\S+\s+\S+|", line.strip())[0])  # type: ignore[index]


def system_of(
    entries: list[dict[int, Value]],
    rows: list[tuple[Value, Value]],
    columns: list[tuple[Value, Value]],
    objective: tuple[str, list[Value]] | None,
    row_names: tuple[str, ...],
    column_names: tuple[str, ...],
    numbers: str,
) -> PlainSystem:
    lower, upper, low, high = ([pair[side] for pair in pairs] for pairs in (rows, columns) for side in (0, 1))
    if numbers == DOUBLES:
        A = csr_of(entries, len(columns))
        bounds = np.array(columns, float).reshape(-1, 2)
        cost = None if objective is None else (objective[0], np.array(objective[1], float))
        return PlainSystem(A, np.array(lower, float), np.array(upper, float), bounds, cost, row_names, column_names)
    ends = [Ends.of(map(rational, side)) for side in (lower, upper, low, high)]
    exact = None if objective is None else (objective[0], Ends.of(map(rational, objective[1])))
    matrix = RationalMatrix.of_entries([{j: rational(v) for j, v in row.items()} for row in entries], len(columns))
    return PlainSystem(matrix, ends[0], ends[1], (ends[2], ends[3]), exact, row_names, column_names)


def _name(name: bytes) -> str:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _ends(low: Value, high: Value, what: str, k: int) -> tuple[Value, Value]:
    if not (low < NO_END and high > -NO_END):
        raise _wrong(f"{what} {k}, counted from 0", f"no number is between {float(low):g} and {float(high):g}")
    return (-math.inf if low <= -NO_END else low), (math.inf if high >= NO_END else high)


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("utf-8", "replace"))


def _wrong(where: str, why: str) -> PlainError:
    return PlainError(f"{where}: {why}")
