"""A cluster of this machine's processes against one machine, and against one worker: seconds, as ratios, and bytes.

python benchmarks/cluster.py [--only WORD]
"""

import logging
import tempfile
import time
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import dask
import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster
from measuring import main, report

import novikoff
from novikoff.distributed import fit
from novikoff.foundation.parallel import one_thread
from novikoff.learning.learner import Learner
from novikoff.models.training import train

FOLDER = tempfile.TemporaryDirectory()
SHARDS, ROWS, ENTRIES, COLUMNS, PASSES, ROUNDS = 16, 100_000, 72, 50_000, 10, 3


@cache
def shards():
    """1.6 million rows of 72 entries as svmlight text: 16 files, 1.7 GB. One label in fifty is wrong."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=COLUMNS)
    for number in range(SHARDS):
        columns = np.sort((COLUMNS * rng.random((ROWS, ENTRIES)) ** 2).astype(np.int64), axis=1)
        columns = np.maximum.accumulate(columns + np.arange(ENTRIES), axis=1)  # no column twice in a row
        values = rng.integers(1, 10**6, (ROWS, ENTRIES))
        right = np.einsum("ij,ij->i", truth[columns % COLUMNS], values / 10**6) > 0
        right ^= rng.random(ROWS) < 0.02
        text = np.full((ROWS, 3 + 15 * ENTRIES), ord(" "), np.uint8)  # "±1 " and "ccccc:0.vvvvvv " for each entry
        text[:, 0], text[:, 1], text[:, -1] = np.where(right, ord("+"), ord("-")), ord("1"), ord("\n")
        entry = text[:, 3:].reshape(ROWS, ENTRIES, 15)
        for digits, first, number_of in ((5, 0, columns + 10_000), (6, 8, values)):
            for k in range(digits):
                entry[:, :, first + k] = number_of // 10 ** (digits - 1 - k) % 10 + ord("0")
        entry[:, :, 5], entry[:, :, 6], entry[:, :, 7] = ord(":"), ord("0"), ord(".")
        (Path(FOLDER.name) / f"part-{number:02}.svm").write_bytes(text.tobytes())
    return sorted(str(path) for path in Path(FOLDER.name).glob("part-*.svm"))


# Memory that was let go is given back by the host of a virtual machine at 2 to 3 seconds a gigabyte, and slower to two processes
# at once; parsing a gigabyte takes two. So workers keep what they have had, and every figure is of a run after the first.
KEEPING = {"MALLOC_TRIM_THRESHOLD_": 2**40, "MALLOC_MMAP_MAX_": 0, "MALLOC_ARENA_MAX": 1}


@contextmanager
def workers(count):
    """A client of so many workers, each of one thread, which have done everything once before."""
    with dask.config.set({"distributed.nanny.pre-spawn-environ": KEEPING | {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1}}):
        local = LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        )
    with local, Client(local) as client:
        small = [str(Path(FOLDER.name) / f"small-{number}.svm") for number in range(2 * count)]
        for number, path in enumerate(small):
            Path(path).write_text("".join(f"{(-1) ** (k + number)} 1:{k} 2:0.5\n" for k in range(1, 50)))
        fit(small, client=client, passes=2, readout="averaged")
        fit(shards(), client=client, passes=2)
        yield client


def seconds(task):
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def alone(paths):
    """The run of a single machine, on one thread; timed on a worker, whose memory and settings it so has as well."""
    with one_thread():
        return seconds(lambda: train(Learner(order="given", threads=1), novikoff.open(paths), PASSES, memory=2**40))


def sent(client):
    """Bytes that workers have sent so far, to each other and to the client."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


class Sent:
    """Counts what workers send in each pass."""

    def __init__(self, client):
        self.client, self.before, self.each = client, sent(client), []

    def __call__(self, epoch):
        now = sent(self.client)
        self.each.append(now - self.before)
        self.before = now


def bench_seconds():
    paths, took, single, best = shards(), {1: [], 2: []}, [], {}
    for count in (1, 2, 1, 2):
        with workers(count) as client:
            for _ in range(ROUNDS):
                if count == 1:
                    single.append(client.submit(alone, paths, pure=False).result())
                passes = []
                run = partial(fit, paths, client=client, passes=PASSES, on_pass=passes.append)
                took[count].append(seconds(run))
                best[count] = (min([*best.get(count, ()), *passes], key=lambda epoch: epoch.made.seconds),)
    one, two, on_one_thread = min(took[1]), min(took[2]), min(single)
    report("two workers, ten passes, reading included ÷ one worker", one / two, 1.5, note=f"{two:.1f} s against {one:.1f} s")
    note = f"{on_one_thread:.1f} s on a single machine"
    report("one worker ÷ the single machine on one thread", one / on_one_thread, 1.4, at_least=False, note=note)
    for count, (epoch,) in best.items():
        swept, whole = sum(epoch.seconds), epoch.made.seconds
        print(f"  {count} workers: {swept / (SHARDS * ROWS * ENTRIES):.2e} s an entry; a pass takes {whole:.3f} s, ", end="")
        print(f"{swept / count:.3f} s of it sweeps; reading takes {(min(took[count]) - PASSES * whole):.2f} s")


def bench_bytes():
    with workers(2) as client:
        for readout, vectors in (("last", 1), ("averaged", 2)):
            counted = Sent(client)
            learner = fit(shards(), client=client, passes=4, readout=readout, on_pass=counted).learner
            size = learner.team.w[learner.answering].nbytes
            moved = counted.each[-1] + size  # the client sends w out
            what = "w" if readout == "last" else "w and its sum"
            report(
                f"bytes moved per pass ÷ (2 · workers · size of {what})", moved / (2 * 2 * vectors * size), 1.2, at_least=False
            )
        bench_bytes_of_changes(client)


def bench_bytes_of_changes(client):
    """Where most of a million numbers never change: what travels is places, of 4 bytes, and numbers."""
    rows = [scattered(number) for number in range(SHARDS)]
    sides = [np.random.default_rng(number).integers(0, 2, 5000) for number in range(SHARDS)]
    after = [fit(rows, sides, client=client, passes=n).learner.weights() for n in (2, 3)]
    counted = Sent(client)
    after.append(fit(rows, sides, client=client, passes=4, on_pass=counted).learner.weights())
    down, up = (12 * np.count_nonzero(one != other) for one, other in pairwise(after))  # pass 4 tells what pass 3 has changed
    note = f"{up // 12:,} of {after[0].size:,} numbers"
    moved, size = counted.each[-1] + down, 2 * (down + up)
    report("bytes moved per pass ÷ (2 · workers · size of what changes in w)", moved / size, 1.2, at_least=False, note=note)


def scattered(number):
    """5000 rows of 72 entries in a fiftieth of a million columns."""
    rng = np.random.default_rng(number)
    columns = 50 * rng.integers(0, 20_000, 5000 * ENTRIES)
    return sp.csr_array((rng.random(columns.size), columns, np.arange(0, columns.size + 1, ENTRIES)), shape=(5000, 10**6))


BENCHES = [bench_seconds, bench_bytes]

if __name__ == "__main__":
    main(BENCHES, __doc__)
