"""Model files, with a digest that is right, and certificates."""

import json
import struct
from contextlib import suppress

import numpy as np
import scipy.sparse as sp
from mutations import mutated, tree

import novikoff
from novikoff.data.features import Hashed
from novikoff.data.hashing import bag_of_texts
from novikoff.data.matrices import matrix
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.models import model as models
from novikoff.models.model import Model, ModelError
from novikoff.proof import certificate_files
from novikoff.proof.certificate import CertificateError

X = np.array([[0.0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [2, 0, 1], [0, 2, 1]])
Y = np.array([0, 1, 1, 0, 2, 2])


def estimators():
    two, many = Y % 2, Y
    yield novikoff.Perceptron(max_iter=3).fit(X, two)
    yield novikoff.MarginPerceptron(max_iter=3, multiclass="direct").fit(X, many)
    yield novikoff.Perceptron(max_iter=3, readout="voted").fit(X, two)
    yield novikoff.Perceptron(max_iter=3, readout="pocket").fit(X, many)
    yield novikoff.KernelPerceptron("rbf", max_iter=3).fit(X, two)
    yield novikoff.KernelPerceptron("poly", max_iter=3, readout="voted").fit(sp.csr_array(X), two)
    yield novikoff.KernelPerceptron("rbf", budget=3, max_iter=2).fit(X, two)


def hashed_models():
    """Models with compressed tensors, of which few weights were learned."""
    texts = [" ".join(f"word{(7 * i * k) % 301} {'long' * (i % 30)}{k}" for k in range(9)) for i in range(60)]
    for classes, rule in ((2, "arow"), (3, "stream"), (3, "margin")):
        features = Hashed(9, 2)
        bag = bag_of_texts(texts, features.way)
        features.note(bag.met)
        learner = Learner(rule, readout="averaged" if rule == "margin" else "last", confidence="auto")
        learner.fit(examples(matrix(bag.values, bag.columns, bag.starts, features.width), np.arange(60) % classes), 2)
        yield Model(learner, features)


class Models:
    refusals = (ModelError,)

    def begin(self):
        self.seeds = [models.to_bytes(one.as_model()) for one in estimators()]
        self.seeds += [models.to_bytes(model) for model in hashed_models()]
        for seed in self.seeds:
            use_model(models.from_bytes(seed))

    def make(self, rng):
        seed = rng.choice(self.seeds)
        if rng.random() < 0.1:
            return mutated(rng, seed, self.seeds), ".nvk"
        length = int.from_bytes(seed[:8], "little")
        table, arrays = json.loads(seed[8 : 8 + length]), seed[8 + length :]
        document = json.loads(table["__metadata__"]["novikoff"])
        if rng.random() < 0.5:
            part = rng.choice(("learner", "features", "run", "compressed"))
            document[part] = tree(rng, document[part])
        else:
            changed = bytearray(arrays)
            for _ in range(rng.choice((1, 1, 2))):
                piece = mutated(rng, arrays)[: len(arrays)]
                changed[: len(piece)] = piece
            arrays = bytes(changed)
        if rng.random() < 0.1:
            table = tree(rng, table)
        return signed(table, document, arrays), ".nvk"

    def use(self, path, rng):
        model = models.load(path)
        with suppress(ValueError):  # of numbers that overflow, say
            use_model(model)


def use_model(model):
    model.labels(np.ones((2, model.learner.width)))
    models.to_bytes(model)
    models.to_text(model) if model.learner.kernel is None else None


def signed(table, document, arrays):
    """The file, with its digest."""
    if isinstance(table, dict) and isinstance(table.get("__metadata__"), dict):
        table["__metadata__"]["novikoff"] = json.dumps({**document, "digest": models.BLANK})
    header = json.dumps(table, separators=(",", ":")).encode()
    content = struct.pack("<Q", len(header)) + header + arrays
    at = content.find(models.BLANK.encode())
    return content if at < 0 else content[:at] + models._digest(content, at).encode() + content[at + len(models.BLANK) :]


class Certificates:
    refusals = (CertificateError,)

    def begin(self):
        proofs = [novikoff.separate(X, Y % 2), novikoff.separate(X, Y == 2), novikoff.separate(X, Y % 2, kernel="poly", degree=2)]
        proofs += [novikoff.max_margin(X, Y == 2), novikoff.solve_cone(X + 0.5), novikoff.solve_cone([[1, 0], [-1, 0]])]
        proofs += [novikoff.Perceptron(max_iter=1).fit(X, Y % 2).certificate_]
        proofs += [novikoff.MarginPerceptron(max_iter=9, multiclass="direct").fit(X, Y).certificate_]
        proofs += [novikoff.solve_system([[1, 2]], 4, None, [(None, 1), (None, 1)])]
        proofs += [novikoff.quasi_separate(X, Y % 2), novikoff.quasi_separate(X, Y == 2)]
        proofs += [novikoff.quasi_separate([[1, 2], [0, 0], [0, 0], [3, 6]], [1, 1, 0, 1])]
        self.seeds = [proof.to_json().encode() for proof in proofs]
        for seed in self.seeds:
            certificate_files.from_json(seed.decode())

    def make(self, rng):
        seed = rng.choice(self.seeds)
        if rng.random() < 0.3:
            return mutated(rng, seed, self.seeds), ".json"
        told = tree(rng, {name: value for name, value in json.loads(seed).items() if name != "digest"})
        body = json.dumps(told, ensure_ascii=rng.random() < 0.9, indent=0)
        if isinstance(told, dict) and body.isascii() and rng.random() < 0.95:
            body = body.removesuffix("\n}") + ",\n"
            body += f'"digest": "{certificate_files._digest(body)}"\n}}\n'
        return body.encode("utf-8", "surrogatepass"), ".json"

    def use(self, path, rng):
        found = certificate_files.load(path)
        assert isinstance(str(found), str)
        certificate_files.from_json(found.to_json())


FUZZERS = {"models": Models, "certificates": Certificates}
