"""exp(−γ Σ|aⱼ − bⱼ|)."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernels import TILE, OfProducts, Points, check_gamma, kernel_named
from novikoff.foundation.array_types import Array


class _Parameters(NamedTuple):
    gamma: Any = "scale"


@kernel_named("laplacian")
class Laplacian(OfProducts, _Parameters):
    def check(self) -> None:
        check_gamma(self.gamma)

    def between(self, A: Points, B: Points, threads: int | None = None) -> Array:
        from scipy.spatial.distance import cdist  # slow to import: only when needed

        out = np.empty((len(A), len(B)))
        sparse = sp.issparse(A.X) or sp.issparse(B.X)
        high = max(1, (TILE // max(1, A.X.shape[1]) if sparse else TILE // max(1, len(B))))
        for i in range(0, len(A), high):
            for j in range(0, len(B), high if sparse else max(1, len(B))):
                there = slice(i, i + high), slice(j, j + high) if sparse else slice(None)
                out[there] = cdist(_dense(A.X[there[0]]), _dense(B.X[there[1]]), "cityblock")
                out[there] *= -self.gamma
                np.exp(out[there], out=out[there])
        return out

    def of_itself(self, A: Points) -> Array:
        return np.ones(len(A))


def _dense(X: Any) -> Array:
    return X.toarray() if sp.issparse(X) else X  # type: ignore[no-any-return]
