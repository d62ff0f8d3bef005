"""Where a fit stands after a pass, as a model file: enough to go on from, to the same bits.

The file is an ordinary model, which answers; what only going on needs is in its account of the run, under "distributed".
"""

from fractions import Fraction
from math import isfinite
from os import PathLike, fspath
from typing import Any

import numpy as np

from novikoff.data.features import Features
from novikoff.distributed.epochs import Course
from novikoff.distributed.shards import Agreement, Notice
from novikoff.learning.learner import Learner, Pass
from novikoff.learning.state import state_of
from novikoff.models.model import Model, ModelError, load, save, versions

SETTINGS = ("rule", "parameters", "readout", "order", "seed", "class_weight", "multiclass", "classes", "constant")


class ResumeError(ValueError):
    """The checkpoint is of something else."""


def record(course: Course, notices: list[Notice]) -> dict[str, Any]:
    """What a model remembers of how it was distributed."""
    return {
        "mixing": course.mixing,
        "shards": [[notice.name, notice.rows, notice.entries] for notice in notices],
        "weighted": [str(share) for share in course.weighted],
        "radius": course.radius,
        "clean": course.clean.tolist(),
    }


def put_down(course: Course, notices: list[Notice], features: Features, path: str | PathLike[str]) -> None:
    """Write the checkpoint: the whole of it, or the one before stays."""
    run = {
        "each_pass": [list(one) for one in course.passes],
        "stop_reason": "checkpoint",
        "made_with": versions(),
        "distributed": record(course, notices),
    }
    save(Model(course.learner, features, [], run), fspath(path))


def take_up(path: str | PathLike[str], learner: Learner, mixing: str, notices: list[Notice], agreement: Agreement) -> Course:
    """The course that was put down there, if it is of these settings and these shards."""
    try:
        model = load(fspath(path))
        kept: dict[str, Any] = model.run["distributed"]
        theirs, ours = state_of(model.learner)[0], state_of(learner)[0]
        for name, was, wanted in [
            *((name, theirs[name], ours[name]) for name in SETTINGS),
            ("mixing", kept["mixing"], mixing),
            ("shards", kept["shards"], [[notice.name, notice.rows, notice.entries] for notice in notices]),
            ("columns", model.learner.width, agreement.features.width),
        ]:
            if was != wanted:
                told = "other files, or other rows in them" if name == "shards" else f"{name} {was!r}, and not {wanted!r}"
                raise ResumeError(f"{path}: is the checkpoint of a fit with {told}; resume with what it had, or begin anew")
        course = Course(model.learner, mixing)
        course.passes = [Pass(*one) for one in model.run["each_pass"]]
        weighted, clean = [Fraction(share) for share in kept["weighted"]], np.array(kept["clean"], bool)
        radius = float(kept["radius"])
        if len(weighted) != len(course.weighted) or clean.shape != course.clean.shape or not radius >= 0 or not isfinite(radius):
            raise KeyError("weighted")
        course.weighted, course.radius, course.clean = weighted, radius, clean
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ResumeError(f"{path}: is no checkpoint of a distributed fit ({error}); begin anew") from None
    except ModelError as error:
        raise ResumeError(str(error)) from None
    return course
