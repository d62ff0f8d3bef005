"""`novikoff fit`: files become a model."""

import json
import time
from contextlib import nullcontext
from dataclasses import replace
from os.path import realpath
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, command_line, main, say, tell
from novikoff.cli.cluster import Cluster, remove_checkpoint
from novikoff.cli.options import dataset, held, learning, model_of, on_terminal, reading, save, size, tell_left_out, waiting
from novikoff.cli.places import check_place
from novikoff.cli.report import check_report, write_report
from novikoff.foundation.interrupts import Interrupts, exit_code, interruptible
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from novikoff.data.readers import Dataset, Labelled, Options
    from novikoff.learning.bounds import Facts
    from novikoff.learning.learner import Learner
    from novikoff.models.model import Model
    from novikoff.models.training import Training

PASSES, PASSES_ON_CLUSTER = 5, 10  # shards that are mixed learn more slowly
FEW = 10  # classes whose certificates are told one by one


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--out", type=click.Path(), help="Write the model to this file.")
@click.option("--report", type=click.Path(), help="Write a page on it to this file, as `novikoff report` does.")
@click.option(
    "--passes",
    type=click.IntRange(min=1),
    help="At most so many passes over the data; if nothing is said, 5, on a cluster 10.",
)
@click.option(
    "--order",
    default="each",
    show_default=True,
    metavar="NAME",
    help="given, once shuffled, or shuffled for each pass; on a cluster it is given if nothing is said.",
)
@click.option(
    "--memory", callback=size, metavar="SIZE", help="What the data may take, like 500M; otherwise a quarter of what is free."
)
@click.option("--cluster", metavar="ADDRESS", help="Learn on this Dask cluster, a file a shard; local: on one of this machine.")
@click.option("--mixing", metavar="NAME", help="With a cluster: uniform, or mistakes, by what each shard had to learn.")
@click.option("--resume", is_flag=True, help="With a cluster: go on from the checkpoint that a run has left.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@learning
@reading(hashing=True)
@waiting
@click.pass_context
def fit(
    ctx: click.Context,
    files: tuple[str, ...],
    out: str | None,
    report: str | None,
    passes: int | None,
    intercept: bool | None,
    memory: int | None,
    cluster: str | None,
    mixing: str | None,
    resume: bool,
    as_json: bool,
    quiet: bool,
    wait: float,
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
      novikoff fit 'data/part-*.svm' --cluster tcp://scheduler:8786 -o model.nvk

    Data that does not fit into memory is read in pieces. Ctrl-C, SIGTERM and SIGHUP end the run with what was learned so far.
    """
    if out is not None:
        check_place(out, files)
    if report is not None:
        check_report(report, files)
        if out is not None and realpath(out) == realpath(report):
            raise Refused(f"{report}: is where the model goes; give another name for the report")
    where = Cluster(cluster, mixing, resume)
    where.check(out, report, memory, files)
    passes = passes or (PASSES if cluster is None else PASSES_ON_CLUSTER)
    began, made, silent = time.perf_counter(), learner(), quiet or as_json
    fit_intercept = made.kernel is None if intercept is None else intercept
    training: Training | None = None
    with Interrupts(), nullcontext() if out is None else held(out, wait) as hold:
        if cluster is None:
            data = dataset(files, options)
            training = _trained(made, data, passes, fit_intercept, memory, silent)
            model = model_of(made, data, training.certificates, _account(training, made, data, time.perf_counter() - began))
            skipped = data.reading.skipped
        else:
            if ctx.get_parameter_source("order") is click.core.ParameterSource.DEFAULT:
                made.order = "given"
            with interruptible():  # there is a checkpoint
                model, skipped = where.fitted(made, files, options, passes, fit_intercept, out, silent)
        model.run |= _of_learning(model) | {"command": ["novikoff", *command_line(ctx)]}
        if out is not None and hold is not None:
            save(model, out, hold)
            if cluster is not None and model.run["stop_reason"] != "interrupted":
                remove_checkpoint(out)
        if report is not None and training is not None:
            rows, facts = _rows_again(training, data), _facts(training, made)
            write_report(model, rows, report, called=out or "", files=files, learned_from=True, facts=facts)
        tell_left_out(model.run["skipped_lines"], skipped)
        if as_json:
            certificates = [str(certificate) for certificate in model.certificates]
            say(json.dumps(model.run | {"certificates": certificates, "model": out, "report": report}))
        elif not quiet:
            say(_sentences(model, out, report))
    if exit_code() is not None:
        tell("interrupted; " + (f"what was learned is in {out}" if out else "no model was saved"))


def _trained(
    learner: "Learner", data: "Dataset", passes: int, fit_intercept: bool, memory: int | None, silent: bool
) -> "Training":
    from novikoff.models.training import train

    bar: Any = nullcontext()
    if on_terminal() and not silent:
        from novikoff.learning.progress import Bar

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
    from novikoff.learning.bounds import facts, known_margin

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


def _account(training: "Training", learner: "Learner", data: "Dataset", seconds: float) -> dict[str, Any]:
    """What is known of a run on this machine."""
    from novikoff.data.readers import how_read
    from novikoff.models.model import account_of, versions

    return account_of(training.run, learner.ledgers[learner.answering] if training.numbered else None) | {
        "rows": training.rows,
        "features": learner.width,
        "entries": training.entries,
        "classes": learner.classes.tolist(),
        "how": training.how,
        "skipped_lines": data.reading.n_skipped,
        "reading": how_read(data.options),
        "seconds": round(seconds, 3),
        "files": data.paths,
        "made_with": versions(),
    }


def _of_learning(model: "Model") -> dict[str, Any]:
    """What is known of every run, wherever it was."""
    from novikoff.learning.learner import Pass

    learner, run = model.learner, model.run
    passes = [Pass(*one) for one in run["each_pass"]]
    return {
        "rule": repr(learner.rule),
        "kernel": None if learner.kernel is None else repr(learner.kernel),
        "stored": None if learner.kernel is None else learner.team.w.shape[1] - 1,
        "readout": learner.readout,
        "order": learner.order,
        "passes": len(passes),
        "updates": sum(one.updates for one in passes),
        "mistakes": sum(one.mistakes for one in passes),
        "mistakes_in_last_pass": passes[-1].mistakes,
        "errors": 0 if run["stop_reason"] == "clean pass" and run["errors"] is None else run["errors"],
    }


def _sentences(model: "Model", out: str | None, report: str | None) -> str:
    summary, certificates = model.run, model.certificates
    classes = summary["classes"]
    listed = ", ".join(map(printable, classes[:FEW])) + (", …" if len(classes) > FEW else "")
    passes = f"{summary['passes']} pass" + ("es" if summary["passes"] > 1 else "")
    said = [
        f"{summary['rows']:,} rows, {summary['features']:,} features, {summary['entries']:,} entries; classes: {listed}",
        f"{passes}, {summary['how']}: {summary['updates']:,} updates, {summary['mistakes']:,} of them mistakes "
        f"({summary['mistakes_in_last_pass']:,} in the last pass); {summary['seconds']:.1f} s",
        _stopped(summary),
    ]
    if summary["kernel"] is not None:
        said.insert(1, f"through the kernel {summary['kernel']}: {summary['stored']:,} rows are stored")
    if len(certificates) == 1:
        said.append(str(certificates[0]))
    else:
        shown = list(zip(classes, certificates, strict=True))[:FEW]
        said += [f"{printable(label)} against the rest: {certificate}" for label, certificate in shown]
        said += ["…"] if len(classes) > FEW else []
    if out is not None:
        said.append(f"The model is in {printable(out)}.")
    if report is not None:
        said.append(f"The report is in {printable(report)}.")
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
