"""A progress bar for long runs: passes, mistakes in this pass, examples per second."""

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from novikoff.learning.run import Pass


class PassesBar:
    """A progress bar on standard error, over a number of passes. A context manager; it appears at the first update."""

    def __init__(self, max_passes: int, total: int | None, said: str, console: Console | None = None) -> None:
        self._progress = Progress(
            TextColumn("pass {task.fields[number]}/{task.fields[most]}"),
            BarColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
        )
        self._task = self._progress.add_task("", total=total, number=1, most=max_passes, said=said)

    def show(self, **how: Any) -> None:
        """Update the bar with what has changed: number, completed, total, said."""
        self._progress.start()
        self._progress.update(self._task, **how)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._progress.stop()


class Bar(PassesBar):
    """A context manager. Pass its `on_slice` to a learner.

    If the number of examples is not known, it is taken from the first pass, once that is done.
    """

    def __init__(self, examples: int | None, max_passes: int, console: Console | None = None) -> None:
        super().__init__(max_passes, None if examples is None else examples * max_passes, "", console)
        self._examples, self._most, self._seen = examples, max_passes, 0

    def on_slice(self, so_far: Pass) -> None:
        """Show the pass that is running or has just ended."""
        if self._examples is None and so_far.number > 1:
            self._examples = self._seen
            self.show(total=self._examples * self._most)
        self._seen = so_far.examples
        self.show(
            completed=(so_far.number - 1) * (self._examples or 0) + so_far.examples,
            number=so_far.number,
            said=f"{so_far.mistakes:,} mistakes in it, {so_far.examples / max(so_far.seconds, 1e-9):,.0f} examples/s",
        )
