"""The settings of a run: their labels, choices, ranges and defaults. Requests are checked against them, and the page builds its
controls from them, so each is written here and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from novikoff.engine.kernels import find_kernel
from novikoff.lab.checks import RefusedError, number, one_of, quoted, require_only, true_or_false, whole
from novikoff.proof.named_kernels import KERNELS as PARAMETERS_IN_FILES
from novikoff.proof.named_kernels import Kernel

PASSES = 10_000
READOUTS = ("last", "averaged", "voted")


@dataclass(frozen=True)
class Choice:
    label: str
    choices: Mapping[str, str]  # each value with its text on the page
    default: str

    def check(self, name: str, value: object) -> str:
        return one_of(name, value, self.choices)

    def as_json(self) -> dict[str, object]:
        return {"label": self.label, "choices": dict(self.choices), "default": self.default}


@dataclass(frozen=True)
class Whole:
    label: str
    low: int
    high: int
    default: int

    def check(self, name: str, value: object) -> int:
        return whole(name, value, self.low, self.high)

    def as_json(self) -> dict[str, object]:
        return {"label": self.label, "low": self.low, "high": self.high, "default": self.default, "whole": True}


@dataclass(frozen=True)
class Real:
    label: str
    low: float
    high: float
    default: float

    def check(self, name: str, value: object) -> float:
        return number(name, value, self.low, self.high)

    def as_json(self) -> dict[str, object]:
        return {"label": self.label, "low": self.low, "high": self.high, "default": self.default, "whole": False}


@dataclass(frozen=True)
class Switch:
    label: str
    default: bool

    def check(self, name: str, value: object) -> bool:
        return true_or_false(name, value)

    def as_json(self) -> dict[str, object]:
        return {"label": self.label, "default": self.default}


RULE = Choice("Rule", {"rosenblatt": "perceptron: after mistakes", "margin": "margin: also when barely right"}, "rosenblatt")
ORDER = Choice("Order", {"given": "as given", "once": "shuffled once", "each": "shuffled in each pass"}, "given")
SEED = Whole("Seed", 0, 2**31 - 1, 0)
MOST_PASSES = Whole("Passes, at most", 1, PASSES, 1000)
INTERCEPT = Switch("with a bias", True)

# With a negative constant a kernel need not be an inner product, and no bound would hold.
KERNEL_PARAMETERS: dict[str, Whole | Real] = {
    "degree": Whole("Degree", 1, 10, 2),
    "gamma": Real("Gamma", 1e-6, 1e6, 1.0),
    "coef0": Real("Constant", 0, 1e6, 1.0),
}


@dataclass(frozen=True)
class KernelChoice:
    text: str
    parameters: tuple[str, ...]  # that the page asks for; others have their default


KERNELS = {
    "poly": KernelChoice("polynomial", ("degree", "coef0")),
    "rbf": KernelChoice("rbf", ("gamma",)),
    "laplacian": KernelChoice("laplacian", ("gamma",)),
    "linear": KernelChoice("linear", ()),
}


def check_kernel(value: object) -> Kernel | None:
    """The kernel in a request: None, or its name with some of its parameters."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise RefusedError(f'"kernel" must be null or an object with a "name", not {quoted(value)}')
    require_only("parameter of a kernel", value, ("name", *KERNEL_PARAMETERS))
    name = one_of("name of the kernel", value.get("name"), KERNELS)
    checked = {each: setting.check(each, value.get(each, setting.default)) for each, setting in KERNEL_PARAMETERS.items()}
    kernel = Kernel(name, **{each: checked[each] for each in PARAMETERS_IN_FILES[name]})  # type: ignore[arg-type]
    try:
        find_kernel(kernel.name, degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return kernel


def schema() -> dict[str, object]:
    """Everything of this module, as the page reads it."""
    return {
        "rule": RULE.as_json(),
        "order": ORDER.as_json(),
        "seed": SEED.as_json(),
        "passes": MOST_PASSES.as_json(),
        "intercept": INTERCEPT.as_json(),
        "kernel": {
            "label": "Kernel",
            "none": "none: a line",
            "choices": {name: {"text": each.text, "parameters": each.parameters} for name, each in KERNELS.items()},
            "parameters": {name: each.as_json() for name, each in KERNEL_PARAMETERS.items()},
            "default": None,
        },
    }
