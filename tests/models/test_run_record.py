"""The record of a run checks its values, is written as JSON, and is read back from files that can contain anything."""

import json
from dataclasses import FrozenInstanceError, fields

import pytest

from model_files import rewritten
from novikoff import ModifiedPerceptron, Perceptron, RescaledPerceptron
from novikoff.learning.run import Pass
from novikoff.models.model import from_bytes, to_bytes
from novikoff.models.run_record import RunRecord, versions

X, Y = [[0.0, 1.0], [1.0, 0.0]], [0, 1]


def test_a_run_is_recorded_with_its_passes_and_the_rows_it_learned_from():
    clf = Perceptron().fit(X, Y)
    record = clf.as_model().run
    assert record.stop_reason == clf.stop_reason_
    assert record.each_pass == clf.passes_
    assert record.rows == 2
    assert record.kept == clf.n_updates_
    assert sum(times for _, times in record.hardest) == clf.n_updates_
    assert (record.estimator, record.call, record.made_with) == ("Perceptron", "Perceptron()", versions())


def test_a_record_reads_like_the_json_in_the_file():
    record = Perceptron().fit(X, Y).as_model().run
    assert dict(record) == record.to_json() == json.loads(json.dumps(record.to_json()))
    assert record["each_pass"] == [list(one) for one in record.each_pass]
    assert record.get("files") is None
    assert "files" not in record
    with pytest.raises(KeyError, match="files"):
        record["files"]


@pytest.mark.parametrize("estimator", [Perceptron(), ModifiedPerceptron(), RescaledPerceptron()])
def test_a_record_is_read_back_as_it_was_written(estimator):
    record = estimator.fit(X, Y).as_model().run
    again = RunRecord.from_json(json.loads(json.dumps(record.to_json())))
    assert all(getattr(again, one.name) == getattr(record, one.name) for one in fields(RunRecord))


def test_what_is_not_known_of_an_ended_run_is_null_and_what_does_not_apply_is_left_out():
    ended = RunRecord(each_pass=(), rows=3).to_json()
    assert ended == {"each_pass": [], "errors": None, "radius": None, "hardest": None, "kept": None, "rows": 3}
    assert RunRecord(each_pass=(Pass(1, 2, 1, 1, 0.0),)).to_json() == {"each_pass": [[1, 2, 1, 1, 0.0]]}  # a checkpoint
    assert RunRecord().to_json() == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", -1),
        ("rows", 2.0),
        ("rows", 2**63),
        ("rows", True),
        ("radius", float("nan")),
        ("each_pass", ((1, 2),)),
        ("hardest", ((1, "2"),)),
        ("reading", {"label": 3}),
        ("made_with", {"numpy": 2}),
        ("command", "novikoff fit"),
        ("classes", (None,)),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_name_and_left_out_of_a_file(name, value):
    with pytest.raises(ValueError, match=f"the record of a run cannot have {name}="):
        RunRecord(**{name: value})
    assert RunRecord.from_json({name: value, "estimator": "Perceptron"}).to_json() == {"estimator": "Perceptron"}


def test_a_record_does_not_change():
    with pytest.raises(FrozenInstanceError):
        RunRecord().rows = 3


def test_a_file_with_odd_values_in_its_record_is_read_without_them():
    model = Perceptron().fit(X, Y).as_model()
    odd = {"each_pass": 5, "reading": [], "seconds": -1.0}
    again = from_bytes(rewritten(to_bytes(model), lambda document, *_: document["run"].update(odd | {"mine": "kept"})))
    expected = (
        {one.name: getattr(model.run, one.name) for one in fields(RunRecord)} | dict.fromkeys(odd) | {"unknown": {"mine": "kept"}}
    )
    assert {one.name: getattr(again.run, one.name) for one in fields(RunRecord)} == expected
    assert from_bytes(to_bytes(again)).run == again.run
    assert from_bytes(to_bytes(model)).run == model.run
