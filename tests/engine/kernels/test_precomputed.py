"""A matrix of precomputed values as the kernel."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from kernel_problems import circles, gram
from novikoff import KernelPerceptron
from novikoff.engine.kernels import Points, find_kernel


def test_a_function_and_precomputed_values_serve_as_kernels():
    X, y = circles()
    named = KernelPerceptron("rbf", gamma=0.7).fit(X, y)
    called = KernelPerceptron(lambda a, b: find_kernel("rbf", gamma=0.7).between(Points(a), Points(b))).fit(X, y)
    K = gram(find_kernel("rbf", gamma=0.7), X)
    for readout in ("last", "averaged", "voted"):
        given = KernelPerceptron("precomputed", readout=readout).fit(K, y)
        wanted = KernelPerceptron("rbf", gamma=0.7, readout=readout).fit(X, y)
        np.testing.assert_allclose(given.decision_function(K[:9]), wanted.decision_function(X[:9]), rtol=1e-9)
        assert [u.row for u in given.ledger_] == [u.row for u in named.ledger_] == [u.row for u in called.ledger_]
    assert given.predict_with_doubt(K[:9], 0.5)[1].tolist() == wanted.predict_with_doubt(X[:9], 0.5)[1].tolist()
    with pytest.raises(ValueError, match="an angle needs an inner product"):
        KernelPerceptron("precomputed").fit(K, y).predict_with_doubt(K[:9])
    assert cross_val_score(KernelPerceptron("precomputed"), K, y, cv=3).min() > 0.85


@pytest.mark.parametrize("kernel", ["precomputed", find_kernel("precomputed")])
def test_precomputed_values_are_of_one_fit(kernel):
    K, y = np.eye(4) + 1, [0, 1, 0, 1]
    assert KernelPerceptron(kernel).__sklearn_tags__().input_tags.pairwise
    with pytest.raises(ValueError, match="a stream has none: use fit"):
        KernelPerceptron(kernel).partial_fit(K, y)
    with pytest.raises(ValueError, match="warm_start must be False"):
        KernelPerceptron(kernel, warm_start=True).fit(K, y)


def test_values_that_are_no_kernel_are_refused():
    K = np.eye(4)
    with pytest.raises(ValueError, match=r"a square matrix; this has shape \(4, 3\)"):
        KernelPerceptron("precomputed").fit(K[:, :3], [0, 1, 0, 1])
    K[1, 2] = 3
    with pytest.raises(ValueError, match=r"not symmetric: at \(1, 2\) it has 3, and at \(2, 1\) 0"):
        KernelPerceptron("precomputed").fit(K, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="a stream has none: use fit"):
        KernelPerceptron("precomputed").partial_fit(np.eye(4), [0, 1, 0, 1])
