"""A folder is a family: every module in it is a member, found by being there."""

import pkgutil
from functools import cache
from importlib import import_module


@cache
def gather(package: str) -> None:
    """Import every module of a family's folder once, so that each can register what it offers."""
    for module in pkgutil.iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
