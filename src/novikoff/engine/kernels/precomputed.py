"""Kernel values given by the user: row i of the data holds K(xᵢ, x) for each training row x."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernels import ALIKE, OfProducts, Points, kernel_named
from novikoff.foundation.array_types import Array


class _Parameters(NamedTuple):
    pass


@kernel_named("precomputed")
class Precomputed(OfProducts, _Parameters):
    exact = True
    no_streams = "kernel='precomputed' has values of rows that are known from the start, and a stream has none: use fit"

    @property
    def positive(self) -> bool:
        return False  # unknown

    def look_at(self, X: Any) -> None:
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f'of kernel="precomputed", X has the values between all rows, a square matrix; this has shape {X.shape}'
            )
        apart = abs(X - X.T)
        if apart.max() > ALIKE * abs(X).max():
            i, j = np.unravel_index(int(apart.argmax()), X.shape)
            a, b = float(X[i, j]), float(X[j, i])
            raise ValueError(f"the matrix is not symmetric: at ({i}, {j}) it has {a:.6g}, and at ({j}, {i}) {b:.6g}")

    def between(self, A: Points, B: Points, threads: int | None = None) -> Array:
        values = A.X[:, B.numbers]
        return values.toarray() if sp.issparse(values) else np.ascontiguousarray(values)

    def from_stored(self, A: Points, B: Points, threads: int | None = None) -> Array:
        return np.ascontiguousarray(self.between(B, A).T)

    def of_itself(self, A: Points) -> Array:
        return np.asarray(A.X[np.arange(len(A)), A.numbers]).ravel()
