"""The certifying statistics: numpy and scipy alone, no files, no clock, no global random state."""

from celeus_label.certify.certifier import Certifier
from celeus_label.certify.design import Design
from celeus_label.certify.intervals import Interval
from celeus_label.certify.pool import Pool
from celeus_label.certify.presets import PRESETS
from celeus_label.certify.replay import design_body, draw_events, fold, replay
from celeus_label.certify.rounds import Draw
from celeus_label.certify.rubric import Aspect
from celeus_label.certify.scale import Scale

__all__ = [
    "PRESETS",
    "Aspect",
    "Certifier",
    "Design",
    "Draw",
    "Interval",
    "Pool",
    "Scale",
    "design_body",
    "draw_events",
    "fold",
    "replay",
]
