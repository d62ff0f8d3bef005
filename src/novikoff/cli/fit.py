"""`novikoff fit`: files become a model."""

import json
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from os.path import realpath
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused, command_line, main, notify, say
from novikoff.cli.class_counts import sizes
from novikoff.cli.cluster import Cluster, remove_checkpoint
from novikoff.cli.doubts import ask_about
from novikoff.cli.help_texts import option
from novikoff.cli.help_texts import quiet as quiet_option
from novikoff.cli.model_lines import add_proof, certify_command, passes_of, settings_of
from novikoff.cli.options import (
    dataset,
    held,
    learning,
    model_of,
    on_terminal,
    print_skipped_lines,
    reading,
    save,
    size,
    waiting,
    warn_of_small_classes,
)
from novikoff.cli.places import check_place
from novikoff.cli.preparation_lines import add_preparation, columns_of, missing
from novikoff.cli.report import check_report, write_report
from novikoff.cli.summary import Summary, count, listed, percent
from novikoff.foundation.interrupts import Interrupts, exit_code, interruptible
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from novikoff.cli.class_counts import Counts
    from novikoff.data.preparer import Wanted
    from novikoff.data.readers import Dataset, Labelled, Options
    from novikoff.engine.labelled_rows import Examples
    from novikoff.learning.bounds import Facts
    from novikoff.learning.learner import Learner
    from novikoff.learning.progress import Bar
    from novikoff.models.model import Model
    from novikoff.models.run_record import RunRecord
    from novikoff.models.training import Training

PASSES, PASSES_ON_CLUSTER = 5, 10  # shards that are mixed learn more slowly


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("-o", "--out", type=click.Path(), help="Write the model to this file.")
@option("--report", type=click.Path(), help="Also write a report to this HTML file, as `novikoff report` does.")
@option(
    "--passes",
    type=click.IntRange(min=1),
    help="Largest number of passes over the data (default: until the weights settle; 5 without a confidence; on a cluster 10).",
)
@option(
    "--order",
    default="each",
    metavar="NAME",
    help="Order of the rows: given, once (shuffled once) or each (shuffled before each pass) "
    "(default: {default}; on a cluster given).",
)
@option(
    "--memory",
    callback=size,
    metavar="SIZE",
    help="Memory that the data may take, like 500M (default: a quarter of the free memory).",
)
@option(
    "--cluster", metavar="ADDRESS", help='Train on the Dask cluster at this address; "local" starts one. Each file is a shard.'
)
@option(
    "--mixing",
    metavar="NAME",
    help="With --cluster and no confidence: how shards are averaged, uniform or mistakes (by their mistakes) (default: uniform).",
)
@option("--resume", is_flag=True, help="With --cluster: continue from the checkpoint of an earlier run.")
@option("--yes", is_flag=True, help="Do not ask about columns that look like an id, or labels with very many classes.")
@option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@quiet_option
@learning("arow")
@reading(hashing=True, preparing=True)
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
    yes: bool,
    as_json: bool,
    quiet: bool,
    wait: float,
    learner: "Callable[..., Learner]",
    options: "Options",
    wanted: "Wanted",
) -> None:
    """Train a classifier on FILES, and print what it learned and what is proved about the data.

    FILES may be svmlight, Vowpal Wabbit, tables (.csv, .tsv), Parquet, JSON lines, label-tab-text, .npz or .nvkd. Text may be
    compressed (.gz, .xz, .bz2, .zst). Patterns and addresses (s3://bucket/*.svm) work; "-" is standard input.

    The defaults suit most data: AROW, passes in shuffled order until the weights have settled. With at most 64 features, and if
    the rows fit into memory, a few settings are tried first, unless --rule or --set is given.

    Tables and texts are prepared first, and so are the rows that the model predicts: numbers get mean 0 and variance 1, gaps are
    filled and marked, categories become indicators, words are weighted by tf-idf. --no-prepare turns this off.

    \b
    Examples:
      novikoff fit train.svm -o model.nvk
      novikoff fit 'logs/*.csv.gz' --label clicked -o model.nvk
      novikoff fit train.svm --rule rosenblatt --readout last --passes 1000 --order given
      novikoff fit train.svm -o model.nvk --report report.html
      novikoff fit rings.csv --kernel rbf -o model.nvk
      zcat big.vw.gz | novikoff fit - --passes 1 --order given -o model.nvk
      novikoff fit 'data/part-*.svm' --cluster tcp://scheduler:8786 -o model.nvk

    Data that does not fit into memory is read in pieces. Ctrl-C, SIGTERM and SIGHUP stop the training; the model learned so far
    is saved.
    """
    if out is not None:
        check_place(out, files)
    if report is not None:
        check_report(report, files)
        if out is not None and realpath(out) == realpath(report):
            raise Refused(f"{report}: model and report cannot be the same file; choose another file for the report")
    where = Cluster(cluster, mixing, resume)
    where.check(out, report, memory, files)
    in_given_order = cluster is not None and not _given(ctx, "order")
    began, silent = time.perf_counter(), quiet or as_json
    made = learner(order="given") if in_given_order else learner()
    if passes is None and made.confidence is None:
        passes = PASSES if cluster is None else PASSES_ON_CLUSTER
    fit_intercept = made.kernel is None if intercept is None else intercept
    training: Training | None = None
    with Interrupts(), nullcontext() if out is None else held(out, wait) as hold:
        if cluster is None:
            data = dataset(files, options)
            by_hand = made.confidence is None or _given(ctx, "rule", "settings")
            chosen = None if by_hand else partial(_chosen, learner, ctx)
            training = _trained(made, data, passes, fit_intercept, memory, silent, chosen, wanted, yes)
            made = training.learner
            record = _record_of(training, made, data, time.perf_counter() - began)
            model = model_of(made, data, training.certificates, record, training.preparer)
            skipped = data.reading.skipped
        else:
            with interruptible():  # there is a checkpoint
                most = passes or PASSES_ON_CLUSTER
                model, skipped = where.fitted(made, files, options, most, fit_intercept, out, silent, wanted)
        model.run = model.run.with_summary(model.learner, ["novikoff", *command_line(ctx)])
        if out is not None and hold is not None:
            save(model, out, hold)
            if cluster is not None and model.run.stop_reason != "interrupted":
                remove_checkpoint(out)
        if report is not None and training is not None:
            rows, facts = _training_rows(training, data), _facts(training, made)
            write_report(model, rows, report, called=out or "", files=files, learned_from=True, facts=facts)
        print_skipped_lines(model.run["skipped_lines"], skipped)
        if training is not None and not quiet:
            warn_of_small_classes(data)
            _warn_of_origin(training, wanted)
        if as_json:
            certificates = [str(certificate) for certificate in model.certificates]
            say(json.dumps(model.run.to_json() | {"certificates": certificates, "model": out, "report": report}))
        elif not quiet:
            counts = None if training is None else data.reading.labels.counts()
            read = None if training is None else data.reading.seconds
            at_once = {"multiclass": "direct"} if model.learner.proves_at_once else {}
            certify = certify_command(files, options, _of_kernel(ctx) | at_once, len(model.certificates) > 1)
            decide = certify if model.can_be_certified else None
            _summary(model, counts, read, decide, out, report).print()
    if exit_code() is not None:
        notify("interrupted; " + (f"the model learned so far is in {out}" if out else "no model was saved"))


def _given(ctx: click.Context, *names: str) -> bool:
    """Whether one of these options was given."""
    return any(ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT for name in names)


def _chosen(learner: "Callable[..., Learner]", ctx: click.Context, seen: "Examples") -> "Learner":
    """The learner with the settings of AROW that suit these rows, as far as they are not given."""
    from novikoff.learning.choosing import Choice, choose

    given = (ctx.params[name] if _given(ctx, name) else "auto" for name in ("confidence", "multiclass"))
    class_weight = "balanced" if ctx.params["balanced"] else None
    best = choose(Choice("auto", *given), seen, class_weight, ctx.params["seed"])
    return learner(settings=(f"r={best.r}",), confidence=best.confidence, multiclass=best.multiclass)


def _trained(
    learner: "Learner",
    data: "Dataset",
    passes: int | None,
    fit_intercept: bool,
    memory: int | None,
    silent: bool,
    chosen: "Callable[[Examples], Learner] | None",
    wanted: "Wanted",
    yes: bool,
) -> "Training":
    from novikoff.models.training import train

    try:
        with _progress_bar(passes) if on_terminal() and not silent else nullcontext() as shown:
            how = {"on_slice": None if shown is None else shown.on_slice, "chosen": chosen, "wanted": wanted}
            how["on_read"] = None if yes else partial(ask_about, data)
            return train(learner, data, passes, fit_intercept=fit_intercept, memory=memory, **how)  # type: ignore[arg-type]
    except ValueError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(
            f"the data cannot be written to a temporary file ({error.strerror}); free some disk space, or raise --memory"
        ) from None


def _progress_bar(passes: int | None) -> "Bar":
    from novikoff.learning.pass_driver import MOST_PASSES
    from novikoff.learning.progress import Bar

    return Bar(None, passes or MOST_PASSES)


def _facts(training: "Training", learner: "Learner") -> "list[Facts]":
    """Facts about the run, if its rows are in memory. Otherwise they would take one more pass."""
    from novikoff.learning.bounds import facts, known_margin

    if training.seen is None:
        return []
    run, seen, prepared = training.run, training.seen, training.preparer is not None
    margins = [0.0 if prepared else known_margin(learner, certificate) for certificate in training.certificates]
    found = [facts(learner, seen, v, run.passes, margin) for v, margin in enumerate(margins)]
    return [replace(one, cycle=run.cycles.get(v), prepared=prepared) for v, one in enumerate(found)]


def _training_rows(training: "Training", data: "Dataset") -> "Iterable[Labelled] | None":
    """The training rows: those in memory, or the files; None for rows from a pipe."""
    if training.held is not None:
        return [training.held]
    return None if data.comes_once else data


def _record_of(training: "Training", learner: "Learner", data: "Dataset", seconds: float) -> "RunRecord":
    """The record of a run on this machine."""
    from novikoff.data.readers import how_read
    from novikoff.models.run_record import RunRecord, versions

    return RunRecord.of_run(
        training.run,
        learner.ledgers[learner.answering] if training.numbered else None,
        rows=training.rows,
        features=learner.width,
        entries=training.entries,
        classes=tuple(learner.classes.tolist()),
        how=training.how,
        skipped_lines=data.reading.n_skipped,
        reading=how_read(data.options, data.reading.label),
        seconds=round(seconds, 3),
        files=tuple(data.paths),
        made_with=versions(),
        radius_around_mean=None if training.origin is None else training.origin.around_mean,
    )


def _warn_of_origin(training: "Training", wanted: "Wanted") -> None:
    """Print a warning on standard error if the origin is far away from the rows, and the run was slow."""
    from novikoff.learning.origin import was_slow

    if training.origin is not None and was_slow(training.run):
        how = "--centre" if wanted.prepare else "--centre instead of --no-prepare"
        notify(f"warning: {training.origin}; centre the rows with {how}")


def _of_kernel(ctx: click.Context) -> dict[str, object]:
    """The options about the kernel, as they were given."""
    return {name: ctx.params[name] for name in ("kernel", "degree", "gamma", "coef0", "intercept")}


def _summary(
    model: "Model", counts: "Counts | None", read: float | None, decide: str | None, out: str | None, report: str | None
) -> Summary:
    """What was read, learned, proved and saved. `read` are the seconds that reading took, if it was done first."""
    run, learner, summary = model.run, model.learner, Summary()
    classes = f"{len(run['classes']):,} classes ({listed(run['classes'])})" if not counts else sizes(counts)
    columns = columns_of(model.features)
    summary.add("Read", f"{count(run['rows'], 'row')}, {columns}, {classes}{missing(model)}", seconds=read)
    add_preparation(summary, model)
    settings = f"{settings_of(learner)}, {passes_of(run['passes'], run['order'])}"
    summary.add("Trained", settings, seconds=run["seconds"] - (read or 0))
    if "distributed" in run or (read is None and (run["passes"] > 1 or run["order"] != "given")):
        summary.add("Passes", str(run["how"]))
    last = f"{run['mistakes_in_last_pass']:,} in the last pass"
    summary.add("Updates", f"{run['updates']:,}, of which {count(run['mistakes'], 'mistake')} ({last})")
    if run["kernel"] is not None:
        summary.add("Stored", count(run["stored"], "row"))
    summary.add("Result", _result(run, counts))
    add_proof(summary, model.certificates, run["classes"], decide)
    if out is not None:
        summary.add("Saved", printable(out))
    if report is not None:
        summary.add("Report", printable(report))
    return summary


def _result(run: "RunRecord", counts: "Counts | None") -> str:
    """How many training rows are right, compared with one answer for all of them, and why the run stopped if that was early."""
    rows, errors = run["rows"], run["errors"]
    if run["stop_reason"] == "clean pass":
        right = f"all {count(rows, 'training row')} right (clean pass)"
        return (right if run["readout"] == "last" else f"the last weights have {right}") + _compared(rows, counts)
    if errors is None:
        text = "the errors on the training rows were not counted; `novikoff score` counts them"
    else:
        right = f"{percent(rows - errors, rows)} of the training rows right ({errors:,} wrong)"
        text = (right if errors else f"all {count(rows, 'training row')} right") + _compared(rows - errors, counts)
    match run["stop_reason"]:
        case "interrupted":
            text = f"interrupted; {text}"
        case "ledger full":
            text += "\nstopped early: voted weights need every update, and there were too many; use --readout averaged"
    return text


def _compared(right: int, counts: "Counts | None") -> str:
    """How many training rows are right if the answer is always the most frequent class; empty if labels were not counted."""
    from novikoff.models.scoring import baseline_of

    if not counts:
        return ""
    sizes = {label: counted.rows for label, counted in counts.items()}
    baseline = baseline_of(sizes, sum(sizes.values()))
    always, share = printable(baseline.label), percent(baseline.rows, baseline.of)
    return (
        f"; no better than always answering '{always}': {share}"
        if baseline.reached_by(right)
        else f"; always '{always}': {share}"
    )
