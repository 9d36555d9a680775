"""The certifying statistics: numpy and scipy alone, no files, no clock, no global random state."""

from celeus_label.certify.pool import Pool
from celeus_label.certify.scale import Scale

__all__ = ["Pool", "Scale"]
