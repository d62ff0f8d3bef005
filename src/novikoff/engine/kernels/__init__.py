"""Kernels: inner products K(a, b) = ⟨φ(a), φ(b)⟩, computed without φ (F19).

A kernel is a `NamedTuple` of its parameters in a file of this folder, with `between`, `of_itself` and `check`. Most are
functions of ⟨a, b⟩, ‖a‖² and ‖b‖² alone. They define `finish` instead, which turns inner products into kernel values in place.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from novikoff.engine.rules import is_number, require_positive
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import WORTH_A_THREAD, alone, cores, shares, side_by_side
from novikoff.foundation.registry import import_all

ALIKE = 1e-6  # K(a, b) and K(b, a) may differ by rounding, not by more than this part of the largest value
TILE = 2**16  # values computed at once: half a megabyte, which stays in the cache


class Points:
    """Rows for which kernel values are computed, with cached norms. `numbers` are their numbers among the training rows."""

    def __init__(self, X: Any, numbers: Array | None = None) -> None:
        self.X = X if X.dtype in (np.float64, object) else X.astype(np.float64)
        self.numbers = np.arange(X.shape[0]) if numbers is None else numbers

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, which: Any) -> "Points":
        some = Points(self.X[which], self.numbers[which])
        some.sqnorm = self.sqnorm[which]
        return some

    def numbered(self, numbers: Array) -> "Points":
        """The same rows with other numbers."""
        same = self[:]
        same.numbers = numbers.astype(np.int64)
        return same

    def widened(self, width: int) -> "Points":
        """The same rows with more columns, all 0."""
        n, columns = self.X.shape
        if sp.issparse(self.X):
            return Points(sp.csr_array((self.X.data, self.X.indices, self.X.indptr), shape=(n, width)), self.numbers)
        return Points(np.concatenate([self.X, np.full((n, width - columns), 0, self.X.dtype)], axis=1), self.numbers)

    @cached_property
    def sqnorm(self) -> Array:
        """‖x‖² of each row."""
        if sp.issparse(self.X):
            return np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", self.X, self.X) if self.X.dtype != object else (self.X * self.X).sum(axis=1)  # type: ignore[no-any-return]

    @cached_property
    def turned(self) -> Any:
        """The transposed matrix."""
        return self.X.T.tocsr() if sp.issparse(self.X) else self.X.T

    @staticmethod
    def together(parts: Sequence["Points"]) -> "Points":
        """The rows of all parts, one after the other."""
        X = [part.X for part in parts]
        sparse = any(map(sp.issparse, X))
        joined = Points(sp.csr_array(sp.vstack(X)) if sparse else np.vstack(X), np.concatenate([part.numbers for part in parts]))
        joined.sqnorm = np.concatenate([part.sqnorm for part in parts])
        return joined


class Kernel(Protocol):
    """The interface of a kernel."""

    name: str
    exact: bool
    no_streams: str
    may_fail: bool

    @property
    def positive(self) -> bool: ...
    def check(self) -> None: ...
    def look_at(self, X: Any) -> None: ...
    def require_precision(self, points: Points) -> None: ...
    def between(self, A: Points, B: Points, threads: int | None = None) -> Array: ...
    def from_stored(self, A: Points, B: Points, threads: int | None = None) -> Array: ...
    def of_itself(self, A: Points) -> Array: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _replace(self, **parameters: Any) -> Self: ...


class OfProducts:
    """Base class of kernels that are functions of ⟨a, b⟩, ‖a‖² and ‖b‖²."""

    name: ClassVar[str]
    exact: ClassVar[bool] = False  # whether it is computed without rounding on fractions
    no_streams: ClassVar[str] = ""  # why it cannot be used on a stream; empty if it can
    may_fail: ClassVar[bool] = False  # whether computing a value may raise an error in the user's code

    @property
    def positive(self) -> bool:
        """Whether every matrix of its values is known to be positive semidefinite. Otherwise there is no φ, and no bound."""
        return True

    def check(self) -> None:
        """Refuse invalid parameters."""

    def look_at(self, X: Any) -> None:
        """Refuse data that the kernel is not defined for."""

    def require_precision(self, points: Points) -> None:
        """Refuse rows whose kernel values floats cannot distinguish."""

    def finish(self, values: Array, a: Array, b: Array) -> None:
        """Turn inner products into kernel values, in place. a and b are squared norms, broadcast over rows and columns."""
        raise NotImplementedError

    def between(self, A: Points, B: Points, threads: int | None = None) -> Array:
        """K(a, b) for each row a of A and each row b of B. The rows of B are the training rows."""
        out: Array = np.empty((len(A), len(B)), A.X.dtype if A.X.dtype == object else np.float64)
        if not out.size:
            return out
        if sp.issparse(A.X) or sp.issparse(B.X):
            self._fill_sparse(out, A, B)
            return out
        parts = 1 if out.dtype == object or out.size * A.X.shape[1] < WORTH_A_THREAD else threads or cores()
        with alone:
            side_by_side([partial(self._fill, out, A, B, part) for part in shares(len(B), parts)])
        return out

    def _fill(self, out: Array, A: Points, B: Points, columns: range) -> None:
        wide = max(1, TILE // len(A))
        for first in range(columns.start, columns.stop, wide):
            part = slice(first, min(first + wide, columns.stop))
            values = A.X @ B.X[part].T
            self.finish(values, A.sqnorm[:, None], B.sqnorm[None, part])
            out[:, part] = values

    def _fill_sparse(self, out: Array, A: Points, B: Points) -> None:
        high = max(1, TILE // len(B))
        for first in range(0, len(A), high):
            part = slice(first, first + high)
            products = A.X[part] @ B.turned
            values = products.toarray() if sp.issparse(products) else np.ascontiguousarray(products)
            self.finish(values, A.sqnorm[part, None], B.sqnorm[None, :])
            out[part] = values

    def from_stored(self, A: Points, B: Points, threads: int | None = None) -> Array:
        """The same, where the rows of A are the training rows."""
        return self.between(A, B, threads)

    def of_itself(self, A: Points) -> Array:
        """K(a, a) for each row a of A."""
        values = A.sqnorm.copy()
        self.finish(values, A.sqnorm, A.sqnorm)
        return values


_KERNELS: dict[str, type[Any]] = {}
K = TypeVar("K", bound=type[Any])


def kernel_named(name: str) -> Callable[[K], K]:
    """Give a kernel its name."""

    def register(cls: K) -> K:
        cls.name = name
        _KERNELS[name] = cls
        return cls

    return register


def kernels() -> dict[str, type[Any]]:
    """All kernels, by name."""
    import_all(__name__)
    return dict(sorted(_KERNELS.items()))


def find_kernel(wanted: Any, **parameters: Any) -> Kernel:
    """A kernel from its name and the parameters that it takes, from a kernel object, or from a function of two matrices."""
    known = kernels()
    if isinstance(wanted, str):
        if wanted not in known or wanted == "called":
            names = ", ".join(name for name in known if name != "called")
            raise ValueError(f"there is no kernel {wanted!r}; the kernels are {names}, or a function of two matrices")
        kind = known[wanted]
        wanted = kind(**{name: value for name, value in parameters.items() if name in kind._fields and value is not None})
    elif type(wanted) not in known.values():
        if not callable(wanted):
            raise TypeError(
                f"kernel must be a name, one of novikoff.engine.kernels or a function of two matrices, not {wanted!r}"
            )
        wanted = known["called"](wanted)
    found: Kernel = wanted
    found.check()
    return found


def in_fractions(kernel: Any) -> Any:
    """The kernel with fractions as parameters. Raises an error if its values are rounded."""
    if not kernel.exact:
        raise ValueError(f"the kernel {kernel.name!r} cannot be computed on fractions: give the data as floats")
    return type(kernel)(*(value if isinstance(value, int) else Fraction(value) for value in kernel))


def fitted_to(kernel: Kernel, X: Any) -> Kernel:
    """The kernel with a gamma of "scale" or "auto" replaced by the number for this data."""
    match getattr(kernel, "gamma", None):
        case "scale":
            return kernel._replace(gamma=_scale_of(X))
        case "auto":
            return kernel._replace(gamma=1.0 / X.shape[1])
    return kernel


def check_gamma(gamma: Any) -> None:
    """Raise an error unless gamma is a positive number, "scale" or "auto"."""
    if isinstance(gamma, str):
        if gamma not in ("scale", "auto"):
            raise ValueError(f"gamma must be a positive number, 'scale' or 'auto', not {gamma!r}")
    else:
        require_positive("gamma", gamma)


def check_coef0(coef0: Any) -> None:
    if not (is_number(coef0) and np.isfinite(float(coef0))):
        raise ValueError(f"coef0 must be a finite number, not {coef0!r}")


def _scale_of(X: Any) -> float:
    """1 / (columns · variance of all numbers)."""
    if not X.shape[0]:
        return 1.0
    if sp.issparse(X):
        size = X.shape[0] * X.shape[1]
        mean = float(X.sum()) / size
        variance = float(X.multiply(X).sum()) / size - mean * mean
    else:
        with np.errstate(all="ignore"):
            variance = float(np.asarray(X, np.float64).var())
    if np.isnan(variance) or X.max() == X.min():  # values that are not finite are reported elsewhere
        return 1.0
    with np.errstate(all="ignore"):
        gamma = float(np.float64(1.0) / (X.shape[1] * variance))
    if not 0 < gamma < np.inf:
        raise ValueError(f"gamma cannot follow the scale of the data, whose variance is {variance:g} in floats: give a number")
    return gamma
