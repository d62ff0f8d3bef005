"""A second thread reads rows ahead of a shuffled sweep, so that they are in the cache when the sweep needs them.

One core alone cannot load scattered rows from memory as fast as it can multiply them. The second thread only reads. If it
falls behind or never starts, the result of the sweep is the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from novikoff.compiler import load_shared, loop, store_shared
from novikoff.compiler.dispatch import compiled
from novikoff.engine.storages import touch
from novikoff.engine.sweep import SIGNAL
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import beside

WORTH_PREFETCHING = 4_000_000  # stored numbers; fewer fit into the shared cache
LEAD = 32  # rows; the sweep itself prefetches nearer ones
WINDOW = 256  # rows; farther ones might be evicted before they are used
EVERY = 2  # every second row; the sweep prefetches the others in the same time
OVER = 2**62


@contextmanager
def prefetching_rows(sheet: Any, order: Array, at: Array) -> Iterator[None]:
    """Prefetch rows in a second thread while a sweep over `order` runs inside. The sweep writes its progress to `at`."""
    store_shared(at, 0)
    scout = beside(partial(compiled(walk_ahead), sheet, order, at))
    try:
        yield
    finally:
        store_shared(at, OVER)
        scout.result()


@loop
def walk_ahead(sheet: Any, order: Any, at: Any) -> Any:
    """Read every second row of `order`, between LEAD and WINDOW rows ahead of `at`, until the sweep has passed them all."""
    t, seen = 0, 0.0
    while t < len(order):
        t = max(t, load_shared(at) + LEAD)
        if t < load_shared(at) + WINDOW:
            for s in range(t, min(t + SIGNAL, len(order)), EVERY):
                seen += touch(sheet.rows, order[s])
            t += SIGNAL
    return int(seen)  # returned so that the reads are not optimised away
