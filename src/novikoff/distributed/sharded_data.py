"""What a user calls data becomes shards on workers: files, dask arrays and dataframes, or blocks one by one."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeVar

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed
from distributed import Future

from novikoff.data.readers import Options
from novikoff.data.sources import ReadError
from novikoff.distributed.cluster import Cluster
from novikoff.distributed.shards import Notice, agreed, noticed, read, settled, taken

T = TypeVar("T")
KINDS = (
    "files or patterns, a dask array or dataframe with labels, or a list of blocks (NumPy, SciPy sparse, delayed or futures) "
    "with a list of labels"
)


def is_files(data: Any) -> bool:
    """Whether this names files."""
    if isinstance(data, str | PathLike):
        return True
    return isinstance(data, list | tuple) and len(data) > 0 and all(isinstance(one, str | PathLike) for one in data)


def is_frame(data: Any) -> bool:
    """Whether this is a dask dataframe or series: asked so that dask's dataframes need not be installed."""
    return hasattr(data, "npartitions") and hasattr(data, "to_delayed") and not isinstance(data, da.Array)


def placed(shards: int, workers: Sequence[str]) -> list[str]:
    """A worker for each shard: neighbours on the same one, as far as can be.

    >>> placed(5, ["a", "b"])
    ['a', 'a', 'a', 'b', 'b']
    """
    return [workers[k * len(workers) // shards] for k in range(shards)]


def blocks_of(data: Any, y: Any, label: str | None) -> list[tuple[Any, Any]]:
    """Blocks of rows, each with its labels."""
    blocks, labels = _blocks(data, y, label)
    if len(blocks) != len(labels):
        raise ReadError(f"there are {len(blocks)} blocks of rows and {len(labels)} of labels; each needs the other")
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
        raise ReadError(f"the labels of a dask dataframe are a dask series or array, not {type(y).__name__}")
    if isinstance(data, np.ndarray) or sp.issparse(data):
        return [data], [y]
    if isinstance(data, list | tuple) and isinstance(y, list | tuple):
        return list(data), list(y)
    raise ReadError(f"{type(data).__name__} is no data that can be distributed: give {KINDS}")


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
        raise ReadError(f"there are {X.shape[0]} rows and {y.shape[0]} labels: each row needs one")
    y = y.rechunk((X.chunks[0],)) if known else y
    return np.ravel(X.to_delayed()).tolist(), np.ravel(y.to_delayed()).tolist()


def on_workers(cluster: Cluster, blocks: list[Any], homes: list[str]) -> list[Any]:
    """The same as futures: what is at hand is sent to its home; what is delayed is computed where Dask has it computed.

    Dask would let tasks be meant for a worker, but forgets those that are when all workers go.
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
    """The shards of some data as examples that agree on columns and classes. Those without rows are left out.

    Each shard has a home, a worker that reads and keeps it, neighbours the same one as far as can be; blocks that are on some
    worker already stay there. When a worker has gone, its shards are read again elsewhere.
    """

    def __init__(self, cluster: Cluster, data: Any, y: Any, options: Options, fit_intercept: bool) -> None:
        if is_files(data) and y is not None:
            raise ReadError("files have their labels in them: leave y out")
        self.cluster, self._options, self._constant = cluster, options, int(fit_intercept)
        self._given: list[Any] = cluster.files(data) if is_files(data) else blocks_of(data, y, options.label)
        cluster.steadily(self._read)

    def _read(self) -> None:
        """All of them, from the start."""
        cluster = self.cluster
        self._homes = placed(len(self._given), cluster.workers)
        shards = self._begun(range(len(self._given)))
        asked = [cluster.submit(f"novikoff-notice-{k:04}", noticed, one, worker=self._homes[k]) for k, one in enumerate(shards)]
        found: list[Notice] = cluster.gather(asked)
        self._filled = [k for k, notice in enumerate(found) if notice.rows]
        self.notices = [found[k] for k in self._filled]
        self.agreement = agreed(*self.notices)
        self._common = cluster.send(self.agreement, everywhere=True)
        self.kept = [self._settled(k, shards[k]) for k in self._filled]
        cluster.done(self.kept)
        self.sizes = cluster.sizes(self.kept)  # in bytes

    def _begun(self, which: Sequence[int]) -> list[Future]:
        """These shards as they come, each on its home."""
        cluster, given = self.cluster, [self._given[k] for k in which]
        if all(isinstance(one, str) for one in given):
            return [
                cluster.submit(f"novikoff-read-{k:04}", read, path, self._options, worker=self._homes[k])
                for k, path in zip(which, given, strict=True)
            ]
        both = [*(rows for rows, _ in given), *(labels for _, labels in given)]
        both = on_workers(cluster, both, [self._homes[k] for k in which] * 2)
        cluster.done(both)
        pairs = list(zip(both[: len(given)], both[len(given) :], strict=True))
        for k, home in zip(which, cluster.homes([rows for rows, _ in pairs]), strict=True):
            self._homes[k] = home or self._homes[k]
        return [
            cluster.submit(f"novikoff-take-{k:04}", taken, f"block {k}", *pair, worker=self._homes[k])
            for k, pair in zip(which, pairs, strict=True)
        ]

    def _settled(self, k: int, shard: Future) -> Future:
        return self.cluster.submit(f"novikoff-settle-{k:04}", settled, shard, self._common, self._constant, worker=self._homes[k])

    def mend(self) -> None:
        """Have again what has gone with its worker."""
        there, found = self.cluster.workers, self.cluster.homes(self.kept)
        self._common = self.cluster.send(self.agreement, everywhere=True)
        gone = [at for at, home in enumerate(found) if not home]
        for k, home in zip(self._filled, found, strict=True):
            self._homes[k] = home or there[k * len(there) // len(self._given)]
        which = [self._filled[at] for at in gone]
        for at, k, shard in zip(gone, which, self._begun(which), strict=True):
            self.kept[at] = self._settled(k, shard)
        self.cluster.done(self.kept)

    def steadily(self, ask: Callable[[], T]) -> T:
        """What is found by asking, again if workers go meanwhile."""
        return self.cluster.steadily(ask, self.mend)

    def ask(self, name: str, at: int, task: Callable[..., Any], *arguments: Any) -> Future:
        """A question to one shard, begun, where it is."""
        return self.cluster.submit(f"novikoff-{name}-{at:04}", task, self.kept[at], *arguments, worker=self.homes[at])

    def ask_all(self, name: str, task: Callable[..., Any], *arguments: Any) -> list[Any]:
        """The answer of each shard to a question."""
        told = self.cluster.send_all(list(arguments))  # once, and not with each task
        return self.cluster.gather([self.ask(name, at, task, *told) for at in range(len(self.kept))])

    @property
    def homes(self) -> list[str]:
        """The worker that has each."""
        return [self._homes[k] for k in self._filled]

    @property
    def lengths(self) -> list[int]:
        """Rows of each."""
        return [notice.rows for notice in self.notices]
