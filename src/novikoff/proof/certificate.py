"""The types of certificates, and the sentences they print.

Two classes are Separable, Inseparable or Undecided; many classes at once ManySeparable, ManyInseparable or Undecided; a system of
constraints Feasible, Infeasible or Undecided, with an objective Optimal, Unbounded, Infeasible or Undecided.
`certificate_files.py` writes and reads them, `novikoff.verify` checks them.

Write z = y·(x, 1) for a row x of class y = ±1 (without an intercept, z = y·x). `Separable` has w·z > 0 on every row.
`Inseparable` has multipliers λ ≥ 0, not all 0, with Σ λ·z = 0, so that no w has w·z > 0 on all rows (Gordan). With many classes
there is a z = (e_y − e_r) ⊗ (x, 1) for each row x of class y and each other class r; w holds the weights of all classes (F25).
Through a kernel K, φ(x) takes the place of x, ⟨φ(a), φ(b)⟩ = K(a, b) (F19), and a separator is a sum over rows. A system is
lower ≤ A·w ≤ upper, with bounds on w itself; a cone is A·w ≥ 1. `Feasible` has a point of it, `Infeasible` multipliers that rule
out every point (Farkas). With an objective, `Optimal` has a point and multipliers that show that none is better, and `Unbounded`
a point and a direction in which all points are feasible, each better than the one before.

The margin of a hyperplane is the distance of the nearest row (F28): w·z / ‖w‖, without the intercept in ‖w‖. Its upper end is
shown by a `Hulls`, a point in the convex hull of each class. The margin in the extended space, the one of the mistake bounds, has
the intercept in ‖w‖; its upper end is shown by a `Hull`, a point in the hull of the z's (F7). Without an intercept the two are
the same. Which margin a certificate speaks of is the type of its `hull`; with many classes, and through a kernel, it is always
the extended one.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.foundation.atomic_files import write_whole
from novikoff.proof.named_kernels import Kernel
from novikoff.proof.rationals import Number, root_below

VOID = "bounds on margins and mistakes are void"

DOUBLES = "doubles"  # the numbers of the data are doubles, those of a file the nearest to what stands there
RATIONALS = "rationals"  # they are what stands there, or was given, such as the decimal 0.1 and not the double next to it
NUMBERS = (DOUBLES, RATIONALS)

Label = str | int | float


class CertificateError(ValueError):
    """This is not a certificate, or its parts do not belong together."""


# ---- the data that a certificate is about ---------------------------------------------------------------------------


class Data(NamedTuple):
    """The rows of two classes. A `no` of None stands for every label but `yes`; a `kernel` of None, for the rows as they are."""

    rows: int
    columns: int
    fit_intercept: bool
    no: Label | None
    yes: Label
    fingerprint: str
    kernel: Kernel | None = None
    numbers: str = DOUBLES


class Classes(NamedTuple):
    """The rows of many classes, which are numbered from 0 in this order."""

    rows: int
    columns: int
    fit_intercept: bool
    classes: tuple[Label, ...]
    fingerprint: str


class System(NamedTuple):
    """A system of constraints. In a certificate that speaks of an objective, the fingerprint is of that too."""

    rows: int
    columns: int
    fingerprint: str
    numbers: str = DOUBLES
    row_names: tuple[str, ...] = ()  # as in the file; empty if it has none
    column_names: tuple[str, ...] = ()


def labels_of(data: Data | Classes) -> tuple[Label | None, ...]:
    """The labels in the order of their numbers."""
    return data.classes if isinstance(data, Classes) else (data.no, data.yes)


def _labels_in_words(data: Data | Classes) -> str:
    if isinstance(data, Data) and data.no is None:
        return f" (label {data.yes!r} and the rest)"
    names = [repr(name) for name in labels_of(data)]
    return f" (labels {' and '.join(names) if len(names) == 2 else ', '.join(names[:10] + ['…'] * (len(names) > 10))})"


def _numbers_in_words(data: Data | Classes | System) -> str:
    of_doubles = isinstance(data, Classes) or data.numbers == DOUBLES
    return "" if of_doubles else ", all numbers taken as the decimals or fractions they are"


def short_number(value: Number) -> str:
    """The number, or "about 0.3333333333" where digits are left out."""
    try:
        shown = f"{float(value):.10g}"
    except OverflowError:
        return f"about {'-' * (value < 0)}2^{int(value).bit_length()}"
    return shown if type(value)(shown) == value else f"about {shown}"


# ---- parts of certificates ------------------------------------------------------------------------------------------


class Work(NamedTuple):
    """What an answer took."""

    steps: int = 0  # updates of weights, or pivots
    stretches: int = 0  # of space (F15)
    calls: int = 0  # of an oracle


class Margin(NamedTuple):
    """The widest margin of the data lies between these: low ≤ γ* ≤ high."""

    low: float
    high: float


class Hull(NamedTuple):
    """A point of the convex hull of the z's: Σ λ·z / Σ λ. No separator has a margin above its norm (F7)."""

    rows: tuple[int, ...] = ()
    multipliers: tuple[Number, ...] = ()


class Hulls(NamedTuple):
    """A point in the convex hull of each class. No hyperplane has a margin above half their distance (F28)."""

    no: Hull = Hull()
    yes: Hull = Hull()

    @property
    def rows(self) -> tuple[int, ...]:
        return self.no.rows + self.yes.rows

    def as_one(self) -> Hull:
        """The same as a point in the hull of the z's, in which the constant coordinate cancels out, exactly."""
        totals = [sum((Fraction(m) for m in side.multipliers), Fraction(0)) for side in self]
        factors = [Fraction(m) * other for side, other in zip(self, totals[::-1], strict=True) for m in side.multipliers]
        return Hull(self.rows, tuple(factors))


class ManyHull(NamedTuple):
    """The same with many classes: each z belongs to a row and to one of the other classes, its rival."""

    rows: tuple[int, ...] = ()
    rivals: tuple[int, ...] = ()
    multipliers: tuple[Number, ...] = ()


class Mixing(NamedTuple):
    """How weights were learned on shards of the rows, and mixed after each pass (F20) [mcdonald2010distributed].

    The theorem is mistakes ≤ factor·(radius/γ)² for every margin γ that the data has. It is checked exactly, so the radius may be
    a little more than the longest row, to make room for rounding in the other numbers.
    """

    shards: int
    passes: int
    clean: bool  # whether the last pass changed nothing on any shard
    mistakes: float  # the sum over passes and shards of a shard's share times its updates, rounded to a double
    radius: float  # at least the length of every row, the constant coordinate included
    factor: float | None  # 1 for F1, 1 + 2c for F23, twice that for many classes at once (F25); None where there is no theorem

    def sentence(self, margin: float) -> str:
        """A sentence that compares the mistakes with F20. A margin of 0 means that none is known."""
        shards = "1 shard" if self.shards == 1 else f"{self.shards} shards"
        passes = "1 pass" if self.passes == 1 else f"each of {self.passes} passes"
        ratio = self.radius / margin if margin > 0 else math.inf
        if self.factor is None:
            allowed = "; F20 does not cover these settings"
        elif margin > 0:
            allowed = f", and F20 allows {self.factor * ratio * ratio:.6g} with a margin of {margin:.6g}"
        else:
            times = "" if self.factor == 1 else f"{self.factor:.6g}·"
            allowed = f", and F20 allows {times}(R/γ)² with R = {self.radius:.6g} wherever there is a margin γ"
        return (
            f"Learned on {shards}, mixed after {passes}: the updates, weighted by the shares, are {self.mistakes:.6g}{allowed}"
            + ("." if self.clean else "; the last pass was not clean on all shards.")
        )


def no_hull(data: Data) -> Hull | Hulls:
    """No evidence for an upper end of the margin."""
    return Hulls() if data.fit_intercept and data.kernel is None else Hull()


def margin_name(data: Data | Classes, hull: Hull | Hulls | ManyHull) -> str:
    """Which margin the hull is evidence for."""
    return "margin in the extended space" if data.fit_intercept and not isinstance(hull, Hulls) else "margin"


def weights_array(numbers: Sequence[Number]) -> Array:
    """float64 if every number is a float, fractions otherwise."""
    if all(isinstance(number, float) for number in numbers):
        return np.array(numbers, np.float64)
    array = np.empty(len(numbers), object)
    array[:] = [Fraction(number) for number in numbers]
    return array


def _first_ten(rows: Iterable[int]) -> str:
    listed = list(map(str, rows))
    return ", ".join(listed[:10]) + (", …" if len(listed) > 10 else "")


# ---- certificates ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Certificate:
    """What all certificates have in common."""

    data: Data | Classes | System
    outcome: ClassVar[str]
    data_types: ClassVar[tuple[type, ...]] = (Data,)

    def __post_init__(self) -> None:
        if self.is_mixed and (isinstance(self.data, System) or self.kernel is not None):
            raise CertificateError("only the weights of columns, learned from classes with no kernel in between, can be mixed")

    @property
    def kernel(self) -> Kernel | None:
        return self.data.kernel if isinstance(self.data, Data) else None

    @property
    def is_mixed(self) -> bool:
        """Whether the weights were learned on shards."""
        return getattr(self, "mixing", None) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def to_json(self) -> str:
        """The certificate as the text of a file, one field a line. The last field is the digest of all lines before it."""
        from novikoff.proof.certificate_files import to_json  # here, because that module imports this one

        return to_json(self)

    def save(self, path: str | Path) -> None:
        write_whole(path, self.to_json().encode("ascii"))


@dataclass(frozen=True, eq=False)
class Separable(Certificate):
    """Every row is on its own side: y·(weights·x + intercept) > 0, in exact arithmetic.

    Through a kernel, weights·x is Σ wₖ·K(x, xₖ) over the rows of the `support`, and y·(…) > tolerance·Σ |wₖ·K(x, xₖ)|: the rows
    stay on their sides even if every value of K has this relative error. The `tolerance` is 0 where the values are rational.
    """

    data: Data
    weights: Array  # float64, or fractions where no floats do
    intercept: Number
    margin: Margin
    hull: Hull | Hulls  # the evidence for the margin's upper end; its type says which margin that is
    support: tuple[int, ...] | None = field(default=None, metadata={"in_file": "through a kernel"})
    tolerance: float | None = field(default=None, metadata={"in_file": "through a kernel"})
    mixing: Mixing | None = field(default=None, metadata={"in_file": "mixed"})
    outcome = "separable"

    def __str__(self) -> str:
        low, high = self.margin
        if self.data.kernel is not None:
            return self._sentences_through(self.data.kernel)
        return (
            f"Separable: a hyperplane has all {self.data.rows} rows on their own sides{_labels_in_words(self.data)}"
            f"{_numbers_in_words(self.data)}.\n"
            f"Its {margin_name(self.data, self.hull)} is at least {low:.6g}"
            + (f", and no hyperplane's is above {high:.6g}" if high < math.inf else "")
            + (f": {len(self.hull.rows)} rows prove that." if self.hull.rows else ".")
            + (f"\n{self.mixing.sentence(self.extended_margin)}" if self.mixing else "")
        )

    @property
    def extended_margin(self) -> float:
        """A margin in the extended space that these weights have at least: the one of the mistake bounds (F5)."""
        if not self.data.fit_intercept or not isinstance(self.hull, Hulls):
            return self.margin.low
        square = sum((Fraction(w) ** 2 for w in self.weights.tolist()), Fraction(0))
        if not square:
            return 0.0
        return root_below(Fraction(self.margin.low) ** 2 * square / (square + Fraction(self.intercept) ** 2))

    def _sentences_through(self, kernel: Kernel) -> str:
        low, high = self.margin
        how = "exactly" if kernel.exact else f"even if every kernel value has a relative error of {self.tolerance:.6g}"
        if kernel.name == "called":
            how = "exactly for the values that the function returned"
        if kernel.name == "custom":
            how = "exactly for the kernel's exact form"
        margin = (
            f"Its {margin_name(self.data, self.hull)} there is at least {low:.6g}, and none is above {high:.6g}"
            + (f": {len(self.hull.rows)} rows prove that." if self.hull.rows else ".")
            if kernel.positive
            else f"The kernel is not known to be positive semidefinite: {VOID}."
        )
        return (
            f"Separable through the kernel {kernel}: a sum over {len(self.support or ())} rows has all {self.data.rows} rows "
            f"on their own sides{_labels_in_words(self.data)}, {how}.\n{margin}"
        )


@dataclass(frozen=True, eq=False)
class Inseparable(Certificate):
    """No hyperplane has every row on its own side: these rows cancel out, Σ λ·z = 0 exactly."""

    data: Data
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    outcome = "inseparable"

    def __str__(self) -> str:
        count, kernel = f"{len(self.rows)} of the {self.data.rows} rows{_labels_in_words(self.data)}", self.data.kernel
        numbers = _numbers_in_words(self.data)
        if kernel is not None:
            return (
                f"Not separable through the kernel {kernel}: {count} contradict each other: {_first_ten(self.rows)}.\n"
                "Weighted by the multipliers they cancel out exactly, so no sum of the kernel has them all on their own sides."
            )
        if len(self.rows) == 1:
            row = f"row {self.rows[0]}{_labels_in_words(self.data)}"
            return f"Not separable: {row} is zero{numbers}, and no hyperplane through the origin has it on a side."
        equal = len(self.rows) == 2 and self.data.fit_intercept
        how = "are the same row with different labels" if equal else "contradict each other"
        return (
            f"Not separable: {count} {how}: {_first_ten(self.rows)}.\n"
            f"Weighted by the multipliers they cancel out exactly{numbers}, so no hyperplane has them all on their own sides."
        )


@dataclass(frozen=True, eq=False)
class ManySeparable(Certificate):
    """Every row has the highest score for its own class: ⟨w_y, x⟩ + b_y > ⟨w_r, x⟩ + b_r for every other r, exactly."""

    data: Classes
    weights: Array  # a row a class: float64, or fractions where no floats do
    intercepts: Array  # the same, one a class
    margin: Margin  # of w as a whole: the least lead over the root of the sum of all squares, intercepts included
    hull: ManyHull  # the evidence for the margin's upper end
    mixing: Mixing | None = field(default=None, metadata={"in_file": "mixed"})
    outcome = "many separable"
    data_types = (Classes,)

    def __str__(self) -> str:
        low, high = self.margin
        return (
            f"Separable: all {self.data.rows} rows have their highest score for their own of {len(self.data.classes)} classes"
            f"{_labels_in_words(self.data)}.\n"
            f"The {margin_name(self.data, self.hull)} is at least {low:.6g}"
            + (f", and no weights have one above {high:.6g}" if high < math.inf else "")
            + (f": {len(self.hull.rows)} rows and rivals prove that." if self.hull.rows else ".")
            + (f"\n{self.mixing.sentence(low)}" if self.mixing else "")
        )


@dataclass(frozen=True, eq=False)
class ManyInseparable(Certificate):
    """No weights give every row the highest score for its own class: Σ λ·(e_y − e_r) ⊗ x = 0 exactly."""

    data: Classes
    rows: tuple[int, ...]
    rivals: tuple[int, ...]  # numbers of classes
    multipliers: tuple[Fraction, ...]
    outcome = "many inseparable"
    data_types = (Classes,)

    def __str__(self) -> str:
        rows = sorted(set(self.rows))
        return (
            f"Not separable: {len(rows)} of the {self.data.rows} rows{_labels_in_words(self.data)} contradict each other: "
            f"{_first_ten(rows)}.\n"
            f"Set against their rivals and weighted by the multipliers they cancel out exactly, so no weights for "
            f"{len(self.data.classes)} classes get them all right."
        )


@dataclass(frozen=True, eq=False)
class Undecided(Certificate):
    """Not decided, and `why`. No separator has a margin above `margin_at_most`; the type of `hull` says which margin."""

    why: str
    margin_at_most: float
    hull: Hull | Hulls | ManyHull
    mixing: Mixing | None = field(default=None, metadata={"in_file": "mixed"})
    outcome = "undecided"
    data_types = (Data, Classes, System)
    __match_args__ = ("why",)

    def __str__(self) -> str:
        subject = "No weights have" if isinstance(self.data, Classes) else "No hyperplane has"
        labels = "" if isinstance(self.data, System) else _labels_in_words(self.data)
        which = "margin" if isinstance(self.data, System) else margin_name(self.data, self.hull)
        margin = (
            ""
            if math.isinf(self.margin_at_most)
            else f" {subject} a {which} above {self.margin_at_most:.6g}{labels}{_numbers_in_words(self.data)}."
        )
        if self.kernel is not None and not self.kernel.positive:
            margin = f" The kernel is not known to be positive semidefinite: {VOID}."
        return f"Undecided: {self.why}.{margin}" + (f"\n{self.mixing.sentence(0.0)}" if self.mixing else "")


@dataclass(frozen=True, eq=False)
class Feasible(Certificate):
    """The point w satisfies every constraint, in exact arithmetic."""

    data: System
    w: Array  # float64, or fractions where no floats do
    method: str
    work: Work
    # A·w minus the lower end of each row, in floats. Not part of the file; None where the rows were never held.
    slack: Array | None = field(default=None, metadata={"in_file": False})
    seen: Array | None = field(default=None, metadata={"in_file": False})  # the rows that an oracle gave
    outcome = "feasible"
    data_types = (System,)
    __match_args__ = ("w", "slack")

    @property
    def x(self) -> Array:
        """The point, by the name it has in lower ≤ A·x ≤ upper."""
        return self.w

    def __str__(self) -> str:
        how = f"exactly{_numbers_in_words(self.data)}; found by {self.method}"
        return f"Feasible: a point satisfies all {self.data.rows} rows, {how}."


@dataclass(frozen=True, eq=False)
class Optimal(Certificate):
    """The point w is feasible, and no feasible point has a better value of the objective, in exact arithmetic (duality).

    Weighted by the multipliers, the rows and the coordinates add up to the objective, and their ends to the value at w. Of a
    maximum, a positive multiplier belongs to an upper end and a negative one to a lower end; of a minimum it is the other way
    round.
    """

    data: System
    sense: str  # "maximize" or "minimize"
    value: Number  # of the objective at w
    w: Array  # float64, or fractions where no floats do
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    columns: tuple[int, ...]
    column_multipliers: tuple[Fraction, ...]
    method: str
    work: Work
    outcome = "optimal"
    data_types = (System,)
    __match_args__ = ("w", "value")

    @property
    def x(self) -> Array:
        """The point, by the name it has in lower ≤ A·x ≤ upper."""
        return self.w

    def __str__(self) -> str:
        return (
            f"Optimal: the {self.sense[:3]}imum of the objective is {short_number(self.value)}; found by {self.method}.\n"
            f"The multipliers of {len(self.rows)} rows and the bounds of {len(self.columns)} coordinates prove it, exactly"
            f"{_numbers_in_words(self.data)}."
        )


@dataclass(frozen=True, eq=False)
class Unbounded(Certificate):
    """From the feasible point w, all points in the direction `ray` are feasible, and the objective gets better without end."""

    data: System
    sense: str
    w: Array  # float64, or fractions where no floats do
    ray: Array
    method: str
    work: Work
    outcome = "unbounded"
    data_types = (System,)
    __match_args__ = ("w", "ray")

    @property
    def x(self) -> Array:
        """The point, by the name it has in lower ≤ A·x ≤ upper."""
        return self.w

    def __str__(self) -> str:
        return (
            f"Unbounded: the objective has no {self.sense[:3]}imum, exactly{_numbers_in_words(self.data)}; "
            f"found by {self.method}.\nFrom a feasible point it gets better without end in the direction of the ray."
        )


@dataclass(frozen=True, eq=False)
class Infeasible(Certificate):
    """No point satisfies every constraint: weighted by the multipliers, the constraints add up to 0·w ≥ a number above 0.

    A positive multiplier belongs to the lower end of a row (or of a coordinate), a negative one to the upper end; a row may be
    named once for each end. In a cone they are all positive, and the rows cancel out.
    """

    data: System
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    columns: tuple[int, ...]  # coordinates whose bounds take part
    column_multipliers: tuple[Fraction, ...]
    method: str
    work: Work
    seen: Array | None = field(default=None, metadata={"in_file": False})  # the rows that an oracle gave
    outcome = "infeasible"
    data_types = (System,)
    __match_args__ = ("rows", "multipliers")

    def __str__(self) -> str:
        rows, columns = sorted(set(self.rows)), set(self.columns)
        parts = [f"{len(rows)} of the {self.data.rows} rows ({_first_ten(rows)})"] if rows else []
        parts += [f"the bounds of {len(columns)} of the {self.data.columns} coordinates"] if columns else []
        return (
            f"Infeasible: {' and '.join(parts)} contradict each other.\n"
            f"Weighted by the multipliers they add up to a contradiction, exactly{_numbers_in_words(self.data)}; "
            f"found by {self.method}."
        )
