"""A learner can be widened, put away and taken out again, and goes on as if nothing had happened."""

import json
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff
from chosen import ON_CSR, ON_DENSE, PAIRS, READOUTS, short
from kernel_problems import circles
from learners import csr, direct, known
from novikoff import KernelPerceptron
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules.margin import Margin
from novikoff.learning.learner import Learner
from novikoff.learning.state import learner_of, state_of

ADDITIVE = ["margin", "rosenblatt", "threshold"]  # they add y·x: on dyadic data nothing rounds, in whatever order it is summed
DYADIC, DECIMAL = (st.integers(-500, 500).map(lambda k, by=by: k / by) for by in (128, 100))
SIMPLE = ("rule", "readout", "rows_fed", "passes", "weighted", "from_zero", "constant")


@st.composite
def two_blocks(draw, numbers):
    """A narrow block with labels, and a wide one, perhaps with labels of its own."""
    narrow, wide = draw(st.integers(1, 6)), draw(st.integers(0, 6))
    blocks = []
    for width, labels in ((narrow, "ab"), (narrow + wide, draw(st.sampled_from(["a", "ab", "abc", "cd"])))):
        n = draw(st.integers(1, 12))
        X = draw(st.lists(st.lists(numbers | st.just(0.0), min_size=width, max_size=width), min_size=n, max_size=n))
        blocks.append((np.array(X), draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))))
    return blocks


def widening_changes_nothing(rule, readout, blocks, stored):
    (A, a), (B, b) = blocks
    widened, wide = Learner(rule, readout=readout), Learner(rule, readout=readout)
    widened.learn(examples(stored(A), a))
    widened.widen(B.shape[1])
    widened.learn(examples(stored(B), b))
    wide.learn(examples(stored(np.pad(A, ((0, 0), (0, B.shape[1] - A.shape[1])))), a))
    wide.learn(examples(stored(B), b))
    assert known(widened) == known(wide)


@pytest.mark.parametrize(("rule", "readout"), short(ON_DENSE, [pair for pair in PAIRS if pair[0] in ADDITIVE]))
@given(blocks=two_blocks(DYADIC))
def test_columns_may_come_later_in_dense_rows(rule, readout, blocks):
    widening_changes_nothing(rule, readout, blocks, np.array)


@pytest.mark.parametrize(("rule", "readout"), short(ON_CSR, PAIRS))
@given(blocks=two_blocks(DECIMAL))
def test_columns_may_come_later_in_sparse_rows(rule, readout, blocks):
    widening_changes_nothing(rule, readout, blocks, csr)


@pytest.mark.parametrize("stored", [np.array, csr])
@given(blocks=two_blocks(DYADIC))
def test_a_vote_is_widened_too_and_so_is_the_start(stored, blocks):
    (A, a), (B, b) = blocks
    assume(len(set(a)) == 2)
    narrow, wide = Learner(readout="voted"), Learner(readout="voted")
    start, more = np.arange(1.0, A.shape[1] + 2)[None], B.shape[1] - A.shape[1]
    narrow.fit(examples(stored(A), a), 2, start=start)
    narrow.widen(B.shape[1])
    narrow.fit(examples(stored(B), b), 2)
    wide.fit(examples(stored(np.pad(A, ((0, 0), (0, more)))), a), 2, start=np.insert(start, [A.shape[1]] * more, 0, axis=1))
    wide.fit(examples(stored(B), b), 2)
    assert known(narrow) == known(wide)
    assert narrow.decide(stored(B)).tolist() == wide.decide(stored(B)).tolist()


def test_columns_can_be_given_back_only_where_nothing_was_learned():
    learner = Learner(readout="averaged")
    learner.learn(examples(csr([[1.0, 2.0, 0.0], [3.0, -1.0, 0.0]]), [0, 1]))
    before = known(learner)
    with pytest.raises(ValueError, match="columns from 1 on have been learned from"):
        learner.narrow(1)
    for width in (-1, 4):
        with pytest.raises(ValueError, match=f"have 3 columns, so they cannot become {width}"):
            learner.narrow(width)
    with pytest.raises(ValueError, match="have 3 columns, so they cannot become 2"):
        learner.widen(2)
    assert known(learner) == before
    other = deepcopy(learner)
    other.narrow(2)
    assert other.team.w.tolist() == [[*w[:2], w[3]] for w in learner.team.w.tolist()]
    other.widen(3)
    assert known(other) == before


def test_a_wider_piece_is_refused_unless_it_was_announced():
    learner = Learner()
    learner.learn(examples(csr([[1.0], [2.0]]), [0, 1]))
    with pytest.raises(ValueError, match="these rows have 2 columns; the rows before had 1"):
        learner.learn(examples(csr([[1.0, 1.0]]), [0]))


# ---- put away and taken out again ------------------------------------------------------------------------------------


def put_away(learner):
    """Through JSON and copies of the arrays, as through a file."""
    settings, arrays = state_of(learner)
    return learner_of(json.loads(json.dumps(settings)), {name: array.copy() for name, array in arrays.items()})


@st.composite
def a_stream(draw):
    """Two pieces of it: the second may have classes of its own, and the first only one."""
    first, second = draw(st.sampled_from([("a", "a"), ("a", "ab"), ("ab", "ab"), ("ab", "bc"), ("abc", "abc"), ("abc", "ad")]))
    kind = draw(st.sampled_from([str, "abcd".index, lambda label: "abcd".index(label) / 2, lambda label: label == "a"]))
    d, pieces = draw(st.integers(1, 4)), []
    for labels in (first, second):
        n = draw(st.integers(1, 10))
        X = draw(st.lists(st.lists(DECIMAL, min_size=d, max_size=d), min_size=n, max_size=n))
        pieces.append((csr(X), [kind(label) for label in draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))]))
    return pieces


@pytest.mark.parametrize(("rule", "readout"), short(ON_CSR, PAIRS))
@given(pieces=a_stream(), settings=st.sampled_from([{}, {"class_weight": "balanced"}, {"ledger_cap": 3}]))
def test_an_interruption_changes_nothing(rule, readout, pieces, settings):
    (A, a), (B, b) = pieces
    through, interrupted = Learner(rule, readout=readout, **settings), Learner(rule, readout=readout, **settings)
    through.learn(examples(A, a, constant=0))
    interrupted.learn(examples(A, a, constant=0))
    interrupted = put_away(interrupted)
    assert known(interrupted) == known(through)
    assert interrupted.classes.dtype == through.classes.dtype
    assert all(ledger.complete == (ledger.updates == 0) for ledger in interrupted.ledgers)
    through.learn(examples(B, b, constant=0))
    interrupted.learn(examples(B, b, constant=0))
    assert known(interrupted) == known(through)
    assert interrupted.decide(B).tolist() == through.decide(B).tolist()


@pytest.mark.parametrize("readout", [*READOUTS, "voted"])
@pytest.mark.parametrize("stored", [np.array, csr])
def test_a_run_on_held_data_goes_on_as_well(readout, stored):
    rng = np.random.default_rng(1)
    X, y = stored(rng.normal(size=(40, 3))), rng.integers(0, 3, 40)
    through = Learner("margin", readout=readout, order="each", seed=4)
    through.fit(examples(X, y), 3, start=np.ones((3, 4)))
    interrupted = put_away(through)
    assert interrupted.decide(X).tolist() == through.decide(X).tolist()
    assert interrupted.vectors.start.tolist() == through.vectors.start.tolist()
    more = rng.integers(0, 4, 40)
    for learner in (through, interrupted):
        learner.fit(examples(X, more), 2)
    assert known(interrupted) == known(through)
    assert interrupted.decide(X).tolist() == through.decide(X).tolist()


def test_a_learner_that_knows_nothing_can_be_put_away_too():
    learner = put_away(Learner(Margin(c=0.25), readout="averaged", class_weight={"a": 2, 1: 0.5}, order="once", seed=3))
    assert not learner.started
    assert (learner.rule, learner.readout, learner.order, learner.seed) == (Margin(c=0.25), "averaged", "once", 3)
    assert learner.class_weight == {"a": 2, 1: 0.5}


def test_what_a_file_cannot_hold_is_refused_when_it_is_put_away():
    exact = Learner()
    exact.learn(examples(np.array([[1], [2]], object), [0, 1]))
    with pytest.raises(ValueError, match="exact numbers cannot be saved"):
        state_of(exact)
    dated = Learner()
    dated.learn(examples(csr([[1.0], [2.0]]), np.array(["2026-01-01", "2026-01-02"], "M8[D]")))
    with pytest.raises(ValueError, match="labels of type date cannot be saved"):
        state_of(dated)


def damaged(settings, arrays, part, value):
    if part in settings:
        return {**settings, part: value}, arrays
    return settings, {**arrays, part: value(arrays[part].copy()) if callable(value) else value}


def at_0(value):
    def change(array):
        array.flat[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("rule", "none"), ("rule", ["margin"]), ("parameters", {"d": 1}), ("parameters", {"c": -1}), ("parameters", None),
        ("readout", "best"), ("readout", "pocket"), ("order", 3), ("seed", -1), ("seed", "1"), ("class_weight", 5),
        ("class_weight", {"a": {}}), ("class_weight", {"a": 1.0}),
        ("class_weight", [["a"]]), ("class_weight", [[["a"], 1]]), ("ledger_cap", 1.5), ("labels", "M8[D]"), ("labels", []),
        ("classes", ["b", "a"]), ("classes", ["a", "b", "c"]), ("classes", "ab"), ("classes", [["a"], ["b"]]), ("classes", []),
        ("rows_fed", -1), ("rows_fed", 2**63), ("passes", None), ("constant", "1"), ("constant", float("nan")),
        ("carry", "Averaged"), ("carry", "Pocket"), ("carry", None), ("team.w", at_0(np.nan)), ("team.w", lambda w: w[:, 1:]),
        ("team.w", lambda w: w[:1]), ("team.w", lambda w: w[0]), ("team.w", lambda w: w.astype(np.float32)),
        ("team.w", lambda w: w[:, :0]),
        ("team.target", at_0(7)), ("team.clock", at_0(-1)), ("team.updates", at_0(10**6)), ("team.changed", at_0(10**6)),
        ("team.factor", at_0(-1)), ("team.peak", at_0(np.inf)), ("team.hull_sq", at_0(np.nan)), ("class_counts", at_0(-1)),
        ("class_counts", lambda counts: counts[:1]), ("start", lambda start: start[:, :1]), ("ballot.numbers", at_0(9)),
        ("ballot.numbers", lambda numbers: numbers[::-1]), ("ballot.numbers", lambda numbers: numbers[:0]),
        ("ballot.data", at_0(np.inf)), ("ballot.data", lambda data: data[1:]), ("ballot.indices", at_0(99)),
        ("ballot.indices", at_0(-1)), ("ballot.indptr", at_0(5)), ("ballot.indptr", at_0(-5)), ("ballot.indptr", lambda p: p[1:]),
        ("ledger.0.t", at_0(-1)), ("ledger.0.t", at_0(10**6)), ("ledger.0.row", at_0(10**6)), ("ledger.0.y", at_0(3)),
        ("ledger.0.step", at_0(np.nan)), ("ledger.0.margin", lambda m: m[1:]), ("ledger.1.t", lambda t: t.astype(float)),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_together_are_refused(part, value):
    rng = np.random.default_rng(1)
    learner = Learner("margin", readout="voted")
    learner.fit(examples(csr(rng.normal(size=(40, 3))), rng.choice(["a", "b"], 40)), 2, start=np.ones((1, 4)))
    settings, arrays = state_of(learner)
    learner_of(settings, arrays)
    settings, arrays = damaged(settings, arrays, part, value)
    if value is None and part == "carry":
        assert not learner_of(settings, arrays).started
    else:
        with pytest.raises(ValueError):  # noqa: PT011  any message, and no other kind of error
            learner_of(settings, arrays)


@pytest.mark.parametrize("setting", ["parameters", "class_weight"])
def test_numbers_that_are_no_doubles_are_refused(setting):
    """They would be taken, and refused when the learner is put away again."""
    model = novikoff.MarginPerceptron(max_iter=2, class_weight={0: 1.0, 1: 2.0}).fit([[0.0, 1], [1, 0]], [0, 1])
    settings, arrays = state_of(model._learner)
    huge = [[0, 10**400], [1, 1.0]] if setting == "class_weight" else dict.fromkeys(settings["parameters"], 10**400)
    with pytest.raises(ValueError, match="int too large to convert to float"):
        learner_of({**settings, setting: huge}, arrays)


def test_what_does_not_fit_is_not_taken_out():
    rng = np.random.default_rng(5)
    learner = direct(readout="voted")
    learner.fit(examples(rng.normal(size=(40, 2)), rng.integers(0, 3, 40)), 2)
    settings, arrays = state_of(learner)
    assert learner_of(settings, arrays).weights().tolist() == learner.weights().tolist()
    for name, value in (("ledger.0.rival", 3), ("ledger.0.y", -1)):
        spoilt = arrays | {name: np.where(np.arange(len(arrays[name])) == 1, value, arrays[name]).astype(arrays[name].dtype)}
        with pytest.raises(ValueError, match="the ledger is damaged"):
            learner_of(settings, spoilt)
    with pytest.raises(ValueError, match="the ledger is damaged"):
        learner_of(settings, arrays | {"ledger.0.rival": arrays["ledger.0.y"]})
    with pytest.raises(ValueError, match="do not have weights of shape"):
        learner_of(settings, arrays | {"team.w": arrays["team.w"][:, :-1]})
    with pytest.raises(ValueError, match="there is no multiclass 'all'"):
        learner_of(settings | {"multiclass": "all"}, arrays)


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("kernel", {"name": "rbf", "parameters": {"gamma": "scale"}}),
        ("kernel", {"name": "rbf", "parameters": {}}),
        ("kernel", {"name": "rbf", "parameters": {"gamma": 10**400}}),
        ("kernel", {"name": "poly", "parameters": {"degree": 10**5, "gamma": 1, "coef0": 1}}),
        ("kernel", {"name": "called", "parameters": {}}),
        ("kernel", {"name": "precomputed", "parameters": {}}),
        ("rows_fed", 0),
        ("columns", 7),
        ("radius_sq", 10**400),
        ("budget", 0),
    ],
)
def test_a_damaged_kernel_is_refused(what, value):
    X, y = circles(60)
    clf = KernelPerceptron(gamma=0.7, budget=9).fit(X, y)
    parts, arrays = state_of(clf._learner)
    learner_of(parts, arrays)
    with pytest.raises(ValueError, match=r"\w"):
        learner_of(parts | {what: value}, arrays)
