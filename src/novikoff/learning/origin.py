"""Rows that lie far from the origin for their spread, which a bias pays for (F11).

A bias is the weight of a coordinate that is always 1. To separate rows that lie far away, it must be much larger than the other
weights. So the margin in the extended space shrinks with the distance while R grows with it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.storages import entries, take
from novikoff.foundation.array_types import Array
from novikoff.learning.learner import Learner
from novikoff.learning.run import Run, StopReason

FAR = 100  # times: R² around the origin against R² around the mean, from which on it is remarked on
SAMPLE = 1000  # rows that are looked at first
NUMBERS_AT_ONCE = 2**20
FEW = 10  # passes: a run that has all rows right after so many needs no advice


class FarOrigin(NamedTuple):
    """R around the origin, and around the mean of the rows. Both count the constant coordinate.

    >>> print(FarOrigin(30.0, 1.5))
    the rows lie far from the origin: R² is 900, and 2.25 around their mean, so a bias is learned slowly and bounds are large
    """

    radius: float
    around_mean: float

    def __str__(self) -> str:
        sizes = f"R² is {_short(self.radius**2)}, and {_short(self.around_mean**2)} around their mean"
        return f"the rows lie far from the origin: {sizes}, so a bias is learned slowly and bounds are large"

    @property
    def sentence(self) -> str:
        """What it is, and what to do, beside bounds."""
        return f"T{str(self)[1:]} (F11); centre the rows before learning."


def far_origin(learner: Learner, examples: Examples) -> FarOrigin | None:
    """How far, if R² is at least FAR times as large around the origin as around the mean of the rows; otherwise None.

    None without a bias, since centring would then change which boundaries there are; with a kernel, which has an origin of its
    own; and for rows that leave numbers out, since centring would fill them in.
    """
    rows = examples.labelled.rows
    if not learner.constant or learner.kernel is not None or examples.exact or not len(examples.fed):
        return None
    if entries(rows) < len(examples) * examples.width:
        return None
    radius_sq = float(examples.labelled.sqnorm[examples.fed].max())
    some = np.linspace(0, len(examples.fed) - 1, min(SAMPLE, len(examples.fed))).astype(np.int64)
    first = next(_blocks(examples, examples.fed[:1]))[0]
    near = max(_farthest_sq(block, first) for block in _blocks(examples, examples.fed[some]))
    if radius_sq < FAR * (1 + near / 4):  # no two rows are farther apart than twice the distance to the mean
        return None
    mean = sum(block.sum(axis=0) for block in _blocks(examples, examples.fed)) / len(examples.fed)
    around_mean_sq = 1 + max(_farthest_sq(block, mean) for block in _blocks(examples, examples.fed))
    return FarOrigin(radius_sq**0.5, around_mean_sq**0.5) if radius_sq >= FAR * around_mean_sq else None


def was_slow(run: Run) -> bool:
    """Whether the run did not have all rows right after a few passes."""
    right = run.stop_reason == StopReason.CLEAN_PASS or run.errors == 0
    return not right or len(run.passes) > FEW


def _short(number: float) -> str:
    return f"{number:,.0f}" if 1000 <= number < 1e9 else f"{number:.4g}"


def _blocks(examples: Examples, which: Array) -> Iterator[Array]:
    """These rows as dense blocks, without the constant coordinate."""
    at_once = max(1, NUMBERS_AT_ONCE // examples.width)
    for first in range(0, len(which), at_once):
        block = take(examples.labelled.rows, which[first : first + at_once], examples.width)
        yield np.asarray(block.toarray() if sp.issparse(block) else block, np.float64)


def _farthest_sq(rows: Array, point: Array) -> float:
    """The largest squared distance of a row to the point."""
    apart = rows - point
    return float(np.einsum("ij,ij->i", apart, apart).max())
