"""What `Learner.learn` foretells is what the weights that answer say just before: the progressive error is honest."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chosen import READOUTS
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from oracles import any_data, fractions

LABELS = st.sampled_from(["a", "b", "c"])


@pytest.mark.parametrize("multiclass", ["ovr", "direct"])
@pytest.mark.parametrize("readout", READOUTS)
@given(data=any_data(labels=LABELS), rule=st.sampled_from(["margin", "rosenblatt"]))
def test_each_row_is_scored_by_the_weights_that_answer_then(readout, multiclass, data, rule):
    X, y = fractions(data[0]), np.array(data[1])
    learner, one_by_one = (Learner(rule, readout=readout, multiclass=multiclass) for _ in range(2))
    names, decisions = np.unique(y), []
    foretold = learner.learn(examples(X, y), announced=names, foretelling=True)
    for i in range(len(X)):
        one_by_one.begin(names, X.shape[1], 1, object)
        if not i:
            one_by_one.vectors.readout_state = one_by_one.space.new_state(one_by_one.reading, one_by_one.vectors, False)
        decisions.append(one_by_one.decide(X[i : i + 1])[0].tolist())
        one_by_one.learn(examples(X[i : i + 1], y[i : i + 1]), announced=names)
    np.testing.assert_allclose(foretold.astype(float), np.array(decisions, float), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("multiclass", ["ovr", "direct"])
@given(data=any_data(labels=LABELS), seed=st.integers(0, 9))
def test_compiled_and_with_rows_left_out(multiclass, data, seed):
    """Rows of weight 0 are not fed; what is foretold of them is 0. The weights are those of learning without foretelling."""
    X, y = np.array(data[0]), np.array(data[1])
    weight = np.random.default_rng(seed).integers(0, 2, len(X))
    if not weight.any():
        weight[0] = 1
    quiet, loud = (Learner("arow", readout="averaged", multiclass=multiclass) for _ in range(2))
    for part in (slice(0, len(X) // 2), slice(len(X) // 2, None)):
        seen = examples(X[part], y[part], weight=weight[part]) if len(X[part]) else None
        if seen is not None:
            before = deepcopy(loud)
            quiet.learn(seen)
            foretold = loud.learn(seen, foretelling=True)
            assert foretold is None or not foretold[weight[part] == 0].any()
            first = int(np.argmax(weight[part] > 0))
            if before.started and foretold is not None and len(before.classes) == len(loud.classes):
                np.testing.assert_allclose(foretold[first], before.decide(X[part][first : first + 1])[0], atol=1e-12)
    assert quiet.team.w.tolist() == loud.team.w.tolist()
    assert quiet.weights().tolist() == loud.weights().tolist()


def test_the_progressive_error_is_that_of_the_weights_that_answer():
    """The last weights make more mistakes on a noisy stream than the averaged ones, and the averaged ones answer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = (X @ rng.normal(size=20) + rng.normal(0, 3, 2000) > 0).astype(int)
    wrong = {}
    for readout in ("last", "averaged"):
        learner = Learner("rosenblatt", readout=readout)
        wrong[readout] = (learner.answers(learner.learn(examples(X, y), foretelling=True)) != y).sum()
    assert wrong["averaged"] < 0.9 * wrong["last"]
