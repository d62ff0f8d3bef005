"""The same epoch on a Dask cluster: iterative parameter mixing (F20) [mcdonald2010distributed], with the extra `dask`.

Each pass, every shard runs the learner's own sweep from the same weights; what the shards have changed is mixed. The rows stay
where they are, and only weights travel. The result depends on the shards, their order and the seed, and on nothing else: not on
how many workers there are, how fast they are, or whether one of them dies (docs/cluster.md).
"""

import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from distributed import Client

from novikoff.data.readers import Options
from novikoff.distributed import prediction as answers
from novikoff.distributed.cluster import Cluster, ClusterError
from novikoff.distributed.epochs import Epoch
from novikoff.distributed.fitting import NO_KERNELS, fitted
from novikoff.distributed.progress import Bar
from novikoff.distributed.proofs import far_classes, far_rows
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.sweeping import VersionsError
from novikoff.learning.learner import ORDERS, Learner
from novikoff.models.model import Model
from novikoff.proof.certificate import Certificate, Classes, Data
from novikoff.proof.verify import Verdict, verify_rows

__all__ = ["ClusterError", "VersionsError", "fit", "predict", "verify"]


def fit(
    data: Any,
    y: Any = None,
    *,
    client: Client | None = None,
    passes: int = 10,
    mixing: str = "uniform",
    rule: Any = "rosenblatt",
    readout: str = "last",
    order: str = "given",
    seed: int = 0,
    class_weight: Any = None,
    multiclass: str = "ovr",
    fit_intercept: bool = True,
    label: str | int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_pass: Callable[[Epoch], Any] | None = None,
    verbose: bool = False,
    **reading: Any,
) -> Model:
    """Learn from data on a cluster, and have an ordinary model.

    `data` names files (or patterns, or addresses such as "s3://bucket/part-*.svm.zst"), a shard each; or it is a dask array or
    dataframe, a shard each chunk or partition; or a list of blocks, which may be delayed. `client` is the Dask client, that of
    the process if not given. At most `passes` are made, fewer if one changes nothing on any shard. `mixing` is "uniform", or
    "mistakes": by how much each shard had to learn. `order` is that within each shard. With a `checkpoint`, where the fit
    stands is written to this file after each pass, and `resume` goes on from it. `on_pass` hears of each pass, with the mistakes
    of each shard (an `Epoch`), and stops the fit by returning something true; `verbose` shows a progress bar. Other keywords say
    how files are read, as of `novikoff.open`.
    """
    if order not in ORDERS:
        raise ValueError(
            f"there is no order {order!r} on a cluster: rows have an order within their shard, which is "
            f"{', '.join(ORDERS)}, and no global one"
        )
    if "kernel" in reading:
        raise ValueError(NO_KERNELS)
    if not isinstance(passes, int) or passes < 1:
        raise ValueError(f"passes must be a whole number, at least 1; it is {passes!r}")
    if resume and checkpoint is None:
        raise ValueError("to resume, say from which file: checkpoint=")
    learner = Learner(
        rule, readout=readout, order=order, seed=seed, class_weight=class_weight, multiclass=multiclass, ledger_cap=0
    )
    bar = Bar(passes) if verbose else None
    with bar or nullcontext():
        made = fitted(
            data,
            y,
            learner,
            _options(label, reading),
            client=client,
            passes=passes,
            mixing=mixing,
            fit_intercept=fit_intercept,
            checkpoint=checkpoint,
            resume=resume,
            on_epoch=on_pass,
            on_shard=None if bar is None else bar.on_shard,
        )
    return made.model


def predict(model: Model, data: Any, *, client: Client | None = None, label: str | int | None = None, **reading: Any) -> Any:
    """The label of each row: of files an array, of a dask array or dataframe a dask array, of a list of blocks a list.

    Files may have labels or not. What is asked of dask's own collections is computed when they are.
    """
    return answers.predicted(model, data, client, _options(label, reading))


def verify(
    certificate: Certificate,
    data: Any,
    y: Any = None,
    *,
    client: Client | None = None,
    label: str | int | None = None,
    **reading: Any,
) -> Verdict:
    """Does the certificate prove of this data what it says? As `novikoff.verify`, exactly, of rows that stay on workers."""
    if not isinstance(certificate, Certificate) or not isinstance(certificate.data, Data | Classes):
        raise TypeError(f"a certificate of labelled rows is needed, not {certificate!r}")
    about = certificate.data
    if getattr(about, "kernel", None) is not None:
        raise ValueError("the certificate is of a kernel, which compares every row with others: use novikoff.verify")
    with Cluster(client) as cluster:
        shards = Shards(cluster, data, y, _options(label, reading), about.fit_intercept)
        told: Any = about._replace(columns=shards.agreement.features.width)
        far: Any = far_classes if isinstance(told, Classes) else far_rows
        return shards.steadily(lambda: verify_rows(certificate, partial(far, shards, told)))


def _options(label: str | int | None, reading: dict[str, Any]) -> Options:
    if unknown := [name for name in reading if name not in Options._fields]:
        raise TypeError(f"there is no keyword {unknown[0]!r}; those about files are {', '.join(Options._fields)}")
    return Options(label=None if label is None else str(label), **reading)
