"""A progress bar for long runs: passes, mistakes in this pass, examples per second."""

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from novikoff.learner import Pass


class Bar:
    """Give `on_slice` and `on_pass` to a learner while this is entered. Draws on standard error."""

    def __init__(self, examples: int, max_passes: int, console: Console | None = None) -> None:
        self._examples = examples
        self._max_passes = max_passes
        self._progress = Progress(
            TextColumn("pass {task.fields[number]}/{task.fields[most]}"),
            BarColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
        )
        self._task = self._progress.add_task("", total=examples * max_passes, number=1, most=max_passes, said="")
        self._done = 0

    def on_slice(self, examples: int) -> None:
        self._progress.update(self._task, completed=self._done * self._examples + examples)

    def on_pass(self, report: Pass) -> None:
        self._done = report.number
        rate = report.examples / max(report.seconds, 1e-9)
        self._progress.update(
            self._task,
            completed=report.number * self._examples,
            number=min(report.number + 1, self._max_passes),
            said=f"{report.mistakes:,} mistakes, {rate:,.0f} examples/s",
        )

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._progress.stop()
