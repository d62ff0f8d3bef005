"""Files, dask arrays and dataframes, or lists of blocks become shards on workers."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeVar

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed
from distributed import Future

from novikoff.data.preparer import NOT_PREPARED, Wanted
from novikoff.data.readers import Options
from novikoff.data.sources import ReadError
from novikoff.distributed.cluster import Cluster
from novikoff.distributed.shards import ShardSummary, agreement_of, prepared, shard_of_block, shard_of_file, summary_of

T = TypeVar("T")
KINDS = (
    "files or patterns, a dask array or dataframe with labels, or a list of blocks (NumPy, SciPy sparse, delayed or futures) "
    "with a list of labels"
)


def is_files(data: Any) -> bool:
    """Whether `data` is a path or a list of paths."""
    if isinstance(data, str | PathLike):
        return True
    return isinstance(data, list | tuple) and len(data) > 0 and all(isinstance(one, str | PathLike) for one in data)


def is_frame(data: Any) -> bool:
    """Whether `data` is a dask dataframe or series. This works without dask.dataframe installed."""
    return hasattr(data, "npartitions") and hasattr(data, "to_delayed") and not isinstance(data, da.Array)


def placed(shards: int, workers: Sequence[str]) -> list[str]:
    """A worker for each shard, where possible the same one for neighbours.

    >>> placed(5, ["a", "b"])
    ['a', 'a', 'a', 'b', 'b']
    """
    return [workers[k * len(workers) // shards] for k in range(shards)]


def blocks_of(data: Any, y: Any, label: str | None) -> list[tuple[Any, Any]]:
    """Blocks of rows, each with its labels."""
    blocks, labels = _blocks(data, y, label)
    if len(blocks) != len(labels):
        raise ReadError(f"there are {len(blocks)} blocks of rows and {len(labels)} blocks of labels; give as many of each")
    if not blocks:
        raise ReadError("there are no blocks of rows; give at least one")
    return list(zip(blocks, labels, strict=True))


def _blocks(data: Any, y: Any, label: str | None) -> tuple[list[Any], list[Any]]:
    if is_frame(data):
        if y is None and label is not None:
            named = {str(column): column for column in data.columns}
            if label not in named:
                raise ReadError(f"there is no column {label!r}; the columns are {', '.join(named)}")
            data, y = data.drop(columns=[named[label]]), data[named[label]]
        if y is None:
            raise ReadError("a dataframe needs its labels: give y, or label= the name of their column")
    elif y is None:
        raise ReadError("rows need labels: give y as well")
    if isinstance(data, da.Array):
        return _of_array(data, y)
    if is_frame(data):
        if isinstance(y, da.Array) or is_frame(y):
            return list(data.to_delayed()), np.ravel(y.to_delayed()).tolist()
        raise ReadError(f"the labels of a dask dataframe must be a dask series or array, not {type(y).__name__}")
    if isinstance(data, np.ndarray) or sp.issparse(data):
        return [data], [y]
    if isinstance(data, list | tuple) and isinstance(y, list | tuple):
        return list(data), list(y)
    raise ReadError(f"{type(data).__name__} cannot be distributed: give {KINDS}")


def _of_array(X: Any, y: Any) -> tuple[list[Any], list[Any]]:
    if X.ndim != 2:
        raise ReadError(f"rows must be two-dimensional; this dask array has shape {X.shape}")
    X = X.rechunk({1: -1})
    if not isinstance(y, da.Array):
        y = da.from_array(np.asarray(y), chunks=-1)
    if y.ndim != 1:
        raise ReadError(f"labels must be one-dimensional; these have shape {y.shape}")
    known = not (np.isnan(X.shape[0]) or np.isnan(y.shape[0]))
    if known and X.shape[0] != y.shape[0]:
        raise ReadError(f"there are {X.shape[0]} rows and {y.shape[0]} labels: each row needs one label")
    y = y.rechunk((X.chunks[0],)) if known else y
    return np.ravel(X.to_delayed()).tolist(), np.ravel(y.to_delayed()).tolist()


def on_workers(cluster: Cluster, blocks: list[Any], homes: list[str]) -> list[Any]:
    """The blocks as futures. Local blocks are sent to their home; delayed blocks are computed wherever Dask chooses.

    Delayed blocks are not tied to a worker, because Dask loses such tasks when all workers go.
    """
    found: list[Any] = list(blocks)
    delayed = [k for k, one in enumerate(blocks) if isinstance(one, Delayed)]
    for k, future in zip(delayed, cluster.client.compute([blocks[k] for k in delayed]), strict=True):
        found[k] = future
    for home in dict.fromkeys(homes):
        at_hand = [k for k, one in enumerate(found) if homes[k] == home and not isinstance(one, Future)]
        for k, future in zip(at_hand, cluster.send_all([blocks[k] for k in at_hand], worker=home), strict=True):
            found[k] = future
    return found


class Shards:
    """The shards of a data set, prepared with the same columns and classes. Shards without rows are skipped.

    Each shard has a home: the worker that reads and holds it. Neighbours share a home where possible, and blocks that are on a
    worker already stay there. When a worker is lost, its shards are read again elsewhere.
    """

    def __init__(
        self, cluster: Cluster, data: Any, y: Any, options: Options, fit_intercept: bool, wanted: Wanted = NOT_PREPARED
    ) -> None:
        if is_files(data) and y is not None:
            raise ReadError("files contain their labels: leave out y")
        self.cluster, self._options, self._constant, self._wanted = cluster, options, int(fit_intercept), wanted
        self._given: list[Any] = cluster.files(data) if is_files(data) else blocks_of(data, y, options.label)
        cluster.retrying(self._read)

    def _read(self) -> None:
        """Read and prepare all shards."""
        cluster = self.cluster
        self._homes = placed(len(self._given), cluster.workers)
        shards = self._start_reading(range(len(self._given)))
        tasks = [
            cluster.submit(f"novikoff-summarise-{k:04}", summary_of, one, self._wanted, worker=self._homes[k])
            for k, one in enumerate(shards)
        ]
        found: list[ShardSummary] = cluster.gather(tasks)
        self._filled = [k for k, summary in enumerate(found) if summary.rows]
        self.summaries = [found[k] for k in self._filled]
        self.agreement = agreement_of(*self.summaries, wanted=self._wanted)
        self._common = cluster.send(self.agreement, everywhere=True)
        self.prepared = [self._prepare(k, shards[k]) for k in self._filled]
        cluster.done(self.prepared)
        self.sizes = cluster.sizes(self.prepared)  # in bytes

    def _start_reading(self, which: Sequence[int]) -> list[Future]:
        """Start reading these shards, each on its home."""
        cluster, given = self.cluster, [self._given[k] for k in which]
        if all(isinstance(one, str) for one in given):
            return [
                cluster.submit(f"novikoff-read-{k:04}", shard_of_file, path, self._options, worker=self._homes[k])
                for k, path in zip(which, given, strict=True)
            ]
        both = [*(rows for rows, _ in given), *(labels for _, labels in given)]
        both = on_workers(cluster, both, [self._homes[k] for k in which] * 2)
        cluster.done(both)
        pairs = list(zip(both[: len(given)], both[len(given) :], strict=True))
        for k, home in zip(which, cluster.homes([rows for rows, _ in pairs]), strict=True):
            self._homes[k] = home or self._homes[k]
        return [
            cluster.submit(f"novikoff-take-{k:04}", shard_of_block, f"block {k}", *pair, worker=self._homes[k])
            for k, pair in zip(which, pairs, strict=True)
        ]

    def _prepare(self, k: int, shard: Future) -> Future:
        return self.cluster.submit(
            f"novikoff-prepare-{k:04}", prepared, shard, self._common, self._constant, worker=self._homes[k]
        )

    def restore(self) -> None:
        """Read the shards of lost workers again."""
        there, found = self.cluster.workers, self.cluster.homes(self.prepared)
        self._common = self.cluster.send(self.agreement, everywhere=True)
        gone = [at for at, home in enumerate(found) if not home]
        for k, home in zip(self._filled, found, strict=True):
            self._homes[k] = home or there[k * len(there) // len(self._given)]
        which = [self._filled[at] for at in gone]
        for at, k, shard in zip(gone, which, self._start_reading(which), strict=True):
            self.prepared[at] = self._prepare(k, shard)
        self.cluster.done(self.prepared)

    def retrying(self, ask: Callable[[], T]) -> T:
        """Call `ask`, and again if workers are lost meanwhile."""
        return self.cluster.retrying(ask, self.restore)

    def ask(self, name: str, at: int, task: Callable[..., Any], *arguments: Any) -> Future:
        """Start a task on one shard, on its home."""
        return self.cluster.submit(f"novikoff-{name}-{at:04}", task, self.prepared[at], *arguments, worker=self.homes[at])

    def ask_all(self, name: str, task: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Run a task on every shard, and return the results."""
        sent = self.cluster.send_all(list(arguments))  # once for all tasks
        return self.cluster.gather([self.ask(name, at, task, *sent) for at in range(len(self.prepared))])

    @property
    def homes(self) -> list[str]:
        """The worker that holds each shard."""
        return [self._homes[k] for k in self._filled]

    @property
    def lengths(self) -> list[int]:
        """The number of rows of each shard."""
        return [summary.rows for summary in self.summaries]
