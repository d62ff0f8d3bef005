"""`novikoff fit`: files become a model."""

import json
import time
from contextlib import nullcontext
from dataclasses import replace
from os.path import realpath
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import INTERRUPTED, Refused, command_line, main, say
from novikoff.cli.options import dataset, how_read, learning, model_of, on_terminal, reading, save, size, told
from novikoff.cli.places import check_place
from novikoff.cli.report import check_report, write_report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from novikoff.bounds import Facts
    from novikoff.learner import Learner
    from novikoff.readers import Dataset, Labelled, Options
    from novikoff.training import Training

FEW = 10  # classes whose certificates are told one by one


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--out", type=click.Path(), help="Write the model to this file.")
@click.option("--report", type=click.Path(), help="Write a page on it to this file, as `novikoff report` does.")
@click.option("--passes", type=click.IntRange(min=1), default=5, show_default=True, help="At most so many passes over the data.")
@click.option(
    "--order", default="each", show_default=True, metavar="NAME", help="given, once shuffled, or shuffled for each pass."
)
@click.option(
    "--memory", callback=size, metavar="SIZE", help="What the data may take, like 500M; otherwise a quarter of what is free."
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@learning
@reading(hashing=True)
@click.pass_context
def fit(
    ctx: click.Context,
    files: tuple[str, ...],
    out: str | None,
    report: str | None,
    passes: int,
    intercept: bool | None,
    memory: int | None,
    as_json: bool,
    quiet: bool,
    learner: Any,
    options: "Options",
) -> None:
    """Learn a classifier, linear or through a kernel, from FILES, and say what was learned and what is proved.

    FILES are svmlight, Vowpal Wabbit, tables (.csv, .tsv), Parquet, JSON lines, label-tab-text, .npz or .nvkd, text also packed
    (.gz, .xz, .bz2, .zst); patterns and addresses (s3://bucket/*.svm) work, and "-" is standard input. Without options this
    is the margin rule with averaged weights over five shuffled passes, which few need to change.

    \b
    Examples:
      novikoff fit train.svm -o model.nvk
      novikoff fit 'logs/*.csv.gz' --label clicked -o model.nvk
      novikoff fit train.svm --rule rosenblatt --readout last --passes 1000 --order given
      novikoff fit train.svm -o model.nvk --report report.html
      novikoff fit rings.csv --kernel rbf -o model.nvk
      zcat big.vw.gz | novikoff fit - --passes 1 --order given -o model.nvk

    Data that does not fit into memory is read in pieces. Ctrl-C ends the run with what was learned so far.
    """
    if out is not None:
        check_place(out, files)
    if report is not None:
        check_report(report, files)
        if out is not None and realpath(out) == realpath(report):
            raise Refused(f"{report}: is where the model goes; give another name for the report")
    began, made, data = time.perf_counter(), learner(), dataset(files, options)
    fit_intercept = made.kernel is None if intercept is None else intercept
    training = _trained(made, data, passes, fit_intercept, memory, quiet or as_json)
    summary = _summary(training, made, data, command_line(ctx), time.perf_counter() - began)
    facts = [] if report is None else _facts(training, made)
    model = model_of(made, data, training.certificates, summary)
    if out is not None:
        save(model, out)
    if report is not None:
        write_report(model, _rows_again(training, data), report, called=out or "", files=files, learned_from=True, facts=facts)
    told(data)
    if as_json:
        say(json.dumps(summary | {"certificates": [str(c) for c in training.certificates], "model": out, "report": report}))
    elif not quiet:
        say(_sentences(summary, training, out, report))
    if summary["stop_reason"] == "interrupted":
        click.echo("novikoff: interrupted; " + (f"what was learned is in {out}" if out else "no model was saved"), err=True)
        ctx.exit(INTERRUPTED)


def _trained(
    learner: "Learner", data: "Dataset", passes: int, fit_intercept: bool, memory: int | None, silent: bool
) -> "Training":
    from novikoff.training import train

    bar: Any = nullcontext()
    if on_terminal() and not silent:
        from novikoff.progress import Bar

        bar = Bar(None, passes)
    try:
        with bar as shown:
            on_slice = None if shown is None else shown.on_slice
            return train(learner, data, passes, fit_intercept=fit_intercept, memory=memory, on_slice=on_slice)
    except ValueError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(
            f"the data cannot be put into a temporary file ({error.strerror}); free some space, or raise --memory"
        ) from None


def _facts(training: "Training", learner: "Learner") -> "list[Facts]":
    """What the run proves about itself, where its rows were held: without them it would take one more pass."""
    from novikoff.bounds import facts, known_margin

    if training.seen is None:
        return []
    run, seen = training.run, training.seen
    found = [facts(learner, seen, v, run.passes, known_margin(learner, c)) for v, c in enumerate(training.certificates)]
    return [replace(one, cycle=run.cycles.get(v)) for v, one in enumerate(found)]


def _rows_again(training: "Training", data: "Dataset") -> "Iterable[Labelled] | None":
    """The rows that were learned from: those that were held, or those of the files; what came through a pipe is gone."""
    if training.held is not None:
        return [training.held]
    return None if "-" in data.paths else data


def _summary(training: "Training", learner: "Learner", data: "Dataset", command: list[str], seconds: float) -> dict[str, Any]:
    from novikoff.models import account_of, versions

    run = training.run
    return account_of(run, learner.ledgers[learner.answering] if training.numbered else None) | {
        "rows": training.rows,
        "features": learner.width,
        "entries": training.entries,
        "classes": learner.classes.tolist(),
        "rule": repr(learner.rule),
        "kernel": None if learner.kernel is None else repr(learner.kernel),
        "stored": None if learner.kernel is None else learner.team.w.shape[1] - 1,
        "readout": learner.readout,
        "order": learner.order,
        "passes": len(run.passes),
        "how": training.how,
        "updates": sum(p.updates for p in run.passes),
        "mistakes": sum(p.mistakes for p in run.passes),
        "mistakes_in_last_pass": run.passes[-1].mistakes,
        "errors": 0 if str(run.stop_reason) == "clean pass" and run.errors is None else run.errors,
        "skipped_lines": data.reading.n_skipped,
        "seconds": round(seconds, 3),
        "reading": how_read(data.options),
        "files": data.paths,
        "command": ["novikoff", *command],
        "made_with": versions(),
    }


def _sentences(summary: dict[str, Any], training: "Training", out: str | None, report: str | None) -> str:
    classes = summary["classes"]
    listed = ", ".join(map(str, classes[:FEW])) + (", …" if len(classes) > FEW else "")
    passes = f"{summary['passes']} pass" + ("es" if summary["passes"] > 1 else "")
    said = [
        f"{summary['rows']:,} rows, {summary['features']:,} features, {summary['entries']:,} entries; classes: {listed}",
        f"{passes}, {summary['how']}: {summary['updates']:,} updates, {summary['mistakes']:,} of them mistakes "
        f"({summary['mistakes_in_last_pass']:,} in the last pass); {summary['seconds']:.1f} s",
        _stopped(summary),
    ]
    if summary["kernel"] is not None:
        said.insert(1, f"through the kernel {summary['kernel']}: {summary['stored']:,} rows are stored")
    if len(training.certificates) == 1:
        said.append(str(training.certificates[0]))
    else:
        shown = list(zip(classes, training.certificates, strict=True))[:FEW]
        said += [f"{label} against the rest: {certificate}" for label, certificate in shown]
        said += ["…"] if len(classes) > FEW else []
    if out is not None:
        said.append(f"The model is in {out}.")
    if report is not None:
        said.append(f"The report is in {report}.")
    return "\n".join(said)


def _stopped(summary: dict[str, Any]) -> str:
    match summary["stop_reason"]:
        case "clean pass":
            return "The last pass was clean: the last weights have every training row right."
        case "interrupted":
            return "Interrupted: the weights are those learned until then."
        case "ledger full":
            return "Stopped early: voting keeps every update, and there were too many; take --readout averaged."
    if summary["errors"] is None:
        return "No pass was clean; the errors that remain were not counted, which would be one more pass."
    return f"No pass was clean: {summary['errors']:,} of {summary['rows']:,} training rows are answered wrongly."
