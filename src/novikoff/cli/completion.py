"""`novikoff completion`: what a shell needs to complete commands and options."""

import click
from click.shell_completion import get_completion_class

from novikoff.cli import main, say


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script by which SHELL completes novikoff's commands and options.

    \b
    Examples:
      novikoff completion bash > ~/.local/share/bash-completion/completions/novikoff
      novikoff completion zsh > ~/.zfunc/_novikoff
    """
    kind = get_completion_class(shell)
    assert kind is not None
    say(kind(main, {}, "novikoff", "_NOVIKOFF_COMPLETE").source().rstrip("\n"))
