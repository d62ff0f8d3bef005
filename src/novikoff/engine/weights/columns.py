"""A weight for each column, and the bias."""

from typing import Any

import numpy as np

from novikoff.engine.labelled_rows import Examples, Sheet, checked_rows, examples, scores
from novikoff.engine.readouts import Readout
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.rules import Bound, Evidence, NoBound, Rule
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights.space import Opening
from novikoff.foundation.array_types import Array


class Columns:
    """The ordinary space."""

    kernel = None
    budget = None
    skips = repeats = ghost_learns = True
    no_streams, may_fail = "", False

    def look(self, X: Any, y: Any, *, constant: Any = 1, weight: Any = None, threads: int | None = None) -> Examples:
        return examples(X, y, constant=constant, weight=weight, threads=threads)

    def check(self, examples: Examples, rule: Rule) -> None:
        pass

    def vector_length(self, width: int) -> int:
        return width + 1

    def width(self, vector_length: int) -> int:
        return vector_length - 1

    def widen(self, vectors: Vectors, width: int, interleaved: int) -> None:
        """New columns come before the bias. Each column has `interleaved` weights, and so has the bias."""
        length = vectors.team.w.shape[1]
        added = np.full((width + 1) * interleaved - length, -1)
        vectors.relocate(np.concatenate([np.arange(length - interleaved), added, np.arange(length - interleaved, length)]))

    def holds(self, examples: Examples) -> bool:
        return True

    def new_state(self, readout: Readout, vectors: Vectors, held: bool) -> Any:
        return readout.new_state(vectors.team, vectors.readout_state, held)

    def open(self, examples: Examples, vectors: Vectors, opening: Opening) -> None:
        pass

    def before(self, examples: Examples, part: Array, watch: Any, vectors: Vectors) -> tuple[Sheet, Array, Any]:
        return examples.sheet, part, watch

    def after(self, examples: Examples, part: Array, vectors: Vectors) -> None:
        pass

    def rows_at_once(self, held: bool) -> int | None:
        return None

    def comparable(self, vectors: Vectors, examples: Examples) -> int:
        return int(vectors.team.w.shape[1])

    def refresh(self, examples: Examples, w: Array) -> None:
        pass

    def shut(self, examples: Examples, vectors: Vectors, voting_rows: Array) -> None:
        pass

    def scores(self, X: Any, constant: Any, w: Array, threads: int | None) -> Array:
        return scores(X, constant, w, threads)

    def scores_in(self, examples: Examples, w: Array, first: int = 0, last: int | None = None) -> Array:
        return examples.scores(w, first, last)

    def row_sqnorms(self, X: Any, constant: Any, threads: int | None) -> Array:
        return checked_rows(X, constant, threads)[1]

    def sqnorms(self, w: Array) -> Array:
        return np.asarray((w * w).sum(axis=1))

    def rounding(self, u: Array, u_norm: float, radius: float) -> float:
        return 2.0**-52 * u.size * radius  # Σ |u·z| is at most ‖u‖·R

    def voting(self, ballot: Ballot, threads: int) -> Ballot:
        return ballot

    def ballot_after(self, ballot: Ballot, examples: Examples, first_row: int, used: Array) -> Ballot:
        return ballot.with_rows(examples.sheet.rows, examples.width, first_row, used)

    def bound(self, rule: Rule, evidence: Evidence) -> Bound | NoBound:
        return rule.bound(evidence)

    def no_margins(self) -> NoBound | None:
        return None

    def require_columns(self, what: str) -> None:
        pass

    def require_inner_product(self) -> None:
        pass
