"""What a model says of rows on workers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client

from novikoff.data.features import Named
from novikoff.data.readers import Dataset, Options, as_read, widened
from novikoff.data.sources import ReadError
from novikoff.distributed.cluster import Cluster
from novikoff.distributed.sharded_data import is_files, is_frame, on_workers, placed
from novikoff.distributed.shards import as_rows
from novikoff.engine.storages import Array
from novikoff.foundation.parallel import one_thread
from novikoff.models.model import Model


def predicted(model: Model, data: Any, client: Client | None, options: Options) -> Any:
    """The labels of the rows, as `novikoff.distributed.predict` has them."""
    if is_files(data):
        how = as_read(model.run.get("reading", {}), options)._replace(unlabelled=True)
        with Cluster(client) as cluster:
            paths = cluster.files(data)
            return np.concatenate(cluster.steadily(lambda: _answers(cluster, model, partial(of_file, options=how), paths)))
    answer = dask.delayed(of_block)
    asked_of = dask.delayed(model)
    if isinstance(data, da.Array):
        blocks, lengths = np.ravel(data.rechunk({1: -1}).to_delayed()).tolist(), data.chunks[0]
    elif is_frame(data):
        blocks, lengths = list(data.to_delayed()), (np.nan,) * data.npartitions
    elif isinstance(data, list | tuple):
        with Cluster(client) as cluster:
            return cluster.steadily(
                lambda: _answers(cluster, model, of_block, on_workers(cluster, list(data), placed(len(data), cluster.workers)))
            )
    else:
        raise ReadError(f"{type(data).__name__} is no data that is distributed: ask the model itself")
    kind = model.learner.classes.dtype
    return da.concatenate(
        [da.from_delayed(answer(asked_of, one), (length,), dtype=kind) for one, length in zip(blocks, lengths, strict=True)]
    )


def _answers(cluster: Cluster, model: Model, ask: Callable[..., Array], of: list[Any]) -> list[Array]:
    sent = cluster.send(model, everywhere=True)
    return cluster.gather([cluster.submit(f"novikoff-predict-{k:04}", ask, sent, one) for k, one in enumerate(of)])


def of_file(model: Model, path: str, options: Options) -> Array:
    """The labels of a file's rows."""
    with one_thread():
        model.features.frozen = True
        found = [model.labels(widened(block.X, model.learner.width)) for block in Dataset([path], options, model.features)]
    return np.concatenate(found)


def of_block(model: Model, X: Any) -> Array:
    """The labels of a block's rows."""
    if hasattr(X, "columns") and isinstance(model.features, Named):
        X = X[list(model.features.names)]
    X = as_rows("a block", X)
    if not X.shape[0]:
        return np.zeros(0, model.learner.classes.dtype)
    with one_thread():
        return model.labels(X)
