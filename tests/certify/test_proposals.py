from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify.proposals import Proposal, random_number
from celeus_label.certify.urn import Urn

WEIGHTS = np.array([0.0, 3.0, 1.0, 0.0, 0.5, 1e-7, 20.0])
MASKS = [
    [1, 1, 1, 1, 1, 1, 1],
    [1, 1, 0, 1, 1, 1, 0],
    [1, 0, 0, 1, 0, 0, 0],
    [0, 0, 0, 0, 0, 1, 0],
    [0, 1, 0, 1, 0, 0, 0],
]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("beta", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("weights", [None, WEIGHTS, np.zeros(7)])
def test_probabilities_are_those_of_the_method(
    weights: np.ndarray | None, beta: float, mask: list[int]
) -> None:
    remaining = np.array(mask, dtype=bool)
    q = Proposal(weights, beta).probabilities(remaining)
    left = int(remaining.sum())
    for item in range(7):
        total = 0.0 if weights is None else sum(weights[j] for j in range(7) if remaining[j])
        expected = 1 / left if total == 0.0 else beta / left + (1 - beta) * weights[item] / total  # type: ignore[index]
        assert q[item] == pytest.approx(expected if remaining[item] else 0.0, abs=1e-15)
    assert q.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("beta", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("weights", [None, WEIGHTS, np.zeros(7)])
def test_pick_draws_each_item_with_its_probability(
    weights: np.ndarray | None, beta: float, mask: list[int]
) -> None:
    """Over a fine grid of random numbers the shares are the probabilities, to the grid's own precision."""
    remaining = np.array(mask, dtype=bool)
    proposal = Proposal(weights, beta)
    count = 20_000
    urn = Urn(np.zeros(7), proposal, remaining)
    picked = [urn.pick((k + 0.5) / count) for k in range(count)]
    shares = np.bincount(picked, minlength=7) / count
    assert np.abs(shares - proposal.probabilities(remaining)).max() < 3 / count
    assert set(np.flatnonzero(shares)) <= set(np.flatnonzero(remaining))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("u", [0.0, 2.0**-53, 0.4, np.nextafter(0.4, 0), 1 - 2.0**-53])
def test_the_ends_of_the_random_numbers_draw_items_that_are_left(
    weights: np.ndarray | None, u: float
) -> None:
    for mask in MASKS:
        remaining = np.array(mask, dtype=bool)
        for beta in (0.05, 0.4, 1.0):
            assert remaining[Urn(np.zeros(7), Proposal(weights, beta), remaining).pick(u)]


def test_weights_of_any_size() -> None:
    """What counts is their ratios: neither overflow nor what is left of tiny numbers may bend the probabilities."""
    for scale in (1e-300, 1e-12, 1.0, 1e150, 1e300):
        remaining = np.array([True, True, False, True])
        q = Proposal(np.array([1.0, 2.0, 9.0, 1.0]) * scale, 0.2).probabilities(remaining)
        np.testing.assert_allclose(
            q, [0.05 / 0.75 + 0.2, 0.05 / 0.75 + 0.4, 0, 0.05 / 0.75 + 0.2], rtol=1e-12
        )


@pytest.mark.parametrize("weights", [[1e308] * 3, [1.0, 1e-310, 1e-310]])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_weights_at_the_limits_of_floats(weights: list[float]) -> None:
    remaining = np.array([False, True, True]) if weights[0] == 1.0 else np.ones(3, dtype=bool)
    assert Proposal(np.array(weights), 0.4).probabilities(remaining).sum() == pytest.approx(1)


def _philox(key: int, counter: int) -> int:
    """First word of the block of Philox 4x64 with 10 rounds (Salmon et al. 2011), written from the paper."""
    mask = (1 << 64) - 1
    keys, words = [key, 0], [counter, 0, 0, 0]
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * words[0], 0xCA5A826395121157 * words[2]
        words = [
            (second >> 64) ^ words[1] ^ keys[0],
            second & mask,
            (first >> 64) ^ words[3] ^ keys[1],
            first & mask,
        ]
        keys = [(keys[0] + 0x9E3779B97F4A7C15) & mask, (keys[1] + 0xBB67AE8584CAA73B) & mask]
    return words[0]


@pytest.mark.parametrize("seed", [0, 1, 7, 20_260_101, 2**63 - 1])
def test_random_numbers_can_be_made_by_anybody(seed: int) -> None:
    """Sessions are verified with them years later: they are a part of the format. The counter is the round + 1."""
    for round_ in (1, 2, 3, 500, 10**6):
        assert random_number(seed, round_) == (_philox(seed, round_ + 1) >> 11) * 2.0**-53


def test_random_numbers_look_uniform_and_independent() -> None:
    numbers = np.array([[random_number(seed, round_) for round_ in range(1, 101)] for seed in range(100)])
    assert numbers.min() >= 0 and numbers.max() < 1
    # standard errors: 0.0029 of the mean, 0.01 of a correlation
    assert abs(numbers.mean() - 0.5) < 0.012
    assert abs(np.corrcoef(numbers[:, :-1].ravel(), numbers[:, 1:].ravel())[0, 1]) < 0.04
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.04
    assert np.abs(np.bincount((numbers.ravel() * 10).astype(int)) / 10_000 - 0.1).max() < 0.015
