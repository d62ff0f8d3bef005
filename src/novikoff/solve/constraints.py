"""What a file of constraints says, in rational numbers, and the decimals that stand in it."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from novikoff.data.sources import ReadError
from novikoff.foundation.array_types import Matrix
from novikoff.proof.certificate import Certificate, System
from novikoff.proof.rational_matrix import LARGEST, Ends, RationalMatrix, rational
from novikoff.proof.rationals import Number
from novikoff.solve.objectives import Objective

NO_END = 10**20  # as is usual in files, limits from here on mean that there is none
LONGEST = 1_000  # characters of a number
DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD]([-+]?[0-9]+))?")
# A number without this has at most 15 digits and is neither huge nor tiny: its nearest double tells which decimal it is.
LONG = re.compile(rb"[0-9.]{16}|[eE][-+]?[0-9]{3}")
INFINITE = re.compile(r"[-+]?inf(inity)?", re.IGNORECASE)

Value = Fraction | float  # a float only if it is infinite
Answer = TypeVar("Answer", bound=Certificate)
Given = TypeVar("Given")
Made = TypeVar("Made")


class Constraints(NamedTuple):
    """lower ≤ A·x ≤ upper, with bounds on x: the lower ones and the upper ones. Of a cone the ends are those of A·x ≥ 1."""

    A: RationalMatrix | Matrix
    lower: Ends | float = 1.0
    upper: Ends | float = math.inf
    bounds: tuple[Ends, Ends] | None = None
    cone: bool = True
    remarks: tuple[str, ...] = ()  # what of the file is left out
    column_names: tuple[str, ...] = ()  # as in the file; empty if it has none
    row_names: tuple[str, ...] = ()
    objective: Objective | None = None

    @property
    def has_objective(self) -> bool:
        """Whether there is one that is not the same for all points."""
        return self.objective is not None and bool(self.objective.c.floats.any())

    @property
    def ends(self) -> dict[str, Any]:
        """All but A, as `verify` takes it."""
        objective = {} if self.objective is None else {self.objective.sense: self.objective.c}
        return {"lower": self.lower, "upper": self.upper, "bounds": self.bounds} | objective

    def named(self, answer: Answer) -> Answer:
        """The answer with the names of the file."""
        assert isinstance(answer.data, System), "an answer is about constraints"
        return replace(answer, data=answer.data._replace(row_names=self.row_names, column_names=self.column_names))


class Misread(Exception):  # noqa: N818  # an answer, not an error
    """This line, counted from 1, is not one of its format. Line 0 is none in particular."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line

    def in_file(self, name: str) -> ReadError:
        return ReadError(f"{name}{f':{self.line}' if self.line else ''}: {self}")


def on_line(line: int, make: Callable[[Given], Made], given: Given) -> Made:
    """What is made of it; if it is refused, the line is said."""
    try:
        return make(given)
    except ValueError as error:
        raise Misread(line, str(error)) from None


def text_of(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def decimal(text: str) -> Value:
    """The number that stands there: a fraction, or an infinity. What is none is refused with a ValueError, which says why."""
    if len(text) > LONGEST:
        raise ValueError(f"{text[:20]}… has more than {LONGEST:,} characters")
    found = DECIMAL.fullmatch(text)
    if found is None:
        if INFINITE.fullmatch(text):
            return float(text)
        raise ValueError(f"{text[:40]!r} is not a number")
    if found[1] is not None and len(found[1].lstrip("+-0")) > len(str(LONGEST)):
        raise ValueError(f"the exponent of {text[:40]} is not between -{LARGEST} and {LARGEST}")
    return Fraction(re.sub("[dD]", "e", text))


def entry(value: Value) -> Number:
    """A coefficient, which must be finite."""
    if isinstance(value, float):
        raise ValueError("a coefficient is infinite")
    return rational(value)


def end(value: Value) -> Number:
    """A limit. From 10²⁰ on it is none."""
    if not -NO_END < value < NO_END:
        return math.inf if value > 0 else -math.inf
    return rational(value)


def ends_of(low: Value, high: Value, what: str) -> tuple[Number, Number]:
    """Both limits, which some number must satisfy, each by itself."""
    lower, upper = end(low), end(high)
    if lower == math.inf or upper == -math.inf:
        raise ValueError(f"{what} has limits that no number satisfies")
    return lower, upper
