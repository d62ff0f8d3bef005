"""Registration by folder: every module in the folder of a package is imported and registers itself."""

import pkgutil
from functools import cache
from importlib import import_module


@cache
def import_all(package: str) -> None:
    """Import every module of a package once, so that each can register itself."""
    for module in pkgutil.iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
