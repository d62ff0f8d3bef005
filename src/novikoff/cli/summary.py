"""What a command prints at its end: lines of a heading and a text, aligned; coloured on a terminal, plain when piped."""

import sys
from collections.abc import Iterable
from typing import NamedTuple

from novikoff.cli import say
from novikoff.foundation.printable import printable, printable_lines

GOOD, BAD, OPEN = "green", "red", "yellow"  # colours of an answer: yes, no, undecided
SHOWN = 10  # names in a list before it is cut


class Line(NamedTuple):
    """One line of a summary. The text may have several lines itself; all are indented alike."""

    heading: str
    text: str
    seconds: float | None = None
    colour: str | None = None


class Summary:
    """Collects lines, and prints them."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def add(self, heading: str, text: str, *, seconds: float | None = None, colour: str | None = None) -> None:
        """Add a line. `seconds` stand at its end; `colour` is the text's colour on a terminal."""
        self.lines.append(Line(heading, printable_lines(text), seconds, colour))

    def __str__(self) -> str:
        """The lines as plain text."""
        indent = max(len(line.heading) for line in self.lines) + 2
        timed = max((len(line.text) for line in self.lines if line.seconds is not None), default=0)
        printed = []
        for line in self.lines:
            first, *more = line.text.split("\n")
            time = "" if line.seconds is None else f"{' ' * (timed - len(first))}    {_seconds(line.seconds)}"
            printed += [line.heading.ljust(indent) + first + time, *(" " * indent + text for text in more)]
        return "\n".join(printed)

    def print(self) -> None:
        """Print the lines on standard output."""
        if sys.stdout is not None and sys.stdout.isatty() and (sys.stdout.encoding or "").lower() == "utf-8":
            self._print_on_terminal()
        else:
            say(str(self))

    def _print_on_terminal(self) -> None:
        """Print with colours. Long texts are wrapped beside their headings."""
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(justify="right", no_wrap=True)
        for line in self.lines:
            time = "" if line.seconds is None else _seconds(line.seconds)
            table.add_row(Text(line.heading, "bold"), Text(line.text, line.colour or ""), Text(time, "dim"))
        Console(file=sys.stdout).print(table)


def _seconds(seconds: float) -> str:
    return f"{seconds:,.2f} s"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number and its noun: "1 row", "1,000 rows"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(part: int, whole: int) -> str:
    """The share in percent: "84.9 %". It is 0 % or 100 % only where that is exact."""
    if part in (0, whole):
        return "100 %" if part else "0 %"
    digits = 1
    while float(text := f"{100 * part / whole:.{digits}f}") in (0, 100):
        digits += 1
    return f"{text} %"


def listed(names: Iterable[object], most: int = SHOWN) -> str:
    """The names, separated by commas; after `most` of them "…"."""
    shown = [printable(name) for name in names]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")
