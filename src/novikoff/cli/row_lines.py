"""Names the lines of a file that rows stand on, or prints them."""

import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Dataset
    from novikoff.data.row_lines import FileLine
    from novikoff.proof.certificate import Certificate

NAMED = 10  # rows whose lines are named
SHOWN = 20  # rows that are printed
LONGEST = 160  # characters of a row that are printed
SHORT = 40  # bits of a multiplier; if one has more, shares are printed


class NamedRow(NamedTuple):
    """A row, and what a proof says of it."""

    row: int
    about: str = ""


def rows_named_by(certificate: "Certificate") -> list[NamedRow]:
    """The rows that contradict each other, if the certificate says that some do, with their multipliers."""
    from novikoff.proof.certificate import Inseparable, ManyInseparable
    from novikoff.proof.quasi_separation import Separation

    match certificate:
        case Inseparable(rows=rows, multipliers=multipliers) | Separation(rows=rows, multipliers=multipliers):
            return [NamedRow(*each) for each in zip(rows, _in_words(multipliers), strict=True)]
        case ManyInseparable(rows=rows, rivals=rivals, multipliers=multipliers):
            against = [f" against {certificate.data.classes[rival]!r}" for rival in rivals]
            return [NamedRow(row, how + of) for row, how, of in zip(rows, _in_words(multipliers), against, strict=True)]
    return []


def _in_words(multipliers: Sequence[Fraction]) -> list[str]:
    """Each multiplier, or its share of their sum if some are long."""
    if all(each.numerator.bit_length() + each.denominator.bit_length() <= SHORT for each in multipliers):
        return [f", multiplier {each}" for each in multipliers]
    return [f", {float(100 * each / sum(multipliers)):.3g} % of the multipliers" for each in multipliers]


def copy_pipes_for_this_run(files: "Dataset") -> None:
    """Copy standard input and pipes, so that they can be read again, into a folder that is removed when the command ends."""
    if files.comes_once:
        folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="novikoff-"))
        files.copy_pipes(Path(folder))


def lines_in_words(files: "Dataset", named: Sequence[NamedRow], show: bool) -> str:
    """A sentence about the lines of these rows, or the rows as they stand there; empty where there is nothing to say.

    Files elsewhere are read once more only to show them.
    """
    from novikoff.data.addresses import is_address
    from novikoff.data.row_lines import lines_of

    if not named or files.comes_once or (not show and any(map(is_address, files.paths))):
        return ""
    wanted = [each.row for each in named[:SHOWN]] if show else _first(named)
    found = lines_of(files.reading.files, wanted, files.options.format, files.copies)
    if show:
        return _shown(named, found)
    return f"{lines_named(named, found)} --show-rows prints them." if found else ""


def lines_named(named: Sequence[NamedRow], found: "dict[int, FileLine]") -> str:
    """A sentence about the lines of the first rows; empty where they are not known."""
    if not found:
        return ""
    rows = ", ".join(f"row {row}{_place(found, row)}" for row in _first(named))
    return f"\n{_files(found)}: {rows}{', …' if len({each.row for each in named}) > NAMED else '.'}"


def _shown(named: Sequence[NamedRow], found: "dict[int, FileLine]") -> str:
    """The first rows, as they stand in their files."""
    lines = [f"  row {each.row}{_place(found, each.row)}{each.about}{_text(found.get(each.row))}" for each in named[:SHOWN]]
    more = [f"  … and {len(named) - SHOWN:,} more"] if len(named) > SHOWN else []
    return "\n".join(["", f"{_files(found)}:" if found else "The rows have no lines to show:", *lines, *more])


def _first(named: Sequence[NamedRow]) -> list[int]:
    return list(dict.fromkeys(each.row for each in named))[:NAMED]


def _files(found: "dict[int, FileLine]") -> str:
    paths = {line.path for line in found.values()}
    return "In the files" if len(paths) > 1 else f"In {_called(*paths)}"


def _place(found: "dict[int, FileLine]", row: int) -> str:
    if row not in found:
        return ""
    path, line, _ = found[row]
    return f" (line {line})" if len({line.path for line in found.values()}) == 1 else f" ({_called(path)}, line {line})"


def _called(path: str) -> str:
    return "standard input" if path == "-" else printable(path)


def _text(line: "FileLine | None") -> str:
    if line is None:
        return ""
    text = line.text.rstrip("\r\n")
    return f": {printable(text[:LONGEST])}{'…' if len(text) > LONGEST else ''}"
