"""How many classes learn: each against the rest, or all at once."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.sweep import Page, Team
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights.space import Space
from novikoff.foundation.array_types import Array
from novikoff.learning.direct import Direct
from novikoff.learning.ledger import DirectEntries, Entries, Ledger
from novikoff.learning.one_vs_rest import OneVsRest


class Multiclass(Protocol):
    """A strategy for any number of classes. Strategies have no state; `classes` is the number of classes."""

    name: str
    description: str  # completes "the classes …"
    at_once: bool  # whether one vector learns for all classes
    stretch_sq: int  # ‖z‖²/‖x‖² for a row x and the z that is learned from
    answering: slice  # the vectors that answer
    entries: Any  # the type of its ledger entries

    def interleaved(self, classes: int) -> int:
        """How many weights of a vector belong to one column."""

    def targets(self, classes: int) -> list[int]:
        """The class for which each vector scores positive; −1 for the ghost."""

    def new_team(self, classes: int, length: int, number: Any) -> Team:
        """Vectors with all weights 0, with `length` numbers per class."""

    def ghost(self, team: Team) -> int | None:
        """The vector of the ghost class, if there is one and it learns beside others."""

    def members(self, vectors: int, classes: int, ghost_learns: bool) -> Array:
        """The numbers of the vectors that learn."""

    def admit(self, vectors: Vectors, ledgers: list[Ledger], old: list[Any], new: list[Any]) -> list[Ledger]:
        """Make room for new classes. Returns the ledgers of the new vectors."""

    def prepare(self, examples: Examples, team: Team, weights: Array | None) -> Examples:
        """The examples in the form that the loop takes, with the class weights applied."""

    def heaviest(self, team: Team, class_weight: float) -> float:
        """The largest factor of a step, if no class weighs more than `class_weight`."""

    def columns(self, classes: int) -> int:
        """How many scores `storages.decide` gives for a row."""

    def decisions_of(self, scores: Array, classes: int) -> Array:
        """Decisions from these scores."""

    def answers(self, decisions: Array, classes: int) -> Array:
        """The number of the class that each row of decisions stands for; −1 for "I don't know"."""

    def entries_of(self, examples: Examples, target: int, page: Page, which: slice, first_row: int) -> Entries | DirectEntries:
        """The updates `which` of a page, as ledger entries."""

    def cancelled(self, entries: Any, inside: Array, classes: int) -> tuple[Array, Array, Array | None]:
        """The rows of these updates, how often each occurs, and their rivals."""

    def valid(self, entries: Any, classes: int) -> bool:
        """Whether the labels of ledger entries from a file are possible."""

    def rows_of(self, w: Array, classes: int) -> Array:
        """The weights that answer, one row for each column of decisions."""

    def vectors_of(self, rows: Array, classes: int) -> Array:
        """The inverse: the vectors of the team, without the ghost."""

    def scores(self, space: Space, X: Any, constant: Any, w: Array, classes: int, threads: int) -> Array:
        """The decisions on the rows of X."""

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
        """The votes of each vector after the given numbers of examples: blocks of shape (ends, rows, columns of decisions)."""

    def reach(self, row_sqnorms: Array, space: Space, weights: Array) -> Array:
        """‖w‖·‖x‖ for each row x and column of decisions: what a decision is divided by to get a cosine."""

    def lead(self, decisions: Array, reach: Array) -> tuple[Array, Array]:
        """For more than two classes: by how much the answer of each row won, and the scale of that number."""

    def errors(self, space: Space, examples: Examples, w: Array) -> int:
        """How many fed rows these vectors get wrong."""

    def proves_at_once(self, classes: int) -> bool:
        """Whether one certificate is about all classes."""

    def margin_factor(self, classes: int) -> float:
        """The margin of the vector that learns, as a multiple of the margin in a certificate."""

    def margins(
        self, space: Space, examples: Examples, team: Team, ledger: Ledger, v: int, u: Array
    ) -> tuple[Array, Array, float]:
        """u·z of each row, u·z of each update in the ledger, and ‖u‖."""


STRATEGIES: dict[str, Multiclass] = {strategy.name: strategy for strategy in (OneVsRest(), Direct())}


def find_multiclass(name: str) -> Multiclass:
    if not isinstance(name, str) or name not in STRATEGIES:
        raise ValueError(
            f"there is no multiclass {name!r}; it is 'ovr', each class against the rest, or 'direct', all classes at once"
        )
    return STRATEGIES[name]
