"""The text of a message, as words. No message is an error: if the standard library cannot parse it, its bytes are the words."""

import codecs
import re
from contextlib import suppress
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import EmailPolicy
from html import unescape
from itertools import count, islice

MOST_TEXT = 2**17  # characters of a part that are read
MOST_PARTS = 100  # of a message
MOST_HEADER = 2**11  # characters of a header
MOST_HEADERS = 10  # of one name
MOST_LINKS = 100
HEADERS = ("subject", "from", "to")
LINK = re.compile(r"(?:https?:)?//(?:[^/?#\s@]*@)?([\w.-]+)", re.IGNORECASE)
TAG = re.compile(r"<!--|</?([a-zA-Z][a-zA-Z0-9]*)|<[!?/]")
LEADS = re.compile(r"\b(?:href|src)\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
HIDDEN = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
INSIDE_WORDS = ("a", "b", "big", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u", "wbr")
NOT_FOR_TEXT = (
    "idna",
    "punycode",
    "unicode-escape",
    "raw-unicode-escape",
    "undefined",
    "utf-7",
)  # slow, or not only an encoding


class _Short(EmailPolicy):
    """The newer mail policy of the standard library, with long headers cut: some would take hours and all memory."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MOST_HEADER]


SHORT = _Short()


def text_of(content: bytes) -> str:
    """The words of a message, including those for links and attachments."""
    found: list[str] = []
    try:
        message = _parsed(content)
        for name in HEADERS:
            found += (f"{name}_{word}" for word in re.findall(r"\w\w+", _header(message, name)))
        for part in message.walk():
            found += _of_part(part)
    except Exception:  # the library raises many kinds of errors on broken mail
        found.append(content[:MOST_TEXT].decode("utf-8", "replace"))
    return " ".join(found)


def _parsed(content: bytes) -> Message:
    """Raises an error if the message has too many parts, since each takes the library some time."""
    made = count()

    def part(policy: EmailPolicy = SHORT) -> EmailMessage:
        if next(made) > MOST_PARTS:
            raise ValueError
        return EmailMessage(policy)

    return BytesParser(part, policy=SHORT).parsebytes(content)


def _header(message: Message, name: str) -> str:
    """The text of the headers of this name; only the first few if there are many."""
    written = [(key, value) for key, value in message.raw_items() if key.lower() == name][:MOST_HEADERS]
    try:
        values = [str(SHORT.header_fetch_parse(key, value)) for key, value in written]
    except Exception:  # the same
        values = [str(value) for _, value in written]
    return " ".join(values)


def _of_part(part: Message) -> list[str]:
    if part.is_multipart():
        return []
    kind, name = part.get_content_type(), part.get_filename() or ""
    if part.get_content_maintype() != "text" or part.get_content_disposition() == "attachment":
        return [f"attachment_{_one_word(kind)}", *(f"file_{word}" for word in re.findall(r"\w\w+", name[:MOST_HEADER]))]
    payload = part.get_payload(decode=True)
    text = _decoded(payload if isinstance(payload, bytes) else b"", part.get_content_charset())
    return _of_html(text) if kind == "text/html" else [text, *_links(text)]


def _decoded(content: bytes, charset: str | None) -> str:
    """The text, up to the limit. Bytes that are invalid in this encoding are replaced."""
    known = "utf-8"
    with suppress(LookupError, ValueError):
        known = codecs.lookup(charset or known).name
    if known in ("ascii", *NOT_FOR_TEXT):
        known = "utf-8"
    try:
        return content[: 4 * MOST_TEXT].decode(known, "replace")[:MOST_TEXT]
    except (LookupError, ValueError):  # encodings that are not for text, or that cannot replace bytes
        return content[: 4 * MOST_TEXT].decode("utf-8", "replace")[:MOST_TEXT]


def _links(text: str) -> list[str]:
    return [f"link_{_one_word(found[1])}" for found in islice(LINK.finditer(text), MOST_LINKS)]


def _one_word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")


def _of_html(text: str) -> list[str]:
    """The visible text and the targets of links, from one pass over the text, tag by tag.

    The standard library's `html.parser` takes minutes for a message full of unclosed tags, and such messages exist.
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
