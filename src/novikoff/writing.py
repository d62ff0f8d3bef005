"""Files that are there whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_whole(path: str | Path, content: bytes | Callable[[BinaryIO], None]) -> None:
    """Write beside the file's place, and put it there when it is complete: a crash leaves the old file, or none.

    The content is bytes, or something that writes them.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():  # a pipe or a terminal
        with open(place, "wb") as file:
            _write(file, content)
        return
    beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}")
    try:
        with open(beside, "xb") as file:
            _write(file, content)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, beside)
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def _write(file: BinaryIO, content: bytes | Callable[[BinaryIO], None]) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)
