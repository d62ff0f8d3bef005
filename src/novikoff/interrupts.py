"""Ctrl-C ends a run with what was learned; a second one within two seconds raises.

No signal is seen inside compiled code, so long work runs in slices and asks in between. Raising waits for that moment too: at any
other, the weights and the ledger might not agree.
"""

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

SECOND_WITHIN = 2.0  # seconds
_last = -SECOND_WITHIN  # of the process, so that it also counts across the many fits of a grid search


class Interrupts:
    """While this is entered, `asked()` says whether Ctrl-C was pressed. Outside the main thread it never is."""

    _pressed = False
    _insisted = False
    _before: Any = None

    def __enter__(self) -> "Interrupts":
        mine = threading.current_thread() is threading.main_thread()
        if mine and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if error is None:
            self.asked()

    def asked(self) -> bool:
        if self._insisted:
            self._insisted = False
            raise KeyboardInterrupt
        return self._pressed

    def _note(self, number: int, frame: FrameType | None) -> None:
        global _last
        now = time.monotonic()
        self._insisted = now - _last < SECOND_WITHIN
        self._pressed = True
        _last = now
