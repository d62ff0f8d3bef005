"""`MarginPerceptron()` untouched, on real data, against a linear SVM whose C was tuned on the test set."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from novikoff import MarginPerceptron

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import problems

pytestmark = pytest.mark.filterwarnings("ignore")


LONG = pytest.mark.full


@pytest.mark.parametrize("name", ["reuters", pytest.param("a9a", marks=LONG), pytest.param("ijcnn1", marks=LONG)])
def test_within_half_a_point_of_a_tuned_svm(name):
    data = problems.real(name)
    if data is None:
        pytest.skip("the data is not beside the project")
    train, test = data
    ours = np.mean([MarginPerceptron(random_state=seed).fit(*train).score(*test) for seed in range(5)])
    best = max(LinearSVC(C=C).fit(*train).score(*test) for C in (0.01, 0.1, 1, 10))
    assert ours >= best - 0.005
