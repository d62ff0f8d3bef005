"""JSON lines: what is read, against `json`, and what is refused in which words."""

import json

import numpy as np
import pytest
from hypothesis import given as generated
from hypothesis import reject
from hypothesis import strategies as st

from made import json_rows, json_text
from novikoff.data import readers
from novikoff.data.features import Named
from novikoff.data.readers import read
from novikoff.data.sources import ReadError


@pytest.fixture
def given(tmp_path):
    def write(content, name="data.jsonl"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_rows_labels_and_weights(given):
    X, y, names, weight = read(
        given(
            '{"features": {"age": 3, "tame": true, "colour": "red"}, "label": "cat", "weight": 2}\n\n'
            '  {"label": "dog", "features": {"colour": "blue", "age": 0.5}, "id": [1, {}]}\r\n'
        )
    )
    assert names == ("age", "tame", "colour=red", "colour=blue")
    assert X.toarray().tolist() == [[3, 1, 1, 0], [0.5, 0, 0, 1]]
    assert y.tolist() == ["cat", "dog"]
    assert weight.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("labels", "read_as", "kind"),
    [
        ([1, 1.0, "+1", True, -1], [1, 1, 1, 1, -1], "i"),
        ([0.5, False], [0.5, 0], "f"),
        ([1, "spam", " ham "], ["1", "spam", "ham"], "U"),
    ],
)
def test_labels(given, labels, read_as, kind):
    y = read(given("".join(json.dumps({"features": {"a": 1}, "label": label}) + "\n" for label in labels))).y
    assert y.tolist() == read_as
    assert y.dtype.kind == kind


def by_hand(rows):
    """The same by `json` alone: of each row its features and its label's text; None if it must be refused."""
    found = []
    for row in map(json.loads, json_text(rows).split("\n")[:-1]):
        pairs = [(f"{k}={v}", 1.0) if isinstance(v, str) else (k, float(v)) for k, v in row["features"].items()]
        if len(dict(pairs)) < len(pairs):
            return None
        label = row["label"]
        found.append((dict(pairs), str(int(label) if isinstance(label, bool) else label), row.get("weight", 1)))
    return found if any(features for features, _, _ in found) else None


@generated(rows=json_rows(), escaped=st.booleans())
def test_against_json(tmp_path_factory, rows, escaped):
    path = tmp_path_factory.mktemp("json") / "d.jsonl"
    path.write_text(json_text(rows, escaped), "utf-8")
    expected = by_hand(rows)
    try:
        X, y, names, weight = read(path)
    except ReadError:
        assert expected is None
        reject()
    assert expected is not None
    assert X.has_canonical_format
    for i, (features, label, importance) in enumerate(expected):
        row = dict(zip((names[j] for j in X.indices[X.indptr[i] : X.indptr[i + 1]]), X[[i]].data.tolist(), strict=True))
        assert row == features
        assert y[i].item() == (label if y.dtype.kind == "U" else float(label))
        assert (1 if weight is None else weight[i]) == importance


def test_a_model_knows_its_features_only(given):
    known = Named(["age", "colour=red"])
    known.frozen = True
    path = given('{"features": {"colour": "blue", "size": 7, "age": 2}}\n{"features": {"colour": "red"}, "label": 1}\n')
    found = readers.open(path, features=known, unlabelled=True).read()
    assert found.X.toarray().tolist() == [[2, 0], [0, 1]]
    assert np.isnan(found.y[0])
    assert found.y[1] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no rows"),
        ("\n \n", "has no rows"),
        ('{"features": {}, "label": 1}\n', "not a single feature"),
        ('{"features": {"a": 1}, "label": 1}\nwhat\n', ":2: is not JSON ("),
        ('{"features": {"a": 1}, "label": 1', ":1: is not JSON ("),
        ("[1, 2]\n", ':1: has no "features"; write'),
        ('{"label": 1}\n', ':1: has no "features"'),
        ('{"features": [1], "label": 1}\n', ':1: has no "features"'),
        ('{"features": {"a": null}, "label": 1}\n', ":1: the feature 'a' has no value; fill it in or leave it out"),
        ('{"features": {"a": ""}, "label": 1}\n', "the feature 'a' has no value"),
        ('{"features": {"a": [1]}, "label": 1}\n', "the feature 'a' is nested; give each"),
        ('{"features": {"a": {"b": 1}}, "label": 1}\n', "the feature 'a' is nested"),
        ('{"features": {"a": NaN}, "label": 1}\n', "the feature 'a' is nan, not finite"),
        ('{"features": {"a": -Infinity}, "label": 1}\n', "the feature 'a' is -inf, not finite"),
        ('{"features": {"a": 1e999}, "label": 1}\n', "the feature 'a' is inf, not finite"),
        ('{"features": {"a": ' + "9" * 400 + '}, "label": 1}\n', "not finite"),
        ('{"features": {"a": ' + "9" * 5000 + '}, "label": 1}\n', "is not JSON"),
        ('{"features": {"a": ' + "[" * 100000 + "\n", "is nested too deeply"),
        (f'{{"features": {{"a": {10**400}, "b": {-(10**400)}}}, "label": 1}}\n', ":1: the feature 'a' is 1000"),
        ('{"features": {"a": 1, "a": 2}, "label": 1}\n', "the feature 'a' occurs twice; keep one of its values"),
        ('{"features": {"a": "b", "a=b": 2}, "label": 1}\n', "the feature 'a=b' occurs twice"),
        ('{"features": {"\\ud800": 2}, "label": 1}\n', "invalid characters"),
        ('{"features": {"a": 1}}\n', ":1: the label is missing"),
        ('{"features": {"a": 1}, "label": null}\n', ":1: the label is missing"),
        ('{"features": {"a": 1}, "label": ""}\n', ":1: the label is missing"),
        ('{"features": {"a": 1}, "label": [1]}\n', ":1: the label is nested"),
        ('{"features": {"a": 1}, "label": NaN}\n', "the label is nan"),
        ('{"features": {"a": 1}, "label": 1e300}\n', "too large a number"),
        ('{"features": {"a": 1}, "label": "\\u0000"}\n', "invalid characters"),
        ('{"features": {"a": 1}, "label": 1, "weight": -1}\n', ":1: the weight is -1; write a number that is 0 or more"),
        ('{"features": {"a": 1}, "label": 1, "weight": true}\n', "the weight is True"),
        ('{"features": {"a": 1}, "label": 1, "weight": null}\n', "the weight is None"),
        ('{"features": {"a": 1}, "label": 1, "weight": Infinity}\n', "the weight is inf"),
        (b'{"features": {"a": 1}, "label": 1}\n{"features": {"\xff": 1}, "label": 1}\n', ":2: is not UTF-8 text"),
        ('{"features": {"a": 1}, "label": 1}\n\0\n', ":2: has a zero byte"),
    ],
)
def test_refused(given, content, said):
    with pytest.raises(ReadError) as caught:
        read(given(content))
    assert said in str(caught.value)
    assert "data.jsonl" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_bad_lines_are_left_out_and_counted(given):
    good, bad = '{"features": {"a": 1}, "label": 1}\n', '{"features": {"a": null}, "label": 2}\n'
    dataset = readers.open(given(good + bad + "x\n" + good), skip_bad_lines=True)
    assert dataset.read().y.tolist() == [1, 1]
    assert dataset.reading.n_skipped == 2
    assert [":2: " in dataset.reading.skipped[0], ":3: " in dataset.reading.skipped[1]] == [True, True]


def test_recognised_without_a_name(given):
    assert read(given('\ufeff{"features": {"a": 1, "b": 2}, "label": 1}\n', "data")).names == ("a", "b")
    with pytest.raises(ReadError, match="leave the label column out"):
        read(given('{"features": {"a": 1}, "label": 1}\n'), label="label")


def test_gaps_have_indicators(given):
    lines = [{"a": 1, "colour": "red"}, {"a": None, "colour": None}, {"a": float("nan"), "colour": "NA", "b": 0}]
    dataset = readers.open(given(json_text([{"features": line, "label": 1} for line in lines])), prepared=True)
    found = dataset.read()
    assert found.names == ("a", "colour=red", "a is missing", "colour is missing", "b")
    nan = np.nan
    np.testing.assert_array_equal(found.X.toarray(), [[1, 1, 0, 0, 0], [nan, 0, 1, 1, 0], [nan, 0, 1, 1, 0]])
    assert found.X.nnz == 9  # zeros are stored
    assert dataset.features.numbers.tolist() == [True, False, False, False, True]
    dataset.features.frozen = True
    never = Named(["a"])
    never.frozen = True
    path = given('{"features": {"a": null, "b": null}, "label": 1}\n')
    np.testing.assert_array_equal(readers.open(path, features=never, prepared=True).read().X.toarray(), [[nan]])


def test_ignored_features(given):
    path = given('{"features": {"a": 1, "colour": "red", "id": [7]}, "label": 1}\n')
    assert read(path, ignore=("colour", "id")).names == ("a",)


def test_bad_lines_are_placed_among_the_rows(given):
    good, bad = '{"features": {"a": 1}, "label": 1}\n', "{\n"
    (part,) = readers.open(given(bad + good + good + bad + bad), skip_bad_lines=True).parts()
    assert part.bad.tolist() == [0, 2, 2]
