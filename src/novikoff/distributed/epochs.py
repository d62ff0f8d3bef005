"""Iterative parameter mixing on a cluster (F20): each pass, every shard goes over its rows from the same weights.

The learner at the client is where all shards stand between two passes; after each it takes up the mixture.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from distributed import Future

from novikoff.distributed.cluster import Cluster, Means, StrandedError
from novikoff.distributed.mixing import Alone, Changes, Mixture, Report, as_places, moved, smaller_by_place, weighted_updates
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.sweeping import Lost, Plan, Step, forget, joined, swept
from novikoff.foundation.interrupts import Interrupts
from novikoff.learning.learner import Learner, Pass, StopReason

SPACIOUS = 0.5  # of its memory a worker's shards may take to be gone over together; beyond 0.6, Dask puts some on disk


class Epoch(NamedTuple):
    """A pass, shard by shard."""

    made: Pass
    mistakes: tuple[int, ...]  # of each shard, over all vectors
    examples: tuple[int, ...]
    seconds: tuple[float, ...]  # that its sweep took


class Stand(NamedTuple):
    """How a pass stands."""

    number: int
    done: int  # shards
    shards: int
    before: Epoch | None  # the last pass that is complete


class Course:
    """A fit under way: where it stands after the passes so far."""

    def __init__(self, learner: Learner, mixing: str) -> None:
        self.learner, self.mixing = learner, mixing
        self.passes: list[Pass] = []
        self.last: Epoch | None = None
        self.weighted = [Fraction(0)] * len(learner.team.w[learner.answering])  # Σ μ·updates, of each vector
        self.radius = 0.0
        self.clean = np.zeros(len(self.weighted), bool)  # the vectors that the last pass has left as they were

    def take(self, found: Mixture | Alone, seconds: float) -> Changes | None:
        """One pass more. What it has changed in the weights, where shards were mixed."""
        learner, own = self.learner, self.learner.answering
        clock = int(learner.team.clock[0]) + sum(report.examples for report in found.reports)
        changes = None
        if isinstance(found, Alone):
            learner.take_up(found.w, clock, found.late)
        else:
            w = learner.team.w[own].copy()
            changes = moved(w, found)
            late = learner.carry.late[own].copy() if found.sums is not None else None
            if late is not None:  # T·w − late is to grow by every w there was on any shard
                late.reshape(-1)[changes.where] += clock * (changes.values - w.reshape(-1)[changes.where]) - found.sums
            w.reshape(-1)[changes.where] = changes.values
            learner.take_up(w, clock, late)
        self._count(found.reports, seconds)
        return changes

    def _count(self, reports: tuple[Report, ...], seconds: float) -> None:
        learner, team = self.learner, self.learner.team
        updates, mistakes = (sum(getattr(report, what) for report in reports) for what in ("updates", "mistakes"))
        team.updates[learner.answering] += updates
        team.mistakes[learner.answering] += mistakes
        team.changed[learner.answering] = np.where(updates > 0, team.clock[0] - 1, team.changed[learner.answering])
        learner.passes += 1
        learner.weighted |= any(report.weighted for report in reports)
        learner.recount()
        each = np.array([report.updates for report in reports]), np.array([report.mistakes for report in reports])
        fed, steps, wrong = sum(r.examples for r in reports), int(each[0].sum()), int(each[1].sum())
        made = Pass(learner.passes, fed, steps, wrong, round(seconds, 6))
        rest = tuple(each[1].sum(axis=1).tolist()), tuple(r.examples for r in reports), tuple(r.seconds for r in reports)
        self.passes.append(made)
        self.last = Epoch(made, *rest)
        self.weighted = [a + b for a, b in zip(self.weighted, weighted_updates(self.mixing, reports), strict=True)]
        self.radius = max(self.radius, *(report.radius for report in reports))
        self.clean = updates == 0


def learn(
    shards: Shards,
    plan: Plan,
    course: Course,
    passes: int,
    on_epoch: Callable[[Course], Any] | None = None,
    on_shard: Callable[[Stand], Any] | None = None,
) -> StopReason:
    """Pass after pass, until one changes nothing on any shard, or there have been as many in all."""
    changes: Changes | None = None
    with _over(shards.cluster, plan.fit), Interrupts() as interrupts:
        while course.learner.passes < passes and not course.clean.all():
            began = time.perf_counter()
            found = _one_pass(shards, plan, course, changes, interrupts, on_shard)
            if found is None:
                return StopReason.INTERRUPTED
            changes = course.take(found, time.perf_counter() - began)
            enough = on_epoch is not None and on_epoch(course)
            if enough and not course.clean.all():
                return StopReason.ON_PASS
    return StopReason.CLEAN_PASS if course.clean.all() else StopReason.MAX_ITER


@contextmanager
def _over(cluster: Cluster, fit: str) -> Any:
    """In the end, workers forget the fit."""
    try:
        yield
    finally:
        with suppress(OSError):  # the scheduler may have gone as well
            cluster.client.run(forget, fit, on_error="ignore")


def _one_pass(
    shards: Shards,
    plan: Plan,
    course: Course,
    changes: Changes | None,
    interrupts: Interrupts,
    on_shard: Callable[[Stand], Any] | None,
) -> Mixture | Alone | None:
    """The mixture of all shards; None if Ctrl-C was pressed. A pass whose weights were lost with a worker is made again."""
    cluster, tries = shards.cluster, count()

    def once() -> Mixture | Alone | None:
        step, done = _step(course.learner, plan, changes if next(tries) == 0 else None), 0
        tasks = _Tree(shards, plan, cluster.send(step), f"{step.number + 1}")

        def each(task: Future) -> None:
            nonlocal done
            done += tasks.sweeps.get(task, 0)
            if on_shard is not None and task in tasks.sweeps:
                on_shard(Stand(step.number + 1, done, len(shards.kept), course.last))

        cluster.wait([*tasks.sweeps, tasks.root], each, interrupts.asked)
        if interrupts.asked():
            return None
        found: Mixture | Alone | Lost = cluster.gather([tasks.root])[0]
        if isinstance(found, Lost):
            raise StrandedError
        return found

    return shards.steadily(once)


class _Tree:
    """The tasks of a pass: sweeps of branches, and what joins them.

    What is mixed with what is fixed by the numbers of the shards. How the tree is cut into tasks is not, and makes no difference:
    neighbours on one worker are swept by one task, on all its threads, since Dask takes some milliseconds for each. Where they do
    not fit into its memory, each is a task of its own: Dask brings from disk what a task needs, all of it at once.
    """

    def __init__(self, shards: Shards, plan: Plan, told: Future, name: str) -> None:
        self._cluster, self._kept, self._plan, self._told, self._name = shards.cluster, shards.kept, plan, told, name
        self._homes, self._means = shards.homes, self._cluster.means()
        self._crowded = _crowded(self._homes, shards.sizes, self._means)
        self.sweeps: dict[Future, int] = {}  # and how many shards each has
        root = self._branch(0, 1 << (len(self._kept) - 1).bit_length())
        assert root is not None, "there are shards"
        self.root = root

    def _branch(self, first: int, size: int) -> Future | None:
        """Shards first … first + size − 1, as far as there are such; size is a power of two."""
        shards = self._kept[first : first + size]
        if not shards:
            return None
        homes = set(self._homes[first : first + size])
        name = f"{self._name}-{first:04}"
        if size == 1 or (len(homes) == 1 and not homes & self._crowded):
            home = min(homes)
            threads = self._means[home].threads if home in self._means else 1
            arguments = self._plan, self._told, first, threads, *shards
            sweep = self._cluster.submit(f"novikoff-sweep-{name}", swept, *arguments, worker=home)
            self.sweeps[sweep] = len(shards)
            return sweep
        one, other = self._branch(first, size // 2), self._branch(first + size // 2, size // 2)
        if one is None or other is None:
            return one
        return self._cluster.submit(f"novikoff-mix-{name}-{size}", joined, one, other)


def _crowded(homes: Sequence[str], sizes: Sequence[int], means: Mapping[str, Means]) -> set[str]:
    """The workers whose shards take more than a part of their memory."""
    taken = Counter[str]()
    for home, size in zip(homes, sizes, strict=True):
        taken[home] += size
    return {home for home, size in taken.items() if home in means and size > SPACIOUS * means[home].memory}


def _step(learner: Learner, plan: Plan, changes: Changes | None) -> Step:
    """What the workers need to begin the next pass."""
    w, number = learner.team.w[learner.answering], learner.passes
    if plan.alone:
        late = learner.carry.late[learner.answering] if learner.readout == "averaged" else None
        return Step(number, w.shape, True, None, w.ravel(), int(learner.team.clock[0]), late)
    if changes is not None:
        return Step(number, w.shape, False, changes.places, changes.values)
    if smaller_by_place(int(np.count_nonzero(w)), w.size):
        places = as_places(np.flatnonzero(w), w.size)
        return Step(number, w.shape, True, places, w.ravel()[places])
    return Step(number, w.shape, True, None, w.ravel())
