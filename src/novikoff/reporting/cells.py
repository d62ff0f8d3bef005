"""What a table or a sentence of the page holds: names that came from data, numbers, and plain text."""

from collections.abc import Sequence
from typing import NamedTuple

LONGEST_NAME = 200  # characters


class Name(NamedTuple):
    """Text that came from data. The page sets it apart from its own words."""

    text: str


class Number(NamedTuple):
    """A number, and how it is written."""

    value: float
    text: str


class Shortened(NamedTuple):
    """A number that is too long to be shown, and its exact text for those who ask."""

    text: str
    exact: str


Cell = Name | Number | Shortened | str | None
Row = Sequence[Cell]


def name(thing: object) -> Name:
    """A name that can be shown: characters that do not print are escaped, and long names are cut."""
    some = str(thing)[: LONGEST_NAME + 1]
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in some)
    return Name(text[:LONGEST_NAME] + "…" if len(text) > LONGEST_NAME else text or "(empty)")


def whole(number: int) -> Number:
    return Number(number, f"{number:,}")


def share(number: float | None) -> Number | None:
    return None if number is None else Number(number, f"{number:.4f}")


def real(number: float) -> Number:
    return Number(number, f"{number:.6g}")


def amount(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def and_more(things: Sequence[object], shown: int, noun: str, plural: str) -> list[str]:
    """How many things there are beyond those that are shown, if there are any."""
    more = len(things) - shown
    return [f"and {more:,} more {noun if more == 1 else plural}"] if more > 0 else []
