"""scikit-learn's own idea of a good estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import (
    MarginPerceptron,
    ModifiedPerceptron,
    PassiveAggressive,
    Perceptron,
    PolynomialMap,
    QuadraticMap,
    RescaledPerceptron,
)

MAPS = [QuadraticMap(), PolynomialMap(), PolynomialMap(degree=2, repeated=True)]
WEIGHTED = (Perceptron, MarginPerceptron, PassiveAggressive)
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight scales the step; it is not repetition"
    for kind in ("dense", "sparse")
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [*(kind() for kind in WEIGHTED), ModifiedPerceptron(), RescaledPerceptron(max_steps=200_000), *MAPS],
    expected_failed_checks=lambda estimator: EXPECTED if isinstance(estimator, WEIGHTED) else {},
    xfail_strict=True,
)
def test_sklearn_checks(estimator, check):
    check(estimator)
