"""The surrogate and the sampling weights, learnt from the rounds committed so far (METHOD 7.2 and 7.3).

Neither has to be good for the interval to be valid: the signal is unbiased for every surrogate and every
proposal that are fixed before the draw. A bad judge is repaired or ignored by the fit; what remains of its
residuals decides how many ratings are needed.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.features import Coefficients, Features
from celeus_label.certify.pool import Floats

# Ridge penalties tried, in units of a squared coefficient of a column with standard deviation 1.
_PENALTIES = (1.5, 5.0, 15.0, 50.0, 150.0)
_MOST_LEVELS = 100
# A model with features must beat the plain mean by this many standard errors of the difference.
_CAUTION = 0.5
# Shares of uniform sampling tried; 1 samples uniformly.
_FLOORS = (1.0, 0.7, 0.5, 0.35)
LOWEST_FLOOR = _FLOORS[-1]
# Sampling by weights must promise at least this much fewer ratings than uniform sampling.
_WORTH = 0.97


@dataclass(frozen=True)
class Outlook:
    """What the signals under a fit should be like, for a whole pool left (see `Moments`).

    Attributes
    ----------
    variance : float
        Of a signal.
    fall, rise : float
        Typical sizes of a signal's fall and rise.
    ratings : int
        How many ratings that was learnt from.
    """

    variance: float
    fall: float
    rise: float
    ratings: int


@dataclass(frozen=True)
class Fit:
    """What was learnt from the first `committed` rounds.

    Attributes
    ----------
    committed : int
    surrogate : Coefficients
        Of s, before it is cut to [0, 1].
    scale : Coefficients or None
        Of the squared residual; None samples uniformly.
    beta : float
        Floor of the sampling probabilities, in (0, 1].
    outlook : Outlook
    """

    committed: int
    surrogate: Coefficients
    scale: Coefficients | None
    beta: float
    outlook: Outlook

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {
            "committed": self.committed,
            "surrogate": self.surrogate.to_dict(),
            "scale": None if self.scale is None else self.scale.to_dict(),
            "beta": self.beta,
            "outlook": asdict(self.outlook),
        }

    def difference(self, other: Fit, tolerance: float) -> str:
        """A sentence on the first number that differs by more than the tolerance; empty where none does."""
        mine, others = _flat(self.to_dict()), _flat(other.to_dict())
        for name in sorted(mine.keys() | others.keys()):
            here, there = mine.get(name), others.get(name)
            if here is None or there is None or abs(here - there) > tolerance:
                return f"its {name} is {here!r}, but the rule gives {there!r}"
        return ""

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Fit:
        """Read what `to_dict` wrote."""
        scale = fields["scale"]
        return cls(
            fields["committed"],
            Coefficients.from_dict(fields["surrogate"]),
            None if scale is None else Coefficients.from_dict(scale),
            fields["beta"],
            Outlook(**fields["outlook"]),
        )


def _flat(tree: Any, name: str = "fit") -> dict[str, float]:
    """Every number of a fit by its path."""
    if isinstance(tree, dict):
        return {
            path: number
            for key, branch in tree.items()
            for path, number in _flat(branch, f"{name}/{key}").items()
        }
    return {} if tree is None else {name: float(tree)}


def next_fit(committed: int) -> int:
    """Committed rounds at which the fit after one at `committed` is due: 10, then 16, 23, 32, 43 and so on."""
    return 10 if committed < 10 else math.ceil(committed * 1.25) + 3


def surrogate_of(features: Features, fit: Fit) -> Floats:
    """Surrogate of every item, in [0, 1], shape (N,)."""
    surrogate = features.predict(fit.surrogate)
    return np.clip(surrogate, 0.0, 1.0, out=surrogate)


def weights_of(features: Features, fit: Fit) -> Floats | None:
    """Sampling weights, the predicted size of each item's residual; None where sampling is uniform."""
    return None if fit.scale is None else _sizes(features, fit.scale)


def _sizes(features: Features, scale: Coefficients) -> Floats:
    squares = features.predict(scale)
    mean = max(float(squares.mean()), 1e-12)
    np.clip(squares, 0.15 * mean, 6.0 * mean, out=squares)
    return np.sqrt(squares, out=squares)


def learn(
    features: Features,
    committed: int,
    positions: NDArray[np.intp],
    y: Floats,
    q: Floats,
    left: Floats,
    half_width: float,
    earlier: Coefficients | None = None,
) -> Fit:
    """Fit the surrogate, the residual scale and the floor to the committed rounds.

    Parameters
    ----------
    features : Features
    committed : int
        Number of rounds committed, those without a value included.
    positions : int array of shape (n,)
        The items of the rounds.
    y : array of shape (n,)
        Their values on [0, 1].
    q, left : arrays of shape (n,)
        The probability q_t(i_t) with which each was drawn, and n_t.
    half_width : float
        Half the width that the interval must reach, on [0, 1].
    earlier : Coefficients, optional
        A surrogate learnt in an earlier session; kept, shifted to these values' mean, while nothing beats it.
    """
    matrix, names = features.rows(positions, min(_MOST_LEVELS, max(len(y) // 3, 0)))
    judge = matrix[:, : features.judge_columns]
    mean = float(y.mean())
    best = (y - mean) * len(y) / max(len(y) - 1, 1)  # leave-one-out residuals of the plain mean
    intercept, values = mean, np.zeros(len(names))
    plain = best
    for columns in (judge, matrix):
        residuals, offset, slopes = _ridge(columns, y)
        gain = plain**2 - residuals**2
        noise = float(gain.std()) / math.sqrt(len(y))
        if (residuals**2).mean() < (best**2).mean() and float(gain.mean()) > _CAUTION * noise:
            best, intercept = residuals, offset
            values = np.zeros(len(names))
            values[: len(slopes)] = slopes
    surrogate = features.coefficients(intercept, values, names)
    if earlier is not None:
        error = y - features.predict(earlier)[positions]
        shift = float(error.mean())
        carried = (error - shift) * len(y) / max(len(y) - 1, 1)
        if (carried**2).mean() < (best**2).mean():
            best, surrogate = carried, replace(earlier, intercept=earlier.intercept + shift)
    stands_for = 1 / (left * q)  # each rated item stands for that many of the pool's
    stands_for /= stands_for.sum()
    _, offset, squares = _ridge(matrix, best**2)
    scale = features.coefficients(offset, squares, names)
    weights = _sizes(features, scale)
    ratio = weights[positions] / float(weights.mean())
    shares = {beta: beta + (1 - beta) * ratio for beta in _FLOORS}  # N q of the rated items under each floor
    costs = {beta: _cost(best, share, stands_for, half_width) for beta, share in shares.items()}
    beta = min(costs, key=lambda floor: costs[floor])
    if costs[beta] >= _WORTH * costs[1.0]:
        beta = 1.0
    outlook = _outlook(best, shares[beta], stands_for)
    return Fit(committed, surrogate, None if beta == 1.0 else scale, beta, outlook)


def _cost(residuals: Floats, share: Floats, stands_for: Floats, half_width: float) -> float:
    """What the number of ratings is proportional to: the variance of a signal plus 2 h times its typical jump.

    A bet of the size that the target asks for loses about lam = h/V times the jump; the second term is what
    that adds to the variance in log(1 + x) = x - x^2/2 + x^3/3.
    """
    squares = float((stands_for * residuals**2 / share).sum())
    cubes = float((stands_for * np.abs(residuals) ** 3 / share**2).sum())
    return squares + 2 * half_width * cubes / max(squares, 1e-12)


def _outlook(residuals: Floats, share: Floats, stands_for: Floats) -> Outlook:
    chance = stands_for * share
    chance = chance / chance.sum()
    jumps = residuals / share
    jumps = jumps - float((chance * jumps).sum())
    variance = float((chance * jumps**2).sum())
    fall, rise = (
        float((chance * part**3).sum() / max(float((chance * part**2).sum()), 1e-12))
        for part in (np.maximum(-jumps, 0.0), np.maximum(jumps, 0.0))
    )
    return Outlook(max(variance, 1e-6), fall, rise, len(residuals))


def _ridge(matrix: Floats, y: Floats) -> tuple[Floats, float, Floats]:
    """Ridge regression with the penalty of the smallest leave-one-out error.

    Returns the leave-one-out residuals, the intercept and the slopes.
    """
    centre, mean = matrix.mean(axis=0), float(y.mean())
    u, s, vt = np.linalg.svd(matrix - centre, full_matrices=False)
    along = u.T @ (y - mean)
    found: tuple[float, Floats, Floats] | None = None
    for penalty in _PENALTIES:
        shrink = s**2 / (s**2 + penalty)
        leverage = np.minimum((u**2) @ shrink + 1 / len(y), 0.99)
        residuals = (y - mean - u @ (shrink * along)) / (1 - leverage)
        error = float((residuals**2).mean())
        if found is None or error < found[0]:
            found = (error, residuals, vt.T @ (s / (s**2 + penalty) * along))
    assert found is not None
    return found[1], mean - float(centre @ found[2]), found[2]
