"""The draws of a whole trial follow the law of the proposal, and their terms are those of the signals."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from celeus_label.certify.proposals import Proposal
from celeus_label.certify.signals import terms
from celeus_label.compare.courses import course, draw

COUNT = 20_000


@pytest.mark.parametrize(
    ("weights", "beta"),
    [(None, 1.0), ((3.0, 1.0, 0.0, 2.0), 0.4), ((0.0, 0.0, 5.0, 0.0), 0.2), ((0.0, 0.0, 0.0, 0.0), 0.4)],
)
def test_every_order_is_drawn_as_often_as_the_proposal_says(
    weights: tuple[float, ...] | None, beta: float
) -> None:
    size = 4
    column = None if weights is None else np.array(weights)
    proposal = Proposal(column, beta)
    rng = np.random.default_rng(5)
    drawn = Counter(tuple(draw(column, size, beta, 3, rng).tolist()) for _ in range(COUNT))
    total = 0.0
    for order in itertools.permutations(range(size), 3):
        remaining, chance = np.ones(size, dtype=bool), 1.0
        for item in order:
            chance *= proposal.probabilities(remaining)[item]
            remaining[item] = False
        total += chance
        spread = (chance * (1 - chance) / COUNT) ** 0.5
        assert abs(drawn[order] / COUNT - chance) <= 4.5 * spread + 1e-12, order
    assert total == pytest.approx(1)


@pytest.mark.parametrize("seed", range(6))
def test_terms_are_those_of_the_signal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, beta = 60, (0.05, 0.4, 1.0)[seed % 3]
    surrogate = np.round(rng.random(size), 1)  # with many ties
    weights = None if seed == 5 else np.round(rng.random(size), 1) * (rng.random(size) < 0.7)
    order = draw(weights, size, beta, size, rng)
    assert sorted(order.tolist()) == list(range(size))
    known = course(order, surrogate, weights, beta)
    values = rng.random(size)
    remaining, rated = np.ones(size, dtype=bool), 0.0
    proposal = Proposal(weights, beta)
    for t, item in enumerate(order):
        expected = terms(int(item), surrogate, proposal.probabilities(remaining), remaining)
        for name in ("left", "q", "s", "rest", "low", "high"):
            assert getattr(known, name)[t] == pytest.approx(getattr(expected, name), abs=1e-12), (t, name)
        assert known.signals(values)[t] == pytest.approx(expected.signal(rated, values[item]), abs=1e-9)
        remaining[item], rated = False, rated + values[item]


def test_fewer_rounds_are_the_beginning_of_more() -> None:
    """What is not drawn yet counts as left."""
    rng = np.random.default_rng(1)
    surrogate, weights = rng.random(50), rng.random(50)
    order = draw(weights, 50, 0.4, 50, rng)
    whole, part = (course(order[:rounds], surrogate, weights, 0.4) for rounds in (50, 20))
    for name in ("q", "s", "rest", "low", "high"):
        assert getattr(part, name) == pytest.approx(getattr(whole, name)[:20], abs=1e-12)
