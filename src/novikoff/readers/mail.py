"""Mail: mbox files, single messages (.eml), Maildirs, and folders of messages. What a message says becomes words to be hashed.

- Words of the headers Subject, From and To have the header's name before them: subject_offer, from_example.
- Of the body, parts that are text count as they read, in whatever encoding; of HTML what a reader would see, without scripts and
  styles. Hosts that links lead to are words of their own: link_example_com.
- Other parts, and files attached, are known by type and name only: attachment_application_pdf, file_invoice.

The words go the way of `novikoff.hashing`, and each row is then scaled to length 1, so that a long message counts no more than a
short one. Only so much of a message is looked at, so that none takes long. Nothing in a message is an error: where the standard
library gives up on it, its bytes are read as words.
"""

import codecs
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from email.message import EmailMessage
from email.message import Message as Parsed
from email.parser import BytesParser
from email.policy import EmailPolicy
from html import unescape
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np

from novikoff.features import Hashed
from novikoff.hashing import bag_of_texts
from novikoff.readers import Part, Reading, format
from novikoff.readers.lines import hashed_features, matrix_of
from novikoff.sources import ReadError, Source, opened

MOST_BYTES = 2**20  # of a message that are kept
MOST_TEXT = 2**17  # characters of a part that are looked at
MOST_PARTS = 100  # of a message
MOST_HEADER = 2**11  # characters of a header
MOST_HEADERS = 10  # of one name
MOST_LINKS = 100
LONGEST = 2**16  # bytes of a line that are read together
TOGETHER = 256  # messages that make a block
HEADERS = ("subject", "from", "to")
IN_MAIL = re.compile(rb"(?:from|to|subject|date|received|message-id|return-path|delivered-to|mime-version)[ \t]*:", re.IGNORECASE)
HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
LINK = re.compile(r"(?:https?:)?//(?:[^/?#\s@]*@)?([\w.-]+)", re.IGNORECASE)
NOT_FOR_TEXT = (
    "idna",
    "punycode",
    "unicode-escape",
    "raw-unicode-escape",
    "undefined",
    "utf-7",
)  # slow, or more than an encoding
TAG = re.compile(r"<!--|</?([a-zA-Z][a-zA-Z0-9]*)|<[!?/]")
LEADS = re.compile(r"\b(?:href|src)\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
HIDDEN = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
INSIDE_WORDS = ("a", "b", "big", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u", "wbr")


class _Short(EmailPolicy):
    """The standard library's newer way to read mail, but long headers are cut: it takes hours and all memory for some."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MOST_HEADER]


SHORT = _Short()


class Message(NamedTuple):
    where: str  # the file, and for one of several in it, which
    text: str


def messages(path: str, reading: Reading) -> Iterator[Message]:
    """The messages in a file or folder; files in a folder that are no mail are counted as passed over."""
    for where, content in contents(path, reading):
        yield Message(where, text_of(content))


def contents(path: str, reading: Reading) -> Iterator[tuple[str, bytes]]:
    """The same as they were written."""
    if not os.path.isdir(path):
        with opened(path) as source:
            if not _begins_as_mail(source.peek()):
                raise ReadError(f"{source.name}: is no mail; give an mbox file, a message, a Maildir or a folder of messages")
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
            reading.passed_over += 1  # a mail program took it away in the meantime


def rows(texts: list[str], features: Hashed) -> Any:
    """Messages as rows of length 1; one without a word is a row of zeros."""
    X = matrix_of(bag_of_texts(texts, features.way), features)
    norms = np.sqrt(np.bincount(np.repeat(np.arange(len(texts)), np.diff(X.indptr)), X.data**2, minlength=len(texts)))
    X.data /= np.repeat(np.where(norms > 0, norms, 1), np.diff(X.indptr))
    return X


def _recognises(line: bytes) -> bool:
    return line.startswith(b"From ") or bool(IN_MAIL.match(line))


@format("mail", ".mbox", ".eml", recognises=_recognises)
def parts(source: Source, reading: Reading) -> Iterator[Part]:
    if not reading.options.unlabelled:
        raise ReadError(f"{source.name}: mail has no labels; learn from it with `novikoff mail learn --spam FILE --ham FILE`")
    features = hashed_features(reading, "mail", source.name)
    texts = (text_of(content) for _, content in _in_file(source))
    while some := list(islice(texts, TOGETHER)):
        yield Part(rows(some, features), np.full(len(some), reading.labels.none(), np.int32))


# ---- where messages begin and end -----------------------------------------------------------------------------------


def _in_folder(path: str) -> Iterator[str]:
    """All files in a folder, in order; those that a Maildir is still writing (tmp) and its other folders (.name) are left out."""

    def refused(error: OSError) -> None:
        raise ReadError(f"{error.filename}: cannot be read ({error.strerror}); check the path")

    for folder, inside, files in os.walk(path, onerror=refused):
        inside[:] = sorted(name for name in inside if not name.startswith(".") and not ("cur" in inside and name == "tmp"))
        yield from (file for name in sorted(files) if os.path.isfile(file := os.path.join(folder, name)))


def _begins_as_mail(first: bytes) -> bool:
    """Whether there are headers, and one among them that mail has."""
    for line in first.removeprefix(b"\xef\xbb\xbf").splitlines():
        if IN_MAIL.match(line):
            return True
        if not (HEADER.match(line) or line[:1] in (b" ", b"\t") or line.startswith((b"From ", b">From "))):
            return False
    return False


def _in_file(source: Source) -> Iterator[tuple[str, bytes]]:
    """The messages of a file, which is an mbox file if it begins as one: then each begins with "From " after an empty line."""
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


# ---- a message ------------------------------------------------------------------------------------------------------


def text_of(content: bytes) -> str:
    """The words of a message, and what else counts as one."""
    found: list[str] = []
    try:
        message = _parsed(content)
        for name in HEADERS:
            found += (f"{name}_{word}" for word in re.findall(r"\w\w+", _header(message, name)))
        for part in message.walk():
            found += _of_part(part)
    except Exception:  # the library gives up on broken mail in many ways
        found.append(content[:MOST_TEXT].decode("utf-8", "replace"))
    return " ".join(found)


def _parsed(content: bytes) -> Parsed:
    """Refuses a message of too many parts: each takes the library a while."""
    made = count()

    def part(policy: EmailPolicy = SHORT) -> EmailMessage:
        if next(made) > MOST_PARTS:
            raise ValueError
        return EmailMessage(policy)

    return BytesParser(part, policy=SHORT).parsebytes(content)


def _header(message: Parsed, name: str) -> str:
    """What the headers of this name say, the first few if there are many."""
    written = [(key, value) for key, value in message.raw_items() if key.lower() == name][:MOST_HEADERS]
    try:
        values = [str(SHORT.header_fetch_parse(key, value)) for key, value in written]
    except Exception:  # likewise
        values = [str(value) for _, value in written]
    return " ".join(values)


def _of_part(part: Parsed) -> list[str]:
    if part.is_multipart():
        return []
    kind, name = part.get_content_type(), part.get_filename() or ""
    if part.get_content_maintype() != "text" or part.get_content_disposition() == "attachment":
        return [f"attachment_{_one_word(kind)}", *(f"file_{word}" for word in re.findall(r"\w\w+", name[:MOST_HEADER]))]
    payload = part.get_payload(decode=True)
    text = _decoded(payload if isinstance(payload, bytes) else b"", part.get_content_charset())
    return _of_html(text) if kind == "text/html" else [text, *_links(text)]


def _decoded(content: bytes, charset: str | None) -> str:
    """The text, as much as is looked at; bytes that are none in this encoding are replaced."""
    known = "utf-8"
    with suppress(LookupError, ValueError):
        known = codecs.lookup(charset or known).name
    if known in ("ascii", *NOT_FOR_TEXT):
        known = "utf-8"
    try:
        return content[: 4 * MOST_TEXT].decode(known, "replace")[:MOST_TEXT]
    except (LookupError, ValueError):  # encodings that are not of text, or that replace nothing
        return content[: 4 * MOST_TEXT].decode("utf-8", "replace")[:MOST_TEXT]


def _links(text: str) -> list[str]:
    return [f"link_{_one_word(found[1])}" for found in islice(LINK.finditer(text), MOST_LINKS)]


def _one_word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")


def _of_html(text: str) -> list[str]:
    """What a reader would see, and where links lead: from one < to its >, once through the text.

    The standard library's `html.parser` takes minutes for a message full of tags that do not end, and there are such messages.
    """
    words, links, p = list[str](), list[str](), 0
    while (begin := text.find("<", p)) >= 0:
        words.append(unescape(text[p:begin]))
        tag = TAG.match(text, begin)
        if tag is None:  # as in a < b
            words.append("<")
            p = begin + 1
            continue
        stop = "-->" if tag[0] == "<!--" else ">"
        end = text.find(stop, begin)
        if end < 0:
            p = len(text)
            break
        p = end + len(stop)
        name = (tag[1] or "").lower()
        if name not in INSIDE_WORDS:
            words.append(" ")
        if len(links) < MOST_LINKS:
            links += [link for leads in LEADS.findall(text, begin, end) for link in _links(leads)]
        if name in HIDDEN and not tag[0].startswith("</"):
            after = HIDDEN[name].search(text, p)
            p = after.start() if after else len(text)
    return ["".join([*words, unescape(text[p:])]), *links[:MOST_LINKS]]
