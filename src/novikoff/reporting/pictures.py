"""The plots of a report, as drawings that stand inside the page."""

from typing import Any, NamedTuple

from novikoff.bounds import Facts
from novikoff.models import Model
from novikoff.reporting.survey import Survey


class Picture(NamedTuple):
    svg: Any
    caption: str


def pictures(model: Model, rows: Survey | None, facts: list[Facts]) -> dict[str, Picture]:
    """Those that can be drawn, by what they show."""
    return {}
