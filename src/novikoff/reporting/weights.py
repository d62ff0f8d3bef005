"""The largest weights of the model."""

from typing import NamedTuple

from novikoff.models.model import Model
from novikoff.reporting.cells import Name, Number, name, real

MOST_CLASSES = 20
TOP = {1: 20, 6: 10}  # weights of each vector, where there are at most so many vectors
TOP_OF_MANY = 5


class Weight(NamedTuple):
    feature: Name
    weight: Number
    share: float  # of the largest weight, with its sign


class Side(NamedTuple):
    """The largest weights of one vector. Positive ones are for `yes`; negative ones are for `no`, or against `yes` without it."""

    yes: Name
    no: Name | None
    bias: Number
    weights: list[Weight]


def sides(model: Model) -> list[Side]:
    """The largest weights of each vector, of the first classes. None of a kernel, which has no weights of features."""
    learner = model.learner
    if learner.kernel is not None:
        return []
    names = [name(label) for label in learner.classes.tolist()]
    vectors = model.weights()
    top = next((count for most, count in TOP.items() if len(vectors) <= most), TOP_OF_MANY)
    made = []
    for v, largest in list(enumerate(model.largest(top)))[:MOST_CLASSES]:
        most = max((abs(weight) for _, weight in largest), default=1.0)
        weights = [Weight(name(feature), real(weight), weight / most) for feature, weight in largest]
        yes, no = (names[1], names[0]) if len(names) == 2 else (names[v], None)
        made.append(Side(yes, no, real(float(vectors[v, -1])), weights))
    return made
