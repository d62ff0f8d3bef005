"""The data the benchmarks run on, generated from a seed."""

import bz2
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "svm"


def sparse(rows=200_000, columns=50_000, draws=75, dtype=np.float64):
    """About 72 non-zeros a row, the columns drawn from a Zipf-like law, two classes by a random hyperplane."""
    rng = np.random.default_rng(0)
    law = np.cumsum(1 / np.arange(1, columns + 1) ** 0.8)
    index = np.sort(np.searchsorted(law / law[-1], rng.random((rows, draws))).clip(0, columns - 1), axis=1).astype(np.int32)
    first = np.ones_like(index, bool)
    first[:, 1:] = index[:, 1:] != index[:, :-1]
    starts = np.concatenate([[0], np.cumsum(first.sum(axis=1))]).astype(np.int32)
    values = rng.random(int(first.sum()))
    X = sp.csr_matrix((values.astype(dtype), index[first], starts), shape=(rows, columns))
    return X, np.where(X @ rng.standard_normal(columns) > 0, 1, -1)


def dense(rows=200_000, columns=100):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    return X, np.where(X @ rng.standard_normal(columns) > 0, 1, -1)


def narrow_margin(rows=200_000, columns=100, margin=1e-3):
    """Two classes that a hyperplane through 0 separates with so much of R: rows nearer to it are moved away."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    u = rng.standard_normal(columns)
    u /= np.linalg.norm(u)
    score = X @ u
    y = np.where(score > 0, 1, -1)
    least = margin * np.sqrt((X**2).sum(axis=1).max() + 1)
    near = np.abs(score) < least
    X[near] += np.outer((least * y - score)[near], u)
    return X, y


def cone(rows=100_000, columns=50, margin=1e-2):
    """Rows that one w satisfies, each by so much of R at least."""
    X, y = narrow_margin(rows, columns, margin)
    return X * y[:, None]


def empty_cone(rows=100_000, columns=50, share=0.01):
    """Rows of a cone, but for some that are turned round."""
    X, y = flipped(rows, columns, share)
    return X * y[:, None]


def flipped(rows=20_000, columns=50, share=0.01):
    """Two classes by a hyperplane, some labels wrong."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    y = np.where(X @ rng.standard_normal(columns) > 0, 1, -1)
    return X, np.where(rng.random(rows) < share, -y, y)


def ten_classes(rows=60_000, columns=784):
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((10, columns))
    y = rng.integers(0, 10, rows)
    return rng.standard_normal((rows, columns)) * 4 + centres[y], y


def curved(rows=20_000, columns=50):
    """Two classes by a ball in ten of the columns, its surface blurred."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    inside = (X[:, :10] ** 2).sum(axis=1) + rng.standard_normal(rows)
    return X, np.where(inside > 9.3, 1, -1)


def many_classes(rows=6_400, columns=55_000, classes=105, draws=170):
    """Rows of words as texts have them, about 160 of them each; a class has words of its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    law = np.cumsum(1 / np.arange(1, columns + 1) ** 0.8)
    index = np.searchsorted(law / law[-1], rng.random((rows, draws))).clip(0, columns - 1)
    own = rng.integers(0, columns, (classes, 200))
    index[:, :20] = own[y[:, None], rng.integers(0, 200, (rows, 20))]
    X = sp.csr_matrix((rng.random(index.size), index.ravel(), np.arange(0, index.size + 1, draws)), shape=(rows, columns))
    X.sum_duplicates()
    return X, y


def real(name):
    """(training, test) of a9a, reuters or ijcnn1, or None where the data is not there."""
    files = {
        "a9a": ("a9a", "a9a.t"),
        "reuters": ("reuters.trn.bz2", "reuters.tst.bz2"),
        "ijcnn1": ("ijcnn1.trn.bz2", "ijcnn1.tst.bz2"),
    }[name]
    if not all((REAL / file).exists() for file in files):
        return None
    train, test = (load_svmlight_file(_opened(REAL / file)) for file in files)
    width = max(train[0].shape[1], test[0].shape[1])
    return tuple((_narrow(X, width), y) for X, y in (train, test))


def _narrow(X, width):
    """With 32-bit indices, which scikit-learn's SVM insists on and its own reader does not give."""
    return sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=(X.shape[0], width))


def _opened(path):
    return bz2.open(path) if path.suffix == ".bz2" else open(path, "rb")
