"""`novikoff convert`: write data to a binary file that is read faster than text."""

import time
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused, main
from novikoff.cli.class_counts import sizes
from novikoff.cli.help_texts import quiet as quiet_option
from novikoff.cli.options import dataset, print_skipped, reading, warn_of_small_classes
from novikoff.cli.places import check_place
from novikoff.cli.summary import Summary, count
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Options


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.argument("out", type=click.Path())
@quiet_option
@reading(hashing=True)
def convert(files: tuple[str, ...], out: str, quiet: bool, options: "Options") -> None:
    """Convert FILES to OUT, a binary .nvkd file that is faster to read than text.

    \b
    Examples:
      novikoff convert data.svm data.nvkd
      novikoff convert 'logs/*.vw.gz' logs.nvkd && novikoff fit logs.nvkd -o model.nvk

    Every command that reads data also reads .nvkd files.
    """
    from novikoff.data.readers.nvkd import convert as write

    if not out.endswith(".nvkd"):
        raise Refused(f"{out}: the name must end in .nvkd")
    check_place(out, files, "converted data")
    began, data = time.perf_counter(), dataset(files, options)
    try:
        rows = write(data, out)
    except ValueError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(f"{out}: cannot be written ({error.strerror}); choose another file") from None
    print_skipped(data)
    if not quiet:
        assert data.features is not None
        warn_of_small_classes(data)
        summary, classes = Summary(), sizes(data.reading.labels.counts())
        width, seconds = count(data.features.width, "feature"), time.perf_counter() - began
        summary.add("Converted", f"{count(rows, 'row')}, {width}, {classes}", seconds=seconds)
        summary.add("Saved", printable(out))
        summary.print()
