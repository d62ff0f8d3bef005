"""Many classes at once: one vector holds the weights of all. A row is an example for its class and against its rival (F25).

There is no ghost: a new class starts from 0.
"""

from collections.abc import Iterator, Sequence
from math import inf, sqrt
from typing import Any

import numpy as np

from novikoff.engine.labelled_rows import Examples, class_scores
from novikoff.engine.readouts.voted import Ballot, DirectHistory
from novikoff.engine.sweep import Page, Team, new_team
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights.space import Space
from novikoff.foundation.array_types import Array
from novikoff.learning.ledger import DirectEntries, Ledger
from novikoff.learning.one_vs_rest import codes, errors_by_score


class Direct:
    name = "direct"
    description = "all learn at once"
    at_once = True
    stretch_sq = 2  # a row is added for one class and subtracted for another
    answering = slice(None)
    entries: type[DirectEntries] = DirectEntries

    # ---- vectors and classes ----------------------------------------------------------------------------------------

    def interleaved(self, classes: int) -> int:
        return max(1, classes)

    def targets(self, classes: int) -> list[int]:
        return [0]  # `Examples.all_classes_at_once` gives every row this code

    def new_team(self, classes: int, length: int, number: Any) -> Team:
        team = new_team(1, length * classes, number)
        team.target[:] = 0
        return team

    def ghost(self, team: Team) -> int | None:
        return None

    def members(self, vectors: int, classes: int, ghost_learns: bool) -> Array:
        return np.arange(vectors if classes > 1 else 0, dtype=np.uint32)  # with one class, rows have no rival

    def admit(self, vectors: Vectors, ledgers: list[Ledger], old: list[Any], new: list[Any]) -> list[Ledger]:
        """New classes get weights of 0.

        Past updates used the z's of the earlier classes, which are still valid z's of the same rows, so F25 still holds.
        """
        place, before = np.array([new.index(name) for name in old], np.intp), self.interleaved(len(old))

        source = np.full((vectors.team.w.shape[1] // before, len(new)), -1)
        source[:, place] = np.arange(source.shape[0] * before).reshape(-1, before)
        vectors.relocate(source.ravel())
        for ledger in ledgers:
            ledger.renumber(place)
        return ledgers

    def prepare(self, examples: Examples, team: Team, weights: Array | None) -> Examples:
        return examples.all_classes_at_once(weights) if len(examples.classes) > 1 else examples

    def heaviest(self, team: Team, class_weight: float) -> float:
        return class_weight

    # ---- learning ---------------------------------------------------------------------------------------------------

    def columns(self, classes: int) -> int:
        return classes

    def decisions_of(self, scores: Array, classes: int) -> Array:
        return scores[:, 1:] if classes == 2 else scores

    def answers(self, decisions: Array, classes: int) -> Array:
        """If several classes share the lead, there is no answer."""
        best: Array = codes(decisions, classes)
        if classes < 2:
            return best
        shared = decisions[:, 0] == 0 if classes == 2 else self.lead(decisions, decisions)[0] == 0
        return np.where(shared, -1, best)

    def entries_of(self, examples: Examples, target: int, page: Page, which: slice, first_row: int) -> DirectEntries:
        row, rows = page.row[which], examples.sheet.rows
        labels = rows.code[row], rows.taken[row]
        return DirectEntries(page.t[which], row + first_row, *labels, page.margin[which], page.step[which])

    def cancelled(self, entries: DirectEntries, inside: Array, classes: int) -> tuple[Array, Array, Array | None]:
        pairs, times = np.unique(entries.row[inside] * classes + entries.rival[inside], return_counts=True)
        rows, rivals = np.divmod(pairs, classes)
        return rows, times, rivals

    def valid(self, entries: DirectEntries, classes: int) -> bool:
        named = np.concatenate([entries.y, entries.rival])
        return bool(((named >= 0) & (named < classes)).all() and (entries.y != entries.rival).all())

    # ---- answering --------------------------------------------------------------------------------------------------

    def rows_of(self, w: Array, classes: int) -> Array:
        """One row per class. For two classes only that of the second: the first is its negative."""
        rows = _by_class(w, classes)
        return rows[1:] if len(rows) == 2 else rows

    def vectors_of(self, rows: Array, classes: int) -> Array:
        each = np.concatenate([-rows, rows]) if classes == 2 else rows
        return np.ascontiguousarray(each.T).reshape(1, -1)

    def scores(self, space: Space, X: Any, constant: Any, w: Array, classes: int, threads: int) -> Array:
        if classes > 2:
            return class_scores(X, constant, w[0], classes, threads)
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
        entries, first = ledgers[0].entries, _by_class(start, classes)
        history = DirectHistory(first, entries.t, entries.row, entries.y, entries.rival, entries.step)
        for votes in ballot.direct_votes(X, constant, history, ends[0]):
            yield votes[:, :, 1:] - votes[:, :, :1] if classes == 2 else votes

    def reach(self, row_sqnorms: Array, space: Space, weights: Array) -> Array:
        if len(weights) == 1:  # two classes
            return np.sqrt(row_sqnorms)[:, None] * np.sqrt(space.sqnorms(weights))[None, :]
        whole: Array = np.sqrt(2 * row_sqnorms * (weights**2).sum())
        return whole[:, None]

    def lead(self, decisions: Array, reach: Array) -> tuple[Array, Array]:
        """The lead of the winner: ⟨w, z⟩ for z = (e_winner − e_second) ⊗ x, which has norm √2·‖x‖."""
        second, first = np.partition(decisions, -2, axis=1)[:, -2:].T
        return first - second, reach[:, 0]

    def errors(self, space: Space, examples: Examples, w: Array) -> int:
        if len(examples.classes) < 2:
            return errors_by_score(space, examples, self.rows_of(w, len(examples.classes)))
        lead = examples.all_classes_at_once().leads(w[0])
        return int(((examples.sheet.weight != 0) & ~(lead > 0)).sum())  # a lead of 0 is "I don't know" here too

    # ---- theorems ---------------------------------------------------------------------------------------------------

    def proves_at_once(self, classes: int) -> bool:
        return classes > 2

    def margin_factor(self, classes: int) -> float:
        return sqrt(2) if classes == 2 else 1.0  # for two classes the certificate is about w, and the margin about (−w, w)

    def margins(
        self, space: Space, examples: Examples, team: Team, ledger: Ledger, v: int, u: Array
    ) -> tuple[Array, Array, float]:
        classes = len(examples.classes)
        whole, entries = self.vectors_of(u, classes), ledger.entries
        each = examples.scores(_by_class(whole, classes))
        along = each[entries.row, entries.y] - each[entries.row, entries.rival]
        rows, code = np.arange(len(examples)), examples.sheet.code
        own = each[rows, code]
        each[rows, code] = -inf
        return own - each.max(axis=1), along, float(np.sqrt((whole * whole).sum()))


def _by_class(w: Array, classes: int) -> Array:
    """The vector of each class, one per row, from the one vector that holds them all."""
    return np.ascontiguousarray(w.reshape(-1, classes).T)
