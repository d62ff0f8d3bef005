"""A progress bar for a fit on a cluster: passes, shards done in this one, and the mistakes of each shard in the last."""

from rich.console import Console

from novikoff.distributed.epochs import Stand
from novikoff.learning.progress import PassesBar

SHOWN = 16  # shards whose mistakes are told one by one


class Bar(PassesBar):
    """Give `on_shard` to a fit while this is entered."""

    def __init__(self, passes: int, console: Console | None = None) -> None:
        super().__init__(passes, None, "reading", console)
        self._passes = passes

    def on_shard(self, stand: Stand) -> None:
        """Show how the pass stands."""
        said = f"{stand.done} of {stand.shards} shards"
        if stand.before is not None:
            said += f"; mistakes in pass {stand.before.made.number}: {told(stand.before.mistakes)}"
        completed = (stand.number - 1) * stand.shards + stand.done
        self.show(total=self._passes * stand.shards, completed=completed, number=stand.number, said=said)


def told(mistakes: tuple[int, ...]) -> str:
    """The mistakes of each shard, or of many shards what they have in common.

    >>> told((12, 9, 1040))
    '1,061 (12 9 1040)'
    >>> told((5,) * 20 + (7,))
    '107 (5 to 7 each)'
    """
    each = " ".join(map(str, mistakes)) if len(mistakes) <= SHOWN else f"{min(mistakes)} to {max(mistakes)} each"
    return f"{sum(mistakes):,} ({each})"
