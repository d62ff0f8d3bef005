"""Iterative parameter mixing on a cluster (F20): in each pass, every shard starts from the same weights.

After each pass, the learner on the client takes over the mixture of the shards' weights.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import count
from typing import NamedTuple

import numpy as np
from distributed import Future

from novikoff.distributed import precisions
from novikoff.distributed.cluster import Cluster, Resources, WorkerLostError
from novikoff.distributed.mixing import Alone, Changes, Mixture, Report, as_places, moved, smaller_by_place, weighted_updates
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.sweeping import Lost, Plan, Step, forget, joined, swept
from novikoff.foundation.interrupts import Interrupts
from novikoff.learning.learner import Learner
from novikoff.learning.run import Pass, StopReason

MEMORY_SHARE = 0.5  # of a worker's memory that its shards may take to be one task; above 0.6, Dask writes some to disk


class Epoch(NamedTuple):
    """One pass with the figures of each shard."""

    made: Pass
    mistakes: tuple[int, ...]  # of each shard, summed over the vectors
    examples: tuple[int, ...]
    seconds: tuple[float, ...]  # of each shard's sweep


class PassProgress(NamedTuple):
    """How far a pass has come."""

    number: int
    done: int  # number of shards that are done
    shards: int
    before: Epoch | None  # the last complete pass


class Course:
    """The state of a fit after the passes so far."""

    def __init__(self, learner: Learner, mixing: str) -> None:
        self.learner, self.mixing = learner, mixing
        self.passes: list[Pass] = []
        self.last: Epoch | None = None
        self.weighted = [Fraction(0)] * len(learner.team.w[learner.answering])  # Σ μ·updates, of each vector
        self.radius = 0.0
        self.clean = np.zeros(len(self.weighted), bool)  # the vectors that the last pass has left as they were

    def take(self, found: Mixture | Alone, seconds: float) -> Changes | None:
        """Add a pass. Returns what it has changed in the weights, if shards were mixed."""
        learner, own = self.learner, self.learner.answering
        clock = int(learner.team.clock[0]) + sum(report.examples for report in found.reports)
        changes = None
        if isinstance(found, Alone):
            learner.take_up(found.w, clock, found.late)
        else:
            w = learner.shared()
            changes = moved(w, found) if learner.confidence is None else precisions.moved(learner, found)
            late = learner.readout_state.late[own].copy() if found.sums is not None else None
            if late is not None:  # T·w − late is to grow by every w there was on any shard
                late.reshape(-1)[changes.where] += clock * (changes.values - w.reshape(-1)[changes.where]) - found.sums
            w.reshape(-1)[changes.where] = changes.values
            learner.take_up(w, clock, late)
        self._count(found.reports, seconds)
        return changes

    def _count(self, reports: tuple[Report, ...], seconds: float) -> None:
        learner = self.learner
        updates, mistakes = (sum(getattr(report, what) for report in reports) for what in ("updates", "mistakes"))
        learner.record_updates(updates, mistakes)
        learner.record(0, rows=0, passes=1, weighted=any(report.weighted for report in reports))
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
    on_epoch: Callable[[Course], object] | None = None,
    on_shard: Callable[[PassProgress], object] | None = None,
) -> StopReason:
    """Make passes until one makes no update on any shard, or there are `passes` in all."""
    changes: Changes | None = None
    with _forgetting_at_end(shards.cluster, plan.fit), Interrupts() as interrupts:
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
def _forgetting_at_end(cluster: Cluster, fit: str) -> Iterator[None]:
    """Let workers forget the fit at the end."""
    try:
        yield
    finally:
        with suppress(OSError):  # the scheduler may be lost, too
            cluster.client.run(forget, fit, on_error="ignore")


def _one_pass(
    shards: Shards,
    plan: Plan,
    course: Course,
    changes: Changes | None,
    interrupts: Interrupts,
    on_shard: Callable[[PassProgress], object] | None,
) -> Mixture | Alone | None:
    """The mixture of all shards, or None after Ctrl-C. A pass whose weights were lost with a worker is repeated."""
    cluster, tries = shards.cluster, count()

    def once() -> Mixture | Alone | None:
        step, done = _step(course.learner, plan, changes if next(tries) == 0 else None), 0
        tasks = _Tree(shards, plan, cluster.send(step), f"{step.number + 1}")

        def each(task: Future) -> None:
            nonlocal done
            done += tasks.sweeps.get(task, 0)
            if on_shard is not None and task in tasks.sweeps:
                on_shard(PassProgress(step.number + 1, done, len(shards.prepared), course.last))

        cluster.wait([*tasks.sweeps, tasks.root], each, interrupts.asked)
        if interrupts.asked():
            return None
        found: Mixture | Alone | Lost = cluster.gather([tasks.root])[0]
        if isinstance(found, Lost):
            raise WorkerLostError
        return found

    return shards.retrying(once)


class _Tree:
    """The tasks of a pass: sweeps of branches, and tasks that mix them.

    The numbers of the shards fix the order of mixing. How the tree is cut into tasks does not change the result. Neighbours on
    one worker are one task, which uses all its threads, because Dask takes some milliseconds per task. If they do not fit into
    the worker's memory, each shard is a task of its own, because Dask loads all that a task needs from disk at once.
    """

    def __init__(self, shards: Shards, plan: Plan, step: Future, name: str) -> None:
        self._cluster, self._shards, self._plan, self._step, self._name = shards.cluster, shards.prepared, plan, step, name
        self._homes, self._resources = shards.homes, self._cluster.resources()
        self._crowded = _crowded(self._homes, shards.sizes, self._resources)
        self.sweeps: dict[Future, int] = {}  # with the number of their shards
        root = self._branch(0, 1 << (len(self._shards) - 1).bit_length())
        assert root is not None, "there are shards"
        self.root = root

    def _branch(self, first: int, size: int) -> Future | None:
        """The shards first … first + size − 1, as far as they exist; size is a power of two."""
        shards = self._shards[first : first + size]
        if not shards:
            return None
        homes = set(self._homes[first : first + size])
        name = f"{self._name}-{first:04}"
        if size == 1 or (len(homes) == 1 and not homes & self._crowded):
            home = min(homes)
            threads = self._resources[home].threads if home in self._resources else 1
            arguments = self._plan, self._step, first, threads, *shards
            sweep = self._cluster.submit(f"novikoff-sweep-{name}", swept, *arguments, worker=home)
            self.sweeps[sweep] = len(shards)
            return sweep
        one, other = self._branch(first, size // 2), self._branch(first + size // 2, size // 2)
        if one is None or other is None:
            return one
        return self._cluster.submit(f"novikoff-mix-{name}-{size}", joined, one, other)


def _crowded(homes: Sequence[str], sizes: Sequence[int], resources: Mapping[str, Resources]) -> set[str]:
    """The workers whose shards take more than MEMORY_SHARE of their memory."""
    taken = Counter[str]()
    for home, size in zip(homes, sizes, strict=True):
        taken[home] += size
    return {home for home, size in taken.items() if home in resources and size > MEMORY_SHARE * resources[home].memory}


def _step(learner: Learner, plan: Plan, changes: Changes | None) -> Step:
    """What the workers need for the next pass."""
    w, number = learner.shared(), learner.passes
    if plan.alone:
        late = learner.readout_state.late[learner.answering] if learner.readout == "averaged" else None
        return Step(number, w.shape, True, None, w.ravel(), int(learner.team.clock[0]), late)
    if changes is not None:
        return Step(number, w.shape, False, changes.places, changes.values)
    if smaller_by_place(int(np.count_nonzero(w)), w.size):
        places = as_places(np.flatnonzero(w), w.size)
        return Step(number, w.shape, True, places, w.ravel()[places])
    return Step(number, w.shape, True, None, w.ravel())
