"""How a model prepares rows, from the files that it learns from and from those that it answers: part of the model.

- Tables: numbers get mean 0 and variance 1. Where rows leave numbers out, as JSON lines may, they are divided by the largest
  absolute value of their column instead, so that what is left out stays 0. Indicators stay as they are.
- Texts and mail: words are weighted, and rows get length 1.
- Other numbers are left as they are, unless columns that most rows have differ in scale by more than 100 times.
- If the user wants that, numbers of all these are centred instead: they get mean 0, and keep their unit.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.compiler.dispatch import compiled
from novikoff.data.features import Features, Hashed, Named
from novikoff.data.preparation import (
    WEIGHTINGS,
    Preparation,
    Statistics,
    by_largest,
    centred,
    gap_of,
    of_length_1,
    standardized,
    weighted,
)
from novikoff.data.preparation_loops import Columns, follow_largest, follow_mean, follow_variance, follow_words
from novikoff.foundation.array_types import Array, Matrix

VARIANCE, LARGEST, CENTRE = "variance", "largest", "centre"  # numbers are scaled by the first two; the third keeps their unit
FOLLOW = {VARIANCE: follow_variance, LARGEST: follow_largest, CENTRE: follow_mean, "tfidf": follow_words}
OF_WORDS = ("text", "mail")  # schemes of hashed features that are words
FAR_APART = 100  # times: scales that differ by more are a remark, and a reason to scale
OFTEN = 20  # a column tells of scales if one row in so many has it: rare words do not


class Wanted(NamedTuple):
    """What the user wants done to rows."""

    prepare: bool = True
    weighting: str = "tfidf"
    normalize: bool = True
    centre: bool = False  # numbers of any file are centred, and not scaled


NOT_PREPARED = Wanted(prepare=False)


class Preparer:
    """A method, and the statistics of the rows that it was learned from. `running`: each row of a stream adds to them."""

    def __init__(self, method: str, unit: bool, running: bool, found: Statistics) -> None:
        if not (method in (VARIANCE, LARGEST, CENTRE) or method in WEIGHTINGS):
            raise ValueError(f"there is no preparation {method!r}")
        self.method, self.unit, self.running, self.found = method, unit, running, found
        self._made: tuple[int, int, Preparation] | None = None

    @property
    def of_words(self) -> bool:
        return self.method in WEIGHTINGS

    def apply(self, X: Matrix, features: Features) -> Matrix:
        """These rows, prepared."""
        return self.preparation(features, X.shape[1]).apply(X)

    def follow(self, X: Matrix, features: Features) -> Matrix:
        """The next rows of a stream, each prepared by the statistics of all rows up to it, itself included."""
        if self.method not in FOLLOW:
            self.found.rows += X.shape[0]
            return self.apply(X, features)
        dense, rows = not sp.issparse(X), sp.csr_array(X) if sp.issparse(X) else _all_entries(X)
        found = self.found
        found.columns = found.as_wide(max(found.width, rows.shape[1]))
        values, out = rows.data.astype(np.float64, copy=False), np.empty(rows.nnz)
        numbers = numbers_of(features, found.width)
        compiled(FOLLOW[self.method])(values, rows.indices, rows.indptr, numbers, found.rows, found.columns, out)
        found.rows += X.shape[0]
        if dense:
            return out.reshape(X.shape)
        made = sp.csr_array((out, rows.indices, rows.indptr), shape=X.shape)
        return of_length_1(made) if self.unit else made

    def preparation(self, features: Features, width: int) -> Preparation:
        """What is done to rows of this width."""
        found = self.found
        if self._made is None or self._made[:2] != (found.rows, width):
            self._made = found.rows, width, self._prepare(features, width)
        return self._made[2]

    def _prepare(self, features: Features, width: int) -> Preparation:
        found = Statistics(self.found.rows, self.found.as_wide(max(width, self.found.width)))
        if self.of_words:
            made = weighted(found, self.method, self.unit)
        elif self.method == LARGEST:
            made = by_largest(found)
        else:
            made = (centred if self.method == CENTRE else standardized)(found, features.name)
        kept = numbers_of(features, len(made.scale))
        return made._replace(shift=np.where(kept, made.shift, 0)[:width], scale=np.where(kept, made.scale, 1)[:width])

    def in_own_units(self, weights: Array, features: Features) -> Array:
        """Weights for rows as they are in the file."""
        return self.preparation(features, weights.shape[1] - 1).in_own_units(weights)

    def constant(self) -> list[int]:
        """The columns that are the same in all rows: numbers, and indicators of a category or a gap that every row has.

        What a row leaves out is 0, so a column is the same if every row has it, or if it is 0 wherever there is a value.
        """
        found = self.found
        same = (found.constant & (found.filled == found.rows)) | ((found.largest == 0) & (found.gaps == 0))
        return [] if self.of_words else np.flatnonzero(same & (found.filled > 0)).tolist()

    def gaps(self, features: Features) -> dict[str, int]:
        """How many values of which columns were missing."""
        found, mark = self.found, gap_of("")
        of_numbers = {features.name(j): int(found.gaps[j]) for j in np.flatnonzero(found.gaps).tolist()}
        if not isinstance(features, Named):
            return of_numbers
        marks = [j for j in np.flatnonzero(~numbers_of(features, found.width)).tolist() if features.name(j).endswith(mark)]
        marked = {features.name(j).removesuffix(mark): round(float(found.mean[j] * found.filled[j])) for j in marks}
        return {name: rows for name, rows in (marked | of_numbers).items() if rows}

    def no_proof(self, features: Features, constant: int) -> str | None:
        """Why weights for the prepared rows say nothing of the rows themselves; None if they do."""
        gaps = self.gaps(features)
        if gaps or self.of_words:
            return f"{'gaps were filled' if gaps else 'words were weighted'} before the rows were learned from"
        if not constant and self.method in (VARIANCE, CENTRE):
            return "columns were centred before the rows were learned from, and there is no intercept"
        return None

    # ---- in a model file -------------------------------------------------------------------------------------------------

    def header(self) -> dict[str, Any]:
        return {"method": self.method, "unit": self.unit, "running": self.running, "rows": self.found.rows}

    def tensors(self) -> dict[str, Array]:
        """The statistics: `steps` from a column to the next, and whole numbers in few bytes."""
        kept = tensors_of(self.found, self.of_words)
        kept["steps"] = np.diff(kept.pop("columns"), prepend=np.int32(0))
        return {name: array if array.dtype.kind == "f" else _narrow(array) for name, array in kept.items()}

    @classmethod
    def of(cls, header: dict[str, Any], tensors: dict[str, Array], width: int) -> "Preparer":
        """The preparation from `header` and `tensors`, of a model with so many columns."""
        if not all(type(header[name]) is bool for name in ("unit", "running")):
            raise ValueError("the settings of the preparation are damaged")
        kept = {name: array for name, array in tensors.items() if name != "steps"}
        kept["columns"] = np.cumsum(tensors["steps"], dtype=np.int64)
        return cls(header["method"], header["unit"], header["running"], statistics_of(header["rows"], kept, width))


def _narrow(numbers: Array) -> Array:
    """Whole numbers, none negative, in the narrowest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def tensors_of(found: Statistics, of_words: bool) -> dict[str, Array]:
    """What is known of the columns that have values or gaps. Of words only how many rows have them is needed."""
    known = found.columns
    met = np.flatnonzero((known.filled > 0) | (known.gaps > 0))
    kept = {"columns": met.astype(np.int32), "filled": known.filled[met]}
    return kept if of_words else kept | {name: getattr(known, name)[met] for name in ("gaps", "mean", "squares", "largest")}


def statistics_of(rows: int, tensors: dict[str, Array], width: int) -> Statistics:
    """The statistics from the number of rows and `tensors`."""
    known, met = Statistics().as_wide(width), tensors["columns"].astype(np.int64)
    good = type(rows) is int and 0 <= rows < 2**62 and all(array.shape == met.shape for array in tensors.values())
    good = good and set(tensors) - {"columns"} <= set(Columns._fields) and len(np.unique(met)) == len(met)
    if not good or (len(met) and not 0 <= met.min() <= met.max() < width):
        raise ValueError("the statistics of the rows are damaged")
    for name, array in tensors.items():
        if name != "columns":
            getattr(known, name)[met] = array
    counted = (known.filled >= 0) & (known.gaps >= 0) & (known.filled + known.gaps <= rows)
    if not (counted & np.isfinite(known.mean) & (known.squares >= 0) & (known.largest >= 0)).all():
        raise ValueError("the statistics of the rows are damaged")
    return Statistics(rows, known)


def preparer_for(wanted: Wanted, features: Features, found: Statistics) -> Preparer | None:
    """How rows with these features and statistics are prepared; None if they stay as they are."""
    if not wanted.prepare:
        return None
    if wanted.centre:
        _require_centrable(features, found)
        return Preparer(CENTRE, False, False, found)
    if is_of_words(features):
        unchanged = wanted.weighting == "counts" and not wanted.normalize
        return None if unchanged else Preparer(wanted.weighting, wanted.normalize, False, found)
    if not isinstance(features, Named) and spread(found) <= FAR_APART:
        return None
    return Preparer(VARIANCE if is_complete(features, found) else LARGEST, False, False, found)


def _require_centrable(features: Features, found: Statistics) -> None:
    if is_of_words(features):
        raise ValueError("counts of words are mostly 0, and centring would make numbers of all zeros: leave --centre out")
    if not is_complete(features, found):
        raise ValueError(
            "rows leave out numbers that are 0, and centring would fill all of them in: leave --centre out, or give tables or "
            "arrays, which have a number or a gap in every column"
        )


class Stream:
    """Prepares the rows of a stream: as a model does, or in a way that the first rows decide.

    Numbers without names stay as they are. Statistics of a stream run: each row adds to them before it is prepared.
    """

    def __init__(self, wanted: Wanted, preparer: Preparer | None = None) -> None:
        self.preparer, self._wanted = preparer, wanted
        self._begun = False

    def rows(self, X: Matrix, features: Features) -> Matrix:
        """The next rows, prepared."""
        if not self._begun and X.shape[0]:
            self._begun = True
            if self.preparer is None and always_prepared(features, self._wanted):
                found = Statistics()
                found.add(X)
                chosen = preparer_for(self._wanted, features, found)
                self.preparer = None if chosen is None else Preparer(chosen.method, chosen.unit, True, Statistics())
        if self.preparer is None:
            return X
        return self.preparer.follow(X, features) if self.preparer.running else self.preparer.apply(X, features)


def is_of_words(features: Features) -> bool:
    return isinstance(features, Hashed) and features.scheme in OF_WORDS


def always_prepared(features: Features, wanted: Wanted) -> bool:
    """Whether rows with such features are prepared whatever their values are."""
    return wanted.prepare and (wanted.centre or isinstance(features, Named) or is_of_words(features))


def numbers_of(features: Features, width: int) -> Array:
    """Which columns hold numbers: all but indicators."""
    numbers: Array = np.ones(width, bool)
    if isinstance(features, Named):
        own = features.numbers[:width]
        numbers[: len(own)] = own
    return numbers


def is_complete(features: Features, found: Statistics) -> bool:
    """Whether every row has every number that any row has, or a gap in its place."""
    had = (found.filled + found.gaps)[numbers_of(features, found.width)]
    return bool(((had == found.rows) | (had == 0)).all())


def spread(found: Statistics) -> float:
    """How many times larger the largest column is than the smallest, of columns that many rows have."""
    often = (found.filled * OFTEN >= found.rows) & (found.largest > 0)
    return float(found.largest[often].max() / found.largest[often].min()) if often.any() else 1.0


def _all_entries(X: Array) -> Matrix:
    """A dense array as CSR, zeros and gaps included."""
    rows, width = X.shape
    columns, starts = np.tile(np.arange(width, dtype=np.int32), rows), np.arange(rows + 1, dtype=np.int64) * width
    return sp.csr_array((X.ravel(), columns, starts.astype(np.int32)), shape=X.shape)
