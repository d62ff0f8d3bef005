"""margins, boundary and weights: what a classifier says of rows, of the plane and of features."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reading import bars, contours, drawn, labels, line, points
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import novikoff
from novikoff import KernelPerceptron, MarginPerceptron, Perceptron, plot
from novikoff.data import datasets
from novikoff.plot.canvas import name
from oracles import any_data

X, Y = datasets.gaussian_pair(80, 2, 0.1)[:2]
NOISY = datasets.with_label_noise(X, Y, 0.1)[:2]
THREE = np.random.default_rng(0).standard_normal((60, 2)), np.array(["a", "b", "c"])[np.arange(60) % 3]


def fitted(model, X=X, y=Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


# ---- margins --------------------------------------------------------------------------------------------------------------


@given(any_data())
def test_bars_count_rows_and_wrong_ones_are_left_of_zero(data):
    X, y = np.asarray(data[0], float), np.asarray(data[1])
    model = fitted(Perceptron(max_iter=3), X, y)
    ax = plot.margins(model, X, y)
    own = y * model.decision_function(X) / (np.linalg.norm(model.coef_) or 1.0)
    for label in (-1, 1):
        patches = bars(ax, str(label))
        assert sum(bar.get_height() for bar in patches) == (y == label).sum()
        left = sum(bar.get_height() for bar in patches if bar.get_x() + bar.get_width() / 2 < 0)
        assert left == ((own <= 0) & (y == label)).sum()
        for bar in patches:
            inside = (own[y == label] > bar.get_x() - 1e-9) & (own[y == label] <= bar.get_x() + bar.get_width() + 1e-9)
            assert bar.get_height() <= inside.sum()
    wrong = [text for text in labels(ax) if text.startswith("wrong")]
    assert wrong == ([f"wrong: {(own <= 0).sum()} of {len(y)}"] if (own <= 0).any() else [])
    plt.close(ax.figure)


def test_ticks_are_the_rows_of_the_certificate_or_the_nearest():
    model = fitted(Perceptron())
    own = Y * model.decision_function(X) / np.linalg.norm(model.coef_)
    ax = drawn(plot.margins(model, X, Y))
    rows = list(model.certificate_.hull.rows)
    assert sorted(line(ax, f"rows that bound the margin: {len(rows)}").get_xdata()) == sorted(own[rows])
    other = drawn(plot.margins(model, X[:-1], Y[:-1]))  # the certificate is not of these
    nearest = [own[:-1][Y[:-1] == label].min() for label in (-1, 1)]
    assert line(other, "nearest of each class: 2").get_xdata() == pytest.approx(nearest)
    cycle = fitted(Perceptron(max_iter=5), *datasets.boolean("xor", 2))
    assert "rows that contradict each other: 4" in labels(drawn(plot.margins(cycle, *datasets.boolean("xor", 2))))


def test_margins_of_many_classes_votes_kernels_and_strangers():
    many = fitted(MarginPerceptron(random_state=0), *THREE)
    ax = drawn(plot.margins(many, *THREE))
    scores = many.decision_function(THREE[0])
    own = np.array(
        [row["abc".index(label)] - max(np.delete(row, "abc".index(label))) for row, label in zip(scores, THREE[1], strict=True)]
    )
    assert f"wrong: {(own <= 0).sum()} of 60" in labels(ax)
    assert ax.get_xlabel() == "lead of the row's class over the best other"
    voted = fitted(Perceptron(readout="voted"))
    share = drawn(plot.margins(voted, X, Y))
    assert "share" in share.get_xlabel()
    edges = [bar.get_x() + bar.get_width() for bar in bars(share, "1")]
    assert max(edges) <= 1 + 1e-9
    kernel = fitted(KernelPerceptron("poly", degree=2))
    most = max(bar.get_x() + bar.get_width() for bar in bars(drawn(plot.margins(kernel, X, Y)), "1"))
    alpha, stored = kernel.dual_coef_[0], kernel.support_vectors_
    length = np.sqrt(alpha @ (1 + stored @ stored.T) ** 2 @ alpha)
    assert most == pytest.approx((Y * kernel.decision_function(X)).max() / length)
    drawn(plot.margins(fitted(KernelPerceptron("sigmoid", gamma=0.1, max_iter=3)), X, Y))
    piped = fitted(make_pipeline(StandardScaler(), LinearSVC()))
    most = max(bar.get_x() + bar.get_width() for bar in bars(drawn(plot.margins(piped, X, Y)), "1"))
    assert most == pytest.approx((Y * piped.decision_function(X)).max() / np.linalg.norm(piped[-1].coef_))
    digits = np.arange(40) % 8
    assert "8 classes" in labels(drawn(plot.margins(fitted(Perceptron(max_iter=2), X[:40], digits), X[:40], digits)))
    with pytest.raises(ValueError, match="label of row 0 is 7"):
        plot.margins(piped, X, np.full(80, 7))
    with pytest.raises(ValueError, match="a label for each"):
        plot.margins(piped, X, Y[:-1])


# ---- boundary -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(readout="averaged"),
        make_pipeline(StandardScaler(), Perceptron()),
        KernelPerceptron("poly", degree=2),
    ],
)
def test_on_the_line_the_score_is_zero_and_beside_it_are_the_points(model):
    model = fitted(model, *NOISY)
    ax = drawn(plot.boundary(model, *NOISY))
    (line_points,) = contours(ax)
    scale = np.abs(model.decision_function(NOISY[0])).max()
    assert np.abs(model.decision_function(line_points)).max() < 0.01 * scale
    assert points(ax, "-1").tolist() == NOISY[0][NOISY[1] == -1].tolist()
    wrong = model.predict(NOISY[0]) != NOISY[1]
    assert points(ax, f"wrong: {wrong.sum()}").tolist() == NOISY[0][wrong].tolist()


def test_lines_between_many_classes_are_where_two_lead():
    model = fitted(MarginPerceptron(random_state=0), *THREE)
    found = contours(drawn(plot.boundary(model, *THREE)))
    assert len(found) == 3
    for one in found:
        second, first = np.partition(model.decision_function(one), -2, axis=1)[:, -2:].T
        assert (first - second).max() < 0.05 * np.abs(model.decision_function(THREE[0])).max()


def test_doubt_is_hatched_where_the_classifier_is_not_sure():
    for model in (Perceptron(), make_pipeline(StandardScaler(), Perceptron())):
        ax = drawn(plot.boundary(fitted(model), X, Y, sigma=0.2))
        (hatched,) = [one for one in ax.collections if "////" in (getattr(one, "hatches", None) or [])]
        last = model[-1] if hasattr(model, "steps") else model
        corners = np.vstack([path.vertices for path in hatched.get_paths()])
        inside = np.abs(last.decision_function(model[:-1].transform(corners) if hasattr(model, "steps") else corners))
        at = model[:-1].transform(corners) if hasattr(model, "steps") else corners
        w = np.append(last.coef_[0], last.intercept_[0])
        cosine = inside / np.linalg.norm(w) / np.sqrt((at**2).sum(axis=1) + 1)
        assert cosine.max() < 0.2 + 0.02
        assert "not sure (sigma 0.2)" in labels(ax)
    assert "not sure (sigma 0.2)" not in labels(plot.boundary(model, X, Y))
    with pytest.raises(ValueError, match="KNeighborsClassifier does not have"):
        plot.boundary(KNeighborsClassifier().fit(X, Y), X, Y, sigma=0.1)


def test_frames_keep_their_names_and_other_classifiers_work_too():
    frame = pd.DataFrame(X, columns=["width $a_1$", "b" * 99])
    ax = drawn(plot.boundary(fitted(Perceptron(), frame), frame, Y))
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"width \$a_1\$", "b" * 27 + "…")
    drawn(plot.boundary(fitted(Perceptron(), pl.DataFrame(X, schema=["a", "b"])), pl.DataFrame(X, schema=["a", "b"]), Y))
    drawn(plot.boundary(fitted(Perceptron(), sp.csr_array(X)), sp.csr_array(X), Y))
    assert contours(drawn(plot.boundary(KNeighborsClassifier().fit(X, Y), X, Y)))
    flat = np.column_stack([X[:, 0], np.zeros(80)])
    drawn(plot.boundary(fitted(Perceptron(max_iter=2), flat), flat, Y))


def test_planes_have_two_dimensions():
    with pytest.raises(ValueError, match=r"these rows have 3: choose two of them and fit again.*margins"):
        plot.boundary(fitted(Perceptron(), np.column_stack([X, X[:, 0]])), np.column_stack([X, X[:, 0]]), Y)
    with pytest.raises(NotFittedError):
        plot.boundary(Perceptron(), X, Y)
    assert plt.get_fignums() == []


# ---- weights --------------------------------------------------------------------------------------------------------------


def shown(ax):
    """Names and lengths, from above."""
    return [text.get_text() for text in ax.get_yticklabels()], [bar.get_width() for bar in ax.patches]


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=12).filter(any), st.integers(1, 15))
def test_bars_are_the_largest_weights_in_order(w, top):
    model = LinearSVC()
    model.coef_, model.classes_ = np.array([w], float), np.array(["no", "yes"])
    names, lengths = shown(plot.weights(model, top=top))
    order = [d for d in sorted(range(len(w)), key=lambda d: -abs(w[d])) if w[d]][:top]
    assert names == [f"x{d}" for d in order]
    assert lengths == [w[d] for d in order]
    assert shown(plot.weights(model, top=top, label="no"))[1] == [-w[d] for d in order]
    plt.close("all")


def test_names_are_those_of_the_frame_or_given_and_many_classes_can_be_chosen():
    frame = pd.DataFrame(THREE[0], columns=["$x$", "y"])
    model = fitted(MarginPerceptron(random_state=0), frame, THREE[1])
    names, lengths = shown(drawn(plot.weights(model)))
    sizes = model.feature_importance()
    assert names == [one.replace("$", r"\$") for one in sizes]
    assert lengths == pytest.approx(list(sizes.values()))
    _, lengths = shown(plot.weights(model, label="b"))
    assert sorted(lengths) == pytest.approx(sorted(model.coef_[1]))
    assert shown(plot.weights(model, names=["p", "q"]))[0] == [{"$x$": "p", "y": "q"}[one] for one in sizes]
    piped = fitted(make_pipeline(StandardScaler(), MarginPerceptron(random_state=0)), frame, THREE[1])
    assert set(shown(plot.weights(piped))[0]) == {r"\$x\$", "y"}
    for how, said in [({"label": "d"}, "no class 'd'"), ({"names": ["p"]}, "1 names and 2"), ({"top": 0}, "at least 1")]:
        with pytest.raises(ValueError, match=said):
            plot.weights(model, **how)


def test_models_from_files_have_names_and_signs(tmp_path):
    fitted(Perceptron(), pd.DataFrame(X, columns=["left", "right"])).save(tmp_path / "m.nvk")
    model = novikoff.load(tmp_path / "m.nvk")
    assert list(zip(*shown(plot.weights(model)), strict=True)) == model.largest(20)[0]

    class Turned(type(model.features)):
        def sign(self, column):
            return -1

    before = shown(plot.weights(model))[1]
    model.features = Turned(["left", "right"])
    assert shown(plot.weights(model))[1] == [-one for one in before]


def test_kernels_have_no_weights_of_features(tmp_path):
    model = fitted(KernelPerceptron("poly"))
    model.save(tmp_path / "k.nvk")
    for one in (model, novikoff.load(tmp_path / "k.nvk")):
        with pytest.raises(ValueError, match="a model with a kernel has no weights"):
            plot.weights(one)
    assert len(shown(plot.weights(fitted(KernelPerceptron("linear"))))[1]) == 2
    with pytest.raises(NotFittedError):
        plot.weights(Perceptron())
    with pytest.raises(ValueError, match="has no weights"):
        plot.weights(KNeighborsClassifier().fit(X, Y))


# ---- text that comes from data --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["$x^2$", r"$\frac{", r"a\$b", "عرض", "רוחב", "a\nb\tc", "\ud800\x07", "x" * 500, "{}%s", "_a", ""]
)
def test_no_name_breaks_a_plot_or_becomes_a_formula(text):
    names = np.where(Y > 0, text, "other" + text[:3])
    model = fitted(Perceptron(), X, names)
    ax = drawn(plot.boundary(model, X, names))
    drawn(plot.margins(model, X, names))
    drawn(plot.weights(model, names=[text, "b"], label=text))
    drawn(plot.certificate(novikoff.separate(X, names), X, names))
    assert name(text) in labels(ax) or text == ""
    assert not any(one._preprocess_math(one.get_text())[1] for one in ax.get_legend().get_texts())


def test_names_are_short_and_on_one_line():
    assert name("a\nb") == "a b"
    assert name("\x00") == "\N{REPLACEMENT CHARACTER}"
    assert name("x" * 29) == "x" * 27 + "…"
    assert name("x" * 28) == "x" * 28
    assert name("$") == r"\$"
