"""Certificates of quasi-separation: which rows weights can have on their own sides while no row is on the wrong one (F31).

Write D for the w with w·z ≥ 0 on every row. The rows fall into two parts: those that some w of D has on their own sides, and the
*overlap*, on which every w of D has w·z = 0. Data is CompletelySeparable if there is no overlap, Overlapping if there is nothing
else, and QuasiSeparable otherwise. The same tells which coefficients of a logistic regression are infinite.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import Certificate, CertificateError, Data, _first_ten, _labels_in_words
from novikoff.proof.rationals import Number

PLUS, MINUS, UNDETERMINED, FINITE, UNIDENTIFIED = "+infinite", "-infinite", "undetermined", "finite", "unidentified"
VERDICTS = (PLUS, MINUS, UNDETERMINED, FINITE, UNIDENTIFIED)
SHOWN = 10  # coefficients, combinations, or columns of a combination that a sentence lists


class Combination(NamedTuple):
    """A vector of which only these coordinates are not 0. The intercept's is the number of columns."""

    columns: tuple[int, ...]
    factors: tuple[Fraction, ...]

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "2·height - width = 0"."""
        shown = list(zip(self.columns, self.factors, strict=True))[:SHOWN]
        terms = [(names[j], -f if self.factors[0] < 0 else f) for j, f in shown]
        text = "".join(f" {'-' if f < 0 else '+'} {'' if abs(f) == 1 else f'{_short(abs(f))}·'}{name}" for name, f in terms)
        return text.removeprefix(" + ") + (" + …" if len(self.columns) > SHOWN else "") + " = 0"


class NullSpace(NamedTuple):
    """All vectors that are orthogonal to certain z's: the combinations of `vectors`.

    Each vector has a column of its own, in which the other vectors are 0. The `rows` are as many as there are other columns, and
    the square matrix of these rows and columns is not singular: so there are no further vectors.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    vectors: tuple[Combination, ...]

    @property
    def moves(self) -> set[int]:
        """The coordinates in which some vector is not 0."""
        return {j for vector in self.vectors for j in vector.columns}


class SignProof(NamedTuple):
    """Rows that add up, weighted by the multipliers, to a multiple of one coordinate. No w of D has the other sign there."""

    column: int
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]  # only those of overlap rows may be negative


@dataclass(frozen=True, eq=False)
class Separation(Certificate):
    """What all three outcomes have in common.

    `weights` and `intercept` are a w of D with w·z > 0 on every row but the overlap's, which are `rows`: on these w·z = 0. With
    the multipliers, all above 0, the z's of `rows` cancel out exactly, so no w of D has any of them on its own side.

    `coefficients` says what a logistic regression does with each coefficient, the intercept last: "finite"; "+infinite" or
    "-infinite", as the likelihood grows on and on with it; "undetermined", if there is a way for the likelihood to grow on with
    this coefficient towards +∞, and another towards −∞; or "unidentified", if collinear columns leave it open.
    """

    data: Data
    weights: Array  # float64, or fractions where no floats do
    intercept: Number
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    coefficients: tuple[str, ...]
    collinear: NullSpace  # of all z's
    collinear_in_overlap: NullSpace  # of the z's of `rows`: a coefficient that none of its vectors moves is finite
    signs: tuple[SignProof, ...]  # one for each coefficient that is +infinite or -infinite
    directions: tuple[Array, ...]  # more w of D: with `weights`, they show both signs of each coefficient that is undetermined

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.data, Data):
            return
        length = self.data.columns + self.data.fit_intercept
        if len(self.coefficients) != length:
            raise CertificateError(f"there are {len(self.coefficients)} verdicts for {length} coefficients")
        for vector in (*self.collinear.vectors, *self.collinear_in_overlap.vectors):
            if not vector.columns or len(vector.columns) != len(vector.factors) or max(vector.columns) >= length:
                raise CertificateError("a vector has no columns, one that does not exist, or not a factor for each")

    @property
    def separated_rows(self) -> tuple[int, ...]:
        """The rows on which these weights have w·z > 0: all but the overlap's."""
        overlap = set(self.rows)
        return tuple(row for row in range(self.data.rows) if row not in overlap)

    def coefficients_that_are(self, verdict: str) -> tuple[int, ...]:
        """The numbers of the columns with this verdict; that of the intercept is the number of columns."""
        return tuple(j for j, said in enumerate(self.coefficients) if said == verdict)

    def findings(self, names: Sequence[str] | None = None) -> dict[str, str]:
        """What there is to say of columns and coefficients: headings and texts. `names` are those of the columns."""
        called = [*(names or [f"column {j}" for j in range(self.data.columns)]), "the intercept"]
        combinations = [vector.sentence(called) for vector in self.collinear.vectors]
        found = {"Collinear": "; ".join(combinations[:SHOWN]) + ("; …" if len(combinations) > SHOWN else "")}
        for verdict in VERDICTS:
            columns = [called[j] for j in self.coefficients_that_are(verdict)]
            every = len(columns) > SHOWN and len(columns) == len(self.coefficients)
            found[verdict.capitalize()] = f"all {len(columns)} coefficients" if every else _listed(columns)
        return {heading: text for heading, text in found.items() if text}

    def verdict(self) -> str:
        """The sentences about the rows."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join([self.verdict(), *(f"{heading}: {text}." for heading, text in self.findings().items())])


@dataclass(frozen=True, eq=False)
class CompletelySeparable(Separation):
    """A hyperplane has every row on its own side: no logistic regression has a finite estimate."""

    outcome = "completely separable"

    def verdict(self) -> str:
        return f"Separable: a hyperplane has all {self.data.rows} rows on their own sides{_labels_in_words(self.data)}."


@dataclass(frozen=True, eq=False)
class QuasiSeparable(Separation):
    """A hyperplane has some rows on their own sides and the others, `rows`, on itself; no hyperplane does better."""

    outcome = "quasi-separable"

    def verdict(self) -> str:
        total, overlap = self.data.rows, len(self.rows)
        return (
            f"Quasi-separable: a hyperplane has {total - overlap} of the {total} rows on their own sides, and none on the wrong "
            f"one{_labels_in_words(self.data)}.\n"
            f"It goes through the other {overlap}: {_first_ten(self.rows)}. Weighted by the multipliers they cancel out exactly, "
            "so every hyperplane without a row on the wrong side does."
        )


@dataclass(frozen=True, eq=False)
class Overlapping(Separation):
    """No hyperplane has a row on its own side without having another on the wrong one."""

    outcome = "overlapping"

    def verdict(self) -> str:
        return (
            f"Overlapping: no hyperplane has a row on its own side unless it has another on the wrong one"
            f"{_labels_in_words(self.data)}.\n"
            f"Weighted by the multipliers, all {self.data.rows} rows cancel out exactly."
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _short(factor: Fraction) -> str:
    """The fraction if it is short, else about as much."""
    if max(factor.numerator, factor.denominator) < 10**9:
        return str(factor)
    bits = factor.numerator.bit_length() - factor.denominator.bit_length()
    return f"{float(factor):.6g}" if abs(bits) < 1000 else f"2^{bits}"
