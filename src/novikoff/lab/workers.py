"""The processes that answer the lab's questions. A question that takes too long, or that nobody waits for, ends with its process.

Nothing in Python can stop a thread at work, so a time limit that always holds needs a process (docs/decisions/lab.md).
"""

import asyncio
import subprocess
import sys
from contextlib import suppress
from typing import IO

LONGEST = 20.0  # seconds that a question may take
MOST = 4  # questions that are answered at the same time
OWN_MISTAKE = "this is a mistake of the lab's own, please report it with what you did"


class TooLongError(Exception):
    """The question was not answered in time."""


class Worker:
    """A process that answers one question at a time."""

    def __init__(self) -> None:
        # A session of its own: Ctrl-C is for the server, which ends its workers.
        command = [sys.executable, "-P", "-m", "novikoff.lab.answers"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._ready = False

    def wait_until_ready(self) -> None:
        if not self._ready:
            assert self._process.stdout is not None
            if was_told(self._process.stdout) is None:
                raise EOFError
            self._ready = True

    def answer(self, name: str, body: bytes) -> tuple[int, bytes]:
        """Status and content. Whoever does not want to wait any longer calls `end`, and then this raises EOFError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            told(self._process.stdin, name, body)
        except BrokenPipeError:
            raise EOFError from None
        answer = was_told(self._process.stdout)
        if answer is None:
            raise EOFError
        return int(answer[0]), answer[1]

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not sent is lost
                pipe.close()  # type: ignore[union-attr]


class Workers:
    """As many processes as there are questions at once, up to MOST, and an idle one if there is room for it."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._busy: list[Worker] = []
        self._room = asyncio.Semaphore(MOST)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._idle + self._busy:
            worker.end()

    def begin(self) -> None:
        """Have a process that is ready to answer."""
        self._have_an_idle_one()
        self._idle[-1].wait_until_ready()

    async def answer(self, name: str, body: bytes) -> tuple[int, bytes]:
        """Status and content. Cancelled, or after LONGEST, the process that is at it is ended."""
        async with self._room:
            self._have_an_idle_one()
            worker = self._idle.pop()  # the last that was busy: it remembers the runs of the page that asks
            self._busy.append(worker)
            self._have_an_idle_one()
            try:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(None, worker.wait_until_ready)
                return await asyncio.wait_for(loop.run_in_executor(None, worker.answer, name, body), LONGEST)
            except TimeoutError:
                worker.end()
                sentence = f"this takes longer than {LONGEST:g} seconds, and the lab ends it there: leave some points out"
                raise TooLongError(sentence) from None
            except BaseException:
                worker.end()
                raise
            finally:
                self._busy.remove(worker)
                if not worker.ended:
                    self._idle.append(worker)

    def _have_an_idle_one(self) -> None:
        for worker in [worker for worker in self._idle if worker.ended]:
            worker.end()
            self._idle.remove(worker)
        if not self._idle and len(self._busy) < MOST:
            self._idle.append(Worker())


# ---- between the processes ------------------------------------------------------------------------------------------


def told(file: IO[bytes], word: str, content: bytes = b"") -> None:
    """Send a word and some bytes."""
    file.write(b"%s %d\n" % (word.encode("ascii"), len(content)) + content)
    file.flush()


def was_told(file: IO[bytes]) -> tuple[str, bytes] | None:
    """What the other side sent; None if it is gone."""
    word, _, length = file.readline().decode("ascii").partition(" ")
    content = file.read(int(length or 0))
    return (word, content) if length and len(content) == int(length) else None
