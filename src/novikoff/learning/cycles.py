"""Cycles: once weights return to an earlier value, the same passes repeat for ever (F9)."""

from typing import NamedTuple

import numpy as np

from novikoff.engine.sweep import Team
from novikoff.foundation.array_types import Array


class Cycle(NamedTuple):
    """The weights after pass `last` are those before pass `first`, so passes first…last repeat for ever (F9).

    In between, the steps on these rows, with these counts, have cancelled out, up to rounding.
    """

    first: int
    last: int
    rows: Array
    times: Array
    rivals: Array | None = None  # of the rows, if all classes learn at once

    def __str__(self) -> str:
        if self.first == self.last:
            return f"pass {self.first} repeats for ever"
        return f"passes {self.first} to {self.last} repeat for ever"


class Return(NamedTuple):
    """A vector came back to earlier weights: in which passes, and between which examples."""

    first: int
    last: int
    since: int
    until: int


class CycleDetector:
    """Detects that weights return, with one copy of them [brent1980improved]. The copy is renewed after 1, 2, 4, … passes."""

    def __init__(self, team: Team, passes: int, comparable: int) -> None:
        self.returns: dict[int, Return] = {}  # by vector
        self._comparable = comparable  # how many leading numbers of a vector are compared
        self._keep(team, passes, 1)

    def _keep(self, team: Team, passes: int, wait: int) -> None:
        # If w has always been 0, new zeros are faster than a copy.
        w = team.w[:, : self._comparable]
        self._w = w.copy() if team.peak.any() else np.zeros(w.shape, w.dtype)
        self._sqnorm, self._clock = team.w_sqnorm.copy(), team.clock.copy()
        self._passes, self._wait = passes, wait

    def look(self, team: Team, passes: int, going_on: bool) -> None:
        """Call it after a pass. Records each vector that has changed and returned to earlier weights."""
        for v in np.flatnonzero((team.w_sqnorm == self._sqnorm) & (team.changed >= self._clock)).tolist():
            if v not in self.returns and (team.w[v, : self._comparable] == self._w[v]).all():
                self.returns[v] = Return(self._passes + 1, passes, int(self._clock[v]), int(team.clock[v]))
        if going_on and passes - self._passes == self._wait:
            self._keep(team, passes, 2 * self._wait)
