"""The labels of a reading: numbered as they are met, counted, and turned into numbers or texts."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from novikoff.data.fields import NOT_FINITE, NUMBER, is_unicode, shown
from novikoff.data.sources import ReadError
from novikoff.foundation.array_types import Array

LARGEST_LABEL = 2**53  # whole numbers below are doubles too, each one another
LONGEST_LABEL = 200  # characters; anything longer is not a class's name
MOST_LABELS = 2**20  # different ones in one reading


class LabelCount(NamedTuple):
    """How many rows have a label, and where the first of them is."""

    rows: int
    file: str
    first: int  # row of the file, counted from 0


class Labels:
    """The labels of a reading: texts, which get codes in the order in which they occur."""

    def __init__(self, settled: bool = False, may_lack: bool = False, name: str = "the data") -> None:
        self._codes: dict[str, int] = {}
        self._settled = settled
        self._may_lack = may_lack  # whether labels may be missing; an empty text then means no label
        self._name = name  # of the first file
        self._values: Array | None = None
        self._counts: Array = np.zeros(0, np.int64)  # rows of each label
        self._firsts: dict[int, tuple[str, int]] = {}  # file and row where each label was first met

    def code(self, text: str) -> int | str:
        """The code of this label, or the reason why it is invalid."""
        found = self._codes.get(text)
        if found is None:
            if why := self._why_not(text):
                return why
            if len(self._codes) == MOST_LABELS:
                raise ReadError(f"{self._name}: has more than {MOST_LABELS:,} different labels; check where the labels are")
            found = self._codes[text] = len(self._codes)
        return found

    def count(self, codes: Array, file: str, before: int) -> None:
        """Count the labels of rows of a file; `before` is the number of rows before them in the file."""
        counts = np.bincount(codes, minlength=len(self._counts)).astype(np.int64)
        earlier: Array = np.zeros(len(counts), np.int64)
        earlier[: len(self._counts)] = self._counts
        if ((counts > 0) & (earlier == 0)).any():
            for code, at in zip(*(found.tolist() for found in np.unique(codes, return_index=True)), strict=True):
                self._firsts.setdefault(code, (file, before + at))
        self._counts = earlier + counts

    def counts(self) -> dict[object, LabelCount]:
        """The counts of all labels, sorted by label."""
        labels = self.of(np.arange(len(self._counts))).tolist()
        counted: dict[object, LabelCount] = {}
        for code, first in self._firsts.items():  # a number may be written in several ways: 1, +1, 1.0
            label, rows = labels[code], int(self._counts[code])
            before = counted.get(label, LabelCount(0, *first))
            counted[label] = before._replace(rows=before.rows + rows)
        return dict(sorted(counted.items()))

    def codes_of(self, texts: Sequence[str]) -> tuple[Array, dict[int, str]]:
        """The codes of these labels, -1 for invalid ones; and for each of those, by its index, the reason."""
        found = list(map(self.code, texts))
        wrong = {k: code for k, code in enumerate(found) if isinstance(code, str)}
        return np.array([-1 if isinstance(code, str) else code for code in found], np.int32), wrong

    @property
    def texts(self) -> list[str]:
        """All labels so far, in the order of their codes."""
        return list(self._codes)

    def none(self) -> int:
        """The code of a missing label."""
        return self._codes.setdefault("", len(self._codes))

    def codes(self, texts: Sequence[str], where: Callable[[int], str]) -> Array:
        """The codes of these labels; `where(i)` returns the position of the i-th for the error message."""
        for text in dict.fromkeys(texts):
            if isinstance(why := self.code(text), str):
                raise ReadError(f"{where(texts.index(text))}: {why}")
        return np.array([self._codes[text] for text in texts], np.int32)

    def _why_not(self, text: str) -> str | None:
        if not text and self._may_lack:
            return None
        if why := _why_no_label(text):
            return why
        if self._settled and self._values is not None and self._values.dtype.kind in "if" and not NUMBER.fullmatch(text):
            return f"the label {shown(text)} is not a number, but earlier labels are; use only numbers or only text"
        return None

    def of(self, codes: Array) -> Array:
        """The labels of these codes."""
        if not len(codes):
            return np.zeros(0, np.int64)
        known = self._values
        if known is None or len(known) < len(self._codes):
            known = self._values = self._with_new(known)
        return known[codes]

    def _with_new(self, known: Array | None) -> Array:
        """The values of all labels, given those of the earlier ones."""
        if known is None or not self._settled or (known.dtype.kind == "U" and not any(known)):
            return _values(list(self._codes))
        new = list(islice(self._codes, len(known), None))
        return np.concatenate([known, np.array(new, np.str_) if known.dtype.kind == "U" else _numeric(new)])


def _why_no_label(text: str) -> str | None:
    if not text:
        return "the label is missing; fill it in or leave the row out"
    if NOT_FINITE.fullmatch(text):
        return f"the label is {text}; fill it in or leave the row out"
    if NUMBER.fullmatch(text) and not abs(float(text)) < LARGEST_LABEL:
        return f"the label {shown(text)} is too large a number; number the classes from 1"
    if "\0" in text or not is_unicode(text):
        return f"the label {shown(text)} has invalid characters; rename the class"
    if len(text) > LONGEST_LABEL:
        return f"the label has {len(text)} characters; check which column has the labels"
    return None


def _values(texts: list[str]) -> Array:
    if not any(texts) or not all(NUMBER.fullmatch(text) for text in texts if text):
        return np.array(texts, np.str_)
    return _numeric(texts)


def _numeric(texts: list[str]) -> Array:
    values = np.array([float(text or "nan") for text in texts]) + 0.0  # -0 is 0
    return values.astype(np.int64) if (values == np.floor(values)).all() else values
