"""A fuzzer at work: `python tests/fuzz/program.py NAME… [--inputs N | --seconds S] [--seed K] [--first I] [--keep FOLDER]`.

Kernels check their bounds (NUMBA_BOUNDSCHECK), and so do the functions that read bytes without them (`intrinsics.py`). An input
ends in rows or in a refusal with a sentence. Anything else ends the program: another error, a signal, more than LIMIT seconds.
The input is left in the folder then, as NAME-SEED-NUMBER: the same seed and number make the same input again.
"""

import argparse
import faulthandler
import os
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

os.environ["NUMBA_BOUNDSCHECK"] = "1"
sys.path[:0] = [str(Path(__file__).parent.parent)]

import of_files  # noqa: E402 (numba reads the variable when it is imported)
import of_matrices  # noqa: E402
import of_models  # noqa: E402

from novikoff.foundation.parallel import pool  # noqa: E402

LIMIT = 60  # seconds for one input
MEMORY = 12 * 2**30  # bytes of addresses
FUZZERS = {**of_files.FUZZERS, **of_models.FUZZERS, **of_matrices.FUZZERS}


def main():
    told = argparse.ArgumentParser()
    told.add_argument("names", nargs="+", choices=FUZZERS)
    told.add_argument("--inputs", type=int, default=200)
    told.add_argument("--seconds", type=float)
    told.add_argument("--seed", type=int, default=0)
    told.add_argument("--first", type=int, default=0)
    told.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()))
    told = told.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in told.names:
        run(name, told)


def run(name, told):
    fuzzer = FUZZERS[name]()
    fuzzer.begin()  # compiles what is not in the cache
    began, number, refused = time.monotonic(), told.first, 0
    while time.monotonic() - began < told.seconds if told.seconds else number < told.first + told.inputs:
        rng = random.Random(f"{name} {told.seed} {number}")
        content, suffix = fuzzer.make(rng)
        path = told.keep / f"{name}-{told.seed}-{number}{suffix}"
        path.write_bytes(content)
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            fuzzer.use(path, rng)
        except fuzzer.refusals as error:
            refused += 1
            if not str(error).strip():
                sys.exit(f"{path} is refused without a sentence")
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            sys.exit(f"again: python tests/fuzz/program.py {name} --seed {told.seed} --first {number} --inputs 1")
        pool().shutdown()  # threads may still be at work on an input that was refused
        pool.cache_clear()
        faulthandler.cancel_dump_traceback_later()
        path.unlink()
        number += 1
    took = time.monotonic() - began
    print(f"{name}: {number - told.first} inputs, {refused} refused, {took:.0f} s, no failure", flush=True)


if __name__ == "__main__":
    main()
