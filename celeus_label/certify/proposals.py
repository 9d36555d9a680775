"""Which item comes next: the proposal q_t, and a draw from it that anyone can repeat (METHOD 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.pool import Floats

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Proposal:
    """Sampling weights with a floor.

    q_t(j) = beta / n_t + (1 - beta) w(j) / sum_{k in J} w(k) on the n_t items J not drawn yet; uniform where
    the weights sum to 0 or are None (paper, Assumption 2).

    Attributes
    ----------
    weights : array of shape (N,), optional
        Not negative.
    beta : float
        The floor's share, in (0, 1].
    """

    weights: Floats | None = None
    beta: float = 1.0

    def probabilities(self, remaining: Mask) -> Floats:
        """q_t of every item, shape (N,); 0 where `remaining` is False."""
        count = int(remaining.sum())
        active = self._active(remaining)
        if active is None:
            return remaining / count
        weights, total = active
        return (self.beta / count) * remaining + ((1.0 - self.beta) / total) * weights

    def pick(self, u: float, remaining: Mask) -> int:
        """Position of the item that the random number u in [0, 1) draws.

        The share beta of u draws uniformly in the order of the pool, the rest by the cumulated weights.
        """
        active = self._active(remaining)
        if active is None:
            return _kth(u, remaining)
        if u < self.beta:
            return _kth(u / self.beta, remaining)
        weights, _ = active
        cumulated = np.cumsum(weights)
        point = (u - self.beta) / (1.0 - self.beta) * cumulated[-1]
        position = int(np.searchsorted(cumulated, point, side="right"))
        # u so near 1 that rounding passes the last weight: take the last item that has one
        return min(position, int(np.flatnonzero(weights)[-1]))

    def _active(self, remaining: Mask) -> tuple[Floats, float] | None:
        if self.weights is None or self.beta >= 1.0:
            return None
        weights = self.weights * remaining
        largest = float(weights.max())
        if largest <= 0.0:
            return None
        weights = weights / largest  # so that neither the sum nor its inverse can overflow
        return weights, float(weights.sum())


def random_number(seed: int, round_: int) -> float:
    """The number in [0, 1) that draws the item of a round: Philox 4x64 keyed by the seed, block round + 1."""
    raw = np.random.Philox(key=seed, counter=round_).random_raw()
    return float(raw >> 11) * 2.0**-53


def _kth(share: float, remaining: Mask) -> int:
    positions = np.flatnonzero(remaining)
    return int(positions[min(int(share * len(positions)), len(positions) - 1)])
