"""What the session would have needed without the judge: an estimate for people, no part of the interval.

Without it draws would be uniform and the surrogate a constant, so the signals would vary as the ratings do in the
pool. How much that is, the ratings tell, each weighted by 1 / (n_t q_t) to undo draws by weights; what follows from
it, the formula of the plan with a correlation of 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celeus_label.certify.certifier import Certifier
from celeus_label.certify.forecast import plan

# Before this many ratings their spread is not known well enough.
_FEWEST = 20


@dataclass(frozen=True)
class Spread:
    """How ratings and judge vary in the pool, as the committed rounds let one estimate it.

    Attributes
    ----------
    deviation : float
        Standard deviation of the ratings, on [0, 1].
    correlation : float
        Of the judge with the ratings; NaN where either does not vary.
    """

    deviation: float
    correlation: float


def spread(certifier: Certifier) -> Spread | None:
    """Estimate it; None where there are too few ratings."""
    found = [(round_, *round_.value) for round_ in certifier.rounds]
    rated = [(round_, low) for round_, low, high in found if low == high]
    if len(rated) < _FEWEST:
        return None
    y = np.array([value for _, value in rated])
    judge = certifier.pool.surrogate[[round_.draw.position for round_, _ in rated]]
    weights = np.array([1 / (round_.terms.left * round_.terms.q) for round_, _ in rated])
    y_off, judge_off = y - np.average(y, weights=weights), judge - np.average(judge, weights=weights)
    squares, judge_squares = float(weights @ y_off**2), float(weights @ judge_off**2)
    known = squares > 0 and judge_squares > 0
    correlation = float(weights @ (y_off * judge_off)) / (squares * judge_squares) ** 0.5 if known else np.nan
    return Spread((squares / float(weights.sum())) ** 0.5, correlation)


def needed_without_judge(certifier: Certifier, known: Spread) -> int | None:
    """Items that the target width takes without the judge, all in all; None where it is out of reach.

    It speaks of the target alone: before it the bets save their power for the end, with a judge or without.
    """
    (items,) = plan(
        certifier.design,
        certifier.pool.size,
        np.array([certifier.design.width]),
        mean=certifier.estimate,
        deviation=known.deviation,
        correlation=0.0,
    )
    return None if np.isnan(items) else round(float(items))
