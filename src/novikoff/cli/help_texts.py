"""Options whose help text shows their default, and the names to choose from.

The names of rules, kernels, readouts and formats are read from the source files: their registries load NumPy, which would make
`--help` slow. A test compares both.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
FOLDERS = {"rules": "engine/rules", "kernels": "engine/kernels", "readouts": "engine/readouts", "formats": "data/readers"}
REGISTERED = re.compile(r'^(?:@\w+|register)\(\s*(?:\w+\(\s*)?"([\w-]+)"', re.MULTILINE)
ONLY_IN_PYTHON = {"called"}  # the kernel that is a Python function


@cache
def names(what: str) -> tuple[str, ...]:
    """The names that the files of a folder register, in alphabetical order."""
    texts = (path.read_text("utf-8") for path in sorted((ROOT / FOLDERS[what]).glob("*.py")))
    return tuple(sorted({name for text in texts for name in REGISTERED.findall(text)} - ONLY_IN_PYTHON))


class Option(click.Option):
    """An option. In its help text, {default} stands for its default and {rules}, {kernels}, … for the names there are."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help text, as click prints them."""
        record = super().get_help_record(ctx)
        if record is None:
            return None
        option, text = record
        text = text.replace("{default}", str(self.default))
        for what in FOLDERS:
            if f"{{{what}}}" in text:
                text = text.replace(f"{{{what}}}", ", ".join(names(what)))
        return option, text


option = partial(click.option, cls=Option)


def quiet(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option `--quiet`."""
    return option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")(command)
