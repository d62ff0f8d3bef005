"""What was trained on what, and how to train it again."""

import shlex

from novikoff.models.model import Model
from novikoff.reporting.cells import Cell, Row, amount, and_more, name, whole

MOST_CLASSES = 20
MOST_FILES = 10
READOUTS = {
    "last": "the last ones",
    "averaged": "the average over the whole run",
    "voted": "all weights of the run vote",
    "pocket": "those that were right for longest",
}
ORDERS = {"given": "as given", "once": "shuffled once", "each": "shuffled for each pass"}
STOPPED = {
    "clean pass": "the last pass was clean: the last weights have every training row right",
    "settled": "the last pass hardly moved the weights any more",
    "max_iter": "all allowed passes were made, and none was clean",
    "interrupted": "it was interrupted; the weights are those learned until then",
    "on_pass": "the caller stopped it after a pass",
    "cycle": "the weights of an earlier pass came back, so all later passes would repeat",
    "ledger full": "voting needs every update, and there were too many to keep",
    "stream": "it learned from a stream, row by row",
}
READING = {"label": "Column of the label", "categories": "Columns of categories"}

Terms = list[tuple[str, Cell | list[Cell]]]


def learned(model: Model) -> Terms:
    """What was trained on what: terms and their values."""
    learner, run = model.learner, model.run
    terms: Terms = []
    if run.get("files"):
        files = [name(path) for path in run["files"][:MOST_FILES]]
        terms.append(("Files", [*files, *and_more(run["files"], MOST_FILES, "file", "files")]))
    terms.append(("Rows", whole(learner.rows_fed)))
    terms.append(("Features", f"{learner.width:,}, {_kind_of_features(model)}"))
    if run.get("entries") is not None:
        terms.append(("Entries", f"{run['entries']:,} stored numbers"))
    terms.append(("Rule", repr(learner.rule)))
    if learner.confidence is not None:
        terms.append(("Confidence", repr(learner.confidence)))
    if learner.kernel is not None:
        stored = learner.team.w.shape[1] - 1
        terms.append(("Kernel", f"{learner.kernel!r}; {amount(stored, 'row is', 'rows are')} stored"))
    terms.append(("Weights that answer", READOUTS.get(learner.readout, learner.readout)))
    if len(learner.classes) > 2:
        terms.append(("Many classes", "all learn at once" if learner.strategy.at_once else "each learns against the rest"))
    terms.append(("Order of the rows", ORDERS[learner.order]))
    terms.append(("Passes", f"{learner.passes:,}" + (f", {run['how']}" if run.get("how") else "")))
    terms.append(("Bias", "learned, as the weight of a constant coordinate" if learner.constant else "none"))
    if learner.class_weight is not None:
        terms.append(("Class weights", name(learner.class_weight)))
    if (ended := STOPPED.get(run.get("stop_reason", ""))) is not None:
        terms.append(("Why it ended", ended))
    if run.get("errors") is not None and run.get("stop_reason") != "clean pass":
        terms.append(("Training errors", f"{amount(run['errors'], 'row is', 'rows are')} answered wrongly at the end"))
    if run.get("skipped_lines"):
        terms.append(("Bad lines", f"{amount(run['skipped_lines'], 'line was', 'lines were')} left out"))
    return terms


def _kind_of_features(model: Model) -> str:
    if (collisions := getattr(model.features, "collisions", None)) is not None:
        return f"hashed; {amount(collisions, 'bucket holds', 'buckets hold')} more than one of them"
    return {"named": "by name", "numbered": "by number"}[model.features.kind]


def class_counts(model: Model) -> list[Row]:
    """The classes, and how many rows of each were learned from."""
    pairs = zip(model.learner.classes.tolist(), model.learner.class_counts.tolist(), strict=True)
    return [[name(label), whole(count)] for label, count in list(pairs)[:MOST_CLASSES]]


def settings(model: Model) -> Terms:
    """Settings and versions, and the fingerprint of the data."""
    learner, run = model.learner, model.run
    parameters = ", ".join(f"{what}={float(value):g}" for what, value in learner.rule._asdict().items()) or "none"
    terms: Terms = [("Seed of the shuffling", str(learner.seed)), ("Parameters of the rule", parameters)]
    for option, value in run.get("reading", {}).items():
        if value not in (None, [], ()):
            terms.append((READING.get(option, f"Hashing: {option}"), name(value)))
    if run.get("seconds") is not None:
        terms.append(("Time taken", f"{run['seconds']:,.1f} s"))
    prints = sorted({c.data.fingerprint for c in model.certificates if c.data.fingerprint})
    terms.append(("Fingerprint of the training data", [name(p) for p in prints[:MOST_FILES]] or "none was taken"))
    versions = run.get("made_with") or {"novikoff": model.version}
    terms.append(("Made with", ", ".join(f"{what} {version}" for what, version in versions.items())))
    return terms


def reproduction(model: Model) -> str | None:
    """The command or the call that trains the same model again."""
    if model.run.get("command"):
        return shlex.join(model.run["command"])
    return model.run.get("call")
