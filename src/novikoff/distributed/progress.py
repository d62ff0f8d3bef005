"""A progress bar for a fit on a cluster: passes, shards done in this pass, and the mistakes of each shard in the last pass."""

from rich.console import Console

from novikoff.distributed.epochs import PassProgress
from novikoff.learning.progress import PassesBar

SHOWN = 16  # number of shards whose mistakes are listed one by one


class Bar(PassesBar):
    """A progress bar. Pass its `on_shard` to a fit inside a `with` block."""

    def __init__(self, passes: int, console: Console | None = None) -> None:
        super().__init__(passes, None, "reading", console)
        self._passes = passes

    def on_shard(self, progress: PassProgress) -> None:
        """Show how far the pass has come."""
        text = f"{progress.done} of {progress.shards} shards"
        if progress.before is not None:
            text += f"; mistakes in pass {progress.before.made.number}: {mistakes_of_shards(progress.before.mistakes)}"
        completed = (progress.number - 1) * progress.shards + progress.done
        self.show(total=self._passes * progress.shards, completed=completed, number=progress.number, said=text)


def mistakes_of_shards(mistakes: tuple[int, ...]) -> str:
    """The mistakes of all shards and of each; with many shards, the smallest and largest number.

    >>> mistakes_of_shards((12, 9, 1040))
    '1,061 (12 9 1040)'
    >>> mistakes_of_shards((5,) * 20 + (7,))
    '107 (5 to 7 each)'
    """
    each = " ".join(map(str, mistakes)) if len(mistakes) <= SHOWN else f"{min(mistakes)} to {max(mistakes)} each"
    return f"{sum(mistakes):,} ({each})"
