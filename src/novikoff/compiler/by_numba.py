"""Loops compiled by numba at their first use with arguments of some types, and kept on disk.

numba is imported by the first call and not before. It is needed for what is not in the library: rules, storages and kernels of
the user's own, and everything in a checkout where no library has been built.
"""

import hashlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, cast

from novikoff.compiler import files_apart, generics, helpers, registries
from novikoff.compiler.intrinsics import PLAIN, teach_numba
from novikoff.compiler.numba_cache import CodeCache, code_folder
from novikoff.foundation.fork_safety import Order, fork_lock, wait_for

_dispatchers: dict[Callable[..., Any], tuple[int, Callable[..., Any]]] = {}
_compiling = fork_lock(Order.COMPILING)


class NumbaMissingError(ImportError):
    """Only numba could compile this, and it is not installed."""


def by_numba(f: Callable[..., Any]) -> Callable[..., Any]:
    """The loop `f`, compiled for each combination of types at its first use.

    If a type was registered since the last call, there is a new dispatcher with another cache folder: the code on disk is
    never older than the registry.
    """
    registered = sum(map(len, registries))
    known = _dispatchers.get(f)
    if known is None or known[0] != registered:
        with _compiling:
            known = _dispatchers[f] = registered, _compile(f)
    return known[1]


def by_numba_for(f: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The loop `f`, compiled for arguments of exactly these types, which are not checked again.

    Checking the types of thirty arrays takes numba microseconds, many times as long as a sweep over one row. The price:
    arguments of other types would crash the process.
    """
    dispatcher: Any = by_numba(f)
    types = tuple(map(dispatcher.typeof_pyval, arguments))
    dispatcher.compile(types)
    return cast(Callable[..., Any], dispatcher.overloads[types].entry_point)


def _compile(f: Callable[..., Any]) -> Callable[..., Any]:
    if find_spec("numba") is None:
        raise NumbaMissingError(
            f"the compiled library, if there is one, does not have {f.__name__} for data or settings of these types, and numba, "
            "which would compile it now, is not installed; pip install 'novikoff[rules]'"
        )
    numba: Any = import_module("numba")
    wait_for(import_module("numba.core.compiler_lock").global_compiler_lock._lock, Order.NUMBA)
    teach_numba()
    dispatcher: Any = numba.njit(nogil=True, **PLAIN)(f)
    folder = cache_folder(f)
    if folder is not None and not numba.config.DISABLE_JIT:  # otherwise the dispatcher is f itself
        dispatcher._cache = CodeCache(f, folder)
    return cast(Callable[..., Any], dispatcher)


def cache_folder(loop: Callable[..., Any]) -> Path | None:
    """The folder for the machine code of this loop, or None if it cannot be kept.

    It is named after the content of every file that can end up in this loop's machine code, since an edit in a rule or a storage
    changes it, too.
    """
    digest = hashlib.sha256()
    loose = []
    for code in _code_of(loop):
        if not Path(code.co_filename).is_file():  # defined in a shell or a notebook
            loose.append(repr((code.co_qualname, code.co_code, code.co_consts, code.co_names)))
    for path in _files_of(loop):
        digest.update(path.read_bytes())
    digest.update(repr((sorted(loose), import_module("numba").config.BOUNDSCHECK)).encode())
    return code_folder(digest.hexdigest()[:16])


def sources_of(loop: Callable[..., Any]) -> list[str]:
    """The files of this package that can end up in the loop's machine code."""
    package = Path(__file__).parents[1]
    return [path.relative_to(package).as_posix() for path in _files_of(loop)]


def _files_of(loop: Callable[..., Any]) -> list[Path]:
    own = [Path(__file__).with_name(name) for name in ("__init__.py", "intrinsics.py")]
    files = {Path(code.co_filename) for code in _code_of(loop)}
    return sorted({*own, *(path for path in files if path.is_file())})


def _code_of(loop: Callable[..., Any]) -> list[CodeType]:
    """Of the loop, and of the functions that it may call: loops of other files cannot end up in it."""
    functions = [f for g in generics for f in g.registry.values()] + helpers
    is_apart = loop.__code__.co_filename in files_apart
    return [f.__code__ for f in [*functions, loop] if (f.__code__.co_filename in files_apart) == is_apart or f is loop]
