"""A user's function as the kernel."""

import numpy as np
import pytest
import scipy.sparse as sp

from kernel_problems import circles
from novikoff import KernelPerceptron


def test_a_function_that_fails_half_way_leaves_the_model_as_it_was():
    X, y = circles(60)
    calls = []

    def moody(a, b):
        calls.append(len(a))
        return a @ b.T + (np.nan if len(calls) > 100 else 0)

    clf = KernelPerceptron(moody).partial_fit(X[:30], y[:30])
    before = clf.decision_function(X), clf.n_updates_, clf.support_.tolist()
    calls.extend([0] * 100)
    with pytest.raises(ValueError, match="moody gives nan"):
        clf.partial_fit(X[30:], y[30:])
    del calls[:]
    assert (clf.decision_function(X) == before[0]).all()
    assert (clf.n_updates_, clf.support_.tolist()) == before[1:]


def test_a_function_may_give_a_sparse_matrix():
    X, y = circles(60)
    sparse = KernelPerceptron(lambda a, b: a @ b.T, max_iter=5).fit(sp.csr_array(X), y)
    assert [u.row for u in sparse.ledger_] == [u.row for u in KernelPerceptron("linear", max_iter=5).fit(X, y).ledger_]
