"""Files as streams of bytes: unpacked if need be, standard input among them, read once from front to back.

Packed files are known by their first bytes, since downloads are unpacked on the way at times and keep their names.
"""

import bz2
import glob
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from os.path import splitext
from typing import Any, BinaryIO, NamedTuple, cast

CHUNK = 2**22  # bytes of text that are parsed together
LONGEST_LINE = 2**28  # bytes; a file without ends of lines is no text
PEEK = 2**20  # bytes by which a format is recognised
PADDING = 64  # zero bytes after a chunk, for parsers that look at several bytes at once


class ReadError(ValueError):
    """This file is not what it should be: what, where, what to do."""


def _zstd(file: BinaryIO) -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"BZh": bz2.BZ2File,
    b"\x28\xb5\x2f\xfd": _zstd,
}
PACKED_NAMES = (".gz", ".xz", ".bz2", ".zst")


class Chunk(NamedTuple):
    """Whole lines, the last of them perhaps without its end; PADDING zero bytes follow."""

    source: str
    line: int  # the number of the first line, counted from 1
    content: bytearray  # length bytes, and the padding
    length: int

    @property
    def bytes(self) -> bytes:
        return bytes(memoryview(self.content)[: self.length])


class Source(NamedTuple):
    """A file that was opened and, if need be, is being unpacked."""

    name: str
    suffix: str  # of the name, in small letters, that of a packed file without the packing's
    file: io.BufferedReader

    def peek(self) -> bytes:
        """The first bytes, which are not consumed by looking at them."""
        return self.file.peek(PEEK)

    def chunks(self) -> Iterator[Chunk]:
        """All lines, a few megabytes at a time."""
        line, rest = 1, b""
        while True:
            content = bytearray(len(rest) + CHUNK + PADDING)
            content[: len(rest)] = rest
            length = len(rest) + _fill(self.file, memoryview(content)[len(rest) : len(rest) + CHUNK])
            ended = length == len(rest)
            end = length if ended else content.rfind(b"\n", 0, length) + 1
            rest = bytes(memoryview(content)[end:length])
            if len(rest) > LONGEST_LINE:
                raise ReadError(f"{self.name}:{line}: the line has no end; check the file's kind")
            if end:
                content[end : end + PADDING] = bytes(PADDING)
                yield Chunk(self.name, line, content, end)
                line += content.count(b"\n", 0, end)
            if ended:
                return


def _fill(file: Any, space: memoryview) -> int:
    """Read until the space is full or the file ends. A pipe gives less than was asked for."""
    filled = 0
    while filled < len(space) and (got := file.readinto(space[filled:])):
        filled += got
    return filled


@contextmanager
def opened(path: str) -> Iterator[Source]:
    """The file, or standard input for "-". What goes wrong while it is read is said in a sentence too."""
    name = "standard input" if path == "-" else path
    stem, suffix = splitext(path.lower())
    if suffix in PACKED_NAMES:
        suffix = splitext(stem)[1]
    try:
        with _raw(path, name) as file:
            yield Source(name, suffix, _unpacked(file))
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise _broken(name) from None
    except OSError as error:
        if error.errno is None:  # what bz2 says of a stream that is none
            raise _broken(name) from None
        raise ReadError(f"{name}: cannot be read ({error.strerror}); check the path") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise _broken(name) from None
        raise


@contextmanager
def _raw(path: str, name: str) -> Iterator[io.BufferedReader]:
    if path == "-":
        if sys.stdin is None:
            raise ReadError(f"{name}: standard input is closed; give a file")
        yield io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer), PEEK)
        return
    try:
        file = open(path, "rb", buffering=PEEK)  # noqa: SIM115 (closed below)
    except IsADirectoryError:
        raise ReadError(f"{name}: is a folder; give a file in it") from None
    except ValueError:  # a zero byte in the name
        raise ReadError(f"{name!r}: is not a path; check it") from None
    with file:
        yield file


def _unpacked(file: io.BufferedReader) -> io.BufferedReader:
    first = file.peek(8)
    for magic, unpack in PACKED.items():
        if first.startswith(magic):
            return io.BufferedReader(unpack(file), PEEK)
    return file


def _broken(name: str) -> ReadError:
    return ReadError(f"{name}: the compressed file is damaged or cut short; fetch or pack it again")


def named(paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[str]:
    """The files meant: each by its name, or by a pattern such as logs/*.svm."""
    found = []
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        text = fspath(path)
        if text != "-" and not os.path.lexists(text) and glob.has_magic(text):
            matches = sorted(glob.glob(text, recursive=True))
            if not matches:
                raise ReadError(f"{text}: no file matches; check the pattern")
            found += matches
        else:
            found.append(text)
    if not found:
        raise ReadError("no file is given; name at least one")
    return found
