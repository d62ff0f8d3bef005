"""`novikoff learn`: learn from a stream, one row at a time."""

import json
import os
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused, main, notify, say
from novikoff.cli.help_texts import option
from novikoff.cli.help_texts import quiet as quiet_option
from novikoff.cli.options import (
    as_read,
    dataset,
    held,
    learning,
    model_at,
    model_of,
    print_skipped,
    reading,
    save,
    waiting,
    warn_of_small_classes,
)
from novikoff.cli.places import check_place
from novikoff.cli.summary import Summary, count
from novikoff.foundation.array_types import Array
from novikoff.foundation.interrupts import Interrupts, exit_code, until_interrupted
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from novikoff.data.preparer import Wanted
    from novikoff.data.readers import Labelled, Options
    from novikoff.learning.learner import Learner


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option(
    "-m",
    "--model",
    "place",
    required=True,
    type=click.Path(),
    help="The model to continue with; created if the file does not exist.",
)
@option("--progressive", is_flag=True, help="Predict each row before learning from it, and print how often that was wrong.")
@option("--json", "as_json", is_flag=True, help="Print the figures as JSON, one object per line.")
@quiet_option
@learning("stream")
@reading(hashing=True, preparing=True)
@waiting
def learn(
    files: tuple[str, ...],
    place: str,
    intercept: bool | None,
    progressive: bool,
    as_json: bool,
    quiet: bool,
    wait: float,
    learner: "Callable[[], Learner]",
    options: "Options",
    wanted: "Wanted",
) -> None:
    """Learn from each row of FILES once, in the order given. An existing model continues to learn.

    \b
    Examples:
      zcat log.vw.gz | novikoff learn - -m model.nvk --progressive
      novikoff learn monday.csv tuesday.csv --label clicked -m model.nvk

    The options about learning apply to new models; an existing model keeps its settings. New classes and features may appear at
    any time. Tables and texts are prepared as by `fit`, by statistics of the rows so far. Ctrl-C, SIGTERM and SIGHUP stop the
    command and save the model.
    """
    from novikoff.data.preparer import NOT_PREPARED, Stream
    from novikoff.data.readers import how_read
    from novikoff.models.run_record import RunRecord
    from novikoff.solve.run_proofs import of_stream

    check_place(place, files)
    figures = _Progress(progressive and not quiet, as_json)
    with Interrupts() as interrupts, held(place, wait) as hold:
        if os.path.exists(place):
            model = model_at(place)
            options, features, made = as_read(model, options), model.features, model.learner
            stream = Stream(NOT_PREPARED, model.preparer)
        else:
            features, made, stream = None, learner(), Stream(wanted)
            made.keep_no_updates()  # a stream has no end
        data = dataset(files, options, features)
        constant = int(made.kernel is None if intercept is None else intercept)
        try:
            for block in until_interrupted(data):
                if len(block.y):
                    assert data.features is not None, "rows have features"
                    block = block._replace(X=stream.rows(block.X, data.features))
                    figures.add(_learn_block(made, block, constant, progressive))
        except KeyboardInterrupt:  # raised by the learner, between two rows
            pass
        except ValueError as error:
            raise Refused(f"{error}; the model was not changed") from None
        if not made.started:
            if interrupts.asked():
                raise KeyboardInterrupt
            raise Refused(f"{place}: there were no rows to learn from, so no model was saved")
        run = RunRecord.of_stream(made, how_read(options, data.reading.label))
        save(model_of(made, data, of_stream(made), run, stream.preparer), place, hold)
        print_skipped(data)
        if not quiet:
            warn_of_small_classes(data)
            figures.end(made, place)
    if exit_code() is not None:
        notify(f"interrupted; the model learned so far is in {place}")


def _learn_block(learner: "Learner", block: "Labelled", constant: int, progressive: bool) -> "Array | int":
    """Learn from a block. If `progressive`, returns which rows were predicted wrongly before; otherwise the number of rows."""
    constant = learner.constant if learner.started else constant
    seen = learner.space.look(block.X, block.y, constant=constant, weight=block.weight)
    if learner.started and seen.width > learner.width:
        learner.widen(seen.width)
    decisions = learner.learn(seen, foretelling=progressive)
    if decisions is None:
        return len(seen.fed)
    truth = seen.coded_in(learner.classes).sheet.code
    wrong: Array = (learner.answers(decisions) != truth)[seen.fed]
    return wrong


class _Progress:
    """Prints the progressive error after 1, 2, 4, … rows, and the summary at the end."""

    def __init__(self, shown: bool, as_json: bool) -> None:
        self.rows = self.wrong = 0
        self.shown, self.as_json, self.counted = shown, as_json, False
        self.next, self.before = 1, (0, 0)

    def add(self, wrong: "Array | int") -> None:
        """Count the rows of a block, as `_learn_block` returns them."""
        if isinstance(wrong, int):
            self.rows += wrong
            return
        self.counted = True
        while len(wrong):
            some = wrong[: self.next - self.rows]
            wrong = wrong[len(some) :]
            self.rows += len(some)
            self.wrong += int(some.sum())
            if self.rows == self.next:
                self._print()

    def _print(self) -> None:
        share, since = self.wrong / self.rows, (self.wrong - self.before[1]) / (self.rows - self.before[0])
        self.before, self.next = (self.rows, self.wrong), 2 * self.next
        if self.shown and self.as_json:
            say(json.dumps({"rows": self.rows, "progressive_error": share, "since_last": since}))
        elif self.shown:
            say(f"{self.rows:>12,} rows   progressive error {share:.4f}   since the previous line {since:.4f}")

    def end(self, learner: "Learner", place: str) -> None:
        error = self.wrong / self.rows if self.counted and self.rows else None
        if self.as_json:
            figures = {"rows": self.rows, "classes": learner.classes.tolist(), "features": learner.width, "model": place}
            say(json.dumps(figures | ({} if error is None else {"progressive_error": error})))
            return
        summary = Summary()
        total = "" if learner.rows_fed == self.rows else f" ({learner.rows_fed:,} in total)"
        features, classes = count(learner.width, "feature"), count(len(learner.classes), "class", "classes")
        summary.add("Learned", f"{count(self.rows, 'row')}{total}, {features}, {classes}")
        if error is not None:
            summary.add("Result", f"progressive error {error:.4f}: {self.wrong:,} of {self.rows:,} wrong before learning")
        summary.add("Saved", printable(place))
        summary.print()
