"""What a report is about, and its first lines: the accuracy, the verdict, and a few figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from novikoff.learning.bounds import Facts
from novikoff.models.model import Model
from novikoff.reporting.survey import Survey
from novikoff.reporting.verdicts import in_short, outcome


@dataclass
class About:
    """What the model and the rows are called, and whether the model learned from these rows."""

    called: str = ""
    files: Sequence[str] = ()
    learned_from: bool = False  # only where that is known
    same_files: bool = False  # the same paths and number of rows as the training data; more is not known
    facts: list[Facts] = field(default_factory=list)


def headline(model: Model, survey: Survey | None, about: About) -> list[str]:
    """The accuracy and the verdict, a sentence each."""
    sentences = []
    if survey is not None:
        rows, right = survey.scores.rows, survey.scores.right
        which = "the rows it learned from" if about.learned_from else "these rows"
        sentences.append(f"The model answers {right:,} of {rows:,} rows correctly: an accuracy of {right / rows:.4f} on {which}.")
    return [*sentences, in_short(model.certificates)]


def key_figures(model: Model, survey: Survey | None) -> list[tuple[str, str]]:
    """A few figures to see first: a name and a value each."""
    outcomes = sorted({outcome(certificate) for certificate in model.certificates})
    mistakes = sum(ledger.mistakes for ledger in model.learner.ledgers[model.learner.answering])
    shown = [("verdict", outcomes[0] if len(outcomes) == 1 else "mixed" if outcomes else "none")]
    if survey is not None:
        rows, right = survey.scores.rows, survey.scores.right
        shown = [("accuracy", f"{right / rows:.2%}"), ("rows answered wrongly", f"{rows - right:,}"), *shown]
    return [*shown, ("mistakes while learning", f"{mistakes:,}")]
