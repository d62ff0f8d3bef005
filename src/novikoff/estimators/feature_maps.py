"""Curved boundaries with a linear classifier: maps that add products of columns as columns (F18)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations_with_replacement
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.engine.labelled_rows import checked_rows
from novikoff.estimators.unchanged_on_error import unchanged_on_error
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import checked

MOST_NUMBERS = 300_000_000  # in one mapped matrix: 2.4 GB of doubles. It also limits the number of columns
HIGHEST_DEGREE = 30
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Factors = tuple[int, ...]  # the columns that a monomial multiplies, in order, each as often as it occurs


class Quadratic(NamedTuple):
    """The function xᵀAx + bᵀx + c with a symmetric matrix A. Call it with rows to get their values; print it to see a formula.

    >>> q = Quadratic(np.array([[1, -1.5], [-1.5, 1]]), np.array([0, 2]), -4.0)
    >>> print(q)
    1·x0² − 3·x0·x1 + 1·x1² + 2·x1 − 4 > 0
    >>> q([[1, 2], [3, 0]])
    array([-1.,  5.])
    """

    A: Array
    b: Array
    c: float
    names: tuple[str, ...] = ()  # of the columns (default: x0, x1, …)

    def __call__(self, X: Any) -> Array:
        X = check_array(checked(X, "X"), accept_sparse="csr", dtype=np.float64)
        if X.shape[1] != len(self.b):
            raise ValueError(f"this quadratic is for {len(self.b)} columns, but X has {X.shape[1]}")
        X = sp.csr_array(X) if sp.issparse(X) else X  # `*` of a csr_array multiplies entries, as it does for arrays
        return np.asarray((X * (X @ self.A)).sum(axis=1) + X @ self.b + self.c)

    def __str__(self) -> str:
        names = self.names or [f"x{d}" for d in range(len(self.b))]
        pairs = combinations_with_replacement(range(len(names)), 2)
        terms = [(self.A[i, j] * (1 if i == j else 2), f"·{_product((i, j), names)}") for i, j in pairs]
        terms += [*((b, f"·{name}") for b, name in zip(self.b, names, strict=True)), (self.c, "")]
        shown = " ".join(f"{'−' if factor < 0 else '+'} {abs(factor):g}{what}" for factor, what in terms if factor) or "0"
        shown = shown.removeprefix("+ ")
        return f"{'−' + shown[2:] if shown.startswith('− ') else shown} > 0"


class PolynomialMap(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Add all products of up to `degree` columns as columns. A boundary of that degree becomes a plane (F18).

    The columns are those of scikit-learn's PolynomialFeatures, in its order, without a constant column, because a classifier has
    an intercept. Each row is mapped by itself, so data can also be mapped and learned in pieces.

    Parameters
    ----------
    degree : the maximum number of columns that are multiplied, from 1 to 30 (default: 3).
    repeated : whether to repeat each product as often as it occurs in the expansion of (1 + x·x′)^degree, with the constant
        (default: False). The dot products of mapped rows are then exactly the values of this kernel, up to rounding, and a
        Perceptron without an intercept makes the same mistakes as with the kernel (F19).

    Attributes
    ----------
    n_output_features_ : number of columns after the map.

    >>> cubic = PolynomialMap(degree=3).fit([[1, 2]])
    >>> cubic.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0²', 'x0·x1', 'x1²', 'x0³', 'x0²·x1', 'x0·x1²', 'x1³']
    >>> kernel = PolynomialMap(degree=2, repeated=True)
    >>> kernel.fit([[1, 2]]).get_feature_names_out().tolist()
    ['1', 'x0', 'x0 (2)', 'x1', 'x1 (2)', 'x0²', 'x0·x1', 'x0·x1 (2)', 'x1²']
    >>> (kernel.transform([[1, 2]]) @ kernel.transform([[3, 4]]).T).item(), (1 + 1 * 3 + 2 * 4) ** 2
    (144.0, 144)
    """

    _features: PolynomialFeatures  # as in `fit`, even if the parameters are changed later
    _repetitions: Array | None  # of each column; None if each occurs once

    def __init__(self, degree: int = 3, *, repeated: bool = False) -> None:
        self.degree = degree
        self.repeated = repeated

    def fit(self, X: Any, y: Any = None) -> "PolynomialMap":
        """Store the number of columns and their names. Nothing else is learned."""
        with unchanged_on_error(self):
            degree = self.degree
            if not (isinstance(degree, int | np.integer) and 1 <= degree <= HIGHEST_DEGREE) or isinstance(degree, bool):
                raise ValueError(f"degree must be a whole number from 1 to {HIGHEST_DEGREE}; it is {degree!r}")
            self._features = PolynomialFeatures(int(degree), include_bias=bool(self.repeated))
            X = self._rows(X, reset=True)
            self.n_output_features_ = self._numbers_of(X.shape[1])
            if self.n_output_features_ > MOST_NUMBERS:
                raise ValueError(
                    f"{X.shape[1]:,} columns give {_count(self.n_output_features_)} products of degree {degree}, but the "
                    f"maximum is {MOST_NUMBERS:,} columns: lower the degree, choose columns, or approximate a kernel "
                    "(sklearn.kernel_approximation.Nystroem)"
                )
            self._features.fit(X[:1])
            self._repetitions = (
                np.array([_repetitions(each, int(degree)) for each in self._products()]) if self.repeated else None
            )
        return self

    def transform(self, X: Any) -> Matrix:
        """Compute the products of each row, as an array, or as a CSR matrix if X is sparse."""
        check_is_fitted(self)
        X = self._rows(X, reset=False)
        entries = np.diff(X.indptr) if sp.issparse(X) else np.full(len(X), X.shape[1])
        numbers = sum(self._numbers_of(int(many)) * int(rows) for many, rows in zip(*np.unique_counts(entries), strict=True))
        if numbers > MOST_NUMBERS:
            raise ValueError(
                f"{X.shape[0]:,} rows with {self.n_output_features_:,} columns would be {_count(numbers)} numbers, but the "
                f"maximum is {MOST_NUMBERS:,} at once: map and learn fewer rows at a time (partial_fit), or lower the degree"
            )
        mapped = self._features.transform(X)
        return mapped if self._repetitions is None else mapped[:, np.repeat(np.arange(len(self._repetitions)), self._repetitions)]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns, such as `x0²` and `x0·x1`, or with the names of a data frame. A repeated column has a
        number, as in `x0·x1 (2)`.
        """
        names = self._names(input_features)
        products = [_product(each, names) for each in self._products()]
        if self._repetitions is not None:
            products = np.repeat(np.array(products, object), self._repetitions).tolist()
        count: Counter[str] = Counter()
        for k, product in enumerate(products):
            count[product] += 1
            products[k] = product if count[product] == 1 else f"{product} ({count[product]})"
        return np.array(products, object)

    def read_back(self, classifier: Any) -> Quadratic | dict[Any, Quadratic]:
        """The quadratic function xᵀAx + bᵀx + c that a linear classifier has learned from the columns of this map (F18).

        Its values are those of `decision_function`, but for rounding. With many classes, a quadratic each.

        >>> from novikoff import Perceptron
        >>> from sklearn.pipeline import make_pipeline
        >>> pipe = make_pipeline(QuadraticMap(), Perceptron()).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
        >>> print(pipe[0].read_back(pipe[-1]))
        1·x0² − 6·x0·x1 + 1·x1² + 1·x0 + 1·x1 − 1 > 0
        """
        check_is_fitted(self)
        if self._features.degree != 2:
            raise ValueError(f"only a map of degree 2 is read back as a quadratic; this one has degree {self._features.degree}")
        name = type(classifier).__name__
        if not hasattr(classifier, "coef_"):
            raise ValueError(f"this {name} has no coef_: give a fitted linear classifier, such as pipe[-1]")
        if getattr(classifier, "readout", None) == "voted":
            raise ValueError(
                "readout='voted' has no quadratic to read back: train with readout='averaged', which predicts nearly the same"
            )
        coef, classes = np.atleast_2d(classifier.coef_), classifier.classes_.tolist()
        if coef.shape[1] != self.n_output_features_ or len(coef) not in (1, len(classes)):
            raise ValueError(
                f"the coef_ of this {name} has shape {coef.shape}, but this map has {self.n_output_features_:,} columns: "
                "give a classifier that was fitted on the mapped rows"
            )
        c = np.broadcast_to(np.asarray(classifier.intercept_, np.float64), len(coef))
        if self._repetitions is not None:  # add the weights of repeated columns; the first is the constant
            coef = np.add.reduceat(coef, np.cumsum(self._repetitions) - self._repetitions, axis=1)
            coef, c = coef[:, 1:], c + coef[:, 0]
        names = tuple(self._names().tolist())
        found = [_quadratic(row, float(free), names) for row, free in zip(coef, c, strict=True)]
        return found[0] if len(found) == 1 else dict(zip(classes, found, strict=True))

    def _rows(self, X: Any, reset: bool) -> Matrix:
        """X as a finite array or CSR matrix without overflowing products."""
        options: dict[str, Any] = {
            "accept_sparse": "csr",
            "dtype": [np.float64, np.float32],
            "order": "C",
            "ensure_all_finite": False,
        }
        X = validate_data(self, checked(X, "X"), reset=reset, **options)
        checked_rows(X, 0)  # refuses NaN and infinity
        if sp.issparse(X) and {X.indices.dtype, X.indptr.dtype} not in ({np.dtype(np.int32)}, {np.dtype(np.int64)}):
            X = type(X)((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
        if sp.issparse(X) and not X.has_canonical_format:  # PolynomialFeatures needs both
            X = X.copy()
            X.sum_duplicates()
        largest, degree = float(abs(X).max()), self._features.degree
        if prod([largest] * degree) > float(np.finfo(X.dtype).max):
            raise ValueError(
                f"the largest number is {largest:g}, whose power {degree} overflows {X.dtype}: scale the data down (MaxAbsScaler)"
            )
        return X

    def _numbers_of(self, width: int) -> int:
        """The number of products of a row with `width` entries."""
        degree = self._features.degree
        return int((1 + width) ** degree if self._features.include_bias else comb(width + degree, degree) - 1)

    def _products(self) -> Iterator[Factors]:
        """The columns in the order of PolynomialFeatures. Its own `powers_` is a matrix that would take far more memory."""
        first, last = 0 if self._features.include_bias else 1, self._features.degree
        return chain.from_iterable(combinations_with_replacement(range(self.n_features_in_), k) for k in range(first, last + 1))

    def _names(self, input_features: Any = None) -> Array:
        """The names of the columns of X: those of the data frame, or x0, x1, … as in `feature_importance`."""
        names: Array = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class QuadraticMap(PolynomialMap):
    """Add the squares of columns and the products of two: circles, ellipses, hyperbolas and XOR become planes (F18).

    It is `PolynomialMap(degree=2)`. `read_back` shows what was learned as xᵀAx + bᵀx + c.

    >>> QuadraticMap().fit_transform([[2, 3]]).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """

    def __init__(self) -> None:
        super().__init__(degree=2)


def _product(factors: Factors, names: Sequence[str] | Array) -> str:
    """The name of a monomial.

    >>> _product((0, 0, 1), ["x0", "x1"]), _product((), ["x0", "x1"])
    ('x0²·x1', '1')
    """
    powers = {i: factors.count(i) for i in factors}.items()
    return "·".join(f"{names[i]}{str(k).translate(SUPERSCRIPTS) if k > 1 else ''}" for i, k in powers) or "1"


def _repetitions(factors: Factors, degree: int) -> int:
    """How often a monomial occurs in the expansion of (1 + x·x′)^degree: the multinomial coefficient."""
    same = prod(factorial(factors.count(i)) for i in set(factors))
    return factorial(degree) // (factorial(degree - len(factors)) * same)


def _quadratic(weights: Array, c: float, names: tuple[str, ...]) -> Quadratic:
    """The quadratic function with these weights, in the order of the map: x0, x1, …, x0², x0·x1, …"""
    n = len(names)
    upper = np.zeros((n, n))
    upper[np.triu_indices(n)] = weights[n:]
    return Quadratic((upper + upper.T) / 2, np.array(weights[:n], np.float64), c, names)


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"{number:.0e}"
