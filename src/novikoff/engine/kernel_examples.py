"""Examples that are known only by their kernel values (F19)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernels import Points, in_fractions
from novikoff.engine.labelled_rows import Examples, examples
from novikoff.engine.storages import read_only
from novikoff.engine.storages.kernel_rows import KernelRows
from novikoff.foundation.array_types import Array
from novikoff.proof.fingerprint import row_hashes


@dataclass(frozen=True)
class KernelExamples(Examples):
    """Examples that are known by their inner products."""

    points: Any = None
    kernel: Any = None

    @property
    def entries_per_row(self) -> float:
        X = self.points.X
        return float(X.nnz if sp.issparse(X) else X.size) / len(self)

    def hashes(self) -> Array:
        return row_hashes(self.points.X)


def kernel_examples(
    X: Any, y: Any, kernel: Any, *, constant: Any = 0, weight: Any = None, threads: int | None = None
) -> KernelExamples:
    """Check a matrix and its labels, as `examples` does, for learning with a kernel."""
    seen = examples(X, y, constant=constant, weight=weight, threads=threads)
    kernel = in_fractions(kernel) if seen.exact else kernel
    kernel.look_at(X)
    points = Points(X)
    kernel.require_precision(points)
    with np.errstate(all="ignore"):
        own = kernel.of_itself(points)
    if not seen.exact and not np.isfinite(own).all():
        i = int(np.flatnonzero(~np.isfinite(own))[0])
        raise ValueError(
            f"the kernel of row {i} with itself is {own[i]}: scale the data down (MaxAbsScaler), "
            "or take smaller parameters of the kernel"
        )
    number = constant if seen.exact else float(constant)
    rows = KernelRows(read_only(own), np.empty((0, 0), own.dtype), np.empty(0, np.int64), np.zeros(len(own), np.int64), number)
    sheet = seen.sheet._replace(rows=rows, sqnorm=read_only(own + number * number))
    return KernelExamples(sheet, seen.width, constant, seen.classes, seen.fed, seen.weighted, threads, points, kernel)
