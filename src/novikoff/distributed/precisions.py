"""Mixing the weights of shards by how sure each shard is of them.

With a confidence, a shard returns its precisions Λ = Σ⁻¹ beside its weights w. Λ₀ and w₀ are those it started from.

With a full confidence, what rows add to Λ and to b = Λw adds up, on whichever shard the rows are: the mixture has
Λ = Λ₀ + Σ(Λₛ − Λ₀), b = b₀ + Σ(bₛ − b₀) over the shards s, and w = Λ⁻¹b. With AROW this is the ridge regression on the rows of
all updates of all shards (F30).

With one number a weight, correlations are not known, and the sum of the shards' moves would be too long. There the mixture is
that of F20, w₀ + Σμ·(wₛ − w₀)/Σμ, with a share μ = Λₛ − Λ₀ for each weight: what the shard has learned about it. Λ is the mean
of the shards'.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.distributed.mixing import Changes, Mixture, as_places, smaller_by_place
from novikoff.foundation.array_types import Array
from novikoff.learning.learner import Learner


class Sure(NamedTuple):
    """The answering vectors of a learner, and how sure they are."""

    w: Array
    precisions: Array  # a row or a matrix for each vector

    def gained_since(self, before: "Sure") -> Array:
        """What a shard returns, one row per vector: the sums below, for this shard alone."""
        more = self.precisions - before.precisions
        if more.ndim == 2:
            return np.concatenate([more * (self.w - before.w), more], axis=1)
        return np.concatenate([self._b() - before._b(), more.reshape(len(more), -1)], axis=1)

    def with_gains(self, gains: Array, shards: int) -> "Sure":
        """The mixture of so many shards that started from here, from the sum of what they returned."""
        first, more = gains[:, : self.w.shape[1]], gains[:, self.w.shape[1] :].reshape(self.precisions.shape)
        if more.ndim == 2:
            return Sure(self.w + first / np.where(more > 0, more, 1), self.precisions + more / shards)
        precisions = self.precisions + more
        return Sure(np.linalg.solve(precisions, (self._b() + first)[:, :, None])[:, :, 0], precisions)

    def _b(self) -> Array:
        b: Array = np.einsum("vjk,vk->vj", self.precisions, self.w)
        return b


def sure(learner: Learner) -> Sure:
    w, state = learner.team.w[learner.answering], learner.vectors.confidence
    own: Any = state.carried(np.arange(len(w)))
    return Sure(w.copy(), own.precisions().copy())


def moved(learner: Learner, mixture: Mixture) -> Changes:
    """The changes that the mixture makes to what the learner shares. Weights that no shard has learned about stay as they are."""
    before = sure(learner)
    sums = np.zeros(mixture.size)
    sums[slice(None) if mixture.places is None else mixture.places] = mixture.values
    gains = sums.reshape(len(before.w), -1)
    after = before.with_gains(gains, len(mixture.reports))
    state: Any = learner.vectors.confidence
    own = state.carried(np.arange(len(before.w))).with_precisions(after.precisions)
    now = learner.shared()
    new = np.concatenate([after.w, *(getattr(own, name).reshape(len(now), -1) for name in state.learned)], axis=1)
    learned = gains[:, before.w.shape[1] :] != 0
    touched = np.tile(learned, 1 + len(state.learned)) if before.precisions.ndim == 2 else learned.any(axis=1)[:, None]
    new = np.where(touched, new, now).ravel()
    differs = np.flatnonzero(new != now.ravel())
    if not smaller_by_place(len(differs), new.size):
        return Changes(None, new)
    return Changes(as_places(differs, new.size), new[differs])
