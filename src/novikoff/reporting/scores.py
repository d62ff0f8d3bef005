"""How well the model answers: tables of the scores, and remarks where the accuracy says little, or hides a weak class."""

from typing import NamedTuple

from novikoff.reporting.cells import Name, Number, Row, name, share, whole
from novikoff.reporting.survey import Survey

MOST_CLASSES = 20  # that have a line in a table
MOST_IN_MATRIX = 12  # classes of a confusion matrix; of more, the pairs that are confused most are shown
MOST_REMARKS = 5
HALF = 0.5  # an accuracy above this may hide a class with a recall below it
ENOUGH_ROWS = 5  # of a class, so that its recall means something


def by_class(survey: Survey) -> list[Row]:
    """For each class: rows, precision, recall, F1. Of many classes, those with the lowest F1."""
    plain = survey.scores.plain()
    given = survey.scores.confusion.sum(axis=1).tolist()
    lines = list(zip(plain["classes"], given, plain["precision"], plain["recall"], plain["f1"], strict=True))
    if len(lines) > MOST_CLASSES:
        lines = sorted((line for line in lines if line[1]), key=lambda line: (line[4], -line[1]))[:MOST_CLASSES]
    return [[name(label), whole(rows), share(p), share(r), share(f1)] for label, rows, p, r, f1 in lines]


class WeakClass(NamedTuple):
    label: Name
    right: Number
    rows: Number
    recall: Number


class WeakClasses(NamedTuple):
    """Classes that are rarely recognised though the accuracy looks fine."""

    accuracy: Number
    classes: list[WeakClass]  # the weakest
    more: int


class OneAnswer(NamedTuple):
    """What always answering the class with the most rows gives."""

    largest: Name
    accuracy: Number
    enough: bool  # the model is no better


def one_answer(survey: Survey) -> OneAnswer:
    """The baseline, and whether the model is no better."""
    baseline = survey.scores.baseline
    accuracy = Number(baseline.accuracy, f"{baseline.accuracy:.4f}")
    return OneAnswer(name(baseline.label), accuracy, baseline.reached_by(survey.scores.right))


def weak_classes(survey: Survey) -> WeakClasses | None:
    """Classes with a recall below a half while the accuracy is above it; None where there are none."""
    scores = survey.scores
    accuracy = scores.right / scores.rows
    given, right = scores.confusion.sum(axis=1).tolist(), scores.confusion.diagonal().tolist()
    weak = [(right[k] / given[k], k) for k in range(len(given)) if given[k] >= ENOUGH_ROWS and right[k] / given[k] < HALF]
    if not weak or accuracy <= HALF:
        return None
    shown = [
        WeakClass(name(scores.classes[k]), whole(right[k]), whole(given[k]), Number(recall, f"{recall:.3f}"))
        for recall, k in sorted(weak)[:MOST_REMARKS]
    ]
    return WeakClasses(Number(accuracy, f"{accuracy:.4f}"), shown, len(weak) - len(shown))


class MatrixRow(NamedTuple):
    label: Name
    counts: list[tuple[Number, float]]  # of each answer: how many rows, and their share of the label's rows


def matrix(survey: Survey) -> list[MatrixRow]:
    """The confusion matrix, a row for each label; empty where there are many classes."""
    if len(survey.scores.classes) > MOST_IN_MATRIX:
        return []
    lines = zip(survey.scores.classes, survey.scores.confusion.tolist(), strict=True)
    return [MatrixRow(name(label), [(whole(n), n / max(1, sum(counts))) for n in counts]) for label, counts in lines]


def confused(survey: Survey) -> list[Row]:
    """The pairs that are confused most: label, answer, rows, and their share of the label's rows."""
    counts = survey.scores.confusion.copy()
    given = counts.sum(axis=1)
    counts[range(len(counts)), range(len(counts))] = 0
    order = (-counts).ravel().argsort(kind="stable")[:MOST_CLASSES].tolist()
    pairs = [divmod(place, len(counts)) for place in order if counts.ravel()[place]]
    classes = survey.scores.classes
    return [[name(classes[a]), name(classes[b]), whole(int(counts[a, b])), share(counts[a, b] / given[a])] for a, b in pairs]


def unsure(survey: Survey) -> int:
    """Rows with a score of exactly 0: errors that the confusion matrix counts as right answers."""
    return int(survey.scores.confusion.trace()) - survey.scores.right


def unknown_labels(survey: Survey) -> list[Row]:
    """Labels that the model never saw, and their rows."""
    some = sorted(survey.scores.strange.items(), key=lambda one: -one[1])[:MOST_CLASSES]
    return [[name(label), whole(count)] for label, count in some]
