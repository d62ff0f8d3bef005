"""Many classes, each against the rest: one vector for two classes, one per class for more.

The last vector is for the ghost, a class that has not occurred yet: every row is an example against it. A class that appears
in the middle of a stream starts as a copy of the ghost. Its weights are then exactly those of a class announced at the start.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.readouts.voted import Ballot, History
from novikoff.engine.sweep import Page, Team, new_team
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights.space import Space
from novikoff.foundation.array_types import Array
from novikoff.learning.ledger import Entries, Ledger

ERROR_BLOCK = 65_536  # rows whose scores are held at once while counting errors


class OneVsRest:
    name = "ovr"
    description = "each learns against the rest"
    at_once = False
    stretch_sq = 1  # ‖z‖²/‖x‖²
    answering = slice(-1)
    entries: type[Entries] = Entries

    # ---- vectors and classes ----------------------------------------------------------------------------------------

    def interleaved(self, classes: int) -> int:
        return 1

    def targets(self, classes: int) -> list[int]:
        return [*targets_of(classes), -1]

    def new_team(self, classes: int, length: int, number: Any) -> Team:
        targets = self.targets(classes)
        team = new_team(len(targets), length, number)
        team.target[:] = targets
        return team

    def ghost(self, team: Team) -> int | None:
        return len(team.w) - 1 if len(team.w) > 1 else None  # with one class the ghost is the only vector: negated, it answers

    def members(self, vectors: int, classes: int, ghost_learns: bool) -> Array:
        return np.arange(vectors if ghost_learns or vectors == 1 else vectors - 1, dtype=np.uint32)

    def admit(self, vectors: Vectors, ledgers: list[Ledger], old: list[Any], new: list[Any]) -> list[Ledger]:
        """Each vector takes over the history of an old one, or of its mirror image.

        With two classes one vector serves both, with opposite signs. With one class the ghost is its mirror image.
        """
        ghost = len(ledgers) - 1

        def past(name: Any) -> tuple[int, int]:
            if name not in old:
                return ghost, 1
            if len(old) == 1:
                return ghost, -1
            if len(old) == 2:
                return 0, (1 if name == old[1] else -1)
            return old.index(name), 1

        pasts = [past(new[code]) for code in targets_of(len(new))] + [(ghost, 1)]
        vectors.rearrange(np.array([source for source, _ in pasts]), np.array([sign for _, sign in pasts]))
        vectors.team = vectors.team._replace(
            target=np.array(self.targets(len(new)), np.int32), factor=np.full((len(pasts), 2), 1, vectors.team.factor.dtype)
        )
        return [ledgers[source].copy(mirrored=sign < 0) for source, sign in pasts]

    def prepare(self, examples: Examples, team: Team, weights: Array | None) -> Examples:
        """Two classes share a vector, which uses both weights. With more, each uses the weight of its class; the rest weigh 1."""
        classes = len(examples.classes)
        if weights is not None and classes > 1:
            team.factor[:-1] = weights if classes == 2 else np.stack([weights * 0 + 1, weights], axis=1)
        return examples

    def heaviest(self, team: Team, class_weight: float) -> float:
        return float(team.factor.max())

    # ---- learning ---------------------------------------------------------------------------------------------------

    def columns(self, classes: int) -> int:
        return max(1, len(targets_of(classes)))

    def decisions_of(self, scores: Array, classes: int) -> Array:
        return scores if classes > 1 else -scores  # the ghost, negated, is the one class

    def answers(self, decisions: Array, classes: int) -> Array:
        return np.where((decisions == 0).all(axis=1) & (classes == 2), -1, codes(decisions, classes))

    def entries_of(self, examples: Examples, target: int, page: Page, which: slice, first_row: int) -> Entries:
        row = page.row[which]
        y = np.where(examples.sheet.code[row] == target, 1, -1)
        return Entries(page.t[which], row + first_row, y, page.margin[which], page.step[which])

    def cancelled(self, entries: Entries, inside: Array, classes: int) -> tuple[Array, Array, Array | None]:
        rows, times = np.unique(entries.row[inside], return_counts=True)
        return rows, times, None

    def valid(self, entries: Entries, classes: int) -> bool:
        return bool((abs(entries.y) == 1).all())

    # ---- answering --------------------------------------------------------------------------------------------------

    def rows_of(self, w: Array, classes: int) -> Array:
        return w[:-1] if classes > 1 else -w

    def vectors_of(self, rows: Array, classes: int) -> Array:
        return rows

    def scores(self, space: Space, X: Any, constant: Any, w: Array, classes: int, threads: int) -> Array:
        return space.scores(X, constant, self.rows_of(w, classes), threads)

    def votes(
        self,
        ballot: Ballot,
        X: Any,
        constant: Any,
        start: Array,
        ledgers: list[Ledger],
        classes: int,
        ends: Sequence[Sequence[int]],
    ) -> Iterator[Array]:
        kept = [ledger.entries for ledger in ledgers[self.answering]]
        histories = [History(first, e.t, e.row, e.y * e.step) for first, e in zip(start, kept, strict=False)]
        return ballot.votes(X, constant, histories, ends)

    def reach(self, row_sqnorms: Array, space: Space, weights: Array) -> Array:
        return np.sqrt(row_sqnorms)[:, None] * np.sqrt(space.sqnorms(weights))[None, :]

    def lead(self, decisions: Array, reach: Array) -> tuple[Array, Array]:
        """The score of the winner, and the scale of that number."""
        winner = decisions.argmax(axis=1)[:, None]
        each = np.take_along_axis(np.broadcast_to(reach, decisions.shape), winner, axis=1)
        return np.take_along_axis(decisions, winner, axis=1)[:, 0], each[:, 0]

    def errors(self, space: Space, examples: Examples, w: Array) -> int:
        return errors_by_score(space, examples, self.rows_of(w, len(examples.classes)))

    # ---- theorems ---------------------------------------------------------------------------------------------------

    def proves_at_once(self, classes: int) -> bool:
        return False

    def margin_factor(self, classes: int) -> float:
        return 1.0

    def margins(
        self, space: Space, examples: Examples, team: Team, ledger: Ledger, v: int, u: Array
    ) -> tuple[Array, Array, float]:
        side = np.where(examples.sheet.code == team.target[v], 1.0, -1.0)
        scores = space.scores_in(examples, u[None])[:, 0] * side
        return scores, scores[ledger.entries.row], sqrt(max(0.0, float(space.sqnorms(u[None])[0])))


def targets_of(classes: int) -> list[int]:
    """The class for which each vector except the ghost scores positive."""
    return [] if classes == 1 else [1] if classes == 2 else list(range(classes))


def codes(decisions: Array, classes: int) -> Array:
    """The number of the class that each row of decisions stands for."""
    if decisions.shape[1] > 1:
        best: Array = decisions.argmax(axis=1)
        return best
    return (decisions[:, 0] > 0).astype(np.intp) if classes > 1 else np.zeros(len(decisions), np.intp)


def errors_by_score(space: Space, examples: Examples, weights: Array) -> int:
    """How many fed rows these weights get wrong. There is one row of weights for each column of decisions."""
    wrong = 0
    for first in range(0, len(examples), ERROR_BLOCK):
        decisions = space.scores_in(examples, weights, first, first + ERROR_BLOCK)
        code = examples.sheet.code[first : first + ERROR_BLOCK]
        counts = examples.sheet.weight[first : first + ERROR_BLOCK] != 0
        right = codes(decisions, len(examples.classes)) == code
        if decisions.shape[1] == 1:
            right &= decisions[:, 0] != 0  # zero is "I don't know", which is never right
        wrong += int((counts & ~right).sum())
    return wrong
