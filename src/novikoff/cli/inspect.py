"""`novikoff inspect`: show a model and its largest weights."""

import json
from typing import TYPE_CHECKING, Any

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.help_texts import option
from novikoff.cli.model_lines import add_proof, settings_of
from novikoff.cli.options import model_at
from novikoff.cli.preparation_lines import add_preparation, columns_of, missing, statistics
from novikoff.cli.summary import Summary, count, listed
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.models.model import Model


@main.command()
@click.argument("place", metavar="MODEL", type=click.Path())
@option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    metavar="N",
    help="Show the N largest weights of each class (default: {default}).",
)
@option("--text", is_flag=True, help="Print all weights, one per line, without rounding.")
@option("--json", "as_json", is_flag=True, help="Print the model's description as JSON.")
def inspect(place: str, top: int, text: bool, as_json: bool) -> None:
    """Show how MODEL was trained, what is proved, and its largest weights with the names of their features.

    \b
    Examples:
      novikoff inspect model.nvk --top 20
      novikoff inspect model.nvk --text > weights.tsv

    Weights can be compared only if the features have comparable scales.
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
        _summary(model).print()
        say("\n".join([*statistics(model, top), _weights(model, top)]))


def _sides(model: "Model") -> list[str]:
    """The class of each vector; with two classes, the classes of both signs."""
    names = [printable(name) for name in model.learner.classes.tolist()]
    return [f"{names[1]} (above 0), {names[0]} (below)"] if len(names) == 2 else names


def _plain(model: "Model", top: int) -> dict[str, Any]:
    learner = model.learner
    return {
        "classes": learner.classes.tolist(),
        "rule": repr(learner.rule),
        "confidence": None if learner.confidence is None else repr(learner.confidence),
        "readout": learner.readout,
        "kernel": None if learner.kernel is None else repr(learner.kernel),
        "rows": learner.rows_fed,
        "passes": learner.passes,
        "features": model.features.header() | {"width": learner.width},
        "intercepts": model.weights()[:, -1].tolist(),
        "preparation": None if model.preparer is None else model.preparer.header(),
        "largest": [[{"feature": name, "weight": w} for name, w in side] for side in model.largest(top)],
        "run": model.run.to_json(),
        "certificates": [str(certificate) for certificate in model.certificates],
    }


def _summary(model: "Model") -> Summary:
    learner, summary = model.learner, Summary()
    weights = learner.weights()
    used = int((weights[:, :-1] != 0).any(axis=0).sum())
    summary.add("Model", settings_of(learner))
    labels = listed(learner.classes.tolist())
    summary.add("Classes", f"{len(learner.classes)} ({labels})")
    with_weight = f", {'all' if used == learner.width else f'{used:,}'} with a weight" if learner.kernel is None else ""
    summary.add("Features", f"{learner.width:,}{with_weight}")
    if (columns := columns_of(model.features)).endswith(")"):
        summary.add("Columns", f"{columns}{missing(model)}")
    add_preparation(summary, model)
    if (collisions := getattr(model.features, "collisions", None)) is not None:
        summary.add("Hashed", f"into {model.features.width:,} buckets, {collisions:,} of them with more than one feature")
    if learner.kernel is not None:
        stored = learner.team.w.shape[1] - 1
        summary.add("Stored", count(stored, "row") + (f", {used:,} with a weight" if used < stored else ""))
    summary.add("Trained", f"on {count(learner.rows_fed, 'row')}, {count(learner.passes, 'pass or piece', 'passes or pieces')}")
    add_proof(summary, model.certificates, learner.classes.tolist())
    return summary


def _weights(model: "Model", top: int) -> str:
    """Intercept and largest weights of each vector."""
    lines = []
    for side, w, largest in zip(_sides(model), model.weights(), model.largest(top), strict=True):
        lines.append(f"{side}: intercept {w[-1]:.6g}")
        names = [printable(name) for name, _ in largest]
        width = max(map(len, names), default=0)
        lines += [f"  {name.ljust(width)}  {weight:+.6g}" for name, (_, weight) in zip(names, largest, strict=True)]
    return "\n".join(lines)
