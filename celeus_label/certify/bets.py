"""How much to bet against each candidate value, for one side (METHOD 4 and 7.1).

Both bets below say "the mean is above v": their wealth grows where v is too small, so the values that they reject
are the ones below the interval. The upper side is the same bet on mirrored signals (S -> 1 - S).

At v = R_N the wealth prod_i (1 + lam_i (S_i - v)) is a nonnegative martingale started at 1 for every bet that is
fixed before S_t is seen, since E[S_t | F_{t-1}] = R_N; by Ville's inequality P(ever >= x) <= 1/x. So the bet decides
how fast an interval shrinks, and nothing about it but being predictable and keeping every factor positive decides
whether the interval is valid.

Candidates are grouped into narrow cells with one bet each (see `candidates`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import erfcx, ndtri_exp

from celeus_label.certify.pool import Floats

# No bet above this: where nothing varies any more it would only multiply rounding errors.
_LARGEST_BET = 1e6


class Bet(Protocol):
    """The rule that sets the bets of a round from the rounds before it."""

    cells: int
    """Number of cells that [0, 1] is cut into."""

    log_weights: Floats
    """Logarithms of the starting wealth of each of the J components, shape (J,)."""

    def sizes(
        self, part: slice, edges: Floats, wealth: Floats, low: float, high: float, variance: float
    ) -> Floats:
        """Bets lam of a round.

        Parameters
        ----------
        part : slice
            Which cells are asked for, of all cells.
        edges : array of shape (K + 1,)
            Their edges.
        wealth : array of shape (J, K)
            Log wealth of each component in the middle of each cell.
        low, high : float
            a_t and b_t.
        variance : float
            Predictable estimate of Var[S_t | F_{t-1}].

        Returns
        -------
        array of shape (J, K)
            lam >= 0 with 1 + lam (a_t - v) > 0 on the whole cell.
        """

    def update(
        self, part: slice, edges: Floats, signal: float, low: float, high: float, variance: float
    ) -> None:
        """Take note of the round's signal, once its bets are paid."""


class HedgedBet:
    """The paper's bet (METHOD 4; Waudby-Smith & Ramdas 2024, Eq. 26), at the middle of each cell.

    In the scaled signal Sbar = (S - a)/(b - a): lam_t(v) = min( sqrt(2 log(2/alpha1) / (sig2_{t-1}(v) t log(t+1))),
    1 / (vbar_t + c) ), sig2_{t-1}(v) = (1/4 + sum_{i<t} (Sbar_i - vbar_i)^2) / t.

    Parameters
    ----------
    alpha1 : float
        Miscoverage of the pool interval, in (0, 1).
    c : float
        Truncation, positive.
    """

    cells = 4096
    log_weights = np.zeros(1)

    def __init__(self, alpha1: float, c: float) -> None:
        self._scale = 2 * math.log(2 / alpha1)
        self._c = c
        self._squares = np.zeros(self.cells)
        self._t = 1

    def sizes(
        self, part: slice, edges: Floats, wealth: Floats, low: float, high: float, variance: float
    ) -> Floats:
        plain = np.sqrt(self._scale / math.log(self._t + 1) / (0.25 + self._squares[part]))
        most = 1 / ((edges[1:] - low) / (high - low) + self._c)
        sizes: Floats = np.minimum(plain, most)[None, :] / (high - low)
        return sizes

    def update(
        self, part: slice, edges: Floats, signal: float, low: float, high: float, variance: float
    ) -> None:
        self._squares[part] += ((signal - _middle(edges)) / (high - low)) ** 2
        self._t += 1


class TargetBet:
    """A bet that aims at the width where the session stops: a digital option on rejecting v in time.

    A candidate h away from the estimate must be rejected when the information I_t = sum 1/V_i reaches a horizon H.
    In the limit of many small rounds, the bet that does so with the highest probability from the present share y of
    the wealth needed is the one that replicates a payoff of all or nothing (Browne 1999, "Reaching goals by a
    deadline"):

        x = Phi^{-1}(y),   lam_t = phi(x) / ( y V_t sqrt(H - I_{t-1}) ),   at most cap / (v - a_t).

    Started from the share p = alpha1/2 it needs H = (z_p / h)^2, as a z-test does: about half of the
    2 log(2/alpha1)/h^2 that bets of a constant size need. Most of the starting wealth is put on the target's
    horizon, the rest on later ones, so that a session that goes on to a smaller width has something to bet with.

    Parameters
    ----------
    alpha1 : float
        Miscoverage of the pool interval, in (0, 1), both sides together.
    half_width : float
        h on [0, 1]; may be changed between rounds.
    """

    cells = 2048

    def __init__(
        self,
        alpha1: float,
        half_width: float,
        weights: Sequence[float] = (0.9, 0.1),
        stretch: Sequence[float] = (1.0, 4.0),
        aim: float = 1.1,
        margin: float = 0.9,
        softness: float = 6.0,
        cap: float = 0.9,
    ) -> None:
        self.half_width = half_width
        self.log_weights = np.log(np.asarray(weights))
        # log of the share y that each component starts with; `aim`: it pays a little more than is needed
        self._start = (self.log_weights + math.log(alpha1 / 2 / aim))[:, None]
        self._z = float(-ndtri_exp(self._start[0, 0]))
        self._stretch = np.asarray(stretch)[:, None]
        self._margin = margin
        self._softness = softness
        self._cap = cap
        self._information = 0.0

    def sizes(
        self, part: slice, edges: Floats, wealth: Floats, low: float, high: float, variance: float
    ) -> Floats:
        horizon = (self._z / (self._margin * self.half_width)) ** 2 * self._stretch
        root = np.sqrt(np.maximum(horizon - self._information, self._softness / variance))
        # from y = 1 on there is nothing left to win
        x = ndtri_exp(np.minimum(self._start + wealth, -1e-12))
        # phi(x) / Phi(x) = sqrt(2/pi) / erfcx(-x / sqrt(2)); erfcx overflows to inf for large x, the ratio to 0
        hedge = math.sqrt(2 / math.pi) / erfcx(-x / math.sqrt(2)) / (variance * root)
        sizes: Floats = np.minimum(hedge, np.minimum(self._cap / (edges[1:] - low), _LARGEST_BET))
        return sizes

    def update(
        self, part: slice, edges: Floats, signal: float, low: float, high: float, variance: float
    ) -> None:
        self._information += 1 / variance


def _middle(edges: Floats) -> Floats:
    return (edges[:-1] + edges[1:]) / 2
