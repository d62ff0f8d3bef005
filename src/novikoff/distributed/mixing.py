"""Mixing the weights of shards (F20) [mcdonald2010distributed].

Each shard has made a pass from the same weights, the base. Its share μ is its weight in the mixture:
base + Σ μ·(w − base) / Σ μ. Shares are all equal, or proportional to the updates, for each vector separately.

Mixtures are mixed in a fixed binary tree over the numbers of the shards, so the sums are the same, bit for bit, on any worker.
If few numbers were changed, only these are sent, as places and values.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np

from novikoff.foundation.array_types import Array

MIXINGS = ("uniform", "mistakes")
T = TypeVar("T")


class Report(NamedTuple):
    """The figures of a pass over one shard."""

    examples: int
    updates: Array  # of each vector
    mistakes: Array
    radius: float  # length of the longest row that counts
    weighted: bool
    seconds: float


class Mixture(NamedTuple):
    """The changes of some shards, in all vectors concatenated."""

    size: int  # of all vectors together
    places: Array | None  # of the changes, ascending; None: everywhere
    values: Array  # Σ share·(w − base), there
    sums: Array | None  # Σ over examples of (w after it − base), there, where an average is wanted
    shares: Array  # Σ share, of each vector
    reports: tuple[Report, ...]  # in the order of the shards


class Alone(NamedTuple):
    """The result of the only shard. There is nothing to mix, and it continues exactly as on a single machine."""

    w: Array
    late: Array | None  # what it carries along for its average
    reports: tuple[Report]


def of_shard(w: Array, base: Array, sums: Array | None, shares: Array, report: Report) -> Mixture:
    """The mixture of one shard."""
    moved = (w - base).ravel()
    moved.reshape(w.shape)[:] *= shares[:, None]
    given = None if sums is None else sums.ravel()
    differs = moved != 0 if given is None else (moved != 0) | (given != 0)
    if not smaller_by_place(int(np.count_nonzero(differs)), w.size, 1 if given is None else 2):
        return Mixture(w.size, None, moved, given, shares, (report,))
    places = as_places(np.flatnonzero(differs), w.size)
    return Mixture(w.size, places, moved[places], None if given is None else given[places], shares, (report,))


def as_places(places: Array, size: int) -> Array:
    """The places in the smallest integer type."""
    return places.astype(np.int32 if size < 2**31 else np.int64)


def smaller_by_place(places: int, size: int, numbers: int = 1) -> bool:
    """Whether places with `numbers` values each take fewer bytes than the values of all `size` places."""
    return places * ((4 if size < 2**31 else 8) + 8 * numbers) < size * 8 * numbers


def mixed(one: Mixture, other: Mixture) -> Mixture:
    """The mixture of both."""
    places = None if one.places is None or other.places is None else np.union1d(one.places, other.places)
    if places is not None and not smaller_by_place(len(places), one.size, 1 if one.sums is None else 2):
        places = None

    def added(mine: Array, others: Array) -> Array:
        return _spread(mine, one, places) + _spread(others, other, places)

    sums = None if one.sums is None or other.sums is None else added(one.sums, other.sums)
    values = added(one.values, other.values)
    return Mixture(one.size, places, values, sums, one.shares + other.shares, one.reports + other.reports)


def _spread(values: Array, mixture: Mixture, places: Array | None) -> Array:
    """The values of this mixture at these places, and 0 elsewhere."""
    own = mixture.places
    if own is None:
        return values
    spread = np.zeros(mixture.size if places is None else len(places))
    spread[own if places is None else np.searchsorted(places, own)] = values
    return spread


def tree(leaves: Sequence[T], join: Callable[[T, T], T]) -> T:
    """Join all leaves in a binary tree, neighbours first. The last of an odd number moves up unchanged.

    >>> tree(list("abcde"), lambda one, other: f"({one}{other})")
    '(((ab)(cd))e)'
    """
    now = list(leaves)
    while len(now) > 1:
        pairs = range(0, len(now) - 1, 2)
        now = [join(now[k], now[k + 1]) for k in pairs] + now[len(pairs) * 2 :]
    return now[0]


class Changes(NamedTuple):
    """The changes of a pass to the weights, in all vectors concatenated."""

    places: Array | None  # None: everywhere
    values: Array  # the new weights

    @property
    def where(self) -> Array | slice:
        return slice(None) if self.places is None else self.places


def moved(w: Array, mixture: Mixture) -> Changes:
    """The changes that the mixture makes to w. A vector in which no shard has a share stays as it is."""
    vector = np.arange(w.size) // w.shape[1] if mixture.places is None else mixture.places // w.shape[1]
    total = np.where(mixture.shares > 0, mixture.shares, 1)[vector]
    before = w.reshape(-1) if mixture.places is None else w.reshape(-1)[mixture.places]
    return Changes(mixture.places, before + mixture.values / total)


def shares_of(mixing: str, updates: Array) -> Array:
    """The share of a shard in each vector, up to a common factor of all shards."""
    return updates.astype(np.int64) if mixing == "mistakes" else np.ones(len(updates), np.int64)


def weighted_updates(mixing: str, reports: Sequence[Report]) -> list[Fraction]:
    """Σ μ·updates over the shards, for each vector. F20 bounds its sum over the passes."""
    each = np.array([report.updates for report in reports])
    shares = np.array([shares_of(mixing, updates) for updates in each])
    return [
        Fraction(sum(int(a) * int(b) for a, b in zip(share, made, strict=True)), max(1, int(share.sum())))
        for share, made in zip(shares.T, each.T, strict=True)
    ]
