"""The order of the rows in a pass (F2), and how many are fed at a time."""

from collections.abc import Iterator
from functools import partial
from itertools import repeat

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import beside

ORDERS = ("given", "once", "each")
SLICE = 30_000_000  # products between two checks for Ctrl-C: at most a tenth of a second
SLICE_ROWS = 2**18  # and rows, so that the page for their updates stays small
EXACT_SLICE = 20_000  # products, in uncompiled arithmetic
WORTH_DRAWING_AHEAD = 2_000  # rows; fewer are shuffled in less time than it takes to wake a thread and wait for it


def check_order(order: str) -> str:
    if not isinstance(order, str) or order not in ORDERS:
        raise ValueError(f"there is no order {order!r}; the orders are {', '.join(ORDERS)}")
    return order


def order_of(examples: Examples, order: str, seed: int, number: int) -> Array:
    """The rows of pass `number`, counted from 0 since learning began, in the order in which they are fed."""
    if order == "given":
        return examples.fed
    shuffled = examples.fed.copy()
    np.random.default_rng([seed, number if order == "each" else 0]).shuffle(shuffled)
    return shuffled


def orders(examples: Examples, order: str, seed: int, first: int, passes: int) -> Iterator[Array]:
    """The orders of `passes` passes from number `first` on. If it is long, the next is drawn while the current one is in use."""
    if order != "each":
        yield from repeat(order_of(examples, order, seed, first))
    if len(examples.fed) < WORTH_DRAWING_AHEAD:
        yield from (order_of(examples, order, seed, number) for number in range(first, first + passes))
        return
    coming = beside(partial(order_of, examples, order, seed, first))
    for number in range(first + 1, first + passes):
        now, coming = coming.result(), beside(partial(order_of, examples, order, seed, number))
        yield now
    yield coming.result()


def slice_rows(examples: Examples, vectors: int) -> int:
    """How many rows are fed between two checks for Ctrl-C, with `vectors` vectors of one weight per column."""
    products = max(1.0, examples.entries_per_row) * max(1, vectors)
    return max(1, min(SLICE_ROWS, int((EXACT_SLICE if examples.exact else SLICE) / products)))
