"""The library of machine code that was compiled when the package was built.

Its functions take the address of a row of words (`words.py`). The name of a function is that of its loop, with a digest of the
types of the arguments: what is not in the library is found not to be there.
"""

import ctypes
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.compiler import loop
from novikoff.compiler.words import Kind, names, take_apart

PACKAGE = Path(__file__).parents[1]
FOLDER = PACKAGE / "compiler" / "built"
DIGESTS = "digests.txt"  # of the files of the library
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


@loop
def last_entry(array: Any) -> Any:
    """Shows whether the library finds the numbers of an array."""
    return array[array.shape[0] - 1, array.shape[1] - 1]


SAMPLE = np.arange(15).reshape(3, 5)[:, 1::2]


def find(f: Callable[..., Any], key: Sequence[Kind]) -> Any:
    """The function of the library for this loop and these types; None if there is none."""
    found = library()
    if found is None:
        return None
    return next((_function(found, name) for name in names_of(f, key) if hasattr(found, name)), None)


def names_of(f: Callable[..., Any], key: Sequence[Kind]) -> list[str]:
    """What the library calls the loop for these types."""
    return [f"{f.__name__}_{_digest(f'{f.__module__}.{f.__qualname__}{text}')}" for text in names(key)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _function(library: Any, name: str) -> Any:
    function = getattr(library, name)
    function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_int64
    return function


@cache
def library() -> Any:
    """The library for this processor; None if there is none, or none that may be used.

    NOVIKOFF_LIBRARY=off leaves everything to numba, which alone can check bounds or run loops uncompiled.
    """
    if os.environ.get("NOVIKOFF_LIBRARY") == "off" or any(map(os.environ.get, ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"))):
        return None
    try:
        level = _loaded(f"processor{SUFFIX}").level()
        found = _loaded(f"loops-{level}{SUFFIX}")
        sources, digest = (ctypes.c_char_p.in_dll(found, name).value or b"" for name in ("sources", "digest"))
        belongs = digest_of(sources.decode().split("\n")) == digest.decode()
    except (OSError, AttributeError, ValueError):  # there is none, or a source is no longer there
        return None
    return found if belongs and _reads_arrays(found) else None


def _loaded(name: str) -> Any:
    """A part of the library. To load a damaged one could end the process, so its content is compared with DIGESTS first."""
    path = FOLDER / name
    if _others_may_write(path):
        raise OSError(f"others may write to {path}")
    if content_digest(path) not in (FOLDER / DIGESTS).read_text().split():
        raise OSError(f"{path} is not what was built")
    return ctypes.CDLL(str(path))


def content_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of(sources: Sequence[str]) -> str:
    """Of the content of files of this package. In an installed package they never change; in a checkout they do."""
    digest = hashlib.sha256()
    for name in sources:
        content = (PACKAGE / name).read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _others_may_write(path: Path) -> bool:
    """Whether another user could change the library, but not the program itself, which lies beside it."""
    if os.name != "posix":
        return False

    def writers(place: Path) -> tuple[int, int]:
        found = place.stat()
        return found.st_uid, stat.S_IMODE(found.st_mode) & 0o022

    (owner, mine), own = writers(path), {0, os.geteuid()}
    program_owner, program = writers(Path(__file__))
    return any(bits & ~program for bits in (mine, writers(path.parent)[1])) or owner not in own | {program_owner}


def _reads_arrays(found: Any) -> bool:
    """Whether arrays of this NumPy are what they were when the library was built."""
    key: list[Kind] = []
    words: list[Any] = []
    take_apart([SAMPLE], key, words)
    name = names_of(last_entry, key)[0]
    return hasattr(found, name) and _function(found, name)((ctypes.c_int64 * 1)(*words)) == SAMPLE[-1, -1]
