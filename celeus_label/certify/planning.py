"""A session before its first rating: what it will take, and what is out of reach."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from celeus_label.certify.design import Design
from celeus_label.certify.forecast import plan
from celeus_label.certify.pool import Floats, Pool

_POINTS = 30
_FEWEST_SEEN = 20
_NEAR_ONE = 1 - 1e-9
_SPLITS = tuple(share / 50 for share in range(2, 49))


@dataclass(frozen=True)
class Assumed:
    """What is assumed of the ratings, from experience or from an earlier session.

    Attributes
    ----------
    correlation : float
        Of the judge with one rater's ratings, in [-1, 1].
    deviation : float
        Standard deviation of one rater's ratings, on [0, 1].
    agreement : float
        Share of their variance that raters agree on (intraclass correlation), in [0, 1]: what is left of it when
        an item's value is the mean of very many ratings.
    """

    correlation: float
    deviation: float
    agreement: float = 1.0

    def of_mean(self, count: int) -> tuple[float, float]:
        """Correlation and deviation of the mean of that many ratings an item.

        >>> Assumed(0.4, 0.3, 0.25).of_mean(1)
        (0.4, 0.3)
        >>> tuple(round(one, 3) for one in Assumed(0.4, 0.3, 0.25).of_mean(4))
        (0.605, 0.198)
        """
        kept = math.sqrt(self.agreement + (1 - self.agreement) / count)
        if kept == 0.0:
            return 0.0, 0.0
        return max(-1.0, min(self.correlation / kept, 1.0)), self.deviation * kept


@dataclass(frozen=True)
class Plan:
    """Expected ratings against width.

    Attributes
    ----------
    widths : array of shape (k,)
        Fractions of the scale's range.
    ratings : array of shape (k,)
        Expected ratings, all those of an item counted; NaN where the width is out of reach.
    smallest : float
        The smallest width within reach, even with every item rated; 0 for the pool itself.
    wanted : float
        Ratings at the design's own width; NaN where it is out of reach.
    alpha_split : float or None
        Share of alpha spent on the ratings, as the design would choose it; None for the pool target.
    """

    widths: Floats
    ratings: Floats
    smallest: float
    wanted: float
    alpha_split: float | None


@dataclass(frozen=True)
class Seen:
    """What ratings of a pilot tell of judge and raters.

    Attributes
    ----------
    ratings : int
        Items that have one.
    correlation : float
        Of the judge with them, in [-1, 1].
    low, high : float
        Its 95 % interval by Fisher's transformation, for items taken at random.
    deviation : float
        Standard deviation of the ratings, on [0, 1].
    """

    ratings: int
    correlation: float
    low: float
    high: float
    deviation: float


def seen_in(pool: Pool, values: Floats) -> Seen | None:
    """What known ratings tell; None with fewer than 20, or where they or their judge's scores are all the same.

    Parameters
    ----------
    pool : Pool
    values : array of shape (N,)
        On the raters' scale; NaN where an item has none.
    """
    known = ~np.isnan(values)
    count = int(known.sum())
    if count < _FEWEST_SEEN:
        return None
    ratings = np.array([pool.scale.to_unit(float(one)) for one in values[known]])
    judge = pool.surrogate[known]
    if np.ptp(ratings) == 0.0 or np.ptp(judge) == 0.0:
        return None
    correlation = float(np.clip(np.corrcoef(judge, ratings)[0, 1], -1.0, 1.0))
    # Fisher: atanh of it is about normal with the standard deviation 1 / sqrt(n - 3)
    middle = math.atanh(max(-_NEAR_ONE, min(correlation, _NEAR_ONE)))
    reach = 1.96 / math.sqrt(count - 3)
    low, high = math.tanh(middle - reach), math.tanh(middle + reach)
    return Seen(count, correlation, low, high, float(ratings.std(ddof=1)))


def plan_ahead(design: Design, pool: Pool, assumed: Assumed) -> Plan:
    """Plan a session with a design on a pool.

    Raises
    ------
    ValueError
        The design does not fit the pool, for another reason than its width; or the judge is assumed to agree with a
        rater more than raters can with one another.
    """
    if assumed.correlation**2 > assumed.agreement + 1e-9:
        raise ValueError(
            f"the correlation of judge and ratings is {assumed.correlation:g}, more than raters' agreement of "
            f"{assumed.agreement:g} allows (its square is at most the agreement); raise the agreement or lower it"
        )
    mean = float(pool.surrogate.mean())
    count = design.ratings_per_item
    correlation, deviation = assumed.of_mean(count)
    smallest = smallest_width(design, pool.size, mean)

    def expected(width: float) -> tuple[float, Design | None]:
        if width <= smallest:
            return math.nan, None
        chosen = dataclasses.replace(design, width=width).resolved(pool)
        items = plan(
            chosen, pool.size, np.array([width]), mean=mean, deviation=deviation, correlation=correlation
        )
        return float(items[0]) * count, chosen

    widths = np.geomspace(max(design.width / 5, smallest * 1.02, 0.002), min(0.5, design.width * 6), _POINTS)
    widths = np.unique(np.append(widths, design.width))
    wanted, chosen = expected(design.width)
    split = None if chosen is None or design.target == "pool" else chosen.alpha_split
    return Plan(widths, np.array([expected(float(one))[0] for one in widths]), smallest, wanted, split)


def smallest_width(design: Design, size: int, mean: float) -> float:
    """The width that is left with every item rated: the step to the population; 0 for the pool."""
    if design.target == "pool":
        return 0.0
    splits = _SPLITS if design.alpha_split is None else (design.alpha_split,)
    ends = [dataclasses.replace(design, alpha_split=share).widen(mean, mean, size) for share in splits]
    return min(high - low for low, high in ends)
