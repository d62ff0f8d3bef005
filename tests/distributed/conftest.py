"""The cluster of two workers is started once, and shared by all tests that leave it whole."""

from collections.abc import Iterator

import pytest

pytest.importorskip("distributed")
from clusters import cluster_of
from distributed import Client


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    with cluster_of(2) as two:
        yield two


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one process of pytest: each would have a cluster of its own."""
    for item in items:
        if "distributed" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("cluster"))
