"""Many trials of the paper's hedged bet at once: `certify.candidates.LowerEnd` with one more axis.

Each round costs numpy a fixed time to begin with, so that a hundred trials side by side take little longer than a
few. Cells, bets, rejections and ends are those of the certifier, number for number; tests/compare holds them
together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify import Design
from celeus_label.certify.bets import HedgedBet
from celeus_label.certify.candidates import _MARGIN, _SLACK, rejection_threshold
from celeus_label.certify.inference import _ROUNDING
from celeus_label.certify.pool import Floats
from celeus_label.certify.running import RunningHedgedBet

# Rounds between two looks at which cells are still of interest.
_TRIM_EVERY = 16


@dataclass(frozen=True)
class Signals:
    """What the bets of B trials see in T rounds; arrays have the shape (B, T).

    Attributes
    ----------
    signal : array
        S_t.
    low, high : array
        Its bounds a_t and b_t.
    certain_low, certain_high : array
        Values that the mean cannot be below, and above, from the ratings alone.
    size : int
        N.
    """

    signal: Floats
    low: Floats
    high: Floats
    certain_low: Floats
    certain_high: Floats
    size: int


@dataclass(frozen=True)
class Paths:
    """Intervals for the pool mean after each round, and where each trial stopped.

    Attributes
    ----------
    lower, upper : arrays of shape (B, T)
        NaN after a trial's last round.
    stop : int array of shape (B,)
        The first round, counted from 1, whose interval for the target is as narrow as the design asks or empty; 0
        where there is none.
    """

    lower: Floats
    upper: Floats
    stop: NDArray[np.intp]


def paths(seen: Signals, design: Design, *, until: str = "each", cells: int | None = None) -> Paths:
    """Run the bets until the design's width is reached.

    Parameters
    ----------
    seen : Signals
    design : Design
        With the hedged bet.
    until : str
        "each": a trial ends where it stops. "all": every trial goes on until the last of them stops. "end": to the
        last round.
    cells : int, optional
        Number of cells that [0, 1] is cut into, a power of 2; the certifier's where it is None.

    Raises
    ------
    ValueError
        The design has another bet.
    """
    if design.bet != "hedged":
        raise ValueError(f"trials at once are for the hedged bet, not for {design.bet!r}")
    trials, rounds = seen.signal.shape
    theta = float(design.theta or 0.5)
    if cells is None:
        cells = RunningHedgedBet.cells if design.signal == "raw" else HedgedBet.cells
    ends = [
        _Ends(trials, design, rejection_threshold(design.alpha1, share), cells)
        for share in (theta, 1.0 - theta)
    ]
    lower, upper = np.full((2, trials, rounds), np.nan)
    stop = np.zeros(trials, dtype=np.intp)
    alive = np.arange(trials)
    for t in range(rounds):
        low_end, high_end = ends[0].end, ends[1].end
        s, a, b = seen.signal[alive, t], seen.low[alive, t], seen.high[alive, t]
        certain = seen.certain_low[alive, t] - _ROUNDING, 1.0 - seen.certain_high[alive, t] - _ROUNDING
        if t % _TRIM_EVERY == 0 or (t < 4 * _TRIM_EVERY and t % 4 == 0):
            ends[0].trim(1.0 - high_end)
            ends[1].trim(1.0 - low_end)
        ends[0].commit(s, a, b, certain[0])
        ends[1].commit(1.0 - s, 1.0 - b, 1.0 - a, certain[1])
        lower[alive, t], upper[alive, t] = ends[0].end, 1.0 - ends[1].end
        done = _stopped(lower[alive, t], upper[alive, t], seen.size, design)
        fresh = alive[done & (stop[alive] == 0)]
        stop[fresh] = t + 1
        if until == "each" and done.any():
            alive = alive[~done]
            for side in ends:
                side.keep(~done)
        if until != "end" and (stop > 0).all():
            break
    return Paths(lower, upper, stop)


def _stopped(lower: Floats, upper: Floats, size: int, design: Design) -> NDArray[np.bool_]:
    """Which intervals for the target are narrow enough, or empty; the step to the population never narrows one."""
    done = upper - lower <= design.width
    if design.target == "population":
        for trial in np.flatnonzero(done & (lower <= upper)):
            low, high = design.widen(float(lower[trial]), float(upper[trial]), size)
            done[trial] = high - low <= design.width
    return done


class _Ends:
    """The lower ends of B trials. Of each trial's cells only those that are still of interest are kept.

    Arrays of shape (B, W) hold the cells first, first + 1, … of each trial.
    """

    def __init__(self, trials: int, design: Design, threshold: float, cells: int) -> None:
        self._cells = cells
        self._scale = 2 * math.log(2 / design.alpha1)
        self._c = float(design.c or 0.5)
        self._running = design.signal == "raw"
        self._threshold = threshold + _MARGIN
        self._t = 1
        self.end = np.zeros(trials)
        self._offset = np.zeros(trials, dtype=np.intp)  # of the first cell kept
        self._first = np.zeros(trials, dtype=np.intp)  # of the first cell not rejected
        self._logs = np.zeros((2, trials, self._cells))
        self._reach = np.tile(np.arange(self._cells) / self._cells, (trials, 1))
        self._squares = np.full((trials, 1 if self._running else self._cells), 0.25)
        self._sum = np.full((trials, 1), 0.5)  # of the scaled signals, for the running mean

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Go on with some of the trials."""
        self.end, self._offset, self._first = self.end[which], self._offset[which], self._first[which]
        self._logs, self._reach = self._logs[:, which], self._reach[which]
        self._squares, self._sum = self._squares[which], self._sum[which]

    def trim(self, other_end: Floats) -> None:
        """Forget the cells below the first and those above the other end, which need no bet any more."""
        last = np.minimum(np.ceil(other_end * self._cells).astype(np.intp), self._cells)
        width = int(np.maximum(last - self._first, 1).max(initial=1))
        shift = self._first - self._offset
        have = self._reach.shape[1]
        if width > 0.9 * have and (shift < 0.1 * have).all():
            return
        columns = shift[:, None] + np.arange(width)
        outside = columns >= have
        columns = np.minimum(columns, have - 1)
        rows = np.arange(len(shift))[:, None]
        self._logs = self._logs[:, rows, columns]
        self._logs[:, outside] = -np.inf  # nothing that lies there is of interest
        self._reach = self._reach[rows, columns]
        if not self._running:
            self._squares = self._squares[rows, columns]
        self._offset = self._first.copy()

    def commit(self, signal: Floats, low: Floats, high: Floats, certain: Floats) -> None:
        """Pay the bets of a round and move the ends; arrays of shape (B,)."""
        cells, count = self._cells, self._reach.shape[1]
        steps = np.arange(count) / cells
        left = (self._offset / cells)[:, None]  # left edge of the first cell kept
        a, width, s = low[:, None], (high - low)[:, None], signal[:, None]
        sizes = np.sqrt(self._scale / math.log(self._t + 1) / width**2 / self._squares)
        # a cell below a_t was rejected before, and is only waiting for the next trim
        room = np.maximum(steps + (left + 1 / cells - a + self._c * width), self._c * width)
        sizes = np.minimum(sizes, np.reciprocal(room, out=room), out=room)
        payoffs = (s - _SLACK - left) - steps
        gains = sizes * payoffs
        self._logs[0] += np.log1p(gains)
        sizes *= 1 / cells
        gains -= sizes  # at the right edge
        least = float(gains.min())
        if least <= -1.0:
            raise ArithmeticError(f"a betting factor is {1 + least!r}; every factor must be positive")
        self._logs[1] += np.log1p(gains, out=gains)
        if self._running:
            scaled = (s - a) / width
            self._sum += scaled
            self._squares += (scaled - self._sum / (self._t + 1)) ** 2
        else:
            payoffs += _SLACK - 0.5 / cells
            payoffs /= width
            payoffs *= payoffs
            self._squares += payoffs
        self._t += 1
        self._reject()
        self.end = np.maximum(self.end, certain)
        self._advance()

    def _reject(self) -> None:
        rows, columns = np.nonzero(self._logs[0] >= self._threshold)
        if not len(rows):
            return
        left = (self._offset[rows] + columns) / self._cells
        start = self._logs[0, rows, columns] - self._threshold
        slope = self._logs[1, rows, columns] - self._logs[0, rows, columns]
        whole = self._logs[1, rows, columns] >= self._threshold
        share = np.zeros(len(rows))
        for _ in range(8):  # Newton's steps from the left, as in LowerEnd
            terms = np.exp(start + slope * share)
            share += (terms - 1.0) / -(terms * slope)
        part = left + np.clip(share, 0.0, 1.0) / self._cells
        reach = np.where(whole, (self._offset[rows] + columns + 1) / self._cells, part)
        self._reach[rows, columns] = np.maximum(self._reach[rows, columns], reach)
        self._logs[:, rows[whole], columns[whole]] = -np.inf  # these are done with

    def _advance(self) -> None:
        """Move each trial's first cell to the first one that is not rejected, and its end there."""
        count = self._reach.shape[1]
        rows = np.arange(len(self.end))
        column = np.minimum(self._first - self._offset, count - 1)
        edge = (self._first + 1) / self._cells
        for row in np.flatnonzero((self._reach[rows, column] >= edge) | (self.end >= edge)):
            edges = np.arange(self._first[row] + 1, self._offset[row] + count + 1) / self._cells
            reach = self._reach[row, self._first[row] - self._offset[row] :]
            alive = np.flatnonzero((reach < edges) & (self.end[row] < edges))
            self._first[row] += alive[0] if len(alive) else len(edges)
        column = self._first - self._offset
        inside = column < count
        reached = self._reach[rows, np.minimum(column, count - 1)]
        # past the last cell that is kept the interval is empty
        self.end = np.maximum(self.end, np.where(inside, reached, self._first / self._cells))
