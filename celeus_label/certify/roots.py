"""Roots of functions of one variable."""

from __future__ import annotations

from collections.abc import Callable


def root(function: Callable[[float], float], left: float, right: float, tolerance: float) -> float:
    """Where a continuous function is 0 between two places at which its signs differ, by Brent's method."""
    from scipy.optimize import brentq  # takes half a second to load, and most sessions need no root

    return float(brentq(function, left, right, xtol=tolerance))
