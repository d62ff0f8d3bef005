"""Options that several commands share, and what they mean."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, notify
from novikoff.cli.class_counts import small_classes_warning
from novikoff.cli.help_texts import option
from novikoff.cli.summary import count
from novikoff.foundation.interrupts import interruptible
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.features import Features
    from novikoff.data.preparer import Preparer
    from novikoff.data.readers import Dataset, Options
    from novikoff.foundation.file_locks import Hold
    from novikoff.learning.learner import Learner
    from novikoff.models.model import Model
    from novikoff.models.run_record import RunRecord
    from novikoff.proof.certificate import Certificate

SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
F = Callable[..., None]


def size(ctx: click.Context, param: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    written = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)B?", text.strip().upper())
    if written is None:
        raise click.BadParameter("write it like 500M or 2G", ctx, param)
    return int(float(written[1]) * SIZES[written[2]])


def _with(command: F, options: list[Callable[[F], F]]) -> F:
    """The command with these options; `--help` lists them in this order."""
    for each in reversed(options):
        command = each(command)
    return command


def _reading(command: F) -> F:
    return _with(
        command,
        [
            option("--format", metavar="NAME", help="Format of the files: {formats} (default: found from name and content)."),
            option(
                "--label", metavar="COL", help="Column of the label in a table: its name, or its number from 1 (default: last)."
            ),
            option(
                "--categories",
                metavar="COL,…",
                multiple=True,
                help="Columns of a table that hold categories although they look like numbers. Can be repeated.",
            ),
            option(
                "--zero-based/--one-based",
                default=None,
                help="Whether indices of svmlight files start at 0 or 1 (default: found from the data).",
            ),
            option("--skip-bad-lines", is_flag=True, help="Skip lines with errors, and print how many there were."),
        ],
    )


def _hashing(command: F) -> F:
    return _with(
        command,
        [
            option("--bits", type=click.IntRange(1, 30), default=20, help="Hash text into 2^BITS features (default: {default})."),
            option(
                "--words",
                type=click.IntRange(0, 5),
                default=1,
                help="Use sequences of up to N words of a text as features (default: {default}).",
                metavar="N",
            ),
            option(
                "--characters",
                type=click.IntRange(0, 20),
                default=0,
                help="Also use sequences of N characters as features; 0 means none (default: {default}).",
                metavar="N",
            ),
        ],
    )


def _preparing(command: F) -> F:
    return _with(
        command,
        [
            option(
                "--ignore",
                metavar="COL,…",
                multiple=True,
                help="Columns of a table to leave out, by name or number. Can be repeated.",
            ),
            option(
                "--missing",
                metavar="TEXT,…",
                multiple=True,
                help="Texts that mean a gap in a table, beside an empty field, ?, NA, N/A, n/a, #N/A, <NA>, NaN, null, None. "
                "Can be repeated.",
            ),
            option(
                "--prepare/--no-prepare",
                default=True,
                help="Whether to scale numbers, fill gaps and weight words first (default: yes).",
            ),
            option(
                "--centre",
                is_flag=True,
                help="Only subtract the mean from each column of numbers, and keep their unit: for rows far from the origin.",
            ),
            option(
                "--weighting",
                type=click.Choice(["tfidf", "binary", "counts"]),
                default="tfidf",
                help="How words of a text count: tfidf (rare words more), binary (once per row) or counts (default: {default}).",
            ),
            option(
                "--normalize/--no-normalize",
                default=True,
                help="Whether to scale each text to length 1 (default: yes).",
            ),
        ],
    )


def reading(unlabelled: bool = False, hashing: bool = False, preparing: bool = False) -> Callable[[F], F]:
    """Give a command the options about files; it is called with `options`, an `Options`.

    With `preparing` it is also called with `wanted`, a `Wanted`.
    """

    def decorate(command: F) -> F:
        @wraps(command)
        def called(*args: Any, **given: Any) -> None:
            from novikoff.data.readers import Options

            own = {name: given.pop(name) for name in list(given) if name in Options._fields}
            for name in ("categories", "ignore", "missing"):
                own[name] = tuple(text.strip() for listed in own.get(name) or () for text in listed.split(","))
            if preparing:
                from novikoff.data.preparer import Wanted

                given["wanted"] = Wanted(**{name: given.pop(name) for name in Wanted._fields})
                if given["wanted"].centre and not given["wanted"].prepare:
                    raise Refused("--centre is a preparation, and --no-prepare turns preparation off; leave one of them out")
                own["prepared"] = given["wanted"].prepare
            command(*args, **given, options=Options(**own, unlabelled=unlabelled))

        chosen = _hashing(called) if hashing else called
        return _reading(_preparing(chosen) if preparing else chosen)

    return decorate


def through_a_kernel(command: F) -> F:
    """Give a command the options about kernels: `kernel` is None unless one is named."""
    return _with(
        command,
        [
            option("--kernel", metavar="NAME", help="Use a kernel: {kernels} (default: none)."),
            option("--degree", type=int, help="Degree of the poly kernel (default: 3)."),
            option(
                "--gamma",
                type=float,
                help="Factor gamma of the kernels poly, rbf, laplacian and sigmoid "
                "(default: 1 for poly; for the others 1 / (features · variance)).",
            ),
            option("--coef0", type=float, help="Constant term of the kernels poly and sigmoid (default: 1)."),
            option(
                "--intercept/--no-intercept",
                default=None,
                help="Whether to learn an intercept (default: yes; no with a kernel).",
            ),
        ],
    )


def learning(default_rule: str) -> Callable[[F], F]:
    """Give a command the options about learning; it is called with `learner`, which makes one, with other options if given.

    With a kernel or votes, for which w must be a sum of rows, the default rule is the margin rule.
    """

    def decorate(command: F) -> F:
        @wraps(command)
        def called(*args: Any, **given: Any) -> None:
            names = signature(_learner).parameters
            own = {name: given.pop(name) for name in names if name in given}
            sums_rows = own["kernel"] is not None or own["readout"] == "voted"
            own["rule"] = own["rule"] or ("margin" if sums_rows else default_rule)
            command(*args, **given, learner=lambda **chosen: _learner(**own | chosen))

        return _learning(called, default_rule)

    return decorate


def _learning(command: F, default_rule: str) -> F:
    return through_a_kernel(
        _with(
            command,
            [
                option(
                    "--rule",
                    metavar="NAME",
                    help=f"Update rule: {{rules}} (default: {default_rule}; margin with a kernel or votes).",
                ),
                option(
                    "--set",
                    "settings",
                    multiple=True,
                    metavar="NAME=VALUE",
                    help="Set a parameter of the rule, as in `--rule pa-i --set C=0.1`. Can be repeated.",
                ),
                option(
                    "--confidence",
                    default="auto",
                    metavar="NAME",
                    help="How sure each weight is: none, diagonal, full (for few columns), stream, or auto, the one that belongs "
                    "to the rule (default: {default}).",
                ),
                option(
                    "--readout",
                    metavar="NAME",
                    help="Which weights predict: {readouts} (default: averaged; last with a confidence).",
                ),
                option("--seed", type=int, default=0, help="Seed of the shuffling (default: {default})."),
                option("--balanced", is_flag=True, help="Give rare classes the same weight as frequent ones."),
                option(
                    "--multiclass",
                    default="ovr",
                    metavar="NAME",
                    help="With three or more classes: ovr (each against the rest) or direct (all at once) (default: {default}).",
                ),
                option("--budget", type=int, metavar="ROWS", help="With a kernel: store at most ROWS rows for each class."),
            ],
        )
    )


def _learner(
    rule: str,
    settings: tuple[str, ...],
    confidence: str,
    readout: str | None,
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
    from novikoff.engine.confidences import find_confidence
    from novikoff.engine.kernels import find_kernel
    from novikoff.engine.rules import rules
    from novikoff.learning.learner import Learner

    if kernel is None and not degree is gamma is coef0 is None:
        raise Refused("--degree, --gamma and --coef0 need a kernel; name one, as in --kernel poly")
    known = rules()
    if rule not in known:
        raise Refused(f"--rule {rule}: unknown rule; choose one of {', '.join(known)}")
    parameters = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known[rule]._fields:
            fields = ", ".join(known[rule]._fields) or "none"
            raise Refused(f"--set {setting}: the rule {rule} has no parameter {name}; its parameters are: {fields}")
        try:
            parameters[name] = float(value)
        except ValueError:
            raise Refused(f"--set {setting}: {value!r} is not a number; write it like {name}=0.1") from None
    try:
        made = known[rule](**parameters)
        sure = find_confidence(confidence, made)
        readout = readout or ("averaged" if sure is None else "last")
        how = {"readout": readout, "order": order, "seed": seed, "class_weight": "balanced" if balanced else None}
        inner_product = None if kernel is None else find_kernel(kernel, degree=degree, gamma=gamma, coef0=coef0)
        how |= {"confidence": sure, "multiclass": multiclass, "kernel": inner_product, "budget": budget}
        return Learner(made, **how)  # type: ignore[arg-type]
    except ValueError as error:
        raise Refused(str(error)) from None


def dataset(files: tuple[str, ...], options: "Options", features: "Features | None" = None) -> "Dataset":
    """The files as a dataset. `features` are those of a model, if there is one."""
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


def model_of(
    learner: "Learner", data: "Dataset", certificates: "list[Certificate]", run: "RunRecord", preparer: "Preparer | None"
) -> "Model":
    """The model learned from these files."""
    from novikoff.models.model import Model

    assert data.features is not None, "something was learned"
    learner.widen(data.features.width)  # skipped lines may have features that no other line has
    return Model(learner, data.features, certificates, run, preparer=preparer)


def waiting(command: F) -> F:
    """Give a command the option `wait`: how many seconds to wait for another process that uses the model."""
    return option(
        "--wait",
        type=click.FloatRange(min=0),
        default=60,
        metavar="SECONDS",
        help="How long to wait if another process is learning into the model (default: {default}).",
    )(command)


@contextmanager
def held(path: str, wait: float) -> "Iterator[Hold]":
    """Lock the model file, so that no other process learns into it."""
    from novikoff.foundation.file_locks import HeldError, Hold

    with ExitStack() as stack:
        try:
            with interruptible():
                hold = stack.enter_context(Hold(path, wait, notify))
        except HeldError as error:
            raise Refused(str(error)) from None
        except OSError as error:
            raise Refused(f"{path}: cannot be written ({error.strerror}); choose another file") from None
        yield hold


def save(model: "Model", path: str, hold: "Hold") -> None:
    from novikoff.foundation.file_locks import ChangedError
    from novikoff.models import model as models

    try:
        models.save(model, path, hold)
    except ChangedError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(f"{path}: cannot be written ({error.strerror}); choose another file") from None


def as_read(model: "Model", options: "Options") -> "Options":
    """The options, completed by those that the model was trained with."""
    from novikoff.data import readers

    return readers.as_read(model.run.reading or {}, options)._replace(prepared=model.preparer is not None)


def print_skipped(data: "Dataset") -> None:
    """Print on standard error which lines of the data were skipped."""
    print_skipped_lines(data.reading.n_skipped, data.reading.skipped)


def print_skipped_lines(lines: int, errors: list[str]) -> None:
    """Print on standard error how many lines were skipped, and the errors of the first of them."""
    if lines:
        shown = f"; the first {len(errors)}:" if lines > len(errors) else ":"
        notify(f"skipped {count(lines, 'bad line')}{shown}")
        for error in errors:
            click.echo(f"  {printable(error)}", err=True)


def warn_of_small_classes(data: "Dataset") -> None:
    """Print a warning on standard error if a class has very few rows."""
    if warning := small_classes_warning(data.reading.labels.counts()):
        notify(f"warning: {warning}")


def on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
