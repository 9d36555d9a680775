"""Predictable estimates of what the next signal will be like. They set the size of the bets, never validity."""

from __future__ import annotations

from celeus_label.certify.surrogates import Outlook

# Variance of the residuals assumed before the first rating, and what that counts for in ratings.
_PRIOR_VARIANCE = 0.06
_PRIOR_WEIGHT = 6.0


class Moments:
    """Running centre, variance and tails of the signals, scaled to what is left of the pool (METHOD 7.1).

    V_t = (n_t / N)^2 mean over i < t of (S_i - centre_{i-1})^2 (N / n_i)^2, started at a prior of a few
    observations: with fewer items left, the residuals that remain matter less.

    Parameters
    ----------
    start : float
        The centre before the first signal, in [0, 1].
    size : int
        N.
    """

    def __init__(self, start: float, size: int) -> None:
        self._size = size
        self._count = 0
        self._squares = 0.0
        # falls below and rises above the centre: sums of their squares and cubes
        self._tails = [(0.0, 0.0), (0.0, 0.0)]
        # the start counts as one signal until there are others
        self._weighted, self._precision = start / _PRIOR_VARIANCE, 1 / _PRIOR_VARIANCE

    @property
    def centre(self) -> float:
        """Mean of the signals weighted by their predictable precision, sum S_t/V_t / sum 1/V_t (METHOD 5)."""
        return self._weighted / self._precision

    def variance(self, left: int) -> float:
        """V_t for a round with n_t = `left` items left, positive."""
        mean = (_PRIOR_WEIGHT * _PRIOR_VARIANCE + self._squares) / (_PRIOR_WEIGHT + self._count)
        return mean * (left / self._size) ** 2

    def losses(self, left: int, below: float, above: float) -> tuple[float, float]:
        """Typical size of a fall and of a rise: sum |d|^3 / sum d^2, near the bounds before the first rating.

        Parameters
        ----------
        left : int
            n_t.
        below, above : float
            The largest fall and rise that the bounds allow.
        """
        share = left / self._size
        prior = _PRIOR_WEIGHT / 4 * _PRIOR_VARIANCE
        fall, rise = (
            max((cubes * share + prior * 0.8 * most) / (squares + prior), 1e-9)
            for (squares, cubes), most in zip(self._tails, (below, above), strict=True)
        )
        return fall, rise

    def restart(self, outlook: Outlook) -> None:
        """Begin anew with what a fit expects of the signals to come, counted as the ratings it is made of."""
        self._count = outlook.ratings
        self._squares = outlook.variance * outlook.ratings
        half = self._squares / 2
        self._tails = [(half, half * outlook.fall), (half, half * outlook.rise)]

    def update(self, signal: float, left: int) -> None:
        """Add the signal of a round with n_t = `left`."""
        variance = self.variance(left)
        deviation = (signal - self.centre) * self._size / left
        side = 0 if deviation < 0 else 1
        squares, cubes = self._tails[side]
        self._tails[side] = (squares + deviation**2, cubes + abs(deviation) ** 3)
        self._squares += deviation**2
        if self._count == 0:
            self._weighted, self._precision = 0.0, 0.0
        self._count += 1
        self._weighted += signal / variance
        self._precision += 1 / variance
