"""The span of a limited number of rows: beyond the budget, the oldest rows are dropped."""

from typing import Any

import numpy as np

from novikoff.engine.kernel_examples import KernelExamples
from novikoff.engine.kernels import Kernel
from novikoff.engine.labelled_rows import Examples, Sheet
from novikoff.engine.readouts import Readout
from novikoff.engine.rules import Bound, Evidence, NoBound, Rule
from novikoff.engine.storages import read_only
from novikoff.engine.storages.kernel_rows import KernelRows
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights import forgetron
from novikoff.engine.weights.space import Opening
from novikoff.engine.weights.span import Span, known_by_kernel
from novikoff.foundation.array_types import Array


class Budgeted(Span):
    """A span of at most `budget` rows per vector. A block is opened together with the stored rows; some of them are dropped."""

    repeats = False  # what is dropped next also depends on what was dropped before
    ghost_learns = False  # a ghost would use part of the budget

    def __init__(self, kernel: Kernel, budget: int) -> None:
        super().__init__(kernel, 0)
        self.budget: int = budget
        self.radius_sq = 0.0
        self.outgrown = False  # whether a new longest row came after a row had been dropped
        self._block = 0  # how many of the stored rows belong to the open block

    def restore_radius(self, radius_sq: float, outgrown: bool) -> None:
        self.radius_sq, self.outgrown = radius_sq, outgrown

    def check(self, examples: Examples, rule: Rule) -> None:
        if examples.exact:
            raise ValueError("a budget needs square roots, which fractions do not have: give the data as floats")
        super().check(examples, rule)

    def holds(self, examples: Examples) -> bool:
        return False

    def new_state(self, readout: Readout, vectors: Vectors, held: bool) -> Any:
        return forgetron.nothing_forgotten(vectors.team, vectors.readout_state)

    def open(self, examples: Examples, vectors: Vectors, opening: Opening) -> None:
        self.columns, self._opening = examples.width, opening
        if float(examples.radius_sq) > self.radius_sq:
            self.radius_sq = float(examples.radius_sq)
            self.outgrown |= bool(vectors.readout_state.spent.any())

    def shut(self, examples: Examples, vectors: Vectors, voting_rows: Array) -> None:
        if self._block:  # the pass was interrupted in the block
            self.after(examples, np.empty(0), vectors)

    def before(self, examples: Examples, part: Array, watch: Any, vectors: Vectors) -> tuple[Sheet, Array, Any]:
        examples = known_by_kernel(examples)
        gram = self._joined(examples, part)
        assert self.stored is not None
        old, every = len(gram) - len(part), np.arange(len(gram))
        number = examples.sheet.rows.constant
        own = examples.kernel.of_itself(self.stored)

        def with_old(numbers: Array) -> Array:
            return read_only(np.concatenate([np.zeros(old, numbers.dtype), numbers[part]]))

        def opened(w: Array) -> Array:
            values = gram[:, :old] @ w[:, :-1].T + number * w[:, -1]
            return np.concatenate([values.T, w[:, :-1], np.zeros((len(w), len(part))), w[:, -1:]], axis=1)

        sheet = Sheet(
            KernelRows(read_only(own), gram, every, every, number),
            with_old(examples.sheet.code),
            with_old(examples.sheet.weight),
            read_only(own + number * number),
        )
        stored = (vectors.team.w[:, :-1] != 0).sum(axis=1)
        vectors.transform(opened)
        self._block = len(part)
        forgotten = vectors.readout_state
        watch = forgetron.Forgetting(self.budget, self.radius_sq, stored, stored * 0, forgotten.spent, forgotten.shrunk)
        return sheet, every[old:], watch

    def _joined(self, examples: KernelExamples, part: Array) -> Array:
        """Also store the rows of the block, for now. Returns the Gram matrix of all rows; that of the earlier rows is kept."""
        fresh = examples.points[part].numbered(part + self._opening.first_row)
        new: Array = examples.kernel.between(fresh, fresh, examples.threads)
        if self.stored is None or not len(self.stored):
            self.stored, self._gram = fresh, new
            return new
        if self._gram is None:
            self._gram = examples.kernel.between(self.stored, self.stored, examples.threads)
        across = examples.kernel.between(fresh, self.stored, examples.threads)
        gram = np.block([[self._gram, across.T], [across, new]])
        self._store(fresh)
        self._gram = gram
        return gram

    def after(self, examples: Examples, part: Array, vectors: Vectors) -> None:
        assert self.stored is not None
        assert self._gram is not None
        n = len(self.stored)
        kept = np.flatnonzero((vectors.team.w[:, n : 2 * n] != 0).any(axis=0))
        vectors.transform(lambda w: np.concatenate([w[:, n + kept], w[:, -1:]], axis=1))
        vectors.team.hull_sq.fill(np.inf)  # w is no longer the sum of its steps
        self.stored, self._gram, self._block = self.stored[kept], self._gram[np.ix_(kept, kept)], 0

    def bound(self, rule: Rule, evidence: Evidence) -> Bound | NoBound:
        if not self.kernel.positive:
            return super().bound(rule, evidence)
        if self.outgrown:
            return NoBound("longer rows came after something was forgotten, and the cost of that was computed with shorter ones")
        return forgetron.bound(self.budget, evidence)

    def no_margins(self) -> NoBound | None:
        return NoBound("with a budget, w is not the sum of its updates")
