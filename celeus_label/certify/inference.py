"""Committed rounds, one at a time, into the interval for the pool mean."""

from __future__ import annotations

from celeus_label.certify.bets import Bet, HedgedBet, Odds, TargetBet
from celeus_label.certify.candidates import LowerEnd, rejection_threshold
from celeus_label.certify.design import Design
from celeus_label.certify.estimators import Lure
from celeus_label.certify.moments import Moments
from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.running import RunningHedgedBet
from celeus_label.certify.series import ExactSum
from celeus_label.certify.signals import Terms
from celeus_label.certify.surrogates import Outlook

# Certain bounds are sums of ratings; they are taken this much wider than their rounding error.
_ROUNDING = 1e-13


class Inference:
    """Interval and estimate for the pool mean after the rounds committed so far.

    Each end has its own bet and its own signals. They differ only after an item that nobody could rate, whose
    value is then 0 for the lower end and 1 for the upper one, so that the interval holds whatever it is.

    Parameters
    ----------
    pool : Pool
    design : Design
        Resolved for the pool.
    surrogate : array of shape (N,)
        On [0, 1].
    """

    def __init__(self, pool: Pool, design: Design, surrogate: Floats) -> None:
        self._fitted = design.surrogate == "fitted"
        self._raw = design.signal == "raw"
        self._size = pool.size
        self._design = design
        start = float(pool.surrogate.mean())
        theta = float(design.theta or 0.5) if design.bet == "hedged" else 0.5
        # theta K+ alone, or (1 - theta) K- alone, has to reach 1/alpha1: what both together reject is no less
        above, below = design.thresholds(pool)
        self._lower = LowerEnd(self._bet(start, above), rejection_threshold(design.alpha1, theta))
        mirrored = None if below is None else 1 - below
        self._upper = LowerEnd(self._bet(start, mirrored), rejection_threshold(design.alpha1, 1 - theta))
        self._moments = Moments(start, pool.size)
        self._aimed_from = start
        self._estimate = Lure(float(surrogate.mean()), pool.size)
        # sums of the committed values, as the lower and as the upper end see them
        self._rated = ExactSum(), ExactSum()
        self.rounds = 0
        self.turns = 0  # how often `go_on` was called

    def _bet(self, centre: float, threshold: float | None) -> Bet:
        design = self._design
        if design.bet == "hedged" and self._raw:
            return RunningHedgedBet(design.alpha1, float(design.c or 0.5))
        if design.bet == "hedged":
            return HedgedBet(design.alpha1, float(design.c or 0.5))
        return TargetBet(design.alpha1, design.aim(self._size, centre), threshold)

    @property
    def lower(self) -> float:
        """Lower end for the pool mean on [0, 1]."""
        return self._lower.end

    @property
    def upper(self) -> float:
        """Upper end for the pool mean on [0, 1]."""
        return 1.0 - self._upper.end

    @property
    def estimate(self) -> float:
        """Point estimate of the pool mean on [0, 1], inside the interval."""
        low, high = sorted((self.lower, self.upper))
        # LURE is made for a surrogate that stays the same (METHOD 5)
        estimate = self._moments.centre if self._fitted else self._estimate.get()
        return min(max(estimate, low), high)

    def commit(self, known: Terms, low: float, high: float, outlook: Outlook | None = None) -> None:
        """Add the next round.

        Parameters
        ----------
        known : Terms
            What the draw fixed.
        low, high : float
            The item's value on [0, 1] as the lower and as the upper end see it; equal for an item that was rated.
        outlook : Outlook, optional
            What a new fit expects of the signals from this round on.
        """
        if outlook is not None:
            self._moments.restart(outlook)
        below, above = (seen.value for seen in self._rated)
        rated_below, rated_above = below + low, above + high
        left = known.left - 1
        # what is certain of the pool is not of the population, which raw ratings speak of
        certain_below = 0.0 if self._raw else rated_below / self._size
        certain_above = 0.0 if self._raw else (self._size - rated_above - left) / self._size
        seen_below, odds, _ = self._seen(known, below, low)
        seen_above, _, mirrored = self._seen(known, above, high)
        self._lower.commit(seen_below, odds, certain_below - _ROUNDING)
        self._upper.commit(1 - seen_above, mirrored, certain_above - _ROUNDING)
        # an item that nobody rated says nothing about the residuals
        value = low if low == high else known.s
        self._moments.update(value if self._raw else known.signal((below + above) / 2, value), known.left)
        self._estimate.update(known.q, value - known.s)
        self._rated[0].add(low)
        self._rated[1].add(high)
        self.rounds += 1
        if self._design.target == "population" and abs(self.estimate - self._aimed_from) > 0.01:
            self._follow()

    def _seen(self, known: Terms, rated: float, y: float) -> tuple[float, Odds, Odds]:
        """The signal, and the odds of the bet that the mean is above and of the one that it is below."""
        signal = y if self._raw else known.signal(rated, y)
        if self._raw:
            a, b = 0.0, 1.0
        else:
            a, b = known.bounds(rated) if self._design.bounds == "local" else self._design.global_bounds
        if not a - 1e-9 <= signal <= b + 1e-9:
            raise ArithmeticError(f"a signal is {signal!r}, outside its bounds {a!r} and {b!r}")
        variance = self._moments.variance(known.left)
        centre = self._moments.centre
        fall, rise = self._moments.losses(known.left, max(centre - a, 0.0), max(b - centre, 0.0))
        above = Odds(a, b, variance, fall, centre, self.upper)
        below = Odds(1 - b, 1 - a, variance, rise, 1 - centre, 1 - self.lower)
        return signal, above, below

    def _follow(self) -> None:
        """The step to the population depends on where the mean is, and with it the width to aim at."""
        self._aimed_from = self.estimate
        for bet in self._target_bets():
            bet.half_width = self._design.aim(self._size, self.estimate)

    def _target_bets(self) -> list[TargetBet]:
        return [side.bet for side in (self._lower, self._upper) if isinstance(side.bet, TargetBet)]

    def outlook(self, left: int) -> tuple[float, float, float | None]:
        """Variance of the next signal, typical size of its jumps, and the information still needed (None: unknown)."""
        centre = self._moments.centre
        horizons = (
            self._lower.horizon(centre, self.upper),
            self._upper.horizon(1 - centre, 1 - self.lower),
        )
        known = [horizon for horizon in horizons if horizon is not None]
        jump = sum(self._moments.losses(left, 1.0, 1.0)) / 2
        return self._moments.variance(left), jump, max(known) if known else None

    def go_on(self, design: Design) -> None:
        """Bet for another target width from the next round on."""
        self._design = design
        self.turns += 1
        for bet in self._target_bets():
            bet.go_on(design.aim(self._size, self.estimate))
