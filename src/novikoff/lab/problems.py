"""What the page asks about: points of the plane with their labels, and settings. All that is wrong is said in a sentence."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.engine.kernels import find_kernel
from novikoff.engine.storages import Array
from novikoff.learning.learner import ORDERS
from novikoff.proof.certificate import KERNELS as NAMED
from novikoff.proof.certificate import Kernel

POINTS, PASSES, UPDATES, EXAMPLES, BYTES = 1000, 10_000, 20_000, 2_000_000, 1_000_000  # at most
LARGEST, LEAST = 1e6, 1e-50  # a coordinate that is not 0: bounds have squares of margins in them, and these must be doubles
RULES = ("rosenblatt", "margin")
KERNELS = ("linear", "poly", "rbf", "laplacian")
# What a setting may be, from and to. With a negative constant a kernel need not be an inner product, and nothing is bounded.
RANGES: dict[str, tuple[float, float]] = {
    "passes": (1, PASSES),
    "seed": (0, 2**31 - 1),
    "degree": (1, 10),
    "gamma": (1e-6, 1e6),
    "coef0": (0, 1e6),
}


class RefusedError(ValueError):
    """The question cannot be answered: one sentence that says what, where and what to do."""


@dataclass(frozen=True)
class Problem:
    points: tuple[tuple[float, float, int], ...]
    rule: str = "rosenblatt"
    order: str = "given"
    seed: int = 0
    passes: int = 1000
    intercept: bool = True
    kernel: Kernel | None = None

    def arrays(self) -> tuple[Array, Array]:
        """The points as rows, and their labels."""
        return np.array([point[:2] for point in self.points]), np.array([point[2] for point in self.points])

    @property
    def inner_product(self) -> Any:
        """The kernel as one of `novikoff.engine.kernels`, which are equal where their parameters are; None where there is none."""
        return None if self.kernel is None else kernel_of(self.kernel)

    def require_both_classes(self) -> None:
        if not self.points:
            raise RefusedError("there are no points: put down one of each class")
        if len({point[2] for point in self.points}) == 1:
            raise RefusedError(f"all points have the label {self.points[0][2]:+d}: add a point of the other class")


def kernel_of(kernel: Kernel) -> Any:
    return find_kernel(kernel.name, degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0)


def problem_of(document: dict[str, Any]) -> Problem:
    """The problem in a request, checked."""
    points = document.get("points")
    if not isinstance(points, list):
        raise RefusedError('"points" must be a list of [x1, x2, y]')
    if len(points) > POINTS:
        raise RefusedError(f"there are {len(points):,} points, and the lab takes {POINTS:,}: leave some out")
    settings = document.get("settings", {})
    if not isinstance(settings, dict):
        raise RefusedError('"settings" must be an object of names and values')
    return Problem(tuple(_point(i, point) for i, point in enumerate(points)), **_settings(settings))


def whole(name: str, value: Any, low: float, high: float) -> int:
    """A whole number between the two, refused by its name if it is not."""
    if type(value) is not int or not low <= value <= high:
        raise RefusedError(f'"{name}" must be a whole number from {low} to {high}, not {shown(value)}')
    return value


def number(name: str, value: Any, low: float, high: float) -> float:
    """A finite number between the two, refused by its name if it is not."""
    if type(value) not in (int, float) or not low <= value <= high:  # NaN is not
        raise RefusedError(f'"{name}" must be a number from {low:g} to {high:g}, not {shown(value)}')
    return float(value)


def shown(value: Any) -> str:
    """A value in a sentence, cut short."""
    if type(value) is int and abs(value) >= 10**20:
        return "a number of many digits"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = {True: "true", False: "false", None: "null"}[value] if value is None or type(value) is bool else repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _point(i: int, point: Any) -> tuple[float, float, int]:
    if not isinstance(point, list) or len(point) != 3:
        raise RefusedError(f"point {i} must be [x1, x2, y], three numbers")
    x1, x2, y = point
    if type(y) not in (int, float) or y not in (-1, 1):
        raise RefusedError(f"the label of point {i} must be 1 or -1, not {shown(y)}")
    return _coordinate(f"x1 of point {i}", x1), _coordinate(f"x2 of point {i}", x2), int(y)


def _coordinate(name: str, value: Any) -> float:
    found = number(name, value, -LARGEST, LARGEST)
    if 0 < abs(found) < LEAST:
        raise RefusedError(f'"{name}" is {found:g}, nearer to 0 than {LEAST:g}: make it 0, or larger')
    return found


def _settings(settings: dict[str, Any]) -> dict[str, Any]:
    checks: dict[str, Callable[[Any], Any]] = {
        "rule": lambda value: _one_of("rule", value, RULES),
        "order": lambda value: _one_of("order", value, ORDERS),
        "seed": lambda value: whole("seed", value, *RANGES["seed"]),
        "passes": lambda value: whole("passes", value, *RANGES["passes"]),
        "intercept": _intercept,
        "kernel": _kernel,
    }
    require_only("setting", settings, checks)
    return {name: checks[name](value) for name, value in settings.items()}


def _intercept(value: Any) -> bool:
    if type(value) is not bool:
        raise RefusedError(f'"intercept" must be true or false, not {shown(value)}')
    return value


def _kernel(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise RefusedError(f'"kernel" must be null or an object with a "name", not {shown(value)}')
    checks: dict[str, Callable[[Any], Any]] = {
        "name": lambda value: _one_of("name of the kernel", value, KERNELS),
        "degree": lambda value: whole("degree", value, *RANGES["degree"]),
        "gamma": lambda value: number("gamma", value, *RANGES["gamma"]),
        "coef0": lambda value: number("coef0", value, *RANGES["coef0"]),
    }
    require_only("parameter of a kernel", value, checks)
    given: dict[str, Any] = {"name": None, "degree": 3, "gamma": 1.0, "coef0": 1.0} | value
    told = {name: check(given[name]) for name, check in checks.items()}
    kernel = Kernel(told["name"], **{name: told[name] for name in NAMED[told["name"]]})
    try:
        kernel_of(kernel)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return kernel


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        raise RefusedError(f'"{name}" must be one of {", ".join(known)}, not {shown(value)}')
    return value


def require_only(kind: str, given: dict[str, Any], known: Iterable[str]) -> None:
    """Refuse names that are not known."""
    for name in given:
        if name not in known:
            raise RefusedError(f"there is no {kind} {shown(name)}; there are {', '.join(known)}")


def finite(value: float) -> float | None:
    """As JSON can have it."""
    return float(value) if math.isfinite(value) else None
