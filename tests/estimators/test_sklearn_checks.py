"""scikit-learn's own idea of a good estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import (
    AROW,
    KernelPerceptron,
    MarginPerceptron,
    ModifiedPerceptron,
    PassiveAggressive,
    Perceptron,
    PolynomialMap,
    QuadraticMap,
    RescaledPerceptron,
)

MAPS = [QuadraticMap(), PolynomialMap(), PolynomialMap(degree=2, repeated=True)]
WEIGHTED = (AROW, Perceptron, MarginPerceptron, PassiveAggressive, KernelPerceptron)
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight scales the step; it is not repetition"
    for kind in ("dense", "sparse")
}
EXPECTED_AT_ONCE = EXPECTED | {
    "check_class_weight_classifiers": "rows of a class that weighs much are all right, but its region grows no further"
}
NO_STREAMS = ("check_fit_score_takes_y", "check_n_features_in_after_fitting", "check_estimators_partial_fit_n_features")
EXPECTED_OF_VOTES = EXPECTED | dict.fromkeys(NO_STREAMS, "votes keep every update, and refuse streams by name")


def expected(estimator):
    if not isinstance(estimator, WEIGHTED):
        return {}
    if estimator.readout == "voted":
        return EXPECTED_OF_VOTES
    return EXPECTED_AT_ONCE if estimator.multiclass == "direct" else EXPECTED


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        *(kind() for kind in WEIGHTED),
        Perceptron(multiclass="direct"),
        ModifiedPerceptron(),
        RescaledPerceptron(max_steps=200_000),
        KernelPerceptron("poly", degree=2, readout="averaged", fit_intercept=True),
        KernelPerceptron(readout="voted", max_iter=20),
        KernelPerceptron(budget=30, max_iter=20),
        *MAPS,
    ],
    expected_failed_checks=expected,
    xfail_strict=True,
)
def test_sklearn_checks(estimator, check):
    check(estimator)
