"""One example at a time, by name: the same updates as any learner's, whatever turns up when."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff.estimators.online_learner
from chosen import ON_CSR, PAIRS, short
from learners import known
from novikoff import OnlineLearner
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules.margin import Margin
from novikoff.learning.learner import Learner
from novikoff.models.model import Model, ModelError, load, save

NAMES = [f"feature {k}" for k in range(12)]
VALUES = st.integers(-500, 500).map(lambda k: k / 100) | st.sampled_from(
    [0, 1, True, 0.0, -0.0, np.float32(0.1), np.int64(3), 1e30]
)
ROWS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=9)
STREAMS = st.lists(st.tuples(ROWS, st.sampled_from("abcd"), st.sampled_from([1.0, 1.0, 1, 0.5, 3.0])), min_size=1, max_size=25)


def matrix(rows):
    """The rows as a learner gets them: columns in the order in which the names came."""
    columns = {name: column for column, name in enumerate(dict.fromkeys(name for x in rows for name in x))}
    entries = [sorted((columns[name], float(value)) for name, value in x.items()) for x in rows]
    indptr = np.cumsum([0, *map(len, entries)]).astype(np.int32)
    data = np.array([value for row in entries for _, value in row])
    indices = np.array([column for row in entries for column, _ in row], np.int32)
    return sp.csr_array((data, indices, indptr), shape=(len(rows), max(1, len(columns)))), [*columns]


@pytest.fixture(autouse=True)
def _little_room(monkeypatch):
    monkeypatch.setattr(novikoff.estimators.online_learner, "ROOM", 2)  # so that it is outgrown


@pytest.mark.parametrize(("rule", "readout"), short(ON_CSR, PAIRS))
@given(stream=STREAMS, how=st.sampled_from(["learn", "predict, learn", "both"]), bias=st.booleans(), late=st.booleans())
def test_the_same_updates_as_a_learner_given_the_same_rows(rule, readout, stream, how, bias, late):
    rows, labels, weights = zip(*(sorted(stream, key=lambda s: s[1] == "a") if late else stream), strict=True)
    online = OnlineLearner(rule, readout=readout, fit_intercept=bias)
    X, names = matrix(rows)
    learner = Learner(rule, readout=readout, ledger_cap=0)
    for t, (x, y, w) in enumerate(zip(rows, labels, weights, strict=True)):
        expected = learner.classes[learner.codes(learner.decide(X[[t]]))].tolist()[0] if t else None
        before = dict(x)
        if how == "both":
            assert online.predict_and_learn_one(x, y, w) == expected
        else:
            if how != "learn":
                assert online.predict_one(x) == expected
                if t:
                    score = online.score_one(x)
                    assert ([*score.values()] if isinstance(score, dict) else [score]) == learner.decide(X[[t]])[0].tolist()
            assert online.learn_one(x, y, w) is None
        assert x == before
        learner.learn(examples(X[[t]], [y], constant=int(bias), weight=[w]))
    assert online.classes == learner.classes.tolist()
    assert list(online.features) == names
    if names:
        assert known(online.learner) == known(learner)
    whole = Learner(rule, readout=readout, ledger_cap=0)
    whole.learn(examples(X, labels, constant=int(bias), weight=weights))
    assert whole.team.w.tolist() == learner.team.w.tolist()


@given(stream=STREAMS, cut=st.integers(0, 25), how=st.sampled_from(["file", "pickle", "copy", "model"]))
def test_it_goes_on_after_a_night(tmp_path_factory, stream, cut, how):
    through, interrupted = (OnlineLearner("margin", class_weight={"a": 2.0}) for _ in range(2))
    for t, (x, y, w) in enumerate(stream):
        if t == cut:
            path = tmp_path_factory.mktemp("night") / "model"
            interrupted.save(path)
            interrupted = {
                "file": lambda: OnlineLearner.load(path),  # noqa: B023
                "pickle": lambda: pickle.loads(pickle.dumps(interrupted)),  # noqa: B023
                "copy": lambda: deepcopy(interrupted),  # noqa: B023
                "model": lambda: OnlineLearner.of(interrupted.model()),  # noqa: B023
            }[how]()
        assert through.predict_and_learn_one(x, y, w) == interrupted.predict_and_learn_one(x, y, w)
    assert through.features == interrupted.features
    assert known(through.learner) == known(interrupted.learner)


def test_balanced_classes_and_a_pocket_of_a_fit_go_the_slow_way_and_are_right():
    rng = np.random.default_rng(0)
    rows = [{name: float(v) for name, v in zip("abc", x, strict=True)} for x in rng.normal(size=(40, 3))]
    labels = rng.integers(0, 2, 40).tolist()
    X, names = matrix(rows)
    online, learner = OnlineLearner("margin", class_weight="balanced"), Learner("margin", class_weight="balanced", ledger_cap=0)
    for t in range(40):
        online.learn_one(rows[t], labels[t])
        learner.learn(examples(X[[t]], labels[t : t + 1]))
    assert known(online.learner) == known(learner)
    fitted = Learner("margin", readout="pocket", ledger_cap=0)
    fitted.fit(examples(X, labels), 3)
    online = OnlineLearner.of(Model(fitted, novikoff.estimators.online_learner.Named(names)))
    assert [online.predict_one(x) for x in rows] == fitted.classes[fitted.codes(fitted.decide(X))].tolist()
    for t in range(40):
        online.learn_one(rows[t], labels[t])
        fitted.learn(examples(X[[t]], labels[t : t + 1]))
    assert known(online.learner) == known(fitted)


def test_nothing_is_known_at_first_and_predicting_adds_nothing():
    online = OnlineLearner("margin")
    assert online.predict_one({"a": 1.0}) is None
    assert online.score_one({}) is None
    assert (online.classes, online.features) == ([], ())
    assert online.predict_and_learn_one({"a": 1.0}, "yes") is None
    assert online.predict_one({"b": 5.0, "a": 0.1}) == "yes"
    assert online.score_one({"b": 5.0, "a": 0.5}) == 1.5
    assert online.features == ("a",)


@pytest.mark.parametrize("y", [True, np.True_, 1, np.int32(1), 0.5, "yes", np.str_("yes")])
def test_labels_come_back_as_python_has_them(y):
    online = OnlineLearner()
    for _ in range(3):
        online.learn_one({"a": 1.0}, y)
    assert online.predict_one({}) == y
    assert type(online.predict_one({})) in (bool, int, float, str)


def test_a_row_changed_in_place_is_another_row():
    online, other = OnlineLearner(), OnlineLearner()
    for learner in (online, other):
        learner.learn_one({"a": 1.0}, "x")
        learner.learn_one({"a": -1.0}, "y")
    x = {"a": 1.0, "b": 2.0}
    online.predict_one(x)
    x["b"] = 5.0
    online.learn_one(x, "y")
    x["c"] = x.pop("b")
    online.learn_one(x, "y")
    other.learn_one({"a": 1.0, "b": 5.0}, "y")
    other.learn_one({"a": 1.0, "c": 5.0}, "y")
    assert known(online.learner) == known(other.learner)


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("call", ["predict_one", "score_one", "learn_one", "predict_and_learn_one"])
@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ({"a": 1.0, "b": "2"}, "feature 'b' is '2': every value must be a finite number"),
        ({"new": None}, "feature 'new' is None"),
        ({"a": float("nan")}, "feature 'a' is nan"),
        ({"a": 1, "new": float("inf")}, "feature 'new' is inf"),
        ({"a": 10**400}, "feature 'a' is 1000"),
        ({"a": 1j}, "feature 'a' is 1j"),
        ({"a": 1e200, "b": 1e200}, "too large together"),
        ([("a", 1.0)], "an example is a dictionary"),
        (None, "an example is a dictionary"),
    ],
)
def test_what_is_refused_changes_nothing(x, sentence, call, started):
    online = OnlineLearner(readout="averaged")
    for k in range(5 if started else 0):
        online.learn_one({"a": k - 2.5, "b": 1.0}, k % 2)
    before = pickle.dumps(online)
    with pytest.raises(ValueError, match=sentence):
        getattr(online, call)(x, *([1] if "learn" in call else []))
    assert pickle.dumps(online) == before


@pytest.mark.parametrize(
    ("x", "y", "w", "sentence"),
    [
        ({"a": 1.0, "new": 1.0}, None, 1.0, "a label must be text or a number; this one is None"),
        ({"a": 1.0, "new": 1.0}, [1], 1.0, "a label must be text or a number"),
        ({"a": 1.0, "new": 1.0}, "text", 1.0, "some labels are numbers and some are not"),
        ({"a": 1.0, "new": 1.0}, float("nan"), 1.0, "every row needs a label"),
        ({"a": 1.0, "new": 1.0}, 1, -1.0, "weights must be finite and not negative"),
        ({"a": 1.0, "new": 1.0}, 1, float("nan"), "weights must be finite and not negative"),
        ({"a": 1.0, "new": 1.0}, 1, "1", "the weight of an example must be a number"),
        ({"a": 1.0, 7: 1.0}, 1, 1.0, "the name of a feature must be text, and 7 is not"),
        ({"a": 1e150, "new": 1.0}, 0, 1e150, "overflowed"),
    ],
)
def test_what_cannot_be_learned_changes_nothing(x, y, w, sentence):
    online = OnlineLearner(readout="averaged")
    for k in range(5):
        online.learn_one({"a": k - 2.5, "b": 1.0}, k % 2)
    before = pickle.dumps(online)
    for call in (online.learn_one, online.predict_and_learn_one):
        with pytest.raises(ValueError, match=sentence):
            call(x, y, w)
        assert pickle.dumps(online) == before
    online.learn_one({"a": 1.0, "new": 1.0}, 1, 0.0)  # nothing to learn: not even the feature
    assert pickle.dumps(online) == before
    other = OnlineLearner(readout="averaged")
    for k in range(5):
        other.learn_one({"a": k - 2.5, "b": 1.0}, k % 2)
    for k in range(5):  # and it goes on as if nothing had been
        assert online.predict_one({"a": 0.5 - k}) == other.predict_one({"a": 0.5 - k})
        for learner in (online, other):
            learner.learn_one({"a": k - 1.0, "b": 1.0, **({"new": 1.0} if k > 1 else {})}, (k + 1) % 2)
    assert online.features == ("a", "b", "new")
    assert known(online.learner) == known(other.learner)


def test_a_long_row_is_put_in_order():
    rng = np.random.default_rng(0)
    names = [f"n{k}" for k in rng.permutation(5000)]
    online, learner = OnlineLearner("margin"), Learner("margin", ledger_cap=0)
    rows = [
        {names[k]: float(v) for k, v in zip(rng.permutation(5000)[:n], rng.normal(size=n), strict=True)} for n in (5, 4000, 99)
    ]
    X, _ = matrix(rows)
    for t, x in enumerate(rows * 2):
        online.learn_one(x, t % 2)
        learner.learn(examples(X[[t % 3]], [t % 2]))
    assert known(online.learner) == known(learner)


def test_a_model_of_another_kind_is_no_online_learner(tmp_path):
    learner = Learner("margin")
    learner.learn(examples(np.ones((2, 3)), [0, 1]))
    save(Model(learner, novikoff.data.features.Numbered(0, 3)), tmp_path / "numbered")
    with pytest.raises(ModelError, match="numbered: the model's features are numbered, and an online learner's have names"):
        OnlineLearner.load(tmp_path / "numbered")
    with pytest.raises(ValueError, match="cannot learn from a stream"):
        OnlineLearner("margin", readout="voted")


def test_a_saved_learner_is_a_model_like_any_other(tmp_path):
    online = OnlineLearner(Margin(c=0.25))
    online.save(tmp_path / "nothing")
    assert OnlineLearner.load(tmp_path / "nothing").predict_one({"a": 1}) is None
    for k in range(20):
        online.learn_one({"a": k % 3 - 1.0, "b": k % 5}, k % 2)
    online.save(tmp_path / "model")
    model = load(tmp_path / "model")
    assert model.features.names == ("a", "b")
    assert model.labels(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist() == [
        online.predict_one({"a": 1.0, "b": 2.0}),
        online.predict_one({"b": 3.0}),
    ]
