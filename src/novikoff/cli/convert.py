"""`novikoff convert`: a form for many passes, which need not be parsed."""

import time
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.options import dataset, reading, told
from novikoff.cli.places import check_place
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Options


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.argument("out", type=click.Path())
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@reading(hashing=True)
def convert(files: tuple[str, ...], out: str, quiet: bool, options: "Options") -> None:
    """Write the rows of FILES to OUT, a .nvkd file that is read in blocks and not parsed.

    \b
    Examples:
      novikoff convert data.svm data.nvkd
      novikoff convert 'logs/*.vw.gz' logs.nvkd && novikoff fit logs.nvkd -o model.nvk

    Whatever reads data also reads OUT.
    """
    from novikoff.data.readers.nvkd import convert as write

    if not out.endswith(".nvkd"):
        raise Refused(f"{out}: the converted form is known by its name; end it in .nvkd")
    check_place(out, files, "converted data")
    began, data = time.perf_counter(), dataset(files, options)
    try:
        rows = write(data, out)
    except ValueError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(f"{out}: cannot be written ({error.strerror}); give another place") from None
    told(data)
    if not quiet:
        assert data.features is not None
        say(f"{rows:,} rows and {data.features.width:,} features are in {printable(out)}; {time.perf_counter() - began:.1f} s.")
