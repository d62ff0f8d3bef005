"""The command `novikoff`, and `python -m novikoff`."""

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import Any

from novikoff.foundation import interrupts


def run() -> None:
    """Run the command line and end the process. Ctrl-C while it is being loaded, or when it is done, ends it without a word."""
    interrupts.listen(interrupts.leave)
    ended = [1]
    atexit.register(_end, ended)  # the first that is registered is the last that is called
    sys.unraisablehook, sys.excepthook = _unless_interrupted(sys.unraisablehook), _unless_interrupted(sys.excepthook)
    threading.excepthook = _unless_interrupted(threading.excepthook)
    from novikoff.cli import main

    try:
        main(prog_name="novikoff")
    except SystemExit as end:
        ended[0] = end.code if isinstance(end.code, int) else 0
        raise


def _end(ended: list[int]) -> None:
    """Leave before Python takes everything apart: that takes longer than some commands, and Ctrl-C would not end it with 130."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or never there
            stream.flush()
    os._exit(ended[0])


def _unless_interrupted(hook: Any) -> Any:
    """An interrupt is raised anywhere, in a destructor too, where Python could only print it."""

    def quietly(*about: Any) -> None:
        if interrupts.exit_code() is None:
            hook(*about)

    return quietly


if __name__ == "__main__":
    run()
