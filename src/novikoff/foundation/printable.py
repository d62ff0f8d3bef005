"""Makes text from data and files safe to print: terminals obey control characters, and a line break splits a line."""

import json
import re

# C0 and C1 control characters, line separators, changes of the writing direction, and surrogates.
_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
CONTROL = re.compile(f"[\t\n{_CONTROL}]")
CONTROL_IN_LINES = re.compile(f"[{_CONTROL}]")


def printable(thing: object) -> str:
    """A name, a label or a sentence with control characters as escapes: \\x1b, \\n, \\u202e."""
    return CONTROL.sub(_escape, str(thing))


def printable_lines(text: str) -> str:
    """The same for text with line breaks and tabs, which are kept."""
    return CONTROL_IN_LINES.sub(_escape, text)


def as_field(thing: object) -> str:
    """A name or a label for programs: as it is or, if it has control characters or begins with a quotation mark, as JSON."""
    text = str(thing)
    return json.dumps(text) if text.startswith('"') or CONTROL.search(text) else text


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
