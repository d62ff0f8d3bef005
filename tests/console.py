"""Blocks of a shell in the documents: those of `sh` are run and print nothing; those of `console` have commands after `$ `, and
below each what it prints.

`novikoff` runs in this process, so that nothing is imported or compiled twice; everything else is the shell's. That is enough for
commands of the form `[something |] novikoff … [< file] [> file]`, and nothing more is written in the documents.
"""

import re
import shlex
import subprocess
from pathlib import Path

from click.testing import CliRunner

from novikoff.cli import main

BLOCK = re.compile(r"```(sh|console)\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def commands(page: str) -> list[tuple[str, str]]:
    """Each command of a page and the output shown below it."""
    return [one for kind, block in BLOCK.findall(page) for one in ([(block, "")] if kind == "sh" else COMMAND.findall(block))]


class Console:
    """A session in the current folder, which remembers the last exit code."""

    def __init__(self) -> None:
        self.code = 0

    def run(self, command: str) -> str:
        """What the command prints, errors included."""
        before, _, ours = command.rpartition(" | ")
        if not ours.startswith("novikoff "):
            done = subprocess.run(
                ["bash", "-c", f"(exit {self.code}); {command}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            self.code = done.returncode
            return done.stdout
        words = shlex.split(ours)[1:]
        given = subprocess.run(["bash", "-c", before], capture_output=True, check=True).stdout if before else b""
        into = None
        if "<" in words:
            given = Path(words.pop(words.index("<") + 1)).read_bytes()
            words.remove("<")
        if ">" in words:
            into = Path(words.pop(words.index(">") + 1))
            words.remove(">")
        done = CliRunner().invoke(main, words, input=given)
        self.code = done.exit_code
        if into is not None:
            into.write_text(done.stdout)
            return done.stderr
        return done.output
