"""What a model says of rows on workers."""

from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client

from novikoff.distributed.cluster import Cluster
from novikoff.distributed.data import is_files, is_frame, on_workers
from novikoff.distributed.shards import as_rows
from novikoff.features import Named
from novikoff.geometry import Array
from novikoff.models import Model
from novikoff.parallel import one_thread
from novikoff.readers import Dataset, Options, as_read, widened
from novikoff.sources import ReadError


def predicted(model: Model, data: Any, client: Client | None, options: Options) -> Any:
    """The labels of the rows, as `novikoff.distributed.predict` has them."""
    if is_files(data):
        cluster = Cluster(client)
        paths = cluster.files(data)
        sent = cluster.send(model, everywhere=True)
        how = as_read(model.run.get("reading", {}), options)._replace(unlabelled=True)
        asked = [cluster.submit(f"novikoff-predict-{k:04}", of_file, sent, path, how) for k, path in enumerate(paths)]
        return np.concatenate(cluster.gather(asked))
    answer = dask.delayed(of_block)
    asked_of = dask.delayed(model)
    if isinstance(data, da.Array):
        blocks, lengths = np.ravel(data.rechunk({1: -1}).to_delayed()).tolist(), data.chunks[0]
    elif is_frame(data):
        blocks, lengths = list(data.to_delayed()), (np.nan,) * data.npartitions
    elif isinstance(data, list | tuple):
        cluster = Cluster(client)
        sent = cluster.send(model, everywhere=True)
        there = on_workers(cluster, list(data))
        return cluster.gather([cluster.submit(f"novikoff-predict-{k:04}", of_block, sent, one) for k, one in enumerate(there)])
    else:
        raise ReadError(f"{type(data).__name__} is no data that is distributed: ask the model itself")
    kind = model.learner.classes.dtype
    return da.concatenate(
        [da.from_delayed(answer(asked_of, one), (length,), dtype=kind) for one, length in zip(blocks, lengths, strict=True)]
    )


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
