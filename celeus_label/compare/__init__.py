"""The paper's other systems, its studies, and every system side by side on one pool. Nothing here certifies."""

from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.losses import Probabilities, losses
from celeus_label.compare.sidebyside import Comparison, side_by_side
from celeus_label.compare.systems import NAMES, SYSTEMS, not_valid

__all__ = [
    "NAMES",
    "SYSTEMS",
    "Comparison",
    "HiddenPool",
    "Probabilities",
    "losses",
    "not_valid",
    "side_by_side",
]
