"""JSON, one row a line: {"features": {"age": 3, "tame": true, "colour": "red"}, "label": "cat", "weight": 2}.

Features are numbers, true and false, which are 1 and 0, or text: "red" makes the feature "colour=red", which is 1. A feature that
is left out is 0. `weight`, the row's importance, may be left out and is 1 then; other keys are passed over.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from novikoff.data.chunks import parsed, text_of
from novikoff.data.features import Named
from novikoff.data.fields import first_twice, is_unicode, shown
from novikoff.data.matrices import known_only, matrix
from novikoff.data.readers import Part, Reading, format
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.array_types import Array, Matrix

NUMBERS = {int, float, bool}


Value = None | str | float | list[object] | tuple[object, ...]  # of a feature


class Row(NamedTuple):
    line: int
    names: Sequence[str]
    values: Sequence[float]
    label: str | None
    weight: float | None


class Wrong(NamedTuple):
    line: int
    sentence: str


def _recognises(line: bytes) -> bool:
    return bool(re.match(rb"(\xef\xbb\xbf)?\s*\{", line))


@format("jsonl", ".jsonl", ".ndjson", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f'{source.name}: its labels are called "label"; leave the label column out')
    features: Named = reading.features_of(Named, Named, source.name)
    any_rows = False
    for _, lines in parsed(source, _parse):
        rows, codes = [], []
        for line in lines:
            code = _code(line, source.name, reading)
            if code is not None and isinstance(line, Row):
                rows.append(line)
                codes.append(code)
        any_rows = any_rows or bool(rows)
        yield Part(_matrix(rows, features), np.array(codes, np.int32), _weights(rows))
    if any_rows and not features.width:
        raise ReadError(f"{source.name}: has labels, but not a single feature; check the format of the file")


def _code(line: Row | Wrong, name: str, reading: Reading) -> int | None:
    """The code of the row's label; None if the row is bad."""
    code = line.sentence if isinstance(line, Wrong) else reading.labels.code(line.label or "")
    if isinstance(code, str):
        reading.bad(lambda: f"{name}:{line.line}", code)
        return None
    return code


def _matrix(rows: list[Row], features: Named) -> Matrix:
    columns = features.columns(list(chain.from_iterable(row.names for row in rows)))
    values = np.array(list(chain.from_iterable(row.values for row in rows)), np.float64)
    starts = np.concatenate([[0], np.cumsum([len(row.names) for row in rows], dtype=np.int64)])
    X = matrix(*known_only(values, columns, starts), features.width)
    X.sort_indices()
    return X


def _weights(rows: list[Row]) -> Array | None:
    if all(row.weight is None for row in rows):
        return None
    return np.array([1.0 if row.weight is None else row.weight for row in rows])


# ---- a chunk of lines -----------------------------------------------------------------------------------------------


def _parse(chunk: Chunk) -> list[Row | Wrong]:
    found: list[Row | Wrong] = []
    for line, text in enumerate(text_of(chunk).split("\n"), chunk.line):
        if text and not text.isspace():
            try:
                found.append(_row(line, text))
            except ReadError as error:
                found.append(Wrong(line, str(error)))
    return found


def _row(line: int, text: str) -> Row:
    """Objects are read as tuples of pairs, so that a name that occurs twice is seen, and are no lists."""
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except RecursionError:
        raise ReadError("is nested too deeply; write features as names with numbers") from None
    except ValueError as error:
        raise ReadError(f"is not JSON ({' '.join(str(error).split())[:80]}); write one object per line") from None
    fields = dict(pairs) if isinstance(pairs, tuple) else {}
    if not isinstance(fields.get("features"), tuple):
        raise ReadError('has no "features"; write {"features": {"age": 3}, "label": 1}')
    names, values = _plain_features(fields["features"]) or _features(fields["features"])
    if "\\u" in text and not is_unicode("".join(names)):
        raise ReadError("a feature's name has invalid characters; write it in UTF-8")
    return Row(line, names, values, _label(fields.get("label")), _weight(fields["weight"]) if "weight" in fields else None)


def _plain_features(pairs: tuple[tuple[str, Value], ...]) -> tuple[Sequence[str], Sequence[float]] | None:
    """Names and values of features that are numbers; None if there may be others, or something wrong, for `_features` to look."""
    names, values = zip(*pairs, strict=True) if pairs else ((), ())
    if not NUMBERS.issuperset(map(type, values)) or len(set(names)) < len(names):
        return None
    try:
        return (names, values) if math.isfinite(sum(map(float, values))) else None  # huge whole numbers could cancel out
    except OverflowError:
        return None


def _features(pairs: tuple[tuple[str, Value], ...]) -> tuple[Sequence[str], Sequence[float]]:
    names, values = [], []
    for name, value in pairs:
        if isinstance(value, str) and value:
            names.append(f"{name}={value}")
            values.append(1.0)
        elif why := _why_no_feature(value):
            raise ReadError(f"the feature {shown(name)} {why}")
        else:
            names.append(name)
            values.append(float(value))  # type: ignore[arg-type]  # `_why_no_feature` refuses all others
    if (twice := first_twice(names)) is not None:
        raise ReadError(f"the feature {shown(twice)} occurs twice; keep one of its values")
    return names, values


def _why_no_feature(value: Value) -> str | None:
    if value is None or value == "":
        return "has no value; fill it in or leave it out"
    if isinstance(value, str | list | tuple):
        return "is nested; give each of its values a name of its own"
    return None if _is_finite(value) else f"is {shown(str(value))[1:-1]}, not finite; fill in a number or leave it out"


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all doubles
        return False


def _label(label: object) -> str | None:
    if isinstance(label, list | tuple):
        raise ReadError("the label is nested; write a number or a text")
    if label is None or isinstance(label, str):
        return label if label is None else label.strip()
    return str(int(label) if isinstance(label, bool) else label)


def _weight(weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not _is_finite(weight) or weight < 0:
        raise ReadError(f"the weight is {shown(str(weight))[1:-1]}; write a number that is 0 or more")
    return float(weight)
