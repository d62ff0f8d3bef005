"""Addresses, such as s3://bucket/a.svm: whatever has "://" in it and is not a file on disk. fsspec fetches them.

Protocols raise errors of all kinds. Each becomes a `ReadError` of one line.
"""

import glob
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novikoff.data.sources import ReadError


def is_address(path: str) -> bool:
    """Whether fsspec fetches it."""
    return "://" in path and not os.path.lexists(path)


class Remote(io.RawIOBase):
    """The file at an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        with _errors_in_one_line(address):
            fs, path = _filesystem(address)
            try:
                self._file = fs.open(path, "rb")
            except Exception:
                if fs.isdir(path):
                    raise ReadError(f"{address}: is a folder; give a file in it") from None
                raise
        try:  # some say that they can, and cannot
            self._file.seek(1)
            self._file.seek(0)
            self._seekable = True
        except Exception:
            self._seekable = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seekable

    def readinto(self, space: Any) -> int:
        filled = 0
        with _errors_in_one_line(self._address):
            while filled < len(space) and (some := self._file.read(len(space) - filled)):  # less may come than is asked for
                space[filled : filled + len(some)] = some
                filled += len(some)
        return filled

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if not self._seekable:
            raise io.UnsupportedOperation("seek")
        with _errors_in_one_line(self._address):
            self._file.seek(offset, whence)
            return int(self._file.tell())

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()


def _filesystem(address: str) -> tuple[Any, str]:
    """The file system of the address, and its path there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ReadError(f"{address}: needs fsspec; run pip install 'novikoff[remote]'") from None
    fs, path = url_to_fs(address)
    return fs, path


def own_part(address: str) -> str:
    """The part of an address that has the file's name: the first with a path, without what a web address asks for.

    >>> own_part("zip://a.csv::s3://bucket/b.zip"), own_part("simplecache::https://example.org/a.svm?version=2")
    ('zip://a.csv', 'https://example.org/a.svm')
    """
    part = next((part for part in address.split("::") if "://" in part), address)
    return part.partition("?")[0] if part.startswith(("http://", "https://")) else part


def matching(address: str) -> list[str]:
    """The addresses that are meant by one that may be a pattern."""
    own = own_part(address)
    if not glob.has_magic(own) or is_there(address):
        return [address]
    with _errors_in_one_line(address):
        fs, path = _filesystem(address)
        matches = sorted(fs.glob(path))
    if not matches:
        raise no_match(address)
    # A filesystem's paths may lack protocol and host: what stands before the pattern stays as it is written in the address.
    fixed, pattern, rest = re.split(r"([*?[])", path, maxsplit=1)
    if not own.endswith(pattern + rest) or not all(match.startswith(fixed) for match in matches):
        return [address.replace(own, fs.unstrip_protocol(match), 1) for match in matches]
    before = own.removesuffix(pattern + rest)
    return [address.replace(own, before + match.removeprefix(fixed), 1) for match in matches]


def is_there(address: str) -> bool:
    """Like fsspec's `exists`, but errors are raised instead of meaning no."""
    with _errors_in_one_line(address):
        try:
            fs, path = _filesystem(address)
            fs.info(path)
        except FileNotFoundError as error:
            if _hidden(error) is None:
                return False
            raise
        return True


def _hidden(error: Exception) -> BaseException | None:
    """The cause of a FileNotFoundError that hides another error: an unreachable host, or a refusal."""
    cause = error.__cause__
    unreached = isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)
    refused = getattr(cause, "status", 404) != 404  # of HTTP
    return cause if isinstance(error, FileNotFoundError) and (unreached or refused) else None


@contextmanager
def _errors_in_one_line(address: str) -> Iterator[None]:
    try:
        yield
    except ReadError:
        raise
    except Exception as error:
        shown = _hidden(error) or error
        why = "No such file" if isinstance(shown, FileNotFoundError) else getattr(shown, "strerror", None) or str(shown)
        why = " ".join(why.split())[:200] or type(shown).__name__
        advice = "install what is missing" if isinstance(error, ImportError) else "check the address"
        raise ReadError(f"{address}: cannot be read ({why}); {advice}") from None


def no_match(pattern: str) -> ReadError:
    return ReadError(f"{pattern}: no file matches; check the pattern")
