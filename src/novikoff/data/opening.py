"""Open files by name, pattern or address: decompressed if need be; "-" is standard input.

Compressed files are recognised by their first bytes, not by their names, since a download may have been decompressed on the way.
"""

import bz2
import glob
import gzip
import io
import lzma
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from os.path import splitext
from pathlib import Path
from typing import Any, BinaryIO

from novikoff.data.addresses import Remote, is_address, is_there, matching, no_match, own_part
from novikoff.data.sources import PEEK, ReadError, Source

AT_A_TIME = 2**14  # packed bytes that are unpacked together


class _Zstd(io.RawIOBase):
    """A decompressed zstd file. The reader of zstandard does not notice that a file is truncated."""

    def __init__(self, file: BinaryIO) -> None:
        import zstandard

        self._unpacker = zstandard.ZstdDecompressor()
        self._file, self._packed, self._unpacked = file, b"", memoryview(b"")
        self._frame: Any = None  # the one under way

    def readable(self) -> bool:
        return True

    def readinto(self, space: Any) -> int:
        while not self._unpacked:
            packed = self._packed or self._file.read(AT_A_TIME)
            if not packed and self._frame is not None:
                raise EOFError
            if not packed:
                return 0
            self._frame = self._frame or self._unpacker.decompressobj()
            self._unpacked, self._packed = memoryview(self._frame.decompress(packed)), b""
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        some = self._unpacked[: len(space)]
        space[: len(some)] = some
        self._unpacked = self._unpacked[len(some) :]
        return len(some)


PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"BZh": bz2.BZ2File,
    b"\x28\xb5\x2f\xfd": _Zstd,
}
PACKED_NAMES = (".gz", ".xz", ".bz2", ".zst")


@contextmanager
def opened(path: str, copy: str | None = None) -> Iterator[Source]:
    """The file, or its copy, or standard input for "-". Errors while reading it are `ReadError`s too."""
    name = "standard input" if path == "-" else path
    stem, suffix = splitext((own_part(path) if is_address(path) else path).lower())
    if suffix in PACKED_NAMES:
        suffix = splitext(stem)[1]
    with _opened_raw(copy or path, name) as file:
        content = _unpacked(name, file)
        seekable = content is file and isinstance(file.raw, io.FileIO | Remote) and file.seekable()
        yield Source(name, suffix, content, seekable)


def comes_once(path: str) -> bool:
    """Whether it is standard input or a pipe, which can be read only once."""
    return path == "-" or (not is_address(path) and Path(path).is_fifo())


def copy_to(place: Path, path: str) -> None:
    """Copy all bytes of the file, as they are, to `place`."""
    with _opened_raw(path, "standard input" if path == "-" else path) as file, open(place, "wb") as copy:
        shutil.copyfileobj(file, copy, PEEK)


def named(paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[str]:
    """The files of names and patterns, such as logs/*.svm or s3://bucket/*.svm."""
    found = []
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        text = fspath(path)
        if is_address(text):
            found += matching(text)
        elif text != "-" and not os.path.lexists(text) and glob.has_magic(text):
            matches = sorted(glob.glob(text, recursive=True))
            if not matches:
                raise no_match(text)
            found += matches
        else:
            found.append(text)
    if not found:
        raise ReadError("no file given; name at least one")
    return found


def missing(paths: Sequence[str]) -> list[str]:
    """The files that do not exist. Patterns must have been replaced by names."""
    return [path for path in paths if not (is_there(path) if is_address(path) else path == "-" or os.path.exists(path))]


@contextmanager
def _errors_in_one_line(name: str) -> Iterator[None]:
    """Turn errors of reading bytes of this file into `ReadError`s."""
    try:
        yield
    except ReadError:
        raise
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise _broken(name) from None
    except IsADirectoryError:
        raise ReadError(f"{name}: is a folder; give a file in it") from None
    except OSError as error:
        if error.errno is None:  # bz2 raises this for a stream that is not bz2
            raise _broken(name) from None
        raise ReadError(f"{name}: cannot be read ({error.strerror}); check the path") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise _broken(name) from None
        raise


class _File(io.FileIO):
    """A file, by path or number, that raises `ReadError`s."""

    def __init__(self, place: str | int, name: str) -> None:
        self._shown_name = name
        with _errors_in_one_line(name):
            super().__init__(place, closefd=isinstance(place, str))

    def readinto(self, space: Any) -> Any:
        with _errors_in_one_line(self._shown_name):
            return super().readinto(space)

    def readall(self) -> Any:
        with _errors_in_one_line(self._shown_name):
            return super().readall()


class _Unpacked(io.RawIOBase):
    """The content of a compressed file. It raises `ReadError`s, too."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._shown_name = stream, name

    def readable(self) -> bool:
        return True

    def readinto(self, space: Any) -> Any:
        with _errors_in_one_line(self._shown_name):
            return self._stream.readinto(space)


@contextmanager
def _opened_raw(path: str, name: str) -> Iterator["io.BufferedReader[Any]"]:
    if path == "-":
        if sys.stdin is None:
            raise ReadError(f"{name}: standard input is closed; give a file")
        raw: Any = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)  # its own buffer would wait until it is full
        yield io.BufferedReader(_File(raw.fileno(), name) if isinstance(raw, io.FileIO) else raw, PEEK)
        return
    if is_address(path):
        with io.BufferedReader(Remote(path), PEEK) as remote:
            yield remote
        return
    if "\0" in path:
        raise ReadError(f"{name!r}: is not a path; check it")
    with io.BufferedReader(_File(path, name), PEEK) as file:
        yield file


def _unpacked(name: str, file: io.BufferedReader) -> io.BufferedReader:
    first = file.peek(8)
    for magic, unpack in PACKED.items():
        if first.startswith(magic):
            return io.BufferedReader(_Unpacked(unpack(file), name), PEEK)
    return file


def _broken(name: str) -> ReadError:
    return ReadError(f"{name}: the compressed file is damaged or cut short; download or compress it again")
