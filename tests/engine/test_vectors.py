"""How weights lie in memory changes nothing but the time."""

import numpy as np
import pytest
import scipy.sparse as sp

from learners import known
from novikoff.engine import vectors
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.learning.state import learner_of, state_of


def rows(n, classes, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(np.where(rng.random((n, 12)) < 0.4, rng.normal(size=(n, 12)), 0.0))
    return X, rng.integers(0, classes, n)


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("rule", ["margin", "arow", "stream"])
def test_weights_of_a_column_lie_together_if_there_are_many_vectors(rule, readout, monkeypatch):
    X, y = rows(200, 10)
    found = []
    for many in (8, 1000):
        monkeypatch.setattr(vectors, "MANY", many)
        learner = Learner(rule, readout=readout, order="each")
        learner.fit(examples(X, y), 3)
        assert learner.team.w.flags.f_contiguous == (many == 8)
        found.append((known(learner), learner.decide(X).tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("rule", ["margin", "arow"])
def test_they_stay_together_whatever_comes(rule, monkeypatch):
    """New classes, new columns, dense rows in between, for which each vector lies in one piece, and a file."""
    X, y = rows(120, 12, seed=1)
    found = []
    for many in (8, 1000):
        monkeypatch.setattr(vectors, "MANY", many)
        learner = Learner(rule, readout="averaged")
        learner.learn(examples(X[:20][:, :8], y[:20] % 3))
        learner.learn(examples(X[20:60][:, :8], y[20:60]))
        learner.widen(12)
        learner.learn(examples(X[60:80].toarray(), y[60:80]))
        assert learner.team.w.flags.c_contiguous
        learner = learner_of(*state_of(learner))
        learner.learn(examples(X[80:], y[80:]))
        assert learner.team.w.flags.f_contiguous == (many == 8)
        found.append((known(learner), learner.decide(X).tolist()))
    assert found[0] == found[1]
