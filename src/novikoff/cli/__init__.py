"""The command `novikoff`. Each command is one file of this folder. `--help` does not load NumPy.

Exit codes: 0 done; for questions 0 yes, 1 no, 2 undecided; 1 if `predict` has skipped rows; 3 for every error, including wrong
usage and bugs, so that no failure looks like an answer; 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
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
from novikoff.compiler.by_numba import NumbaMissingError
from novikoff.compiler.numba_cache import CacheWarning
from novikoff.foundation import interrupts
from novikoff.foundation.printable import printable, printable_lines
from novikoff.foundation.registry import import_all

ERROR, INTERRUPTED = 3, 130
ARGUMENTS = "novikoff.arguments"


class Refused(click.ClickException):
    """An error that the user can correct. The message has one line: what is wrong, where, and what to do."""

    exit_code = ERROR


class Commands(click.Group):
    """A group whose commands are the modules of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        import_all(__name__)
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        import_all(__name__)
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's own, but a signal decides the exit code. Errors that a signal has caused are not shown."""
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
        """As click's own, but every error ends with exit code 3: click uses 2 for wrong usage and 1 for other errors."""
        gc.set_threshold(100_000, 20, 20)  # while modules are imported, garbage collection finds nothing
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _cache_warnings_in_one_line(warnings.showwarning)
                sys.exit(super().main(*args, **extra | {"standalone_mode": False}))
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "novikoff"
            _print_error(f"{error.format_message().rstrip('.')} (`{command} --help` shows how to call it)")
        except click.ClickException as error:
            _print_error(error.format_message())
        except click.Abort:  # Ctrl-C while the command line was parsed
            sys.exit(INTERRUPTED)
        except MemoryError:
            _print_error("not enough memory for this data; use a part of it")
        except NumbaMissingError as error:
            _print_error(str(error))
        except Exception:
            traceback.print_exc()
            _print_error("this is a bug in novikoff; please report it with the lines above")
        sys.exit(ERROR)


def command_line(ctx: click.Context) -> list[str]:
    """What was typed after `novikoff`."""
    return list(ctx.meta[ARGUMENTS])


def _print_error(message: str) -> None:
    notify(" ".join(message.split()))


def notify(message: str) -> None:
    """Print a message on standard error. Control characters, which names of files may have, are escaped."""
    click.echo(f"novikoff: {printable(message)}", err=True)


def _cache_warnings_in_one_line(show: Callable[..., None]) -> Callable[..., None]:
    """Show warnings about the cache of compiled code as our own messages, and other warnings as before."""

    def shown(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, CacheWarning):
            _print_error(str(message))
        else:
            show(message, category, *where, **more)

    return shown


def say(text: str) -> None:
    """Print lines on standard output. Control characters other than line breaks and tabs are escaped.

    If the reader closes the pipe (`| head`), the rest is dropped, and the exit code stays.
    """
    if sys.stdout is None:  # closed by the shell (`>&-`)
        return
    try:
        click.echo(printable_lines(text).encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Refused(f"the output cannot be written ({error.strerror})") from None


@click.group("novikoff", cls=Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="novikoff")
def main() -> None:
    """Train perceptrons, and prove whether data is separable.

    \b
    Examples:
      novikoff fit train.svm -o model.nvk           train a classifier
      novikoff score test.svm -m model.nvk          measure its accuracy
      novikoff certify data.svm --out proof.json    decide whether data is separable
      novikoff verify proof.json data.svm           check the proof

    Exit codes: 0 done or yes, 1 no, 2 undecided, 3 error; 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
