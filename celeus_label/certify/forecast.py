"""How many ratings a session still needs. A forecast is for planning; the interval does not depend on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from celeus_label.certify.design import Design
from celeus_label.certify.pool import Floats

# Spread of the logarithm of actual over expected ratings still needed, measured by the benchmark of label
# efficiency: where everything is still to come, and in ratings near the end.
_LOG_SPREAD = 0.28
_RATINGS_SPREAD = 18.0
# The same of expected ratings: the running intersection gains a little on the bets' own account.
_GAIN = 0.84
# Before this many ratings the residuals are not known well enough to say anything.
_FEWEST = 20
# Standard score of the 90 % point.
_Z90 = 1.2816


@dataclass(frozen=True)
class Forecast:
    """Ratings still needed: the expected number, and the 10 % and 90 % points."""

    ratings: int
    low: int
    high: int


def by_information(
    ratings: int, left: int, variance: float, jump: float, information: float, half_width: float
) -> Forecast | None:
    """Forecast from what the bets still need.

    A round adds 1/V_t to the information, and V_t falls with the square of the items left; the jumps of the
    signals cost what 2 h times their typical size would add to the variance. None before there are enough ratings.

    Parameters
    ----------
    ratings, left : int
        Items rated, and not drawn yet.
    variance, jump : float
        V_t and the typical size of a signal's jump.
    information : float
        Sum of 1/V_t still needed.
    half_width : float
        h, on [0, 1].
    """
    if ratings < _FEWEST:
        return None
    needed = _GAIN * information * (variance + 2 * half_width * jump)
    return _with_band(_without_replacement(needed, left), ratings, left)


def by_width(ratings: int, left: int, half_now: float, half_width: float) -> Forecast | None:
    """Forecast from the width reached, as if it fell with the root of the ratings; None before there is one."""
    if ratings < _FEWEST:
        return None
    needed = ratings * max((half_now / half_width) ** 2 - 1, 0.0)
    return _with_band(_without_replacement(needed, left), ratings, left)


def plan(
    design: Design, size: int, widths: Floats, *, mean: float, deviation: float, correlation: float
) -> Floats:
    """Expected ratings against width before the first rating.

    Parameters
    ----------
    design : Design
        Its target, alpha and split count; its width does not.
    size : int
        N.
    widths : array of shape (k,)
        Fractions of the scale's range.
    mean, deviation : float
        What is assumed of the human scores, on [0, 1].
    correlation : float
        Of the judge with the humans, in [-1, 1]: assumed, or measured earlier.

    Returns
    -------
    array of shape (k,)
        NaN where the population target can't be reached with this pool; never more than N.
    """
    variance = deviation**2 * (1 - correlation**2)
    # a bell-shaped residual jumps by about 1.6 of its deviations where it counts
    jump = min(1.6 * math.sqrt(variance), 1.0)
    result = []
    for width in widths:
        half = design.half_width_of(float(width), size, mean)
        if half <= 0:
            result.append(math.nan)
            continue
        information = (float(ndtri(design.alpha1 / 2)) / half) ** 2
        result.append(_without_replacement(information * (variance + 2 * half * jump), size))
    return np.array(result)


def _without_replacement(needed: float, left: int) -> float:
    """Rounds whose precision adds up to `needed` rounds of the present one: sum_k (n / (n-k))^2."""
    return left - 1 / (1 / left + needed / left**2) if left else 0.0


def _with_band(expected: float, ratings: int, left: int) -> Forecast:
    expected = max(expected, 1.0)
    share = expected / (expected + ratings)
    spread = _Z90 * math.sqrt((_LOG_SPREAD * math.sqrt(share)) ** 2 + (_RATINGS_SPREAD / expected) ** 2)
    low, high = expected * math.exp(-spread), expected * math.exp(spread)
    return Forecast(round(min(expected, left)), math.floor(low), math.ceil(min(high, left)))
