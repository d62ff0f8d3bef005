"""Many processes of the command, quickly: each is a fork of one that has loaded and compiled everything already."""

import json
import os
import signal
import subprocess
import sys

PROGRAM = """
import json, os, sys
from novikoff.foundation import interrupts
from novikoff.foundation import atomic_files as writing
from novikoff.__main__ import run
from novikoff.cli import main

for args in json.loads(sys.argv[1]):
    try:
        main(args)
    except SystemExit as end:
        assert not end.code, args
print("ready", flush=True)
for line in sys.stdin:
    order = json.loads(line)
    if isinstance(order, int):
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(order, 0)[1])
        except ChildProcessError:
            code = None
        print(json.dumps(code), flush=True)
        continue
    sys.stdout.flush()
    begun, begin = os.pipe()
    child = os.fork()
    if child == 0:
        interrupts.listen(interrupts.leave)
        writing.remove_leftovers.cache_clear()  # this is another process
        writing.remove_scratch.cache_clear()
        sys.argv = ["novikoff", *order["args"]]
        for stream, name in ((1, order["out"]), (2, order["err"])):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.write(begin, b"!")
        os.close(begin)
        os.close(begun)
        try:
            run()
        except SystemExit as end:
            sys.stdout.flush()
            os._exit(end.code or 0)
    os.read(begun, 1)
    os.close(begin)
    os.close(begun)
    print(child, flush=True)
"""


class Nursery:
    """Processes of `novikoff` in a folder. `warm` are commands that it runs first, so that others have nothing to compile."""

    def __init__(self, folder, warm, **env):
        self.folder, self._started = folder, 0
        (folder / "said").mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(warm)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | env,
        )
        while (line := self._process.stdout.readline()) != "ready\n":
            assert line, "the nursery has ended"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def start(self, *args):
        self._started += 1
        names = {name: str(self.folder / "said" / f"{self._started}.{name}") for name in ("out", "err")}
        return Child(self, self.ask({"args": list(map(str, args))} | names), names)

    def ask(self, order):
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


class Child:
    def __init__(self, nursery, number, names):
        self._nursery, self.number, self._names = nursery, number, names

    def send(self, which):
        os.kill(self.number, which)  # not waited for yet, so the number is still its own

    def kill(self):
        self.send(signal.SIGKILL)

    def wait(self):
        """Its exit code; negative if a signal has ended it."""
        return self._nursery.ask(self.number)

    @property
    def out(self):
        with open(self._names["out"]) as file:
            return file.read()

    @property
    def err(self):
        with open(self._names["err"]) as file:
            return file.read()
