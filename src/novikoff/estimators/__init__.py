"""The scikit-learn faces of the learner: parameters in, nothing numerical here."""

from novikoff.estimators.development import DevelopmentCurve, development_curve
from novikoff.estimators.margin_perceptron import MarginPerceptron
from novikoff.estimators.passive_aggressive import PassiveAggressive
from novikoff.estimators.perceptron import Perceptron

__all__ = ["DevelopmentCurve", "MarginPerceptron", "PassiveAggressive", "Perceptron", "development_curve"]
