"""Compiled code releases the GIL, so plain threads are enough."""

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
    """The processors this process may use: joblib tells its workers by the variable how many are theirs, and so may a user."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    told = os.environ.get("NUMBA_NUM_THREADS", "")
    return 1 if _alone_here() else max(1, min(there, int(told))) if told.isdecimal() else there


_here = local()


def _alone_here() -> bool:
    return getattr(_here, "alone", False)


@contextmanager
def one_thread() -> Iterator[None]:
    """What is done in this context, on this thread, takes no other: on a cluster each thread has work of its own."""
    before, _here.alone = _alone_here(), True
    try:
        yield
    finally:
        _here.alone = before


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController  # where it is needed

    return ThreadpoolController()


class _Alone:
    """The first to enter sets the limit, which is one of the whole process, and the last to leave takes it back."""

    def __init__(self) -> None:
        self._lock, self._inside = fork_lock(Order.SHORT), 0
        self._limit: Any = None
        self._own = local()  # how often this thread is inside

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


alone = _Alone()  # a context in which matrix products take one thread each: those of several would only wait for each other


def shares(n: int, parts: int) -> list[range]:
    """0 … n−1 in at most `parts` runs of nearly equal length, none of them empty."""
    parts = max(1, min(parts, n))
    ends = [n * p // parts for p in range(parts + 1)]
    return [range(a, b) for a, b in pairwise(ends)]


@cache
def pool() -> ThreadPoolExecutor:
    """The threads of this process, started when first needed and kept, since a run asks for them many times a second."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="novikoff")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # threads do not survive a fork
    os.register_at_fork(after_in_child=alone.leave_others)


def beside(task: Callable[[], Any]) -> Future[Any]:
    """The task, begun on another thread; or done at once on this one, where there is to be no other.

    So it is also where the process is ending, and starts no more threads.
    """
    if _alone_here():
        return _done_here(task)
    try:
        return pool().submit(task)
    except KeyboardInterrupt:  # the pool may not know yet of a thread it was starting, which would keep the process from ending
        pool().shutdown(wait=False)
        pool.cache_clear()
        raise
    except RuntimeError:
        return _done_here(task)


def _done_here(task: Callable[[], Any]) -> Future[Any]:
    done: Future[Any] = Future()
    done.set_result(task())
    return done


def side_by_side(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of the tasks, the first run on this thread, each of the others on one of its own if there are enough."""
    others = [beside(task) for task in tasks[1:]]
    return [tasks[0](), *(other.result() for other in others)]


def one_ahead(items: Iterator[T]) -> Iterator[T]:
    """The items, the next of them being fetched on a thread."""
    coming = beside(partial(next, items, None))
    while (item := coming.result()) is not None:
        coming = beside(partial(next, items, None))
        yield item


def in_order(task: Callable[[T], U], items: Iterator[T], rests: Callable[[T], bool] = lambda item: False) -> Iterator[U]:
    """`map(task, items)`, the next few of them under way on threads while the caller deals with this one.

    After an item that `rests`, the next may be long in coming, and all that there is is given out first.
    """
    ahead: deque[Future[U]] = deque()
    for item in items:
        ahead.append(beside(partial(task, item)))
        while len(ahead) > (0 if rests(item) else cores()):
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()
