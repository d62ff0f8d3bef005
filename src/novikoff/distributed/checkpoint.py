"""Checkpoints: the state of a fit after a pass, from which it continues to exactly the same result.

A checkpoint is an ordinary model file, which can predict. What is needed to continue is in its run record, under "distributed".
"""

from fractions import Fraction
from math import isfinite
from os import PathLike, fspath
from typing import Any

import numpy as np

from novikoff.data.preparer import Preparer
from novikoff.distributed.epochs import Course
from novikoff.distributed.shards import Agreement, ShardSummary
from novikoff.learning.learner import Learner
from novikoff.learning.run import Pass
from novikoff.learning.state import state_of
from novikoff.models.model import Model, ModelError, load, save
from novikoff.models.run_record import RunRecord, versions

SETTINGS = ("rule", "parameters", "confidence", "readout", "order", "seed", "class_weight", "multiclass", "classes", "constant")


class ResumeError(ValueError):
    """The checkpoint does not belong to this fit."""


def record(course: Course, summaries: list[ShardSummary]) -> dict[str, Any]:
    """What the run record of a model has under "distributed"."""
    return {
        "mixing": course.mixing,
        "shards": [[summary.name, summary.rows, summary.entries] for summary in summaries],
        "weighted": [str(share) for share in course.weighted],
        "radius": course.radius,
        "clean": course.clean.tolist(),
    }


def save_checkpoint(course: Course, summaries: list[ShardSummary], agreement: Agreement, path: str | PathLike[str]) -> None:
    """Write the checkpoint completely, or keep the one before."""
    run = RunRecord(
        each_pass=tuple(course.passes),
        stop_reason="checkpoint",
        made_with=versions(),
        distributed=record(course, summaries),
    )
    save(Model(course.learner, agreement.features, [], run, preparer=agreement.preparer), fspath(path))


def _settings(preparer: Preparer | None) -> dict[str, Any] | None:
    return None if preparer is None else preparer.header()


def load_checkpoint(
    path: str | PathLike[str], learner: Learner, mixing: str, summaries: list[ShardSummary], agreement: Agreement
) -> Course:
    """The fit in the checkpoint, if it has these settings and these shards."""
    try:
        model = load(fspath(path))
        state: dict[str, Any] = model.run["distributed"]
        theirs, ours = state_of(model.learner)[0], state_of(learner)[0]
        for name, was, wanted in [
            *((name, theirs[name], ours[name]) for name in SETTINGS),
            ("mixing", state["mixing"], mixing),
            ("shards", state["shards"], [[summary.name, summary.rows, summary.entries] for summary in summaries]),
            ("columns", model.learner.width, agreement.features.width),
            ("the preparation", _settings(model.preparer), _settings(agreement.preparer)),
        ]:
            if was != wanted:
                difference = "other files, or other rows in them" if name == "shards" else f"{name} {was!r}, and not {wanted!r}"
                raise ResumeError(f"{path}: is the checkpoint of a fit with {difference}; resume with the same, or begin anew")
        course = Course(model.learner, mixing)
        course.passes = [Pass(*one) for one in model.run["each_pass"]]
        weighted, clean = [Fraction(share) for share in state["weighted"]], np.array(state["clean"], bool)
        radius = float(state["radius"])
        if len(weighted) != len(course.weighted) or clean.shape != course.clean.shape or not radius >= 0 or not isfinite(radius):
            raise KeyError("weighted")
        course.weighted, course.radius, course.clean = weighted, radius, clean
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ResumeError(f"{path}: is not a checkpoint of a distributed fit ({error}); begin anew") from None
    except ModelError as error:
        raise ResumeError(str(error)) from None
    return course
