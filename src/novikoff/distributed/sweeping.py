"""One shard's pass, on the worker that keeps the shard.

The weights from which a pass begins come as what has changed since the pass before, where that is smaller, so a worker keeps the
weights that the last pass of each fit began with. One that does not have them says so, and is sent all of them.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from novikoff.distributed.mixing import Alone, Mixture, Report, mixed, of_shard, shares_of, tree
from novikoff.distributed.shards import Kept
from novikoff.engine.storages import Array
from novikoff.foundation.fork_safety import Order, fork_lock
from novikoff.foundation.parallel import one_thread
from novikoff.learning.learner import Learner
from novikoff.models.model import versions


class Plan(NamedTuple):
    """How every shard learns."""

    fit: str  # by which a worker tells fits apart
    settings: dict[str, Any]  # of the learner
    classes: Array
    width: int
    constant: int
    mixing: str
    alone: bool  # whether there is one shard only, which then learns as on a single machine
    versions: dict[str, str]  # of what the numbers depend on

    def learner(self, shard: int) -> Learner:
        """As the shards have it, from zero."""
        seed = self.settings["seed"]
        if shard:  # the first has the seed itself, as the only one must
            seed = int(np.random.SeedSequence([seed, shard]).generate_state(1, np.uint64)[0])
        learner = Learner(**self.settings | {"seed": seed, "threads": 1, "ledger_cap": 0})
        learner.begin(self.classes, self.width, self.constant)
        return learner


class Step(NamedTuple):
    """The weights from which pass `number` begins, told by what has changed since the pass before."""

    number: int
    shape: tuple[int, ...]
    whole: bool  # these are all weights, and not only those that have changed
    places: Array | None  # in the vectors laid end to end; None: everywhere
    values: Array  # there
    clock: int = 0  # of a shard alone, examples so far,
    late: Array | None = None  # and what it carries along for its average


class Lost(NamedTuple):
    """A worker did not have the weights that a step goes on from."""


_bases: dict[str, tuple[int, Array]] = {}  # of each fit, the number of its last pass here, and the weights it began with
_lock = fork_lock(Order.SHORT)


def _base(fit: str, step: Step) -> Array | None:
    """The weights from which the pass begins; None where they are not known here."""
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
    """The fit is over."""
    with _lock:
        _bases.pop(fit, None)


own_versions = cache(versions)


class VersionsError(ValueError):
    """Workers and client do not have the same libraries."""


def require_versions(wanted: dict[str, str], found: dict[str, str], who: str) -> None:
    """Refuse a worker whose numbers might come out differently."""
    for name, version in wanted.items():
        other = found.get(name, "none")
        if _as_it_matters(name, version) != _as_it_matters(name, other):
            raise VersionsError(
                f"{who} has {name} {other}, and this process {version}: numbers would depend on who computes them; "
                "install the same versions everywhere"
            )


def _as_it_matters(name: str, version: str) -> str:
    """Python's last number changes no number of ours."""
    return version.rpartition(".")[0] if name == "python" else version


def swept(plan: Plan, step: Step, first: int, threads: int, *kept: Kept) -> Mixture | Alone | Lost:
    """One pass over each of these shards, which are numbered from `first` on, and what they change: a branch of the tree."""
    require_versions(plan.versions, own_versions(), "a worker that came later")
    base = _base(plan.fit, step)
    if base is None:
        return Lost()
    sweep = partial(_of_one, plan, step, base)
    with ThreadPoolExecutor(threads) as pool:
        found: list[Any] = list(pool.map(sweep, range(first, first + len(kept)), kept))
    whole: Mixture | Alone = tree(found, mixed)
    return whole


def _of_one(plan: Plan, step: Step, base: Array, shard: int, kept: Kept) -> Mixture | Alone:
    began = time.perf_counter()
    with one_thread():
        learner = plan.learner(shard)
        learner.take_up(base, step.clock, step.late)
        learner.go_over(kept.examples, step.number)
    team, own, n = learner.team, learner.answering, len(kept.examples.fed)
    w, late = team.w[own], learner.carry.late[own] if learner.readout == "averaged" else None
    updates, mistakes = team.updates[own].copy(), team.mistakes[own].copy()
    report = Report(n, updates, mistakes, kept.examples.radius, learner.weighted, time.perf_counter() - began)
    if plan.alone:
        return Alone(w, late, (report,))
    sums = None if late is None else n * (w - base) - late
    return of_shard(w, base, sums, shares_of(plan.mixing, updates), report)


def joined(one: Mixture | Lost, other: Mixture | Lost) -> Mixture | Lost:
    """Two branches, if both are there."""
    return mixed(one, other) if isinstance(one, Mixture) and isinstance(other, Mixture) else Lost()
