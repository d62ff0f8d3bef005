"""A progress bar for a fit on a cluster: passes, shards done in this one, and the mistakes of each shard in the last."""

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from novikoff.distributed.epochs import Stand

SHOWN = 16  # shards whose mistakes are told one by one


class Bar:
    """Give `on_shard` to a fit while this is entered. Draws on standard error."""

    def __init__(self, passes: int, console: Console | None = None) -> None:
        self._passes = passes
        self._progress = Progress(
            TextColumn("pass {task.fields[number]}/{task.fields[most]}"),
            BarColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
        )
        self._task = self._progress.add_task("", total=None, number=1, most=passes, said="reading")

    def on_shard(self, stand: Stand) -> None:
        """Show how the pass stands."""
        said = f"{stand.done} of {stand.shards} shards"
        if stand.before is not None:
            said += f"; mistakes in pass {stand.before.made.number}: {told(stand.before.mistakes)}"
        self._progress.update(
            self._task,
            total=self._passes * stand.shards,
            completed=(stand.number - 1) * stand.shards + stand.done,
            number=stand.number,
            said=said,
        )

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._progress.stop()


def told(mistakes: tuple[int, ...]) -> str:
    """The mistakes of each shard, or of many shards what they have in common.

    >>> told((12, 9, 1040))
    '1,061 (12 9 1040)'
    >>> told((5,) * 20 + (7,))
    '107 (5 to 7 each)'
    """
    each = " ".join(map(str, mistakes)) if len(mistakes) <= SHOWN else f"{min(mistakes)} to {max(mistakes)} each"
    return f"{sum(mistakes):,} ({each})"
