"""Preset "celeus" against METHOD 2 to 4 written straight down (see `straight_line`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from celeus_label.certify import Certifier, Design, Pool, Scale
from tests.certify.straight_line import celeus

Ends = NDArray[np.float64]
ROUNDS = 500
GRID = 20_000
SIZE = 5_000


@dataclass(frozen=True)
class Case:
    y: NDArray[np.float64]
    s: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    beta: float = 0.4


def _case(name: str) -> Case:
    rng = np.random.default_rng(7)
    if name == "0/1, weights":
        chance = rng.beta(0.6, 2.4, SIZE)
        return Case((rng.random(SIZE) < chance) * 1.0, chance, np.sqrt(chance * (1 - chance)))
    if name == "0/1, rare, uniform":
        return Case((rng.random(SIZE) < 0.07) * 1.0, np.full(SIZE, 0.1), None)
    if name == "0/1, wrong judge, weights with zeros":
        y = (rng.random(SIZE) < 0.4) * 1.0
        return Case(y, 1 - y, np.where(rng.random(SIZE) < 0.3, 0.0, rng.random(SIZE)))
    if name == "Likert, uniform":
        y = rng.integers(0, 5, SIZE) / 4
        return Case(y, np.clip(y + rng.normal(0.1, 0.3, SIZE), 0, 1), None)
    if name == "Likert, weights, low floor":
        y = rng.integers(0, 5, SIZE) / 4
        return Case(
            y, np.clip(np.round(y * 4 + rng.normal(0, 1, SIZE)) / 4, 0, 1), rng.random(SIZE) ** 2, 0.1
        )
    assert name == "continuous, weights"
    y = rng.beta(5, 2, SIZE)
    return Case(y, np.clip(y + rng.normal(-0.05, 0.1, SIZE), 0, 1), rng.gamma(1.0, 1.0, SIZE))


NAMES = (
    "0/1, weights",
    "0/1, rare, uniform",
    "0/1, wrong judge, weights with zeros",
    "Likert, uniform",
    "Likert, weights, low floor",
    "continuous, weights",
)


@pytest.mark.parametrize("name", NAMES)
def test_both_ends_agree_within_one_grid_step_in_every_round(name: str) -> None:
    """A grid leaves its end open by one step, between its outermost survivor and the candidate beyond it.

    The package's end must lie there, or not further than one step away.
    """
    low, high, lower, upper = _both(_case(name))
    step = 1 / GRID
    differences = np.maximum.reduce(
        [lower - low, np.maximum(low - step, 0) - lower, high - upper, upper - np.minimum(high + step, 1)]
    )
    worst = int(differences.argmax())
    assert differences[worst] <= step, f"round {worst + 1}: {differences[worst]:.3g} beyond the grid's end"
    assert high[-1] - low[-1] < 0.7 * (high[0] - low[0]), "the comparison must see ends that move"


def _both(case: Case) -> tuple[Ends, Ends, Ends, Ends]:
    """Lower and upper ends after each round: straight down, and of the package."""
    features = {} if case.weights is None else {"w": case.weights}
    pool = Pool([str(row) for row in range(SIZE)], case.s, Scale(0, 1), features=features)
    certifier = Certifier(
        pool,
        Design(
            preset="celeus",
            target="population",
            width=0.06,
            beta=case.beta,
            weights=None if case.weights is None else "w",
            seed=11,
        ),
    )
    draws, qs, ends = [], [], []
    for _ in range(ROUNDS):
        draw = certifier.ask()
        certifier.tell(draw, float(case.y[draw.position]))
        draws.append(draw.position)
        qs.append(draw.q)
        ends.append(certifier.unit_interval)
    low, high = celeus(
        draws,
        qs,
        case.y,
        case.s,
        case.weights,
        beta=case.beta,
        alpha1=0.025,
        alpha2=0.025,
        theta=0.5,
        c=0.5,
        grid=GRID,
    )
    lower, upper = np.array(ends).T
    return low, high, lower, upper
