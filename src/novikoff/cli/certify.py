"""`novikoff certify`: is this data separable, linearly or through a kernel? With the proof."""

from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.options import dataset, reading, through_a_kernel, told
from novikoff.cli.places import check_place
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Options
    from novikoff.proof.certificate import Certificate
    from novikoff.solve.rows_in_the_way import Removal

ANSWERS = {"separable": 0, "inseparable": 1, "undecided": 2}
FEW = 20  # classes are listed up to so many


def positive_seconds(ctx: click.Context, param: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and not seconds > 0:
        raise click.BadParameter("give a number of seconds above 0", ctx, param)
    return seconds


@main.command()
@click.argument("data", type=click.Path())
@click.option("--out", type=click.Path(), help="Write the certificate to this file.")
@through_a_kernel
@click.option("--class", "one", metavar="LABEL", help="Separate this class from all others.")
@click.option("--budget", type=float, metavar="SECONDS", callback=positive_seconds, help="Stop then, undecided if need be.")
@click.option("--removal", is_flag=True, help="If it is not separable, name rows without which it is (a heuristic).")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate itself instead of sentences.")
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
    budget: float | None,
    removal: bool,
    as_json: bool,
    options: "Options",
) -> None:
    """Is DATA linearly separable, or separable through a kernel? The answer comes with a proof.

    DATA is whatever `novikoff fit` reads; "-" is standard input.

    \b
    Examples:
      novikoff certify data.svm --out proof.json
      novikoff certify iris.csv --label species --class setosa
      novikoff certify data.svm --kernel poly --degree 2
      zcat data.svm.gz | novikoff certify - --budget 60

    Rows are counted from 0. Exit codes: 0 separable, 1 not separable, 2 undecided, 3 for an error.
    """
    if out is not None:
        check_place(out, [data], "certificate")
    if kernel is not None and removal:
        raise Refused("--removal: rows in the way are found without a kernel; leave --kernel or --removal out")
    X, y = _read(data, options)
    how: dict[str, Any] = {"fit_intercept": kernel is None if intercept is None else intercept}
    through = {"kernel": kernel, "degree": degree, "gamma": gamma, "coef0": coef0}
    how |= {name: value for name, value in through.items() if value is not None}
    if one is not None:
        how["positive"] = _class_called(one, _kinds(y))
    certificate = _certificate(data, X, y, one, **how, budget=budget)
    if out is not None:
        _save(certificate, out)
    say(certificate.to_json().rstrip("\n") if as_json else str(certificate))
    if certificate.outcome == "inseparable" and kernel is None and not as_json:
        say(str(_removal(X, y, how)) if removal else "With --removal, rows are named without which it is separable.")
    ctx.exit(ANSWERS[certificate.outcome])


def _read(data: str, options: "Options") -> tuple[Any, Any]:
    files = dataset((data,), options)
    try:
        found = files.read()
    except ValueError as error:
        raise Refused(str(error)) from None
    told(files)
    return found.X, found.y


def _kinds(y: Any) -> list[Any]:
    import numpy as np

    kinds: list[Any] = np.unique(y).tolist()
    return kinds


def _removal(X: Any, y: Any, how: dict[str, Any]) -> "Removal":
    from novikoff.solve.rows_in_the_way import rows_in_the_way

    return rows_in_the_way(X, y, **how)


def _certificate(data: str, X: Any, y: Any, one: str | None, **how: Any) -> "Certificate":
    from novikoff.solve.separability import separate

    kinds = _kinds(y)
    listed = ", ".join(map(printable, kinds[:FEW])) + (", …" if len(kinds) > FEW else "")
    if one is not None:
        if how["positive"] is None:
            raise Refused(f"{data}: no row is of class {one}; the classes are {listed}")
    elif len(kinds) > 2:
        raise Refused(f"{data}: has {len(kinds)} classes ({listed}); give one of them as --class, to separate it from the others")
    try:
        return separate(X, y, **how)
    except ValueError as error:
        raise Refused(f"{data}: {error}") from None


def _class_called(text: str, kinds: list[Any]) -> Any:
    """The class that is written so: +1, 1 and 1.0 are the same if classes are numbers."""
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
        raise Refused(f"{out}: cannot be written ({error.strerror}); give another place") from None
