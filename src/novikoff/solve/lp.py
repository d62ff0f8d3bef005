"""Linear programs from LP files, as CPLEX, Gurobi, GLPK and HiGHS write them. Numbers are the decimals that stand there.

A file is read from front to back, token by token. What programs read differently is refused: constants beside variables,
variables on the right, repeated variables and bounds, a negative upper bound where no lower bound is given, bounds of binary
variables that are not 0 and 1, a number that runs into a name as an exponent would. A variable that occurs only among the bounds
or the integers is a column all the same, as for HiGHS, and a remark says so.
"""

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from os import PathLike, fspath
from typing import NamedTuple

from novikoff.data.opening import opened
from novikoff.data.sources import Source
from novikoff.proof.independent_constraint_parsers import integers_remark, unused_remark
from novikoff.proof.rational_matrix import Ends, RationalMatrix
from novikoff.proof.rationals import Number
from novikoff.solve.constraints import Constraints, Misread, Value, decimal, ends_of, entry, on_line, text_of
from novikoff.solve.objectives import Objective

SENSES = {
    **dict.fromkeys(("minimize", "minimum", "min"), "minimize"),
    **dict.fromkeys(("maximize", "maximum", "max"), "maximize"),
}
REFUSED = {  # sections that may only be empty
    **dict.fromkeys(("semi-continuous", "semi", "semis"), "semi-continuous variables"),
    **dict.fromkeys(("sos", "sos1", "sos2"), "special ordered sets"),
    "pwlobj": "piecewise-linear objectives",
    "general constraints": "general constraints",
    "lazy constraints": "lazy constraints",
    "user cuts": "user cuts",
}
SECTIONS = {
    **dict.fromkeys(("subject to", "such that", "st", "s.t.", "st."), "constraints"),
    **dict.fromkeys(("bounds", "bound"), "bounds"),
    **dict.fromkeys(("general", "generals", "gen", "integer", "integers", "int"), "integers"),
    **dict.fromkeys(("binary", "binaries", "bin"), "binaries"),
    "end": "end",
    **REFUSED,
}
WORDS = sorted(SENSES | SECTIONS, key=len, reverse=True)
ANY_WORD = "|".join(r"[ \t]++".join(map(re.escape, word.split())) for word in WORDS)
RESERVED = {*WORDS, "free", "inf", "infinity", "nan"}  # so they are no names
LONGEST_NAME = 255  # characters; CPLEX cuts longer names
IN_NAMES = r"[^\s\x00-\x1f\x7f+\-*^:<>=\\]"
FIRST = r"""[A-Za-z_!"$%&?@'`{}~|\u0080-\U0010ffff](?<!\s)"""
NAME = rf"(?:{FIRST}|\.(?=[^0-9]){IN_NAMES}){IN_NAMES}*+"
TOKEN = re.compile(
    rf"""(?P<blank>[ \t\r]++)
    |(?P<number>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+)
    |(?P<label>{NAME}[ \t]*+:)
    |(?P<section>(?i:{ANY_WORD})(?!{IN_NAMES}))
    |(?P<free>(?i:free)(?!{IN_NAMES}))
    |(?P<infinity>(?i:inf(?:inity)?)(?!{IN_NAMES}))
    |(?P<name>{NAME})
    |(?P<wrong>->|[\[*^])
    |(?P<comparison>[<>]=?|=[<>]?)
    |(?P<sign>[-+])
    |(?P<strange>(?s:.))""",
    re.VERBOSE,
)
WRONG = {"->": "an indicator constraint, which is no linear constraint"}
QUADRATIC = "a sign of quadratic terms, which are no linear constraint"
FLIPPED = {"<": ">", ">": "<", "=": "="}

Given = tuple[Value | None, Value | None]  # the lower end and the upper one; None if it is not said


class Token(NamedTuple):
    kind: str
    text: str
    line: int

    @property
    def shown(self) -> str:
        return repr(self.text[:40]) if self.text else "the end of the file"


def read_lp(path: str | PathLike[str]) -> Constraints:
    """The linear program in an LP file, packed or not. Columns of whole numbers are treated as continuous."""
    with opened(fspath(path)) as source:
        return lp_of(source)


def lp_of(source: Source) -> Constraints:
    try:
        return _Program(text_of(source.whole())).constraints()
    except Misread as misread:
        raise misread.in_file(source.name) from None


def _tokens(text: str) -> Iterator[Token]:
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.partition("\\")[0]
        for found in TOKEN.finditer(line):
            kind, word = str(found.lastgroup), found[0]
            if kind in ("wrong", "strange"):
                raise Misread(number, f"{word!r} is {WRONG.get(word, QUADRATIC if kind == 'wrong' else 'no part of an LP file')}")
            if kind == "number":
                _check_what_follows(number, word, line[found.end() : found.end() + 1])
            elif kind in ("name", "label"):
                word = word.rstrip(": \t")
                if word.lower() in RESERVED:
                    other = "; if this is lp_solve's own format, write it as MPS" if word.lower() in SENSES else ""
                    raise Misread(number, f"{word!r} is a word of the format, so it cannot be a name; rename it{other}")
                if len(word) > LONGEST_NAME:
                    raise Misread(number, f"the name {word[:40]}… has more than {LONGEST_NAME} characters; programs cut it")
            if kind != "blank":
                yield Token(kind, word, number)
    yield Token("nothing", "", number)


def _check_what_follows(line: int, word: str, letter: str) -> None:
    """A name may follow a number without a blank, but not if it could belong to the number: 2e5y, 0x1, 1.2.3."""
    hexadecimal = word == "0" and letter in ("x", "X")
    if re.match(IN_NAMES, letter) and (not letter.isalpha() or letter in "eE" or "e" in word.lower() or hexadecimal):
        raise Misread(line, f"{(word + letter)[-40:]!r} may be a number and a name, or no number; put a blank between them")


class _Program:
    """What the sections say, one after the other."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.now = self.last = next(self.tokens)
        self.columns: dict[str, int] = {}
        self.entries: list[dict[int, Number]] = []
        self.row_names: dict[str, int] = {}
        self.row_ends: list[tuple[Number, Number]] = []
        self.low: dict[int, tuple[Number, int]] = {}  # with its line
        self.high: dict[int, tuple[Number, int]] = {}
        self.integers = set[int]()
        self.binaries: dict[int, int] = {}  # with their lines
        self.read_objective()
        self.used = len(self.columns)  # columns of the objective and the constraints; others are only mentioned later
        self.read_sections()
        self.check_bounds()

    # ---- tokens ---------------------------------------------------------------------------------------------------------

    def take(self) -> Token:
        self.last, self.now = self.now, self.now if self.now.kind == "nothing" else next(self.tokens)
        return self.last

    def expect(self, kind: str, what: str) -> Token:
        if self.now.kind != kind:
            also = "; it is a word of the format, and no name" if self.now.kind in ("section", "free", "infinity") else ""
            raise Misread(self.now.line, f"{what} is missing before {self.now.shown}{also}")
        return self.take()

    def signs(self) -> int:
        sign = 1
        while self.now.kind == "sign":
            sign *= -1 if self.take().text == "-" else 1
        return sign

    def number(self) -> Value:
        token = self.take() if self.now.kind == "infinity" else self.expect("number", "a number")
        return on_line(token.line, decimal, token.text)

    def limit(self) -> Value:
        sign = self.signs()
        if self.now.kind == "name":
            raise Misread(self.now.line, f"{self.now.shown} stands where a number should; bring the variables to the left")
        return _signed(sign, self.number())

    def comparison(self) -> str:
        """One of <, > and =, each with equality."""
        return self.expect("comparison", "<=, >= or =").text.strip("=") or "="

    def end_of_line(self) -> None:
        if self.now.kind not in ("section", "nothing") and self.now.line == self.last.line:
            raise Misread(
                self.now.line,
                f"{self.now.shown} stands behind a whole constraint or bound; begin a new line, or bring variables to the left",
            )

    def column(self, name: Token) -> int:
        return self.columns.setdefault(name.text, len(self.columns))

    # ---- the objective and the constraints ------------------------------------------------------------------------------

    def read_objective(self) -> None:
        if self.now.kind == "nothing":
            raise Misread(0, "is empty; give an LP file")
        if self.now.kind != "section" or self.now.text.lower() not in SENSES:
            raise Misread(self.now.line, f"an LP file begins with minimize or maximize, not with {self.now.shown}")
        self.sense = SENSES[self.take().text.lower()]
        if self.now.kind == "label":
            self.take()
        line = self.now.line
        terms, constants = self.expression()
        if self.now.kind in ("label", "comparison"):
            raise Misread(self.now.line, f"{self.now.shown} belongs to a constraint, but 'subject to' is missing before it")
        self.cost, offset = terms, sum(constants, Fraction(0))
        if isinstance(offset, float):
            raise Misread(line, "the constant of the objective is infinite")
        self.offset = Fraction(on_line(line, entry, offset))

    def expression(self) -> tuple[dict[int, Number], list[Value]]:
        """The coefficients by column, and the constants, with signs between them."""
        terms: dict[int, Number] = {}
        constants: list[Value] = []
        while self.now.kind in ("sign", "number", "infinity", "name"):
            first = self.now
            if (terms or constants) and first.kind != "sign":
                raise Misread(first.line, f"{first.shown} has no + or - before it")
            sign = self.signs()
            value = Fraction(sign) if self.now.kind == "name" else _signed(sign, self.number())
            if self.now.kind != "name":
                constants.append(value)
                continue
            name = self.take()
            if (j := self.column(name)) in terms:
                raise Misread(name.line, f"the variable {name.shown} occurs here already")
            terms[j] = on_line(name.line, entry, value)
        return terms, constants

    def read_constraint(self) -> None:
        begin, name = self.now.line, ""
        if self.now.kind == "label":
            name = self.take().text
            if name in self.row_names:
                raise Misread(begin, f"the constraint {name[:40]!r} is there already")
        terms, constants = self.expression()
        left = None
        if constants and not terms:
            left = sum(constants), self.comparison()
            if len(constants) > 1:
                raise Misread(self.last.line, "there is more than one number on the left")
            terms, constants = self.expression()
            if not terms or self.now.kind != "comparison":
                raise Misread(
                    begin, "a constraint that begins with a number needs variables and another number on the right; reverse it"
                )
        if constants:
            raise Misread(self.last.line, "programs add a constant beside variables, or leave it out; bring it to the right")
        if not (terms or name):
            raise Misread(self.now.line, f"a constraint has variables before {self.now.shown}")
        self.row_ends.append(self.ends(begin, self.sides(left), f"the constraint {name[:40]!r}" if name else "the constraint"))
        self.row_names[name or str(len(self.entries))] = len(self.entries)  # no name begins with a digit
        self.entries.append(terms)

    def sides(self, left: tuple[Value, str] | None) -> Given:
        """By a number and a comparison on the left, and by what follows."""
        low, high = (None, None) if left is None else _sides(FLIPPED[left[1]], left[0])
        if left is None or self.now.kind == "comparison":
            symbol = self.comparison()
            if left is not None and (symbol == "=" or symbol != left[1]):
                raise Misread(self.last.line, "limits on both sides are written with <= twice, or with >= twice")
            right = _sides(symbol, self.limit())
            low, high = (low if right[0] is None else right[0]), (high if right[1] is None else right[1])
        self.end_of_line()
        return low, high

    def ends(self, line: int, given: Given, what: str) -> tuple[Number, Number]:
        low, high = -math.inf if given[0] is None else given[0], math.inf if given[1] is None else given[1]
        return on_line(line, lambda ends: ends_of(*ends, what), (low, high))

    # ---- the other sections ---------------------------------------------------------------------------------------------

    def read_sections(self) -> None:
        readers = {
            "constraints": self.read_constraint,
            "bounds": self.read_bound,
            "integers": self.read_integer,
            "binaries": self.read_binary,
        }
        seen = set[str]()
        while True:
            if self.now.kind == "nothing":
                raise Misread(0, "ends without End; it may be cut short")
            token = self.expect("section", "the name of a section")
            section = SECTIONS.get(" ".join(token.text.lower().split()), "objective")
            if section == "end":
                if self.now.kind != "nothing":
                    raise Misread(self.now.line, f"{self.now.shown} stands after End; remove it")
                return
            if section == "objective" or section in seen:
                raise Misread(token.line, f"the section {token.shown} comes a second time; there may be one")
            if section == "constraints" and seen:
                raise Misread(token.line, f"the section {token.shown} comes late; it follows the objective")
            seen.add(section)
            while self.now.kind not in ("section", "nothing"):
                if section not in readers:
                    raise Misread(self.now.line, f"{section} are not read here, but linear constraints alone; leave them out")
                readers[section]()
            if section == "constraints":
                self.used = len(self.columns)

    def read_bound(self) -> None:
        begin = self.now.line
        left = None
        if self.now.kind in ("sign", "number", "infinity"):
            left = self.limit(), self.comparison()
        name = self.expect("name", "a variable, without a coefficient,")
        j = self.column(name)
        if self.now.kind == "free" and left is None:
            self.take()
            self.end_of_line()
            given: Given = -math.inf, math.inf
        else:
            given = self.sides(left)
        if self.last.line != begin:
            raise Misread(begin, "a bound is a line, but this one goes on in the next; write it in one")
        lower, upper = self.ends(begin, given, f"the variable {name.shown}")
        for end, value, ends in ((given[0], (lower, begin), self.low), (given[1], (upper, begin), self.high)):
            if end is not None:
                if j in ends:
                    raise Misread(begin, f"the variable {name.shown} has this bound already")
                ends[j] = value

    def read_integer(self) -> None:
        self.integers.add(self.column(self.expect("name", "a variable")))

    def read_binary(self) -> None:
        token = self.expect("name", "a variable")
        self.binaries[self.column(token)] = token.line

    def low_of(self, j: int) -> Number:
        return self.low[j][0] if j in self.low else 0.0

    def high_of(self, j: int) -> Number:
        unsaid = 1.0 if j in self.binaries else math.inf
        return self.high[j][0] if j in self.high else unsaid

    def check_bounds(self) -> None:
        names = list(self.columns)
        for j, line in self.binaries.items():
            if self.low_of(j) != 0 or self.high_of(j) != 1:
                raise Misread(
                    line,
                    f"the binary variable {names[j][:40]!r} has other bounds than 0 and 1, which programs follow or leave out; "
                    "list it among the generals",
                )
        for j, (high, line) in self.high.items():
            if high < 0 and j not in self.low:
                raise Misread(
                    line,
                    f"the variable {names[j][:40]!r} has a negative upper bound and no lower bound, which programs take for 0 or "
                    "for none; give one",
                )

    def constraints(self) -> Constraints:
        if not self.entries and not self.columns:
            raise Misread(0, "has neither constraints nor variables; check it")
        columns = range(len(self.columns))
        named = any(not name[0].isdigit() for name in self.row_names)
        return Constraints(
            RationalMatrix.of_entries(self.entries, len(columns)),
            Ends.of(low for low, _ in self.row_ends),
            Ends.of(high for _, high in self.row_ends),
            (Ends.of(map(self.low_of, columns)), Ends.of(map(self.high_of, columns))),
            cone=False,
            remarks=(*integers_remark(len(self.integers | set(self.binaries))), *unused_remark(len(columns) - self.used)),
            column_names=tuple(self.columns),
            row_names=tuple(self.row_names) if named else (),
            objective=Objective(self.sense, Ends.of(self.cost.get(j, 0.0) for j in columns), self.offset),
        )


def _signed(sign: int, value: Value) -> Value:
    return -value if sign < 0 else value


def _sides(symbol: str, value: Value) -> Given:
    """What a comparison with a number on its right says."""
    return None if symbol == "<" else value, None if symbol == ">" else value
