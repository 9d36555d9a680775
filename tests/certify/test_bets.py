from __future__ import annotations

import math

import numpy as np
import pytest

from celeus_label.certify.bets import Bet, HedgedBet, Odds, TargetBet
from celeus_label.certify.running import RunningHedgedBet

BETS = {
    "hedged": lambda: HedgedBet(0.05, 0.5),
    "raw": lambda: RunningHedgedBet(0.05, 0.5),
    "target": lambda: TargetBet(0.05, 0.025),
    "target, tiny": lambda: TargetBet(0.05, 1e-5),
    "target, huge": lambda: TargetBet(0.9, 0.49),
    "threshold": lambda: TargetBet(0.05, 0.025, 0.4),
}


@pytest.mark.parametrize("name", BETS)
def test_every_factor_is_positive_whatever_comes(name: str) -> None:
    """1 + lam (S - v) > 0 for every S from a_t on and every v of the cell; and no bet is negative or undefined."""
    rng = np.random.default_rng(2)
    bet: Bet = BETS[name]()
    edges = np.linspace(0, 1, bet.cells + 1)
    count = len(bet.log_weights)
    for _ in range(60):
        rated = rng.choice([0.0, rng.random() * 0.9])
        low = rated - rng.choice([0.0, 1e-17, rng.random() * 3])
        high = low + rng.choice([1e-4, 0.3, 4.0]) + (1 - low)
        first = int(np.searchsorted(edges, rated, side="right")) - 1
        part = slice(first, bet.cells)
        wealth = rng.normal(0, rng.choice([0.0, 3.0, 300.0]), (count, bet.cells - first))
        odds = Odds(
            low,
            high,
            variance=float(rng.choice([1e-12, 1e-3, 0.3, 5.0])),
            loss=float(rng.choice([1e-9, 0.01, 2.0])),
            centre=float(rng.uniform(-0.5, 1.5)),
            other_end=float(rng.uniform(rated, 1)),
        )
        sizes = bet.sizes(part, edges[first:], wealth, odds)
        assert sizes.shape == (count, bet.cells - first)
        assert np.isfinite(sizes).all() and (sizes >= 0).all()
        worst = 1 + sizes * (low - edges[first + 1 :])
        assert worst.min() > 0
        bet.update(part, edges[first:], float(rng.uniform(low, high)), odds)


@pytest.mark.parametrize("name", BETS)
def test_the_starting_wealth_is_one(name: str) -> None:
    assert np.exp(BETS[name]().log_weights).sum() == pytest.approx(1, abs=1e-12)


def test_hedged_bet_is_the_papers_in_the_middle_of_each_cell() -> None:
    rng = np.random.default_rng(5)
    bet = HedgedBet(0.05, 0.5)
    edges = np.linspace(0, 1, bet.cells + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    squares = np.full(bet.cells, 0.25)
    for t in range(1, 30):
        low, high = -rng.random(), 1 + rng.random()
        odds = Odds(low, high, 0.1, 0.1, 0.5, 1.0)
        wanted = np.sqrt(2 * math.log(40) / (squares / t * t * math.log(t + 1)))
        most = 1 / ((middle - low) / (high - low) + 0.5)
        expected = np.minimum(wanted, most) / (high - low)
        sizes = bet.sizes(slice(0, bet.cells), edges, np.zeros((1, bet.cells)), odds)[0]
        # the cap is taken at the right edge, so that it holds for the whole cell
        np.testing.assert_allclose(sizes, expected, rtol=1.5 / bet.cells / 0.5)
        signal = rng.uniform(low, high)
        bet.update(slice(0, bet.cells), edges, signal, odds)
        squares += ((signal - middle) / (high - low)) ** 2


def test_target_bet_grows_with_the_need_and_stops_at_the_goal() -> None:
    bet = TargetBet(0.05, 0.025)
    cells = slice(0, bet.cells)
    edges = np.linspace(0, 1, bet.cells + 1)
    odds = Odds(-1.0, 2.0, 0.05, 0.2, 0.5, 1.0)
    shape = (len(bet.log_weights), bet.cells)
    start = bet.sizes(cells, edges, np.zeros(shape), odds)
    there = bet.sizes(cells, edges, np.full(shape, math.log(1e4)), odds)
    # options that are won bet no more; the steady bet is as it was
    assert (there[:-1] < 1e-3 * start[:-1]).all()
    np.testing.assert_array_equal(there[-1], start[-1])
    calm = bet.sizes(cells, edges, np.zeros(shape), Odds(-1.0, 2.0, 0.005, 0.2, 0.5, 1.0))
    assert (calm >= start).all() and (calm > 2 * start).any()
