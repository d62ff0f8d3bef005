"""Threads. Compiled code releases the GIL, so processes are not needed."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from threading import local
from typing import Any, TypeVar

from novikoff.foundation.fork_safety import Order, fork_lock

T = TypeVar("T")
U = TypeVar("U")

WORTH_A_THREAD = 200_000  # entries touched; below that, starting a thread costs more than it saves


def cores() -> int:
    """How many processors this process may use. joblib, or a user, can limit it with NUMBA_NUM_THREADS."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    return 1 if _alone_here() else max(1, min(there, int(limit))) if limit.isdecimal() else there


_here = local()


def _alone_here() -> bool:
    return getattr(_here, "alone", False)


@contextmanager
def one_thread() -> Iterator[None]:
    """In this context, this thread starts no other threads: on a cluster each thread has its own work."""
    before, _here.alone = _alone_here(), True
    try:
        yield
    finally:
        _here.alone = before


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController  # only when needed

    return ThreadpoolController()


class _Alone:
    """The first thread to enter sets the limit, which is for the whole process. The last one to leave resets it."""

    def __init__(self) -> None:
        self._lock, self._inside = fork_lock(Order.SHORT), 0
        self._limit: Any = None
        self._own = local()  # how many times this thread has entered

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = _libraries().limit(limits=1)
            self._count(1)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._count(-1)
            if not self._inside:
                self._limit.restore_original_limits()

    def _count(self, more: int) -> None:
        self._inside += more
        self._own.inside = getattr(self._own, "inside", 0) + more

    def leave_others(self) -> None:
        """In the child of a fork no other threads are inside any more."""
        inside, self._inside = self._inside, getattr(self._own, "inside", 0)
        if inside and not self._inside:
            self._limit.restore_original_limits()


alone = _Alone()  # in this context a matrix product uses one thread: several would only wait


def shares(n: int, parts: int) -> list[range]:
    """0 … n−1 in at most `parts` ranges of nearly equal length, none of them empty."""
    parts = max(1, min(parts, n))
    ends = [n * p // parts for p in range(parts + 1)]
    return [range(a, b) for a, b in pairwise(ends)]


@cache
def pool() -> ThreadPoolExecutor:
    """The threads of this process, started when first needed and kept, since a run uses them many times a second."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="novikoff", initializer=_be_of_the_pool)


def _be_of_the_pool() -> None:
    _here.of_the_pool = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # threads do not survive a fork
    os.register_at_fork(after_in_child=alone.leave_others)


def beside(task: Callable[[], T]) -> Future[T]:
    """Start the task on another thread. If no other thread is allowed, or the process is ending, run it now on this one.

    A task on a thread of the pool runs its own tasks itself: all threads could otherwise wait for tasks that none is free to run.
    """
    if _alone_here() or getattr(_here, "of_the_pool", False):
        return _done_here(task)
    try:
        return pool().submit(task)
    except KeyboardInterrupt:  # the pool may not yet know a thread that it was starting, and the process could not end
        pool().shutdown(wait=False)
        pool.cache_clear()
        raise
    except RuntimeError:
        return _done_here(task)


def _done_here(task: Callable[[], T]) -> Future[T]:
    done: Future[T] = Future()
    done.set_result(task())
    return done


def side_by_side(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """The results of the tasks. The first runs on this thread, each other one on its own thread if there are enough."""
    others = [beside(task) for task in tasks[1:]]
    return [tasks[0](), *(other.result() for other in others)]


def one_ahead(items: Iterator[T]) -> Iterator[T]:
    """The items. The next one is fetched on another thread."""
    coming = beside(partial(next, items, None))
    while (item := coming.result()) is not None:
        coming = beside(partial(next, items, None))
        yield item


def in_order(task: Callable[[T], U], items: Iterator[T], rests: Callable[[T], bool] = lambda item: False) -> Iterator[U]:
    """`map(task, items)`. The next few tasks run on threads while the caller processes the current result.

    After an item for which `rests` is true, the next may take long to come, so all results that are ready are yielded first.
    """
    ahead: deque[Future[U]] = deque()
    for item in items:
        ahead.append(beside(partial(task, item)))
        while len(ahead) > (0 if rests(item) else cores()):
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()
