"""From the pool to the population it was drawn from: the step that ratings can't shrink (METHOD 4 and 7.4).

The pool is an i.i.d. sample of N items, so its mean R_N is close to the population mean R. Both steps below
hold with probability at least 1 - alpha2, whatever was rated.
"""

from __future__ import annotations

import math

from celeus_label.certify.roots import root

# Roots are moved outwards by this much, far above their numerical error and far below any width of interest.
_OUTWARD = 1e-12


def hoeffding(lower: float, upper: float, size: int, alpha2: float) -> tuple[float, float]:
    """Widen an interval for R_N to one for R by sqrt(log(2/alpha2) / (2N)) on both sides.

    Parameters
    ----------
    lower, upper : float
        Interval for the pool mean on [0, 1].
    size : int
        Number of items N.
    alpha2 : float
        Miscoverage spent on this step, in (0, 1).

    Returns
    -------
    (float, float)
        Interval for the population mean, cut to [0, 1].

    Examples
    --------
    >>> low, high = hoeffding(0.4, 0.5, 1000, 0.025)
    >>> round(low, 4), round(high, 4)
    (0.3532, 0.5468)
    """
    step = math.sqrt(math.log(2 / alpha2) / (2 * size))
    return max(0.0, lower - step), min(1.0, upper + step)


def chernoff_kl(lower: float, upper: float, size: int, alpha2: float) -> tuple[float, float]:
    """Widen an interval for R_N to [inf{r : N kl(lower, r) <= x}, sup{r : N kl(upper, r) <= x}], x = log(2/alpha2).

    Chernoff's bound for variables in [0, 1] (Hoeffding 1963, eq. 2.1); by Pinsker's inequality it is never
    wider than `hoeffding`. Parameters and result as there.

    Examples
    --------
    >>> low, high = chernoff_kl(0.1, 0.1, 1000, 0.025)
    >>> round(low, 4), round(high, 4)
    (0.0743, 0.1304)
    """
    bound = math.log(2 / alpha2) / size
    return _below(lower, bound), 1.0 - _below(1.0 - upper, bound)


def _below(mean: float, bound: float) -> float:
    """Smallest r <= mean with kl(mean, r) <= bound, rounded down."""
    if mean <= 0.0:
        return 0.0
    mean = min(mean, 1.0)

    def excess(r: float) -> float:
        return bernoulli_kl(mean, r) - bound

    # Pinsker: kl(p, r) >= 2 (p - r)^2, so the root lies above mean - sqrt(bound / 2)
    left = max(mean - math.sqrt(bound / 2) - 1e-9, 1e-300)
    if excess(left) <= 0.0:
        return 0.0
    return max(0.0, root(excess, left, mean, _OUTWARD / 4) - _OUTWARD)


def bernoulli_kl(p: float, r: float) -> float:
    """kl(p, r) = p log(p/r) + (1-p) log((1-p)/(1-r)) in nats, for p in [0, 1] and r in (0, 1]."""
    left = 0.0 if p == 0.0 else p * math.log(p / r)
    if p == 1.0:
        return left
    if r >= 1.0:
        return math.inf
    return left + (1.0 - p) * (math.log1p(-p) - math.log1p(-r))


# By the name that a design gives.
STEPS = {"hoeffding": hoeffding, "kl": chernoff_kl}
