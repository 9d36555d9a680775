"""Point estimates of the pool mean from weighted draws (METHOD 5)."""

from __future__ import annotations


class Lure:
    """The LURE-weighted estimate (paper Eq. 4), one round at a time.

    Rhat_t = (1/N) sum_n s(n) + (1/t) sum_{m<=t} u_{m,t} (y_m - s_m),
    u_{m,t} = 1 + (N-t)/(N-m) (1 / ((N-m+1) q_m) - 1).

    The weight splits into 1 + (N-t) g_m with g_m fixed once m is rated, so two running sums are enough.
    Unbiased at a fixed t, for a surrogate that does not change.

    Parameters
    ----------
    surrogate_mean : float
        (1/N) sum_n s(n), on [0, 1].
    size : int
        N.
    """

    def __init__(self, surrogate_mean: float, size: int) -> None:
        self._mean = surrogate_mean
        self._size = size
        self._rounds = 0
        self._plain, self._weighted = 0.0, 0.0  # sums of the residuals, and of g_m times the residuals

    def update(self, q: float, residual: float) -> None:
        """Add round m: its q_m(i_m) and y - s."""
        self._rounds += 1
        m = self._rounds
        # at m = N the factor (N-t) is 0 too, and the term is 1
        g = 0.0 if m == self._size else (1.0 / ((self._size - m + 1) * q) - 1.0) / (self._size - m)
        self._plain += residual
        self._weighted += g * residual

    def get(self) -> float:
        """The estimate; the mean of the surrogate before the first round."""
        t = self._rounds
        if t == 0:
            return self._mean
        return self._mean + (self._plain + (self._size - t) * self._weighted) / t


class Naive:
    """The estimate that forgets how the items were drawn: `Lure` with every u = 1, kept for comparison.

    (1/N) sum_n s(n) + (1/t) sum_{m<=t} (y_m - s_m), biased wherever the draws are not uniform.

    Parameters
    ----------
    surrogate_mean : float
        (1/N) sum_n s(n), on [0, 1].
    """

    def __init__(self, surrogate_mean: float) -> None:
        self._mean = surrogate_mean
        self._sum = 0.0
        self._rounds = 0

    def update(self, residual: float) -> None:
        """Add a round's y - s."""
        self._sum += residual
        self._rounds += 1

    def get(self) -> float:
        """The estimate; the mean of the surrogate before the first round."""
        return self._mean + (self._sum / self._rounds if self._rounds else 0.0)


class Precision:
    """Mean of the signals weighted by their predictable precision, sum S_t/V_t / sum 1/V_t.

    Every S_t is conditionally unbiased even where the surrogate was re-fitted, which LURE is not made for.

    Parameters
    ----------
    start : float
        The estimate before the first round.
    """

    def __init__(self, start: float) -> None:
        self._total, self._precision = 0.0, 0.0
        self._start = start

    def update(self, signal: float, variance: float) -> None:
        """Add a round's S_t and V_t > 0."""
        self._total += signal / variance
        self._precision += 1.0 / variance

    def get(self) -> float:
        """The estimate."""
        return self._total / self._precision if self._precision > 0.0 else self._start
