"""Which weights answer, and what must be carried along for it (F10).

A readout has a `NamedTuple` of arrays, the carry, that the loop hands to `turn` whenever weights are about to change, and
nowhere else: what a readout costs, it costs on updates only. Two-dimensional arrays of a carry hold one vector a row,
a number for each weight, the bias last: they are negated when a class takes over its mirror image's past, and become wider
with the weights. One-dimensional ones hold counts, and are left as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from novikoff.engine.storages import Array
from novikoff.foundation.compiling import generic
from novikoff.foundation.registry import gather


@generic
def turn(carry: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    """Vector v of the team has stood until example t, where row i is about to change it by change·xᵢ."""
    raise TypeError(f"{type(carry).__name__} is not the carry of a readout")


@generic
def answering(carry: Any, v: Any, j: Any, team: Any) -> Any:
    """Number j of the weights of vector v that answer, as `Readout.weights` has it: for one row, without the others."""
    raise TypeError(f"{type(carry).__name__} is not the carry of a readout")


@dataclass(frozen=True)
class Readout:
    name: str
    carry: Callable[[Any, Any, bool], Any]  # (team, the carry so far or None, held) → carry; held: the run has all its data
    weights: Callable[[Any, Any], Array]  # (carry, team) → the weights that answer, a row a vector
    begin: Callable[[Any, Any, Any], None] | None = None  # (carry, sheet, team), before a run that holds its data
    finish: Callable[[Any, Any, Any], None] | None = None  # the same, after it
    adds_up: bool = True  # whether each vector of the carry is a sum over updates, as w is
    votes: bool = False  # whether the answer is a vote, for which the ledgers and the rows they name must be kept
    no_streams: str = ""  # why it cannot learn from a stream that has no end, if it cannot


_READOUTS: dict[str, Readout] = {}


def register(readout: Readout) -> Readout:
    _READOUTS[readout.name] = readout
    return readout


def readouts() -> dict[str, Readout]:
    """Every readout there is, by name."""
    gather(__name__)
    return dict(sorted(_READOUTS.items()))


def find_readout(name: str) -> Readout:
    known = readouts()
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"there is no readout {name!r}; the readouts are {', '.join(known)}")
    return known[name]
