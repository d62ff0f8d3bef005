"""Skip rows that provably would change nothing, without reading them (F22).

A row that was right by s = y·⟨w, x⟩ stays right while w has moved by less than s/‖x‖. A few past weight vectors are kept, the
checkpoints. For every row a float, its slack, says how far w may get from a checkpoint before the row must be read again. For
every checkpoint a float says how far w is from it now; it takes one dot product per update to keep that up to date. Scaling w up
makes no score worse, so this is the distance from the checkpoint to the nearest b·w with 0 ≤ b ≤ 1. All rounding is accounted
for, including that of the score that is not computed: updates and weights are the same as when every row is read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import generic, helper
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import no_update_margin
from novikoff.engine.storages import entries, score
from novikoff.foundation.array_types import Array

CHECKPOINTS = 64  # kept at once; more did not help on any problem that was tried
NUMBERS = 2**16  # checkpoint numbers: two bytes per row
PRODUCTS = 16  # keep checkpoints only if a pass has this many products per weight
LONG = 100_000_000  # products before watching begins, about 0.1 s: another loop must be compiled for it
RARE = 256  # at least this many rows per update: w must move slowly
HARDLY = 0.5  # give up if more of the rows are read: rows with gaps between are read half as fast
TRIAL = 3  # give up after this many such passes in a row; in the first every row is read
BLOCK = 128  # places of the order that are searched at once for rows that are due
HEAD, TAIL, SEEN = 0, 1, 2


class Everything(NamedTuple):
    """Every row is read."""


class Watch(NamedTuple):
    """What is known of the rows for one weight vector. Checkpoints are numbered from 1; 0 means none, at infinite distance."""

    slack: Array  # row i changes nothing while slack[i] > far[since[i]]
    since: Array  # the number of the checkpoint that the slack of a row refers to
    far: Array  # by number: at least the distance from the checkpoint to {b·w : 0 ≤ b ≤ 1}; infinite if it is not kept
    held: Array  # by number: how many rows refer to it
    number: Array  # the number of the checkpoint in each place; 0 if the place is empty
    past: Array  # the checkpoints, one per row
    past_sqnorm: Array
    gap: Array  # ‖w − checkpoint‖², kept up to date
    newest: Array  # one element, like the next five: the number of the last checkpoint
    w_sqnorm: Array  # ‖w‖², kept up to date
    drift: Array  # at least ‖w − last checkpoint‖
    reach: Array  # at least ‖w‖ and every ‖checkpoint‖
    doubt: Array  # at least the error of ‖w‖² and of every gap
    read: Array  # rows read in this pass and found right
    blur: float  # the error of a computed score is less than blur/4·‖w‖·‖x‖
    queue: Array  # the next places of the order whose rows are due
    line: Array  # where the queue begins and ends, and how much of the order has been searched


@generic
def due(watch: Any, order: Any, t: Any, ahead: Any) -> Any:
    """The first place in `order`, from t on, whose row must be read; len(order) if there is none. Call it for each in turn."""
    raise TypeError(f"{type(watch).__name__} is not a watch")


@generic
def due_later(watch: Any, order: Any, t: Any, ahead: Any) -> Any:
    """The place that will be due `ahead` rows after t, as far as is known now; len(order) or more if there is none."""
    raise TypeError(f"{type(watch).__name__} is not a watch")


@generic
def right(watch: Any, i: Any, rule: Any, margin: Any, sqnorm: Any) -> None:
    """Row i was read, and the rule did nothing."""
    raise TypeError(f"{type(watch).__name__} is not a watch")


@generic
def moved(watch: Any, v: Any, i: Any, y: Any, margin: Any, tau: Any, sheet: Any, team: Any) -> None:
    """Row i was read with this margin, and has changed vector v of the team by y·τ·xᵢ."""
    raise TypeError(f"{type(watch).__name__} is not a watch")


@generic
def reads_all(watch: Any) -> Any:
    """Whether every row is read, and nothing is noted of rows that change nothing."""
    raise TypeError(f"{type(watch).__name__} is not a watch")


@reads_all.register(Everything)
def _reads_all(watch: Any) -> Any:
    return True


@reads_all.register(Watch)
def _reads_what_is_due(watch: Any) -> Any:
    return False


@due.register(Everything)
def _due_always(watch: Any, order: Any, t: Any, ahead: Any) -> Any:
    return t


@due_later.register(Everything)
def _due_later_always(watch: Any, order: Any, t: Any, ahead: Any) -> Any:
    return t + ahead


@right.register(Everything)
def _right_unnoticed(watch: Any, i: Any, rule: Any, margin: Any, sqnorm: Any) -> None:
    pass


@moved.register(Everything)
def _moved_unnoticed(watch: Any, v: Any, i: Any, y: Any, margin: Any, tau: Any, sheet: Any, team: Any) -> None:
    pass


@helper
def idle(watch: Any, i: Any) -> Any:
    """Whether row i certainly would change nothing. Does not read the row."""
    return watch.slack[i] > watch.far[watch.since[i]]


@due.register(Watch)
def _due(watch: Any, order: Any, t: Any, ahead: Any) -> Any:
    line = watch.line
    if t == 0:  # a new order, and perhaps a new checkpoint
        line[HEAD] = line[TAIL] = line[SEEN] = 0
        measure_up(watch)
    if line[TAIL] - line[HEAD] <= 2 * ahead:
        line_up(watch, order, t, 2 * ahead)
    if line[HEAD] == line[TAIL]:
        return len(order)
    line[HEAD] += 1
    return watch.queue[line[HEAD] - 1]


@helper
def line_up(watch: Any, order: Any, t: Any, enough: Any) -> None:
    """Fill the queue with more than `enough` places, if there are as many.

    Its loop has no branch, since a processor cannot predict whether a row is due.
    """
    line, queue = watch.line, watch.queue
    n = 0
    for k in range(line[HEAD], line[TAIL]):
        queue[n] = queue[k]
        n += 1
    at = max(t, line[SEEN])
    while n <= enough and at < len(order):
        end = min(at + BLOCK, len(order))
        for p in range(at, end):
            queue[n] = p
            n += 0 if idle(watch, order[p]) else 1
        at = end
    line[HEAD], line[TAIL], line[SEEN] = 0, n, at


@due_later.register(Watch)
def _due_later(watch: Any, order: Any, t: Any, ahead: Any) -> Any:
    k = watch.line[HEAD] + ahead - 1
    return watch.queue[k] if k < watch.line[TAIL] else len(order)


@right.register(Watch)
def _right(watch: Any, i: Any, rule: Any, margin: Any, sqnorm: Any) -> None:
    newest = watch.newest[0]
    room = (margin - no_update_margin(rule, sqnorm)) / np.sqrt(sqnorm)
    watch.slack[i] = room - watch.drift[0] - watch.blur * watch.reach[0]
    watch.held[watch.since[i]] -= 1
    watch.held[newest] += 1
    watch.since[i] = newest
    watch.read[0] += 1


@moved.register(Watch)
def _moved(watch: Any, v: Any, i: Any, y: Any, margin: Any, tau: Any, sheet: Any, team: Any) -> None:
    sqnorm = sheet.sqnorm[i]
    watch.reach[0] += tau * np.sqrt(sqnorm)
    watch.doubt[0] += 2 * watch.blur * watch.reach[0] * watch.reach[0]
    watch.w_sqnorm[0] += tau * (2 * margin + tau * sqnorm)
    for k in range(len(watch.number)):
        if watch.number[k] > 0:
            watch.gap[k] += tau * (2 * (margin - y * score(sheet.rows, i, watch.past[k])) + tau * sqnorm)
    measure_up(watch)
    watch.line[HEAD] = watch.line[TAIL] = watch.line[SEEN] = 0  # other rows may be due now


@helper
def measure_up(watch: Any) -> None:
    """Compute `far` and `drift` from the squares that are kept up to date.

    ‖(1 − β)·w − p‖² = (1 − β)·‖w − p‖² + β·‖p‖² − β(1 − β)·‖w‖² is least where β = ⟨w, w − p⟩/‖w‖². Any β from 0 to 1 gives
    a valid bound, so its own rounding does no harm. After an overflow NaN stays NaN, and no row is idle.
    """
    size, doubt = watch.w_sqnorm[0], 2 * watch.doubt[0]
    for k in range(len(watch.number)):
        gap, p = watch.gap[k], watch.past_sqnorm[k]
        along = (gap + size - p) / 2
        beta = min(along / size, 1.0) if along > 0 and size > 0 else 0.0
        sq = (1 - beta) * gap + beta * p - beta * (1 - beta) * size
        if watch.number[k] > 0:
            watch.far[watch.number[k]] = np.sqrt((0.0 if sq < 0 else sq) + doubt)
        if watch.number[k] == watch.newest[0]:
            watch.drift[0] = np.sqrt((0.0 if gap < 0 else gap) + doubt)


def new_watch(rows: int, places: int, width: int) -> Watch:
    """A watch for this many rows, of which nothing is known yet; w has `width` entries."""
    return Watch(
        slack=np.full(rows, -np.inf),
        since=np.zeros(rows, np.uint16),
        far=np.full(NUMBERS, np.inf),
        held=np.zeros(NUMBERS, np.int64),
        number=np.zeros(places, np.int64),
        past=np.zeros((places, width)),
        past_sqnorm=np.zeros(places),
        gap=np.zeros(places),
        newest=np.zeros(1, np.int64),
        w_sqnorm=np.zeros(1),
        drift=np.zeros(1),
        reach=np.zeros(1),
        doubt=np.zeros(1),
        read=np.zeros(1, np.int64),
        blur=4 * (width + 32) * float(np.finfo(np.float64).eps),
        queue=np.zeros(BLOCK + 64, np.int64),
        line=np.zeros(3, np.int64),
    )


def checkpoint(watch: Watch, w: Array) -> None:
    """Keep w as a checkpoint, and recompute the squares. It replaces the checkpoint that the fewest rows refer to.

    The next sweep computes the distances.

    Rows that refer to a checkpoint that is no longer kept are read when their turn comes.

    Rounding, with u = ε/2, n entries of w and r for the reach: the error of a square computed here is at most 4·n·u·r². One that
    is kept up to date has an error of 5·(n + 10)·u·r² more per update, including the rounding of w itself. `far` and `drift` are
    (1 + n·u) times the distance, which takes 9·n·u·r². `doubt` starts at 16·(n + 32)·u·r², grows by as much with every update,
    and is counted twice. A slack needs 3·(n + 4)·u·‖w‖ for two scores and a norm, and has 8·(n + 32)·u·r. Numbers that underflow
    are far below √1e-300.
    """
    if watch.newest[0] == len(watch.far) - 1:  # all numbers are used up: start again
        for part in (watch.since, watch.held, watch.number, watch.newest):
            part.fill(0)
        watch.far.fill(np.inf)
    k = int(np.argmin(np.where(watch.number > 0, watch.held[watch.number], -1)))
    watch.far[watch.number[k]] = np.inf
    watch.newest[0] += 1
    watch.number[k] = watch.newest[0]
    watch.past[k] = w
    watch.past_sqnorm[:] = (watch.past**2).sum(axis=1)
    watch.gap[:] = ((w - watch.past) ** 2).sum(axis=1)
    watch.w_sqnorm[0] = watch.past_sqnorm[k]
    watch.reach[0] = np.sqrt(watch.past_sqnorm.max())
    watch.doubt[0] = 2 * watch.blur * watch.reach[0] ** 2 + 1e-300


class SkippingPlan:
    """Decides when to watch: once the run is long and updates are rare, and for as long as rows are skipped.

    Only a vector that learns alone is watched: a row that another vector of the team needs is read anyway, and the memory is for
    one vector.
    """

    def __init__(self, rule: Any, examples: Examples, allowed: bool) -> None:
        self.rows, self.fed, self.width = len(examples), len(examples.fed), examples.width + 1
        self.products = int(entries(examples.sheet.rows))
        self.places = min(CHECKPOINTS, int(self.products / (PRODUCTS * self.width)))
        self.able = allowed and not examples.exact and type(rule) in no_update_margin.registry and self.places > 0
        self.rare = self.fed / RARE  # with more updates per pass, skipping does not pay
        self.poor = 0  # passes in a row that skipped hardly any row
        self.watch: Everything | Watch = Everything()

    def before_pass(self, passes: int, updates: int, w: Sequence[Array]) -> Everything | Watch:
        """The watch for the next pass of the vectors w, after `passes` passes, the last of them with `updates` updates."""
        watch = self.watch
        if isinstance(watch, Watch):
            self.poor = self.poor + 1 if watch.read[0] + updates > HARDLY * self.fed else 0
            watch.read[0] = 0
            if self.poor == TRIAL:
                watch, self.rare = Everything(), updates / 2
        elif self.able and len(w) == 1 and updates <= self.rare and passes * self.products >= LONG:
            watch, self.poor = new_watch(self.rows, self.places, self.width), 0
        if isinstance(watch, Watch):
            checkpoint(watch, w[0])
        self.watch = watch
        return watch
