"""Files as streams of bytes: unpacked if need be, standard input among them, read once from front to back.

Packed files are known by their first bytes, since downloads are unpacked on the way at times and keep their names.

An address, such as s3://bucket/a.svm, is what has "://" in it and is no file on disk. fsspec fetches it, by whatever protocol;
protocols raise errors of all kinds, and each of them is said in a sentence.
"""

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import select
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from os.path import splitext
from typing import Any, BinaryIO, NamedTuple

import numpy as np

CHUNK = 5 * 2**20  # bytes of text that are parsed together
LONGEST_LINE = 2**28  # bytes; a file without ends of lines is no text
PEEK = 2**20  # bytes by which a format is recognised
SEARCHED = 2**16  # bytes that are searched for an end of line at a time
AT_A_TIME = 2**14  # packed bytes that are unpacked together
PADDING = 192  # zero bytes after a chunk, for parsers that look at several bytes at once


class ReadError(ValueError):
    """This file is not what it should be: what, where, what to do."""


class _Zstd(io.RawIOBase):
    """A zstd file, unpacked. The reader that zstandard has takes a file that was cut short for one that ends there."""

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


class Chunk(NamedTuple):
    """Whole lines, the last of them perhaps without its end; PADDING zero bytes follow."""

    source: str
    line: int  # the number of the first line, counted from 1; 0 where lines are not counted
    first: bool  # whether it is the source's first
    content: memoryview  # `length` bytes, and the padding
    length: int
    resting: bool = False  # whether more was not there yet when these had been read

    @property
    def bytes(self) -> bytes:
        return bytes(self.content[: self.length])


class Source(NamedTuple):
    """A file that was opened and, if need be, is being unpacked."""

    name: str
    suffix: str  # of the name, in small letters, that of a packed file without the packing's
    file: io.BufferedReader

    def peek(self) -> bytes:
        """The first bytes, which are not consumed by looking at them."""
        return self.file.peek(PEEK)

    @property
    def may_rest(self) -> bool:
        """Whether it is a pipe, a terminal or the like, whose next lines may be long in coming."""
        return _may_rest(self.file)

    @property
    def anywhere(self) -> bool:
        """Whether it can be read from any place on, without unpacking or waiting for what is before."""
        return isinstance(self.file.raw, io.FileIO | _Remote) and self.file.seekable()

    def whole(self) -> bytes:
        """All bytes at once, for formats that need them so. More than there is memory for are refused, and not unpacked."""
        content, most = bytearray(), free_memory()
        while some := self.file.read(PEEK):
            content += some
            if len(content) > most:
                raise too_large(self.name, most)
        return bytes(content)

    def chunks(self, counted: bool = True) -> Iterator[Chunk]:
        """All lines, a few megabytes at a time. Counting them takes a while, and a parser may do that on its way."""
        line, first = int(counted), True
        content, begun = _room_for(b""), 0  # the bytes read that no chunk has yet are the first so many
        while True:
            if begun + PADDING == len(content):
                content = _room_for(content[:begun])
            length = begun + _fill(self.file, content[begun : len(content) - PADDING])
            ended = length == begun
            end = length if ended else _after_last_newline(content, begun, length)
            if length - end > LONGEST_LINE:
                raise ReadError(f"{self.name}: a line has more than {LONGEST_LINE:,} bytes; check the file's kind")
            begun = length
            if end:
                rest, begun = bytes(content[end:length]), length - end
                content[end : end + PADDING] = bytes(PADDING)
                yield Chunk(self.name, line, first, content, end, not ended and _resting(self.file))
                line += bytes(content[:end]).count(b"\n") if counted else 0
                first, content = False, _room_for(rest)
            if ended:
                return


def free_memory() -> int:
    """Bytes that can be had without taking them from others."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2) if hasattr(os, "sysconf") else 2**31


def too_large(name: str, most: int) -> ReadError:
    return ReadError(f"{name}: unpacks to more than {most:,} bytes, which is all the memory that is free; give a part of it")


def check_archive(name: str, file: BinaryIO) -> None:
    """Refuse an archive of NumPy's whose arrays, unpacked, would not fit into memory."""
    with zipfile.ZipFile(file) as archive:
        if sum(member.file_size for member in archive.infolist()) > (most := free_memory()):
            raise too_large(name, most)
    file.seek(0)


def _room_for(begun: bytes | memoryview) -> memoryview:
    """These bytes, and room for as many more, or a chunk: so the bytes of a long line are copied only a few times."""
    content = memoryview(np.empty(len(begun) + max(CHUNK, len(begun)) + PADDING, np.uint8))  # type: ignore[arg-type]
    content[: len(begun)] = begun
    return content


def _after_last_newline(content: memoryview, first: int, last: int) -> int:
    """After the last end of line between the two; 0 if there is none. Looked for from the end, in steps, since it is near."""
    while last > first:
        before = max(first, last - SEARCHED)
        found = bytes(content[before:last]).rfind(b"\n")
        if found >= 0:
            return before + found + 1
        last = before
    return 0


def _fill(file: Any, space: memoryview) -> int:
    """Read until the space is full or the file ends; of a pipe, what is there, since its writer may take a rest."""
    if not _may_rest(file):
        return int(file.readinto(space))
    filled = 0
    while filled < len(space) and (got := file.readinto1(space[filled : filled + PEEK])):  # of more it would wait
        filled += got
        if _resting(file):
            break
    return filled


def _may_rest(file: Any) -> bool:
    try:
        return not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):  # no file of the system's
        return False


def _resting(file: Any) -> bool:
    """Whether to ask for more would be to wait."""
    return _may_rest(file) and not select.select([file], [], [], 0)[0]


@contextmanager
def opened(path: str) -> Iterator[Source]:
    """The file, or standard input for "-". What goes wrong while it is read is said in a sentence too."""
    name = "standard input" if path == "-" else path
    stem, suffix = splitext((_own(path) if is_address(path) else path).lower())
    if suffix in PACKED_NAMES:
        suffix = splitext(stem)[1]
    with _raw(path, name) as file:
        yield Source(name, suffix, _unpacked(name, file))


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """What goes wrong while bytes of this file are read, and only that, is said in a sentence."""
    try:
        yield
    except ReadError:
        raise
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise _broken(name) from None
    except IsADirectoryError:
        raise ReadError(f"{name}: is a folder; give a file in it") from None
    except OSError as error:
        if error.errno is None:  # what bz2 says of a stream that is none
            raise _broken(name) from None
        raise ReadError(f"{name}: cannot be read ({error.strerror}); check the path") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise _broken(name) from None
        raise


class _File(io.FileIO):
    """A file of the system's, by its path or number, whose errors are said in sentences."""

    def __init__(self, place: str | int, name: str) -> None:
        self._told_as = name
        with _reading(name):
            super().__init__(place, closefd=isinstance(place, str))

    def readinto(self, space: Any) -> Any:
        with _reading(self._told_as):
            return super().readinto(space)

    def readall(self) -> Any:
        with _reading(self._told_as):
            return super().readall()


class _Unpacked(io.RawIOBase):
    """What is in a packed file. Its errors are said in sentences, too."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._told_as = stream, name

    def readable(self) -> bool:
        return True

    def readinto(self, space: Any) -> Any:
        with _reading(self._told_as):
            return self._stream.readinto(space)


@contextmanager
def _raw(path: str, name: str) -> Iterator[Any]:
    if path == "-":
        if sys.stdin is None:
            raise ReadError(f"{name}: standard input is closed; give a file")
        raw: Any = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)  # its own buffer would wait until it is full
        yield io.BufferedReader(_File(raw.fileno(), name) if isinstance(raw, io.FileIO) else raw, PEEK)
        return
    if is_address(path):
        with io.BufferedReader(_Remote(path), PEEK) as remote:
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
    return ReadError(f"{name}: the compressed file is damaged or cut short; fetch or pack it again")


def named(paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[str]:
    """The files meant: each by its name, or by a pattern such as logs/*.svm or s3://bucket/*.svm."""
    found = []
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        text = fspath(path)
        if is_address(text):
            found += _matching(text)
        elif text != "-" and not os.path.lexists(text) and glob.has_magic(text):
            matches = sorted(glob.glob(text, recursive=True))
            if not matches:
                raise _no_match(text)
            found += matches
        else:
            found.append(text)
    if not found:
        raise ReadError("no file is given; name at least one")
    return found


def _no_match(pattern: str) -> ReadError:
    return ReadError(f"{pattern}: no file matches; check the pattern")


def missing(paths: Sequence[str]) -> list[str]:
    """Those of the files that are not there; patterns have become names before."""
    return [path for path in paths if not (_is_there(path) if is_address(path) else path == "-" or os.path.exists(path))]


# ---- addresses ------------------------------------------------------------------------------------------------------


def is_address(path: str) -> bool:
    """Whether it is fetched by fsspec."""
    return "://" in path and not os.path.lexists(path)


class _Remote(io.RawIOBase):
    """The file at an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        with _in_a_sentence(address):
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
        with _in_a_sentence(self._address):
            while filled < len(space) and (some := self._file.read(len(space) - filled)):  # less may come than is asked for
                space[filled : filled + len(some)] = some
                filled += len(some)
        return filled

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if not self._seekable:
            raise io.UnsupportedOperation("seek")
        with _in_a_sentence(self._address):
            self._file.seek(offset, whence)
            return int(self._file.tell())

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()


def _filesystem(address: str) -> tuple[Any, str]:
    """What fetches it, and the path by which it is known there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ReadError(f"{address}: reading it needs fsspec: pip install 'novikoff[remote]'") from None
    fs, path = url_to_fs(address)
    return fs, path


def _own(address: str) -> str:
    """The part of an address that has the file's name: the first with a path, without what a web address asks for.

    >>> _own("zip://a.csv::s3://bucket/b.zip"), _own("simplecache::https://example.org/a.svm?version=2")
    ('zip://a.csv', 'https://example.org/a.svm')
    """
    part = next((part for part in address.split("::") if "://" in part), address)
    return part.partition("?")[0] if part.startswith(("http://", "https://")) else part


def _matching(address: str) -> list[str]:
    """The addresses that are meant by one that may be a pattern."""
    own = _own(address)
    if not glob.has_magic(own) or _is_there(address):
        return [address]
    with _in_a_sentence(address):
        fs, path = _filesystem(address)
        matches = sorted(fs.glob(path))
    if not matches:
        raise _no_match(address)
    # A filesystem's paths may lack protocol and host: what stands before the pattern stays as it is written in the address.
    fixed, pattern, rest = re.split(r"([*?[])", path, maxsplit=1)
    if not own.endswith(pattern + rest) or not all(match.startswith(fixed) for match in matches):
        return [address.replace(own, fs.unstrip_protocol(match), 1) for match in matches]
    before = own.removesuffix(pattern + rest)
    return [address.replace(own, before + match.removeprefix(fixed), 1) for match in matches]


def _is_there(address: str) -> bool:
    """As fsspec's `exists`, which takes whatever goes wrong for a no."""
    with _in_a_sentence(address):
        try:
            fs, path = _filesystem(address)
            fs.info(path)
        except FileNotFoundError as error:
            if _hidden(error) is None:
                return False
            raise
        return True


def _hidden(error: Exception) -> BaseException | None:
    """What is behind an error that says no more than that there is no such file: a host that is not reached, a refusal."""
    cause = error.__cause__
    unreached = isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)
    refused = getattr(cause, "status", 404) != 404  # of HTTP
    return cause if isinstance(error, FileNotFoundError) and (unreached or refused) else None


@contextmanager
def _in_a_sentence(address: str) -> Iterator[None]:
    try:
        yield
    except ReadError:
        raise
    except Exception as error:
        told = _hidden(error) or error
        why = "No such file" if isinstance(told, FileNotFoundError) else getattr(told, "strerror", None) or str(told)
        why = " ".join(why.split())[:200] or type(told).__name__
        advice = "install what is missing" if isinstance(error, ImportError) else "check the address"
        raise ReadError(f"{address}: cannot be read ({why}); {advice}") from None
