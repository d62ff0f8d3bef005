"""A cluster of this machine's processes against one machine, and against one worker: seconds, as ratios, and bytes.

python benchmarks/cluster.py [--only WORD]
"""

import logging
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster
from measuring import main, report

import novikoff
from novikoff.distributed import fit
from novikoff.learner import Learner
from novikoff.parallel import one_thread
from novikoff.training import train

FOLDER = tempfile.TemporaryDirectory()
SHARDS, ROWS, ENTRIES, COLUMNS, PASSES = 16, 100_000, 72, 50_000, 10


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


@contextmanager
def workers(count):
    """A client of so many workers, each of one thread, which have done everything once before."""
    local = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
    with local, Client(local) as client:
        small = [str(Path(FOLDER.name) / f"small-{number}.svm") for number in range(2 * count)]
        for number, path in enumerate(small):
            Path(path).write_text("".join(f"{(-1) ** (k + number)} 1:{k} 2:0.5\n" for k in range(1, 50)))
        for readout in ("last", "averaged"):
            fit(small, client=client, passes=2, readout=readout)
        yield client


def seconds(task):
    began = time.perf_counter()
    made = task()
    return time.perf_counter() - began, made


def alone():
    with one_thread():
        return train(Learner(order="given", threads=1), novikoff.open(shards()), PASSES, memory=2**40)


def moved(client):
    """Bytes that workers have sent so far."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def bench_cluster():
    paths = shards()
    single = min(seconds(alone)[0] for _ in range(2))
    took = {}
    for count in (1, 2):
        with workers(count) as client:
            runs = [seconds(lambda: fit(paths, client=client, passes=PASSES)) for _ in range(2)]
            took[count] = min(run[0] for run in runs)
            print(count, [r[0] for r in runs], [round(p[4], 3) for p in runs[-1][1].run["each_pass"]])
    print(single, took)
    report("two workers, ten passes, reading included ÷ one worker", took[1] / took[2], 1.5)
    report("one worker ÷ the single machine on one thread", took[1] / single, 1.4, at_least=False)


BENCHES = [bench_cluster]

if __name__ == "__main__":
    main(BENCHES, __doc__)
