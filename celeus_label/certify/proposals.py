"""Which item comes next: the proposal q_t, and the number that draws from it (METHOD 3); `urn` makes the draw."""

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
