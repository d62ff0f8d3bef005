"""The model file: weights, features, settings and certificates in one file that runs no code (docs/models.md).

The layout is that of safetensors. Numbers are tensors; everything else is JSON in the header, with a digest of the whole file. A
file that is incomplete, was changed, or has parts that do not fit together is refused with a ModelError.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from novikoff import __version__
from novikoff.data.features import Features, features_of, packed, unpacked
from novikoff.data.preparation import Statistics
from novikoff.data.preparer import Preparer
from novikoff.foundation.array_types import Array
from novikoff.foundation.atomic_files import write_whole
from novikoff.foundation.file_locks import Hold
from novikoff.foundation.matrix_checks import checked
from novikoff.learning.learner import Learner
from novikoff.learning.state import learner_of, state_of
from novikoff.models.run_record import Label, RunRecord
from novikoff.models.stored_arrays import compressed, decompressed, learned_only, with_all_weights
from novikoff.proof import certificate_files
from novikoff.proof.certificate import Certificate, CertificateError

FORMAT, VERSION = "novikoff model", 2  # version 1 has all weights and no preparation, and nothing is compressed
OF_EARLIER_MAIL = Preparer("counts", unit=True, running=False, found=Statistics())
BLANK = "0" * 64  # stands in place of the digest while the digest is computed


class ModelError(ValueError):
    """The file is not a model that can be used."""


@dataclass
class Model:
    """A trained learner with the names of its features, its certificates and the record of its run."""

    learner: Learner
    features: Features
    certificates: list[Certificate] = field(default_factory=list)
    run: RunRecord = field(default_factory=RunRecord)
    version: str = __version__  # of novikoff when the model was made
    preparer: Preparer | None = None  # what is done to rows before the learner sees them

    def prepared(self, X: Any) -> Any:
        """Rows as the learner sees them, from rows as files have them: an array, or a CSR matrix."""
        if self.preparer is None:
            return X
        if not isinstance(X, np.ndarray) and getattr(X, "format", None) != "csr":
            raise TypeError(
                "give an array or a CSR matrix, as `novikoff.open(file, prepared=True, features=model.features)` gives; "
                f"this is {type(X).__name__}"
            )
        return self.preparer.apply(checked(X), self.features)

    @property
    def can_be_certified(self) -> bool:
        """Whether `certify` reads the training files as this model did: no gap was filled, and no column left out."""
        gaps = self.preparer is not None and self.preparer.gaps(self.features)
        return not gaps and not self.run.get("reading", {}).get("ignore")

    def decisions(self, X: Any) -> Array:
        """Compute the scores of each row: one column for two classes (positive means the second), else one per class."""
        return self._fitted.decide(self.prepared(X))

    def labels(self, X: Any) -> Array:
        """Predict the class of each row. With two classes, a score of exactly 0 gives the first."""
        return self._fitted.classes[self._fitted.codes(self.decisions(X))]

    def largest(self, top: int) -> list[list[tuple[str, float]]]:
        """The `top` features with the largest weights, and these weights, for each vector. Empty for a kernel.

        Weights are those for rows as files have them. If rows are prepared, the largest are those for prepared rows, which can
        be compared with each other.
        """
        weights, features = self._fitted.weights()[:, :-1], self.features
        if self.learner.kernel is not None:
            return [[] for _ in weights]
        own = self.weights()
        return [largest(w, top, features.name, features.sign, mine) for w, mine in zip(weights, own, strict=True)]

    def weights(self) -> Array:
        """The weights that predict, one vector per row with the bias last, for rows as files have them.

        For rows that get length 1, they are right up to a positive factor for each row, except for the bias.
        """
        weights = self._fitted.weights()
        return weights if self.preparer is None or self.learner.kernel else self.preparer.in_own_units(weights, self.features)

    @property
    def _fitted(self) -> Learner:
        if not self.learner.started:
            raise ValueError("this model has not learned anything yet, so it cannot predict")
        return self.learner


def largest(
    w: Array,
    top: int,
    name: Callable[[int], str],
    sign: Callable[[int], int] | None = None,
    shown: Array | None = None,
) -> list[tuple[str, float]]:
    """The `top` columns with the largest nonzero weights, by name, with the weight times the sign of the feature.

    `shown` are other weights to show in place of these.
    """
    used, shown = np.flatnonzero(w), w if shown is None else shown
    order = used[np.argsort(-np.abs(w[used]), kind="stable")[:top]].tolist()
    return [(name(j), float(shown[j]) * (sign(j) if sign else 1)) for j in order]


def save(model: Model, path: str | Path, hold: Hold | None = None) -> None:
    """Write the model to a file: completely or, if something fails, not at all.

    With `hold`, the file is written only if no other process has replaced it since it was locked (else `ChangedError`).
    """
    write_whole(path, to_bytes(model), hold.check if hold is not None else lambda: None)


def load(path: str | Path) -> Model:
    """Read a model file. A file that is no model, was changed, or is of a newer version is refused with a ModelError."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from None
    try:
        return from_bytes(content)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def to_bytes(model: Model) -> bytes:
    """The model as the content of a file."""
    from safetensors.numpy import save as serialized

    _check_width(model)
    settings, arrays = state_of(model.learner)
    if model.learner.started and model.learner.kernel is None:
        arrays = learned_only(arrays)
    tensors = {f"learner.{name}": array for name, array in arrays.items()}
    tensors |= {f"features.{name}": array for name, array in model.features.tensors(_by_weight(model)).items()}
    tensors |= {f"certificates.{name}": a for name, a in packed([proof.to_json() for proof in model.certificates]).items()}
    if model.preparer is not None:
        tensors |= {f"preparation.{name}": array for name, array in model.preparer.tensors().items()}
    tensors, packed_tensors = compressed(tensors)
    document = {
        "digest": BLANK,
        "format": FORMAT,
        "version": VERSION,
        "program": model.version,
        "compressed": packed_tensors,
        "learner": settings,
        "features": model.features.header(),
        "run": model.run.to_json(),
    }
    if model.preparer is not None:
        document["preparation"] = model.preparer.header()
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    content = serialized(tensors, {"novikoff": text})
    at = content.index(BLANK.encode())  # the digest comes first, so this is the first match
    return content[:at] + _digest(content, at).encode() + content[at + len(BLANK) :]


def _by_weight(model: Model) -> Array:
    """The columns with a nonzero weight, largest first."""
    if not model.learner.started or model.learner.kernel is not None:
        return np.empty(0, np.int64)
    size = np.abs(model.learner.weights()[:, :-1]).max(axis=0)
    order: Array = np.argsort(-size, kind="stable")
    return order[: int((size > 0).sum())]


def from_bytes(content: bytes) -> Model:
    """The model that `to_bytes` wrote."""
    document, tensors = _opened(content)
    try:
        tensors = decompressed(tensors, document.get("compressed", {}))  # missing in older files
        features = features_of(document["features"], _of("features", tensors))
        settings = document["learner"]
        arrays = with_all_weights(_of("learner", tensors), features.width, len(settings["classes"]))
        learner = learner_of(settings, arrays)
        proofs = [certificate_files.from_json(text) for text in unpacked(_of("certificates", tensors))]
        run, program = document["run"], document["program"]
        if not (isinstance(run, dict) and isinstance(program, str)):
            raise ValueError("the record of the run is damaged")
        preparer = _preparer(document.get("preparation"), features, _of("preparation", tensors))
        model = Model(learner, features, proofs, RunRecord.from_json(run), program, preparer)
        _check_width(model)
    except (AttributeError, KeyError, TypeError, ValueError, CertificateError) as error:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__} {error}"
        raise ModelError(f"the parts of this model do not fit together: {why}; save it again from where it was trained") from None
    return model


def _preparer(header: Any, features: Features, tensors: dict[str, Array]) -> Preparer | None:
    """The preparation of a model. Mail had length 1 before models recorded how rows are prepared."""
    if header is not None:
        return Preparer.of(header, tensors, features.width)
    return OF_EARLIER_MAIL if getattr(features, "scheme", None) == "mail" else None


def to_text(model: Model) -> str:
    """The model as text for people: settings, classes, then features with their weights, tab-separated, largest first.

    Weights are written with all digits. With readout="voted" they are the last weights.
    """
    learner = model._fitted
    learner.require_columns("writing a model as text")
    settings, _ = state_of(learner)
    names = [_readable(name) for name in learner.classes.tolist()]
    weights = model.weights()
    heads = names[1:] if len(names) == 2 else names
    lines = [f"# {FORMAT}, made by novikoff {model.version}"]
    lines += [f"# {name}: {json.dumps(settings[name])}" for name in ("rule", "parameters", "readout", "order", "constant")]
    lines += [f"# classes: {', '.join(names)}", f"# rows: {learner.rows_fed}, passes: {learner.passes}"]
    lines += ["\t".join(["feature", *heads]), "\t".join(["(bias)", *map(repr, weights[:, -1].tolist())])]
    for column in _by_weight(model).tolist():
        signed = weights[:, column] * model.features.sign(column)
        lines.append("\t".join([_readable(model.features.name(column)), *map(repr, signed.tolist())]))
    return "\n".join(lines) + "\n"


def _readable(name: Label) -> str:
    """The name, or its JSON where the name itself would be ambiguous in the text."""
    if isinstance(name, str) and name.isprintable() and name == name.strip() and name and name[0] not in '"#(':
        return name
    return json.dumps(name)


# ---- opening a file --------------------------------------------------------------------------------------------------


def _opened(content: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The JSON document and the tensors of the file, which is complete, unchanged and of a known version."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as parsed

    not_a_model = ModelError("this is not a model: give a file that `save` wrote")
    try:
        tensors = parsed(content)
        size = int.from_bytes(content[:8], "little")
        document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["novikoff"])
        digest, kind, version = document["digest"], document["format"], document["version"]
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError):
        if content[8:].startswith(rb'{"__metadata__":{"novikoff":"{\"digest\":'):
            raise ModelError("this model is damaged: copy or save it again, the file was cut short or changed") from None
        raise not_a_model from None
    if kind != FORMAT or type(version) is not int:
        raise not_a_model
    if version > VERSION:
        raise ModelError(f"this model is of version {version}, and this program reads up to {VERSION}: upgrade novikoff")
    at = content.find(digest.encode("ascii", "replace")) if isinstance(digest, str) and len(digest) == len(BLANK) else -1
    if at < 0 or _digest(content, at) != digest:
        raise ModelError("this model was changed after it was written: copy or save it again")
    return document, tensors


def _digest(content: bytes, at: int) -> str:
    """SHA-256 of the file with zeros in place of the digest."""
    digest, view = hashlib.sha256(), memoryview(content)
    for part in (view[:at], BLANK.encode(), view[at + len(BLANK) :]):
        digest.update(part)
    return digest.hexdigest()


def _of(stage: str, tensors: dict[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(f"{stage}."): array for name, array in tensors.items() if name.startswith(f"{stage}.")}


def _check_width(model: Model) -> None:
    learner, features = model.learner, model.features
    if learner.started and learner.width != features.width:
        raise ValueError(f"there are weights for {learner.width} columns, but {features.width} features")
