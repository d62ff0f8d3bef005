"""Rows that deserve a look: those that took the most updates, and those that are wrong by the most."""

from typing import NamedTuple

from novikoff.models.model import Model
from novikoff.reporting.cells import Name, Number, name, real, whole
from novikoff.reporting.survey import Survey


class WrongRow(NamedTuple):
    row: Number
    label: Name
    answer: Name | None
    margin: Number
    features: list[tuple[Name, Number]]


def hardest(model: Model) -> list[tuple[Number, Number]]:
    """The training rows with the most updates, and how many."""
    return [(whole(int(row)), whole(int(times))) for row, times in model.run.get("hardest") or []]


def counts_are_partial(model: Model) -> bool:
    """Whether the ledger was full, so that only some updates were counted."""
    kept = model.run.get("kept")
    return kept is not None and kept < sum(ledger.updates for ledger in model.learner.ledgers[model.learner.answering])


def why_no_hardest(model: Model) -> str:
    if model.run.get("hardest") is None:
        if "order" in model.run and model.learner.order != "given":
            return "the rows were shuffled in pieces, whose numbers are not those in the files"
        return "the model has no record of it"
    return "there was no update, or none was kept"


def worst(survey: Survey) -> list[WrongRow]:
    """The rows that are wrong by the most."""
    return [
        WrongRow(
            whole(one.row),
            name(one.label),
            None if one.answer is None else name(one.answer),
            real(one.margin),
            [(name(feature), real(value)) for feature, value in one.features],
        )
        for one in survey.worst
    ]
