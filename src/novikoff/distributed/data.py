"""What a user calls data becomes shards on workers: files, dask arrays and dataframes, or blocks one by one."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeVar

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed
from distributed import Future

from novikoff.distributed.cluster import Cluster
from novikoff.distributed.shards import Notice, agreed, given, noticed, read, settled
from novikoff.readers import Options
from novikoff.sources import ReadError

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


def blocks_of(cluster: Cluster, data: Any, y: Any, options: Options) -> list[Future]:
    """The shards that the blocks of this data are."""
    blocks, labels = _blocks(data, y, options.label)
    if len(blocks) != len(labels):
        raise ReadError(f"there are {len(blocks)} blocks of rows and {len(labels)} of labels; each needs the other")
    if not blocks:
        raise ReadError("there are no blocks of rows; give at least one")
    both = on_workers(cluster, [*blocks, *labels])
    return [
        cluster.submit(f"novikoff-take-{k:04}", given, f"block {k}", both[k], both[len(blocks) + k]) for k in range(len(blocks))
    ]


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


def on_workers(cluster: Cluster, blocks: list[Any]) -> list[Any]:
    """The same as futures: what is delayed is computed, what is at hand is sent."""
    delayed = [k for k, one in enumerate(blocks) if isinstance(one, Delayed)]
    at_hand = [k for k, one in enumerate(blocks) if not isinstance(one, Delayed | Future)]
    found: list[Any] = list(blocks)
    for which, started in (
        (delayed, cluster.client.compute([blocks[k] for k in delayed])),
        (at_hand, cluster.send_all([blocks[k] for k in at_hand])),
    ):
        for k, future in zip(which, started, strict=True):
            found[k] = future
    return found


class Shards:
    """The shards of some data as examples that agree on columns and classes. Those without rows are left out.

    Each file has a worker that reads and keeps it, neighbours the same one as far as can be. When a worker has gone, its files
    are read by others. Of blocks, Dask makes again what was lost, and those that only the client had are sent once more.
    """

    def __init__(self, cluster: Cluster, data: Any, y: Any, options: Options, fit_intercept: bool) -> None:
        if is_files(data) and y is not None:
            raise ReadError("files have their labels in them: leave y out")
        self.cluster, self._given = cluster, (data, y, options, int(fit_intercept))
        self._paths = cluster.files(data) if is_files(data) else []
        cluster.steadily(self._read)

    def _read(self) -> None:
        """All of them, from the start."""
        cluster, (data, y, options, _) = self.cluster, self._given
        self._homes = placed(len(self._paths), cluster.workers)
        shards = [self._of_file(k) for k in range(len(self._paths))] or blocks_of(cluster, data, y, options)
        asked = [cluster.submit(f"novikoff-notice-{k:04}", noticed, one) for k, one in enumerate(shards)]
        found: list[Notice] = cluster.gather(asked)
        self._filled = [k for k, notice in enumerate(found) if notice.rows]
        self.notices = [found[k] for k in self._filled]
        self.agreement = agreed(*self.notices)
        self._common = cluster.send(self.agreement, everywhere=True)
        self.kept = [self._settled(k, shards[k]) for k in self._filled]
        cluster.done(self.kept)
        self.sizes = cluster.sizes(self.kept)  # in bytes

    def _of_file(self, k: int) -> Future:
        return self.cluster.submit(f"novikoff-read-{k:04}", read, self._paths[k], self._given[2], worker=self._homes[k])

    def _settled(self, k: int, shard: Future) -> Future:
        home = self._homes[k] if self._paths else None
        return self.cluster.submit(f"novikoff-settle-{k:04}", settled, shard, self._common, self._given[3], worker=home)

    def mend(self) -> None:
        """Have again what has gone with its worker."""
        there = self.cluster.workers
        lost = [one.status in ("cancelled", "error", "lost") for one in self.kept]
        if not self._paths:
            if any(lost):
                self._read()
            return
        self._common = self.cluster.send(self.agreement, everywhere=True)
        for at, k in enumerate(self._filled):
            if lost[at] or self._homes[k] not in there:
                self._homes[k] = there[k * len(there) // len(self._paths)]
                self.kept[at] = self._settled(k, self._of_file(k))
        self.cluster.done(self.kept)

    def steadily(self, ask: Callable[[], T]) -> T:
        """What is found by asking, again if workers go meanwhile."""
        return self.cluster.steadily(ask, self.mend)

    @property
    def lengths(self) -> list[int]:
        """Rows of each."""
        return [notice.rows for notice in self.notices]
