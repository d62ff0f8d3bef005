"""What a run proves about itself: every number recomputed from the raw data, every bound kept."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron, max_margin
from novikoff.data import datasets
from novikoff.engine.rules import Bound, NoBound
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.solve.max_margin import with_constant_column
from oracles import any_data, separable_data

MODELS = [
    Perceptron,
    MarginPerceptron,
    lambda **how: PassiveAggressive(**how),
    lambda **how: Perceptron(readout="averaged", order="each", random_state=0, **how),
]


def fitted(make, X, y, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(**how).fit(X, y)


def z_of(X, y, model):
    X = np.hstack([X, np.ones((len(X), 1))]) if model.fit_intercept else np.hstack([X, np.zeros((len(X), 1))])
    return X * np.where(y == model.classes_[1], 1, -1)[:, None]


@given(any_data(), st.sampled_from(MODELS), st.booleans())
def test_the_bounds_hold_and_every_number_is_that_of_the_data(data, make, intercept):
    X, y = (np.asarray(part) for part in data)
    X = X.astype(float)
    assume(intercept or X.any(axis=1).all())
    model = fitted(make, X, y, max_iter=4, fit_intercept=intercept)
    facts = model.facts(X, y)
    z = z_of(X, y, model)
    assert facts.radius == pytest.approx(np.sqrt((z * z).sum(axis=1).max()))
    assert (facts.updates, facts.mistakes, facts.passes, facts.rows) == (
        model.n_updates_,
        model.n_mistakes_,
        model.n_iter_,
        len(X),
    )
    assert facts.losses == pytest.approx(model.n_iter_ * np.maximum(0, 1 - z @ facts.u).sum(), abs=1e-9)
    counted = {"updates": facts.updates, "mistakes": facts.mistakes}
    for bound in (facts.by_margin, facts.by_losses):
        if isinstance(bound, Bound) and bound.of in counted:
            assert counted[bound.of] <= bound.value * (1 + 1e-9)
    if facts.by_losses_simply is not None:
        assert facts.updates <= facts.by_losses_simply * (1 + 1e-9)
        assert facts.by_losses.value <= facts.by_losses_simply * (1 + 1e-9)
    # F5's course, replayed
    w, steps = np.zeros(z.shape[1]), 0.0
    unit = facts.u / np.linalg.norm(facts.u) if np.any(facts.u) else facts.u
    least = math.inf
    for k, update in enumerate(model.ledger_):
        w = w + update.step * z[update.row]
        steps += update.step
        least = min(least, np.linalg.norm(w) / steps) if steps else least
        if facts.course is not None:
            assert facts.course.w_u[k] == pytest.approx(w @ unit, abs=1e-6)
            assert facts.course.w_sqnorm[k] == pytest.approx(w @ w, abs=1e-6)
    low, high = facts.margin
    if least > 1e-4:
        assert high == pytest.approx(least, rel=1e-6)
    assert low <= high * (1 + 1e-9)


@given(separable_data(bias=True))
@example((np.array([[1.5], [8.0], [-8.0]]), np.array([1, 1, -1])))
def test_on_separable_data_the_interval_holds_the_margin_and_novikoff_is_kept(data):
    X, y, *_ = data
    X, y = np.asarray(X, float), np.asarray(y)
    model = fitted(Perceptron, X, y, max_iter=10_000)
    facts = model.facts(X, y)
    low, high = facts.margin
    assert 0 < low <= high
    assert isinstance(facts.by_margin, Bound)
    assert facts.mistakes <= facts.by_margin.value * (1 + 1e-9)
    z = z_of(X, y, model)
    gamma = (z @ np.append(model.coef_[0], model.intercept_[0])).min() / np.linalg.norm(
        np.append(model.coef_[0], model.intercept_[0])
    )
    assert low == pytest.approx(gamma)
    assert facts.by_margin.value == pytest.approx((facts.radius / low) ** 2)
    course = facts.course
    assert (course.w_sqnorm <= course.updates * facts.radius**2 * (1 + 1e-9)).all()
    assert (course.w_u >= course.updates * low * (1 - 1e-9)).all()
    assert (course.cosine <= 1 + 1e-9).all()
    assert course.cosine == pytest.approx(course.w_u / np.sqrt(course.w_sqnorm))
    assert course.cosine[-1] == pytest.approx(1)  # u is w itself


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.full), pytest.param(8, marks=pytest.mark.full)])
def test_the_interval_of_the_lower_bound_family_closes(n):
    X, y = datasets.lower_bound(n)
    model = Perceptron(fit_intercept=False, max_iter=10**6).fit(X, y)
    low, high = model.facts(X, y).margin
    assert low == pytest.approx(high, rel=1e-12)
    assert model.n_mistakes_ == (4**n - 1) // 3


def test_the_sentences_have_the_numbers_that_they_speak_of():
    X, y = datasets.lower_bound(3)
    X[0] *= 3
    facts = Perceptron(fit_intercept=False, max_iter=1000).fit(X, y).facts(X, y)
    said, (low, high) = str(facts), facts.margin
    assert f"{low:.4g}" != f"{high:.4g}"
    assert f"at least {low:.4g}, that of a separator known, and at most {high:.4g} by" in said
    assert f"With the best separator known: at most {facts.by_margin.value:,.1f} mistakes (F5 (Novikoff))." in said
    assert f"With hinge losses of {facts.losses:.4g} in all: at most {facts.by_losses.value:,.1f} mistakes" in said
    assert f"R²‖u‖² + 2L: at most {facts.by_losses_simply:,.1f}." in said


def test_updates_and_mistakes_are_told_apart():
    X, y, _ = datasets.gaussian_pair(100, 3, 0.1)
    facts = MarginPerceptron(max_iter=500).fit(X, y).facts(X, y)
    assert facts.updates > facts.mistakes
    assert f"{facts.updates:,} updates, {facts.mistakes:,} of them mistakes in {facts.passes} passes over 100 rows;" in str(facts)


def test_the_svm_gives_a_lower_bound_on_request_and_counts_how_often_rows_were_fed():
    X, y, _ = datasets.gaussian_pair(500, 5, 0.05)
    X, y, _ = datasets.with_label_noise(X, y, 0.05)
    model = fitted(Perceptron, X, y, max_iter=7)
    plain, best = model.facts(X, y), model.facts(X, y, u="svm")
    assert best.by_losses_simply <= plain.by_losses_simply
    z = z_of(X, y, model)
    assert best.losses == pytest.approx(7 * np.maximum(0, 1 - z @ best.u).sum())
    assert best.updates <= best.by_losses.value


def test_choices_that_void_a_theorem_are_said_to():
    X, y, _ = datasets.gaussian_pair(100, 3, 0.1)
    weighted = fitted(Perceptron, X, y, class_weight={-1: 2.0, 1: 1.0}, max_iter=500).facts(X, y)
    assert isinstance(weighted.by_margin, NoBound)
    assert isinstance(weighted.by_losses, NoBound)
    assert "weights scale the steps" in str(weighted)
    assert weighted.margin[0] > 0  # F7 holds whatever the steps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = Perceptron(max_iter=500).fit(X, y, coef_init=np.ones((1, 3))).facts(X, y)
    assert isinstance(started.by_margin, NoBound)
    assert isinstance(started.margin, NoBound)
    assert "did not start from w = 0" in str(started)
    assert started.course is None


def test_facts_are_of_the_data_that_was_learned_from():
    X, y, _ = datasets.gaussian_pair(100, 3, 0.1)
    model = fitted(Perceptron, X, y, max_iter=50)
    with pytest.raises(ValueError, match="other data"):
        model.facts(X[:-1], y[:-1])
    for other, labels in [(X * 100, y), (X, -y), (-X, y), (X[:, ::-1], y), (X[::-1], y[::-1])]:
        with pytest.raises(ValueError, match="other data"):
            model.facts(other, labels)
    with pytest.raises(ValueError, match="u must"):
        model.facts(X, y, u="best")
    for u in ([1.0], [np.nan] * 4):
        with pytest.raises(ValueError, match="u must have 4"):
            model.facts(X, y, u=u)
    model.partial_fit(X, y)
    with pytest.raises(ValueError, match="more than that"):
        model.facts(X, y)


def test_one_set_of_facts_a_class():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % 3
    facts = fitted(Perceptron, X, y, max_iter=5).facts(X, y)
    assert list(facts) == [0, 1, 2]
    assert all("5 passes over 60 rows" in str(one) for one in facts.values())


def test_facts_of_a_fit_that_left_rows_out():
    X, y = np.array([[1.0], [-1.0], [3.0]]), np.array([1, -1, -1])
    model = fitted(Perceptron, X, y)
    assert model.facts(X, y).rows == 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron().fit(X, y, sample_weight=[1, 1, 0])
    assert model.facts(X, y).rows == 2
    assert "left out" in model.certificate_.why


def replayed(z, ledger):
    """Every w there was, after each update."""
    return np.cumsum([update.step * z[update.row] for update in ledger], axis=0)


@given(any_data(), st.sampled_from([*MODELS, lambda **how: Perceptron(rule=Rosenblatt(rate=0.5), **how)]))
def test_the_lines_of_the_course_hold_for_every_rule_that_has_them(data, make):
    X, y = np.asarray(data[0], float), np.asarray(data[1])
    model = fitted(make, X, y, max_iter=4)
    facts, z = model.facts(X, y), z_of(X, y, model)
    assume(facts.course is not None)
    course, w = facts.course, replayed(z, model.ledger_)
    unit = facts.u / np.linalg.norm(facts.u)
    assert course.margin == pytest.approx((z @ unit).min(), abs=1e-9)
    assert course.steps == pytest.approx(np.cumsum([update.step for update in model.ledger_]))
    if course.margin > 0:
        assert (w @ unit >= course.margin * course.steps * (1 - 1e-9)).all()
    before = np.vstack([np.zeros(z.shape[1]), w[:-1]])
    if isinstance(course.growth, NoBound):
        assert "steps of PAI differ" in course.growth.why
    else:
        assert ((w * w).sum(axis=1) - (before * before).sum(axis=1) <= course.growth * (1 + 1e-9)).all()
        c = 0.5 if isinstance(model, MarginPerceptron) else 0.0
        rate = model.rule.rate if isinstance(getattr(model, "rule", None), Rosenblatt) else 1.0
        assert course.growth == pytest.approx(rate**2 * (1 + 2 * c) * facts.radius**2)


@pytest.mark.parametrize("how", [{}, {"fit_intercept": False}, {"multiclass": "direct"}])
def test_the_widest_separator_gives_the_least_bound_by_margin(how):
    X, y, _ = datasets.gaussian_pair(80, 3, 0.1)
    X = X + (1.0 if how == {} else 0.0)
    model = fitted(Perceptron, X, y, **how)
    plain, widest = model.facts(X, y), model.facts(X, y, u="widest")
    rows = with_constant_column(X) if model.fit_intercept else X  # bounds are about the extended space
    proved = max_margin(rows, y, fit_intercept=False).margin
    stretch = math.sqrt(2) if "multiclass" in how else 1.0  # margins of (−w, w), and radii, are √2 times as long (F25)
    assert plain.course.margin <= widest.course.margin
    assert widest.course.margin == pytest.approx(stretch * proved.low)
    assert widest.margin[0] == widest.course.margin
    assert widest.by_margin.value < plain.by_margin.value
    assert widest.by_margin.value == pytest.approx((widest.radius / proved.low) ** 2)
    assert widest.mistakes <= widest.by_margin.value


def test_where_there_is_no_widest_separator_it_is_said():
    X, y = datasets.boolean("xor", 2)
    model = fitted(Perceptron, X, y, max_iter=5)
    with pytest.raises(ValueError, match=r"no widest separator.*Not separable: 4 of the 4 rows"):
        model.facts(X, y, u="widest")
    three = fitted(Perceptron, X, np.array([0, 1, 2, 1]), max_iter=5, multiclass="direct")
    with pytest.raises(ValueError, match="two classes, or of each"):
        three.facts(X, [0, 1, 2, 1], u="widest")


def test_a_margin_that_may_be_rounding_is_none():
    X, y = np.array([[0.1, 0.2], [-0.3, 0.1]]), np.array([1, -1])
    model = fitted(Perceptron, X, y, max_iter=1, fit_intercept=False)
    facts = model.facts(X, y, u=[0.2, -0.1 * (1 - 2**-52), 0.0])
    assert 0 < facts.course.margin < 1e-15
    assert facts.margin[0] == 0
    assert isinstance(facts.by_margin, NoBound)


@pytest.mark.parametrize("labels", [2, 3])
def test_each_pass_has_the_updates_and_mistakes_of_its_own_vector(labels):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % labels
    model = fitted(MarginPerceptron, X, y, max_iter=4)
    facts = model.facts(X, y)
    each = list(facts.values()) if labels > 2 else [facts]
    for one in each:
        assert sum(p.updates for p in one.per_pass) == one.updates
        assert sum(p.mistakes for p in one.per_pass) == one.mistakes
        assert [p.number for p in one.per_pass] == [1, 2, 3, 4]
    for k, whole in enumerate(model.passes_):
        assert sum(one.per_pass[k].updates for one in each) == whole.updates
        assert sum(one.per_pass[k].mistakes for one in each) == whole.mistakes
    if labels > 2:
        assert fitted(MarginPerceptron, X, y, max_iter=4, ledger_cap=3).facts(X, y)[0].per_pass is None
