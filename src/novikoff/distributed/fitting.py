"""From shards to a model."""

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from distributed import Client

from novikoff.data.features import Hashed
from novikoff.data.readers import SHOWN, Options, how_read
from novikoff.distributed import checkpoint as checkpoints
from novikoff.distributed.cluster import Cluster
from novikoff.distributed.epochs import Course, Epoch, Stand, learn
from novikoff.distributed.mixing import MIXINGS
from novikoff.distributed.proofs import of_course
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.shards import Agreement, names_of, with_names
from novikoff.distributed.sweeping import Plan
from novikoff.learning.learner import Learner, Run
from novikoff.models.model import Model, account_of, versions

# What needs all rows in one place, or in one order; said by name.
REFUSED_READOUTS = {
    "voted": "a vote needs every update of every shard in one order; the average of all of them is readout='averaged'",
    "pocket": "the pocket needs the errors on all rows after every update; take readout='averaged' or 'last'",
}
NO_KERNELS = "a kernel cannot be distributed: its vectors are made of rows, which stay on their workers"
MIXED = {"uniform": "evenly", "mistakes": "by their mistakes"}


class Fitted(NamedTuple):
    model: Model
    skipped: list[str]  # sentences about lines that were left out, the first few


def refuse(learner: Learner, mixing: str) -> None:
    """What cannot be distributed honestly."""
    if mixing not in MIXINGS:
        raise ValueError(f"there is no mixing {mixing!r}; shards are mixed by {' or '.join(map(repr, MIXINGS))}")
    if learner.readout in REFUSED_READOUTS:
        raise ValueError(f"{learner.readout} weights cannot be had on a cluster: {REFUSED_READOUTS[learner.readout]}")
    if learner.kernel is not None:
        raise ValueError(NO_KERNELS)


def fitted(
    data: Any,
    y: Any,
    learner: Learner,
    options: Options,
    *,
    client: Client | None,
    passes: int,
    mixing: str,
    fit_intercept: bool,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_epoch: Callable[[Epoch], Any] | None = None,
    on_shard: Callable[[Stand], Any] | None = None,
) -> Fitted:
    """The model that mixing the shards of this data gives. The learner has the settings, and becomes the model's."""
    refuse(learner, mixing)
    if checkpoint is not None and (os.path.isdir(checkpoint) or not os.path.isdir(os.path.dirname(os.path.abspath(checkpoint)))):
        raise ValueError(f"{os.fspath(checkpoint)}: no checkpoint can be written there; name a file in a folder")
    began = time.perf_counter()
    with Cluster(client) as cluster:
        shards = Shards(cluster, data, y, options, fit_intercept)
        agreement, notices = shards.agreement, shards.notices
        plan = _plan(cluster.token, learner, agreement, mixing, int(fit_intercept), alone=len(notices) == 1)
        learner.begin(agreement.classes, agreement.features.width, int(fit_intercept))
        learner.take_up(learner.team.w[learner.answering].copy(), 0, None)
        learner.class_counts, learner.rows_fed = agreement.counts, agreement.rows
        course = Course(learner, mixing)
        if resume and checkpoint is not None and os.path.exists(checkpoint):
            course = checkpoints.take_up(checkpoint, learner, mixing, notices, agreement)

        def after(course: Course) -> Any:
            if checkpoint is not None:
                checkpoints.put_down(course, notices, agreement.features, checkpoint)
            return on_epoch is not None and course.last is not None and on_epoch(course.last)

        reason = learn(shards, plan, course, passes, after, on_shard)
        if not course.passes:
            raise KeyboardInterrupt
        if isinstance(agreement.features, Hashed):
            with_names(agreement.features, shards.steadily(partial(_names, shards, course)))
        proofs = shards.steadily(partial(of_course, shards, course))
    run = Run(reason, tuple(course.passes), None, radius=course.radius)
    shuffled = "" if course.learner.order == "given" else ", rows shuffled within each"
    account = account_of(run, None) | {
        "rows": agreement.rows,
        "features": agreement.features.width,
        "entries": agreement.entries,
        "classes": agreement.classes.tolist(),
        "how": f"on a cluster, {len(notices)} shard{'s' * (len(notices) > 1)} mixed {MIXED[mixing]}{shuffled}",
        "skipped_lines": sum(notice.n_skipped for notice in notices),
        "seconds": round(time.perf_counter() - began, 3),
        "files": [notice.name for notice in notices],
        "reading": how_read(options),
        "made_with": versions(),
        "distributed": checkpoints.record(course, notices),
    }
    skipped = [sentence for notice in notices for sentence in notice.skipped]
    return Fitted(Model(course.learner, agreement.features, proofs, account), skipped[:SHOWN])


def _names(shards: Shards, course: Course) -> list[Any]:
    """The names of hashed features that have a weight, as each shard has met them."""
    w = np.abs(course.learner.weights()[:, :-1]).max(axis=0)
    return shards.ask_all("names", names_of, np.argsort(-w, kind="stable")[: int((w != 0).sum())])


def _plan(fit: str, learner: Learner, agreement: Agreement, mixing: str, constant: int, alone: bool) -> Plan:
    settings = {
        "rule": learner.rule,
        "readout": learner.readout,
        "order": learner.order,
        "seed": learner.seed,
        "multiclass": learner.multiclass,
        "class_weight": _class_weight(learner, agreement),
    }
    width = agreement.features.width
    return Plan(fit, settings, agreement.classes, width, constant, mixing, alone, versions())


def _class_weight(learner: Learner, agreement: Agreement) -> Any:
    """As shards can have it: balanced by the rows of all of them."""
    names, weight = agreement.classes.tolist(), learner.class_weight
    if isinstance(weight, str):
        each = agreement.counts.sum() / (len(names) * np.maximum(agreement.counts, 1))
        return dict(zip(names, each.tolist(), strict=True))
    if isinstance(weight, Mapping) and (unknown := [name for name in weight if name not in names]):
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class: the classes are {names}")
    return weight
