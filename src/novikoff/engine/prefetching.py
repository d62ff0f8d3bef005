"""A second thread walks ahead of a shuffled sweep and touches rows, so that they are near when their turn comes.

One core alone cannot fetch rows scattered over memory as fast as it can multiply them. The scout learns nothing and
changes nothing but time: where it falls behind, or never starts, the sweep is the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from novikoff.engine.storages import Array, touch
from novikoff.engine.sweep import SIGNAL
from novikoff.foundation.compiling import compiled, kernel, tell, told
from novikoff.foundation.parallel import beside

WORTH_A_SCOUT = 4_000_000  # numbers stored; fewer stay in the caches that cores share
LEAD = 32  # rows; nearer ones are the sweep's own to fetch
WINDOW = 256  # rows; farther ones might be gone again
EVERY = 2  # the rows between are left to the sweep, which has the same time to fetch them
OVER = 2**62


@contextmanager
def scouting(sheet: Any, order: Array, at: Array) -> Iterator[None]:
    """While a sweep over `order` runs inside, which tells `at` how far it is, have a scout ahead of it."""
    tell(at, 0)
    scout = beside(partial(compiled(walk_ahead), sheet, order, at))
    try:
        yield
    finally:
        tell(at, OVER)
        scout.result()


@kernel
def walk_ahead(sheet: Any, order: Any, at: Any) -> Any:
    """Touch every other row of `order`, between LEAD and WINDOW rows ahead of `at`, until the sweep is past them all."""
    t, seen = 0, 0.0
    while t < len(order):
        t = max(t, told(at) + LEAD)
        if t < told(at) + WINDOW:
            for s in range(t, min(t + SIGNAL, len(order)), EVERY):
                seen += touch(sheet.rows, order[s])
            t += SIGNAL
    return seen  # given back so that the reading is not optimised away
