"""Problems to start from."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from novikoff.data.datasets import ball, boolean, gaussian_pair, lower_bound
from novikoff.foundation.array_types import Array

IRIS = ("setosa", "versicolor", "virginica")
PARTS = {"sepal": slice(0, 2), "petal": slice(2, 4)}
PAIRS = ((0, 1), (1, 2), (0, 2))
QUADRATIC = {"name": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}


@dataclass(frozen=True)
class Preset:
    name: str
    title: str
    about: str
    points: list[list[float]]  # x1, x2, label
    settings: dict[str, object]

    def as_json(self) -> dict[str, object]:
        return vars(self)


@cache
def presets() -> list[Preset]:
    clouds, sides, _ = gaussian_pair(60, 2, margin=0.15, seed=1)
    made = [
        _preset("and", "AND", "True where both are true. Separable, in a few passes.", *boolean("and", 2)),
        _preset("or", "OR", "True where at least one is true. Separable, in a few passes.", *boolean("or", 2)),
        _preset("xor", "XOR", "True where exactly one is true. No line separates it, and the passes repeat.", *boolean("xor", 2)),
        _preset("clouds", "Two clouds", "Gaussian points on either side of a line, with a margin of 0.15.", clouds, sides),
        _preset(
            "circles",
            "Inside and outside",
            "One class inside a circle, the other outside. A kernel separates them; without it no line does.",
            *ball(60, 2, radius=1.0, seed=1),
            kernel=QUADRATIC,
        ),
        _preset(
            "slowest",
            "The slowest",
            "Two points on which the perceptron makes (4² − 1)/3 = 5 mistakes, without a bias.",
            *lower_bound(2),
            intercept=False,
        ),
        _preset(
            "narrow",
            "A narrow cone",
            "Two almost opposite points and a third that leads away, without a bias: 3 034 mistakes, or three stretches.",
            *_narrow_cone(0.02),
            intercept=False,
            passes=2000,
        ),
    ]
    return made + [_iris(part, *pair) for part in ("petal", "sepal") for pair in PAIRS]


def _preset(name: str, title: str, about: str, X: Array, y: Array, **settings: object) -> Preset:
    points = [[*x, int(label)] for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    return Preset(name, title, about, points, settings)


def _narrow_cone(angle: float) -> tuple[Array, Array]:
    """Points whose separators all lie in a cone of this angle."""
    directions = np.array([1.0, 0.2, 0.2 - angle])
    return np.column_stack([np.cos(directions), np.sin(directions)]).round(6), np.array([1, 1, -1])


def _iris(part: str, negative: int, positive: int) -> Preset:
    from sklearn.datasets import load_iris

    iris = load_iris()
    chosen = np.isin(iris.target, (negative, positive))
    first, second = IRIS[negative], IRIS[positive]
    return _preset(
        f"iris-{first}-{second}-{part}",
        f"Iris: {first} or {second}, by {part}",
        f"Length and width of the {part}s of {first} (−1) and {second} (+1), in centimetres.",
        iris.data[chosen, PARTS[part]],
        np.where(iris.target[chosen] == positive, 1, -1),
    )
