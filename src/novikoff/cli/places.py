"""Where a command may write: asked before the work, not after it."""

import os
from collections.abc import Sequence
from pathlib import Path

from novikoff.cli import Refused


def check_place(out: str, data: Sequence[str], what: str = "model") -> None:
    """Refuse a place that cannot be written to, or that is one of the files read."""
    from novikoff.data.sources import is_address

    if out == "-":
        raise Refused(f"-: is no file; give the {what} a name, or --json to print")
    if is_address(out):
        raise Refused(f"{out}: is an address; give the {what} a plain path, and copy it there")
    place = Path(out)
    if place.is_dir():
        raise Refused(f"{out}: is a folder; give the name of a file in it")
    if not place.parent.is_dir():
        raise Refused(f"{out}: there is no folder {place.parent}; make it first")
    on_disk = [path.removeprefix("file://") for path in data]
    if place.exists() and any(Path(path).exists() and place.samefile(path) for path in on_disk):
        raise Refused(f"{out}: is the data itself; give another name for the {what}")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise Refused(f"{out}: cannot be written there; give another place")
