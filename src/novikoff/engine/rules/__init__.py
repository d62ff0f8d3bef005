"""The rules, one file each; `novikoff.engine.rule.rules()` lists them by name."""

from novikoff.engine.rules.margin import Margin
from novikoff.engine.rules.passive_aggressive import PA, PAI, PAII
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.engine.rules.threshold import Threshold

__all__ = ["PA", "PAI", "PAII", "Margin", "Rosenblatt", "Threshold"]
