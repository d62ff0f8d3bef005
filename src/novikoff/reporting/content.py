"""What a report says, as plain data: sentences, tables and numbers. How it looks is the template's affair."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isinf
from typing import Any, NamedTuple

from novikoff.engine.rule import Bound, NoBound
from novikoff.learning.bounds import Facts, by_margin, known_margin
from novikoff.learning.learner import Learner
from novikoff.models.model import Model
from novikoff.proof.certificate import (
    Certificate,
    Inseparable,
    ManyInseparable,
    ManySeparable,
    Separable,
    Undecided,
)
from novikoff.reporting.survey import Survey

MOST_CLASSES = 20  # that have a line in a table
MOST_IN_MATRIX = 12  # classes of a confusion matrix; of more, the pairs that are confused most
MOST_ROWS = 20  # of a proof
MOST_PASSES = 10
MOST_FILES = 10
TOP = 20  # weights, where there are few classes
LONGEST = 200  # characters of a name
READING = ("label", "bits", "words", "characters")
DEFAULTS = {"bits": 20, "words": 1, "characters": 0}


class Name(NamedTuple):
    """Something that came from data: the page keeps it apart from its own words."""

    text: str


class Number(NamedTuple):
    """A number, and how it is written."""

    value: float
    text: str


class Verdict(NamedTuple):
    """What is proved of the rows that were learned from, of one question."""

    of: Name | None  # the class that is set against the rest; None where the question is of all
    outcome: str  # "separable", "not separable" or "undecided"
    said: list[str]
    rows: list[list[Any]]  # of the proof: row, rival, multiplier
    in_all: int  # rows that the proof has


@dataclass
class About:
    """What the report is of: what the model and the rows are called, and whether they are those it learned from."""

    called: str = ""
    files: Sequence[str] = ()
    learned_from: bool = False  # only where that is known
    same_files: bool = False  # their places and numbers of rows are those of what it learned from; more is not known
    facts: list[Facts] = field(default_factory=list)


def name(thing: Any) -> Name:
    """A name that can be shown: what does not print is written as an escape, and what is too long is cut."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(thing)[: LONGEST + 1])
    return Name(text[:LONGEST] + "…" if len(text) > LONGEST else text or "(empty)")


def whole(number: int) -> Number:
    return Number(number, f"{number:,}")


def share(number: float | None) -> Number | None:
    return None if number is None else Number(number, f"{number:.4f}")


def real(number: float) -> Number:
    return Number(number, f"{number:.6g}")


def counted(number: int, what: str, many: str = "") -> str:
    return f"{number:,} {what if number == 1 else many or what + 's'}"


# ---- in short ----------------------------------------------------------------------------------------------------------


def headline(model: Model, seen: Survey | None, about: About) -> list[str]:
    """The accuracy and the verdict, a sentence each."""
    said = []
    if seen is not None:
        rows, right = seen.scores.rows, seen.scores.right
        which = "the rows it learned from" if about.learned_from else "these rows"
        said.append(f"The model answers {right:,} of {rows:,} rows rightly: an accuracy of {right / rows:.4f} on {which}.")
    return [*said, _in_short(model.certificates)]


def _in_short(certificates: Sequence[Certificate]) -> str:
    outcomes = [outcome(certificate) for certificate in certificates]
    if not outcomes:
        return "The model has no certificate: nothing is proved of the data it learned from."
    if len(outcomes) == 1:
        return {
            "separable": "It is proved that the training rows can be separated without error.",
            "not separable": f"It is proved that no {_boundary(certificates[0])} gets all training rows right.",
            "undecided": "Whether the training rows can be separated without error is not decided.",
        }[outcomes[0]]
    told = [(outcomes.count(kind), kind) for kind in ("separable", "not separable", "undecided") if kind in outcomes]
    each = " and ".join(f"{count:,} {'are' if count > 1 else 'is'} {kind}" for count, kind in told)
    return f"Of {len(outcomes):,} classes, each against the rest, {each}" + (
        "."
        if set(outcomes) == {"undecided"}
        else ", and that is proved."
        if "undecided" not in outcomes
        else "; the rest is proved."
    )


def outcome(certificate: Certificate) -> str:
    """In a word or two."""
    match certificate:
        case Separable() | ManySeparable():
            return "separable"
        case Inseparable() | ManyInseparable():
            return "not separable"
    return "undecided"


def key_figures(model: Model, seen: Survey | None) -> list[tuple[str, str]]:
    """A few numbers to see first: what, and how much."""
    outcomes = sorted({outcome(certificate) for certificate in model.certificates})
    mistakes = sum(ledger.mistakes for ledger in model.learner.ledgers[model.learner.answering])
    shown = [("verdict", outcomes[0] if len(outcomes) == 1 else "mixed" if outcomes else "none")]
    if seen is not None:
        rows, right = seen.scores.rows, seen.scores.right
        shown = [("accuracy", f"{right / rows:.2%}"), ("rows answered wrongly", f"{rows - right:,}"), *shown]
    return [*shown, ("mistakes while learning", f"{mistakes:,}")]


# ---- what was learned from what ----------------------------------------------------------------------------------------


def learned(model: Model) -> list[tuple[str, Any]]:
    """What was trained on what, as pairs of a term and what is to be said of it."""
    learner, run = model.learner, model.run
    told: list[tuple[str, Any]] = []
    if run.get("files"):
        told.append(("Files", [name(path) for path in run["files"][:MOST_FILES]] + _more(run["files"], MOST_FILES, "file")))
    told.append(("Rows", whole(learner.rows_fed)))
    told.append(("Features", f"{learner.width:,}, {_kind_of_features(model)}"))
    if run.get("entries") is not None:
        told.append(("Entries", f"{run['entries']:,} numbers that are stored"))
    told.append(("Rule", repr(learner.rule)))
    if learner.kernel is not None:
        stored = learner.team.w.shape[1] - 1
        told.append(("Kernel", f"{learner.kernel!r}; {counted(stored, 'row is', 'rows are')} stored"))
    told.append(("Weights that answer", READOUTS.get(learner.readout, learner.readout)))
    if len(learner.classes) > 2:
        told.append(("Many classes", "all learn at once" if learner.direct else "each learns against the rest"))
    told.append(("Order of the rows", ORDERS[learner.order]))
    told.append(("Passes", f"{learner.passes:,}" + (f", {run['how']}" if run.get("how") else "")))
    told.append(("Bias", "learned, as the weight of a constant coordinate" if learner.constant else "none"))
    if learner.class_weight is not None:
        told.append(("Class weights", name(learner.class_weight)))
    if (ended := STOPPED.get(run.get("stop_reason", ""))) is not None:
        told.append(("Why it ended", ended))
    if run.get("errors") is not None and run.get("stop_reason") != "clean pass":
        told.append(("Training errors", f"{counted(run['errors'], 'row is', 'rows are')} answered wrongly at the end"))
    if run.get("skipped_lines"):
        told.append(("Bad lines", f"{run['skipped_lines']:,} were left out"))
    return told


READOUTS = {
    "last": "the last ones",
    "averaged": "the average over the whole run",
    "voted": "all of the run, which vote",
    "pocket": "those that were right for longest",
}
ORDERS = {"given": "as given", "once": "shuffled once", "each": "shuffled for each pass"}
STOPPED = {
    "clean pass": "the last pass was clean: the last weights have every training row right",
    "max_iter": "all passes that were allowed were made, and none was clean",
    "interrupted": "it was interrupted, and the weights are those learned until then",
    "on_pass": "it was told to stop after a pass",
    "cycle": "the weights were those of an earlier pass again, so that all passes from there on would repeat",
    "ledger full": "voting keeps every update, and there were too many",
    "stream": "it learned from a stream, row by row",
}


def _kind_of_features(model: Model) -> str:
    if (collisions := getattr(model.features, "collisions", None)) is not None:
        return f"hashed; {counted(collisions, 'bucket holds', 'buckets hold')} more than one of them"
    return {"named": "by name", "numbered": "by number"}[model.features.kind]


def class_counts(model: Model) -> list[list[Any]]:
    """The classes, and how many rows of each were learned from."""
    pairs = zip(model.learner.classes.tolist(), model.learner.class_counts.tolist(), strict=True)
    return [[name(label), whole(count)] for label, count in list(pairs)[:MOST_CLASSES]]


def _more(things: Sequence[Any], shown: int, what: str) -> list[str]:
    return [f"and {counted(len(things) - shown, 'more ' + what)}"] if len(things) > shown else []


# ---- the verdict -------------------------------------------------------------------------------------------------------


def verdicts(model: Model) -> list[Verdict]:
    """What is proved, in the words of the certificates and in plain ones."""
    classes, many = model.learner.classes.tolist(), len(model.certificates) > 1
    found = []
    for v, certificate in list(enumerate(model.certificates))[:MOST_CLASSES]:
        of, said = name(classes[v]) if many else None, [*str(certificate).splitlines(), *meaning(certificate)]
        in_all = len(getattr(certificate, "rows", ()))
        found.append(Verdict(of, outcome(certificate), said, _proof(certificate, classes), in_all))
    return found


def plain_words(model: Model) -> list[str]:
    """What each kind of certificate means that the model has."""
    kinds = {outcome(certificate): meaning(certificate) for certificate in model.certificates}
    return [f"{kind.capitalize()}: {' '.join(said)}" for kind, said in kinds.items()]


def meaning(certificate: Certificate) -> list[str]:
    """What the certificate means to somebody who does not know the theory."""
    kernel, boundary = getattr(certificate.data, "kernel", None), _boundary(certificate)
    match certificate:
        case Separable() | ManySeparable():
            how = "It was checked in exact arithmetic, row by row, so no rounding can have spoiled it."
            if kernel is not None and not kernel.exact:
                how = "It was checked with room for the rounding of the kernel's values, which are no rationals."
            return [
                f"That is a proof, not an estimate: a {boundary} gets every training row right; the certificate has it. {how}",
                "It says nothing of rows that were not there: the scores on other rows do.",
            ]
        case Inseparable() | ManyInseparable():
            bias = [] if certificate.data.fit_intercept else ["a bias"]
            others = ", ".join(["other features", *bias, "a kernel" if kernel is None else "another kernel"])
            return [
                f"That is a proof, not a failure to find one: no {boundary} gets every training row right. "
                "The rows named below, weighted by their multipliers, add up to exactly nothing, and a boundary would need that "
                "nothing on its positive side. No other rule, order, number of passes or program can change it; "
                f"{others} or other labels for some of these rows may."
            ]
        case Undecided():
            known = "" if isinf(certificate.margin_at_most) else " What is proved is only how wide a margin could be at most."
            return [f"The run itself does not settle it; to ask directly does, for any data.{known}"]
    return []


def _boundary(certificate: Certificate) -> str:
    """What kind of boundary the question was of."""
    kernel, origin = getattr(certificate.data, "kernel", None), not getattr(certificate.data, "fit_intercept", True)
    if kernel is None:
        return "straight boundary through the origin" if origin else "straight boundary"
    return "boundary that this kernel can draw" + (" without a bias" if origin else "")


def _proof(certificate: Certificate, classes: list[Any]) -> list[list[Any]]:
    """The rows that contradict each other, with their multipliers."""
    match certificate:
        case Inseparable():
            pairs = zip(certificate.rows, certificate.multipliers, strict=True)
            return [[whole(row), None, _exactly(multiplier)] for row, multiplier in list(pairs)[:MOST_ROWS]]
        case ManyInseparable():
            each = zip(certificate.rows, certificate.rivals, certificate.multipliers, strict=True)
            return [[whole(row), name(classes[rival]), _exactly(multiplier)] for row, rival, multiplier in list(each)[:MOST_ROWS]]
    return []


def _exactly(number: Any) -> Name:
    return name(str(number) if abs(number.numerator) < 10**40 and number.denominator < 10**40 else f"about {float(number):.6g}")


def how_to_check(model: Model) -> list[str]:
    """Commands that decide the question anew and check the answer."""
    learner, run = model.learner, model.run
    files = run.get("files") or []
    data = shlex.quote(files[0]) if len(files) == 1 and files[0] != "-" else "DATA"
    if any(isinstance(certificate, ManySeparable | ManyInseparable) for certificate in model.certificates) or (
        learner.direct and len(learner.classes) > 2
    ):
        return [
            'python -c \'import novikoff; data = novikoff.open("DATA").read(); '
            'print(novikoff.verify(novikoff.load("MODEL").certificates[0], data.X, data.y))\''
        ]
    reading = run.get("reading", {})
    label = f" --label {shlex.quote(reading['label'])}" if reading.get("label") else ""
    hashed = "".join(f" --{what} {reading[what]}" for what, usual in DEFAULTS.items() if reading.get(what, usual) != usual)
    one = " --class LABEL" if len(learner.classes) > 2 else ""
    return [
        f"novikoff certify {data}{label}{hashed}{one}{_kernel_options(learner)} --out proof.json",
        f"novikoff verify proof.json {data}{label}",
    ]


def _kernel_options(learner: Learner) -> str:
    if learner.kernel is None:
        return "" if learner.constant else " --no-intercept"
    given = "".join(
        f" --{what} {value!r}" for what, value in learner.kernel._asdict().items() if what in ("degree", "gamma", "coef0")
    )
    return f" --kernel {learner.kernel.name}{given}" + (" --intercept" if learner.constant else "")


# ---- mistakes, and what bounds them ------------------------------------------------------------------------------------


def passes(model: Model) -> list[list[Number]]:
    """Each pass: its number, rows looked at, updates, mistakes. Of many, the first and the last."""
    each = model.run.get("each_pass") or []
    each = each if len(each) <= MOST_PASSES else each[: MOST_PASSES // 2] + each[-MOST_PASSES // 2 :]
    return [[whole(int(n)) for n in one[:4]] for one in each]


class Bounded(NamedTuple):
    """The mistakes of one vector, and what bounds them, or why nothing does."""

    of: Name | None
    updates: Number
    mistakes: Number
    by_margin: Bound | NoBound
    by_losses: Bound | NoBound | None  # None where the rows that were learned from are not at hand
    said: list[str]  # all that is known of the run


def bounded(model: Model, facts: list[Facts]) -> list[Bounded]:
    """What is known of each vector that answers; with its facts, all of it."""
    learner, found = model.learner, []
    many = len(learner.ledgers[learner.answering]) > 1
    for v, ledger in enumerate(learner.ledgers[learner.answering]):
        of = name(learner.classes.tolist()[v]) if many else None
        if facts:
            own = facts[v]
            said = str(own).splitlines()
            found.append(Bounded(of, whole(own.updates), whole(own.mistakes), own.by_margin, own.by_losses, said))
            continue
        found.append(Bounded(of, whole(ledger.updates), whole(ledger.mistakes), _by_margin(model, v), None, []))
    return found


def _by_margin(model: Model, v: int) -> Bound | NoBound:
    """The bound of the best separator known, of a model that knows how long its rows were at most."""
    learner, radius = model.learner, model.run.get("radius")
    if not isinstance(radius, float) or learner.rows_fed != model.run.get("rows"):
        return NoBound("the bounds are of one run from the beginning, and this model has learned from more, or does not know R")
    if len(model.certificates) <= v:
        return NoBound("the model has no certificate of it")
    return by_margin(learner, radius, known_margin(learner, model.certificates[v]))


def bound_in_words(bound: Bound | NoBound | None) -> str:
    if bound is None:
        return "needs the rows that were learned from"
    return f"none: {bound.why}" if isinstance(bound, NoBound) else f"at most {bound.value:,.1f} {bound.of} ({bound.theorem})"


# ---- scores ------------------------------------------------------------------------------------------------------------


def by_class(seen: Survey) -> list[list[Any]]:
    """For each class: rows, precision, recall, F1; of many classes, those with the lowest F1."""
    plain = seen.scores.plain()
    given = seen.scores.confusion.sum(axis=1).tolist()
    lines = list(zip(plain["classes"], given, plain["precision"], plain["recall"], plain["f1"], strict=True))
    if len(lines) > MOST_CLASSES:
        lines = sorted((line for line in lines if line[1]), key=lambda line: (line[4], -line[1]))[:MOST_CLASSES]
    return [[name(label), whole(rows), share(p), share(r), share(f1)] for label, rows, p, r, f1 in lines]


def matrix(seen: Survey) -> list[list[Any]]:
    """The confusion matrix, a line a label: its name, then the count and the share of each answer. Empty of many classes."""
    if len(seen.scores.classes) > MOST_IN_MATRIX:
        return []
    lines = zip(seen.scores.classes, seen.scores.confusion.tolist(), strict=True)
    return [[name(label), [(whole(n), n / max(1, sum(counts))) for n in counts]] for label, counts in lines]


def confused(seen: Survey) -> list[list[Any]]:
    """The pairs that are confused most: label, answer, rows, and the share of the label's rows."""
    counts = seen.scores.confusion.copy()
    given = counts.sum(axis=1)
    counts[range(len(counts)), range(len(counts))] = 0
    order = (-counts).ravel().argsort(kind="stable")[:MOST_CLASSES].tolist()
    pairs = [divmod(place, len(counts)) for place in order if counts.ravel()[place]]
    classes = seen.scores.classes
    return [[name(classes[a]), name(classes[b]), whole(int(counts[a, b])), share(counts[a, b] / given[a])] for a, b in pairs]


def unsure(seen: Survey) -> int:
    """Rows that the matrix has as answered rightly, and that count as errors since their score is exactly 0."""
    return int(seen.scores.confusion.trace()) - seen.scores.right


def strangers(seen: Survey) -> list[list[Any]]:
    """Labels that the model never saw."""
    some = sorted(seen.scores.strange.items(), key=lambda one: -one[1])[:MOST_CLASSES]
    return [[name(label), whole(count)] for label, count in some]


# ---- weights and rows --------------------------------------------------------------------------------------------------


class Side(NamedTuple):
    """The largest weights of one vector; above 0 they speak for `yes`, below for `no`, or against `yes` where that is None."""

    yes: Name
    no: Name | None
    bias: Number
    weights: list[list[Any]]  # name, weight, its share of the largest


def sides(model: Model) -> list[Side]:
    """The largest weights; of many classes a few each, of the first of them."""
    learner = model.learner
    if learner.kernel is not None:
        return []
    names = [name(label) for label in learner.classes.tolist()]
    vectors = learner.weights()
    top = TOP if len(vectors) == 1 else 10 if len(vectors) <= 6 else 5
    found = []
    for v, largest in list(enumerate(model.largest(top)))[:MOST_CLASSES]:
        most = max((abs(weight) for _, weight in largest), default=1.0)
        lines = [[name(feature), real(weight), weight / most] for feature, weight in largest]
        yes, no = (names[1], names[0]) if len(names) == 2 else (names[v], None)
        found.append(Side(yes, no, real(float(vectors[v, -1])), lines))
    return found


def hardest(model: Model) -> list[list[Number]]:
    """The rows that had to be learned from most often, and how often."""
    return [[whole(int(row)), whole(int(times))] for row, times in model.run.get("hardest") or []]


def not_all_kept(model: Model) -> bool:
    kept = model.run.get("kept")
    return kept is not None and kept < sum(ledger.updates for ledger in model.learner.ledgers[model.learner.answering])


def why_no_hardest(model: Model) -> str:
    if model.run.get("hardest") is None:
        shuffled = "order" in model.run and model.learner.order != "given"
        return (
            "the rows were shuffled in pieces, whose numbers are not those in the files" if shuffled else "the model does not say"
        )
    return "there was no update, or none is kept"


def worst(seen: Survey) -> list[list[Any]]:
    """The rows that are wrong by the most: row, label, answer, margin, features."""
    return [
        [
            whole(one.row),
            name(one.label),
            None if one.answer is None else name(one.answer),
            real(one.margin),
            [(name(feature), real(value)) for feature, value in one.features],
        ]
        for one in seen.worst
    ]


# ---- how to do it again ------------------------------------------------------------------------------------------------


def settings(model: Model) -> list[tuple[str, Any]]:
    """Settings and versions, and by what the data is recognised."""
    learner, run = model.learner, model.run
    parameters = ", ".join(f"{what}={float(value):g}" for what, value in learner.rule._asdict().items()) or "none"
    told: list[tuple[str, Any]] = [("Seed of the shuffling", str(learner.seed)), ("Parameters of the rule", parameters)]
    told += [(_words(what), name(value)) for what, value in run.get("reading", {}).items() if value not in (None, [], ())]
    if run.get("seconds") is not None:
        told.append(("Time taken", f"{run['seconds']:,.1f} s"))
    prints = sorted({c.data.fingerprint for c in model.certificates if c.data.fingerprint})
    told.append(("Fingerprint of the training data", [name(p) for p in prints[:MOST_FILES]] or "not taken of this data"))
    made = run.get("made_with") or {"novikoff": model.version}
    told.append(("Made with", ", ".join(f"{what} {version}" for what, version in made.items())))
    return told


def _words(option: str) -> str:
    return {"label": "Column of the label", "categories": "Columns of categories"}.get(option, f"Hashing: {option}")


def reproduction(model: Model) -> str | None:
    """What to type, or to call, to train the same model again."""
    if model.run.get("command"):
        return shlex.join(model.run["command"])
    return model.run.get("call")
