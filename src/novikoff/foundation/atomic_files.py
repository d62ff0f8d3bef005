"""Files that are written completely or not at all, and removal of what killed processes left behind.

A process locks the files that it is writing, and the lock ends with the process (`file_locks`). So a file that has one of our
names and can be locked was left behind. The next process that writes to the same folder removes it.
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
from typing import BinaryIO

from novikoff.foundation.file_locks import LOCK, beside, is_at, is_own_lock, try_lock

PART = ".novikoff-part"  # the ending of names of files that are being written
SCRATCH = "novikoff-scratch-"
PART_NAME = re.compile(r"\..+\.[0-9a-f]{16}" + re.escape(PART))
SCRATCH_NAME = re.compile(re.escape(SCRATCH) + r"[a-z0-9_]{8}")
SCRATCH_MARK = ".novikoff-scratch"  # a file in each such folder


def write_whole(
    path: str | Path, content: bytes | Callable[[BinaryIO], None], check: Callable[[], object] = lambda: None
) -> None:
    """Write a temporary file in the same folder, and rename it when it is complete: a crash leaves the old file, or none.

    The content is bytes or a function that writes them. `check` is called just before the file is replaced, and may raise an
    error.
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
                file.close()  # Windows cannot replace a file by an open one
            os.replace(part, place)  # while it is locked, so that no process removes it as a leftover
    finally:
        part.unlink(missing_ok=True)


def _write(file: BinaryIO, content: bytes | Callable[[BinaryIO], None]) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def _part_of(place: Path) -> tuple[Path, BinaryIO, bool]:
    """A new file in the same folder, and whether it is locked: False only if the file system has no locks."""
    while True:
        part = beside(place, f".{secrets.token_hex(8)}{PART}")
        file = open(part, "xb")  # noqa: SIM115 (`write_whole` closes it)
        locked = try_lock(file.fileno())
        if locked is None or (locked and is_at(file.fileno(), part)):
            return part, file, bool(locked)
        file.close()  # another process has just removed it as a leftover
        part.unlink(missing_ok=True)


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder. If its process is killed, the next process that needs such a folder removes it."""
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
        except PermissionError:  # Windows cannot open folders
            return folder, -1
        except FileNotFoundError:  # another process has just removed it as a leftover
            continue
        locked = try_lock(descriptor)
        if locked is None or (locked and is_at(descriptor, folder)):
            (folder / SCRATCH_MARK).touch()
            return folder, descriptor
        os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)


@cache
def remove_leftovers(folder: Path) -> None:
    """Remove, once per process, what killed processes have left in this folder: unfinished files and locks."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            unfinished = PART_NAME.fullmatch(entry.name) is not None
            if unfinished or (entry.name.startswith(".") and entry.name.endswith(LOCK)):
                with _if_left_behind(entry.path) as descriptor:
                    if descriptor is not None and (unfinished or is_own_lock(descriptor)):
                        os.unlink(entry.path)


@cache
def remove_scratch(folder: Path) -> None:
    """Remove, once per process, the scratch folders that other processes of this user have left there."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if SCRATCH_NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with _if_left_behind(entry.path) as descriptor:
                    if descriptor is not None and SCRATCH_MARK in (os.listdir(entry.path) or [SCRATCH_MARK]):
                        shutil.rmtree(entry.path, ignore_errors=True)


@contextmanager
def _if_left_behind(path: str) -> Iterator[int | None]:
    """The file or folder, opened and locked; None if a process has it locked, another user owns it, or there are no locks."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        yield None
        return
    try:
        mine = not hasattr(os, "geteuid") or os.fstat(descriptor).st_uid == os.geteuid()
        yield descriptor if mine and try_lock(descriptor) and is_at(descriptor, path) else None
    except OSError:  # already removed, or not permitted
        return
    finally:
        os.close(descriptor)
