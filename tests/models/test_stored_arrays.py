"""A file has only weights that were learned, reads them back bit for bit, and cannot claim more than fits into memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learners import csr, known
from model_files import rewritten
from novikoff.data.features import Hashed, Numbered
from novikoff.data.hashing import bag_of_texts
from novikoff.data.matrices import matrix
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.models import stored_arrays
from novikoff.models.model import Model, ModelError, from_bytes, to_bytes
from novikoff.models.stored_arrays import AT_FIRST, compressed, decompressed, learned_only, with_all_weights

WEIGHTS = st.sampled_from([0.0, -0.0, 1.0, 5e-324, -2.5])


@given(st.data())
def test_weights_are_read_back_bit_for_bit(data):
    vectors, columns = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 5))
    length = columns + 1

    def numbers():
        return np.array(data.draw(st.lists(WEIGHTS, min_size=vectors * length, max_size=vectors * length)))

    names = ["team.w", *data.draw(st.sets(st.sampled_from(sorted(set(AT_FIRST) - {"team.w"}))))]
    arrays = {name: numbers().reshape(vectors, length) for name in names}
    arrays = {name: np.asfortranarray(array) if data.draw(st.booleans()) else array for name, array in arrays.items()}
    arrays["team.factor"] = np.ones((vectors, 2))
    stored = learned_only(arrays)
    again = with_all_weights(stored, columns, 2)
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        assert again[name].shape == array.shape
        assert again[name].tobytes() == np.ascontiguousarray(array).tobytes()
    at_first = np.logical_and.reduce([arrays[n].ravel().view(np.int64) == np.float64(AT_FIRST[n]).view(np.int64) for n in names])
    assert all(len(stored[name]) == (~at_first).sum() for name in names)


@pytest.mark.parametrize(("rule", "readout", "confidence"), [
    ("arow", "last", "diagonal"), ("arow", "averaged", "full"), ("stream", "last", "stream"), ("margin", "pocket", "none"),
    ("rosenblatt", "voted", "none"), ("pa-i", "averaged", "none"),
])  # fmt: skip
@pytest.mark.parametrize("classes", [2, 9])
@pytest.mark.parametrize("multiclass", ["ovr", "direct"])
def test_a_model_of_which_little_was_learned_goes_on_as_if_never_saved(rule, readout, confidence, classes, multiclass):
    rng = np.random.default_rng(classes)
    X = np.zeros((50, 40))
    X[np.arange(50), rng.integers(0, 9, 50)] = X[:, 38] = rng.normal(size=50)
    y = rng.integers(0, classes, 50)
    learner = Learner(rule, readout=readout, confidence=confidence, multiclass=multiclass)
    learner.fit(examples(csr(X), y), 2)
    content = to_bytes(Model(learner, Numbered(0, 40)))
    again = from_bytes(content)
    assert known(again.learner) == known(learner)
    assert to_bytes(again) == content
    for each in (learner, again.learner):
        each.fit(examples(csr(X[::-1]), y[::-1]), 2)
    assert known(again.learner) == known(learner)


def text_model(classes=2, words=300, bits=18):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"word{k}" for k in rng.integers(0, words, 12)) for _ in range(300)]
    features = Hashed(bits)
    bag = bag_of_texts(texts, features.way)
    features.note(bag.met)
    learner = Learner("arow", confidence="auto", readout="last")
    learner.fit(examples(matrix(bag.values, bag.columns, bag.starts, features.width), np.arange(300) % classes), 2)
    return Model(learner, features)


@pytest.mark.parametrize("classes", [2, 12])
def test_a_file_has_room_for_what_was_learned_only(classes):
    model = text_model(classes, words=3000)
    learned = int((model.learner.weights()[:, :-1] != 0).sum())
    forecasts = 8 * model.learner.forecasts.scores[:300].size
    assert len(to_bytes(model)) < 1.5 * 16 * learned + forecasts + 8000  # settings, and rows of forecasts


def test_names_signs_and_shared_buckets_are_read_back():
    model = text_model(bits=8)
    again = from_bytes(to_bytes(model))
    assert model.features.collisions > 0
    assert again.features.collisions == model.features.collisions
    for column in range(256):
        assert again.features.name(column) == model.features.name(column)
        assert again.features.sign(column) == model.features.sign(column)


@given(st.lists(st.integers(0, 9), max_size=900), st.sampled_from(["float64", "int16", "uint8"]))
def test_compressed_arrays_are_read_back(numbers, kind):
    arrays = {"a": np.array(numbers * 3, kind), "b": np.zeros((7, 0), np.int32), "c": np.arange(3.0)}
    stored, about = compressed(arrays)
    assert set(about) <= {"a"}
    assert sum(array.nbytes for array in stored.values()) <= sum(array.nbytes for array in arrays.values())
    again = decompressed(stored, about)
    assert all(np.array_equal(again[n], arrays[n]) and again[n].dtype == arrays[n].dtype for n in arrays)


def test_a_file_that_claims_more_than_there_is_memory_is_refused(monkeypatch):
    model = text_model()
    content = to_bytes(model)
    weights = model.learner.team.w.nbytes + model.learner.vectors.confidence.sigma.nbytes
    monkeypatch.setattr(stored_arrays, "free_memory", lambda: weights)
    from_bytes(content)
    monkeypatch.setattr(stored_arrays, "free_memory", lambda: weights - 1)
    with pytest.raises(ModelError, match=f"needs {weights:,} bytes of memory, and {weights - 1:,} are free; use a machine"):
        from_bytes(content)
    monkeypatch.setattr(stored_arrays, "free_memory", lambda: 10_000)
    with pytest.raises(ModelError, match="bytes of memory, and 10,000 are free"):
        from_bytes(content)


def test_a_frame_that_is_not_as_long_as_it_should_be_is_refused():
    content = to_bytes(text_model())

    def claims(change):
        def changed(document, *_):
            change(document["compressed"])

        return rewritten(content, changed)

    for change in (
        lambda about: about.update({"features.text": ["uint8", [10**9]]}),
        lambda about: about.update({"features.text": ["uint8", [-1]]}),
        lambda about: about.update({"features.text": ["object", [3]]}),
        lambda about: about.update({"features.text": ["uint8"]}),
        lambda about: about.pop("features.text"),
        lambda about: about.update({"learner.team.clock": ["int64", [1]]}),
        lambda about: about.update({"learner.class_counts": ["uint8", [1000]]}),
    ):
        with pytest.raises(ModelError, match="do not fit together"):
            from_bytes(claims(change))
