"""Which combinations `make test` compiles: every rule, storage and readout at least once. `make test-full` has them all."""

import pytest

from novikoff.engine.rules import rules

RULES = sorted(rules())
READOUTS = ["averaged", "last", "pocket"]
PAIRS = [(rule, readout) for rule in RULES for readout in READOUTS]


def short(some, all_of_them):
    """Parameters of a test: all of them, those but `some` for the full run."""
    return [pytest.param(*one, marks=[] if one in some else pytest.mark.full) for one in all_of_them]


ON_DENSE = [(rule, "last") for rule in RULES] + [("margin", "averaged"), ("pa-i", "averaged")]
ON_DENSE += [("rosenblatt", "averaged"), ("rosenblatt", "pocket")]
ON_CSR = [("rosenblatt", "last"), ("pa-i", "last"), ("margin", "last"), ("margin", "averaged"), ("margin", "pocket")]
