"""Files that are there whole or not at all, and what was left behind by processes that were killed while they wrote.

What is under way is locked by its writer, and the lock ends with it (`locks`). So whatever has a name of ours and can be locked
was left behind, and the next process that writes in the same folder removes it.
"""

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from novikoff.foundation.file_locks import LOCK, beside, is_at, is_own_lock, try_lock

PART = ".novikoff-part"  # how the names of files end that are being written
SCRATCH = "novikoff-scratch-"
PART_NAME = re.compile(r"\..+\.[0-9a-f]{16}" + re.escape(PART))
SCRATCH_NAME = re.compile(re.escape(SCRATCH) + r"[a-z0-9_]{8}")
SCRATCH_MARK = ".novikoff-scratch"  # a file in each such folder


def write_whole(path: str | Path, content: bytes | Callable[[BinaryIO], None], check: Callable[[], Any] = lambda: None) -> None:
    """Write beside the file's place, and put it there when it is complete: a crash leaves the old file, or none.

    The content is bytes, or something that writes them. `check` is called just before the file is replaced, and may refuse that.
    """
    place = Path(os.path.realpath(path))
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a terminal
        with open(path, "wb") as pipe:
            _write(pipe, content)
        return
    remove_leftovers(place.parent)
    part, file, locked = _part_of(place)
    try:
        with file:
            _write(file, content)
            file.flush()
            os.fsync(file.fileno())
            if place.exists():
                shutil.copymode(place, part)
            check()
            if not locked:
                file.close()  # Windows replaces no file by one that is open
            os.replace(part, place)  # while it is locked, so that nobody takes it for a leftover
    finally:
        part.unlink(missing_ok=True)


def _write(file: BinaryIO, content: bytes | Callable[[BinaryIO], None]) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def _part_of(place: Path) -> tuple[Path, BinaryIO, bool]:
    """A new file beside the place, and whether it is locked, which it is unless the file system has no locks."""
    while True:
        part = beside(place, f".{secrets.token_hex(8)}{PART}")
        file = open(part, "xb")  # noqa: SIM115 (`write_whole` closes it)
        locked = try_lock(file.fileno())
        if locked is None or (locked and is_at(file.fileno(), part)):
            return part, file, bool(locked)
        file.close()  # another process has just taken it for a leftover
        part.unlink(missing_ok=True)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for what is needed only for a while. If its process is killed, the next that needs one removes it."""
    remove_scratch(Path(tempfile.gettempdir()))
    folder, descriptor = _new_scratch()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)


def _new_scratch() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except PermissionError:  # Windows opens no folders
            return folder, -1
        except FileNotFoundError:  # another process has just taken it for a leftover
            continue
        locked = try_lock(descriptor)
        if locked is None or (locked and is_at(descriptor, folder)):
            (folder / SCRATCH_MARK).touch()
            return folder, descriptor
        os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)


@cache
def remove_leftovers(folder: Path) -> None:
    """Remove, once in each process, what others that were killed have left in this folder: unfinished files, and locks."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            unfinished = PART_NAME.fullmatch(entry.name) is not None
            if unfinished or (entry.name.startswith(".") and entry.name.endswith(LOCK)):
                with _if_left_behind(entry.path) as descriptor:
                    if descriptor is not None and (unfinished or is_own_lock(descriptor)):
                        os.unlink(entry.path)


@cache
def remove_scratch(folder: Path) -> None:
    """Remove, once in each process, the scratch folders that others of this user have left there."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if SCRATCH_NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with _if_left_behind(entry.path) as descriptor:
                    if descriptor is not None and SCRATCH_MARK in (os.listdir(entry.path) or [SCRATCH_MARK]):
                        shutil.rmtree(entry.path, ignore_errors=True)


@contextmanager
def _if_left_behind(path: str) -> Iterator[int | None]:
    """The file or folder, opened and locked; None where a process has it locked, it is not this user's, or there are no locks."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        yield None
        return
    try:
        mine = not hasattr(os, "geteuid") or os.fstat(descriptor).st_uid == os.geteuid()
        yield descriptor if mine and try_lock(descriptor) and is_at(descriptor, path) else None
    except OSError:  # gone, or not to be removed: others may try
        return
    finally:
        os.close(descriptor)
