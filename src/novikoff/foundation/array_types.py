"""The types of arrays and matrices in signatures. At run time they are `Any`: the command line must not load NumPy for them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]
else:
    Array = Any

Matrix = Any  # a two-dimensional NumPy array or a SciPy CSR matrix; SciPy comes without types
