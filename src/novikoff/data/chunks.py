"""Chunks of a text file: parsed on threads, decoded, and where in the file a byte of them is."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from novikoff.data.sources import Chunk, ReadError, Source
from novikoff.foundation.parallel import in_order, one_ahead

T = TypeVar("T")
NOT_UTF_8 = "is not UTF-8 text; convert it with iconv, or check the format of the file"
HAS_ZERO = "has a zero byte, which no text has; check the format of the file"


def parsed(source: Source, parse: Callable[[Chunk], T], counted: bool = True) -> Iterator[tuple[Chunk, T]]:
    """Each chunk of the source and what `parse` makes of it, on threads that work ahead of the caller."""
    return parsed_chunks(source.chunks(counted), parse, source.may_rest)


def parsed_chunks(chunks: Iterator[Chunk], parse: Callable[[Chunk], T], may_rest: bool) -> Iterator[tuple[Chunk, T]]:
    """The same for these chunks; `may_rest` says whether the next one may take long to come."""
    ahead = chunks if may_rest else one_ahead(chunks)
    return in_order(lambda chunk: (chunk, parse(chunk)), ahead, lambda chunk: chunk.resting)


def text_of(chunk: Chunk) -> str:
    """The chunk as text; refused if it is not valid UTF-8."""
    content = chunk.bytes
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(f"{where(chunk, error.start)}: {NOT_UTF_8}") from None
    if "\0" in text:
        at = len(text[: text.index("\0")].encode("utf-8"))
        raise ReadError(f"{where(chunk, at)}: {HAS_ZERO}")
    return text.removeprefix("\ufeff") if chunk.first else text


def where(chunk: Chunk, at: int) -> str:
    """File and line of a byte of the chunk."""
    line = chunk.line + bytes(chunk.content[:at]).count(b"\n")
    return f"{chunk.source}:{line}"
