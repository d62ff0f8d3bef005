"""A scheduler and workers as people start them: by the command line, each a process, over loopback."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 60


class Machines:
    """The processes, and where the scheduler listens."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, []
        told = folder / "scheduler.json"
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told))
        self.address = until(lambda: told.exists() and json.loads(told.read_text() or "{}").get("address"))

    def start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{what}-{len(self.processes)}.log", "wb") as log:
            process = subprocess.Popen([sys.executable, "-m", "dask", what, *options], stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def worker(self, *options: str) -> subprocess.Popen[bytes]:
        """One more, of one thread, which nobody starts again when it dies."""
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", *options)


def until(so):
    """Wait until this is true, and give it."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if found := so():
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


@contextmanager
def machines(folder: Path, workers: int) -> Iterator[Machines]:
    there = Machines(folder)
    try:
        for _ in range(workers):
            there.worker()
        yield there
    finally:
        for process in there.processes:
            process.kill()  # asked politely, a worker without its scheduler may take a minute
            process.wait(SECONDS)
