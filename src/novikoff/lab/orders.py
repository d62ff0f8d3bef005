"""The same points in other orders: how many mistakes each run makes (F2)."""

import time

from novikoff.engine.rules import Bound
from novikoff.lab.checks import RefusedError, finite
from novikoff.lab.problems import Problem
from novikoff.lab.runs import learned, run_of
from novikoff.learning.run import StopReason
from novikoff.learning.schedule import ORDERS
from novikoff.proof.certificate import Inseparable

SECONDS = 5.0  # at most, for all runs


def compare_orders(problem: Problem, runs: int) -> dict[str, object]:
    """Mistakes in the order given, and in `runs` shuffled orders of either kind, or in fewer if these take too long.

    Where the bound is one of updates, updates are counted.
    """
    run = run_of(problem)
    if isinstance(run.certified.certificate, Inseparable):
        raise RefusedError("these points cannot be separated, so a run in any order never ends: there is nothing to compare")
    until = time.monotonic() + SECONDS
    bound, unfinished = run.bound, 0
    of = bound.of if isinstance(bound, Bound) else "mistakes"
    counts: dict[str, list[int]] = {order: [] for order in ORDERS}
    for order, seed in [("given", 0), *((order, seed) for seed in range(runs) for order in ("once", "each"))]:
        if order != "given" and time.monotonic() > until:
            break
        learner, _, finished = learned(problem, order, seed)
        tally = learner.ledgers[0].tally
        counts[order].append(int(tally.mistakes if of == "mistakes" else tally.updates))
        unfinished += finished.stop_reason is not StopReason.CLEAN_PASS
    return counts | {"of": of, "unfinished": unfinished, "bound": finite(bound.value) if isinstance(bound, Bound) else None}
