"""What is known of two classes: Separable | Inseparable | Undecided; of many at once: ManySeparable | ManyInseparable |
Undecided; of constraints: Feasible | Infeasible | Undecided.

Write z = y·(x, 1) for a row x of class y = ±1 (without an intercept, z = y·x). `Separable` has w·z > 0 on every row;
`Inseparable` has multipliers λ ≥ 0, not all 0, with Σ λ·z = 0, which no w survives (Gordan). Margins are taken in the
space of the z's, intercept included. Of many classes there is a z = (e_y − e_r) ⊗ (x, 1) for each row x of class y and each
other class r, and w has the weights of all classes (F25). Through a kernel K, φ(x) stands for x, ⟨φ(a), φ(b)⟩ = K(a, b) (F19),
and a separator is written as a sum over rows. A system is lower ≤ A·w ≤ upper, with bounds on w itself; a cone is A·w ≥ 1.
`Feasible` has a point of it, `Infeasible` multipliers that no point survives (Farkas). A certificate is data:
`novikoff.verify` says whether it is true.
"""

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from novikoff.foundation.atomic_files import write_whole

FORMAT, VERSION = "novikoff certificate", 1
LONG = 10**1000  # whole numbers from here on are written in hexadecimal: quick to read back, however long
# A million bits are more than any proof needs, and a number of more would take long to reduce.
RATIONAL = re.compile(r"-?(0x[0-9a-f]+|[0-9]+)(/(0x[0-9a-f]+|[0-9]+))?")
MOST_BITS = 1_000_000  # of the top of a fraction, or its bottom
MOST_DECIMALS = 1001  # digits of a whole number that is not in hexadecimal
LARGEST_FILE = 2**26  # bytes; little that this program writes comes near
MOST_DEGREE = 1000  # of a polynomial kernel: a value of a higher one has more digits than anybody would wait for
MOST_POWER_BITS = 2**18  # of gamma or of coef0, times the degree: so many bits a value of the kernel has at least
VOID = "bounds on margins and mistakes are void"

Number = float | Fraction
Array = np.ndarray[Any, Any]


class CertificateError(ValueError):
    """This is not a certificate that anybody wrote."""


KERNELS = {
    "linear": (),
    "poly": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
    "called": ("function",),
}  # and what each is given by; `docs/certificates.md` has the formulas


def no_proofs(kernel: str) -> str:
    """Why nothing is proved through a kernel of the user's own: whoever checks a proof computes the values anew."""
    known = ", ".join(name for name in KERNELS if name != "called")
    return f"there are no proofs for the kernel {kernel!r}, only for {known}, and for a function of two matrices"


class Kernel(NamedTuple):
    """Which kernel rows are compared by, and its parameters: those it has, None for the others."""

    name: str
    degree: int | None = None
    gamma: Number | None = None
    coef0: Number | None = None
    function: str | None = None  # the name of a function of the user's, which is no proof of what it computes

    def check(self) -> None:
        """Refuse what is no kernel that proofs know: another name, or parameters that it cannot have."""
        if self.name not in KERNELS:
            raise CertificateError(no_proofs(self.name))
        given = {name for name in self._fields[1:] if getattr(self, name) is not None}
        if given != set(KERNELS[self.name]):
            raise CertificateError(
                f"the kernel {self.name} has {', '.join(KERNELS[self.name]) or 'no parameters'}, and nothing else"
            )
        for name in given & {"gamma", "coef0"}:
            value = getattr(self, name)
            if not isinstance(value, float | Fraction) or (isinstance(value, float) and not math.isfinite(value)):
                raise CertificateError(f"{name} of the kernel is not a number")
        if self.gamma is not None and self.gamma <= 0:
            raise CertificateError("gamma is not positive")
        if self.degree is not None and not (type(self.degree) is int and 1 <= self.degree <= MOST_DEGREE):
            raise CertificateError(f"the degree is a whole number from 1 to {MOST_DEGREE}")
        for name in sorted(given & {"gamma", "coef0"}):
            bits = (self.degree or 1) * sum(part.bit_length() for part in getattr(self, name).as_integer_ratio())
            if bits > MOST_POWER_BITS:
                why = f"its bits times the degree are {bits:,}, and the most is {MOST_POWER_BITS:,}"
                raise CertificateError(f"{name} has too many digits: {why}; round it, or lower the degree")

    @property
    def exact(self) -> bool:
        """Whether its values are rationals, so that nothing need be known only within a tolerance."""
        return self.name in ("linear", "poly", "precomputed", "called")

    @property
    def positive(self) -> bool:
        """Whether every matrix of its values is known to be positive semidefinite: without that there is no φ, and no margin."""
        return self.name in ("linear", "rbf", "laplacian") or (self.name == "poly" and self.coef0 is not None and self.coef0 >= 0)

    def __str__(self) -> str:
        if self.name == "called":
            return str(self.function)
        told = ", ".join(f"{name} {_told(getattr(self, name))}" for name in KERNELS[self.name])
        return f"{self.name} ({told})" if told else self.name


class Data(NamedTuple):
    """Which data is spoken of. A label `no` of None means any label but `yes`; a `kernel` of None, the rows as they are."""

    rows: int
    columns: int
    fit_intercept: bool
    no: Any
    yes: Any
    fingerprint: str
    kernel: Kernel | None = None


class Classes(NamedTuple):
    """Which data of many classes is spoken of. They are numbered from 0 in this order."""

    rows: int
    columns: int
    fit_intercept: bool
    classes: tuple[Any, ...]
    fingerprint: str


def labels_of(data: Data | Classes) -> tuple[Any, ...]:
    """The labels that are spoken of, in the order of their numbers."""
    return data.classes if isinstance(data, Classes) else (data.no, data.yes)


class System(NamedTuple):
    """Which system of constraints is spoken of."""

    rows: int
    columns: int
    fingerprint: str


def spoken_of(data: Data | Classes | System) -> str:
    """The labels, in words, for the sentence of a certificate; nothing of constraints, which have none."""
    if isinstance(data, System):
        return ""
    if isinstance(data, Data) and data.no is None:
        return f" (label {data.yes!r} and the rest)"
    names = [repr(name) for name in labels_of(data)]
    return f" (labels {' and '.join(names) if len(names) == 2 else ', '.join(names[:10] + ['…'] * (len(names) > 10))})"


class Work(NamedTuple):
    """What an answer took."""

    steps: int = 0  # updates of weights, or pivots
    stretches: int = 0  # of space (F15)
    calls: int = 0  # of an oracle


class Margin(NamedTuple):
    """The margin γ* of the data lies between these: low ≤ γ* ≤ high."""

    low: float
    high: float


class Hull(NamedTuple):
    """A point of the convex hull of the z's: Σ λ·z / Σ λ. No separator has a margin above its norm (F7)."""

    rows: tuple[int, ...] = ()
    multipliers: tuple[Number, ...] = ()


class ManyHull(NamedTuple):
    """The same of many classes: each z is of a row and of a class that it is not of, its rival."""

    rows: tuple[int, ...] = ()
    rivals: tuple[int, ...] = ()
    multipliers: tuple[Number, ...] = ()


class Mixing(NamedTuple):
    """How weights were learned on shards of the rows, and mixed after each pass (F20) [mcdonald2010distributed].

    The theorem is mistakes ≤ factor·(radius/γ)² for every margin γ that the data has. It is checked exactly, so a radius that
    is a little more than the longest row makes room for the rounding of the others.
    """

    shards: int
    passes: int
    clean: bool  # whether the last pass changed nothing on any shard
    mistakes: float  # the sum over passes and shards of a shard's share times its updates, rounded to a double
    radius: float  # no row is longer, the constant coordinate included
    factor: float | None  # 1 for F1, 1 + 2c for F23, twice that for many classes at once (F25); None where there is no theorem

    def told(self, margin: float) -> str:
        """In a sentence; a margin of 0 is none that is known."""
        shards = "1 shard" if self.shards == 1 else f"{self.shards} shards"
        passes = "1 pass" if self.passes == 1 else f"each of {self.passes} passes"
        ratio = self.radius / margin if margin > 0 else math.inf
        if self.factor is None:
            allowed = "; F20 says nothing of these settings"
        elif margin > 0:
            allowed = f", and F20 allows {self.factor * ratio * ratio:.6g} with a margin of {margin:.6g}"
        else:
            times = "" if self.factor == 1 else f"{self.factor:.6g}·"
            allowed = f", and F20 allows {times}(R/γ)² with R = {self.radius:.6g} wherever there is a margin γ"
        return (
            f"Learned on {shards}, mixed after {passes}: the updates, weighted by the shares, are {self.mistakes:.6g}{allowed}"
            + ("." if self.clean else "; the last pass was not clean on all shards.")
        )


@dataclass(frozen=True, eq=False)
class Certificate:
    """What all of them have in common."""

    data: Data | Classes | System
    outcome: ClassVar[str]
    speaks_of: ClassVar[tuple[type, ...]] = (Data,)

    def __post_init__(self) -> None:
        if _mixed(self) and (isinstance(self.data, System) or _through_a_kernel(self)):
            raise CertificateError("only weights of columns that were learned from classes are mixed, with no kernel in between")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def to_json(self) -> str:
        """The certificate as the text of a file, one field a line, the last of them the digest of all lines before it."""
        document = {"format": FORMAT, "version": VERSION, "outcome": self.outcome}
        document |= {name: _plain(getattr(self, name)) for name in _in_file(self, _through_a_kernel(self), _mixed(self))}
        lines = [f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in document.items()]
        body = "{\n" + "".join(line + ",\n" for line in lines)
        return f'{body}"digest": "{_digest(body)}"\n}}\n'

    def save(self, path: str | Path) -> None:
        write_whole(path, self.to_json().encode("ascii"))


@dataclass(frozen=True, eq=False)
class Separable(Certificate):
    """Every row is on its own side: y·(weights·x + intercept) > 0, in exact arithmetic.

    Through a kernel, weights·x is Σ wₖ·K(x, xₖ) over the rows of the `support`, and y·(…) > tolerance·Σ |wₖ·K(x, xₖ)|: the rows
    stay on their sides though every value of K were wrong by this relative `tolerance`, which is 0 where they are rationals.
    """

    data: Data
    weights: Array  # float64, or fractions where no floats do
    intercept: Number
    margin: Margin
    hull: Hull  # the evidence for the margin's upper end
    support: tuple[int, ...] | None = field(default=None, metadata={"in_file": "through a kernel"})
    tolerance: float | None = field(default=None, metadata={"in_file": "through a kernel"})
    mixing: Mixing | None = field(default=None, metadata={"in_file": "mixed"})
    outcome = "separable"

    def __str__(self) -> str:
        low, high = self.margin
        if self.data.kernel is not None:
            return self._through(self.data.kernel)
        return (
            f"Separable: a hyperplane has all {self.data.rows} rows on their own sides{spoken_of(self.data)}.\n"
            f"Its margin is at least {low:.6g}"
            + (f", and no hyperplane's is above {high:.6g}" if high < math.inf else "")
            + (f": {len(self.hull.rows)} rows prove that." if self.hull.rows else ".")
            + (f"\n{self.mixing.told(low)}" if self.mixing else "")
        )

    def _through(self, kernel: Kernel) -> str:
        low, high = self.margin
        how = "exactly" if kernel.exact else f"though every value of the kernel were wrong by a relative {self.tolerance:.6g}"
        if kernel.name == "called":
            how = "exactly for the values that the function returned"
        proved = (
            f"Its margin there is at least {low:.6g}, and none is above {high:.6g}"
            + (f": {len(self.hull.rows)} rows prove that." if self.hull.rows else ".")
            if kernel.positive
            else f"The kernel is not known to be positive semidefinite: {VOID}."
        )
        return (
            f"Separable through the kernel {kernel}: a sum over {len(self.support or ())} rows has all {self.data.rows} rows "
            f"on their own sides{spoken_of(self.data)}, {how}.\n{proved}"
        )


@dataclass(frozen=True, eq=False)
class Inseparable(Certificate):
    """No hyperplane has every row on its own side: these rows cancel out, Σ λ·z = 0 exactly."""

    data: Data
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    outcome = "inseparable"

    def __str__(self) -> str:
        if self.data.kernel is not None:
            return self._through(self.data.kernel)
        if len(self.rows) == 1:
            row = f"row {self.rows[0]}{spoken_of(self.data)}"
            return f"Not separable: {row} is zero, and no hyperplane through the origin has it on a side."
        shown = ", ".join(map(str, self.rows[:10])) + (", …" if len(self.rows) > 10 else "")
        how = (
            "are the same row with different labels"
            if len(self.rows) == 2 and self.data.fit_intercept
            else "contradict each other"
        )
        return (
            f"Not separable: {len(self.rows)} of the {self.data.rows} rows{spoken_of(self.data)} {how}: {shown}.\n"
            "Weighted by the multipliers they cancel out exactly, so no hyperplane has them all on their own sides."
        )

    def _through(self, kernel: Kernel) -> str:
        shown = ", ".join(map(str, self.rows[:10])) + (", …" if len(self.rows) > 10 else "")
        return (
            f"Not separable through the kernel {kernel}: {len(self.rows)} of the {self.data.rows} rows{spoken_of(self.data)} "
            f"contradict each other: {shown}.\nWeighted by the multipliers they cancel out exactly, so no sum of the kernel has "
            "them all on their sides."
        )


@dataclass(frozen=True, eq=False)
class ManySeparable(Certificate):
    """Every row has the highest score for its own class: ⟨w_y, x⟩ + b_y > ⟨w_r, x⟩ + b_r for every other r, exactly."""

    data: Classes
    weights: Array  # float64, a row a class
    intercepts: Array  # float64, one a class
    margin: Margin  # of w as a whole: the least lead over the root of the sum of all squares, intercepts included
    hull: ManyHull  # the evidence for the margin's upper end
    mixing: Mixing | None = field(default=None, metadata={"in_file": "mixed"})
    outcome = "many separable"
    speaks_of = (Classes,)

    def __str__(self) -> str:
        low, high = self.margin
        return (
            f"Separable: all {self.data.rows} rows have their highest score for their own of {len(self.data.classes)} classes"
            f"{spoken_of(self.data)}.\n"
            f"The margin is at least {low:.6g}"
            + (f", and no weights have one above {high:.6g}" if high < math.inf else "")
            + (f": {len(self.hull.rows)} rows and rivals prove that." if self.hull.rows else ".")
            + (f"\n{self.mixing.told(low)}" if self.mixing else "")
        )


@dataclass(frozen=True, eq=False)
class ManyInseparable(Certificate):
    """No weights have every row's highest score for its own class: these z's cancel out, Σ λ·(e_y − e_r) ⊗ x = 0 exactly."""

    data: Classes
    rows: tuple[int, ...]
    rivals: tuple[int, ...]  # numbers of classes
    multipliers: tuple[Fraction, ...]
    outcome = "many inseparable"
    speaks_of = (Classes,)

    def __str__(self) -> str:
        named = sorted(set(self.rows))
        shown = ", ".join(map(str, named[:10])) + (", …" if len(named) > 10 else "")
        return (
            f"Not separable: {len(named)} of the {self.data.rows} rows{spoken_of(self.data)} contradict each other: {shown}.\n"
            f"Set against their rivals and weighted by the multipliers they cancel out exactly, so no weights for "
            f"{len(self.data.classes)} classes get them all right."
        )


@dataclass(frozen=True, eq=False)
class Undecided(Certificate):
    """Not known yet. What is known: no separator has a margin above `margin_at_most`."""

    why: str
    margin_at_most: float
    hull: Hull | ManyHull
    mixing: Mixing | None = field(default=None, metadata={"in_file": "mixed"})
    outcome = "undecided"
    speaks_of = (Data, Classes, System)
    __match_args__ = ("why",)

    def __str__(self) -> str:
        what = "No weights have" if isinstance(self.data, Classes) else "No hyperplane has"
        kernel = getattr(self.data, "kernel", None)
        above = f" {what} a margin above {self.margin_at_most:.6g}{spoken_of(self.data)}."
        known = "" if math.isinf(self.margin_at_most) else above
        if kernel is not None and not kernel.positive:
            known = f" The kernel is not known to be positive semidefinite: {VOID}."
        return f"Undecided: {self.why}.{known}" + (f"\n{self.mixing.told(0.0)}" if self.mixing else "")


@dataclass(frozen=True, eq=False)
class Feasible(Certificate):
    """The point w satisfies every constraint, in exact arithmetic."""

    data: System
    w: Array  # float64, or fractions where no floats do
    method: str
    work: Work
    # A·w less the lower end of each row, in floats; not part of the file, and None where the rows were never held.
    slack: Array | None = field(default=None, metadata={"in_file": False})
    seen: Array | None = field(default=None, metadata={"in_file": False})  # the rows that an oracle gave
    outcome = "feasible"
    speaks_of = (System,)
    __match_args__ = ("w", "slack")

    def __str__(self) -> str:
        return f"Feasible: a point satisfies all {self.data.rows} rows, exactly; found by {self.method}."


@dataclass(frozen=True, eq=False)
class Infeasible(Certificate):
    """No point satisfies every constraint: weighted by the multipliers, the constraints named add up to 0·w ≥ something above 0.

    A positive multiplier is of the lower end of a row (or of a coordinate), a negative one of the upper end; a row may be
    named once for each end. Of a cone they are all positive, and the rows cancel out.
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
    speaks_of = (System,)
    __match_args__ = ("rows", "multipliers")

    def __str__(self) -> str:
        rows, columns = sorted(set(self.rows)), set(self.columns)
        shown = ", ".join(map(str, rows[:10])) + (", …" if len(rows) > 10 else "")
        parts = [f"{len(rows)} of the {self.data.rows} rows ({shown})"] if rows else []
        parts += [f"the bounds of {len(columns)} of the {self.data.columns} coordinates"] if columns else []
        return (
            f"Infeasible: {' and '.join(parts)} contradict each other.\n"
            f"Weighted by the multipliers they add up to a contradiction, exactly; found by {self.method}."
        )


KINDS = (Separable, Inseparable, ManySeparable, ManyInseparable, Undecided, Feasible, Infeasible)
OUTCOMES = {kind.outcome: kind for kind in KINDS}


def _in_file(kind: Any, through_a_kernel: bool, mixed: bool) -> list[str]:
    kept = {True: True, "through a kernel": through_a_kernel, "mixed": mixed, False: False}
    return [each.name for each in fields(kind) if kept[each.metadata.get("in_file", True)]]


def _through_a_kernel(certificate: Certificate) -> bool:
    return getattr(certificate.data, "kernel", None) is not None


def _mixed(certificate: Certificate) -> bool:
    return getattr(certificate, "mixing", None) is not None


def load(path: str | Path) -> Certificate:
    """Read a certificate file; refuse it where it was edited or is none."""
    return load_with_text(path)[0]


def load_with_text(path: str | Path) -> tuple[Certificate, str]:
    """The same, and the text of the file."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(content) > LARGEST_FILE:
        raise CertificateError(f"{path}: has more than {LARGEST_FILE:,} bytes, which no certificate has")
    try:
        text = content.decode("ascii", "surrogateescape")
        return from_json(text), text
    except CertificateError as error:
        raise CertificateError(f"{path}: not a certificate: {error}") from None


def from_json(text: str) -> Certificate:
    """The certificate that `to_json` wrote as this text."""
    if not text.isascii():
        raise CertificateError("it has characters that no certificate has")
    try:
        document = json.loads(text, object_pairs_hook=_no_twice, parse_constant=_no_constant, parse_int=_whole, parse_float=_real)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CertificateError(f"it is not JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CertificateError(f'it does not say "format": "{FORMAT}"')
    if type(document.get("version")) is not int or document["version"] != VERSION:
        raise CertificateError(f"it is of version {document.get('version')!r}; this program reads version {VERSION}")
    body, mark, _ = text.rpartition('"digest": "')
    if not mark or text.rstrip() != f'{body}"digest": "{_digest(body)}"\n}}':
        raise CertificateError("its digest does not agree with its content: it was changed after it was written")
    if not isinstance(document.get("outcome"), str) or document["outcome"] not in OUTCOMES:
        raise CertificateError(f"its outcome is {document.get('outcome')!r}; the outcomes are {', '.join(OUTCOMES)}")
    kind = OUTCOMES[document["outcome"]]
    through_a_kernel = isinstance(document.get("data"), dict) and "kernel" in document["data"]
    names = _in_file(kind, through_a_kernel, "mixing" in document)
    read = _READ | (_READ_MANY if kind is ManySeparable else {})
    if set(document) != {"format", "version", "outcome", "digest", *names}:
        odd = sorted(set(document) ^ {"format", "version", "outcome", "digest", *names})
        raise CertificateError(f"a certificate of this outcome has other fields: {odd[0]!r} is missing or too many")
    found = kind(**{name: read[name](document[name], name) for name in names})
    if type(found.data) not in kind.speaks_of:
        raise CertificateError("its data is not of the kind that this outcome speaks of")
    if isinstance(found, Separable | ManySeparable | Undecided):
        check_hull(found)
    return found


def check_hull(certificate: "Separable | ManySeparable | Undecided") -> None:
    """Refuse evidence of many classes where there are two, and the other way round."""
    if isinstance(certificate.hull, ManyHull) != isinstance(certificate.data, Classes):
        raise CertificateError("its hull is not of a kind that it can be: of many classes, and of those alone, rows have rivals")


# ---- numbers and fields, to and from JSON ---------------------------------------------------------------------------


def rational_text(value: Fraction) -> str:
    return "/".join(_whole_text(part) for part in ((value.numerator,) if value.denominator == 1 else value.as_integer_ratio()))


def _whole_text(value: int) -> str:
    return str(value) if abs(value) < LONG else hex(value)


def _plain(value: Any) -> Any:
    """Lists, dictionaries, text and numbers: a double is a JSON number that reads back as itself, a fraction is text "p/q"."""
    if isinstance(value, Kernel):
        return {name: _plain(getattr(value, name)) for name in ("name", *KERNELS[value.name])}
    if isinstance(value, Data) and value.kernel is None:
        return {name: _plain(part) for name, part in value._asdict().items() if name != "kernel"}
    if isinstance(value, Data | Classes | Hull | ManyHull | Mixing | System | Work):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and np.isfinite(value).all():
        return value.tolist()
    if isinstance(value, np.ndarray | tuple):
        return [_plain(item) for item in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, Fraction):
        return rational_text(value)
    if isinstance(value, float) and math.isinf(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _told(number: Number | None) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise CertificateError("it names a field twice")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise CertificateError(f"{name} is not a number")


def _whole(text: str) -> int:
    if len(text) > MOST_DECIMALS:
        raise CertificateError(f"it has a number of more than {MOST_DECIMALS:,} decimal digits; write it in hexadecimal, as text")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise CertificateError(f"{text[:40]} is larger than any double")
    return value


def _number(value: Any, name: str) -> Number:
    if isinstance(value, str):
        return _fraction(value, name)
    if type(value) is float:
        return value
    raise CertificateError(f'{name}: {str(value)[:40]!r} is neither a double with a decimal point nor text "p/q"')


def _fraction(value: Any, name: str) -> Fraction:
    if not (isinstance(value, str) and RATIONAL.fullmatch(value)):
        raise CertificateError(f'{name}: {str(value)[:40]!r} is not a rational number, text "p/q"')
    top, _, bottom = value.partition("/")
    for part in (top.removeprefix("-"), bottom):
        if len(part) > (2 + MOST_BITS // 4 if part.startswith("0x") else MOST_DECIMALS):
            raise CertificateError(f"{name}: a number is longer than {MOST_BITS:,} bits, or {MOST_DECIMALS:,} decimal digits")
    if bottom and not int(bottom, 0 if "x" in bottom else 10):
        raise CertificateError(f"{name}: {value[:40]!r} divides by zero")
    return Fraction(int(top, 0 if "x" in top else 10), int(bottom, 0 if "x" in bottom else 10) if bottom else 1)


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise CertificateError(f"{name} is not a list")
    return value


def _rows(value: Any, name: str) -> tuple[int, ...]:
    rows = _list(value, name)
    if not all(type(row) is int and 0 <= row < 2**63 for row in rows):
        raise CertificateError(f"{name}: row numbers are whole and not negative")
    return tuple(rows)


def _fractions(value: Any, name: str) -> tuple[Fraction, ...]:
    return tuple(_fraction(item, name) for item in _list(value, name))


def _weights(value: Any, name: str) -> Array:
    numbers = [_number(item, name) for item in _list(value, name)]
    return weights_array(numbers)


def weights_array(numbers: Sequence[Number]) -> Array:
    """float64 if every number is a float, fractions otherwise."""
    if all(isinstance(number, float) for number in numbers):
        return np.array(numbers, np.float64)
    array = np.empty(len(numbers), object)
    array[:] = [Fraction(number) for number in numbers]
    return array


def _margin(value: Any, name: str) -> Margin:
    ends = _list(value, name)
    if len(ends) != 2 or type(ends[0]) is not float:
        raise CertificateError(f"{name} is not a pair of doubles")
    found = Margin(ends[0], _upper(ends[1], name))
    if not found.low <= found.high:
        raise CertificateError(f"{name}: the lower end, {found.low}, is above the upper end, {found.high}")
    return found


def _upper(value: Any, name: str) -> float:
    if value is None:
        return math.inf
    if type(value) is not float:
        raise CertificateError(f"{name}: {str(value)[:40]!r} is neither a double nor null")
    return value


def _hull(value: Any, name: str) -> Hull | ManyHull:
    if isinstance(value, dict) and set(value) == set(ManyHull._fields):
        multipliers = tuple(_number(item, name) for item in _list(value["multipliers"], name))
        return ManyHull(_rows(value["rows"], name), _rows(value["rivals"], name), multipliers)
    if not isinstance(value, dict) or set(value) != {"rows", "multipliers"}:
        raise CertificateError(f"{name} does not have rows and multipliers, and nothing else")
    return Hull(_rows(value["rows"], name), tuple(_number(item, name) for item in _list(value["multipliers"], name)))


def _doubles(value: Any, name: str) -> Array:
    numbers = _list(value, name)
    if not all(type(number) is float for number in numbers):
        raise CertificateError(f"{name}: some are not doubles with a decimal point")
    return np.array(numbers, np.float64)


def _matrix(value: Any, name: str) -> Array:
    rows = [_doubles(row, name) for row in _list(value, name)]
    if len({len(row) for row in rows}) != 1:
        raise CertificateError(f"{name} is not a table of numbers")
    return np.stack(rows)


def _classes(value: dict[str, Any], name: str) -> Classes:
    labels = _list(value["classes"], name)
    if not all(isinstance(label, str | int | float) for label in labels):
        raise CertificateError(f"{name}: labels are text or numbers")
    whole = all(type(value[what]) is int and value[what] >= 0 for what in ("rows", "columns"))
    if not whole or type(value["fit_intercept"]) is not bool or not isinstance(value["fingerprint"], str):
        raise CertificateError(
            f"{name}: rows and columns are whole numbers, fit_intercept is true or false, the fingerprint is text"
        )
    return Classes(**(value | {"classes": tuple(labels)}))


def _data(value: Any, name: str) -> Data | Classes | System:
    if isinstance(value, dict) and set(value) == set(Classes._fields):
        return _classes(value, name)
    if isinstance(value, dict) and set(value) == set(System._fields):
        found = System(**value)
        if not all(type(n) is int and n >= 0 for n in found[:2]) or not isinstance(found.fingerprint, str):
            raise CertificateError(f"{name}: rows and columns are whole numbers, the fingerprint is text")
        return found
    if not isinstance(value, dict) or {*value, "kernel"} != set(Data._fields):
        raise CertificateError(f"{name} does not have the fields {', '.join(Data._fields)}, and no others")
    if not all(type(value[what]) is int and value[what] >= 0 for what in ("rows", "columns")):
        raise CertificateError(f"{name}: rows and columns are whole numbers")
    if type(value["fit_intercept"]) is not bool:
        raise CertificateError(f"{name}: fit_intercept is true or false")
    if not isinstance(value["no"], str | int | float | None) or not isinstance(value["yes"], str | int | float):
        raise CertificateError(f"{name}: labels are text or numbers; only that of `no` may be null")
    if not isinstance(value["fingerprint"], str):
        raise CertificateError(f"{name}: the fingerprint is text")
    return Data(**(value | {"kernel": _kernel(value["kernel"], name)} if "kernel" in value else value))


def _kernel(value: Any, name: str) -> Kernel:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or value["name"] not in KERNELS:
        raise CertificateError(f"{name}: the kernel has no name, or one that is not among {', '.join(KERNELS)}")
    if "function" in value and not isinstance(value["function"], str):
        raise CertificateError(f"{name}: the function is told by its name, as text")
    if not set(value) <= set(Kernel._fields) or None in value.values():
        raise CertificateError(f"{name}: the kernel has other fields than {', '.join(KERNELS[value['name']]) or 'its name'}")
    kernel = Kernel(**(value | {each: _number(value[each], each) for each in ("gamma", "coef0") if each in value}))
    try:
        kernel.check()
    except CertificateError as error:
        raise CertificateError(f"{name}: {error}") from None
    return kernel


def _tolerance(value: Any, name: str) -> float:
    if type(value) is not float or value < 0:
        raise CertificateError(f"{name} is not a double from 0 on")
    return value


def _work(value: Any, name: str) -> Work:
    if not isinstance(value, dict) or set(value) != set(Work._fields) or not all(type(n) is int for n in value.values()):
        raise CertificateError(f"{name} does not have {', '.join(Work._fields)}, whole numbers")
    return Work(**value)


def _mixing(value: Any, name: str) -> Mixing:
    if not isinstance(value, dict) or set(value) != set(Mixing._fields):
        raise CertificateError(f"{name} does not have {', '.join(Mixing._fields)}, and nothing else")
    found = Mixing(**value)
    doubles = (found.mistakes, found.radius, *(() if found.factor is None else (found.factor,)))
    if not all(type(n) is int for n in found[:2]) or type(found.clean) is not bool or not all(type(n) is float for n in doubles):
        raise CertificateError(f"{name}: shards and passes are whole numbers, clean is true or false, the others are doubles")
    return found


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise CertificateError(f"{name} is not text")
    return value


_READ: dict[str, Any] = {
    "data": _data,
    "weights": _weights,
    "intercept": _number,
    "margin": _margin,
    "hull": _hull,
    "support": _rows,
    "tolerance": _tolerance,
    "rows": _rows,
    "rivals": _rows,
    "multipliers": _fractions,
    "why": _text,
    "margin_at_most": _upper,
    "w": _weights,
    "columns": _rows,
    "column_multipliers": _fractions,
    "method": _text,
    "work": _work,
    "mixing": _mixing,
}
_READ_MANY: dict[str, Any] = {"weights": _matrix, "intercepts": _doubles}
