"""One vector per class, each learned against all other classes."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chosen import RULES
from novikoff import Perceptron
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.learning.state import learner_of, state_of
from oracles import any_data


@pytest.mark.parametrize("rule", RULES)
@given(data=any_data(labels=st.sampled_from([0, 1, 2])))
def test_one_against_the_rest_is_as_many_runs_of_two_classes(rule, data):
    X, y = np.array(data[0]), np.array(data[1])
    assume(len(set(data[1])) == 3)
    together = Learner(rule, order="each", seed=5)
    together.fit(examples(X, y), 6)
    for v, name in enumerate(together.classes):
        alone = Learner(rule, order="each", seed=5)
        alone.fit(examples(X, y == name), 6)
        assert [*together.ledgers[v]] == [*alone.ledgers[0]]
        assert together.weights()[v].tolist() == alone.weights()[0].tolist()


def test_one_vs_rest_is_as_it_was():
    X, y = np.eye(3), [0, 1, 2]
    assert Perceptron().multiclass == "ovr"
    assert len(Perceptron().fit(X, y).ledger_) == 3
    voted = Learner(readout="voted")
    voted.fit(examples(X, y), 2)
    settings, arrays = state_of(voted)
    assert {name.rpartition(".")[2] for name in arrays if name.startswith("ledger.0.")} == {"t", "row", "y", "margin", "step"}
    del settings["multiclass"]  # as in files written before there was a choice
    assert learner_of(settings, arrays).decide(X).tolist() == voted.decide(X).tolist()


def test_one_class_in_pieces_ends_with_a_clean_pass_as_in_memory():
    seen = examples(np.array([[1.0, 2.0], [2.0, -1.0], [-3.0, 0.5]]), ["a", "a", "a"])
    held, pieces = Learner(), Learner()
    runs = held.fit(seen, 50), pieces.fit_pieces(lambda number: [(seen, seen.fed)], 50)
    for run in runs:
        assert run.stop_reason is StopReason.CLEAN_PASS
        assert [one.updates > 0 for one in run.passes] == [True] * (len(run.passes) - 1) + [False]
    assert [one[:4] for one in runs[0].passes] == [one[:4] for one in runs[1].passes]
    assert (held.weights() == pieces.weights()).all()
