"""`novikoff solve`: find a point that satisfies every constraint, or prove that there is none."""

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused, main, notify, say
from novikoff.cli.certify import positive_seconds
from novikoff.cli.help_texts import option
from novikoff.cli.help_texts import quiet as quiet_option
from novikoff.cli.places import check_place
from novikoff.cli.summary import BAD, GOOD, OPEN, SHOWN, Summary, count, listed
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.proof.certificate import Certificate, Feasible
    from novikoff.proof.rationals import Number
    from novikoff.solve.constraints import Constraints

ANSWERS = {"feasible": 0, "optimal": 0, "infeasible": 1, "unbounded": 1, "undecided": 2}
COLOURS = {"feasible": GOOD, "optimal": GOOD, "infeasible": BAD, "unbounded": BAD, "undecided": OPEN}
TIGHT = 1e-9  # largest slack of a tight row
PACKED = (".gz", ".xz", ".bz2", ".zst")


@main.command()
@click.argument("data", type=click.Path())
@option(
    "-o",
    "--out",
    type=click.Path(),
    help="Write the answer to this file (default: name of DATA with .solution.json, in the current folder).",
)
@option("--format", metavar="NAME", help="Format of DATA: csv, npz, mps or lp (default: found from name and content).")
@option(
    "--method",
    default="auto",
    metavar="NAME",
    help="Method for a cone: auto, perceptron, most-violated, rescaled, highs or exact (default: {default}).",
)
@option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the random numbers of rescaling (default: {default}).")
@option(
    "--budget",
    type=float,
    metavar="SECONDS",
    callback=positive_seconds,
    help="Stop after SECONDS; the answer may then be undecided (default: no limit).",
)
@option("--optimize", is_flag=True, help="Find the best point by the objective of DATA, and prove that no point is better.")
@option("--full", is_flag=True, help="Print every coordinate of the point, one a line, exactly.")
@option("--json", "as_json", is_flag=True, help="Print the answer as JSON; it is written to a file only with --out.")
@quiet_option
@click.pass_context
def solve(
    ctx: click.Context,
    data: str,
    out: str | None,
    format: str | None,
    method: str,
    seed: int,
    budget: float | None,
    optimize: bool,
    full: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find w with A·w ≥ 1 for every row of DATA, exactly, or prove that there is none.

    DATA is a table of numbers with one constraint per row, or a NumPy archive (.npz). An MPS or LP file is solved as a linear
    system, with its equalities, ranges and bounds; with --optimize, its objective too. "-" is standard input.

    A number in a text file is the decimal that stands there, not the nearest double.

    \b
    Examples:
      novikoff solve rows.csv
      novikoff solve rows.csv --full
      novikoff solve rows.npz --method rescaled --seed 3
      novikoff solve afiro.mps.gz -o point.json
      novikoff solve diet.lp --optimize
      novikoff verify rows.solution.json rows.csv

    Rows are counted from 0. Exit codes: 0 feasible (with --optimize: optimal), 1 infeasible or unbounded, 2 undecided, 3 error.
    """
    from novikoff.solve.constraint_files import read_constraints

    if out is None and not as_json:
        out = "constraints.solution.json" if data == "-" else f"{_stem(data)}.solution.json"
    if out is not None:
        check_place(out, [data], "answer")
    try:
        constraints = read_constraints(data, format)
        answer = constraints.named(_answer(constraints, method.replace("-", " "), seed, budget, optimize))
    except ValueError as error:
        text = str(error)
        raise Refused(text if text.startswith((data, "standard input")) else f"{data}: {text}") from None
    decided = answer.outcome != "undecided"
    doubts = _second_reading(data, answer) if decided and not constraints.cone and data != "-" else ()
    if out is not None and decided:
        try:
            answer.save(out)
        except OSError as error:
            raise Refused(f"{out}: cannot be written ({error.strerror}); choose another file") from None
    if as_json:
        say(answer.to_json().rstrip("\n"))
    elif not quiet:
        left_out = ("the objective is left out; --optimize includes it",) if constraints.has_objective and not optimize else ()
        for remark in (*left_out, *constraints.remarks, *doubts):
            notify(remark)
        summary = Summary()
        summary.add("Result", _result(answer, constraints), colour=COLOURS[answer.outcome])
        for heading, text in _details(answer, constraints, full):
            summary.add(heading, text)
        if out is not None and decided:
            summary.add("Saved", printable(out))
        summary.print()
    ctx.exit(ANSWERS[answer.outcome])


def _second_reading(data: str, answer: "Certificate") -> tuple[str, ...]:
    """Read the file again with the verifier's parser, which is stricter, and check the answer."""
    from novikoff.proof.certificate import RATIONALS
    from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
    from novikoff.proof.independent_parsers import PlainError
    from novikoff.proof.verify import verify

    try:
        found = read_constraints_plainly(data, None, RATIONALS)
    except PlainError as error:
        return (f"warning: the verifier cannot read this file, so it may be ambiguous ({error})",)
    verdict = verify(answer, found.A, **found.ends)
    if not verdict:
        raise Refused(f"{data}: the verifier reads something else ({verdict.why}); correct the file")
    return ()


def _stem(data: str) -> str:
    """The name without its folder and suffixes."""
    stem, suffix = os.path.splitext(os.path.basename(data))
    return os.path.splitext(stem)[0] if suffix in PACKED else stem


def _answer(constraints: "Constraints", method: str, seed: int, budget: float | None, optimize: bool) -> "Certificate":
    if optimize and constraints.objective is None:
        raise Refused("there is no objective; leave out --optimize, or give an MPS or LP file with one")
    if constraints.cone:
        from novikoff.solve.cone import solve_cone

        return solve_cone(constraints.A, method=method, seed=seed, budget=budget)
    from novikoff.solve.linear_systems import solve_system

    if method != "auto":
        raise Refused(f"--method {method} is for cones, and an MPS or LP file is a linear system; leave it out")
    objective = {constraints.objective.sense: constraints.objective.c} if constraints.objective and optimize else {}
    return solve_system(constraints.A, constraints.lower, constraints.upper, constraints.bounds, budget=budget, **objective)


def _result(answer: "Certificate", constraints: "Constraints") -> str:
    from novikoff.proof.certificate import Feasible, Infeasible, Optimal, Unbounded, short_number

    match answer:
        case Feasible():
            return f"feasible: {_how_far(answer, constraints)}"
        case Optimal():
            assert constraints.objective is not None
            value = short_number(constraints.objective.offset + Fraction(answer.value))
            best = f"the {answer.sense[:3]}imum of the objective is {value}"
            return f"optimal: {best}; the answer has the multipliers that prove it"
        case Unbounded():
            return f"unbounded: the objective has no {answer.sense[:3]}imum; the answer has a point and a direction that prove it"
        case Infeasible():
            rows, columns = len(set(answer.rows)), len(set(answer.columns))
            parts = [f"{rows:,} of the {count(answer.data.rows, 'row')}"] if rows else []
            parts += [f"the bounds of {count(columns, 'column')}"] if columns else []
            return f"infeasible: {' and '.join(parts)} contradict each other; the answer has the multipliers that prove it"
    return f"undecided: {answer.why}"  # type: ignore[attr-defined]


def _details(answer: "Certificate", constraints: "Constraints", full: bool) -> Iterator[tuple[str, str]]:
    """The point, or the constraints that contradict each other, by the names in the file."""
    from novikoff.proof.certificate import Feasible, Infeasible, Optimal, Unbounded

    columns = constraints.column_names or range(answer.data.columns)
    rows = constraints.row_names or range(answer.data.rows)
    match answer:
        case Feasible() | Optimal() | Unbounded() if full:
            pairs = zip(columns, answer.w.tolist(), strict=True)
            yield "Point", "\n".join(f"{printable(name)} = {_exactly(value)}" for name, value in pairs)
        case Feasible() | Optimal() | Unbounded():
            pairs = zip(columns, answer.w[: SHOWN + 1].tolist(), strict=False)
            more = f" ({answer.data.columns:,} coordinates; --full prints them all)" if answer.data.columns > SHOWN else ""
            yield "Point", listed(f"{name} {_shortly(value)}" for name, value in pairs) + more
        case Infeasible():
            if answer.rows:
                yield "Rows", listed(rows[i] for i in sorted(set(answer.rows)))
            if answer.columns:
                yield "Columns", listed(columns[j] for j in sorted(set(answer.columns)))


def _exactly(value: "Number") -> str:
    from novikoff.proof.certificate_files import rational_text

    return repr(value) if isinstance(value, float) else rational_text(value)


def _shortly(value: "Number") -> str:
    """ "= 1.5", or "≈ 0.333333" where digits are left out."""
    try:
        shown = f"{float(value):.6g}"
    except OverflowError:
        return f"≈ {_exactly(value)[:20]}…"
    return f"{'=' if type(value)(shown) == value else '≈'} {shown}"


def _how_far(answer: "Feasible", constraints: "Constraints") -> str:
    import numpy as np

    slack = answer.slack
    assert slack is not None
    if not constraints.cone:
        return f"x satisfies all {count(answer.data.rows, 'row')} and the bounds exactly"
    if not len(slack):
        return "there are no rows"
    tight = count(int(np.sum(slack <= TIGHT)), "tight row")
    return f"w satisfies all {count(len(slack), 'row')} exactly; the smallest A·w is {1 + float(slack.min()):.10g}, with {tight}"
