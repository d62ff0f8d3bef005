"""`AROW`: what it chooses, when it stops, and that it is the learner with these settings."""

import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novikoff
from learners import csr
from novikoff import AROW, MarginPerceptron, OnlineLearner, PassiveAggressive, Perceptron, Separable, development_curve, verify
from novikoff.engine.confidences.diagonal import Diagonal
from novikoff.engine.labelled_rows import examples
from novikoff.engine.rules.arow import Arow
from novikoff.learning.choosing import DIAGONAL, FULL, ROWS, TRIALS, Choice, best, progressive_errors
from novikoff.learning.learner import Learner
from novikoff.learning.pass_driver import MOST_PASSES, SETTLED

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 6))
y = np.where(X @ rng.normal(size=6) + rng.normal(0, 0.5, 300) > 0, "yes", "no")
WIDE = rng.normal(size=(60, 70))
PLAIN = {"r": 1.0, "confidence": "diagonal", "multiclass": "ovr"}


def test_one_row_at_a_time_equals_one_pass_of_fit():
    labels = rng.choice(["cat", "dog", "eel"], 300)
    batch = AROW(**PLAIN, order="given", max_iter=1).fit(X, labels)
    stream = AROW()
    for i in range(300):
        stream.partial_fit(X[i : i + 1], labels[i : i + 1])
    assert stream.coef_.tolist() == batch.coef_.tolist()
    assert (stream.r_, stream.confidence_, stream.multiclass_) == (1.0, "diagonal", "ovr")


def test_it_is_the_learner_with_its_settings():
    clf = AROW(r=2.0, confidence="full", order="given", max_iter=3).fit(X, y)
    learner = Learner(Arow(2.0), confidence="full")
    learner.fit(examples(X, y), 3)
    assert clf.coef_.tolist() == learner.weights()[:, :-1].tolist()


@pytest.mark.parametrize("kind", [Perceptron, MarginPerceptron, PassiveAggressive])
def test_any_estimator_may_be_asked_for_confidence(kind):
    plain, sure = kind(random_state=0, max_iter=3), kind(random_state=0, max_iter=3, confidence=Diagonal(0.5))
    assert sure.fit(X, y)._learner.confidence == Diagonal(0.5)
    assert plain.fit(X, y)._learner.confidence is None
    assert sure.coef_.tolist() != plain.coef_.tolist()


def _errors_alone(choice, seen, order, class_weight=None):
    """The progressive errors of one candidate, a learner of its own, row by row."""
    learner = Learner(Arow(choice.r), confidence=choice.confidence, multiclass=choice.multiclass, class_weight=class_weight)
    decisions = learner.learn(replace(seen, fed=order), foretelling=True)
    return int((learner.answers(decisions) != seen.sheet.code)[order].sum())


@pytest.mark.parametrize("multiclass", ["ovr", "direct"])
@pytest.mark.parametrize("confidence", ["diagonal", "full"])
@pytest.mark.parametrize("classes", [2, 4])
def test_candidates_side_by_side_make_the_errors_that_each_makes_alone(classes, confidence, multiclass):
    labels, weight = rng.integers(classes, size=300), rng.integers(3, size=300) / 2
    seen = examples(X, labels, weight=weight)
    orders = [rng.permutation(seen.fed) for _ in range(2)]
    team = [Choice(r, confidence, multiclass) for r in (100.0, 3.0, 0.1)]
    for class_weight in (None, {0: 5.0}):
        together = progressive_errors(team, seen, class_weight, orders)
        alone = [sum(_errors_alone(one, seen, order, class_weight) for order in orders) for one in team]
        assert together == alone


def test_candidates_side_by_side_are_exact_on_fractions():
    Z = np.array([[Fraction(int(a), 4) for a in row] for row in rng.integers(-8, 8, (40, 2))])
    seen = examples(Z, y[:40], constant=Fraction(1))
    team = [Choice(r, "full", "ovr") for r in (10.0, 1.0)]
    assert progressive_errors(team, seen, None, [seen.fed]) == [_errors_alone(one, seen, seen.fed) for one in team]


@pytest.mark.parametrize("rows", [80, 300])
def test_the_fewest_errors_win_and_with_few_rows_the_most_cautious_of_those_that_are_as_good(rows):
    """80 rows of 6 columns are few."""
    candidates, seen = DIAGONAL + FULL, examples(X[:rows], y[:rows])
    shuffler = np.random.default_rng([7, ROWS])
    orders = [shuffler.permutation(rows) for _ in range(TRIALS)]
    errors = np.array([np.mean([_errors_alone(one, seen, order) for order in orders]) for one in candidates])
    least = errors.min()
    allowed = least + np.sqrt(least * (1 - least / rows)) if rows == 80 else least
    assert best(candidates, seen, None, 7) == next(one for one, wrong in zip(candidates, errors, strict=True) if wrong <= allowed)
    assert best([Choice(1.0, None, "ovr"), *candidates], seen, None, 7) is not None  # without a confidence, r has no scale


@pytest.mark.parametrize(
    "setting", [{"r": -1.0}, {"r": "much"}, {"class_weight": 3}, {"class_weight": {"x": 1}}, {"multiclass": "x"}]
)
def test_a_wrong_setting_is_refused_before_anything_is_tried(setting):
    with pytest.raises((ValueError, TypeError), match=next(iter(setting))):
        AROW(**setting).fit(X, y)


def test_what_is_given_is_kept():
    clf = AROW(r=3.0, random_state=0).fit(X, y)
    assert clf.r_ == 3.0
    assert clf.confidence_ in ("diagonal", "full")
    assert AROW(confidence="diagonal", random_state=0).fit(X, y).confidence_ == "diagonal"
    wide = AROW().fit(WIDE, y[:60])
    assert (wide.r_, wide.confidence_) == (1.0, "diagonal")
    few = AROW(random_state=0).fit(*load_iris(return_X_y=True))
    assert few.multiclass_ == "direct"  # between the other two, versicolor is no class against the rest


def test_the_same_seed_gives_the_same_model():
    one, two = (AROW(random_state=3).fit(X, y) for _ in range(2))
    assert one.coef_.tolist() == two.coef_.tolist()
    assert one.r_ == two.r_


def test_it_stops_when_a_pass_moves_the_weights_by_less_than_5_percent():
    learner, past = Learner("arow", order="each"), []
    run = learner.fit(examples(X, y), None, on_pass=lambda report: past.append(learner.weights().copy()))
    moved = [np.linalg.norm(b - a) / np.linalg.norm(b) for a, b in pairwise(past)]
    assert run.stop_reason == "settled"
    assert 2 <= len(past) < MOST_PASSES
    assert moved[-1] < SETTLED <= min(moved[:-1], default=1.0)


def test_max_iter_overrides_and_a_default_fit_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert AROW(random_state=0).fit(X, y).stop_reason_ in ("settled", "max_iter")
    assert AROW(max_iter=2).fit(X, y).n_iter_ == 2
    with pytest.raises(ValueError, match="max_iter must be None or a whole number"):
        AROW(max_iter=0).fit(X, y)


def test_a_pass_without_mistakes_leads_to_a_proof():
    """AROW still makes updates when every row is right, so no pass is clean."""
    Z, z = load_iris(return_X_y=True)
    clf = AROW(**PLAIN, random_state=0).fit(Z, z == 0)
    assert clf.passes_[-1].updates > 0
    assert isinstance(clf.certificate_, Separable)
    assert verify(clf.certificate_, Z, z == 0)
    each = AROW(**PLAIN, random_state=0).fit(Z, z).certificate_
    assert isinstance(each[0], Separable)
    assert not isinstance(each[1], Separable)


def test_a_saved_model_goes_on_as_if_it_had_not_been_saved(tmp_path):
    for kind in ("diagonal", "full"):
        clf = AROW(r=0.5, confidence=kind).partial_fit(X[:200], y[:200])
        clf.save(tmp_path / "model.nvk")
        again = novikoff.load(tmp_path / "model.nvk").learner
        clf.partial_fit(X[200:], y[200:])
        again.learn(examples(X[200:], y[200:]))
        assert again.weights()[:, :-1].tolist() == clf.coef_.tolist()


@pytest.mark.parametrize("confidence", ["diagonal", "full"])
def test_an_online_learner_makes_the_updates_of_the_learner(confidence):
    online, learner = OnlineLearner("arow", confidence=confidence), Learner("arow", confidence=confidence)
    labels = rng.choice(["cat", "dog", "eel"], 300)
    for x, label in zip(X, labels, strict=True):
        online.learn_one(dict(zip("abcdef", x.tolist(), strict=True)), label)
    learner.learn(examples(csr(X), labels))
    assert online.learner.weights().tolist() == learner.weights().tolist()
    assert online.learner.vectors.confidence.sigma.tolist() == learner.vectors.confidence.sigma.tolist()


def test_votes_are_left_out_of_its_development_curve():
    curve = development_curve(AROW(random_state=0, max_iter=4), X, y, cv=3, readouts=["last", "averaged"])
    assert curve.best.score > 0.8
    with pytest.raises(ValueError, match="leave out 'voted'"):
        development_curve(AROW(random_state=0, max_iter=4), X, y, cv=3)


@pytest.mark.parametrize(("load", "least"), [(load_breast_cancer, 0.965), (load_iris, 0.94), (load_digits, 0.9)])
def test_nothing_tuned_it_is_a_good_classifier(load, least):
    pipe = make_pipeline(StandardScaler(), AROW(random_state=0))
    assert cross_val_score(pipe, *load(return_X_y=True), cv=5).mean() > least
