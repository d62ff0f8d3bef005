"""The defaults in the docstrings are those of the constructors."""

import inspect
import re

import pytest

import novikoff

ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*(?:\n {4}.*)*)", re.MULTILINE)
DEFAULT = re.compile(r"\(default: ([^)]*)\)")
COMPUTED = {"RescaledPerceptron.max_stretches", "KernelPerceptron.gamma"}  # None, which stands for a value computed in `fit`
ESTIMATORS = [
    novikoff.KernelPerceptron,
    novikoff.MarginPerceptron,
    novikoff.ModifiedPerceptron,
    novikoff.PassiveAggressive,
    novikoff.Perceptron,
    novikoff.PolynomialMap,
    novikoff.RescaledPerceptron,
]


def described(kind):
    """Each parameter of the docstring, with its description."""
    parameters = inspect.getdoc(kind).split("Parameters\n----------\n")[1].split("\nAttributes\n")[0]
    return {name: text for names, text in ENTRY.findall(parameters) for name in names.split(", ")}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_docstring_has_the_defaults_of_the_constructor(kind):
    signature = inspect.signature(kind).parameters
    found = described(kind)
    assert found.keys() <= signature.keys()
    if "those of `Perceptron`" not in inspect.getdoc(kind):
        assert found.keys() == signature.keys()
    for name, text in found.items():
        default = signature[name].default
        if text.startswith("see `Perceptron`") and "default" not in text:
            assert default == inspect.signature(novikoff.Perceptron).parameters[name].default
        elif f"{kind.__name__}.{name}" not in COMPUTED:
            (written,) = DEFAULT.findall(text)
            assert eval(written.replace(",", "")) == default, name
