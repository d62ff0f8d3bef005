"""What was learned, as one file that cannot run code: weights, features, settings and proofs (docs/models.md).

The layout is that of safetensors; the numbers are its tensors and everything else is JSON in its header, with a digest of the
whole file. A file that was cut short or changed, or whose parts do not fit together, is refused with a sentence.
"""

import hashlib
import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from novikoff import __version__
from novikoff.data.features import Features, features_of, packed, unpacked
from novikoff.engine.storages import Array
from novikoff.foundation.atomic_files import write_whole
from novikoff.foundation.file_locks import Hold
from novikoff.learning.learner import Learner, Run
from novikoff.learning.ledger import Ledger, hardest
from novikoff.learning.state import learner_of, state_of
from novikoff.models.run_record import believed
from novikoff.proof import certificate
from novikoff.proof.certificate import Certificate, CertificateError

FORMAT, VERSION = "novikoff model", 1
BLANK = "0" * 64  # where the digest will be, while it is taken


class ModelError(ValueError):
    """This is not a model that can be used."""


@dataclass
class Model:
    """A learner, what its columns mean, what it proved and how it came about."""

    learner: Learner
    features: Features
    certificates: list[Certificate] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)  # as JSON can hold it
    version: str = __version__  # of the program that made it

    def decisions(self, X: Any) -> Array:
        """The score of each row: a column for two classes (positive means the second), one a class for more."""
        return self._fitted.decide(X)

    def labels(self, X: Any) -> Array:
        """The class of each row. A score of exactly 0 is answered with the first of two classes."""
        return self._fitted.classes[self._fitted.codes(self.decisions(X))]

    def largest(self, top: int) -> list[list[tuple[str, float]]]:
        """For each vector, the features with the largest weights and what these are; none through a kernel."""
        weights, names = self._fitted.weights()[:, :-1], self.features
        through = self.learner.kernel is not None
        return [[] if through else largest(w, top, names.name, names.sign) for w in weights]

    @property
    def _fitted(self) -> Learner:
        if not self.learner.started:
            raise ValueError("this model has not learned anything yet, so it has no answers")
        return self.learner


def largest(w: Array, top: int, name: Callable[[int], str], sign: Callable[[int], int] | None = None) -> list[tuple[str, float]]:
    """The columns with the largest weights, by name, and what these are, turned round where features are; 0 is no weight."""
    order = np.argsort(-np.abs(w), kind="stable")[:top].tolist()
    return [(name(j), float(w[j]) * (sign(j) if sign else 1)) for j in order if w[j] != 0]


def save(model: Model, path: str | Path, hold: Hold | None = None) -> None:
    """Write the model to a file: the whole of it or, if something goes wrong, nothing.

    Nothing is written either if the file is held and is no longer the one that was there then (`ChangedError`).
    """
    write_whole(path, to_bytes(model), hold.check if hold is not None else lambda: None)


def load(path: str | Path) -> Model:
    """Read a model file; refused, with a sentence, where it is none, was changed, or is of a newer version."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from None
    try:
        return from_bytes(content)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def account_of(run: Run, ledgers: Sequence[Ledger] | None) -> dict[str, Any]:
    """What a model remembers of a run: its passes, as `Pass` has them, R, and the rows that it had to learn from most often.

    The last are those of the ledgers; None where these do not number rows as the data does. `kept` says of how many updates.
    """
    return {
        "stop_reason": str(run.stop_reason),
        "each_pass": [list(one) for one in run.passes],
        "errors": run.errors,
        "radius": None if run.radius is None or not isfinite(run.radius) else run.radius,
        "hardest": None if ledgers is None else hardest(ledgers),
        "kept": None if ledgers is None else sum(map(len, ledgers)),
    }


def versions() -> dict[str, str]:
    """Of what the numbers depend on."""
    others = {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")}
    return {"novikoff": __version__, "python": platform.python_version(), **others}


def to_bytes(model: Model) -> bytes:
    """The model as the content of a file."""
    from safetensors.numpy import save as serialized

    _check_width(model)
    settings, arrays = state_of(model.learner)
    tensors = {f"learner.{name}": array for name, array in arrays.items()}
    tensors |= {f"features.{name}": array for name, array in model.features.tensors(_by_weight(model)).items()}
    tensors |= {f"certificates.{name}": a for name, a in packed([proof.to_json() for proof in model.certificates]).items()}
    document = {
        "digest": BLANK,
        "format": FORMAT,
        "version": VERSION,
        "program": model.version,
        "learner": settings,
        "features": model.features.header(),
        "run": model.run,
    }
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    content = serialized({name: np.ascontiguousarray(array) for name, array in tensors.items()}, {"novikoff": text})
    at = content.index(BLANK.encode())  # the digest stands first, so nothing before it can look like it
    return content[:at] + _digest(content, at).encode() + content[at + len(BLANK) :]


def _by_weight(model: Model) -> Array:
    """The columns that have a weight, those with the largest first."""
    if not model.learner.started or model.learner.kernel is not None:
        return np.empty(0, np.int64)
    size = np.abs(model.learner.weights()[:, :-1]).max(axis=0)
    order: Array = np.argsort(-size, kind="stable")
    return order[: int((size > 0).sum())]


def from_bytes(content: bytes) -> Model:
    """The model that `to_bytes` wrote."""
    document, tensors = _opened(content)
    try:
        learner = learner_of(document["learner"], _of("learner", tensors))
        features = features_of(document["features"], _of("features", tensors))
        proofs = [certificate.from_json(text) for text in unpacked(_of("certificates", tensors))]
        run, program = document["run"], document["program"]
        if not (isinstance(run, dict) and isinstance(program, str)):
            raise ValueError("the report of the run is damaged")
        model = Model(learner, features, proofs, believed(run), program)
        _check_width(model)
    except (AttributeError, KeyError, TypeError, ValueError, CertificateError) as error:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__} {error}"
        raise ModelError(f"the parts of this model do not fit together: {why}; save it again from where it was trained") from None
    return model


def to_text(model: Model) -> str:
    """The model for reading: settings, classes, then features with a weight, tab-separated, the largest first.

    Weights are written so that they can be read back exactly. Of a model that votes they are the last ones.
    """
    learner = model._fitted
    learner.require_columns("writing a model as text")
    settings, _ = state_of(learner)
    names = [_readable(name) for name in learner.classes.tolist()]
    weights = learner.weights()
    heads = names[1:] if len(names) == 2 else names
    lines = [f"# {FORMAT}, made by novikoff {model.version}"]
    lines += [f"# {name}: {json.dumps(settings[name])}" for name in ("rule", "parameters", "readout", "order", "constant")]
    lines += [f"# classes: {', '.join(names)}", f"# rows: {learner.rows_fed}, passes: {learner.passes}"]
    lines += ["\t".join(["feature", *heads]), "\t".join(["(bias)", *map(repr, weights[:, -1].tolist())])]
    for column in _by_weight(model).tolist():
        signed = weights[:, column] * model.features.sign(column)
        lines.append("\t".join([_readable(model.features.name(column)), *map(repr, signed.tolist())]))
    return "\n".join(lines) + "\n"


def _readable(name: Any) -> str:
    """A name as it is, unless it could be taken for something else; then as JSON writes it."""
    plain = isinstance(name, str) and name.isprintable() and name == name.strip() and name and name[0] not in '"#('
    return name if plain else json.dumps(name)


# ---- opening a file --------------------------------------------------------------------------------------------------


def _opened(content: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The document and the tensors of a file that is whole, unchanged and of a version that is known."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as parsed

    none = ModelError("this is not a model: give a file that `save` wrote")
    try:
        tensors = parsed(content)
        size = int.from_bytes(content[:8], "little")
        document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["novikoff"])
        digest, kind, version = document["digest"], document["format"], document["version"]
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError):
        if content[8:].startswith(rb'{"__metadata__":{"novikoff":"{\"digest\":'):
            raise ModelError("this model is damaged: copy or save it again, the file was cut short or changed") from None
        raise none from None
    if kind != FORMAT or type(version) is not int:
        raise none
    if version > VERSION:
        raise ModelError(f"this model is of version {version}, and this program reads up to {VERSION}: upgrade novikoff")
    at = content.find(digest.encode("ascii", "replace")) if isinstance(digest, str) and len(digest) == len(BLANK) else -1
    if at < 0 or _digest(content, at) != digest:
        raise ModelError("this model was changed after it was written: copy or save it again")
    return document, tensors


def _digest(content: bytes, at: int) -> str:
    """SHA-256 of the file, with zeros where the digest itself is."""
    digest, view = hashlib.sha256(), memoryview(content)
    for part in (view[:at], BLANK.encode(), view[at + len(BLANK) :]):
        digest.update(part)
    return digest.hexdigest()


def _of(stage: str, tensors: dict[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(f"{stage}."): array for name, array in tensors.items() if name.startswith(f"{stage}.")}


def _check_width(model: Model) -> None:
    learner, features = model.learner, model.features
    if learner.started and learner.width != features.width:
        raise ValueError(f"there are weights for {learner.width} columns and {features.width} features")
