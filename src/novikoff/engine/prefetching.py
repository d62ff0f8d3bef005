"""A second thread reads rows ahead of a shuffled sweep, so that they are in the cache when the sweep needs them.

One core alone cannot load scattered rows from memory as fast as it can multiply them. The second thread only reads. If it
falls behind or never starts, the result of the sweep is the same.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any

from novikoff.compiler import load_shared, loop, store_shared
from novikoff.compiler.dispatch import compiled
from novikoff.engine.storages import entries, touch
from novikoff.engine.sweep import SIGNAL
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import beside

WORTH_PREFETCHING = 4_000_000  # stored numbers; fewer fit into the shared cache
LEAD = 32  # rows; the sweep itself prefetches nearer ones
WINDOW = 256  # rows; farther ones might be evicted before they are used
EVERY = 2  # every second row; the sweep prefetches the others in the same time
OVER = 2**62
PATIENCE = 10_000  # looks at a sweep that does not go on, for rows of less than 1000 numbers: about ten times what one needs
LEFT = -(2**62)  # no sum of numbers, but for a coincidence that costs nothing
REST = 64  # sweeps without a scout after one that left, at most


class Scouts:
    """Sends a scout ahead of each sweep of this process, unless scouts do not help.

    A sweep that does not go on while the scout waits is not running: other processes are, and the scout takes its processor. So
    the scout leaves, and the next sweeps have none: one at first, and twice as many each time. One scout is under way at a time.
    """

    def __init__(self) -> None:
        self._rest = self._resting = 0
        self._last: Future[Any] | None = None

    @contextmanager
    def ahead(self, sheet: Any, order: Array, at: Array) -> Iterator[None]:
        """Prefetch rows in a second thread while a sweep over `order` runs inside. The sweep writes its progress to `at`."""
        if self._resting or (self._last is not None and not self._last.done()):
            self._resting = max(0, self._resting - 1)
            yield
            return
        store_shared(at, 0)
        self._last = beside(partial(compiled(walk_ahead), sheet, order, at))
        try:
            yield
        finally:
            store_shared(at, OVER)
        if self._last.done() and self._last.result() == LEFT:
            self._rest = self._resting = min(REST, max(1, 2 * self._rest))


scouts = Scouts()


@loop
def walk_ahead(sheet: Any, order: Any, at: Any) -> Any:
    """Read every second row of `order`, between LEAD and WINDOW rows ahead of `at`, until the sweep has passed them all.

    Returns LEFT if the sweep did not go on for a while, otherwise the sum of what it has read.
    """
    t, seen, before, looks = 0, 0.0, 0, 0
    patience = PATIENCE * (1 + entries(sheet.rows) // (1000 * len(sheet.code)))
    while t < len(order):
        now = load_shared(at)
        t = max(t, now + LEAD)
        if t < now + WINDOW:
            for s in range(t, min(t + SIGNAL, len(order)), EVERY):
                seen += touch(sheet.rows, order[s])
            t += SIGNAL
        looks = looks + 1 if now == before else 0
        before = now
        if looks > patience:
            return LEFT
    return int(seen)  # so that the reads are not optimised away
