"""`novikoff learn`: online, predict first, then learn."""

import json
import os
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say, tell
from novikoff.cli.options import as_read, dataset, held, learning, model_at, model_of, reading, save, told, waiting
from novikoff.cli.places import check_place
from novikoff.foundation.interrupts import Interrupts, exit_code, until_interrupted
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.readers import Labelled, Options
    from novikoff.learning.learner import Learner


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m", "--model", "place", required=True, type=click.Path(), help="The model to go on with; made if it is not there."
)
@click.option("--progressive", is_flag=True, help="Say on the way how often the answer before learning was wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, a line each.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@learning
@reading(hashing=True)
@waiting
def learn(
    files: tuple[str, ...],
    place: str,
    intercept: bool | None,
    progressive: bool,
    as_json: bool,
    quiet: bool,
    wait: float,
    learner: Any,
    options: "Options",
) -> None:
    """Learn from FILES once, row by row, as they come. A model that exists goes on from where it is.

    \b
    Examples:
      zcat log.vw.gz | novikoff learn - -m model.nvk --progressive
      novikoff learn monday.csv tuesday.csv --label clicked -m model.nvk

    Rules and readouts are chosen for a new model, and are then the model's. Classes and features may appear at any time.
    Ctrl-C, SIGTERM and SIGHUP save what was learned.
    """
    from novikoff.data.readers import how_read
    from novikoff.solve.run_proofs import of_stream

    check_place(place, files)
    figures = _Progress(progressive and not quiet, as_json)
    with Interrupts() as interrupts, held(place, wait) as hold:
        if os.path.exists(place):
            model = model_at(place)
            options, features, made = as_read(model, options), model.features, model.learner
        else:
            features, made = None, learner()
            made.ledger_cap = 0  # a stream has no end, and its updates are only counted
        data = dataset(files, options, features)
        constant = int(made.kernel is None if intercept is None else intercept)
        try:
            for block in until_interrupted(data):
                if len(block.y):
                    figures.add(_learned(made, block, constant, progressive))
        except KeyboardInterrupt:  # raised by the learner, between two rows
            pass
        except ValueError as error:
            raise Refused(f"{error}; the model is as it was") from None
        if not made.started:
            if interrupts.asked():
                raise KeyboardInterrupt
            raise Refused(f"{place}: nothing was learned, so there is nothing to save")
        run = {"stop_reason": "stream", "rows": made.rows_fed, "reading": how_read(options)}
        save(model_of(made, data, of_stream(made), run), place, hold)
        told(data)
        if not quiet:
            figures.end(made, place)
    if exit_code() is not None:
        tell(f"interrupted; what was learned is in {place}")


def _learned(learner: "Learner", block: "Labelled", constant: int, progressive: bool) -> Any:
    """Which rows of the block were answered wrongly before they were learned from; if not `progressive`, only their number."""
    constant = learner.constant if learner.started else constant
    seen = learner.space.look(block.X, block.y, constant=constant, weight=block.weight)
    if learner.started and seen.width > learner.width:
        learner.widen(seen.width)
    answers = learner.learn(seen, foretelling=progressive)
    if answers is None:
        return len(seen.fed)
    truth = seen.coded_in(learner.classes).sheet.code
    return (answers != truth)[seen.fed]


class _Progress:
    """Progressive error: told at 1, 2, 4, … examples, and in the end."""

    def __init__(self, shown: bool, as_json: bool) -> None:
        self.rows = self.wrong = 0
        self.shown, self.as_json, self.counted = shown, as_json, False
        self.next, self.before = 1, (0, 0)

    def add(self, wrong: Any) -> None:
        """The rows of a piece, as `_learned` gives them."""
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
                self._tell()

    def _tell(self) -> None:
        share, since = self.wrong / self.rows, (self.wrong - self.before[1]) / (self.rows - self.before[0])
        self.before, self.next = (self.rows, self.wrong), 2 * self.next
        if self.shown and self.as_json:
            say(json.dumps({"rows": self.rows, "progressive_error": share, "since_last": since}))
        elif self.shown:
            say(f"{self.rows:>12,} rows   progressive error {share:.4f}   since the line before {since:.4f}")

    def end(self, learner: "Learner", place: str) -> None:
        error = self.wrong / self.rows if self.counted and self.rows else None
        if self.as_json:
            figures = {"rows": self.rows, "classes": learner.classes.tolist(), "features": learner.width, "model": place}
            say(json.dumps(figures | ({} if error is None else {"progressive_error": error})))
            return
        said = (
            f"{self.rows:,} rows learned, {learner.rows_fed:,} in all; {learner.width:,} features, {len(learner.classes)} classes"
        )
        if error is not None:
            said += f"; progressive error {error:.4f} ({self.wrong:,} wrong before learning)"
        say(f"{said}. The model is in {printable(place)}.")
