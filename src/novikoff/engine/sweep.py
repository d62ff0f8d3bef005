"""The main loop, compiled."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import helper, loop, prefetch, store_shared
from novikoff.compiler.words import family
from novikoff.engine.confidences import confidences, own_step, sharpen, shift, sums_rows
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.readouts import foretell, readouts, turn
from novikoff.engine.rules import in_numbers, rules, step
from novikoff.engine.skipping import Everything, due, due_later, moved, new_watch, reads_all, right
from novikoff.engine.storages import entries, fetch, locate, score
from novikoff.foundation.array_types import Array

TRUSTED = 10**6  # a running ‖w‖² that has shrunk by more than this factor is not used
SIGNAL = 32  # rows between two reports of progress
NEAR = 1000  # numbers: a quarter of the L1 cache


class Team(NamedTuple):
    """The weight vectors that learn side by side, one per row of w, and their counts."""

    w: Array
    target: Array  # the class for which this vector scores positive
    factor: Array  # class weights: factors of the steps for (other classes, target)
    clock: Array  # examples handled
    changed: Array  # the example of the last update; −1 before the first
    updates: Array
    mistakes: Array
    steps: Array  # Στ over the updates
    w_sqnorm: Array  # ‖w‖²; without a confidence updated in O(1): each update adds 2τ·margin + τ²·‖x‖²
    peak: Array  # the largest ‖w‖² so far
    hull_sq: Array  # the least ‖w‖²/(Στ)² after any update: from w = 0, γ* ≤ its root (F7); computed, not proved; ∞ if F7 is void


class Page(NamedTuple):
    """Where a sweep writes its progress and its updates."""

    at: Array  # one number: how far the sweep is, updated every SIGNAL rows
    spare: Array  # room for a score of each class
    vector: Array
    t: Array
    row: Array
    margin: Array
    step: Array


@loop
def sweep(
    rule: Any,
    confidence: Any,
    readout_state: Any,
    watch: Any,
    sheet: Any,
    order: Any,
    members: Any,
    team: Any,
    page: Any,
    foretold: Any,
) -> int:
    """Show the rows of `order` to the members of the team. Writes the updates to the page and returns their number.

    `foretold` is filled with the scores of each row by the weights that answer, before they learn from it, unless it has no
    rows: example t is row t of it, modulo its length. Only one sweep at a time may fill it, with all vectors as members.
    """
    k, word, ahead = 0, 0, rows_ahead(sheet)
    alone = len(members) == 1 and len(foretold) == 0 and reads_all(watch)
    t = due(watch, order, 0, ahead)
    while t < len(order):
        margin, tau, soon = 0.0, 0.0, 0
        if alone:
            t, margin, tau = first_update(rule, sheet, order, t, members[0], team, page)
            if t == len(order):
                break
        i = order[t]
        if not alone:
            soon, later = due_later(watch, order, t, ahead), due_later(watch, order, t, 2 * ahead)
            if t >= word:
                store_shared(page.at, t)
                word = t + SIGNAL
            if later < len(order):
                glance(sheet, order[later])
            if len(foretold) > 0:
                now = team.clock[0] + t
                foretell(readout_state, now, i, sheet, team, foretold[now % len(foretold)], page.spare)
        for m in range(len(members)):
            v = members[m]
            side = 1 if sheet.code[i] == team.target[v] else 0
            y = 2 * side - 1
            if not alone:
                if soon < len(order):
                    fetch(sheet.rows, order[soon], m, len(members))
                margin = y * score(sheet.rows, i, team.w[v])
                tau = step(rule, margin, sheet.sqnorm[i])
            if tau != 0 or not margin > 0:
                tau = own_step(confidence, rule, v, i, margin, tau, sheet)
            if tau != 0 or not margin > 0:  # a mistake counts even if its step underflowed to 0
                weight = sheet.weight[i] * team.factor[v, side]
                tau = tau * sheet.weight[i] * team.factor[v, side]
                now = team.clock[v] + t
                turn(readout_state, confidence, v, now, i, y * tau, sheet, team)
                grown = shift(confidence, v, i, y * tau, y * margin, sheet, team.w[v])
                sharpen(confidence, v, i, weight, sheet)
                count(team, confidence, v, now, margin, tau, grown)
                moved(watch, v, i, y, margin, tau, sheet, team)
                write(page, k, v, now, i, margin, tau)
                k += 1
            else:
                right(watch, i, rule, margin, sheet.sqnorm[i])
        t = due(watch, order, t + 1, ahead)
    for v in members:
        team.clock[v] += len(order)
    return k


@helper
def first_update(rule: Any, sheet: Any, order: Any, t: Any, v: Any, team: Any, page: Any) -> Any:
    """The first place in `order`, from t on, where vector v makes an update, with its margin and step; or len(order).

    In most runs nearly all rows change nothing. The loop over them is apart, so that what it needs stays in registers.
    """
    ahead, w, target = rows_ahead(sheet), team.w[v], team.target[v]
    word = t
    while t < len(order):
        i = order[t]
        if t >= word:
            store_shared(page.at, t)
            word = t + SIGNAL
        if t + 2 * ahead < len(order):
            glance(sheet, order[t + 2 * ahead])
        if t + ahead < len(order):
            fetch(sheet.rows, order[t + ahead], 0, 1)
        y = 1 if sheet.code[i] == target else -1
        margin = y * score(sheet.rows, i, w)
        tau = step(rule, margin, sheet.sqnorm[i])
        if tau != 0 or not margin > 0:
            return t, margin, tau
        t += 1
    return t, w[0] * 0, w[0] * 0


@loop
def settled(rule: Any, sheet: Any, order: Any, v: Any, team: Any, page: Any) -> bool:
    """Whether vector v would go over the rows of `order` without an update."""
    return bool(first_update(rule, sheet, order, 0, v, team, page)[0] == len(order))


@helper
def rows_ahead(sheet: Any) -> Any:
    """How many rows ahead a row is prefetched: about as many as fit into a quarter of the L1 cache."""
    return min(8, max(2, NEAR * len(sheet.code) // (entries(sheet.rows) + 1)))


@helper
def glance(sheet: Any, i: Any) -> None:
    """Row i is needed soon: prefetch its class, norm and position, but not the row itself."""
    locate(sheet.rows, i)
    prefetch(sheet.code, i, 0)
    prefetch(sheet.sqnorm, i, 0)


@helper
def count(team: Any, confidence: Any, v: Any, now: Any, margin: Any, tau: Any, grown: Any) -> None:
    team.changed[v] = now
    team.updates[v] += 1
    if not margin > 0:
        team.mistakes[v] += 1
    team.steps[v] += tau
    team.w_sqnorm[v] += grown
    team.peak[v] = max(team.peak[v], team.w_sqnorm[v])
    # A running sum that has shrunk by more may consist of rounding errors only.
    if sums_rows(confidence) and team.steps[v] > 0 and team.w_sqnorm[v] * TRUSTED > team.peak[v]:
        team.hull_sq[v] = min(team.hull_sq[v], team.w_sqnorm[v] / team.steps[v] / team.steps[v])


@helper
def write(page: Any, k: Any, v: Any, now: Any, i: Any, margin: Any, tau: Any) -> None:
    page.vector[k] = v
    page.t[k] = now
    page.row[k] = i
    page.margin[k] = margin
    page.step[k] = tau


def new_team(vectors: int, length: int, number: Any) -> Team:
    """Vectors of `length` weights, all 0, of numpy dtype `number` (object for fractions)."""

    def zeros(dtype: Any, *shape: int) -> Array:
        return np.zeros(shape, dtype)  # memory is allocated on first use: many weights may never be used

    return Team(
        w=zeros(number, vectors, length),
        target=zeros(np.int32, vectors) - 1,
        factor=zeros(number, vectors, 2) + 1,
        clock=zeros(np.int64, vectors),
        changed=zeros(np.int64, vectors) - 1,
        updates=zeros(np.int64, vectors),
        mistakes=zeros(np.int64, vectors),
        steps=zeros(number, vectors),
        w_sqnorm=zeros(number, vectors),
        peak=zeros(number, vectors),
        hull_sq=np.full(vectors, np.inf, number),
    )


def new_page(length: int, number: Any, scores: int) -> Page:
    """A page for `length` updates and `scores` scores of a row."""
    return Page(
        np.zeros(1, np.int64),
        np.empty(scores, number),
        np.empty(length, np.int32),
        np.empty(length, np.int64),
        np.empty(length, np.int64),
        np.empty(length, number),
        np.empty(length, number),
    )


# ---- what may be any of several types, for machine code -------------------------------------------------------------


@family("rule")
def _any_rule() -> list[Any]:
    return [in_numbers(kind(), float) for kind in rules().values() if is_own(kind)]


@family("confidence")
def _any_confidence() -> list[Any]:
    return [Plain(), *(kind().new_state(0, 0, np.float64) for kind in confidences().values() if is_own(kind))]


@family("readout")
def _any_readout() -> list[Any]:
    own = [readout for readout in readouts().values() if is_own(readout.new_state)]
    states = [readout.new_state(new_team(0, 0, np.float64), None, held) for readout in own for held in (True, False)]
    return list({type(state): state for state in states}.values())


@family("watch")
def _any_watch() -> list[Any]:
    return [Everything(), new_watch(0, 0, 0)]


def is_own(something: Any) -> bool:
    """Whether a type or function belongs to this package. What users add is compiled by numba."""
    return str(something.__module__).startswith("novikoff.")
