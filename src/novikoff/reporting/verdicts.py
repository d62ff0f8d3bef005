"""What is proved about the training rows, in words."""

import json
import shlex
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, isinf
from typing import NamedTuple

from novikoff.learning.learner import Learner
from novikoff.models.model import Model
from novikoff.plot.evidence import short_number
from novikoff.proof.certificate import (
    Certificate,
    Inseparable,
    ManyInseparable,
    ManySeparable,
    Separable,
    Undecided,
)
from novikoff.proof.certificate_files import rational_text
from novikoff.reporting.cells import Name, Row, Shortened, and_more, name, whole

MOST_CLASSES = 20  # that are named in one line, and whose rows are listed
MOST_ROWS = 20  # of a proof
DEFAULTS = {"bits": 20, "words": 1, "characters": 0}


class Verdict(NamedTuple):
    """What is proved about one class against the rest, or about all classes."""

    of: Name | None  # the class; None where the certificate is about all
    outcome: str  # "separable", "not separable" or "undecided"
    sentences: list[str]
    rows: list[Row]  # of the proof: row, rival, multiplier
    in_all: int  # rows that the proof has


class SameVerdict(NamedTuple):
    """Classes about which the same is known."""

    classes: list[Name | str]
    outcome: str
    sentence: str


def outcome(certificate: Certificate) -> str:
    """In a word or two."""
    match certificate:
        case Separable() | ManySeparable():
            return "separable"
        case Inseparable() | ManyInseparable():
            return "not separable"
    return "undecided"


def in_short(certificates: Sequence[Certificate]) -> str:
    """The verdict as a headline."""
    outcomes = [outcome(certificate) for certificate in certificates]
    if not outcomes:
        return "The model has no certificate: nothing is proved about the data it learned from."
    if len(outcomes) == 1:
        return {
            "separable": "It is proved that the training rows can be separated without error.",
            "not separable": f"It is proved that no {_boundary(certificates[0])} gets all training rows right.",
            "undecided": "Whether the training rows can be separated without error is not decided.",
        }[outcomes[0]]
    if set(outcomes) == {"undecided"}:
        return f"Whether the {len(outcomes):,} classes can each be separated from the rest is not decided."
    counts = [(outcomes.count(kind), kind) for kind in ("separable", "not separable", "undecided") if kind in outcomes]
    each = " and ".join(f"{count:,} {'are' if count > 1 else 'is'} {kind}" for count, kind in counts)
    proved = "; all but the undecided are proved." if "undecided" in outcomes else ", and that is proved."
    return f"Of {len(outcomes):,} classes, each against the rest, {each}{proved}"


def verdicts(model: Model) -> list[Verdict]:
    """What each certificate proves, of the first classes."""
    classes, many = model.learner.classes.tolist(), len(model.certificates) > 1
    return [
        Verdict(
            name(classes[v]) if many else None,
            outcome(certificate),
            [*str(certificate).splitlines(), *meaning(certificate)],
            _proof(certificate, classes),
            len(getattr(certificate, "rows", ())),
        )
        for v, certificate in list(enumerate(model.certificates))[:MOST_CLASSES]
    ]


def by_verdict(model: Model) -> list[SameVerdict]:
    """The classes, grouped by what is known about them."""
    groups: dict[tuple[str, str], list[int]] = {}
    for v, certificate in enumerate(model.certificates):
        known = certificate.why if isinstance(certificate, Undecided) else str(certificate).splitlines()[0]
        groups.setdefault((outcome(certificate), known), []).append(v)
    labels = model.learner.classes.tolist()
    return [
        SameVerdict(
            [*(name(labels[v]) for v in members[:MOST_CLASSES]), *and_more(members, MOST_CLASSES, "class", "classes")],
            kind,
            _sentence([model.certificates[v] for v in members]),
        )
        for (kind, _), members in groups.items()
    ]


def _sentence(same: Sequence[Certificate]) -> str:
    """The first sentence of certificates that say the same. Of undecided classes, only the bound on the margin differs."""
    first = same[0]
    if len(same) == 1 or not isinstance(first, Undecided):
        return str(first).splitlines()[0]
    bounds = [each.margin_at_most for each in same if isinstance(each, Undecided) and isfinite(each.margin_at_most)]
    margins = f" No margin is above {max(bounds):.6g}." if len(bounds) == len(same) else ""
    return f"Undecided: {first.why}.{margins}"


def meanings(model: Model) -> list[str]:
    """What each kind of certificate that the model has means."""
    kinds = {outcome(certificate): meaning(certificate) for certificate in model.certificates}
    return [f"{kind.capitalize()}: {' '.join(sentences)}" for kind, sentences in kinds.items()]


def meaning(certificate: Certificate) -> list[str]:
    """What the certificate means to a reader who does not know the theory."""
    kernel, boundary = getattr(certificate.data, "kernel", None), _boundary(certificate)
    match certificate:
        case Separable() | ManySeparable():
            how = "It was checked in exact arithmetic, row by row, so rounding cannot have spoiled it."
            if kernel is not None and not kernel.exact:
                how = "It was checked with room for rounding errors, since the values of this kernel are not rational numbers."
            return [
                f"This is a proof, not an estimate: the certificate has a {boundary} that gets every training row right. {how}",
                "It says nothing about other rows: for these, see the scores.",
            ]
        case Inseparable() | ManyInseparable():
            bias = [] if certificate.data.fit_intercept else ["a bias"]
            others = ", ".join(["other features", *bias, "a kernel" if kernel is None else "another kernel"])
            return [
                f"This is a proof, not a failed search: no {boundary} gets every training row right. "
                "The rows named below, weighted by their multipliers, add up to exactly zero, and a boundary would need that sum "
                "on its positive side. No other rule, order, number of passes or program can change this; "
                f"{others} or other labels for some of these rows may."
            ]
        case Undecided():
            known = "" if isinf(certificate.margin_at_most) else " Only an upper bound on the margin is proved."
            return [f"The training run did not settle the question. The commands below do, for any data.{known}"]
    return []


def _boundary(certificate: Certificate) -> str:
    """The kind of boundary that the certificate is about."""
    kernel, origin = getattr(certificate.data, "kernel", None), not getattr(certificate.data, "fit_intercept", True)
    if kernel is None:
        return "straight boundary through the origin" if origin else "straight boundary"
    return "boundary of this kernel" + (" without a bias" if origin else "")


def _proof(certificate: Certificate, classes: Sequence[object]) -> list[Row]:
    """The rows that contradict each other, with their multipliers."""
    match certificate:
        case Inseparable():
            pairs = list(zip(certificate.rows, certificate.multipliers, strict=True))
            return [[whole(row), None, _multiplier(multiplier)] for row, multiplier in pairs[:MOST_ROWS]]
        case ManyInseparable():
            each = list(zip(certificate.rows, certificate.rivals, certificate.multipliers, strict=True))
            return [[whole(row), name(classes[rival]), _multiplier(multiplier)] for row, rival, multiplier in each[:MOST_ROWS]]
    return []


def _multiplier(value: Fraction) -> Name | Shortened:
    short, exact = short_number(value), rational_text(value)
    return Name(short) if short == exact else Shortened(short, name(exact).text)


def how_to_check(model: Model) -> list[str]:
    """Commands that decide the question again and check the answer."""
    learner, run = model.learner, model.run
    files = run.get("files") or []
    data = shlex.quote(files[0]) if len(files) == 1 and files[0] != "-" else "DATA"
    reading = run.get("reading", {})
    label = f" --label {shlex.quote(reading['label'])}" if reading.get("label") else ""
    hashed = "".join(f" --{what} {reading[what]}" for what, usual in DEFAULTS.items() if reading.get(what, usual) != usual)
    one = " --class LABEL" if len(learner.classes) > 2 else ""
    if learner.proves_at_once:
        one = " --multiclass direct"
    certify = f"novikoff certify {data}{label}{hashed}{one}{_kernel_options(learner)} --out proof.json"
    if hashed:  # `verify` has no options for hashing
        at_once = ', multiclass="direct"' if learner.proves_at_once else ""
        options = "".join(f", {what}={reading[what]}" for what, usual in DEFAULTS.items() if reading.get(what, usual) != usual)
        return [
            certify,
            f"python -c 'import novikoff; data = novikoff.open({json.dumps(data)}{options}).read(); "
            f"print(novikoff.verify(novikoff.separate(data.X, data.y{at_once}), data.X, data.y))'",
        ]
    fast = " --fast" if getattr(model.features, "collisions", None) is not None else ""  # its own reader knows no hashing
    return [certify, f"novikoff verify proof.json {data}{label}{fast}"]


def _kernel_options(learner: Learner) -> str:
    if learner.kernel is None:
        return "" if learner.constant else " --no-intercept"
    given = "".join(
        f" --{what} {value!r}" for what, value in learner.kernel._asdict().items() if what in ("degree", "gamma", "coef0")
    )
    return f" --kernel {learner.kernel.name}{given}" + (" --intercept" if learner.constant else "")
