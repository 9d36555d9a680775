"""The conditionally unbiased signal of a round and its predictable bounds (METHOD 2, paper Eq. 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celeus_label.certify.pool import Floats
from celeus_label.certify.proposals import Mask


@dataclass(frozen=True)
class Terms:
    """What the signal of round t needs besides the ratings; all of it is fixed by the draw.

    Attributes
    ----------
    size : int
        N.
    left : int
        n_t, the number of items not drawn before this round.
    q : float
        q_t(i_t), the probability with which the item was drawn.
    s : float
        s_t(i_t), the surrogate of the drawn item.
    rest : float
        sum of s_t over the items not drawn before this round.
    low, high : float
        min_j (0 - s_t(j)) / (N q_t(j)) and max_j (1 - s_t(j)) / (N q_t(j)) over those items.
    """

    size: int
    left: int
    q: float
    s: float
    rest: float
    low: float
    high: float

    def signal(self, rated: float, y: float) -> float:
        """S_t = B_t + (y - s_t(i_t)) / (N q_t(i_t)), with `rated` the sum of y over the rounds before.

        E[S_t | F_{t-1}] = R_N for every predictable surrogate and proposal (paper Thm 3).
        """
        return (rated + self.rest) / self.size + (y - self.s) / (self.size * self.q)

    def bounds(self, rated: float) -> tuple[float, float]:
        """a_t <= S_t <= b_t whatever item is drawn and whatever its value in [0, 1]."""
        base = (rated + self.rest) / self.size
        return base + self.low, base + self.high


def terms(position: int, surrogate: Floats, q: Floats, remaining: Mask) -> Terms:
    """Collect the terms of a round from the q really used.

    Parameters
    ----------
    position : int
        Of the drawn item.
    surrogate, q : arrays of shape (N,)
        s_t in [0, 1]; q_t, positive where `remaining`.
    remaining : bool array of shape (N,)
        The items not drawn before this round, the drawn one included.
    """
    size = len(surrogate)
    s = surrogate[remaining]
    scaled = size * q[remaining]
    return Terms(
        size=size,
        left=len(s),
        q=float(q[position]),
        s=float(surrogate[position]),
        rest=float(s.sum()),
        low=float(np.min(-s / scaled)),
        high=float(np.max((1.0 - s) / scaled)),
    )


def conditional_variance(y: Floats, surrogate: Floats, q: Floats, remaining: Mask) -> float:
    """Var[S_t | F_{t-1}] = sum_J (y-s)^2 / (N^2 q) - (sum_J (y-s) / N)^2, for simulations that know every y."""
    size = len(surrogate)
    residual = (y - surrogate)[remaining]
    return float((residual**2 / q[remaining]).sum() / size**2 - (residual.sum() / size) ** 2)
