"""A function of the user that takes two matrices and returns the kernel values between their rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernels import ALIKE, OfProducts, Points, kernel_named
from novikoff.foundation.array_types import Array


class KernelError(ValueError):
    """A kernel function returned something that is not a matrix of kernel values."""


class _Parameters(NamedTuple):
    function: Callable[[Any, Any], Any]


@kernel_named("called")
class Called(OfProducts, _Parameters):
    may_fail = True

    @property
    def positive(self) -> bool:
        return False  # unknown

    @property
    def function_name(self) -> str:
        """The name of the function, for messages."""
        return getattr(self.function, "__qualname__", None) or type(self.function).__name__

    def between(self, A: Points, B: Points, threads: int | None = None) -> Array:
        values = self._values(A.X, B.X)
        if A is B:
            self._require_symmetric(values, A)
        return values

    def of_itself(self, A: Points) -> Array:
        return np.array([self._values(A.X[i : i + 1], A.X[i : i + 1])[0, 0] for i in range(len(A))], np.float64)

    def _values(self, a: Any, b: Any) -> Array:
        name = self.function_name
        try:
            given = self.function(a, b)
            given = given.toarray() if sp.issparse(given) else given
            if np.iscomplexobj(given):
                raise KernelError(f"the kernel {name} gives complex numbers: every value must be a finite real number")
            values = np.array(given, np.float64)
        except KernelError:
            raise
        except (TypeError, ValueError) as error:
            raise KernelError(f"the kernel {name} gives no matrix of numbers for two matrices: {error}") from None
        wanted = a.shape[0], b.shape[0]
        if values.shape != wanted:
            raise KernelError(
                f"the kernel {name} gives shape {values.shape} for {wanted[0]} and {wanted[1]} rows: it must be {wanted}. "
                "Of a function k of two rows, make lambda A, B: [[k(a, b) for b in B] for a in A]."
            )
        if not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise KernelError(f"the kernel {name} gives {values[i, j]} between two rows: every value must be a finite number")
        return values

    def _require_symmetric(self, values: Array, A: Points) -> None:
        apart = np.abs(values - values.T)
        if (apart > ALIKE * np.abs(values).max(initial=0)).any():
            i, j = np.unravel_index(np.argmax(apart), apart.shape)
            raise KernelError(
                f"the kernel {self.function_name} is not symmetric: K(a, b) = {values[i, j]:.6g} and "
                f"K(b, a) = {values[j, i]:.6g} for rows {A.numbers[i]} and {A.numbers[j]}"
            )
