"""Every reader, both loaders and every door for matrices, with inputs that are almost right: rows or a sentence, nothing else.

`make test` tries INPUTS of each, all in one process. `make test-full` tries each for NOVIKOFF_FUZZ_SECONDS, 600 unless set, with
other inputs than the last time where NOVIKOFF_FUZZ_SEED is. An input that fails is kept, and the message says where.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

INPUTS = 250
SECONDS = int(os.environ.get("NOVIKOFF_FUZZ_SECONDS", "600"))
SEED = os.environ.get("NOVIKOFF_FUZZ_SEED", "1")
PROGRAM = Path(__file__).with_name("program.py")
KEPT = Path(__file__).parents[2] / ".cache" / "fuzz"
NAMES = [
    "svmlight",
    "vw",
    "csv",
    "jsonl",
    "text",
    "arrow",
    "npz",
    "nvkd",
    "plain",
    "constraints",
    "decimals",
    "models",
    "certificates",
    "matrices",
]


def fuzzed(names, *how):
    KEPT.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-X", "faulthandler", str(PROGRAM), *names, *how, "--keep", str(KEPT)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    print(ended.stdout)
    assert ended.returncode == 0, (
        f"exit code {ended.returncode}\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}\nthe input is in {KEPT}"
    )
    assert ended.stdout.count("no failure") == len(names)
    return ended.stdout


def test_a_few_inputs_of_each():
    fuzzed(NAMES, "--inputs", str(INPUTS))


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_many_inputs(name):
    fuzzed([name], "--seconds", str(SECONDS), "--seed", SEED)


@pytest.mark.full
def test_a_failure_is_reported_with_its_input(tmp_path):
    """The fuzzers themselves: an input that ends the process, hangs or raises another error is told and kept."""
    program = f"""
import os, sys
sys.argv = ["program.py", "csv", "--inputs", "3", "--keep", {str(tmp_path)!r}]
sys.path.insert(0, {str(PROGRAM.parent)!r})
import program
class Bad(program.FUZZERS["csv"]):
    def begin(self): pass
    def use(self, path, rng): {{}}
program.FUZZERS["csv"], program.LIMIT = Bad, 1
program.main()
"""
    for how, told in (("os.abort()", ""), ("raise KeyError('x')", "KeyError"), ("import time; time.sleep(99)", "Timeout")):
        for old in tmp_path.iterdir():
            old.unlink()
        command = [sys.executable, "-c", program.replace("{}", how)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert ended.returncode != 0
        assert told in ended.stdout + ended.stderr
        assert [path.stem for path in tmp_path.iterdir()] == ["csv-0-0"]
