"""Learners compared."""

import numpy as np
import scipy.sparse as sp

from novikoff.learning.learner import Learner


def csr(X):
    X = sp.csr_array(np.asarray(X, np.float64))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def known(learner):
    """All that a learner knows, as something to compare with ==."""
    plain = {name: np.asarray(part).tolist() for name, part in learner.team._asdict().items()}
    plain |= {f"carry {name}": part.tolist() for name, part in learner.readout_state._asdict().items()}
    plain["sigma"] = learner.vectors.confidence.sigma.tolist() if learner.confidence is not None else None
    plain |= {
        name: getattr(learner, name) for name in ("rule", "readout", "rows_fed", "passes", "weighted", "from_zero", "constant")
    }
    there = learner.forecasts.known()
    plain |= {f"forecast {name}": part[there].tolist() for name, part in learner.forecasts._asdict().items()}
    plain |= {"forecasts": there.tolist()}
    plain |= {"classes": learner.classes.tolist(), "class_counts": learner.class_counts.tolist()}
    return plain | {"tallies": [ledger.tally for ledger in learner.ledgers], "weights": learner.weights().tolist()}


def updates(learner):
    """The updates of every vector, as something to compare with ==."""
    return [[tuple(update) for update in ledger] for ledger in learner.ledgers]


def direct(rule="rosenblatt", **settings):
    """A learner of all classes at once, without a confidence."""
    return Learner(rule, confidence=None, multiclass="direct", **settings)


def named_updates(learner):
    """The updates of a learner of all classes at once, with the names of the classes."""
    names = learner.classes.tolist()
    return [(u.t, u.row, names[u.y], names[u.rival], u.margin, u.step) for u in learner.ledgers[0]]


def class_weights(learner):
    """The weights of a learner of all classes at once: one row per class, also when there are two."""
    return learner.team.w[0].reshape(-1, len(learner.classes)).T.tolist()
