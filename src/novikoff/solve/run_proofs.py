"""What a run of the learner proves of the rows that it learned from, a certificate a vector."""

import math
from typing import Any

import numpy as np

from novikoff.engine.labelled_rows import Examples
from novikoff.engine.weights.span import Span
from novikoff.learning.learner import Learner, Run
from novikoff.proof.certificate import KERNELS, Certificate, Classes, Data, Hull, ManyHull, Undecided, no_proofs
from novikoff.proof.exact import ManyRows, Signed, as_numbers
from novikoff.solve.many_classes import ManyQuestion
from novikoff.solve.separability.linear import Array, Question
from novikoff.solve.separability.through_kernels import KernelQuestion, described

WORTH_A_FINGERPRINT = 1_000_000  # numbers; a run that decided nothing about more of them is not worth the time


def of_run(X: Any, seen: Examples, learner: Learner, run: Run) -> list[Certificate]:
    """What a fit to these examples proves, a certificate a vector: its clean pass, checked exactly, or its cycle; or nothing."""
    code = seen.coded_in(learner.classes).sheet.code
    if (missing := absent(learner.classes, code)) is not None:
        return undecided(learner, missing)
    if learner.kernel is not None and learner.kernel.name not in KERNELS:
        return undecided(learner, no_proofs(learner.kernel.name))
    if learner.kernel is not None:
        return [_through_a_kernel(v, X, seen, learner, run) for v in range(len(learner.ledgers[learner.answering]))]
    if learner.direct and len(learner.classes) > 2:
        return [_of_many(X, seen, learner, run)]
    return [_of_vector(v, X, seen, learner, run) for v in range(len(learner.ledgers[learner.answering]))]


def _of_vector(v: int, X: Any, seen: Examples, learner: Learner, run: Run) -> Certificate:
    team = learner.team
    clean = team.changed[v] < team.clock[v] - len(seen.fed)
    no, yes = sides_of(learner.classes, v)
    small = seen.entries_per_row * len(seen) < WORTH_A_FINGERPRINT
    hashes = seen.hashes() if clean or small or v in run.cycles else None
    yes_code = 1 if len(learner.classes) == 2 else v
    z = Signed(X, np.where(seen.sheet.code == yes_code, 1.0, -1.0), bool(learner.constant))
    question = Question(z, no, yes, hashes)
    hull = question.hull_of_mistakes(learner.ledgers[v].entries.row - (learner.rows_fed - len(seen)))
    if learner.rows_fed != len(seen):  # its mistakes are of other rows as well
        hull = Hull()
    if clean:
        left_out = "" if len(seen.fed) == len(seen) else ", those left out included"
        w = learner.rows_of(team.w)[v]
        return question.of_weights(w, f"in exact arithmetic the weights do not separate all rows{left_out}", hull)
    if v in run.cycles and (proof := question.of_cycle(run.cycles[v].rows, run.cycles[v].times)) is not None:
        return proof
    why = f"no clean pass in {len(run.passes)}; `separate` decides"
    return question.undecided(why, hull, question.data if small else question.data_unseen)


def _of_many(X: Any, seen: Examples, learner: Learner, run: Run) -> Certificate:
    """The same of many classes that have learned at once."""
    team, entries, first = learner.team, learner.ledgers[0].entries, learner.rows_fed - len(seen)
    clean = team.changed[0] < team.clock[0] - len(seen.fed)
    small = seen.entries_per_row * len(seen) < WORTH_A_FINGERPRINT
    hashes = seen.hashes() if clean or small or run.cycles else None
    code = seen.coded_in(learner.classes).sheet.code.astype(np.int64)
    many = ManyRows(as_numbers(X), code, len(learner.classes), bool(learner.constant))
    question = ManyQuestion(many, learner.classes.tolist(), hashes)
    hull = question.hull_of_updates(entries.row, entries.rival) if first == 0 and (small or clean) else ManyHull()
    if clean:
        left_out = "" if len(seen.fed) == len(seen) else ", those left out included"
        why = f"in exact arithmetic the weights do not get all rows right{left_out}"
        return question.of_weights(learner.rows_of(team.w), why, hull)
    if run.cycles:
        cycle = run.cycles[0]
        assert cycle.rivals is not None, "rows have rivals where all classes learn at once"
        if (proof := question.of_cycle(cycle.rows, cycle.rivals, cycle.times)) is not None:
            return proof
    why = f"no clean pass in {len(run.passes)}"
    return question.undecided(why, hull, question.data if small else question.data_unseen)


def _through_a_kernel(v: int, X: Any, seen: Examples, learner: Learner, run: Run) -> Certificate:
    """The same of a vector in the space of a kernel."""
    team, first = learner.team, learner.rows_fed - len(seen)
    clean = team.changed[v] < team.clock[v] - len(seen.fed)
    question = kernel_question(v, X, seen.coded_in(learner.classes).sheet.code, learner)
    small = X.shape[0] * X.shape[1] < WORTH_A_FINGERPRINT
    additive = first == 0 and learner.budget is None and small
    hull = question.plain.hull_of_mistakes(learner.ledgers[v].entries.row) if additive else Hull()
    if clean and first == 0:
        return of_stored(v, question, learner, "the kernel's values do not show, beyond doubt, that all rows are right", hull)
    if v in run.cycles:
        cycle = run.cycles[v]
        if (proof := question.of_cycle(cycle.rows.tolist(), cycle.times.tolist())) is not None:
            return proof
    why = (
        "the model has learned before this fit; `separate` decides"
        if clean
        else f"no clean pass in {len(run.passes)}; `separate` decides"
    )
    return question.undecided(why, hull) if small else Undecided(question.data_unseen, why, math.inf, Hull())


def kernel_question(v: int, X: Any, code: Array, learner: Learner) -> KernelQuestion:
    """What is asked of these rows, whose classes have these numbers, by vector v."""
    sign = np.where(code == (1 if len(learner.classes) == 2 else v), 1.0, -1.0)
    return KernelQuestion(learner.kernel, as_numbers(X), sign, bool(learner.constant), *sides_of(learner.classes, v))


def of_stored(v: int, question: KernelQuestion, learner: Learner, why: str, hull: Hull | None = None) -> Certificate:
    """What the last weights, sums of stored rows, prove of the rows that they were learned from."""
    assert isinstance(learner.space, Span)
    stored, w = learner.space.stored, learner.team.w[v, :-1]
    numbers = np.empty(0, np.int64) if stored is None else stored.numbers
    rows = np.unique(numbers[w != 0])
    sums = np.bincount(np.searchsorted(rows, numbers[w != 0]), w[w != 0], len(rows))  # with a budget, a row may be there twice
    return question.of_coefficients(rows.tolist(), sums.tolist(), why, hull)


def of_stream(learner: Learner) -> list[Certificate]:
    """What a stream proves without its rows: nothing."""
    asks = "certify" if learner.kernel is None else "separate"
    return undecided(learner, f"the model has learned from a stream, whose rows are not kept; `{asks}` asks of any data")


def undecided(learner: Learner, why: str) -> list[Certificate]:
    """Nothing is proved of what was learned from, and this is why."""
    columns, constant = learner.width, bool(learner.constant)
    if learner.direct and len(learner.classes) > 2:
        data = Classes(learner.rows_fed, columns, constant, tuple(learner.classes.tolist()), "")
        return [Undecided(data, why, math.inf, ManyHull())]
    kernel = None if learner.kernel is None else described(learner.kernel)
    return [
        Undecided(Data(learner.rows_fed, columns, constant, *sides_of(learner.classes, v), "", kernel), why, math.inf, Hull())
        for v in range(max(1, len(learner.ledgers[learner.answering])))
    ]


def absent(classes: Array, code: Array) -> str | None:
    """A sentence on a class that none of the rows is of, if there is one: a certificate speaks of rows of every class."""
    missing = np.setdiff1d(np.arange(len(classes)), code)
    return f"no row has the label {classes.tolist()[missing[0]]!r}, which the model knows" if len(missing) else None


def sides_of(classes: Array, v: int) -> tuple[Any, Any]:
    """The labels that vector v says no and yes to."""
    names = classes.tolist()
    return (names[0], names[1]) if len(names) == 2 else (None, names[v])
