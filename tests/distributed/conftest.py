"""Real clusters of processes. The one of two workers is started once, and shared by all tests that leave it whole."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("distributed")
from distributed import Client, LocalCluster


@contextmanager
def cluster_of(workers: int, **how: str) -> Iterator[Client]:
    """A client of so many workers, each a process of one thread."""
    how |= {"dashboard_address": "127.0.0.1:0"}
    local = LocalCluster(n_workers=workers, threads_per_worker=1, silence_logs=logging.CRITICAL, **how)
    with local, Client(local) as client:
        yield client


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    with cluster_of(2) as two:
        yield two


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one process of pytest: each would have a cluster of its own."""
    for item in items:
        if "distributed" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("cluster"))
