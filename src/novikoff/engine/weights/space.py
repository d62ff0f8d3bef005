"""The interface of a space, where the weights live. It gets the vectors as arguments and does not know the learner."""

from typing import Any, NamedTuple, Protocol

from novikoff.engine.kernels import Kernel
from novikoff.engine.labelled_rows import Examples, Sheet
from novikoff.engine.readouts import Readout
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.rules import Bound, Evidence, NoBound, Rule
from novikoff.engine.vectors import Vectors
from novikoff.foundation.array_types import Array


class Opening(NamedTuple):
    """How examples are learned from until the space is shut again."""

    held: bool  # whether a changed vector can score any of the examples
    first_row: int  # the number of the first example among all rows that were fed
    readout: Readout


class Space(Protocol):
    """X is any matrix that `storages.rows_of` takes."""

    @property
    def kernel(self) -> Kernel | None:
        """The kernel; None for the ordinary inner product."""

    @property
    def budget(self) -> int | None:
        """The largest number of rows per vector; None if it is not limited."""

    @property
    def skips(self) -> bool:
        """Whether rows that cannot change w may be left unread (F22)."""

    @property
    def repeats(self) -> bool:
        """Whether equal weights are followed by equal passes, so that a cycle repeats for ever (F9)."""

    @property
    def ghost_learns(self) -> bool:
        """Whether there is room for the ghost, the vector for classes that have not occurred yet."""

    @property
    def no_streams(self) -> str:
        """Why streams cannot be learned from; empty if they can."""

    @property
    def may_fail(self) -> bool:
        """Whether learning can fail half-way, because it calls a function of the user."""

    def look(self, X: Any, y: Any, *, constant: Any = 1, weight: Any = None, threads: int | None = None) -> Examples:
        """A matrix and its labels, checked once, for learning here."""

    def check(self, examples: Examples, rule: Rule) -> None:
        """Refuse examples that the rule cannot learn from here."""

    def vector_length(self, width: int) -> int:
        """How many numbers a new vector has, for rows of `width` columns."""

    def width(self, vector_length: int) -> int:
        """The inverse: the number of columns for vectors of this length."""

    def widen(self, vectors: Vectors, width: int, interleaved: int) -> None:
        """From now on rows have `width` columns. Old rows have 0 in the new ones."""

    def holds(self, examples: Examples) -> bool:
        """Whether a changed vector can score any of the examples at once."""

    def new_state(self, readout: Readout, vectors: Vectors, held: bool) -> Any:
        """What is kept together with the weights: the state of the readout, or what a budget needs."""

    def open(self, examples: Examples, vectors: Vectors, opening: Opening) -> None:
        """Prepare to learn from these examples."""

    def before(self, examples: Examples, part: Array, watch: Any, vectors: Vectors) -> tuple[Sheet, Array, Any]:
        """What a sweep over the rows of `part` gets: a sheet, the numbers of these rows on it, and a watch."""

    def after(self, examples: Examples, part: Array, vectors: Vectors) -> None:
        """The sweep over the rows of `part` is done."""

    def rows_at_once(self, held: bool) -> int | None:
        """How many rows one sweep may cover; None: no limit."""

    def comparable(self, vectors: Vectors, examples: Examples) -> int:
        """How many leading numbers of open vectors must be compared to find out whether the vectors are equal."""

    def refresh(self, examples: Examples, w: Array) -> None:
        """Recompute the values that open vectors hold for the examples."""

    def shut(self, examples: Examples, vectors: Vectors, voting_rows: Array) -> None:
        """Learning from these examples is over. `voting_rows` are the numbers of rows that votes need."""

    def scores(self, X: Any, constant: Any, w: Array, threads: int | None) -> Array:
        """⟨w, x⟩ for each row x of X and each row of w; X is checked."""

    def scores_in(self, examples: Examples, w: Array, first: int = 0, last: int | None = None) -> Array:
        """The same for the examples first…last−1."""

    def row_sqnorms(self, X: Any, constant: Any, threads: int | None) -> Array:
        """‖x‖² of each row of X, the constant coordinate included; X is checked."""

    def sqnorms(self, w: Array) -> Array:
        """‖w‖² of each row of w."""

    def rounding(self, u: Array, u_norm: float, radius: float) -> float:
        """A bound on the rounding error of a margin of u: a computed margin that is no larger may be 0 or negative (F21)."""

    def voting(self, ballot: Ballot, threads: int) -> Ballot:
        """The rows that votes need, given the rows that were kept for voting."""

    def ballot_after(self, ballot: Ballot, examples: Examples, first_row: int, used: Array) -> Ballot:
        """Keep the rows that votes need, unless the space stores them itself."""

    def bound(self, rule: Rule, evidence: Evidence) -> Bound | NoBound:
        """The bound of the rule, or why there is none here."""

    def no_margins(self) -> NoBound | None:
        """Why the updates give no bound on margins; None if they do."""

    def require_columns(self, what: str) -> None:
        """Raise an error if there is not one weight for each column, which `what` needs."""

    def require_inner_product(self) -> None:
        """Raise an error if angles are not defined."""
