"""What do roads cost, if people drive where they drive? Every route not taken is a constraint: too many to write down.

Drivers cross a town of 12 × 12 corners, going only right or down: 705 432 routes from corner to corner. Given a few routes that
were taken, look for costs of the roads under which each is the cheapest of all between its ends. An oracle finds, for costs that
are proposed, a route that is no dearer than the one taken. Where the drivers contradict each other, the answer proves it.
"""

from itertools import pairwise

import numpy as np

from novikoff import Feasible, solve_cone

SIZE = 12
CORNERS = [(r, c) for r in range(SIZE) for c in range(SIZE)]
STEPS = [(a, b) for a in CORNERS for b in ((a[0], a[1] + 1), (a[0] + 1, a[1])) if max(b) < SIZE]
ROADS = {step: number for number, step in enumerate(STEPS)}


def cheapest(w, start, goal, closed):
    """The roads of the cheapest route that does without one road, from the goal backwards; None if there is none."""
    cost, last = {start: 0.0}, {}
    for (a, b), road in ROADS.items():  # the corners are in order, so that a is done before b
        if a in cost and road != closed and cost[a] + w[road] < cost.get(b, np.inf):
            cost[b], last[b] = cost[a] + w[road], (a, road)
    roads, at = [], goal
    while at != start:
        if at not in last:
            return None
        at, road = last[at]
        roads.append(road)
    return roads


def oracle_of(routes):  # a road that costs nothing, or a route not taken that is no dearer, as a row with row·w ≤ 0
    def violated(w):
        if w.min() <= 0:
            return np.eye(len(w))[w.argmin()]
        for route in routes:
            taken = [ROADS[step] for step in pairwise(route)]
            others = [cheapest(w, route[0], route[-1], closed) for closed in taken]
            best = min((other for other in others if other), key=lambda roads: w[roads].sum(), default=taken)
            row = np.bincount(best, minlength=len(w)) - np.bincount(taken, minlength=len(w))
            if row.any() and row @ w <= 0:
                return row
        return None

    return violated


if __name__ == "__main__":
    right_first = [(0, c) for c in range(SIZE)] + [(r, SIZE - 1) for r in range(1, SIZE)]
    stairs = [(k // 2, (k + 1) // 2) for k in range(2, 2 * SIZE - 5)]
    there, or_there = [(0, 0), (0, 1), (1, 1)], [(0, 0), (1, 0), (1, 1)]
    for name, routes in {"together": [right_first, stairs], "at odds": [there, or_there]}.items():
        answer = solve_cone(oracle=oracle_of(routes), n=len(ROADS), max_calls=5000)
        found = "costs were found" if isinstance(answer, Feasible) else "no costs can explain them"
        print(f"{name}: {found}, after {answer.work.calls} calls and {len(answer.seen)} different constraints")
