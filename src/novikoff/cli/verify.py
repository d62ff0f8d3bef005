"""`novikoff verify`: does a proof hold for this data? Asked of code that shares nothing with the learner."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say, tell

if TYPE_CHECKING:
    from novikoff.proof.certificate import Certificate
    from novikoff.proof.verify import Verdict

    Check = Callable[..., Verdict]


@main.command()
@click.argument("proof", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--fast", is_flag=True, help="Read DATA with the fast readers, not with the verifier's own.")
@click.option("--literal", is_flag=True, help="Check it on fractions, number by number, by code that shares nothing: slow.")
@click.option("--label", metavar="COL", help="The label's column of a table, by name or counted from 1; otherwise the last.")
@click.pass_context
def verify(ctx: click.Context, proof: str, data: str, fast: bool, literal: bool, label: str | None) -> None:
    """Does the certificate PROOF hold for DATA? Checked in exact arithmetic, from the data.

    PROOF is what certify or solve wrote, DATA what they read.

    \b
    Examples:
      novikoff verify proof.json data.svm
      novikoff verify proof.json iris.csv --label species
      novikoff verify proof.json data.svm --literal
      novikoff verify afiro.solution.json afiro.mps.gz

    Exit codes: 0 it holds, 1 it does not, 3 for an error.
    """
    from novikoff.proof.certificate import CertificateError, System, load_with_text

    try:
        certificate, text = load_with_text(proof)
        check = partial(_literally, text) if literal else _quickly
        of_constraints = isinstance(certificate.data, System)
        verdict = (_of_constraints if of_constraints else _of_classes)(certificate, data, label, fast, check)
    except CertificateError as error:
        raise Refused(f"{error}; make it again with novikoff certify or solve") from None
    except ValueError as error:
        raise Refused(str(error)) from None
    if verdict:
        say(f"holds: {certificate}" + _but(certificate))
    else:
        say(f"does not hold: {verdict.why}")
    ctx.exit(0 if verdict else 1)


def _of_classes(certificate: "Certificate", data: str, label: str | None, fast: bool, check: "Check") -> "Verdict":
    if re.search(r"\.mps(\.gz|\.xz|\.bz2|\.zst)?$", data.lower()):
        raise Refused(f"{data}: is a system of constraints, and the certificate is of two classes; give the data it is of")
    if fast:
        from novikoff.data.readers import read

        found = read(data, label=label)
        return check(certificate, found.X, y=found.y)
    from novikoff.proof.independent_parsers import read_plainly

    X, y, _ = read_plainly(data, label)
    return check(certificate, X, y=y)


def _of_constraints(certificate: "Certificate", data: str, label: str | None, fast: bool, check: "Check") -> "Verdict":
    if label is not None:
        raise Refused(f"{data}: the certificate is of constraints, which have no labels; leave --label out")
    remarks: list[str] = []
    if fast:
        from novikoff.solve.constraint_files import read_constraints

        A, lower, upper, bounds, _, said = read_constraints(data)
        remarks += said
    else:
        from novikoff.proof.independent_constraint_parsers import read_constraints_plainly

        A, lower, upper, bounds = read_constraints_plainly(data, remarks)
    for remark in remarks:
        tell(remark)
    return check(certificate, A, lower=lower, upper=upper, bounds=bounds)


def _quickly(certificate: "Certificate", X: Any, **rest: Any) -> "Verdict":
    from novikoff.proof import verify as verification

    return verification.verify(certificate, X, **rest)


def _literally(text: str, certificate: "Certificate", X: Any, *, y: Any = None, **ends: Any) -> "Verdict":
    from novikoff.proof import literal_checker as literal
    from novikoff.proof.exact import row_ends
    from novikoff.proof.verify import Verdict

    rows: list[literal.Row] = [{} for _ in range(X.shape[0])]
    for i, j, value in _entries(X):
        rows[i][j] = value
    data: literal.Table | literal.Constraints
    if y is None:
        data = literal.Constraints(X.shape[1], rows, *(end.tolist() for end in row_ends(X, **ends)))
    else:
        data = literal.Table(X.shape[1], rows, y.tolist())
    try:
        literal.check(text, data)
    except literal.Wrong as wrong:
        return Verdict(False, str(wrong))
    return Verdict(True)


def _entries(X: Any) -> Iterator[tuple[int, int, float]]:
    """The numbers that are not 0, with their rows and columns."""
    from scipy.sparse import coo_array

    found = coo_array(X)
    found.sum_duplicates()
    found.eliminate_zeros()
    return zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True)


def _but(certificate: "Certificate") -> str:
    from novikoff.proof.certificate import System, Undecided

    if not isinstance(certificate, Undecided):
        return ""
    if isinf(certificate.margin_at_most):
        return "\nIt proves nothing: not even how large a margin can be."
    what = "there is a solution" if isinstance(certificate.data, System) else "the data is separable"
    return f"\nIt proves only this upper end; whether {what} stays open."
