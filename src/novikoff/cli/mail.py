"""`novikoff mail`: a filter for mail that learns from mailboxes."""

import json
import os
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say, tell
from novikoff.cli.options import held, model_at, save, waiting
from novikoff.cli.places import check_place
from novikoff.foundation.interrupts import Interrupts, exit_code, until_interrupted
from novikoff.foundation.printable import as_field, printable

if TYPE_CHECKING:
    from novikoff.data.readers import Reading
    from novikoff.data.readers.mail import Message
    from novikoff.models.model import Model

HAM, SPAM, UNSURE = "ham", "spam", "unsure"
CODES = {SPAM: 0, UNSURE: 2, HAM: 1}  # of several answers the first counts
TOGETHER = 256  # messages that are looked at together


@main.group("mail")
def mail() -> None:
    """Tell spam from ham: learn from mailboxes, classify messages.

    \b
    Example:
      novikoff mail learn --spam spam.mbox --ham ~/Maildir/cur -m mail.nvk
      novikoff mail classify -m mail.nvk < message.eml
    """


@mail.command()
@click.option("--spam", multiple=True, type=click.Path(), help="Mail that is spam: mbox, Maildir, message, folder of messages.")
@click.option("--ham", multiple=True, type=click.Path(), help="Mail that is not.")
@click.option(
    "-m",
    "--model",
    "place",
    default="mail.nvk",
    show_default=True,
    type=click.Path(),
    help="The model to go on with; made if it is not there.",
)
@click.option(
    "--bits", type=click.IntRange(1, 30), default=20, show_default=True, help="For a new model: hash words into 2^BITS features."
)
@click.option(
    "--words", type=click.IntRange(1, 5), default=1, show_default=True, help="For a new model: runs of up to so many words."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@waiting
def learn(
    spam: tuple[str, ...],
    ham: tuple[str, ...],
    place: str,
    bits: int,
    words: int,
    as_json: bool,
    quiet: bool,
    wait: float,
) -> None:
    """Learn from messages, once each, spam and ham in turns. A model that exists goes on from where it is.

    \b
    Examples:
      novikoff mail learn --spam spam.mbox --ham ~/Maildir/cur --ham sent.mbox -m mail.nvk
      novikoff mail learn --ham wrongly-caught.eml -m mail.nvk

    Ctrl-C, SIGTERM and SIGHUP save what was learned.
    """
    from novikoff.solve.run_proofs import of_stream

    if not spam and not ham:
        raise Refused("there is nothing to learn from; give mail as --spam or --ham, or both")
    if "-" in (*spam, *ham):
        raise Refused("-: mail to learn from is read twice; save it to a file first")
    check_place(place, [path for path in (*spam, *ham) if os.path.isfile(path)])
    counts, reading = {SPAM: 0, HAM: 0}, _reading()
    with Interrupts() as interrupts, held(place, wait) as hold:
        model = _mail_model(place) if os.path.exists(place) else _new_model(bits, words)
        try:
            for some in until_interrupted(_together(spam, ham, reading)):
                _learned(model, some)
                for kind, _ in some:
                    counts[kind] += 1
        except KeyboardInterrupt:  # raised by the learner, between two messages
            pass
        except ValueError as error:
            raise Refused(f"{error}; the model is as it was") from None
        if not model.learner.started:
            if interrupts.asked():
                raise KeyboardInterrupt
            raise Refused(f"{place}: there was no message to learn from, so there is nothing to save")
        model.certificates = of_stream(model.learner)
        model.run = {"stop_reason": "stream", "rows": model.learner.rows_fed, "reading": model.features.header()}
        save(model, place, hold)
        _told(reading)
        if as_json and not quiet:
            say(json.dumps(counts | {"rows": model.learner.rows_fed, "passed_over": reading.passed_over, "model": place}))
        elif not quiet:
            learned = f"{counts[SPAM]:,} messages of spam and {counts[HAM]:,} of ham learned, {model.learner.rows_fed:,} in all"
            say(f"{learned}. The model is in {printable(place)}.")
    if exit_code() is not None:
        tell(f"interrupted; what was learned is in {place}")


@mail.command()
@click.argument("files", nargs=-1, type=click.Path())
@click.option("-m", "--model", "place", default="mail.nvk", show_default=True, type=click.Path(), help="The model.")
@click.option(
    "--sigma", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Unsure where |cos(w, x)| is below this."
)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each message.")
@click.pass_context
def classify(ctx: click.Context, files: tuple[str, ...], place: str, sigma: float, as_json: bool) -> None:
    """Is the message on standard input, or in FILES, spam? Prints the answer and its score; above 0 it is spam.

    \b
    Examples:
      novikoff mail classify -m mail.nvk < message.eml
      novikoff mail classify -m mail.nvk --sigma 0.05 inbox.mbox

    Exit codes: 0 spam, 1 ham, 2 unsure, 3 for an error. Of several messages: 0 if one is spam, else 2 if one is unsure.
    """
    from novikoff.data.readers.mail import messages

    model, reading = _mail_model(place), _reading()
    model.features.frozen = True
    answers: set[str] = set()
    several = len(files) > 1 or any(map(os.path.isdir, files))
    read = chain.from_iterable(messages(path, reading) for path in files or ("-",))
    try:
        while some := list(islice(read, TOGETHER)):
            several = several or len(some) > 1
            for message, (answer, score) in zip(some, _answers(model, some, sigma), strict=True):
                answers.add(answer)
                if as_json:
                    say(json.dumps({"message": message.where, "answer": answer, "score": score}))
                else:
                    say(f"{as_field(message.where)}\t{answer}\t{score:.6g}" if several else f"{answer}\t{score:.6g}")
    except ValueError as error:
        raise Refused(str(error)) from None
    _told(reading)
    if not answers:
        raise Refused(f"{' '.join(files)}: there is no mail in it; give messages")
    ctx.exit(next(code for answer, code in CODES.items() if answer in answers))


def _answers(model: "Model", some: "list[Message]", sigma: float) -> list[tuple[str, float]]:
    """The answer to each message, and its score."""
    X = _rows(model, [message.text for message in some])
    decisions = model.learner.decide(X)
    sure = model.learner.sure(X, decisions, sigma)
    scores = decisions[:, 0].tolist()
    return [((SPAM if score > 0 else HAM) if relied else UNSURE, score) for score, relied in zip(scores, sure, strict=True)]


def _rows(model: "Model", texts: list[str]) -> Any:
    from novikoff.data.features import Hashed
    from novikoff.data.readers.mail import rows

    assert isinstance(model.features, Hashed)
    return rows(texts, model.features)


def _told(reading: "Reading") -> None:
    if reading.passed_over:
        tell(f"{reading.passed_over:,} files that are no mail were passed over")


def _reading() -> "Reading":
    from novikoff.data.readers import Options, Reading

    return Reading(Options(unlabelled=True), "mail", whole=False)


def _new_model(bits: int, words: int) -> "Model":
    from novikoff.data.features import Hashed
    from novikoff.learning.learner import Learner
    from novikoff.models.model import Model

    learner = Learner("margin", readout="averaged", ledger_cap=0)  # mail has no end, and its updates are only counted
    return Model(learner, Hashed(bits, words, scheme="mail"))


def _mail_model(place: str) -> "Model":
    from novikoff.data.features import Hashed

    model = model_at(place)
    of_mail = isinstance(model.features, Hashed) and model.features.scheme == "mail"
    if not of_mail or model.learner.classes.tolist() != [HAM, SPAM]:
        raise Refused(f"{place}: is no model of mail; give one that `novikoff mail learn` made")
    return model


def _of(kind: str, paths: tuple[str, ...], reading: "Reading") -> Iterator[tuple[str, str]]:
    from novikoff.data.readers.mail import messages

    return ((kind, message.text) for path in paths for message in messages(path, reading))


def _counted(paths: tuple[str, ...]) -> int:
    from novikoff.data.readers.mail import contents

    return sum(1 for path in paths for _ in contents(path, _reading()))


def _together(spam: tuple[str, ...], ham: tuple[str, ...], reading: "Reading") -> Iterator[list[tuple[str, str]]]:
    """All messages, each with its kind, so many at a time."""
    both = _in_turns(_of(HAM, ham, reading), _counted(ham), _of(SPAM, spam, reading), _counted(spam))
    while some := list(islice(both, TOGETHER)):
        yield some


def _in_turns(some: Iterator[Any], n: int, others: Iterator[Any], m: int) -> Iterator[Any]:
    """All n of some and all m of the others, mixed evenly, so that neither kind is forgotten while the other is learned."""
    for k in range(n + m):
        a, b = k * n // (n + m), (k + 1) * n // (n + m)
        yield from islice(some, 1) if b > a else islice(others, 1)
    yield from chain(some, others)  # that came in the meantime


def _learned(model: "Model", some: list[tuple[str, str]]) -> None:
    import numpy as np

    from novikoff.engine.labelled_rows import examples

    X = _rows(model, [text for _, text in some])
    model.learner.learn(examples(X, np.array([kind for kind, _ in some])), announced=np.array([HAM, SPAM]))
