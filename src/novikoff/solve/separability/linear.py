"""Decide whether a hyperplane separates two classes, with a proof either way.

The cheap ways come first: rows that contradict each other outright; a few passes of a perceptron, which separate most separable
data; the nearest point of the hull over the rows that matter (`nearest_point.py`); and, where floats cannot decide, exact
arithmetic, which always ends. Every answer is checked exactly.
"""

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from novikoff.engine.labelled_rows import Examples, examples
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.matrix_checks import unmasked
from novikoff.foundation.parallel import alone
from novikoff.learning.learner import Learner
from novikoff.learning.run import Pass, StopReason
from novikoff.proof.certificate import (
    DOUBLES,
    RATIONALS,
    Certificate,
    Data,
    Hull,
    Hulls,
    Inseparable,
    Label,
    Margin,
    Separable,
    Undecided,
    no_hull,
    weights_array,
)
from novikoff.proof.exact import Signed, Weights, weights
from novikoff.proof.fingerprint import in_order, row_hashes
from novikoff.proof.rational_matrix import RationalMatrix, numbers_of, signed
from novikoff.proof.rationals import Number, coprime, root_above, root_below, whole_multiples
from novikoff.solve.nearest_point import (
    Nearest,
    OutOfTimeError,
    Tell,
    column_scales,
    deadline,
    nearest_by_products,
    nearest_exactly,
    nearest_point,
    row_scales,
    silent,
)
from novikoff.solve.rescaling import Rescaled, rescaled
from novikoff.solve.separability.one_sided_columns import settled, with_settled

PASSES = 20  # of the perceptron, before anything cleverer is tried
AT_A_TIME = 300  # rows that join the working set in a round, at least
HELD = 2**24  # numbers of the working set, as points of as many coordinates as it has rows, at most
VANISHED = 1e-9  # a nearest point this near to 0, in units of the rows' size, is taken for 0, and must then prove it
ROUNDS = 200
CONSTANT = 2.0**12  # the constant coordinate, where the largest other number is about 1 and classes are to balance
EVIDENCE = 100_000  # numbers in the rows of a run's mistakes that are kept as evidence for the upper end of the margin


L = TypeVar("L")
Sides = tuple[Label | None, Label]  # the labels for no and yes; a no of None stands for every other label


class Proof(NamedTuple):
    rows: list[int]
    multipliers: list[Fraction]


class Question:
    """Can a hyperplane separate these rows? The hashes of the rows are computed unless they are given."""

    def __init__(self, z: Signed, no: Label | None, yes: Label, hashes: Array | None = None, tell: Tell = silent) -> None:
        self.z, self.labels, self.tell = z, (no, yes), tell
        self.is_yes = z.sign > 0
        self._hashes = hashes

    @classmethod
    def about(
        cls,
        X: Any,
        y: Any,
        fit_intercept: bool,
        sides: Sides | None = None,
        positive: Label | None = None,
        tell: Tell = silent,
    ) -> "Question":
        """The question about a matrix and labels. `sides` are the labels for no and yes (default: see `two_sides`)."""
        X, y = rows_and_labels(X, y)
        no, yes = sides or two_sides(y, positive)
        return cls(signed(X, np.where(y == yes, 1.0, -1.0), bool(fit_intercept)), no, yes, tell=tell)

    @property
    def hashes(self) -> Array:
        if self._hashes is None:
            self._hashes = row_hashes(self.z.numbers)
        return self._hashes

    @property
    def kind_of_numbers(self) -> str:
        return RATIONALS if self.z.rounded else DOUBLES

    @property
    def data_unseen(self) -> Data:
        """The data without a fingerprint, which takes time."""
        (rows, columns), (no, yes) = self.z.X.shape, self.labels
        return Data(
            int(rows), int(columns), self.z.fit_intercept, _as_python(no), _as_python(yes), "", None, self.kind_of_numbers
        )

    @cached_property
    def data(self) -> Data:
        return self.data_unseen._replace(fingerprint=str(in_order(self.hashes, self.is_yes)))

    def decided(self, budget: float | None) -> Certificate:
        if not len(self.z):  # nothing is separated by anything
            return self.separated_by(weights([0.0] * self.z.length), Margin(0.0, math.inf), no_hull(self.data_unseen))
        until = deadline(budget)
        with alone:  # matrices are small, and threads would only wait for each other
            return self._decided(budget, until)

    def _decided(self, budget: float | None, until: float) -> Certificate:
        proof = self.contradiction()
        if proof is not None:
            return self.inseparable(proof)
        found: Certificate | None
        counts, found = self.by_a_perceptron(until)
        try:
            if found is None and sp.issparse(self.z.X):  # a dense column has seldom numbers of one sign only
                found = self.by_one_sided_columns(until)
            return found or self.by_the_hull(counts, until)
        except OutOfTimeError:
            often = np.argsort(-counts, kind="stable")
            return self.undecided(
                f"the budget of {budget:g} s is used up", self.hull_of_mistakes(np.repeat(often, np.maximum(counts[often], 1)))
            )

    # ---- cheap things first -----------------------------------------------------------------------------------------

    def contradiction(self) -> Proof | None:
        """One zero row where there is no intercept, or two equal rows with different labels."""
        X = self.z.X
        if not self.z.fit_intercept:
            empty = np.flatnonzero(np.asarray((X != 0).sum(axis=1)).ravel() == 0)
            if len(empty):
                return Proof([int(empty[0])], [Fraction(1)])
        hashes = self.hashes
        both = np.intersect1d(hashes[self.is_yes], hashes[~self.is_yes])
        for value in both[:100].tolist():  # equal hashes mean equal rows, almost surely; each pair is looked at
            here = np.flatnonzero(hashes == np.uint64(value))
            a, b = int(here[self.is_yes[here]][0]), int(here[~self.is_yes[here]][0])
            if self.z.z(a)[0] == self.z.z(b)[0] and not any(self.z.combined([a, b], [1.0, 1.0])[0].values()):
                return Proof([a, b], [Fraction(1)] * 2)
        return None

    def by_a_perceptron(self, until: float) -> tuple[Array, Separable | None]:
        """How often each row was a mistake in a few passes, and the proof by the weights after them, if they separate."""
        counts, w = self.perceptron(until)
        return counts, None if w is None else self.separable(w)

    def perceptron(self, until: float) -> tuple[Array, Array | None]:
        """How often each row was a mistake in a few passes, and the weights after them, which may separate or not."""
        counts = np.zeros(len(self.z), np.int64)
        seen = self.examples()
        if seen is None:
            return counts, None
        learner = Learner("rosenblatt", order="each", ledger_cap=10**7)

        def look(so_far: Pass) -> bool:
            self.tell(f"pass {so_far.number} of {PASSES} over {len(self.z):,} rows: {so_far.mistakes:,} mistakes")
            return time.monotonic() > until

        try:
            run = learner.fit(seen, PASSES, on_pass=look, on_slice=look)
        except ValueError:  # the weights have overflowed
            return counts, None
        if run.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        kept = learner.ledgers[0].entries.row
        counts += np.bincount(kept, minlength=len(counts))
        w = learner.weights()[0]
        return counts, w if self.z.fit_intercept else w[:-1]

    def examples(self) -> Examples | None:
        """The rows for the learner; None where some are too long or too short to compute with."""
        try:
            return examples(self.z.X, self.is_yes.astype(np.int8), constant=int(self.z.fit_intercept))
        except ValueError:
            return None

    def by_one_sided_columns(self, until: float) -> Certificate | None:
        """The answer of the rows that one-sided columns do not settle, which is that of all rows; None if they settle none."""
        layers, left = settled(self.z)
        if not layers:
            return None
        w: list[Number] = [0.0] * self.z.length
        if len(left):
            z = self.z.taken(left)
            columns = np.unique(np.append(z.X.nonzero()[1], 0))  # one, even where all these rows are 0
            part = Question(z.narrowed(columns), *self.labels, self.hashes[left], self.tell)
            counts, found = part.by_a_perceptron(until)
            answer = found or part.by_the_hull(counts, until)
            if isinstance(answer, Inseparable):
                return self.inseparable(Proof(left[list(answer.rows)].tolist(), list(answer.multipliers)))
            assert isinstance(answer, Separable)
            for j, weight in zip(columns.tolist(), answer.weights.tolist(), strict=True):
                w[j] = weight
            if self.z.fit_intercept:
                w[-1] = answer.intercept
        floats = with_settled(self.z, layers, weights(w).floats)
        for j in np.concatenate([layer.columns for layer in layers]).tolist():
            w[j] = float(floats[j])
        return self.separable(weights(w)) if np.isfinite(floats).all() else None

    # ---- the rows that matter ---------------------------------------------------------------------------------------

    def by_the_hull(self, counts: Array, until: float) -> Certificate:
        """The nearest point of the hull: in floats, and where they cannot tell, exactly."""
        found, columns, sizes, hint = self.by_the_hull_in_floats(counts, until)
        if found is not None:
            return found
        rows, multipliers, exact = nearest_exactly(self.z, columns, sizes, hint, None, until, self.tell)
        found = self.separable(exact) if any(exact.whole) else None
        return found or self.inseparable(Proof(rows, multipliers))

    def by_the_hull_in_floats(self, counts: Array, until: float) -> tuple[Certificate | None, Array, Array, Nearest]:
        """The nearest point of the hull, over a working set of rows that grows by those that it leaves on the wrong side.

        Beside what it proves, exactly: how columns and rows were scaled, and how near it came.
        """
        columns = column_scales(self.z)
        sizes = row_scales(self.z, columns)
        working = np.argsort(-counts, kind="stable")[: self.at_a_time(4)]
        hint = Nearest(np.zeros(self.z.length), working[:1], np.ones(1))
        near: Nearest | None = None
        for _ in range(ROUNDS):
            if time.monotonic() > until:
                raise OutOfTimeError
            self.tell(f"the nearest point of {len(working):,} of {len(self.z):,} rows, in floats")
            near = self.nearest_of(working, columns, sizes, start=near, until=until)
            if not np.isfinite(near.at).all():
                break
            hint = near._replace(chosen=working[near.chosen])
            if np.linalg.norm(near.at) < VANISHED and (proof := cancelling(self.z, hint.chosen.tolist())) is not None:
                return self.inseparable(proof), columns, sizes, hint
            w = near.at * columns
            with np.errstate(over="ignore", invalid="ignore"):
                scores = np.nan_to_num(self.z.scores(w) * sizes, nan=0.0)
            if scores.min() > 0 and (found := self.separable(w)) is not None:
                return found, columns, sizes, hint
            low = np.argsort(scores, kind="stable")[: self.at_a_time(2)]
            fresh = np.setdiff1d(low[scores[low] <= near.at @ near.at], working)
            if not len(fresh):
                break
            working, near = self.grown(working, near, fresh)
        return None, columns, sizes, hint

    def at_a_time(self, times: int) -> int:
        """How many rows join the working set: some times as many as there are weights, unless these are very many."""
        return max(AT_A_TIME, min(times * self.z.length, self.most_held // 2))

    @property
    def most_held(self) -> int:
        return max(HELD // self.z.length, math.isqrt(HELD))

    def grown(self, working: Array, near: Nearest, fresh: Array) -> tuple[Array, Nearest]:
        """The working set with fresh rows. Where it becomes too large, rows that do not make up the nearest point leave it."""
        if len(working) + len(fresh) > self.most_held:
            working, near = working[near.chosen], near._replace(chosen=np.arange(len(near.chosen)))
        return np.concatenate([working, fresh]), near

    def by_rescaling(self, **how: Any) -> tuple[Certificate, Rescaled[Separable]]:
        """What rescaling comes to, and the work it took."""
        made = rescaled(self.z, self.separable, **how)
        return made.proof or self.undecided(made.why, self.hull_of(self.lowest(self.z.scores(made.w)))), made

    # ---- what a run has found ---------------------------------------------------------------------------------------

    def of_weights(self, w: Array, why: str, hull: Hull | Hulls | None = None) -> Certificate:
        """Separable by these weights, or Undecided. The evidence for the upper end is sought, unless given."""
        w = w if self.z.fit_intercept else w[:-1]
        return self.separable(w, hull) or self.undecided(why, hull or self.hull_of(self.lowest(self.z.scores(w))))

    def hull_of_mistakes(self, rows: Array) -> Hull | Hulls:
        """What the first mistakes of a run add up to (F7), of each class if there is an intercept: evidence that costs little."""
        return self.hull_with(*self.first_mistakes(rows))

    def first_mistakes(self, rows: Array) -> tuple[Array, Array]:
        """The rows of the first mistakes, as many as may be evidence, and how often each was one."""
        sizes = np.diff(self.z.X.indptr)[rows] if sp.issparse(self.z.X) else np.full(len(rows), self.z.X.shape[1])
        mine, times = np.unique(rows[np.cumsum(sizes) <= EVIDENCE], return_counts=True)
        return mine.astype(np.int64), times.astype(float)

    def hull_with(self, rows: Array, multipliers: Array) -> Hull | Hulls:
        """The point, or the two points, that these rows and multipliers make."""
        return evidence(rows, multipliers, self.is_yes if self.z.fit_intercept else None)

    def of_cycle(self, rows: Array, times: Array) -> Inseparable | None:
        """The proof among rows whose steps have cancelled out, if they did so exactly."""
        part = Question(self.z.taken(rows), *self.labels)
        if any(part.z.combined(range(len(rows)), times.astype(float).tolist())[0].values()):
            return None
        found = part.contradiction()
        inside = part.inseparable(found) if found is not None else part.by_the_hull(times, math.inf)
        assert isinstance(inside, Inseparable), "rows that cancel out cannot be separated"
        return Inseparable(self.data, tuple(rows[list(inside.rows)].tolist()), inside.multipliers)

    # ---- certificates -----------------------------------------------------------------------------------------------

    def inseparable(self, proof: Proof) -> Inseparable:
        order = sorted(range(len(proof.rows)), key=lambda k: proof.rows[k])
        multipliers = coprime(proof.multipliers[k] for k in order)
        return Inseparable(self.data, tuple(proof.rows[k] for k in order), tuple(multipliers))

    def separable(self, w: Array | Weights, hull: Hull | Hulls | None = None) -> Separable | None:
        """The certificate for these weights, or None if they do not separate, exactly."""
        if not isinstance(w, Weights):
            if not np.isfinite(w).all():
                return None
            w = weights(w.tolist())
        least = self.z.least(w)[1]
        if not least > 0:
            return None
        w, least = self.shortened(w, least)
        found = self.hull_of(self.lowest(self.z.scores(w.floats))) if hull is None else hull
        return self.separated_by(w, Margin(self.lower_end(w, least), self.upper_end(found, quickly=hull is not None)), found)

    def lower_end(self, w: Weights, least: Fraction) -> float:
        """The margin of these weights: the distance of the nearest row, for which w·z is `least`."""
        square = w.sqnorm_of_columns if self.z.fit_intercept else w.sqnorm
        return root_below(least**2 / square) if square else 0.0

    def separated_by(self, w: Weights, margin: Margin, hull: Hull | Hulls) -> Separable:
        numbers: list[Number] = w.floats.tolist()
        if not w.doubles and not all(_is(f, n, w.scale) for f, n in zip(numbers, w.whole, strict=True)):
            numbers = [n * w.scale for n in w.whole]
        intercept: Number = numbers.pop() if self.z.fit_intercept else 0.0
        return Separable(self.data, weights_array(numbers), intercept, margin, hull)

    def shortened(self, w: Weights, least: Fraction) -> tuple[Weights, Fraction]:
        """The same weights with as few digits as still separate: floats where they do."""
        largest = max(map(abs, w.whole))
        for bits in (53, 106, 212, 424, 848):
            cut = largest.bit_length() - bits
            if cut <= 0:
                break
            whole = [((n >> (cut - 1)) + 1) >> 1 for n in w.whole]
            shorter = _of_doubles(whole) if bits == 53 else weights([Fraction(n) for n in whole])
            if (found := self.z.least(shorter)[1]) > 0:
                return shorter, found
        return w, least

    def with_best_intercept(self, w: Array) -> Array:
        """The weights with the intercept that leaves the nearest rows of both classes at the same distance, in floats."""
        if not self.z.fit_intercept or self.is_yes.all() or not self.is_yes.any():
            return w
        along = self.z.X @ w[:-1]
        middle = (along[self.is_yes].min() + along[~self.is_yes].max()) / 2
        return np.append(w[:-1], -middle) if np.isfinite(middle) else w

    def lowest_of_both(self, w: Array, many: int) -> Array:
        """The rows of the lowest scores; half of them of each class if there is an intercept."""
        scores = self.z.scores(w)
        return lowest_of_each_class(scores, self.is_yes, many // 2) if self.z.fit_intercept else _lowest(scores, many)

    def lowest(self, scores: Array) -> Array:
        """A few rows of each class, those of the lowest scores."""
        return lowest_of_each_class(scores, self.is_yes, min(200, max(25, self.z.length)))

    def hull_of(self, rows: Array) -> Hull | Hulls:
        """The nearest point to 0 in the hull of these rows, or the nearest points of two classes, as near as floats come."""
        found = self.nearest_of(rows, self.even_scales(), np.ones(len(self.z)))
        return self.hull_with(rows[found.chosen], found.multipliers)

    def even_scales(self) -> Array:
        """One power of two for every column, by which the largest number comes near 1; for the constant, a far larger one.

        With it, the nearest point to 0 in the hull of the z's has nearly the same share of both classes, and so becomes their
        nearest points. The larger it is, the nearer; but floats have 53 bits.
        """
        own = column_scales(self.z)
        if not self.z.fit_intercept:
            return np.full(self.z.length, own.min())
        return np.append(np.full(self.z.length - 1, own[:-1].min()), CONSTANT)

    def nearest_of(
        self,
        rows: Array,
        columns: Array,
        sizes: Array,
        gap: float = 1e-10,
        start: Nearest | None = None,
        until: float = math.inf,
    ) -> Nearest:
        """`nearest_point` of these rows, scaled. Where there are fewer rows than columns, in the space that they span.

        Where floats break down it is one of the rows, which is a point of the hull too.
        """
        with np.errstate(all="ignore"):
            points = self.z.rows(rows, columns, sizes)
            one = Nearest(np.full(self.z.length, np.nan), np.array([0]), np.ones(1))
            if not np.isfinite(points.data if sp.issparse(points) else points).all():
                return one
            try:
                if points.shape[1] <= len(rows):
                    return nearest_point(points.toarray() if sp.issparse(points) else points, gap, start, until)
                products = points @ points.T
                found = nearest_by_products(products.toarray() if sp.issparse(products) else products, gap, start, until)
            except np.linalg.LinAlgError:
                return one
            return found._replace(at=np.asarray(points[found.chosen].T @ found.multipliers).ravel())

    def upper_end(self, hull: Hull | Hulls, quickly: bool) -> float:
        """What the hull shows that no margin is above: with an error bound, or exactly where that is notably less."""
        if not hull.rows:
            return math.inf
        quick = self.z.norm_above(hull)
        if quickly:
            return quick
        exact = root_above(self.z.sqnorm_of(hull))
        return quick if quick <= exact * (1 + 1e-12) else exact

    def undecided(self, why: str, hull: Hull | Hulls, data: Data | None = None) -> Undecided:
        return Undecided(data or self.data, why, self.upper_end(hull, quickly=True), hull)

    def without(self, rows: Array) -> "Question":
        """The same of the other rows."""
        rest = np.setdiff1d(np.arange(len(self.z)), rows)
        return Question(self.z.taken(rest), *self.labels, self.hashes[rest])


def _as_python(label: L) -> L:
    return label.item() if isinstance(label, np.generic) else label


def evidence(rows: Array, multipliers: Array, is_yes: Array | None) -> Hull | Hulls:
    """The point that rows and multipliers make, or one for each class; none if a class has no rows. `is_yes` is of all rows."""
    if is_yes is None:
        return Hull(tuple(rows.tolist()), tuple(multipliers.tolist()))
    yes = is_yes[rows]
    found = Hulls(*(Hull(tuple(rows[side].tolist()), tuple(multipliers[side].tolist())) for side in (~yes, yes)))
    return found if found.no.rows and found.yes.rows else Hulls()


def _lowest(scores: Array, many: int) -> Array:
    found: Array = np.argsort(scores, kind="stable")[:many]
    return found


def lowest_of_each_class(scores: Array, is_yes: Array, each: int) -> Array:
    """So many rows of each class, those of the lowest scores. A score that is not a number counts as high."""
    scores = np.nan_to_num(scores, nan=np.inf)
    sides = (np.flatnonzero(side) for side in (is_yes, ~is_yes))
    return np.concatenate([side[np.argsort(scores[side], kind="stable")[:each]] for side in sides])


def _is(f: Number, n: int, scale: Fraction) -> bool:
    """Whether f is n·scale. Many are 0, and the rest quicker to compare as whole numbers than as fractions."""
    if not n or not math.isfinite(f):
        return not n and f == 0
    top, bottom = f.as_integer_ratio()
    return top * scale.denominator == n * scale.numerator * bottom


def _of_doubles(whole: Sequence[int]) -> Weights:
    """Whole numbers of at most 53 bits, scaled to about 1, as weights that are doubles."""
    shift = max(n.bit_length() for n in whole)
    return weights([math.ldexp(float(n), -shift) for n in whole])


def cancelling(z: Signed, rows: list[int]) -> Proof | None:
    """Positive multipliers with which these rows cancel out, if there are some and only one way to choose them."""
    import flint  # where it is needed

    used = sorted({j for i in rows for j in z.z(i)[0]})
    place = {j: k for k, j in enumerate(used)}
    table = [[0] * len(rows) for _ in used]
    scales = []
    for k, i in enumerate(rows):
        columns, values = z.z(i)
        whole, scale = whole_multiples(values)
        scales.append(scale)
        for j, n in zip(columns, whole, strict=True):
            table[place[j]][k] = n
    basis, found = flint.fmpz_mat(table).nullspace()
    if found != 1:
        return None
    multipliers = [int(basis[k, 0]) for k in range(len(rows))]
    sign = 1 if sum(multipliers) > 0 else -1
    if any(sign * m < 0 for m in multipliers):
        return None
    kept = [(i, sign * m / scale) for i, m, scale in zip(rows, multipliers, scales, strict=True) if m]
    return Proof([i for i, _ in kept], [m for _, m in kept])


def rows_and_labels(X: Any, y: Any) -> tuple[Matrix | RationalMatrix, Array]:
    """A matrix and labels for exact arithmetic; refused if they do not belong together."""
    X = numbers_of(X)
    y = np.asarray(unmasked(y, "y"))
    if y.shape != (X.shape[0],):
        raise ValueError(f"there are {X.shape[0]} rows and labels of shape {y.shape}: each row needs one")
    if not len(y):
        raise ValueError("there are no rows: give at least one example")
    if not X.shape[1]:
        raise ValueError("there are no columns: give at least one feature")
    return X, y


def kinds_of(y: Array) -> Array:
    """The labels that occur, sorted; refused if some are neither text nor finite numbers."""
    try:
        kinds = np.unique(y)
    except TypeError:
        raise ValueError("labels are of different types: give text or numbers, not both") from None
    for kind in kinds.tolist():
        if not ((isinstance(kind, str) and "\0" not in kind) or (isinstance(kind, int | float) and abs(kind) < 2**63)):
            raise ValueError(f"labels must be text or finite numbers; one of them is {kind!r}")
    if kinds.dtype.kind not in "biufUSO":
        raise ValueError(f"labels must be text or numbers, not {kinds.dtype}")
    return kinds


def two_sides(y: Array, positive: Label | None) -> Sides:
    """The labels that stand for no and yes; no is None where it stands for several."""
    kinds = kinds_of(y)
    if positive is not None:
        if positive not in kinds.tolist():
            raise ValueError(f"there is no label {positive!r}; the labels are {kinds.tolist()[:20]}")
        others = [kind for kind in kinds if kind != positive]
        return (others[0] if len(others) == 1 else None), positive
    if len(kinds) > 2:
        raise ValueError(
            f"there are {len(kinds)} kinds of labels, and a hyperplane has two sides: "
            "say which is `positive`, to tell it from the rest, or multiclass='direct', to decide about all at once"
        )
    return (kinds[0], kinds[1]) if len(kinds) == 2 else (None, kinds[0])
