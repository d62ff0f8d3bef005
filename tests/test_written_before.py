"""Files and names of the version before the source tree was rearranged still work; it wrote `written_before/`."""

import inspect
import json
from pathlib import Path

import click
import numpy as np
import pytest

import novikoff
from novikoff.cli import main
from novikoff.proof.certificate_files import load

BEFORE = Path(__file__).parent / "written_before"
INTERFACE = json.loads((BEFORE / "interface.json").read_text())
ANSWERS = json.loads((BEFORE / "answers.json").read_text())
DATA = np.load(BEFORE / "data.npz")
LABELS = {"separable": "y2", "inseparable": "yx", "kernel": "yx", "widest": "y2", "many": "y3"}
CONE = np.array([[1.0, 2.0], [-1.0, 1.0], [0.0, 1.0]])
SYSTEMS = {
    "cone": (CONE,),
    "no_cone": (np.array([[1.0], [-1.0]]),),
    "system": (CONE, np.array([1.0, 0, 0]), np.array([5.0, 5, 5])),
    "no_system": (np.array([[1.0], [1.0]]), np.array([1.0, -9]), np.array([5.0, 0])),
}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_models_answer_as_they_did(name: str) -> None:
    if name == "online":
        online = novikoff.OnlineLearner.load(BEFORE / "online.nvk")
        rows = [{f"x{j}": float(x) for j, x in enumerate(row)} for row in DATA["X"]]
        assert [str(online.predict_one(row)) for row in rows] == ANSWERS[name]
    else:
        model = novikoff.load(BEFORE / f"{name}.nvk")
        assert [str(label) for label in model.labels(DATA["X"])] == ANSWERS[name]


@pytest.mark.parametrize("name", sorted(LABELS))
def test_certificates_of_data_verify(name: str) -> None:
    certificate, X, y = load(BEFORE / f"{name}.json"), DATA["X"], DATA[LABELS[name]]
    assert novikoff.verify(certificate, X, y)
    assert not novikoff.verify(certificate, -X, y)


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_certificates_of_constraints_verify(name: str) -> None:
    A, *sides = SYSTEMS[name]
    assert novikoff.verify(load(BEFORE / f"{name}.json"), A, **dict(zip(("lower", "upper"), sides, strict=False)))


def test_no_name_is_gone() -> None:
    assert set(INTERFACE["names"]) <= set(novikoff.__all__)


@pytest.mark.parametrize("name", sorted(INTERFACE["parameters"]))
def test_no_parameter_is_gone(name: str) -> None:
    assert set(INTERFACE["parameters"][name]) <= set(inspect.signature(getattr(novikoff, name)).parameters)


@pytest.mark.parametrize("command", sorted(INTERFACE["options"]))
def test_no_option_is_gone(command: str) -> None:
    found: click.Command = main
    for word in command.split()[1:]:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)  # type: ignore[assignment]
    assert found is not None
    options = {option for parameter in found.params for option in [*parameter.opts, *parameter.secondary_opts]}
    assert set(INTERFACE["options"][command]) <= options
