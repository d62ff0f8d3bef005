"""Objectives of linear systems."""

from fractions import Fraction
from typing import Any, NamedTuple

from novikoff.proof.exact_constraints import coefficients
from novikoff.proof.rational_matrix import Ends


class Objective(NamedTuple):
    """c·x, which is to be as large, or as small, as possible."""

    sense: str  # "maximize" or "minimize"
    c: Ends
    offset: Fraction = Fraction(0)  # a constant that files may add to it

    @property
    def sign(self) -> int:
        """Values times this are to be as large as possible."""
        return 1 if self.sense == "maximize" else -1

    @classmethod
    def of(cls, maximize: Any, minimize: Any, columns: int) -> "Objective | None":
        if maximize is not None and minimize is not None:
            raise ValueError("an objective is maximized or minimized: give one of them")
        if maximize is not None:
            return cls("maximize", coefficients(maximize, columns))
        return None if minimize is None else cls("minimize", coefficients(minimize, columns))
