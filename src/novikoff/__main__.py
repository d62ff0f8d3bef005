"""The command `novikoff`, and `python -m novikoff`."""

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import Any

from novikoff.foundation import interrupts


def run() -> None:
    """Run the command line and end the process. Ctrl-C before or after the command ends it without a message."""
    interrupts.listen(interrupts.leave)
    ended = [1]
    atexit.register(_end, ended)  # registered first, called last
    sys.unraisablehook, sys.excepthook = _unless_interrupted(sys.unraisablehook), _unless_interrupted(sys.excepthook)
    threading.excepthook = _unless_interrupted(threading.excepthook)
    from novikoff.cli import main

    try:
        main(prog_name="novikoff")
    except SystemExit as end:
        ended[0] = end.code if isinstance(end.code, int) else 0
        raise


def _end(ended: list[int]) -> None:
    """Exit before Python's own shutdown, which takes longer than some commands and does not end with 130 on Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or never there
            stream.flush()
    os._exit(ended[0])


def _unless_interrupted(hook: Any) -> Any:
    """A hook that prints nothing after an interrupt: Python prints exceptions that are raised in destructors."""

    def quietly(*about: Any) -> None:
        if interrupts.exit_code() is None:
            hook(*about)

    return quietly


if __name__ == "__main__":
    run()
