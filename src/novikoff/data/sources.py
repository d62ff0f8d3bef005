"""Files as streams of bytes that are read once, from front to back, in chunks of whole lines."""

import io
import os
import select
import stat
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

CHUNK = 5 * 2**20  # bytes of text that are parsed together
LONGEST_LINE = 2**28  # bytes; a file without ends of lines is no text
PEEK = 2**20  # bytes by which a format is recognised
SEARCHED = 2**16  # bytes that are searched for an end of line at a time
NEWLINE = 10
PADDING = 192  # zero bytes after a chunk, for parsers that look at several bytes at once


class ReadError(ValueError):
    """A file cannot be read. The message says what is wrong, where, and what to do."""


class Chunk(NamedTuple):
    """Whole lines, the last possibly without a line end, followed by PADDING zero bytes."""

    source: str
    line: int  # the number of the first line, counted from 1; 0 where lines are not counted
    first: bool  # whether it is the source's first
    content: memoryview  # `length` bytes, and the padding
    length: int
    resting: bool = False  # whether no more bytes were available when these had been read

    @property
    def bytes(self) -> bytes:
        return bytes(self.content[: self.length])


class Source(NamedTuple):
    """An open file, decompressed if need be."""

    name: str
    suffix: str  # of the name, in lower case, without the suffix of the compression
    file: io.BufferedReader
    seekable: bool = False  # whether it can be read from any position, without decompressing or waiting for what comes before

    def peek(self) -> bytes:
        """The first bytes, without consuming them."""
        return self.file.peek(PEEK)

    @property
    def may_rest(self) -> bool:
        """Whether it is a pipe or terminal, where reading may have to wait."""
        return _may_rest(self.file)

    def whole(self) -> bytes:
        """All bytes at once. Refused if they need more than the free memory."""
        content, most = bytearray(), free_memory()
        while some := self.file.read(PEEK):
            content += some
            if len(content) > most:
                raise too_large(self.name, most)
        return bytes(content)

    def chunks(self, counted: bool = True) -> Iterator[Chunk]:
        """All lines, a few megabytes at a time. Counting lines costs time; a parser that counts them itself turns it off."""
        line, first = int(counted), True
        content, begun = _room_for(b""), 0  # the bytes read that no chunk has yet are the first so many
        while True:
            if begun + PADDING == len(content):
                content = _room_for(content[:begun])
            length = begun + _fill(self.file, content[begun : len(content) - PADDING])
            ended = length == begun
            end = length if ended else _after_last_newline(content, begun, length)
            if length - end > LONGEST_LINE:
                raise ReadError(f"{self.name}: a line has more than {LONGEST_LINE:,} bytes; check the format of the file")
            begun = length
            if end:
                rest, begun = bytes(content[end:length]), length - end
                content[end : end + PADDING] = bytes(PADDING)
                yield Chunk(self.name, line, first, content, end, not ended and _resting(self.file))
                line += int(np.count_nonzero(np.frombuffer(content[:end], np.uint8) == NEWLINE)) if counted else 0
                first, content = False, _room_for(rest)
            if ended:
                return


def free_memory() -> int:
    """The free memory, in bytes."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2) if hasattr(os, "sysconf") else 2**31


def too_large(name: str, most: int) -> ReadError:
    return ReadError(f"{name}: needs more than {most:,} bytes when decompressed, which is all the free memory; use a part of it")


def check_archive(name: str, file: BinaryIO) -> None:
    """Refuse a NumPy archive whose decompressed arrays do not fit into memory."""
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


def _fill(file: io.BufferedReader, space: memoryview) -> int:
    """Read until the space is full or the file ends; of a pipe, what is there, since its writer may take a rest."""
    if not _may_rest(file):
        return int(file.readinto(space))
    filled = 0
    while filled < len(space) and (got := file.readinto1(space[filled : filled + PEEK])):  # of more it would wait
        filled += got
        if _resting(file):
            break
    return filled


def _may_rest(file: io.BufferedReader) -> bool:
    try:
        return not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):  # no file of the system's
        return False


def _resting(file: io.BufferedReader) -> bool:
    """Whether reading more would have to wait."""
    return _may_rest(file) and not select.select([file], [], [], 0)[0]
