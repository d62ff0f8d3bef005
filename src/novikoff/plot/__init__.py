"""Plots of runs, models and proofs. They need matplotlib: pip install 'novikoff[plot]'.

Each plot draws into `ax`, or into a new figure, and returns the axes. None shows or saves anything or changes matplotlib's
settings. Text and lines that belong to no class have the style's text colour.
"""

from novikoff.plot.boundary import boundary
from novikoff.plot.certificate import certificate
from novikoff.plot.development_curve import development_curve
from novikoff.plot.margins import margins
from novikoff.plot.mistakes import mistakes
from novikoff.plot.proof import proof
from novikoff.plot.weights import weights

__all__ = ["boundary", "certificate", "development_curve", "margins", "mistakes", "proof", "weights"]
