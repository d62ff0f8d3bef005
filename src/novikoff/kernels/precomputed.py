"""Values that the user has: row i of the data holds K(xᵢ, x) for each training row x."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.kernels import Array, OfProducts, Points, kernel_named


class _Parameters(NamedTuple):
    pass


@kernel_named("precomputed")
class Precomputed(OfProducts, _Parameters):
    exact = True

    @property
    def positive(self) -> bool:
        return False  # not known to be

    def between(self, A: Points, B: Points, threads: int | None = None) -> Array:
        values = A.X[:, B.numbers]
        return values.toarray() if sp.issparse(values) else np.ascontiguousarray(values)

    def from_stored(self, A: Points, B: Points) -> Array:
        return np.ascontiguousarray(self.between(B, A).T)

    def of_itself(self, A: Points) -> Array:
        return np.asarray(A.X[np.arange(len(A)), A.numbers]).ravel()
