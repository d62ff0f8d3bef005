"""Data in shards."""

from typing import Any

import numpy as np


def split(X: Any, y: Any, shards: int, seed: int = 0) -> tuple[list[Any], list[Any]]:
    """The rows in shards of nearly the same size, in a random order, and their labels."""
    order = np.random.default_rng(seed).permutation(len(y))
    parts = [np.sort(part) for part in np.array_split(order, shards)]
    return [X[part] for part in parts], [y[part] for part in parts]


def stacked(blocks: list[Any], labels: list[Any]) -> tuple[Any, Any]:
    """What `split` made, under each other again, in the order of the shards."""
    import scipy.sparse as sp

    X = sp.vstack(blocks, format="csr") if sp.issparse(blocks[0]) else np.concatenate(blocks)
    return X, np.concatenate(labels)
