"""The parser of `verify` for LP files. Slow, obvious, and strict.

A file is cut into words, the words into sections, and a section into statements: constraints, bounds or names. Each statement is
then taken apart by itself. What is read differently by different programs is refused, with the line.
"""

import math
import re
from fractions import Fraction
from typing import NamedTuple

from novikoff.proof.certificate import DOUBLES
from novikoff.proof.independent_parsers import DECIMAL, PlainError, exact_or_infinite

BLANKS = " \t\r"
DIGITS = "0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
FIRST = LETTERS + "_!\"$%&?@'`{}~|"  # what a name may begin with, besides letters beyond ASCII
LATER = FIRST + DIGITS + "#(),./;[]"
COMPARISONS = {"<": "<", "<=": "<", "=<": "<", ">": ">", ">=": ">", "=>": ">", "=": "="}
MIRRORED = {"<": ">", ">": "<", "=": "="}
INFINITE = ("inf", "infinity")
OBJECTIVES = {"minimize": "minimize", "minimum": "minimize", "min": "minimize"}
OBJECTIVES |= {"maximize": "maximize", "maximum": "maximize", "max": "maximize"}
TWO_WORDS = ("subject to", "such that", "lazy constraints", "user cuts", "general constraints")
SECTIONS = {
    "constraints": ("subject to", "such that", "st", "s.t.", "st."),
    "bounds": ("bounds", "bound"),
    "integers": ("general", "generals", "gen", "integer", "integers", "int"),
    "binaries": ("binary", "binaries", "bin"),
    "semi-continuous variables": ("semi-continuous", "semi", "semis"),
    "special ordered sets": ("sos", "sos1", "sos2"),
    "a piecewise-linear objective": ("pwlobj",),
    "general constraints": ("general constraints",),
    "lazy constraints": ("lazy constraints",),
    "user cuts": ("user cuts",),
    "end": ("end",),
}
SECTION_OF = {word: section for section, words in SECTIONS.items() for word in words}
NO_NAMES = {*SECTION_OF, *OBJECTIVES, *INFINITE, "free", "nan"}
LONGEST_NAME = 255  # characters

Value = float | Fraction


class Word(NamedTuple):
    line: int
    text: str
    kind: str  # "number", "name", "label", "comparison", "sign", or "keyword"; in lower case if the last


class PlainProgram(NamedTuple):
    """What the file says. The ends are as they stand there."""

    sense: str
    cost: list[Value]
    entries: list[dict[int, Value]]
    rows: list[tuple[Value, Value]]
    columns: list[tuple[Value, Value]]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    integers: int
    unused: int  # columns that are neither in the objective nor in a constraint


def begins_like_lp(content: bytes) -> bool:
    """Whether the first line that is no comment begins with the word of an objective."""
    for line in content.split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"\\"):
            return re.split(rb"[ \t\r]", line.strip(b" \t\r").lower())[0].decode("latin-1") in OBJECTIVES
    return False


def lp_of(content: bytes, numbers: str) -> PlainProgram:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    words: list[Word] = []
    for line, said in enumerate(text.split("\n"), 1):
        words += _words(line, said.partition("\\")[0])
    return _Lp(_sections(words), numbers).program()


# ---- words ----------------------------------------------------------------------------------------------------------


def _words(line: int, said: str) -> list[Word]:
    """The words of a line, character by character."""
    words: list[Word] = []
    at = 0
    while at < len(said):
        begin = at
        if said[at] in BLANKS:
            at += 1
            continue
        if said[at] in DIGITS or (said[at] == "." and said[at + 1 : at + 2] in [*DIGITS]):
            at = _end_of_number(said, at)
            words.append(Word(line, said[begin:at], "number"))
            if at < len(said) and _in_name(said[at]):
                _check_product(line, said[begin:at], said[at])
        elif _begins_name(said[at]) or (said[at] == "." and at + 1 < len(said) and _in_name(said[at + 1])):
            while at < len(said) and _in_name(said[at]):
                at += 1
            for long in ("semi-continuous", *TWO_WORDS):
                if found := _starts_with(said, begin, long):
                    at = found
            colon = at
            while colon < len(said) and said[colon] in " \t":
                colon += 1
            name = " ".join(said[begin:at].split())
            if colon < len(said) and said[colon] == ":":
                at = colon + 1
                words.append(Word(line, name, "label"))
            elif name.lower() in NO_NAMES:
                words.append(Word(line, name.lower(), "number" if name.lower() in INFINITE else "keyword"))
            else:
                words.append(Word(line, name, "name"))
            if words[-1].kind == "label" and name.lower() in NO_NAMES:
                raise _wrong(line, f"{name!r} is a word of the format and no name")
            if len(name) > LONGEST_NAME:
                raise _wrong(line, f"the name {name[:40]}… has more than {LONGEST_NAME} characters")
        elif said[at : at + 2] == "->":
            raise _wrong(line, "an indicator constraint is no linear constraint")
        elif said[at] in "+-":
            at += 1
            words.append(Word(line, said[begin:at], "sign"))
        elif said[at] in "<>=":
            at += 2 if said[at : at + 2] in COMPARISONS else 1
            words.append(Word(line, COMPARISONS[said[begin:at]], "comparison"))
        else:
            raise _wrong(line, f"{said[at]!r} is no part of linear constraints")
    return words


def _begins_name(letter: str) -> bool:
    return letter in FIRST or (ord(letter) > 127 and not letter.isspace())


def _in_name(letter: str) -> bool:
    return letter in LATER or (ord(letter) > 127 and not letter.isspace())


def _end_of_number(said: str, at: int) -> int:
    """The place after the number: digits, perhaps a point and more digits, perhaps e, a sign, and digits."""

    def digits(at: int) -> int:
        while at < len(said) and said[at] in DIGITS:
            at += 1
        return at

    at = digits(at)
    if said[at : at + 1] == ".":
        at = digits(at + 1)
    if said[at : at + 1] in ("e", "E"):
        exponent = at + 1 + (said[at + 1 : at + 2] in ("+", "-"))
        if digits(exponent) > exponent:
            return digits(exponent)
    return at


def _check_product(line: int, number: str, letter: str) -> None:
    """2x is 2 times x, but 2e is not 2 times e, nor 1_000 a product."""
    plain = letter in LETTERS or (ord(letter) > 127 and letter.isalpha())
    if not plain or letter in "eE" or "e" in number.lower() or (number == "0" and letter in "xX"):
        raise _wrong(line, f"{number[-40:]} and {letter!r} have no blank between them, and may be one number or two words")


def _starts_with(said: str, at: int, words: str) -> int:
    """Where these words end, if they stand here, in capitals or not, with any blanks between them; 0 if they do not."""
    for place, word in enumerate(words.split(" ")):
        begin = at
        while place and at < len(said) and said[at] in " \t":
            at += 1
        if (place and at == begin) or said[at : at + len(word)].lower() != word:
            return 0
        at += len(word)
    return 0 if at < len(said) and _in_name(said[at]) else at


# ---- sections and statements ----------------------------------------------------------------------------------------


def _sections(words: list[Word]) -> dict[str, list[Word]]:
    """The words of each section, the objective's first, in the order of the file. The last word has to be End."""
    if not words:
        raise PlainError("is empty")
    if words[0].text not in OBJECTIVES or words[0].kind != "keyword":
        raise _wrong(words[0].line, f"it begins with {words[0].text[:40]!r}, but the first word is minimize or maximize")
    sections: dict[str, list[Word]] = {OBJECTIVES[words[0].text]: []}
    now = sections[OBJECTIVES[words[0].text]]
    for word in words[1:]:
        if "end" in sections:
            raise _wrong(word.line, "something stands after End")
        if word.kind != "keyword" or word.text in ("free", "nan"):
            now.append(word)
            continue
        section = SECTION_OF.get(word.text, "")
        if not section or section in sections:
            raise _wrong(word.line, f"the section {word.text} is there already")
        if section == "constraints" and len(sections) > 1:
            raise _wrong(word.line, "the constraints come late; they follow the objective")
        now = sections[section] = []
    if "end" not in sections:
        raise PlainError("ends without End; it may be cut short")
    return sections


def _constraints(words: list[Word]) -> list[list[Word]]:
    """Cut into constraints. A constraint ends with the number after its last comparison, and so does its line."""
    found: list[list[Word]] = []
    now: list[Word] = []
    needed = comparisons = 0
    for place, word in enumerate(words):
        now.append(word)
        if word.kind == "comparison":
            if comparisons == 0:
                before = [each for each in now[:-1] if each.kind not in ("sign", "label")]
                needed = 2 if [each.kind for each in before] == ["number"] else 1
            comparisons += 1
        elif word.kind == "number" and comparisons and comparisons == needed:
            if place + 1 < len(words) and words[place + 1].line == word.line:
                raise _wrong(word.line, f"{words[place + 1].text[:40]!r} stands behind the number on the right")
            found.append(now)
            now, comparisons = [], 0
    if now:
        raise _wrong(now[-1].line, "a constraint has no end: a comparison with a number on its right")
    return found


def _lines(words: list[Word]) -> list[list[Word]]:
    lines: dict[int, list[Word]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word)
    return list(lines.values())


def _parts(words: list[Word]) -> tuple[list[list[Word]], list[str]]:
    """What stands between the comparisons, and the comparisons."""
    parts: list[list[Word]] = [[]]
    comparisons = []
    for word in words:
        if word.kind == "comparison":
            comparisons.append(word.text)
            parts.append([])
        else:
            parts[-1].append(word)
    return parts, comparisons


class _Lp:
    """What the sections say, one after the other."""

    def __init__(self, sections: dict[str, list[Word]], numbers: str) -> None:
        self.numbers = numbers
        self.one: Value = 1.0 if numbers == DOUBLES else Fraction(1)
        self.columns: dict[str, int] = {}
        self.cost: dict[int, Value] = {}
        self.names: list[str] = []  # of the constraints; "" is none
        self.known = set[str]()
        self.entries: list[dict[int, Value]] = []
        self.rows: list[tuple[Value, Value]] = []
        self.low: dict[int, Value] = {}
        self.high: dict[int, Value] = {}
        self.high_lines: dict[int, int] = {}
        self.integers = set[int]()
        self.binaries: dict[int, int] = {}
        self.used = 0
        for section, words in sections.items():
            if section in ("minimize", "maximize"):
                self.sense = section
                self.read_objective(words)
                self.used = len(self.columns)
            elif section == "constraints":
                for constraint in _constraints(words):
                    self.read_constraint(constraint)
                self.used = len(self.columns)
            elif section == "bounds":
                for line in _lines(words):
                    self.read_bound(line)
            elif section == "integers":
                self.integers |= {self.column(word) for word in words}
            elif section == "binaries":
                self.binaries |= {self.column(word): word.line for word in words}
            elif words:
                raise _wrong(words[0].line, f"{section}, which are no linear constraints")
        self.check_bounds()

    def program(self) -> PlainProgram:
        columns = range(len(self.columns))
        if not self.entries and not columns:
            raise PlainError("has neither constraints nor variables; check it")
        bounds = [(self.low.get(j, 0.0), self.high.get(j, 1.0 if j in self.binaries else math.inf)) for j in columns]
        names = tuple(name or str(i) for i, name in enumerate(self.names)) if any(self.names) else ()
        return PlainProgram(
            self.sense,
            [self.cost.get(j, 0.0) for j in columns],
            [{j: value for j, value in row.items() if value} for row in self.entries],
            self.rows,
            bounds,
            names,
            tuple(self.columns),
            len(self.integers | set(self.binaries)),
            len(columns) - self.used,
        )

    # ---- statements -----------------------------------------------------------------------------------------------------

    def read_objective(self, words: list[Word]) -> None:
        _, words = _label(words)
        self.cost, constant = self.sum_of(words)
        if constant is not None and not math.isfinite(constant):
            raise _wrong(words[0].line, "the constant is not finite")

    def read_constraint(self, words: list[Word]) -> None:
        line = words[0].line
        name, words = _label(words)
        if name and name in self.known:
            raise _wrong(line, f"the constraint {name[:40]!r} is there already")
        self.known.add(name)
        parts, comparisons = _parts(words)
        middle = parts[-2]
        row, constant = self.sum_of(middle)
        if constant is not None:
            raise _wrong(line, "a constant stands beside variables, or in their place")
        if not row and not name:
            raise _wrong(line, "a constraint has no variables and no name")
        low, high = self.limits(line, parts, comparisons)
        self.names.append(name)
        self.entries.append(row)
        self.rows.append((-math.inf if low is None else low, math.inf if high is None else high))

    def read_bound(self, words: list[Word]) -> None:
        line = words[0].line
        parts, comparisons = _parts(words)
        low: Value | None = -math.inf
        high: Value | None = math.inf
        if [word.kind for word in words] == ["name", "keyword"] and words[1].text == "free":
            j = self.column(words[0])
        else:
            places = [place for place, part in enumerate(parts) if [word.kind for word in part] == ["name"]]
            if len(places) != 1 or len(parts) not in (2, 3) or (len(parts) == 3 and places != [1]):
                raise _wrong(line, "a bound is one variable with a number before it or after it, or both, or with free")
            j = self.column(parts[places[0]][0])
            if places == [1] and len(parts) == 2:
                parts, comparisons = parts[::-1], [MIRRORED[comparisons[0]]]
            low, high = self.limits(line, parts, comparisons)
        for given, ends in ((low, self.low), (high, self.high)):
            if given is not None:
                if j in ends:
                    raise _wrong(line, "the variable has this bound already")
                ends[j] = given
        if high is not None:
            self.high_lines[j] = line

    def check_bounds(self) -> None:
        for j, line in self.binaries.items():
            if self.low.get(j, 0) != 0 or self.high.get(j, 1) != 1:
                raise _wrong(line, "a binary variable has other bounds than 0 and 1")
        for j, high in self.high.items():
            if high < 0 and j not in self.low:
                raise _wrong(self.high_lines[j], "the upper bound is negative, and no lower bound is given")

    # ---- parts of statements --------------------------------------------------------------------------------------------

    def limits(self, line: int, parts: list[list[Word]], comparisons: list[str]) -> tuple[Value | None, Value | None]:
        """The lower end and the upper one, of `middle <= number` or `number <= middle <= number`; None if it is not given."""
        right = self.number(line, parts[-1])
        if len(comparisons) == 1:
            return {"<": (None, right), ">": (right, None), "=": (right, right)}[comparisons[0]]
        left = self.number(line, parts[0])
        if comparisons == ["<", "<"]:
            return left, right
        if comparisons == [">", ">"]:
            return right, left
        raise _wrong(line, "two limits have <= twice between them, or >= twice")

    def number(self, line: int, words: list[Word]) -> Value:
        """Signs and one number."""
        if not words or words[-1].kind != "number" or any(word.kind != "sign" for word in words[:-1]):
            raise _wrong(line, f"{' '.join(word.text for word in words)[:40]!r} is not a number")
        return self.product(words[:-1]) * self.value(words[-1])

    def sum_of(self, words: list[Word]) -> tuple[dict[int, Value], Value | None]:
        """The coefficients by column, and the sum of the numbers that stand alone; None if there are none."""
        coefficients: dict[int, Value] = {}
        constant: Value | None = None
        for signs, rest in _terms(words):
            kinds = [word.kind for word in rest]
            if kinds not in (["number"], ["name"], ["number", "name"]):
                raise _wrong((signs + rest)[-1].line, "between signs are a number, a variable, or both, in this order")
            value = self.product(signs) * (self.value(rest[0]) if kinds[0] == "number" else self.one)
            if kinds == ["number"]:
                constant = value if constant is None else constant + value
                continue
            j = self.column(rest[-1])
            if j in coefficients:
                raise _wrong(rest[-1].line, f"the variable {rest[-1].text[:40]!r} is there already")
            if not math.isfinite(value):
                raise _wrong(rest[-1].line, "a coefficient is not finite")
            coefficients[j] = value
        return coefficients, constant

    def product(self, signs: list[Word]) -> int:
        return -1 if sum(word.text == "-" for word in signs) % 2 else 1

    def value(self, word: Word) -> Value:
        if word.text in INFINITE:
            return math.inf
        if not re.fullmatch(DECIMAL, word.text):
            raise _wrong(word.line, f"{word.text[:40]!r} is not a number")
        return float(word.text) if self.numbers == DOUBLES else exact_or_infinite(word.text, f"line {word.line}")

    def column(self, word: Word) -> int:
        if word.kind != "name":
            raise _wrong(word.line, f"{word.text[:40]!r} is no variable")
        return self.columns.setdefault(word.text, len(self.columns))


def _label(words: list[Word]) -> tuple[str, list[Word]]:
    return (words[0].text, words[1:]) if words and words[0].kind == "label" else ("", words)


def _terms(words: list[Word]) -> list[tuple[list[Word], list[Word]]]:
    """The signs of each term, and what follows them."""
    terms: list[tuple[list[Word], list[Word]]] = []
    for word in words:
        if not terms or (word.kind == "sign" and terms[-1][1]):
            terms.append(([], []))
        terms[-1][word.kind != "sign"].append(word)
    return terms


def _wrong(line: int, why: str) -> PlainError:
    return PlainError(f"line {line}: {why}")
