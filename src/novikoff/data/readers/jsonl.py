"""JSON, one row a line: {"features": {"age": 3, "tame": true, "colour": "red"}, "label": "cat", "weight": 2}.

Features are numbers, true and false, which are 1 and 0, or text: "red" makes the feature "colour=red", which is 1. A feature that
is left out is 0. `weight`, the row's importance, may be left out and is 1 then; other keys are passed over. Where rows will be
prepared, null, NaN and what stands for gaps in tables are gaps: the feature "colour is missing" is 1, and a number is NaN.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from novikoff.data.chunks import parsed, text_of
from novikoff.data.features import Named
from novikoff.data.fields import first_twice, is_unicode, shown
from novikoff.data.matrices import known_only, matrix
from novikoff.data.preparation import gap_of
from novikoff.data.readers import Part, Reading, format
from novikoff.data.readers.lines import lines_with
from novikoff.data.readers.tables import gaps_in
from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.array_types import Array, Matrix

NUMBERS = {int, float, bool}


Value = None | str | float | list[object] | tuple[object, ...]  # of a feature


class Row(NamedTuple):
    line: int
    names: Sequence[str]
    values: Sequence[float]
    indicators: Sequence[str]  # those of the names that are of texts, or of gaps
    gaps: Sequence[str]  # features without a value
    label: str | None
    weight: float | None


class Wrong(NamedTuple):
    line: int
    sentence: str


def _recognises(line: bytes) -> bool:
    return bool(re.match(rb"(\xef\xbb\xbf)?\s*\{", line))


def _is_surely(line: bytes) -> bool:
    return _recognises(line) and b'"features"' in line and line.rstrip().endswith(b"}")


def _is_row(line: bytes) -> bool:
    return not line.decode("utf-8").isspace() if line else False


@format("jsonl", ".jsonl", ".ndjson", recognises=_recognises, surely=_is_surely, row_lines=lines_with(_is_row))
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if reading.options.label is not None:
        raise ReadError(f'{source.name}: its labels are called "label"; leave the label column out')
    features: Named = reading.features_of(Named, Named, source.name)
    ignored, gaps = frozenset(reading.options.ignore), gaps_in(reading.options) if reading.options.prepared else frozenset()
    any_rows = False
    for _, lines in parsed(source, partial(_parse, ignored=ignored, gaps=gaps)):
        rows, codes, bad = [], [], []
        for line in lines:
            code = _code(line, source.name, reading)
            if code is not None and isinstance(line, Row):
                rows.append(line)
                codes.append(code)
            else:
                bad.append(len(rows))
        any_rows = any_rows or bool(rows)
        X = _matrix(rows, features)
        yield Part(X, np.array(codes, np.int32), _weights(rows), np.array(bad, np.int64) if bad else None)
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
    if indicators := set(chain.from_iterable(row.indicators for row in rows)):
        for name in chain.from_iterable(row.names for row in rows):
            if name in indicators:
                features.indicator(name)
            else:
                features.column(name)
        rows = [_with_gaps(row, features) if row.gaps else row for row in rows]
    columns = features.columns(list(chain.from_iterable(row.names for row in rows)))
    values = np.array(list(chain.from_iterable(row.values for row in rows)), np.float64)
    starts = np.concatenate([[0], np.cumsum([len(row.names) for row in rows], dtype=np.int64)])
    X = matrix(*known_only(values, columns, starts), features.width)
    X.sort_indices()
    return X


def _with_gaps(row: Row, features: Named) -> Row:
    """The row with NaN where a feature has no value that is a number elsewhere."""
    numbers = [name for name in row.gaps if name in features.table]
    return row._replace(names=[*row.names, *numbers], values=[*row.values, *[math.nan] * len(numbers)])


def _weights(rows: list[Row]) -> Array | None:
    if all(row.weight is None for row in rows):
        return None
    return np.array([1.0 if row.weight is None else row.weight for row in rows])


# ---- a chunk of lines -----------------------------------------------------------------------------------------------


def _parse(chunk: Chunk, ignored: frozenset[str], gaps: frozenset[str]) -> list[Row | Wrong]:
    found: list[Row | Wrong] = []
    for line, text in enumerate(text_of(chunk).split("\n"), chunk.line):
        if text and not text.isspace():
            try:
                found.append(_row(line, text, ignored, gaps))
            except ReadError as error:
                found.append(Wrong(line, str(error)))
    return found


def _row(line: int, text: str, ignored: frozenset[str], gaps: frozenset[str]) -> Row:
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
    pairs = fields["features"]
    if ignored:
        pairs = tuple(pair for pair in pairs if pair[0] not in ignored)
    found = _plain_features(pairs) or _features(pairs, gaps)
    if "\\u" in text and not is_unicode("".join(found[0])):
        raise ReadError("a feature's name has invalid characters; write it in UTF-8")
    return Row(line, *found, _label(fields.get("label")), _weight(fields["weight"]) if "weight" in fields else None)


Found = tuple[Sequence[str], Sequence[float], Sequence[str], Sequence[str]]  # as in `Row`


def _plain_features(pairs: tuple[tuple[str, Value], ...]) -> Found | None:
    """Features that are all numbers; None if there may be others, or something wrong, for `_features` to look."""
    names, values = zip(*pairs, strict=True) if pairs else ((), ())
    if not NUMBERS.issuperset(map(type, values)) or len(set(names)) < len(names):
        return None
    try:
        return (names, values, (), ()) if math.isfinite(sum(map(float, values))) else None  # huge integers could cancel out
    except OverflowError:
        return None


def _features(pairs: tuple[tuple[str, Value], ...], gaps: frozenset[str]) -> Found:
    names, values, indicators, missing = [], [], [], []
    for name, value in pairs:
        is_gap = bool(gaps) and (value is None or value != value or (isinstance(value, str) and value in gaps))
        if is_gap or (isinstance(value, str) and value):
            indicators.append(gap_of(name) if is_gap else f"{name}={value}")
            missing += [name] * is_gap
            names.append(indicators[-1])
            values.append(1.0)
        elif why := _why_no_feature(value):
            raise ReadError(f"the feature {shown(name)} {why}")
        else:
            names.append(name)
            values.append(float(value))  # type: ignore[arg-type]  # `_why_no_feature` refuses all others
    if (twice := first_twice([*names, *missing])) is not None:
        raise ReadError(f"the feature {shown(twice)} occurs twice; keep one of its values")
    return names, values, indicators, missing


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
