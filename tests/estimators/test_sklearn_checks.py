"""scikit-learn's own idea of a good estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import MarginPerceptron, ModifiedPerceptron, PassiveAggressive, Perceptron, RescaledPerceptron

WEIGHTED = (Perceptron, MarginPerceptron, PassiveAggressive)
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight scales the step; it is not repetition"
    for kind in ("dense", "sparse")
}
EXPECTED_AT_ONCE = EXPECTED | {
    "check_class_weight_classifiers": "rows of a class that weighs much are all right, but its region grows no further"
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        *(kind() for kind in WEIGHTED),
        Perceptron(multiclass="direct"),
        ModifiedPerceptron(),
        RescaledPerceptron(max_steps=200_000),
    ],
    expected_failed_checks=lambda estimator: (
        (EXPECTED_AT_ONCE if estimator.multiclass == "direct" else EXPECTED) if isinstance(estimator, WEIGHTED) else {}
    ),
    xfail_strict=True,
)
def test_sklearn_checks(estimator, check):
    check(estimator)
