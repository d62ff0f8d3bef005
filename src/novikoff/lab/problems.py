"""What a request is about: points in the plane with their labels, and settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from novikoff.engine.kernels import Kernel as InnerProduct
from novikoff.engine.kernels import find_kernel
from novikoff.foundation.array_types import Array
from novikoff.lab.checks import RefusedError, number, quoted, require_only
from novikoff.lab.schema import INTERCEPT, MOST_PASSES, ORDER, RULE, SEED, check_kernel
from novikoff.proof.named_kernels import Kernel

POINTS, BYTES = 1000, 1_000_000  # at most, in a request
UPDATES, EXAMPLES = 20_000, 2_000_000  # at most, in a run
LARGEST = 1e6  # coordinate
LEAST = 1e-50  # coordinate that is not 0: bounds square margins, and the squares must be doubles

Point = tuple[float, float, int]


@dataclass(frozen=True)
class Problem:
    points: tuple[Point, ...]
    rule: str = RULE.default
    order: str = ORDER.default
    seed: int = SEED.default
    passes: int = MOST_PASSES.default
    intercept: bool = INTERCEPT.default
    kernel: Kernel | None = None

    def arrays(self) -> tuple[Array, Array]:
        """The points as rows, and their labels."""
        return np.array([point[:2] for point in self.points]), np.array([point[2] for point in self.points])

    @property
    def inner_product(self) -> InnerProduct | None:
        """The kernel as an object of `engine.kernels`; None where there is no kernel."""
        if self.kernel is None:
            return None
        return find_kernel(self.kernel.name, degree=self.kernel.degree, gamma=self.kernel.gamma, coef0=self.kernel.coef0)

    def require_both_classes(self) -> None:
        if not self.points:
            raise RefusedError("there are no points: add one of each class")
        if len({point[2] for point in self.points}) == 1:
            raise RefusedError(f"all points have the label {self.points[0][2]:+d}: add a point of the other class")


SETTINGS: dict[str, Callable[[object], object]] = {
    "rule": lambda value: RULE.check("rule", value),
    "order": lambda value: ORDER.check("order", value),
    "seed": lambda value: SEED.check("seed", value),
    "passes": lambda value: MOST_PASSES.check("passes", value),
    "intercept": lambda value: INTERCEPT.check("intercept", value),
    "kernel": check_kernel,
}


def problem_of(document: Mapping[str, object]) -> Problem:
    """The problem in a request, checked."""
    points = document.get("points")
    if not isinstance(points, list):
        raise RefusedError('"points" must be a list of [x1, x2, y]')
    if len(points) > POINTS:
        raise RefusedError(f"there are {len(points):,} points, and the lab takes at most {POINTS:,}: leave some out")
    settings = document.get("settings", {})
    if not isinstance(settings, dict):
        raise RefusedError('"settings" must be an object of names and values')
    require_only("setting", settings, SETTINGS)
    checked = {name: SETTINGS[name](value) for name, value in settings.items()}
    return Problem(tuple(_point(i, point) for i, point in enumerate(points)), **checked)  # type: ignore[arg-type]


def _point(i: int, point: object) -> Point:
    if not isinstance(point, list) or len(point) != 3:
        raise RefusedError(f"point {i} must be [x1, x2, y], three numbers")
    x1, x2, y = point
    if type(y) not in (int, float) or y not in (-1, 1):
        raise RefusedError(f"the label of point {i} must be 1 or -1, not {quoted(y)}")
    return _coordinate(f"x1 of point {i}", x1), _coordinate(f"x2 of point {i}", x2), int(y)


def _coordinate(name: str, value: object) -> float:
    coordinate = number(name, value, -LARGEST, LARGEST)
    if 0 < abs(coordinate) < LEAST:
        raise RefusedError(f'"{name}" is {coordinate:g}, nearer to 0 than {LEAST:g}: make it 0, or larger')
    return coordinate
