"""Options that several commands share, and what they mean."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, tell
from novikoff.foundation.interrupts import interruptible
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.features import Features
    from novikoff.data.readers import Dataset, Options
    from novikoff.foundation.file_locks import Hold
    from novikoff.learning.learner import Learner
    from novikoff.models.model import Model
    from novikoff.proof.certificate import Certificate

SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
F = Callable[..., Any]


def size(ctx: click.Context, param: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise click.BadParameter("write it like 500M or 2G", ctx, param)
    return int(float(found[1]) * SIZES[found[2]])


def _reading(command: F) -> F:
    for option in reversed(
        [
            click.option("--format", metavar="NAME", help="The files' format, if name and first bytes do not tell it."),
            click.option("--label", metavar="COL", help="The label's column of a table, by name or from 1; otherwise the last."),
            click.option(
                "--categories", metavar="COL,…", help="Columns of a table that hold categories, though they look like numbers."
            ),
            click.option("--zero-based/--one-based", default=None, help="What svmlight indices count from; otherwise found."),
            click.option("--skip-bad-lines", is_flag=True, help="Leave lines out that are wrong, and say how many."),
        ]
    ):
        command = option(command)
    return command


def _hashing(command: F) -> F:
    for option in reversed(
        [
            click.option(
                "--bits", type=click.IntRange(1, 30), default=20, show_default=True, help="Hash text into 2^BITS features."
            ),
            click.option("--words", type=click.IntRange(0, 5), default=1, show_default=True, help="Runs of up to so many words."),
            click.option("--characters", type=click.IntRange(0, 20), default=0, help="Runs of so many characters, as well."),
        ]
    ):
        command = option(command)
    return command


def reading(unlabelled: bool = False, hashing: bool = False) -> Callable[[F], F]:
    """Give a command the options about files; it is called with `options`, an `Options`."""

    def decorate(command: F) -> F:
        @wraps(command)
        def called(*args: Any, **given: Any) -> Any:
            from novikoff.data.readers import Options

            own = {name: given.pop(name) for name in list(given) if name in Options._fields}
            own["categories"] = tuple((own.get("categories") or "").split(",")) if own.get("categories") else ()
            return command(*args, **given, options=Options(**own, unlabelled=unlabelled))

        return _reading(_hashing(called) if hashing else called)

    return decorate


def through_a_kernel(command: F) -> F:
    """Give a command the options about kernels: `kernel` is None unless one is named."""
    for option in reversed(
        [
            click.option("--kernel", metavar="NAME", help="Through linear, poly, rbf, laplacian, sigmoid or precomputed."),
            click.option("--degree", type=int, help="Of the kernel poly, where it is 3 if not given."),
            click.option(
                "--gamma",
                type=float,
                help="Of poly, where it is 1 if not given, and of rbf, laplacian and sigmoid, where it follows the data.",
            ),
            click.option("--coef0", type=float, help="Of poly and sigmoid, where it is 1 if not given."),
            click.option(
                "--intercept/--no-intercept",
                default=None,
                help="Without, only hyperplanes through the origin; so with a kernel, if nothing is said.",
            ),
        ]
    ):
        command = option(command)
    return command


def learning(command: F) -> F:
    """Give a command the options about learning; it is called with `learner`, which makes one."""

    @wraps(command)
    def called(*args: Any, **given: Any) -> Any:
        names = signature(_learner).parameters
        own = {name: given.pop(name) for name in names if name in given}
        return command(*args, **given, learner=lambda: _learner(**own))

    for option in reversed(
        [
            click.option(
                "--rule",
                default="margin",
                show_default=True,
                metavar="NAME",
                help="margin, rosenblatt, threshold, pa, pa-i or pa-ii.",
            ),
            click.option(
                "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the rule: --rule pa-i --set C=0.1"
            ),
            click.option(
                "--readout",
                default="averaged",
                show_default=True,
                metavar="NAME",
                help="Which weights answer: last, averaged, voted or pocket.",
            ),
            click.option("--seed", type=int, default=0, show_default=True, help="Of the shuffling."),
            click.option("--balanced", is_flag=True, help="Let rare classes weigh as much as frequent ones."),
            click.option(
                "--multiclass",
                default="ovr",
                show_default=True,
                metavar="NAME",
                help="Many classes: ovr, each against the rest, or direct, all at once.",
            ),
            click.option(
                "--budget", type=int, metavar="ROWS", help="With a kernel: store no more than so many rows for a class."
            ),
        ]
    ):
        called = option(called)
    return through_a_kernel(called)


def _learner(
    rule: str,
    settings: tuple[str, ...],
    readout: str,
    seed: int,
    balanced: bool,
    multiclass: str,
    kernel: str | None,
    degree: int | None,
    gamma: float | None,
    coef0: float | None,
    budget: int | None,
    order: str = "given",
) -> "Learner":
    from novikoff.engine.kernels import find_kernel
    from novikoff.engine.rule import rules
    from novikoff.learning.learner import Learner

    if kernel is None and not degree is gamma is coef0 is None:
        raise Refused("--degree, --gamma and --coef0 are of a kernel: name it, as in --kernel poly")
    known = rules()
    if rule not in known:
        raise Refused(f"--rule {rule}: there is no such rule; the rules are {', '.join(known)}")
    parameters = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known[rule]._fields:
            there = ", ".join(known[rule]._fields) or "none"
            raise Refused(f"--set {setting}: the rule {rule} has no parameter {name}; its parameters: {there}")
        try:
            parameters[name] = float(value)
        except ValueError:
            raise Refused(f"--set {setting}: {value!r} is not a number; write it like {name}=0.1") from None
    try:
        how = {"readout": readout, "order": order, "seed": seed, "class_weight": "balanced" if balanced else None}
        found = None if kernel is None else find_kernel(kernel, degree=degree, gamma=gamma, coef0=coef0)
        how |= {"multiclass": multiclass, "kernel": found, "budget": budget}
        return Learner(known[rule](**parameters), **how)  # type: ignore[arg-type]
    except ValueError as error:
        raise Refused(str(error)) from None


def dataset(files: tuple[str, ...], options: "Options", features: "Features | None" = None) -> "Dataset":
    """The files, to be read. A model's own label column and categories are meant where none are named."""
    from novikoff.data.readers import Dataset
    from novikoff.data.sources import ReadError

    try:
        return Dataset(list(files), options, features)
    except ReadError as error:
        raise Refused(str(error)) from None


def model_at(path: str) -> "Model":
    """The model in this file."""
    from novikoff.models.model import ModelError, load

    try:
        return load(path)
    except ModelError as error:
        raise Refused(str(error)) from None


def model_of(learner: "Learner", data: "Dataset", certificates: "list[Certificate]", run: dict[str, Any]) -> "Model":
    """The model that has been learned from these files."""
    from novikoff.models.model import Model

    assert data.features is not None, "something was learned"
    learner.widen(data.features.width)  # lines that were left out may have had features that nobody else has
    return Model(learner, data.features, certificates, run)


def waiting(command: F) -> F:
    """Give a command the option `wait`: seconds for which another process that has the model is waited for."""
    return click.option(
        "--wait",
        type=click.FloatRange(min=0),
        default=60,
        show_default=True,
        metavar="SECONDS",
        help="If another process is learning into the model, wait so long for it.",
    )(command)


@contextmanager
def held(path: str, wait: float) -> "Iterator[Hold]":
    """No other process learns into the model at this place meanwhile."""
    from novikoff.foundation.file_locks import HeldError, Hold

    with ExitStack() as stack:
        try:
            with interruptible():
                hold = stack.enter_context(Hold(path, wait, tell))
        except HeldError as error:
            raise Refused(str(error)) from None
        except OSError as error:
            raise Refused(f"{path}: cannot be written ({error.strerror}); give another place") from None
        yield hold


def save(model: "Model", path: str, hold: "Hold") -> None:
    from novikoff.foundation.file_locks import ChangedError
    from novikoff.models.model import model as models

    try:
        models.save(model, path, hold)
    except ChangedError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(f"{path}: cannot be written ({error.strerror}); give another place") from None


def as_read(model: "Model", options: "Options") -> "Options":
    """The options, completed by those that the model was trained with."""
    from novikoff.data import readers

    return readers.as_read(model.run.get("reading", {}), options)


def told(data: "Dataset") -> None:
    """Say on standard error which lines of the data were left out."""
    tell_left_out(data.reading.n_skipped, data.reading.skipped)


def tell_left_out(lines: int, sentences: list[str]) -> None:
    """Say on standard error that so many lines were left out, and what was wrong with the first of them."""
    if lines:
        tell(f"{lines:,} bad lines were left out, the first of them:")
        for sentence in sentences:
            click.echo(f"  {printable(sentence)}", err=True)


def on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
