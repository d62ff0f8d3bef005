"""Machine code on disk, so that a loop is compiled once and not by every process.

The files are pickles, and loading a pickle can run any code. So the folder, and every folder above it, must be writable only by
this user and root; otherwise the cache is not used. A file begins with a digest of the rest, which is checked before the
rest is read. A problem with the cache never stops a run: the loop is compiled, and one `CacheWarning` says why.

A folder that this module makes has a file MARK in it. Only files that this module wrote are ever removed, and only from folders
with that mark.
"""

import hashlib
import os
import pickle
import stat
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from novikoff.foundation.atomic_files import remove_leftovers, write_whole

MARK = "compiled-by-novikoff.txt"
MARKED = b"novikoff keeps compiled code here. This folder may be removed at any time.\n"
SUFFIX = ".code"
BEGINNING = b"novikoff compiled code 1\n"
STALE_AFTER = 30 * 24 * 3600  # seconds: compiled code of other versions is removed if it was not used for this long
OPENED = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
ADVICE = "set NUMBA_CACHE_DIR to a folder that only you can write to"


class CacheWarning(UserWarning):
    """The cache of compiled code cannot be used, or was damaged. The run continues and compiles what it needs."""


class FolderError(Exception):
    """Compiled code cannot be kept in a folder, or not safely: which folder, and why."""


class CodeCache:
    """The compiled code of one loop, one file for each combination of types. numba calls its methods."""

    def __init__(self, loop: Callable[..., object], folder: Path) -> None:
        self._loop, self._folder = loop, folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code for these types; None if the cache has no usable code for them."""
        target.refresh()
        key = self._key(signature, target.codegen())
        path = self._path(key)
        try:
            content = _own_content(path)
        except FileNotFoundError:
            return None
        except (OSError, FolderError) as error:
            self._make_way(path, error)
            return None
        try:
            stored_key, stored = pickle.loads(_undamaged(content))
            return import_module("numba.core.compiler").CompileResult._rebuild(target, *stored) if stored_key == key else None
        except Exception as error:  # an incompatible pickle, or machine code that LLVM refuses
            self._make_way(path, error)
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the code for these types, if possible."""
        if result.lifted or result.library.has_dynamic_globals:  # holds addresses of this process
            return
        key = self._key(signature, result.codegen)
        try:
            payload = import_module("numba.core.serialize").dumps((key, result._reduce()))
            write_whole(self._path(key), BEGINNING + hashlib.sha256(payload).digest() + payload)
            self._path(key).chmod(0o600)
        except Exception as error:  # a full disk, a removed folder, a type that cannot be pickled
            _warn("unsaved", f"compiled code cannot be kept in {self._folder} ({_short(error)}); make room there, or {ADVICE}")

    def _key(self, signature: Any, codegen: Any) -> tuple[object, ...]:
        """What the code depends on, besides the sources that the folder is named after."""
        loop, code = self._loop, self._loop.__code__
        cells = import_module("numba.core.serialize").dumps([cell.cell_contents for cell in loop.__closure__ or ()])
        function = loop.__qualname__, code.co_firstlineno, code.co_code, hashlib.sha256(cells).hexdigest()
        versions = sys.version, import_module("numba").__version__, import_module("llvmlite").__version__
        return signature, codegen.magic_tuple(), function, versions

    def _path(self, key: tuple[object, ...]) -> Path:
        """Different types may have the same name, so the key is also stored in the file and compared."""
        name = f"{self._loop.__module__}.{self._loop.__name__}"[-50:]
        return self._folder / f"{name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}{SUFFIX}"

    def _make_way(self, path: Path, error: Exception) -> None:
        """A file that cannot be loaded is replaced after the loop has been compiled; anything else is renamed."""
        _warn("damaged", f"compiled code is damaged: {path} ({_short(error)}); it is compiled again, and replaced")
        if path.is_symlink() or not path.is_file():
            with suppress(OSError):
                path.rename(path.with_name(f"{path.name}.aside-{time.time_ns():x}"))


def _own_content(path: Path) -> bytes:
    """The content of a file that belongs to this user or root, and that no other user may write to."""
    with open(path, "rb", opener=lambda name, _: os.open(name, OPENED)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise FolderError(f"{path.name} is not a file")
        if other := _other_writer(found):
            raise FolderError(f"{path.name} {other}")
        return file.read()


def _undamaged(content: bytes) -> bytes:
    digest, payload = content[len(BEGINNING) : len(BEGINNING) + 32], content[len(BEGINNING) + 32 :]
    if not content.startswith(BEGINNING) or hashlib.sha256(payload).digest() != digest:
        raise ValueError("it is not what was written")
    return payload


# ---- folders --------------------------------------------------------------------------------------------------------


def code_folder(name: str) -> Path | None:
    """The folder of this name, ready to use; None, with a warning, if it cannot be used."""
    try:
        home = _home()
        _require_own(home)
        _make(home / name)
        _require_own(home / name)
        _mark(home / name)
        _remove_stale(home)
    except FolderError as refused:
        _warn("unused", f"compiled code is not kept: {refused}; {ADVICE}")
        return None
    except OSError as error:
        _warn("unused", f"compiled code is not kept: {error.filename or 'its folder'} cannot be used ({_short(error)}); {ADVICE}")
        return None
    return home / name


def _home() -> Path:
    """Where the folders are. Links are resolved once, here, so that the path that is checked is the path that is used."""
    try:
        return Path(os.path.realpath(os.environ.get("NUMBA_CACHE_DIR") or _user_cache())).joinpath("novikoff").resolve()
    except RuntimeError:
        raise FolderError("there is no home folder") from None


def _user_cache() -> Path:
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _make(folder: Path) -> None:
    """Make the folder, and those above it that are missing, for this user alone."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _require_own(folder: Path) -> None:
    """Raise an error if another user could change what is in the folder, or replace it."""
    for each in [folder, *folder.parents]:
        with suppress(FileNotFoundError):  # it does not exist yet
            found = each.lstat()
            shared = each != folder and bool(found.st_mode & stat.S_ISVTX)  # sticky bit: users cannot replace files of others
            if other := _other_writer(found, shared):
                raise FolderError(f"{each} {other}")


def _other_writer(found: os.stat_result, shared: bool = False) -> str:
    """Which other users could write there, as the end of a sentence. Every user may write to a `shared` folder."""
    if os.name != "posix":
        return ""
    if found.st_uid not in (0, os.geteuid()):
        return f"belongs to {_user(found.st_uid)}"
    if shared:
        return ""
    if found.st_mode & stat.S_IWOTH:
        return "can be written to by everybody"
    if found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid):
        return "can be written to by a group"
    return ""


def _is_private(gid: int) -> bool:
    """Whether it is the private group that many systems create for each user: with the user's name and no other members."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return gid == user.pw_gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _user(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _mark(folder: Path) -> None:
    if not _is_marked(folder):
        write_whole(folder / MARK, MARKED)
    with suppress(OSError):  # code that root keeps for all users is only read
        os.utime(folder / MARK)


def _is_marked(folder: Path) -> bool:
    try:
        return (folder / MARK).read_bytes() == MARKED
    except OSError:
        return False


def _remove_stale(home: Path) -> None:
    """Remove compiled code that was not used for a while. Files that this module did not write are kept, with their folder."""
    for folder in list(home.iterdir()):
        with suppress(OSError):  # another process may be doing the same
            mark = folder / MARK
            if folder.is_symlink() or not _is_marked(folder) or mark.stat().st_mtime > time.time() - STALE_AFTER:
                continue
            remove_leftovers(folder)
            for path in folder.glob(f"*{SUFFIX}"):
                path.unlink()
            mark.unlink()
            folder.rmdir()


# ---- warnings -------------------------------------------------------------------------------------------------------

_warned: set[str] = set()


def _warn(kind: str, sentence: str) -> None:
    """Warn once about each kind of problem."""
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(sentence, CacheWarning, stacklevel=3)


def _short(error: Exception) -> str:
    return " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())[:200]
