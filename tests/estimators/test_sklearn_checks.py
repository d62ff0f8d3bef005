"""scikit-learn's own idea of a good estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron

EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight scales the step; it is not repetition"
    for kind in ("dense", "sparse")
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [Perceptron(), MarginPerceptron(), PassiveAggressive()], expected_failed_checks=lambda estimator: EXPECTED, xfail_strict=True
)
def test_sklearn_checks(estimator, check):
    check(estimator)
