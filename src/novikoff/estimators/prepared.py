"""`Prepared`: a table of numbers, categories and gaps becomes columns that a linear model can learn from."""

import sys
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.data.fields import MISSING
from novikoff.data.matrices import matrix
from novikoff.data.preparation import WEIGHTINGS, Preparation, Statistics, by_largest, centred, gap_of, standardized, weighted
from novikoff.estimators.unchanged_on_error import unchanged_on_error
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked

DENSE = 0.3  # share of entries that are not 0 from which on the result is dense


class Values(NamedTuple):
    """A column of categories: which of the distinct values each row has."""

    distinct: list[Any]
    of: Array  # index of each row's value; −1 for a gap


class Prepared(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Scale numbers, fill gaps, and turn categories into indicators: what a linear classifier needs before it learns.

    - Numbers get mean 0 and variance 1. In a sparse matrix they are divided by the largest absolute value of their column
      instead, so that zeros stay zeros.
    - A gap (NaN, None, NA or one of `missing`) becomes the mean of its column. A column with gaps also gets an indicator, which
      is 1 where a value is missing.
    - Each category gets an indicator. A category that did not occur in `fit` has none.

    Columns of text, categories and objects hold categories; all others hold numbers. Numbers come first, then indicators in the
    order in which columns and, sorted, their categories are met.

    Parameters
    ----------
    weighting : None for tables; for counts of words "tfidf", "binary" or "counts" (default: None). With "tfidf", counts are
        multiplied by ln((1 + rows) / (1 + rows with the word)) + 1.
    normalize : whether rows of words are scaled to length 1 (default: True). Without a weighting it has no effect.
    centre : whether numbers only get mean 0, and keep their unit (default: False). X must be dense, and have no weighting.
    missing : texts that mean a gap in a column of text, and numbers that mean one in a column of numbers, as in
        `missing=("", -999)` (default: "", "?", NA, N/A, n/a, #N/A, <NA>, NaN, nan, null, NULL and None).
    sparse_output : whether the result is a CSR matrix (default: "auto", if X is sparse or less than 30 % of the result is not 0).

    Attributes
    ----------
    n_output_features_ : number of columns of the result.
    statistics_ : number of values, mean and variance of each column of numbers.

    >>> import numpy as np
    >>> table = np.array([[1.0, "red"], [3.0, "blue"], [None, "red"]], object)
    >>> prepared = Prepared().fit(table)
    >>> prepared.get_feature_names_out().tolist()
    ['x0', 'x0 is missing', 'x1=blue', 'x1=red']
    >>> prepared.transform(table).round(2).tolist()
    [[-1.22, 0.0, 0.0, 1.0], [1.22, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    """

    _sparse: bool  # whether X is
    _frames: str | None = None  # the container that was chosen for the result
    _numbers: list[int]  # the columns of X that hold numbers
    _held: list[int]  # those that hold categories
    _found: Statistics
    _indicators: dict[tuple[int, Any], int]  # (column of X, category, or GAP) → column of the result

    def __init__(
        self,
        *,
        weighting: str | None = None,
        normalize: bool = True,
        centre: bool = False,
        missing: tuple[str | float, ...] = MISSING,
        sparse_output: bool | str = "auto",
    ) -> None:
        self.weighting = weighting
        self.normalize = normalize
        self.centre = centre
        self.missing = missing
        self.sparse_output = sparse_output

    # ---- learning -------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> "Prepared":
        """Learn means, variances and categories from the rows of X."""
        with unchanged_on_error(self):
            self._begin(X)
            self._learn(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "Prepared":
        """Learn from more rows. Statistics are those of all rows so far. New indicators come last.

        A transformed row depends on the statistics at that time. So learning from pieces equals learning from all rows only if
        the statistics no longer change.
        """
        with unchanged_on_error(self):
            if not hasattr(self, "_found"):
                self._begin(X)
            self._learn(X)
        return self

    def _begin(self, X: Any) -> None:
        if not (self.weighting is None or self.weighting in WEIGHTINGS):
            raise ValueError(f"weighting must be None, {', '.join(map(repr, WEIGHTINGS))}; it is {self.weighting!r}")
        if isinstance(self.missing, str):
            raise ValueError(f"missing must be a tuple, such as ({self.missing!r},); it is {self.missing!r}")
        if not (isinstance(self.sparse_output, bool) or self.sparse_output == "auto"):
            raise ValueError(f"sparse_output must be True, False or 'auto'; it is {self.sparse_output!r}")
        X = self._table(X, reset=True)
        width, self._sparse = X.shape[1], sp.issparse(X)
        if self.centre and self._sparse:
            what = "counts of words" if self.weighting is not None else "a sparse X"
            raise ValueError(f"centre must be False for {what}: centring would make numbers of all zeros. Or give a dense table.")
        if self._sparse or self.weighting is not None:
            self._held = []
        else:
            self._held = [j for j in range(width) if _is_categorical(X, j) or not _is_numeric(_column(X, j))]
        self._numbers = sorted(set(range(width)).difference(self._held))
        self._found, self._indicators = Statistics(), {}

    def _learn(self, X: Any) -> None:
        X = self._table(X, reset=False)
        if X.shape[0] == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required by Prepared.")
        found = Statistics()
        found.join(self._found)
        numbers, names = self._numbers_of(X), self._names()
        found.add(numbers)
        new: dict[tuple[int, Any], int] = {}

        def meet(column: int, category: Any) -> None:
            if (column, category) not in self._indicators:
                new.setdefault((column, category), len(self._numbers) + len(self._indicators) + len(new))

        if not sp.issparse(numbers):
            for k in np.flatnonzero(np.isnan(numbers).any(axis=0)).tolist():
                meet(self._numbers[k], GAP)
        for j in self._held:
            values = self._values(X, j, names[j])
            for category in values.distinct:
                meet(j, category)
            if (values.of < 0).any():
                meet(j, GAP)
        self._preparation = self._prepare(found)
        self._found, self._indicators = found, self._indicators | new
        self.n_output_features_ = len(self._numbers) + len(self._indicators)

    def _prepare(self, found: Statistics) -> Preparation:
        if self.weighting is not None:
            return weighted(found, self.weighting, self.normalize)
        if self._sparse:
            return by_largest(found)
        return centred(found) if self.centre else standardized(found)

    # ---- using it -------------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Matrix:
        """The rows of X, prepared: a float64 array or a CSR matrix."""
        check_is_fitted(self)
        X = self._table(X, reset=False)
        if sp.issparse(X) != self._sparse:
            kinds = ("sparse", "dense") if self._sparse else ("dense", "sparse")
            raise ValueError(f"Prepared was fitted on a {kinds[0]} X, and this one is {kinds[1]}: give the same kind")
        numbers = self._preparation.apply(self._numbers_of(X))
        if sp.issparse(numbers):
            return numbers if self._wants_sparse(True) else numbers.toarray()
        rows, columns = self._ones(X)
        width = numbers.shape[1] + len(self._indicators)
        entries = numbers.size + len(rows)
        if self._wants_sparse(entries < DENSE * max(1, numbers.shape[0] * width)):
            ones = sp.csr_array((np.ones(len(rows)), (rows, columns - numbers.shape[1])), (len(numbers), len(self._indicators)))
            both = sp.hstack([sp.csr_array(numbers), ones], format="csr")
            return matrix(both.data, both.indices, both.indptr, width)
        out = np.zeros((len(numbers), width))
        out[:, : numbers.shape[1]] = numbers
        out[rows, columns] = 1
        return out

    def _ones(self, X: Any) -> tuple[Array, Array]:
        """Row and column of each indicator that is 1."""
        gaps = np.isnan(self._numbers_of(X))
        found = [(gaps[:, k], self._indicators.get((j, GAP))) for k, j in enumerate(self._numbers)]
        rows = [np.flatnonzero(missing) for missing, at in found if at is not None]
        columns = [np.full(len(some), at) for some, at in zip(rows, (at for _, at in found if at is not None), strict=True)]
        names = self._names()
        for j in self._held:
            values = self._values(X, j, names[j])
            places = [self._indicators.get((j, category), -1) for category in [*values.distinct, GAP]]
            at = np.array(places, np.intp)[values.of]  # −1, a gap, is the last place
            rows.append(np.flatnonzero(at >= 0))
            columns.append(at[at >= 0])
        none = np.empty(0, np.intp)
        return np.concatenate([none, *rows]), np.concatenate([none, *columns])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns: "age", "age is missing", "colour=red"."""
        check_is_fitted(self)
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        indicators = [gap_of(names[j]) if what is GAP else f"{names[j]}={what}" for j, what in self._indicators]
        return np.array([*(names[j] for j in self._numbers), *indicators], object)

    @property
    def statistics_(self) -> dict[str, Array]:
        check_is_fitted(self)
        return {"count": self._found.filled, "mean": self._found.mean, "variance": self._found.variance}

    # ---- what X holds ---------------------------------------------------------------------------------------------------

    def _table(self, X: Any, reset: bool) -> Any:
        """X as a data frame, a CSR matrix, or an array of numbers or objects."""
        if isinstance(X, list | tuple):
            X = _as_array(X)
        X = checked(X, "X")
        if _is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X if self.weighting is None else self._counts(X)
        X = check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False, ensure_min_samples=0, estimator=self)
        if sp.issparse(X) or X.dtype.kind in "biuf":
            X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=0)
        validate_data(self, X, reset=reset, skip_check_array=True)
        if self.weighting is not None and not sp.issparse(X):
            X = self._counts(X)
        if sp.issparse(X):
            X = matrix(X.data, X.indices, X.indptr, X.shape[1])  # indices in the machine's own order of bytes
        if sp.issparse(X) and np.isnan(X.data).any():
            row = int(np.searchsorted(X.indptr, np.flatnonzero(np.isnan(X.data))[0], side="right")) - 1
            raise ValueError(f"row {row} of the sparse X has a NaN; leave the entry out, or fill it in")
        return X

    def _counts(self, X: Any) -> Matrix:
        """Counts of words as a CSR matrix, in which zeros are not stored."""
        return sp.csr_array(check_array(X, dtype=np.float64, ensure_min_samples=0, estimator=self))

    def _names(self) -> list[str]:
        return [str(name) for name in OneToOneFeatureMixin.get_feature_names_out(self)]

    def _numbers_of(self, X: Any) -> Matrix:
        """The columns of numbers, with NaN for gaps."""
        if sp.issparse(X):
            return X
        gaps = [float(gap) for gap in self.missing if not isinstance(gap, str)]
        if isinstance(X, np.ndarray) and X.dtype.kind == "f":
            found = X if not self._held else X[:, self._numbers]
        else:
            names = self._names()
            columns = [_numbers(_column(X, j), names[j]) for j in self._numbers]
            found = np.column_stack(columns) if columns else np.empty((X.shape[0], 0))
        return np.where(np.isin(found, gaps), np.nan, found) if gaps and self.weighting is None else found

    def _values(self, X: Any, j: int, name: str) -> Values:
        column = _column(X, j)
        gaps = _gaps(column)
        texts = np.array([_text(value, name) for value in column[~gaps].tolist()], object)
        gap_texts = [str(gap) for gap in self.missing]
        missing = np.isin(texts.astype(str), gap_texts) if len(texts) else np.zeros(0, bool)
        gaps[np.flatnonzero(~gaps)[missing]] = True
        distinct, of = np.unique(texts[~missing].astype(str), return_inverse=True)
        each = np.full(len(column), -1, np.intp)
        each[~gaps] = of
        return Values(distinct.tolist(), each)

    def _wants_sparse(self, better: bool) -> bool:
        if self.sparse_output != "auto":
            return bool(self.sparse_output)
        return better and self._frames is None and get_config()["transform_output"] == "default"  # frames are dense

    def set_output(self, *, transform: str | None = None) -> "Prepared":
        """Choose the container of the result: "default", "pandas" or "polars". Frames are dense."""
        self._frames = None if transform in (None, "default") else transform
        super().set_output(transform=transform)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class _Gap:
    """In place of a category: there is no value."""

    def __repr__(self) -> str:
        return "GAP"

    def __reduce__(self) -> str:
        return "GAP"


GAP = _Gap()


def _as_array(rows: Any) -> Array:
    """Lists of values as an array. NumPy alone would turn numbers beside text into text."""
    array = np.asarray(rows)
    return array if array.dtype.kind in "biuf" else np.asarray(rows, object)


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _series(X: Any, j: int) -> Any:
    return X.iloc[:, j] if hasattr(X, "iloc") else X[X.columns[j]]


def _is_categorical(X: Any, j: int) -> bool:
    """Whether a column of a frame has a type for categories, which may be numbers."""
    return _is_frame(X) and str(_series(X, j).dtype).lower().startswith(("category", "categorical", "enum"))


def _column(X: Any, j: int) -> Array:
    if not _is_frame(X):
        column: Array = X[:, j]
        return column
    series = _series(X, j)
    return np.asarray(series.astype(object) if _is_categorical(X, j) and hasattr(X, "iloc") else series)


def _is_numeric(column: Array) -> bool:
    """Whether its values are numbers. Objects are, if all of them are; a column of gaps alone is, too."""
    if column.dtype.kind in "biuf":
        return True
    if column.dtype.kind != "O":
        return False
    return all(isinstance(value, int | float | np.number | np.bool_) for value in column[~_gaps(column)].tolist())


def _gaps(column: Array) -> Array:
    """Which values are NaN, None or NA."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind != "O":
        return np.zeros(len(column), bool)
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(column), bool).copy()
    return np.array([value is None or (isinstance(value, float) and value != value) for value in column.tolist()], bool)


def _numbers(column: Array, name: str) -> Array:
    if column.dtype.kind in "biuf":
        numbers = column.astype(np.float64)
    else:
        gaps = _gaps(column)
        if not _is_numeric(column):
            raise ValueError(f"column {name!r} held numbers in fit, and now holds {_first_text(column)!r}: give the same columns")
        numbers = np.full(len(column), np.nan)
        numbers[~gaps] = column[~gaps].astype(np.float64)
    if np.isinf(numbers).any():
        raise ValueError(f"row {int(np.flatnonzero(np.isinf(numbers))[0])}, column {name!r} is infinity (inf); fill in a number")
    return numbers


def _first_text(column: Array) -> Any:
    return next(value for value in column.tolist() if not isinstance(value, int | float | type(None)))


def _text(value: Any, name: str) -> str:
    """A category as text: 1, 1.0 and "1" are the same."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool | int | float | bytes):
        return str(value)
    raise TypeError(f"column {name!r} has a value of type {type(value).__name__}; argument must be a string or a real number")
