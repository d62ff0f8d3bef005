"""Fields of text files: numbers, and how a field is quoted in an error message."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from novikoff.foundation.array_types import Array

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")  # digits are matched in one way only
IN_NUMBERS = b"0123456789+-.eE"  # what Python's float takes of these characters alone is what NUMBER describes
# what stands for a missing value in tables
MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None")
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def numbers(texts: Sequence[str]) -> Array | None:
    """These as doubles; None if one of them is not a finite number."""
    if " ".join(texts).encode("utf-8").translate(None, IN_NUMBERS + b" "):
        return None
    try:
        values = np.array(list(map(float, texts)), np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def why_not_a_number(text: str) -> str | None:
    """The reason, for an error message; None if it is a number."""
    if not text:
        return "the value is missing; fill it in or leave the row out"
    if NOT_FINITE.fullmatch(text) or (NUMBER.fullmatch(text) and not np.isfinite(float(text))):
        return f"{shown(text)} is not finite; fill in a number or leave the row out"
    return None if NUMBER.fullmatch(text) else f"{shown(text)} is not a number; write it like -1.5 or 2e-3"


def is_unicode(text: str) -> bool:
    """Whether it has no lone surrogates, which are not characters."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def first_twice(names: Iterable[str]) -> str | None:
    """The first name that occurs twice."""
    seen = set[str]()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
