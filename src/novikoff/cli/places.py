"""Check where a command is going to write, before it does any work."""

import os
from collections.abc import Sequence
from pathlib import Path

from novikoff.cli import Refused


def check_place(out: str, data: Sequence[str], what: str = "model") -> None:
    """Refuse a path that cannot be written to, or that is one of the input files."""
    from novikoff.data.addresses import is_address

    if out == "-":
        raise Refused(f"-: the {what} cannot be written to standard output; give a file name, or use --json")
    if is_address(out):
        raise Refused(f"{out}: the {what} cannot be written to an address; write it to a local file and copy it")
    place = Path(out)
    if place.is_dir():
        raise Refused(f"{out}: is a folder; give the name of a file")
    if not place.parent.is_dir():
        raise Refused(f"{out}: the folder {place.parent} does not exist; create it first")
    on_disk = [path.removeprefix("file://") for path in data]
    if place.exists() and any(Path(path).exists() and place.samefile(path) for path in on_disk):
        raise Refused(f"{out}: is an input file; give another name for the {what}")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise Refused(f"{out}: cannot be written; choose another file, or change its permissions")
