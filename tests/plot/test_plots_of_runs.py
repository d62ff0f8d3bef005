"""mistakes, proof and development_curve: the numbers of a run, where they belong."""

import subprocess
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import bars, drawn, labels, line, texts

import novikoff
from novikoff import KernelPerceptron, MarginPerceptron, PassiveAggressive, Perceptron, plot
from novikoff.data import datasets
from novikoff.engine.rules.passive_aggressive import PAII
from novikoff.engine.rules.rosenblatt import Rosenblatt
from oracles import any_data

PAIR = datasets.gaussian_pair(80, 2, 0.1)[:2]


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def facts_of(model, X=PAIR[0], y=PAIR[1], **how):
    return fitted(model, X, y).facts(X, y, **how)


# ---- mistakes -------------------------------------------------------------------------------------------------------------


@given(any_data(), st.sampled_from([Perceptron, MarginPerceptron]))
def test_bars_are_passes_and_the_line_is_their_sum_below_the_bound(data, kind):
    X, y = np.asarray(data[0], float), np.asarray(data[1])
    facts = facts_of(kind(max_iter=4), X, y)
    ax = plot.mistakes(facts)
    assert [bar.get_height() for bar in bars(ax, "mistakes")] == [one.mistakes for one in facts.per_pass]
    bound = facts.by_margin if hasattr(facts.by_margin, "value") else facts.by_losses
    made = [getattr(one, bound.of) for one in facts.per_pass]
    assert line(ax, f"{bound.of} in total").get_ydata().tolist() == np.cumsum(made).tolist()
    limit = line(ax, "at most")
    assert set(limit.get_ydata()) == {bound.value}
    assert bound.theorem in limit.get_label()
    if facts.updates != facts.mistakes:
        assert [bar.get_height() for bar in bars(ax, "updates on")] == [one.updates for one in facts.per_pass]
    plt.close(ax.figure)


def test_where_there_is_no_bound_it_is_said_why():
    weighted = facts_of(Perceptron(class_weight={-1: 2.0, 1: 1.0}))
    ax = drawn(plot.mistakes(weighted))
    assert [one for one in ax.lines if str(one.get_label()).startswith("at most")] == []
    assert "no bound: sample or class weights" in texts(ax)[0]
    squared = drawn(plot.mistakes(facts_of(Perceptron(rule=PAII(), max_iter=3))))
    assert "squared losses suffered, which this plot does not count" in texts(squared)[0].replace("\n", " ")


def test_a_classifier_has_bars_and_no_bound():
    model = fitted(Perceptron(max_iter=50), *PAIR)
    ax = drawn(plot.mistakes(model))
    assert [bar.get_height() for bar in bars(ax, "mistakes")] == [one.mistakes for one in model.passes_]
    assert labels(ax) == ["mistakes"]


def test_many_passes_are_one_outline():
    X, y = datasets.lower_bound(6)
    facts = facts_of(Perceptron(fit_intercept=False, max_iter=10**6), X, y)
    ax = drawn(plot.mistakes(facts))
    assert len(facts.per_pass) > 200
    assert ax.patches[0].get_data().values.tolist() == [one.mistakes for one in facts.per_pass]
    assert ax.get_yscale() == "log"


def test_what_is_no_run_is_refused():
    three = facts_of(Perceptron(max_iter=2), np.eye(3), np.arange(3))
    for draw in (plot.mistakes, plot.proof):
        with pytest.raises(ValueError, match=r"for 3 classes.*choose one, as in …\[0\]"):
            draw(three)
        with pytest.raises(TypeError, match=r"clf\.facts\(X, y\)"):
            draw(3)
    assert len(plot.proof(three[0])) == 4
    with pytest.raises(ValueError, match="a stream, which has no passes"):
        plot.mistakes(Perceptron().partial_fit(*PAIR))
    short = facts_of(Perceptron(max_iter=2, ledger_cap=0), np.eye(3), np.arange(3))
    with pytest.raises(ValueError, match="raise ledger_cap"):
        plot.mistakes(short[0])
    with pytest.raises(ValueError, match="course of w is not known"):
        plot.proof(short[0])
    assert plt.get_fignums() == [1]  # what is refused opens no figure


# ---- proof ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "growth", "step"),
    [(Perceptron(), 1, 1), (MarginPerceptron(max_iter=9), 2, 1), (Perceptron(rule=Rosenblatt(rate=0.5)), 0.25, 0.5)],
)
def test_the_lines_squeeze_the_run(model, growth, step):
    facts = facts_of(model, u="widest")
    towards, length, squeezed, cosine = drawn(plot.proof(facts))
    course, k = facts.course, facts.course.updates
    lower = line(towards, "k·γ" if step == 1 else "Στ·γ")
    assert lower.get_ydata() == pytest.approx(step * k * facts.margin[0])
    assert line(towards, "w·u").get_ydata() == pytest.approx(course.w_u)
    assert (lower.get_ydata() <= line(towards, "w·u").get_ydata() * (1 + 1e-9)).all()
    upper = line(length, "k·")
    assert upper.get_ydata() == pytest.approx(k * growth * facts.radius**2)
    assert (upper.get_ydata() * (1 + 1e-9) >= line(length, "‖w‖²").get_ydata()).all()
    (most,), (meeting,) = line(squeezed, "k ≤").get_data()
    assert most == pytest.approx(facts.by_margin.value)
    assert meeting == pytest.approx(step * facts.margin[0] * most)
    for name in ("√k·", "Στ·γ" if step != 1 else "k·γ"):
        x, y = line(squeezed, name).get_data()
        assert np.exp(np.interp(np.log(most), np.log(x), np.log(y))) == pytest.approx(meeting)
    assert line(squeezed, "the run").get_xdata()[0] == facts.updates
    assert line(cosine, "cos").get_ydata() == pytest.approx(course.cosine)
    floor = line(cosine, "the least that the two lines allow").get_ydata()
    assert floor == pytest.approx(course.margin * course.steps / np.sqrt(course.growth * k))
    assert (floor <= course.cosine + 1e-9).all()


def test_only_lines_that_hold_are_drawn():
    aggressive = facts_of(PassiveAggressive(), u="widest")
    towards, length, squeezed, _ = drawn(plot.proof(aggressive))
    assert line(towards, "Στ·γ").get_ydata() == pytest.approx(aggressive.course.steps * aggressive.course.margin)
    assert labels(length) == ["‖w‖²"]
    assert "steps of PAI differ" in texts(length)[0].replace("\n", " ")
    assert labels(squeezed) == ["‖w‖", "w·u"]
    X, y = datasets.boolean("xor", 2)
    towards, length, squeezed, _ = drawn(plot.proof(facts_of(Perceptron(max_iter=5), X, y, u=[1.0, 1.0, 0.0])))
    assert labels(towards) == ["w·u"]
    assert "does not separate" in texts(towards)[0]
    assert len(labels(length)) == 2
    assert not [text for text in labels(squeezed) if "≤" in text or "γ" in text]


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        ({"kernel": "sigmoid"}, "not known to be positive semidefinite"),
        ({"kernel": "poly", "coef0": -1.0}, "not known to be positive semidefinite"),
        ({"kernel": "rbf", "budget": 5}, "with a budget, w is not the sum of its updates"),
    ],
)
def test_a_proof_that_does_not_hold_is_not_drawn(kernel, why):
    facts = facts_of(KernelPerceptron(max_iter=3, **kernel))
    assert facts.course is None
    with pytest.raises(ValueError, match=f"the proof does not apply to this run: .*{why}"):
        plot.proof(facts)


def test_a_long_course_is_thinned_but_for_its_ends():
    X, y = datasets.lower_bound(7)
    facts = facts_of(Perceptron(fit_intercept=False, max_iter=10**6), X, y)
    panel = plot.proof(facts)[0]
    x = line(panel, "w·u").get_xdata()
    assert (x[0], x[-1]) == (1, facts.updates)
    assert len(x) <= 2000 < facts.updates
    assert line(panel, "w·u").get_ydata() == pytest.approx(facts.course.w_u[x - 1])


def test_axes_that_are_given_are_used_and_divided():
    facts = facts_of(Perceptron())
    figure, (left, right) = plt.subplots(1, 2)
    assert plot.mistakes(facts, ax=left) is left
    panels = plot.proof(facts, ax=right)
    assert panels.shape == (4,)
    assert all(panel.figure is figure for panel in panels)
    assert not right.axison
    assert all(panel.get_position().x0 > left.get_position().x1 for panel in drawn(panels))
    assert plt.get_fignums() == [1]
    four = plt.figure().subplots(4)
    assert plot.proof(facts, ax=four).tolist() == four.tolist()
    with pytest.raises(ValueError, match="four panels"):
        plot.proof(facts, ax=four[:3])
    placed = plt.figure().add_axes((0.1, 0.1, 0.5, 0.5))
    assert all(panel.get_position().x1 < 0.61 for panel in drawn(plot.proof(facts, ax=placed)))


# ---- development curve ----------------------------------------------------------------------------------------------------


def test_the_curve_has_both_accuracies_and_marks_the_best():
    X, y, _ = datasets.with_label_noise(*PAIR, 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = novikoff.development_curve(MarginPerceptron(max_iter=6, random_state=0), X, y, cv=2)
    ax = drawn(plot.development_curve(curve))
    for readout in ("last", "averaged", "voted"):
        solid, dashed = line(ax, f"{readout}, development"), line(ax, f"{readout}, training")
        assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
        assert solid.get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
        assert solid.get_ydata().tolist() == curve.dev[readout].tolist()
        assert dashed.get_ydata().tolist() == curve.train[readout].tolist()
        assert solid.get_color() == dashed.get_color()
    best = line(ax, f"best: {curve.best.readout}, {curve.best.max_iter} pass")
    assert best.get_data() == ([curve.best.max_iter], [curve.best.score])
    with pytest.raises(TypeError, match="development_curve returns"):
        plot.development_curve(PAIR)


# ---- matplotlib -----------------------------------------------------------------------------------------------------------


def test_matplotlib_is_imported_by_the_first_plot_and_its_absence_is_a_sentence():
    code = "import novikoff, sys; novikoff.plot.mistakes; from novikoff import plot; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = (
        "import sys; sys.modules['matplotlib.pyplot'] = None\nfrom novikoff import plot\n"
        "try: plot.mistakes(type('Run', (), {'passes_': [1]})())\nexcept ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "plots need matplotlib: pip install 'novikoff[plot]'\n"


def test_settings_of_matplotlib_stay_as_they_are():
    before = dict(plt.rcParams)
    plot.mistakes(facts_of(Perceptron()))
    assert dict(plt.rcParams) == before
    with plt.style.context("dark_background"):
        ax = drawn(plot.mistakes(facts_of(Perceptron())))
        assert line(ax, "mistakes in total").get_color() == "white"
