"""Which weights answer (F10).

A readout has a state, a `NamedTuple` of arrays. The loop passes it to `turn` only when weights are about to change, so a
readout costs time on updates only. Two-dimensional arrays of a state hold one vector per row, one number for each weight, the
bias last. They are negated when a class takes over the history of its mirror image, and widened together with the weights.
One-dimensional arrays hold counts, which stay as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from novikoff.compiler import generic
from novikoff.foundation.array_types import Array
from novikoff.foundation.registry import import_all


@generic
def turn(state: Any, confidence: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    """Vector v of the team was unchanged until example t. Row i is about to change it by change·Σxᵢ."""
    raise TypeError(f"{type(state).__name__} is not the state of a readout")


@generic
def answering(state: Any, v: Any, j: Any, team: Any) -> Any:
    """Weight j of the answering weights of vector v, as in `Readout.weights`, computed alone."""
    raise TypeError(f"{type(state).__name__} is not the state of a readout")


@generic
def foretell(state: Any, t: Any, i: Any, sheet: Any, team: Any, out: Any, spare: Any) -> None:
    """The scores of row i by the weights that answer before example t, as `storages.decide` orders them.

    `spare` is room for as many scores.
    """
    raise TypeError(f"{type(state).__name__} is not the state of a readout")


@dataclass(frozen=True)
class Readout:
    name: str
    new_state: Callable[[Any, Any, bool], Any]  # (team, the state so far or None, held) → state; held: all data is in memory
    weights: Callable[[Any, Any], Array]  # (state, team) → the weights that answer, one row per vector
    begin: Callable[[Any, Any, Any], None] | None = None  # (state, sheet, team), before a run with all data in memory
    finish: Callable[[Any, Any, Any], None] | None = None  # the same, after the run
    adds_up: bool = True  # whether each vector of the state is a sum over updates, as w is
    votes: bool = False  # whether the answer is a vote, which needs the ledgers and their rows
    no_streams: str = ""  # why it cannot learn from an endless stream; empty if it can

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return find_readout, (self.name,)


_READOUTS: dict[str, Readout] = {}


def register(readout: Readout) -> Readout:
    _READOUTS[readout.name] = readout
    return readout


def readouts() -> dict[str, Readout]:
    """All readouts, by name."""
    import_all(__name__)
    return dict(sorted(_READOUTS.items()))


def find_readout(name: str) -> Readout:
    known = readouts()
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"there is no readout {name!r}; the readouts are {', '.join(known)}")
    return known[name]
