"""Fit a model to data on a cluster."""

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from distributed import Client

from novikoff.data.features import Hashed
from novikoff.data.preparer import NOT_PREPARED, Wanted
from novikoff.data.readers import SHOWN, Options, how_read
from novikoff.distributed import checkpoint as checkpoints
from novikoff.distributed.cluster import Cluster
from novikoff.distributed.epochs import Course, Epoch, PassProgress, learn
from novikoff.distributed.mixing import MIXINGS
from novikoff.distributed.proofs import certificates_of
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.shards import Agreement, add_names, names_of
from novikoff.distributed.sweeping import Plan
from novikoff.foundation.array_types import Array
from novikoff.learning.learner import Learner
from novikoff.learning.run import Run
from novikoff.models.model import Model
from novikoff.models.run_record import RunRecord, versions
from novikoff.solve.run_proofs import undecided

# Readouts that need all rows in one place or in one order.
REFUSED_READOUTS = {
    "voted": "a vote needs every update of every shard in one order; the average of all of them is readout='averaged'",
    "pocket": "the pocket needs the errors on all rows after every update; take readout='averaged' or 'last'",
}
NO_KERNELS = "a kernel cannot be distributed: its vectors are made of rows, which stay on their workers"
NO_AVERAGE = (
    "with a confidence, a cluster mixes weights by how sure each shard is of them, and has no average: use readout='last'"
)
MIXED = {"uniform": "evenly", "mistakes": "by their mistakes"}


class Fitted(NamedTuple):
    model: Model
    skipped: list[str]  # messages about the first few lines that were skipped


def refuse(learner: Learner, mixing: str) -> None:
    """Refuse settings that cannot be distributed."""
    if mixing not in MIXINGS:
        raise ValueError(f"there is no mixing {mixing!r}; it is {' or '.join(map(repr, MIXINGS))}")
    if learner.readout in REFUSED_READOUTS:
        raise ValueError(f"readout={learner.readout!r} does not work on a cluster: {REFUSED_READOUTS[learner.readout]}")
    if learner.kernel is not None:
        raise ValueError(NO_KERNELS)
    if learner.confidence is not None and learner.readout == "averaged":
        raise ValueError(NO_AVERAGE)


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
    wanted: Wanted = NOT_PREPARED,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_epoch: Callable[[Epoch], object] | None = None,
    on_shard: Callable[[PassProgress], object] | None = None,
) -> Fitted:
    """Fit on the shards of the data by mixing. The learner has the settings, and becomes the learner of the model."""
    refuse(learner, mixing)
    if checkpoint is not None and (os.path.isdir(checkpoint) or not os.path.isdir(os.path.dirname(os.path.abspath(checkpoint)))):
        raise ValueError(f"{os.fspath(checkpoint)}: a checkpoint cannot be written there; give a file in an existing folder")
    began = time.perf_counter()
    with Cluster(client) as cluster:
        shards = Shards(cluster, data, y, options, fit_intercept, wanted)
        agreement, summaries = shards.agreement, shards.summaries
        plan = _plan(cluster.token, learner, agreement, mixing, int(fit_intercept), alone=len(summaries) == 1)
        learner.begin(agreement.classes, agreement.features.width, int(fit_intercept))
        learner.take_up(learner.shared(), 0, None)
        learner.record(agreement.counts, rows=agreement.rows, passes=0, weighted=False)
        course = Course(learner, mixing)
        if resume and checkpoint is not None and os.path.exists(checkpoint):
            course = checkpoints.load_checkpoint(checkpoint, learner, mixing, summaries, agreement)

        def after(course: Course) -> object:
            if checkpoint is not None:
                checkpoints.save_checkpoint(course, summaries, agreement, checkpoint)
            return on_epoch is not None and course.last is not None and on_epoch(course.last)

        reason = learn(shards, plan, course, passes, after, on_shard)
        if not course.passes:
            raise KeyboardInterrupt
        if isinstance(agreement.features, Hashed):
            add_names(agreement.features, shards.retrying(partial(_names, shards, course)))
        if agreement.preparer is None:
            proofs = shards.retrying(partial(certificates_of, shards, course))
        else:
            proofs = undecided(course.learner, "the rows were prepared before they were learned from")
    run = Run(reason, tuple(course.passes), None, radius=course.radius)
    shuffled = "" if course.learner.order == "given" else ", rows shuffled within each"
    how_mixed = MIXED[mixing] if course.learner.confidence is None else "by how sure they are"
    record = RunRecord.of_run(
        run,
        None,
        rows=agreement.rows,
        features=agreement.features.width,
        entries=agreement.entries,
        classes=tuple(agreement.classes.tolist()),
        how=f"on a cluster, {len(summaries)} shard{'s' * (len(summaries) > 1)} mixed {how_mixed}{shuffled}",
        skipped_lines=sum(summary.n_skipped for summary in summaries),
        seconds=round(time.perf_counter() - began, 3),
        files=tuple(summary.name for summary in summaries),
        reading=how_read(options, summaries[0].label),
        made_with=versions(),
        distributed=checkpoints.record(course, summaries),
    )
    skipped = [sentence for summary in summaries for sentence in summary.skipped]
    return Fitted(Model(course.learner, agreement.features, proofs, record, preparer=agreement.preparer), skipped[:SHOWN])


def _names(shards: Shards, course: Course) -> list[tuple[dict[str, Any], dict[str, Array]]]:
    """The names of hashed features with a weight, from each shard."""
    w = np.abs(course.learner.weights()[:, :-1]).max(axis=0)
    return shards.ask_all("names", names_of, np.argsort(-w, kind="stable")[: int((w != 0).sum())])


def _plan(fit: str, learner: Learner, agreement: Agreement, mixing: str, constant: int, alone: bool) -> Plan:
    settings = {
        "rule": learner.rule,
        "confidence": learner.confidence,
        "readout": learner.readout,
        "order": learner.order,
        "seed": learner.seed,
        "multiclass": learner.multiclass,
        "class_weight": _class_weight(learner, agreement),
    }
    width = agreement.features.width
    return Plan(fit, settings, agreement.classes, width, constant, mixing, alone, versions())


def _class_weight(learner: Learner, agreement: Agreement) -> Mapping[Any, float] | None:
    """The class weights for the shards; "balanced" becomes weights from the counts of all shards."""
    names: list[Any] = agreement.classes.tolist()
    weight: str | Mapping[Any, float] | None = learner.class_weight
    if isinstance(weight, str):
        each = agreement.counts.sum() / (len(names) * np.maximum(agreement.counts, 1))
        return dict(zip(names, each.tolist(), strict=True))
    if isinstance(weight, Mapping) and (unknown := [name for name in weight if name not in names]):
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class: the classes are {names}")
    return weight
