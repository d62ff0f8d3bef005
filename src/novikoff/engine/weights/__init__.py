"""Where the weights live: one for each column, coefficients of stored rows, or coefficients of a limited number of rows."""

import numpy as np

from novikoff.engine.kernels import Kernel
from novikoff.engine.readouts import Readout
from novikoff.engine.rules import Rule
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.engine.weights.budgeted import Budgeted
from novikoff.engine.weights.columns import Columns
from novikoff.engine.weights.space import Space
from novikoff.engine.weights.span import Span


def space_for(kernel: Kernel | None, cache_bytes: int, budget: int | None, readout: Readout, rule: Rule) -> Space:
    """The space for these settings. Raises an error if they cannot be combined."""
    if kernel is None:
        if budget is not None:
            raise ValueError("budget limits the rows that a kernel stores, and there is no kernel: give one, or no budget")
        return Columns()
    if budget is None:
        return Span(kernel, cache_bytes)
    if not (isinstance(budget, int | np.integer) and 1 <= budget < 2**31):
        raise ValueError(f"budget must be None or a whole number from 1 to 2³¹ − 1; it is {budget!r}")
    if readout.name != "last":
        raise ValueError(f"with a budget the readout must be 'last', not {readout.name!r}: other weights are not kept")
    if not isinstance(rule, Rosenblatt):  # the Forgetron's theorem is about this rule
        raise ValueError(f"with a budget the rule must be 'rosenblatt', the rule of the Forgetron, not {rule!r}")
    return Budgeted(kernel, int(budget))
