"""The certified interval as it is reported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """The state of a session, on the raters' scale.

    Attributes
    ----------
    lower, upper : float
        The certified interval, valid at any stopping time; lower > upper only where `status` is "contradicted".
    estimate : float
        Point estimate of the mean, inside the interval.
    ratings : int
        Number of items whose value is in the interval.
    status : str
        "open", "target met", "budget spent", "exhausted" or "contradicted".
    width : float
        upper - lower as a fraction of the scale's range.
    """

    lower: float
    upper: float
    estimate: float
    ratings: int
    status: str
    width: float
