"""How much to bet against each candidate value, for one side of the interval (METHOD 4 and 7.1).

Both bets below say "the mean is above v": their wealth grows where v is too small, so the values that they
reject are the ones below the interval. The upper side is the same bet on mirrored signals (S -> 1 - S).

At v = R_N the wealth prod_i (1 + lam_i (S_i - v)) is a nonnegative martingale started at 1 for every bet that
is fixed before S_t is seen, since E[S_t | F_{t-1}] = R_N; by Ville's inequality P(ever >= x) <= 1/x. So the bet
decides how fast an interval shrinks; whether it is valid depends on nothing but the bet being predictable and
every factor positive.

Candidates are grouped into narrow cells with one bet each, see `candidates`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import erfcx, ndtri_exp

from celeus_label.certify.pool import Floats

# No bet above this: where nothing varies any more it would only multiply rounding errors.
_LARGEST_BET = 1e6


@dataclass(frozen=True)
class Odds:
    """What is known of a round's signal before it is seen, as one side sees it.

    Attributes
    ----------
    low, high : float
        a_t <= S_t <= b_t.
    variance : float
        Estimate of Var[S_t | F_{t-1}], positive.
    loss : float
        Size of the typical loss: how far below the mean a signal falls where it does, each fall weighted by its
        share of the variance. Positive.
    centre : float
        Estimate of the mean.
    other_end : float
        The other end of the interval, above the mean on this side.
    """

    low: float
    high: float
    variance: float
    loss: float
    centre: float
    other_end: float


class Bet(Protocol):
    """The rule that sets the bets of a round from the rounds before it."""

    cells: int
    """Number of cells that [0, 1] is cut into at first."""

    log_weights: Floats
    """Logarithms of the starting wealth of each of the J components, shape (J,)."""

    def sizes(self, part: slice, edges: Floats, wealth: Floats, odds: Odds) -> Floats:
        """Bets lam of a round.

        Parameters
        ----------
        part : slice
            Which K cells are asked for, of those kept.
        edges : array of shape (K + 1,)
            Their edges.
        wealth : array of shape (J, K)
            Log wealth of each component in the middle of each cell.
        odds : Odds

        Returns
        -------
        array of shape (J, K)
            lam >= 0 with 1 + lam (a_t - v) > 0 on the whole cell.
        """
        ...

    def update(self, part: slice, edges: Floats, signal: float, odds: Odds) -> None:
        """Take note of the round's signal, once its bets are paid."""
        ...

    def keep(self, part: slice) -> None:
        """Forget every cell but these, which are all of them from now on."""
        ...


class HedgedBet:
    """The paper's bet (METHOD 4; Waudby-Smith & Ramdas 2024, Eq. 26), at the middle of each cell.

    In the scaled signal Sbar = (S - a)/(b - a):
    lam_t(v) = min( sqrt(2 log(2/alpha1) / (sig2_{t-1}(v) t log(t+1))), 1 / (vbar_t + c) ),
    sig2_{t-1}(v) = (1/4 + sum_{i<t} (Sbar_i - vbar_i)^2) / t.

    Parameters
    ----------
    alpha1 : float
        Miscoverage of the pool interval, in (0, 1).
    c : float
        Truncation, positive.
    """

    cells = 16384
    log_weights = np.zeros(1)

    def __init__(self, alpha1: float, c: float) -> None:
        self._scale = 2 * math.log(2 / alpha1)
        self._c = c
        self._squares = np.zeros(self.cells)
        self._t = 1

    def sizes(self, part: slice, edges: Floats, wealth: Floats, odds: Odds) -> Floats:
        """See `Bet.sizes`; the wealth plays no part."""
        width = odds.high - odds.low
        plain = np.sqrt(self._scale / math.log(self._t + 1) / (0.25 + self._squares[part]))
        most = 1 / ((edges[1:] - odds.low) / width + self._c)
        sizes: Floats = np.minimum(plain, most)[None, :] / width
        return sizes

    def update(self, part: slice, edges: Floats, signal: float, odds: Odds) -> None:
        """See `Bet.update`."""
        middle = (edges[:-1] + edges[1:]) / 2
        self._squares[part] += ((signal - middle) / (odds.high - odds.low)) ** 2
        self._t += 1

    def keep(self, part: slice) -> None:
        """See `Bet.keep`."""
        self._squares = self._squares[part].copy()


class TargetBet:
    """A bet that aims at the width where the session stops: a digital option on rejecting v in time.

    For a v that lies h below the mean, the wealth needed should be there when the information sum 1/V_i has grown
    by some horizon. With many small rounds, the bet that gets from the share y of that wealth to all of it within
    the information H with the highest probability is the one that replicates a payoff of all or nothing (Browne
    1999, "Reaching goals by a deadline"):

        x = Phi^{-1}(y),   lam_t(v) = phi(x) / ( y V_t sqrt(H) ).

    The horizon is chosen anew each round so that the candidate h below the present estimate gets there:
    sqrt(H) = -x / h at that candidate. From the starting share p = alpha1/2 this asks for the information
    (z_p / h)^2, as a z-test does: about half of the 2 log(2/alpha1)/h^2 that bets of a constant size need.

    Rounds are neither many nor small: no bet risks more than a part of the wealth on a typical loss, nor more than
    a larger part on the worst, and no horizon is shorter than a few rounds. A small share of the starting wealth
    is kept for going on to smaller widths, and one is bet steadily, lam_t = h / V_t, whatever happened before: an
    option that was lost early would else cost a session many times its ratings.

    Parameters
    ----------
    alpha1 : float
        Miscoverage of the pool interval for both sides together, in (0, 1).
    half_width : float
        h on [0, 1]; may drift between rounds.
    threshold : float, optional
        A value that the session also stops at once it is rejected; where it lies further from the centre than h
        it is what the bet aims at.
    """

    cells = 2048
    # Options on the target, on half and on a quarter of its width, and the steady bet.
    log_weights = np.log(np.array([0.85, 0.03, 0.02, 0.10]))
    # Half width that each option aims at, as a share of h.
    _STEPS = np.array([1.0, 0.5, 0.25])
    # The options pay a little more than is needed, and for a little less than h: rounds are not infinitely small.
    _AIM = 1.05
    _NEARER = 0.95
    # A horizon is at least this many rounds.
    _SOFTNESS = 10.0
    # At most these parts of the wealth are lost to a typical and to the worst loss.
    _TYPICAL_RISK = 0.35
    _WORST_RISK = 0.95

    def __init__(self, alpha1: float, half_width: float, threshold: float | None = None) -> None:
        self.half_width = half_width
        self._threshold = threshold
        self._stage = 0
        options = self.log_weights[: len(self._STEPS)]
        self._log_share = (options + math.log(alpha1 / 2 / self._AIM))[:, None]
        self._longest = 4 * float(ndtri_exp(self._log_share[0, 0])) ** 2

    def go_on(self, half_width: float) -> None:
        """Aim at another half width: the components kept for it move up."""
        self.half_width = half_width
        self._stage = min(self._stage + 1, len(self._STEPS) - 1)

    def sizes(self, part: slice, edges: Floats, wealth: Floats, odds: Odds) -> Floats:
        """See `Bet.sizes`."""
        # from y = 1 on there is nothing left to win
        x = self._scores(wealth[:-1])
        root = np.sqrt(
            np.maximum(self._horizons(x, edges, odds.centre, odds.other_end), self._SOFTNESS / odds.variance)
        )
        # phi(x) / Phi(x) = sqrt(2/pi) / erfcx(-x / sqrt(2)); for large x erfcx is inf and the ratio 0
        hedge = math.sqrt(2 / math.pi) / erfcx(-x / math.sqrt(2)) / (odds.variance * root)
        room = np.maximum(edges[1:] - odds.low, 1e-300)
        most = np.minimum(self._WORST_RISK / room, min(self._TYPICAL_RISK / odds.loss, _LARGEST_BET))
        steady = np.full((1, x.shape[1]), self.half_width / odds.variance)
        sizes: Floats = np.minimum(np.concatenate([hedge, steady]), most)
        return sizes

    def _scores(self, wealth: Floats) -> Floats:
        """Standard scores x = Phi^{-1}(share of the wealth needed); at a share of 1 there is nothing left to win."""
        scores: Floats = ndtri_exp(np.minimum(self._log_share + wealth, -1e-12))
        return scores

    def _horizons(self, x: Floats, edges: Floats, centre: float, other_end: float) -> Floats:
        """Information in which each option's candidate, its h below the centre, should be rejected, (J, 1).

        Where the other end is nearer to the centre than h already, this one may stay further away.
        """
        steps = self._STEPS[np.maximum(np.arange(len(self._STEPS)) - self._stage, 0)]
        halves = self._NEARER * self.half_width * steps
        halves[0] = max(halves[0], 2 * halves[0] - (other_end - centre))
        if self._threshold is not None:
            halves[0] = max(halves[0], centre - self._threshold)
        cells = np.searchsorted(edges, centre - halves, side="right") - 1
        there = x[np.arange(len(halves)), np.clip(cells, 0, x.shape[1] - 1)]
        # a candidate below the first cell was rejected before
        there = np.where(cells < 0, 0.0, np.minimum(there, 0.0))
        horizons: Floats = (np.minimum(there**2, self._longest) / halves**2)[:, None]
        return horizons

    def horizon(self, edges: Floats, wealth: Floats, centre: float, other_end: float) -> float:
        """Information still needed until the candidate aimed at is rejected, sum of 1/V_t over the rounds to come."""
        horizons = self._horizons(self._scores(wealth[:-1]), edges, centre, other_end)[:, 0]
        return float(horizons[self._stage])

    def update(self, part: slice, edges: Floats, signal: float, odds: Odds) -> None:
        """See `Bet.update`; everything that this bet remembers is in the wealth."""

    def keep(self, part: slice) -> None:
        """See `Bet.keep`."""
