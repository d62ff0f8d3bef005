"""Forecasts are what the weights that answer say just before they learn: in the first pass of a fit, and all along a stream."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chosen import READOUTS
from learners import known
from novikoff.engine.labelled_rows import examples
from novikoff.learning import forecasts
from novikoff.learning.learner import NO_PROBABILITIES, Learner
from novikoff.learning.state import learner_of, state_of
from oracles import any_data, fractions

LABELS = st.sampled_from(["a", "b", "c"])
ROOM = 8


@pytest.fixture(autouse=True)
def _little_room(monkeypatch):
    monkeypatch.setattr(forecasts, "MOST_ROWS", ROOM)
    monkeypatch.setattr(forecasts, "LEAST_ROWS", 2)


def latest(learner):
    """The forecasts by example, the latest first, for examples up to the learner's clock."""
    ring, clock = learner.forecasts, int(learner.team.clock[0])
    places = [t % len(ring.code) for t in range(clock - 1, max(-1, clock - 1 - len(ring.code)), -1)]
    return [(ring.scores[p].tolist(), int(ring.code[p]), float(ring.weight[p])) for p in places]


@pytest.mark.parametrize("multiclass", ["ovr", "direct"])
@pytest.mark.parametrize("readout", READOUTS)
@given(data=any_data(labels=LABELS), seed=st.integers(0, 3))
def test_a_stream_keeps_the_latest(readout, multiclass, data, seed):
    """However it is cut, and whether or not its decisions are asked for."""
    X, y = np.array(data[0]), np.array(data[1])
    weight, names = np.random.default_rng(seed).integers(1, 4, len(X)), np.unique(y)
    whole, asked, cut = (Learner("margin", readout=readout, multiclass=multiclass) for _ in range(3))
    whole.learn(examples(X, y, weight=weight), names)
    scores = asked.learn(examples(X, y, weight=weight), names, foretelling=True)
    for i in range(len(X)):
        cut.learn(examples(X[i : i + 1], y[i : i + 1], weight=weight[i : i + 1]), names)
    code = np.searchsorted(names, y)
    for learner in (whole, asked, cut):
        found = latest(learner)
        assert len(found) == min(len(X), ROOM)
        for back, (raw, one, w) in enumerate(found):
            i = len(X) - 1 - back
            assert learner.strategy.decisions_of(np.array([raw]), len(names)).tolist() == [scores[i].tolist()]
            assert (one, w) == (code[i], weight[i])


@pytest.mark.parametrize("multiclass", ["ovr", "direct"])
@pytest.mark.parametrize("readout", ["last", "averaged"])
@given(data=any_data(labels=LABELS), passes=st.integers(1, 3))
def test_a_fit_keeps_those_of_its_first_pass(readout, multiclass, data, passes):
    X, y = np.array(data[0]), np.array(data[1])
    fitted, streamed = (Learner("arow", readout=readout, multiclass=multiclass) for _ in range(2))
    fitted.fit(examples(X, y), passes)
    streamed.learn(examples(X, y))
    for part, other in zip(fitted.forecasts, streamed.forecasts, strict=True):
        assert part.tolist() == other.tolist()
    again = learner_of(*state_of(fitted))
    assert known(again) == known(fitted)
    fitted.fit(examples(X, y), passes)  # rows that it knows already
    assert known(again)["forecast scores"] == known(fitted)["forecast scores"]


def test_rows_that_are_not_in_memory_are_foretold_too():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    pieces = [examples(X[:20], y[:20]), examples(X[20:45], y[20:45]), examples(X[45:], y[45:])]
    held, streamed = Learner("arow"), Learner("arow")
    held.fit(examples(X, y), 3)
    streamed.fit_pieces(lambda _: ((piece, piece.fed) for piece in pieces), 3)
    assert known(held)["forecasts"] == known(streamed)["forecasts"] == list(range(ROOM))
    assert known(held)["forecast scores"] == known(streamed)["forecast scores"]


def test_fractions_that_are_no_doubles_are_learned_from_and_make_no_forecasts():
    X = fractions([[1, 2], [-1, 1], [2, 0]]) * 10**400
    learner = Learner(readout="averaged")
    run = learner.fit(examples(X, [1, 0, 1]), 10)
    assert str(run.stop_reason) == "clean pass"
    assert not len(learner.forecasts.known())
    Learner("arow").fit(examples(fractions([[1, 2], [-1, 1], [2, 0]]), [1, 0, 1]), None)


def test_a_new_class_starts_anew():
    learner, X = Learner("arow"), np.eye(3)
    learner.learn(examples(X, ["a", "b", "a"]))
    learner.learn(examples(X[:1], ["c"]))
    assert learner.forecasts.code.tolist().count(2) == 1 == (learner.forecasts.code >= 0).sum()


def test_scores_that_are_not_finite_are_left_out():
    ring = forecasts.no_forecasts(1)
    ring.add(3, np.array([[1.0], [np.inf], [2.0]]), np.array([0, 1, 1]), np.ones(3))
    assert ring.known().tolist() == [3, 5]
    assert ring.scores[[3, 5]].tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("settings", "start"), [({"readout": "voted"}, None), ({"readout": "pocket"}, None), ({}, np.array([[1.0, 0, 0]]))]
)
def test_where_there_are_none_it_says_why(settings, start):
    learner, X = Learner(**settings), np.array([[1.0, 2], [-1, -1], [2, 0]])
    learner.fit(examples(X, [1, 0, 1]), 5, start=start)
    assert not len(learner.forecasts.known())
    with pytest.raises(ValueError, match="no probabilities") as refusal:
        learner.probabilities(learner.decide(X))
    assert str(refusal.value) == NO_PROBABILITIES
