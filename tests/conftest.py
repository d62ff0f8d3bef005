"""Hypothesis settings: few examples in `make test`, many in `make test-full`. No deadline, as the first example may compile."""

import signal

import pytest
from hypothesis import settings

collect_ignore_glob = ["*conftest.py"]  # pytest would import them as modules with doctests, and they share a name

settings.register_profile("short", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("full", max_examples=50, deadline=None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, or one worker would be left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def pytest_configure(config: pytest.Config) -> None:
    # Started in the background or by nohup, a process ignores these, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    settings.load_profile("short" if config.getoption("-m") == "not full" else "full")
