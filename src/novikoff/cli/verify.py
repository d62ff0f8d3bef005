"""`novikoff verify`: check a proof against data, with code that shares nothing with the learner."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, notify
from novikoff.cli.help_texts import option
from novikoff.cli.row_lines import copy_pipes_for_this_run, lines_named, rows_named_by
from novikoff.cli.summary import BAD, GOOD, Summary
from novikoff.foundation.array_types import Array, Matrix

if TYPE_CHECKING:
    from novikoff.proof.certificate import Certificate
    from novikoff.proof.verify import Verdict

    Check = Callable[..., Verdict]


@main.command()
@click.argument("proof", type=click.Path())
@click.argument("data", type=click.Path())
@option("--fast", is_flag=True, help="Read DATA with the parsers of `fit` instead of the verifier's own.")
@option("--literal", is_flag=True, help="Use the second, independent checker. It works with fractions and is slow.")
@option("--decimals", is_flag=True, help="The proof must be about the decimals of DATA, not the nearest doubles.")
@option("--label", metavar="COL", help="Column of the label in a table: its name, or its number from 1 (default: last).")
@click.pass_context
def verify(ctx: click.Context, proof: str, data: str, fast: bool, literal: bool, decimals: bool, label: str | None) -> None:
    """Check whether the certificate PROOF holds for DATA, in exact arithmetic.

    PROOF is a file written by `certify` or `solve`, and DATA the file that they read. PROOF says whether the numbers of DATA are
    the decimals that stand there or the nearest doubles, and they are read so.

    \b
    Examples:
      novikoff verify proof.json data.svm
      novikoff verify proof.json iris.csv --label species
      novikoff verify proof.json data.svm --literal
      novikoff verify proof.json prices.csv --decimals
      novikoff verify afiro.solution.json afiro.mps.gz

    Exit codes: 0 the proof holds, 1 it does not, 3 error.
    """
    from novikoff.proof.certificate import DOUBLES, CertificateError, System
    from novikoff.proof.certificate_files import load_with_text
    from novikoff.proof.verify import Verdict

    try:
        certificate, text = load_with_text(proof)
        check = partial(_literally, text) if literal else _quickly
        of_constraints = isinstance(certificate.data, System)
        if decimals and _numbers(certificate) == DOUBLES:
            verdict = Verdict(False, "it is about the nearest doubles, not about the decimals of the file")
        else:
            verdict = (_of_constraints if of_constraints else _of_classes)(certificate, data, label, fast, check)
    except CertificateError as error:
        raise Refused(f"{error}; create it again with `novikoff certify` or `novikoff solve`") from None
    except ValueError as error:
        raise Refused(str(error)) from None
    summary = Summary()
    if verdict:
        summary.add("Result", "the proof holds", colour=GOOD)
        summary.add("Proof", f"{certificate}{_limits(certificate)}{_lines(certificate, data)}")
    else:
        summary.add("Result", f"the proof does not hold: {verdict.why}", colour=BAD)
    summary.print()
    ctx.exit(0 if verdict else 1)


def _of_classes(certificate: "Certificate", data: str, label: str | None, fast: bool, check: "Check") -> "Verdict":
    if re.search(r"\.(mps|lp)(\.gz|\.xz|\.bz2|\.zst)?$", data.lower()):
        raise Refused(f"{data}: is a system of constraints, but the proof is about classes; give the data that was certified")
    from novikoff.proof.certificate import RATIONALS

    numbers = _numbers(certificate)
    if fast:
        from novikoff.data.readers import open
        from novikoff.solve.labelled_decimals import decimals_of

        files = open(data, label=label)
        if numbers == RATIONALS:
            copy_pipes_for_this_run(files)
        found = files.read()
        return check(certificate, decimals_of(found.X, files) if numbers == RATIONALS else found.X, y=found.y)
    from novikoff.proof.independent_parsers import read_plainly

    X, y, _ = read_plainly(data, label, numbers)
    return check(certificate, X, y=y)


def _numbers(certificate: "Certificate") -> str:
    """Of which numbers it speaks; of many classes, always of doubles."""
    from novikoff.proof.certificate import DOUBLES

    numbers: str = getattr(certificate.data, "numbers", DOUBLES)
    return numbers


def _of_constraints(certificate: "Certificate", data: str, label: str | None, fast: bool, check: "Check") -> "Verdict":
    if label is not None:
        raise Refused(f"{data}: the proof is about constraints, which have no labels; leave out --label")
    from novikoff.proof.certificate import DOUBLES, System
    from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
    from novikoff.proof.verify import Verdict

    about = certificate.data
    assert isinstance(about, System)
    if fast:
        return _of_constraints_fast(certificate, data, about.numbers == DOUBLES, check)
    remarks: list[str] = []
    found = read_constraints_plainly(data, remarks, about.numbers)
    for remark in remarks:
        notify(remark)
    verdict = check(certificate, found.A, **found.ends)
    if verdict and not found.has_names_of(about):
        return Verdict(False, "it names rows or columns otherwise than the file")
    return verdict


def _of_constraints_fast(certificate: "Certificate", data: str, doubles: bool, check: "Check") -> "Verdict":
    from novikoff.proof.rational_matrix import RationalMatrix
    from novikoff.solve.constraint_files import read_constraints

    found = read_constraints(data)
    if doubles and isinstance(found.A, RationalMatrix):
        raise Refused("the proof is about doubles, and the parsers of `solve` read decimals; leave out --fast")
    for remark in found.remarks:
        notify(remark)
    return check(certificate, found.A, **found.ends)


def _quickly(certificate: "Certificate", X: "Matrix", **rest: Any) -> "Verdict":
    from novikoff.proof import verify as verification

    return verification.verify(certificate, X, **rest)


def _literally(text: str, certificate: "Certificate", X: "Matrix", *, y: "Array | None" = None, **ends: Any) -> "Verdict":
    from novikoff.proof import literal_checker as literal
    from novikoff.proof.exact_constraints import coefficients, row_ends
    from novikoff.proof.rational_matrix import RationalMatrix
    from novikoff.proof.verify import Verdict

    rows: list[literal.Row] = [{} for _ in range(X.shape[0])]
    for i, j, value in _entries(X.nearest if isinstance(X, RationalMatrix) else X):
        rows[i][j] = value
    for i, exact in X.exact.items() if isinstance(X, RationalMatrix) else ():
        rows[i] |= exact
    data: literal.Table | literal.Constraints
    if y is None:
        given = {sense: ends.pop(sense, None) for sense in ("maximize", "minimize")}
        sense = getattr(certificate, "sense", None)
        if sense is not None and given[sense] is None:
            return Verdict(False, f"there is no objective to {sense}")
        objective = [] if sense is None else coefficients(given[sense], X.shape[1]).tolist()
        lower, upper, low, high = (end.tolist() for end in row_ends(X, **ends))
        data = literal.Constraints(X.shape[1], rows, lower, upper, low, high, objective)
    else:
        data = literal.Table(X.shape[1], rows, y.tolist())
    try:
        literal.check(text, data)
    except literal.Wrong as wrong:
        return Verdict(False, str(wrong))
    return Verdict(True)


def _entries(X: "Matrix") -> Iterator[tuple[int, int, float]]:
    """Row, column and value of each number that is not 0."""
    from scipy.sparse import coo_array

    found = coo_array(X)
    found.sum_duplicates()
    found.eliminate_zeros()
    return zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True)


def _lines(certificate: "Certificate", data: str) -> str:
    """The lines of the rows that contradict each other. This is a help to find them, and no part of the check."""
    named = rows_named_by(certificate)
    if not named or data == "-" or not os.path.isfile(data):
        return ""
    from novikoff.data.readers import FileRows, formats
    from novikoff.data.row_lines import lines_of

    formats()
    return lines_named(named, lines_of([FileRows(data, certificate.data.rows)], [each.row for each in named], None))


def _limits(certificate: "Certificate") -> str:
    from novikoff.proof.certificate import System, Undecided

    if not isinstance(certificate, Undecided):
        return ""
    if isinf(certificate.margin_at_most):
        return "\nThis proves nothing, not even an upper bound of the margin."
    what = "there is a solution" if isinstance(certificate.data, System) else "the data is separable"
    return f"\nThis proves only the upper bound of the margin, not whether {what}."
