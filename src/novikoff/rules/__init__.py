"""The rules, one file each; `novikoff.rule.rules()` lists them by name."""

from novikoff.rules.margin import Margin
from novikoff.rules.passive_aggressive import PA, PAI, PAII
from novikoff.rules.rosenblatt import Rosenblatt
from novikoff.rules.threshold import Threshold

__all__ = ["PA", "PAI", "PAII", "Margin", "Rosenblatt", "Threshold"]
