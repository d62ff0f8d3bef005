"""`novikoff inspect`: what a model's weights say."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.options import model_at
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.models.model import Model


@main.command()
@click.argument("place", metavar="MODEL", type=click.Path())
@click.option(
    "--top", type=click.IntRange(min=0), default=10, show_default=True, help="So many of the largest weights, for each class."
)
@click.option("--text", is_flag=True, help="All weights, one a line, exactly.")
@click.option("--json", "as_json", is_flag=True, help="Print what is asked for as JSON.")
def inspect(place: str, top: int, text: bool, as_json: bool) -> None:
    """Show what MODEL is, how it was learned, and its largest weights by the features' names.

    \b
    Examples:
      novikoff inspect model.nvk --top 20
      novikoff inspect model.nvk --text > weights.tsv

    A large weight says that a feature matters only where features are on comparable scales.
    """
    model = model_at(place)
    if text:
        from novikoff.models.model import to_text

        try:
            say(to_text(model).rstrip("\n"))
        except ValueError as error:
            raise Refused(f"{place}: {error}") from None
    elif as_json:
        say(json.dumps(_plain(model, top)))
    else:
        say(_sentences(model, top))


def _sides(model: "Model") -> list[str]:
    """What each vector says yes to."""
    names = [printable(name) for name in model.learner.classes.tolist()]
    return [f"{names[1]} (above 0), {names[0]} (below)"] if len(names) == 2 else names


def _plain(model: "Model", top: int) -> dict[str, Any]:
    learner = model.learner
    return {
        "classes": learner.classes.tolist(),
        "rule": repr(learner.rule),
        "readout": learner.readout,
        "kernel": None if learner.kernel is None else repr(learner.kernel),
        "rows": learner.rows_fed,
        "passes": learner.passes,
        "features": model.features.header() | {"width": learner.width},
        "intercepts": learner.weights()[:, -1].tolist(),
        "largest": [[{"feature": name, "weight": w} for name, w in side] for side in model.largest(top)],
        "run": model.run,
        "certificates": [str(certificate) for certificate in model.certificates],
    }


def _sentences(model: "Model", top: int) -> str:
    learner = model.learner
    weights = learner.weights()
    with_weight = int((weights[:, :-1] != 0).any(axis=0).sum())
    where = (
        f"{with_weight:,} of them with a weight"
        if learner.kernel is None
        else f"{learner.kernel!r} of {with_weight:,} stored rows"
    )
    said = [
        f"{learner.rule!r}, {learner.readout} weights; {len(learner.classes)} classes; {learner.width:,} features, {where}; "
        f"{learner.rows_fed:,} rows, {learner.passes} passes or pieces",
    ]
    if (collisions := getattr(model.features, "collisions", None)) is not None:
        said.append(
            f"features are hashed into {model.features.width:,} buckets, of which {collisions:,} hold more than one feature"
        )
    for side, w, largest in zip(_sides(model), weights, model.largest(top), strict=True):
        said.append(f"{side}: intercept {w[-1]:.6g}")
        names = [printable(name) for name, _ in largest]
        width = max(map(len, names), default=0)
        said += [f"  {name.ljust(width)}  {weight:+.6g}" for name, (_, weight) in zip(names, largest, strict=True)]
    if len(model.certificates) <= 3:
        said += [str(certificate) for certificate in model.certificates]
    return "\n".join(said)
