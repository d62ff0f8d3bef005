"""The Dask cluster that a fit runs on: whom to ask, tasks by readable names, and errors as sentences."""

import logging
import math
import os
import secrets
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, default_client, wait

from novikoff.data.sources import ReadError, is_address, missing, named
from novikoff.distributed.sweeping import require_versions
from novikoff.foundation.interrupts import SIGNALS
from novikoff.foundation.parallel import cores
from novikoff.models.model import versions

ANSWER = 10  # seconds until a scheduler must have answered,
PATIENCE = 30  # workers must have come,
LONG = 600  # or, when all have gone in the middle of a fit, others in their place
TRIES = 5  # of what loses its workers
TICK = 1.0  # seconds between two looks at who is still there


AS_WHERE_SHARDS_ARE_TOO_LARGE = (
    "as where a shard is larger than a worker's memory: make shards smaller, or give workers more memory"
)
T = TypeVar("T")


class Means(NamedTuple):
    """What a worker has to work with."""

    threads: int
    memory: float  # bytes; infinite where nobody has set a limit


class StrandedError(Exception):
    """A worker has gone: one that tasks were meant for, for which Dask keeps them, or one that had what they need."""


# What a worker had has gone with it, or has not reached it. An OSError of a user's own task is neither.
GONE = (CancelledError, StrandedError)


class ClusterError(RuntimeError):
    """The cluster cannot do what is asked of it."""


class Cluster:
    """The workers of a client, as one fit or one question sees them."""

    def __init__(self, client: Client | None) -> None:
        try:
            self.client = default_client() if client is None else client
        except ValueError:
            raise ClusterError("there is no cluster: make a dask.distributed.Client first, or give one as client=") from None
        if not isinstance(self.client, Client):
            raise TypeError(f"client must be a dask.distributed.Client, not {client!r}")
        self.token = secrets.token_hex(4)
        self._tasks = count()
        self._meant: set[str] = set()  # workers that tasks were meant for
        self.require_workers(PATIENCE)
        self.check_versions()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Whatever goes wrong because the scheduler has gone is told as that."""
        if isinstance(error, (OSError, RuntimeError, *GONE)) and self.client.status != "running":  # the second from closed pools
            raise ClusterError(
                "the scheduler has gone in the middle of it; start it and its workers again (dask scheduler)"
            ) from None

    def steadily(self, ask: Callable[[], T], mend: Callable[[], Any] = lambda: None) -> T:
        """What is found by asking, again if workers go meanwhile, once that is mended."""
        for attempt in range(TRIES):
            try:
                if attempt:
                    mend()
                return ask()
            except GONE:
                self.require_workers()
        raise ClusterError(f"the cluster has lost workers {TRIES} times, one after another, {AS_WHERE_SHARDS_ARE_TOO_LARGE}")

    def require_workers(self, seconds: int = LONG) -> None:
        """Wait until there is one."""
        try:
            self.client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            raise ClusterError(f"the cluster has no workers, after {seconds} s; start some (dask worker)") from None

    def check_versions(self) -> None:
        """Refuse workers on which numbers might come out differently."""
        mine = versions()
        for worker, theirs in sorted(self.client.run(versions, on_error="return").items()):
            if isinstance(theirs, BaseException):
                raise ClusterError(f"worker {worker} cannot import novikoff ({theirs}); install it there too")
            require_versions(mine, theirs, f"worker {worker}")

    @property
    def workers(self) -> list[str]:
        """Their addresses, in order. There is at least one."""
        if there := sorted(self._there()):
            return there
        raise StrandedError

    def _there(self) -> set[str]:
        return set(self._told())

    def _told(self) -> dict[str, Any]:
        """What the scheduler knows of each worker."""
        told: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        return told

    def means(self) -> dict[str, Means]:
        """Of each worker."""
        return {address: Means(told["nthreads"], told["memory_limit"] or math.inf) for address, told in self._told().items()}

    def sizes(self, futures: Sequence[Future]) -> list[int]:
        """The bytes of each result."""
        each = self.client.nbytes([future.key for future in futures], summary=False)
        return [each.get(future.key, 0) for future in futures]

    def send(self, what: Any, everywhere: bool = False) -> Future:
        """Something of the client's own, on a worker; or on all that there are."""
        return self.send_all([what], everywhere)[0]  # a tuple alone would be sent part by part

    def send_all(self, what: list[Any], everywhere: bool = False, worker: str | None = None) -> list[Future]:
        """Some things of the client's own, each on a worker, or on this one."""
        where = None if worker is None else [worker]
        try:
            sent: list[Future] = self.client.scatter(what, where, hash=False, broadcast=everywhere) if what else []
        except (OSError, KeyError):  # a worker has gone while it was sent, or before, or there is none
            raise StrandedError from None
        return sent

    def homes(self, futures: Sequence[Future]) -> list[str]:
        """The worker that has each result; empty where nobody has it, or not yet."""
        has = self.client.who_has([future for future in futures if future.status == "finished"])
        return [min(has.get(future.key, ()), default="") for future in futures]

    def submit(self, name: str, task: Callable[..., Any], *arguments: Any, worker: str | None = None) -> Future:
        """The task, begun, on this worker if one is named. Its own name is what the dashboard shows.

        Nobody else may have it then: Dask would let idle workers steal it, and neighbours would no longer lie together.
        """
        where = {} if worker is None else {"workers": [worker]}
        self._meant |= set() if worker is None else {worker}
        return self.client.submit(task, *arguments, key=f"{name}-{self.token}-{next(self._tasks)}", pure=False, **where)

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """Their results, in order; the first error, if there is one."""
        self.wait(futures)
        try:
            found: list[Any] = self.client.gather(list(futures))
        except KilledWorker as error:
            raise ClusterError(
                f"the task {error.task} has ended {error.allowed_failures + 1} workers, one after another, "
                f"{AS_WHERE_SHARDS_ARE_TOO_LARGE}"
            ) from None
        except MemoryError as error:
            why = str(error).partition(". ")[0]
            raise ClusterError(f"a worker has not enough memory ({why}), {AS_WHERE_SHARDS_ARE_TOO_LARGE}") from None
        return found

    def done(self, futures: Sequence[Future]) -> None:
        """Until all are done; the first error, if there is one."""
        self.wait(futures)
        for future in futures:
            if future.status == "error":
                self.gather([future])

    def wait(
        self,
        futures: Sequence[Future],
        each: Callable[[Future], Any] = lambda done: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Until all are done, well or not, or until `stop`. `each` hears of them, one by one."""
        waiting = set(futures)
        while waiting and not stop():
            try:
                done = wait(list(waiting), timeout=TICK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                done, there = set(), self._there()
                if not self._meant <= there:
                    self._meant &= there
                    raise StrandedError from None
            waiting -= done
            for future in done:
                each(future)

    def files(self, paths: Any) -> list[str]:
        """The files meant, which every worker must be able to read."""
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        if "-" in given:
            raise ReadError("-: standard input cannot be read by workers; save it to files first")
        found: list[str] = self.client.submit(named, [_absolute(os.fspath(path)) for path in given], pure=False).result()
        asked = self.workers[:1] if all(map(is_address, found)) else None
        for worker, lacking in sorted(self.client.run(missing, found, workers=asked).items()):
            if lacking:
                raise ReadError(
                    f"{lacking[0]}: worker {worker} does not see it; check the name, or put the files where all workers can read"
                )
        return found


def _absolute(path: str) -> str:
    return path if is_address(path) else os.path.abspath(path)


@contextmanager
def _deaf_to_terminals() -> Iterator[None]:
    """A terminal sends its signals to all processes that were started in it. Those that are started here ignore them.

    So does this process meanwhile: only what is ignored is inherited. A mask is, too, but multiprocessing takes it back.
    """
    known = [number for number in SIGNALS if number != signal.SIGTERM and signal.getsignal(number) is not None]
    before = {number: signal.signal(number, signal.SIG_IGN) for number in known}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at this address; "local" is a cluster of this machine's processors, for as long as it is used."""
    if address == "local":
        how = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
        with _deaf_to_terminals():
            cluster = LocalCluster(n_workers=cores(), threads_per_worker=1, **how)
        with cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"{address}: no scheduler answers ({error}); start one (`dask scheduler`) or check the address"
        ) from None
    with client:
        yield client
