"""Progress on a terminal: a bar over the passes of a run, and a line for work of which nobody knows how long it takes."""

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

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


class Working:
    """A line on standard error, with the time that has passed, which disappears at the end. Pass its `tell` to a search."""

    def __init__(self, doing: str, console: Console | None = None) -> None:
        columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False)
        self._progress = Progress(*columns, console=console or Console(stderr=True), transient=True)
        self._task = self._progress.add_task(doing)

    def tell(self, doing: str) -> None:
        """Show what is being done now."""
        self._progress.update(self._task, description=doing)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._progress.stop()
