"""`novikoff report`: an HTML page about a model."""

from collections.abc import Sequence
from os.path import realpath
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main
from novikoff.cli.help_texts import option
from novikoff.cli.options import as_read, model_at, print_skipped, reading
from novikoff.cli.places import check_place
from novikoff.cli.predict import answering
from novikoff.cli.summary import Summary
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Dataset, Options
    from novikoff.models.model import Model
    from novikoff.reporting.survey import Survey


@main.command()
@click.argument("place", metavar="MODEL", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@option("-o", "--out", required=True, type=click.Path(), help="Write the report to this HTML file.")
@reading()
def report(place: str, files: tuple[str, ...], out: str, options: "Options") -> None:
    """Write an HTML report about MODEL: how it was trained, what is proved, and its scores on the labelled rows of FILES.

    The report is one file that loads nothing from elsewhere, for screen and print. Without FILES it has no scores.

    \b
    Examples:
      novikoff report model.nvk test.svm -o report.html
      novikoff report model.nvk 'test/*.csv.gz' -o report.html
      novikoff fit train.svm --report report.html
    """
    check_report(out, [place, *files])
    model = model_at(place)
    data = answering(files, model, as_read(model, options)) if files else None
    write_report(model, data, out, called=place, files=files)
    if data is not None:
        print_skipped(data)
    summary = Summary()
    summary.add("Report", printable(out))
    summary.print()


def _origin(model: "Model", data: "Dataset", seen: "Survey") -> dict[str, Any]:
    """Whether these are the training rows: by their fingerprint, or else by file names and number of rows."""
    from novikoff.reporting.survey import learned_from

    files = model.run.files or ()
    if "-" in data.paths or "-" in files:
        return {}
    if (known := learned_from(model, seen)) is not None:
        return {"learned_from": known}
    same = [realpath(path) for path in data.paths] == [realpath(path) for path in files]
    return {"same_files": same and seen.scores.rows == model.run.rows}


def check_report(out: str, data: Sequence[str]) -> None:
    """Refuse a path that cannot be written to, or a missing dependency, before any work is done."""
    from novikoff.reporting import require_extra

    check_place(out, data, "report")
    try:
        require_extra()
    except ImportError as error:
        raise Refused(str(error)) from None


def write_report(model: "Model", rows: Any, out: str, **about: Any) -> None:
    """Write the report about the model and these blocks of rows, if there are any. `about` has the fields of `About`."""
    from novikoff.reporting import page, write
    from novikoff.reporting.content import About
    from novikoff.reporting.survey import survey

    if not model.learner.started:
        raise Refused(f"{about['called']}: this model has not learned anything yet; train it first")
    try:
        seen = None if rows is None else survey(model, rows)
        known = {} if seen is None or "learned_from" in about else _origin(model, rows, seen)
        text = page(model, seen, About(**about, **known))
    except ValueError as error:
        raise Refused(str(error)) from None
    try:
        write(text, out)
    except OSError as error:
        raise Refused(f"{out}: cannot be written ({error.strerror}); choose another file") from None
