"""Mail: mbox files, single messages (.eml), Maildirs, and folders of messages. Their text becomes words, which are hashed.

- Words of the headers Subject, From and To get the name of the header as a prefix: subject_offer, from_example.
- Text parts of the body are decoded and used as they are. Of HTML parts the visible text is used, without scripts and styles.
  Hosts of links are words of their own: link_example_com.
- Of other parts and attached files only type and name are used: attachment_application_pdf, file_invoice.

The words are hashed as in `data/hashing.py`. A model then weights them and scales rows to length 1, so that a long message
counts no more than a short one (`data/preparer.py`). Only a limited part of a message is read, so that no message takes long.
No message is an error: if the standard library cannot parse it, its bytes are read as words.
"""

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from novikoff.data.features import Hashed
from novikoff.data.hashing import bag_of_texts
from novikoff.data.opening import opened
from novikoff.data.readers import Part, Reading, format
from novikoff.data.readers.lines import hashed_features, matrix_of
from novikoff.data.sources import ReadError, Source
from novikoff.foundation.array_types import Matrix

MOST_BYTES = 2**20  # of a message that are kept
LONGEST = 2**16  # bytes of a line that are read together
TOGETHER = 256  # messages per block
IN_MAIL = re.compile(rb"(?:from|to|subject|date|received|message-id|return-path|delivered-to|mime-version)[ \t]*:", re.IGNORECASE)
HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")


class Message(NamedTuple):
    where: str  # the file, and the number of the message if the file has several
    text: str


def messages(path: str, reading: Reading) -> Iterator[Message]:
    """The messages in a file or folder. Files in a folder that are not mail are counted in `passed_over`."""
    for where, content in contents(path, reading):
        yield Message(where, _text_of(content))


def contents(path: str, reading: Reading) -> Iterator[tuple[str, bytes]]:
    """The same, as raw bytes."""
    if not os.path.isdir(path):
        with opened(path) as source:
            if not _begins_as_mail(source.peek()):
                raise ReadError(f"{source.name}: is not mail; give an mbox file, a message, a Maildir or a folder of messages")
            yield from _in_file(source)
        return
    for file in _in_folder(path):
        try:
            with opened(file) as source:
                if os.path.basename(file).startswith(".") or not _begins_as_mail(source.peek()):
                    reading.passed_over += 1
                    continue
                yield from _in_file(source)
        except ReadError:
            if os.path.lexists(file):
                raise
            reading.passed_over += 1  # a mail program has moved it meanwhile


def rows(texts: list[str], features: Hashed) -> Matrix:
    """Messages as rows of counts; a message without words is a row of zeros."""
    return matrix_of(bag_of_texts(texts, features.way), features)


def _recognises(line: bytes) -> bool:
    return line.startswith(b"From ") or bool(IN_MAIL.match(line))


@format("mail", ".mbox", ".eml", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if not reading.options.unlabelled:
        raise ReadError(f"{source.name}: mail has no labels; learn from it with `novikoff mail learn --spam FILE --ham FILE`")
    features = hashed_features(reading, "mail", source.name)
    texts = (_text_of(content) for _, content in _in_file(source))
    while some := list(islice(texts, TOGETHER)):
        yield Part(rows(some, features), np.full(len(some), reading.labels.none(), np.int32))


# ---- where messages begin and end -----------------------------------------------------------------------------------


def _in_folder(path: str) -> Iterator[str]:
    """All files in a folder, in order, without unfinished files of a Maildir (tmp) and its other folders (.name)."""

    def refused(error: OSError) -> None:
        raise ReadError(f"{error.filename}: cannot be read ({error.strerror}); check the path")

    for folder, inside, files in os.walk(path, onerror=refused):
        inside[:] = sorted(name for name in inside if not name.startswith(".") and not ("cur" in inside and name == "tmp"))
        yield from (file for name in sorted(files) if os.path.isfile(file := os.path.join(folder, name)))


def _begins_as_mail(first: bytes) -> bool:
    """Whether there are headers, and at least one that is typical of mail."""
    for line in first.removeprefix(b"\xef\xbb\xbf").splitlines():
        if IN_MAIL.match(line):
            return True
        if not (HEADER.match(line) or line[:1] in (b" ", b"\t") or line.startswith((b"From ", b">From "))):
            return False
    return False


def _in_file(source: Source) -> Iterator[tuple[str, bytes]]:
    """The messages of a file. If it begins like an mbox file, each message begins with "From " after an empty line."""
    if not source.peek().startswith(b"From "):
        yield source.name, source.file.read(MOST_BYTES)
        return
    number, size, lines, before = 0, 0, list[bytes](), b"\n"
    while line := source.file.readline(LONGEST):
        if line.startswith(b"From ") and before in (b"\n", b"\r\n"):
            if number:
                yield f"{source.name}, message {number}", b"".join(lines)
            number, size, lines = number + 1, 0, []
        elif size < MOST_BYTES:
            lines.append(line)
            size += len(line)
        before = line
    yield f"{source.name}, message {number}", b"".join(lines)


def _text_of(content: bytes) -> str:
    from novikoff.data.mail_text import text_of  # the parser is slow to import, and rarely needed

    return text_of(content)
