"""The modified perceptron [blum1998polynomial], and its restarts (F13, F14).

Given σ > 0, rows with |cos(w, x)| < σ are ignored: on them the answer is "I don't know". On any other wrong row, the component
of w in its direction is removed: w −= (w·x̄)x̄. Each update reduces ‖w‖² by at least a share of σ², while ⟨w, w*⟩ does not
shrink. So from a start with ⟨w, w*⟩ ≥ 1/√n there are at most ln n / σ² updates. A random start is such a start with a
probability of at least 1/8. A round that makes more updates had a bad start, and another round follows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import loop
from novikoff.compiler.dispatch import compiled
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.storages import add, score
from novikoff.foundation.array_types import Array
from novikoff.solve.rescaling import most_updates

GOOD_START = 1 / 8  # the probability in the proof; for many weights it is about 0.159
MOST = 2**62  # updates; about the largest 64-bit integer
# The loop uses slightly more than σ, so that the guarantee also holds for a cosine that is computed in another way.
HAIR = 1 - 2.0**-40


class Modified(NamedTuple):
    w: Array  # the bias last; those of the last round, if no round succeeded
    holds: bool  # whether it is right on every row with |cos(w, x)| ≥ σ
    rounds: int
    updates: tuple[int, ...]  # of each round


def rounds_for(delta: float) -> int:
    """If a separator exists, this many rounds all fail with a probability of at most δ: ln(1/δ) / ln(8/7)."""
    return max(1, math.ceil(math.log(1 / delta) / math.log(1 / (1 - GOOD_START))))


def modified(examples: Examples, yes: int, sigma: float, delta: float, rng: np.random.Generator) -> Modified:
    """Weights for the class numbered `yes` against the rest, with as many rounds as needed, or as δ allows."""
    n = examples.width + bool(examples.constant)
    most, updates = min(most_updates(n, sigma), MOST), []
    for _ in range(rounds_for(delta)):
        w = np.zeros(examples.width + 1)
        w[:n] = rng.standard_normal(n)
        w /= np.linalg.norm(w)
        updates.append(one_round(examples, yes, w, sigma, most))
        if right_where_clear(examples, yes, w, sigma):
            return Modified(w, True, len(updates), tuple(updates))
    return Modified(w, False, len(updates), tuple(updates))


def one_round(examples: Examples, yes: int, w: Array, sigma: float, most: int) -> int:
    """F13 from these weights, which change, until a pass is clean or `most` updates are made. Returns the number of updates."""
    made, now = 0, 1
    while now and made < most:
        sqnorm = np.array([w @ w])  # recomputed in each pass, so that errors do not grow
        now = compiled(insist)(examples.sheet, yes, examples.fed, w, sqnorm, sigma * HAIR, most - made)
        made += now
    return made


@loop
def insist(sheet: Any, yes: Any, order: Any, w: Any, sqnorm: Any, sigma: Any, most: Any) -> int:
    """One pass: update on every row that is wrong by σ or more. Returns the number of updates, at most `most`."""
    made = 0
    for i in order:
        y = 1 if sheet.code[i] == yes else -1
        margin = y * score(sheet.rows, i, w)
        if margin < 0 and margin <= -sigma * np.sqrt(max(sqnorm[0], 0.0) * sheet.sqnorm[i]):
            if made == most:
                break
            add(sheet.rows, i, w, -y * margin / sheet.sqnorm[i])
            sqnorm[0] -= margin * margin / sheet.sqnorm[i]
            made += 1
    return made


def right_where_clear(examples: Examples, yes: int, w: Array, sigma: float) -> bool:
    """Whether every row with |cos(w, x)| ≥ σ is on its own side, computed in the same way as predictions."""
    length = math.sqrt(float(w @ w))
    if not length > 0:
        return False
    scores = examples.scores(w[None, :], 0, len(examples))[:, 0]
    clear = np.abs(scores) >= sigma * np.sqrt(examples.sheet.sqnorm) * length
    own = np.where(examples.sheet.code == yes, scores > 0, scores < 0)
    return bool((own | ~clear | (examples.sheet.weight == 0) | (examples.sheet.sqnorm == 0)).all())
