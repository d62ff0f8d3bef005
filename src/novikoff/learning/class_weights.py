"""Class weights: factors of the steps for the rows of each class."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import is_number
from novikoff.foundation.array_types import Array

ClassWeight = Mapping[Any, float] | str | None  # a weight for each class, "balanced", or 1 for all


def check_class_weight(class_weight: ClassWeight) -> ClassWeight:
    if not (class_weight is None or isinstance(class_weight, Mapping) or str(class_weight) == "balanced"):
        raise ValueError(f"class_weight must be None, 'balanced' or a mapping of classes to weights, not {class_weight!r}")
    return class_weight


def class_weights(class_weight: ClassWeight, examples: Examples, classes: Array, counts: Array, held: bool) -> Array | None:
    """The weight of each class; None if all weights are 1.

    `counts` is the number of earlier rows of each class, for "balanced" on a stream. If all data is in memory, every class that
    has a weight must occur.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):  # "balanced"
        counts = counts.copy()
        counts[np.searchsorted(classes, examples.classes)] += examples.class_counts()
        return counts.sum() / (len(classes) * np.maximum(counts, 1))  # type: ignore[no-any-return]
    names = classes.tolist()
    if held and (unknown := [name for name in class_weight if name not in names]):
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class: the classes are {names}")
    weights = [class_weight.get(name, 1) for name in names]
    if not all(is_number(weight) and 0 < weight < np.inf for weight in weights):
        raise ValueError(
            f"class weights must be positive and finite; they are {class_weight}. "
            "To leave a class out, give its rows the sample weight 0."
        )
    return np.array(weights, object if examples.exact else np.float64)


def largest_class_weight(class_weight: ClassWeight, rows: int) -> float:
    """An upper bound on the weights of classes, for this many rows."""
    if isinstance(class_weight, Mapping):
        return max([1.0, *(float(weight) for weight in class_weight.values() if is_number(weight))])
    return float(rows)  # the weight of a balanced class of one row
