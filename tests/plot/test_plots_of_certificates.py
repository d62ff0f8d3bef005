"""certificate: what is drawn is what was proved."""

import math
import warnings
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reading import bars, contours, drawn, labels, line, points, shading, texts

from novikoff import Inseparable, MarginPerceptron, Perceptron, Separable, max_margin, plot, separate, solve_cone
from novikoff.data import datasets
from novikoff.plot.certificate import hull_of, meeting_point
from oracles import any_data

X, Y = datasets.gaussian_pair(80, 2, 0.1)[:2]
XOR = datasets.boolean("xor", 2)


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def test_the_hyperplane_its_strip_and_its_support():
    cert = max_margin(X, Y)
    ax = drawn(plot.certificate(cert, X, Y))
    zero, below, above = contours(ax)
    w, b = cert.weights, cert.intercept
    assert np.abs(zero @ w + b).max() < 1e-9 * np.linalg.norm(w)
    least = (Y * (X @ w + b)).min()
    assert {*np.round((below @ w + b) / least, 6), *np.round((above @ w + b) / least, 6)} == {-1.0, 1.0}
    assert sorted(points(ax, f"support rows: {len(cert.hull.rows)}").tolist()) == sorted(X[list(cert.hull.rows)].tolist())
    assert f"{cert.margin.low:.4g}" in ax.get_title()


THREE = np.array([[0.0, 3.0], [3.0, 0.0], [-3.0, -3.0], [0.1, 3.0], [1.0, 1.5], [1.5, 1.0], [-1.0, -1.2], [-0.5, 0.4]])
KINDS = np.array(["a", "b", "c", "a", "a", "b", "c", "a"])


@pytest.mark.parametrize("classes", [2, 3])
def test_the_strip_is_where_whoever_leads_does_so_by_less_than_every_row(classes):
    if classes == 2:
        rows, names, _ = datasets.gaussian_pair(80, 2, 0.3)
        cert = max_margin(rows, names)
        w, b = np.stack([-cert.weights, cert.weights]) / 2, np.array([-cert.intercept, cert.intercept]) / 2
    else:
        rows, names = THREE, KINDS
        cert = fitted(Perceptron(multiclass="direct", max_iter=1000), rows, names).certificate_
        w, b = cert.weights, cert.intercepts

    def ahead(at):
        scores = np.sort(at @ w.T + b, axis=1)
        return scores[:, -1] - scores[:, -2]

    least = ahead(rows).min()  # every row is right, so that who leads there is its own class
    ax = drawn(plot.certificate(cert, rows, names))
    corner, other = np.array([ax.get_xlim(), ax.get_ylim()]).T
    at = corner + (other - corner) * np.random.default_rng(0).random((4000, 2))
    change = np.linalg.norm((other - corner) / 199) * max(np.linalg.norm(one - two) for one in w for two in w)  # over a cell
    clear = np.abs(ahead(at) - least) > 2 * change  # of the edge, which is no finer than the grid
    inside = ahead(at[clear]) < least
    assert (shading(ax)(at[clear]) == inside).all()
    assert min(inside.sum(), (~inside).sum()) > 100
    edges = contours(ax)[-classes:]
    assert all(np.abs(ahead(edge) - least).max() <= change for edge in edges)


@pytest.mark.parametrize("model", [Perceptron(), MarginPerceptron(max_iter=100, random_state=0)])
def test_the_rows_with_rings_are_those_on_the_margin_whatever_the_updates_were(model):
    for seed in range(3):
        rows, names, _ = datasets.gaussian_pair(80, 2, 0.1, seed)
        cert = fitted(model, rows, names).certificate_
        assert isinstance(cert, Separable)
        own = names * (rows @ cert.weights + cert.intercept)
        on_it = own <= own.min() * (1 + 1e-9)
        assert points(drawn(plot.certificate(cert, rows, names)), f"support rows: {on_it.sum()}").tolist() == rows[on_it].tolist()


def test_of_many_columns_the_margins_are_sorted_above_that_of_the_certificate():
    wide = np.column_stack([X, X[:, 0] - X[:, 1]])
    cert = max_margin(wide, Y)
    ax = drawn(plot.certificate(cert, wide, Y))
    drawn_points = np.vstack([np.column_stack(line(ax, label).get_data()) for label in ("-1", "1")])
    heights = drawn_points[np.argsort(drawn_points[:, 0])]
    own = Y * (wide @ cert.weights + cert.intercept) / np.linalg.norm(cert.weights)
    assert heights[:, 0].tolist() == list(range(1, 81))
    assert heights[:, 1] == pytest.approx(np.sort(own))
    assert heights[0, 1] == pytest.approx(cert.margin.low)
    assert line(ax, "margin").get_ydata()[0] == cert.margin.low
    assert line(ax, "no hyperplane").get_ydata()[0] == cert.margin.high


@given(any_data())
def test_the_hulls_meet_where_both_classes_put_it(data):
    X, y = np.asarray(data[0], float), np.asarray(data[1])
    X = np.column_stack([X, X])[:, :2]
    cert = separate(X, y)
    assume(isinstance(cert, Inseparable))
    ax = plot.certificate(cert, X, y)
    (across,), (up,) = line(ax, "where the hulls meet").get_data()
    for label in (1, -1):
        chosen = [(X[row], value) for row, value in zip(cert.rows, cert.multipliers, strict=True) if y[row] == label]
        total = sum(value for _, value in chosen)
        exact = [sum(Fraction(x[d]) * value for x, value in chosen) / total for d in (0, 1)]
        assert (across, up) == (float(exact[0]), float(exact[1]))
        if not len(chosen) > 12:
            written = sum(Fraction(t.get_text()[4:]) for t, (x, _) in pairs(ax, chosen))
            assert float(written) == pytest.approx(1, abs=0.01)  # three digits, or exactly
    assert len(points(ax, f"{len(cert.rows)} rows of")) == len(cert.rows)
    plt.close(ax.figure)


def pairs(ax, chosen):
    """Each of the chosen rows with the text beside it."""
    left = list(ax.texts)
    for one in chosen:
        text = next(t for t in left if tuple(t.xy) == tuple(one[0]))
        left.remove(text)
        yield text, one


def test_xor_is_two_lines_that_cross():
    ax = drawn(plot.certificate(separate(*XOR), *XOR))
    assert [part.tolist() for part in line(ax, "where the hulls meet").get_data()] == [[0.5], [0.5]]
    assert texts(ax) == ["λ = 1/2"] * 4
    assert "4 rows contradict" in ax.get_title()


def test_without_an_intercept_the_rows_cancel_at_the_origin():
    X, y = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 0.0]]), np.array([1, -1, 1])
    cert = separate(X, y, fit_intercept=False)
    ax = drawn(plot.certificate(cert, X, y))
    assert [tuple(np.ravel(part)) for part in line(ax, "0, where").get_data()] == [(0,), (0,)]
    arrows = [one for one in ax.texts if one.arrow_patch is not None]
    assert {tuple(one.xy) for one in arrows} == {tuple(X[row] * y[row]) for row in cert.rows}
    assert [text for text in texts(ax) if text] == ["λ = 2/3", "λ = 1/3"]
    alone = separate([[0.0, 0.0], [1.0, 2.0]], [1, -1], fit_intercept=False)
    assert "1 row contradict" in drawn(plot.certificate(alone, [[0.0, 0.0], [1.0, 2.0]], [1, -1])).get_title()


def test_multipliers_of_many_columns_are_bars():
    wide = np.column_stack([XOR[0], XOR[0][:, :1]])
    cert = separate(wide, XOR[1])
    ax = drawn(plot.certificate(cert, wide, XOR[1]))
    for label in set(XOR[1].tolist()):
        own = [value for row, value in zip(cert.rows, cert.multipliers, strict=True) if XOR[1][row] == label]
        assert [bar.get_width() for bar in bars(ax, str(label))] == [float(value / sum(own)) for value in own]
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"row {row}" for row in sorted(cert.rows)]


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_through_a_kernel_the_line_is_curved(kernel):
    X, y = datasets.ball(40, 2, 1.0)
    cert = separate(X, y, kernel=kernel, gamma=1.0)
    ax = drawn(plot.certificate(cert, X, y))
    zero = contours(ax)[0]

    def of(a, b):
        return (1 + a @ b.T) ** 3 if kernel == "poly" else np.exp(-((a[:, None] - b[None]) ** 2).sum(-1))

    f = of(X, X[list(cert.support)]) @ cert.weights.astype(float)
    assert np.abs(of(zero, X[list(cert.support)]) @ cert.weights.astype(float)).max() < 0.05 * np.abs(f).max()
    wide = np.column_stack([X, X[:, 0]])
    cert = separate(wide, y, kernel=kernel, gamma=1.0)
    drawn_heights = np.concatenate([line(drawn(plot.certificate(cert, wide, y)), str(label)).get_ydata() for label in (-1, 1)])
    assert drawn_heights.min() >= cert.margin.low * (1 - 1e-6)


def test_kernels_that_are_functions_are_given_and_others_have_notes():
    def even(A, B):
        return (np.asarray(A) @ np.asarray(B).T) ** 2 + 1

    cert = separate(*XOR, kernel=even)
    assert isinstance(cert, Separable)
    assert contours(drawn(plot.certificate(cert, *XOR, kernel=even)))
    with pytest.raises(ValueError, match="kernel=function"):
        plot.certificate(cert, *XOR)
    none = separate(*XOR, kernel="linear", fit_intercept=True)
    assert "space of the kernel linear" in texts(drawn(plot.certificate(none, *XOR)))[0]
    gram = (1 + XOR[0] @ XOR[0].T) ** 2
    drawn(plot.certificate(separate(gram, XOR[1], kernel="precomputed"), gram, XOR[1]))


def test_what_is_undecided_is_told():
    X, y, _ = datasets.with_label_noise(*datasets.gaussian_pair(80, 2, 0.1)[:2], 0.1)
    cert = fitted(Perceptron(max_iter=3), X, y).certificate_
    ax = drawn(plot.certificate(cert, X, y))
    assert texts(ax)[0].replace("\n", " ") == str(cert).replace("`", "")
    assert len(points(ax, f"rows known to bound the margin: {len(cert.hull.rows)}")) == len(cert.hull.rows)
    wide = np.column_stack([X, X])
    cert = fitted(Perceptron(max_iter=3), wide, y).certificate_
    assert math.isclose(
        sum(bar.get_width() for group in drawn(plot.certificate(cert, wide, y)).containers for bar in group), 1
    ) or (len(cert.hull.rows) > 30)


def test_many_classes_at_once():
    X = np.array([[0.0, 3.0], [3.0, 0.0], [-3.0, -3.0], [0.1, 3.0]])
    y = np.array(["a", "b", "c", "a"])
    cert = fitted(Perceptron(multiclass="direct"), X, y).certificate_
    ax = drawn(plot.certificate(cert, X, y))
    assert len(contours(ax, style=None)) >= 3
    assert len(contours(ax)) == 6  # for each class where it is tied, and where it leads by as much as every row does
    wide = np.column_stack([X, X])
    cert = fitted(Perceptron(multiclass="direct"), wide, y).certificate_
    ax = drawn(plot.certificate(cert, wide, y))
    assert min(line(ax, label).get_ydata().min() for label in "abc") == pytest.approx(cert.margin.low)
    X, y = np.array([[0.0], [1.0], [2.0], [1.0]]), np.array([0, 1, 2, 0])
    cert = fitted(Perceptron(multiclass="direct", max_iter=200), X, y).certificate_
    ax = drawn(plot.certificate(cert, X, y))
    assert sum(bar.get_width() for group in ax.containers for bar in group) == pytest.approx(1)
    assert ", not " in ax.get_yticklabels()[0].get_text()


def test_frames_and_one_class_against_the_rest():
    X = np.random.default_rng(0).standard_normal((30, 2))
    y = np.array(["a", "b", "c"])[np.arange(30) % 3]
    frame = pd.DataFrame(X, columns=["left", "right"])
    ax = drawn(plot.certificate(separate(X, y, positive="a"), frame, y))
    assert labels(ax)[:2] == ["the rest", "a"]
    assert ax.get_xlabel() == "left"


def test_other_data_and_other_things_are_refused():
    cert = separate(X, Y)
    for rows, names in [(X[:-1], Y[:-1]), (X[::-1], Y), (X, -Y), (np.column_stack([X, X]), Y), (X, np.full(80, "a"))]:
        with pytest.raises(ValueError, match="about other data"):
            plot.certificate(cert, rows, names)
    for other in (solve_cone([[1.0, 1.0]]), "certificate", None):
        with pytest.raises(TypeError, match="a certificate about classes"):
            plot.certificate(other, X, Y)
    with pytest.raises(ValueError, match="choose one, as in"):
        plot.certificate({"a": cert}, X, Y)
    assert plt.get_fignums() == []


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=12))
def test_a_hull_has_every_point_to_its_left(some):
    corners = hull_of(np.array(some, float))
    assert set(map(tuple, corners.tolist())) <= {(float(a), float(b)) for a, b in some}
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        assert all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0 for x, y in some)
    assert (corners.min(axis=0) == np.min(some, axis=0)).all()
    assert (corners.max(axis=0) == np.max(some, axis=0)).all()


def test_the_meeting_point_rounds_once():
    rows = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]])
    found = meeting_point(rows, [0, 1, 2], [Fraction(1)] * 3, np.array([True, True, True]))
    assert found[0] == float(sum(Fraction(x) for x in (0.1, 0.2, 0.3)) / 3)
