"""The weight vectors of a learner, and the arrays that change shape with them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.engine.confidences import State
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.sweep import Team
from novikoff.foundation.array_types import Array

PLAIN = Plain()
MANY = 8  # from so many vectors on, it matters that a cache line has weights of several vectors


class Vectors:
    """The team, the states of its confidence and readout, and the first weights.

    Two-dimensional arrays hold one vector per row, the bias last.
    """

    def __init__(
        self, team: Team, readout_state: Any = None, start: Array | None = None, confidence: State | Plain = PLAIN
    ) -> None:
        self.team = team
        self.confidence = confidence
        self.readout_state = readout_state  # a NamedTuple of arrays, from `Readout.new_state`
        self.start = start  # the first weights, if they were not all 0
        self._by_columns = False

    def matrices(self) -> list[Array]:
        """Every array that has a vector in each row; the weights come first."""
        state = [part for part in self.readout_state if part.ndim == 2] if self.readout_state is not None else []
        return [self.team.w, *state, *([] if self.start is None else [self.start])]

    def lay_out(self, by_columns: bool) -> None:
        """Store each vector in one piece; or the weights of a column next to each other, if there are many vectors.

        The latter is for sparse rows: they are scored for all vectors with the same cache lines. Nothing but the layout in memory
        changes.
        """
        self._by_columns = by_columns
        self._lay_out()

    def _lay_out(self) -> None:
        laid_out = np.asfortranarray if self._by_columns and len(self.team.w) >= MANY else np.ascontiguousarray
        self.team = self.team._replace(w=laid_out(self.team.w))
        if self.readout_state is not None:
            self.readout_state = _laid_out(self.readout_state, laid_out)
        self.confidence = _laid_out(self.confidence, laid_out)

    def transform(self, change: Callable[[Array], Array]) -> None:
        """Replace every matrix by `change(matrix)`."""
        self.team = self.team._replace(w=change(self.team.w))
        if self.readout_state is not None:
            parts = (change(part) if part.ndim == 2 else part for part in self.readout_state)
            self.readout_state = type(self.readout_state)(*parts)
        if self.start is not None:
            self.start = change(self.start)
        self._lay_out()

    def relocate(self, source: Array) -> None:
        """Weight j of each vector becomes weight source[j], or a new one of 0 where that is −1."""
        self.confidence = self.confidence.relocated(source)  # first, since it may be refused
        self.transform(lambda matrix: np.where(source >= 0, matrix[:, source], matrix.dtype.type(0)))

    def rearrange(self, source: Array, sign: Array) -> None:
        """Vector k becomes vector source[k], negated where sign[k] is −1. Counts go with the vectors."""

        def rearranged(array: Array) -> Array:
            taken: Array = array[source]
            return np.where(sign[:, None] < 0, -taken, taken) if taken.ndim == 2 else taken

        self.confidence = self.confidence.carried(source)  # first, since it may be refused
        self.team = Team(*map(rearranged, self.team))
        if self.readout_state is not None:
            self.readout_state = type(self.readout_state)(*map(rearranged, self.readout_state))
        if self.start is not None:
            self.start = rearranged(self.start)
        self._lay_out()

    def rows(self, which: slice) -> Array:
        """The vectors `which`, one per row: the weights, then the arrays of the confidence."""
        w = self.team.w[which]
        parts = [w, *(part[which].reshape(len(w), -1) for part in self._learned())]
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def set_rows(self, which: slice, rows: Array) -> None:
        """Replace the vectors `which`, as `rows` gives them."""
        at = self.team.w.shape[1]
        self.set_weights(which, rows[:, :at])
        for part in self._learned():
            length = part[0].size
            part[which] = rows[:, at : at + length].reshape(part[which].shape)
            at += length

    def _learned(self) -> list[Array]:
        state: Any = self.confidence
        return [] if isinstance(state, Plain) else [getattr(state, name) for name in state.learned]

    def set_weights(self, which: slice, w: Array) -> None:
        """Replace the weights of the vectors `which`."""
        self.team.w[which] = w
        self.team.w_sqnorm[which] = self.team.peak[which] = (w * w).sum(axis=1)


def _laid_out(state: Any, laid_out: Callable[[Array], Array]) -> Any:
    """The state, a `NamedTuple`, with its two-dimensional arrays so."""
    parts = (laid_out(part) if isinstance(part, np.ndarray) and part.ndim == 2 else part for part in state)
    return type(state)(*parts)
