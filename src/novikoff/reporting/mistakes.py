"""The mistakes of the training run, and the theorems that bound them."""

from dataclasses import replace
from typing import NamedTuple

from novikoff.engine.rules import Bound, NoBound
from novikoff.learning.bounds import Facts, by_margin, known_margin
from novikoff.learning.origin import FarOrigin
from novikoff.models.model import Model
from novikoff.reporting.cells import Name, Number, name, whole

MOST_PASSES = 10


def passes(model: Model) -> list[list[Number]]:
    """Each pass: its number, rows, updates, mistakes. Of many passes, the first and the last."""
    each = model.run.get("each_pass") or []
    each = each if len(each) <= MOST_PASSES else each[: MOST_PASSES // 2] + each[-MOST_PASSES // 2 :]
    return [[whole(int(n)) for n in one[:4]] for one in each]


class Bounded(NamedTuple):
    """The mistakes of one weight vector, and their bounds, or why there is none."""

    of: Name | None
    updates: Number
    mistakes: Number
    by_margin: Bound | NoBound
    by_losses: Bound | NoBound | None  # None where the training rows are not available
    sentences: list[str]  # the facts of the run, where they are known


def bounded(model: Model, facts: list[Facts]) -> list[Bounded]:
    """One entry for each vector that answers."""
    learner = model.learner
    ledgers = learner.ledgers[learner.answering]
    labels = learner.classes.tolist()
    entries = []
    for v, ledger in enumerate(ledgers):
        of = name(labels[v]) if len(ledgers) > 1 else None
        if facts:
            own = facts[v]
            sentences = str(replace(own, origin=None)).splitlines()  # `remarks` has it
            entries.append(Bounded(of, whole(own.updates), whole(own.mistakes), own.by_margin, own.by_losses, sentences))
        else:
            entries.append(Bounded(of, whole(ledger.updates), whole(ledger.mistakes), _by_margin(model, v), None, []))
    return entries


def _by_margin(model: Model, v: int) -> Bound | NoBound:
    """The bound by the best separator known, for a model that remembers the largest norm of its rows."""
    learner, radius = model.learner, model.run.get("radius")
    if not isinstance(radius, float) or learner.rows_fed != model.run.get("rows"):
        return NoBound("the bounds hold for one run from the start, and this model has learned from more, or does not know R")
    if model.preparer is not None:
        return NoBound("the learner saw prepared rows, and the certificate is about the rows as they are")
    if len(model.certificates) <= v:
        return NoBound("the model has no certificate for it")
    return by_margin(learner, radius, known_margin(learner, model.certificates[v]))


def remarks(model: Model) -> list[str]:
    """What rows the numbers are about, and whether the origin is far away from them."""
    run = model.run
    said = []
    if model.preparer is not None:
        said.append("The learner saw prepared rows: lengths, margins and bounds are about these, not the rows in the files.")
    if run.radius is not None and run.radius_around_mean is not None:
        said.append(FarOrigin(run.radius, run.radius_around_mean).sentence)
    return said


def bound_in_words(bound: Bound | NoBound | None) -> str:
    if bound is None:
        return "needs the training rows"
    return f"none: {bound.why}" if isinstance(bound, NoBound) else f"at most {bound.value:,.1f} {bound.of} ({bound.theorem})"
