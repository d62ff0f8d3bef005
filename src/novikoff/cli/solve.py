"""`novikoff solve`: a point that satisfies every constraint, or a proof that there is none."""

import os
from typing import TYPE_CHECKING

import click

from novikoff.cli import Refused, main, say, tell
from novikoff.cli.certify import positive_seconds
from novikoff.cli.places import check_place
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.proof.certificate import Certificate, Feasible
    from novikoff.solve.constraint_files import Constraints

ANSWERS = {"feasible": 0, "infeasible": 1, "undecided": 2}
TIGHT = 1e-9  # a row whose slack is smaller is called tight
PACKED = (".gz", ".xz", ".bz2", ".zst")


@main.command()
@click.argument("data", type=click.Path())
@click.option("-o", "--out", type=click.Path(), help="Write the answer to this file; otherwise DATA's name with .solution.json.")
@click.option("--format", metavar="NAME", help="csv, npz or mps, if name and first bytes do not tell it.")
@click.option(
    "--method",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="For a cone: auto, perceptron, most-violated, rescaled, highs or exact.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is random in rescaling.")
@click.option("--budget", type=float, metavar="SECONDS", callback=positive_seconds, help="Stop then, undecided if need be.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer itself, and write it nowhere unless told to.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def solve(
    ctx: click.Context,
    data: str,
    out: str | None,
    format: str | None,
    method: str,
    seed: int,
    budget: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find w with A·w ≥ 1 on every row of DATA, exactly; or prove that there is none.

    DATA is a table of numbers, one constraint a row, or an archive of NumPy's (.npz). An MPS file is a system of its own:
    equalities, ranges and bounds are kept, the objective is left out. "-" is standard input.

    \b
    Examples:
      novikoff solve rows.csv
      novikoff solve rows.npz --method rescaled --seed 3
      novikoff solve afiro.mps.gz -o point.json
      novikoff verify rows.solution.json rows.csv

    Rows are counted from 0. Exit codes: 0 feasible, 1 infeasible, 2 undecided, 3 for an error.
    """
    from novikoff.solve.constraint_files import read_constraints

    if out is None and not as_json:
        out = "constraints.solution.json" if data == "-" else f"{_stem(data)}.solution.json"
    if out is not None:
        check_place(out, [data], "answer")
    try:
        constraints = read_constraints(data, format)
        answer = _answer(constraints, method.replace("-", " "), seed, budget)
    except ValueError as error:
        text = str(error)
        raise Refused(text if text.startswith((data, "standard input")) else f"{data}: {text}") from None
    decided = answer.outcome != "undecided"
    doubts = _second_reading(data, answer) if decided and not constraints.cone and data != "-" else ()
    if out is not None and decided:
        try:
            answer.save(out)
        except OSError as error:
            raise Refused(f"{out}: cannot be written ({error.strerror}); give another place") from None
    if as_json:
        say(answer.to_json().rstrip("\n"))
    elif not quiet:
        for remark in (*constraints.remarks, *doubts):
            tell(remark)
        say(_told(answer, constraints, printable(out or "")))
    ctx.exit(ANSWERS[answer.outcome])


def _second_reading(data: str, answer: "Certificate") -> tuple[str, ...]:
    """HiGHS takes what it can from an MPS file that is not quite one. The verifier's reader does not, so it is asked as well."""
    from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
    from novikoff.proof.independent_parsers import PlainError
    from novikoff.proof.verify import verify

    try:
        A, lower, upper, bounds = read_constraints_plainly(data)
    except PlainError as error:
        return (f"the verifier's own reader does not take this file, and HiGHS may have read it otherwise than meant ({error})",)
    verdict = verify(answer, A, lower=lower, upper=upper, bounds=bounds)
    if not verdict:
        raise Refused(f"{data}: HiGHS reads it otherwise than the verifier does ({verdict.why}); mend the file")
    return ()


def _stem(data: str) -> str:
    """The name without its endings; for an address, in the folder where one is."""
    from novikoff.data.sources import is_address

    stem, suffix = os.path.splitext(os.path.basename(data) if is_address(data) else data)
    return os.path.splitext(stem)[0] if suffix in PACKED else stem


def _answer(constraints: "Constraints", method: str, seed: int, budget: float | None) -> "Certificate":
    if constraints.cone:
        from novikoff.solve.cone import solve_cone

        return solve_cone(constraints.A, method=method, seed=seed, budget=budget)
    from novikoff.solve.linear_systems import solve_system

    if method != "auto":
        raise Refused(f"the method {method!r} is for cones, and an MPS file is a system; leave it out")
    return solve_system(constraints.A, constraints.lower, constraints.upper, constraints.bounds, budget=budget)


def _told(answer: "Certificate", constraints: "Constraints", out: str) -> str:
    from novikoff.proof.certificate import Feasible, Infeasible

    match answer:
        case Feasible():
            return f"feasible: {'w' if constraints.cone else 'x'} in {out}, {_how_far(answer, constraints)}"
        case Infeasible():
            rows, columns = len(set(answer.rows)), len(set(answer.columns))
            parts = [f"{rows:,} of the {answer.data.rows:,} rows"] if rows else []
            parts += [f"the bounds of {columns:,} column{'s' * (columns > 1)}"] if columns else []
            return f"infeasible: {' and '.join(parts)} contradict each other; the multipliers that prove it are in {out}"
    return f"undecided: {answer.why}"  # type: ignore[attr-defined]


def _how_far(answer: "Feasible", constraints: "Constraints") -> str:
    import numpy as np

    slack = answer.slack
    assert slack is not None
    if not constraints.cone:
        return f"all {answer.data.rows:,} rows and the bounds are satisfied exactly"
    if not len(slack):
        return "and there are no rows"
    return f"smallest A·w is {1 + float(slack.min()):.10g}, {int(np.sum(slack <= TIGHT)):,} rows tight"
