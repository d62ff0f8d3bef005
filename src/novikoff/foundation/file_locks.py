"""One process at a time writes a file, by locks of the system's, which end with the process that has them.

Whoever goes on from a file holds its lock from before it is read until it is written again (docs/decisions/locks.md). The lock is
on a small file beside it that says who has it: the file itself is replaced when it is written, and a lock on it would go with it.
"""

import hashlib
import json
import os
import shlex
import socket
import stat
import sys
import time
from collections.abc import Callable
from itertools import count
from os.path import realpath
from pathlib import Path
from types import TracebackType
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".novikoff-lock"  # how names of such files end
MARK = b'{"novikoff lock":'  # how their content begins
LONGEST_NAME = 200  # bytes of a file's own name in that of a file beside it; 255 are allowed
WAIT = 60.0  # seconds
TICK = 0.05
TRIES = 10  # to open a lock that others remove in between
TELL_AFTER = 1.0
IN_THE_WAY = "has the name of a lock, and is none; move it"


class HeldError(ValueError):
    """Another process has the file."""


class ChangedError(ValueError):
    """The file is not the one that was read."""


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file. False if another process has it locked, None where the file system has no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_at(descriptor: int, path: str | Path) -> bool:
    """Whether the open file is the one that has this name: it may have been removed, and another made, before it was locked."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def beside(path: str | Path, ending: str) -> Path:
    """A hidden name in the same folder that belongs to this file, however long its own is."""
    place = Path(realpath(path))
    name = place.name if len(os.fsencode(place.name)) <= LONGEST_NAME else hashlib.sha256(os.fsencode(place.name)).hexdigest()
    return place.with_name(f".{name}{ending}")


class Hold:
    """While this is entered, no other process holds the file. A process that does is waited for, `wait` seconds at most.

    `on_wait` hears who that is, if it takes longer than a second. Where the file system has no locks, nobody is waited for,
    and only `check` guards the file. A pipe or a device is not held: nothing is read from it, and nothing in it can be lost.
    `known` gives the digest of what was read, asked when the file is held; where it gives none, the file is read then.
    """

    def __init__(
        self,
        path: str | Path,
        wait: float = WAIT,
        on_wait: Callable[[str], Any] | None = None,
        known: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.path, self._wait, self._on_wait, self._known = path, wait, on_wait, known
        self._lock, self._descriptor = beside(path, LOCK), -1
        self._read: str | None = None

    def __enter__(self) -> "Hold":
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            return self
        began, told = time.monotonic(), False
        while not self._taken():
            waited = time.monotonic() - began
            if waited >= max(self._wait, 2 * TICK):
                waited_for = f"; it was waited for {self._wait:g} s" if self._wait else ""
                raise HeldError(f"{self.path}: {self._who()}{waited_for}; try again when it is done, or name another file")
            if self._on_wait is not None and waited >= TELL_AFTER and not told:
                told = True
                self._on_wait(f"{self.path}: {self._who()}; waiting for it, up to {self._wait:g} s")
            time.sleep(TICK)
        try:
            self._read = self._known() or digest_of(self.path)
        except BaseException:  # Ctrl-C
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._descriptor >= 0:
            self._lock.unlink(missing_ok=True)  # while it is locked: whoever waits for it sees that it has gone
            os.close(self._descriptor)
            self._descriptor = -1

    def check(self) -> None:
        """Refuse to replace a file that others have written since. One that was removed is nobody's work that could be lost."""
        if digest_of(self.path) not in (self._read, None):
            how = "has been made" if self._read is None else "has been changed since it was read,"
            raise ChangedError(
                f"{self.path}: {how} by another process, and stays as it is, without what was learned here; "
                "go on from it and learn that again, or save under another name"
            )

    def _taken(self) -> bool:
        descriptor = _opened(self._lock)
        locked = try_lock(descriptor)
        if locked is None:  # without locks this file says nothing
            os.close(descriptor)
            self._lock.unlink(missing_ok=True)
            return True
        if not (locked and is_at(descriptor, self._lock)):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        try:
            if not is_own_lock(descriptor):
                raise HeldError(f"{self._lock}: {IN_THE_WAY}")
            _say_who(descriptor)
        except HeldError:  # it is somebody's file, and stays
            os.close(descriptor)
            self._descriptor = -1
            raise
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return True

    def _who(self) -> str:
        """Who has the lock, as far as it has said so already."""
        try:
            told = json.loads(self._lock.read_bytes())
            process, host, command = told["process"], told["host"], told["command"]
            return f"process {process} on {host} ({command}) has been writing to it since {told['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process is writing to it"


def is_own_lock(descriptor: int) -> bool:
    """Whether the content is that of a lock, or none at all: its process may have been killed before it wrote anything."""
    return os.pread(descriptor, len(MARK), 0) in (b"", MARK)


def _opened(path: Path) -> int:
    """The file, made if it is not there; for reading alone where it was left by another user, since that is enough to lock it."""
    for tries in count(1):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except PermissionError as error:
            try:
                descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            except FileNotFoundError:
                if tries == TRIES or not os.access(path.parent, os.W_OK):
                    raise error from None
                continue  # it has gone in between
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise HeldError(f"{path}: {IN_THE_WAY}")
        return descriptor
    raise AssertionError("the last try returns or raises")


def _say_who(descriptor: int) -> None:
    command = shlex.join([os.path.basename(sys.argv[0] or "python"), *sys.argv[1:]])
    who = {
        "novikoff lock": 1,
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "command": command if len(command) <= 200 else f"{command[:199]}…",
    }
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(who).encode(), 0)
    except OSError:  # left by another user, or the disk is full: the lock holds all the same
        return


def digest_of(path: str | Path) -> str | None:
    """By which it is known whether a file is still the one that was read; None where there is none."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # there is none, or none that could have been read
        return None
