"""What a model remembers of its run, as far as it is what a run puts down: a file can say anything."""

from collections.abc import Callable
from math import isfinite
from typing import Any

Check = Callable[[Any], bool]


def believed(run: dict[str, Any]) -> dict[str, Any]:
    """The account without the parts that are none: whoever reads it has what a run puts down, or nothing."""
    return {what: value for what, value in run.items() if what not in PARTS or PARTS[what](value)}


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _number(value: Any) -> bool:
    return (type(value) is float and isfinite(value) and value >= 0) or _whole(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list | tuple) and all(map(check, value))


def _row_of(*checks: Check) -> Check:
    def fits(value: Any) -> bool:
        whole = isinstance(value, list | tuple) and len(value) == len(checks)
        return whole and all(check(one) for check, one in zip(checks, value, strict=True))

    return fits


def _reading(value: Any) -> bool:
    known: dict[str, Check] = {"label": _maybe(_text), "categories": _maybe(_list_of(_text))}
    return isinstance(value, dict) and all(known.get(what, _plain)(one) for what, one in value.items())


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | str) or _number(value)


PARTS: dict[str, Check] = {
    "call": _text,
    "command": _list_of(_text),
    "each_pass": _list_of(_row_of(_whole, _whole, _whole, _whole, _number)),
    "entries": _maybe(_whole),
    "errors": _maybe(_whole),
    "estimator": _text,
    "files": _list_of(_text),
    "hardest": _maybe(_list_of(_row_of(_whole, _whole))),
    "how": _maybe(_text),
    "kept": _maybe(_whole),
    "made_with": lambda value: isinstance(value, dict) and all(map(_text, value.values())),
    "radius": _maybe(_number),
    "reading": _reading,
    "rows": _whole,
    "seconds": _maybe(_number),
    "skipped_lines": _maybe(_whole),
    "stop_reason": _text,
}
