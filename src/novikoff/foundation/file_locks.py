"""Locks, so that only one process at a time writes a file. They are locks of the operating system, which end with the process.

A process that continues learning from a file holds its lock from before it reads the file until it has written it again
(docs/decisions/locks.md). The lock is on a small file in the same folder, which says which process has it. The file itself is
replaced when it is written, so a lock on it would be lost.
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

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".novikoff-lock"  # the ending of names of lock files
MARK = b'{"novikoff lock":'  # the beginning of their content
LONGEST_NAME = 200  # bytes of a file's name that the name of its lock file contains; 255 are allowed
WAIT = 60.0  # seconds
TICK = 0.05
TRIES = 10  # to open a lock file that other processes remove meanwhile
TELL_AFTER = 1.0
IN_THE_WAY = "has the name of a lock file, but is not one; move it"


class HeldError(ValueError):
    """Another process has locked the file."""


class ChangedError(ValueError):
    """The file has changed since it was read."""


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file. False if another process has it locked, None if the file system has no locks."""
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
    """Whether the open file still has this name. It may have been removed and created again before it was locked."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def beside(path: str | Path, ending: str) -> Path:
    """A hidden name in the same folder that belongs to this file. Long names are shortened."""
    place = Path(realpath(path))
    name = place.name if len(os.fsencode(place.name)) <= LONGEST_NAME else hashlib.sha256(os.fsencode(place.name)).hexdigest()
    return place.with_name(f".{name}{ending}")


class Hold:
    """A context manager: inside it, no other process holds the file. It waits for one that does, at most `wait` seconds.

    If that takes longer than a second, `on_wait` is called with a message that names the process. If the file system has no
    locks, there is no waiting, and only `check` protects the file. A pipe or a device is not locked: nothing is read from it, and
    nothing in it can be lost. `known` is called when the file is held, and returns the digest of what was read. If it returns
    none, the file is read then.
    """

    def __init__(
        self,
        path: str | Path,
        wait: float = WAIT,
        on_wait: Callable[[str], object] | None = None,
        known: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.path, self._wait, self._on_wait, self._known = path, wait, on_wait, known
        self._lock, self._descriptor = beside(path, LOCK), -1
        self._read: str | None = None

    def __enter__(self) -> "Hold":
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            return self
        began, announced = time.monotonic(), False
        while not self._taken():
            waited = time.monotonic() - began
            if waited >= max(self._wait, 2 * TICK):
                waited_for = f"; it was waited for {self._wait:g} s" if self._wait else ""
                raise HeldError(f"{self.path}: {self._who()}{waited_for}; try again when it is done, or name another file")
            if self._on_wait is not None and waited >= TELL_AFTER and not announced:
                announced = True
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
            self._lock.unlink(missing_ok=True)  # while it is locked: a waiting process sees that it was removed
            os.close(self._descriptor)
            self._descriptor = -1

    def check(self) -> None:
        """Raise an error if another process has written the file since it was read. A file that was removed is no error."""
        if digest_of(self.path) not in (self._read, None):
            how = "has been made" if self._read is None else "has been changed since it was read,"
            raise ChangedError(
                f"{self.path}: {how} by another process, and stays as it is, without what was learned here; "
                "go on from it and learn that again, or save under another name"
            )

    def _taken(self) -> bool:
        descriptor = _opened(self._lock)
        locked = try_lock(descriptor)
        if locked is None:  # without locks the lock file has no meaning
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
        except HeldError:  # not a lock file: it belongs to the user and is kept
            os.close(descriptor)
            self._descriptor = -1
            raise
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return True

    def _who(self) -> str:
        """Which process has the lock, if the lock file already says so."""
        try:
            owner = json.loads(self._lock.read_bytes())
            process, host, command = owner["process"], owner["host"], owner["command"]
            return f"process {process} on {host} ({command}) has been writing to it since {owner['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process is writing to it"


def is_own_lock(descriptor: int) -> bool:
    """Whether the content is that of a lock file, or empty: its process may have been killed before it wrote anything."""
    return os.pread(descriptor, len(MARK), 0) in (b"", MARK)


def _opened(path: Path) -> int:
    """The file, created if it does not exist. If another user left it, it is opened read-only, which is enough for a lock."""
    for tries in count(1):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except PermissionError as error:
            try:
                descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            except FileNotFoundError:
                if tries == TRIES or not os.access(path.parent, os.W_OK):
                    raise error from None
                continue  # it was removed meanwhile
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
    except OSError:  # left by another user, or the disk is full: the lock still works
        return


def digest_of(path: str | Path) -> str | None:
    """A digest that shows whether a file is still the one that was read; None if there is no file."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # there is no file, or it cannot be read
        return None
