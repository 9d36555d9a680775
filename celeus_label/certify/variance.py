"""A predictable estimate of Var[S_t | F_{t-1}]. It sets the size of the bets and the weights of the estimate only."""

from __future__ import annotations


class RunningVariance:
    """Running mean of the squared deviations of the signals, scaled to what is left of the pool (METHOD 7.1).

    V_t = (n_t / N)^2 mean over i < t of (S_i - mean_{i-1})^2 (N / n_i)^2, started at a prior of a few
    observations: with fewer items left, the residuals that remain matter less.

    Parameters
    ----------
    start : float
        The mean before the first signal, in [0, 1].
    size : int
        N.
    prior : float
        Variance on the unit scale assumed before the first rating.
    prior_weight : float
        What the prior counts for, in ratings.
    """

    def __init__(self, start: float, size: int, prior: float = 0.06, prior_weight: float = 6.0) -> None:
        self._size = size
        # (signals seen, their mean, sum of squared scaled deviations), the start counting as one signal
        self._states = [(1.0, start, 0.0)]
        self._prior = prior
        self._prior_weight = prior_weight

    def predict(self, left: int) -> float:
        """V_t for a round with n_t = `left` items left, positive."""
        count, _, squares = self._states[-1]
        mean = (self._prior_weight * self._prior + squares) / (self._prior_weight + count - 1.0)
        return mean * (left / self._size) ** 2

    def update(self, signal: float, left: int) -> None:
        """Add the signal of a round with n_t = `left`."""
        count, mean, squares = self._states[-1]
        deviation = (signal - mean) * self._size / left
        self._states.append((count + 1, mean + (signal - mean) / (count + 1), squares + deviation**2))
