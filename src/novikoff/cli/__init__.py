"""The command `novikoff`. Each command is one file of this folder; none is slow to ask for help.

Exit codes: 0 done; for questions 0 yes, 1 no, 2 undecided; 3 for every error, wrong usage and our own mistakes too, so that
no failure is taken for an answer; 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
"""

import gc
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import click

from novikoff import __version__
from novikoff.foundation import interrupts
from novikoff.foundation.code_cache import CacheWarning
from novikoff.foundation.printable import printable, printable_lines
from novikoff.foundation.registry import gather

ERROR, INTERRUPTED = 3, 130
ARGUMENTS = "novikoff.arguments"


class Refused(click.ClickException):
    """A user's mistake: what, where, what to do, in one line."""

    exit_code = ERROR


class Commands(click.Group):
    """A group whose commands are found by being in this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        gather(__name__)
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        gather(__name__)
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's own; but a signal that came decides the exit code, and no error is told that is only its consequence."""
        answer, interrupted = None, False
        try:
            with interrupts.raising():
                answer = super().invoke(ctx)
        except KeyboardInterrupt:
            interrupted = True
        except click.exceptions.Exit:
            if interrupts.exit_code() is None:
                raise
        except Exception:
            if not interrupts.abandoned():
                raise
        code = interrupts.exit_code()
        if code is not None or interrupted:
            ctx.exit(code or INTERRUPTED)
        return answer

    def main(self, *args: Any, **extra: Any) -> Any:
        """As click's own, which would end with 2 for wrong usage, and with 1 for what nobody expected."""
        gc.set_threshold(100_000, 20, 20)  # importing numba makes objects that stay: a tenth of it was to look for garbage
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _in_one_line(warnings.showwarning)
                sys.exit(super().main(*args, **extra | {"standalone_mode": False}))
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "novikoff"
            _complain(f"{error.format_message().rstrip('.')} (`{command} --help` shows how to call it)")
        except click.ClickException as error:
            _complain(error.format_message())
        except click.Abort:  # Ctrl-C while the command line was looked at
            sys.exit(INTERRUPTED)
        except MemoryError:
            _complain("there is not enough memory for this data; give a part of it")
        except Exception:
            traceback.print_exc()
            _complain("this is a mistake of the program's own; please report it with the lines above")
        sys.exit(ERROR)


def command_line(ctx: click.Context) -> list[str]:
    """What was typed after `novikoff`."""
    return list(ctx.meta[ARGUMENTS])


def _complain(sentence: str) -> None:
    tell(" ".join(sentence.split()))


def tell(sentence: str) -> None:
    """Print a sentence on standard error, without control characters: it may have names of files and data in it."""
    click.echo(f"novikoff: {printable(sentence)}", err=True)


def _in_one_line(show: Callable[..., None]) -> Callable[..., None]:
    """Show what is to be said of the cache of compiled code as everything else is said, and other warnings as before."""

    def shown(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, CacheWarning):
            _complain(str(message))
        else:
            show(message, category, *where, **more)

    return shown


def say(text: str) -> None:
    """Print lines, without other control characters.

    Whoever closed the pipe (`| head`) has read enough, and the exit code is still the answer's.
    """
    if sys.stdout is None:  # closed before we began (`>&-`)
        return
    try:
        click.echo(printable_lines(text).encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Refused(f"the answer cannot be written ({error.strerror})") from None


@click.group("novikoff", cls=Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="novikoff")
def main() -> None:
    """Perceptron learning: as fast as it gets, with the proof.

    \b
    Example: is the data linearly separable, and is that so?
      novikoff certify data.svm --out proof.json
      novikoff verify proof.json data.svm

    Exit codes: 0 yes, 1 no, 2 undecided, 3 for an error; 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
