"""The rejected set: a statement about every real candidate, checked against the exact wealth of many of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from celeus_label.certify.bets import Odds
from celeus_label.certify.candidates import LowerEnd, rejection_threshold

Floats = NDArray[np.float64]


class PlannedBet:
    """Bets that were planned before: a function of the round gives lam of each component in the middle of each cell."""

    def __init__(self, cells: int, weights: list[float], plan: Callable[[int, Floats], Floats]) -> None:
        self.cells = cells
        self.log_weights = np.log(np.array(weights))
        self._plan = plan
        self.round = 0

    def sizes(self, part: slice, edges: Floats, wealth: Floats, odds: Odds) -> Floats:
        """Never more than 0.95 of the wealth."""
        most = 0.95 / np.maximum(edges[1:] - odds.low, 1e-300)
        return np.minimum(self._plan(self.round, (edges[1:] + edges[:-1]) / 2), most)

    def update(self, part: slice, edges: Floats, signal: float, odds: Odds) -> None:
        self.round += 1

    def keep(self, part: slice) -> None:
        """It remembers nothing of a cell."""


def _odds(low: float = 0.0, high: float = 1.0, other_end: float = 1.0) -> Odds:
    return Odds(low, high, 0.1, 0.1, 0.5, other_end)


@pytest.mark.parametrize("cells", [1, 3, 10, 64])
@pytest.mark.parametrize("weights", [[1.0], [0.9, 0.1], [0.3, 0.3, 0.4]])
def test_every_candidate_below_the_end_has_lost(cells: int, weights: list[float]) -> None:
    rng = np.random.default_rng(cells)
    for _ in range(30):
        slopes = rng.gamma(1.0, 1.5, (40, len(weights), 1))
        tilts = rng.normal(0, 1.5, (40, len(weights), 1))
        bet = PlannedBet(cells, weights, lambda t, v, a=slopes, b=tilts: a[t] * np.exp(b[t] * (v - 0.5)))
        threshold = math.log(rng.choice([1.3, 2.0, 10.0, 40.0]))
        end = LowerEnd(bet, threshold)
        # the exact wealth of candidates inside each cell, those at the edges included
        inside = np.linspace(0, 1, 24 * cells + 1)
        home = np.minimum((inside * cells).astype(int), cells - 1)
        edges = np.linspace(0, 1, cells + 1)
        wealth = np.tile(np.array(weights)[:, None], (1, len(inside)))
        best = np.zeros(len(inside))
        before = 0.0
        for t in range(40):
            bet_before = bet.round
            signal = float(rng.beta(4, 2))
            sizes = bet.sizes(slice(0, cells), edges, np.zeros((len(weights), cells)), _odds())
            played = np.zeros(len(inside), dtype=bool)
            first = end._edges[end._first]
            end.commit(signal, _odds(), 0.0)
            if bet.round > bet_before:
                played[edges[home] >= first] = True
            wealth[:, played] *= 1 + sizes[:, home[played]] * (signal - inside[played])
            best = np.maximum(best, wealth.sum(axis=0))
            assert end.end >= before, "the end moved back"
            before = end.end
            lost = best >= math.exp(threshold) * (1 - 1e-6)
            assert lost[inside < end.end - 1e-12].all(), (
                f"round {t}: a candidate was rejected that had not lost"
            )
            # and not much is given away: a candidate that lost by far, with all below it, is rejected
            clearly = best >= math.exp(threshold) * 4
            if clearly.all():
                continue
            reach = float(inside[int(np.argmin(clearly))])
            assert end.end >= reach - 2 / cells


@pytest.mark.parametrize("need", [1, 3, 6])
def test_a_bold_bet_uses_all_of_the_allowed_probability(need: int) -> None:
    """A fair coin, all but the whole wealth on heads: it doubles `need` times with probability 2^-need, its limit."""

    def bold(t: int, v: Floats) -> Floats:
        return np.full((1, len(v)), 1e9)

    total = 0.0
    for heads in itertools.product((0.0, 1.0), repeat=need + 2):
        bet = PlannedBet(2000, [1.0], bold)
        # at most 0.95 is bet: a head multiplies the wealth at the truth by a little more than 1.9
        end = LowerEnd(bet, need * math.log(1.9))
        rejected = False
        for signal in heads:
            end.commit(signal, _odds(), 0.0)
            rejected = rejected or end.end >= 0.5
        total += rejected * 0.5 ** len(heads)
    limit = 1.9**-need
    assert total == pytest.approx(0.5**need)
    assert total <= limit


# a bet of 0.95 / (v - a_t) in cells beside the truth makes a wealth too large for a float outside its logarithm
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_truth_at_the_edge_of_the_support_is_not_rejected_by_rounding() -> None:
    """All that remains is 0, so that every signal is a_t, the truth: METHOD 8.5."""
    for truth in (0.1, 0.25, 1 / 3, 0.5, 0.7):
        bet = PlannedBet(16, [0.5, 0.5], lambda t, v: np.full((2, len(v)), 1e6))
        end = LowerEnd(bet, math.log(40))
        for t in range(3000):
            noise = (t % 3 - 1) * 2e-16
            end.commit(truth + noise, _odds(low=truth + noise), truth - 1e-13)
        assert truth - 1e-12 <= end.end <= truth


def test_a_factor_that_is_not_positive_stops_everything() -> None:
    bet = PlannedBet(8, [1.0], lambda t, v: np.full((1, len(v)), 1e9))
    end = LowerEnd(bet, math.log(40))
    with pytest.raises(ArithmeticError, match="every factor must be positive"):
        end.commit(-0.2, _odds(low=0.0), 0.0)


def test_what_is_certain_moves_the_end_without_a_bet() -> None:
    end = LowerEnd(PlannedBet(8, [1.0], lambda t, v: np.zeros((1, len(v)))), math.log(40))
    for certain in (0.0, 0.3, 0.2, 0.875, 1.0):
        before = end.end
        end.commit(0.9, _odds(), certain)
        assert end.end == max(certain, before)


def test_an_empty_set_ends_at_one() -> None:
    """No candidate survives: the end is 1 and stays there, it is no fall-back to the whole range (METHOD 8.6)."""
    end = LowerEnd(PlannedBet(8, [1.0], lambda t, v: np.full((1, len(v)), 1.0)), math.log(2))
    for _ in range(12):
        end.commit(3.0, _odds(high=3.0), 0.0)
    assert end.end == 1.0


def test_hundreds_of_thousands_of_rounds_neither_underflow_nor_come_back() -> None:
    """A wealth that has fallen to e^-100000 is still a number, and a logarithm (METHOD 8.8)."""
    end = LowerEnd(PlannedBet(4, [0.9, 0.1], lambda t, v: np.full((2, len(v)), 0.9)), math.log(40))
    for _ in range(20_000):
        end.commit(0.0, _odds(), 0.0)
    assert end.end == 0.0
    end.commit(1.0, _odds(), 0.0)
    assert end.end == 0.0


def test_threshold() -> None:
    assert math.exp(rejection_threshold(0.05, 0.5)) == pytest.approx(40)
    assert math.exp(rejection_threshold(0.2, 0.25)) == pytest.approx(20)
