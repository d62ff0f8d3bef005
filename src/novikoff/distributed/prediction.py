"""Predict the labels of rows on workers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client

from novikoff.data.features import Named
from novikoff.data.matrices import widened
from novikoff.data.readers import Dataset, Options, as_read
from novikoff.data.sources import ReadError
from novikoff.distributed.cluster import Cluster
from novikoff.distributed.sharded_data import is_files, is_frame, on_workers, placed
from novikoff.distributed.shards import as_rows
from novikoff.foundation.array_types import Array
from novikoff.foundation.parallel import one_thread
from novikoff.models.model import Model


def predict(model: Model, data: Any, client: Client | None, options: Options) -> Any:
    """The labels of the rows, in the form that `novikoff.distributed.predict` describes."""
    if is_files(data):
        reading = as_read(model.run.reading or {}, options)._replace(unlabelled=True, prepared=model.preparer is not None)
        with Cluster(client) as cluster:
            paths = cluster.files(data)
            task = partial(labels_of_file, options=reading)
            return np.concatenate(cluster.retrying(lambda: _predictions(cluster, model, task, paths)))
    predict_block = dask.delayed(labels_of_block)
    delayed_model = dask.delayed(model)
    if isinstance(data, da.Array):
        blocks, lengths = np.ravel(data.rechunk({1: -1}).to_delayed()).tolist(), data.chunks[0]
    elif is_frame(data):
        blocks, lengths = list(data.to_delayed()), (np.nan,) * data.npartitions
    elif isinstance(data, list | tuple):
        with Cluster(client) as cluster:
            return cluster.retrying(lambda: _predictions(cluster, model, labels_of_block, _on_workers(cluster, list(data))))
    else:
        raise ReadError(f"{type(data).__name__} is not distributed: use model.labels")
    kind = model.learner.classes.dtype
    labels = [predict_block(delayed_model, block) for block in blocks]
    return da.concatenate([da.from_delayed(one, (n,), dtype=kind) for one, n in zip(labels, lengths, strict=True)])


def _on_workers(cluster: Cluster, blocks: list[Any]) -> list[Any]:
    return on_workers(cluster, blocks, placed(len(blocks), cluster.workers))


def _predictions(cluster: Cluster, model: Model, task: Callable[..., Array], parts: list[Any]) -> list[Array]:
    sent = cluster.send(model, everywhere=True)
    return cluster.gather([cluster.submit(f"novikoff-predict-{k:04}", task, sent, part) for k, part in enumerate(parts)])


def labels_of_file(model: Model, path: str, options: Options) -> Array:
    """Predict the labels of the rows of a file."""
    with one_thread():
        model.features.frozen = True
        found = [model.labels(widened(block.X, model.learner.width)) for block in Dataset([path], options, model.features)]
    return np.concatenate(found)


def labels_of_block(model: Model, X: Any) -> Array:
    """Predict the labels of the rows of a block."""
    if hasattr(X, "columns") and isinstance(model.features, Named):
        X = X[list(model.features.names)]
    X = as_rows("a block", X)
    if not X.shape[0]:
        return np.zeros(0, model.learner.classes.dtype)
    with one_thread():
        return model.labels(X)
