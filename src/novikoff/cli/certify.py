"""`novikoff certify`: decide whether data is separable, linearly or with a kernel, and prove it."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, notify, say
from novikoff.cli.class_counts import small_classes_warning
from novikoff.cli.help_texts import option
from novikoff.cli.help_texts import quiet as quiet_option
from novikoff.cli.options import dataset, on_terminal, print_skipped, reading, through_a_kernel
from novikoff.cli.places import check_place
from novikoff.cli.quasi_separation_lines import add_quasi_separation
from novikoff.cli.row_lines import NamedRow, copy_pipes_for_this_run, lines_in_words, rows_named_by
from novikoff.cli.summary import BAD, GOOD, OPEN, Summary, listed
from novikoff.foundation.array_types import Array, Matrix
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Dataset, Options
    from novikoff.learning.progress import Working
    from novikoff.proof.certificate import Certificate
    from novikoff.proof.rational_matrix import RationalMatrix
    from novikoff.solve.rows_in_the_way import Removal

ANSWERS = {"separable": 0, "many separable": 0, "completely separable": 0, "undecided": 2}
ANSWERS |= dict.fromkeys(("inseparable", "many inseparable", "quasi-separable", "overlapping"), 1)
SHOWN = 20  # classes listed in an error
COLOURS = {0: GOOD, 1: BAD, 2: OPEN}


def positive_seconds(ctx: click.Context, param: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and not seconds > 0:
        raise click.BadParameter("give a number of seconds greater than 0", ctx, param)
    return seconds


@main.command()
@click.argument("data", type=click.Path())
@option("--out", type=click.Path(), help="Write the certificate to this file.")
@through_a_kernel
@option("--class", "one", metavar="LABEL", help="Decide whether this class is separable from all others.")
@option(
    "--multiclass",
    metavar="NAME",
    help="With three or more classes: direct (do weights for all at once give every row its highest score for its own?).",
)
@option(
    "--budget",
    type=float,
    metavar="SECONDS",
    callback=positive_seconds,
    help="Stop after SECONDS; the answer may then be undecided (default: no limit).",
)
@option("--removal", is_flag=True, help="If the data is not separable, name rows whose removal makes it so (heuristic).")
@option("--show-rows", is_flag=True, help="Print the lines of rows that contradict each other, or that --removal names.")
@option("--quasi", is_flag=True, help="Also find quasi-separation, collinear columns and infinite logistic coefficients.")
@option("--decimals", is_flag=True, help="Take each number of a text file as the decimal it is, not as the nearest double.")
@option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
@quiet_option
@reading(hashing=True)
@click.pass_context
def certify(
    ctx: click.Context,
    data: str,
    out: str | None,
    intercept: bool | None,
    kernel: str | None,
    degree: int | None,
    gamma: float | None,
    coef0: float | None,
    one: str | None,
    multiclass: str | None,
    budget: float | None,
    removal: bool,
    show_rows: bool,
    quasi: bool,
    decimals: bool,
    as_json: bool,
    quiet: bool,
    options: "Options",
) -> None:
    """Decide whether DATA is separable, linearly or with a kernel, and prove the answer.

    DATA may have any format that `novikoff fit` reads; "-" is standard input.

    \b
    Examples:
      novikoff certify data.svm --out proof.json
      novikoff certify iris.csv --label species --class setosa
      novikoff certify iris.csv --label species --multiclass direct
      novikoff certify data.svm --kernel poly --degree 2
      novikoff certify clinic.csv --label outcome --quasi
      novikoff certify prices.csv --decimals --out proof.json
      zcat data.svm.gz | novikoff certify - --budget 60

    On a terminal, a line says what is being done. Ctrl-C ends the search without an answer.

    Rows are counted from 0, lines from 1. Exit codes: 0 separable, 1 not separable (quasi-separable data included), 2 undecided,
    3 error.
    """
    if out is not None:
        check_place(out, [data], "certificate")
    if kernel is not None and removal:
        raise Refused("--removal does not work with a kernel; leave out --removal or --kernel")
    if decimals and (kernel is not None or quasi):
        raise Refused("--decimals works neither with a kernel nor with --quasi; leave out one of the two")
    if multiclass is not None:
        others = {"--class": one is not None, "--kernel": kernel is not None, "--removal": removal, "--quasi": quasi}
        others |= {"--decimals": decimals}
        _check_multiclass(multiclass, others)
    if quasi and (kernel is not None or removal):
        raise Refused("--quasi works neither with a kernel nor with --removal; leave out one of the two")
    if show_rows and as_json:
        raise Refused("--show-rows prints lines for people; leave out --show-rows or --json")
    files, X, y, warning = _read(data, options, show_rows, decimals)
    how: dict[str, Any] = {"fit_intercept": kernel is None if intercept is None else intercept}
    through = {"kernel": kernel, "degree": degree, "gamma": gamma, "coef0": coef0}
    how |= {name: value for name, value in through.items() if value is not None}
    if one is not None:
        how["positive"] = _class_called(one, _kinds(y))
    if multiclass is not None:
        how["multiclass"] = multiclass
    showing: AbstractContextManager[Working | None] = _working() if on_terminal() and not (quiet or as_json) else nullcontext()
    try:
        with showing as shown:
            told = {} if shown is None or quasi else {"tell": shown.tell}
            certificate = _certificate(data, X, y, one, warning, quasi, **how, budget=budget, **told)
    except KeyboardInterrupt:
        notify("interrupted; the question is not decided" + ("" if out is None else f", and {out} was not written"))
        raise
    if out is not None:
        _save(certificate, out)
    if warning is not None and not quiet:
        notify(f"warning: {warning}")
    if as_json:
        say(certificate.to_json().rstrip("\n"))
    elif not quiet:
        summary = Summary()
        colour = COLOURS[ANSWERS[certificate.outcome]]
        lines = lines_in_words(files, rows_named_by(certificate), show_rows)
        if quasi:
            add_quasi_separation(summary, certificate, files.features, colour, lines)
        else:
            summary.add("Result", f"{certificate}{lines}", colour=colour)
        if certificate.outcome == "inseparable" and kernel is None:
            if removal:
                without = _removal(X, y, how)
                lines = lines_in_words(files, [NamedRow(row) for row in without.rows], show_rows)
                summary.add("Removal", f"{without}{lines}")
            else:
                summary.add("Hint", "--removal names rows whose removal makes the data separable")
        if out is not None:
            summary.add("Saved", printable(out))
        summary.print()
    ctx.exit(ANSWERS[certificate.outcome])


def _check_multiclass(multiclass: str, others: dict[str, bool]) -> None:
    if multiclass != "direct":
        raise Refused(f"--multiclass {multiclass}: the only one is direct, all classes at once; for one class use --class")
    for name, given in others.items():
        if given:
            raise Refused(
                f"{name} does not work with --multiclass direct, which decides about all classes; leave out one of them"
            )


def _read(
    data: str, options: "Options", show_rows: bool, decimals: bool
) -> "tuple[Dataset, Matrix | RationalMatrix, Array, str | None]":
    """The files, their rows and labels, and a warning if a class has very few rows."""
    files = dataset((data,), options)
    try:
        if show_rows or decimals:  # they are read again
            copy_pipes_for_this_run(files)
        rows = files.read()
        X = _decimals(rows.X, files) if decimals else rows.X
    except ValueError as error:
        raise Refused(str(error)) from None
    print_skipped(files)
    return files, X, rows.y, small_classes_warning(files.reading.labels.counts())


def _decimals(X: "Matrix", files: "Dataset") -> "RationalMatrix":
    from novikoff.solve.labelled_decimals import decimals_of

    return decimals_of(X, files)


def _working() -> "Working":
    from novikoff.learning.progress import Working

    return Working("the rows are compared")


def _kinds(y: "Array") -> list[object]:
    import numpy as np

    kinds: list[object] = np.unique(y).tolist()
    return kinds


def _removal(X: "Matrix | RationalMatrix", y: "Array", how: dict[str, Any]) -> "Removal":
    from novikoff.solve.rows_in_the_way import rows_in_the_way

    return rows_in_the_way(X, y, **how)


def _certificate(
    data: str, X: "Matrix | RationalMatrix", y: "Array", one: str | None, warning: str | None, quasi: bool, **how: Any
) -> "Certificate":
    from novikoff.solve.quasi_separation import quasi_separate
    from novikoff.solve.separability import separate

    kinds = _kinds(y)
    names = listed(kinds, SHOWN)
    if one is not None:
        if how["positive"] is None:
            raise Refused(f"{data}: no row has the label {one}; the classes are {names}")
    elif len(kinds) > 2 and "multiclass" not in how:
        also = "" if warning is None else f"; {warning}"
        raise Refused(
            f"{data}: has {len(kinds)} classes ({names}); choose the one to separate from the others with --class, "
            f"or decide about all at once with --multiclass direct{also}"
        )
    try:
        return quasi_separate(X, y, **how) if quasi else separate(X, y, **how)
    except ValueError as error:
        raise Refused(f"{data}: {error}") from None


def _class_called(text: str, kinds: list[object]) -> object:
    """The class with this label. If classes are numbers, +1, 1 and 1.0 are the same."""
    if kinds and isinstance(kinds[0], str):
        return text if text in kinds else None
    try:
        number = float(text)
    except ValueError:
        return None
    return next((kind for kind in kinds if kind == number), None)


def _save(certificate: "Certificate", out: str) -> None:
    try:
        certificate.save(out)
    except OSError as error:
        raise Refused(f"{out}: cannot be written ({error.strerror}); choose another file") from None
