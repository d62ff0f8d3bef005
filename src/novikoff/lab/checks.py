"""Checks of values from a request. A value that fails is refused with one sentence that names it."""

import math
from collections.abc import Collection, Iterable

TOO_MANY_DIGITS = 10**20


class RefusedError(ValueError):
    """The request cannot be answered. The message is one sentence: what is wrong, where, and what to do."""


def whole(name: str, value: object, low: float, high: float) -> int:
    """A whole number from `low` to `high`."""
    if type(value) is not int or not low <= value <= high:
        raise RefusedError(f'"{name}" must be a whole number from {low} to {high}, not {quoted(value)}')
    return value


def number(name: str, value: object, low: float, high: float) -> float:
    """A finite number from `low` to `high`."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:  # refuses NaN, too
        raise RefusedError(f'"{name}" must be a number from {low:g} to {high:g}, not {quoted(value)}')
    return float(value)


def one_of(name: str, value: object, choices: Collection[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise RefusedError(f'"{name}" must be one of {", ".join(choices)}, not {quoted(value)}')
    return value


def true_or_false(name: str, value: object) -> bool:
    if type(value) is not bool:
        raise RefusedError(f'"{name}" must be true or false, not {quoted(value)}')
    return value


def require_only(kind: str, given: Iterable[object], allowed: Collection[str]) -> None:
    """Refuse names that are not allowed."""
    for name in given:
        if name not in allowed:
            raise RefusedError(f"there is no {kind} {quoted(name)}; there are {', '.join(allowed)}")


def quoted(value: object) -> str:
    """A JSON value as part of a sentence, cut short."""
    if type(value) is int and abs(value) >= TOO_MANY_DIGITS:
        return "a number of many digits"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def finite(value: float) -> float | None:
    """The number, or None where JSON has no way to write it."""
    return float(value) if math.isfinite(value) else None
