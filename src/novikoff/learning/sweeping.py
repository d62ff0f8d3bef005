"""One piece of a pass: rows are passed to the compiled loop in slices, and its updates are written to the ledgers."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novikoff.compiler.dispatch import compiled
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.prefetching import WORTH_PREFETCHING, scouts
from novikoff.engine.rules import Rule, in_numbers
from novikoff.engine.skipping import Everything
from novikoff.engine.storages import entries
from novikoff.engine.sweep import NEAR, Page, new_page, settled, sweep
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import WORTH_A_THREAD, shares, side_by_side
from novikoff.learning.schedule import slice_rows

if TYPE_CHECKING:
    from novikoff.learning.learner import Learner


NOTHING_FORETOLD = np.empty((0, 1))


class Piece(NamedTuple):
    """Rows to go over: examples that the learner has prepared, in an order, for some of its vectors."""

    examples: Examples
    order: Array
    members: Array
    watch: Any = Everything()
    foretold: Array = NOTHING_FORETOLD  # filled by `sweep` with the scores of the rows; these are also added to the forecasts


def sweep_piece(learner: "Learner", piece: Piece) -> Iterator[int]:
    """Go over a piece, in slices that are short enough to handle Ctrl-C in between. Yields the number of examples done.

    Between two slices the state of the learner is consistent.
    """
    examples, order, members, watch, foretold = piece
    strategy, space, team, interleaved = learner.strategy, learner.space, learner.team, learner.interleaved
    work = len(order) * examples.entries_per_row * len(members) * interleaved
    threads = 1 if examples.exact or work < WORTH_A_THREAD else learner.threads
    # A row is read from memory once for all the vectors of a thread. If two short vectors would each have a thread,
    # it is faster to use the second core to prefetch scattered rows.
    scattered = learner.order != "given" and entries(examples.sheet.rows) > WORTH_PREFETCHING
    short = len(members) <= 2 and team.w.shape[1] <= NEAR
    one_group = len(foretold) > 0 or (scattered and short)
    groups = [members[part.start : part.stop] for part in shares(len(members), 1 if one_group else threads)]
    # Prefetching would load rows that are skipped. With many classes at once, memory access to the weights is slow, not to rows.
    prefetch = scattered and len(groups) == 1 < threads and isinstance(watch, Everything) and not strategy.at_once
    idle = sorted(set(range(len(team.w))).difference(members.tolist()))  # they are not swept, but their clocks advance too
    rows = slice_rows(examples, len(members) * interleaved)
    rows = min(rows, space.rows_at_once(learner.held) or rows)
    pages = [new_page(min(rows, len(order)) * len(group), team.w.dtype, foretold.shape[1]) for group in groups]
    rule, run = rule_for(learner.rule, examples), runnable(sweep, examples)
    for first in range(0, len(order), rows):
        part = order[first : first + rows]
        sheet, here, watching = space.before(examples, part, watch, learner.vectors)
        team, state, confidence = learner.team, learner.readout_state, learner.vectors.confidence
        with scouts.ahead(sheet, part, pages[0].at) if prefetch else nullcontext():
            made = side_by_side(
                [
                    partial(run, rule, confidence, state, watching, sheet, here, group, team, page, foretold)
                    for group, page in zip(groups, pages, strict=True)
                ]
            )
        space.after(examples, part, learner.vectors)
        for group, page, k in zip(groups, pages, made, strict=True):
            if here is not part:
                page.row[:k] = part[page.row[:k] - here[0]]
            _write_down(learner, examples, group, page, k)
        for v in idle:
            learner.team.clock[v] += len(part)
            learner.ledgers[v].tally = learner.tally(v)
        if len(foretold) and not examples.exact:
            labelled, done = examples.labelled, int(learner.team.clock[0]) - len(part)
            learner.forecasts.add(done, foretold, labelled.code[part], labelled.weight[part])
        yield first + len(part)


def _write_down(learner: "Learner", examples: Examples, group: Array, page: Page, k: int) -> None:
    """Copy a page's k updates into the ledgers of the group's vectors."""
    if all(learner.ledgers[v].full for v in group.tolist()):
        for v in group.tolist():
            learner.ledgers[v].tally = learner.tally(v)
        return
    if len(group) > 1:
        grouped = page.vector[:k].argsort(kind="stable")
        page = Page(page.at, page.spare, *(column[grouped] for column in page[2:]))
    start = 0
    for v, end in zip(group.tolist(), page.vector[:k].searchsorted(group, side="right").tolist(), strict=True):
        own, start = slice(start, end), end
        made = learner.strategy.entries_of(examples, learner.team.target[v], page, own, learner.rows_fed)
        learner.ledgers[v].append(made, learner.tally(v))


def is_settled(learner: "Learner", v: int, examples: Examples, order: Array) -> bool:
    """Whether vector v would go over the rows again without an update. Only rows up to its last update have to be checked.

    The ghost is often done after its first row. Then this saves a whole pass.
    """
    before = int(learner.team.changed[v] - learner.team.clock[v]) + len(order) + 1
    run = runnable(settled, examples)
    page = new_page(0, learner.team.w.dtype, 0)
    return bool(run(rule_for(learner.rule, examples), examples.sheet, order[:before], v, learner.team, page))


def rule_for(rule: Rule, examples: Examples) -> Any:
    return in_numbers(rule, Fraction if examples.exact else float)


def runnable(loop: Callable[..., Any], examples: Examples) -> Callable[..., Any]:
    """The loop, compiled unless the numbers are Python objects."""
    return loop if examples.exact else compiled(loop)
