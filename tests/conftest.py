"""Hypothesis settings: few examples in `make test`, many in `make test-full`; compiling is not an example's fault."""

import pytest
from hypothesis import HealthCheck, settings

collect_ignore_glob = ["*conftest.py"]  # as modules with examples: they have none, and share a name

settings.register_profile("short", max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("full", max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, or one worker would be left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("short" if config.getoption("-m") == "not full" else "full")
