"""The weights as they are at the end."""

from typing import Any, NamedTuple

from novikoff.engine.readouts import Readout, answering, foretell, register, turn
from novikoff.engine.storages import decide


class Last(NamedTuple):
    """This readout has no state."""


@turn.register(Last)
def _turn(state: Any, confidence: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    pass


@answering.register(Last)
def _answering(state: Any, v: Any, j: Any, team: Any) -> Any:
    return team.w[v, j]


@foretell.register(Last)
def _foretell(state: Any, t: Any, i: Any, sheet: Any, team: Any, out: Any, spare: Any) -> None:
    decide(sheet.rows, i, team.w, out)


register(Readout("last", new_state=lambda team, before, held: Last(), weights=lambda state, team: team.w))
