"""The weights as they are at the end."""

from typing import Any, NamedTuple

from novikoff.engine.readouts import Readout, answering, register, turn


class Last(NamedTuple):
    """Nothing is carried."""


@turn.register(Last)
def _turn(carry: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    pass


@answering.register(Last)
def _answering(carry: Any, v: Any, j: Any, team: Any) -> Any:
    return team.w[v, j]


register(Readout("last", carry=lambda team, before, held: Last(), weights=lambda carry, team: team.w))
