"""Files that are there whole or not at all."""

import os
import secrets
import shutil
from pathlib import Path


def write_whole(path: str | Path, content: bytes) -> None:
    """Write beside the file's place, and put it there when it is complete: a crash leaves the old file, or none."""
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():  # a pipe or a terminal
        place.write_bytes(content)
        return
    beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, beside)
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
