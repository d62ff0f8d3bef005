"""Text of data and files as it can be printed: a terminal obeys control characters, and a line break makes two lines of one."""

import json
import re
from typing import Any

# C0 and C1, ends of lines, what turns the direction of writing round, and halves of characters.
_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
CONTROL = re.compile(f"[\t\n{_CONTROL}]")
CONTROL_IN_LINES = re.compile(f"[{_CONTROL}]")


def printable(thing: Any) -> str:
    """A name, a label or a sentence with control characters as escapes: \\x1b, \\n, \\u202e."""
    return CONTROL.sub(_escape, str(thing))


def printable_lines(text: str) -> str:
    """The same of text that has lines, and columns between tabs."""
    return CONTROL_IN_LINES.sub(_escape, text)


def as_field(thing: Any) -> str:
    """A name or a label for programs: as it is or, if it has control characters or begins with a quotation mark, as JSON."""
    text = str(thing)
    return json.dumps(text) if text.startswith('"') or CONTROL.search(text) else text


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
