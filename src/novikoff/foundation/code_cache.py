"""Machine code on disk, so that a kernel is compiled once and not by every process.

What is on disk are pickles, and to load one is to run it. So the folder, and every folder above it, must be writable by nobody
but this user and root; otherwise the cache is not used. A file begins with a digest of the rest, which is checked before the
rest is looked at. Nothing that is wrong with the cache stops a run: the kernel is compiled, and one `CacheWarning` says why.

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
STALE_AFTER = 30 * 24 * 3600  # seconds: compiled code of other versions that nobody used for so long is removed
OPENED = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
ADVICE = "set NUMBA_CACHE_DIR to a folder that only you can write to"


class CacheWarning(UserWarning):
    """The cache of compiled code cannot be used, or was damaged. The run goes on, and compiles what it needs."""


class FolderError(Exception):
    """Compiled code cannot be kept in a folder, or not safely: which folder, and why."""


class CodeCache:
    """The compiled code of one kernel, one file for each combination of types. numba calls the methods of it."""

    def __init__(self, kernel: Callable[..., Any], folder: Path) -> None:
        self._kernel, self._folder = kernel, folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code for these types, or None where there is none that can be used."""
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
        except Exception as error:  # a pickle that does not fit, or machine code that LLVM refuses
            self._make_way(path, error)
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the code for these types, if that can be done."""
        if result.lifted or result.library.has_dynamic_globals:  # holds addresses of this process
            return
        key = self._key(signature, result.codegen)
        try:
            payload = import_module("numba.core.serialize").dumps((key, result._reduce()))
            write_whole(self._path(key), BEGINNING + hashlib.sha256(payload).digest() + payload)
            self._path(key).chmod(0o600)
        except Exception as error:  # a full disk, a folder that is gone, a type that cannot be pickled
            _warn("unsaved", f"compiled code cannot be kept in {self._folder} ({_told(error)}); make room there, or {ADVICE}")

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """What the code depends on, besides the sources that the folder is named after."""
        kernel, code = self._kernel, self._kernel.__code__
        cells = import_module("numba.core.serialize").dumps([cell.cell_contents for cell in kernel.__closure__ or ()])
        function = kernel.__qualname__, code.co_firstlineno, code.co_code, hashlib.sha256(cells).hexdigest()
        versions = sys.version, import_module("numba").__version__, import_module("llvmlite").__version__
        return signature, codegen.magic_tuple(), function, versions

    def _path(self, key: tuple[Any, ...]) -> Path:
        """Different types may have the same name, so the key is in the file, too, and compared."""
        name = f"{self._kernel.__module__}.{self._kernel.__name__}"[-50:]
        return self._folder / f"{name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}{SUFFIX}"

    def _make_way(self, path: Path, error: Exception) -> None:
        """A file that cannot be loaded is replaced once the kernel has been compiled; anything else is renamed."""
        _warn("damaged", f"compiled code is damaged: {path} ({_told(error)}); it is compiled again, and replaced")
        if path.is_symlink() or not path.is_file():
            with suppress(OSError):
                path.rename(path.with_name(f"{path.name}.aside-{time.time_ns():x}"))


def _own_content(path: Path) -> bytes:
    """The content of a file that is this user's or root's, and that nobody else may write to."""
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
    """The folder of this name, ready to be used; None where there can be none, with a warning."""
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
        _warn("unused", f"compiled code is not kept: {error.filename or 'its folder'} cannot be used ({_told(error)}); {ADVICE}")
        return None
    return home / name


def _home() -> Path:
    """Where the folders are. Links are followed once, here: what is checked afterwards is what is used."""
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
    """Refuse a folder if somebody else could change what is in it, or put another in its place."""
    for each in [folder, *folder.parents]:
        with suppress(FileNotFoundError):  # it is yet to be made
            found = each.lstat()
            shared = each != folder and bool(found.st_mode & stat.S_ISVTX)  # nobody can replace what others have there
            if other := _other_writer(found, shared):
                raise FolderError(f"{each} {other}")


def _other_writer(found: os.stat_result, shared: bool = False) -> str:
    """Who else could write there, if anybody could, as the end of a sentence. A `shared` folder is one that everybody may."""
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
    """Whether it is the group that many systems make for each user: of the user's name, with no other members."""
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
    with suppress(OSError):  # code that root keeps for everybody is read, and no more
        os.utime(folder / MARK)


def _is_marked(folder: Path) -> bool:
    try:
        return (folder / MARK).read_bytes() == MARKED
    except OSError:
        return False


def _remove_stale(home: Path) -> None:
    """Remove compiled code that nobody used for a while. What this module did not write stays, and so does its folder."""
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


# ---- what is said ---------------------------------------------------------------------------------------------------

_said: set[str] = set()


def _warn(kind: str, sentence: str) -> None:
    """Warn of each kind of trouble once."""
    if kind not in _said:
        _said.add(kind)
        warnings.warn(sentence, CacheWarning, stacklevel=3)


def _told(error: Exception) -> str:
    return " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())[:200]
