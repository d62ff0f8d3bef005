"""Training on a Dask cluster by iterative parameter mixing (F20) [mcdonald2010distributed]. Needs the extra `dask`.

In each pass, every shard runs the learner's own sweep from the same weights, and the changes of all shards are mixed. Rows stay
on their workers; only weights are sent. The result depends only on the shards, their order and the seed, and not on the number
of workers, their speed, or whether one of them dies (docs/cluster.md).
"""

import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from distributed import Client

from novikoff.data.preparer import Wanted
from novikoff.data.readers import Options
from novikoff.distributed import prediction
from novikoff.distributed.cluster import Cluster, ClusterError
from novikoff.distributed.epochs import Epoch
from novikoff.distributed.fitting import NO_KERNELS, fitted
from novikoff.distributed.progress import Bar
from novikoff.distributed.proofs import FarClasses, FarRows, far_classes, far_rows
from novikoff.distributed.sharded_data import Shards
from novikoff.distributed.sweeping import VersionsError
from novikoff.engine.confidences import Confidence
from novikoff.engine.rules import Rule
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.learner import Learner
from novikoff.learning.schedule import ORDERS
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
    rule: str | Rule = "rosenblatt",
    confidence: Confidence | str | None = "auto",
    readout: str = "last",
    order: str = "given",
    seed: int = 0,
    class_weight: ClassWeight = None,
    multiclass: str = "ovr",
    fit_intercept: bool = True,
    label: str | int | None = None,
    prepare: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_pass: Callable[[Epoch], object] | None = None,
    verbose: bool = False,
    **reading: Any,
) -> Model:
    """Train on a cluster. The result is an ordinary model.

    Parameters
    ----------
    data : files, patterns or addresses such as "s3://bucket/part-*.svm.zst", one shard per file; or a dask array or dataframe,
        one shard per chunk or partition; or a list of blocks, which may be delayed.
    y : labels of a dask array, a dataframe or blocks (default: None). Files contain their labels.
    client : the Dask client (default: the client of this process).
    passes : the maximum number of passes (default: 10). Training stops earlier if a pass makes no update on any shard.
    mixing : weights of the shards in the mixture: "uniform", or "mistakes", in proportion to their updates (default: "uniform").
    confidence : see `Perceptron`. Shards are then mixed by how sure they are (F30), and `mixing` has no effect (default: "auto").
    rule, readout, class_weight, multiclass, fit_intercept : see `Perceptron`.
    order : order of the rows within each shard, see `Perceptron` (default: "given").
    seed : seed of the shuffling (default: 0).
    label : the column of the labels in a table (default: None).
    prepare : whether rows are prepared, as `novikoff fit` does (default: False).
    checkpoint : file to which the state of the fit is written after each pass (default: None).
    resume : whether to continue from the checkpoint, if it exists (default: False).
    on_pass : function that is called after each pass with an `Epoch`, which has the mistakes of each shard; training stops if it
        returns a true value (default: None).
    verbose : whether to show a progress bar (default: False).
    reading : further keywords say how files are read, see `novikoff.open`.
    """
    if order not in ORDERS:
        raise ValueError(
            f"there is no order {order!r} on a cluster; the orders of the rows within a shard are {', '.join(ORDERS)}"
        )
    if "kernel" in reading:
        raise ValueError(NO_KERNELS)
    if not isinstance(passes, int) or passes < 1:
        raise ValueError(f"passes must be a whole number, at least 1; it is {passes!r}")
    if resume and checkpoint is None:
        raise ValueError("resume=True needs a file to resume from: give checkpoint=")
    how = {"confidence": confidence, "readout": readout, "order": order, "class_weight": class_weight, "multiclass": multiclass}
    learner = Learner(rule, **how, seed=seed, ledger_cap=0)  # type: ignore[arg-type]
    bar = Bar(passes) if verbose else None
    with bar or nullcontext():
        made = fitted(
            data,
            y,
            learner,
            _options(label, reading)._replace(prepared=prepare),
            client=client,
            passes=passes,
            mixing=mixing,
            fit_intercept=fit_intercept,
            wanted=Wanted(prepare),
            checkpoint=checkpoint,
            resume=resume,
            on_epoch=on_pass,
            on_shard=None if bar is None else bar.on_shard,
        )
    return made.model


def predict(model: Model, data: Any, *, client: Client | None = None, label: str | int | None = None, **reading: Any) -> Any:
    """Predict the label of each row.

    For files the result is an array, for a dask array or dataframe a dask array, for a list of blocks a list. Files may have
    labels or not. Results for dask's own collections are computed when dask computes them.
    """
    return prediction.predict(model, data, client, _options(label, reading))


def verify(
    certificate: Certificate,
    data: Any,
    y: Any = None,
    *,
    client: Client | None = None,
    label: str | int | None = None,
    **reading: Any,
) -> Verdict:
    """Check, like `novikoff.verify`, whether the certificate holds for this data. The rows stay on their workers."""
    if not isinstance(certificate, Certificate) or not isinstance(certificate.data, Data | Classes):
        raise TypeError(f"certificate must be a certificate about labelled rows, not {certificate!r}")
    about = certificate.data
    if getattr(about, "kernel", None) is not None:
        raise ValueError(
            "a certificate with a kernel compares each row with others, which are on other workers: use novikoff.verify"
        )
    with Cluster(client) as cluster:
        shards = Shards(cluster, data, y, _options(label, reading), about.fit_intercept)
        columns = shards.agreement.features.width
        far: Callable[[], FarRows | FarClasses]
        if isinstance(about, Classes):
            far = partial(far_classes, shards, about._replace(columns=columns))
        else:
            far = partial(far_rows, shards, about._replace(columns=columns))
        return shards.retrying(lambda: verify_rows(certificate, far))


def _options(label: str | int | None, reading: dict[str, Any]) -> Options:
    if unknown := [name for name in reading if name not in Options._fields]:
        raise TypeError(f"there is no keyword {unknown[0]!r}; the keywords about files are {', '.join(Options._fields)}")
    return Options(label=None if label is None else str(label), **reading)
