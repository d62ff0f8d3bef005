"""`separate` is right, and proves it; so are the widest margin, the rows in the way and the cycles of a run."""

import operator
import time
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.svm import SVC

from novikoff import (
    Inseparable,
    MarginPerceptron,
    Perceptron,
    Separable,
    Undecided,
    max_margin,
    rows_in_the_way,
    separate,
    verify,
)
from novikoff.data import datasets
from novikoff.data.readers import read
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.proof.certificate import Data, Hull, Hulls
from novikoff.proof.exact import Signed
from novikoff.solve import run_proofs
from novikoff.solve.separability import linear as separation
from oracles import any_data
from verdicts import holds, known

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def right(seed):
    X, y, fit_intercept, separable, kind = known(seed)
    certificate = separate(X, y, fit_intercept=fit_intercept)
    assert isinstance(certificate, Separable if separable else Inseparable), kind
    assert holds(certificate, X, y), kind
    assert verify(certificate, X, y), kind


@pytest.mark.parametrize("seed", range(100))
def test_the_verdict_is_right_and_proved(seed):
    right(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(100, 1000, 100))
def test_the_verdict_is_right_and_proved_of_many_more(first):
    for seed in range(first, first + 100):
        right(seed)


@given(any_data(), st.booleans())
def test_small_data_of_any_kind_is_decided_and_exactly_one_of_the_two_holds(data, sparse):
    X, y = (np.asarray(part) for part in data)
    certificate = separate(sp.csr_array(X.astype(float)) if sparse else X.astype(float), y)
    assert isinstance(certificate, Separable | Inseparable)
    assert holds(certificate, X.astype(float), y)


@st.composite
def of_all_scales(draw):
    """Columns, rows or numbers scaled by powers of two, up to the ends of the doubles."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    shape = rows, width = draw(st.integers(2, 16)), draw(st.integers(1, 4))
    X = rng.integers(-3, 4, shape).astype(float) if draw(st.booleans()) else rng.standard_normal(shape)
    scaled = draw(st.sampled_from([(1, width), (rows, 1), shape]))
    X = np.ldexp(X, rng.integers(-1000, 1001, scaled))
    w = rng.standard_normal(width)
    along = [sum(map(operator.mul, map(Fraction, x), map(Fraction, w.tolist())), Fraction(0)) for x in X.tolist()]
    return X, rng.integers(0, 2, rows) if draw(st.booleans()) else np.array([int(score > 0) for score in along])


@given(of_all_scales(), st.booleans())
def test_rows_of_all_scales_are_decided(data, fit_intercept):
    certificate = separate(*data, fit_intercept=fit_intercept)
    assert isinstance(certificate, Separable | Inseparable)
    assert holds(certificate, *data)


@pytest.fixture
def without_a_perceptron(monkeypatch):
    monkeypatch.setattr(separation.Question, "perceptron", lambda self, until: (np.zeros(len(self.z), int), None))


@pytest.mark.parametrize("seed", [0, 3, 9, 12, 21, 24, 27, 39])
def test_every_way_of_deciding_is_right(seed, without_a_perceptron, monkeypatch):
    """The hull in floats and the exact walk each decide alone."""
    right(seed)
    monkeypatch.setattr(separation, "ROUNDS", 0)
    right(seed)
    X, y = datasets.boolean("parity", 4)
    assert verify(separate(X, y), X, y)


def test_the_same_row_with_both_labels_is_a_proof_of_two_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 5))
    y = np.where(X[:, 0] > 0, "a", "b")
    X[400], y[400] = X[100], "a" if y[100] == "b" else "b"
    for stored in (X, sp.csr_array(X)):
        certificate = separate(stored, y)
        assert (certificate.rows, certificate.multipliers) == ((100, 400), (1, 1))
        assert "the same row with different labels" in str(certificate)


def test_equal_hashes_of_different_rows_are_no_contradiction():
    """Neither where the rows are zero in different places nor where they are not."""
    X, sign = np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 1.0]]), np.array([-1.0, 1.0, 1.0])
    for rows in (X, X + 1):
        assert separation.Question(Signed(rows, sign, True), -1, 1, np.zeros(3, np.uint64)).contradiction() is None


def test_a_zero_row_without_an_intercept_is_a_proof_alone():
    certificate = separate([[1.0, 2.0], [0.0, 0.0]], [1, -1], fit_intercept=False)
    assert (certificate.rows, certificate.multipliers) == ((1,), (1,))
    assert verify(certificate, [[1.0, 2.0], [0.0, 0.0]], [1, -1])


def test_a_row_on_the_plane_is_on_no_side():
    question = separation.Question.about([[0.0], [1.0]], [0, 1], True)
    assert question.separable(np.array([1.0, 0.0])) is None
    assert question.separable(np.zeros(2)) is None
    assert question.separable(np.array([1.0, -0.5])) is not None


def test_yes_is_the_larger_label():
    certificate = separate([[0.0], [1.0]], ["a", "b"])
    assert (certificate.data.no, certificate.data.yes) == ("a", "b")
    assert certificate.weights[0] > 0


def test_weights_are_fractions_where_no_floats_do():
    """The plane must pass between two points one step apart on one axis, at a slope that no double has."""
    near = np.nextafter(1.0, 2.0)
    X = np.array([[1.0, 3.0], [near, 3.0], [-1.0, -3.0], [-near, -3.0], [1.0 / 3, 1.0], [-1.0 / 3, -1.0]])
    w = np.array([Fraction(3), -Fraction(1) - Fraction(1, 2**53)], object)
    y = np.where([sum(a * Fraction(b) for a, b in zip(w, x, strict=True)) > 0 for x in X], 1, -1)
    certificate = separate(X, y, fit_intercept=False)
    assert isinstance(certificate, Separable)
    assert holds(certificate, X, y)


@pytest.mark.parametrize("n", [2, 5, 12, 20])
def test_the_lower_bound_family_is_separated_and_its_interval_closes(n):
    X, y = datasets.lower_bound(n)
    certificate = max_margin(X, y, fit_intercept=False, gap=1e-12)
    low, high = certificate.margin
    assert low <= high <= low * (1 + 1e-12)
    assert verify(certificate, X, y)


def test_a_budget_may_leave_it_undecided_and_what_is_known_is_proved():
    X, y, _ = datasets.gaussian_pair(3000, 40, 1e-5)
    certificate = separate(X, y, budget=0.0)
    assert isinstance(certificate, Undecided)
    assert "budget" in certificate.why
    assert 0 < certificate.margin_at_most < np.inf
    assert verify(certificate, X, y)
    assert holds(certificate, X, y)
    assert isinstance(separate(X, y), Separable)


@pytest.mark.parametrize(("bad", "why"), [
    (([[1.0], [2.0]], [0]), "labels of shape"),
    ((np.empty((0, 2)), []), "no rows"),
    (([[1.0], [2.0], [3.0]], [0, 1, 2]), "positive"),
    (([[1.0], [np.nan]], [0, 1]), "row 1, column 0"),
    ((np.zeros((2, 0)), [0, 1]), "no columns"),
    (([[1.0], [2.0]], [1.0, np.nan]), "finite numbers"),
    (([[1.0], [2.0]], [0.0, np.inf]), "finite numbers"),
    (([[1.0], [2.0]], np.array([None, 1], object)), "different types"),
    (([[1.0], [2.0]], np.array([b"a", b"b"])), "text or finite"),
    (([[1.0], [2.0]], np.array(["2020-01-01", "2021-01-01"], "datetime64[ns]")), "text or"),
    (([[1.0], [2.0]], np.array(["a", "a\0"], object)), "text or finite"),
    ((np.ma.masked_array([[1.0], [2.0]], [[True], [False]]), [0, 1]), "masked"),
])  # fmt: skip
def test_bad_data_gets_a_sentence(bad, why):
    with pytest.raises(ValueError, match=why):
        separate(*bad)


def test_one_class_alone_is_separable():
    X = np.random.default_rng(0).standard_normal((20, 3))
    assert isinstance(separate(X, ["yes"] * 20), Separable)


# ---- the widest margin ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "width", "margin"), [(50, 2, 0.5), (300, 5, 0.1), (200, 20, 0.2), (400, 3, 0.01)])
def test_the_widest_margin_is_that_of_a_hard_margin_svm(rows, width, margin):
    X, y, u = datasets.gaussian_pair(rows, width, margin)
    certificate = max_margin(X, y, fit_intercept=False, gap=1e-6)
    low, high = certificate.margin
    assert (y * (X @ u)).min() <= high * (1 + 1e-12)
    assert low <= high <= low * (1 + 1.1e-6)
    both = np.vstack([X, -X]), np.concatenate([y, -y])  # symmetric, so that an SVM's intercept is 0
    svm = SVC(kernel="linear", C=1e10, tol=1e-8).fit(*both)
    assert 1 / np.linalg.norm(svm.coef_) == pytest.approx(low, rel=1e-3)
    assert verify(certificate, X, y)
    assert set(certificate.hull.rows) <= {i % rows for i in svm.support_}


def within(gap, certificate):
    low, high = map(Fraction, certificate.margin)
    return (1 - Fraction(gap)) * high <= low <= high


@pytest.mark.parametrize("gap", [0.1, 0.03])
def test_the_ends_are_within_the_gap_however_many_rounds_it_takes(gap, monkeypatch):
    monkeypatch.setattr(separation, "AT_A_TIME", 1)
    for seed in range(10):
        X, y, _ = datasets.gaussian_pair(2000, 5, 0.2, seed)
        assert within(gap, max_margin(X, y, gap=gap))


@pytest.mark.parametrize("gap", [0.1, 1e-3])
def test_the_exact_walk_alone_comes_within_the_gap(gap, monkeypatch):
    """Floats that make no step: what they begin with is a point of the hull, and no more."""
    walk = separation.nearest_point
    monkeypatch.setattr(separation, "nearest_point", lambda points, near, start, until: walk(points, near, start, 0.0))
    for seed in range(5):
        X, y, _ = datasets.gaussian_pair(60, 4, 0.2, seed)
        certificate = max_margin(X, y, gap=gap)
        assert within(gap, certificate)
        assert verify(certificate, X, y)


def test_the_widest_margin_of_inseparable_data_is_a_proof_that_there_is_none():
    assert isinstance(max_margin(*datasets.boolean("xor", 2)), Inseparable)
    with pytest.raises(ValueError, match="gap"):
        max_margin([[1.0]], [1], gap=0)


# ---- what a run proves ----------------------------------------------------------------------------------------------


@given(any_data(), st.sampled_from(["given", "once"]))
def test_a_cycle_is_for_ever_and_a_proof_where_nothing_rounds(data, order):
    X, y = (np.asarray(part) for part in data)
    model = Perceptron(order=order, max_iter=60, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X.astype(float), y)
    cycle = model._run.cycles.get(0)
    certificate = model.certificate_
    assert isinstance(certificate, Inseparable) == (cycle is not None)
    assume(cycle is not None)
    assert verify(certificate, X.astype(float), y)
    assert holds(certificate, X.astype(float), y)
    length = cycle.last - cycle.first + 1
    mistakes = [done.mistakes for done in model.passes_]
    assert mistakes[cycle.first - 1 + length :] == mistakes[cycle.first - 1 : len(mistakes) - length]
    assert sum(mistakes[cycle.first - 1 : cycle.last]) == cycle.times.sum()


def test_a_cycle_is_told_to_the_user():
    X, y = datasets.boolean("xor", 2)
    with pytest.warns(UserWarning, match="pass 1 repeats for ever"):
        model = Perceptron(max_iter=10).fit(X, y)
    assert model.certificate_.multipliers == (1, 1, 1, 1)
    assert "pass 1 repeats for ever" in str(model.facts(X, y))


def test_a_cycle_of_several_passes_is_met_once_the_wait_is_long_enough():
    """The weights come back every fifth pass; of the copies made after passes 1, 3, 7, … that of 7 is the first kept so long."""
    X, y = np.array([[-3.0], [-1.0], [2.0]]), [-1, 1, -1]
    with pytest.warns(UserWarning, match="passes 8 to 12 repeat for ever"):
        model = Perceptron(max_iter=40).fit(X, y)
    cycle = model._run.cycles[0]
    assert (cycle.first, cycle.last, cycle.rows.tolist(), cycle.times.tolist()) == (8, 12, [0, 1, 2], [3, 5, 2])
    assert model.certificate_.multipliers == (3, 5, 2)


@given(any_data(labels=st.integers(0, 2)), st.sampled_from(["given", "once", "each"]))
@example(([[0.0]] * 14 + [[0.5]], [0] * 13 + [1, 2]), "given")
def test_until_a_cycle_is_the_same_run_cut_short(data, order):
    X, y = (np.asarray(part) for part in data)
    seen = examples(X.astype(float), y)
    whole, cut = Learner(order=order, seed=1), Learner(order=order, seed=1)
    all_of_it, ended = whole.fit(seen, 60), cut.fit(seen, 60, until_cycle=True)
    done = len(ended.passes)
    assert [p[:4] for p in ended.passes] == [p[:4] for p in all_of_it.passes[:done]]
    if ended.stop_reason is not StopReason.CYCLE:
        assert (ended.stop_reason, done) == (all_of_it.stop_reason, len(all_of_it.passes))
    assume(ended.stop_reason is StopReason.CYCLE)
    assert order != "each"
    assert all_of_it.stop_reason is StopReason.MAX_ITER
    last = max(cycle.last for cycle in ended.cycles.values())
    assert last == done or (last < done and len(ended.cycles) < len(cut.team.w[cut.answering]))  # another was clean later
    for v, cycle in ended.cycles.items():
        assert cycle[:2] == all_of_it.cycles[v][:2]
    for v in range(len(cut.team.w[cut.answering])):  # each repeats itself, or is done
        later = [update.t for update in whole.ledgers[v] if update.t >= done * len(y)]
        assert v in ended.cycles or not later


def test_a_cycle_that_the_ledger_does_not_reach_is_not_told():
    X, y = datasets.boolean("xor", 2)
    assert Learner(ledger_cap=5).fit(examples(X, y), 10).cycles
    for cap in (1, 2, 3):
        assert not Learner(ledger_cap=cap).fit(examples(X, y), 10).cycles


@pytest.mark.filterwarnings("ignore")
def test_a_cycle_of_rounding_alone_proves_nothing():
    """At 1e17 a step of 1 is lost, so the weights come back; the rows are separable all the same."""
    X, y = np.array([[-1.0, 1.0], [1.0, 1.0]]), [1, 0]
    model = Perceptron(fit_intercept=False, max_iter=5).fit(X, y, coef_init=[[1e17, 0.0]])
    assert model._run.cycles
    assert isinstance(model.certificate_, Undecided)
    assert isinstance(separate(X, y, fit_intercept=False), Separable)


def test_a_shuffled_run_has_no_cycle():
    X, y = datasets.boolean("xor", 2)
    model = Perceptron(order="each", max_iter=10, random_state=0).fit(X, y)
    assert not model._run.cycles
    assert isinstance(model.certificate_, Undecided)


def test_the_certificate_of_a_fit():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(max_iter=200).fit(X, y)
    certificates = model.certificate_
    assert list(certificates) == [0, 1, 2]
    assert isinstance(certificates[0], Separable)
    assert isinstance(certificates[1], Undecided)
    assert all(verify(certificate, X, y) for certificate in certificates.values())
    streamed = Perceptron().partial_fit(X, y)
    assert all(isinstance(certificate, Undecided) for certificate in streamed.certificate_.values())
    assert model.partial_fit(X, y).certificate_[0].outcome == "undecided"
    two = y < 2
    model = MarginPerceptron(max_iter=500).fit(X[two], y[two])
    assert isinstance(model.certificate_, Separable)
    again = model.certify(X[two], y[two])
    assert isinstance(again, Separable)
    assert verify(again, X[two], y[two])
    assert isinstance(model.certify(X[two], 1 - y[two]), Undecided)
    with pytest.raises(ValueError, match="does not know"):
        model.certify(X, y)
    assert not any(value is X for value in vars(model).values())


def test_the_evidence_of_a_run_is_its_mistakes():
    """They add up to w, and its norm over their number is F7's upper end."""
    X, y = datasets.lower_bound(4)
    model = Perceptron(fit_intercept=False, max_iter=1000).fit(X, y)
    rows, times = np.unique(model.ledger_.entries.row, return_counts=True)
    assert model.certificate_.hull == Hull(tuple(rows.tolist()), tuple(times.astype(float).tolist()))
    assert model.certificate_.margin.high == pytest.approx(np.linalg.norm(model.coef_) / model.n_mistakes_, rel=1e-12)


def test_where_mistakes_are_of_other_rows_too_there_is_no_evidence():
    streamed = Perceptron().partial_fit([[0.0], [1.0]], ["a", "b"]).certificate_
    assert (streamed.margin_at_most, streamed.hull) == (np.inf, Hulls())
    assert streamed.data == Data(2, 1, True, "a", "b", "")
    X, y, _ = datasets.gaussian_pair(60, 3, 0.05)
    model = Perceptron(max_iter=2, warm_start=True)
    for _ in range(3):
        certificate = model.fit(X, y).certificate_
        assert verify(certificate, X, y)
    assert certificate.hull == Hulls()


def test_rows_of_weight_zero_are_still_rows_of_the_data():
    X, y = np.array([[1.0], [2.0], [3.0], [-5.0]]), [-1, 1, 1, 1]
    model = Perceptron(max_iter=1000).fit(X, y, sample_weight=[1, 1, 1, 0])
    assert model.stop_reason_ == "clean pass"
    assert isinstance(model.certificate_, Undecided)


def test_large_undecided_runs_do_not_take_the_time_for_a_fingerprint(monkeypatch):
    monkeypatch.setattr(run_proofs, "WORTH_A_FINGERPRINT", 0)
    X, y = datasets.boolean("xor", 2)
    certificate = Perceptron(order="each", max_iter=3).fit(X, y).certificate_
    assert certificate.data.fingerprint == ""
    assert "certify" in verify(certificate, X, y).why


# ---- what to do about it --------------------------------------------------------------------------------------------


@given(any_data())
def test_without_the_rows_in_the_way_the_rest_is_separable(data):
    X, y = (np.asarray(part) for part in data)
    X = X.astype(float)
    rows, certificate = rows_in_the_way(X, y)
    assert verify(certificate, np.delete(X, rows, axis=0), np.delete(y, rows))
    assert bool(rows) == isinstance(separate(X, y), Inseparable)


def test_the_rows_in_the_way_are_mostly_those_that_were_flipped():
    X, y, _ = datasets.gaussian_pair(1000, 5, 0.1)
    X, y, flipped = datasets.with_label_noise(X, y, 0.01)
    rows, _ = rows_in_the_way(X, y)
    assert len(rows) <= len(flipped)


# ---- real data ------------------------------------------------------------------------------------------------------


def test_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    certificate = max_margin(X, y)
    assert isinstance(certificate, Separable)
    assert certificate.margin.high <= certificate.margin.low * 1.0011
    assert verify(certificate, X, y)


@pytest.mark.parametrize("digit", range(10))
def test_each_digit_against_the_rest(digit):
    X, y = load_digits(return_X_y=True)
    certificate = separate(X, y, positive=digit)
    assert isinstance(certificate, Inseparable if digit in (8, 9) else Separable)
    assert verify(certificate, X, y)


@pytest.mark.parametrize(("a", "b", "outcome"), [(0, 1, Separable), (0, 2, Separable), (1, 2, Inseparable)])
def test_iris_pairs(a, b, outcome):
    X, y = load_iris(return_X_y=True)
    both = (y == a) | (y == b)
    certificate = separate(X[both], y[both])
    assert isinstance(certificate, outcome)
    assert verify(certificate, X[both], y[both])


VERDICTS = {
    "svm/a9a": Inseparable,
    "svm/w8a": Inseparable,
    "svm/mushrooms": Separable,
    "svm/agaricus.txt.train": Separable,
    "svm/ijcnn1.trn.bz2": Inseparable,
    "svm/reuters.trn.bz2": Inseparable,
    "dense/sonar.csv": Separable,
    "dense/banknote_authentication.csv": Inseparable,
    "dense/ionosphere.csv": Inseparable,
}


@pytest.mark.parametrize("name", VERDICTS)
def test_shared_data(name):
    if not (DATA / name).exists():
        pytest.skip("the shared data is not here")
    X, y, *_ = read(DATA / name)
    began = time.perf_counter()
    certificate = separate(X, y)
    print(name, certificate.outcome, f"{time.perf_counter() - began:.2f} s")
    assert isinstance(certificate, VERDICTS[name])
    assert verify(certificate, X, y)


# ---- numbers at the edge of what there is ---------------------------------------------------------------------------


@pytest.mark.parametrize(("X", "y"), [
    ([[5e-324], [1e-323], [0.0]], [0, 1, 0]),
    ([[5e-324], [1e-323], [0.0], [1.5e-323]], [1, 0, 0, 1]),
    ([[1e308, 1e308], [-1e308, -1e308], [1.7e308, -1e308], [-1e308, 1.7e308]], [0, 1, 1, 1]),
    ([[1.7e308, 1.7e308], [1.7e308, -1.7e308], [-1.7e308, 1.7e308]], [0, 1, 1]),
    ([[1e308, 5e-324], [5e-324, 1e308], [1.0, 1.0]], [0, 1, 0]),
    ([[-1e154, -0.7, 0.0], [3e-310, 1e-160, 9e15], [1e16, -1.0, -1.0], [1e154, 0.7, -0.0]], [1, 0, 1, 0]),
])  # fmt: skip
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_smallest_and_the_largest_numbers(X, y, fit_intercept):
    X, y = np.array(X), np.array(y)
    for answer in (separate(X, y, fit_intercept=fit_intercept), max_margin(X, y, fit_intercept=fit_intercept)):
        assert holds(answer, X, y)
        assert verify(answer, X, y)
    rows, proof = rows_in_the_way(X, y, fit_intercept=fit_intercept)
    assert verify(proof, np.delete(X, rows, axis=0), np.delete(y, rows))


def test_where_every_row_is_in_the_way_none_is_left():
    rows, proof = rows_in_the_way([[0.0], [0.0]], [1, 0], fit_intercept=False)
    assert rows == (0, 1)
    assert proof.data.rows == 0


def test_a_budget_is_kept():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(600, 200)), rng.integers(0, 2, 600)
    assert isinstance(separate(X, y, budget=0.0), Undecided)
    for bad in (-1, float("nan"), "1"):
        with pytest.raises(ValueError, match="budget"):
            separate(X, y, budget=bad)


def test_a_seed_is_a_whole_number():
    for bad in (-1, None, 1.5, "x"):
        with pytest.raises(ValueError, match="the seed must be a whole number and not negative"):
            separate([[0], [1]], [0, 1], method="rescaled", seed=bad)


def test_the_exact_walk_keeps_to_a_budget_too(without_a_perceptron, monkeypatch):
    monkeypatch.setattr(separation, "ROUNDS", 0)
    X, y = datasets.boolean("parity", 4)
    assert isinstance(separate(X, y), Inseparable)
    assert isinstance(separate(X, y, budget=0.0), Undecided)
