"""The Dask cluster that a fit runs on: its workers, tasks with readable names, and errors that say what to do."""

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

from novikoff.data.addresses import is_address
from novikoff.data.opening import missing, named
from novikoff.data.sources import ReadError
from novikoff.distributed.sweeping import require_versions
from novikoff.foundation.interrupts import SIGNALS
from novikoff.foundation.parallel import cores
from novikoff.models.run_record import versions

SCHEDULER_TIMEOUT = 10  # seconds to wait for an answer of the scheduler
WORKERS_TIMEOUT = 30  # seconds to wait for the first worker
NEW_WORKERS_TIMEOUT = 600  # seconds to wait for another worker when all were lost during a fit
ATTEMPTS = 5  # at work that loses its workers
TICK = 1.0  # seconds between checks for lost workers


SHARDS_TOO_LARGE = "which happens if a shard is larger than a worker's memory: make shards smaller, or give workers more memory"
T = TypeVar("T")


class Resources(NamedTuple):
    """The threads and the memory of a worker."""

    threads: int
    memory: float  # bytes; infinite if there is no limit


class WorkerLostError(Exception):
    """A worker was lost that tasks were sent to, for which Dask keeps waiting, or that held what they need."""


# Errors of lost workers. An OSError of a user's own task is not one of them.
LOST_ERRORS = (CancelledError, WorkerLostError)


class ClusterError(RuntimeError):
    """The cluster cannot do what was asked."""


class Cluster:
    """The workers of a client, for one fit or one call."""

    def __init__(self, client: Client | None) -> None:
        try:
            self.client = default_client() if client is None else client
        except ValueError:
            raise ClusterError("there is no cluster: make a dask.distributed.Client first, or give one as client=") from None
        if not isinstance(self.client, Client):
            raise TypeError(f"client must be a dask.distributed.Client, not {client!r}")
        self.token = secrets.token_hex(4)
        self._tasks = count()
        self._target_workers: set[str] = set()  # workers that tasks were sent to by name
        self.require_workers(WORKERS_TIMEOUT)
        self.check_versions()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Report errors that come from a lost scheduler as such."""
        # Pools that Dask has closed raise a RuntimeError.
        if isinstance(error, (OSError, RuntimeError, *LOST_ERRORS)) and self.client.status != "running":
            raise ClusterError("the scheduler was lost; start it and its workers again (dask scheduler)") from None

    def retrying(self, ask: Callable[[], T], restore: Callable[[], Any] = lambda: None) -> T:
        """Call `ask`. If workers are lost meanwhile, call `restore` and then `ask` again."""
        for attempt in range(ATTEMPTS):
            try:
                if attempt:
                    restore()
                return ask()
            except LOST_ERRORS:
                self.require_workers()
        raise ClusterError(f"the cluster has lost workers {ATTEMPTS} times in a row, {SHARDS_TOO_LARGE}")

    def require_workers(self, seconds: int = NEW_WORKERS_TIMEOUT) -> None:
        """Wait until there is a worker."""
        try:
            self.client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            raise ClusterError(f"the cluster has no workers after {seconds} s; start some (dask worker)") from None

    def check_versions(self) -> None:
        """Refuse workers with other versions of libraries, which might compute other numbers."""
        mine = versions()
        for worker, theirs in sorted(self.client.run(versions, on_error="return").items()):
            if isinstance(theirs, BaseException):
                raise ClusterError(f"worker {worker} cannot import novikoff ({theirs}); install it there too")
            require_versions(mine, theirs, f"worker {worker}")

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers, sorted. There is at least one."""
        if addresses := sorted(self._addresses()):
            return addresses
        raise WorkerLostError

    def _addresses(self) -> set[str]:
        return set(self._worker_info())

    def _worker_info(self) -> dict[str, Any]:
        """What the scheduler knows of each worker."""
        workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def resources(self) -> dict[str, Resources]:
        """The resources of each worker."""
        workers = self._worker_info().items()
        return {address: Resources(info["nthreads"], info["memory_limit"] or math.inf) for address, info in workers}

    def sizes(self, futures: Sequence[Future]) -> list[int]:
        """The bytes of each result."""
        each = self.client.nbytes([future.key for future in futures], summary=False)
        return [each.get(future.key, 0) for future in futures]

    def send(self, what: Any, everywhere: bool = False) -> Future:
        """Send an object of the client to a worker, or to all of them."""
        return self.send_all([what], everywhere)[0]  # a tuple alone would be sent part by part

    def send_all(self, what: list[Any], everywhere: bool = False, worker: str | None = None) -> list[Future]:
        """Send objects of the client to workers, or all of them to one worker."""
        where = None if worker is None else [worker]
        try:
            sent: list[Future] = self.client.scatter(what, where, hash=False, broadcast=everywhere) if what else []
        except (OSError, KeyError):  # a worker was lost, or there is none
            raise WorkerLostError from None
        return sent

    def homes(self, futures: Sequence[Future]) -> list[str]:
        """The worker that holds each result; empty if none does."""
        has = self.client.who_has([future for future in futures if future.status == "finished"])
        return [min(has.get(future.key, ()), default="") for future in futures]

    def submit(self, name: str, task: Callable[..., Any], *arguments: Any, worker: str | None = None) -> Future:
        """Start a task, on this worker if one is given. The dashboard shows its name.

        A task with a worker stays there: if idle workers could steal it, neighbours would no longer be on one worker.
        """
        where = {} if worker is None else {"workers": [worker]}
        self._target_workers |= set() if worker is None else {worker}
        return self.client.submit(task, *arguments, key=f"{name}-{self.token}-{next(self._tasks)}", pure=False, **where)

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """The results, in order. The first error is raised."""
        self.wait(futures)
        try:
            found: list[Any] = self.client.gather(list(futures))
        except KilledWorker as error:
            raise ClusterError(
                f"the task {error.task} has ended {error.allowed_failures + 1} workers in a row, {SHARDS_TOO_LARGE}"
            ) from None
        except MemoryError as error:
            why = str(error).partition(". ")[0]
            raise ClusterError(f"a worker does not have enough memory ({why}), {SHARDS_TOO_LARGE}") from None
        return found

    def done(self, futures: Sequence[Future]) -> None:
        """Wait until all are done. The first error is raised."""
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
        """Wait until all have ended, with a result or an error, or until `stop`. `each` is called with each of them."""
        waiting = set(futures)
        while waiting and not stop():
            try:
                done = wait(list(waiting), timeout=TICK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                done, present = set(), self._addresses()
                if not self._target_workers <= present:
                    self._target_workers &= present
                    raise WorkerLostError from None
            waiting -= done
            for future in done:
                each(future)

    def files(self, paths: Any) -> list[str]:
        """The files that these paths and patterns name. Every worker must be able to read them."""
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        if "-" in given:
            raise ReadError("-: standard input cannot be read by workers; save it to files first")
        found: list[str] = self.client.submit(named, [_absolute(os.fspath(path)) for path in given], pure=False).result()
        asked = self.workers[:1] if all(map(is_address, found)) else None
        for worker, lacking in sorted(self.client.run(missing, found, workers=asked).items()):
            if lacking:
                raise ReadError(
                    f"{lacking[0]}: worker {worker} cannot see it; check the name, or put files where all workers can read them"
                )
        return found


def _absolute(path: str) -> str:
    return path if is_address(path) else os.path.abspath(path)


@contextmanager
def _children_ignore_signals() -> Iterator[None]:
    """Processes that are started here ignore the signals of the terminal, which sends them to all its processes.

    This process ignores them meanwhile, because children inherit ignored signals. A signal mask is inherited, too, but
    multiprocessing resets it.
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
    """A client of the scheduler at this address. "local" starts a cluster on this machine, and ends it afterwards."""
    if address == "local":
        options = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
        with _children_ignore_signals():
            cluster = LocalCluster(n_workers=cores(), threads_per_worker=1, **options)
        with cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=SCHEDULER_TIMEOUT)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"{address}: no scheduler answers ({error}); start one (`dask scheduler`) or check the address"
        ) from None
    with client:
        yield client
