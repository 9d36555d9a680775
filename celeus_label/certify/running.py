"""The hedged bet with one variance for all candidates, around the running mean: the bet for raw ratings."""

from __future__ import annotations

import math

import numpy as np

from celeus_label.certify.bets import HedgedBet, Odds
from celeus_label.certify.pool import Floats


class RunningHedgedBet:
    """The bet of Waudby-Smith & Ramdas 2024 (Eq. 26) as they state it, for the system EValue (paper, App. D.3).

    In the scaled signal Sbar = (S - a)/(b - a):
    lam_t(v) = min( sqrt(2 log(2/alpha1) / (sig2_{t-1} t log(t+1))), 1 / (vbar_t + c) ),
    sig2_t = (1/4 + sum_{i<=t} (Sbar_i - mean_i)^2) / (t + 1), mean_i = (1/2 + sum_{k<=i} Sbar_k) / (i + 1).

    Parameters
    ----------
    alpha1 : float
        Miscoverage of the interval, in (0, 1).
    c : float
        Truncation, positive.
    """

    cells = HedgedBet.cells
    log_weights = np.zeros(1)

    def __init__(self, alpha1: float, c: float) -> None:
        self._scale = 2 * math.log(2 / alpha1)
        self._c = c
        self._t = 1
        self._sum = 0.5
        self._squares = 0.25

    def sizes(self, part: slice, edges: Floats, wealth: Floats, odds: Odds) -> Floats:
        """See `Bet.sizes`; the wealth plays no part."""
        width = odds.high - odds.low
        plain = math.sqrt(self._scale / math.log(self._t + 1) / self._squares)
        most = 1 / ((edges[1:] - odds.low) / width + self._c)
        sizes: Floats = np.minimum(plain, most)[None, :] / width
        return sizes

    def update(self, part: slice, edges: Floats, signal: float, odds: Odds) -> None:
        """See `Bet.update`."""
        scaled = (signal - odds.low) / (odds.high - odds.low)
        self._sum += scaled
        self._squares += (scaled - self._sum / (self._t + 1)) ** 2
        self._t += 1

    def keep(self, part: slice) -> None:
        """See `Bet.keep`."""
