"""The mean of the weights after each example (F10) [freund1999large; collins2002discriminative].

With T examples handled, Σ cₖ·wₖ = T·w − Σ over updates of t·(step): one more vector, changed on updates only.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.confidences import shift
from novikoff.engine.readouts import Readout, answering, foretell, register, turn
from novikoff.engine.storages import decide
from novikoff.foundation.array_types import Array


class Averaged(NamedTuple):
    late: Array  # Σ over updates of t·(step), one row per vector


@turn.register(Averaged)
def _turn(state: Any, confidence: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    shift(confidence, v, i, t * change, 0, sheet, state.late[v])


@answering.register(Averaged)
def _answering(state: Any, v: Any, j: Any, team: Any) -> Any:
    return (team.clock[v] * team.w[v, j] - state.late[v, j]) / max(team.clock[v], 1)


@foretell.register(Averaged)
def _foretell(state: Any, t: Any, i: Any, sheet: Any, team: Any, out: Any, spare: Any) -> None:
    decide(sheet.rows, i, team.w, out)
    decide(sheet.rows, i, state.late, spare)
    for c in range(len(out)):  # every vector has handled as many examples
        out[c] = (t * out[c] - spare[c]) / max(t, 1)


def _weights(state: Averaged, team: Any) -> Array:
    examples = team.clock[:, None]
    mean: Array = (examples * team.w - state.late) / np.maximum(examples, 1)
    return mean


def _new_state(team: Any, before: Averaged | None, held: bool) -> Averaged:
    return before or Averaged(team.w * 0)


register(Readout("averaged", _new_state, _weights))
