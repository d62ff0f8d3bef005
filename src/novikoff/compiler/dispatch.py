"""Runs loops as machine code: from the library that was compiled ahead of time, or else by numba."""

from collections.abc import Callable
from ctypes import addressof, c_char
from functools import cache
from struct import Struct
from typing import Any, NamedTuple

from novikoff.compiler.by_numba import by_numba, by_numba_for
from novikoff.compiler.library import find
from novikoff.compiler.words import Kind, layout_of, take_apart, words_before


class Found(NamedTuple):
    function: Any
    layout: Struct


class MachineCode:
    """A loop as machine code that releases the GIL."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        self._loop = loop
        self._known: dict[tuple[Kind, ...], Found | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        key: list[Kind] = []
        words: list[Any] = []
        take_apart(arguments, key, words)
        found = self._found(tuple(key))
        if found is None:
            return by_numba(self._loop)(*arguments)
        return found.function(found.layout.pack(*words))

    def bound_to(self, *arguments: Any) -> Callable[..., Any]:
        """The loop for just these arrays. Call it with the same arguments; only their plain numbers may be others.

        Nothing is checked again, which would take many times as long as a sweep over one row.
        """
        key: list[Kind] = []
        words: list[Any] = []
        take_apart(arguments, key, words)
        found = self._found(tuple(key))
        if found is None:
            return by_numba_for(self._loop, *arguments)
        place, function = bytearray(found.layout.pack(*words)), found.function
        address = addressof(c_char.from_buffer(place))
        numbers = [
            (i, 8 * words_before(arguments[:i]), Struct("d" if type(x) is float else "q").pack_into)
            for i, x in enumerate(arguments)
            if type(x) in (int, float)
        ]

        def call(*now: Any, _kept: Any = (arguments, place)) -> Any:
            for i, at, put in numbers:
                put(place, at, now[i])
            return function(address)

        return call

    def _found(self, key: tuple[Kind, ...]) -> Found | None:
        try:
            return self._known[key]
        except KeyError:
            function = find(self._loop, key)
            found = self._known[key] = None if function is None else Found(function, layout_of(key))
            return found


@cache
def compiled(f: Callable[..., Any]) -> MachineCode:
    """The loop `f` as machine code."""
    return MachineCode(f)
