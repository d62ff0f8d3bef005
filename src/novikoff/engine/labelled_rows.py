"""Rows and labels that have been checked once.

One pass over the data computes the squared norms. It also finds every value that is not finite (a sum of squares is finite
only if every term is) and every index out of range. An `Examples` need not be checked again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import sqrt
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.compiler import loop
from novikoff.compiler.dispatch import compiled
from novikoff.engine.storages import Storage, entries, hashed, read_only, rows_of, score, score_classes, sound, sqnorm, take
from novikoff.engine.storages.kesler import Kesler, kesler_rows
from novikoff.foundation.array_types import Array
from novikoff.foundation.matrix_checks import unmasked
from novikoff.foundation.parallel import WORTH_A_THREAD, cores, shares, side_by_side

SCORES_AT_ONCE = 2_000_000  # rows times classes
CODE = np.int32  # numbers of classes
TINY = 1e-280  # smaller squared norms are refused


class Sheet(NamedTuple):
    """What the loops read of the examples. `code` is the class number."""

    rows: Any
    code: Array
    weight: Array
    sqnorm: Array


@dataclass(frozen=True)
class Examples:
    sheet: Sheet
    width: int  # columns of the data, the constant coordinate not counted
    constant: Any  # the value of that coordinate
    classes: Array  # sorted; `sheet.code` holds indices into it
    fed: Array  # the numbers of the rows whose weight is not 0, in increasing order
    weighted: bool  # whether a weight other than 0 and 1 occurs
    threads: int | None = None  # None: one per processor
    one_by_one: Sheet | None = field(default=None, kw_only=True)  # the sheet before `all_classes_at_once`

    def __len__(self) -> int:
        return len(self.sheet.code)

    @property
    def exact(self) -> bool:
        """Whether the numbers are Python objects, such as fractions. Then the loops run uncompiled, and nothing is rounded."""
        return bool(self.sheet.sqnorm.dtype == object)

    @property
    def labelled(self) -> Sheet:
        """The sheet with the code and the sample weight of each row, also if all classes learn at once."""
        return self.one_by_one or self.sheet

    @property
    def entries_per_row(self) -> float:
        return float(entries(self.sheet.rows)) / len(self)

    @cached_property
    def radius_sq(self) -> Any:
        """R²: the largest squared norm of a row that is fed."""
        return self.sheet.sqnorm[self.fed].max() if len(self.fed) else 0

    @property
    def radius(self) -> float:
        """R, as a float. A kernel that is not an inner product may give squares below 0; then R is 0."""
        return sqrt(max(0.0, float(self.radius_sq)))

    def scores(self, w: Array, first: int = 0, last: int | None = None) -> Array:
        """⟨w, x⟩ for each of the rows first…last−1, and each row of w."""
        span = range(len(self))[first:last]
        out = np.empty((len(span), len(w)), w.dtype)
        _over_rows(score_rows, self.sheet.rows, span, w, out, self.threads)
        return out

    def leads(self, w: Array) -> Array:
        """⟨w, z⟩ of each row against its rival under this w. Only for examples of all classes at once."""
        kesler, lead = self.sheet.rows, np.empty(len(self), w.dtype)
        size = max(1, SCORES_AT_ONCE // len(kesler.scores))
        for first in range(0, len(self), size):
            span = range(len(self))[first : first + size]
            scores = np.empty((len(span), len(kesler.scores)), w.dtype)
            _over_rows(score_rows_for_classes, kesler.rows, span, w, scores, self.threads)
            rows, code = np.arange(len(span)), kesler.code[first : first + size]
            own = scores[rows, code]
            scores[rows, code] = -np.inf
            lead[first : first + size] = own - scores.max(axis=1)
        return lead

    def hashes(self) -> Array:
        """A hash of each row (`fingerprint.row_hashes`, compiled)."""
        out = np.empty(len(self), np.uint64)
        _over_rows(hash_rows, self.sheet.rows, range(len(self)), None, out, self.threads)
        return out

    def class_counts(self) -> Array:
        """How many rows of each class are fed."""
        return np.bincount(self.sheet.code[self.fed], minlength=len(self.classes))

    def coded_in(self, classes: Array) -> "Examples":
        """The same examples, with codes that index `classes`, a sorted array that contains all classes of these examples."""
        if len(classes) == len(self.classes):
            return self
        place = np.searchsorted(classes, self.classes).astype(CODE)
        return replace(self, classes=classes, sheet=self.sheet._replace(code=read_only(place[self.sheet.code])))

    def all_classes_at_once(self, class_weights: Array | None = None) -> "Examples":
        """The same rows, all as examples of +1: each is an example of its class against its rival (F25).

        All codes are 0, and ‖z‖² = 2·‖x‖². A class weight scales the steps for the rows of its class.
        """
        sheet = self.sheet
        if isinstance(sheet.rows, Kesler):
            return self
        direct = Sheet(
            kesler_rows(sheet.rows, sheet.code, len(self.classes), sheet.sqnorm.dtype),
            read_only(np.zeros(len(self), sheet.code.dtype)),
            sheet.weight if class_weights is None else read_only(sheet.weight * class_weights[sheet.code]),
            read_only(2 * sheet.sqnorm),
        )
        return replace(self, sheet=direct, one_by_one=sheet)


def examples(X: Any, y: Any, *, constant: Any = 1, weight: Any = None, threads: int | None = None) -> Examples:
    """Check a matrix (a NumPy array or SciPy CSR, used in place) and its labels.

    `constant` is the value of the extra coordinate that carries the bias; 0 leaves the bias out.
    """
    rows, norms = checked_rows(X, constant, threads)
    n, width = X.shape
    y = np.asarray(unmasked(y, "y"))
    if y.ndim != 1:
        raise ValueError(f"labels must be one-dimensional; these have shape {y.shape}")
    if len(y) != n:
        raise ValueError(f"there are {n} rows and {len(y)} labels: each row needs one")
    if weight is None:
        weight = np.full(n, 1, norms.dtype)
        counting: dict[str, Any] = {"fed": np.arange(n, dtype=_row_number(n)), "weighted": False}
    else:
        weight = _weights(weight, n, norms.dtype)
        counting = _who_counts(weight)
    classes, code = _classes(y, counting["fed"])
    sheet = Sheet(rows, read_only(code), read_only(weight), read_only(norms))
    return Examples(sheet, width, constant, classes, **counting, threads=threads)


def checked_rows(X: Any, constant: Any, threads: int | None = None) -> tuple[Storage, Array]:
    """The rows of X in their storage, and their squared norms. Raises an error with row and column if a value is not finite."""
    n, width = _shape(X)
    rows = _stored(X, constant)
    norms = np.empty(n, object if X.dtype == object else np.float64)
    unsound = _over_rows(measure, rows, range(n), width, norms, threads)
    if unsound is not None and sp.issparse(X):  # entries with the same column are summed
        X = X.copy()
        X.sum_duplicates()
        rows = _stored(X, constant)
        unsound = _over_rows(measure, rows, range(n), width, norms, threads)
    if unsound is not None:
        raise ValueError(f"row {unsound} is broken: it names a column that is not among the {width} there are")
    if norms.dtype != object and norms.min() < TINY:
        short = np.flatnonzero(norms < TINY)
        lost = short[np.ravel(abs(take(rows, short, width)).sum(axis=1)) > 0]
        if len(lost):
            raise ValueError(f"row {lost[0]} is too short, its squared norm underflows: scale the data up (MaxAbsScaler)")
    if norms.dtype != object and not np.isfinite(norms).all():
        suspects = np.flatnonzero(~np.isfinite(norms))
        for i in suspects:
            row = one_row(rows, i, width)
            bad = np.flatnonzero(~np.isfinite(row))
            if len(bad):
                what = "NaN" if np.isnan(row[bad[0]]) else "infinity (inf)"
                raise ValueError(
                    f"row {i}, column {bad[0]} is {what}: every value must be a finite number. "
                    "Remove such rows or fill them in (sklearn.impute.SimpleImputer)."
                )
        raise ValueError(f"row {suspects[0]} is too long, its squared norm overflows: scale the data down (MaxAbsScaler)")
    return rows, norms


def _stored(X: Any, constant: Any) -> Storage:
    return rows_of(of_python(X), constant) if X.dtype == object else rows_of(X, float(constant))


def of_python(numbers: Any) -> Array:
    """An array of objects, with Python integers in place of NumPy's, also inside fractions: NumPy integers overflow.

    >>> type(of_python(np.array([Fraction(np.int64(3))]))[0].numerator)
    <class 'int'>
    """
    own: Array = np.frompyfunc(_of_python, 1, 1)(numbers)
    return own


def _of_python(number: Any) -> Any:
    if not isinstance(number, Rational) or type(number.numerator) is type(number.denominator) is int:
        return number
    return Fraction(int(number.numerator), int(number.denominator))


def _shape(X: Any) -> tuple[int, int]:
    if len(X.shape) != 2:
        raise ValueError(f"data must be two-dimensional; this has shape {X.shape}")
    n, width = X.shape
    if n == 0:
        raise ValueError("there are no rows: give at least one example")
    if width == 0:
        raise ValueError("there are no columns: give at least one feature")
    return n, width


def one_row(rows: Storage, i: int | np.integer[Any], width: int) -> Array:
    """Row i as a dense array, without the constant coordinate."""
    taken = take(rows, np.array([i]), width)
    row: Array = np.asarray(taken.toarray() if sp.issparse(taken) else taken, np.float64)[0]
    return row


def scores(X: Any, constant: Any, w: Array, threads: int | None = None) -> Array:
    """⟨w, x⟩ for each row x of X and each row of w. Also checks X."""
    return _checked_scores(score_rows, X, constant, w, len(w), threads)


def class_scores(X: Any, constant: Any, w: Array, classes: int, threads: int | None = None) -> Array:
    """⟨w_c, x⟩ for each row x of X and each class c, with w as in `storages.score_classes`. Also checks X."""
    return _checked_scores(score_rows_for_classes, X, constant, w, classes, threads)


def _checked_scores(check: Callable[..., Any], X: Any, constant: Any, w: Array, columns: int, threads: int | None) -> Array:
    n, _ = _shape(X)
    rows = _stored(X, constant)
    out = np.empty((n, columns), w.dtype)
    unsound = _over_rows(check, rows, range(n), w, out, threads)
    if unsound is not None or not (w.dtype == object or np.isfinite(out).all()):
        rows, _ = checked_rows(X, constant, threads)  # raises the error, or sums duplicate entries
        _over_rows(check, rows, range(n), w, out, threads)
    return out


def _over_rows(check: Callable[..., Any], rows: Storage, span: range, what: Any, out: Array, threads: int | None) -> int | None:
    """Run a loop that checks rows over a span of them, on threads. Returns the first invalid row, if any."""
    exact = out.dtype == object
    run = check if exact else compiled(check)
    parts = 1 if exact or entries(rows) < WORTH_A_THREAD else threads or cores()
    firsts = side_by_side(
        [partial(run, rows, span[part.start], len(part), what, out[part.start :]) for part in shares(len(span), parts)]
    )
    return next((int(i) for i in firsts if i >= 0), None)


def sorted_classes(y: Array) -> Array:
    """The distinct labels, sorted. Raises an error that names the row if a label is missing."""
    if y.dtype.kind in "fc" and not np.isfinite(y).all():
        i = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"the label of row {i} is {y[i]}: every row needs a label (labels may not be NaN or infinite)")
    try:
        return np.unique(y)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(f"labels of different kinds cannot be put in order: {', '.join(kinds)}") from None


def _classes(y: Array, fed: Array) -> tuple[Array, Array]:
    """The sorted classes of the rows that are fed, and for each row the index of its label among them."""
    classes = sorted_classes(y if len(fed) == len(y) else y[fed])
    code = y == classes[-1] if len(classes) == 2 else np.searchsorted(classes, y)
    if len(fed) < len(y):  # rows that are not fed may have labels that are not in classes
        code = np.minimum(code, max(0, len(classes) - 1))
    return classes, code.astype(CODE)


def _weights(given: Any, n: int, dtype: Any) -> Array:
    weight: Array = np.asarray(unmasked(given, "sample_weight"), dtype)
    if weight.ndim == 0:
        weight = np.full(n, weight, dtype)
    if weight.dtype == object:
        weight = of_python(weight)
    if weight.shape != (n,):
        raise ValueError(f"there are {n} rows, and sample weights of shape {weight.shape}: each row needs one")
    good = (weight >= 0) & (weight < np.inf)
    if not good.all():
        i = int(np.flatnonzero(~good)[0])
        raise ValueError(f"the sample weight of row {i} is {weight[i]}: weights must be finite and not negative")
    return weight


def _who_counts(weight: Array) -> dict[str, Any]:
    """Rows of weight 0 are not fed."""
    fed = np.flatnonzero(weight != 0)
    return {"fed": fed.astype(_row_number(len(weight))), "weighted": bool((weight[fed] != 1).any())}


def _row_number(n: int) -> Any:
    return np.uint32 if n < 2**32 else np.uint64


@loop
def measure(rows: Any, first: Any, n: Any, width: Any, out: Any) -> Any:
    """Squared norms of n rows, from `first` on. Returns the first invalid row, or −1."""
    for i in range(n):
        if not sound(rows, first + i, width):
            return first + i
        out[i] = sqnorm(rows, first + i)
    return -1


@loop
def score_rows(rows: Any, first: Any, n: Any, w: Any, out: Any) -> Any:
    """Scores of n rows, from `first` on. Returns the first invalid row, or −1."""
    for i in range(n):
        if not sound(rows, first + i, w.shape[1] - 1):
            return first + i
        for v in range(len(w)):
            out[i, v] = score(rows, first + i, w[v])
    return -1


@loop
def score_rows_for_classes(rows: Any, first: Any, n: Any, w: Any, out: Any) -> Any:
    """Scores of n rows, from `first` on, for all classes. Returns the first invalid row, or −1."""
    for i in range(n):
        if not sound(rows, first + i, len(w) // out.shape[1] - 1):
            return first + i
        score_classes(rows, first + i, w, out[i])
    return -1


@loop
def hash_rows(rows: Any, first: Any, n: Any, nothing: Any, out: Any) -> Any:
    """Hashes of n rows, from `first` on. The rows are known to be valid."""
    for i in range(n):
        out[i] = hashed(rows, first + i)
    return -1
