"""Real clusters of processes."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client, LocalCluster


@contextmanager
def cluster_of(workers: int, **how: str) -> Iterator[Client]:
    """A client of so many workers, each a process of one thread."""
    how |= {"dashboard_address": "127.0.0.1:0"}
    local = LocalCluster(n_workers=workers, threads_per_worker=1, silence_logs=logging.CRITICAL, **how)
    with local, Client(local) as client:
        yield client
