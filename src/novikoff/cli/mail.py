"""`novikoff mail`: a spam filter that learns from mailboxes."""

import json
import os
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

import click

from novikoff.cli import Refused, main, notify, say
from novikoff.cli.help_texts import option
from novikoff.cli.help_texts import quiet as quiet_option
from novikoff.cli.options import held, model_at, save, waiting
from novikoff.cli.places import check_place
from novikoff.cli.summary import Summary, count
from novikoff.foundation.array_types import Matrix
from novikoff.foundation.interrupts import Interrupts, exit_code, until_interrupted
from novikoff.foundation.printable import as_field, printable

if TYPE_CHECKING:
    from novikoff.data.readers import Reading
    from novikoff.data.readers.mail import Message
    from novikoff.models.model import Model

T = TypeVar("T")
HAM, SPAM, UNSURE = "ham", "spam", "unsure"
CODES = {SPAM: 0, UNSURE: 2, HAM: 1}  # exit codes; with several messages, the first answer that occurs decides
TOGETHER = 256  # messages that are processed together


@main.group("mail")
def mail() -> None:
    """Filter spam: learn from mailboxes, classify messages.

    \b
    Example:
      novikoff mail learn --spam spam.mbox --ham ~/Maildir/cur -m mail.nvk
      novikoff mail classify -m mail.nvk < message.eml
    """


@mail.command()
@option("--spam", multiple=True, type=click.Path(), help="Spam: an mbox file, a Maildir, a message or a folder of messages.")
@option("--ham", multiple=True, type=click.Path(), help="Mail that is not spam, in the same forms.")
@option(
    "-m",
    "--model",
    "place",
    default="mail.nvk",
    type=click.Path(),
    help="The model to continue with; created if the file does not exist (default: {default}).",
)
@option(
    "--bits",
    type=click.IntRange(1, 30),
    default=20,
    help="For a new model: hash words into 2^BITS features (default: {default}).",
)
@option(
    "--words",
    type=click.IntRange(1, 5),
    default=1,
    metavar="N",
    help="For a new model: use sequences of up to N words as features (default: {default}).",
)
@option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@quiet_option
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
    """Learn from each message once, spam and ham mixed. An existing model continues to learn.

    \b
    Examples:
      novikoff mail learn --spam spam.mbox --ham ~/Maildir/cur --ham sent.mbox -m mail.nvk
      novikoff mail learn --ham wrongly-caught.eml -m mail.nvk

    Ctrl-C, SIGTERM and SIGHUP stop the command and save the model.
    """
    from novikoff.models.run_record import RunRecord
    from novikoff.solve.run_proofs import of_stream

    if not spam and not ham:
        raise Refused("there is no mail to learn from; give some with --spam, --ham or both")
    if "-" in (*spam, *ham):
        raise Refused("-: mail is read twice, which standard input does not allow; save it to a file first")
    check_place(place, [path for path in (*spam, *ham) if os.path.isfile(path)])
    counts, reading = {SPAM: 0, HAM: 0}, _reading()
    with Interrupts() as interrupts, held(place, wait) as hold:
        model = _mail_model(place) if os.path.exists(place) else _new_model(bits, words)
        try:
            for some in until_interrupted(_together(spam, ham, reading)):
                _learn_messages(model, some)
                for kind, _ in some:
                    counts[kind] += 1
        except KeyboardInterrupt:  # raised by the learner, between two messages
            pass
        except ValueError as error:
            raise Refused(f"{error}; the model was not changed") from None
        if not model.learner.started:
            if interrupts.asked():
                raise KeyboardInterrupt
            raise Refused(f"{place}: there were no messages to learn from, so no model was saved")
        model.certificates = of_stream(model.learner)
        model.run = RunRecord.of_stream(model.learner, model.features.header())
        save(model, place, hold)
        _print_ignored(reading)
        if as_json and not quiet:
            say(json.dumps(counts | {"rows": model.learner.rows_fed, "passed_over": reading.passed_over, "model": place}))
        elif not quiet:
            summary = Summary()
            total = f"{count(model.learner.rows_fed, 'message')} in total"
            summary.add("Learned", f"{counts[SPAM]:,} spam and {counts[HAM]:,} ham ({total})")
            summary.add("Saved", printable(place))
            summary.print()
    if exit_code() is not None:
        notify(f"interrupted; the model learned so far is in {place}")


@mail.command()
@click.argument("files", nargs=-1, type=click.Path())
@option("-m", "--model", "place", default="mail.nvk", type=click.Path(), help="The model (default: {default}).")
@option(
    "--sigma",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Answer unsure if |cos(w, x)| is below this (default: {default}).",
)
@option("--json", "as_json", is_flag=True, help="Print one JSON object per message.")
@click.pass_context
def classify(ctx: click.Context, files: tuple[str, ...], place: str, sigma: float, as_json: bool) -> None:
    """Classify the message on standard input, or the messages in FILES. Prints the answer and its score: spam if above 0.

    \b
    Examples:
      novikoff mail classify -m mail.nvk < message.eml
      novikoff mail classify -m mail.nvk --sigma 0.05 inbox.mbox

    Exit codes: 0 spam, 1 ham, 2 unsure, 3 error. With several messages: 0 if any is spam, otherwise 2 if any is unsure.
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
    _print_ignored(reading)
    if not answers:
        raise Refused(f"{' '.join(files)}: contains no mail; give messages or mailboxes")
    ctx.exit(next(code for answer, code in CODES.items() if answer in answers))


def _answers(model: "Model", some: "list[Message]", sigma: float) -> list[tuple[str, float]]:
    """The answer and the score of each message."""
    X = model.prepared(_rows(model, [message.text for message in some]))
    decisions = model.learner.decide(X)
    sure = model.learner.sure(X, decisions, sigma)
    scores = decisions[:, 0].tolist()
    return [((SPAM if score > 0 else HAM) if relied else UNSURE, score) for score, relied in zip(scores, sure, strict=True)]


def _rows(model: "Model", texts: list[str]) -> "Matrix":
    from novikoff.data.features import Hashed
    from novikoff.data.readers.mail import rows

    assert isinstance(model.features, Hashed)
    return rows(texts, model.features)


def _print_ignored(reading: "Reading") -> None:
    if reading.passed_over:
        notify(f"ignored {count(reading.passed_over, 'file')} that {'is' if reading.passed_over == 1 else 'are'} not mail")


def _reading() -> "Reading":
    from novikoff.data.readers import Options, Reading

    return Reading(Options(unlabelled=True), "mail", whole=False)


def _new_model(bits: int, words: int) -> "Model":
    from novikoff.data.features import Hashed
    from novikoff.data.preparation import Statistics
    from novikoff.data.preparer import Preparer
    from novikoff.learning.learner import Learner
    from novikoff.models.model import Model

    learner = Learner("stream", readout="last", ledger_cap=0)  # mail has no end, so updates are counted but not stored
    preparer = Preparer("tfidf", unit=True, running=True, found=Statistics())
    return Model(learner, Hashed(bits, words, scheme="mail"), preparer=preparer)


def _mail_model(place: str) -> "Model":
    from novikoff.data.features import Hashed

    model = model_at(place)
    of_mail = isinstance(model.features, Hashed) and model.features.scheme == "mail"
    if not of_mail or model.learner.classes.tolist() != [HAM, SPAM]:
        raise Refused(f"{place}: is not a mail model; give one made by `novikoff mail learn`")
    return model


def _of(kind: str, paths: tuple[str, ...], reading: "Reading") -> Iterator[tuple[str, str]]:
    from novikoff.data.readers.mail import messages

    return ((kind, message.text) for path in paths for message in messages(path, reading))


def _counted(paths: tuple[str, ...]) -> int:
    from novikoff.data.readers.mail import contents

    return sum(1 for path in paths for _ in contents(path, _reading()))


def _together(spam: tuple[str, ...], ham: tuple[str, ...], reading: "Reading") -> Iterator[list[tuple[str, str]]]:
    """All messages with their kinds, in lists of at most TOGETHER."""
    both = _mixed(_of(HAM, ham, reading), _counted(ham), _of(SPAM, spam, reading), _counted(spam))
    while some := list(islice(both, TOGETHER)):
        yield some


def _mixed(some: Iterator[T], n: int, others: Iterator[T], m: int) -> Iterator[T]:
    """All n items of `some` and all m of `others`, mixed evenly, so that neither kind is forgotten while the other is learned."""
    for k in range(n + m):
        a, b = k * n // (n + m), (k + 1) * n // (n + m)
        yield from islice(some, 1) if b > a else islice(others, 1)
    yield from chain(some, others)  # messages that have arrived since they were counted


def _learn_messages(model: "Model", some: list[tuple[str, str]]) -> None:
    import numpy as np

    from novikoff.data.preparer import NOT_PREPARED, Stream
    from novikoff.engine.labelled_rows import examples

    X = Stream(NOT_PREPARED, model.preparer).rows(_rows(model, [text for _, text in some]), model.features)
    model.learner.learn(examples(X, np.array([kind for kind, _ in some])), announced=np.array([HAM, SPAM]))
