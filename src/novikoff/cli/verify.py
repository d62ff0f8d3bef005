"""`novikoff verify`: does a proof hold for this data? Asked of code that shares nothing with the learner."""

from math import isinf
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say

if TYPE_CHECKING:
    from novikoff.certificate import Certificate


@main.command()
@click.argument("proof", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--fast", is_flag=True, help="Read DATA with the fast readers, not with the verifier's own.")
@click.option("--label", metavar="COL", help="The label's column of a table, by name or counted from 1; otherwise the last.")
@click.pass_context
def verify(ctx: click.Context, proof: str, data: str, fast: bool, label: str | None) -> None:
    """Does the certificate PROOF hold for DATA? Checked in exact arithmetic, from the data.

    \b
    Examples:
      novikoff verify proof.json data.svm
      novikoff verify proof.json iris.csv --label species

    Exit codes: 0 it holds, 1 it does not, 3 for an error.
    """
    from novikoff import verification
    from novikoff.certificate import CertificateError, load

    try:
        certificate = load(proof)
        X, y = _read(data, label, fast)
        verdict = verification.verify(certificate, X, y)
    except CertificateError as error:
        raise Refused(f"{error}; make it again with novikoff certify") from None
    except ValueError as error:
        raise Refused(str(error)) from None
    if verdict:
        say(f"holds: {certificate}" + _but(certificate))
    else:
        say(f"does not hold: {verdict.why}")
    ctx.exit(0 if verdict else 1)


def _read(data: str, label: str | None, fast: bool) -> tuple[Any, Any]:
    if fast:
        from novikoff.readers import read

        found = read(data, label=label)
        return found.X, found.y
    from novikoff.plain import read_plainly

    rows, labels, _ = read_plainly(data, label)
    return rows, labels


def _but(certificate: "Certificate") -> str:
    from novikoff.certificate import Undecided

    if not isinstance(certificate, Undecided):
        return ""
    if isinf(certificate.margin_at_most):
        return "\nIt proves nothing: not even how large a margin can be."
    return "\nIt proves only this upper end; whether the data is separable stays open."
