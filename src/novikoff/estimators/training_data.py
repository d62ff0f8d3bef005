"""Whether rows are those that a model learned from."""

from typing import NamedTuple, Self
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernel_examples import KernelExamples
from novikoff.engine.labelled_rows import Examples
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.learner import Learner


class DataMarks(NamedTuple):
    """Sizes and checksums by which training data is recognised."""

    rows: int
    columns: int
    constant: object
    classes: tuple[object, ...]
    labels: int
    lengths: int
    content: int  # 0 where weights are sums of rows: there `replays_ledgers` compares more

    @classmethod
    def of(cls, seen: Examples, sums_of_rows: bool) -> Self:
        return cls(
            len(seen),
            seen.width,
            seen.constant,
            tuple(seen.classes.tolist()),
            crc32(seen.sheet.code.tobytes()),
            crc32(seen.sheet.sqnorm.tobytes()),
            0 if sums_of_rows and not isinstance(seen, KernelExamples) else crc32(seen.hashes().tobytes()),
        )


def replays_ledgers(learner: Learner, X: Matrix, seen: Examples) -> bool:
    """Whether the updates in the ledgers, made with these rows, lead to the weights. Ledgers that are not complete pass."""
    if not learner.from_zero or learner.confidence is not None:
        return True
    if learner.strategy.at_once:
        return _replays_all_classes(learner, X, seen)
    for w, ledger in zip(learner.team.w[:-1], learner.ledgers, strict=False):
        if ledger.complete:
            steps = np.zeros(len(seen))
            np.add.at(steps, ledger.entries.row, ledger.entries.y * ledger.entries.step)
            if not _near(np.append(steps @ X, steps.sum() * float(seen.constant)), w):
                return False
    return True


def _replays_all_classes(learner: Learner, X: Matrix, seen: Examples) -> bool:
    ledger = learner.ledgers[0]
    if not ledger.complete:
        return True
    entries = ledger.entries
    signed, classes = np.append(entries.step, -entries.step), np.append(entries.y, entries.rival)
    steps = sp.csr_array((signed, (classes, np.tile(entries.row, 2))), shape=(len(learner.classes), len(seen)))
    sums = steps @ X
    weights = np.column_stack([sums.toarray() if sp.issparse(sums) else sums, steps.sum(axis=1) * float(seen.constant)])
    return _near(weights, learner.team.w[0].reshape(-1, len(learner.classes)).T)


def _near(replayed: Array, w: Array) -> bool:
    return np.allclose(replayed, w, rtol=1e-6, atol=1e-6 * float(np.abs(w).max(initial=0)) + 1e-300)
