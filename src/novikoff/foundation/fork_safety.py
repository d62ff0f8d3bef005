"""Locks that a fork waits for.

A child process has one thread, the one that forked. A lock that another thread held would never be released there, and the
data that it protects may be half changed. So `os.fork` first takes every lock that is registered here, and both processes release
them afterwards. Locks are taken in the order of `Order`, and code that holds one only ever takes locks that come later in it.
"""

import logging
import os
import sys
from enum import IntEnum
from functools import cached_property
from threading import RLock
from typing import Any
from weakref import WeakSet

LONGEST = 60.0  # seconds; after a longer wait the lock is assumed never to be released


class Order(IntEnum):
    """What a lock protects, outermost first."""

    OBJECT = 0  # one object of the user
    COMPILING = 1
    NUMBA = 2
    SHORT = 3  # a few lines that take no other lock


_registered: dict[Order, WeakSet[Any]] = {order: WeakSet() for order in Order}
_registering = RLock()
_taken: list[Any] = []


def fork_lock(order: Order) -> Any:
    """A new reentrant lock that forks wait for."""
    lock = RLock()
    wait_for(lock, order)
    return lock


def wait_for(lock: Any, order: Order) -> None:
    """Make forks wait for this lock too, as long as it exists."""
    with _registering:
        _registered[order].add(lock)


def _take_all() -> None:
    """Take every lock. `_registering` comes last, since the holder of another lock may need it. New locks: one more round."""
    tried: set[int] = set()
    while True:
        for order in Order:
            for lock in _found(order):
                if id(lock) not in tried:
                    tried.add(id(lock))
                    if lock.acquire(timeout=LONGEST):
                        _taken.append(lock)
        _registering.acquire()
        if all(id(lock) in tried for order in Order for lock in _registered[order]):
            _taken.append(_registering)
            return
        _registering.release()


def _found(order: Order) -> list[Any]:
    with _registering:
        return list(_registered[order])


def _release_all() -> None:
    while _taken:
        _taken.pop().release()


def _renew_cached_properties() -> None:
    """Before Python 3.12, each cached property has a lock. What another thread was computing is recomputed in the child."""
    for name, module in list(sys.modules.items()):
        if name.startswith("novikoff"):
            kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == name]
            for each in (each for kind in kinds for each in vars(kind).values()):
                if isinstance(each, cached_property):
                    each.lock = RLock()  # type: ignore[attr-defined]


# logging also takes its lock at forks, and compilers need that lock. Handlers run in reverse order, so import logging first.
assert logging
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_release_all, after_in_child=_release_all)
    if sys.version_info < (3, 12):
        os.register_at_fork(after_in_child=_renew_cached_properties)
