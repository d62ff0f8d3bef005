"""Rescaling (F15), stage by stage: the plane is the space that is stretched."""

from novikoff.lab.certification import certified
from novikoff.lab.checks import RefusedError
from novikoff.lab.descriptions import amount, json_list
from novikoff.lab.problems import Problem
from novikoff.proof.certificate import Inseparable
from novikoff.solve.rescaling import Stage
from novikoff.solve.separability.linear import Question


def stretch(problem: Problem) -> dict[str, object]:
    """The stages of rescaling, for lines through the origin."""
    problem.require_both_classes()
    if isinstance(certified(problem.points, False, None).certificate, Inseparable):
        raise RefusedError("no line through the origin separates these points, so stretching would never end")
    stages: list[Stage] = []
    try:
        question = Question.about(*problem.arrays(), False)
        _, result = question.by_rescaling(seed=problem.seed, on_stage=stages.append)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    work = f"{amount(result.stretches, 'stretch', 'stretches')} and {amount(result.steps, 'step')}"
    return {
        "stages": [
            {
                "rows": json_list(stage.rows),
                "space": json_list(stage.space),
                "w": None if stage.x is None else json_list(stage.x),
                "steps": stage.steps,
            }
            for stage in stages
        ],
        "why": result.why or f"After {work} every point is on its own side, exactly.",
    }
