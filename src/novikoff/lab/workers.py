"""The processes that answer requests. A process is ended when its request takes too long, or when the page that asked is gone.

Python cannot stop a thread that is computing, so a time limit that always holds needs a process (docs/decisions/lab.md).
"""

import asyncio
import subprocess
import sys
from contextlib import suppress
from typing import IO

LONGEST = 20.0  # seconds that an answer may take
MOST = 4  # requests that are answered at the same time
OWN_MISTAKE = "this is an error in the lab itself: please report it, with what you did"


class TooLongError(Exception):
    """The request was not answered in time."""


class Worker:
    """A process that answers one request at a time."""

    def __init__(self) -> None:
        # In a session of its own, so that Ctrl-C reaches only the server, which then ends its workers.
        command = [sys.executable, "-P", "-m", "novikoff.lab.answers"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._ready = False

    def wait_until_ready(self) -> None:
        if not self._ready:
            assert self._process.stdout is not None
            if receive(self._process.stdout) is None:
                raise EOFError
            self._ready = True

    def answer(self, name: str, body: bytes) -> tuple[int, bytes]:
        """Status and content. Raises EOFError if the process ends, as it does when another thread calls `end`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, name, body)
        except BrokenPipeError:
            raise EOFError from None
        answer = receive(self._process.stdout)
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
            with suppress(OSError):  # the rest of the request cannot be written any more
                pipe.close()  # type: ignore[union-attr]


class Workers:
    """As many processes as there are requests at once, up to MOST, and an idle one if there is room for it."""

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
        """Start a process, and wait until it is ready to answer."""
        self._ensure_idle()
        self._idle[-1].wait_until_ready()

    async def answer(self, name: str, body: bytes) -> tuple[int, bytes]:
        """Status and content. The process is ended if this is cancelled, or after LONGEST seconds."""
        async with self._room:
            self._ensure_idle()
            worker = self._idle.pop()  # the one that was busy last: it remembers the runs of the page that asks
            self._busy.append(worker)
            self._ensure_idle()
            try:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(None, worker.wait_until_ready)
                return await asyncio.wait_for(loop.run_in_executor(None, worker.answer, name, body), LONGEST)
            except TimeoutError:
                worker.end()
                sentence = f"this took longer than {LONGEST:g} seconds and was stopped: leave some points out"
                raise TooLongError(sentence) from None
            except BaseException:
                worker.end()
                raise
            finally:
                self._busy.remove(worker)
                if not worker.ended:
                    self._idle.append(worker)

    def _ensure_idle(self) -> None:
        for worker in [worker for worker in self._idle if worker.ended]:
            worker.end()
            self._idle.remove(worker)
        if not self._idle and len(self._busy) < MOST:
            self._idle.append(Worker())


# ---- between the processes ------------------------------------------------------------------------------------------


def send(file: IO[bytes], word: str, content: bytes = b"") -> None:
    """Send a word and some bytes."""
    file.write(b"%s %d\n" % (word.encode("ascii"), len(content)) + content)
    file.flush()


def receive(file: IO[bytes]) -> tuple[str, bytes] | None:
    """The word and the bytes that the other side sent; None if it is gone."""
    word, _, length = file.readline().decode("ascii").partition(" ")
    content = file.read(int(length or 0))
    return (word, content) if length and len(content) == int(length) else None
