"""Warnings after a fit: short, once, at the line of the caller, and only where something can be done."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from novikoff import AROW, KernelPerceptron, MarginPerceptron, PassiveAggressive, Perceptron, Prepared
from novikoff.estimators.fit_warnings import SCALES, OriginRemark, ScaleRemark, scales_differ

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
y = np.where(X @ rng.normal(size=5) + rng.normal(size=200) > 0, 1, -1)
RAW = X * [1, 1, 1000, 1, 1]


def caught_by(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return caught


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, lambda A: A.astype(np.float32), np.asfortranarray])
@pytest.mark.parametrize("estimator", [Perceptron(max_iter=3), MarginPerceptron(), PassiveAggressive(), AROW()])
def test_columns_of_different_scales_are_remarked_on(make, estimator):
    remarks = [one for one in caught_by(lambda: estimator.fit(make(RAW), y)) if one.category is ScaleRemark]
    assert [str(one.message) for one in remarks] == [SCALES]
    assert remarks[0].filename == __file__
    assert "novikoff.Prepared" in SCALES
    assert "StandardScaler" in SCALES
    for scaled in (X, X * [1, 1, 20, 1, 1], Prepared().fit_transform(RAW)):
        assert ScaleRemark not in {one.category for one in caught_by(lambda rows=scaled: estimator.fit(make(rows), y))}


def test_what_has_comparable_scales():
    assert scales_differ(RAW)
    assert not scales_differ(RAW[:19])  # few rows say little
    assert not scales_differ(RAW[:, 2:3])
    assert not scales_differ(np.zeros((30, 3)))
    assert not scales_differ(np.zeros((30, 0)))
    assert not scales_differ(np.column_stack([RAW[:, 2], np.zeros(200)]))
    assert scales_differ(np.column_stack([RAW[:, 2], np.full(200, -1e-3)]))
    many = np.tile(RAW, (50, 1))
    assert scales_differ(many)
    assert scales_differ(sp.csr_array(many))
    words = sp.random_array((500, 2000), density=0.01, format="csr", rng=1)
    words.data[:] = 1 + words.data
    assert not scales_differ(words)
    words.data[:60] = 0.001  # a few rare words
    assert not scales_differ(words)


def test_a_kernel_decides_about_scales_itself():
    assert ScaleRemark not in {one.category for one in caught_by(lambda: KernelPerceptron(max_iter=2).fit(RAW, y))}


@pytest.mark.parametrize("estimator", [MarginPerceptron(), PassiveAggressive(), AROW(), MarginPerceptron(max_iter=9)])
def test_a_few_passes_by_design_are_no_failure_to_converge(estimator):
    assert caught_by(lambda: estimator.fit(X, y)) == []


@pytest.mark.parametrize("estimator", [Perceptron(max_iter=5), KernelPerceptron("linear", max_iter=5)])
def test_a_run_that_should_have_ended_with_a_clean_pass_warns(estimator):
    (warning,) = caught_by(lambda: estimator.fit(X, y))
    assert warning.category is ConvergenceWarning
    assert "no clean pass in max_iter=5" in str(warning.message)
    assert warning.filename == __file__


def test_all_fits_of_a_search_have_the_line_of_the_search():
    search = GridSearchCV(MarginPerceptron(), {"c": [0.1, 0.5]}, cv=3)
    found = {(str(one.message), one.filename, one.lineno) for one in caught_by(lambda: search.fit(RAW, y))}
    assert len(found) == 1
    assert next(iter(found))[:2] == (SCALES, __file__)


def test_a_search_far_from_the_origin_is_remarked_on_once():
    search = GridSearchCV(MarginPerceptron(), {"c": [0.1, 0.5]}, cv=3)
    caught = [one for one in caught_by(lambda: search.fit(X + 500, y)) if one.category is OriginRemark]
    assert [one.filename for one in caught] == [__file__]
    (first, second) = (caught_by(lambda: MarginPerceptron().fit(X + 500, y)) for _ in range(2))
    assert [one.category for one in first] == [one.category for one in second] == [OriginRemark]


SEARCH = """
import numpy as np
from sklearn.model_selection import GridSearchCV
from novikoff import MarginPerceptron
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 3)) * [1, 1, 1000]
GridSearchCV(MarginPerceptron(), {"c": [0.1, 0.5]}, cv=3).fit(X, X[:, 0] > 0)
"""


def test_a_search_shows_one_warning():
    said = subprocess.run([sys.executable, "-c", SEARCH], capture_output=True, text=True, check=True).stderr
    assert said.count("ScaleRemark") == 1
    assert "Convergence" not in said
