"""The lines of a summary about quasi-separation, with the names of the columns."""

from typing import TYPE_CHECKING

from novikoff.cli.summary import Summary
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.features import Features
    from novikoff.proof.certificate import Certificate


def add_quasi_separation(
    summary: Summary, certificate: "Certificate", features: "Features | None", colour: str, lines: str
) -> None:
    """Add the verdict on the rows and their lines in the file, then what there is to say of columns and coefficients."""
    from novikoff.proof.quasi_separation import Separation

    if not isinstance(certificate, Separation):
        summary.add("Result", f"{certificate}{lines}", colour=colour)
        return
    summary.add("Result", f"{certificate.verdict()}{lines}", colour=colour)
    names = None if features is None else [_called(features.name(j)) for j in range(certificate.data.columns)]
    for heading, text in certificate.findings(names).items():
        summary.add(heading, text)


def _called(name: str) -> str:
    """The name of a column; a number alone would be taken for a factor."""
    return f"feature {name}" if name.isdecimal() else printable(name)
