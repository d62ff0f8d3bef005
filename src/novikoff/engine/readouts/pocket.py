"""Gallant's pocket: the best weights so far [gallant1990perceptron].

On a stream, the best weights are those with the longest run of examples without a change. If all data is in memory, there is
also the ratchet: after a longer run, the errors of the weights on all the data are counted, and the weights are kept if they
make fewer errors than those in the pocket.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import helper, loop
from novikoff.compiler.dispatch import compiled
from novikoff.engine.readouts import Readout, answering, foretell, register, turn
from novikoff.engine.storages import decide, score
from novikoff.foundation.array_types import Array


class Pocket(NamedTuple):
    kept: Array  # one row per vector
    longest: Array  # the run length of the kept weights


class Ratchet(NamedTuple):
    kept: Array
    longest: Array  # the longest run after which errors were counted
    fewest: Array  # errors of the kept weights


@helper
def put_into(kept: Any, v: Any, team: Any) -> None:
    for j in range(team.w.shape[1]):
        kept[v, j] = team.w[v, j]


@turn.register(Pocket)
def _turn(state: Any, confidence: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    run = t - team.changed[v] - 1
    if run > state.longest[v]:
        state.longest[v] = run
        put_into(state.kept, v, team)


@turn.register(Ratchet)
def _turn_held(state: Any, confidence: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    run = t - team.changed[v] - 1
    if run > state.longest[v]:
        state.longest[v] = run
        errors = errors_of(team.w[v], sheet, team.target[v])
        if errors < state.fewest[v]:
            state.fewest[v] = errors
            put_into(state.kept, v, team)


@answering.register(Pocket)
def _answering(state: Any, v: Any, j: Any, team: Any) -> Any:
    return team.w[v, j] if team.clock[v] - team.changed[v] - 1 > state.longest[v] else state.kept[v, j]


@answering.register(Ratchet)
def _answering_held(state: Any, v: Any, j: Any, team: Any) -> Any:
    return state.kept[v, j]


@foretell.register(Pocket)
def _foretell(state: Any, t: Any, i: Any, sheet: Any, team: Any, out: Any, spare: Any) -> None:
    decide(sheet.rows, i, team.w, out)
    decide(sheet.rows, i, state.kept, spare)
    for c in range(len(out)):
        v = min(c, len(team.w) - 1)  # if all classes learn at once, there is one vector
        if t - team.changed[v] - 1 <= state.longest[v]:
            out[c] = spare[c]


@foretell.register(Ratchet)
def _foretell_held(state: Any, t: Any, i: Any, sheet: Any, team: Any, out: Any, spare: Any) -> None:
    decide(sheet.rows, i, state.kept, out)


@helper
def errors_of(w: Any, sheet: Any, target: Any) -> Any:
    """How many rows that are fed w gets wrong."""
    errors = 0
    for j in range(len(sheet.code)):
        if sheet.weight[j] > 0:
            y = 1 if sheet.code[j] == target else -1
            if not y * score(sheet.rows, j, w) > 0:
                errors += 1
    return errors


@loop
def look_at_kept(kept: Any, fewest: Any, sheet: Any, team: Any) -> None:
    """Count the errors of the pocket's weights again, since the data may be different."""
    for v in range(len(team.w)):
        fewest[v] = errors_of(kept[v], sheet, team.target[v])


@loop
def look_at_last(kept: Any, fewest: Any, sheet: Any, team: Any) -> None:
    """Count the errors of the last weights too, whatever their run: after a clean pass they are the best."""
    for v in range(len(team.w)):
        errors = errors_of(team.w[v], sheet, team.target[v])
        if errors < fewest[v]:
            fewest[v] = errors
            put_into(kept, v, team)


def _begin(state: Ratchet, sheet: Any, team: Any) -> None:
    (look_at_kept if team.w.dtype == object else compiled(look_at_kept))(state.kept, state.fewest, sheet, team)


def _finish(state: Ratchet, sheet: Any, team: Any) -> None:
    (look_at_last if team.w.dtype == object else compiled(look_at_last))(state.kept, state.fewest, sheet, team)


def _new_state(team: Any, before: Pocket | Ratchet | None, held: bool) -> Pocket | Ratchet:
    kept, longest = (before.kept, before.longest) if before else (team.w.copy(), np.zeros(len(team.w), np.int64))
    return Ratchet(kept, longest, np.zeros(len(team.w), np.int64)) if held else Pocket(kept, longest)


def _weights(state: Pocket | Ratchet, team: Any) -> Array:
    if isinstance(state, Ratchet):
        return state.kept
    standing = team.clock - team.changed - 1  # the current run is not over, and may be the longest
    answer: Array = np.where((standing > state.longest)[:, None], team.w, state.kept)
    return answer


register(Readout("pocket", _new_state, _weights, _begin, _finish, adds_up=False))
