"""Gallant's pocket: the best weights met on the way [gallant1990perceptron].

On a stream they are those with the longest run of examples answered without a change. Where the data is held there is the
ratchet too: a longer run only earns weights a count of their errors on all the data, and they go into the pocket if
they make fewer than those that are in it.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.engine.readouts import Readout, answering, register, turn
from novikoff.engine.storages import Array, score
from novikoff.foundation.compiling import compiled, helper, kernel


class Pocket(NamedTuple):
    kept: Array  # a row a vector
    longest: Array  # the run of what is kept


class Ratchet(NamedTuple):
    kept: Array
    longest: Array  # the longest run that was looked into
    fewest: Array  # errors of what is kept


@helper
def put_into(carry: Any, v: Any, team: Any) -> None:
    for j in range(team.w.shape[1]):
        carry.kept[v, j] = team.w[v, j]


@turn.register(Pocket)
def _turn(carry: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    run = t - team.changed[v] - 1
    if run > carry.longest[v]:
        carry.longest[v] = run
        put_into(carry, v, team)


@turn.register(Ratchet)
def _turn_held(carry: Any, v: Any, t: Any, i: Any, change: Any, sheet: Any, team: Any) -> None:
    run = t - team.changed[v] - 1
    if run > carry.longest[v]:
        carry.longest[v] = run
        errors = errors_of(team.w[v], sheet, team.target[v])
        if errors < carry.fewest[v]:
            carry.fewest[v] = errors
            put_into(carry, v, team)


@answering.register(Pocket)
def _answering(carry: Any, v: Any, j: Any, team: Any) -> Any:
    return team.w[v, j] if team.clock[v] - team.changed[v] - 1 > carry.longest[v] else carry.kept[v, j]


@answering.register(Ratchet)
def _answering_held(carry: Any, v: Any, j: Any, team: Any) -> Any:
    return carry.kept[v, j]


@helper
def errors_of(w: Any, sheet: Any, target: Any) -> Any:
    """The rows that count and that w gets wrong."""
    errors = 0
    for j in range(len(sheet.code)):
        if sheet.weight[j] > 0:
            y = 1 if sheet.code[j] == target else -1
            if not y * score(sheet.rows, j, w) > 0:
                errors += 1
    return errors


@kernel
def look_at_kept(carry: Any, sheet: Any, team: Any) -> None:
    """Other data may be held now than before: count anew what the pocket's weights get wrong."""
    for v in range(len(team.w)):
        carry.fewest[v] = errors_of(carry.kept[v], sheet, team.target[v])


@kernel
def look_at_last(carry: Any, sheet: Any, team: Any) -> None:
    """The weights that stand at the end are looked at, however long they stood: after a clean pass they are the ones."""
    for v in range(len(team.w)):
        errors = errors_of(team.w[v], sheet, team.target[v])
        if errors < carry.fewest[v]:
            carry.fewest[v] = errors
            put_into(carry, v, team)


def _begin(carry: Ratchet, sheet: Any, team: Any) -> None:
    (look_at_kept if team.w.dtype == object else compiled(look_at_kept))(carry, sheet, team)


def _finish(carry: Ratchet, sheet: Any, team: Any) -> None:
    (look_at_last if team.w.dtype == object else compiled(look_at_last))(carry, sheet, team)


def _carry(team: Any, before: Pocket | Ratchet | None, held: bool) -> Pocket | Ratchet:
    kept, longest = (before.kept, before.longest) if before else (team.w.copy(), np.zeros(len(team.w), np.int64))
    return Ratchet(kept, longest, np.zeros(len(team.w), np.int64)) if held else Pocket(kept, longest)


def _weights(carry: Pocket | Ratchet, team: Any) -> Array:
    if isinstance(carry, Ratchet):
        return carry.kept
    standing = team.clock - team.changed - 1  # the run of the present weights is not over, and may be the longest
    answer: Array = np.where((standing > carry.longest)[:, None], team.w, carry.kept)
    return answer


register(Readout("pocket", _carry, _weights, _begin, _finish, adds_up=False))
