"""Fast perceptron learning, with proofs."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "AROW": "novikoff.estimators.arow",
    "CompletelySeparable": "novikoff.proof.quasi_separation",
    "DevelopmentCurve": "novikoff.estimators.development_curve",
    "Feasible": "novikoff.proof.certificate",
    "Optimal": "novikoff.proof.certificate",
    "Unbounded": "novikoff.proof.certificate",
    "Infeasible": "novikoff.proof.certificate",
    "Inseparable": "novikoff.proof.certificate",
    "KernelPerceptron": "novikoff.estimators.kernel_perceptron",
    "Learner": "novikoff.learning.learner",
    "ManyInseparable": "novikoff.proof.certificate",
    "ManySeparable": "novikoff.proof.certificate",
    "MarginPerceptron": "novikoff.estimators.margin_perceptron",
    "Overlapping": "novikoff.proof.quasi_separation",
    "PassiveAggressive": "novikoff.estimators.passive_aggressive",
    "Perceptron": "novikoff.estimators.perceptron",
    "PolynomialMap": "novikoff.estimators.feature_maps",
    "Prepared": "novikoff.estimators.prepared",
    "Quadratic": "novikoff.estimators.feature_maps",
    "QuadraticMap": "novikoff.estimators.feature_maps",
    "QuasiSeparable": "novikoff.proof.quasi_separation",
    "Separable": "novikoff.proof.certificate",
    "Undecided": "novikoff.proof.certificate",
    "Model": "novikoff.models.model",
    "ModifiedPerceptron": "novikoff.estimators.modified_perceptron",
    "OnlineLearner": "novikoff.estimators.online_learner",
    "RescaledPerceptron": "novikoff.estimators.rescaled_perceptron",
    "development_curve": "novikoff.estimators.development_curve",
    "distance": "novikoff.learning.losses",
    "hinge_loss": "novikoff.learning.losses",
    "load": "novikoff.models.model",
    "margin": "novikoff.learning.losses",
    "max_margin": "novikoff.solve.max_margin",
    "open": "novikoff.data.readers",
    "perceptron_loss": "novikoff.learning.losses",
    "perceptron_subgradient": "novikoff.learning.losses",
    "quasi_separate": "novikoff.solve.quasi_separation",
    "report": "novikoff.reporting",
    "rows_in_the_way": "novikoff.solve.rows_in_the_way",
    "separate": "novikoff.solve.separability",
    "solve_system": "novikoff.solve.linear_systems",
    "solve_cone": "novikoff.solve.cone",
    "verify": "novikoff.proof.verify",
}
_MODULES = ("plot",)
__all__ = sorted([*_HOMES, *_MODULES])


def __getattr__(name: str) -> Any:
    """Import public names when they are first used: scikit-learn is slow to import."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
