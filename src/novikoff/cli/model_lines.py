"""Lines of a summary that describe a learner and what is proved about its training data."""

import shlex
from collections.abc import Sequence
from math import isinf
from typing import TYPE_CHECKING

from novikoff.cli.summary import BAD, GOOD, OPEN, Summary, count, listed

if TYPE_CHECKING:
    from novikoff.data.readers import Options
    from novikoff.learning.learner import Learner
    from novikoff.proof.certificate import Certificate

PASSES = {"given": "{} {} in the given order", "once": "{} {} in one shuffled order", "each": "{} shuffled {}"}
OUTCOMES = {
    "separable": (GOOD, "separable from the rest"),
    "inseparable": (BAD, "not separable from the rest"),
    "undecided": (OPEN, "not decided by this run"),
}


def rule_of(learner: "Learner") -> str:
    """The rule by its name, with parameters that are not the default: "pa-i rule (C=0.1)"."""
    from novikoff.engine.rules import rules

    rule = learner.rule
    name = next((name for name, kind in rules().items() if isinstance(rule, kind)), type(rule).__name__)
    usual = type(rule)()._asdict()
    parameters = ", ".join(f"{field}={value}" for field, value in rule._asdict().items() if value != usual[field])
    return f"{name} rule ({parameters})" if parameters else f"{name} rule"


def settings_of(learner: "Learner") -> str:
    """How it learns: "margin rule, averaged weights"."""
    from novikoff.engine.confidences import confidence_name

    settings = [rule_of(learner), f"{learner.readout} weights"]
    if learner.confidence is not None:
        settings.insert(1, f"{confidence_name(learner.confidence)} confidence")
    if learner.kernel is not None:
        settings.append(f"kernel {learner.kernel!r}")
    if len(learner.classes) > 2:
        settings.append("each class against the rest" if learner.multiclass == "ovr" else "all classes at once")
    return ", ".join(settings)


def passes_of(passes: int, order: str) -> str:
    """How many passes, and in which order: "5 shuffled passes"."""
    return PASSES[order].format(*count(passes, "pass", "passes").split())


def certify_command(files: Sequence[str], options: "Options", more: "dict[str, object]", of_class: bool) -> str:
    """The command that decides whether these files are separable, read in the same way, with these other options."""
    words = ["novikoff", "certify", files[0] if len(files) == 1 and files[0] != "-" else "DATA"]
    ours, usual = options._asdict(), type(options)()._asdict()
    for name, value in (ours | more).items():
        if value is None or value == usual.get(name) or name in ("ignore", "missing", "prepared"):
            continue
        option = f"--{name.replace('_', '-')}"
        match value:
            case True:
                words.append(option)
            case False:
                words.append("--one-based" if name == "zero_based" else f"--no-{name}")
            case tuple():
                words += [option, ",".join(value)]
            case _:
                words += [option, str(value)]
    return shlex.join(words) + (" --class LABEL" if of_class else "")


def add_proof(
    summary: Summary, certificates: "Sequence[Certificate]", classes: Sequence[object], decide: str | None = None
) -> None:
    """Say what is proved about the training data. `decide` is the command that decides what this run did not."""
    from novikoff.proof.certificate import Undecided

    if len(certificates) == 1:
        (certificate,) = certificates
        if isinstance(certificate, Undecided):
            by = f"; `{decide}` decides whether the data is separable" if decide else f": {certificate.why}"
            summary.add("Proof", f"not decided by this run{by}{_margin(certificate)}", colour=OPEN)
        else:
            summary.add("Proof", str(certificate), colour=BAD if "inseparable" in certificate.outcome else GOOD)
        return
    for outcome, (colour, sentence) in OUTCOMES.items():
        labels = [label for label, proof in zip(classes, certificates, strict=True) if proof.outcome == outcome]
        if labels:
            of = "all" if len(labels) == len(classes) else f"{len(labels):,} of"
            by = f"; `{decide}` decides whether a class is separable" if decide and outcome == "undecided" else ""
            summary.add("Proof", f"{sentence}: {of} {len(classes):,} classes ({listed(labels)}){by}", colour=colour)


def _margin(certificate: "Certificate") -> str:
    """What an undecided certificate proves all the same."""
    from novikoff.proof.certificate import Undecided

    kernel = getattr(certificate.data, "kernel", None)
    if not isinstance(certificate, Undecided) or isinf(certificate.margin_at_most) or (kernel and not kernel.positive):
        return ""
    return f"\nno separator has a margin above {certificate.margin_at_most:.6g}"
