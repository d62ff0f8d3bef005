"""An extension of griffe: docstrings as this project writes them, told in the way that numpydoc's readers expect.

Here a parameter is "name : what it is", with no type before it; a section ends with a blank line; examples have no heading.
"""

import re
from typing import Any

import griffe

SECTION = re.compile(r"^((?:Parameters|Attributes)\n-+\n)(.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : ((?:.*\n?)(?: {4}.*\n?)*)", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^Examples\n-+\n", re.MULTILINE)
DONE = "told as numpydoc has it"


class Parameters(griffe.Extension):
    """Descriptions on lines of their own, sections last, examples in blocks of code."""

    def on_object(self, *, obj: griffe.Object, loader: griffe.GriffeLoader, **kwargs: Any) -> None:
        if obj.docstring is not None and DONE not in obj.extra:
            obj.docstring.value = rewritten(obj.docstring.value)
            obj.extra[DONE] = {}


def rewritten(docstring: str) -> str:
    sections = []

    def kept(found: re.Match[str]) -> str:
        entries = [f"{name}\n    {what.rstrip()}\n" for names, what in ENTRY.findall(found[2]) for name in names.split(", ")]
        sections.append(found[1] + ("".join(entries) or found[2]))  # of a class for river they are as numpydoc has them
        return ""

    text = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", HEADING.sub("", SECTION.sub(kept, docstring)))
    return "\n\n".join([text.strip(), *sections])
