"""Signals that end a run: Ctrl-C and, in a command, SIGTERM and SIGHUP. What was learned is kept.

Compiled code cannot handle signals, so long work runs in slices and checks for signals in between. Exceptions are raised only
between slices too: at other times the weights and the ledger might not agree. A second Ctrl-C within two seconds raises
`KeyboardInterrupt` after the slice. SIGTERM and SIGHUP do not count as a second one: a system that shuts down sends both at once.
"""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, ClassVar, TypeVar

T = TypeVar("T")

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
SECOND_WITHIN = 2.0  # seconds
_last = -SECOND_WITHIN  # per process, so that it also counts across the fits of a grid search
_received: int | None = None  # the first signal since a command began
_commanding = False  # whether a command is running
_abandoned = False  # whether a signal was raised: later errors are only its consequences


def exit_code() -> int | None:
    """The exit code of a command that a signal has ended: 130 after Ctrl-C, 143 and 129 after SIGTERM and SIGHUP; else None."""
    return None if _received is None else 128 + _received


def abandoned() -> bool:
    """Whether a signal was raised outside `interruptible`. Errors after that are not reported."""
    return _abandoned


def leave(number: int, frame: FrameType | None) -> None:
    """A handler for use when there is nothing to save: ends the process at once."""
    os._exit(128 + number)


def raise_interrupt(number: int, frame: FrameType | None) -> None:
    """A handler for commands: every signal raises `KeyboardInterrupt`."""
    global _abandoned
    _note_first(number)
    if _commanding:
        _abandoned = True
        raise KeyboardInterrupt


def listen(handler: Any) -> dict[int, Any]:
    """Set the handler for all signals that would end this process; returns the old handlers. `nohup` stays in force."""
    mine = threading.current_thread() is threading.main_thread()
    ending = signal.SIG_DFL, signal.default_int_handler, leave, raise_interrupt
    return {number: signal.signal(number, handler) for number in SIGNALS if mine and signal.getsignal(number) in ending}


@contextmanager
def raising() -> Iterator[None]:
    """The context of a command: SIGTERM and SIGHUP raise `KeyboardInterrupt`, as Ctrl-C does."""
    global _commanding
    forget()
    before = listen(raise_interrupt)
    _commanding = True
    try:
        yield
    finally:
        _commanding = False  # first, so that nothing is raised between two handlers
        for number, handler in before.items():
            signal.signal(number, handler)


def forget() -> None:
    """Forget the signal, if it is the normal end of the command. It does not change the exit code then."""
    global _received, _abandoned
    _received, _abandoned = None, False


def _note_first(number: int) -> None:
    global _received
    _received = number if _received is None else _received


class Interrupts:
    """A context manager: inside it, `asked()` says whether a signal came. Outside the main thread it is always False.

    Nested ones act as one, so that what was learned can be saved before anything is raised.
    """

    _current: ClassVar["Interrupts | None"] = None
    _outer: "Interrupts | None" = None
    _pressed = False
    _insisted = False
    _open = 0  # how deep `interruptible` is nested; for an inner one, how deep it was before

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is not threading.main_thread():
            return self
        if Interrupts._current is not None:
            self._outer = outer = Interrupts._current
            self._open, outer._open = outer._open, 0
            return self
        try:
            Interrupts._current = self
            for number in SIGNALS:
                if signal.getsignal(number) in (signal.default_int_handler, raise_interrupt):
                    self._before[number] = signal.signal(number, self._note)
        except BaseException:  # a signal meanwhile: the next run must not see this one as still running
            Interrupts._current = None
            for number, handler in self._before.items():
                signal.signal(number, handler)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._outer is not None:
            self._outer._open = self._open
        if Interrupts._current is self:
            Interrupts._current = None
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if error is None:
            self.asked()

    def asked(self) -> bool:
        if self._outer is not None:
            return self._outer.asked()
        if self._insisted:
            self._insisted = False
            raise KeyboardInterrupt
        return self._pressed

    def _note(self, number: int, frame: FrameType | None) -> None:
        global _last, _abandoned
        _note_first(number)
        self._pressed = True
        if number == signal.SIGINT:
            now = time.monotonic()
            self._insisted = now - _last < SECOND_WITHIN
            _last = now
        if self._open:
            _abandoned = True
            raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """In this context a signal raises at once, even inside `Interrupts`: no work is half done, and the wait may be long."""
    current = Interrupts._current if threading.current_thread() is threading.main_thread() else None
    if current is None:
        yield
        return
    current._open += 1
    try:
        if current._pressed:
            raise KeyboardInterrupt
        yield
    finally:
        current._open -= 1


def until_interrupted(items: Iterable[T]) -> Iterator[T]:
    """The items, until a signal comes. Waiting for the next item is `interruptible`; processing it is not."""
    global _abandoned
    coming = iter(items)
    while True:
        try:
            with interruptible():
                item = next(coming)
        except StopIteration:
            return
        except KeyboardInterrupt:
            if Interrupts._current is None or not Interrupts._current._pressed:
                raise
            _abandoned = False
            return
        yield item
