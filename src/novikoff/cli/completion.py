"""`novikoff completion`: scripts for tab completion."""

import click
from click.shell_completion import get_completion_class

from novikoff.cli import main, say


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that makes SHELL complete commands and options of novikoff.

    \b
    Examples:
      novikoff completion bash > ~/.local/share/bash-completion/completions/novikoff
      novikoff completion zsh > ~/.zfunc/_novikoff
    """
    kind = get_completion_class(shell)
    assert kind is not None
    say(kind(main, {}, "novikoff", "_NOVIKOFF_COMPLETE").source().rstrip("\n"))
