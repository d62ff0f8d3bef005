"""The RBF kernel on rows far from the origin."""

import pytest

from kernel_problems import circles
from novikoff import KernelPerceptron


def test_rows_that_floats_cannot_tell_apart_are_refused():
    X, y = circles(60)
    for shift in (0, 1e3):
        assert KernelPerceptron("rbf", gamma=0.5).fit(X + shift, y).stop_reason_ == "clean pass"
    with pytest.raises(ValueError, match=r"so far from 0 that values of the RBF kernel would be wrong by about .*StandardScaler"):
        KernelPerceptron("rbf", gamma=0.5).fit(X + 1e7, y)
