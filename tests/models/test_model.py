"""A model file is read back as it was, or refused with a sentence; it is whole, whatever happens while it is written."""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save as serialized

import novikoff
from chosen import READOUTS
from learners import csr, known
from model_files import rewritten
from novikoff import MarginPerceptron, Perceptron, separate
from novikoff.data.features import Features, Named, Numbered
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.models.model import VERSION, Model, ModelError, from_bytes, load, save, to_bytes, to_text
from novikoff.models.run_record import RunRecord

rng = np.random.default_rng(0)
X = rng.integers(-9, 9, (40, 3)) / 4
LABELS = {2: rng.choice(["no", "yes"], 40), 4: rng.integers(3, 7, 40)}


def some_model(classes=2, readout="averaged", stored=csr, **more):
    learner = Learner("margin", readout=readout)
    learner.fit(examples(stored(X), LABELS[classes]), 3)
    features = Named(["a", "b\tc", "Ünïcode \ud800"])
    return Model(learner, features, [separate(X, LABELS[2])], RunRecord(stop_reason="max_iter", passes=2), **more)


@pytest.mark.parametrize("stored", [np.array, csr])
@pytest.mark.parametrize("readout", [*READOUTS, "voted"])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_model_is_read_back_as_it_was(tmp_path, classes, readout, stored):
    model = some_model(classes, readout, stored, version="0.0.7")
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert known(again.learner) == known(model.learner)
    assert again.decisions(X).tolist() == model.decisions(X).tolist()
    assert again.labels(X).tolist() == model.labels(X).tolist()
    assert again.features.names == model.features.names
    assert again.certificates == model.certificates
    assert (again.run, again.version) == (model.run, "0.0.7")
    assert to_bytes(again) == (tmp_path / "model").read_bytes()


@given(st.data())
def test_any_byte_changed_is_noticed(data):
    content = to_bytes(some_model(readout=data.draw(st.sampled_from(["last", "voted"]))))
    at, flip = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(1, 255))
    with pytest.raises(ModelError, match=r"changed|not a model|upgrade|damaged"):
        from_bytes(content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :])


def test_every_byte_of_the_header_matters():
    content = to_bytes(some_model())
    for at in range(8 + int.from_bytes(content[:8], "little")):
        for flip in (1, 2, 32, 41):  # 41: a space becomes a tab, which JSON does not mind
            with pytest.raises(ModelError):
                from_bytes(content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :])


@given(st.data())
def test_a_file_cut_short_or_too_long_is_noticed(data):
    content = to_bytes(some_model())
    with pytest.raises(ModelError):
        from_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ModelError):
        from_bytes(content + data.draw(st.binary(min_size=1, max_size=20)))


@given(content=st.binary(max_size=200) | st.text(max_size=50).map(str.encode))
def test_anything_else_is_not_a_model(content):
    with pytest.raises(ModelError, match="not a model"):
        from_bytes(content)


FOREIGN = {
    "empty": b"",
    "text": b"label,feature\n1,2\n" * 50,
    "another's safetensors": serialized({"w": np.ones(3)}),
    "another's with metadata": serialized({"w": np.ones(3)}, {"novikoff": "[]", "format": "pt"}),
    "almost ours": serialized({"w": np.ones(3)}, {"novikoff": json.dumps({"digest": 1, "format": "other", "version": 1})}),
    "a pickle": pickle.dumps({"w": [1, 2, 3]}),
    "deep": serialized({"w": np.ones(3)}, {"novikoff": "[" * 100_000}),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files_are_refused_by_name(tmp_path, name):
    (tmp_path / "file").write_bytes(FOREIGN[name])
    with pytest.raises(ModelError, match=f"{tmp_path / 'file'}: this is not a model: give a file that `save` wrote"):
        load(tmp_path / "file")


def test_certificates_folders_and_missing_files_are_no_models(tmp_path):
    separate(X, LABELS[2]).save(tmp_path / "proof")
    for name, sentence in (("proof", "this is not a model"), ("none", "cannot be read"), (".", "cannot be read")):
        with pytest.raises(ModelError, match=sentence):
            load(tmp_path / name)


def test_a_newer_version_says_what_to_do():
    newer = rewritten(to_bytes(some_model()), lambda document, *_: document.update(version=VERSION + 1, learner="all new"))
    with pytest.raises(ModelError, match=f"of version {VERSION + 1}, and this program reads up to {VERSION}: upgrade novikoff"):
        from_bytes(newer)


def edit(*path, value):
    def change(document, *_):
        place = document
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value

    return change


def shape(name, new):
    def change(_, header, data):
        header[name]["shape"] = new

    return change


def numbers(name, value):
    """Another number in the place of a tensor's first."""

    def change(_, header, data):
        start = header[name]["data_offsets"][0]
        return data[:start] + value + data[start + len(value) :]

    return change


@pytest.mark.parametrize(
    "change",
    [
        edit("features", value={"kind": "numbered", "base": 0, "near": 2, "compacted": False}),
        edit("features", value={"kind": "numbered", "base": "0", "near": 3, "compacted": False}),
        edit("features", value={"kind": "numbered", "base": 0, "near": 3.0, "compacted": False}),
        edit("features", value={"kind": "numbered", "base": 0, "near": -3, "compacted": True}),
        edit("features", value={"kind": "unheard of"}),
        edit("features", value={"kind": ["named"]}),
        edit("features", value=[]),
        edit("learner", value=None),
        edit("learner", "classes", value=["no"]),
        edit("learner", "classes", value=["no", "yes", "zebra"]),
        edit("learner", "classes", value=["yes", "no"]),
        edit("learner", "readout", value="pocket"),
        edit("learner", "passes", value=-1),
        edit("run", value="fast"),
        edit("program", value=3),
        shape("learner.team.w", [4, 2]),
        shape("learner.team.w", [8, 1]),
        numbers("learner.learned", b"\0\0"),
        numbers("learner.learned", b"\xff"),
        numbers("learner.shape", (2**40).to_bytes(8, "little")),
        edit("compressed", value={"learner.team.w": ["float64", [8]]}),
        edit("compressed", value={"learner.team.v": ["float64", [8]]}),
        edit("compressed", value=[1]),
        shape("features.text", [1, 1]),
        numbers("features.ends", (-5).to_bytes(8, "little", signed=True)),
        numbers("features.ends", (10**12).to_bytes(8, "little")),
        numbers("features.text", b"\xff"),
        numbers("certificates.text", b"x"),
        numbers("certificates.ends", (7).to_bytes(8, "little")),
        numbers("learner.team.w", np.float64(np.nan).tobytes()),
        numbers("learner.team.w", np.float64(np.inf).tobytes()),
        numbers("learner.carry.late", np.float64(-np.inf).tobytes()),
        numbers("learner.team.target", np.int32(5).tobytes()),
        numbers("learner.team.clock", np.int64(-5).tobytes()),
        numbers("learner.class_counts", np.int64(-5).tobytes()),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_though_the_digest_is_right(change):
    content = to_bytes(some_model())
    from_bytes(rewritten(content, lambda *_: None))
    with pytest.raises(ModelError, match=r"do not fit together: .+; save it again|not a model|damaged"):
        from_bytes(rewritten(content, change))


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
JSON = (
    PLAIN
    | st.lists(PLAIN, max_size=3)
    | st.lists(st.lists(PLAIN, max_size=2), max_size=2)
    | st.dictionaries(st.text(max_size=3), PLAIN)
)


@given(st.data())
def test_whatever_a_document_says_it_is_a_model_or_refused(data):
    """Any value of the document, any shape of a tensor and any bytes in it may be others, and the digest right."""

    def change(document, header, content):
        names = sorted(header.keys() - {"__metadata__"})
        match data.draw(st.sampled_from(["learner", "top", "shape", "bytes"])):
            case "learner":
                document["learner"][data.draw(st.sampled_from(sorted(document["learner"])))] = data.draw(JSON)
            case "top":
                document[data.draw(st.sampled_from(["learner", "features", "run", "program"]))] = data.draw(JSON)
            case "shape":
                header[data.draw(st.sampled_from(names))]["shape"] = data.draw(st.lists(st.integers(0, 20), max_size=3))
            case "bytes":
                start, end = header[data.draw(st.sampled_from(names))]["data_offsets"]
                if start < end:
                    at = data.draw(st.integers(start, end - 1))
                    return content[:at] + data.draw(st.binary(min_size=1, max_size=1)) + content[at + 1 :]
        return None

    model = some_model(data.draw(st.sampled_from([2, 4])), data.draw(st.sampled_from(["averaged", "voted"])))
    try:
        again = from_bytes(rewritten(to_bytes(model), change))
    except ModelError:
        again = None
    assert again is None or not again.learner.started or len(again.labels(X)) == 40


class Odd(Features):
    """A kind that somebody adds."""

    kind = "odd"

    def __init__(self, width):
        self._width = width

    @property
    def width(self):
        return self._width

    def header(self):
        return {"kind": self.kind, "width": self._width}

    @classmethod
    def of(cls, header, tensors):
        return cls(header["width"])


@pytest.mark.parametrize("features", [Numbered(1, 3), Numbered(0, 1, [2**40, 2**50]), Odd(3)])
def test_every_kind_of_features_is_found(features):
    again = from_bytes(to_bytes(Model(some_model().learner, features))).features
    assert type(again) is type(features)
    assert (again.header(), again.width) == (features.header(), 3)


def test_what_does_not_fit_is_not_even_written(tmp_path):
    with pytest.raises(ValueError, match="weights for 3 columns, but 2 features"):
        save(Model(some_model().learner, Named(["a", "b"])), tmp_path / "model")
    exact = Learner()
    exact.learn(examples(np.array([[Fraction(1)], [Fraction(2)]]), [0, 1]))
    with pytest.raises(ValueError, match="exact numbers cannot be saved"):
        save(Model(exact, Numbered(0, 1)), tmp_path / "model")
    assert not any(tmp_path.iterdir())


def test_a_model_that_knows_nothing_says_so():
    model = from_bytes(to_bytes(Model(Learner("margin"), Named(["a"]))))
    with pytest.raises(ValueError, match="has not learned anything yet"):
        model.labels(X)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_text_can_be_read_back_exactly(classes):
    model = some_model(classes)
    lines = to_text(model).splitlines()
    assert '# readout: "averaged"' in lines
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    names = model.learner.classes.tolist()
    assert [*map(str, names)][-len(rows[0][1:]) :] == rows[0][1:]
    weights = {json.loads(row[0]) if row[0][0] == '"' else row[0]: [*map(float, row[1:])] for row in rows[1:]}
    expected = model.learner.weights()
    assert weights.pop("(bias)") == expected[:, -1].tolist()
    assert weights == {name: expected[:, j].tolist() for j, name in enumerate(model.features.names)}
    sizes = [max(map(abs, row)) for row in weights.values()]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("named", [False, True])
def test_estimators_save_and_load_reads(tmp_path, named):
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c"]) if named else X
    for estimator in (Perceptron(max_iter=4), MarginPerceptron(random_state=0), Perceptron(readout="voted", max_iter=3)):
        estimator.fit(frame, LABELS[4]).save(tmp_path / "model")
        model = novikoff.load(tmp_path / "model")
        assert model.labels(X).tolist() == estimator.predict(frame).tolist()
        assert model.features.header() == (
            {"kind": "named"} if named else {"kind": "numbered", "base": 0, "near": 3, "compacted": False}
        )
        assert dict(zip([3, 4, 5, 6], model.certificates, strict=True)) == estimator.certificate_
        assert model.run["stop_reason"] == estimator.stop_reason_
        assert model.run["estimator"] == type(estimator).__name__


def test_an_unfitted_estimator_has_nothing_to_save(tmp_path):
    with pytest.raises(ValueError, match="has not learned anything yet"):
        Perceptron().save(tmp_path / "model")
    Perceptron().partial_fit(X, LABELS[2]).save(tmp_path / "model")
    assert load(tmp_path / "model").certificates[0].outcome == "undecided"


# ---- kill -9 ---------------------------------------------------------------------------------------------------------

# Loading Python once is enough: each victim is a fork of this process, which says whom to kill.
NURSERY = """
import os, sys
from novikoff.models.model import load, save
models = [load(path) for path in sys.argv[2:]]
for _ in sys.stdin:
    victim = os.fork()
    while victim == 0:
        for model in models:
            save(model, sys.argv[1])
    print(victim, flush=True)
    os.waitpid(victim, 0)
"""


def kill_often(tmp_path, kills):
    place, candidates = tmp_path / "model", []
    for k, width in enumerate((20_000, 30_000)):
        learner = Learner("margin")
        learner.learn(examples(np.full((2, width), k + 1.0), [0, 1]))
        candidates.append(tmp_path / f"candidate {k}")
        save(Model(learner, Numbered(0, width)), candidates[-1])
    whole = {path.read_bytes() for path in candidates}
    place.write_bytes(candidates[0].read_bytes())
    dice, seen = random.Random(0), set()
    command = [sys.executable, "-c", NURSERY, place, *candidates]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as nursery:
        for _ in range(kills):
            print(file=nursery.stdin, flush=True)
            victim = int(nursery.stdout.readline())
            for _ in range(3):  # looked at while it is written, too
                time.sleep(dice.uniform(0, 0.03))
                assert place.read_bytes() in whole
            os.kill(victim, signal.SIGKILL)
            load(place)
            seen.add(place.read_bytes())
            assert seen <= whole
        nursery.stdin.close()
    return seen


def test_killed_while_writing_it_leaves_a_whole_file(tmp_path):
    assert kill_often(tmp_path, 30)


@pytest.mark.full
def test_killed_often_while_writing_it_leaves_a_whole_file(tmp_path):
    assert len(kill_often(tmp_path, 1000)) == 2


@pytest.mark.parametrize("kind", [">f8", ">f4", ">i4", "<i2"])
def test_a_model_takes_numbers_whose_bytes_are_in_any_order(kind):
    X = np.array([[1, 0, 2], [0, -1, 0], [3, 1, -1]], kind)
    model = novikoff.Perceptron().fit(X.astype(float), [0, 1, 0]).as_model()
    wanted = model.decisions(X.astype(float)).tolist()
    assert model.decisions(X).tolist() == wanted
    rows = sp.csr_array(X.astype(float))
    rows.data = rows.data.astype(kind)
    assert model.decisions(rows).tolist() == wanted
