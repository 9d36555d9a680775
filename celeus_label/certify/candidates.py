"""The lower end of the interval: which candidate values are rejected, without a grid's holes.

[0, 1] is cut into narrow cells. All candidates of a cell share one bet a round, so inside a cell the log wealth
sum_i log(1 + lam_i (S_i - v)) is decreasing and concave in v: it lies above the chord between its values at
the cell's two edges. The wealth at the edges, two numbers a cell, therefore decides for every candidate between
them: the cell is rejected as far as the chord stays above the threshold. That is a statement about all real
candidates, not a look at grid points, and costs the same in every round however many there were before.
"""

from __future__ import annotations

import math

import numpy as np

from celeus_label.certify.bets import Bet, Odds, TargetBet
from celeus_label.certify.pool import Floats

# Signals are taken this much lower than they are, far more than their rounding error, so that noise at the
# edge of the support (v = a_t = S_t) can never add up to a rejection of the truth.
_SLACK = 1e-12
# Log wealth must pass its threshold by this much, far above the rounding error of its sum.
_MARGIN = 1e-9


class LowerEnd:
    """Running intersection of the values that one side of a bet has not rejected.

    Parameters
    ----------
    bet : Bet
        The rule that sizes the bets.
    threshold : float
        Log wealth at which a candidate is rejected.
    """

    def __init__(self, bet: Bet, threshold: float) -> None:
        self.bet = bet
        self.end = 0.0
        self._threshold = threshold + _MARGIN
        self._edges = np.linspace(0.0, 1.0, bet.cells + 1)
        # log wealth of each component at both edges of each cell
        self._logs = np.zeros((2, len(bet.log_weights), bet.cells))
        self._reach = self._edges[:-1].copy()  # everything in the cell below this was rejected at some round
        self._first = 0

    def commit(self, signal: float, odds: Odds, certain: float) -> None:
        """Pay the bets of a round and move the end.

        Parameters
        ----------
        signal : float
            S_t.
        odds : Odds
            What was known of it before.
        certain : float
            A value that the mean cannot be below, from the ratings alone.

        Raises
        ------
        ArithmeticError
            A factor is not positive: the bet or the bounds are wrong.
        """
        # nothing above the other end needs a bet any more
        last = min(int(np.searchsorted(self._edges, odds.other_end)), self._count)
        if 0 < last - self._first < self._count // 2:
            last = self._forget(last)
        if self._first < last:
            part = slice(self._first, last)
            edges = self._edges[self._first : last + 1]
            logs = self._logs[:, :, part]
            sizes = self.bet.sizes(part, edges, logs.mean(axis=0), odds)
            payoffs = signal - _SLACK - np.stack([edges[:-1], edges[1:]])
            gains = sizes * payoffs[:, None, :]
            if float(gains.min()) <= -1.0:
                raise ArithmeticError(
                    f"a betting factor is {1 + float(gains.min())!r}; every factor must be positive"
                )
            logs += np.log1p(gains)
            self.bet.update(part, edges, signal, odds)
            self._reject(part, edges, logs)
        self.end = max(self.end, certain)
        while self._first < self._count and (
            self._reach[self._first] >= self._edges[self._first + 1]
            or self.end >= self._edges[self._first + 1]
        ):
            self._first += 1
        if self._first == self._count:
            self.end = max(self.end, float(self._edges[-1]))
        else:
            self.end = max(self.end, float(self._reach[self._first]))

    def horizon(self, centre: float, other_end: float) -> float | None:
        """Information that the bet still needs, where it aims at something (see `TargetBet.horizon`)."""
        if not isinstance(self.bet, TargetBet) or self._first >= self._count:
            return None
        wealth = self._logs[:, :, self._first :].mean(axis=0)
        return self.bet.horizon(self._edges[self._first :], wealth, centre, other_end)

    @property
    def _count(self) -> int:
        """Number of cells kept."""
        return len(self._reach)

    def _forget(self, last: int) -> int:
        """Keep only the cells that the end can still be in; returns how many there are."""
        part = slice(self._first, last)
        self._edges = self._edges[self._first : last + 1].copy()
        self._logs = self._logs[:, :, part].copy()
        self._reach = self._reach[part].copy()
        self.bet.keep(part)
        self._first = 0
        return self._count

    def _reject(self, part: slice, edges: Floats, logs: Floats) -> None:
        at_edges = _log_sum(self.bet.log_weights[:, None] + logs)
        reach = self._reach[part]
        whole = at_edges[1] >= self._threshold
        reach[whole] = edges[1:][whole]
        for cell in np.flatnonzero((at_edges[0] >= self._threshold) & ~whole):
            root = self._chord_root(logs[:, :, cell])
            left, right = edges[cell], edges[cell + 1]
            reach[cell] = max(reach[cell], left + root * (right - left))

    def _chord_root(self, logs: Floats) -> float:
        """Share of a cell, from the left, on which the components' chords certify a rejection.

        sum_j w_j exp(chord_j) is convex and falls, so Newton's steps from the left stay left of its root.
        """
        start = self.bet.log_weights + logs[0] - self._threshold
        slope = logs[1] - logs[0]
        share = 0.0
        for _ in range(8):
            logs_there = start + slope * share
            top = float(logs_there.max())  # taken out of the ratio below, or it would overflow
            terms = np.exp(logs_there - top)
            share += float((terms.sum() - math.exp(-top)) / -(terms * slope).sum())
        return min(max(share, 0.0), 1.0)


def _log_sum(logs: Floats) -> Floats:
    """Log sum exp over the components, axis 1 of three."""
    if logs.shape[1] == 1:
        return logs[:, 0]
    top = logs.max(axis=1)
    result: Floats = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
    return result


def rejection_threshold(alpha1: float, share: float) -> float:
    """log(1 / (share alpha1)): one side alone may reject the truth with probability share * alpha1."""
    return -math.log(share * alpha1)
