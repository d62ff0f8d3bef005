"""The pass over one shard, on its worker.

If that is smaller, a worker is sent only the changes of the weights since the last pass. So it stores the weights with which the
last pass of each fit started. A worker that does not have them returns Lost, and is sent all weights.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.distributed.mixing import Alone, Mixture, Report, mixed, of_shard, shares_of, tree
from novikoff.distributed.precisions import sure
from novikoff.distributed.shards import PreparedShard
from novikoff.foundation.array_types import Array
from novikoff.foundation.fork_safety import Order, fork_lock
from novikoff.foundation.parallel import one_thread
from novikoff.learning.learner import Learner
from novikoff.models.run_record import versions


class Plan(NamedTuple):
    """The settings of a fit, the same for every shard."""

    fit: str  # an id
    settings: dict[str, Any]  # of the learner
    classes: Array
    width: int
    constant: int
    mixing: str
    alone: bool  # whether there is only one shard, which then learns as on a single machine
    versions: dict[str, str]  # that the numbers depend on

    def learner(self, shard: int) -> Learner:
        """A new learner for this shard, with weights 0."""
        seed = self.settings["seed"]
        if shard:  # the first shard uses the seed itself, so that a single shard learns as on one machine
            seed = int(np.random.SeedSequence([seed, shard]).generate_state(1, np.uint64)[0])
        learner = Learner(**self.settings | {"seed": seed, "threads": 1, "ledger_cap": 0})
        learner.begin(self.classes, self.width, self.constant)
        return learner


class Step(NamedTuple):
    """The weights at the start of pass `number`, or their changes since the pass before."""

    number: int
    shape: tuple[int, ...]
    whole: bool  # whether these are all weights, and not only changes
    places: Array | None  # in all vectors concatenated; None: everywhere
    values: Array  # there
    clock: int = 0  # of a shard alone, examples so far,
    late: Array | None = None  # and what it carries along for its average


class Lost(NamedTuple):
    """A worker does not have the weights that a step changes."""


_bases: dict[str, tuple[int, Array]] = {}  # for each fit, the number of its last pass on this worker and the weights at its start
_lock = fork_lock(Order.SHORT)


def _base(fit: str, step: Step) -> Array | None:
    """The weights at the start of the pass; None if this worker does not have them."""
    with _lock:
        number, before = _bases.get(fit, (-1, None))
        if number != step.number or before is None:
            if not step.whole and (before is None or number != step.number - 1):
                return None
            w = np.zeros(step.shape) if step.whole or before is None else before.copy()
            w.reshape(-1)[slice(None) if step.places is None else step.places] = step.values
            _bases[fit] = step.number, w
        return _bases[fit][1]


def forget(fit: str) -> None:
    """Remove the weights of a fit that has ended."""
    with _lock:
        _bases.pop(fit, None)


own_versions = cache(versions)


class VersionsError(ValueError):
    """A worker and the client have different versions of a library."""


def require_versions(wanted: dict[str, str], found: dict[str, str], who: str) -> None:
    """Refuse a worker that might compute other numbers."""
    for name, version in wanted.items():
        other = found.get(name, "none")
        if _relevant_version(name, version) != _relevant_version(name, other):
            raise VersionsError(
                f"{who} has {name} {other}, but this process has {version}: results could differ between workers; "
                "install the same versions everywhere"
            )


def _relevant_version(name: str, version: str) -> str:
    """The version without the part that does not change results: for Python, the last number."""
    return version.rpartition(".")[0] if name == "python" else version


def swept(plan: Plan, step: Step, first: int, threads: int, *kept: PreparedShard) -> Mixture | Alone | Lost:
    """Make a pass over each of these shards, numbered from `first`, and mix their changes."""
    require_versions(plan.versions, own_versions(), "a worker that came later")
    base = _base(plan.fit, step)
    if base is None:
        return Lost()
    sweep = partial(_of_one, plan, step, base)
    with ThreadPoolExecutor(threads) as pool:
        found: list[Any] = list(pool.map(sweep, range(first, first + len(kept)), kept))
    whole: Mixture | Alone = tree(found, mixed)
    return whole


def _of_one(plan: Plan, step: Step, base: Array, shard: int, kept: PreparedShard) -> Mixture | Alone:
    began = time.perf_counter()
    with one_thread():
        learner = plan.learner(shard)
        learner.take_up(base, step.clock, step.late)
        before = None if learner.confidence is None or plan.alone else sure(learner)
        learner.go_over(kept.examples, step.number)
    team, own, n = learner.team, learner.answering, len(kept.examples.fed)
    w, late = learner.shared(), learner.readout_state.late[own] if learner.readout == "averaged" else None
    updates, mistakes = team.updates[own].copy(), team.mistakes[own].copy()
    report = Report(n, updates, mistakes, kept.examples.radius, learner.weighted, time.perf_counter() - began)
    if plan.alone:
        return Alone(w, late, (report,))
    if before is not None:
        gains = sure(learner).gained_since(before)
        return of_shard(gains, gains * 0, None, np.ones(len(updates), np.int64), report)
    sums = None if late is None else n * (w - base) - late
    return of_shard(w, base, sums, shares_of(plan.mixing, updates), report)


def joined(one: Mixture | Lost, other: Mixture | Lost) -> Mixture | Lost:
    """The mixture of two branches, or Lost if one of them is."""
    return mixed(one, other) if isinstance(one, Mixture) and isinstance(other, Mixture) else Lost()
