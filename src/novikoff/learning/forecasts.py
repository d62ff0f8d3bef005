"""The scores that rows got before they were learned from. They are honest, so probabilities can be fitted to them."""

from typing import NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array

MOST_ROWS = 2048  # with more rows, the few numbers that are fitted would hardly change
MOST_SCORES = 2**17  # but fewer rows if there are many classes
LEAST_ROWS = 64


class Forecasts(NamedTuple):
    """The latest forecasts. That of example t is in row t, modulo the length."""

    scores: Array  # as `storages.decide` orders them
    code: Array  # the class of the row; −1 where there is no forecast yet
    weight: Array  # the sample weight of the row

    def known(self) -> Array:
        """Where there are forecasts."""
        return np.flatnonzero(self.code >= 0)

    def add(self, first: int, foretold: Array, code: Array, weight: Array) -> None:
        """Add the examples from `first` on, whose scores are in `foretold`, a ring as well. It may be `self.scores` itself."""
        latest = len(code) - min(len(code), len(self.code))
        example = np.arange(first + latest, first + len(code))
        place = example % len(self.code)
        if foretold is not self.scores:
            self.scores[place] = foretold[example % len(foretold)]
        finite = np.isfinite(self.scores[place]).all(axis=1)  # scores can overflow
        self.code[place] = np.where(finite, code[latest:], -1)
        self.weight[place] = weight[latest:]


def no_forecasts(columns: int) -> Forecasts:
    """Room for forecasts of `columns` scores each."""
    rows = max(LEAST_ROWS, min(MOST_ROWS, MOST_SCORES // columns))
    return Forecasts(np.zeros((rows, columns)), np.full(rows, -1, np.int32), np.zeros(rows))
