"""Rows far from the origin: when it is said, what centring does to mistakes and bounds, and whose rows a bound is about (F11)."""

import warnings
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from novikoff import AROW, KernelPerceptron, Learner, MarginPerceptron, Perceptron, Prepared, max_margin
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules import Bound
from novikoff.estimators.fit_warnings import OriginRemark, ScaleRemark
from novikoff.lab.descriptions import describe_run
from novikoff.lab.problems import problem_of
from novikoff.lab.runs import run_of
from novikoff.learning.origin import FAR, FarOrigin, far_origin, was_slow
from novikoff.learning.run import Pass, Run, StopReason
from novikoff.solve.max_margin import with_constant_column
from oracles import separable_data

AND, AND_Y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, -1, -1, 1])
SHIFTS = st.sampled_from([-300.0, -20.0, -1.5, 0.0, 4.0, 50.0, 1024.0])


def fitted(model, X, y):
    """The model, and its remarks on the rows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return model, [str(one.message) for one in caught if one.category in (OriginRemark, ScaleRemark)]


def radius_sq(X, point=0.0):
    return 1 + ((X - point) ** 2).sum(axis=1).max()


def found_for(X, y=None, constant=1, weight=None, **how):
    learner = Learner(**how)
    seen = learner.space.look(X, np.arange(X.shape[0]) % 2 if y is None else y, constant=constant, weight=weight)
    learner.fit(seen, 1)
    return far_origin(learner, seen)


def test_and_far_away_and_centred():
    far, remarks = fitted(Perceptron(max_iter=20_000), AND + 20, AND_Y)
    assert far.n_mistakes_ == 22_040
    (remark,) = remarks
    assert "R² is 883, and 1.5 around their mean" in remark
    assert "novikoff.Prepared(centre=True)" in remark
    assert "R² is 883, and 1.5 around their mean" in str(far.facts(AND + 20, AND_Y))
    rows = Prepared(centre=True).fit_transform(AND + 20)
    centred, remarks = fitted(Perceptron(), rows, AND_Y)
    assert (centred.n_mistakes_, remarks) == (5, [])
    assert "origin" not in str(centred.facts(rows, AND_Y))
    at_zero, remarks = fitted(Perceptron(), AND, AND_Y)
    assert (at_zero.n_mistakes_, remarks) == (18, [])


@given(separable_data(bias=True), SHIFTS, SHIFTS, st.booleans(), st.sampled_from([Perceptron, MarginPerceptron]))
def test_a_bound_is_about_the_rows_that_the_learner_saw(data, shift, other, centring, make):
    X, y, _ = data
    X = X + np.resize([shift, other], X.shape[1])
    seen = Prepared(centre=True).fit_transform(X) if centring else X
    model, _ = fitted(make(max_iter=200), seen, y)
    for u in (None, "widest"):
        facts = model.facts(seen, y, u=u)
        assert facts.radius == pytest.approx(sqrt(radius_sq(seen)))
        z = np.column_stack([seen, np.ones(len(seen))]) * y[:, None]
        if isinstance(facts.by_margin, Bound):
            widest = max_margin(with_constant_column(seen), y, fit_intercept=False).margin.high
            assert facts.margin[0] <= widest * (1 + 1e-9)
            assert facts.by_margin.value >= (facts.radius / widest) ** 2 * (1 - 1e-9)
            own = (z @ facts.u).min() / np.linalg.norm(facts.u)
            assert facts.margin[0] >= own * (1 - 1e-6) - 1e-12 * facts.radius
            assert model.n_mistakes_ <= facts.by_margin.value
        assert model.n_mistakes_ <= facts.by_losses.value * (1 + 1e-9)
        around = radius_sq(seen, seen.mean(axis=0))
        if abs(radius_sq(seen) / around / FAR - 1) > 1e-9:
            assert (facts.origin is not None) == (radius_sq(seen) >= FAR * around)


@given(separable_data(bias=True), SHIFTS, SHIFTS)
def test_f11_centred_the_bound_does_not_depend_on_the_origin(data, shift, other):
    X, y, _ = data
    X = X + np.resize([shift, other], X.shape[1])
    mean = X.mean(axis=0)
    rho_sq, delta = radius_sq(X, mean) - 1, max_margin(X, y).margin
    centred = max_margin(with_constant_column(X - mean), y, fit_intercept=False)
    assert radius_sq(X, mean) / centred.margin.high**2 <= ((1 + rho_sq) / delta.low) ** 2 * (1 + 1e-6)
    as_they_are = max_margin(with_constant_column(X), y, fit_intercept=False)
    *w, b = map(float, as_they_are.weights)
    length = np.linalg.norm(w)
    assert as_they_are.margin.low <= delta.high / sqrt(1 + (b / length) ** 2) * (1 + 1e-6)
    assert abs(b + mean @ w) / length <= sqrt(rho_sq) * (1 + 1e-6)
    assert radius_sq(X) >= (mean @ mean) * (1 - 1e-9)


@given(separable_data(bias=True), st.integers(-(10**6), 10**6), st.integers(1, 8), st.sampled_from(["given", "each"]))
def test_moved_by_exact_doubles_centred_rows_and_their_mistakes_are_the_same(data, shift, eighths, order):
    X, y, _ = data
    X, y = X[:8] * 840 * 8, y[:8]  # the means of the first k ≤ 8 rows are whole numbers, so nothing rounds
    assume(len(set(y)) == 2)
    runs = []
    for rows in (X, X + shift * eighths / 8):
        prepared = Prepared(centre=True).fit(rows)
        assert (prepared.statistics_["mean"] == rows.sum(axis=0) / len(rows)).all()
        runs.append(fitted(Perceptron(max_iter=50, order=order, random_state=0), prepared.transform(rows), y)[0])
    one, other = runs
    assert np.array_equal(one.ledger_.entries.row, other.ledger_.entries.row)
    assert np.array_equal(one.coef_, other.coef_)
    assert one.n_mistakes_ == other.n_mistakes_


@settings(max_examples=30)
@given(st.integers(2, 2500), st.integers(1, 4), st.floats(0, 60), st.integers(0, 99), st.booleans())
def test_it_is_far_where_the_definition_says_so(rows, width, distance, seed, sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) + distance * rng.choice([-1, 1], size=width)
    weight = rng.choice([0.0, 1.0], size=rows)
    weight[:2] = 1
    some = X[weight > 0]
    R, around = radius_sq(some), radius_sq(some, some.mean(axis=0))
    assume(abs(R / around / FAR - 1) > 1e-9)
    found = found_for(sp.csr_array(X) if sparse else X, weight=weight)
    assert (found is not None) == (FAR * around <= R)
    if found is not None:
        assert found == pytest.approx((sqrt(R), sqrt(around)))


def test_where_centring_would_not_help_nothing_is_said():
    far = AND + 20
    assert found_for(far) == pytest.approx((sqrt(883), sqrt(1.5)))
    assert found_for(far.astype(np.float32)) == pytest.approx((sqrt(883), sqrt(1.5)))
    assert found_for(far, y=[0, 1, 2, 0], multiclass="direct") == pytest.approx((sqrt(883), sqrt(1.5)))
    assert found_for(far, constant=0) is None  # no bias: other boundaries
    holes = far * [1, 0] + AND * [0, 1]  # a column with zeros, beside one that is far away
    assert found_for(holes) is not None
    assert found_for(sp.csr_array(holes)) is None  # the zeros are not stored
    assert found_for(AND * 1e-3 + 0.02) is None  # R is 1 with any origin
    for scaled in (Prepared().fit_transform(far), Prepared(centre=True).fit_transform(far), AND):
        assert found_for(scaled) is None
    kernel = KernelPerceptron("linear", max_iter=3, fit_intercept=True)
    assert fitted(kernel, far, AND_Y)[1] == []


def test_a_run_that_is_right_after_a_few_passes_needs_no_advice():
    easy = np.array([[100.0, 5], [100, -5]])
    assert found_for(easy) is not None
    model, remarks = fitted(Perceptron(), easy, [1, 0])
    assert (model.n_iter_ <= 10, remarks) == (True, [])
    assert "far from the origin" in str(model.facts(easy, [1, 0]))

    def run(reason, passes, errors=None):
        return Run(reason, (Pass(1, 1, 1, 1, 0.0),) * passes, errors)

    assert not was_slow(run(StopReason.CLEAN_PASS, 10))
    assert was_slow(run(StopReason.CLEAN_PASS, 11))
    assert was_slow(run(StopReason.MAX_ITER, 5, 1))
    assert not was_slow(run(StopReason.SETTLED, 5, 0))


def test_one_remark_says_what_to_do_where_scales_differ_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 100
    y = rng.integers(0, 2, 60)
    for model in (Perceptron(max_iter=5), MarginPerceptron(), AROW()):
        (remark,) = fitted(model, X, y)[1]
        assert "far from the origin" in remark
        (remark,) = fitted(model, X * [1, 1000], y)[1]
        assert "differ in scale" in remark


def test_what_is_remarked_on_is_recorded_and_a_stream_has_no_such_record():
    model, _ = fitted(Perceptron(max_iter=20_000), AND + 20, AND_Y)
    assert model.as_model().run.radius_around_mean == pytest.approx(sqrt(1.5))
    model.partial_fit(AND + 20, AND_Y)
    assert model.as_model().run.radius_around_mean is None
    assert fitted(Perceptron(), AND, AND_Y)[0].as_model().run.radius_around_mean is None


def test_the_lab_says_it_beside_the_bound():
    def origin(shift):
        points = [[a + shift, b + shift, int(y)] for (a, b), y in zip(AND.tolist(), AND_Y, strict=True)]
        return describe_run(run_of(problem_of({"points": points, "settings": {"passes": 100}})))["origin"]

    assert origin(20) == FarOrigin(sqrt(883), sqrt(1.5)).sentence
    assert origin(0) is None


def test_examples_need_not_be_one_by_one():
    seen = examples(AND + 20, AND_Y)
    learner = Learner(multiclass="direct")
    learner.fit(seen, 1)
    assert far_origin(learner, seen.all_classes_at_once()) == pytest.approx((sqrt(883), sqrt(1.5)))
