"""Pictures of runs, models and proofs, drawn with matplotlib: pip install 'novikoff[plot]'.

Each draws into `ax`, or into a figure of its own, and returns the axes. None shows or saves anything, and none changes a setting
of matplotlib: text and lines that are neither class has take the colour that the style gives to text.
"""

from novikoff.plot.boundary import boundary
from novikoff.plot.certificate import certificate
from novikoff.plot.development_curve import development_curve
from novikoff.plot.margins import margins
from novikoff.plot.mistakes import mistakes
from novikoff.plot.proof import proof
from novikoff.plot.weights import weights

__all__ = ["boundary", "certificate", "development_curve", "margins", "mistakes", "proof", "weights"]
