"""Perceptron learning: as fast as it gets, with the proof."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "DevelopmentCurve": "novikoff.estimators.development",
    "Feasible": "novikoff.certificate",
    "Infeasible": "novikoff.certificate",
    "Inseparable": "novikoff.certificate",
    "KernelPerceptron": "novikoff.estimators.kernel_perceptron",
    "Learner": "novikoff.learner",
    "ManyInseparable": "novikoff.certificate",
    "ManySeparable": "novikoff.certificate",
    "MarginPerceptron": "novikoff.estimators.margin_perceptron",
    "PassiveAggressive": "novikoff.estimators.passive_aggressive",
    "Perceptron": "novikoff.estimators.perceptron",
    "PolynomialMap": "novikoff.estimators.maps",
    "Quadratic": "novikoff.estimators.maps",
    "QuadraticMap": "novikoff.estimators.maps",
    "Separable": "novikoff.certificate",
    "Undecided": "novikoff.certificate",
    "Model": "novikoff.models",
    "ModifiedPerceptron": "novikoff.estimators.modified_perceptron",
    "OnlineLearner": "novikoff.online",
    "RescaledPerceptron": "novikoff.estimators.rescaled_perceptron",
    "development_curve": "novikoff.estimators.development",
    "distance": "novikoff.losses",
    "hinge_loss": "novikoff.losses",
    "load": "novikoff.models",
    "margin": "novikoff.losses",
    "max_margin": "novikoff.widest",
    "open": "novikoff.readers",
    "perceptron_loss": "novikoff.losses",
    "perceptron_subgradient": "novikoff.losses",
    "report": "novikoff.reporting",
    "rows_in_the_way": "novikoff.removal",
    "separate": "novikoff.separability",
    "solve_system": "novikoff.systems",
    "solve_cone": "novikoff.cone",
    "verify": "novikoff.verification",
}
_MODULES = ("plot",)
__all__ = sorted([*_HOMES, *_MODULES])


def __getattr__(name: str) -> Any:
    """Everything public is here, and imported when it is first asked for: scikit-learn and numba take their time."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
